"""The training text: the same for a seed, right in its format, free of the held-out words."""

from __future__ import annotations

import json
import random
import re
from itertools import islice

import pytest

from xg2lab.tiny import FORMATS, example_requests, prompt
from xg2lab.tiny.formats import FormatError, read, with_analysis, write
from xg2lab.tiny.tools import FIELDS, RECORD_NAMES, TOOL_NAMES, Answer
from xg2lab.tiny.training.corpus import COPY, document, draw, examples
from xg2lab.tiny.training.words import HELD_OUT

SEED = 11


def test_the_same_seed_gives_the_same_text() -> None:
    assert list(islice(examples(SEED), 200)) == list(islice(examples(SEED), 200))
    assert list(islice(examples(SEED), 20)) != list(islice(examples(SEED + 1), 20))


@pytest.mark.parametrize("format", FORMATS)
def test_every_completion_says_its_answer_in_its_format(format: str) -> None:
    rng = random.Random(SEED)
    names = set()
    for _ in range(500):
        example = draw(rng, format=format)
        assert read(format, example.completion) == example.answer
        names.add(example.answer.name)
    assert names == set(RECORD_NAMES if format == "json" else TOOL_NAMES)


def test_every_value_stands_in_the_request() -> None:
    for example in islice(examples(SEED), 1000):
        for value in example.answer.values.values():
            assert (value if isinstance(value, str) else json.dumps(value)) in example.request


def test_copying_is_a_list_of_the_words() -> None:
    copied = [example for example in islice(examples(SEED), 1000) if example.format == COPY]
    assert len(copied) > 50
    for example in copied:
        assert ", ".join(json.loads(example.completion)) == example.request


def test_held_out_words_are_never_written_in_training() -> None:
    text = " ".join("".join(document(example)).lower() for example in islice(examples(SEED), 3000))
    assert HELD_OUT.isdisjoint(re.findall(r"\w+", text))


def test_held_out_requests_are_made_of_held_out_words() -> None:
    rng = random.Random(SEED)
    for _ in range(200):
        example = draw(rng, format="qwen", held_out=True)
        texts = [
            str(example.answer.values[field.name])
            for field in FIELDS[example.answer.name]
            if field.kind == "text" and field.name in example.answer.values
        ]
        for word in re.findall(r"[^\W\d_]+", " ".join(texts).lower()):
            assert word in HELD_OUT | {"example", "org", "net"} or any(held in word for held in HELD_OUT)


def test_example_requests_say_words_that_training_never_says() -> None:
    written = {word for example in islice(examples(SEED), 3000) for word in re.findall(r"\w+", example.request)}
    for name in FORMATS:
        for request in example_requests(name):
            assert request in prompt(request, name)
            words = set(re.findall(r"[^\W\d]+", request))
            assert words - written or words <= {"Convert", "to", "USD", "CHF"}, request  # currencies are a closed list


def test_formats_nobody_knows() -> None:
    for call in (lambda: prompt("Hi", format="yaml"), lambda: example_requests(format="yaml")):
        with pytest.raises(ValueError, match="the formats are qwen, llama_function, harmony, functiongemma, json"):
            call()


# ---- The readers are strict ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("qwen", '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}'),
        ("qwen", 'Sure! <tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'),
        ("qwen", '<tool_call>\n{"name": "get_wether", "arguments": {"city": "Oslo"}}\n</tool_call>'),
        ("qwen", '<tool_call>\n{"name": "get_weather", "arguments": {"town": "Oslo"}}\n</tool_call>'),
        ("llama_function", '<function=get_weather>{"city": "Oslo", "unit": "kelvin"}</function>'),
        ("llama_function", '<function=get_weather>{"city": "Oslo"}}</function>'),
        ("llama_function", '<function=get_weather>{"city": "Oslo", "city": "Rome"}</function>'),
        ("llama_function", '<function=set_timer>{"minutes": "5"}</function>'),
        ("llama_function", '<function=set_timer>{"minutes": true}</function>'),
        ("harmony", '<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city":"Oslo"}'),
        ("harmony", '<|channel|>commentary to=functions.get_weather<|message|>{"city":"Oslo"}<|call|>'),
        ("functiongemma", "<start_function_call>call:get_weather{city:Oslo}<end_function_call>"),
        ("functiongemma", "<start_function_call>call:get_weather{city:<escape>Oslo}<end_function_call>"),
        ("json", '{"name": "Ines", "age": 41}'),
        ("json", '{"title": "Tax", "date": "2031-5-17", "time": "10:00"}'),
        ("json", "[1]"),
    ],
)
def test_what_breaks_a_format(format: str, text: str) -> None:
    with pytest.raises(FormatError):
        read(format, text)


def test_a_harmony_call_may_be_thought_about_first() -> None:
    answer = Answer("get_weather", {"city": "Oslo"})
    text = with_analysis(write("harmony", answer), "Use get_weather.")
    assert text.count("<|channel|>") == 2
    assert read("harmony", text) == answer
