"""An hour of 64 threads on shared grammars, with faults thrown in: masks stay right, memory flat, nobody stuck.

Each unit is a minute of one process (`campaign/soak_process.py`), which lives from the first unit to the last: a leak
of a kilobyte a second is seen after some minutes only. A run that goes on after a kill has a process of its own.

>>> growth([(20_000 * minute, 100.0 + (minute == 7)) for minute in range(12)])
0.0
>>> growth([(50_000 * minute, 100.0 + 3 * minute) for minute in range(12)])
6.0
"""

from __future__ import annotations

import json
import os
import select
import statistics
import subprocess
import sys
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path
from typing import Any

from campaign.part import Done, Figures, Finding, Run
from campaign.soak_process import STUCK_S

__all__ = ["Process", "Soak", "findings_of", "growth", "row_of"]

Sample = tuple[int, float]  # operations since the beginning, MiB

ROOT = Path(__file__).parents[1]
MIB = 1 << 20
N_THREADS = 64
N_MINUTES = 60
# A busy machine does less in a minute, so growth is by operations, whose number is counted from
# the beginning.
N_WARM_UP = 50_000  # operations until caches are as full as they get
N_APART = 20_000  # operations between two samples that are compared: closer ones differ by chance
FEWEST_PAIRS = 10
N_PER = 100_000
# MiB for so many operations. Of resident memory, malloc keeps what it can't give back whole: that
# ends, but late.
MOST_GROWTH = {"in use": 0.5, "resident": 3.0}


class Process:
    """The soak's process, and its answers.

    Parameters
    ----------
    n_threads : int
    seed : int
    log : Path
        Where it says what goes wrong.
    """

    def __init__(self, n_threads: int, seed: int, log: Path) -> None:
        self.log = log
        nice = ["nice", "-n", os.environ.get("XG2LAB_CAMPAIGN_NICE", "10")]
        words = [*nice, sys.executable, "-m", "campaign.soak_process", str(n_threads), str(seed)]
        with log.open("ab") as stderr:
            self.process = subprocess.Popen(
                words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr
            )
        self.is_ready = self._read(STUCK_S)

    def ask(self, **command: float) -> dict[str, Any] | None:
        """Its answer to a command; None if it died, or is stuck beyond its own watch."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(command).encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            return None
        return self._read(command.get("seconds", 0) + 3 * STUCK_S)

    def _read(self, seconds: float) -> dict[str, Any] | None:
        stdout = self.process.stdout
        assert stdout is not None
        # One answer at a time, and each is one line: nothing waits in Python's buffer when the
        # kernel is asked.
        if not select.select([stdout], [], [], seconds)[0]:
            self.process.kill()
            return None
        line = stdout.readline()
        return json.loads(line) if line else None

    def end(self) -> str:
        """Ends it; what it said last."""
        self.process.kill()
        status = self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()
        said = self.log.read_text(encoding="utf-8", errors="replace")
        return f"exit status {status}: {said[-1500:]}"


class Soak:
    """Each unit is a minute."""

    title = "64 threads with faults thrown in: right masks, flat memory, no waiting for ever"

    def __init__(self) -> None:
        self.process: Process | None = None
        self.n_operations = 0
        self.samples: dict[str, list[Sample]] = {}

    def prepare(self, run: Run) -> str | None:
        del run
        return None if sys.platform == "linux" else "it reads /proc, and forks"

    def units(self, run: Run) -> Iterable[str]:
        return [f"{run.seed}/{i}" for i in range(N_MINUTES)]

    def do(self, run: Run, unit: str) -> Done:
        """One minute; a process that died is a finding, and the next unit has another."""
        del unit
        if self.process is None:
            self.n_operations, self.samples = 0, {what: [] for what in MOST_GROWTH}
            run.folder.mkdir(parents=True, exist_ok=True)
            self.process = Process(N_THREADS, run.seed, run.folder / "soak.log")
        answer = self.process.ask(seconds=60)
        if answer is None or "is_stuck" in answer:
            said = self.process.end()
            self.process = None
            kind = "died" if answer is None else "stuck"
            return Done(findings=[Finding(f"soak/{kind}", kind, said, os.fspath(run.folder / "soak.log"))])
        self.n_operations += answer["counts"].get("operations", 0)
        # What the engine says that it keeps is bounded, and now more, now less: what is left must
        # be flat.
        counted = answer["grammar_bytes"] + answer["cache_bytes"] + answer["pool_bytes"]
        self.samples["in use"].append((self.n_operations, (answer["end_used"] - counted) / MIB))
        self.samples["resident"].append((self.n_operations, answer["end_bytes"] / MIB))
        row = row_of(answer)
        found = findings_of(answer)
        for what, most in MOST_GROWTH.items():
            if (slope := growth(self.samples[what])) is None:
                continue
            row[f"{what} MiB for {N_PER}"] = round(slope, 4)
            if slope > most:
                said = f"{slope:.3f} MiB for {N_PER} operations: {self.samples[what]}"
                found.append(Finding(f"soak/grows/{what}", "grows", said))
        return Done(answer["counts"], [row], found)


def growth(samples: list[Sample]) -> float | None:
    """MiB for N_PER operations, after those of the warm-up: the median of the slopes between pairs. None: too few.

    Parameters
    ----------
    samples : list of (int, float)
        Operations since the beginning, and MiB.
    """
    warm = [sample for sample in samples if sample[0] >= N_WARM_UP]
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) * N_PER for a, b in combinations(warm, 2) if b[0] - a[0] >= N_APART]
    return statistics.median(slopes) if len(slopes) >= FEWEST_PAIRS else None


def findings_of(answer: dict[str, Any]) -> list[Finding]:
    """What the process found; errors are told apart by the last line of their traceback."""
    found: list[Finding] = []
    for one in answer["findings"]:
        last = one["detail"].strip().splitlines()[-1] if one["detail"].strip() else ""
        found.append(Finding(f"soak/{one['kind']}/{last[:80]}", one["kind"], one["detail"]))
    return found


def row_of(answer: dict[str, Any]) -> dict[str, float | int | str]:
    """A row of the record: operations, faults by kind, memory."""
    counts: dict[str, int] = answer["counts"]
    faults = ("limits of memory", "limits of time", "refusals", "interrupts", "children killed")
    row: Figures = {
        "threads": answer["threads"], "round": answer["round"], "operations": counts.get("operations", 0),
        "fills": counts.get("fills", 0), "compilations": counts.get("compilations", 0),
        **{name: counts.get(name, 0) for name in faults}, "children": counts.get("children", 0),
        "evictions": answer["evictions"],
        "resident at start": round(answer["begin_bytes"] / MIB, 2), "at end": round(answer["end_bytes"] / MIB, 2),
        "at most": round(answer["most_bytes"] / MIB, 2), "in use at end": round(answer["end_used"] / MIB, 3),
        "grammars": round(answer["grammar_bytes"] / MIB, 3), "caches": round(answer["cache_bytes"] / MIB, 3),
        "pools": round(answer["pool_bytes"] / MIB, 3), **{f"{what} MiB for {N_PER}": "" for what in MOST_GROWTH},
        "findings": len(answer["findings"]),
    }  # fmt: skip
    return dict(row)
