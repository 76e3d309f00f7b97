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

  Where a text can be read in several ways, the chart keeps the first way it found, and so does the tree.

COST    O(nodes), one visit each.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from xg2lab.errors import SessionError

__all__ = ["Branch", "derivation", "tree_lines"]

_PREDICT, _SCAN, _COMPLETE = 1, 2, 3
At = tuple[int, int]


@dataclass
class Branch:
    """A rule and what it matched: bytes `begin` to `end` of the output; `end` is None while it is open.

    `parts` are branches and runs of bytes in their order; `after` is what the innermost open rule still
    waits for; the others wait for the open branch in them.
    """

    rule: int
    name: str
    begin: int
    end: int | None
    after: str = ""
    parts: list[Branch | bytes] = field(default_factory=list["Branch | bytes"])

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
    for index, (state, origin, *_) in enumerate(columns[at]):
        if origin == 0 and program["states"][state]["accepting"] and program["states"][state]["rule"] == root:
            return reader.tree((at, index), is_open=False)
    return reader.open_tree(at)


class _Reader:
    """Reads trees off one chart."""

    def __init__(self, trace: Any) -> None:
        self.columns: list[list[list[int]]] = trace.columns
        self.rules, self.states = trace.program["rules"], trace.program["states"]
        self.output: bytes = trace.output_bytes
        self._starts = {rule["start"] for rule in self.rules}

    def tree(self, top: At, *, is_open: bool) -> Branch:
        """The tree of one item: its rule, with all that was matched for it."""
        first = self._branch(top, is_open=is_open)
        agenda = [(top, first)]
        while agenda:
            at, branch = agenda.pop()
            parts: list[Branch | bytes] = []
            begun, made = self._walk(at)
            branch.begin = begun
            for item, child in made:
                if child is None:
                    byte = self._byte_before(item[0])
                    if parts and isinstance(parts[-1], bytes):
                        parts[-1] += byte
                    else:
                        parts.append(byte)
                else:
                    inside = self._branch(child, is_open=False)
                    parts.append(inside)
                    agenda.append((child, inside))
            branch.parts = parts
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

    def _branch(self, at: At, *, is_open: bool) -> Branch:
        state = self.states[self.columns[at[0]][at[1]][0]]
        name = self.rules[state["rule"]]["name"]
        return Branch(state["rule"], name, at[0], None if is_open else at[0], state["after"] if is_open else "")

    def _walk(self, at: At) -> tuple[int, list[tuple[At, At | None]]]:
        """Where a rule's match began, and from there on each item with what it completed, or None for a byte."""
        out: list[tuple[At, At | None]] = []
        while True:
            _, _, operation, source, source_index, child, child_index = self.columns[at[0]][at[1]]
            if operation not in (_SCAN, _COMPLETE):
                return at[0], out[::-1]
            out.append((at, (child, child_index) if operation == _COMPLETE else None))
            at = source, source_index

    def _waiting(self, at: At) -> At | None:
        """The item that began this one's rule: the first that waits for it."""
        while True:
            _, _, operation, source, source_index, _, _ = self.columns[at[0]][at[1]]
            if operation == _PREDICT:
                return source, source_index
            if operation not in (_SCAN, _COMPLETE):
                return None
            at = source, source_index

    def _byte_before(self, column: int) -> bytes:
        return self.output[column - 1 : column]


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
        out.append(f"{'  ' * depth}{node.name} {reach}".rstrip())
        agenda += [(part, depth + 1) for part in reversed(node.parts)]
    return out
