"""Requests to servers: each kind is compiled, EBNF and Lark are told apart, and what is refused has its place."""

from __future__ import annotations

import json
from typing import Any

import pytest

import xg2lab as xgr
from xg2lab.errors import ArgumentError, InvalidStructuralTagError, Xg2LabError
from xg2lab.integrations.requests import check_request, grammar_kind, pointer_of, request_grammar

INFO = xgr.TokenizerInfo([bytes([byte]) for byte in range(256)] + [b"</s>"], stop_token_ids=[256])


@pytest.mark.parametrize(
    ("kind", "text", "yes", "no"),
    [
        ("json_schema", '{"type": "integer"}', "-3", '"a"'),
        ("json_object", "", '{ "a": [] }', "[]"),
        ("regex", "a+", "aa", "b"),
        ("choice", '["a", "b"]', "b", "ab"),
        ("ebnf", 'root ::= "x" | "y"', "y", "z"),
        ("lark", 'start: "x" | "y"', "y", "z"),
        ("structural_tag", '{"format": {"type": "const_string", "value": "v"}}', "v", "w"),
    ],
)
def test_each_kind(kind: Any, text: str, yes: str, no: str):
    request = request_grammar(kind, text)
    check_request(request)
    compiled = request.compile(xgr.GrammarCompiler(INFO))
    assert [xgr.GrammarMatcher(compiled).accept_string(each) for each in (yes, no)] == [True, False]


def test_compact_json_has_no_spaces():
    compiler = xgr.GrammarCompiler(INFO)
    for kind, text in (("json_schema", '{"type": "array"}'), ("json_object", "")):
        compiled = request_grammar(kind, text, is_compact=True).compile(compiler)
        values = ("[1,2]", "[1, 2]") if kind == "json_schema" else ('{"a":1,"b":2}', '{"a": 1}')
        assert [xgr.GrammarMatcher(compiled).accept_string(value) for value in values] == [True, False]


def test_numbers_end():
    """A model that may write zeros for ever does, and its answer is cut off."""
    compiler = xgr.GrammarCompiler(INFO)
    tag = {"type": "tag", "begin": "<a>", "content": {"type": "json_schema", "json_schema": {}}, "end": "</a>"}
    older = {"structures": [{"begin": "<a>", "schema": {"type": "number"}, "end": "</a>"}], "triggers": ["<a"]}
    for kind, text, begin in (
        ("json_schema", '{"type": "integer"}', "20"),
        ("json_object", "", '{"a": 20'),
        ("structural_tag", json.dumps({"format": tag}), "<a>20"),
        ("structural_tag", json.dumps(older), "<a>20"),
    ):
        matcher = xgr.GrammarMatcher(request_grammar(kind, text).compile(compiler))
        assert matcher.accept_string(begin)
        assert not matcher.accept_string("." + "0" * 60)


def test_a_tag_keeps_its_own_words_and_numbers():
    """Numbers of a schema stay what they are when a tag is written anew, and the tag's own form of numbers stands."""
    older = '{"structures": [{"begin": "<", "schema": {"enum": [1, 2.50]}, "end": ">"}], "triggers": ["<"]}'
    text = request_grammar("structural_tag", older).text
    assert '"enum": [1, 2.50]' in text
    matcher = xgr.GrammarMatcher(request_grammar("structural_tag", older).compile(xgr.GrammarCompiler(INFO)))
    assert matcher.accept_string("<1>")
    assert not matcher.accept_string('<"1"')
    content = {"type": "json_schema", "json_schema": {"number_form": 1, "type": "json_schema"}, "number_form": "any"}
    assert json.loads(request_grammar("structural_tag", json.dumps({"format": content})).text) == {"format": content}
    deep = "[" * 400 + "]" * 400
    with pytest.raises(Xg2LabError):
        check_request(request_grammar("structural_tag", deep))


def test_a_choice_may_hold_any_character():
    choices = ["", 'a"b', "back\\slash", "line\nfeed", "\x00\x7f\t", "é 字 🙂", "end"]
    compiled = request_grammar("choice", json.dumps(choices)).compile(xgr.GrammarCompiler(INFO))
    for choice in choices:
        matcher = xgr.GrammarMatcher(compiled)
        assert matcher.accept_string(choice), choice
        assert matcher.is_completed(), choice
    matcher = xgr.GrammarMatcher(compiled)
    assert matcher.accept_string("back")
    assert not matcher.is_completed()


@pytest.mark.parametrize("text", ["[]", '{"a": 1}', '"a"', '["a", 1]', "[null]"])
def test_a_choice_is_a_list_of_texts(text: str):
    with pytest.raises(Xg2LabError, match="choice"):
        check_request(request_grammar("choice", text))


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("ebnf", 'root ::= "a"'),
        ("ebnf", '# start: lark\nroot ::= a\na ::= ": b"'),
        ("ebnf", 'my-rule ::= "a"\nroot ::= my-rule'),
        ("lark", 'start: "::="'),
        ("lark", '// a ::= b\nstart: A\nA: "x"'),
        ("lark", "%import common.WORD\nstart: WORD"),
        ("lark", "?start: x\nx{a}: a\nNAME.2: /[a-z]/"),
        ("lark", 'start[capture]: "a"'),
        ("ebnf", "nothing of either"),
    ],
)
def test_ebnf_or_lark(kind: str, text: str):
    assert grammar_kind(text) == kind


@pytest.mark.parametrize(
    ("kind", "text", "pointer"),
    [
        ("json_schema", '{"items": {"pattern": "(a"}}', "/items/pattern"),
        ("json_schema", '{"$ref": "#/nowhere"}', "/$ref"),
        ("json_schema", "[", None),
        ("structural_tag", '{"format": {"type": "nothing"}}', "/format/type"),
        ("structural_tag", '{"structures": 3, "triggers": []}', "/structures"),
        ("structural_tag", '{"structures": []}', "/triggers"),
        ("structural_tag", '{"structures": [{"begin": "a", "schema": {}}], "triggers": ["a"]}', "/structures/0"),
        ("structural_tag", '{"structures": [7], "triggers": ["a"]}', "/structures/0"),
        ("regex", "a{5,2}", None),
        ("lark", "start: <|no_such_token|> NAME", None),
        ("ebnf", "root ::= root", None),
    ],
)
def test_what_is_refused_has_its_place(kind: Any, text: str, pointer: str | None):
    with pytest.raises(Xg2LabError) as caught:
        check_request(request_grammar(kind, text))
    assert pointer_of(caught.value) == pointer


def test_names_of_tokens_wait_for_the_tokenizer():
    tag = '{"format": {"type": "token", "token": "</s>"}}'
    check_request(request_grammar("structural_tag", tag))
    check_request(request_grammar("lark", "start: <|end|>"))
    with pytest.raises(InvalidStructuralTagError):
        request_grammar("structural_tag", tag.replace("</s>", "no such token")).compile(xgr.GrammarCompiler(INFO))


@pytest.mark.parametrize("text", [None, 3, {"a": 1}, b"a"])
def test_a_grammar_is_text(text: Any):
    with pytest.raises(ArgumentError, match="not text"):
        request_grammar("regex", text)
    with pytest.raises(ArgumentError, match="kind is 'xml'"):
        request_grammar("xml", "a")
