r"""The derivations of an ambiguous text: counted exactly, and listed one by one, off the chart.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"1", b"+", b"</s>"], stop_token_ids=[2])
>>> session = xgr.Session('root ::= root "+" root | "1"', info)
>>> session.record_as_written()
>>> steps = session.force("1+1+1+1")
>>> forest = Forest(session.trace.drawn_as_written())
>>> found = forest.of_column(7)
>>> found.n_trees, len(found.trees)
(5, 5)
>>> print("\n".join(tree.said for tree in found.trees))
root 0–7 is root 0–5 "+" root 6–7
root 0–7 is root 0–3 "+" root 4–7
root 0–7 is root 0–1 "+" root 2–7
root 0–5 is root 0–1 "+" root 2–5
root 0–7 is root 0–1 "+" root 2–7

IDEA
  The chart is a packed forest (Scott 2008): an item after `j` bytes is a node, and each way of making it is a pair of
  nodes, the item whose dot moved and the completed item that the dot moved over. The ways are found again from the
  items alone, so that all of them are known, not only those that the engine's record keeps.

      trees(item)  =  sum over its ways of  trees(source) × trees(child)         1 for an item before its rule

  The numbers are exact integers of any size. An item that is part of itself has infinitely many trees; the ways that
  close such a cycle are left out of what is listed.

  Trees are made by their number, so only those that are drawn are ever made. Numbers alternate between the ways of
  the outermost node first: the first trees differ where a reader looks first.

Bounds: after `MOST_WAYS` ways the trees are not counted, and only the first is made.
COST    Counting: O(ways), once for each node that is reached. A tree: O(its nodes).

See also: `xg2lab.reference.ways`, what a way is; Scott 2008, "SPPF-style parsing from Earley recognisers".
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, cast

from xg2lab.lab.trace.derivation import Branch, TreeReader, is_start

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xg2lab.lab import schema
    from xg2lab.lab.trace.trace import Trace

__all__ = ["LARGEST_LIST", "MOST_TREES", "MOST_WAYS", "Derivations", "Forest", "ForestTree"]

#: Trees that are listed, unless others are asked for; and at most.
MOST_TREES, LARGEST_LIST = 6, 24
#: Ways of items that are looked at before counting stops.
MOST_WAYS = 50_000
#: Nodes of all trees of one list together.
MOST_NODES = 20_000

_SCAN = 2


class Node(NamedTuple):
    """An item of the chart. `done` counts the matches of the child in a counted rule; -1 in any other rule."""

    column: int
    place: int
    done: int


class Way(NamedTuple):
    """The last step of an item: from `source`, over a byte or a token (no `child`), or over a match."""

    source: Node
    child: Node | None


@dataclass
class ForestTree:
    """One derivation. `parts_at` is the preorder number of the node at which it parts from another listed tree.

    `said` names that node and its parts. `differs` holds the preorder numbers of the nodes that not all listed trees
    share.
    """

    root: Branch
    parts_at: int | None = None
    said: str = ""
    differs: frozenset[int] = frozenset()


@dataclass
class Derivations:
    """The derivations of one stretch of text.

    `n_trees` is their number, without those of a cycle; None if they were not counted. `is_infinite`: some item is part
    of itself, so a tree can be enlarged for ever. `note` says what is left out and why; it is empty otherwise.
    """

    n_trees: int | None
    is_infinite: bool
    trees: list[ForestTree] = field(default_factory=list[ForestTree])
    note: str = ""

    def to_wire(self) -> schema.WireForest:
        """The record of a page: the trees as rows, in preorder."""
        return {
            "n_trees": None if self.n_trees is None else str(self.n_trees),
            "is_infinite": self.is_infinite,
            "note": self.note,
            "trees": [
                {
                    "nodes": _rows(tree.root, tree.differs),
                    "parts_at": tree.parts_at,
                    "said": tree.said,
                }
                for tree in self.trees
            ],
        }


class TooManyWaysError(Exception):
    """Counting has reached its bound."""


class Forest:
    """The packed forest of a trace's chart.

    Parameters
    ----------
    trace : Trace
        A trace whose chart has every completed item: that of the grammar as written (`Trace.drawn_as_written`), or one
        that was recorded with `tail_calls=False`.
    """

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._reader = TreeReader(trace)
        program = trace.program
        self._rules, self._states = program["rules"], program["states"]
        self._into: dict[int, list[schema.Edge]] = defaultdict(list)
        for edge in program["edges"]:
            self._into[edge["to"]].append(edge)
        self._known: dict[Node, list[Way]] = {}
        self._counts: dict[Node, int] = {}
        self._index: dict[int, dict[tuple[int, int], int]] = {}
        self._complete: dict[int, dict[int, list[int]]] = {}
        self._done: dict[tuple[int, int], dict[tuple[int, int], set[int]]] = {}
        self._done_until: dict[tuple[int, int], int] = {}
        self._readings: dict[Node, int] = {}
        self._n_ways = 0
        self._has_cycle: set[Node] = set()

    # ---- What is asked --------------------------------------------------------------------------

    def of_column(self, column: int, most: int = MOST_TREES) -> Derivations:
        """The derivations of the first `column` bytes; of an unfinished text those of its open rules' parts.

        The open rules of an unfinished text are those that `TreeReader.root_of` names.
        """
        root = self._reader.root_of(column)
        if root is None:
            return Derivations(0, is_infinite=False, note=f"column {column} was not recorded")
        if not root.is_whole:
            return self._of_lines(root.line, most, is_open=True)
        return self._of_lines(root.line, most, is_open=False)

    def of_item(self, at: tuple[int, int], most: int = MOST_TREES) -> Derivations:
        """The derivations of the match that an item ends: of its rule, from the item's origin to its column."""
        state = self._trace.columns[at[0]][at[1]][0]
        is_open = not self._states[state]["accepting"] and self._repeat(state) is None
        return self._of_lines((at,), most, is_open=is_open)

    def _of_lines(self, places: tuple[tuple[int, int], ...], most: int, *, is_open: bool) -> Derivations:
        """The trees of nested open items, each with the next inside it; or of the match that one item ends."""
        most = max(1, min(most, LARGEST_LIST))
        note, total = "", 1
        if any("any_order" in rule for rule in self._rules):
            note = "members that come in any order are not compared with their bounds"
        line: list[list[Node]] = []
        try:
            for at in places:
                tops = self._nodes(at, is_open=True) if is_open else self._matches_of(at)
                line.append(tops)
                for top in tops:
                    self._count(top)
                tops[:] = [top for top in tops if self._counts[top]]
                total *= sum(self._counts[top] for top in tops)
        except TooManyWaysError:
            note = f"not counted: the text has more than {MOST_WAYS:,} ways to join two matches"
            return Derivations(None, is_infinite=False, trees=[self._first(places, is_open=is_open)], note=note)
        made: list[ForestTree] = []
        n_nodes = 0
        for number in range(min(most, total)):
            tree = self._tree(line, number, is_open=is_open)
            n_nodes += sum(1 for _ in _preorder(tree))
            if made and n_nodes > MOST_NODES:
                note = f"the first {len(made)} trees have {MOST_NODES:,} nodes"
                break
            made.append(ForestTree(tree))
        _compare(made)
        return Derivations(total, is_infinite=bool(self._has_cycle), trees=made, note=note)

    def _first(self, places: tuple[tuple[int, int], ...], *, is_open: bool) -> ForestTree:
        """The one tree that the record itself has, where the trees were too many to be counted."""
        return ForestTree(_nested([self._reader.tree(at, is_open=is_open) for at in places]))

    # ---- Nodes and ways -------------------------------------------------------------------------

    def _rule(self, at: tuple[int, int]) -> int:
        return self._states[self._trace.columns[at[0]][at[1]][0]]["rule"]

    def _repeat(self, state: int) -> schema.Repeat | None:
        return self._rules[self._states[state]["rule"]].get("repeat")

    def _bounds(self, repeat: schema.Repeat) -> tuple[int, int, int | None]:
        """The least and the largest number that is told apart, and the bound itself."""
        least = 0 if self._rules[repeat["child"]]["nullable"] else repeat["min"]
        return least, least if repeat["max"] is None else repeat["max"], repeat["max"]

    def _nodes(self, at: tuple[int, int], *, is_open: bool = False) -> list[Node]:
        """The nodes of an item: one, or in a counted rule one for each number of matches at which it may end."""
        column, index = at
        repeat = self._repeat(self._trace.columns[column][index][0])
        if repeat is None:
            return [Node(column, index, -1)]
        least, _, _ = self._bounds(repeat)
        numbers = self._numbers(column, index)
        return [Node(column, index, k) for k in sorted(numbers) if is_open or k >= least]

    def _numbers(self, column: int, index: int) -> set[int]:
        """How often the child may have matched before an item of a counted rule, by the lengths of its matches."""
        state, origin = self._trace.columns[column][index][:2]
        rule = self._rules[self._states[state]["rule"]]
        _, cap, most = self._bounds(cast("schema.Repeat", rule.get("repeat")))
        # of each item of this rule and origin, in the order of columns: a match of the child is never empty here
        known = self._done.setdefault((rule["id"], origin), {(origin, rule["start"]): {0}})
        for j in range(self._done_until.get((rule["id"], origin), origin) + 1, column + 1):
            for k in self._completed(j).get(rule["id"], []):
                after, begun = self._trace.columns[j][k][:2]
                if begun != origin:
                    continue
                found: set[int] = set()
                for source in self._sources(j, after):
                    found |= {min(n + 1, cap) for n in known.get(source, ()) if most is None or n < most}
                known[j, after] = found
        self._done_until[rule["id"], origin] = max(column, self._done_until.get((rule["id"], origin), origin))
        return known.get((column, state), set())

    def _sources(self, column: int, state: int) -> Iterator[tuple[int, int]]:
        """Columns and states before an item whose dot moved over a match that ends in a column."""
        for edge in self._into[state]:
            if edge["rule"] is not None:
                for k in self._completed(column).get(edge["rule"], []):
                    self._spend(1)
                    if (begun := self._trace.columns[column][k][1]) < column:
                        yield begun, edge["from"]

    def _spend(self, n_ways: int) -> None:
        self._n_ways += n_ways
        if self._n_ways > MOST_WAYS:
            raise TooManyWaysError

    def _matches_of(self, at: tuple[int, int]) -> list[Node]:
        """The nodes that complete the same match as an item."""
        return self._matches(at[0], self._rule(at), self._trace.columns[at[0]][at[1]][1])

    def _matches(self, column: int, rule: int, origin: int) -> list[Node]:
        """The nodes that complete a match of a rule from `origin` to `column`."""
        return [
            node
            for index in self._completed(column).get(rule, [])
            if self._trace.columns[column][index][1] == origin
            for node in self._nodes((column, index))
        ]

    def _places(self, column: int) -> dict[tuple[int, int], int]:
        if column not in self._index:
            rows = self._trace.columns[column]
            self._index[column] = {(row[0], row[1]): k for k, row in enumerate(rows)}
        return self._index[column]

    def _completed(self, column: int) -> dict[int, list[int]]:
        """The items of a column that may complete their rule, by rule."""
        if column not in self._complete:
            found: dict[int, list[int]] = defaultdict(list)
            for k, row in enumerate(self._trace.columns[column]):
                if self._states[row[0]]["accepting"] or self._repeat(row[0]) is not None:
                    found[self._states[row[0]]["rule"]].append(k)
            self._complete[column] = found
        return self._complete[column]

    def _ways(self, node: Node) -> list[Way]:
        """The ways of a node, each once; none for an item before its rule."""
        if node in self._known:
            return self._known[node]
        ways = list(dict.fromkeys(self._found(node)))
        self._spend(1 + len(ways))
        self._known[node] = ways
        return ways

    def _found(self, node: Node) -> Iterator[Way]:
        j, index, _ = node
        row = self._trace.columns[j][index]
        state, origin = row[:2]
        for edge in self._into[state]:
            before = edge["from"], origin
            if edge["kind"] == "bytes":
                place = None if j == 0 else self._places(j - 1).get(before)
                byte = 0 if j == 0 else self._reader.output[j - 1]
                if place is not None and any(lo <= byte <= hi for lo, hi in edge["ranges"]):
                    yield Way(Node(j - 1, place, -1), None)
            elif edge["kind"] == "token":
                if row[2] == _SCAN and self._trace.columns[row[3]][row[4]][0] == edge["from"]:
                    yield Way(Node(row[3], row[4], -1), None)
            elif edge["rule"] is not None:
                yield from self._over(node, before, edge["rule"])

    def _over(self, node: Node, before: tuple[int, int], rule: int) -> Iterator[Way]:
        """The ways over matches of a rule that end in the node's column."""
        j, index, done = node
        state, origin = self._trace.columns[j][index][:2]
        sources = self._numbers_before(before[0], done)
        for k in self._completed(j).get(rule, []):
            begun = self._trace.columns[j][k][1]
            if not origin <= begun < j or (place := self._places(begun).get(before)) is None:
                continue
            for child in self._nodes((j, k)):
                yield from (Way(Node(begun, place, number), child) for number in sources)
        is_counted = self._repeat(state) is not None
        if self._rules[rule]["nullable"] and not is_counted and before[0] != state:
            place = self._places(j).get(before)
            if place is not None:
                yield Way(Node(j, place, -1), None)

    def _numbers_before(self, source: int, done: int) -> list[int]:
        """In a counted rule the numbers of matches before one more made them `done`."""
        repeat = self._repeat(source)
        if repeat is None:
            return [-1]
        _, cap, most = self._bounds(repeat)
        out = [done - 1] if done > 0 else []
        if most is None and done == cap:
            out.append(done)  # beyond the least number all numbers are alike
        return out

    # ---- Counting -------------------------------------------------------------------------------

    def _count(self, top: Node) -> int:
        """The trees of a node, without the ways that close a cycle."""
        agenda = [top]
        under_way: set[Node] = set()
        while agenda:
            node = agenda[-1]
            if node in self._counts:
                agenda.pop()
                continue
            ways = self._ways(node)
            if node not in under_way:
                under_way.add(node)
                wanted = [one for way in ways for one in way if one is not None and one not in self._counts]
                closing = [one for one in wanted if one in under_way]
                if closing:
                    self._has_cycle.update(closing)
                    self._known[node] = ways = [
                        way for way in ways if way.source not in closing and way.child not in closing
                    ]
                    wanted = [one for one in wanted if one not in closing]
                if wanted:
                    agenda += wanted
                    continue
            self._counts[node] = self._sum(node, ways)
            under_way.discard(node)
            agenda.pop()
        return self._counts[top]

    def _sum(self, node: Node, ways: list[Way]) -> int:
        """The trees of a node whose parts are counted."""
        if self._is_beginning(node):
            return int(node.done <= 0)
        kept: list[Way] = []
        total = 0
        for way in ways:
            trees = self._counts[way.source] * (1 if way.child is None else self._counts[way.child])
            if trees:
                kept.append(way)
                total += trees
        self._known[node] = kept
        return total

    def _is_beginning(self, node: Node) -> bool:
        row = self._trace.columns[node.column][node.place]
        return row[1] == node.column and is_start(self._trace.program, row[0])

    # ---- Trees by their number ------------------------------------------------------------------

    def _tree(self, line: list[list[Node]], number: int, *, is_open: bool) -> Branch:
        """Tree `number` of nested items; the numbers alternate between the outermost choices."""
        branches: list[Branch] = []
        for tops in line:
            top, own, number = self._share(tops, number)
            branches.append(self._branch(top, own, is_open=is_open))
        return _nested(branches)

    def _share(self, tops: list[Node], number: int) -> tuple[Node, int, int]:
        """The item that tree `number` has here, the number of its own tree, and what is left for what is inside."""
        total = sum(self._counts[top] for top in tops)
        here, rest = number % total, number // total
        place, own = _pick([self._counts[top] for top in tops], here)
        return tops[place], own, rest

    def _branch(self, top: Node, number: int, *, is_open: bool) -> Branch:
        """Tree `number` of one item."""
        first = self._begun(top, is_open=is_open)
        agenda: list[tuple[Branch, Node, int]] = [(first, top, number)]
        while agenda:
            branch, node, number = agenda.pop()
            parts: list[Branch | bytes] = []
            while not self._is_beginning(node):
                ways = self._known[node]
                n_children = [1 if way.child is None else self._counts[way.child] for way in ways]
                sizes = [self._counts[way.source] * n for way, n in zip(ways, n_children, strict=True)]
                place, number = _pick(sizes, number)
                way = ways[place]
                if way.child is None:
                    parts.append(self._passed(node, way.source))
                else:
                    inner = self._begun(way.child, is_open=False)
                    parts.append(inner)
                    agenda.append((inner, way.child, number % n_children[place]))
                    number //= n_children[place]
                node = way.source
            branch.parts = _joined(parts[::-1])
        return first

    def _begun(self, node: Node, *, is_open: bool) -> Branch:
        state, origin = self._trace.columns[node.column][node.place][:2]
        rule = self._states[state]["rule"]
        after = self._states[state]["after"] if is_open else ""
        end = None if is_open else node.column
        ends = [node] if is_open else self._matches(node.column, rule, origin)
        n_ways = sum(self._n_readings(one) for one in ends)
        return Branch(
            rule,
            self._rules[rule]["name"],
            origin,
            end,
            after,
            item=(node.column, node.place),
            n_ways=max(1, n_ways),
        )

    def _n_readings(self, node: Node) -> int:
        """In how many ways an item divides its text into parts, whatever its parts are themselves."""
        agenda = [node]
        while agenda:
            here = agenda[-1]
            parts = {
                (way.source, way.child and (self._rule(way.child[:2]), self._origin(way.child)))
                for way in self._known.get(here, ())
            }
            missing = [source for source, _ in parts if source not in self._readings]
            if missing and not self._is_beginning(here):
                agenda += missing
                continue
            is_beginning = self._is_beginning(here) or not parts
            self._readings[here] = 1 if is_beginning else sum(self._readings[source] for source, _ in parts)
            agenda.pop()
        return self._readings[node]

    def _origin(self, node: Node) -> int:
        return self._trace.columns[node.column][node.place][1]

    def _passed(self, node: Node, source: Node) -> Branch | bytes:
        """The bytes between two items of a rule, or the rule that matched nothing between them."""
        if source.column < node.column:
            return self._reader.output[source.column : node.column]
        before = self._trace.columns[source.column][source.place][0]
        state = self._trace.columns[node.column][node.place][0]
        over = next(
            edge["rule"]
            for edge in self._into[state]
            if edge["from"] == before and edge["rule"] is not None and self._rules[edge["rule"]]["nullable"]
        )
        return Branch(over, self._rules[over]["name"], node.column, node.column)


def _pick(sizes: list[int], number: int) -> tuple[int, int]:
    """Deal numbers to piles of these sizes by turns: the pile that `number` falls to, and how many fell to it before.

    >>> [_pick([1, 3], number) for number in range(4)]
    [(0, 0), (1, 0), (1, 1), (1, 2)]
    """
    rounds, before = sorted(set(sizes)), 0
    for size in rounds:
        open_piles = [k for k, n in enumerate(sizes) if n >= size]
        in_rounds = (size - before) * len(open_piles)
        if number < in_rounds:
            return open_piles[number % len(open_piles)], before + number // len(open_piles)
        number -= in_rounds
        before = size
    raise IndexError(number)


def _nested(branches: list[Branch]) -> Branch:
    """Open branches, each with the next one as its last part."""
    for outer, inner in pairwise(branches):
        outer.parts.append(inner)
        outer.after = ""
    return branches[0]


def _joined(parts: list[Branch | bytes]) -> list[Branch | bytes]:
    """The parts with neighbouring bytes as one run."""
    out: list[Branch | bytes] = []
    for part in parts:
        if isinstance(part, bytes) and out and isinstance(out[-1], bytes):
            out[-1] += part
        else:
            out.append(part)
    return out


# ---- Where trees part -------------------------------------------------------------------------------


def _preorder(tree: Branch) -> Iterator[Branch]:
    agenda = [tree]
    while agenda:
        branch = agenda.pop()
        yield branch
        agenda += [part for part in reversed(branch.parts) if isinstance(part, Branch)]


_Shape = tuple[object, ...]


def _shape(branch: Branch) -> tuple[_Shape, _Shape]:
    """What a node is, and what its parts are."""
    parts = tuple(part if isinstance(part, bytes) else (part.rule, part.begin, part.end) for part in branch.parts)
    return (branch.rule, branch.begin, branch.end), parts


def _compare(trees: list[ForestTree]) -> None:
    """Mark the nodes that not all trees have, and the first at which each tree parts from another one."""
    if len(trees) < 2:
        return
    listed = [list(_preorder(tree.root)) for tree in trees]
    shapes = [[_shape(branch) for branch in nodes] for nodes in listed]
    shared = set.intersection(*(set(of) for of in shapes))
    for k, tree in enumerate(trees):
        tree.differs = frozenset(i for i, shape in enumerate(shapes[k]) if shape not in shared)
        other = shapes[1] if k == 0 else shapes[0]
        # both preorders agree up to the node at which the trees part
        tree.parts_at = next((i for i, (a, b) in enumerate(zip(shapes[k], other, strict=False)) if a != b), None)
        if tree.parts_at is not None:
            tree.said = _production(listed[k][tree.parts_at])


def _production(branch: Branch) -> str:
    """A node and its parts in words."""
    end = "…" if branch.end is None else branch.end
    said = [
        '"' + part.decode("utf-8", "backslashreplace") + '"'
        if isinstance(part, bytes)
        else f"{part.name} {part.begin}–{'…' if part.end is None else part.end}"
        for part in branch.parts[:8]
    ]
    return f"{branch.name} {branch.begin}–{end} is {' '.join(said) or 'nothing'}{' …' * (len(branch.parts) > 8)}"


def _rows(root: Branch, differs: frozenset[int]) -> list[list[int]]:
    """Nodes in preorder: parent, rule, begin, end, column, index, ways, differs. -1 where there is none.

    A run of bytes has rule -1 and the item of its parent.
    """
    rows: list[list[int]] = []
    n_branches = 0
    agenda: list[tuple[Branch | bytes, int, int]] = [(root, -1, root.begin)]
    while agenda:
        node, parent, begin = agenda.pop()
        if isinstance(node, bytes):
            rows.append([parent, -1, begin, begin + len(node), -1, -1, 1, 0])
            continue
        at = node.item or (-1, -1)
        end = -1 if node.end is None else node.end
        rows.append([parent, node.rule, node.begin, end, *at, node.n_ways, int(n_branches in differs)])
        n_branches += 1
        place, inner, at_byte = len(rows) - 1, list[tuple[Branch | bytes, int, int]](), node.begin
        for part in node.parts:
            inner.append((part, place, at_byte))
            at_byte = (
                at_byte + len(part) if isinstance(part, bytes) else (part.end if part.end is not None else at_byte)
            )
        agenda += inner[::-1]
    return rows
