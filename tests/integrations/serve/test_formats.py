"""Calls in each model family's own format, and the guide's FunctionGemma pipeline from the request to parsed calls."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.integrations.serve.conftest import ask, chat_body, client_of
from xg2lab.errors import ArgumentError
from xg2lab.integrations.serve.hosting import Hosted
from xg2lab.integrations.serve.options import ServeOptions
from xg2lab.integrations.serve.orders import Served, guessed_format
from xg2lab.lab.model.model_runner import ModelRunner
from xg2lab.tool_calls.formats import MODEL_FORMATS
from xg2lab.tool_calls.functiongemma import functiongemma_request

Other = Callable[..., Hosted]
CHAT = "/v1/chat/completions"
TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "set_timer",
        "parameters": {
            "type": "object",
            "properties": {"minutes": {"enum": [5, 10]}, "label": {"enum": ["tea", "egg"]}},
            "required": ["minutes", "label"],
            "additionalProperties": False,
        },
    },
}
WEATHER: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "unit": {"enum": ["celsius", "fahrenheit"]}},
            "required": ["city"],
        },
    },
}


def no_space(host: Hosted) -> dict[str, float]:
    """Biases against whitespace, of which this model writes as much as it may in formats that it has never seen."""
    tokens = enumerate(host.server.served.tokenizer_info.decoded_vocab)
    return {str(token_id): -100 for token_id, data in tokens if data and not data.strip()}


def test_every_format_calls_and_streams(other: Other) -> None:
    host = other()
    biases = no_space(host)
    for model in sorted(MODEL_FORMATS):
        host.server.served.tool_format = model
        body = chat_body(tools=[TOOL], tool_choice="required", parallel_tool_calls=False, max_tokens=400)
        answer = ask(host, CHAT, body if model == "harmony" else {**body, "logit_bias": biases})
        assert answer.status == 200, (model, answer.text)
        if model == "kimi_k3":  # a text comes before its calls, which this model does not end
            assert answer.json["choices"][0]["finish_reason"] == "length"
            continue
        (call,) = answer.json["choices"][0]["message"]["tool_calls"]
        arguments = json.loads(call["function"]["arguments"])
        assert arguments["minutes"] in (5, 10), model
        assert arguments["label"] in ("tea", "egg"), model
        body = body if model == "harmony" else {**body, "logit_bias": biases}
        lines = ask(host, CHAT, {**body, "stream": True}).text.split("\n\n")
        chunks = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: {")]
        deltas = [call for chunk in chunks for call in chunk["choices"][0]["delta"].get("tool_calls", [])]
        assert deltas[0]["function"]["name"] == "set_timer", model
        assert json.loads("".join(delta["function"]["arguments"] for delta in deltas)) == arguments, model


def test_custom_tools_in_every_format_that_writes_them(other: Other) -> None:
    host = other()
    tool = {"type": "custom", "custom": {"name": "sum", "format": {"type": "grammar", "grammar":
            {"syntax": "regex", "definition": r"[0-9]\+[0-9]"}}}}  # fmt: skip
    for model, form in sorted(MODEL_FORMATS.items()):
        host.server.served.tool_format = model
        choice = {"type": "custom", "custom": {"name": "sum"}}
        answer = ask(host, CHAT, chat_body(tools=[tool, TOOL], tool_choice=choice, max_tokens=300))
        if form.layout == "usual":
            (call,) = answer.json["choices"][0]["message"]["tool_calls"]
            assert len(call["custom"]["input"]) == 3, (model, call)
        else:
            assert (answer.status, answer.error["code"]) == (400, "unsupported_tool")


@pytest.mark.parametrize("level", [1, 2, 3, 4])
def test_the_functiongemma_pipeline(other: Other, level: int) -> None:
    """The grammar constrains, `tool_choice` "auto" has the server read the call: the guide's request as it is."""
    host = other(tool_format="functiongemma")
    messages = [{"role": "user", "content": "What is the weather in Lisbon in celsius?"}]
    body = functiongemma_request(messages, [WEATHER], level=level, model="tiny")
    extra = {"structured_outputs": body.pop("structured_outputs")}
    with client_of(host) as client:
        answer = client.chat.completions.create(**body, extra_body=extra, temperature=0, max_tokens=80)
        (call,) = answer.choices[0].message.tool_calls
        assert call.function.name == "get_weather"
        assert json.loads(call.function.arguments) == {"city": "Lisbon", "unit": "celsius"}
        assert answer.choices[0].finish_reason == "tool_calls"
        chunks = client.chat.completions.create(**body, extra_body=extra, temperature=0, max_tokens=80, stream=True)
        deltas = [each for chunk in chunks for each in chunk.choices[0].delta.tool_calls or []]
        assert json.loads("".join(delta.function.arguments for delta in deltas)) == {
            "city": "Lisbon",
            "unit": "celsius",
        }


@pytest.mark.parametrize("reasoning", ["auto", "enabled"])
def test_reasoning_comes_before_constrained_text(other: Other, reasoning: str) -> None:
    host = other(reasoning=reasoning)
    biased = {"response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": {"enum": ["yes"]}}}}
    answer = ask(host, CHAT, chat_body(**biased, max_tokens=300, temperature=1, seed=5))
    choice = answer.json["choices"][0]
    assert answer.headers["x-xg2lab-constraint"] == "structural_tag"
    if choice["finish_reason"] == "stop":
        assert choice["message"]["content"] == '"yes"'


def test_formats_are_guessed_by_name(runner: ModelRunner) -> None:
    names = {
        "Qwen/Qwen3-0.6B": "qwen_3",
        "Qwen/Qwen3-Coder-30B": "qwen_3_coder",
        "google/functiongemma-270m-it": "functiongemma",
        "openai/gpt-oss-20b": "harmony",
        "meta-llama/Llama-3.2-1B-Instruct": "llama",
        "/models/mine": "qwen_3",
    }
    assert {name: guessed_format(name) for name in names} == names
    with pytest.raises(ArgumentError, match="no format"):
        Served(runner, ServeOptions(tool_format="morse"))
