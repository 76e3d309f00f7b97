"""What is said of JSON Schemas and structural tags, and where: in the text as its author wrote it."""

from __future__ import annotations

import json
from typing import Any

import pytest

import xg2lab as xgr
from xg2lab.errors import InvalidJSONError
from xg2lab.sources.json_schema import Coverage

SCHEMA = """{"type":"object", "properties": {
   "n\\u00e4me": {"type": "string", "minlength": 3},
 "age": {"type": "integer", "maxLength": 4}, "when": {"format": "datetime"}},
 "then": {"required": ["age"]}, "x-order": 1, "colour": 2,
 "$defs": {"used": {"type": "null"}, "not/used": {"type": "null"}}, "not": {
   "properties": {"z": {"$ref": "#/$defs/used"}}, "required": ["z"]}}"""


def lines(findings: xgr.Findings) -> list[tuple[str, str, str, str]]:
    """Code, severity, pointer, and the words of the text that are meant."""
    data = findings.source.encode()
    return [(f.code, f.severity, f.pointer or "", data[slice(*f.span)].decode()) for f in findings]


def test_each_finding_of_a_schema():
    assert lines(xgr.lint(SCHEMA, kind="json_schema")) == [
        ("unknown_keyword", "warning", "/properties/näme/minlength", '"minlength"'),
        ("keyword_no_effect", "warning", "/properties/age/maxLength", '"maxLength"'),
        ("unchecked_format", "warning", "/properties/when/format", '"format"'),
        ("keyword_no_effect", "warning", "/then", '"then"'),
        ("unknown_keyword", "hint", "/colour", '"colour"'),
        ("unused_definition", "hint", "/$defs/not~1used", '"not/used"'),
    ]


def test_a_required_name_that_nearly_is_a_property():
    def said(required: list[str], properties: list[str]) -> list[tuple[str, str, str]]:
        schema = {"properties": {name: {} for name in properties}, "required": required}
        found = xgr.lint(json.dumps({"items": schema}), kind="json_schema")
        return [(f.code, f.pointer or "", f.hint) for f in found]

    expected = [("misspelled_required", "/items/required/1", "did you mean `email`?")]
    assert said(["name", "emial"], ["name", "email"]) == expected
    assert said(["emial", "email"], ["email"]) == []  # both are required, so both are meant
    assert said(["id"], ["email"]) == []
    assert said(["email"], ["email"]) == []
    assert xgr.lint('{"required": ["emial"]}', kind="json_schema") == []
    assert (
        lines(xgr.lint('{"properties": {"a\u0065b": {}}, "required": ["aeb ", "abe"]}', kind="json_schema"))[0][3]
        == '"aeb "'
    )


def test_the_whole_text():
    findings = xgr.lint('{"type": "number",\n  "maximun": 3}', kind="json_schema", name="n.json")
    assert str(findings) == (
        "warning[unknown_keyword]: there is no keyword `maximun`: it checks nothing\n"
        "  n.json:2:3 at /maximun\n"
        '    2 |   "maximun": 3}\n'
        "      |   ^^^^^^^^^\n"
        "  hint: did you mean `maximum`?\n"
        "\n"
        "1 warning"
    )


@pytest.mark.parametrize(
    "schema",
    [
        {"type": ["integer", "null"], "minimum": 3},
        {"minimum": 3, "minLength": 3},
        {"enum": ["x"], "description": "text", "x-own": 1},
        {"properties": {"type": {"const": 1}}, "required": ["type"]},
        {"if": {"const": 1}, "then": True, "else": {"const": 2}},
        {"$defs": {"a": {}, "b": True, "c": {"type": "null"}}, "$ref": "#/$defs/c"},
        {"type": "array", "contains": {"const": 1}, "minContains": 2},
        True,
    ],
)
def test_schemas_of_which_there_is_nothing_to_say(schema: Any):
    assert xgr.lint(json.dumps(schema), kind="json_schema") == []
    assert xgr.Grammar.from_json_schema(schema).lint() == []


def test_what_an_older_draft_lets_pass():
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"a": {"type": "string"}},
        "$ref": "#/definitions/a", "maxLength": 3,
    }  # fmt: skip
    finding = xgr.lint(json.dumps(schema), kind="json_schema")[0]
    assert (finding.code, finding.pointer) == ("keyword_no_effect", "/maxLength")
    assert "keywords beside $ref have no effect" in finding.message


def test_refusals_stand_beside_what_else_there_is_and_relaxing_makes_them_warnings():
    text = '{"type": "array", "uniqueItems": true, "maxitems": 2}'
    assert lines(xgr.lint(text, kind="json_schema")) == [
        ("unsupported_unique_items", "error", "/uniqueItems", '"uniqueItems": true'),
        ("unknown_keyword", "warning", "/maxitems", '"maxitems"'),
    ]
    relaxed = xgr.lint(text, kind="json_schema", on_unsupported="relax")
    assert lines(relaxed)[0] == ("relaxed_keyword", "warning", "/uniqueItems", '"uniqueItems"')


def test_a_grammar_that_was_made_of_a_schema_lints_itself():
    grammar = xgr.Grammar.from_json_schema({"type": "string", "minimum": 3})
    finding = grammar.lint()[0]
    assert (finding.code, finding.line, grammar.source.encode()[slice(*finding.span)]) == (
        "keyword_no_effect", 3, b'"minimum"'
    )  # fmt: skip


TAG = """{"format": {"type": "sequence", "elements": [
  {"type": "regex", "pattern": "\\u0061%s"}, {"type":"json_schema",
   "json_schema": {"type": "string", "minlength": 1}}]}}"""


def test_structural_tags():
    assert lines(xgr.lint(TAG % "b", kind="structural_tag")) == [
        ("unknown_keyword", "warning", "/format/elements/1/json_schema/minlength", '"minlength"')
    ]
    assert lines(xgr.lint(TAG % "(b", kind="structural_tag")) == [
        ("bad_regex", "error", "/format/elements/0/pattern", "(")
    ]


@pytest.mark.parametrize(
    ("text", "words", "line", "column", "message"),
    [
        ('{"é": }', b"}", 1, 7, "expecting value"),
        ('{"a": 1,\n "é": {"b": 1, "b": 2}}', b'"b"', 2, 16, 'the key "b" occurs twice in one object'),
        ('{"a": {"c": 1, "c": 2}, "a": 1}', b'"c"', 1, 16, 'the key "c" occurs twice in one object'),
        ("[1,\nNaN]", b"NaN", 2, 1, "JSON has no NaN"),
        ('["\\ud83d\\ude00\\ud800"]', b"\\ud800", 1, 15, "an escape is half of a surrogate pair"),
        (b'["\xff"]', b"\xff", 1, 3, "byte 2 is not UTF-8"),
        ("[" * 100_000, b"[", 1, 1, "this JSON is nested too deep"),
        ('["\udcff"]', b"\xed", 1, 3, "this text is not UTF-8"),
    ],
)
def test_text_that_is_not_json(text: str | bytes, words: bytes, line: int, column: int, message: str):
    with pytest.raises(InvalidJSONError) as caught:
        xgr.Grammar.from_json_schema(text)
    finding = caught.value.diagnostics[0]
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    assert (finding.code, finding.line, finding.column) == ("invalid_json", line, column)
    assert data[slice(*finding.span)] == words
    assert finding.message.startswith(message)


# ---- Coverage ----


def test_coverage_prints_as_a_table_that_fits():
    schema = {"type": "array", "uniqueItems": True, "title": "all of them", "maxitems": 2}
    coverage = xgr.Grammar.from_json_schema(schema, on_unsupported="relax").coverage
    assert isinstance(coverage, Coverage)
    assert str(coverage) == (
        "enforced    /type\n"
        "relaxed     /uniqueItems  no grammar can compare items that have unlimited possible values\n"
        "annotation  /title\n"
        "annotation  /maxitems     not a keyword of the standard\n"
        "\n"
        "1 enforced, 2 annotations, 1 relaxed"
    )
    assert max(map(len, coverage.shown(60).split("\n"))) <= 60
    assert "<code>/uniqueItems</code>" in coverage._repr_html_()
    assert str(xgr.Grammar.from_json_schema(True).coverage) == "no keywords"
    assert xgr.Grammar.from_ebnf('root ::= "a"').coverage == []


def test_keywords_have_their_names():
    schema = {"a/b~": 1, "properties": {"x~y/": {"type": "string"}}}
    uses = xgr.Grammar.from_json_schema(schema).coverage
    assert [(use.pointer, use.keyword) for use in uses] == [
        ("/a~1b~0", "a/b~"), ("/properties", "properties"), ("/properties/x~0y~1/type", "type")
    ]  # fmt: skip
