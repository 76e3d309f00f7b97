"""Which states of two grammars correspond in equal rules: hashes of machines that call each other.

>>> digits = Machine(accepting={1}, edges=[[((48, 57), 1)], []])
>>> one = {"list": Machine({1}, [[("digit", 1)], [((44, 44), 0)]]), "digit": digits}
>>> two = {"row": Machine({0}, [[((44, 44), 1)], [("n", 0)]], start=1), "n": digits}
>>> other = {"list": one["list"], "digit": Machine({1}, [[((48, 56), 1)], []])}
>>> first, second, third = (states_by_structure(machines) for machines in (one, two, other))
>>> first["digit", 1] == second["n", 1], first["list", 0] == second["row", 1], first["list", 0] == third["list", 0]
(True, True, False)

A machine is minimal and deterministic, so a breadth-first walk over sorted edges numbers its
states in one way only; the *structural hash* of the machine is the hash of this walk. A called
rule is represented by its own hash, which is known already if rules don't call each other in a
cycle (Algorithm 1). On a simple cycle, where each rule calls one other rule of it, that call is a
mark at first, and the marked hashes are then combined around the cycle, beginning at each rule in
turn (Algorithm 2). In any other group of mutually recursive rules the states are distinguished in
rounds: each is hashed again with the hashes of its successors from the round before. Then the
whole group is written down from each rule in turn, so that a group is not taken for one with more
rules of the same behaviour.

The engine compares the hashed data word by word (core/program/structure.h); here a hash of 128
bits is enough.

Shapes and units: a label is a byte range `(lo, hi)` or the name of a rule; states are numbers
within one machine.

See also: XGrammar 2, section 3.3 and its appendix; Helbling 2020, "Directed graph hashing".
"""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

Label = tuple[int, int] | str
Hash = str
MARK = "a call into the circle"


@dataclass
class Machine:
    """One rule: the edges that leave each state, `(label, target)`."""

    accepting: set[int]
    edges: list[list[tuple[Label, int]]]
    start: int = 0

    def callees(self) -> set[str]:
        """The rules that it calls."""
        return {label for edges in self.edges for label, _ in edges if isinstance(label, str)}


Machines = dict[str, Machine]


def combine(*parts: object) -> Hash:
    """A hash in which the order counts."""
    return blake2b(repr(parts).encode(), digest_size=16).hexdigest()


def states_by_structure(machines: Machines) -> dict[tuple[str, int], tuple[Hash, int]]:
    """For each (rule, state) the rule's structural hash and the state's number in it."""
    hashes = structural_hashes(machines)
    return {
        (name, state): (hashes[name], number)
        for name, machine in machines.items()
        for number, state in enumerate(walk(machine, hashes)[0])
    }


def structural_hashes(machines: Machines) -> dict[str, Hash]:
    """Equal for rules whose machines are equal up to the numbering of states and the names of rules."""
    hashes: dict[str, Hash] = {}
    for group in groups_callees_first(machines):
        inner = {name: sorted(machines[name].callees() & group) for name in group}
        if not any(inner.values()):
            (name,) = group
            hashes[name] = walk(machines[name], hashes)[1]
        elif all(len(callees) == 1 for callees in inner.values()):
            hashes |= hash_circle({name: callees[0] for name, callees in inner.items()}, machines, hashes)
        else:
            hashes |= hash_group(group, machines, hashes)
    return hashes


def walk(machine: Machine, hashes: dict[str, Hash]) -> tuple[list[int], Hash]:
    """Algorithm 1: the states in the order in which they are met, and the hash of what is met."""
    order = [machine.start]
    written: list[object] = []
    for state in order:
        edges = sorted(
            (isinstance(label, str), hashes.get(label, MARK) if isinstance(label, str) else label, to)
            for label, to in machine.edges[state]
        )
        for *_, to in edges:
            if to not in order:
                order.append(to)
        written.append((state in machine.accepting, [(label, order.index(to)) for _, label, to in edges]))
    return order, combine(*written)


def hash_circle(next_of: dict[str, str], machines: Machines, hashes: dict[str, Hash]) -> dict[str, Hash]:
    """Algorithm 2."""
    circle = [min(next_of)]
    while len(circle) < len(next_of):
        circle.append(next_of[circle[-1]])
    local = [walk(machines[name], hashes)[1] for name in circle]
    return {name: combine("circle", *local[i:], *local[:i]) for i, name in enumerate(circle)}


def hash_group(group: set[str], machines: Machines, hashes: dict[str, Hash]) -> dict[str, Hash]:
    """Rules that call each other in more than one circle."""
    states = {(name, state): MARK for name in group for state in range(len(machines[name].edges))}
    colors: dict[str, Hash] = {}
    for _ in states:
        colors = {name: states[name, machines[name].start] for name in group}
        known = hashes | colors
        states = {
            (name, state): combine(
                state in machines[name].accepting,
                sorted(
                    repr((known.get(label, label) if isinstance(label, str) else label, states[name, to]))
                    for label, to in machines[name].edges[state]
                ),
            )
            for name, state in states
        }
    out: dict[str, Hash] = {}
    for first in group:
        rules = [first]
        for name in rules:
            inner = sorted(machines[name].callees() & group, key=lambda callee: (colors[callee], callee))
            rules += [callee for callee in inner if callee not in rules]
        places = {name: combine("place", i) for i, name in enumerate(rules)}
        out[first] = combine("group", *(walk(machines[name], hashes | places)[1] for name in rules))
    return out


def groups_callees_first(machines: Machines) -> Iterable[set[str]]:
    """Rules that call each other, together; a group after those that it calls."""
    reached = {name: reach(name, machines) for name in machines}
    done: set[str] = set()
    for name in sorted(machines, key=lambda name: len(reached[name] | {name})):  # a callee reaches less, or calls back
        if name not in done:
            group = {name} | {other for other in reached[name] if name in reached[other]}
            done |= group
            yield group


def reach(name: str, machines: Machines) -> set[str]:
    """The rules that a rule calls, directly or through others."""
    found: list[str] = sorted(machines[name].callees())
    for callee in found:
        found += sorted(machines[callee].callees() - set(found))
    return set(found)
