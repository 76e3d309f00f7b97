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
  Each item of the chart says what made it: a scan, the byte before; a completion, the item that waited and the one
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

COST    O(nodes), one visit each.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from xg2lab.errors import SessionError

__all__ = ["Branch", "derivation", "tree_lines"]

_PREDICT, _SCAN, _COMPLETE = 1, 2, 3
_MOST_SAID = 4
At = tuple[int, int]


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


def derivation(trace: Any, column: int | None = None) -> Branch:
    """The tree of the first `column` bytes; of all that were recorded, if it is not said.

    Raises `SessionError` where the chart was not recorded that far, or nothing is alive.
    """
    columns, program = trace.columns, trace.program
    at = len(columns) - 1 if column is None else column
    if not 0 <= at < len(columns) or not columns[at]:
        raise SessionError(
            f"column {at} was not recorded", hint="Session(record_chart=True), Limits(chart_columns=...)"
        )
    reader = _Reader(trace)
    root = program["rules"][0]["id"]
    states = program["states"]
    whole = [
        (at, index)
        for index, (state, origin, *_) in enumerate(columns[at])
        if origin == 0 and states[state]["accepting"] and states[state]["rule"] == root
    ]
    if not whole:
        return reader.open_tree(at)
    tree = reader.tree(whole[0], is_open=False)
    tree.n_ways += len(whole) - 1
    tree.also += tuple(_said(reader.parts(other)) for other in whole[1:])
    return tree


class _Reader:
    """Reads trees off one chart."""

    def __init__(self, trace: Any) -> None:
        self.columns: list[list[list[int]]] = trace.columns
        self.rules, self.states = trace.program["rules"], trace.program["states"]
        self.output: bytes = trace.output_bytes
        self._edges: list[dict[str, Any]] = trace.program["edges"]
        self._starts = {rule["start"] for rule in self.rules}
        self._ways = {(row[0], row[1]): row for row in trace.ways}

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

    def open_tree(self, at: int) -> Branch:
        """The innermost item that is under way, and round it those that wait for its rule."""
        column = self.columns[at]
        moved = [k for k, row in enumerate(column) if row[0] not in self._starts]
        under_way = [k for k in moved if self.states[column[k][0]]["after"]]
        innermost = max(under_way or moved or range(len(column)), key=lambda k: (column[k][1], -k))
        here: At | None = (at, innermost)
        inside: Branch | None = None
        while here is not None:
            branch = self.tree(here, is_open=True)
            if inside is not None:
                branch.parts.append(inside)
                branch.after = ""  # what it waits for stands there
            inside, here = branch, self._waiting(here)
        assert inside is not None
        return inside

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

    def _part(self, at: At, way: list[int]) -> Branch | bytes:
        """What the dot moved over, to come to this item."""
        operation, source, source_index, child, child_index = way
        if operation != _COMPLETE:
            return self.output[source : at[0]]
        if child_index >= 0:
            return self._branch((child, child_index), is_open=False)
        state = self._row((source, source_index))[0]
        over = next(
            edge["rule"]
            for edge in self._edges
            if edge["from"] == state and edge["to"] == self._row(at)[0] and edge["kind"] == "rule"
            if self.rules[edge["rule"]]["nullable"]
        )
        return Branch(over, self.rules[over]["name"], at[0], at[0])

    def _tell_ways(self, branch: Branch, at: At) -> None:
        """The other ways of one of its items; where only the child was read otherwise, they are the child's."""
        if at not in self._ways:
            return
        source, own = tuple(self._row(at)[3:5]), tuple(self._row(at)[5:7])
        child = next((part for part in branch.parts if isinstance(part, Branch) and part.item == own), None)
        _, _, n_others, *ways = self._ways[at]
        for k in range(0, len(ways), 5):
            other = ways[k + 3], ways[k + 4]
            is_childs = child is not None and tuple(ways[k + 1 : k + 3]) == source and other[1] >= 0
            if child is not None and is_childs and self._rule(other) == child.rule:
                child.n_ways += 1
                child.also += (_said(self.parts(other)),)
                n_others -= 1
            else:
                branch.also += (_said(self.parts(at, ways[k : k + 5])),)
        branch.n_ways += n_others

    def _rule(self, at: At) -> int:
        rule: int = self.states[self._row(at)[0]]["rule"]
        return rule

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
