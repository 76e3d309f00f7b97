"""Patterns known from other places and schemas are those that would be made; lengths are counted, or left out where a format keeps them."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

pytest.importorskip("xg2lab._core", reason="the engine is not built")
import xg2lab as xgr
from tests.core.test_regular import random_pattern
from tests.generators import SHARE, seeded
from tests.json_schema.test_keywords import verdicts
from xg2lab.errors import Xg2LabError

N_KEPT = 512  # core/frontends/json_schema/known_patterns.cc


def converted(schema: Any) -> tuple[str, Any]:
    """All that is to be seen of a schema's grammar, or of what is wrong with it."""
    try:
        grammar = xgr.Grammar.from_json_schema(schema, strict_mode=False)
    except Xg2LabError as error:
        return str(error), [(found.code, found.span) for found in error.diagnostics]
    return str(grammar), ([tuple(vars(use).values()) for use in grammar.coverage], grammar.serialize_json())


def forget(salt: str) -> None:
    for i in range(N_KEPT + 1):
        xgr.Grammar.from_json_schema({"type": "string", "pattern": f"^{salt}{i}$", "not": {"pattern": f"{salt}y{i}"}})


def random_schema(rng: random.Random) -> Any:
    string: dict[str, Any] = {"type": "string", "pattern": rng.choice(["", "^"]) + random_pattern(rng)}
    if rng.random() < 0.4:
        string["maxLength"] = rng.choice([1, 3, 70])
    if rng.random() < 0.3:
        string["not"] = {"pattern": random_pattern(rng)}
    names = {random_pattern(rng): {"type": "integer"}}
    return {"properties": {"a": string, "b": {"items": string}}, "patternProperties": names}


def test_what_is_known_is_what_would_be_made():
    rng = seeded("known patterns")
    schemas = [random_schema(rng) for _ in range(max(4, round(40 * SHARE)))]
    made = [converted(schema) for schema in schemas]
    assert [converted(schema) for schema in schemas] == made
    forget("x")
    assert [converted(schema) for schema in schemas] == made


@pytest.mark.parametrize("pattern", ["(", "a{2,1}", "\\1", "(?<x", "[b-a]"])
def test_what_is_wrong_is_told_each_time_and_in_its_place(pattern: str):
    schema = {"properties": {"a": {"pattern": "x"}, "b": {"pattern": pattern}, "c": {"pattern": pattern}}}
    first = converted(schema)
    assert first == converted(schema)
    assert "/properties/b/pattern" in first[0]


def test_a_bound_that_a_format_keeps_says_nothing():
    free = xgr.Grammar.from_json_schema({"type": "string", "format": "uuid"})
    for bounds in [{"maxLength": 36}, {"minLength": 36}, {"minLength": 3, "maxLength": 400}]:
        assert str(xgr.Grammar.from_json_schema({"type": "string", "format": "uuid", **bounds})) == str(free)
    for bounds in [{"maxLength": 35}, {"minLength": 37}]:
        with pytest.raises(Xg2LabError, match="no value satisfies this schema"):
            xgr.Grammar.from_json_schema({"type": "string", "format": "uuid", **bounds})


@pytest.mark.parametrize(
    ("pattern", "bounds", "n_characters"),
    [
        ("^[a-z]+$", {"maxLength": 40}, range(1, 41)),
        ("^#?[a-z]*$", {"minLength": 2, "maxLength": 90}, range(2, 91)),
        ("^[a-z]{3,5}$", {"maxLength": 5}, range(3, 6)),
        ("^[a-z]{3,5}$", {"maxLength": 4}, range(3, 5)),
        ("^[a-z]+$", {"minLength": 33}, range(33, 100)),
    ],
)
def test_lengths_are_those_of_the_text_and_not_of_its_spelling(pattern: str, bounds: dict[str, int], n_characters: range):
    schema = {"type": "string", "pattern": pattern, **bounds}
    lengths = range(100)
    texts = [json.dumps("a" * n) for n in lengths] + ['"' + "\\u0061" * n + '"' for n in lengths]
    assert verdicts(schema, *texts) == 2 * [n in n_characters for n in lengths]
