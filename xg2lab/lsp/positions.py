r"""Places in bytes as lines and columns of the Language Server Protocol, and back.

>>> lines = Lines("a\né😀b", "utf-16")
>>> lines.position(8), lines.offset({"line": 1, "character": 3})
({'line': 1, 'character': 3}, 8)
>>> Lines("a\r\nb\rc", "utf-16").position(5)
{'line': 2, 'character': 0}

Columns count units of the encoding that client and server agreed on: "utf-16" (two units for a code point beyond the
first plane), "utf-8" (bytes) or "utf-32" (code points). Lines end in \n, \r\n or \r.

COST  Linear in the text for all places together: a line that is not ASCII gets a table when it is first asked for.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from typing import TypedDict

from xg2lab.editing.records import Span

__all__ = ["Lines", "Position", "Range"]

BREAK = re.compile(rb"\r\n|\n|\r")


class Position(TypedDict):
    """A place: line and column, both from 0."""

    line: int
    character: int


class Range(TypedDict):
    """A part of a text, without its last place."""

    start: Position
    end: Position


class Lines:
    """The lines of one text."""

    def __init__(self, text: str, encoding: str) -> None:
        self.data = text.encode("utf-8", "surrogatepass")
        self.encoding = encoding
        breaks = list(BREAK.finditer(self.data))
        self._begins = [0, *(found.end() for found in breaks)]
        self._ends = [*(found.start() for found in breaks), len(self.data)]
        self._tables: dict[int, array[int]] = {}

    def _table(self, line: int) -> array[int] | None:
        """For each byte of a line, and its end, the column; None if columns are bytes."""
        begin, end = self._begins[line], self._ends[line]
        if self.encoding == "utf-8" or self.data[begin:end].isascii():
            return None
        if line not in self._tables:
            made, column, width = array("L"), 0, 0
            for byte in self.data[begin:end]:
                if byte < 0x80 or byte >= 0xC0:  # the other bytes have the column of their code point
                    column += width
                    width = 2 if byte >= 0xF0 and self.encoding == "utf-16" else 1
                made.append(column)
            column += width
            made.append(column)
            self._tables[line] = made
        return self._tables[line]

    def position(self, offset: int) -> Position:
        """The line and column of a byte."""
        line = bisect_right(self._begins, max(0, min(offset, len(self.data)))) - 1
        within = min(offset, self._ends[line]) - self._begins[line]
        table = self._table(line)
        return {"line": line, "character": within if table is None else table[within]}

    def range(self, span: Span) -> Range:
        """The part of the text at a span."""
        return {"start": self.position(span[0]), "end": self.position(span[1])}

    def offset(self, position: Position) -> int:
        """The byte at a line and column; beyond the end of a line its end."""
        line = position["line"]
        if line >= len(self._begins):
            return len(self.data)
        begin, end = self._begins[line], self._ends[line]
        table = self._table(line)
        if table is None:
            return min(begin + position["character"], end)
        at = bisect_left(table, position["character"])
        return min(begin + at, end)
