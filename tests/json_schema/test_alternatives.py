"""Alternatives that could multiply: what they mean is kept, and what would be too large is refused."""

import itertools
import json
import random
from typing import Any

import pytest

from tests.generators import SHARE, seeded
from tests.json_schema.hostile_schemas import HOSTILE
from xg2lab.reference.json_schema import is_valid

pytest.importorskip("xg2lab._core", reason="the engine is not built")
import xg2lab as xgr
from xg2lab.errors import GrammarError, LimitError, UnsupportedError, Xg2LabError

COMPILER = xgr.GrammarCompiler(xgr.TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1]), cache_enabled=False)
NAMES = ["a", "b", "c", "d"]


def values() -> list[dict[str, Any]]:
    """Each of four properties absent, 1 or "x"."""
    return [
        {name: value for name, value in zip(NAMES, row, strict=True) if value is not None}
        for row in itertools.product([None, 1, "x"], repeat=len(NAMES))
    ]


def hold_to_the_twin(schema: Any, **options: Any):
    """Each of the values: accepted exactly if it is valid by definition."""
    try:
        matcher = xgr.GrammarMatcher(COMPILER.compile_json_schema(schema, strict_mode=False, **options))
    except GrammarError as error:
        assert [d.code for d in error.diagnostics] == ["schema_allows_nothing"], str(error)
        assert not any(is_valid(schema, value) for value in values()), schema
        return
    for value in values():
        matcher.reset()
        accepted = matcher.accept_string(json.dumps(value)) and matcher.is_completed()
        assert accepted == is_valid(schema, value), (json.dumps(schema), value)


def kind(i: int, name: str, **more: Any) -> dict[str, Any]:
    return {"properties": {"a": {"const": 1 if i else "x"}, name: {"type": "integer"}}, **more}


@pytest.mark.parametrize(
    "schema",
    [
        {"oneOf": [{"required": [name]} for name in NAMES]},
        {"oneOf": [{"required": [name], "properties": {name: {"type": "integer"}}} for name in NAMES]},
        {"oneOf": [kind(0, "b"), kind(1, "c")], "required": ["a"]},
        {"oneOf": [kind(0, "b", additionalProperties=False), kind(1, "c", additionalProperties=False)]},
        {"oneOf": [kind(0, "b", additionalProperties=False), kind(1, "b", maxProperties=2), kind(1, "c")]},
        {"not": {"oneOf": [kind(0, "b", required=["c"]), kind(1, "d", minProperties=2)]}},
        {"not": {"allOf": [{"anyOf": [{"required": ["a"]}, kind(1, "b")]}, {"not": kind(0, "d")}]}},
        {"dependentRequired": {"a": ["b"], "b": ["c"], "c": ["d"]}},
        {"dependentRequired": {"a": ["d"], "b": ["d"], "c": ["d"]}, "maxProperties": 2},
        {"allOf": [{"anyOf": [{"required": [x]}, {"required": [y]}]} for x, y in itertools.pairwise(NAMES)]},
        {"allOf": [{"if": kind(i, "b"), "then": {"required": ["c"]}, "else": kind(i, "d")} for i in range(2)]},
        {"anyOf": [{"propertyNames": {"enum": ["a", "b"]}}, {"not": {"propertyNames": {"maxLength": 1}}}]},
        {"oneOf": [{"patternProperties": {"^[ab]$": {"type": "integer"}}}, {"minProperties": 3}]},
        {"not": {"patternProperties": {"^[ab]$": {"type": "integer"}}, "additionalProperties": {"const": "x"}}},
        {"oneOf": [{"additionalProperties": {"type": "integer"}}, {"additionalProperties": {"type": "string"}}]},
    ],
    ids=lambda schema: json.dumps(schema)[:70],
)
def test_alternatives_of_objects(schema: Any):
    hold_to_the_twin(schema)
    hold_to_the_twin({"type": "object", **schema, "properties": {"d": {"type": "integer"}}})
    hold_to_the_twin({"type": "object", "required": ["b"], "allOf": [schema]})


def random_part(rng: random.Random, depth: int = 0) -> dict[str, Any]:
    part: dict[str, Any] = {}
    if rng.random() < 0.6:
        part["required"] = rng.sample(NAMES, rng.randint(1, 2))
    if rng.random() < 0.6:
        part["properties"] = {
            name: rng.choice([{"const": 1}, {"type": "string"}, False, {"not": {"const": "x"}}, {"enum": ["x", 1]}])
            for name in rng.sample(NAMES, rng.randint(1, 3))
        }
    if rng.random() < 0.3:
        part["additionalProperties"] = rng.choice([False, {"type": "integer"}])
    if rng.random() < 0.15:
        part[rng.choice(["minProperties", "maxProperties"])] = rng.randint(1, 3)
    if rng.random() < 0.15:
        part["dependentRequired"] = {rng.choice(NAMES): [rng.choice(NAMES)]}
    if depth < 2 and rng.random() < 0.5:
        more = [random_part(rng, depth + 1) for _ in range(rng.randint(2, 4))]
        keyword = rng.choice(["oneOf", "anyOf", "allOf", "not", "if"])
        if keyword == "not":
            part["not"] = more[0]
        elif keyword == "if":
            part |= dict(zip(["if", "then", "else"], more, strict=False))
        else:
            part[keyword] = more
    return part


def test_random_alternatives_of_objects():
    rng = seeded("alternatives")
    n_kept = 0
    for _ in range(round(250 * SHARE)):
        schema = {
            "type": "object",
            rng.choice(["oneOf", "anyOf"]): [random_part(rng) for _ in range(rng.randint(2, 4))],
        }
        try:
            hold_to_the_twin(schema)
            n_kept += 1
        except (UnsupportedError, LimitError):
            continue
    assert n_kept > 0.9 * round(250 * SHARE)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("name", HOSTILE)
def test_what_multiplies_is_compiled_or_refused_with_a_remedy(name: str, strict: bool):
    """Each call ends by the budgets of its options: tests/core/test_limits.py holds readers and compilers to them."""
    try:
        compiled = COMPILER.compile_grammar(xgr.Grammar.from_json_schema(HOSTILE[name], strict_mode=strict))
        assert compiled.n_states > 0
    except Xg2LabError as error:
        assert error.diagnostics or error.hint, str(error)
        assert all(d.hint for d in error.diagnostics), str(error)


def test_what_multiplies_is_named():
    with pytest.raises(LimitError) as raised:
        xgr.Grammar.from_json_schema(HOSTILE["allOf of anyOf"], strict_mode=False)
    (found,) = raised.value.diagnostics
    assert found.code == "schema_too_large"
    assert found.message.startswith("at /allOf/")
    assert "the alternatives of this schema multiply: more than 3000 combinations in one place" in found.message
    assert found.line > 1
    assert "a required property with another `const`" in found.hint


def test_lengths_beside_patterns_are_counted():
    schema = {"type": "string", "pattern": "^data:(a|bcd);[x-z]*$", "minLength": 9, "maxLength": 100_000}
    compiled = COMPILER.compile_json_schema(schema)
    assert compiled.n_states < 1000
    matcher = xgr.GrammarMatcher(compiled)
    texts = ["data:a;" + "x" * n for n in (1, 2, 99_993, 99_994)] + ["data:bcd;" + "y" * n for n in (0, 99_991, 99_992)]
    answers: list[bool] = []
    for text in [*texts, "data:a;xa", "data:a;\\u0079x"]:
        matcher.reset()
        answers.append(matcher.accept_string(f'"{text}"') and matcher.is_completed())
    assert answers == [False, True, True, False, True, True, False, False, True]
    grammar = xgr.Grammar.from_json_schema(schema)
    assert str(xgr.Grammar.from_ebnf(str(grammar))) == str(grammar)


@pytest.mark.parametrize("name", ["email", "idn-email"])
def test_formats_read_back(name: str):
    grammar = xgr.Grammar.from_json_schema({"type": "string", "format": name})
    assert str(xgr.Grammar.from_ebnf(str(grammar))) == str(grammar)
