"""Schemas with slots: what is written in their places, and what is said of slots that can't stand where they are."""

from __future__ import annotations

import json
from typing import Any

import pytest

import xg2lab as xgr
from xg2lab.errors import GrammarError, TemplateArgumentError
from xg2lab.reference.template import with_arguments


def slot(name: str) -> dict[str, str]:
    return {"$slot": name}


def accepts(grammar: xgr.Grammar, *texts: str) -> list[bool]:
    info = xgr.TokenizerInfo([bytes([byte]) for byte in range(256)] + [b"</s>"], stop_token_ids=[256])
    compiled = xgr.GrammarCompiler(info).compile_grammar(grammar)
    found: list[bool] = []
    for text in texts:
        matcher = xgr.GrammarMatcher(compiled)
        found.append(all(matcher.accept_token(byte) for byte in text.encode()) and matcher.accept_token(256))
    return found


# ---- Values ----


@pytest.mark.parametrize(
    ("schema", "arguments", "valid", "invalid"),
    [
        ({"const": slot("x")}, {"x": "a"}, ['"a"'], ['"b"', "a"]),
        ({"const": slot("x")}, {"x": None}, ["null"], ['"null"']),
        ({"const": slot("x")}, {"x": True}, ["true"], ["1", "false"]),
        ({"const": slot("x")}, {"x": 1}, ["1", "1.0"], ["1.00", "true", "2"]),
        ({"const": slot("x")}, {"x": 1.5}, ["1.5"], ["1", "1.50"]),
        ({"const": slot("x")}, {"x": 10**30}, ["1e30", "1E+30"], ["1e31"]),
        ({"const": slot("x")}, {"x": 'é\n"\\'}, ['"é\\n\\"\\\\"', '"\\u00e9\\n\\"\\\\"'], ['"e\\n\\"\\\\"']),
        ({"const": slot("x")}, {"x": [1, {"a": None}]}, ['[1,{"a":null}]', '[ 1, {"a" :null} ]'], ["[1]"]),
        ({"const": slot("x")}, {"x": {"$slot": "x"}}, ['{"$slot":"x"}'], ['"x"']),
        ({"const": slot("x")}, {"x": {}}, ["{}"], ["[]"]),
        ({"enum": slot("x")}, {"x": [3, 10**21, "a"]}, ["3", "3e0", "1e21", '"a"'], ["1", "1e22"]),
        ({"enum": slot("x")}, {"x": ["a", 2, None, "é"]}, ['"a"', "2", "null", '"é"'], ['"b"', "3"]),
        ({"type": "string", "enum": slot("x")}, {"x": ["a", "b"]}, ['"a"', '"b"'], ["a"]),
        ({"type": "integer", "const": slot("x")}, {"x": 3}, ["3", "3.0"], ["4"]),
        ({"type": ["string", "null"], "enum": slot("x")}, {"x": [None, "|"]}, ["null", '"|"'], ['""']),
        ({"pattern": "^a", "minLength": 2, "enum": slot("x")}, {"x": ["ab", "abc"]}, ['"ab"', '"abc"'], ['"a"']),
        ({"title": "t", "default": 3, "enum": slot("x"), "x-y": 1}, {"x": [3]}, ["3"], ["4"]),
        ({"anyOf": [{"const": slot("x")}, {"type": "null"}, {"enum": slot("y")}]}, {"x": 1, "y": [2, 3]},
         ["1", "2", "3", "null"], ["4"]),
        ({"$schema": "http://json-schema.org/draft-04/schema#", "type": "integer", "enum": slot("x")}, {"x": [1]},
         ["1"], ["1.0"]),
        ({"type": "object", "properties": {"a": {"$ref": "#/$defs/i"}, "b": {"$ref": "#/$defs/i"}},
          "$defs": {"i": {"enum": slot("x")}}}, {"x": ["p", "q"]}, ['{"a":"p","b":"q"}', "{}"], ['{"a":"r"}']),
    ],
)  # fmt: skip
@pytest.mark.parametrize("options", [{}, {"any_whitespace": False}, {"number_form": "plain"}], ids=str)
def test_values(schema: Any, arguments: dict[str, Any], valid: list[str], invalid: list[str], options: dict[str, Any]):
    written = xgr.Template.from_json_schema(schema, **options).write_out(**arguments)
    expected = xgr.Grammar.from_json_schema(with_arguments(schema, arguments), **options)
    assert accepts(written, *valid, *invalid) == accepts(expected, *valid, *invalid)
    if not options:
        assert accepts(written, *valid, *invalid) == [True] * len(valid) + [False] * len(invalid)


def test_an_ordinary_schema_has_no_slots():
    grammar = xgr.Grammar.from_json_schema({"const": slot("x")})
    assert accepts(grammar, '{"$slot": "x"}', '"x"') == [True, False]
    template = xgr.Template.from_json_schema({"type": "object", "properties": {"$slot": {"type": "null"}}})
    assert template.slots == ()
    assert accepts(template.write_out(), '{"$slot": null}') == [True]


def test_composite_values_keep_the_indentation_of_their_place():
    schema = {
        "type": "object",
        "properties": {"a": {"type": "array", "items": {"const": slot("x")}}},
        "required": ["a"],
    }
    options: dict[str, Any] = {"any_whitespace": False, "indent": 2}
    arguments = {"x": {"b": [1, {"c": "d"}]}}
    written = xgr.Template.from_json_schema(schema, **options).write_out(**arguments)
    text = (
        '{\n  "a": [\n    {\n      "b": [\n        1,\n        {\n          "c": "d"\n        }\n      ]\n    }\n  ]\n}'
    )
    assert accepts(written, text, text.replace("    {", "  {")) == [True, False]


def test_an_argument_is_data():
    for text in ['"', "\\", "$slot", '{"$slot": "x"}', "::=", "\0", "\x7f", "\u2028"]:
        schema = {"enum": slot("x")}
        written = xgr.Template.from_json_schema(schema).write_out(x=[text, {"k": text}])
        expected = xgr.Grammar.from_json_schema({"enum": [text, {"k": text}]})
        texts = [json.dumps(text), json.dumps(text, ensure_ascii=False), json.dumps({"k": text}), '"x"']
        assert accepts(written, *texts) == accepts(expected, *texts) == [True, True, True, False]


# ---- Numbers of items ----


@pytest.mark.parametrize("options", [{}, {"any_whitespace": False}, {"any_whitespace": False, "indent": 1}], ids=str)
@pytest.mark.parametrize(
    ("bounds", "arguments"),
    [
        *[({"minItems": slot("n")}, {"n": n}) for n in range(4)],
        *[({"maxItems": slot("n")}, {"n": n}) for n in range(4)],
        *[({"minItems": 2, "maxItems": slot("n")}, {"n": n}) for n in (2, 3)],
        *[({"minItems": slot("n"), "maxItems": 2}, {"n": n}) for n in range(3)],
        *[({"minItems": slot("n"), "maxItems": slot("n")}, {"n": n}) for n in range(4)],
        *[({"minItems": slot("m"), "maxItems": slot("n")}, {"m": m, "n": n}) for n in range(4) for m in range(n + 1)],
    ],
)
@pytest.mark.parametrize("item", [{"type": "boolean"}, {"enum": slot("x")}], ids=["fixed", "slot"])
def test_numbers_of_items(bounds: Any, arguments: dict[str, Any], item: Any, options: dict[str, Any]):
    schema = {"type": "array", "items": item, **bounds}
    arguments = arguments | ({"x": [True, False]} if "enum" in item else {})
    written = xgr.Template.from_json_schema(schema, **options).write_out(**arguments)
    expected = xgr.Grammar.from_json_schema(with_arguments(schema, arguments), **options)
    comma = ",\n " if "indent" in options else ", "
    around = ("[\n ", "\n]") if "indent" in options else ("[", "]")
    texts = ["[]", *[around[0] + comma.join(["true"] * n) + around[1] for n in range(1, 6)]]
    verdicts = accepts(written, *texts)
    assert verdicts == accepts(expected, *texts)
    put_in = with_arguments(bounds, arguments)
    assert verdicts == [put_in.get("minItems", 0) <= n <= put_in.get("maxItems", 9) for n in range(6)]


def test_items_of_any_kind_and_nested_arrays():
    schema = {
        "type": "array", "minItems": slot("rows"), "maxItems": slot("rows"),
        "items": {"type": "array", "items": {"enum": slot("x")}, "maxItems": slot("columns")},
    }  # fmt: skip
    written = xgr.Template.from_json_schema(schema).write_out(rows=2, columns=1, x=[0, 1])
    assert accepts(written, "[[0],[]]", "[[1],[1]]", "[[0]]", "[[0,1],[]]") == [True, True, False, False]
    untyped = xgr.Template.from_json_schema({"minItems": slot("n")}).write_out(n=1)
    assert accepts(untyped, "[]", "[[]]", "3") == [False, True, True]


# ---- Slots ----


def test_slots_have_places_in_the_schema():
    template = xgr.Template.from_json_schema(
        {"type": "array", "minItems": slot("n"), "items": {"anyOf": [{"const": slot("v")}, {"enum": slot("vs")}]}}
    )
    assert [(found.name, found.kind, found.scope) for found in template.slots] == [
        ("n", "count", ""), ("v", "value", ""), ("vs", "values", "")
    ]  # fmt: skip
    for found in template.slots:
        assert [json.loads(template.source.encode()[slice(*span)]) for span in found.spans] == [slot(found.name)]
    assert xgr.Template.from_json_schema('{"const": {"$slot": "x"}}').slots[0].name == "x"


def test_a_slot_of_two_kinds():
    with pytest.raises(GrammarError, match=r"is a list of JSON values here and a JSON value elsewhere"):
        xgr.Template.from_json_schema({"anyOf": [{"const": slot("x")}, {"enum": slot("x")}]})


def test_coverage_is_that_of_the_schema():
    written = xgr.Template.from_json_schema({"title": "t", "enum": slot("x")}).write_out(x=[1])
    assert [(use.pointer, use.state) for use in written.coverage] == [("/title", "annotation"), ("/enum", "enforced")]


# ---- Slots that can't stand where they are ----


@pytest.mark.parametrize(
    ("schema", "code", "pointer"),
    [
        ({"minLength": slot("n")}, "misplaced_slot", "/minLength"),
        ({"type": slot("t")}, "misplaced_slot", "/type"),
        ({"items": slot("t")}, "misplaced_slot", "/items"),
        ({"properties": {"a": slot("t")}}, "misplaced_slot", "/properties/a"),
        ({"enum": ["a", slot("x")]}, "misplaced_slot", "/enum/1"),
        ({"const": {"a": slot("x")}}, "misplaced_slot", "/const/a"),
        ({"default": slot("x")}, "misplaced_slot", "/default"),
        ({"$defs": {"a": {"const": slot("x")}}}, "misplaced_slot", "/$defs/a/const"),
        ({"type": "string", "minItems": slot("n")}, "misplaced_slot", "/minItems"),
        ({"const": {"$slot": "x", "y": 1}}, "bad_slot", "/const"),
        ({"const": slot("x y")}, "bad_slot", "/const"),
        ({"const": slot("")}, "bad_slot", "/const"),
        ({"properties": {}, "const": slot("x")}, "misplaced_slot", "/properties"),
        ({"enum": [1], "const": slot("x")}, "misplaced_slot", "/enum"),
        ({"anyOf": [{}, {}], "const": slot("x")}, "misplaced_slot", "/anyOf"),
        ({"allOf": [{"const": slot("x")}, {"minimum": 2}]}, "misplaced_slot", "/allOf/0/const"),
        ({"allOf": [{"const": slot("x")}, {"enum": slot("y")}]}, "misplaced_slot", "/allOf/0/const"),
        ({"not": {"const": slot("x")}}, "misplaced_slot", "/not/const"),
        ({"oneOf": [{"const": slot("x")}, {"type": "string"}]}, "misplaced_slot", "/oneOf/0/const"),
        ({"if": {"const": slot("x")}, "then": True, "else": {"type": "null"}}, "misplaced_slot", "/if/const"),
        ({"$ref": "#/$defs/a", "maxLength": 3, "$defs": {"a": {"enum": slot("x")}}}, "misplaced_slot", "/$defs/a/enum"),
        ({"type": "object", "propertyNames": {"enum": slot("x")}}, "misplaced_slot", "/propertyNames/enum"),
        ({"type": "array", "uniqueItems": True, "items": {"enum": slot("x")}}, "misplaced_slot", "/items/enum"),
        ({"type": "array", "uniqueItems": True, "maxItems": slot("n")}, "misplaced_slot", "/maxItems"),
        ({"type": "array", "contains": {"const": 1}, "minItems": slot("n")}, "misplaced_slot", "/minItems"),
        ({"type": "array", "prefixItems": [True], "minItems": slot("n")}, "misplaced_slot", "/minItems"),
        ({"type": "array", "items": False, "minItems": slot("n")}, "misplaced_slot", "/minItems"),
        ({"allOf": [{"minItems": slot("n")}, {"minItems": 2}]}, "misplaced_slot", "/allOf/0/minItems"),
        ({"not": {"type": "array", "minItems": slot("n")}}, "misplaced_slot", "/not/minItems"),
        ({"enum": [[1]], "minItems": slot("n")}, "misplaced_slot", "/minItems"),
    ],
)
def test_misplaced_slots(schema: Any, code: str, pointer: str):
    with pytest.raises(GrammarError) as caught:
        xgr.Template.from_json_schema(schema, strict_mode=False)
    found = [d for d in caught.value.diagnostics if d.code == code]
    assert any(d.message.startswith(f"at {pointer}:") for d in found), str(caught.value)
    assert all(d.hint and d.span[0] < d.span[1] for d in found)


def test_all_misplaced_slots_at_once():
    with pytest.raises(GrammarError) as caught:
        xgr.Template.from_json_schema({"minLength": slot("a"), "maxLength": slot("b"), "default": slot("c")})
    assert len(caught.value.diagnostics) == 3


@pytest.mark.parametrize(
    "schema",
    [
        {"oneOf": [{"type": "string", "enum": slot("x")}, {"type": "null"}]},
        {"allOf": [{"type": "string"}, {"type": "string", "enum": slot("x")}]},
        {"type": ["string", "null"], "anyOf": [{"type": "string", "const": slot("x")}, {"type": "null"}]},
        {"type": "string", "allOf": [{"anyOf": [{"type": "string", "enum": slot("x")}]}]},
        {"anyOf": [{"properties": {"a": {"const": slot("x")}}}, {"required": ["b"]}, {"type": "null"}]},
        {"not": {"type": "null"}, "anyOf": [{"type": "string", "enum": slot("x")}, {"type": "boolean"}]},
    ],
)
def test_slots_whose_types_settle_what_would_be_compared(schema: Any):
    argument = "a" if "const" in str(schema) else ["a", "b"]
    written = xgr.Template.from_json_schema(schema, strict_mode=False).write_out(x=argument)
    expected = xgr.Grammar.from_json_schema(with_arguments(schema, {"x": argument}), strict_mode=False)
    texts = ['"a"', '"b"', '"c"', "null", "true", "1", '{"a":"a"}', '{"a":"b"}', '{"a":"b","b":1}']
    assert accepts(written, *texts) == accepts(expected, *texts)


# ---- Mistakes in arguments ----


@pytest.mark.parametrize(
    ("schema", "arguments", "expected"),
    [
        ({"const": slot("x")}, {}, [("missing_argument", "")]),
        ({"const": slot("x")}, {"x": b"\xff"}, [("wrong_argument", "/x")]),
        ({"const": slot("x")}, {"x": float("nan")}, [("wrong_argument", "/x")]),
        ({"const": slot("x")}, {"x": 10**5000}, [("wrong_argument", "/x")]),
        ({"const": slot("x")}, {"x": [1, {"a/b": {1, 2}}]}, [("wrong_argument", "/x/1/a~1b")]),
        ({"const": slot("x")}, {"x": "\ud800"}, [("wrong_argument", "/x")]),
        ({"enum": slot("x")}, {"x": []}, [("empty_choice", "/x")]),
        ({"enum": slot("x")}, {"x": "abc"}, [("wrong_argument", "/x")]),
        ({"enum": slot("x")}, {"x": [1, object()]}, [("wrong_argument", "/x/1")]),
        ({"type": "string", "enum": slot("x")}, {"x": ["a", 1, None]},
         [("wrong_argument", "/x/1"), ("wrong_argument", "/x/2")]),
        ({"type": "integer", "const": slot("x")}, {"x": 1.5}, [("wrong_argument", "/x")]),
        ({"pattern": "^a", "const": slot("x")}, {"x": "b"}, [("wrong_argument", "/x")]),
        ({"maxItems": slot("n")}, {"n": -1}, [("bad_count", "/n")]),
        ({"maxItems": slot("n")}, {"n": 2.0}, [("wrong_argument", "/n")]),
        ({"minItems": slot("m"), "maxItems": slot("n")}, {"m": 2, "n": 1}, [("bad_count", "/n")]),
        ({"minItems": slot("m"), "maxItems": slot("n")}, {"m": 2, "n": 0}, [("bad_count", "/n")]),
        ({"minItems": slot("m"), "maxItems": 3}, {"m": 4}, [("bad_count", "/m")]),
        ({"minItems": 2, "maxItems": slot("n")}, {"n": 1}, [("bad_count", "/n")]),
    ],
)  # fmt: skip
def test_mistakes_in_arguments(schema: Any, arguments: dict[str, Any], expected: list[tuple[str, str]]):
    template = xgr.Template.from_json_schema({"type": "object", "properties": {"é": schema}})
    with pytest.raises(TemplateArgumentError) as caught:
        template.write_out(**arguments)
    assert [(found.code, found.pointer) for found in caught.value.diagnostics] == expected
    for found in caught.value.diagnostics:
        assert found.hint
        assert b"$slot" in template.source.encode()[slice(*found.span)]
