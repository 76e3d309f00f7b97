"""An answer's text, read: reasoning, content and tool calls.

>>> parse("llama", 'Sure. {"name": "add", "parameters": {"a": 1}}')
ParsedAnswer(reasoning=None, content='Sure.', tool_calls=[ToolCall(name='add', arguments={'a': 1})])

A call that can't be read is a ToolCallError with its place: a constrained answer has none, unless it was cut short.

See also: `writing.py`, whose inverse this is.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from xg2lab.errors import ArgumentError, ArgumentTypeError, ToolCallError
from xg2lab.tool_calls import functiongemma, styles
from xg2lab.tool_calls.calls import ParsedAnswer, ToolCall
from xg2lab.tool_calls.formats import CALL_INDEX, MODEL_FORMATS, REGISTERED, ModelFormat
from xg2lab.tool_calls.styles import failed, skip_space
from xg2lab.tool_calls.tool_choice import read_tools

__all__ = ["form_of", "parse"]

Schemas = dict[str, Any]


def parse(model: str, text: str, tools: list[Any] | None = None) -> ParsedAnswer:
    """Reads an answer of a model.

    Parameters
    ----------
    model : str
        A family of models, as for `get_model_structural_tag`: one of ours, or one that was registered with a format
        or a function `parse`.
    text : str
        The model's text after its prompt, with special tokens as their texts.
    tools : list, optional
        The tools of the request. Some formats write `5` for a number and for a text alike; a tool's schema tells them
        apart. Without it, what is JSON is read as that.

    Raises
    ------
    ToolCallError
        A call that can't be read; `span` says where. Also values that nest deeper than Python's stack allows.
    ArgumentError
        An unknown model, or one that was registered without a word on how its answers are read.
    ArgumentTypeError
        The text is no `str`; a registered function returned no `ParsedAnswer`.
    """
    own = REGISTERED[model].parse if model in REGISTERED else None
    if own is None:
        form_of(model)
    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ArgumentTypeError(f"text is {type(text).__name__}; wanted a str", hint="decode the bytes of an answer")
    try:
        return _read_answer(form_of(model), text, tools) if own is None else _checked(model, own(text, tools))
    except RecursionError:
        raise ToolCallError(
            "the values of this answer are nested too deep to be read",
            hint="a grammar with a schema that doesn't refer to itself bounds the depth",
        ) from None


def _checked(model: str, answer: Any) -> ParsedAnswer:
    if not isinstance(answer, ParsedAnswer):
        raise ArgumentTypeError(
            f"the function that reads answers of {model!r} returned {type(answer).__name__}; wanted a ParsedAnswer",
            hint="xg2lab.tool_calls.ParsedAnswer(reasoning, content, tool_calls)",
        )
    return answer


def _read_answer(form: ModelFormat, text: str, tools: list[Any] | None) -> ParsedAnswer:
    functions, builtins = read_tools(tools)
    schemas: Schemas = {tool.name: tool.own_schema if form.repeats_names else tool.schema for tool in functions}
    schemas.update({tool.output_name: tool.schema for tool in builtins})
    if form.layout == "messages":
        return _read_messages(form, text, schemas)
    if form.layout == "elements":
        return _read_elements(form, text, schemas)
    reasoning, text = _split_reasoning(form, text)
    calls: list[ToolCall] = []
    content: list[str] = []
    at = 0
    while True:
        begin = text.find(form.opens, at)
        if begin < 0:
            break
        content.append(text[at:begin])
        at = _read_calls(form, text, begin, schemas, calls)
    content.append(text[at:])
    return ParsedAnswer(reasoning, "".join(content).strip(), calls)


def form_of(model: str) -> ModelFormat:
    """The format of a model: the registered one, or else ours. Raises `ArgumentError` where there is neither."""
    registered = REGISTERED.get(model)
    if registered is not None and registered.form is not None:
        return registered.form
    if model in MODEL_FORMATS:
        return MODEL_FORMATS[model]
    if registered is not None:
        raise ArgumentError(
            f"{model!r} was registered without a way to read and write its answers",
            hint="register_model_structural_tag(name, form=ModelFormat(...)), or parse= and render= as functions",
        )
    if model == "llama_function":
        raise ArgumentError(
            "'llama_function' is a format of the tiny model alone",
            hint="xg2lab.tiny.formats.read and write know it; Llama 3's calls in JSON are 'llama'",
        )
    known = sorted({*MODEL_FORMATS, *REGISTERED})
    raise ArgumentError(f"there is no model format {model!r}", hint=f"known are {', '.join(known)}")


# ---- Text with calls in it ----------------------------------------------------------------------


def _split_reasoning(form: ModelFormat, text: str) -> tuple[str | None, str]:
    if form.think is None:
        return None, text
    begin, end = form.think
    inside, mark, rest = text.partition(end)
    if not mark:
        if text.lstrip().startswith(begin.rstrip("\n")):  # cut short while it reasoned
            return text.lstrip().removeprefix(begin).strip(), ""
        return None, text
    inside = inside.lstrip().removeprefix(begin.rstrip("\n")).strip()
    return inside or None, rest


@cache
def _head_of(form: ModelFormat) -> re.Pattern[str]:
    name = '(?P<name>[^<>{}"\\n]+)'
    pattern = re.escape(form.head).replace("NAME", name).replace("INDEX", CALL_INDEX)
    return re.compile(pattern.rstrip("\\\n") if pattern.endswith("\\\n") else pattern)


def _read_calls(form: ModelFormat, text: str, at: int, schemas: Schemas, calls: list[ToolCall]) -> int:
    """One call, or a section of them; the place behind."""
    begin, end = form.section
    if not begin:
        call, at = _read_call(form, text, at, schemas)
        calls.append(call)
        return at
    at = skip_space(text, at + len(begin.rstrip("\n")))
    while not text.startswith(end, at):
        call, at = _read_call(form, text, at, schemas)
        calls.append(call)
        at = skip_space(text, at)
    return at + len(end)


def _read_call(form: ModelFormat, text: str, at: int, schemas: Schemas) -> tuple[ToolCall, int]:
    match = _head_of(form).match(text, at)
    if match is None:
        raise failed(f"a call begins {form.head.split('NAME', maxsplit=1)[0]!r}", at, text)
    name = match["name"].strip()
    arguments, at = _read_arguments(form, text, match.end(), schemas.get(name))
    tail = form.tail.strip("\n").lstrip()
    at = skip_space(text, at)
    if not text.startswith(tail, at):
        raise failed(f"a call ends with {tail!r}", at, text)
    return ToolCall(name, arguments), at + len(tail)


def _read_arguments(form: ModelFormat, text: str, at: int, schema: Any) -> tuple[dict[str, Any], int]:
    if form.style == "gemma":
        return functiongemma.read_arguments(text, at, form.quote)
    return styles.read(form.style, text, at, schema)


# ---- Answers in messages and elements -----------------------------------------------------------

_RECIPIENT = re.compile(r" to=(?P<name>[^\s<]+)")
_CHANNEL = re.compile(r"<\|channel\|>(?P<name>\w+)")


def _read_messages(form: ModelFormat, text: str, schemas: Schemas) -> ParsedAnswer:
    thoughts: list[str] = []
    content: list[str] = []
    calls: list[ToolCall] = []
    at = 0
    while at < len(text):
        body = text.find("<|message|>", at)
        if body < 0:
            raise failed("a message has no <|message|>", at, text)
        head = text[at:body]
        body += len("<|message|>")
        recipient, channel = _RECIPIENT.search(head), _CHANNEL.search(head)
        if recipient is not None and not recipient["name"].startswith("assistant"):
            name = recipient["name"].removeprefix("functions.")
            arguments, at = _read_arguments(form, text, body, schemas.get(name))
            if not text.startswith(form.tail, at) and at < len(text):
                raise failed(f"a call ends with {form.tail}", at, text)
            calls.append(ToolCall(name, arguments))
        else:
            at = min((place for mark in _ENDS if (place := text.find(mark, body)) >= 0), default=len(text))
            is_thought = channel is not None and channel["name"] == "analysis"
            (thoughts if is_thought else content).append(text[body:at])
        for mark in (*_ENDS, form.separator):
            if text.startswith(mark, at):
                at += len(mark)
    return ParsedAnswer("\n".join(thoughts) or None, "\n".join(content).strip(), calls)


_ENDS = ("<|end|>", "<|return|>", "<|call|>")


def _read_elements(form: ModelFormat, text: str, schemas: Schemas) -> ParsedAnswer:
    assert form.think is not None
    begin, end = form.think
    reasoning: str | None = None
    inside, mark, rest = text.partition(end)
    if mark:
        reasoning, text = inside.removeprefix(begin) or None, rest
    response, mark, rest = text.removeprefix("<|open|>response<|sep|>").partition("<|close|>response<|sep|>")
    calls: list[ToolCall] = []
    if mark and rest.startswith(form.section[0]):
        _read_calls(form, rest, 0, schemas, calls)
    return ParsedAnswer(reasoning, response.strip(), calls)
