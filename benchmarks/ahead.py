"""Who is ahead: where a table has rows of ours and of peers, each of our figures beside that of the better peer.

>>> rows = [{"engine": "xg2lab", "n": 1, "mask_us": 2.0}, {"engine": "peer", "n": 1, "mask_us": 8.0}]
>>> [(line.figure, line.ratio, line.verdict) for line in compare("example", rows, ("n",))]
[('mask_us', 0.25, 'ahead')]

Figures are the columns whose name has a unit of time or memory, a count of mistakes, or a share of what came out right;
of the last, more is better. Ratios are turned so that below 1 is ahead for all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.record import Figures

LESS = re.compile(
    r"^(?!n_)(.*_)?(us|ms|ns|s|bytes)(_|$)"
    r"|^n_(invalid_accepted|valid_rejected|refused|raised|crashed|over_|wrong|stricter)"
)
MORE = re.compile(r"^(right_percent|n_right)$")
EVEN = 0.05  # nearer than this is a draw: machines are noisy


@dataclass(frozen=True)
class Line:
    """One figure of ours beside the better peer's."""

    benchmark: str
    where: str
    engine: str
    figure: str
    ours: float
    peer: str
    theirs: float
    ratio: float

    @property
    def verdict(self) -> str:
        if abs(self.ratio - 1) <= EVEN:
            return "even"
        return "ahead" if self.ratio < 1 else "BEHIND"


def compare(benchmark: str, rows: Sequence[Figures], same: Sequence[str] = ()) -> list[Line]:
    """A line for each figure that a row of ours shares with a peer's; only rows that agree in `same` are compared."""
    lines: list[Line] = []
    for row in rows:
        if not is_ours(row):
            continue
        key = [row.get(column) for column in same]
        peers = [r for r in rows if "engine" in r and not is_ours(r) and [r.get(column) for column in same] == key]
        where = ", ".join(f"{column}={row.get(column)}" for column in same)
        for figure in row:
            line = _line(benchmark, where, row, figure, peers)
            if line is not None:
                lines.append(line)
    return lines


def is_ours(row: Figures) -> bool:
    return str(row.get("engine", "")).startswith("xg2lab")


def _line(benchmark: str, where: str, row: Figures, figure: str, peers: Iterable[Figures]) -> Line | None:
    is_more = bool(MORE.search(figure))
    if not (is_more or LESS.search(figure)):
        return None
    values = [(float(peer[figure]), str(peer["engine"])) for peer in peers if _is_number(peer.get(figure))]
    if not values or not _is_number(row[figure]):
        return None
    theirs, peer = max(values) if is_more else min(values)
    ours = float(row[figure])
    numerator, denominator = (theirs, ours) if is_more else (ours, theirs)
    ratio = 1.0 if numerator == denominator else numerator / denominator if denominator else float("inf")
    return Line(benchmark, where, str(row["engine"]), figure, ours, peer, theirs, ratio)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def show(lines: Sequence[Line]) -> None:
    """Prints a line a figure: the better peer's, then each of ours with its ratio; and how many are ahead."""
    for benchmark in dict.fromkeys(line.benchmark for line in lines):
        _show_one(benchmark, [line for line in lines if line.benchmark == benchmark])
    count = {verdict: sum(line.verdict == verdict for line in lines) for verdict in ("ahead", "even", "BEHIND")}
    if lines:
        print("\nin all: " + ", ".join(f"{n} {verdict.lower()}" for verdict, n in count.items()))


def _show_one(benchmark: str, lines: Sequence[Line]) -> None:
    ours = list(dict.fromkeys(line.engine for line in lines))
    table = [["where", "figure", "better peer", "", *(part for engine in ours for part in (engine, ""))]]
    for where, figure in dict.fromkeys((line.where, line.figure) for line in lines):
        found = {line.engine: line for line in lines if (line.where, line.figure) == (where, figure)}
        any_line = next(iter(found.values()))
        row = [where, figure, any_line.peer, f"{any_line.theirs:.4g}"]
        for engine in ours:
            line = found.get(engine)
            row += [f"{line.ours:.4g}", f"{line.ratio:.2g}x {line.verdict}"] if line else ["", ""]
        table.append(row)
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    print(f"\n{benchmark}: who is ahead (ours over the better peer's; below 1x we are)")
    for row in table:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
