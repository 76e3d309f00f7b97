"""JSON Schemas of one shape and growing size: long strings, large enums, many optional properties, deep nesting.

    python -m benchmarks shapes

    max_length     a string of at most n characters, of which up to 20,000 are written
    enum           n strings of which three are written
    optional       n properties, none of them required: all written, and every third
    value_depth    lists of lists by a recursive schema, n deep
    schema_depth   objects in objects, each with a schema of its own, n deep

`xg2lab` reads a schema as the standard does, `xg2lab strict` in declared order (`json_schema/variants.py`). Each engine
has a process of its own and a limit for each schema (`json_schema/workers.py`); what is asked before each repetition
knows nothing of the one before. `mask_us` is a mask and an accept.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from benchmarks import record
from benchmarks.json_schema import summary
from benchmarks.json_schema.cases import Case
from benchmarks.json_schema.measure import Result
from benchmarks.json_schema.variants import Variant, chosen
from benchmarks.json_schema.workers import Worker
from benchmarks.texts import Vocabulary, vocabulary

SAME = ("shape", "n")  # columns in which rows must agree to be compared (benchmarks/ahead.py)
GROWS = "n"  # the column over which figures may grow (benchmarks/scaling.py)
N_REPETITIONS = 5
LIMIT_S = 60.0
KINDS: list[dict[str, Any]] = [
    {"type": "string"},
    {"type": "integer"},
    {"type": "boolean"},
    {"type": "array", "items": {"type": "string"}},
]
VALUES = ["some text", 17, True, ["a", "b"]]


def max_length(n: int) -> tuple[Any, list[str]]:
    words = "the quick brown fox jumps over the lazy dog "
    return {"type": "string", "maxLength": n}, [json.dumps((words * 500)[: min(n, 20_000)])]


def enum(n: int) -> tuple[Any, list[str]]:
    values = [f"{('red', 'green', 'blue')[i % 3]} {i * 7919 % n} of {n}" for i in range(n)]
    return {"enum": values}, [json.dumps(values[i]) for i in (0, n // 2, n - 1)]


def optional(n: int) -> tuple[Any, list[str]]:
    schema = {"type": "object", "properties": {f"field_{i}": KINDS[i % 4] for i in range(n)}}
    written = [range(n), range(0, n, 3)]
    return schema, [json.dumps({f"field_{i}": VALUES[i % 4] for i in chosen}) for chosen in written]


def value_depth(n: int) -> tuple[Any, list[str]]:
    schema = {"$ref": "#/$defs/list", "$defs": {"list": {"type": "array", "items": {"$ref": "#/$defs/list"}}}}
    return schema, ["[" * n + "]" * n]


def schema_depth(n: int) -> tuple[Any, list[str]]:
    schema: dict[str, Any] = {"type": "integer"}
    for _ in range(n):
        schema = {"type": "object", "properties": {"a": schema}, "required": ["a"]}
    return schema, ['{"a": ' * n + "1" + "}" * n]


SHAPES = {
    max_length: (100, 10_000, 1_000_000),
    enum: (10, 100, 1000, 10_000),
    optional: (10, 50, 200),
    value_depth: (10, 100, 1000),
    schema_depth: (10, 50, 200),
}


def cases() -> Iterator[tuple[str, int, Case]]:
    for make, sizes in SHAPES.items():
        for n in sizes:
            schema, texts = make(n)
            yield make.__name__, n, Case(f"{make.__name__} {n}", schema, tuple(texts), (True,) * len(texts))


def run() -> list[record.Figures]:
    words = vocabulary()
    variants = [
        Variant(v.name, v.make, v.options, has_pool=False)
        for v in chosen(["xg2lab", "xg2lab strict", "llguidance", "xgrammar"])
    ]
    rows: list[record.Figures] = []
    for variant in variants:
        worker = Worker(variant, words, LIMIT_S)
        try:
            rows += [row(words, variant.name, shape, n, ask(worker, case)) for shape, n, case in cases()]
        finally:
            worker.end()
    return sorted(rows, key=lambda row: (str(row["shape"]), float(row["n"])))


def ask(worker: Worker, case: Case) -> list[Result]:
    """The repetitions' results; one if it failed."""
    tokens = [worker.words.encoding.encode_ordinary(text) for text in case.texts]
    results = [worker.ask(case, tokens)]
    if "first_us" in results[0]:
        results += [worker.ask(case, tokens) for _ in range(N_REPETITIONS - 1)]
    return results


def row(words: Vocabulary, engine: str, shape: str, n: int, results: list[Result]) -> record.Figures:
    """Medians over the repetitions of first masks, quantiles of all masks; or why there are none."""
    labels = {"shape": shape, "n": n, "engine": engine, "vocabulary": words.name, "n_repetitions": len(results)}
    failed = next((why for r in results for why in (r.get("fatal"), r.get("refused"), r.get("raised")) if why), "")
    if not failed and not summary.is_right(results[0]):
        failed = "valid rejected"
    figures = summary.times(results)
    kept = (
        "n_masks",
        "first_us_p50",
        "first_cpu_us_p50",
        "mask_us_avg",
        "mask_us_p50",
        "mask_us_p99",
        "mask_us_max",
        "mask_cpu_us_p99",
        "mask_cpu_us_max",
    )
    return {**labels, **{key: figures[key] for key in kept if key in figures}, "failed": failed[:60]}
