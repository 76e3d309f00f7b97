"""How figures grow: the slope of log figure over log size, of benchmarks that say over which column theirs may grow.

>>> rows = [{"engine": "a", "n": n, "mask_us": 3.0, "read_ms": n * 0.5} for n in (10, 100, 1000)]
>>> [(line.figure, round(line.slope, 2)) for line in slopes("example", rows, "n")]
[('mask_us', 0.0), ('read_ms', 1.0)]

0 is flat, 1 is linear, 2 is quadratic; least squares over all sizes that an engine was asked for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.ahead import LESS
from benchmarks.record import Figures

FLAT = 0.15


@dataclass(frozen=True)
class Slope:
    """One engine's figure over its sizes."""

    benchmark: str
    engine: str
    where: str
    figure: str
    slope: float
    n_sizes: int


def slopes(benchmark: str, rows: Sequence[Figures], grows: str, same: Sequence[str] = ()) -> list[Slope]:
    """A slope for each engine and figure with three sizes or more; `same` columns but the growing one divide them."""
    columns = [column for column in same if column not in {grows, "vocabulary"}]
    series: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    for row in rows:
        where = ", ".join(f"{column}={row.get(column)}" for column in columns)
        for figure, value in row.items():
            if LESS.search(figure) and isinstance(value, (int, float)) and value > 0:
                size = row.get(grows)
                if isinstance(size, (int, float)) and size > 0:
                    series.setdefault((str(row.get("engine", "")), where, figure), []).append((size, value))
    return [
        Slope(benchmark, engine, where, figure, slope(points), len(points))
        for (engine, where, figure), points in series.items()
        if len({size for size, _ in points}) >= 3
    ]


def slope(points: Sequence[tuple[float, float]]) -> float:
    logs = [(math.log(size), math.log(value)) for size, value in points]
    mean_x, mean_y = (sum(log[i] for log in logs) / len(logs) for i in (0, 1))
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)


def show(found: Sequence[Slope]) -> None:
    """Prints a line a figure, a column an engine."""
    engines = list(dict.fromkeys(line.engine for line in found))
    lines = [["benchmark", "where", "figure", *engines]]
    for key in dict.fromkeys((line.benchmark, line.where, line.figure) for line in found):
        of = {line.engine: line for line in found if (line.benchmark, line.where, line.figure) == key}
        cells = [f"{of[e].slope:+.2f}{' flat' if of[e].slope < FLAT else ''}" if e in of else "" for e in engines]
        lines.append([*key, *cells])
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    print("\nhow figures grow (slope of logarithms: 0 is flat, 1 linear)")
    for line in lines:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
