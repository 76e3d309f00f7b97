"""`python -m campaign.cases`: makes what fuzzing found into cases that the tests run.

    python -m campaign.cases            each artifact of build/campaign/fuzz, made smaller, to regressions/
    python -m campaign.cases --seeds    the committed seeds anew: few inputs that cover what the corpora do

A case is a file `TARGET/NAME`, the input's bytes. `tests/campaign/test_fuzzing.py` gives each to its target where the
targets are built, and its text to the package's own reader everywhere.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from campaign.fuzzing import BUILD, FUZZ, SANITIZER_OPTIONS, TARGETS, Target

__all__ = ["REGRESSIONS", "minimized", "seeds"]

REGRESSIONS = FUZZ / "regressions"
MOST_SEED_BYTES = 24_000  # of one target; the smallest inputs of the corpus come first
MOST_SEEDS = 120
FOLDER = FUZZ.parents[1] / "build" / "campaign" / "fuzz"
ENVIRONMENT = {**os.environ, **SANITIZER_OPTIONS}


def program(target: Target) -> str:
    """The target's program."""
    return os.fspath(BUILD / f"fuzz_{target.name}")


def minimized(target: Target, artifact: Path, seconds: int = 60) -> bytes:
    """A smaller input that fails too, found within `seconds`; the same if there is none."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "small"
        command = [
            program(target), "-minimize_crash=1", f"-max_total_time={seconds}", f"-exact_artifact_path={made}",
            f"-timeout={target.timeout_s}", os.fspath(artifact),
        ]  # fmt: skip
        subprocess.run(command, env=ENVIRONMENT, capture_output=True, check=False)
        return made.read_bytes() if made.exists() else artifact.read_bytes()


def seeds(target: Target, corpus: Path, most_bytes: int = MOST_SEED_BYTES) -> int:
    """Writes the target's seeds: the inputs of a corpus that add coverage, small ones first, within the limits."""
    folder = FUZZ / "seeds" / target.name
    with tempfile.TemporaryDirectory() as merged:
        command = [
            program(target),
            "-merge=1",
            f"-max_len={target.max_len}",
            merged,
            os.fspath(corpus),
            os.fspath(folder),
        ]
        subprocess.run(command, env=ENVIRONMENT, capture_output=True, check=False)
        inputs = sorted((path.read_bytes() for path in Path(merged).iterdir()), key=lambda data: (len(data), data))
    kept, total = list[bytes](), 0
    for data in inputs:
        total += len(data)
        if total > most_bytes or len(kept) == MOST_SEEDS:
            break
        kept.append(data)
    if not kept:
        return 0
    written = {path for path in folder.iterdir() if path.name.startswith("found-")}
    for path in written:
        path.unlink()
    for data in kept:
        (folder / f"found-{hashlib.sha256(data).hexdigest()[:12]}").write_bytes(data)
    return len(kept)


def main(words: list[str]) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m campaign.cases", description=__doc__)
    parser.add_argument("--seeds", action="store_true", help="renew the seeds from the kept corpora")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the corpora and artifacts are")
    chosen = parser.parse_args(words)
    for target in TARGETS:
        if chosen.seeds:
            corpus = chosen.folder / "corpus" / target.name
            print(f"{target.name}: {seeds(target, corpus) if corpus.is_dir() else 0} seeds")
            continue
        artifacts = chosen.folder / "artifacts" / target.name
        for artifact in sorted(artifacts.iterdir()) if artifacts.is_dir() else []:
            data = minimized(target, artifact)
            case = (
                REGRESSIONS / target.name / f"{artifact.name.partition('-')[0]}-{hashlib.sha256(data).hexdigest()[:12]}"
            )
            case.parent.mkdir(parents=True, exist_ok=True)
            case.write_bytes(data)
            shutil.move(artifact, artifact.with_name(f".{artifact.name}"))  # not again
            print(f"{target.name}: {case.name}, {len(data)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
