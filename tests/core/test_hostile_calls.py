"""Whatever is passed, no call ends the process, and what it raises is typed and speaks of Python.

tests/hostile.py makes the calls, in a child with a bound on its memory. With XG2LAB_FULL=1 each argument of each
callable is every hostile value once; else each twelfth of these, and a few at random. XG2LAB_SEED repeats a run.
"""

import json
import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.generators import seeded

ROOT = Path(__file__).parent.parent.parent
FULL = os.environ.get("XG2LAB_FULL", "") not in ("", "0")
#: Beyond this many ends of the process the test gives up.
MOST_ENDS = 5
#: Without progress for so long a call hangs: far more than any takes on a slow machine.
HANGS_AFTER = 600


def run_child(at: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "ignore", "-m", "tests.hostile", str(at), *options]
    # what stands there already may be an instrumented engine
    path = os.pathsep.join([*os.environ.get("PYTHONPATH", "").split(os.pathsep), str(ROOT)]).strip(os.pathsep)
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(
        command, capture_output=True, text=True, cwd=at.parent, env=environment, check=False, timeout=HANGS_AFTER
    )


def findings(folder: Path, part: str) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """What is wrong with the calls of a part, and how many there were."""
    at = folder / "at"
    at.write_bytes(bytes(8))
    options = ["--part", part, "--seed", str(seeded(part).random())]
    options += ["--every", "1", "--random", "40"] if FULL else ["--every", "12", "--random", "2"]
    found: list[dict[str, Any]] = []
    begin = 0
    for _ in range(MOST_ENDS):
        ran = run_child(at, *options, "--begin", str(begin))
        lines = [json.loads(line) for line in ran.stdout.splitlines()]
        found += [line for line in lines if "call" in line]
        if ran.returncode == 0:
            return found, lines[-1]
        (ended,) = struct.unpack("<q", at.read_bytes())
        told = run_child(at, *options, "--begin", str(ended), "--end", str(ended + 1), "--describe").stdout
        found.append({"call": told.strip(), "ended": ran.returncode, "stderr": ran.stderr[-500:]})
        begin = ended + 1
    return found, {}


@pytest.mark.parametrize("part", ["engine", "package", pytest.param("lab", marks=pytest.mark.slow)])
def test_every_callable_survives_hostile_arguments(part: str, tmp_path: Path):
    found, counts = findings(tmp_path, part)
    assert not found, "\n".join(json.dumps(line) for line in found[:20])
    least = {"engine": 250, "package": 150, "lab": 60}[part]
    assert counts["n_targets"] > least
    assert counts["n_calls"] > 8 * least


def test_a_crash_would_be_found(tmp_path: Path):
    """The child is killed by its own call: the parent says which one it was."""
    at = tmp_path / "at"
    at.write_bytes(bytes(8))
    ran = run_child(at, "--part", "engine", "--seed", "1", "--end", "9", "--crash-at", "5")
    assert ran.returncode < 0
    assert struct.unpack("<q", at.read_bytes()) == (5,)
