"""Items that all differ and names that come once, where there are few; what is said where they are without number."""

from typing import Any

import pytest

pytest.importorskip("xg2lab._core", reason="the engine is not built")
import xg2lab as xgr
from tests.json_schema.test_keywords import verdicts
from xg2lab.errors import UnsupportedError

MODES: list[dict[str, Any]] = [{"strict_mode": False}, {"strict_mode": False, "any_order": False}, {}]


@pytest.mark.parametrize(
    ("item", "valid", "invalid"),
    [
        (
            {"type": "integer", "minimum": 1, "maximum": 3},
            ["[]", "[1]", "[3,1,2]", "[1e0,2.0]"],
            ["[1,1]", "[1,2,1.0]", "[1,1e0]", "[4]", "[0]"],
        ),
        (
            {"type": "number", "multipleOf": 0.5, "exclusiveMinimum": 0, "maximum": 1},
            ["[1,0.5]"],
            ["[0.5,0.50]", "[0]"],
        ),
        ({"type": "integer", "minimum": 1, "maximum": 6, "not": {"multipleOf": 2}}, ["[5,3,1]"], ["[2]", "[5,5]"]),
        ({"type": "number", "minimum": 7, "maximum": 7}, ["[7]"], ["[7,7.0]"]),
        (
            {"type": "string", "pattern": "^[ab]?$"},
            ["[]", '["","a","b"]', '["\\u0061"]'],
            ['["a","a"]', '["a","\\u0061"]', '["",""]', '["c"]'],
        ),
        ({"type": "string", "pattern": "^[ab]+$", "maxLength": 2}, ['["a","aa","ab"]'], ['["ab","ab"]', '["aaa"]']),
        (
            {"anyOf": [{"enum": ["x", 2]}, {"type": "string", "pattern": "^[xy]$"}, {"type": "boolean"}]},
            ['["x","y",2,true,false]'],
            ['["x","x"]', '["x","\\u0078"]', "[true,2,true]"],
        ),
        ({"type": "string", "maxLength": 0}, ['[""]'], ['["",""]']),
    ],
)
def test_items_that_differ_out_of_few(item: Any, valid: list[str], invalid: list[str]):
    schema = {"type": "array", "uniqueItems": True, "items": item}
    for mode in MODES:
        assert verdicts(schema, *valid, *invalid, **mode) == [True] * len(valid) + [False] * len(invalid)
    grammar = xgr.Grammar.from_json_schema(schema)
    assert str(xgr.Grammar.from_ebnf(str(grammar))) == str(grammar)


@pytest.mark.parametrize(
    "item",
    [
        {},
        {"type": "integer", "minimum": 1},
        {"type": "integer", "minimum": 1, "maximum": 100_000},
        {"type": "number", "minimum": 1, "maximum": 2},
        {"type": "string", "pattern": "^a*$"},
        {"type": "string", "pattern": "^.$"},
        {"type": "string", "pattern": "^[a-z]{3}$"},
    ],
)
def test_items_without_number_are_refused(item: Any):
    with pytest.raises(UnsupportedError, match="uniqueItems") as refused:
        xgr.Grammar.from_json_schema({"type": "array", "uniqueItems": True, "items": item})
    assert [d.code for d in refused.value.diagnostics] == ["unsupported_unique_items"]


def test_names_of_which_there_are_few_come_once():
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"z": {}},
        "patternProperties": {"^[ab]$": {"type": "integer"}},
        "additionalProperties": False,
    }
    texts = ["{}", '{"z":1,"b":1,"a":2}', '{"a":1}', '{"a":1,"a":2}', '{"a":1,"b":2,"a":1}', '{"c":1}', '{"a":"x"}']
    for mode in MODES:
        assert verdicts(schema, *texts, **mode) == [True, True, True, False, False, False, False]
        assert not any(use.note for use in xgr.Grammar.from_json_schema(schema, **mode).coverage)
    names = {"type": "object", "propertyNames": {"enum": ["x", "y"]}}
    texts = ['{"x":1,"y":2}', '{"y":1,"x":2}', '{"x":1,"x":2}', '{"z":1}']
    for mode in MODES:
        assert verdicts(names, *texts, **mode) == [True, True, False, False]
    # So they can be counted.
    counted = schema | {"minProperties": 3}
    texts = ['{"a":1,"b":2,"z":3}', '{"a":1,"b":2}', '{"a":1,"b":2,"a":3}']
    assert verdicts(counted, *texts, strict_mode=False) == [True, False, False]


def test_names_without_number_may_come_twice_and_the_coverage_says_so():
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"z": {}},
        "patternProperties": {"^[ab]$": {"type": "integer"}, "^x": {"const": 1}},
        "additionalProperties": {"type": "null"},
        "minProperties": 2,
    }
    texts = ['{"a":1,"q":null}', '{"q":null,"b":1,"r":null,"a":2}', '{"q":null,"q":null}', '{"a":1,"q":null,"a":1}']
    assert verdicts(schema, *texts, strict_mode=False) == [True, True, True, False]
    notes = {
        use.pointer: use.note for use in xgr.Grammar.from_json_schema(schema, strict_mode=False).coverage if use.note
    }
    twice = "an undeclared name may come twice: JSON readers keep the last value"
    assert notes == {
        "/patternProperties": twice,
        "/additionalProperties": twice,
        "/minProperties": "an undeclared name is counted each time it comes",
    }
    # An object that is open without a word about it: at what there is.
    schema = {"type": "object", "required": ["a"]}
    grammar = xgr.Grammar.from_json_schema(schema, strict_mode=False)
    assert [(use.pointer, use.note) for use in grammar.coverage] == [("/type", ""), ("/required", twice)]
    assert not any(use.note for use in xgr.Grammar.from_json_schema({"properties": {"a": {"const": 1}}}).coverage)


def test_declared_names_have_no_second_spelling_among_the_others():
    schema = {"type": "object", "properties": {"é": {"const": 1}}, "additionalProperties": {"const": 2}}
    texts = ['{"é":1}', '{"\\u00e9":1}', '{"\\u00E9":2}', '{"é":1,"\\u00e9":2}', '{"e":2}', '{"\\u0065":2}']
    assert verdicts(schema, *texts, strict_mode=False) == [True, True, False, False, True, False]
