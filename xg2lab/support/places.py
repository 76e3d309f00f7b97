r"""Places in a text: lines and columns, and in JSON the pointer of each value.

>>> text = b'{"a": [1, {"b c": 2}]}'
>>> places = JsonPlaces.of(text)
>>> [(place.pointer, text[slice(*place.span)].decode()) for place in places.values if place.is_scalar]
[('/a/0', '1'), ('/a/1/b c', '2')]
>>> line_and_column("é\nab".encode(), 4)
(2, 2)

IDEA
  The engine is given the values of a JSON text and writes them down again, indented; whatever it says points into that.
  Value k of the one text is value k of the other, so a place in the one is found in the other: `moved`.

>>> as_written = JsonPlaces.of(b'{"a":[1,\n{"b\\u0020c":2}]}')
>>> as_written.data[slice(*places.moved((11, 16), as_written))]
b'"b\\u0020c"'

Shapes and units: spans are byte offsets, a key's with its quotes. The text is taken to be JSON; several values may
follow each other, with lines of `// ...` between them.

See also: core/support/json_value.h, which writes; core/frontends/structural_tag/part.h, which does the same.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

__all__ = ["JsonPlace", "JsonPlaces", "is_within", "line_and_column", "offset_of"]

Span = tuple[int, int]

LEXEMES = re.compile(rb'//[^\n]*|("[^"\\]*(?:\\.[^"\\]*)*")|([{\[])|([}\]])|,|([^\s{}\[\],:"]+)', re.DOTALL)
# What stands for one code point within a string.
CHARACTERS = re.compile(
    rb"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.|[\x00-\x7f]|[\xc0-\xff][\x80-\xbf]*", re.DOTALL
)


def line_and_column(data: bytes, offset: int) -> tuple[int, int]:
    """Line and column of a byte, from 1; columns count code points."""
    begin = data.rfind(b"\n", 0, offset) + 1
    return data.count(b"\n", 0, begin) + 1, len(data[begin:offset].decode("utf-8", "replace")) + 1


def is_within(inner: Span, outer: Span) -> bool:
    """Whether a span lies in another one, or is the same.

    >>> is_within((2, 3), (2, 5)), is_within((2, 5), (2, 3))
    (True, False)
    """
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def offset_of(data: bytes, line: int, column: int) -> int:
    """The byte at a line and column, as `line_and_column` counts them."""
    lines = data.split(b"\n")
    return (
        sum(map(len, lines[: line - 1]))
        + line
        - 1
        + len(lines[line - 1].decode("utf-8", "replace")[: column - 1].encode())
    )


@dataclass
class JsonPlace:
    """One value: where it is, where its key is, and what holds it."""

    index: int
    pointer: str
    span: Span
    key_span: Span | None
    parent: int | None
    is_scalar: bool
    n_children: int = 0

    @property
    def begin(self) -> int:
        """Of the value with its key."""
        return self.span[0] if self.key_span is None else self.key_span[0]


class JsonPlaces:
    """All values of a JSON text, in its order."""

    def __init__(self, data: bytes, values: list[JsonPlace]) -> None:
        self.data = data
        self.values = values

    @classmethod
    def of(cls, data: bytes) -> JsonPlaces:
        """Reads JSON."""
        values: list[JsonPlace] = []
        open_values: list[int] = []
        key: Span | None = None
        for found in LEXEMES.finditer(data):
            text, opening, closing, word = found.groups()
            above = values[open_values[-1]] if open_values else None
            if closing and above is not None:
                above.span = (above.span[0], found.end())
                open_values.pop()
            elif text and key is None and above is not None and data[above.span[0]] == ord("{"):
                key = found.span()
            elif text or opening or word:
                pointer = "" if above is None else f"{above.pointer}/{_step(data, above, key)}"
                parent = open_values[-1] if open_values else None
                if opening:
                    open_values.append(len(values))
                values.append(JsonPlace(len(values), pointer, found.span(), key, parent, not opening))
                key = None
                if above is not None:
                    above.n_children += 1
        return cls(data, values)

    @cached_property
    def _begins(self) -> list[int]:
        return [place.begin for place in self.values]

    @cached_property
    def _line_begins(self) -> list[int]:
        return [0, *(found.end() for found in re.finditer(rb"\n", self.data))]

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """As the function of that name, for many offsets."""
        line = bisect_right(self._line_begins, offset)
        begin = self._line_begins[line - 1]
        return line, len(self.data[begin:offset].decode("utf-8", "replace")) + 1

    def at(self, offset: int) -> JsonPlace:
        """The last value that begins, or whose key does, at this byte or before."""
        return self.values[max(0, bisect_right(self._begins, offset) - 1)]

    @cached_property
    def by_pointer(self) -> dict[str, JsonPlace]:
        """Values by their JSON Pointers; of several with one pointer the first."""
        found: dict[str, JsonPlace] = {}
        for place in self.values:
            found.setdefault(place.pointer, place)
        return found

    def value(self, pointer: str) -> object:
        """Return the value at the pointer. Raises KeyError if there is none."""
        begin, end = self.by_pointer[pointer].span
        return json.loads(self.data[begin:end])

    def around(self, span: Span) -> JsonPlace:
        """The innermost value that holds a span, its key included."""
        place = self.at(span[0])
        while place.span[1] < span[1] and place.parent is not None:
            place = self.values[place.parent]
        return place

    def moved(self, span: Span, other: JsonPlaces) -> Span:
        """The same place in another text of the same values."""
        place = self.around(span)
        there = other.values[place.index]
        if place.key_span is not None and there.key_span is not None and span[0] < place.span[0]:
            if span[1] <= place.key_span[1]:
                return _within(self.data, place.key_span, span, other.data, there.key_span)
            return there.key_span[0], there.span[1]
        if span != place.span and place.is_scalar:
            return _within(self.data, place.span, span, other.data, there.span)
        return there.span


def _step(data: bytes, above: JsonPlace, key: Span | None) -> str:
    if key is None:
        return str(above.n_children)
    name = json.loads(data[slice(*key)])
    return name.replace("~", "~0").replace("/", "~1")


def _within(data: bytes, value: Span, span: Span, other: bytes, there: Span) -> Span:
    """A part of a string, by counting characters: the one may write as an escape what the other doesn't."""
    if data[slice(*value)] == other[slice(*there)]:
        return span[0] - value[0] + there[0], span[1] - value[0] + there[0]
    ours = [value[0] + found.start() for found in CHARACTERS.finditer(data[slice(*value)])]
    theirs = [there[0] + found.start() for found in CHARACTERS.finditer(other[slice(*there)])]

    def moved(offset: int) -> int:
        n_before = bisect_right(ours, offset - 1)
        return theirs[n_before] if n_before < len(theirs) else there[1]

    return moved(span[0]), moved(span[1])
