"""The ways in which each item of a chart is made: the several readings of an ambiguous text.

>>> program = {                         # root ::= root root | "a": 0 • root root and • "a", 1 root • root, 2 at the end
...     "rules": [{"start": 0, "repeat": None}],
...     "states": [{"rule": 0, "accepting": False}, {"rule": 0, "accepting": False}, {"rule": 0, "accepting": True}],
...     "edges": [
...         {"from": 0, "to": 1, "kind": "rule", "rule": 0, "ranges": []},
...         {"from": 1, "to": 2, "kind": "rule", "rule": 0, "ranges": []},
...         {"from": 0, "to": 2, "kind": "bytes", "rule": None, "ranges": [(97, 97)]},
...     ],
... }
>>> for way in sorted(ways(program, b"aaa")[3][2, 0]):
...     print(way)
Way(source=(1, 1, 0), child=(2, 1))
Way(source=(2, 1, 0), child=(2, 2))

The root that ends after three bytes consists of a root of one byte and one of two, or of one of
two and one of one. A *way* is the pair that Earley joins when a dot moves: the item whose dot it
was, and the finished match that it moved over (None for a byte, and for a match of nothing). A
text is ambiguous where an item of one of its readings has two ways; how many readings it has is
their product over the items, which may be infinite, since an item may be part of itself. The items
that *predict* an item are not ways: they are not part of its match.

Works on a program's machines, as `CompiledGrammar.program()` returns them: a state for each
position of the dot, an edge for each symbol. Counted rules continue and end by their bounds.
Any-order rules and token edges are not supported.

Shapes and units: column j of the answer is the state after j bytes and maps (state, origin) to its
ways.
COST as `earley`, times the rounds until a column is closed.
See also: `earley`, the same algorithm on productions; Scott 2008, "SPPF-style parsing from Earley
recognisers".
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

Item = tuple[int, int, int]  # state, origin, how often the child of a counted rule has matched
Place = tuple[int, int]  # state, origin


class Way(NamedTuple):
    """What made an item: `source` is (column, state, origin), `child` the finished item of this very column."""

    source: tuple[int, int, int]
    child: Place | None


class Machines:
    """The questions that a parser asks of a program."""

    def __init__(self, program: dict[str, Any]) -> None:
        self.rules, self.states = program["rules"], program["states"]
        self.edges: dict[int, list[dict[str, Any]]] = defaultdict(list)
        for edge in program["edges"]:
            self.edges[edge["from"]].append(edge)

    def bounds(self, item: Item) -> dict[str, Any] | None:
        """Of an item of a counted rule: how often its child may match."""
        bounds: dict[str, Any] | None = self.rules[self.states[item[0]]["rule"]]["repeat"]
        return bounds

    def finished(self, item: Item) -> int | None:
        """The rule that the item has matched, if it may end here."""
        bounds, state = self.bounds(item), self.states[item[0]]
        return state["rule"] if (item[2] >= bounds["min"] if bounds else state["accepting"]) else None

    def after(self, item: Item, rule: int) -> Iterator[Item]:
        """The items that follow one that waits for `rule`, when that has matched."""
        bounds = self.bounds(item)
        if bounds and bounds["max"] is not None and item[2] >= bounds["max"]:
            return
        done = 0 if bounds is None else min(item[2] + 1, bounds["max"] or bounds["min"])
        for edge in self.edges[item[0]]:
            if edge["rule"] == rule:
                yield edge["to"], item[1], done

    def scanned(self, item: Item, byte: int) -> Iterator[Item]:
        """The items that follow when a byte has been read."""
        for edge in self.edges[item[0]]:
            if any(low <= byte <= high for low, high in edge["ranges"]):
                yield edge["to"], item[1], 0


def ways(program: dict[str, Any], data: bytes) -> list[dict[Place, set[Way]]]:
    """The columns of `data`, each item with its ways; those that are only predicted have none."""
    machines = Machines(program)
    columns: list[set[Item]] = []
    found: list[dict[Place, set[Way]]] = []
    for j in range(len(data) + 1):
        columns.append({(machines.rules[0]["start"], 0, 0)} if j == 0 else set())
        found.append(defaultdict(set))
        if j:
            for item in columns[j - 1]:
                for after in machines.scanned(item, data[j - 1]):
                    columns[j].add(after)
                    found[j][after[:2]].add(Way((j - 1, *item[:2]), None))
        close(machines, columns, found[j])
        found[j] = {item[:2]: found[j][item[:2]] for item in columns[j]}
    return found


def close(machines: Machines, columns: list[set[Item]], found: dict[Place, set[Way]]) -> None:
    """Predict and complete in the last column, until a whole round makes nothing new."""
    j, column = len(columns) - 1, columns[-1]
    size = -1
    while size != len(column):
        size = len(column)
        for item in list(column):
            calls = [edge["rule"] for edge in machines.edges[item[0]] if edge["rule"] is not None]
            asked = [rule for rule in calls if any(machines.after(item, rule))]
            column.update((machines.rules[rule]["start"], j, 0) for rule in asked)
            if (rule := machines.finished(item)) is None:
                continue
            for waiting in list(columns[item[1]]):
                if item[1] == j and machines.bounds(waiting):
                    continue  # a repetition does not count matches of nothing: its least number allows for them
                for after in machines.after(waiting, rule):
                    column.add(after)
                    child = item[:2] if item[1] < j else None
                    if child or after[:2] != waiting[:2]:  # an item and a match of nothing is no other reading
                        found[after[:2]].add(Way((item[1], *waiting[:2]), child))
