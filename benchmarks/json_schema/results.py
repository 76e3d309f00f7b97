"""Results of a run in files, a line a schema, so that a run that was interrupted can go on where it was.

`build/bench/<set>/<variant>.jsonl` begins with a line that says what was measured: engine, commit, set, vocabulary. A
run that is resumed keeps the file if that line is the same, and begins anew if not.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TextIO

from benchmarks import record
from benchmarks.json_schema.measure import Result

FOLDER = record.HERE.parent / "build" / "bench"


class ResultFile:
    """One variant's results; `done` are those that were there already."""

    def __init__(self, path: Path, heading: dict[str, Any], *, resumes: bool) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.done: dict[str, Result] = {}
        old = read(path) if resumes else None
        if old is not None and old[0] == heading:
            self.done = {result["name"]: result for result in old[1]}
        elif old is not None:
            print(f"begun anew: {path.name} was measured of {old[0]}")
        self.file: TextIO = path.open("w", encoding="utf-8")
        self._write(heading)
        for result in self.done.values():
            self._write(result)

    def add(self, result: Result) -> None:
        self.done[result["name"]] = result
        self._write(result)

    def close(self) -> None:
        self.file.close()

    def _write(self, value: dict[str, Any]) -> None:
        self.file.write(json.dumps(value) + "\n")
        self.file.flush()


def read(path: Path) -> tuple[dict[str, Any], list[Result]] | None:
    """The heading and the results of a file, None if it has none; a line that was cut off is left out."""
    if not path.exists():
        return None
    values: list[dict[str, Any]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            values.append(json.loads(line))
        except ValueError:
            break
    return (values[0], values[1:]) if values else None
