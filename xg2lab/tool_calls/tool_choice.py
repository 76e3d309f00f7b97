"""Tools and the choice among them, as chat requests give them, brought to one form.

>>> functions, builtins, choice = normalize_tool_choice(
...     [{"type": "function", "function": {"name": "add"}}, {"type": "function", "function": {"name": "sub"}}],
...     {"type": "function", "function": {"name": "sub"}},
... )
>>> [tool.name for tool in functions], builtins, choice
(['sub'], [], 'forced')

See also: `xg2lab.builtin_structural_tag`, whose builders are given this form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, cast

from xg2lab.errors import ArgumentError

__all__ = ["BuiltinTool", "FunctionTool", "SimpleChoice", "normalize_tool_choice", "read_tools"]

SimpleChoice = Literal["auto", "required", "forced"]
#: Schemas of arguments: of a function that has none, and of one that takes what it is given.
NO_ARGUMENTS: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
ANY_ARGUMENTS: dict[str, Any] = {"type": "object"}


@dataclass(frozen=True)
class FunctionTool:
    """A function that a model can call."""

    name: str
    parameters: dict[str, Any] | None = None
    strict: bool | None = None
    description: str | None = None

    @property
    def type(self) -> Literal["function"]:
        """The kind of the tool, as in a request."""
        return "function"

    @property
    def function(self) -> FunctionTool:
        """The tool itself: builders written for XGrammar use `tool.function.name`."""
        return self

    @property
    def schema(self) -> dict[str, Any]:
        """The schema of the arguments: any object if the tool is not strict, the empty object without parameters."""
        return ANY_ARGUMENTS if self.strict is False and self.parameters is not None else self.own_schema

    @property
    def own_schema(self) -> dict[str, Any]:
        """The schema of the parameters, whether the tool is strict or not."""
        return NO_ARGUMENTS if self.parameters is None else _of_object(self.parameters)


@dataclass(frozen=True)
class BuiltinTool:
    """A tool that a model's provider runs; `name` is what the model writes, where that isn't the type."""

    type: str
    name: str | None = None
    parameters: dict[str, Any] | None = None

    @property
    def output_name(self) -> str:
        """The name that the model writes."""
        return self.name or self.type

    @property
    def schema(self) -> dict[str, Any]:
        """The schema of the arguments: any object if only the provider knows it."""
        return _of_object(self.parameters or {})


def _of_object(schema: dict[str, Any]) -> dict[str, Any]:
    """Arguments are an object, also where the schema leaves it open."""
    return schema if "type" in schema or "$ref" in schema else {"type": "object", **schema}


Tools = tuple[list[FunctionTool], list[BuiltinTool]]


def read_tools(tools: Any) -> Tools:
    """Tools as a request lists them; models of other libraries as well as dicts."""
    if tools is None:
        return [], []
    if not isinstance(tools, (list, tuple)):
        raise ArgumentError(f"`tools` must be a list, not {type(tools).__name__}")
    functions: list[FunctionTool] = []
    builtins: list[BuiltinTool] = []
    for place, given in enumerate(cast("list[Any]", tools)):
        if isinstance(given, FunctionTool):
            functions.append(given)
            continue
        if isinstance(given, BuiltinTool):
            builtins.append(given)
            continue
        tool = _as_dict(given, f"tools[{place}]")
        kind = _text(tool, "type", f"tools[{place}]")
        if kind != "function":
            builtins.append(BuiltinTool(kind, tool.get("name"), _schema(tool, f"tools[{place}]")))
            continue
        # Nested as chat completions have it, or flat as responses do.
        function = _as_dict(tool.get("function", tool), f"tools[{place}].function")
        where = f"tools[{place}].function" if "function" in tool else f"tools[{place}]"
        functions.append(
            FunctionTool(
                _text(function, "name", where),
                _schema(function, where),
                function.get("strict"),
                function.get("description"),
            )
        )
    return functions, builtins


def normalize_tool_choice(
    tools: Any = None, tool_choice: Any = "auto"
) -> tuple[list[FunctionTool], list[BuiltinTool], SimpleChoice]:
    """Return the tools that may be called, and whether a call is required.

    Parameters
    ----------
    tools : list, optional
        Functions and built-in tools.
    tool_choice : str or dict, optional
        "auto", also None; "none", which leaves no tools; "required". For one tool
        `{"type": "function", "function": {"name": ...}}` or `{"type": <built-in type>}`. For some of them, in mode
        "auto" or "required", `{"type": "allowed_tools", "allowed_tools": {"mode": ..., "tools": [...]}}`.

    Returns
    -------
    tuple of (list of FunctionTool, list of BuiltinTool, str)
        Functions, built-in tools, and the choice: "auto"; "required"; or "forced", and then exactly one tool is left.

    Raises
    ------
    ArgumentError
        The choice names a tool that is not in the list, or requires a call and leaves no tool.

    >>> add = {"type": "function", "function": {"name": "add"}}
    >>> functions, builtins, choice = normalize_tool_choice([add], "required")
    >>> functions[0].name, builtins, choice
    ('add', [], 'required')
    """
    functions, builtins = read_tools(tools)
    if tool_choice is None or tool_choice == "auto":
        return functions, builtins, "auto"
    if tool_choice == "none":
        return [], [], "auto"
    if tool_choice == "required":
        return _needed(functions, builtins, "required")
    if isinstance(tool_choice, str):
        raise ArgumentError(
            f"tool_choice {tool_choice!r} is not known", hint='"auto", "none", "required", or a dict that names a tool'
        )
    choice = _as_dict(tool_choice, "tool_choice")
    kind = _text(choice, "type", "tool_choice")
    if kind == "allowed_tools":
        allowed = _as_dict(choice.get("allowed_tools", choice), "tool_choice.allowed_tools")
        functions, builtins = _only(allowed.get("tools"), functions, builtins)
        mode = allowed.get("mode")
        if mode not in ("auto", "required"):
            raise ArgumentError(f"the mode of allowed tools must be 'auto' or 'required', not {mode!r}")
        return (functions, builtins, "auto") if mode == "auto" else _needed(functions, builtins, "required")
    functions, builtins = _only([choice], functions, builtins)
    if len(functions) + len(builtins) != 1:
        raise ArgumentError(
            f"tool_choice names {len(functions) + len(builtins)} tools, not one",
            hint="give each tool a name of its own",
        )
    return functions, builtins, "forced"


def _needed(
    functions: list[FunctionTool], builtins: list[BuiltinTool], choice: SimpleChoice
) -> tuple[list[FunctionTool], list[BuiltinTool], SimpleChoice]:
    if not functions and not builtins:
        raise ArgumentError("a call is required and there is no tool", hint='list tools, or choose "auto"')
    return functions, builtins, choice


def _only(references: Any, functions: list[FunctionTool], builtins: list[BuiltinTool]) -> Tools:
    names: set[str] = set()
    types: set[str] = set()
    for place, given in enumerate(references or []):
        reference = _as_dict(given, f"the reference {place}")
        kind = _text(reference, "type", "a reference to a tool")
        if kind == "function":
            names.add(
                _text(_as_dict(reference.get("function") or reference, "function"), "name", "a reference to a function")
            )
        else:
            types.add(kind)
    missing = sorted(names - {tool.name for tool in functions}) + sorted(types - {tool.type for tool in builtins})
    if missing:
        known = sorted({tool.name for tool in functions} | {tool.type for tool in builtins})
        raise ArgumentError(f"no such tool: {', '.join(missing)}", hint=f"the tools are {', '.join(known) or 'none'}")
    return [tool for tool in functions if tool.name in names], [tool for tool in builtins if tool.type in types]


def _as_dict(value: Any, where: str) -> dict[str, Any]:
    if hasattr(value, "model_dump"):
        value = value.model_dump()
    if not isinstance(value, dict):
        raise ArgumentError(f"{where} must be a dict, not {type(value).__name__}")
    return cast("dict[str, Any]", value)


def _text(value: dict[str, Any], key: str, where: str) -> str:
    text = value.get(key)
    if not isinstance(text, str) or not text:
        raise ArgumentError(f"{where} needs {key!r}, a text that is not empty")
    return text


def _schema(value: dict[str, Any], where: str) -> dict[str, Any] | None:
    schema = value.get("parameters")
    if schema is not None and not isinstance(schema, dict):
        raise ArgumentError(f"the parameters of {where} must be a JSON Schema, a dict, not {type(schema).__name__}")
    return cast("dict[str, Any] | None", schema)
