"""FunctionGemma's pipeline: the guide's four levels, the request, and the answer."""

from __future__ import annotations

from typing import Any

import pytest

from xg2lab.errors import ArgumentError, UnsupportedError
from xg2lab.grammar import Grammar
from xg2lab.testing import _is_grammar_accept_string
from xg2lab.tool_calls import ToolCall, parse
from xg2lab.tool_calls.functiongemma import arguments_grammar, build_functiongemma_grammar, functiongemma_request


def tool(name: str, **parameters: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object", **parameters}}}


WEATHER = tool(
    "get_weather", properties={"location": {"type": "string"}, "days": {"type": "integer"}}, required=["location"]
)
TIME = tool("get_time", properties={"timezone": {"enum": ["UTC", "CET"]}}, required=["timezone"])
TOOLS = [WEATHER, TIME]


def call(inside: str) -> str:
    return f"<start_function_call>call:{inside}<end_function_call>"


# What each level takes, from 1 on.
LEVELS: dict[str, list[bool]] = {
    call("get_weather{location:<escape>Oslo<escape>}"): [True, True, True, True],
    call("get_weather{location:<escape>Oslo<escape>,days:2}"): [True, True, True, True],
    call("get_weather{}"): [True, True, True, False],
    call("get_weather{days:2}"): [True, True, True, False],
    call("get_time{timezone:<escape>UTC<escape>}"): [True, True, True, True],
    call("get_time{timezone:<escape>XYZ<escape>}"): [True, True, True, False],
    call("get_time{a:[1,{b:null}]}"): [False, False, True, False],
    call("get_time{whatever = it says}"): [True, True, False, False],
    call("get_wind{}"): [False, False, False, False],
    " " + call("get_time{}") + "\n": [False, True, False, False],
    "text": [False, False, False, False],
}


@pytest.mark.parametrize("level", [1, 2, 3, 4])
def test_levels(level: int):
    grammar = Grammar.from_ebnf(build_functiongemma_grammar(TOOLS, level))
    assert grammar.diagnostics == [] or level == 4
    for text, takes in LEVELS.items():
        assert _is_grammar_accept_string(grammar, text) == takes[level - 1], text


def test_a_name_is_a_literal_whatever_it_holds():
    odd = tool('a"b\\c')
    for level in (1, 2, 3, 4):
        grammar = Grammar.from_ebnf(build_functiongemma_grammar([odd], level))
        assert _is_grammar_accept_string(grammar, call('a"b\\c{}'))


def test_no_function_no_grammar():
    with pytest.raises(ArgumentError, match="no function among the tools"):
        build_functiongemma_grammar([{"type": "web"}])
    with pytest.raises(ArgumentError, match="there is no level 5"):
        build_functiongemma_grammar(TOOLS, 5)


def test_the_request():
    messages = [{"role": "user", "content": "Weather?"}]
    body = functiongemma_request(messages, TOOLS, level=3)
    assert body == {
        "model": "google/functiongemma-270m-it",
        "messages": messages,
        "tools": TOOLS,
        "tool_choice": "auto",
        "structured_outputs": {"type": "grammar", "grammar": build_functiongemma_grammar(TOOLS, 3)},
    }


def test_the_answer():
    text = call("get_weather{location:<escape>Oslo, {N}<escape>,days:2,more:[true,null,{a:1.5}]}")
    expected = {"location": "Oslo, {N}", "days": 2, "more": [True, None, {"a": 1.5}]}
    assert parse("functiongemma", text).tool_calls == [ToolCall("get_weather", expected)]
    assert parse("functiongemma", call("f{ a : 1 , b : word }")).tool_calls == [ToolCall("f", {"a": 1, "b": "word"})]


OPTIONAL = {
    "properties": {"b": {"type": "integer"}, "a": {"type": "boolean"}, "c": {"type": "null"}},
    "required": ["a"],
}


@pytest.mark.parametrize(
    ("text", "takes"),
    [
        ("{a:true}", True), ("{b:1,a:true}", True), ("{a:true,b:1}", True), ("{a:true,c:null}", True),
        ("{b:1,a:true,c:null}", True), ("{a:true,b:1,c:null}", True), ("{}", False), ("{b:1}", False),
        ("{c:null,a:true}", False), ("{a:true,a:true}", False), ("{a:true,}", False), ("{a:1}", False),
    ],
)  # fmt: skip
def test_properties_come_in_the_order_of_the_schema_or_of_the_alphabet(text: str, takes: bool):
    grammar = Grammar.from_ebnf(arguments_grammar(OPTIONAL))
    assert _is_grammar_accept_string(grammar, text) == takes


def test_kinds_of_schemas():
    schema = {
        "$defs": {"list": {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/list"}, {"type": "integer"}]}}},
        "type": "object",
        "properties": {"l": {"$ref": "#/$defs/list"}, "s": {"type": ["string", "null"]}, "o": {"type": "object"}},
    }
    grammar = Grammar.from_ebnf(arguments_grammar(schema, quote='<|"|>'))
    for text in ["{}", "{l:[1,[2,[]]]}", '{s:<|"|>a<|<|"|>}', "{s:null}", "{o:{k:1}}"]:
        assert _is_grammar_accept_string(grammar, text), text
    for text in ["{l:1}", "{l:[null]}", "{s:1}", "{x:1}", "{o:1}"]:
        assert not _is_grammar_accept_string(grammar, text), text


def test_values_under_any_keys_keep_their_schema():
    inner = {"type": "object", "additionalProperties": {"type": "integer"}}
    schema = {
        "type": "object",
        "properties": {"n": inner, "o": {"type": "object", "additionalProperties": inner}, "a": {"type": "object"}},
    }
    grammar = Grammar.from_ebnf(arguments_grammar(schema))
    for text in ["{n:{}}", "{n:{k:1, l:22}}", "{o:{k:{},l:{m:3}}}", "{a:{k:null}}"]:
        assert _is_grammar_accept_string(grammar, text), text
    for text in ["{n:{k:null}}", "{n:{k:{}}}", "{n:{k:1,}}", "{o:{k:1}}", "{o:{k:{m:true}}}"]:
        assert not _is_grammar_accept_string(grammar, text), text


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"properties": {"a": {"type": "string", "pattern": "x"}}}, "the keyword 'pattern'"),
        ({"properties": {"a": {"not": {}}}}, "the type None"),
        ({"properties": {"a": {"const": [1]}}}, "a list or object as a constant"),
        ({"properties": {"a": {}}, "required": ["b"]}, "`required` names 'b'"),
        ({"properties": {"a": {}}, "additionalProperties": {"type": "string"}}, "`additionalProperties`"),
        ({"additionalProperties": {"type": "string", "pattern": "x"}}, "the keyword 'pattern'"),
    ],
)
def test_what_cannot_be_kept_is_refused_by_name(schema: Any, message: str):
    with pytest.raises(UnsupportedError, match=message):
        arguments_grammar(schema)
