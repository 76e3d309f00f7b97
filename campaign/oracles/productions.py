"""Context-free productions over bytes, built part by part: the form that an Earley parser of other make can read.

>>> made = Productions()
>>> digit = made.points([(48, 57)])
>>> made.add("start", made.repeat(digit, 1, 2))
>>> made.add("start", made.literal(b"-") + digit)
>>> made.add("lost", made.literal(b"x") + ("lost",))
>>> sorted(made.useful())
['made:1', 'made:2', 'made:3', 'start']

Shapes and units: a symbol is a name or a range of bytes `(low, high)`, both inside; a row is a tuple of symbols.
Names that begin with `made:` belong to repetitions, choices and classes. Repetitions recurse on the left, so that
a chart has few origins.

Nothing here is taken from the engine or from `xg2lab.reference`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

__all__ = ["Productions", "Row", "Symbol", "utf8_rows"]

Symbol = str | tuple[int, int]
Row = tuple[Symbol, ...]
Ranges = Sequence[tuple[int, int]]

MOST_ROWS = 60_000
_LENGTH_ENDS = (0x7F, 0x7FF, 0xFFFF, 0x10FFFF)


class Productions:
    """Rows by name. `start` may be missing or never end: then no text matches."""

    def __init__(self, start: str = "start") -> None:
        self.start = start
        self.rows: dict[str, list[Row]] = {}
        self._n_made = self._n_rows = 0
        self._kept: dict[object, Row] = {}

    def add(self, name: str, row: Row) -> None:
        """One more way to read `name`; OverflowError beyond `MOST_ROWS`."""
        rows = self.rows.setdefault(name, [])
        if row not in rows:
            rows.append(row)
            self._n_rows += 1
        if self._n_rows > MOST_ROWS:
            raise OverflowError(f"more than {MOST_ROWS} productions")

    def literal(self, data: bytes) -> Row:
        """These bytes."""
        return tuple((byte, byte) for byte in data)

    def points(self, ranges: Ranges) -> Row:
        """One code point out of these ranges, in UTF-8; none if there are no ranges."""
        key = ("points", tuple(sorted(ranges)))
        if key not in self._kept:
            rows: list[Row] = [row for low, high in ranges for row in utf8_rows(low, high)]
            self._kept[key] = self.choice(_merged(rows))
        return self._kept[key]

    def choice(self, rows: Iterable[Row]) -> Row:
        """One of the rows."""
        rows = list(dict.fromkeys(rows))
        if len(rows) == 1:
            return rows[0]
        name = self._fresh()
        self.rows[name] = []
        for row in rows:
            self.add(name, row)
        return (name,)

    def repeat(self, row: Row, least: int, most: int | None) -> Row:
        """The row so many times: a name of its own reads it exactly n times."""
        if (least, most) == (1, 1):
            return row
        key = ("repeat", row, least, most)
        if key not in self._kept:
            exact: Row = ()
            ends: list[Row] = []
            for n in range((least if most is None else most) + 1):
                if n:
                    name = self._fresh()
                    self.add(name, exact + row)
                    exact = (name,)
                if n >= least:
                    ends.append(exact)
            if most is None:
                name = self._fresh()
                self.add(name, exact)
                self.add(name, (name, *row))
                self._kept[key] = (name,)
            else:
                self._kept[key] = self.choice(ends)
        return self._kept[key]

    def useful(self) -> dict[str, list[Row]]:
        """The rows that a text can be derived by, and that the start reaches; nothing if the language is empty."""
        ending: set[str] = set()
        grown = True
        while grown:
            found = {
                name
                for name, rows in self.rows.items()
                if name not in ending and any(_ends(row, ending) for row in rows)
            }
            grown = bool(found)
            ending |= found
        if self.start not in ending:
            return {}
        kept: dict[str, list[Row]] = {}
        agenda = [self.start]
        while agenda:
            name = agenda.pop()
            if name not in kept:
                kept[name] = [row for row in self.rows[name] if _ends(row, ending)]
                agenda += [symbol for row in kept[name] for symbol in row if isinstance(symbol, str)]
        return kept

    def _fresh(self) -> str:
        self._n_made += 1
        return f"made:{self._n_made}"


def _ends(row: Row, ending: set[str]) -> bool:
    return all(symbol in ending for symbol in row if isinstance(symbol, str))


def _merged(rows: list[Row]) -> list[Row]:
    """Rows of one byte each, as few ranges as possible; the longer ones as they are."""
    bytes_in = sorted(row[0] for row in rows if len(row) == 1 and isinstance(row[0], tuple))
    merged: list[tuple[int, int]] = []
    for low, high in bytes_in:
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    singles: list[Row] = [(pair,) for pair in merged]
    return singles + [row for row in rows if len(row) > 1]


def utf8_rows(low: int, high: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """The encodings of the code points from `low` to `high`, without surrogates, as rows of byte ranges.

    >>> [["%x-%x" % pair for pair in row] for row in utf8_rows(0x7E, 0x801)]
    [['7e-7f'], ['c2-df', '80-bf'], ['e0-e0', 'a0-a0', '80-81']]
    """
    for first, last in ((low, min(high, 0xD7FF)), (max(low, 0xE000), high)):
        begin = first
        for end in _LENGTH_ENDS:
            if begin <= min(last, end):
                yield from _same_length(chr(begin).encode(), chr(min(last, end)).encode())
                begin = end + 1


def _same_length(low: bytes, high: bytes) -> Iterator[tuple[tuple[int, int], ...]]:
    """What lies between two encodings of one length; the first byte is split off where the rest is not all."""
    if len(low) == 1:
        yield ((low[0], high[0]),)
        return
    least, most = b"\x80" * (len(low) - 1), b"\xbf" * (len(low) - 1)
    if low[0] == high[0]:
        yield from (((low[0], low[0]), *rest) for rest in _same_length(low[1:], high[1:]))
        return
    first, last = low[0], high[0]
    if low[1:] != least:
        yield from (((first, first), *rest) for rest in _same_length(low[1:], most))
        first += 1
    if high[1:] != most:
        last -= 1
    if first <= last:
        yield ((first, last), *((0x80, 0xBF) for _ in least))
    if high[1:] != most:
        yield from (((high[0], high[0]), *rest) for rest in _same_length(least, high[1:]))
