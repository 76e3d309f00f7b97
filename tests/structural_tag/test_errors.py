"""Mistakes in structural tags: each with its place, its pointer and a hint, and all of them at once."""

from __future__ import annotations

from typing import Any

import pytest

import xg2lab as xgr
from xg2lab.errors import InvalidJSONError, InvalidStructuralTagError, UnsupportedError
from xg2lab.grammar import Grammar

TAG = {"type": "tag", "begin": "<f=a>", "content": {"type": "any_text"}, "end": "</f>"}


def triggered(**fields: Any) -> dict[str, Any]:
    return {"type": "triggered_tags", "triggers": ["<f"], "tags": [TAG], **fields}


# The format, the pointer, the message, the hint.
MISTAKES: list[tuple[Any, str, str, str]] = [
    ({"type": "any_txt"}, "/format/type", "there is no format `any_txt`", "did you mean `any_text`?"),
    ({"type": 5}, "/format/type", "a format must be an object with a `type`",
     'write {"type": "any_text"} or another format'),
    ("x", "/format", "a format must be an object with a `type`", 'write {"type": "any_text"} or another format'),
    ({"type": "any_text", "exclude": []}, "/format/exclude", "an any_text has no field `exclude`",
     "did you mean `excludes`?"),
    ({"type": "any_text", "excludes": "a"}, "/format/excludes", "`excludes` of an any_text must be a list",
     "write [...]"),
    ({"type": "any_text", "excludes": [""]}, "/format/excludes/0", "`excludes` has an empty text",
     "write at least one character"),
    ({"type": "any_text", "max_chars": -1}, "/format/max_chars",
     "`max_chars` of an any_text must be a whole number from 0 to 2147483647", "write null for no limit"),
    ({"type": "const_string"}, "/format", "a const_string needs a `value`", 'add "value": ...'),
    ({"type": "const_string", "value": 1}, "/format/value", "`value` of a const_string must be a text",
     "write a string"),
    ({"type": "or", "elements": []}, "/format/elements", "`elements` of an or is empty", "list at least one"),
    ({"type": "repeat", "min": 3, "max": 2, "content": TAG}, "/format", "a repeat can't be between 3 and 2 times",
     "write 0 <= min <= max, or a max of -1 for no limit"),
    ({**TAG, "end": []}, "/format/end", "the `end` of a tag must be a text, a list of texts or a token",
     'write "end": "</tag>"'),
    ({**TAG, "begin": 1}, "/format/begin", "the `begin` of a tag must be a text or a token", 'write "begin": "<tag>"'),
    (triggered(tags=[{"type": "any_text"}]), "/format/tags/0/type",
     'only formats of type "tag" are allowed here', "wrap the format in a tag"),
    (triggered(triggers=["<g"]), "/format/tags/0/begin", "no trigger opens the tag that begins with `<f=a>`",
     "each `begin` starts with exactly one of `triggers`"),
    (triggered(triggers=["<", "<f"]), "/format/tags/0/begin",
     "the tag that begins with `<f=a>` has more than one trigger: `<`, `<f`",
     "each `begin` starts with exactly one of `triggers`"),
    (triggered(triggers=["<f", "<g"]), "/format/triggers/1", "trigger `<g` opens no tag",
     "remove it, or add a tag that begins with it"),
    (triggered(excludes=["<f"]), "/format/triggers/0", "trigger `<f` is excluded as well", "remove it from `excludes`"),
    ({**TAG, "content": triggered(), "end": "<f"}, "/format/content/triggers/0",
     "trigger `<f` is also an end of the tag around it", "choose another end"),
    ({"type": "token", "token": "a"}, "/format/token",
     "token `a` is named by its text, and no tokenizer is known",
     "use GrammarCompiler.compile_structural_tag, or write the token's id"),
    ({"type": "token", "token": -1}, "/format/token", "a token must be an id or a text",
     "write a whole number from 0, or a string"),
    ({"type": "dispatch", "rules": [["a"]]}, "/format/rules/0", "a rule of a dispatch must be a pattern and a format",
     'write ["text", {"type": ...}]'),
    ({"type": "json_schema", "json_schema": True, "style": "yaml"}, "/format/style", "unknown style",
     "styles: json, qwen_xml, minimax_xml, glm_xml, deepseek_xml, deepseek_v4_1_xml, kimi_k3_xml, cohere_xml, "
     "minimax_m3_xml"),
    ({"type": "json_schema", "json_schema": False}, "/format/json_schema", "no value satisfies this schema",
     "look for keywords that contradict each other, and for required properties that can have no value"),
    ({"type": "json_schema", "json_schema": 3}, "/format/json_schema", "a JSON Schema must be an object, true or false",
     'write {"type": "object", ...}'),
]  # fmt: skip


@pytest.mark.parametrize(("form", "pointer", "message", "hint"), MISTAKES)
def test_a_mistake_has_a_place_and_a_hint(form: Any, pointer: str, message: str, hint: str):
    with pytest.raises(InvalidStructuralTagError) as caught:
        Grammar.from_structural_tag({"type": "structural_tag", "format": form})
    first = caught.value.diagnostics[0]
    assert (caught.value.pointer, first.message, first.hint) == (pointer, message, hint)


def test_the_whole_text_of_an_error():
    with pytest.raises(InvalidStructuralTagError) as caught:
        Grammar.from_structural_tag({"format": {"type": "grammar", "grammar": 'root ::= "a" b\n'}, "kind": 1})
    assert str(caught.value) == (
        "rule `b` is not defined\n"
        "  structural tag:4:32\n"
        '    4 |     "grammar": "root ::= \\"a\\" b\\n"\n'
        "      |                                ^\n"
        "  hint: define it: b ::= ...\n"
        "a structural tag has no field `kind`\n"
        "  structural tag:6:3\n"
        '    6 |   "kind": 1\n'
        "      |   ^^^^^^\n"
        "  hint: it has `type`, `format`"
    )
    assert [d.code for d in caught.value.diagnostics] == ["undefined_rule", "unknown_field"]


def test_mistakes_of_a_pattern_are_shown_in_it():
    with pytest.raises(InvalidStructuralTagError) as caught:
        Grammar.from_structural_tag({"format": {"type": "regex", "pattern": '"(a'}})
    source = '{\n  "format": {\n    "type": "regex",\n    "pattern": "\\"(a"\n  }\n}'
    begin, end = caught.value.diagnostics[0].span
    assert source.encode()[begin:end] == b"("
    assert caught.value.pointer == "/format/pattern"


def test_what_a_grammar_within_warns_of_points_into_the_json():
    grammar = Grammar.from_structural_tag({"format": {"type": "grammar", "grammar": 'root ::= "a"\nunused ::= "\\n"'}})
    rules = {rule.name: grammar.source.encode()[slice(*rule.name_span)].decode() for rule in grammar.rules}
    assert rules["content"] == "root"


def test_text_that_is_no_json():
    with pytest.raises(InvalidJSONError, match="line 1, column 2"):
        Grammar.from_structural_tag("{x")


def test_a_schema_that_cannot_be_kept_is_refused_by_name():
    with pytest.raises(UnsupportedError, match="minimax_m3_xml") as caught:
        Grammar.from_structural_tag({"format": {"type": "json_schema", "json_schema": True, "style": "minimax_m3_xml"}})
    assert caught.value.pointer == "/format/json_schema"


def test_a_token_that_the_vocabulary_has_not():
    info = xgr.TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1])
    with pytest.raises(InvalidStructuralTagError, match="the vocabulary has no token `b`"):
        xgr.GrammarCompiler(info).compile_structural_tag({"format": {"type": "token", "token": "b"}})


def test_models_refuse_unknown_fields_with_a_pointer():
    from xg2lab.structural_tag import StructuralTag

    with pytest.raises(InvalidStructuralTagError) as caught:
        StructuralTag.from_json(
            {"format": {"type": "or", "elements": [{"type": "const_string", "value": "a", "zz": 1}]}}
        )
    assert caught.value.pointer == "/format/elements/0/zz"
    with pytest.raises(InvalidJSONError):
        StructuralTag.from_json("{")


def test_a_trigger_that_holds_an_end_of_the_tag_around_it():
    tag = {**TAG, "content": triggered(triggers=["<f"]), "end": "f"}
    with pytest.raises(InvalidStructuralTagError) as caught:
        Grammar.from_structural_tag({"format": tag})
    first = caught.value.diagnostics[0]
    assert (first.code, first.message) == (
        "trigger_is_end", "trigger `<f` contains `f`, an end of the tag around it: the text ends there"
    )  # fmt: skip
