"""`/v1/responses` and `/v1/completions` through the real `openai` client."""

from __future__ import annotations

import json
import re
from typing import Any, Literal

import openai
import pytest
from pydantic import BaseModel

WEATHER: dict[str, Any] = {
    "type": "function",
    "name": "get_weather",
    "description": "the weather in a city",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]}},
        "required": ["city", "unit"],
        "additionalProperties": False,
    },
    "strict": True,
}
ADD: dict[str, Any] = {
    "type": "custom",
    "name": "add",
    "format": {"type": "grammar", "syntax": "lark", "definition": 'start: N "+" N\nN: /[0-9]{1,3}/'},
}
ASKED = "What is the weather in Lisbon in celsius?"
INES = "Ines Duarte is 41 years old and lives in Lisbon."


def create(client: openai.OpenAI, **fields: Any) -> Any:
    return client.responses.create(
        **{"model": "tiny", "input": ASKED, "max_output_tokens": 90, "temperature": 0, **fields}
    )


class Person(BaseModel):
    name: str
    age: int
    city: Literal["Lisbon", "Oslo"]


def test_text_and_usage(client: openai.OpenAI) -> None:
    answer = create(client, input=INES)
    assert answer.status == "completed"
    assert answer.output_text == answer.output[0].content[0].text
    assert answer.usage.total_tokens == answer.usage.input_tokens + answer.usage.output_tokens
    cut = create(client, input=INES, max_output_tokens=2)
    assert (cut.status, cut.incomplete_details.reason) == ("incomplete", "max_output_tokens")


def test_parse_returns_an_instance(client: openai.OpenAI) -> None:
    answer = client.responses.parse(model="tiny", input=INES, text_format=Person, temperature=0, max_output_tokens=80)
    assert isinstance(answer.output_parsed, Person)
    assert answer.output_parsed.age == 41


def test_structured_outputs_are_known_here_too(client: openai.OpenAI) -> None:
    answer = create(client, extra_body={"structured_outputs": {"choice": ["left", "right"]}})
    assert answer.output_text in ("left", "right")


def test_calls_are_items_and_go_back_as_input(client: openai.OpenAI) -> None:
    answer = create(client, tools=[WEATHER])
    (call,) = answer.output
    assert (call.type, call.name) == ("function_call", "get_weather")
    assert json.loads(call.arguments) == {"city": "Lisbon", "unit": "celsius"}
    items: list[Any] = [
        {"role": "user", "content": ASKED},
        *(each.model_dump(exclude_none=True) for each in answer.output),
    ]
    items.append({"type": "function_call_output", "call_id": call.call_id, "output": "17 degrees"})
    again = create(client, input=items, tools=[WEATHER], instructions="qwen format")
    assert again.usage.input_tokens > answer.usage.input_tokens


@pytest.mark.parametrize(
    "choice",
    [
        {"type": "custom", "name": "add"},
        {"type": "allowed_tools", "mode": "required", "tools": [{"type": "custom", "name": "add"}]},
    ],
)
def test_custom_tools(client: openai.OpenAI, choice: dict[str, Any]) -> None:
    answer = create(client, tools=[ADD, WEATHER], tool_choice=choice, parallel_tool_calls=False)
    (call,) = answer.output
    assert (call.type, call.name) == ("custom_tool_call", "add")
    assert re.fullmatch(r"[0-9]{1,3}\+[0-9]{1,3}", call.input)
    events = list(create(client, tools=[ADD, WEATHER], tool_choice=choice, parallel_tool_calls=False, stream=True))
    assert "response.custom_tool_call_input.done" in [event.type for event in events]
    assert events[-1].response.output[0].input == call.input


def test_logprobs(client: openai.OpenAI) -> None:
    answer = create(client, include=["message.output_text.logprobs"], top_logprobs=2, max_output_tokens=3)
    assert len(answer.output[0].content[0].logprobs) == 3
    assert len(answer.output[0].content[0].logprobs[0].top_logprobs) == 2


def test_a_stream_of_text_says_what_the_answer_says(client: openai.OpenAI) -> None:
    whole = create(client, input=INES)
    events = list(create(client, input=INES, stream=True))
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert [event.type for event in events[:4]] == [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
    ]
    assert [event.type for event in events[-4:]] == [
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ]
    deltas = "".join(event.delta for event in events if event.type == "response.output_text.delta")
    assert deltas == whole.output_text == events[-1].response.output_text


def test_the_client_accumulates_streams(client: openai.OpenAI) -> None:
    with client.responses.stream(model="tiny", input=INES, text_format=Person, temperature=0) as stream:
        final = stream.get_final_response()
    assert isinstance(final.output_parsed, Person)
    tools: Any = [WEATHER]
    with client.responses.stream(model="tiny", input=ASKED, tools=tools, temperature=0) as stream:
        called = stream.get_final_response().output[0]
    assert called.type == "function_call"
    assert called.parsed_arguments == {"city": "Lisbon", "unit": "celsius"}


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"previous_response_id": "resp_1"}, "previous_response_id"),
        ({"store": True}, "store"),
        ({"background": True}, "background"),
        ({"truncation": "auto"}, "truncation"),
        ({"reasoning": {"effort": "low"}}, "reasoning.effort"),
        ({"include": ["file_search_call.results"]}, "include.0"),
        ({"tools": [{"type": "web_search"}]}, "tools.0.type"),
        ({"text": {"format": {"type": "regex"}}}, "text.format.type"),
        ({"text": {"verbosity": "low"}}, "text.verbosity"),
        ({"input": [{"type": "image"}]}, "input.0.type"),
        ({"extra_body": {"response_format": {"type": "json_object"}}}, "response_format"),
        ({"extra_body": {"text": {"format": {"type": "json_object"}}, "structured_outputs": {"regex": "a"}}},
         "structured_outputs"),
    ],
)  # fmt: skip
def test_what_is_not_followed_is_refused(client: openai.OpenAI, fields: dict[str, Any], name: str) -> None:
    with pytest.raises(openai.BadRequestError) as refused:
        create(client, **fields)
    assert refused.value.param == name


# ---- Text completions ---------------------------------------------------------------------------


def complete(client: openai.OpenAI, **fields: Any) -> Any:
    return client.completions.create(
        **{"model": "tiny", "prompt": "What", "max_tokens": 12, "temperature": 0, **fields}
    )


def test_completions_of_texts_and_ids(client: openai.OpenAI, runner: Any) -> None:
    ids = runner.tokenizer("What").input_ids
    texts = [complete(client, prompt=prompt).choices[0].text for prompt in ("What", ids, ["What"], [ids])]
    assert len(set(texts)) == 1
    several = complete(client, prompt=["What", "Find"], n=2, temperature=1, seed=1)
    assert [choice.index for choice in several.choices] == [0, 1, 2, 3]
    assert several.usage.prompt_tokens == len(ids) + len(runner.tokenizer("Find").input_ids)


def test_completions_are_constrained_and_streamed(client: openai.OpenAI) -> None:
    body = {"structured_outputs": {"regex": "[0-9]{5}"}}
    whole = complete(client, extra_body=body, logprobs=2).choices[0]
    assert re.fullmatch("[0-9]{5}", whole.text)
    assert whole.logprobs.text_offset[0] == 0
    assert "".join(whole.logprobs.tokens[:-1]) == whole.text
    chunks = list(complete(client, extra_body=body, stream=True, stream_options={"include_usage": True}))
    assert "".join(chunk.choices[0].text for chunk in chunks[:-1]) == whole.text
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-1].usage.completion_tokens == len(whole.logprobs.tokens)


@pytest.mark.parametrize(
    "fields", [{"echo": True}, {"suffix": "a"}, {"best_of": 3}, {"prompt": [5000]}, {"prompt": []}]
)
def test_completion_fields_that_are_not_followed(client: openai.OpenAI, fields: dict[str, Any]) -> None:
    with pytest.raises(openai.BadRequestError):
        complete(client, **fields)
