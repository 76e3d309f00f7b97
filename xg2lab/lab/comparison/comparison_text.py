"""A comparison in words, and the switches of the engine by what they do.

>>> SWITCHES["parser"].say("pda")
'pushdown automaton'
>>> from xg2lab import EngineOptions
>>> [name for name in EngineOptions.__dataclass_fields__ if name not in SWITCHES and not name.startswith("max_")]
[]

See also `xg2lab.lab.comparison.comparing`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xg2lab.lab.trace.table import probability, shown, time_text

if TYPE_CHECKING:
    from xg2lab.lab.comparison.comparison import CompareReport

__all__ = ["ALL_AHEAD", "SWITCHES", "Switch", "SwitchValue", "changes", "comparison_text"]

#: `partial_jit_k` that makes every entry before the first token: no JIT.
ALL_AHEAD = (1 << 31) - 1
_N_LISTED = 8


#: A value of a switch.
SwitchValue = bool | int | str


@dataclass(frozen=True)
class Switch:
    """A field of `EngineOptions`: what it switches, and its values with their names."""

    what: str
    values: tuple[tuple[SwitchValue, str], ...] = ((True, "on"), (False, "off"))

    def say(self, value: object) -> str:
        """The value by its name; another as it is."""
        return next((name for known, name in self.values if type(known) is type(value) and known == value), str(value))


SWITCHES: dict[str, Switch] = {
    "cross_grammar_cache": Switch("cross-grammar cache"),
    "partial_jit_k": Switch(
        "mask entries are built", ((0, "when needed"), ("auto", "costly ahead"), (ALL_AHEAD, "all ahead"))
    ),
    "repetition_compression": Switch("repetition compression"),
    "parser": Switch(
        "parser", (("earley", "Earley"), ("pda", "pushdown automaton"), ("operators", "tree of operators"))
    ),
    "repetition_threshold": Switch(
        "repetitions are written out up to", ((0, "0: all counted"), (8, "8"), (32, "32"), (128, "128"))
    ),
    "context_expansion": Switch("context expansion"),
    "context_walks": Switch(
        "masks by a walk in context", (("auto", "where words meet"), ("never", "never"), ("always", "always"))
    ),
    "shared_walks": Switch("masks by walks that contexts share"),
    "counted_runs": Switch("white space walked separately"),
    "token_classes": Switch("token classes"),
    "tail_calls": Switch("tail calls"),
    "rule_inlining": Switch("rule inlining"),
    "literal_fusion": Switch("literal fusion"),
    "right_recursion_to_repeat": Switch("right recursion to repeat"),
    "determinize": Switch("determinize"),
    "minimize": Switch("minimize"),
    "contents_on_demand": Switch(
        "tags with schemas are compiled", ((0, "at once"), (1, "when needed"), (32, "when needed, of 32 on"))
    ),
}


def comparison_text(report: CompareReport) -> str:
    """The report: verdict, findings, first divergence, times."""
    a, b = report.a, report.b
    out = [_what(report), _verdict(report)]
    out += [f"  {level}: {text}" for level, text in report.findings]
    at = report.divergence
    if at is not None:
        end = "at the end of the text" if at.token_id is None else f"before {shown(at.text)}"
        counts = report.n_allowed[at.step] if at.step < len(report.n_allowed) else None
        allowed = "" if counts is None else f": A allows {counts[0]:,} {report.unit}s, B {counts[1]:,}"
        out.append(f"first divergence at step {at.step}, byte {at.byte}, {end}{allowed}")
        if at.token_id is not None and not (at.takes_a and at.takes_b):
            taker = {(True, False): "A alone takes it", (False, True): "B alone takes it"}
            out.append(f"  {taker.get((at.takes_a, at.takes_b), 'neither takes it')}")
        out += [f"  {name}: {reason}" for name, reason in (("A", at.reason_a), ("B", at.reason_b)) if reason]
        for token_id, text, p, is_of_a, in_a, in_b in at.listed[:_N_LISTED]:
            yes = ["yes" if taken else "no" for taken in (in_a, in_b)]
            says = f"only {'A' if is_of_a else 'B'} allows; accept of A {yes[0]}, of B {yes[1]}"
            p_text = "" if p is None else f"p {probability(p)}"
            out.append(f"  {shown(text, 20):<20} {token_id:>7}  {p_text:<9} {says}")
    if report.rounds_done:
        out.append(f"masks, of {report.rounds_done} rounds in turns (least and greatest ratio)" + _own_tokens(report))
        for phase, name in (("first", "cold"), ("shared", "cold, pool kept"), ("warm", "warm")):
            out += [
                f"  {name:<15} {what:<6}  A {time_text(times[0]):>7}  B {time_text(times[1]):>7}  B / A {ratio:.2f}"
                + ("" if spread is None else f" ({spread[0]:.2f} to {spread[1]:.2f})")
                for what, times, ratio, spread in (
                    ("median", [side.median_us(phase) for side in (a, b)], report.ratio(phase), report.spread(phase)),
                    (
                        "all",
                        [side.total_us(phase) for side in (a, b)],
                        report.total_ratio(phase),
                        report.total_spread(phase),
                    ),
                )
                if ratio is not None
            ]
    if report.shortest is not None:
        out.append(f"over all texts: {report.shortest}")
    if report.stopped:
        out.append(f"stopped: {report.stopped}, after {report.n_done} of {report.n_steps} masks")
    return "\n".join(out)


def _own_tokens(report: CompareReport) -> str:
    return ", each on its own tokens" if report.unit == "byte" else ""


def changes(report: CompareReport) -> list[tuple[str, str, str]]:
    """Each switch that differs: what it switches, A's value and B's by their names; and how the two were made."""
    a, b = ("linked from its template" if side.instance else "compiled, written out" for side in (report.a, report.b))
    how = [("grammar", a, b)] if a != b and report.must_agree else []
    return how + [
        (SWITCHES[name].what, SWITCHES[name].say(a), SWITCHES[name].say(b))
        if name in SWITCHES
        else (name, str(a), str(b))
        for name, (a, b) in report.changed.items()
    ]


def _what(report: CompareReport) -> str:
    said = [f"{what} {a} / {b}" for what, a, b in changes(report)]
    if report.unit == "byte":
        said.append("other vocabularies")
    if not report.must_agree and report.a.meaning != report.b.meaning:
        said.append("other grammars")
    return f"A and B: {', '.join(said) or 'the same'}"


def _verdict(report: CompareReport) -> str:
    n_bits = report.n_done * (256 if report.unit == "byte" else report.a.info.vocab_size)
    if report.a.refused or report.b.refused:
        return f"{report.n_done} masks compared, then one side failed"
    if not report.differences and report.divergence is None:
        return f"they agree: {report.n_done} masks, {n_bits:,} bits, 0 differ"
    where = f"{len(report.differences)} of {report.n_done} masks differ"
    return f"they differ: {where}, in {report.n_differ:,} of {n_bits:,} bits"
