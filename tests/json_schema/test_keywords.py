"""Each keyword of JSON Schema, alone and with siblings: what its grammar takes and what it refuses."""

import json
from typing import Any

import pytest

pytest.importorskip("xg2lab._core", reason="the engine is not built")
import xg2lab as xgr
from xg2lab.errors import ArgumentError, GrammarError, InvalidJSONError, LimitError, UnsupportedError

INFO = xgr.TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1])
COMPILER = xgr.GrammarCompiler(INFO, cache_enabled=False)


def accepts(schema: Any, text: str, **options: Any) -> bool:
    matcher = xgr.GrammarMatcher(COMPILER.compile_json_schema(schema, **options))
    return matcher.accept_string(text) and matcher.is_completed()


def verdicts(schema: Any, *texts: str, **options: Any) -> list[bool]:
    matcher = xgr.GrammarMatcher(COMPILER.compile_json_schema(schema, **options))
    answers: list[bool] = []
    for text in texts:
        matcher.reset()
        answers.append(matcher.accept_string(text) and matcher.is_completed())
    return answers


# schema, texts of valid values, texts of others; the standard's meaning (strict_mode=False)
CASES: list[tuple[Any, list[str], list[str]]] = [
    (True, ["1", '{"a":[null]}'], ["", "[1"]),
    ({"type": "null"}, ["null"], ["0", "nul"]),
    ({"type": ["integer", "null"]}, ["3", "3.0", "-0", "null"], ["3.5", "true", '"3"']),
    ({"enum": ["a", 1, None, {"x": [1]}]}, ['"a"', "1", "1.0", '{"x":[1]}'], ["2", '{"x":[1,1]}', '{"x":1}', "{}"]),
    ({"const": "é"}, ['"é"', '"\\u00e9"', '"\\u00E9"'], ['"e"', '"\\u00ea"']),
    (  # json.dumps writes DEL with an escape, JavaScript as it is
        {"enum": ["\x7f", "a\x7fb"]},
        ['"\\u007f"', '"\\u007F"', '"\x7f"', json.dumps("a\x7fb")],
        ['"\\u007e"', '"~"'],
    ),
    (
        {"properties": {"a\x7f": {"type": "null"}}, "additionalProperties": {"type": "boolean"}},
        ['{"a\x7f":null}', '{"a\\u007f":null}', '{"b\x7f":true}', '{"b\\u007f":true}'],
        ['{"a\x7f":true}', '{"a\\u007f":true}', '{"a\x7f":null,"a\\u007f":null}', '{"b\\u0062":true}'],
    ),
    ({"type": "string", "pattern": "^\\x7f$"}, ['"\x7f"', '"\\u007f"'], ['"~"']),
    ({"multipleOf": 2}, ["1.5e+16", "1.4e+17", "1.5000000000000002e+16"], ["1.5000000000000001e+16", "1.5"]),
    ({"multipleOf": 0.5}, ["1.5e+16", "1.4e+17", "0.5", "1.5e16"], ["0.25", "1.5e-07"]),
    ({"multipleOf": 7}, ["1.4e+17", "1.4e16", "14"], ["1.5e+16", "1.5e+17", "15"]),
    ({"not": {"multipleOf": 7}, "type": "number"}, ["1.5e+16", "1.5e-07"], ["1.4e+17", "14"]),
    ({"multipleOf": 1e-6}, ["1.5e-05", "1e-06"], ["1.5e-06", "1.5e-07"]),
    ({"type": "string", "minLength": 2, "maxLength": 3}, ['"ab"', '"\\u0061b"', '"😀é"'], ['"a"', '"abcd"']),
    ({"type": "string"}, ['"\\n\\/\\""'], ['"\n"', '"\\x"', '"\\ud800"']),
    ({"type": "string", "pattern": "^a", "maxLength": 2}, ['"a"', '"ab"', '"\\u0061"'], ['"ba"', '"abc"']),
    ({"type": "string", "pattern": "b"}, ['"abc"', '"b"'], ['"a"']),
    ({"type": "string", "not": {"enum": ["a", "b"]}}, ['""', '"ab"'], ['"a"', '"\\u0062"']),
    ({"type": "string", "format": "date"}, ['"2024-02-29"'], ['"2023-02-29"', '"2024-2-9"']),
    ({"type": "string", "format": "nonsense"}, ['"x"'], ["1"]),
    ({"type": "integer", "minimum": 3, "exclusiveMaximum": 12}, ["3", "11", "1e1"], ["2", "12", "3.5"]),
    ({"minimum": 0, "exclusiveMinimum": True}, ["0.1", '"s"'], ["0", "-1"]),
    ({"type": "number", "multipleOf": 0.01}, ["0.1", "12.34", "3"], ["0.001", "12.345"]),
    (
        {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2},
        ["[1]", "[1 , 2]"],
        ["[]", "[1,2,3]"],
    ),
    (
        {"prefixItems": [{"const": 1}, {"type": "string"}], "items": False},
        ["[]", "[1]", '[1,"a"]'],
        ["[2]", '[1,"a",1]'],
    ),
    ({"items": [{"const": 1}], "additionalItems": {"const": 2}}, ["[1,2,2]", "[]"], ["[2]", "[1,1]"]),
    ({"type": "array", "contains": {"const": 1}}, ["[1]", '["a",1,2]'], ["[]", "[2]"]),
    (
        {"type": "array", "contains": {"type": "null"}, "maxContains": 1, "minContains": 0},
        ["[]", "[1,null]"],
        ["[null,null]"],
    ),
    (
        {"type": "array", "items": {"enum": [1, "a", None]}, "uniqueItems": True},
        ["[]", '["a",1,null]'],
        ["[1,1]", '[1,"a",1]'],
    ),
    (
        {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a", "b"]},
        ['{"a":1,"b":null}', '{"c":0,"b":1,"a":2}'],
        ['{"a":1}', '{"a":"x","b":1}', '{"a":1,"a":2,"b":1}'],
    ),
    ({"properties": {"a": False}, "type": "object"}, ["{}", '{"b":1}'], ['{"a":1}', '{"\\u0061":1}']),
    ({"type": "object", "additionalProperties": {"type": "integer"}}, ["{}", '{"x":1,"y":2}'], ['{"x":"1"}']),
    (
        {"type": "object", "patternProperties": {"^x": {"const": 1}}, "additionalProperties": False},
        ['{"x":1,"xy":1}'],
        ['{"x":2}', '{"y":1}'],
    ),
    ({"type": "object", "propertyNames": {"maxLength": 1}}, ['{"a":1}'], ['{"ab":1}']),
    (
        {"type": "object", "minProperties": 2, "maxProperties": 2},
        ['{"a":1,"b":1}'],
        ["{}", '{"a":1}', '{"a":1,"b":1,"c":1}'],
    ),
    ({"type": "object", "dependentRequired": {"a": ["b"]}}, ["{}", '{"b":1}', '{"a":1,"b":1}'], ['{"a":1}']),
    ({"type": "object", "dependentSchemas": {"a": {"required": ["b"]}}}, ["{}", '{"a":1,"b":1}'], ['{"a":1}']),
    (
        {"dependencies": {"a": ["b"], "c": {"minProperties": 2}}, "type": "object"},
        ['{"c":1,"d":1}'],
        ['{"c":1}', '{"a":1}'],
    ),
    ({"allOf": [{"type": "integer"}, {"minimum": 3}, {"maximum": 4}]}, ["3", "4"], ["2", "5", '"a"']),
    ({"anyOf": [{"type": "integer"}, {"minimum": 2}]}, ["1", "2.5"], ["1.5"]),
    ({"oneOf": [{"type": "integer"}, {"minimum": 2}]}, ["1", "2.5"], ["3", "1.5"]),
    ({"not": {"type": "object", "required": ["a"]}}, ["1", "{}", '{"b":1}'], ['{"a":1}']),
    (
        {"type": "object", "not": {"additionalProperties": {"type": "integer"}}},
        ['{"a":"x"}', '{"b":1,"a":null}'],
        ["{}", '{"a":1}'],
    ),
    (
        {
            "if": {"properties": {"k": {"const": 1}}, "required": ["k"]},
            "then": {"required": ["a"]},
            "else": {"required": ["b"]},
            "type": "object",
        },
        ['{"k":1,"a":0}', '{"k":2,"b":0}', '{"b":0}'],
        ['{"k":1}', '{"k":1,"b":0}', '{"a":0}'],
    ),
    (
        {"$defs": {"t": {"type": "array", "items": {"$ref": "#/$defs/t"}}}, "$ref": "#/$defs/t", "maxItems": 1},
        ["[]", "[[[],[]]]"],
        ["[1]", "[[],[]]"],
    ),
    (  # whether the two can hold together asks for the schema that is being worked out
        {
            "$defs": {
                "f": {"oneOf": [{"$ref": "#/$defs/d"}, {"$ref": "#/$defs/s"}]},
                "d": {"type": "object", "required": ["x"], "properties": {"x": {"$ref": "#/$defs/f"}}},
                "s": {"type": "object", "required": ["x"], "properties": {"x": {"type": "integer"}}},
            },
            "$ref": "#/$defs/f",
        },
        ['{"x":1}', '{"x":{"x":1}}'],
        ["{}", '{"x":"a"}'],
    ),
    (  # the outermost schema has the anchor, so it is what the inner one means
        {
            "$dynamicAnchor": "node",
            "$ref": "tree",
            "unevaluatedProperties": False,
            "$defs": {
                "tree": {
                    "$id": "tree",
                    "$dynamicAnchor": "node",
                    "type": "object",
                    "properties": {"children": {"type": "array", "items": {"$dynamicRef": "#node"}}},
                }
            },
        },
        ["{}", '{"children":[{"children":[]}]}'],
        ['{"x":1}', '{"children":[{"x":1}]}'],
    ),
    (
        {"prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False, "uniqueItems": True},
        ["[]", '["a"]', '["1",1]'],
        ['["a","a"]', "[1]"],
    ),
    (
        {
            "type": "array",
            "prefixItems": [{"type": "boolean"}, {"type": "boolean"}],
            "items": False,
            "uniqueItems": True,
        },
        ["[]", "[true]", "[true,false]", "[false , true]"],
        ["[true,true]", "[false,false]", "[1]"],
    ),
    ({"$ref": "#/$defs/a~1b%25", "$defs": {"a/b%": {"type": "null"}}}, ["null"], ["1"]),
    # An `id` that names no resource, as generators of API descriptions write it: the pointer is
    # the document's.
    (
        {
            "definitions": {
                "app": {
                    "id": "schemata/app",
                    "definitions": {"name": {"type": "string"}},
                    "properties": {"name": {"$ref": "#/definitions/app/definitions/name"}},
                }
            },
            "properties": {"app": {"$ref": "#/definitions/app"}},
        },
        ['{"app":{"name":"x"}}'],
        ['{"app":{"name":1}}'],
    ),
    # A pointer that leads somewhere in its resource is the resource's.
    (
        {
            "$defs": {"n": {"type": "string"}},
            "properties": {"a": {"$id": "inner", "$ref": "#/$defs/n", "$defs": {"n": {"type": "integer"}}}},
        },
        ['{"a":1}'],
        ['{"a":"x"}'],
    ),
    (
        {
            "$id": "http://x.test/root",
            "$ref": "other#here",
            "$defs": {"o": {"$id": "other", "$anchor": "here", "const": 7}},
        },
        ["7"],
        ["8"],
    ),
    (
        {
            "allOf": [{"properties": {"a": {}}}],
            "properties": {"b": {}},
            "unevaluatedProperties": False,
            "type": "object",
        },
        ["{}", '{"a":1,"b":2}'],
        ['{"c":1}'],
    ),
    ({"prefixItems": [{}], "unevaluatedItems": False, "type": "array"}, ["[1]"], ["[1,2]"]),
]


@pytest.mark.parametrize(("schema", "valid", "invalid"), CASES, ids=[json.dumps(row[0])[:60] for row in CASES])
def test_meaning(schema: Any, valid: list[str], invalid: list[str]):
    answers = verdicts(schema, *valid, *invalid, strict_mode=False)
    assert answers == [True] * len(valid) + [False] * len(invalid)
    # What is printed reads back to the same, and so does what is serialized.
    grammar = xgr.Grammar.from_json_schema(schema, strict_mode=False)
    assert str(xgr.Grammar.from_ebnf(str(grammar))) == str(grammar)
    assert str(xgr.Grammar.deserialize_json(grammar.serialize_json())) == str(grammar)


def test_by_default_properties_come_as_declared_and_objects_are_closed():
    schema = {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["b"]}
    texts = ['{"a":1,"b":2}', '{"b":2}', '{"b":2,"a":1}', '{"b":2,"c":3}', '{"b":1,"b":2}']
    assert verdicts(schema, *texts) == [True, True, False, False, False]
    assert verdicts(schema, *texts, any_order=True) == [True, True, True, False, False]
    assert verdicts(schema, *texts, strict_mode=False) == [True, True, True, True, False]
    assert verdicts(schema, *texts, strict_mode=False, any_order=False) == [True, True, False, True, False]
    assert verdicts(schema | {"additionalProperties": True}, '{"b":2,"c":3}') == [True]


def test_whitespace():
    schema = {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "null"}}}}
    value = {"a": [None, None]}
    texts = [json.dumps(value), json.dumps(value, indent=2), json.dumps(value, separators=(",", ":"))]
    assert verdicts(schema, *texts) == [True, True, True]
    assert verdicts(schema, *texts, any_whitespace=False) == [True, False, False]
    assert verdicts(schema, *texts, any_whitespace=False, indent=2) == [False, True, False]
    assert verdicts(schema, *texts, any_whitespace=False, separators=(",", ":")) == [False, False, True]
    assert verdicts(schema, '{ "a":[]}', '{  "a":[]}', max_whitespace_cnt=1) == [True, False]
    assert verdicts(schema, "{}", '{\n "a": []\n}', any_whitespace=False, indent=1) == [True, True]
    assert accepts({}, json.dumps([[1, {"b": {}}], {}], indent=3), any_whitespace=False, indent=3)


def test_draft_4_is_read_as_draft_4():
    draft = {"$schema": "http://json-schema.org/draft-04/schema#"}
    assert verdicts(draft | {"type": "integer", "minimum": 2}, "2", "2.0", "1", "2e0") == [True, False, False, False]
    grammar = xgr.Grammar.from_json_schema(draft | {"type": "integer", "minimum": 2})
    assert str(xgr.Grammar.from_ebnf(str(grammar))) == str(grammar)
    schema = draft | {"if": {"type": "string"}, "then": False}
    assert verdicts(schema, '"a"', "1") == [True, True]
    assert [use.state for use in xgr.Grammar.from_json_schema(schema).coverage] == ["annotation"] * 3


def test_whitespace_is_no_trap():
    schema = {"type": "array", "items": {"type": "null"}}
    texts = ["[" + " " * 64 + "null]", "[" + " " * 65 + "null]", "[null" + "\n" * 65 + "]"]
    assert verdicts(schema, *texts) == [True, False, False]


def test_coverage_names_every_keyword():
    schema = {"type": "string", "title": "t", "minLenght": 3, "format": "unheard-of", "maxLength": 3}
    states = {use.pointer: use.state for use in xgr.Grammar.from_json_schema(schema).coverage}
    assert states == {
        "/type": "enforced",
        "/title": "annotation",
        "/minLenght": "annotation",
        "/format": "annotation",
        "/maxLength": "enforced",
    }
    grammar = xgr.Grammar.from_json_schema(schema)
    begin, end = next(use.span for use in grammar.coverage if use.pointer == "/maxLength")
    assert grammar.source.encode()[begin:end] == b'"maxLength"'


def test_what_cannot_be_kept_is_refused_with_all_its_places_or_relaxed_by_name():
    schema = {"properties": {"a": {"uniqueItems": True}, "b": {"type": "string", "format": "regex"}}}
    with pytest.raises(UnsupportedError) as refused:
        xgr.Grammar.from_json_schema(schema)
    assert [d.code for d in refused.value.diagnostics] == ["unsupported_unique_items", "unsupported_format"]
    assert "/properties/a/uniqueItems" in refused.value.diagnostics[0].message
    assert all(d.hint and d.line > 1 for d in refused.value.diagnostics)
    relaxed = xgr.Grammar.from_json_schema(schema, on_unsupported="relax")
    assert [use.pointer for use in relaxed.relaxations] == ["/properties/a/uniqueItems", "/properties/b/format"]
    assert accepts(schema, '{"a":[1,1],"b":"("}', on_unsupported="relax")


@pytest.mark.parametrize(
    ("schema", "code"),
    [
        ({"type": "strng"}, "unknown_type"),
        ({"type": 3}, "invalid_schema"),
        ({"minLength": -1}, "invalid_schema"),
        ({"multipleOf": 0}, "invalid_schema"),
        ({"required": True}, "invalid_schema"),
        ({"anyOf": []}, "invalid_schema"),
        ({"$ref": "#/nowhere"}, "undefined_reference"),
        ({"$ref": "http://elsewhere.test/a"}, "undefined_reference"),
        ({"$ref": "#"}, "circular_reference"),
        ({"allOf": [{"type": "string"}, {"type": "null"}]}, "schema_allows_nothing"),
        (False, "schema_allows_nothing"),
        ({"type": "object", "properties": {"a": False}, "required": ["a"]}, "schema_allows_nothing"),
    ],
)
def test_mistakes(schema: Any, code: str):
    with pytest.raises(GrammarError) as error:
        xgr.Grammar.from_json_schema(schema)
    assert code in [d.code for d in error.value.diagnostics]
    assert error.value.diagnostics[0].hint


def test_text_that_is_no_json():
    for text in ["", "{", '{"a":1,"a":2}', "[NaN]", b"\xff", "[" * 100_000]:
        with pytest.raises(InvalidJSONError):
            xgr.Grammar.from_json_schema(text)
    with pytest.raises(TypeError, match='at "/a": a set'):
        xgr.Grammar.from_json_schema({"a": {1}})
    with pytest.raises(ValueError, match="surrogate"):
        xgr.Grammar.from_json_schema({"const": "\ud800"})
    loop: dict[str, Any] = {}
    loop["not"] = loop
    with pytest.raises(LimitError):
        xgr.Grammar.from_json_schema(loop)


def test_other_documents_come_from_a_registry():
    registry = {
        "http://x.test/point": {"$defs": {"n": {"type": "integer"}}, "items": {"$ref": "#/$defs/n"}, "type": "array"}
    }
    schema = {"$id": "http://x.test/root", "$ref": "point"}
    assert verdicts(schema, "[1]", '["a"]', registry=registry) == [True, False]


def test_models_of_pydantic_and_dataclasses():
    pydantic = pytest.importorskip("pydantic")
    import dataclasses

    model = pydantic.create_model("Point", x=(int, ...), name=(str, "p"))
    point = dataclasses.make_dataclass("Point", [("x", int)])
    assert verdicts(model, '{"x":1,"name":"q"}', '{"x":1}', '{"name":"q"}') == [True, True, False]
    assert verdicts(point, '{"x":1}', '{"x":"1"}') == [True, False]


def test_numbers_keep_their_digits():
    assert verdicts('{"type": "number", "multipleOf": 0.1, "minimum": 1e400}', "1" + "0" * 400, "9" * 400) == [
        True,
        False,
    ]


def test_a_thousand_properties_are_no_burden():
    names = [f"property_{i}" for i in range(1000)]
    schema = {"type": "object", "properties": {name: {"type": "integer"} for name in names}, "required": names[:3]}
    text = json.dumps(dict.fromkeys([*names[500:], *names[:10]], 1))
    assert verdicts(schema, text, text[:-1] + ', "property_0": 1}', strict_mode=False) == [True, False]


@pytest.mark.parametrize(
    "names",
    [["id"], ["id", "in", "i"], ["", "a"], ["value", "Value", "val~ue", "a b"],
     ["a/b", "c"], ["é", "e"], ['a"b'], ["x" * 9, "x" * 8 + "y"]],
)  # fmt: skip
def test_names_that_are_left_over_are_the_machine_of_their_pattern(names):
    """A trie makes them at once; the grammar that is printed has a pattern for them, which is made the general way."""
    schema = {"type": "object", "properties": {name: {} for name in names}}
    grammar = xgr.Grammar.from_json_schema(schema, strict_mode=False)
    compiler = xgr.GrammarCompiler(xgr.TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1]))

    def machine(compiled):
        program = compiled.program()
        edges = sorted((edge["from"], edge["to"], str(edge["ranges"]), edge["rule"] or 0) for edge in program["edges"])
        return [rule["name"] for rule in program["rules"]], [state["accepting"] for state in program["states"]], edges

    made = compiler.compile_grammar(grammar)
    assert made.n_states > 30
    assert machine(made) == machine(compiler.compile_grammar(str(grammar)))


@pytest.mark.parametrize("count", [-1, 2**31, 2**40])
def test_a_count_of_whitespace_that_no_repetition_has_is_refused(count: int):
    with pytest.raises(ArgumentError, match=f"max_whitespace_cnt must be from 0 to 2,147,483,647, not {count}"):
        xgr.Grammar.from_json_schema({}, max_whitespace_cnt=count)
    assert accepts({}, "[ ]", max_whitespace_cnt=2**31 - 1)
