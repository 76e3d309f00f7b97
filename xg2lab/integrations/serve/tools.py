"""Tools and the choice among them: read, and made into the structural tag of an answer that may call them.

>>> from xg2lab.integrations.serve.fields import Fields
>>> body = Fields({"tools": [{"type": "function", "function": {"name": "add"}}], "tool_choice": "required"})
>>> toolbox = read_tools(body, most_bytes=1000)
>>> [tool.name for tool in toolbox.callable], toolbox.mode
(['add'], 'required')

Functions have arguments, JSON values by a schema. Custom tools have an input, a text by a grammar: the model writes a
call of one as it writes any call, with the text where the arguments would be.

See also: `xg2lab.builtin_structural_tag`, which builds the tags; `answers.py`, which reads the calls.
"""

from __future__ import annotations

import json
import re
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from xg2lab.builtin_structural_tag import get_model_structural_tag
from xg2lab.grammar import Grammar
from xg2lab.integrations.serve.constraints import Constraint, refusing
from xg2lab.integrations.serve.failures import RequestError
from xg2lab.integrations.serve.fields import Fields
from xg2lab.tool_calls.tool_choice import FunctionTool

if TYPE_CHECKING:
    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["Tool", "Toolbox", "answer_format", "read_tools"]

Mode = Literal["none", "auto", "required", "named"]
Reasoning = Literal["disabled", "auto", "enabled"]
Json = dict[str, Any]

_NAME = re.compile(r"[A-Za-z0-9_.\-]{1,128}")
#: Stands in a schema for the text of a custom tool; no request can guess it.
_MARK = f"xg2lab {secrets.token_hex(8)} custom tool"
_MOST_TOOLS = 1024


@dataclass(frozen=True)
class Tool:
    """A tool of a request.

    Parameters
    ----------
    name : str
        What the model writes.
    pointer : str
        The JSON Pointer of its definition.
    is_custom : bool
        Whether it takes a text, not arguments.
    description : str, optional
        What it is for.
    parameters : dict, optional
        The JSON Schema of the arguments; None: it has none.
    strict : bool, optional
        False: arguments are any object.
    grammar : Constraint, optional
        Of a custom tool: what its text has to be; None: any text.

    >>> Tool("add", "/tools/0").as_function().schema["additionalProperties"]
    False
    """

    name: str
    pointer: str
    is_custom: bool = False
    description: str | None = None
    parameters: Json | None = None
    strict: bool | None = None
    grammar: Constraint | None = None

    def as_function(self) -> FunctionTool:
        """Return the tool as the builders of structural tags take it; for a custom tool a stand-in.

        Returns
        -------
        FunctionTool
            A stand-in has a schema by which `answer_format` finds the place of the text.

        >>> Tool("add", "/tools/0", strict=False, parameters={}).as_function().schema
        {'type': 'object'}
        """
        if self.is_custom:
            mark = f"{_MARK} {self.name}"
            schema = {"type": "object", "properties": {"input": {"const": mark}}, "required": ["input"]}
            return FunctionTool(self.name, {**schema, "additionalProperties": False})
        return FunctionTool(self.name, self.parameters, self.strict, self.description)


@dataclass(frozen=True)
class Toolbox:
    """The tools of a request, and the choice among them.

    Parameters
    ----------
    all : tuple of Tool
        Every tool, for the prompt.
    callable : tuple of Tool
        Those that may be called.
    mode : "none", "auto", "required" or "named"
        Whether one has to be called; "named": exactly this one.
    is_parallel : bool
        Whether an answer may have more than one call.

    >>> Toolbox().mode
    'none'
    """

    all: tuple[Tool, ...] = ()
    callable: tuple[Tool, ...] = ()
    mode: Mode = "none"
    is_parallel: bool = True

    @property
    def must_call(self) -> bool:
        """Whether an answer without a call is not allowed."""
        return self.mode in ("required", "named")


# ---- Reading ------------------------------------------------------------------------------------


def read_tools(body: Fields, most_bytes: int) -> Toolbox:
    """Read `tools`, `tool_choice` and `parallel_tool_calls`, as chat requests nest them or responses have them flat.

    Parameters
    ----------
    body : Fields
        The request.
    most_bytes : int
        The largest list of tools, as JSON text.

    Returns
    -------
    Toolbox
        With mode "none" where there are no tools, or the choice is "none".

    Raises
    ------
    RequestError
        A 400: an unknown kind of tool, field or choice, a name that occurs twice, a choice without its tool.

    >>> flat = {"tools": [{"type": "custom", "name": "run", "format": {"type": "text"}}]}
    >>> read_tools(Fields(flat), 1000).callable[0].is_custom
    True
    """
    listed = body.items("tools") or []
    if len(listed) > _MOST_TOOLS:
        raise body.failure("tools", f"there are {len(listed)} tools; at most {_MOST_TOOLS} are allowed")
    if listed and len(json.dumps(listed, ensure_ascii=False).encode()) > most_bytes:
        raise body.failure(
            "tools",
            f"the tools have more than {most_bytes} bytes",
            hint="the server's limit is --max-constraint-bytes",
            code="constraint_too_large",
        )
    tools = tuple(_tool(Fields(each, f"{body.at('tools')}/{place}")) for place, each in enumerate(listed))
    seen: set[str] = set()
    for tool in tools:
        if tool.name in seen:
            raise RequestError(f"two tools are named {tool.name!r}", pointer=tool.pointer)
        seen.add(tool.name)
    parallel = body.flag("parallel_tool_calls")
    mode, names = _choice(body)
    if mode in ("required", "named") and not tools:
        raise body.failure("tool_choice", "a call is required and there is no tool", hint="list tools, or leave it out")
    missing = sorted(names - seen) if names is not None else []
    if missing:
        known = ", ".join(sorted(seen)) or "none"
        raise body.failure("tool_choice", f"no such tool: {missing[0]!r}", hint=f"the tools are {known}")
    allowed = tuple(tool for tool in tools if names is None or tool.name in names)
    if mode == "none" or not allowed:
        return Toolbox(tools, (), "none", parallel is not False)
    return Toolbox(tools, allowed, mode, parallel is not False)


def _tool(given: Fields) -> Tool:
    kind = given.text("type", needed=True)
    if kind not in ("function", "custom"):
        raise given.failure(
            "type",
            f"there is no kind of tool {kind!r} here",
            hint='"function" with JSON arguments, or "custom" with a text; this server runs no tools itself',
        )
    inner = given.inner(kind) or given
    name = inner.text("name", needed=True) or ""
    if not _NAME.fullmatch(name):
        raise inner.failure("name", f"{name[:60]!r} is no name of a tool", hint="letters, digits, _, - and .")
    description = inner.text("description")
    if kind == "custom":
        tool = Tool(name, inner.pointer, True, description, grammar=_custom_format(inner.inner("format")))
    else:
        parameters = inner.inner("parameters")
        strict = inner.flag("strict")
        schema = None if parameters is None else parameters.given
        tool = Tool(name, inner.pointer, False, description, schema, strict)
    inner.no_others()
    if inner is not given:
        given.no_others()
    return tool


def _custom_format(given: Fields | None) -> Constraint | None:
    """What a custom tool's text has to be. The grammar is nested in chat requests, and flat in responses."""
    if given is None:
        return None
    kind = given.text("type", among=("text", "grammar"), needed=True)
    found: Constraint | None = None
    if kind == "grammar":
        inner = given.inner("grammar") or given
        syntax = inner.text("syntax", among=("lark", "regex"), needed=True)
        definition = inner.text("definition", needed=True) or ""
        found = Constraint("lark" if syntax == "lark" else "regex", definition, inner.at("definition"))
        if inner is not given:
            inner.no_others()
    given.no_others()
    return found


def _choice(body: Fields) -> tuple[Mode, set[str] | None]:
    """The mode, and the names that may be called; None: all."""
    given = body.raw("tool_choice")
    if given is None or isinstance(given, str):
        known = ("auto", "none", "required")
        mode = body.text("tool_choice", among=known) or "auto"
        return mode, None  # pyright: ignore[reportReturnType]
    choice = Fields(given, body.at("tool_choice"))
    kind = choice.text("type", among=("function", "custom", "allowed_tools"), needed=True)
    if kind == "allowed_tools":
        allowed = choice.inner("allowed_tools") or choice
        mode = allowed.text("mode", among=("auto", "required"), needed=True)
        listed = allowed.items("tools")
        if not listed:
            raise allowed.failure("tools", "`tools` is missing: the tools that may be called", code="missing_field")
        names = {_reference(Fields(each, f"{allowed.at('tools')}/{at}")) for at, each in enumerate(listed)}
        allowed.no_others()
        if allowed is not choice:
            choice.no_others()
        return mode, names  # pyright: ignore[reportReturnType]
    return "named", {_reference(choice)}


def _reference(given: Fields) -> str:
    kind = given.text("type", among=("function", "custom"), needed=True) or ""
    inner = given.inner(kind) or given
    name = inner.text("name", needed=True) or ""
    inner.no_others()
    if inner is not given:
        given.no_others()
    return name


# ---- The structural tag -------------------------------------------------------------------------


def answer_format(
    model_format: str, toolbox: Toolbox, reasoning: Reasoning, text: Constraint | None, tokenizer_info: TokenizerInfo
) -> Constraint | None:
    """Return the constraint of a whole answer: reasoning, then text or calls.

    Parameters
    ----------
    model_format : str
        How the model writes calls: a name of `xg2lab.tool_calls.formats`.
    toolbox : Toolbox
        The tools.
    reasoning : "disabled", "auto" or "enabled"
        Whether reasoning comes first.
    text : Constraint, optional
        What the text has to be where no tool is called.
    tokenizer_info : TokenizerInfo
        Where tokens that a Lark grammar names are looked up.

    Returns
    -------
    Constraint or None
        None: any text.

    Raises
    ------
    RequestError
        A 400: a schema or a grammar has a mistake, or a call is required and the text is constrained.

    >>> import xg2lab as xgr
    >>> info = xgr.TokenizerInfo([b"a"])
    >>> toolbox = read_tools(Fields({"tools": [{"type": "function", "function": {"name": "f"}}]}), 1000)
    >>> answer_format("qwen_3", toolbox, "disabled", None, info).kind
    'structural_tag'
    """
    if toolbox.mode == "none":
        if text is None or reasoning == "disabled":
            return text
        value = _after_reasoning(model_format, reasoning, text, tokenizer_info)
        return Constraint("structural_tag", json.dumps(value, ensure_ascii=False), text.pointer, is_built=True)
    if text is not None and toolbox.must_call:
        raise RequestError(
            "the text is constrained, and a call of a tool is required",
            pointer=text.pointer,
            hint='leave one of the two out, or set tool_choice="auto"',
            code="conflicting_constraints",
        )
    if text is not None and text.kind not in ("json_schema", "json_object"):
        return text  # it says all of the answer, calls included: the guide's FunctionGemma pipeline
    _check_schemas(toolbox)
    choice = {"auto": "auto", "required": "required", "named": "required"}[toolbox.mode]
    value = _tag(model_format, toolbox, choice if text is None else "required", reasoning)
    if text is not None:
        value["format"] = _or_text(value["format"], text, reasoning)
    _with_inputs(value, toolbox, tokenizer_info)
    return Constraint("structural_tag", json.dumps(value, ensure_ascii=False), "/tools", is_built=True)


def _tag(model_format: str, toolbox: Toolbox, choice: str, reasoning: Reasoning) -> Json:
    with refusing("/tools"):
        return get_model_structural_tag(
            model_format,
            [tool.as_function() for tool in toolbox.callable],
            choice,
            reasoning,
            parallel_tool_calls=toolbox.is_parallel and toolbox.mode != "named",
        ).model_dump()


def _check_schemas(toolbox: Toolbox) -> None:
    """Refuse a schema or a grammar at its own place, before all of them become one tag."""
    for tool in toolbox.callable:
        if tool.grammar is not None:
            with refusing(tool.grammar.pointer):
                read = Grammar.from_regex if tool.grammar.kind == "regex" else Grammar.from_lark
                read(tool.grammar.text)
        elif tool.parameters is not None:
            with refusing(f"{tool.pointer}/parameters"):
                Grammar.from_json_schema(json.dumps(tool.as_function().schema, ensure_ascii=False))


def _or_text(calls: Json, text: Constraint, reasoning: Reasoning) -> Json:
    """Calls, or the text; after the reasoning, where there is any."""
    if calls["type"] == "sequence" and reasoning != "disabled":
        *before, last = calls["elements"]
        return {**calls, "elements": [*before, {"type": "or", "elements": [last, text.as_format()]}]}
    return {"type": "or", "elements": [calls, text.as_format()]}


def _after_reasoning(model_format: str, reasoning: Reasoning, text: Constraint, tokenizer_info: TokenizerInfo) -> Json:
    with refusing(text.pointer):
        value = get_model_structural_tag(model_format, [], "auto", reasoning).model_dump()
    content = text.as_format(tokenizer_info)
    whole = value["format"]
    if whole["type"] != "sequence":  # the format has no reasoning
        return {**value, "format": content}
    return {**value, "format": {**whole, "elements": [*whole["elements"][:-1], content]}}


def _with_inputs(value: Any, toolbox: Toolbox, tokenizer_info: TokenizerInfo) -> None:
    """Put the grammar of each custom tool where its stand-in's arguments are."""
    inputs = {
        f"{_MARK} {tool.name}": {"type": "any_text"} if tool.grammar is None else tool.grammar.as_format(tokenizer_info)
        for tool in toolbox.callable
        if tool.is_custom
    }
    if inputs:
        _replace(value, inputs)


def _replace(node: Any, inputs: dict[str, Json]) -> None:
    if isinstance(node, list):
        for each in node:  # pyright: ignore[reportUnknownVariableType]
            _replace(each, inputs)
    elif isinstance(node, dict):
        mark = _mark_of(node)  # pyright: ignore[reportUnknownArgumentType]
        if mark in inputs:
            node.clear()  # pyright: ignore[reportUnknownMemberType]
            node.update(inputs[mark])  # pyright: ignore[reportUnknownMemberType]
            return
        for each in node.values():  # pyright: ignore[reportUnknownVariableType]
            _replace(each, inputs)


def _mark_of(node: Json) -> str | None:
    """The mark in a format that stands for a custom tool's arguments."""
    if node.get("type") == "json_schema":
        inside: Any = node.get("json_schema")
        mark = inside.get("properties", {}).get("input", {}).get("const") if isinstance(inside, dict) else None  # pyright: ignore[reportUnknownMemberType]
        return mark if isinstance(mark, str) and mark.startswith(_MARK) else None
    if node.get("type") == "grammar":
        found = re.search(re.escape(_MARK) + r" [A-Za-z0-9_.\-]+", node["grammar"])
        return found[0] if found else None
    return None
