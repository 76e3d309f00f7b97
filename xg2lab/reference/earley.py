"""Earley's parser on bytes: a chart of all partial parses, one column for each byte read.

>>> from xg2lab.reference.ebnf import parse_ebnf
>>> chart = parse(parse_ebnf('root ::= root "+" root | "1"'), b"1+")
>>> chart.is_complete(), chart.expected_bytes(), chart.can_follow(b"1+1"), chart.can_follow(b"+")
(False, {49}, True, False)
>>> print(chart)
column 0
  root -> • root 2b root   from 0
  root -> • 31   from 0
column 1 after 31
  root -> 31 •   from 0
  root -> root • 2b root   from 0
column 2 after 2b
  root -> root 2b • root   from 0
  root -> • root 2b root   from 2
  root -> • 31   from 2

The first item of the last column reads: a `root` that began at column 0 has matched `root 2b`.
Three operations make all items: *predict* enters the name after the dot, *scan* consumes a byte,
*complete* returns from a finished name to the items that waited for it at its origin. An empty
match begins and ends in one column, where the waiting item may be added after the finished one; so
the item that is added second joins the two, in `predict` or in `complete`. Nullable rules, hidden
left recursion and cycles need nothing more.

Shapes and units: column j is the state after j bytes. Each item keeps the items that it was made
from, the arrows of a drawing.
COST n bytes take n^3 joins at worst; left recursion makes n items, right recursion n^2 (Leo 1991
makes it n).
See also: Earley 1970, "An efficient context-free parsing algorithm".
"""

from collections.abc import Iterator
from typing import NamedTuple

from xg2lab.reference.cfg import Cfg, Production, Symbol, productions_of, show
from xg2lab.reference.ebnf import Grammar


class Item(NamedTuple):
    """A partial parse: `name` began at column `origin` and has matched `production[:dot]`."""

    name: str
    production: Production
    dot: int
    origin: int

    @property
    def after_dot(self) -> Symbol | None:
        """The symbol to match next; None if the item is finished."""
        return self.production[self.dot] if self.dot < len(self.production) else None

    def advanced(self) -> "Item":
        """The same with the dot one symbol further."""
        return self._replace(dot=self.dot + 1)

    def __str__(self) -> str:
        return f"{self.name} -> {show(self.production, self.dot)}   from {self.origin}"


class Reason(NamedTuple):
    """Why an item is in its column; places are (column, item)."""

    verb: str
    before: tuple[int, Item] | None = None
    finished: tuple[int, Item] | None = None


Column = dict[Item, list[Reason]]


class Chart:
    """The columns so far. `push` and `pop` change it; everything else asks."""

    def __init__(self, cfg: Cfg) -> None:
        self.cfg, self.data = cfg, bytearray()
        self.columns: list[Column] = []
        self.open_column({Item(cfg.start, p, 0, 0): [Reason("predict")] for p in cfg.productions.get(cfg.start, [])})

    def push(self, byte: int) -> bool:
        """Scan one byte into a new column. False, and an empty column, if no item expected it."""
        last, scanned = len(self.data), Column()
        for item in self.columns[last]:
            expected = item.after_dot
            if isinstance(expected, tuple) and expected[0] <= byte <= expected[1]:
                scanned[item.advanced()] = [Reason("scan", (last, item))]
        self.data.append(byte)
        self.open_column(scanned)
        return self.is_alive

    def pop(self, n_bytes: int) -> None:
        """Take the last bytes back: what they added is their columns and nothing else."""
        del self.columns[len(self.columns) - n_bytes :], self.data[len(self.data) - n_bytes :]

    def open_column(self, column: Column) -> None:
        """Append a column and add what follows from its items, until nothing new does."""
        j = len(self.columns)
        self.columns.append(column)
        agenda = list(column)
        for item in agenda:
            for found, reason in self.complete(j, item) if item.after_dot is None else self.predict(j, item):
                if found not in column:
                    agenda.append(found)
                if reason not in column.setdefault(found, []):
                    column[found].append(reason)

    def predict(self, j: int, item: Item) -> Iterator[tuple[Item, Reason]]:
        """Enter the name after the dot; if it has already matched nothing here, go past it too."""
        name = item.after_dot
        for production in self.cfg.productions[name] if isinstance(name, str) else ():
            yield Item(str(name), production, 0, j), Reason("predict", (j, item))
        for other in list(self.columns[j]):
            if other.name == name and other.origin == j and other.after_dot is None:
                yield item.advanced(), Reason("complete", (j, item), (j, other))

    def complete(self, j: int, finished: Item) -> Iterator[tuple[Item, Reason]]:
        """Return to every item that waited, where this one began, for its name."""
        for waiting in list(self.columns[finished.origin]):
            if waiting.after_dot == finished.name:
                yield waiting.advanced(), Reason("complete", (finished.origin, waiting), (j, finished))

    @property
    def is_alive(self) -> bool:
        """Can the bytes so far be continued to a whole match (or are they one)?"""
        return bool(self.columns[-1])

    def is_complete(self) -> bool:
        """Are the bytes so far a whole match of the start?"""
        return any(i.name == self.cfg.start and i.origin == 0 and i.after_dot is None for i in self.columns[-1])

    def expected_bytes(self) -> set[int]:
        """Every byte that may come next."""
        ranges = [item.after_dot for item in self.columns[-1] if isinstance(item.after_dot, tuple)]
        return {byte for low, high in ranges for byte in range(low, high + 1)}

    def can_follow(self, data: bytes) -> bool:
        """Would `data`, after the bytes so far, still be a beginning of a match? The chart stays as it is."""
        n_bytes = len(self.data)
        is_viable = self.is_alive and all(self.push(byte) for byte in data)
        self.pop(len(self.data) - n_bytes)
        return is_viable

    def __str__(self) -> str:
        heads = ["column 0", *(f"column {j} after {byte:02x}" for j, byte in enumerate(self.data, 1))]
        return "\n".join("\n  ".join([head, *map(str, items)]) for head, items in zip(heads, self.columns, strict=True))


def parse(grammar: Grammar, data: bytes = b"") -> Chart:
    """The chart of `grammar` after `data`; rules that never end are dropped first (see cfg.py)."""
    chart = Chart(productions_of(grammar))
    for byte in data:
        chart.push(byte)
    return chart
