r"""The derivation tree of what was written: which rule matched which bytes, read off the chart.

>>> import xg2lab as xgr
>>> from xg2lab.lab import Session
>>> info = xgr.TokenizerInfo([b"[", b"]", b"1", b"</s>"], stop_token_ids=[3])
>>> as_written = xgr.EngineOptions(rule_inlining=False)
>>> session = Session('root ::= "[" list "]"   list ::= item+   item ::= [0-9]', info, options=as_written)
>>> for token in (0, 2, 2):
...     _ = session.force(token)
>>> print("\n".join(tree_lines(derivation(session.trace))))
root 0…
  '['
  list 1…  then item
    item 1-2
      '1'
    item 2-3
      '1'

IDEA
  Each item of the chart records what made it: a scan, the byte before; a completion, the item that waited and the one
  that was complete. So a tree is read backwards, from an item to the item it came from, and into what it completed. A
  text that is not yet a sentence has an open tree: the innermost item, and round it each item that waits for its rule.

  Where a text can be read in several ways, the tree is that of the first way found. A branch says so: `n_ways`, and
  what the others are, as far as the chart has kept them.

    >>> unchanged = xgr.EngineOptions(rule_inlining=False, right_recursion_to_repeat=False)
    >>> twice = Session('root ::= root root | "1"', info, options=unchanged)
    >>> for token in (2, 2, 2):
    ...     _ = twice.force(token)
    >>> root = derivation(twice.trace)
    >>> root.n_ways, root.also
    (2, ('root 0-1 + root 1-3',))

  A page follows the chart's arrows itself, as far as it draws. Python sends the facts that the
  arrows don't hold: the beginning of a column's tree (`root_of`), and for an item the bytes that
  its other ways read (`ways_read`) or the rule that it steps over (`stepped_over`).

COST    O(nodes), one visit each.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from xg2lab.errors import SessionError
from xg2lab.lab.trace.edges import edges_from

if TYPE_CHECKING:
    from xg2lab.lab import schema
    from xg2lab.lab.trace.trace import Trace

__all__ = ["Branch", "Root", "TreeReader", "derivation", "is_start", "tree_lines"]

_PREDICT, _SCAN, _COMPLETE = 1, 2, 3
_MOST_SAID = 4
At = tuple[int, int]


class Root(NamedTuple):
    """Where the tree of a column begins: one complete item, or the open ones, the outermost first.

    Of a complete one `n_others` more could have been taken, which read as `also` says.
    """

    line: tuple[At, ...]
    is_whole: bool
    n_others: int = 0
    also: tuple[str, ...] = ()


@dataclass
class Branch:
    """A rule and what it matched: bytes `begin` to `end` of the output; `end` is None while it is open.

    `parts` are branches and runs of bytes in their order; `after` is what the innermost open rule still
    waits for; the others wait for the open branch in them. `item` is where in the chart its last item is: column,
    index; None for a rule that matched nothing, which the chart steps over. `n_ways` is 1 and the other ways in which
    its items were made; `also` says some of them.
    """

    rule: int
    name: str
    begin: int
    end: int | None
    after: str = ""
    parts: list[Branch | bytes] = field(default_factory=list["Branch | bytes"])
    item: At | None = None
    n_ways: int = 1
    also: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether the rule is not complete yet."""
        return self.end is None


def derivation(trace: Trace, column: int | None = None) -> Branch:
    """The tree of the first `column` bytes; of all that were recorded, if it is not said.

    Raises `SessionError` where the chart was not recorded that far, or nothing is alive.
    """
    at = len(trace.columns) - 1 if column is None else column
    reader = TreeReader(trace)
    root = reader.root_of(at)
    if root is None:
        raise SessionError(
            f"column {at} was not recorded", hint="Session(record_chart=True), Limits(chart_columns=...)"
        )
    inside: Branch | None = None
    for here in reversed(root.line):
        branch = reader.tree(here, is_open=not root.is_whole)
        if inside is not None:
            branch.parts.append(inside)
            branch.after = ""  # the rule that it waits for is shown there
        inside = branch
    assert inside is not None
    inside.n_ways += root.n_others
    inside.also += root.also
    return inside


def is_start(program: schema.Program, state: int) -> bool:
    """Whether a rule, or one of its alternatives, begins in a state."""
    rule = program["rules"][program["states"][state]["rule"]]
    return state in rule.get("starts", (rule["start"],))


class TreeReader:
    """Reads trees off one chart."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self.columns: list[list[list[int]]] = trace.columns
        self.rules, self.states = trace.program["rules"], trace.program["states"]

    @cached_property
    def output(self) -> bytes:
        """The bytes of the output."""
        return self._trace.output_bytes

    @cached_property
    def _ways(self) -> dict[At, list[int]]:
        return {(row[0], row[1]): row for row in self._trace.ways}

    def tree(self, top: At, *, is_open: bool) -> Branch:
        """The tree of one item: its rule, with all that was matched for it."""
        first = self._branch(top, is_open=is_open)
        agenda = [first]
        while agenda:
            branch = agenda.pop()
            if branch.item is None:
                continue
            branch.parts = self.parts(branch.item)
            for at in self._walk(branch.item):
                self._tell_ways(branch, at)
            agenda += [part for part in branch.parts if isinstance(part, Branch)]
        return first

    def root_of(self, at: int) -> Root | None:
        """Where the tree of the first `at` bytes begins; None where the chart was not recorded, or nothing is alive."""
        if not 0 <= at < len(self.columns) or not self.columns[at]:
            return None
        states, root = self.states, self._trace.program.get("root", 0)
        whole = [
            (at, index)
            for index, (state, origin, *_) in enumerate(self.columns[at])
            if origin == 0 and states[state]["accepting"] and states[state]["rule"] == root
        ]
        if not whole:
            return Root(tuple(self._open_line(at)), is_whole=False)
        also = tuple(_said(self.parts(other)) for other in whole[1:])
        return Root((whole[0],), is_whole=True, n_others=len(whole) - 1, also=also)

    def _open_line(self, at: int) -> list[At]:
        """The innermost item that is under way, and before it each that waits for the rule of the next."""
        column = self.columns[at]
        moved = [k for k, row in enumerate(column) if not is_start(self._trace.program, row[0])]
        under_way = [k for k in moved if self.states[column[k][0]]["after"]]
        innermost = max(under_way or moved or range(len(column)), key=lambda k: (column[k][1], -k))
        line: list[At] = []
        here: At | None = (at, innermost)
        while here is not None:
            line.append(here)
            here = self._waiting(here)
        return line[::-1]

    def ways_read(self, column: int) -> list[schema.WaysRead]:
        """Of each item of this column and later ones that was made in several ways: column, index, how many others,
        and each of those that were kept, in words: [what the item reads, and what its child alone reads or None].

        Where only the child was read otherwise, a tree marks the child.
        """
        out: list[schema.WaysRead] = []
        for row in self._trace.ways_from(column):
            at = row[0], row[1]
            said = [
                [_said(self.last_parts(at, way)), None if child is None else _said(self.last_parts(child))]
                for way, child in self._other_ways(row)
            ]
            out.append([*at, row[2], said])
        return out

    def stepped_over(self, column: int) -> list[schema.SteppedOver]:
        """Items of this column and later ones that stepped over a rule that matched nothing: column, index, rule."""
        return [
            [j, index, self._over((j, index), row[3:5])]
            for j in range(column, len(self.columns))
            for index, row in enumerate(self.columns[j])
            if row[2] == _COMPLETE and row[6] < 0
        ]

    def parts(self, at: At, way: list[int] | None = None) -> list[Branch | bytes]:
        """What an item has matched: branches, whose own parts are not read yet, and runs of bytes.

        `way` replaces the item's own last step.
        """
        last = self._row(at)[2:] if way is None else way
        out: list[Branch | bytes] = []
        if last[0] not in (_SCAN, _COMPLETE):
            return out
        for place in self._walk((last[1], last[2])):
            _join(out, self._part(place, self._row(place)[2:]))
        _join(out, self._part(at, last))
        return out

    def last_parts(self, at: At, way: list[int] | None = None) -> list[Branch | bytes]:
        """The last of `parts`: as many as are said, and one more where there are more."""
        out: list[Branch | bytes] = []
        step = self._row(at)[2:] if way is None else way
        while step[0] in (_SCAN, _COMPLETE):
            part = self._part(at, step)
            if out and isinstance(part, bytes) and isinstance(out[-1], bytes):
                out[-1] = part + out[-1]
            elif part != b"":
                if len(out) > _MOST_SAID:
                    break
                out.append(part)
            at = step[1], step[2]
            step = self._row(at)[2:]
        return out[::-1]

    def _part(self, at: At, way: list[int]) -> Branch | bytes:
        """The match that the dot moved over to reach this item."""
        operation, source, source_index, child, child_index = way
        if operation != _COMPLETE:
            return self.output[source : at[0]]
        if child_index >= 0:
            return self._branch((child, child_index), is_open=False)
        over = self._over(at, [source, source_index])
        return Branch(over, self.rules[over]["name"], at[0], at[0])

    def _over(self, at: At, source: list[int]) -> int:
        """The rule that matched nothing between an item and its source."""
        state = self._row((source[0], source[1]))[0]
        return next(
            edge["rule"]
            for edge in edges_from(self._trace.program, state)
            if edge["to"] == self._row(at)[0] and edge["rule"] is not None and self.rules[edge["rule"]]["nullable"]
        )

    def _tell_ways(self, branch: Branch, at: At) -> None:
        """The other ways of one of its items; where only the child was read otherwise, they are the child's."""
        if at not in self._ways:
            return
        own = tuple(self._row(at)[5:7])
        child = next((part for part in branch.parts if isinstance(part, Branch) and part.item == own), None)
        n_others = self._ways[at][2]
        for way, other in self._other_ways(self._ways[at]):
            if child is not None and other is not None:
                child.n_ways += 1
                child.also += (_said(self.last_parts(other)),)
                n_others -= 1
            else:
                branch.also += (_said(self.last_parts(at, way)),)
        branch.n_ways += n_others

    def _other_ways(self, told: list[int]) -> list[tuple[list[int], At | None]]:
        """The other ways of an item that were kept; where only the child differs, with the child that it would be."""
        row, ways = self._row((told[0], told[1])), told[3:]
        out: list[tuple[list[int], At | None]] = []
        for k in range(0, len(ways), 5):
            way = ways[k : k + 5]
            other = way[3], way[4]
            same = row[2] == _COMPLETE and row[6] >= 0 and way[1:3] == row[3:5] and other[1] >= 0
            is_childs = same and self._rule(other) == self._rule((row[5], row[6]))
            out.append((way, other if is_childs else None))
        return out

    def _rule(self, at: At) -> int:
        return self.states[self._row(at)[0]]["rule"]

    def _branch(self, at: At, *, is_open: bool) -> Branch:
        state, begun = self._row(at)[:2]
        rule, after = self.states[state]["rule"], self.states[state]["after"] if is_open else ""
        return Branch(rule, self.rules[rule]["name"], begun, None if is_open else at[0], after, item=at)

    def _walk(self, at: At) -> list[At]:
        """The items of a match, each from the one before it by its first way; the last is `at`."""
        out: list[At] = []
        while self._row(at)[2] in (_SCAN, _COMPLETE):
            out.append(at)
            at = self._row(at)[3], self._row(at)[4]
        return out[::-1]

    def _waiting(self, at: At) -> At | None:
        """The item that began this one's rule: the first that waits for it."""
        while self._row(at)[2] in (_SCAN, _COMPLETE):
            at = self._row(at)[3], self._row(at)[4]
        row = self._row(at)
        return (row[3], row[4]) if row[2] == _PREDICT else None

    def _row(self, at: At) -> list[int]:
        return self.columns[at[0]][at[1]]


def _join(parts: list[Branch | bytes], part: Branch | bytes) -> None:
    """Append; bytes become part of the run before them."""
    if isinstance(part, bytes) and parts and isinstance(parts[-1], bytes):
        parts[-1] += part
    elif part != b"":
        parts.append(part)


def _said(parts: list[Branch | bytes]) -> str:
    """A reading in words, its last parts."""
    said = [
        json.dumps(part.decode("utf-8", "backslashreplace"), ensure_ascii=False)
        if isinstance(part, bytes)
        else f"{part.name} {part.begin}-{part.end}"
        for part in parts[-_MOST_SAID:]
    ]
    return " + ".join(["…"] * (len(parts) > _MOST_SAID) + said)


def tree_lines(tree: Branch) -> list[str]:
    """The tree in words, a line a node."""
    out: list[str] = []
    agenda: list[tuple[Branch | bytes, int]] = [(tree, 0)]
    while agenda:
        node, depth = agenda.pop()
        if isinstance(node, bytes):
            out.append("  " * depth + repr(node.decode("utf-8", "backslashreplace")))
            continue
        waits = f"  then {node.after}" if node.after else ""
        reach = f"{node.begin}…{waits}" if node.is_open else f"{node.begin}-{node.end}"
        ways = f"  {node.n_ways} ways, also {', '.join(node.also)}" if node.n_ways > 1 else ""
        out.append(f"{'  ' * depth}{node.name} {reach}{ways}".rstrip())
        agenda += [(part, depth + 1) for part in reversed(node.parts)]
    return out
