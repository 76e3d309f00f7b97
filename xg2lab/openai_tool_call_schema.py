"""Tools and the choice among them as OpenAI's chat completions send them, as pydantic models.

>>> tool = FunctionToolParam(function=FunctionDefinition(name="add", parameters={"type": "object"}))
>>> tool.model_dump(exclude_none=True)
{'type': 'function', 'function': {'name': 'add', 'parameters': {'type': 'object'}}}

The names and fields are those of XGrammar's module, which servers import. Whatever takes tools here takes these models,
dicts, and the models of the `openai` package alike: `xg2lab.tool_calls.tool_choice` reads all of them.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

__all__ = [
    "AllowedToolChoiceParam",
    "AllowedToolRef",
    "AllowedToolsParam",
    "BuiltinToolChoiceParam",
    "BuiltinToolParam",
    "FunctionDefinition",
    "FunctionToolParam",
    "NamedToolChoiceFunction",
    "NamedToolChoiceParam",
    "ToolChoiceOptionParam",
    "ToolParam",
]


# ---- Tools --------------------------------------------------------------------------------------


class FunctionDefinition(BaseModel):
    """A function that a model can call. `parameters` is a JSON Schema; None, or `strict=False`: any arguments."""

    name: str
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None


class FunctionToolParam(BaseModel):
    """A tool that is a function."""

    type: Literal["function"] = "function"
    function: FunctionDefinition


class BuiltinToolParam(BaseModel):
    """A tool that the provider runs. `name` is what the model writes, where that is not the type."""

    type: str
    name: str | None = None
    parameters: dict[str, Any] | None = None


ToolParam = FunctionToolParam | BuiltinToolParam


# ---- The choice ---------------------------------------------------------------------------------


class NamedToolChoiceFunction(BaseModel):
    """A function by its name."""

    name: str


class NamedToolChoiceParam(BaseModel):
    """The choice of one function: it has to be called."""

    type: Literal["function"] = "function"
    function: NamedToolChoiceFunction


class BuiltinToolChoiceParam(BaseModel):
    """The choice of one built-in tool, by its type."""

    type: str
    name: str | None = None


class AllowedToolRef(BaseModel):
    """One of the tools that may be called: a function by its name, a built-in tool by its type."""

    type: str
    function: NamedToolChoiceFunction | None = None
    name: str | None = None


class AllowedToolsParam(BaseModel):
    """Some of the tools, and whether one of them has to be called."""

    mode: Literal["auto", "required"]
    tools: list[AllowedToolRef]


class AllowedToolChoiceParam(BaseModel):
    """The choice among some of the tools."""

    type: Literal["allowed_tools"] = "allowed_tools"
    allowed_tools: AllowedToolsParam


ToolChoiceOptionParam = (
    Literal["none", "auto", "required"] | NamedToolChoiceParam | AllowedToolChoiceParam | BuiltinToolChoiceParam
)
