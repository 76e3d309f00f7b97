"""What became of the keywords of the schemas in a structural tag."""

from __future__ import annotations

from typing import Any

import pytest

import xg2lab as xgr
from xg2lab.errors import ArgumentError, UnsupportedError
from xg2lab.testing import _is_grammar_accept_string


def tagged(*schemas: Any, style: str = "json") -> dict[str, Any]:
    elements = [{"type": "json_schema", "json_schema": schema, "style": style} for schema in schemas]
    return {"type": "structural_tag", "format": {"type": "sequence", "elements": elements}}


def test_each_schema_is_covered_also_one_that_stands_there_twice():
    schema = {"type": "object", "properties": {"a/b": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"minimum": 1}}, "zz": 1}
    grammar = xgr.Grammar.from_structural_tag(tagged(schema, {"title": "any"}, schema))
    own = xgr.Grammar.from_json_schema(schema).coverage
    found = [(use.pointer, use.keyword, use.state, use.note) for use in grammar.coverage]
    expected = [
        (f"/format/elements/{at}/json_schema{use.pointer}", use.keyword, use.state, use.note)
        for at in (0, 2)
        for use in own
    ]
    expected.insert(len(own), ("/format/elements/1/json_schema/title", "title", "annotation", ""))
    assert found == expected
    source = grammar.source.encode()
    assert [source[slice(*use.span)].decode().strip('"') for use in grammar.coverage] == [row[1] for row in expected]


@pytest.mark.parametrize("style", ["json", "qwen_xml"])
def test_what_can_not_be_kept_is_refused_or_left_out(style: str):
    tag = tagged({"type": "object", "properties": {"a": {"type": "array", "uniqueItems": True}}}, style=style)
    with pytest.raises(UnsupportedError) as caught:
        xgr.Grammar.from_structural_tag(tag)
    pointer = "/format/elements/0/json_schema/properties/a/uniqueItems"
    assert caught.value.pointer == pointer
    grammar = xgr.Grammar.from_structural_tag(tag, on_unsupported="relax")
    assert [(use.pointer, use.state) for use in grammar.relaxations] == [(pointer, "relaxed")]
    info = xgr.TokenizerInfo([bytes([byte]) for byte in range(256)] + [b"</s>"], stop_token_ids=[256])
    compiler = xgr.GrammarCompiler(info)
    compiled = compiler.compile_structural_tag(tag, on_unsupported="relax")
    assert compiled.grammar.relaxations == grammar.relaxations
    with pytest.raises(UnsupportedError):  # what was relaxed is not found by who doesn't relax
        compiler.compile_structural_tag(tag)
    with pytest.raises(ArgumentError, match="on_unsupported"):
        xgr.Grammar.from_structural_tag(tag, on_unsupported="ignore")
    if style == "json":
        assert _is_grammar_accept_string(grammar, '{"a": [1, 1]}')


def test_tags_without_schemas_have_no_coverage():
    assert xgr.Grammar.from_structural_tag({"format": {"type": "any_text"}}).coverage == []
