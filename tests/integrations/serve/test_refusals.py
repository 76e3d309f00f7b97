"""No constraint is ignored: what is not followed is a 400 that names the field, its place, and today's form."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.integrations.serve.conftest import Answer, ask, chat_body
from xg2lab.integrations.serve.constraints import REMOVED
from xg2lab.integrations.serve.hosting import Hosted

CHAT, TEXT, RESPONSES = "/v1/chat/completions", "/v1/completions", "/v1/responses"
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}
FUNCTION = {"type": "function", "function": {"name": "f", "parameters": SCHEMA}}


def refused(answer: Answer, pointer: str, *words: str, code: str | None = None) -> None:
    assert answer.status == 400, answer.text
    error = answer.error
    assert set(error) == {"message", "type", "param", "code", "pointer", "hint"}
    assert error["type"] == "invalid_request_error"
    assert error["pointer"] == pointer
    assert error["param"] == ".".join(pointer.split("/")[1:])
    for word in words:
        assert word in error["message"]
    assert code is None or error["code"] == code


# ---- Fields of others and of earlier times ------------------------------------------------------


@pytest.mark.parametrize("name", sorted(REMOVED))
def test_removed_fields_name_todays_form(host: Hosted, name: str) -> None:
    refused(ask(host, CHAT, chat_body(**{name: {"type": "object"}})), f"/{name}", REMOVED[name], code="unknown_field")
    body = {"model": "tiny", "prompt": "a", name: "x"}
    refused(ask(host, TEXT, body), f"/{name}", REMOVED[name], code="unknown_field")
    body = {"model": "tiny", "input": "a", name: "x"}
    refused(ask(host, RESPONSES, body), f"/{name}", REMOVED[name], code="unknown_field")


@pytest.mark.parametrize(
    ("fields", "pointer", "word"),
    [
        (
            {"response_format": {"type": "json_schema", "json_schema": {"name": "n"}}},
            "/response_format/json_schema/schema",
            "missing",
        ),
        ({"response_format": {"type": "json_schema", "schema": SCHEMA}}, "/response_format/json_schema", "missing"),
        (
            {"response_format": {"type": "json_schema", "json_schema": {"schema": SCHEMA, "shema": 1}}},
            "/response_format/json_schema/shema",
            "schema",
        ),
        (
            {"response_format": {"type": "json_object", "schema": SCHEMA}},
            "/response_format/schema",
            "structured_outputs",
        ),
        ({"response_format": {"type": "regex", "regex": "a"}}, "/response_format/type", "structured_outputs"),
        ({"response_format": {"type": "grammar", "grammar": "a"}}, "/response_format/type", "structured_outputs"),
        ({"response_format": {"type": "text", "grammar": "a"}}, "/response_format/grammar", "structured_outputs"),
        ({"response_format": "json"}, "/response_format", "object"),
        ({"structured_outputs": {}}, "/structured_outputs", "constrains nothing"),
        ({"structured_outputs": {"regex": "a", "choice": ["a"]}}, "/structured_outputs/choice", "2 constraints"),
        ({"structured_outputs": {"regex": "a", "backend": "outlines"}}, "/structured_outputs/backend", "one engine"),
        ({"structured_outputs": {"ebnf": "a"}}, "/structured_outputs/ebnf", "grammar"),
        (
            {"structured_outputs": {"json": SCHEMA, "whitespace_pattern": "x"}},
            "/structured_outputs/whitespace_pattern",
            "disable_any_whitespace",
        ),
        (
            {"structured_outputs": {"regex": "a", "disable_any_whitespace": True}},
            "/structured_outputs/disable_any_whitespace",
            "whitespace",
        ),
        ({"structured_outputs": {"json_object": False}}, "/structured_outputs/json_object", "true"),
        ({"structured_outputs": {"type": "regex", "json": SCHEMA}}, "/structured_outputs/type", "regex"),
        ({"structured_outputs": {"choice": ["a", 1]}}, "/structured_outputs/choice/1", "string"),
        ({"structured_outputs": {"json": "{"}}, "/structured_outputs/json", "JSON"),
        (
            {"structured_outputs": {"structural_tag": {"format": {"type": "any_txt"}}}},
            "/structured_outputs/structural_tag/format/type",
            "any_text",
        ),
        ({"structured_outputs": {"structural_tag": {}}}, "/structured_outputs/structural_tag", "format"),
        ({"tools": [{"type": "web_search"}]}, "/tools/0/type", "runs no tools"),
        (
            {"tools": [{"type": "function", "function": {"name": "f", "arguments": {}}}]},
            "/tools/0/function/arguments",
            "f",
        ),
        ({"tools": [FUNCTION, FUNCTION]}, "/tools/1/function", "two tools"),
        (
            {"tools": [FUNCTION], "tool_choice": {"type": "function", "function": {"name": "g"}}},
            "/tool_choice",
            "no such",
        ),
        ({"tools": [FUNCTION], "tool_choice": "any"}, "/tool_choice", "required"),
        ({"tool_choice": "required"}, "/tool_choice", "no tool"),
        (
            {
                "tools": [FUNCTION],
                "tool_choice": {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": []}},
            },
            "/tool_choice/allowed_tools/tools",
            "missing",
        ),
        (
            {
                "tools": [
                    {
                        "type": "custom",
                        "custom": {
                            "name": "c",
                            "format": {"type": "grammar", "grammar": {"syntax": "ebnf", "definition": "a"}},
                        },
                    }
                ]
            },
            "/tools/0/custom/format/grammar/syntax",
            "lark",
        ),
        ({"temprature": 1}, "/temprature", "temperature"),
        ({"logprobs": 3}, "/logprobs", "true or false"),
        ({"top_logprobs": 3}, "/top_logprobs", "logprobs"),
        ({"max_completion_tokens": 5}, "/max_tokens", "differ"),
        ({"store": True}, "/store", "stores nothing"),
        ({"stream_options": {"include_usage": True}}, "/stream_options", "stream"),
        ({"logit_bias": {"5000": 1}}, "/logit_bias/5000", "token id"),
        ({"n": True}, "/n", "whole number"),
        ({"reasoning_effort": "low"}, "/reasoning_effort", "chat_template_kwargs"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]},
            "/messages/0/content/0/type",
            "image_url",
        ),
        ({"messages": [{"role": "robot", "content": "a"}]}, "/messages/0/role", "robot"),
        ({"messages": []}, "/messages", "missing"),
    ],
)
def test_what_is_not_followed_is_refused(host: Hosted, fields: dict[str, Any], pointer: str, word: str) -> None:
    refused(ask(host, CHAT, chat_body(**fields)), pointer, word)


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"response_format": {"type": "json_object"}, "structured_outputs": {"regex": "a"}}, "/structured_outputs"),
        (
            {"response_format": {"type": "json_object"}, "tools": [FUNCTION], "tool_choice": "required"},
            "/response_format",
        ),
        (
            {"structured_outputs": {"regex": "a"}, "tools": [FUNCTION], "tool_choice": "required"},
            "/structured_outputs/regex",
        ),
    ],
)
def test_constraints_that_conflict_are_refused(host: Hosted, fields: dict[str, Any], pointer: str) -> None:
    refused(ask(host, CHAT, chat_body(**fields)), pointer, code="conflicting_constraints")


@pytest.mark.parametrize(
    ("fields", "pointer", "words"),
    [
        (
            {
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "n", "schema": {"type": "object", "properties": {"a": {"type": "strin"}}}},
                }
            },
            "/response_format/json_schema/schema/properties/a/type",
            ("strin", "did you mean `string`?"),
        ),
        ({"structured_outputs": {"regex": "a("}}, "/structured_outputs/regex", ("1:2",)),
        ({"structured_outputs": {"grammar": 'root ::= "a" b'}}, "/structured_outputs/grammar", ("`b` is not defined",)),
        ({"structured_outputs": {"grammar": 'start: "a" b'}}, "/structured_outputs/grammar", ("b",)),
        (
            {
                "tools": [
                    {"type": "function", "function": {"name": "f", "parameters": {"properties": {"x": {"type": "no"}}}}}
                ]
            },
            "/tools/0/function/parameters/properties/x/type",
            ("no",),
        ),
        (
            {
                "tools": [
                    {
                        "type": "custom",
                        "custom": {
                            "name": "c",
                            "format": {"type": "grammar", "grammar": {"syntax": "lark", "definition": "start: x"}},
                        },
                    }
                ]
            },
            "/tools/0/custom/format/grammar/definition",
            ("x",),
        ),
    ],
)
def test_a_mistake_in_a_constraint_is_pointed_at(
    host: Hosted, fields: dict[str, Any], pointer: str, words: tuple[str, ...]
) -> None:
    refused(ask(host, CHAT, chat_body(**fields)), pointer, *words, code="invalid_constraint")


def test_another_model_is_a_404(host: Hosted) -> None:
    answer = ask(host, CHAT, chat_body(model="gpt-4o"))
    assert (answer.status, answer.error["code"], answer.error["param"]) == (404, "model_not_found", "model")


def test_a_bias_is_no_prohibition(host: Hosted) -> None:
    """However unlikely, the tokens that the constraint needs are written."""
    biases = {str(token_id): -100 for token_id in range(2000)}
    answer = ask(host, CHAT, chat_body(structured_outputs={"regex": "a"}, logit_bias=biases))
    assert answer.json["choices"][0]["message"]["content"] == "a"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"text"',
        b"\xff",
        b'{"model": NaN}',
        b'{"a": 1, "a": 2}',
        b"[" * 100_000,
        b'{"model": "\\ud800"}',
        b"9" * 5000,
        b'{"model": 5}',
        b'{"model": "tiny", "messages": ' + b"[" * 5000,
        b'{"model": "tiny", "prompt": "a", "structured_outputs": {"json": ' + b'{"not":' * 400 + b"{}" + b"}" * 402,
    ],
)
def test_bodies_that_are_no_json_object(host: Hosted, body: bytes) -> None:
    for path in (CHAT, TEXT, RESPONSES):
        assert ask(host, path, body).status == 400


# ---- Any body -----------------------------------------------------------------------------------

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
KEYWORDS = [
    "type",
    "properties",
    "required",
    "items",
    "enum",
    "const",
    "pattern",
    "minLength",
    "maxItems",
    "$ref",
    "anyOf",
]
SCHEMAS = st.recursive(
    st.booleans() | st.fixed_dictionaries({"type": st.sampled_from(["string", "integer", "object", "array", "null"])}),
    lambda inner: (
        st.dictionaries(st.sampled_from(KEYWORDS), inner | VALUES, max_size=3)
        | st.fixed_dictionaries({"properties": st.dictionaries(st.text(max_size=4), inner, max_size=3)})
    ),
    max_leaves=5,
)
CONSTRAINTS: dict[str, st.SearchStrategy[Any]] = {
    "response_format": st.one_of(
        VALUES,
        st.fixed_dictionaries(
            {"type": st.sampled_from(["json_schema", "json_object", "text", "structural_tag", "regex"])}
        ),
        st.builds(lambda schema: {"type": "json_schema", "json_schema": {"name": "n", "schema": schema}}, SCHEMAS),
    ),
    "structured_outputs": st.one_of(
        VALUES,
        st.dictionaries(
            st.sampled_from(["json", "regex", "choice", "grammar", "structural_tag", "json_object", "type"]),
            VALUES | SCHEMAS | st.sampled_from(["[a-z]+", 'root ::= "a"', 'start: "a"']),
            max_size=2,
        ),
    ),
    "tools": st.lists(
        st.one_of(
            VALUES,
            st.builds(lambda p: {"type": "function", "function": {"name": "f", "parameters": p}}, SCHEMAS),
            st.builds(lambda f: {"type": "custom", "custom": {"name": "c", "format": f}}, VALUES),
        ),
        max_size=2,
    ),
    "tool_choice": st.sampled_from(["auto", "required", "none"]) | VALUES,
}
OTHERS = [
    "n",
    "stop",
    "seed",
    "logprobs",
    "top_logprobs",
    "logit_bias",
    "stream",
    "messages",
    "temperature",
    "model",
    "user",
    "parallel_tool_calls",
    "stream_options",
    "chat_template_kwargs",
    "guided_json",
    "guided_regex",
    "x",
]
#: One constraint that is well-formed.
PLAIN = st.recursive(
    st.sampled_from([{"type": "integer"}, {"type": "boolean"}, {"enum": ["a", 1]}, {"const": None}, True]),
    lambda inner: st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2).map(
        lambda properties: {"type": "object", "properties": properties, "additionalProperties": False}
    ),
    max_leaves=3,
)
OUTPUTS = st.one_of(
    PLAIN.map(lambda schema: {"json": schema}),
    st.sampled_from(["[a-c]{1,3}", "x|yz", "(?:ab)+c?"]).map(lambda pattern: {"regex": pattern}),
    st.lists(st.text(min_size=1, max_size=4), min_size=1, max_size=3).map(lambda texts: {"choice": texts}),
)
SOUND = st.one_of(
    PLAIN.map(
        lambda schema: {"response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": schema}}}
    ),
    OUTPUTS.map(lambda outputs: {"structured_outputs": outputs}),
    st.builds(
        lambda schema, choice: {
            "tools": [{"type": "function", "function": {"name": "f", "parameters": {"properties": {"a": schema}}}}],
            "tool_choice": choice,
        },
        PLAIN,
        st.sampled_from(["auto", "required", {"type": "function", "function": {"name": "f"}}]),
    ),
)
BODIES = st.builds(
    lambda constraints, others: {**constraints, **others},
    SOUND | SOUND | st.fixed_dictionaries({}, optional=CONSTRAINTS),
    st.just({}) | st.dictionaries(st.sampled_from(OTHERS), VALUES, max_size=1),
)
ANY = settings(max_examples=150, suppress_health_check=list(HealthCheck))


def is_constrained(body: dict[str, Any]) -> bool:
    """Whether a body asks for a constraint, if it is a body at all."""
    form, outputs = body.get("response_format"), body.get("structured_outputs")
    if outputs is not None or (isinstance(form, dict) and form.get("type") != "text"):
        return True
    return bool(body.get("tools")) and body.get("tool_choice") != "none"


@ANY
@given(BODIES)
def test_any_body_is_answered_constrained_or_refused(host: Hosted, fields: dict[str, Any]) -> None:
    body = chat_body(**{"max_tokens": 1, **fields})
    answer = ask(host, CHAT, body)
    assert answer.status in (200, 400, 404), (body, answer.text)
    if answer.status == 200 and is_constrained(body):
        assert answer.headers["x-xg2lab-constraint"] != "none", body
    if answer.status == 200:
        assert not any(name.startswith("guided_") and body[name] is not None for name in body), body
    else:
        assert answer.error["message"]


@settings(max_examples=80, suppress_health_check=list(HealthCheck))
@given(OUTPUTS, st.integers(0, 1000))
def test_a_whole_answer_keeps_its_constraint(host: Hosted, outputs: dict[str, Any], seed: int) -> None:
    body = chat_body(structured_outputs=outputs, temperature=1.5, seed=seed, max_tokens=40)
    choice = ask(host, CHAT, body).json["choices"][0]
    text = choice["message"]["content"]
    if choice["finish_reason"] != "stop":
        return
    if "regex" in outputs:
        assert re.fullmatch(outputs["regex"], text)
    elif "choice" in outputs:
        assert text in outputs["choice"]
    else:
        jsonschema.validate(json.loads(text), outputs["json"])


@ANY
@given(st.binary(max_size=40) | VALUES.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_are_refused(host: Hosted, data: bytes) -> None:
    for path in (CHAT, TEXT, RESPONSES):
        assert ask(host, path, data).status == 400


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(
    st.dictionaries(st.sampled_from(["input", "text", "tools", "include", "instructions", "top_logprobs", "x"]), VALUES)
)
def test_any_response_body_is_answered_or_refused(host: Hosted, fields: dict[str, Any]) -> None:
    body = {"model": "tiny", "input": "a", "max_output_tokens": 1, **fields}
    answer = ask(host, RESPONSES, body)
    assert answer.status in (200, 400), (body, answer.text)


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(st.dictionaries(st.sampled_from(["prompt", "logprobs", "echo", "best_of", "suffix", "stop", "x"]), VALUES))
def test_any_completion_body_is_answered_or_refused(host: Hosted, fields: dict[str, Any]) -> None:
    body = {"model": "tiny", "prompt": "a", "max_tokens": 1, **fields}
    answer = ask(host, TEXT, body)
    assert answer.status in (200, 400), (body, answer.text)


@pytest.mark.parametrize("depth", [20, 60, 90, 190, 400])
def test_deep_schemas_are_compiled_or_refused(host: Hosted, depth: int) -> None:
    schema: dict[str, Any] = {"type": "integer"}
    for _ in range(depth // 2):
        schema = {"type": "object", "properties": {"a": schema}}
    tool = {"type": "function", "function": {"name": "f", "parameters": schema}}
    form = {"type": "json_schema", "json_schema": {"name": "n", "schema": schema}}
    for fields in ({"tools": [tool]}, {"response_format": form}, {"tools": [tool], "response_format": form}):
        assert ask(host, CHAT, chat_body(max_tokens=1, **fields)).status in ((200,) if depth < 70 else (200, 400))


@pytest.mark.parametrize("name", ["chat_template", "tokenize", "tools", "enable_thinking", "messages"])
def test_a_switch_that_the_template_has_not_is_refused(host: Hosted, name: str) -> None:
    refused(ask(host, CHAT, chat_body(chat_template_kwargs={name: True})), f"/chat_template_kwargs/{name}", name)
