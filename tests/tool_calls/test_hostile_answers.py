"""Whatever a model writes, `parse` gives an answer or an error of ours: nesting, cut and changed calls, marks alone."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.generators import SHARE, seeded
from xg2lab.errors import ArgumentTypeError, ToolCallError, Xg2LabError
from xg2lab.tool_calls import ParsedAnswer, ToolCall, parse, render
from xg2lab.tool_calls.formats import MODEL_FORMATS
from xg2lab.tool_calls.styles import _M3Reader  # pyright: ignore[reportPrivateUsage]

DEEP = 30_000
M3 = "]<]minimax[>["
NESTED = {
    "lists": "[",
    "objects": '{"a":',
    "gemma": "{a:",
    "minimax_m3": f"{M3}<item>",
    "cohere lists": '<cofl:value type="list">',
    "cohere objects": '<cofl:value name="a" type="dict">',
}
ARGUMENTS: dict[str, Any] = {"city": "Oslo", "days": 2, "at": [1, {"b": None}], "text": '<a> "b" </parameter> {'}
TOOL: dict[str, Any] = {
    "type": "function",
    "function": {"name": "f", "parameters": {"type": "object", "properties": {"at": {"type": "array"}, "days": {}}}},
}
TOOLS: list[list[Any] | None] = [None, [TOOL], [{"type": "function", "function": {"name": "f"}}]]


def read(model: str, text: str, tools: list[Any] | None) -> ParsedAnswer | None:
    """An answer, or nothing where it is refused with an error of ours."""
    try:
        found = parse(model, text, tools)
    except Xg2LabError as error:
        assert isinstance(error, ToolCallError), error
        return None
    assert isinstance(found, ParsedAnswer)
    return found


def call_with(model: str, inside: str) -> list[str]:
    """Calls with a text in place of each value of a call."""
    marks = {"city": "Oslo", "days": 2, "at": [1]}
    text = render(model, [ToolCall("f", marks)])
    return [text.replace(old, inside, 1) for old in ("Oslo", "[1]", "2", '{"') if old in text]


@pytest.mark.parametrize("model", MODEL_FORMATS)
@pytest.mark.parametrize("kind", NESTED)
def test_nesting_is_an_answer_or_a_typed_error(model: str, kind: str):
    for tools in TOOLS:
        for text in call_with(model, NESTED[kind] * DEEP):
            read(model, text, tools)


@pytest.mark.parametrize(("model", "begin"), [("llama", "["), ("gemma_4", "["), ("minimax_m3", f"{M3}<a>")])
def test_what_nests_too_deep_says_so(model: str, begin: str):
    said: list[str] = []
    for text in call_with(model, begin * DEEP):
        try:
            parse(model, text)
        except ToolCallError as error:
            assert error.hint
            said.append(error.message)
    assert any("nested too deep" in message for message in said)


def test_elements_within_elements_are_read_once(monkeypatch: pytest.MonkeyPatch):
    """An element of an unknown schema may be a list or an object: two readings a level must not become 2**n."""
    n_read = 0
    read_element = _M3Reader._element  # pyright: ignore[reportPrivateUsage]

    def counted(*arguments: Any) -> Any:
        nonlocal n_read
        n_read += 1
        assert n_read < 10_000
        return read_element(*arguments)

    monkeypatch.setattr(_M3Reader, "_element", counted)
    depth = 60
    inside = f"{M3}<item>" * depth + "x" + f"{M3}</item>" * depth
    (call,) = parse("minimax_m3", call_with("minimax_m3", inside)[0]).tool_calls
    value = call.arguments["city"]
    for _ in range(depth):
        (value,) = value if isinstance(value, list) else value.values()
    assert value == "x"


@pytest.mark.parametrize("model", MODEL_FORMATS)
def test_changed_and_cut_answers(model: str):
    rng = seeded(f"hostile answers {model}")
    form = MODEL_FORMATS[model]
    marks = [form.head, form.tail, *form.section, form.separator, form.trigger, *(form.think or ()), *NESTED.values()]
    marks += ["null", "1e999", "NaN", "9" * 5000, '"\\ud800"', "\ud800", "\0", "</", ">", '"', "\\", "{", "}", "[", "]"]
    whole = render(model, [ToolCall("f", ARGUMENTS), ToolCall("g", {})], content="yes", reasoning="so")
    n_calls = 0
    for _ in range(round(300 * SHARE)):
        text = changed(rng, whole, marks)
        found = read(model, text, rng.choice(TOOLS))
        n_calls += found is not None and bool(found.tool_calls)
    assert n_calls or SHARE < 1  # few answers may all be cut where no call is left


def changed(rng: random.Random, text: str, marks: list[str]) -> str:
    for _ in range(rng.choice([1, 1, 2, 3])):
        at = rng.randrange(len(text) + 1)
        end = min(len(text), at + rng.choice([0, 0, 1, 3, 20, len(text)]))
        text = text[:at] + rng.choice(["", rng.choice(marks), rng.choice(marks) * 3]) + text[end:]
    return text


@pytest.mark.parametrize("text", [None, b"a", 5, ["a"]])
def test_what_is_no_text_is_refused(text: Any):
    with pytest.raises(ArgumentTypeError, match="wanted a str"):
        parse("qwen_3", text)
