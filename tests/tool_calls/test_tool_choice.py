"""Tools and choices as requests give them."""

from __future__ import annotations

from typing import Any

import pytest

from xg2lab.errors import ArgumentError
from xg2lab.tool_calls.tool_choice import FunctionTool, normalize_tool_choice

ADD: Any = {"type": "function", "function": {"name": "add", "parameters": {"type": "object"}, "strict": True}}
SUB: Any = {"type": "function", "function": {"name": "sub", "parameters": {"type": "object"}, "strict": False}}
WEB: Any = {"type": "web_search", "name": "browser.search"}
TOOLS = [ADD, SUB, WEB]


def names(choice: Any, tools: Any = None) -> tuple[list[str], list[str], str]:
    functions, builtins, simple = normalize_tool_choice(TOOLS if tools is None else tools, choice)
    return [tool.function.name for tool in functions], [tool.type for tool in builtins], simple


def allowed(mode: str, *tools: Any) -> Any:
    return {"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": list(tools)}}


NAMED: Any = {"type": "function", "function": {"name": "sub"}}


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("auto", (["add", "sub"], ["web_search"], "auto")),
        (None, (["add", "sub"], ["web_search"], "auto")),
        ("none", ([], [], "auto")),
        ("required", (["add", "sub"], ["web_search"], "required")),
        (NAMED, (["sub"], [], "forced")),
        ({"type": "function", "name": "sub"}, (["sub"], [], "forced")),  # as the responses API has it
        ({"type": "web_search"}, ([], ["web_search"], "forced")),
        (allowed("auto", NAMED), (["sub"], [], "auto")),
        (allowed("required", {"type": "web_search"}, NAMED), (["sub"], ["web_search"], "required")),
    ],
)
def test_choices(choice: Any, expected: Any):
    assert names(choice) == expected


def test_a_tool_that_does_not_insist_takes_anything():
    add, sub = normalize_tool_choice([ADD, SUB])[0]
    assert (add.schema, sub.schema) == ({"type": "object"}, {"type": "object"})
    loose = FunctionTool("f", {"properties": {"a": {"type": "null"}}}, strict=False)
    assert loose.schema == {"type": "object"}
    assert loose.own_schema == {"type": "object", "properties": {"a": {"type": "null"}}}
    assert normalize_tool_choice()[0] == []


@pytest.mark.parametrize(
    ("tools", "choice", "message"),
    [
        (TOOLS, "sometimes", "tool_choice 'sometimes' is not known"),
        ([], "required", "a call is required and there is no tool"),
        (TOOLS, {"type": "function", "function": {"name": "mul"}}, "no such tool: mul"),
        (TOOLS, {"type": "shell"}, "no such tool: shell"),
        ([WEB, WEB], {"type": "web_search"}, "tool_choice names 2 tools, not one"),
        (TOOLS, allowed("must", NAMED), "the mode of allowed tools must be 'auto' or 'required', not 'must'"),
        (TOOLS, allowed("required"), "a call is required and there is no tool"),
        ({}, "auto", "`tools` must be a list, not dict"),
        ([{"type": "function"}], "auto", "tools[0] needs 'name', a text that is not empty"),
        (
            [{"type": "function", "function": {"name": "f", "parameters": []}}],
            "auto",
            "must be a JSON Schema, a dict, not list",
        ),
    ],
)
def test_mistakes(tools: Any, choice: Any, message: str):
    with pytest.raises(ArgumentError) as caught:
        normalize_tool_choice(tools, choice)
    assert message in str(caught.value)
