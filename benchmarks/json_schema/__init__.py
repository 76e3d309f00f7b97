"""Real JSON Schemas (MaskBench): right verdicts, time to first mask, time of each mask, beside the peers.

    python -m benchmarks json_schema                    a sample spread over the set; XG2LAB_FULL=1: all of it
    python -m benchmarks.json_schema --whole --resume   the same with options; goes on where it was interrupted

What a time counts is said in `measure.py`, what each row's engine means in `variants.py`. Each engine has a process of
its own and a limit for each schema, and they take turns, schema by schema (`workers.py`). Results are kept in
build/bench, a line a schema (`results.py`).
"""

from __future__ import annotations

import importlib.metadata
import os
import sys
import time

from benchmarks import record
from benchmarks.json_schema import summary, variants
from benchmarks.json_schema.cases import SEED, Case, maskbench
from benchmarks.json_schema.results import FOLDER, ResultFile
from benchmarks.json_schema.variants import Variant
from benchmarks.json_schema.workers import Worker
from benchmarks.texts import Vocabulary, vocabulary

N_SCHEMAS = 300  # of the sample
LIMIT_S = 30.0  # as MaskBench's own
SAME = ("on",)  # columns in which rows must agree to be compared (benchmarks/ahead.py)


def run(
    n_schemas: int | None = None, names: list[str] | None = None, limit_s: float = LIMIT_S, *, resumes: bool = False
) -> list[record.Figures]:
    if n_schemas is None:
        n_schemas = 0 if os.environ.get("XG2LAB_FULL") else N_SCHEMAS
    words = vocabulary()
    cases = maskbench(n_schemas)
    chosen = variants.chosen(names or [])
    name = f"maskbench-{n_schemas or 'whole'}"
    files = {
        variant.name: ResultFile(
            FOLDER / name / f"{variant.name.replace(' ', '_')}.jsonl", heading(variant, words, name), resumes=resumes
        )
        for variant in chosen
    }
    measure_all(cases, [(Worker(variant, words, limit_s), files[variant.name]) for variant in chosen], words)
    for engine, file in files.items():
        print(
            f"{engine}: " + ("; ".join(f"{why}: {n}" for why, n in summary.reasons(file.done.values())) or "all read")
        )
    return rows(words, name, files)


def heading(variant: Variant, words: Vocabulary, name: str) -> dict[str, str]:
    """What a result file holds: results of another engine or set are never mixed with it."""
    version = importlib.metadata.version(variant.make.package)
    commit = record.commit() if variant.make.package == "xg2lab" else ""
    return {"engine": variant.name, "version": version, "commit": commit, "set": name, "vocabulary": words.name}


def measure_all(cases: list[Case], of: list[tuple[Worker, ResultFile]], words: Vocabulary) -> None:
    """Every case by every worker that has not done it yet, in turn."""
    begin = time.monotonic()
    try:
        for i, case in enumerate(cases):
            missing = [(worker, file) for worker, file in of if case.name not in file.done]
            if not missing:
                continue
            tokens = [words.encoding.encode_ordinary(text) for text in case.texts]
            for worker, file in missing:
                file.add(worker.ask(case, tokens))
            if i % 100 == 99:
                print(f"{i + 1} of {len(cases)} schemas, {time.monotonic() - begin:.0f} s", file=sys.stderr)
    finally:
        for worker, file in of:
            worker.end()
            file.close()


def rows(words: Vocabulary, name: str, files: dict[str, ResultFile]) -> list[record.Figures]:
    """Two rows an engine: over the schemas that it compiled, and over those that all did."""
    names = summary.common(file.done.values() for file in files.values())
    found: list[record.Figures] = []
    for on, chosen in (("own", None), ("common", names)):
        for engine, file in files.items():
            results = file.done.values()
            labels = {"engine": engine, "set": name, "seed": SEED, "vocabulary": words.name, "on": on}
            counts = summary.verdicts(results) if on == "own" and engine != "xg2lab strict" else {}
            found.append({**labels, **counts, **summary.times(results, chosen)})
    return found
