"""Results, printed as a table and appended to `benchmarks/record/<name>.csv` with when, where and what was run.

A row names the machine, the commit, the vocabulary, the grammar, how often it ran, and the figures; a figure that
is not in such a row is written nowhere.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from xg2lab.support.files import write_file

HERE = Path(__file__).parent
Figures = Mapping[str, float | int | str]


def commit() -> str:
    """The short hash of the checkout, with `+` when it holds uncommitted changes (but those to the record itself)."""
    try:
        name = _git("rev-parse", "--short", "HEAD")
        changes = _git(
            "status",
            "--porcelain",
            "--",
            ":/",
            *(f":(top,exclude){name}/record" for name in ("benchmarks", "campaign")),
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return name + ("+" if changes else "")


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=HERE, capture_output=True, text=True, check=True).stdout.strip()


def machine() -> str:
    """Processor model and number of cores."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    return f"{model}, {os.cpu_count()} cores"


def quantile(values: Sequence[float], q: float) -> float:
    """The value below which a share `q` of the sorted values lies; q=1 is the largest."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(q * len(ordered)))]


def append(name: str, rows: Sequence[Figures], folder: Path = HERE / "record") -> Path:
    """Appends rows to `<folder>/<name>.csv`; new columns make a new header, older rows keep empty cells."""
    path = folder / f"{name}.csv"
    path.parent.mkdir(exist_ok=True)
    stamp = {
        "date": dt.datetime.now(dt.UTC).strftime("%Y-%m-%d %H:%M"),
        "commit": commit(),
        "machine": machine(),
        "load": round(
            os.getloadavg()[0], 2
        ),  # the benchmark itself is 1; a busy machine's figures are not to be quoted
    }
    old: list[dict[str, str]] = []
    if path.exists():
        with path.open(newline="") as file:
            old = list(csv.DictReader(file))
    new = [{**stamp, **{key: _cell(value) for key, value in row.items()}} for row in rows]
    columns = list(dict.fromkeys(key for row in [*old, *new] for key in row))
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows([*old, *new])
    return write_file(path, text.getvalue())


WIDEST = 16  # columns; a table with more is printed on its side, a row of the record a column


def show(title: str, rows: Sequence[Figures]) -> None:
    """Prints rows as a table of aligned columns."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    lines = [columns, *([_cell(row.get(column, "")) for column in columns] for row in rows)]
    if len(columns) > max(WIDEST, len(rows)):
        lines = [list(line) for line in zip(*lines, strict=True)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    print(f"\n{title}")
    for line in lines:
        print("  " + "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)))


def _cell(value: float | str) -> str:
    """Three digits, and no exponent: the integer part of a large number is written out."""
    if not isinstance(value, float):
        return str(value)
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
