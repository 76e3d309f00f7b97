"""What the JSON Schema reader takes grows with the schema: counted in bytes, never timed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import xg2lab as xgr
from xg2lab import _core
from xg2lab.errors import LimitError

counted = pytest.mark.skipif(not _core.counts_bytes(), reason="a sanitizer counts memory in its own way")

N = 400


def required_places(n: int) -> dict[str, Any]:
    return {"type": "array", "prefixItems": [{"type": "integer", "minimum": i} for i in range(n)], "minItems": n}


def places(n: int) -> dict[str, Any]:
    return {"type": "array", "prefixItems": [{"const": i} for i in range(n)]}


def places_of_objects(n: int) -> dict[str, Any]:
    items = [{"properties": {f"p{i}": {"type": "null"}}} for i in range(n)]
    return {"type": "array", "prefixItems": items, "minItems": n // 2, "items": False}


def bytes_needed(read: Callable[[], object]) -> int:
    """The smallest `max_bytes` that is enough, within a tenth."""
    low, high = 1 << 12, 1 << 28
    while high - low > high // 10:
        middle = (low + high) // 2
        try:
            with xgr.work_limits(max_seconds=1e6, max_bytes=middle):
                read()
            high = middle
        except LimitError:
            low = middle
    return high


@counted
@pytest.mark.parametrize("schema", [required_places, places, places_of_objects])
def test_bytes_grow_with_the_schema(schema: Callable[[int], dict[str, Any]]):
    one, four = schema(N), schema(4 * N)
    xgr.Grammar.from_json_schema(one)  # what is known afterwards was worked out by it
    few = bytes_needed(lambda: xgr.Grammar.from_json_schema(one))
    many = bytes_needed(lambda: xgr.Grammar.from_json_schema(four))
    assert many < 7 * few, (few, many)  # squared, it would be up to 16 times as many


@pytest.mark.parametrize("keyword", ["properties", "anyOf"])
def test_dicts_within_each_other_twice_end_with_a_limit(keyword: str):
    """A few dicts, and as many values as they are ways through them. Their text counts, whoever takes its memory."""
    schema: Any = {"type": "integer"}
    for _ in range(60):
        schema = {"anyOf": [schema, schema]} if keyword == "anyOf" else {"properties": {"a": schema, "b": schema}}
    with xgr.work_limits(max_seconds=1e6, max_bytes=32 << 20), pytest.raises(LimitError) as raised:
        xgr.Grammar.from_json_schema(schema)
    assert "max_work_bytes" in raised.value.message
    assert "reading values of Python" in raised.value.message
