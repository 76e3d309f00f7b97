"""MaskBench's JSON Schemas with their instances: the whole set, or a sample spread over it; seeds are fixed.

The set is in the data folder (`$XG2LAB_DATA`/maskbench). A sample takes every n-th schema of the set in its own order,
which goes by collection, so each collection has its share; a seeded shuffle then says in which order they come, which
matters where engines remember from one schema to the next.
"""

from __future__ import annotations

import json
import lzma
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from benchmarks.texts import DATA

SEED = 1
Row = TypeVar("Row")


@dataclass(frozen=True)
class Case:
    """A schema, and of each of its instances the text and whether it is valid."""

    name: str
    schema: Any
    texts: tuple[str, ...]
    valid: tuple[bool, ...]


def maskbench(n_schemas: int = 0) -> list[Case]:
    """All schemas of the development set, or about `n_schemas` spread over it, in a seeded order."""
    path = DATA / "maskbench" / "dev.jsonl.xz"
    if not path.exists():
        raise SystemExit(f"json_schema needs {path}; set XG2LAB_DATA to the data folder")
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    chosen = spread(rows, n_schemas)
    random.Random(SEED).shuffle(chosen)
    return [case(row["id"], row["schema"], row["tests"]) for row in chosen]


def spread(rows: Sequence[Row], n_rows: int) -> list[Row]:
    """`n_rows` of the rows, in equal steps, each from the middle of its step; all where `n_rows` is 0.

    >>> [row["id"] for row in spread([{"id": i} for i in range(10)], 3)]
    [1, 5, 8]
    """
    if not 0 < n_rows < len(rows):
        return list(rows)
    step = len(rows) / n_rows
    return [rows[int((i + 0.5) * step)] for i in range(n_rows)]


def case(name: str, schema: Any, tests: Sequence[dict[str, Any]]) -> Case:
    """A case whose instances are written as Python's serializer writes them."""
    texts = tuple(json.dumps(test["data"], ensure_ascii=False) for test in tests)
    return Case(name, schema, texts, tuple(bool(test["valid"]) for test in tests))
