"""A structural tag is read from pydantic objects and from text as from the dict that `model_dump` gives."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

pytest.importorskip("pydantic")

from pydantic import BaseModel, model_serializer

import xg2lab as xgr
from xg2lab.errors import ArgumentError, ArgumentTypeError, InvalidJSONError
from xg2lab.grammar import structural_tag_input, structural_tag_value
from xg2lab.structural_tag import (
    FORMAT_CLASSES,
    AnyTextFormat,
    JSONSchemaFormat,
    StructuralTag,
    StructuralTagItem,
    TagFormat,
    TriggeredTagsFormat,
)

SCHEMA = {"type": "object", "properties": {"ü": {"enum": [1, 2.5, None, "\n", [], {}]}}, "required": ["ü"]}
TAG = StructuralTag(
    format=TriggeredTagsFormat(
        triggers=["<f"],
        tags=[
            TagFormat(begin="<f=a>", content=JSONSchemaFormat(json_schema=SCHEMA), end="</f>"),
            TagFormat(begin="<f=b>", content=AnyTextFormat(max_chars=9), end=["</f>", "</g>"]),
        ],
    )
)
INFO = xgr.TokenizerInfo([b"<f", b"=a>", b"{", b'"', b"x", b"</s>"], stop_token_ids=[5])


def test_each_form_has_the_same_json():
    dumped = TAG.model_dump()
    text = structural_tag_input(dumped).text
    assert json.loads(text) == dumped
    for form in (
        TAG,
        json.dumps(dumped),
        json.dumps(dumped, indent=4),
        json.dumps(dumped).encode(),
        TAG.model_dump_json(),
    ):
        assert structural_tag_input(form).text == text


def test_the_classes_are_those_that_are_read_in_place():
    assert {type(TAG), type(TAG.format), JSONSchemaFormat} <= FORMAT_CLASSES
    assert not {BaseModel, StructuralTagItem} & FORMAT_CLASSES


def test_other_models_say_what_their_json_is():
    class Marked(TagFormat):
        note: str = "not ours"

        @model_serializer
        def without_note(self) -> dict[str, Any]:
            return {"type": "tag", "begin": self.begin, "content": self.content, "end": self.end}

    class Choice(BaseModel):
        enum: list[int]

    ours = TagFormat(begin="<a>", content=JSONSchemaFormat(json_schema={"enum": [1]}), end="</a>")
    theirs = Marked(begin="<a>", content=JSONSchemaFormat(json_schema={"enum": [1]}), end="</a>")
    wanted = structural_tag_input({"format": ours.model_dump()}).text
    assert structural_tag_input({"format": theirs}).text == wanted
    assert structural_tag_input({"format": ours}).text == wanted
    schema = TagFormat(begin="<a>", content=JSONSchemaFormat(json_schema={"not": Choice(enum=[1])}), end="</a>")
    assert json.loads(structural_tag_input(schema).text)["content"]["json_schema"] == {"not": {"enum": [1]}}


@pytest.mark.parametrize("value", [{1, 2}, object(), b"x", 1j])
@pytest.mark.parametrize("cache_enabled", [True, False])
def test_what_is_no_json_is_refused_at_its_place(value: object, cache_enabled: bool):
    compiler = xgr.GrammarCompiler(INFO, cache_enabled=cache_enabled)
    tag = {"format": {"type": "json_schema", "json_schema": {"enum": [0, value]}}}
    with pytest.raises(TypeError, match=f'at "/format/json_schema/enum/1": a {type(value).__name__}'):
        compiler.compile_structural_tag(tag)
    tag["format"]["json_schema"] = {"const": Decimal("NaN")}  # type: ignore[index]
    with pytest.raises(ArgumentError, match='at "/format/json_schema/const": JSON has no NaN'):
        compiler.compile_structural_tag(tag)


def test_the_same_tag_is_found_in_each_form():
    compiler = xgr.GrammarCompiler(INFO)
    compiled = compiler.compile_structural_tag(TAG)
    assert compiler.compile_structural_tag(TAG.model_dump()) is compiled
    assert compiler.compile_structural_tag(TAG.model_dump_json()) is compiled
    assert compiler.compile_structural_tag(TAG.model_copy(deep=True)) is compiled
    assert compiler.compile_structural_tag(TAG, on_unsupported="relax") is not compiled
    changed = TAG.model_copy(deep=True)
    changed.format.tags[0].end = "</h>"  # type: ignore[union-attr]
    assert compiler.compile_structural_tag(changed) is not compiled


def test_the_older_form_and_mistakes_in_text():
    items = [StructuralTagItem(begin="<f>", schema='{"type": "integer"}', end="</f>")]
    assert json.loads(structural_tag_input(items, ["<f"]).text) == structural_tag_value(items, ["<f"])
    with pytest.raises(ArgumentTypeError, match="older form"):
        structural_tag_input(TAG, ["<f"])
    with pytest.raises(InvalidJSONError, match="line 1, column 13"):
        structural_tag_input('{"format": {]')
    with pytest.raises(InvalidJSONError, match='"a" occurs twice'):
        structural_tag_input('{"a": 1, "a": 2}')
