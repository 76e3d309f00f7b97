"""A model that a user registers is constrained, read and written by its name, as one of ours is."""

from __future__ import annotations

from typing import Any

import pytest

from xg2lab.builtin_structural_tag import (
    _structural_tag_registry,
    get_model_structural_tag,
    register_model_format,
    register_model_structural_tag,
)
from xg2lab.errors import ArgumentError, ArgumentTypeError, ToolCallError
from xg2lab.grammar import Grammar
from xg2lab.structural_tag import ConstStringFormat, StructuralTag
from xg2lab.testing import _is_grammar_accept_string
from xg2lab.tool_calls import ParsedAnswer, ToolCall, parse, render
from xg2lab.tool_calls.formats import MODEL_FORMATS, REGISTERED, ModelFormat

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS: list[Any] = [{"type": "function", "function": {"name": "get_weather", "parameters": CITY}}]
CALL = ToolCall("get_weather", {"city": "Oslo"})
ROW = ModelFormat(head="[[NAME|", tail="]]", style="json", think=("<<", ">>"))


@pytest.fixture(autouse=True)
def forgotten():
    """What a test registers is gone after it."""
    builders, registered = dict(_structural_tag_registry), dict(REGISTERED)
    yield
    for known, before in ((_structural_tag_registry, builders), (REGISTERED, registered)):
        known.clear()
        known.update(before)


def builder(*_: Any, **__: Any) -> StructuralTag:
    return StructuralTag(format=ConstStringFormat(value="."))


def accepts(tag: StructuralTag, text: str) -> bool:
    return _is_grammar_accept_string(Grammar.from_structural_tag(tag.model_dump_json()), text)


@pytest.mark.parametrize("reasoning", [None, "Look it up."])
@pytest.mark.parametrize("n_calls", [0, 1, 2])
def test_a_row_constrains_reads_and_writes(reasoning, n_calls):
    register_model_format("mine", ROW)
    text = render("mine", [CALL] * n_calls, content="Sure.", reasoning=reasoning)
    assert parse("mine", text, TOOLS) == ParsedAnswer(reasoning, "Sure.", [CALL] * n_calls)
    tag = get_model_structural_tag("mine", TOOLS, reasoning=reasoning is not None)
    assert accepts(tag, text)
    assert not accepts(tag, text.replace("[[get_weather", "[[get_whether") if n_calls else text + "[[")


@pytest.mark.parametrize("model", ["harmony", "kimi_k3"])
def test_a_row_may_have_any_layout(model):
    register_model_format("mine", MODEL_FORMATS[model])
    text = render("mine", [CALL], reasoning="Hm.")
    assert text == render(model, [CALL], reasoning="Hm.")
    assert parse("mine", text, TOOLS) == parse(model, text, TOOLS)
    assert get_model_structural_tag("mine", TOOLS) == get_model_structural_tag(model, TOOLS)


def test_functions_read_and_write():
    asked: list[Any] = []

    def read(text: str, tools: list[Any] | None) -> ParsedAnswer:
        asked.append((text, tools))
        return ParsedAnswer(content=text.lower())

    def write(calls: list[ToolCall], *, content: str, reasoning: str | None) -> str:
        return f"{len(calls)}{content}{reasoning}"

    register_model_structural_tag("mine", parse=read, render=write)(builder)
    assert parse("mine", "YES", TOOLS).content == "yes"
    assert asked == [("YES", TOOLS)]
    assert render("mine", [CALL], content="a") == "1aNone"
    assert get_model_structural_tag("mine").format == ConstStringFormat(value=".")


def test_a_name_of_ours_that_is_registered_anew():
    """Its tag is the user's; without a word on reading it is read as before, with one as the user says."""
    text = render("qwen_3", [CALL])
    register_model_structural_tag("qwen_3")(builder)
    assert get_model_structural_tag("qwen_3").format == ConstStringFormat(value=".")
    assert parse("qwen_3", text).tool_calls == [CALL]
    register_model_structural_tag("harmony", form=ROW)(builder)
    assert render("harmony", [CALL]) == '[[get_weather|{"city": "Oslo"}]]'
    assert parse("harmony", render("harmony", [CALL])).tool_calls == [CALL]


def test_what_is_refused_and_with_which_words():
    register_model_structural_tag("mute")(builder)
    for ask in (lambda: parse("mute", ""), lambda: render("mute", [])):
        with pytest.raises(ArgumentError, match="without a way to read") as caught:
            ask()
        assert "form=ModelFormat" in caught.value.hint
    with pytest.raises(ArgumentError, match="no model format 'unheard'") as caught:
        parse("unheard", "")
    assert "mute" in caught.value.hint
    with pytest.raises(ArgumentTypeError, match="form is dict; wanted a ModelFormat"):
        register_model_structural_tag("mine", form={"head": ""})  # pyright: ignore[reportArgumentType]
    with pytest.raises(ArgumentTypeError, match="parse is str; wanted a function"):
        register_model_structural_tag("mine", parse="read")  # pyright: ignore[reportArgumentType]
    assert "mine" not in REGISTERED


def test_what_a_function_gets_wrong_has_its_name():
    def deep(_: str, tools: Any) -> ParsedAnswer:
        return deep(_, tools)

    register_model_structural_tag("mine", parse=lambda *_: None)(builder)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ArgumentTypeError, match="reads answers of 'mine' returned NoneType"):
        parse("mine", "")
    register_model_structural_tag("mine", parse=deep)(builder)
    with pytest.raises(ToolCallError, match="nested too deep"):
        parse("mine", "")


def test_one_name_has_one_meaning():
    """`llama` is JSON for structural tags, `parse` and `render`; the tiny model's form has a name of its own."""
    from xg2lab.tiny import formats, grammar_for, prompt

    assert parse("llama", render("llama", [CALL])).tool_calls == [CALL]
    for ask in (lambda: parse("llama_function", ""), lambda: render("llama_function", [])):
        with pytest.raises(ArgumentError, match="format of the tiny model alone") as caught:
            ask()
        assert "xg2lab.tiny.formats" in caught.value.hint
    for refuse in (lambda: prompt("x", "llama"), lambda: grammar_for("llama"), lambda: formats.read("llama", "")):
        with pytest.raises(ArgumentError, match="family whose calls are JSON"):
            refuse()
    assert set(formats.FORMATS) & set(MODEL_FORMATS) == {"harmony", "functiongemma"}
