"""The result of one schema: plain values, the same in JSONL, in Parquet, and between processes.

>>> row = empty_row("c0ffee", 7, "unreadable", message="the line is not JSON")
>>> row["id"], row["line"], row["verdict"], row["engines"]
('c0ffee', 7, 'unreadable', [])
>>> bucket_of(1.0), bucket_of(1000.0), round(bucket_us(bucket_of(1000.0)))
(8, 28, 1024)

Units: times are microseconds as float, sizes are bytes. `mask_histogram` counts masks in buckets of half an octave: the
first holds times up to 2**-3.5 µs, and bucket k those up to 2**((k - 7) / 2) µs; zeros at the end are left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt

__all__ = [
    "N_BUCKETS",
    "VERDICTS",
    "Disagreement",
    "EngineResult",
    "Generated",
    "SweepRow",
    "bucket_of",
    "bucket_us",
    "buckets_of",
    "empty_engine",
    "empty_row",
    "quantile_of",
]

#: What can become of a schema.
VERDICTS: tuple[str, ...] = ("compiled", "refused", "failed", "crashed", "timeout", "unreadable", "too_large")
N_BUCKETS = 64
_FIRST = 7  # buckets below one microsecond


class EngineResult(TypedDict):
    """One engine's part of a row. `verdict` is one of `VERDICTS`; "" of other texts and 0 of times: not applicable.

    `wrongly_rejected` and `wrongly_accepted` are indices of instances, `first_wrong` is the text of the first.
    `mask_not_accept` counts the steps at which the mask and `accept` disagreed about the text's token;
    `first_mask_not_accept` says where the first was.
    """

    name: str
    version: str
    verdict: str
    error: str
    code: str
    pointer: str
    keyword: str
    message: str
    compile_us: float
    first_us: float
    n_masks: int
    mask_p50_us: float
    mask_p90_us: float
    mask_p99_us: float
    mask_max_us: float
    mask_histogram: list[int]
    n_accepted: int
    wrongly_rejected: list[int]
    wrongly_accepted: list[int]
    first_wrong: str
    mask_not_accept: int
    first_mask_not_accept: str


class Disagreement(TypedDict):
    """Where two engines part. `kind`: "instance" (one alone accepts the whole text) or "mask" (masks differ).

    `instance` is the index of the text, -1 for a sentence that was drawn from the grammar. `step` and `byte` are the
    first place; `only_a` and `only_b` count tokens that one mask alone allows. `wrong` is the engine that the label of
    the instance, or jsonschema, contradicts; "" if neither says.
    """

    kind: str
    a: str
    b: str
    instance: int
    text: str
    step: int
    byte: int
    only_a: int
    only_b: int
    example_a: str
    example_b: str
    wrong: str
    why: str


class Generated(TypedDict):
    """What the model wrote, under the grammar or without it.

    `end`: "stop", "length" or "failed". `is_valid` and `is_expected` are "yes", "no" or "" (nobody can say: no
    validator, no expected value). `why` says what is wrong.
    """

    text: str
    n_tokens: int
    end: str
    is_valid: str
    is_expected: str
    why: str


class SweepRow(TypedDict):
    """The result of one schema.

    The verdict, the error with the JSON Pointer of the keyword, and the counts of instances are those of the first
    engine. The counts of keywords come from our coverage, whatever the engines are. `n_unspelled` instances are left
    out, because the vocabulary lacks their bytes. `lost` names the stages that crashed or hung.

    >>> import json
    >>> row: SweepRow = json.loads(json.dumps(empty_row("c0ffee", 7, "compiled")))
    >>> row["id"], row["engines"], row["generated"]
    ('c0ffee', [], None)
    """

    id: str
    name: str
    line: int
    settings: str
    command: str
    verdict: str
    error: str
    code: str
    pointer: str
    keyword: str
    message: str
    n_enforced: int
    n_annotations: int
    n_relaxed: int
    refused_keywords: list[str]
    n_instances: int
    n_unspelled: int
    n_wrongly_rejected: int
    n_wrongly_accepted: int
    engines: list[EngineResult]
    disagreements: list[Disagreement]
    generated: Generated | None
    unconstrained: Generated | None
    lost: list[str]
    schema: str
    seconds: float


def empty_row(row_id: str, line: int, verdict: str, *, message: str = "", error: str = "") -> SweepRow:
    """A row of which nothing but its verdict is known."""
    return {
        "id": row_id,
        "name": "",
        "line": line,
        "settings": "",
        "command": "",
        "verdict": verdict,
        "error": error,
        "code": "",
        "pointer": "",
        "keyword": "",
        "message": message,
        "n_enforced": 0,
        "n_annotations": 0,
        "n_relaxed": 0,
        "refused_keywords": [],
        "n_instances": 0,
        "n_unspelled": 0,
        "n_wrongly_rejected": 0,
        "n_wrongly_accepted": 0,
        "engines": [],
        "disagreements": [],
        "generated": None,
        "unconstrained": None,
        "lost": [],
        "schema": "",
        "seconds": 0.0,
    }


def empty_engine(name: str, verdict: str, *, message: str = "", error: str = "", version: str = "") -> EngineResult:
    """An engine's part of which nothing but its verdict is known."""
    return {
        "name": name,
        "version": version,
        "verdict": verdict,
        "error": error,
        "code": "",
        "pointer": "",
        "keyword": "",
        "message": message,
        "compile_us": 0.0,
        "first_us": 0.0,
        "n_masks": 0,
        "mask_p50_us": 0.0,
        "mask_p90_us": 0.0,
        "mask_p99_us": 0.0,
        "mask_max_us": 0.0,
        "mask_histogram": [],
        "n_accepted": 0,
        "wrongly_rejected": [],
        "wrongly_accepted": [],
        "first_wrong": "",
        "mask_not_accept": 0,
        "first_mask_not_accept": "",
    }


def bucket_of(us: float) -> int:
    """The bucket of a time."""
    return int(buckets_of([us])[0])


def buckets_of(times: Sequence[float]) -> npt.NDArray[np.int64]:
    """The bucket of each time."""
    us = np.maximum(np.asarray(times, np.float64), bucket_us(0))
    return np.clip(np.ceil(2 * np.log2(us)) + _FIRST + 1, 0, N_BUCKETS - 1).astype(np.int64)


def bucket_us(bucket: int) -> float:
    """The longest time of a bucket."""
    return 2.0 ** ((bucket - _FIRST - 1) / 2)


def quantile_of(sorted_values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of the values do not exceed; 0.0 if there are none.

    >>> quantile_of([1.0, 2.0, 3.0, 4.0], 0.5), quantile_of([1.0, 2.0, 3.0, 4.0], 0.99)
    (2.0, 4.0)
    """
    if not sorted_values:
        return 0.0
    return float(sorted_values[min(len(sorted_values) - 1, max(0, math.ceil(share * len(sorted_values)) - 1))])


def arrow_schema() -> Any:
    """The columns as Arrow's schema, for Parquet."""
    import pyarrow as pa

    types: dict[str, Any] = {
        "str": pa.string(),
        "int": pa.int64(),
        "float": pa.float64(),
        "list[str]": pa.list_(pa.string()),
        "list[int]": pa.list_(pa.int64()),
    }

    def struct(record: type) -> Any:
        return pa.struct([(name, types[str(kind)]) for name, kind in _kinds(record).items()])

    types["list[EngineResult]"] = pa.list_(struct(EngineResult))
    types["list[Disagreement]"] = pa.list_(struct(Disagreement))
    types["Generated | None"] = struct(Generated)
    return pa.schema([(name, types[kind]) for name, kind in _kinds(SweepRow).items()])


def _kinds(record: type) -> dict[str, str]:
    """The fields of a record, with their types as they are written here."""
    return {name: getattr(kind, "__forward_arg__", str(kind)) for name, kind in record.__annotations__.items()}
