"""Each figure of ours that has a target, beside the better peer's, with their ratio and whether it is met.

A peer counts with its best way through a task: each figure has a peer of its own. A target whose figures a run of
outlines lacks is "not measured"; where it lacks instances, `written_out_ratio` shows where the written-out grammar
stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks import ahead, scaling
from benchmarks.record import Figures

Row = dict[str, float | int | str]
NOT_MEASURED = "not measured"
MAX_SLOPE, MAX_OFFLINE, MAX_LIVE = 1.1, 2.0, 0.1


@dataclass(frozen=True)
class Target:
    """A figure of instances over the better peer's, and what it may be for outlines and for the JSON tasks."""

    name: str
    figure: str
    outlines: float
    json: float


OF_INSTANCES = (
    Target("arguments to first mask", "first_cpu_ms_p50", 0.05, 0.1),
    Target("masks, p50", "mask_us_p50", 0.5, 0.5),
    Target("masks, mean", "mask_cpu_us_mean", 0.03, 0.5),
    Target("masks, p99", "mask_cpu_us_p99", 0.03, 0.7),
    Target("accept, p50", "accept_us_p50", 0.5, 0.5),
)
OF_TEXT = Target("text to first mask", "first_cpu_ms_p50", 0.5, 0.5)
TEXT_SIZES = (60, 240)


def table(rows: Sequence[Figures]) -> list[Figures]:
    """All targets that the rows of a run say something about."""
    rows = [row for row in rows if row["way"] != "older peer"]
    found: list[Figures] = []
    for task, n in dict.fromkeys((str(row["task"]), int(row["n"])) for row in rows):
        of_task = [row for row in rows if row["task"] == task and row["n"] == n]
        found += over_peers(task, n, of_task)
    return [*found, *growth(rows), *over_ourselves(rows)]


def over_peers(task: str, n: int, rows: Sequence[Figures]) -> Iterator[Figures]:
    """The targets of one task that are ratios to the better peer."""
    is_outline = task.startswith("outlines")
    written_out = our_way(rows, "written out") or our_way(rows, "schema")
    for target in OF_INSTANCES:
        at_most = target.outlines if is_outline else target.json
        peers = [row for row in rows if not ahead.is_ours(row)]
        yield row_of(target, task, n, at_most, our_way(rows, "template"), written_out, peers)
    shapes = [str(row["way"]) for row in rows if ahead.is_ours(row) and row["way"] in {"rules", "one rule"}]
    for shape in shapes if is_outline and n in TEXT_SIZES else []:
        peers = [row for row in rows if not ahead.is_ours(row) and row["way"] == shape]
        yield row_of(OF_TEXT, f"{task}, {shape}", n, OF_TEXT.outlines, our_way(rows, shape), None, peers)


def our_way(rows: Sequence[Figures], way: str) -> Figures | None:
    """Our row of one way."""
    return next((row for row in rows if ahead.is_ours(row) and row["way"] == way), None)


def row_of(
    target: Target,
    task: str,
    n: int,
    at_most: float,
    ours: Figures | None,
    written_out: Figures | None,
    peers: Sequence[Figures],
) -> Figures:
    """The row of one target."""
    best = min(peers, key=lambda row: float(row[target.figure]), default=None)
    row: Row = {"target": target.name, "task": task, "n": n, "figure": target.figure}
    if best is not None:
        theirs = float(best[target.figure])
        row |= {"peer": best["engine"], "theirs": theirs}
        if ours is not None:
            row |= {"ours": ours[target.figure], "ratio": float(ours[target.figure]) / theirs}
        if written_out is not None:
            row["written_out_ratio"] = float(written_out[target.figure]) / theirs
    return judged(row, at_most)


def judged(row: Row, at_most: float) -> Figures:
    """The row with its bound and its verdict."""
    ratio = row.get("ratio")
    verdict = NOT_MEASURED if ratio is None else "yes" if float(ratio) <= at_most else "no"
    return {**row, "at_most": at_most, "is_met": verdict}


def growth(rows: Sequence[Figures]) -> Iterator[Figures]:
    """The slope of arguments to first mask over the number of sections, of each form of outlines."""
    lines = scaling.slopes("templates", [row for row in rows if ahead.is_ours(row)], "n", ("task", "n"))
    found = {
        (line.where.removeprefix("task="), line.engine.partition(", ")[2]): line.slope
        for line in lines
        if line.figure == "first_cpu_ms_p50"
    }
    for task in outlines_of(rows):
        row: Row = {"target": "growth from 10 to 240 sections", "task": task, "figure": "slope"}
        if (task, "template") in found:
            row["ratio"] = found[task, "template"]
        if (task, "written out") in found:
            row["written_out_ratio"] = found[task, "written out"]
        yield judged(row, MAX_SLOPE)


def outlines_of(rows: Sequence[Figures]) -> list[str]:
    """The forms of outlines that a run has."""
    return list(dict.fromkeys(task for row in rows if (task := str(row["task"])).startswith("outlines")))


def over_ourselves(rows: Sequence[Figures]) -> Iterator[Figures]:
    """Offline time over the compilation of one element, and live instances over live written-out grammars."""
    for task in outlines_of(rows):
        of_task = [row for row in rows if row["task"] == task and "element_cpu_ms_p50" in row]
        name = "offline over one element"
        for row in of_task:
            yield own_ratio(name, row, "offline_cpu_ms_p50", row, "element_cpu_ms_p50", MAX_OFFLINE)
        if not of_task:
            yield judged({"target": name, "task": task, "figure": "offline_cpu_ms_p50"}, MAX_OFFLINE)
    weighed = [row for row in rows if row["way"] == "written out" and "live_bytes" in row]
    for row in weighed:
        same = [other for other in rows if (other["task"], other["n"]) == (row["task"], row["n"])]
        yield own_ratio("live requests", our_way(same, "template"), "live_bytes", row, "live_bytes", MAX_LIVE)
    if outlines_of(rows) and not weighed:
        yield judged({"target": "live requests", "task": "outlines", "figure": "live_bytes"}, MAX_LIVE)


def own_ratio(name: str, ours: Figures | None, figure: str, base: Figures, base_figure: str, at_most: float) -> Figures:
    """The row of a target that compares two figures of ours."""
    row: Row = {"target": name, "task": base["task"], "n": base["n"], "figure": figure}
    row |= {"peer": base_figure, "theirs": base[base_figure]}
    if ours is not None and figure in ours:
        row |= {"ours": ours[figure], "ratio": float(ours[figure]) / float(base[base_figure])}
    return judged(row, at_most)
