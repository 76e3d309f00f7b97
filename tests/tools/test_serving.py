"""What `make serving` decides by itself: verdicts on texts, spellings of a value, whether properties are declared."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tools.serving_masks import (
    LINE_ENDS,
    SPACE,
    Pair,
    as_python,
    continuations,
    ordered,
    spellings,
    undeclared,
    verdict_of,
)

SCHEMA = {
    "type": "object",
    "properties": {"b": {"type": "integer"}, "a": {"items": {"properties": {"y": {}, "x": {}}}}},
    "required": ["b"],
}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b'{"b": 1}', "valid"),
        (b'{"b": "1"}', "invalid: '1' is not of type 'integer'"),
        (b'{"b": 1, "b": 2}', "not JSON: a property occurs twice"),
        (b'{"b": ', "not JSON: Expecting value"),
        (b"\xff", "not JSON: "),
    ],
)
def test_a_text_is_judged(text: bytes, said: str):
    assert verdict_of(text, SCHEMA)[0].startswith(said)


@pytest.mark.parametrize(
    ("schema", "value", "said"),
    [
        ({"pattern": r"^[\w\s-]+$"}, "a\ufeffb", "valid"),  # ECMAScript's white space
        ({"pattern": r"^\w$"}, "é", "invalid: "),  # ASCII letters alone
        ({"pattern": r"^\S.$"}, "a\u2028", "invalid: "),
        ({"pattern": "^a$"}, "a\n", "invalid: "),
        ({"pattern": r"^[\S]$"}, "a", "unknown: "),
        ({"pattern": r"^\[.]$"}, "[.", "invalid: "),
        ({"dependencies": {"a": ["b"]}}, {"a": 1}, "unknown: "),
        ({"dependencies": {"a": ["b"]}}, {"a": 1, "b": 1}, "valid"),
        ({"properties": {"at": {"format": "date-time"}}}, {"at": "2026-01-01T12:00:60Z"}, ("unknown: ", "invalid: ")),
    ],
)
def test_the_judge_knows_where_python_reads_otherwise(schema: Any, value: Any, said: str | tuple[str, ...]):
    assert verdict_of(json.dumps(value).encode(), schema)[0].startswith(said)


@pytest.mark.parametrize(
    ("pattern", "python"),
    [
        (r"\s", f"[{SPACE}]"),
        (r"[\s]", f"[{SPACE}]"),
        (".$", f"[^{LINE_ENDS}]\\Z"),
        (r"[.$]\$", r"[.$]\$"),
    ],
)
def test_a_pattern_of_ecmascript_in_python(pattern: str, python: str):
    assert as_python(pattern) == python


def test_a_schema_that_the_validator_can_t_use_is_no_verdict():
    assert verdict_of(b"1", {"$ref": "#/nowhere"})[0].startswith("unknown: ")


def test_a_value_is_spelled_in_the_schema_s_order_too():
    value = {"a": [{"x": 1, "y": "é"}], "b": 2}
    assert list(ordered(value, SCHEMA)) == ["b", "a"]
    assert list(ordered(value, SCHEMA)["a"][0]) == ["y", "x"]
    texts = set(spellings(value, SCHEMA))
    assert '{"b":2,"a":[{"y":"\\u00e9","x":1}]}' in texts
    assert '{"a": [{"x": 1, "y": "é"}], "b": 2}' in texts


def test_a_year_that_python_lacks_is_no_verdict():
    schema = {"type": "string", "format": "date"}
    assert verdict_of(b'"0000-08-08"', schema)[0].startswith("unknown: ")
    assert verdict_of(b'"2031-08-08"', schema)[0] == "valid"
    assert verdict_of(b'"2031-08-48"', schema)[0].startswith("invalid: ")


@pytest.mark.parametrize(
    ("added", "rest", "among"),
    [(b"\\", b'abc"', b'u0061bc"'), (b"x", b'abc"', b'bc"'), (b"E", b", 2", b"0, 2"), (b"\\", b"", b"")],
)
def test_a_text_goes_on_after_a_token(added: bytes, rest: bytes, among: bytes):
    assert among in continuations(added, rest)


@pytest.mark.parametrize(
    ("value", "is_undeclared"),
    [({"b": 1}, False), ({"b": 1, "c": 2}, True), ({"a": [{"x": 1}]}, False), ({"a": [{"z": 1}]}, True), ([1], False)],
)
def test_undeclared_properties_are_found(value: Any, is_undeclared: bool):
    assert undeclared(value, SCHEMA) == is_undeclared


def test_examples_are_kept_once_and_few():
    pair = Pair()
    for n in range(20):
        pair.add("a verdict", str(n // 2))
    assert pair.verdicts["a verdict"] == 20
    assert pair.examples["a verdict"] == ["0", "1", "2"]
