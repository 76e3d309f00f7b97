"""Coverage-guided fuzzing of the package's Python: readers of files, tags, tools, answers, options, messages of pages.

atheris instruments the modules under test and drives libFuzzer from Python; it is an extra of its own (`campaign`),
and without it the part says that it is left out. Each target is a function of bytes in `campaign/entry_targets.py`;
a process runs one of them, because instrumenting is for a whole process. An error of ours is a refusal; any other is a
finding, but for those that a target's documentation promises (`TypeError` and `ValueError` of a wrong argument).
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from campaign.entry_targets import TARGETS, has_front_end, seeds
from campaign.fuzzing import NICE, read_log
from campaign.part import Done, Figures, Finding, Run

__all__ = ["EntryPoints", "finding"]

ROOT = Path(__file__).parents[1]
N_ROUNDS = 12


class EntryPoints:
    """Each unit is one target in one round."""

    title = "coverage-guided fuzzing of Python entry points"

    def prepare(self, run: Run) -> str | None:
        """Looks for atheris."""
        del run
        if importlib.util.find_spec("atheris") is None:
            return "atheris is not installed (pip install xg2lab[campaign])"
        return None

    def units(self, run: Run) -> Iterable[str]:
        """Round by round."""
        del run
        names = [name for name in TARGETS if name != "messages" or has_front_end()]
        return [f"{i}/{name}" for i in range(N_ROUNDS) for name in names]

    def do(self, run: Run, unit: str) -> Done:
        """Runs a target for its share of a round, in a process of its own."""
        number, _, name = unit.partition("/")
        n_rounds = max(1, round(N_ROUNDS * run.share))
        seconds = max(2, round(60 * run.minutes / n_rounds / len(TARGETS)))
        corpus, artifacts = run.folder / "corpus" / name, run.folder / "artifacts" / name
        for path in (corpus, artifacts):
            path.mkdir(parents=True, exist_ok=True)
        for i, data in enumerate(seeds(name)):
            (corpus / f"seed-{i}").write_bytes(data)
        before = set(artifacts.iterdir())
        seed = run.seed * 1000 + int(number) + 1
        command = [
            "nice", "-n", NICE, sys.executable, "-m", "campaign.entry_drive", name, os.fspath(corpus),
            f"-seed={seed}",
            f"-max_total_time={seconds}", "-max_len=2000", "-timeout=20", "-rss_limit_mb=3000", "-print_final_stats=1",
            f"-artifact_prefix={artifacts}/",
        ]  # fmt: skip
        log = run.folder / "log" / f"{name}.log"
        log.parent.mkdir(exist_ok=True)
        with log.open("wb") as file:
            status = subprocess.run(command, cwd=ROOT, stdout=file, stderr=subprocess.STDOUT, check=False).returncode
        text = log.read_text(encoding="utf-8", errors="replace")
        known = read_log(text)
        found = [finding(name, path, text) for path in sorted(set(artifacts.iterdir()) - before)]
        if status != 0 and not found:
            found = [Finding(f"{name}/exit", "exit", f"exit status {status}: {text[-300:]}", os.fspath(log))]
        row: Figures = {
            "target": name, "seed": seed, "seconds": seconds, "executions": known["executions"],
            "corpus": sum(1 for _ in corpus.iterdir()), "coverage": known["coverage"], "features": known["features"],
            "peak_mb": known["peak_mb"], "slowest_s": known["slowest_s"], "findings": len(found),
        }  # fmt: skip
        return Done({"executions": known["executions"], f"executions of {name}": known["executions"]}, [row], found)


def finding(name: str, artifact: Path, log: str) -> Finding:
    """An artifact as a finding, named by the exception and the line that raised it."""
    lines = [line for line in log.splitlines() if line.strip()]
    frames = [line.strip() for line in lines if line.strip().startswith("File ") and "/xg2lab/" in line]
    at = next((i for i, line in enumerate(lines) if "Uncaught Python exception" in line), None)
    said = lines[at + 1].strip() if at is not None and at + 1 < len(lines) else ""
    where = frames[-1].rpartition("/xg2lab/")[2].replace('"', "") if frames else ""
    kind = artifact.name.partition("-")[0]
    return Finding(f"{name}/{said.partition(':')[0]}/{where}", kind, f"{said[:160]} {where}", os.fspath(artifact))
