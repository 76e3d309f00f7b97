r"""The machine of a rule before and after each pass, and which states correspond to which of the machine before.

>>> from xg2lab.grammar import Grammar
>>> from xg2lab.tokenizer_info import TokenizerInfo
>>> info = TokenizerInfo([bytes([byte]) for byte in range(256)])
>>> for stage in stages_of(Grammar.from_ebnf('root ::= ("a" | "c") "b" | x   x ::= "d" "b"'), info):
...     print(stage)
as written: 5 states, 5 edges
right_recursion_to_repeat: 5 states, 5 edges
inline_fragments: 6 states, 6 edges; new: 1 state
fuse_literals: 6 states, 6 edges
determinize: 4 states, 4 edges; joined: 2 states
minimize: 3 states, 2 edges; joined: 1 state

IDEA
  The engine is asked, not imitated: the grammar is compiled once more for each pass that its options have on, with the
  later ones off. The last stage is the machine that runs.

  A state corresponds to one of the machine before if some text leads to both. Texts are read in
  both machines at once, byte by byte and call by call; a call without an edge in the later machine
  is entered, so inlined states are recognised, and the states after the call are still found.

Shapes and units: states are numbered from 0 within their machine. Marks are by number.
See also `Session.machine_stages`, `FsmView`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from xg2lab.compiler import GrammarCompiler
from xg2lab.errors import LimitError
from xg2lab.options import EngineOptions
from xg2lab.show.dot import Dot, Theme, machine_dot
from xg2lab.tokenizer_info import TokenizerInfo

__all__ = [
    "AS_WRITTEN",
    "Marks",
    "Stage",
    "machine_stages",
    "marks_between",
    "stage_options",
    "stage_programs",
    "stages_of",
]

AS_WRITTEN = "as written"
MOST_STATES = 40_000  #: of a whole grammar, at one stage
MOST_SECONDS = 5.0  #: for each stage
MOST_PAIRS = 20_000  #: of states that are compared
MOST_DEPTH = 4  #: of calls that are entered within each other
_SWITCHES = (
    ("right_recursion_to_repeat", "right_recursion_to_repeat"),
    ("inline_fragments", "rule_inlining"),
    ("fuse_literals", "literal_fusion"),
    ("determinize", "determinize"),
    ("minimize", "minimize"),
)
Program = Mapping[str, Any]
Call = tuple[int, ...]
Place = tuple[Call, int]  # states to return to, innermost last; the state at hand


@dataclass(frozen=True)
class Marks:
    """The relation between the states of a machine at two stages.

    `stands_for`: of each state after the pass those before it, ascending; none for a new one. `within`: of a new state
    the rules whose machine was written in here, as far as it comes of one. `gone`: states before it that none after it
    stands for.
    """

    stands_for: tuple[tuple[int, ...], ...] = ()
    within: dict[int, tuple[str, ...]] = field(default_factory=dict)
    gone: tuple[int, ...] = ()

    @property
    def new(self) -> tuple[int, ...]:
        """States that no state before it is."""
        return tuple(state for state, before in enumerate(self.stands_for) if not before)

    @property
    def joined(self) -> tuple[int, ...]:
        """States that correspond to several."""
        return tuple(state for state, before in enumerate(self.stands_for) if len(before) > 1)


@dataclass(frozen=True)
class Stage:
    """A rule's machine after a pass, named as the engine names the pass.

    `machine` is a program of one rule: `rules`, `states`, `edges`, numbered from 0. None: there is no such rule at this
    stage, or (`note`) it took too long to make. `marks` is None where there is no machine before it, or where the two
    are too large to be compared. `rules`: the names of all rules that there are.
    """

    name: str
    machine: Program | None
    rules: tuple[str, ...]
    marks: Marks | None = None
    note: str = ""

    @property
    def n_states(self) -> int:
        """States of the machine."""
        return 0 if self.machine is None else len(self.machine["states"])

    @property
    def n_edges(self) -> int:
        """Edges of the machine."""
        return 0 if self.machine is None else len(self.machine["edges"])

    def __str__(self) -> str:
        if self.machine is None:
            return f"{self.name}: {self.note or 'no rule of its own'}"
        out = f"{self.name}: {_counted(self.n_states, 'state')}, {_counted(self.n_edges, 'edge')}"
        if self.marks is None:
            return out
        told = (("new", self.marks.new), ("joined", self.marks.joined), ("gone", self.marks.gone))
        return "; ".join([out, *(f"{what}: {_counted(len(states), 'state')}" for what, states in told if states)])

    def to_wire(self) -> dict[str, Any]:
        """JSON values, for a page."""
        marks = None
        if self.marks is not None:
            marks = {
                "stands_for": [list(before) for before in self.marks.stands_for],
                "within": {str(state): list(rules) for state, rules in self.marks.within.items()},
                "gone": list(self.marks.gone),
            }
        machine = None if self.machine is None else _drawn(self.machine)
        return {"name": self.name, "machine": machine, "rules": list(self.rules), "marks": marks, "note": self.note}


def _counted(n: int, what: str) -> str:
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


def stage_options(options: EngineOptions) -> list[tuple[str, EngineOptions]]:
    """The stages that a compilation with these options goes through, each with the options that end there."""
    on = [(name, switch) for name, switch in _SWITCHES if getattr(options, switch)]
    if not options.determinize:
        on = [(name, switch) for name, switch in on if switch != "minimize"]  # which has nothing to work on
    now = replace(options, **{switch: False for _, switch in _SWITCHES})
    stages = [(AS_WRITTEN, now)]
    for name, switch in on:
        now = replace(now, **{switch: True})
        stages.append((name, now))
    return stages


def stage_programs(
    grammar: Any, info: Any, options: EngineOptions | None = None, last: Program | None = None
) -> list[tuple[str, Program | str]]:
    """Return the whole program at each stage, or why there is none; `last` is the last program, if it is known."""
    stages = stage_options(options or EngineOptions())
    out: list[tuple[str, Program | str]] = []
    for name, switched in stages:
        if last is not None and name == stages[-1][0]:
            out.append((name, last))
            continue
        seconds = min(switched.max_compile_seconds, MOST_SECONDS)
        quiet = replace(
            switched, parser="earley", partial_jit_k=0, cross_grammar_cache=False, max_compile_seconds=seconds
        )
        try:
            compiled = GrammarCompiler(info, options=quiet, cache_enabled=False).compile_grammar(grammar)
            program = compiled.program()
        except LimitError as error:
            out.append((name, error.message))
            continue
        n = len(program["states"])
        out.append((name, program if n <= MOST_STATES else f"{n:,} states: too many to be looked at"))
    return out


def stages_of(
    grammar: Any,
    info: Any,
    options: EngineOptions | None = None,
    *,
    rule: str | None = None,
    programs: list[tuple[str, Program | str]] | None = None,
) -> tuple[Stage, ...]:
    """The machine of a rule (the root, if none is said) at each stage; `programs` as `stage_programs` gave them."""
    out: list[Stage] = []
    before: tuple[Program, dict[str, Any]] | None = None
    for name, program in programs or stage_programs(grammar, info, options):
        if isinstance(program, str):
            out.append(Stage(name, None, (), note=program))
            before = None
            continue
        names = tuple(dict.fromkeys(one["name"] for one in program["rules"]))
        wanted = program["rules"][program["root"]]["name"] if rule is None else rule
        found = next((one for one in program["rules"] if one["name"] == wanted), None)
        if found is None:
            out.append(Stage(name, None, names))
            before = None
            continue
        marks = None if before is None else marks_between(*before, program, found)
        out.append(Stage(name, _machine(program, found), names, marks))
        before = program, found
    return tuple(out)


def _machine(program: Program, rule: dict[str, Any]) -> Program:
    """The rule alone, its states numbered from 0; a call says its rule by its label alone."""
    first, end = rule["states"]
    states = [s | {"id": s["id"] - first, "rule": 0} for s in program["states"][first:end]]
    edges = [
        e | {"from": e["from"] - first, "to": e["to"] - first, "rule": None}
        for e in program["edges"]
        if first <= e["from"] < end
    ]
    alone = rule | {"id": 0, "start": rule["start"] - first, "states": [0, end - first]}
    return {"root": 0, "rules": [alone], "states": states, "edges": edges}


def _drawn(machine: Program) -> Program:
    """The data for drawing it, without places in the source."""
    return {
        part: [{key: x for key, x in one.items() if key not in ("span", "spans", "scannable")} for one in machine[part]]
        for part in ("rules", "states", "edges")
    } | {"root": 0}


# ---- Two machines read at once ------------------------------------------------------------------


class _Reader:
    """The machine before a pass; calls that the one after it has no edge for are entered."""

    def __init__(self, program: Program, rule: dict[str, Any]) -> None:
        self.program, self.rule = program, rule
        self.out: dict[int, list[dict[str, Any]]] = defaultdict(list)
        for edge in program["edges"]:
            self.out[edge["from"]].append(edge)

    def closure(self, place: Place, kept: set[str]) -> Iterator[Place]:
        """The places reached without reading: into calls of rules that are not `kept`, and out of what may end."""
        seen, pending = {place}, [place]
        while pending:
            calls, state = pending.pop()
            yield calls, state
            more: list[Place] = []
            if calls and self.program["states"][state]["accepting"]:
                more.append((calls[:-1], calls[-1]))
            for edge in self.out[state]:
                called = None if edge["kind"] != "rule" else self.program["rules"][edge["rule"]]
                if called is None or called["name"] in kept or called["repeat"] is not None:
                    continue
                # a rule that calls itself at its end needs no way back: right recursion stays
                # where it is
                is_last = self.program["states"][edge["to"]]["accepting"] and not self.out[edge["to"]]
                is_tail = is_last and called["id"] == self.program["states"][state]["rule"]
                inner = calls if is_tail else (*calls, edge["to"])
                if len(inner) <= MOST_DEPTH:
                    more.append((inner, called["start"]))
            for one in more:
                if one not in seen:
                    seen.add(one)
                    pending.append(one)

    def own(self, place: Place) -> int | None:
        """Return the rule's own state after the calls that may end here have ended; None within a call."""
        first, end = self.rule["states"]
        calls, state = place
        while calls and self.program["states"][state]["accepting"]:
            calls, state = calls[:-1], calls[-1]
        return state - first if not calls and first <= state < end else None


def _meets(a: dict[str, Any], b: dict[str, Any]) -> bool:
    """Whether both edges can be taken by one and the same thing."""
    if a["kind"] != b["kind"]:
        return False
    if a["kind"] != "bytes":
        return a["label"] == b["label"]
    return any(lo <= high and low <= hi for lo, hi in a["ranges"] for low, high in b["ranges"])


def marks_between(before: Program, rule: dict[str, Any], after: Program, later: dict[str, Any]) -> Marks | None:
    """The states of `later`, a rule of `after`, that correspond to those of `rule`. None: too many to compare."""
    reader, other = _Reader(before, rule), _Reader(after, later)
    start: tuple[Place, int] = ((), rule["start"]), later["start"]
    seen: set[tuple[Place, int]] = {start}
    pending: list[tuple[Place, int]] = [start]
    while pending:
        place, state = pending.pop()
        edges = other.out[state]
        kept = {edge["label"] for edge in edges if edge["kind"] == "rule"}
        for calls, at in reader.closure(place, kept):
            for edge in reader.out[at]:
                for theirs in edges:
                    pair = ((calls, edge["to"]), theirs["to"])
                    if pair in seen or not _meets(edge, theirs):
                        continue
                    seen.add(pair)
                    pending.append(pair)
                    if len(seen) > MOST_PAIRS:
                        return None
    return _marks(seen, reader, rule, later)


def _marks(pairs: set[tuple[Place, int]], reader: _Reader, rule: dict[str, Any], later: dict[str, Any]) -> Marks:
    n_before = rule["states"][1] - rule["states"][0]
    base, last = later["states"]
    stands: dict[int, set[int]] = defaultdict(set)
    inside: dict[int, set[str]] = defaultdict(set)
    for place, state in pairs:
        own = reader.own(place)
        if own is not None:
            stands[state - base].add(own)
        else:
            owner = reader.program["states"][place[1]]["rule"]
            inside[state - base].add(reader.program["rules"][owner]["name"])
    stands_for = tuple(tuple(sorted(stands[k])) for k in range(last - base))
    stood_for = {state for of in stands_for for state in of}
    within = {k: tuple(sorted(inside[k])) for k, of in enumerate(stands_for) if not of and inside[k]}
    return Marks(stands_for, within, tuple(k for k in range(n_before) if k not in stood_for))


def machine_stages(grammar: Any, rule: str | None = None, *, theme: Theme = "light") -> list[tuple[str, Dot]]:
    r"""The machine of a rule after each pass: as written, then by the names of the passes.

    Each is compiled anew over single bytes. A stage that has no such rule any more (it was written into its callers) is
    left out. See also `stages_of`, which says which states became which.

    >>> from xg2lab.grammar import Grammar
    >>> stages = dict(machine_stages(Grammar.from_ebnf('root ::= "ab" | "cb"')))
    >>> {name: dot.count(r'\"b\"') for name, dot in stages.items()}        # doctest: +NORMALIZE_WHITESPACE
    {'as written': 2, 'right_recursion_to_repeat': 2, 'inline_fragments': 2, 'fuse_literals': 2, 'determinize': 2,
     'minimize': 1}
    """
    info = TokenizerInfo([bytes([byte]) for byte in range(256)])
    return [
        (stage.name, machine_dot(stage.machine, theme=theme, fold=False))
        for stage in stages_of(grammar, info, rule=rule)
        if stage.machine is not None
    ]
