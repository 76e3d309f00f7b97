"""Runs parts: the units that are left, until the time is over; state after each; at the end the record.

What a part found is in `build/campaign/NAME/findings.json`, and printed. What is committed are the record's tables, so
that anyone sees when a part last ran, on which commit, how much it did and what it found.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from benchmarks import record
from campaign.part import Figures, Part, Run
from campaign.state import State

__all__ = ["RECORD", "chosen_units", "run_part"]

RECORD = Path(__file__).parent / "record"


def chosen_units(part: Part, run: Run) -> list[str]:
    """The units of a run: all, or a share of them, drawn by the seed and in the part's own order.

    Never none: a share too small for one unit is one unit.
    """
    units = list(part.units(run))
    if run.share >= 1 or not units:
        return units
    n = max(1, round(run.share * len(units)))
    picked = random.Random(f"{run.name}/{run.seed}").sample(range(len(units)), n)
    return [units[i] for i in sorted(picked)]


def run_part(
    part: Part,
    run: Run,
    *,
    fresh: bool = False,
    say: Callable[[str], None] = print,
    clock: Callable[[], float] = time.monotonic,
    commit: str | None = None,
) -> State:
    """Does what is left of a part's units.

    Parameters
    ----------
    part : Part
    run : Run
    fresh : bool
        Begin anew even where an earlier run was cut short.
    say : callable
        Takes lines for people.
    clock : callable
        Seconds.
    commit : str, optional
        What the state belongs to; the checkout's if not given. On another commit a run begins anew.

    Returns
    -------
    State
        `position` is the number of units if all are done.
    """
    path = run.folder / "state.json"
    identity: dict[str, str | int | float] = {
        "part": run.name, "seed": run.seed, "share": run.share, "commit": commit or record.commit(),
    }  # fmt: skip
    state = State(identity) if fresh else State.load(path, identity)
    if (why := part.prepare(run)) is not None:
        say(f"{run.name}: left out: {why}")
        return state
    units = chosen_units(part, run)
    if state.position >= len(units):  # the last run came to its end
        state = State(identity)
    if state.position:
        say(f"{run.name}: goes on at unit {state.position + 1} of {len(units)}, seed {run.seed}")
    else:
        say(f"{run.name}: {part.title}: {len(units)} units, seed {run.seed}")
    begin = clock()
    for unit in units[state.position :]:
        unit_begin = clock()
        if (unit_begin - begin) > 60 * run.minutes:
            say(f"{run.name}: time is over at unit {state.position + 1} of {len(units)}; the next run goes on there")
            break
        known = len(state.findings)
        state.add(part.do(run, unit))
        state.seconds += clock() - unit_begin
        state.save(path)
        for finding in state.findings[known:]:
            say(f"{run.name}: {finding.kind}: {finding.name}: {finding.detail[:160]}")
    (run.folder / "findings.json").write_text(
        json.dumps([asdict(finding) for finding in state.findings], indent=1) + "\n", encoding="utf-8"
    )
    return state


def write_record(run: Run, state: State, n_units: int) -> None:
    """Appends the run to the record's table of runs, and the part's own rows to the part's table.

    A count named `pairs[NAME]` is a cell of the part's table: column `pairs`, in the row in which `of` is NAME.
    """
    row: dict[str, float | int | str] = {
        "part": run.name, "seed": run.seed, "share": run.share, "units": state.position, "of": n_units,
        "minutes": state.seconds / 60, "findings": len(state.findings),
        "counts": " ".join(f"{name}={n}" for name, n in sorted(state.counts.items()) if not name.endswith("]")),
    }  # fmt: skip
    record.append("runs", [row], RECORD)
    rows: list[Figures] = [*_counts_of(state), *state.rows]
    if rows:
        record.append(run.name, rows, RECORD)


def _counts_of(state: State) -> list[Figures]:
    """A row for each name in brackets, in alphabetical order."""
    rows: dict[str, dict[str, float | int | str]] = {}
    for count, n in sorted(state.counts.items()):
        what, _, name = count.removesuffix("]").partition("[")
        if count.endswith("]"):
            rows.setdefault(name, {"of": name})[what] = n
    return [rows[name] for name in sorted(rows)]
