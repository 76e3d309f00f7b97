"""Chat completions through the real `openai` client: text, constraints, tools with every choice, streams."""

from __future__ import annotations

import json
import re
from typing import Any, Literal

import openai
import pytest
from pydantic import BaseModel

from tests.integrations.serve.conftest import ask, chat_body

WEATHER: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "the weather in a city",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "unit": {"enum": ["celsius", "fahrenheit"]}},
            "required": ["city"],
            "additionalProperties": False,
        },
        "strict": True,
    },
}
TIMER: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "set_timer",
        "parameters": {
            "type": "object",
            "properties": {"minutes": {"type": "integer"}},
            "required": ["minutes"],
            "additionalProperties": False,
        },
    },
}
ASKED: list[Any] = [{"role": "user", "content": "What is the weather in Lisbon in celsius?"}]
SUM = 'start: NUMBER "+" NUMBER\nNUMBER: /[0-9]{1,3}/'


def custom(name: str, syntax: str | None = None, definition: str = "") -> dict[str, Any]:
    form: dict[str, Any] = {"type": "text"}
    if syntax is not None:
        form = {"type": "grammar", "grammar": {"syntax": syntax, "definition": definition}}
    return {"type": "custom", "custom": {"name": name, "format": form}}


def create(client: openai.OpenAI, **fields: Any) -> Any:
    return client.chat.completions.create(
        **{"model": "tiny", "messages": ASKED, "max_tokens": 80, "temperature": 0, **fields}
    )


def test_models_are_listed(client: openai.OpenAI) -> None:
    assert [model.id for model in client.models.list()] == ["tiny"]
    assert client.models.retrieve("tiny").id == "tiny"
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("another")


def test_text_has_usage_and_a_reason(client: openai.OpenAI) -> None:
    answer = create(client, max_tokens=3)
    assert answer.choices[0].finish_reason == "length"
    assert answer.usage.completion_tokens == 3
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + 3


def test_greedy_text_is_what_the_model_writes_alone(client: openai.OpenAI, runner: Any) -> None:
    """The batch's cache changes nothing: the same tokens as one by one."""
    prompt = "<|im_start|>system\njson format<|im_end|>\n<|im_start|>user\nHi Ines<|im_end|>\n<|im_start|>assistant\n"
    alone = runner.fork()
    alone.reset()
    logits = alone.prefill(runner.tokenizer(prompt, add_special_tokens=False).input_ids)
    ids: list[int] = []
    while len(ids) < 20 and (token_id := int(logits.argmax())) not in runner.eos_token_ids:
        ids.append(token_id)
        logits = alone.forward(token_id)
    answer = create(client, messages=[{"role": "user", "content": "Hi Ines"}], max_tokens=20)
    assert answer.choices[0].message.content == runner.tokenizer.decode(ids)


class Person(BaseModel):
    name: str
    age: int
    city: Literal["Lisbon", "Oslo"]


def test_parse_returns_an_instance_of_the_model(client: openai.OpenAI) -> None:
    messages: list[Any] = [{"role": "user", "content": "Ines Duarte is 41 years old and lives in Lisbon."}]
    answer = client.chat.completions.parse(
        model="tiny", messages=messages, response_format=Person, max_tokens=80, temperature=0
    )
    parsed = answer.choices[0].message.parsed
    assert isinstance(parsed, Person)
    assert parsed.age == 41


def test_json_object(client: openai.OpenAI) -> None:
    answer = create(client, response_format={"type": "json_object"}, max_tokens=200)
    assert isinstance(json.loads(answer.choices[0].message.content), dict)


@pytest.mark.parametrize(
    ("constraint", "pattern"),
    [
        ({"regex": "[0-9]{3}-[a-f]{2}"}, "[0-9]{3}-[a-f]{2}"),
        ({"choice": ["yes", "no", 'a "quoted" one\n']}, 'yes|no|a "quoted" one\n'),
        ({"grammar": 'root ::= ("a" | "b"){4} "."'}, r"[ab]{4}\."),
        ({"grammar": SUM}, r"[0-9]{1,3}\+[0-9]{1,3}"),
        ({"json": {"enum": ["q"]}}, '"q"'),
        ({"json": '{"enum": ["q"]}'}, '"q"'),
        (
            {"json": {"properties": {"a": {"const": True}}, "required": ["a"]}, "disable_any_whitespace": True},
            '{"a":true}',
        ),
        ({"type": "grammar", "grammar": 'root ::= "typed"'}, "typed"),
        ({"structural_tag": {"format": {"type": "const_string", "value": "tagged"}}}, "tagged"),
        ({"structural_tag": '{"format": {"type": "const_string", "value": "tagged"}}'}, "tagged"),
    ],
)
def test_structured_outputs(client: openai.OpenAI, constraint: dict[str, Any], pattern: str) -> None:
    answer = create(client, extra_body={"structured_outputs": constraint})
    assert re.fullmatch(pattern, answer.choices[0].message.content)
    assert answer.choices[0].finish_reason == "stop"


@pytest.mark.parametrize(
    "given",
    [
        {"format": {"type": "triggered_tags", "triggers": ["<n>"], "at_least_one": True, "stop_after_first": True,
                    "tags": [{"type": "tag", "begin": "<n>", "content": {"type": "regex", "pattern": "[0-9]{2}"},
                              "end": "</n>"}]}},
        {"triggers": ["<n>"], "structures": [{"begin": "<n>", "schema": {"enum": [12]}, "end": "</n>"}]},
    ],
)  # fmt: skip
def test_structural_tags_of_response_format(client: openai.OpenAI, given: dict[str, Any]) -> None:
    answer = create(client, response_format={"type": "structural_tag", **given}, max_tokens=30)
    text = answer.choices[0].message.content
    assert "structures" in given or re.fullmatch("<n>[0-9]{2}</n>", text)


# ---- Tools --------------------------------------------------------------------------------------


def calls_of(answer: Any) -> list[tuple[str, dict[str, Any]]]:
    calls = answer.choices[0].message.tool_calls or []
    return [(call.function.name, json.loads(call.function.arguments)) for call in calls]


def test_auto_lets_the_model_call(client: openai.OpenAI) -> None:
    answer = create(client, tools=[WEATHER, TIMER])
    assert calls_of(answer) == [("get_weather", {"city": "Lisbon", "unit": "celsius"})]
    assert answer.choices[0].finish_reason == "tool_calls"
    assert answer.choices[0].message.content is None


def test_none_lets_it_not(client: openai.OpenAI) -> None:
    answer = create(client, tools=[WEATHER], tool_choice="none", max_tokens=30)
    assert calls_of(answer) == []


def test_required_calls_at_least_once(client: openai.OpenAI) -> None:
    messages = [{"role": "user", "content": "Ines Duarte is 41 years old."}]
    answer = create(client, messages=messages, tools=[WEATHER, TIMER], tool_choice="required", max_tokens=120)
    assert {name for name, _ in calls_of(answer)} <= {"get_weather", "set_timer"}
    assert calls_of(answer)


def test_a_named_tool_is_called_once(client: openai.OpenAI) -> None:
    choice = {"type": "function", "function": {"name": "set_timer"}}
    answer = create(client, tools=[WEATHER, TIMER], tool_choice=choice)
    ((name, arguments),) = calls_of(answer)
    assert name == "set_timer"
    assert isinstance(arguments["minutes"], int)
    assert answer.choices[0].finish_reason == "stop"


@pytest.mark.parametrize("mode", ["auto", "required"])
def test_allowed_tools_leave_out_the_others(client: openai.OpenAI, mode: str) -> None:
    allowed = {"mode": mode, "tools": [{"type": "function", "function": {"name": "set_timer"}}]}
    choice = {"type": "allowed_tools", "allowed_tools": allowed}
    answer = create(client, tools=[WEATHER, TIMER], tool_choice=choice, max_tokens=120)
    names = {name for name, _ in calls_of(answer)}
    assert names == {"set_timer"} if mode == "required" else names <= {"set_timer"}


def test_one_call_where_calls_are_not_parallel(client: openai.OpenAI) -> None:
    answer = create(client, tools=[WEATHER], tool_choice="required", parallel_tool_calls=False, temperature=2, seed=3)
    assert len(calls_of(answer)) == 1


def test_pydantic_tools_are_parsed(client: openai.OpenAI) -> None:
    class get_weather(BaseModel):  # noqa: N801 (the tool's name)
        city: str
        unit: Literal["celsius", "fahrenheit"] = "celsius"

    answer = client.chat.completions.parse(
        model="tiny", messages=ASKED, tools=[openai.pydantic_function_tool(get_weather)], max_tokens=80, temperature=0
    )
    assert answer.choices[0].message.tool_calls is not None
    parsed = answer.choices[0].message.tool_calls[0].function.parsed_arguments
    assert isinstance(parsed, get_weather)
    assert parsed.city == "Lisbon"


def test_a_json_answer_or_a_call(client: openai.OpenAI) -> None:
    """With tools and a schema, the answer is either."""
    schema = {"type": "json_schema", "json_schema": {"name": "n", "schema": {"enum": ["neither"]}}}
    called = create(client, tools=[WEATHER], response_format=schema)
    assert calls_of(called)
    said = create(client, tools=[WEATHER], response_format=schema, logit_bias={"2": 0}, tool_choice="none")
    assert json.loads(said.choices[0].message.content) == "neither"


@pytest.mark.parametrize(
    ("tool", "pattern"),
    [
        (custom("add", "lark", SUM), r"[0-9]{1,3}\+[0-9]{1,3}"),
        (custom("add", "lark", 'start: root\nroot: "a" root | "b"'), "a*b"),
        (custom("add", "regex", r"[a-c]{2,5}\}"), r"[a-c]{2,5}\}"),
    ],
)
def test_custom_tools_with_grammars(client: openai.OpenAI, tool: dict[str, Any], pattern: str) -> None:
    choice = {"type": "custom", "custom": {"name": "add"}}
    answer = create(client, tools=[tool, WEATHER], tool_choice=choice, max_tokens=200)
    (call,) = answer.choices[0].message.tool_calls
    assert call.type == "custom"
    assert call.custom.name == "add"
    assert re.fullmatch(pattern, call.custom.input)
    streamed = create(client, tools=[tool, WEATHER], tool_choice=choice, max_tokens=200, stream=True)
    deltas = [call for chunk in streamed for call in chunk.choices[0].delta.tool_calls or []]
    assert "".join(delta.model_dump()["custom"]["input"] for delta in deltas) == call.custom.input


def test_tool_results_go_back_to_the_model(client: openai.OpenAI) -> None:
    called = create(client, tools=[WEATHER]).choices[0].message
    messages = [*ASKED, called.model_dump(exclude_none=True)]
    messages.append({"role": "tool", "tool_call_id": called.tool_calls[0].id, "content": "17 degrees"})
    assert create(client, messages=messages, tools=[WEATHER]).usage.prompt_tokens > 40


# ---- How tokens are drawn -----------------------------------------------------------------------


def test_choices_share_a_prompt_and_a_seed_repeats_them(client: openai.OpenAI) -> None:
    first, again = (create(client, n=3, temperature=1.5, seed=11, max_tokens=12) for _ in range(2))
    texts = [choice.message.content for choice in first.choices]
    assert len(set(texts)) > 1
    assert texts == [choice.message.content for choice in again.choices]
    other = create(client, n=3, temperature=1.5, seed=12, max_tokens=12)
    assert texts != [choice.message.content for choice in other.choices]


def test_logprobs_are_the_models_own(client: openai.OpenAI) -> None:
    answer = create(client, extra_body={"structured_outputs": {"regex": "zz"}}, logprobs=True, top_logprobs=2)
    content = answer.choices[0].logprobs.content
    assert "".join(each.token for each in content[:-1]) == "zz"
    assert all(each.logprob <= each.top_logprobs[0].logprob <= 0 for each in content)
    assert all(len(each.top_logprobs) == 2 for each in content)
    plain = create(client, logprobs=True, max_tokens=2).choices[0].logprobs.content
    assert [each.top_logprobs for each in plain] == [[], []]


def test_stop_strings_end_the_text_before_them(client: openai.OpenAI) -> None:
    whole = create(client).choices[0].message.content
    assert "Lisbon" in whole
    cut = create(client, stop=["isb", "never"])
    assert cut.choices[0].message.content == whole[: whole.index("isb")]
    assert cut.choices[0].finish_reason == "stop"
    streamed = create(client, stop="isb", stream=True)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in streamed) == whole[: whole.index("isb")]


def test_biases_and_penalties_change_the_text(client: openai.OpenAI, runner: Any) -> None:
    token_id = runner.tokenizer("z", add_special_tokens=False).input_ids[0]
    biased = create(client, logit_bias={str(token_id): 100}, max_tokens=4)
    assert biased.choices[0].message.content == "zzzz"
    fined = create(client, logit_bias={str(token_id): 40}, frequency_penalty=2, presence_penalty=2, max_tokens=30)
    assert 0 < fined.choices[0].message.content.count("z") < 30


# ---- Streams ------------------------------------------------------------------------------------


def test_a_stream_says_what_the_answer_says(client: openai.OpenAI) -> None:
    whole = create(client)
    chunks = list(create(client, stream=True, stream_options={"include_usage": True}))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks[:-1]) == whole.choices[0].message.content
    assert chunks[0].choices[0].delta.role == "assistant"
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-1].choices == []
    assert chunks[-1].usage == whole.usage


def test_calls_stream_as_deltas(client: openai.OpenAI) -> None:
    deltas = [
        call
        for chunk in create(client, tools=[WEATHER], stream=True)
        for call in chunk.choices[0].delta.tool_calls or []
    ]
    assert deltas[0].function.name == "get_weather"
    assert deltas[0].id
    assert len(deltas) > 3
    assert {delta.index for delta in deltas} == {0}
    arguments = "".join(delta.function.arguments for delta in deltas)
    assert json.loads(arguments) == {"city": "Lisbon", "unit": "celsius"}


def test_choices_stream_side_by_side(client: openai.OpenAI) -> None:
    chunks = list(create(client, stream=True, n=2, max_tokens=5, temperature=1, seed=5))
    ended = [chunk.choices[0].index for chunk in chunks if chunk.choices[0].finish_reason]
    assert sorted(ended) == [0, 1]


def test_the_client_accumulates_a_parsed_stream(client: openai.OpenAI) -> None:
    messages: list[Any] = [{"role": "user", "content": "Ines Duarte is 41 years old and lives in Lisbon."}]
    with client.chat.completions.stream(
        model="tiny", messages=messages, response_format=Person, max_tokens=80, temperature=0
    ) as stream:
        final = stream.get_final_completion()
    assert isinstance(final.choices[0].message.parsed, Person)


def test_logprobs_stream_with_their_tokens(client: openai.OpenAI) -> None:
    chunks = list(create(client, stream=True, logprobs=True, max_tokens=6))
    shown = [chunk.choices[0].logprobs for chunk in chunks if chunk.choices[0].logprobs is not None]
    assert sum(len(each.content) for each in shown) == 6


# ---- The constraint is said ---------------------------------------------------------------------


def test_an_answer_says_by_what_it_was_constrained(host: Any) -> None:
    free = ask(host, "/v1/chat/completions", chat_body(max_tokens=2))
    assert free.headers["x-xg2lab-constraint"] == "none"
    bound = ask(host, "/v1/chat/completions", chat_body(structured_outputs={"regex": "a"}, stream=True))
    assert bound.headers["x-xg2lab-constraint"] == "regex"
    assert bound.text.endswith("data: [DONE]\n\n")
