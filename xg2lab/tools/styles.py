r"""The arguments of a call in each style: written, and read from a place of a text.

>>> write("qwen_xml", {"city": "Oslo", "days": 2})
'<parameter=city>\nOslo\n</parameter>\n<parameter=days>\n2\n</parameter>\n'
>>> read("qwen_xml", "<parameter=city>\nOslo\n</parameter>\n</function>", 0, None)
({'city': 'Oslo'}, 35)

`read` returns the arguments and the place behind them, and is given the schema of the arguments where it is known.

See also: docs/design/0022-structural-tags.md has the styles in a table; core/frontends/structural_tag/styles.cc
constrains them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from xg2lab.errors import ToolCallError
from xg2lab.tools.types import of_text, property_schema, types_of

__all__ = ["as_json", "read", "write"]

Arguments = dict[str, Any]
Read = tuple[Arguments, int]
M3 = "]<]minimax[>["
_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")


def write(style: str, arguments: Arguments) -> str:
    """Arguments in a style."""
    if style == "json":
        return as_json(arguments)
    if style == "minimax_m3_xml":
        return "".join(f"{M3}<{key}>{_m3_text(value)}{M3}</{key}>" for key, value in arguments.items())
    if style == "cohere_xml":
        return "".join(_cohere_element(f' name="{_escaped(key)}"', value) for key, value in arguments.items())
    element = _ELEMENTS[style]
    return "".join(element.write(key, value) for key, value in arguments.items())


def read(style: str, text: str, at: int, schema: Any) -> Read:
    """The arguments that stand at a place of a text, and the place behind them."""
    root = cast("dict[str, Any]", schema) if isinstance(schema, dict) else {}
    if style == "json":
        value, at = read_json(text, at)
        if not isinstance(value, dict):
            raise failed("the arguments are no JSON object", at, text)
        return cast("Arguments", value), at
    if style == "minimax_m3_xml":
        value, at = _read_m3(text, at, schema, root)
        return (cast("Arguments", value) if isinstance(value, dict) else {}), at
    if style == "cohere_xml":
        return _read_cohere(text, at)
    return _read_elements(_ELEMENTS[style], text, at, root)


def as_json(value: Any) -> str:
    """JSON text, as most templates write it."""
    return json.dumps(value, ensure_ascii=False)


def read_json(text: str, at: int) -> tuple[Any, int]:
    """A JSON value at a place, and the place behind it."""
    at = skip_space(text, at)
    try:
        return _DECODER.raw_decode(text, at)
    except ValueError as error:
        raise failed(f"no JSON value: {error}", at, text) from error


def skip_space(text: str, at: int) -> int:
    """The place behind whitespace."""
    match = _SPACE.match(text, at)
    return match.end() if match else at


def failed(message: str, at: int, text: str) -> ToolCallError:
    """An error at a place of an answer."""
    error = ToolCallError(f"{message}, at character {at}: {text[at : at + 40]!r}", hint="was the answer cut short?")
    error.span = (at, at)
    return error


# ---- Styles of one element a property --------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Element:
    """Begin, name and value of a property as a pattern; how a value is written and read."""

    pattern: re.Pattern[str]
    end: str
    write: Callable[[str, Any], str]
    #: Of a match, the text of the value and the property's schema.
    value: Callable[[re.Match[str], str, Any, dict[str, Any]], Any]


def _raw(value: Any) -> str:
    return value if isinstance(value, str) else as_json(value)


def _untyped(_match: re.Match[str], text: str, schema: Any, root: dict[str, Any]) -> Any:
    return of_text(text, schema, root)


def _between_lines(_match: re.Match[str], text: str, schema: Any, root: dict[str, Any]) -> Any:
    return of_text(text.removeprefix("\n").removesuffix("\n"), schema, root)


def _marked(match: re.Match[str], text: str, _schema: Any, _root: dict[str, Any]) -> Any:
    return text if match["string"] in ("true", "string") else read_json(text, 0)[0]


def _dsml(space: str) -> _Element:
    mark = "｜DSML｜" + space
    return _Element(
        pattern=re.compile(rf'<{mark}parameter name="(?P<name>[^"]*)" string="(?P<string>true|false)">'),
        end=f"</{mark}parameter>",
        write=lambda key, value: (
            f'<{mark}parameter name="{key}" string="{"true" if isinstance(value, str) else "false"}">'
            f"{_raw(value)}</{mark}parameter>\n"
        ),
        value=_marked,
    )


def _kimi_type(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    names: dict[type, str] = {
        str: "string",
        int: "number",
        float: "number",
        list: "array",
        dict: "object",
        type(None): "null",
    }
    return names[type(value)]


def _escaped(key: str) -> str:
    return key.replace("&", "&amp;").replace('"', "&quot;")


def _unescaped(key: str) -> str:
    return key.replace("&quot;", '"').replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


_ELEMENTS: dict[str, _Element] = {
    "qwen_xml": _Element(
        re.compile(r"<parameter=(?P<name>[^>]*)>"),
        "</parameter>",
        lambda key, value: f"<parameter={key}>\n{_raw(value)}\n</parameter>\n",
        _between_lines,
    ),
    "minimax_xml": _Element(
        re.compile(r'<parameter name="(?P<name>[^"]*)">'),
        "</parameter>",
        lambda key, value: f'<parameter name="{key}">{_raw(value)}</parameter>\n',
        _untyped,
    ),
    "glm_xml": _Element(
        re.compile(r"<arg_key>(?P<name>[^<]*)</arg_key>\s*<arg_value>"),
        "</arg_value>",
        lambda key, value: f"<arg_key>{key}</arg_key><arg_value>{_raw(value)}</arg_value>",
        _untyped,
    ),
    "deepseek_xml": _dsml(""),
    "deepseek_v4_1_xml": _dsml(" "),
    "kimi_k3_xml": _Element(
        re.compile(r'<\|open\|>argument key="(?P<name>[^"]*)" type="(?P<string>\w+)"<\|sep\|>'),
        "<|close|>argument<|sep|>",
        lambda key, value: (
            f'<|open|>argument key="{_escaped(key)}" type="{_kimi_type(value)}"<|sep|>'
            f"{_raw(value)}<|close|>argument<|sep|>"
        ),
        _marked,
    ),
}


def _read_elements(element: _Element, text: str, at: int, root: dict[str, Any]) -> Read:
    arguments: Arguments = {}
    while True:
        begin = skip_space(text, at)
        match = element.pattern.match(text, begin)
        if match is None:
            return arguments, begin
        end = text.find(element.end, match.end())
        if end < 0:
            raise failed(f"argument {match['name']!r} has no end {element.end}", match.end(), text)
        name = _unescaped(match["name"])
        value = text[match.end() : end]
        arguments[name] = element.value(match, value, property_schema(root, name, root), root)
        at = end + len(element.end)


# ---- Styles in which lists and objects are elements as well ----------------------------------------------------------


def _m3_text(value: Any) -> str:
    if isinstance(value, dict):
        return write("minimax_m3_xml", cast("Arguments", value))
    if isinstance(value, list):
        return "".join(f"{M3}<item>{_m3_text(item)}{M3}</item>" for item in cast("list[Any]", value))
    return _raw(value)


_M3_OPEN = re.compile(re.escape(M3) + r"<(?P<name>[^/>][^>]*)>")


def _read_m3(text: str, at: int, schema: Any, root: dict[str, Any]) -> tuple[Any, int]:
    """The value up to a closing tag: elements, or text."""
    arguments: Arguments = {}
    items: list[Any] = []
    is_list = "array" in types_of(schema, root) and "object" not in types_of(schema, root)
    begin = at
    while True:
        match = _M3_OPEN.match(text, skip_space(text, at))
        if match is None:
            break
        name = match["name"]
        item_schema = cast("dict[str, Any]", schema).get("items") if is_list and isinstance(schema, dict) else None
        inner = item_schema if is_list else property_schema(schema, name, root)
        value, end = _read_m3(text, match.end(), inner, root)
        close = f"{M3}</{name}>"
        if not text.startswith(close, end):
            raise failed(f"element {name!r} has no end {close}", end, text)
        at = end + len(close)
        items.append(value)
        arguments[name] = value
        is_list = is_list or (len(items) > 1 and name == "item" and len(arguments) == 1)
    if items:
        return (items if is_list else arguments), skip_space(text, at)
    end = text.find(M3, begin)
    if end < 0:
        raise failed("a value has no end", begin, text)
    written = text[begin:end]
    if not written and is_list:
        return [], end
    if not written and types_of(schema, root) == {"object"}:
        return {}, end
    return of_text(written, schema, root), end


_COHERE_OPEN = re.compile(r'<cofl:value(?: name="(?P<name>[^"]*)")? type="(?P<type>raw|json|dict|list)">')
_COHERE_END = "</cofl:value>"


def _cohere_element(name: str, value: Any) -> str:
    if isinstance(value, dict):
        kind, inside = "dict", write("cohere_xml", cast("Arguments", value))
    elif isinstance(value, list):
        kind, inside = "list", "".join(_cohere_element("", item) for item in cast("list[Any]", value))
    else:
        kind, inside = ("raw" if isinstance(value, str) else "json"), _raw(value)
    return f'<cofl:value{name} type="{kind}">{inside}{_COHERE_END}'


def _read_cohere(text: str, at: int) -> Read:
    pairs, at = _cohere_values(text, at)
    return {name: value for name, value in pairs if name is not None}, at


def _cohere_values(text: str, at: int) -> tuple[list[tuple[str | None, Any]], int]:
    found: list[tuple[str | None, Any]] = []
    while True:
        match = _COHERE_OPEN.match(text, skip_space(text, at))
        if match is None:
            return found, skip_space(text, at)
        at = match.end()
        value: Any
        if match["type"] in ("dict", "list"):
            inside, at = _cohere_values(text, at)
            value = dict(inside) if match["type"] == "dict" else [item for _, item in inside]
        else:
            end = text.find(_COHERE_END, at)
            value = text[at : max(end, at)]
            value = read_json(value, 0)[0] if match["type"] == "json" else value
            at = max(end, at)
        if not text.startswith(_COHERE_END, at):
            raise failed(f"a value has no end {_COHERE_END}", at, text)
        at += len(_COHERE_END)
        found.append((None if match["name"] is None else _unescaped(match["name"]), value))
