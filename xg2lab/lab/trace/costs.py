"""Where the time of a session went: compile passes, masks by rule and by step, what of it anyone waited for.

    costs = costs_of(session.trace)
    print(costs)
    costs.rules[0]                   # the rule whose masks took longest

IDEA
  A mask is requested at a place of the text, and the innermost item there names the rule that is being matched: the
  mask's time is that rule's. So the rules' times add up to the masks' time, and a rule is dear either because a text
  stays in it long (`n_fills`) or because its masks are (`median_us`).

Shapes and units: microseconds of the engine's clock; `share` is of all masks. Passes begin one after the other, at 0,
  and the parts of a pass within it.
See also `xg2lab.lab.trace.lanes` (model and mask on one clock), `xg2lab.compiling.jit_report` (what entries cost).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeVar, cast

from xg2lab.lab.trace.table import shown, time_text

if TYPE_CHECKING:
    from xg2lab.compiler import CompiledGrammar, GrammarCompiler
    from xg2lab.compiling.pool import CacheEvent
    from xg2lab.grammar import Grammar
    from xg2lab.lab import schema
    from xg2lab.lab.trace.steps import Step
    from xg2lab.lab.trace.trace import Trace

__all__ = [
    "CompilePass",
    "Costs",
    "Paid",
    "Passes",
    "RuleCost",
    "StepCost",
    "TemplateCost",
    "compile_timed",
    "costs_of",
    "innermost",
    "timed",
]

_N_LINES = 12
PASS_COUNTS = ("rules", "exprs", "states")  #: of a pass, each [before, after]
#: As in a trace's header, `schema.CompilePasses`: [name, microseconds, facts], the parts of a pass right behind it.
Passes = list[list[Any]]


class _Numbered(Protocol):
    """What a compiler makes: a grammar, a template or an instance of one."""

    @property
    def id(self) -> int: ...


Made = TypeVar("Made", bound=_Numbered)
Live = TypeVar("Live", bound="schema.Item")


@dataclass(frozen=True)
class CompilePass:
    """A pass of the compiler, in the order in which they were done; one that is done twice has two.

    `rules`, `exprs` (expressions of the grammar), `states` (of machines): how many there were before it and after it;
    None where it has nothing to do with them, and in older traces. States that were made of expressions come from 0.

    A part of a pass has that pass's name in `inside`. What lowering does for one rule after the other is added up: `us`
    over all of its `machines`. So parts are listed one after the other within their pass, and together take its time.
    """

    name: str
    begin_us: float
    us: float
    inside: str | None = None
    rules: tuple[int, int] | None = None
    exprs: tuple[int, int] | None = None
    states: tuple[int, int] | None = None
    machines: int | None = None

    @property
    def change(self) -> str:
        """Its change in a few words; empty if it changed nothing.

        >>> CompilePass("inline_fragments", 0.0, 10.8, rules=(5, 1), exprs=(26, 20)).change
        '5 → 1 rules, 26 → 20 expressions'
        """
        named = (("rules", self.rules), ("expressions", self.exprs), ("states", self.states))
        return ", ".join(_arrow(*counts, what) for what, counts in named if counts is not None and _differ(counts))

    @property
    def change_in_short(self) -> str:
        """Of what it changed together the first, for where there is little room.

        >>> CompilePass("inline_fragments", 0.0, 10.8, rules=(5, 1), exprs=(26, 20)).change_in_short
        '5 → 1 rules'
        """
        had_states = self.states is not None and self.states[0] > 0 and _differ(self.states)
        rules = None if had_states else self.rules
        return replace(self, rules=rules, exprs=None if _differ(self.rules) else self.exprs).change


@dataclass(frozen=True)
class RuleCost:
    """The masks requested inside a rule. `rule` is None where no item was live; `costliest` is a step."""

    rule: int | None
    name: str
    line: int | None
    us: float
    share: float
    n_fills: int
    n_misses: int
    median_us: float
    costliest: int


@dataclass(frozen=True)
class StepCost:
    """One mask. `n_states`: states whose entries it was put together of; `wait_us` what the model did not hide."""

    step: int
    text: str
    rule: int | None
    us: float
    share: float
    cache: str | None
    n_states: int
    n_built: int
    n_adapted: int
    n_checked: int
    model_ms: float | None
    wait_us: float | None


class Paid(NamedTuple):
    """Costs that are paid together: the whole, and what it is made up of, each with its time."""

    when: Literal["offline", "request"]
    name: str
    us: float
    rows: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class TemplateCost:
    """An instance of a template: what was paid once, offline, and what the request paid before its first token.

    `masks_us` is the time of `make_masks`, None where the template came compiled. `first_mask_us` is None before the
    first mask. `obstacles` say why an instance is compiled, if it is not linked. `request_passes` are what making the
    instance did, None where it came made; those of the template are `Costs.passes`.
    """

    compile_us: float
    masks_us: float | None
    instantiate_us: float
    first_mask_us: float | None
    n_states: int
    obstacles: tuple[str, ...] = ()
    request_passes: tuple[CompilePass, ...] | None = None

    @property
    def offline_us(self) -> float:
        """Paid once for all requests."""
        return self.compile_us + (self.masks_us or 0.0)

    @property
    def passes_us(self) -> float | None:
        """All passes of the request together; None where they were not timed."""
        return None if self.request_passes is None else _all_us(self.request_passes)

    @property
    def request_us(self) -> float:
        """Paid by this request before its first token can be chosen."""
        return self.instantiate_us + (self.first_mask_us or 0.0)

    @property
    def paid(self) -> tuple[Paid, Paid]:
        """What was paid once, and what was paid for this request; what was not timed is left out.

        >>> once, now = TemplateCost(30.0, None, 2.0, 1.5, 9).paid
        >>> once.name, once.us, once.rows, now.rows
        ('once, offline', 30.0, (('compile the template', 30.0),), (('link the instance', 2.0), ('first mask', 1.5)))
        """
        once = (("compile the template", self.compile_us), ("make the masks that instances share", self.masks_us))
        made = "compile the instance" if self.obstacles else "link the instance"
        now = ((made, self.instantiate_us), ("first mask", self.first_mask_us))
        return (
            Paid("offline", "once, offline", self.offline_us, _timed(once)),
            Paid("request", "for this request", self.request_us, _timed(now)),
        )

    def __str__(self) -> str:
        rows = [", ".join(f"{what} {time_text(us)}" for what, us in paid.rows) for paid in self.paid]
        return "\n".join(f"{paid.name}: {time_text(paid.us)} ({of})" for paid, of in zip(self.paid, rows, strict=True))


@dataclass(frozen=True)
class Costs:
    """All of it; `passes` is None where the grammar came compiled, and in traces of earlier versions.

    Of an instance `passes` are those of its template.
    """

    passes: tuple[CompilePass, ...] | None
    compile_us: float | None
    mask_us: float
    model_ms: float
    wait_us: float | None
    rules: tuple[RuleCost, ...]
    steps: tuple[StepCost, ...]
    template: TemplateCost | None = None

    @property
    def passes_us(self) -> float | None:
        """All passes together; None where they were not timed."""
        return None if self.passes is None else _all_us(self.passes)

    def __str__(self) -> str:
        waited = "" if self.wait_us is None else f", {time_text(self.wait_us)} waited for, calls included"
        out = [f"masks {time_text(self.mask_us)} in {len(self.steps)} fills{waited}; model {self.model_ms:,.1f} ms"]
        if self.template is not None:
            out += str(self.template).split("\n")
            out += _pass_lines("compile passes of the template", self.passes)
            out += _pass_lines("of the request", self.template.request_passes)
        elif self.passes is None:
            known = "" if self.compile_us is None else f" in {time_text(self.compile_us)}"
            out.append(f"compiled before{known}: its passes were not timed")
        else:
            out += _pass_lines("compile passes", self.passes)
        out.append("mask time by rule")
        for row in self.rules[:_N_LINES]:
            place = "" if row.line is None else f", line {row.line}"
            out.append(
                f"  {time_text(row.us):>8}  {_share(row.us, self.mask_us)}  {row.name}{place}: {row.n_fills} fills, "
                f"{row.n_misses} misses, median {time_text(row.median_us)}"
            )
        if len(self.rules) > _N_LINES:
            out.append(f"  … {len(self.rules) - _N_LINES} more rules")
        out.append("the costliest steps")
        for step in sorted(self.steps, key=lambda step: -step.us)[:5]:
            text = f" {shown(step.text, 20)}" if step.text else ""
            out.append(
                f"  {time_text(step.us):>8}  {_share(step.us, self.mask_us)}  step {step.step}{text}: "
                f"{(step.cache or '').replace('_', ' ')}, {step.n_states} states"
            )
        return "\n".join(out)


def costs_of(trace: Trace) -> Costs:
    """The costs that a trace tells of; the engine is not asked."""
    program, header = trace.program, trace.header
    known = [(step, step.mask_us) for step in list(trace.steps) if step.mask_us is not None]
    total = sum(us for _, us in known)
    steps = tuple(_step(program, step, us, total) for step, us in known)
    by_rule: dict[int | None, list[StepCost]] = {}
    for step in steps:
        by_rule.setdefault(step.rule, []).append(step)
    rules = [_rule(program, rule, found, total) for rule, found in by_rule.items()]
    waits = [step.wait_us for step in steps if step.wait_us is not None]
    return Costs(
        passes=_passes(header.get("compile_passes")),
        compile_us=header["compile_us"],
        mask_us=total,
        model_ms=sum(step.model_ms or 0.0 for step, _ in known),
        wait_us=sum(waits) if waits else None,
        rules=tuple(sorted(rules, key=lambda row: (-row.us, row.name))),
        steps=steps,
        template=_template(header.get("template"), next((us for step, us in known if step.index == 0), None)),
    )


def _timed(rows: Iterable[tuple[str, float | None]]) -> tuple[tuple[str, float], ...]:
    return tuple((what, us) for what, us in rows if us is not None)


def _template(facts: schema.TemplateFacts | None, first_mask_us: float | None) -> TemplateCost | None:
    if facts is None:
        return None
    return TemplateCost(
        compile_us=facts["compile_us"],
        masks_us=facts["masks_us"],
        instantiate_us=facts["instantiate_us"],
        first_mask_us=first_mask_us,
        n_states=facts["n_states"],
        obstacles=tuple(facts["obstacles"]),
        request_passes=_passes(facts.get("request_passes")),
    )


def innermost(program: schema.Program, live: Sequence[Live]) -> Live | None:
    """The item that is being matched: of those whose dot has moved the one that began last, else the first.

    Of several that began at once it is the first that can go on: a rule that ends moves the dots of those that wait for
    it after its own.
    """

    def is_within(item: Live) -> tuple[int, bool]:
        return item["origin"], program["states"][item["state"]]["after"] != ""

    moved = [item for item in live if item["state"] != program["rules"][item["rule"]]["start"]]
    return max(moved, key=is_within, default=live[0] if live else None)


def compile_timed(compiler: GrammarCompiler, grammar: Grammar | str) -> tuple[CompiledGrammar, Passes]:
    """A grammar compiled, and its passes; text is parsed first, which is one of them.

    The facts of a pass are those of `CompilePass`, as far as there are any.
    """
    from xg2lab import Grammar

    parsed: Passes = []
    if isinstance(grammar, str):
        begun = time.perf_counter_ns()
        grammar = Grammar.from_ebnf(grammar)
        parsed.append(["parse", (time.perf_counter_ns() - begun) / 1e3])
    # a trace shows the states of one program
    compiled, passes = timed(compiler, lambda: compiler.compile_grammar(grammar).whole())
    if parsed and passes and passes[0][2].get("rules"):
        parsed[0].append({"rules": [0, passes[0][2]["rules"][0]]})
    return compiled, parsed + passes


def timed(compiler: GrammarCompiler, make: Callable[[], Made]) -> tuple[Made, Passes]:
    """The result of `make` with this compiler, and its passes; the compiler's log of events begins anew."""
    with compiler.record_cache_events():
        made = make()
    told = [event for event in compiler.cache_events() if event.kind == "pass" and event.grammar == made.id]
    return made, [[event.name, event.ns / 1e3, _facts(event)] for event in told]


def _facts(event: CacheEvent) -> schema.PassFacts:
    known = {name: getattr(event, name) for name in ("inside", *PASS_COUNTS, "machines")}
    facts = {name: list(x) if isinstance(x, tuple) else x for name, x in known.items() if x is not None}
    return cast("schema.PassFacts", facts)


def _passes(known: schema.CompilePasses | None) -> tuple[CompilePass, ...] | None:
    if known is None:
        return None
    out: list[CompilePass] = []
    at = inner = 0.0  # where the next pass begins, and the next part of the newest one
    for name, us, *facts in known:
        told: dict[str, Any] = {
            key: tuple(x) if isinstance(x, list) else x for key, x in (facts[0] if facts else {}).items()
        }
        if "inside" in told:
            out.append(CompilePass(name, inner, us, **told))
            inner += us
        else:
            out.append(CompilePass(name, at, us, **told))
            inner, at = at, at + us
    return tuple(out)


def _differ(counts: tuple[int, int] | None) -> bool:
    return counts is not None and counts[0] != counts[1]


def _all_us(passes: tuple[CompilePass, ...]) -> float:
    return sum(one.us for one in passes if one.inside is None)


def _pass_lines(what: str, passes: tuple[CompilePass, ...] | None) -> list[str]:
    if passes is None:
        return []
    total = _all_us(passes)
    return [f"{what}, {time_text(total)}", *(_pass_line(one, total) for one in passes)]


def _pass_line(one: CompilePass, total: float) -> str:
    indent = "" if one.inside is None else "  "
    more = "".join((f", {_machines(one.machines)}" if one.machines else "", f": {one.change}" if one.change else ""))
    return f"  {time_text(one.us):>8}  {_share(one.us, total)}  {indent}{one.name}{more}"


def _machines(n: int) -> str:
    return "1 machine" if n == 1 else f"{n:,} machines"


def _arrow(before: int, after: int, what: str) -> str:
    words = what.removesuffix("s") if after == 1 and not before else what
    return f"{before:,} → {after:,} {words}" if before else f"{after:,} {words}"


def _step(program: schema.Program, step: Step, us: float, total: float) -> StepCost:
    item = innermost(program, step.live)
    wait_ns = None if step.lanes is None else step.lanes.wait_ns
    return StepCost(
        step=step.index,
        text=step.text or "",
        rule=None if item is None else item["rule"],
        us=us,
        share=us / total if total else 0.0,
        cache=step.cache,
        n_states=len(step.entries),
        n_built=step.n_built or 0,
        n_adapted=step.n_adapted or 0,
        n_checked=step.n_checked or 0,
        model_ms=step.model_ms,
        wait_us=None if wait_ns is None else wait_ns / 1e3,
    )


def _rule(program: schema.Program, rule: int | None, steps: list[StepCost], total: float) -> RuleCost:
    us = sum(step.us for step in steps)
    return RuleCost(
        rule=rule,
        name="no live item" if rule is None else program["rules"][rule]["name"],
        line=None if rule is None else program["rules"][rule]["line"],
        us=us,
        share=us / total if total else 0.0,
        n_fills=len(steps),
        n_misses=sum(step.cache == "miss" for step in steps),
        median_us=median(step.us for step in steps),
        costliest=max(steps, key=lambda step: step.us).step,
    )


def _share(us: float, total: float) -> str:
    return f"{100 * us / total if total else 0:4.0f} %"
