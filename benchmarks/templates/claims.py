"""The paper's claims, each beside what was measured here, and whether it holds.

    claim       what the paper says, and where
    paper       its factor
    measured    ours, in the same sense: above 1, templates or operators are the better
    over        which two figures the factor divides
    holds       "yes" from the paper's factor on, "in part" if templates or operators are the better at all, else "no";
                or "not measured"
    why         what the factor is made of, or what is missing
    command     what measures it again

The paper measures on a GPU with a model, and "overhead" is over decoding without a grammar. Rows "with a model" do the
same with what `decoding.py` measured; all others compare what the engines take, on one thread of the CPU. No figure is
taken over from the paper or from an earlier run: a row without a measurement says so. What is checked of Table 1 alone
needs no run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from benchmarks import ahead, scaling
from benchmarks.record import Figures
from benchmarks.templates import targets

SECTIONS = 60  # the paper's outlines take "more than 60 rules"
SIZES = (10, 60, 240)
MIN_CUBIC = 2.5  # an exponent from here on is taken as cubic
TASK = "outlines, text tags"  # the form that the paper's baselines can take
NOT_MEASURED = targets.NOT_MEASURED
NOT_THE_CLAIM = "not tested by this"
COMMAND = "python -m benchmarks templates"
COMMAND_OF_OLD_PEERS = f"XG2LAB_OLD_PEERS=FOLDER {COMMAND}"
OLD = "older peer"


@dataclass(frozen=True)
class Rows:
    """The rows of a run, found by engine, way, task and size."""

    rows: Sequence[Figures]

    def find(self, engine: str, way: str = "", task: str = TASK, n: int = SECTIONS) -> Figures | None:
        """The first row of an engine whose name begins so."""
        for row in self.rows:
            fits = str(row["engine"]).startswith(engine) and way in {"", row["way"]}
            if fits and row["task"] == task and row["n"] == n:
                return row
        return None

    def value(self, figure: str, engine: str, way: str = "", task: str = TASK, n: int = SECTIONS) -> float | None:
        """A figure of that row; None where there is none."""
        row = self.find(engine, way, task, n)
        found = None if row is None else row.get(figure)
        return None if found is None else float(found)


def table(rows: Sequence[Figures], with_model: Sequence[Figures] = ()) -> list[Figures]:
    """Return a row for each claim and comparison, from the figures of a run and from those of `decoding.py`."""
    of = Rows(rows)
    return [
        *speed_ups(of),
        *overheads(with_model),
        *transitions(of),
        *cached_masks(of),
        *growths(of),
        *time_goes(of),
        *table_1(of),
    ]


def claim(
    text: str,
    paper: float | str,
    over: str,
    measured: float | None,
    why: str,
    holds: str | None = None,
    *,
    is_of_old_peer: bool = False,
) -> Figures:
    """One row."""
    row: dict[str, float | int | str] = {"claim": text, "paper": paper, "over": over}
    if measured is not None:
        row["measured"] = measured
    if holds is None:
        holds = NOT_MEASURED if measured is None else verdict(measured, float(paper))
    return {**row, "holds": holds, "why": why, "command": COMMAND_OF_OLD_PEERS if is_of_old_peer else COMMAND}


def verdict(measured: float, paper: float) -> str:
    """Whether a factor reaches the paper's. One that is 1 but for the machine's noise is no gain.

    >>> verdict(260, 250), verdict(40, 250), verdict(1.04, 2)
    ('yes', 'in part', 'no')
    """
    return "yes" if measured >= paper else "in part" if measured > 1 + ahead.EVEN else "no"


def ratio(theirs: float | None, ours: float | None) -> float | None:
    """Theirs over ours, where both were measured."""
    return None if theirs is None or not ours else theirs / ours


PEERS = (
    ("xgrammar 0.1.18", OLD),
    ("outlines 0.2.3", OLD),
    ("xgrammar", "rules"),
    ("llguidance", "rules"),
)


def label(of: Rows, engine: str, way: str, n: int) -> str:
    """An engine's name and version, or what was asked for where the run has no such row."""
    row = of.find(engine, way, n=n)
    return engine if row is None else str(row["engine"]).removesuffix(f", {way}")


def size_of(of: Rows, engine: str, way: str) -> int:
    """The number of sections to compare at: `SECTIONS`, or 10 for an engine that came no further."""
    rows = {n: of.find(engine, way, n=n) for n in (SECTIONS, 10)}
    return next((n for n, row in rows.items() if row is not None and "failed" not in row), SECTIONS)


TTFT = "250 times less time to first token than XGrammar (abstract)", 250.0
COMPILATION = "175 times less compilation than XGrammar (section 4.3)", 175.0
TPOT = "2.33 times less overhead a token than XGrammar (section 4.2)", 2.33


def speed_ups(of: Rows) -> Iterator[Figures]:
    """First tokens, compilation, and time a token, over the paper's baselines and over today's peers."""
    for engine, way in PEERS:
        n, is_old = size_of(of, engine, way), way == OLD
        name = f"{label(of, engine, way, n)}'s text over our"
        row = claim if engine.startswith("xgrammar") else aside  # the factors are over XGrammar
        for figure, (text, paper) in (("first_cpu_ms", TTFT), ("compile_cpu_ms", COMPILATION)):
            theirs = of.value(figure if is_old else f"{figure}_p50", engine, way, n=n)
            instance = ratio(theirs, of.value(f"{figure}_p50", "xg2lab", "template", n=n))
            why = "both begin at the request: the peer compiles a text, we link an instance"
            yield row(text, paper, f"{name} instance, {n} sections", instance, why, is_of_old_peer=is_old)
            plain = ratio(theirs, of.value(f"{figure}_p50", "xg2lab", "rules", n=n))
            why = "no template on either side: what the baseline's age alone makes of the factor"
            yield aside(text, paper, f"{name} text, {n} sections", plain, why, is_of_old_peer=is_old)
    yield from time_a_token(of)


def aside(
    text: str, paper: float, over: str, measured: float | None, why: str, *, is_of_old_peer: bool = False
) -> Figures:
    """A row that shows what a claim is measured against, and does not test it."""
    holds = NOT_MEASURED if measured is None else NOT_THE_CLAIM
    return claim(text, paper, over, measured, why, holds, is_of_old_peer=is_of_old_peer)


def time_a_token(of: Rows) -> Iterator[Figures]:
    """The claim on time per output token, by what the engines take beside the model."""
    for engine, way in PEERS[::2]:
        n, is_old = size_of(of, engine, way), way == OLD
        theirs = sum_of(of, engine, way, n, ("mask_cpu_us_mean", "accept_cpu_us_mean" if is_old else "accept_us_mean"))
        for our_way in ("template", "written out"):
            ours = sum_of(of, "xg2lab", our_way, n, ("mask_cpu_us_mean", "accept_us_mean"))
            over = f"{label(of, engine, way, n)} over our {our_way}, mask and accept of a token, {n} sections"
            why = "means of what the engines take, without a model"
            yield claim(*TPOT, over, ratio(theirs, ours), why, is_of_old_peer=is_old)


def overheads(with_model: Sequence[Figures]) -> Iterator[Figures]:
    """What a grammar adds to decoding with a model: XGrammar's overhead over that of our instances."""
    models = list(dict.fromkeys((str(row["model"]), str(row["device"])) for row in with_model))
    for model, device in models or [("a model", "any device")]:
        of_model = {
            str(row["way"]): row
            for row in with_model
            if (row["model"], row["device"], row["task"], row["runner"]) == (model, device, TASK, "transformers")
        }
        for name, (text, paper) in (("ttft", TTFT), ("tpot", TPOT)):
            theirs, ours = (over_free(of_model.get(way), name) for way in ("xgrammar", "template"))
            over = f"overhead of {name.upper()} with {model}, {device}: xgrammar over our template, in transformers"
            yield claim(text, paper, over, *at_least(theirs, ours))


def over_free(row: Figures | None, name: str) -> tuple[float, float] | None:
    """What a way takes over decoding without a grammar, and the error of that."""
    found = None if row is None else row.get(f"over_free_{name}_ms_p50")
    return None if row is None or found is None else (float(found), float(row[f"over_free_{name}_ms_error"]))


def at_least(theirs: tuple[float, float] | None, ours: tuple[float, float] | None) -> tuple[float | None, str]:
    """The least factor that two overheads allow for, ours being as large as its error lets it be; and their figures.

    >>> at_least((50.0, 1.0), (0.3, 0.2))
    (100.0, 'at least: 50 ms (error 1) over 0.3 ms (error 0.2), each over decoding without a grammar')
    >>> at_least((0.1, 1.0), (0.3, 0.2))[0], at_least(None, None)
    (None, (None, 'no model'))
    """
    if theirs is None or ours is None:
        return None, "no model"
    figures = " over ".join(f"{value:.3g} ms (error {error:.2g})" for value, error in (theirs, ours))
    why = f"{figures}, each over decoding without a grammar"
    largest = max(0.0, ours[0]) + ours[1]
    if theirs[0] <= theirs[1] or largest <= 0:
        return None, f"the peer's overhead is below its error: {why}"
    return theirs[0] / largest, f"at least: {why}"


def sum_of(of: Rows, engine: str, way: str, n: int, figures: Sequence[str]) -> float | None:
    """The sum of some figures of a row; None where one is missing."""
    found = [of.value(figure, engine, way, n=n) for figure in figures]
    known = [value for value in found if value is not None]
    return sum(known) if len(known) == len(found) else None


def transitions(of: Rows) -> Iterator[Figures]:
    """State tracking by operators."""
    text = "transitions 7 to 8 times faster without a stack (section 4.3)"
    for parser in ("earley", "pda"):
        for when, why in (
            ("warm", "a step that is known is one load, whichever parser made it: there is no stack to save"),
            ("cold", "a new set of positions is put together of known lists, as new columns and stacks are"),
        ):
            theirs, ours = (
                of.value(f"{when}_ns_per_byte", "xg2lab", f"accepted by {one}") for one in (parser, "operators")
            )
            yield claim(
                text, 7.0, f'parser="{parser}" over "operators", {when}, the same bytes', ratio(theirs, ours), why
            )
    for engine, way, figure in (
        ("xgrammar 0.1.18", OLD, "accept_cpu_us_mean"),
        ("xgrammar", "rules", "accept_us_mean"),
    ):
        n = size_of(of, engine, way)
        factor = ratio(of.value(figure, engine, way, n=n), of.value("accept_us_mean", "xg2lab", "written out", n=n))
        over = f"{label(of, engine, way, n)}'s accept over ours, mean, {n} sections"
        yield aside(
            text, 7.0, over, factor, "our default parser, which has items and origins", is_of_old_peer=way == OLD
        )


def cached_masks(of: Rows) -> Iterator[Figures]:
    """Masks kept for all requests, against masks of each grammar's own."""
    text = "masks 2 times faster by a cache for all requests (section 4.3)"
    own = of.value("mask_cpu_us_mean", "xg2lab", "written out, no shared masks")
    for way, why in (
        ("written out", "the same grammar as text, the cross-grammar cache off and on"),
        ("template", "the template's entries are in all instances; arguments have entries of their own"),
    ):
        over = f"mean mask from the second request on: each grammar's own entries over {way}, entries of all"
        yield claim(text, 2.0, over, ratio(own, of.value("mask_cpu_us_mean", "xg2lab", way)), why)


CUBIC = "the peer compiles in O(n^3) (section 3.1)", 3.0


def growths(of: Rows) -> Iterator[Figures]:
    """How compilation grows with the outline, of which the paper says O(n^3)."""
    for engine, way in (*PEERS, ("xgrammar", "one rule")):
        is_old = way == OLD
        figure = "compile_cpu_ms" if is_old else "compile_cpu_ms_p50"
        known = values(of, figure, engine, way)
        exponent = exponent_of(known)
        times = "; ".join(
            [
                *(f"{n} sections {value:.3g} ms" for n, value in known),
                *(f"{n} sections {why}" for n in SIZES if (why := failure(of, engine, way, n))),
            ]
        )
        over = f"exponent of compilation over sections, {label(of, engine, way, 10)}, {way}"
        holds = NOT_MEASURED if exponent is None else "yes" if exponent >= MIN_CUBIC else "no"
        yield claim(*CUBIC, over, exponent, times, holds, is_of_old_peer=is_old)


def failure(of: Rows, engine: str, way: str, n: int) -> str:
    """Why an engine gave no figures at a size; empty if it did, or was not asked."""
    row = of.find(engine, way, n=n)
    return "" if row is None else str(row.get("failed", ""))


def values(of: Rows, figure: str, engine: str, way: str) -> list[tuple[int, float]]:
    """A figure at all sizes that a run has it at."""
    found = [(n, of.value(figure, engine, way, n=n)) for n in SIZES]
    return [(n, value) for n, value in found if value is not None]


def exponent_of(points: Sequence[tuple[int, float]]) -> float | None:
    """The slope of logarithms over all sizes; None where there is one size alone."""
    return scaling.slope([(float(n), value) for n, value in points]) if len(points) > 1 else None


PARTS = ("reading", "machines", "masks")


def time_goes(of: Rows) -> Iterator[Figures]:
    """Where XGrammar's compilation spends its time: the share of its masks, and how each part grows."""
    for engine, way in (("xgrammar 0.1.18", OLD), ("xgrammar", "rules")):
        is_old = way == OLD
        suffix = "" if is_old else "_p50"
        parts: dict[int, tuple[float, float, float]] = {}
        for n in SIZES:
            ends = [of.value(f"{part}_cpu_ms{suffix}", engine, way, n=n) for part in ("read", "one_token", "compile")]
            known = [end for end in ends if end is not None]
            if len(known) == len(ends):
                read, machines, masks = (end - begin for begin, end in pairwise([0.0, *known]))
                parts[n] = read, machines, masks
        largest = parts[max(parts)] if parts else None
        shares = [f"{n} sections {shares_of(times)}" for n, times in parts.items()]
        grown = [exponent_of([(n, times[i]) for n, times in parts.items() if times[i] > 0]) for i in range(len(PARTS))]
        exponents = [f"{name} {grows:.2g}" for name, grows in zip(PARTS, grown, strict=True) if grows is not None]
        why = "; ".join(shares) + (f"; exponents: {', '.join(exponents)}" if exponents else "")
        over = f"share of masks in compilation, {label(of, engine, way, 10)}, the largest outline; where its time goes"
        measured = None if largest is None else largest[2] / sum(largest)
        yield aside(*CUBIC, over, measured, why, is_of_old_peer=is_old)


def shares_of(times: Sequence[float]) -> str:
    """Each part's share of the whole.

    >>> shares_of([1.0, 1.0, 8.0])
    'reading 10 %, machines 10 %, masks 80 %'
    """
    return ", ".join(f"{name} {100 * part / sum(times):.0f} %" for name, part in zip(PARTS, times, strict=True))


# ---- Table 1 by itself --------------------------------------------------------------------------


# Overheads in milliseconds, and the brackets printed beside them: reductions compared with
# Outlines, the first column.
OUTLINES = {
    "TTFT, Outline-Generation": "120234.58",
    "TTFT, Reference-Lookup": "3174.34",
    "TTFT, json-mode-eval": "6164.39",
    "TPOT, Outline-Generation": "24.02",
    "TPOT, Reference-Lookup": "21.64",
    "TPOT, json-mode-eval": "20.55",
}
METHODS = ("XGrammar", "WGrammar (online)", "WGrammar")
PRINTED = {
    "TTFT, Outline-Generation": (("2747.83", 44), ("64.25", 1871), ("10.93", 11000)),
    "TTFT, Reference-Lookup": (("116.89", 27), ("4.17", 761), ("4.70", 675)),
    "TTFT, json-mode-eval": (("137.68", 45), ("7.56", 815), ("1.38", 4467)),
    "TPOT, Outline-Generation": (("1.61", 15), ("0.93", 26), ("0.69", 35)),
    "TPOT, Reference-Lookup": (("0.51", 42), ("0.42", 52), ("0.50", 43)),
    "TPOT, json-mode-eval": (("0.89", 25), ("0.70", 32), ("0.67", 34)),
}


def table_1(of: Rows) -> Iterator[Figures]:
    """What Table 1 says of Reference-Lookup and of json-mode-eval."""
    printed = {name: PRINTED[f"{name}, Reference-Lookup"][1:] for name in ("TTFT", "TPOT")}
    figures = ", ".join(f"{name} {offline} and {online} ms" for name, ((online, _), (offline, _)) in printed.items())
    text = f"Reference-Lookup is slower with a template than without (Table 1: {figures})"
    online, offline = (float(own) for own, _ in printed["TTFT"])
    for task, way in (("Reference-Lookup, EBNF", "rules"), ("Reference-Lookup, schema", "schema")):
        without = of.value("first_cpu_ms_p50", "xg2lab", way, task)
        factor = ratio(without, of.value("first_cpu_ms_p50", "xg2lab", "template", task))
        why = "above 1 the template is the quicker, as in the paper's other two tasks"
        holds = NOT_MEASURED if factor is None else "yes" if factor < 1 else "no"
        over = f"our text over our instance to the first mask, {task}"
        yield claim(text, online / offline, over, factor, why, holds)
    yield brackets()


def brackets() -> Figures:
    """Whether the brackets of the time a token in json-mode-eval follow from the table's own figures."""
    row = "TPOT, json-mode-eval"
    others = sorted(name for name in PRINTED if name != row and not follow(name))
    low, high = fitting(row)
    why = (
        "; ".join(
            f"{method}: {float(OUTLINES[row]) / float(own):.1f}, printed {factor}"
            for method, (own, factor) in zip(METHODS, PRINTED[row], strict=True)
        )
        + f"; all three follow from {low:.1f} to {high:.1f} ms; brackets of other rows that don't follow: "
        + (", ".join(others) or "none")
    )
    text = "json-mode-eval's brackets are its reductions compared with Outlines (Table 1)"
    over = f"the table's own figures: {OUTLINES[row]} ms over each overhead"
    return claim(text, "", over, None, why, "yes" if follow(row) else "no")


def follow(row: str) -> bool:
    """Whether all brackets of a row follow from its figures, as far as these are rounded.

    >>> follow("TPOT, Outline-Generation"), follow("TPOT, json-mode-eval")
    (True, False)
    """
    outlines = rounded(OUTLINES[row])
    low, high = fitting(row)
    return outlines[0] <= high and low <= outlines[1]


def fitting(row: str) -> tuple[float, float]:
    """The overheads of Outlines, least and largest, that all brackets of a row follow from."""
    ranges = [((factor - 0.5) * rounded(own)[0], (factor + 0.5) * rounded(own)[1]) for own, factor in PRINTED[row]]
    return max(low for low, _ in ranges), min(high for _, high in ranges)


def rounded(figure: str) -> tuple[float, float]:
    """The least and the largest value that is printed so.

    >>> rounded("0.5")
    (0.45, 0.55)
    """
    half = 0.5 * 10.0 ** -len(figure.partition(".")[2])
    return round(float(figure) - half, 9), round(float(figure) + half, 9)
