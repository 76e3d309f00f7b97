"""Finite-state machines on bytes, built from expressions and run by following all states at once.

>>> from xg2lab.reference.ebnf import parse_ebnf
>>> fsm = from_rule(parse_ebnf('root ::= "a" ("b" | "bc")'))
>>> print(fsm)
> 0  61->1
  1  ->3 ->5
 (2)
  3  62->4
  4  ->2
  5  62->6
  6  63->7
  7  ->2
>>> fsm.accepts(b"abc"), fsm.accepts(b"a"), fsm.is_viable(b"a"), sorted(fsm.run(b"ab"))
(True, False, True, [2, 4, 6])

The limit: `root ::= "(" root ")" | ""` counts, and no finite-state machine can; a rule that refers
to itself is refused here (see earley.py).
Shapes and units: states are numbers from 0; an edge `(lo, hi, target)` consumes one byte of `lo`
to `hi`; an epsilon edge consumes nothing. The machine is in a set of states at a time.
See also: Thompson 1968, "Regular expression search algorithm"; minimize.py.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from xg2lab.reference.ebnf import Expression, Grammar
from xg2lab.reference.utf8 import byte_boxes

States = frozenset[int]
Edge = tuple[int, int, int]


@dataclass
class Fsm:
    """A machine: `edges[s]` and `epsilons[s]` leave state s."""

    start: int = 0
    accepting: set[int] = field(default_factory=set[int])
    edges: list[list[Edge]] = field(default_factory=list[list[Edge]])
    epsilons: list[list[int]] = field(default_factory=list[list[int]])

    def new_state(self) -> int:
        """Add a state without edges."""
        self.edges.append([])
        self.epsilons.append([])
        return len(self.edges) - 1

    def closure(self, states: Iterable[int]) -> States:
        """All states that can be reached without a byte."""
        reached = list(dict.fromkeys(states))
        for state in reached:
            reached += [target for target in dict.fromkeys(self.epsilons[state]) if target not in reached]
        return frozenset(reached)

    def step(self, states: States, byte: int) -> States:
        """Consume one byte."""
        return self.closure({to for state in states for low, high, to in self.edges[state] if low <= byte <= high})

    def run(self, data: bytes) -> States:
        """Where the machine may be after `data`; nowhere, if no state can go on."""
        states = self.closure({self.start})
        for byte in data:
            states = self.step(states, byte)
        return states

    def accepts(self, data: bytes) -> bool:
        """Is `data` in the language?"""
        return not self.accepting.isdisjoint(self.run(data))

    def is_viable(self, data: bytes) -> bool:
        """Can `data` be continued to something in the language?"""
        return not self.live_states().isdisjoint(self.run(data))

    def live_states(self) -> set[int]:
        """The states from which an accepting one can be reached."""
        targets_of = [{*e, *(to for *_, to in edges)} for e, edges in zip(self.epsilons, self.edges, strict=True)]
        live, found = set[int](), self.accepting
        while found:
            live |= found
            found = {state for state, targets in enumerate(targets_of) if not live.isdisjoint(targets)} - live
        return live

    def __str__(self) -> str:
        lines: list[str] = []
        for state, edges in enumerate(self.edges):
            name = f"({state})" if state in self.accepting else f" {state} "
            arrows = [f"{low:02x}->{to}" if low == high else f"{low:02x}-{high:02x}->{to}" for low, high, to in edges]
            silent = [f"->{to}" for to in self.epsilons[state]]
            lines.append(" ".join([(">" if state == self.start else " ") + name, *arrows, *silent]).rstrip())
        return "\n".join(lines)


def from_rule(grammar: Grammar, name: str | None = None) -> Fsm:
    """The machine of one rule (by default the root), with the rules it refers to built in."""
    fsm = Fsm()
    fsm.start = fsm.new_state()
    fsm.accepting = {build(fsm, fsm.start, ("rule", name or grammar.root), grammar, ())}
    return fsm


def build(fsm: Fsm, start: int, expression: Expression, grammar: Grammar, inside: tuple[str, ...]) -> int:
    """Thompson's construction: add a piece that leads from `start` through `expression`; return where it ends."""
    match expression:
        case ("literal", data):
            for byte in data:
                end = fsm.new_state()
                fsm.edges[start].append((byte, byte, end))
                start = end
            return start
        case ("class", ranges):
            end = fsm.new_state()
            for box in (box for low, high in ranges for box in byte_boxes(low, high)):
                state = start
                for i, byte_range in enumerate(box, 1):
                    target = end if i == len(box) else fsm.new_state()
                    fsm.edges[state].append((*byte_range, target))
                    state = target
            return end
        case ("rule", name):
            if name in inside:
                raise ValueError(f"rule {name} refers to itself: no finite-state machine can follow it")
            return build(fsm, start, grammar.rules[name], grammar, (*inside, name))
        case ("tokens", tokens):
            raise ValueError(f"{tokens}: a machine on bytes crosses no token edge")
        case ("seq", parts):
            for part in parts:
                start = build(fsm, start, part, grammar, inside)
            return start
        case ("choice", branches):
            end = fsm.new_state()
            for branch in branches:
                way_in = fsm.new_state()
                fsm.epsilons[start].append(way_in)
                fsm.epsilons[build(fsm, way_in, branch, grammar, inside)].append(end)
            return end
        case ("repeat", part, least, most):
            for _ in range(least):
                start = build(fsm, start, part, grammar, inside)
            if most is None:
                loop = fsm.new_state()
                fsm.epsilons[start].append(loop)
                fsm.epsilons[build(fsm, loop, part, grammar, inside)].append(loop)
                return loop
            end = fsm.new_state()
            for _ in range(most - least):
                fsm.epsilons[start].append(end)
                start = build(fsm, start, part, grammar, inside)
            fsm.epsilons[start].append(end)
            return end
