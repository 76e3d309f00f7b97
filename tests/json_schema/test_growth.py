"""What the JSON Schema reader takes grows with the schema: counted in bytes, never timed."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest

import xg2lab as xgr
from tests.generators import SHARE, seeded
from tests.refusals import Outcomes
from xg2lab import _core
from xg2lab.errors import GrammarError, LimitError
from xg2lab.reference.json_schema import is_valid

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


def kinds(n: int) -> dict[str, Any]:
    form = {"type": "object", "required": ["kind"]}
    return {"oneOf": [{**form, "properties": {"kind": {"const": f"k{i}"}, "v": {"const": i}}} for i in range(n)]}


@counted
def test_alternatives_that_one_property_tells_apart_are_not_compared_with_each_other():
    """Each taken away from each was a million differences, and 150 MB before a quarter of them was done."""
    with xgr.work_limits(max_seconds=1e6, max_bytes=16 << 20):
        grammar = xgr.Grammar.from_json_schema(kinds(1000))
    info = xgr.TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1])
    matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info, cache_enabled=False).compile_grammar(grammar))
    assert matcher.accept_string('{"kind": "k700", "v": 700}')
    matcher.reset()
    assert not matcher.accept_string('{"kind": "k700", "v": 70}')


def test_alternatives_that_one_property_tells_apart_in_part():
    """Ten alternatives, of which some share a kind, some have several, some any, some none: as the twin says."""
    rng = seeded("kinds")
    info = xgr.TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1])
    compiler = xgr.GrammarCompiler(info, cache_enabled=False)
    words: list[Any] = [
        {"const": "x"},
        {"const": "y"},
        {"enum": ["x", "z"]},
        {"enum": ["y", 1]},
        {"type": "string"},
        {},
    ]
    values = [
        {name: value for name, value in zip("kbc", row, strict=True) if value is not None}
        for row in itertools.product([None, "x", "y", "z", 1], [None, 1, "x"], [None, 1])
    ]
    outcomes = Outcomes()
    for _ in range(round(60 * SHARE)):
        alternatives: list[Any] = []
        for _ in range(10):
            required = rng.sample("kkbc", rng.randint(1, 2))
            properties = {"k": rng.choice(words), "b": rng.choice([{"const": 1}, {"const": "x"}, {}])}
            alternatives.append({"type": "object", "required": sorted(set(required)), "properties": properties})
        if rng.random() < 0.3:
            alternatives[rng.randrange(10)] = {"type": "string"}
        schema = {"oneOf": alternatives}
        try:
            matcher = xgr.GrammarMatcher(compiler.compile_json_schema(schema, strict_mode=False))
        except GrammarError:
            assert not any(is_valid(schema, value) for value in values), schema
            outcomes["empty"] += 1
            continue
        except LimitError:
            outcomes["too large"] += 1
            continue
        outcomes["compared"] += 1
        for value in values:
            matcher.reset()
            accepted = matcher.accept_string(json.dumps(value)) and matcher.is_completed()
            assert accepted == is_valid(schema, value), (json.dumps(schema), value)
    outcomes.require("compared", 0.5)
