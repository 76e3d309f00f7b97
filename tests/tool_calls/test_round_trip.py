"""Calls written in a model's format are taken by the model's structural tag, and read back as the same calls."""

from __future__ import annotations

import os
import random
import string
from typing import Any

import pytest

from xg2lab.builtin_structural_tag import get_model_structural_tag
from xg2lab.errors import ArgumentError, ToolCallError
from xg2lab.grammar import Grammar
from xg2lab.testing import _is_grammar_accept_string
from xg2lab.tool_calls import ParsedAnswer, ToolCall, parse, render
from xg2lab.tool_calls.formats import MODEL_FORMATS

PROPERTIES: dict[str, Any] = {
    "city": {"type": "string"},
    "n": {"type": "integer"},
    "x": {"type": "number"},
    "on": {"type": "boolean"},
    "tags": {"type": "array", "items": {"type": "string"}},
    "at": {"type": "object", "properties": {"lat": {"type": "number"}, "name": {"type": "string"}}},
    "unit": {"enum": ["celsius", "fahrenheit"]},
}
TOOLS: list[Any] = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": PROPERTIES}}}
    for name in ("get_weather", "get-time.v2")
]
SEED = int(os.environ.get("XG2LAB_SEED", "20261121"))
#: What a text value may hold: no mark of any format, which would end it.
LETTERS = string.ascii_letters + string.digits + " _-.,:;!?'\"\\/{}()[]&%$#@ßéñ日本語🙂\n"


def some_text(rng: random.Random) -> str:
    return "".join(rng.choice(LETTERS) for _ in range(rng.randint(1, 12))).strip("\n") or "a"


def some_arguments(rng: random.Random) -> dict[str, Any]:
    values = {
        "city": some_text(rng),
        "n": rng.randint(-5, 10**6),
        "x": rng.choice([0.5, -2.25, 1e-7, 3.0]),
        "on": rng.random() < 0.5,
        "tags": [some_text(rng) for _ in range(rng.randint(1, 3))],
        "at": {"lat": 1.5, "name": some_text(rng)},
        "unit": rng.choice(["celsius", "fahrenheit"]),
    }
    return {key: values[key] for key in values if rng.random() < 0.6}


def accepts(tag: Any, text: str) -> bool:
    return _is_grammar_accept_string(Grammar.from_structural_tag(tag), text)


@pytest.mark.parametrize("model", sorted(MODEL_FORMATS))
@pytest.mark.parametrize("reasoning", ["enabled", "disabled"])
def test_what_is_written_is_taken_and_read(model: str, reasoning: Any):
    rng = random.Random(SEED)
    thinks = reasoning == "enabled" and MODEL_FORMATS[model].think is not None
    thought = "Let me see:\nfirst this, then that." if thinks else None
    grammar = Grammar.from_structural_tag(get_model_structural_tag(model, TOOLS, reasoning=reasoning))
    for _ in range(40):
        calls = [ToolCall(rng.choice(TOOLS)["function"]["name"], some_arguments(rng)) for _ in range(rng.randint(0, 3))]
        content = rng.choice(["", "Sure, I do it."])
        text = render(model, calls, content=content, reasoning=thought)
        assert _is_grammar_accept_string(grammar, text), (SEED, text)
        assert parse(model, text, TOOLS) == ParsedAnswer(thought, content, calls), (SEED, text)


@pytest.mark.parametrize("model", sorted(MODEL_FORMATS))
def test_choices(model: str):
    one = render(model, [ToolCall("get_weather", {"city": "Oslo"})])
    two = render(model, [ToolCall("get_weather", {"city": "Oslo"}), ToolCall("get-time.v2", {"city": "Oslo"})])
    text = render(model, content="It is sunny.")
    other = render(model, [ToolCall("get_wind", {"city": "Oslo"})])
    named = {"type": "function", "function": {"name": "get_weather"}}
    allowed = {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [named]}}
    cases: dict[str, tuple[dict[str, Any], list[bool]]] = {
        "auto": ({}, [True, True, True, False]),
        "one at a time": ({"parallel_tool_calls": False}, [True, False, True, False]),
        "required": ({"tool_choice": "required"}, [True, True, False, False]),
        "required, one": ({"tool_choice": "required", "parallel_tool_calls": False}, [True, False, False, False]),
        "named": ({"tool_choice": named}, [True, False, False, False]),
        "allowed": ({"tool_choice": allowed}, [True, False, True, False]),
        "none": ({"tool_choice": "none"}, [False, False, True, False]),
    }
    if model == "llama":  # its trigger is plain JSON, which text may hold
        cases["none"] = ({"tool_choice": "none"}, [True, True, True, True])
    for name, (options, expected) in cases.items():
        tag = get_model_structural_tag(model, TOOLS, reasoning="disabled", **options)
        assert [accepts(tag, given) for given in (one, two, text, other)] == expected, name


@pytest.mark.parametrize("model", sorted(MODEL_FORMATS))
def test_reasoning_modes(model: str):
    form = MODEL_FORMATS[model]
    if form.think is None:
        pytest.skip("this format has no reasoning")
    calls = [ToolCall("get_weather", {"city": "Oslo"})]
    plain, thought = render(model, calls), render(model, calls, reasoning="Hm.")
    opened = thought if form.opener != "prompt" or model == "harmony" else form.think[0] + thought
    tags = {mode: get_model_structural_tag(model, TOOLS, reasoning=mode) for mode in ("enabled", "disabled", "auto")}
    assert accepts(tags["enabled"], thought)
    assert accepts(tags["disabled"], plain)
    assert accepts(tags["auto"], opened)
    # Harmony's messages name their channel; minimax writes an empty thought.
    assert accepts(tags["enabled"], plain) == (model in ("harmony", "minimax"))
    assert not accepts(tags["disabled"], thought)
    assert get_model_structural_tag(model, TOOLS, reasoning=True) == tags["enabled"]
    assert get_model_structural_tag(model, TOOLS, reasoning=False) == tags["disabled"]


@pytest.mark.parametrize("model", sorted(MODEL_FORMATS))
def test_names_with_marks_of_xml(model: str):
    arguments = {"a&b": 5, 'a"b': "x", "&amp;": True}
    schemas: dict[str, Any] = {"a&b": {"type": "integer"}, 'a"b': {"type": "string"}, "&amp;": {"type": "boolean"}}
    parameters = {"type": "object", "properties": schemas, "required": list(schemas)}
    tool = {"type": "function", "function": {"name": "f", "parameters": parameters}}
    text = render(model, [ToolCall("f", arguments)])
    sorted_text = text if MODEL_FORMATS[model].style != "gemma" else None  # it sorts its keys
    assert sorted_text is None or accepts(get_model_structural_tag(model, [tool], "required", "disabled"), sorted_text)
    assert parse(model, text, [tool]).tool_calls == [ToolCall("f", arguments)]


def test_marks_are_kept_out_of_text_unless_told_otherwise():
    text = "a <think> b"
    assert not accepts(get_model_structural_tag("llama"), text)
    assert accepts(get_model_structural_tag("llama", exclude_special_tokens=False), text)


def test_built_in_tools_of_harmony():
    browser = {"type": "web", "name": "browser.search", "parameters": None}
    text = (
        "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant"
        '<|channel|>commentary to=browser.search code<|message|>{"q": 1}<|call|>'
    )
    assert accepts(get_model_structural_tag("harmony", [browser]), text)
    assert accepts(get_model_structural_tag("harmony", [browser], {"type": "web"}), text)
    assert parse("harmony", text).tool_calls == [ToolCall("browser.search", {"q": 1})]
    with pytest.raises(ArgumentError, match="no calls of built-in tools"):
        get_model_structural_tag("llama", [browser], "required")


def test_values_without_types_are_read_by_the_schema():
    text = "<tool_call>f<arg_key>a</arg_key><arg_value>5</arg_value></tool_call>"
    for kind, value in {"string": "5", "integer": 5, "number": 5}.items():
        tool = {"type": "function", "function": {"name": "f", "parameters": {"properties": {"a": {"type": kind}}}}}
        assert parse("glm_4_7", text, [tool]).tool_calls == [ToolCall("f", {"a": value})]
    assert parse("glm_4_7", text).tool_calls == [ToolCall("f", {"a": 5})]
    nested = {"$defs": {"t": {"type": ["string", "null"]}}, "properties": {"a": {"$ref": "#/$defs/t"}}}
    tool = {"type": "function", "function": {"name": "f", "parameters": nested}}
    assert parse("glm_4_7", text, [tool]).tool_calls == [ToolCall("f", {"a": "5"})]


@pytest.mark.parametrize(
    ("model", "text"),
    [
        ("qwen_3", '<tool_call>\n{"name": "f", "arguments": {"a": '),
        ("qwen_3", '<tool_call>\n{"name": "f", "arguments": {}}'),
        ("qwen_3", "<tool_call>\nf"),
        ("qwen_3_coder", "<tool_call>\n<function=f>\n<parameter=a>\n1"),
        ("minimax_m3", ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="f">]<]minimax[>[<a>1'),
        ("cohere", '<cofl:tool_calls><cofl:tool_call id="0" name="f"><cofl:value name="a" type="raw">x'),
        ("functiongemma", "<start_function_call>call:f{a:<escape>x"),
        ("harmony", "<|channel|>commentary to=functions.f"),
    ],
)
def test_a_call_that_was_cut_short_is_an_error_with_a_place(model: str, text: str):
    with pytest.raises(ToolCallError) as caught:
        parse(model, text)
    assert caught.value.span is not None
    assert 0 <= caught.value.span[0] <= len(text)


def test_reasoning_that_was_cut_short():
    assert parse("qwen_3", "<think>\nI wonder") == ParsedAnswer("I wonder", "", [])


def test_unknown_models_and_tools_are_refused():
    for use in (parse, lambda model, _: render(model), lambda model, _: get_model_structural_tag(model)):
        with pytest.raises(ArgumentError, match="there is no model format 'gpt-1'"):
            use("gpt-1", "")
