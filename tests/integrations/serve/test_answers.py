"""Answers read piece by piece: the same parts as `xg2lab.tool_calls.parse` finds in the whole, for every format."""

from __future__ import annotations

import itertools
import json
import random
import re
from typing import Literal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from xg2lab.integrations.serve.answers import AnswerReader
from xg2lab.integrations.serve.collecting import Choice
from xg2lab.integrations.serve.texts import Text, held_back
from xg2lab.tool_calls import ToolCall, parse, render
from xg2lab.tool_calls.formats import MODEL_FORMATS

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}, "deep": {"type": "object"}},
}
TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": SCHEMA}} for name in ("get_weather", "get_weather_2")
]
CALLS = [
    ToolCall("get_weather", {"city": 'A "b" } \\ ]'}),
    ToolCall("get_weather_2", {"city": "Oslo", "days": 3}),
]
NAMES = {"get_weather": False, "get_weather_2": False}


def read(reader: AnswerReader, text: str, cuts: list[int]) -> Choice:
    choice = Choice(0)
    places = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    for begin, end in itertools.pairwise(places):
        choice.add(reader.feed(text[begin:end]))
    choice.add(reader.finish())
    return choice


@pytest.mark.parametrize("model", sorted(MODEL_FORMATS))
@pytest.mark.parametrize("reasoning", ["disabled", "enabled", "auto"])
@pytest.mark.parametrize("content", ["", "Let me look."])
@pytest.mark.parametrize("n_calls", [0, 1, 2])
def test_pieces_say_what_the_whole_says(
    model: str, reasoning: Literal["disabled", "enabled", "auto"], content: str, n_calls: int
) -> None:
    if MODEL_FORMATS[model].think is None and reasoning != "disabled":
        pytest.skip("the format has no reasoning")
    calls = [ToolCall(call.name, dict(call.arguments)) for call in CALLS[:n_calls]]
    if MODEL_FORMATS[model].style != "json":
        calls = [ToolCall(call.name, {**call.arguments, "city": "Oslo 1"}) for call in calls]
    text = render(model, calls, content=content, reasoning=None if reasoning == "disabled" else "Hm, a < b.")
    if reasoning == "auto" and MODEL_FORMATS[model].opener != "model" and MODEL_FORMATS[model].layout == "usual":
        think = MODEL_FORMATS[model].think
        assert think is not None
        text = think[0] + text  # where the prompt has not begun the reasoning
    wanted = parse(model, text, TOOLS)
    draw = random.Random(f"{model} {reasoning} {content} {n_calls}")
    for _ in range(20):
        reader = AnswerReader(model, NAMES, reasoning=reasoning, definitions=TOOLS)
        cuts = [draw.randrange(1 << 16) for _ in range(draw.randrange(len(text) + 1))]
        choice = read(reader, text, cuts)
        found = [(call.name, json.loads(call.text)) for call in choice.calls]
        assert found == [(call.name, call.arguments) for call in wanted.tool_calls]
        assert choice.content == wanted.content
        assert (choice.reasoning or None) == wanted.reasoning


@given(st.text(alphabet='<tool_cal>/{}"ab \n', max_size=60), st.lists(st.integers(0, 60), max_size=6))
def test_pieces_do_not_depend_on_the_cuts(text: str, cuts: list[int]) -> None:
    """Also for text that is no answer of the format: where it is cut changes nothing."""
    whole, pieces = (read(AnswerReader("qwen_3", NAMES), text, each) for each in ([], cuts))
    assert (whole.content, whole.calls == []) == (pieces.content, pieces.calls == [])


@pytest.mark.parametrize("model", ["qwen_3", "llama", "kimi", "glm_4_7", "functiongemma"])
def test_texts_of_custom_tools_end_where_their_grammar_lets_them(model: str) -> None:
    form = MODEL_FORMATS[model]
    inside = f"1{form.tail}2"  # the tail is a part of the text
    text = form.section[0] + form.head_of("run", 0) + inside + form.tail + form.section[1] + " Done."

    def accepts(said: str) -> bool:
        return re.fullmatch(r"1(?s:.*)2", said) is not None

    for cuts in ([], list(range(len(text)))):
        choice = read(AnswerReader(model, {"run": True}, accepts={"run": accepts}), text, cuts)
        assert [(call.name, call.text) for call in choice.calls] == [("run", inside)]
        assert choice.content == "Done."


def test_a_call_that_is_cut_short_keeps_what_was_written() -> None:
    choice = read(
        AnswerReader("qwen_3", NAMES), '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Li', [3, 30]
    )
    assert [(call.name, call.text) for call in choice.calls] == [("get_weather", '{"city": "Li')]
    choice = read(AnswerReader("glm_4_7", NAMES), "<tool_call>get_weather<arg_key>ci", [])
    assert [(call.name, call.text) for call in choice.calls] == [("get_weather", "<arg_key>ci")]


def test_without_tools_marks_are_text() -> None:
    text = "a <tool_call>\n b "
    assert read(AnswerReader("qwen_3", {}), text, [4, 7]).content == text


# ---- Texts of tokens ----------------------------------------------------------------------------


@given(
    st.text(max_size=30),
    st.lists(st.text(min_size=1, max_size=3), max_size=2),
    st.lists(st.integers(1, 3), max_size=60),
)
def test_text_ends_before_the_first_stop_string(text: str, stops: list[str], widths: list[int]) -> None:
    data = text.encode()
    tokens: list[bytes] = []
    for width in [*widths, *([1] * len(data))]:
        tokens.append(data[:width])
        data = data[width:]
    reader = Text(tokens, stops)
    said = ""
    for token_id in range(len(tokens)):
        said += reader.push(token_id)
    said += reader.finish()
    places = [text.find(stop) for stop in stops if stop in text]
    assert said == (text[: min(places)] if places else text)
    assert reader.is_stopped == bool(places)


@given(st.text(alphabet="ab", max_size=8), st.lists(st.text(alphabet="ab", min_size=1, max_size=4), max_size=3))
def test_held_back_is_the_longest_end_that_may_go_on(text: str, marks: list[str]) -> None:
    assume(not any(mark in text for mark in marks))
    ends = [
        n for n in range(1, len(text) + 1) if any(mark != text[-n:] and mark.startswith(text[-n:]) for mark in marks)
    ]
    assert held_back(text, marks) == max(ends, default=0)
