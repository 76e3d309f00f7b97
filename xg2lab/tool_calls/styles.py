r"""The arguments of a call in each style: written, and read from a place of a text.

>>> write("qwen_xml", {"city": "Oslo", "days": 2})
'<parameter=city>\nOslo\n</parameter>\n<parameter=days>\n2\n</parameter>\n'
>>> read("qwen_xml", "<parameter=city>\nOslo\n</parameter>\n</function>", 0, None)
({'city': 'Oslo'}, 35)

`read` returns the arguments and the place behind them, and is given the schema of the arguments where it is known.

See also: docs/design/0022-structural-tags.md has the styles in a table; core/frontends/json_schema/elements.cc
constrains them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from xg2lab.errors import ToolCallError
from xg2lab.tool_calls.readings import Readings, keeps, settled
from xg2lab.tool_calls.types import item_schema, of_text, property_schema, types_of

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
            raise failed("the arguments are not a JSON object", at, text)
        return cast("Arguments", value), at
    if style == "cohere_xml":
        return _read_cohere(text, at)
    if style == "minimax_m3_xml":
        arguments, at = _M3Reader(text, root).elements(at, schema)
    else:
        arguments, at = _read_elements(_ELEMENTS[style], text, at, root)
    return settled(arguments, schema), at


def as_json(value: Any) -> str:
    """JSON text, as most templates write it."""
    return json.dumps(value, ensure_ascii=False)


def read_json(text: str, at: int) -> tuple[Any, int]:
    """A JSON value at a place, and the place behind it."""
    at = skip_space(text, at)
    try:
        return _DECODER.raw_decode(text, at)
    except ValueError as error:
        raise failed(f"not a JSON value: {error}", at, text) from error


def skip_space(text: str, at: int) -> int:
    """The place behind whitespace."""
    match = _SPACE.match(text, at)
    return match.end() if match else at


def failed(message: str, at: int, text: str) -> ToolCallError:
    """An error at a place of an answer."""
    error = ToolCallError(f"{message}, at character {at}: {text[at : at + 40]!r}", hint="was the answer cut short?")
    error.span = (at, at)
    return error


# ---- Styles of one element a property -----------------------------------------------------------


@dataclass(frozen=True)
class _Element:
    """Begin, name and value of a property as a pattern; how a value is written and read."""

    pattern: re.Pattern[str]
    end: str
    write: Callable[[str, Any], str]
    #: Of a match and the text of a value: the text of the string, or None where it is another
    #: value's JSON.
    string: Callable[[re.Match[str], str], str | None]
    #: Whether that is all that is known: what is not marked as a string may be JSON as well.
    is_marked: bool = False
    #: Whether names have `&amp;` and `&quot;` in them.
    escapes_names: bool = False


def _raw(value: Any) -> str:
    return value if isinstance(value, str) else as_json(value)


def _untyped(_match: re.Match[str], text: str) -> str:
    return text


def _between_lines(_match: re.Match[str], text: str) -> str:
    return text.removeprefix("\n").removesuffix("\n")


def _marked(match: re.Match[str], text: str) -> str | None:
    return text if match["string"] in ("true", "string") else None


def _dsml(space: str) -> _Element:
    mark = "｜DSML｜" + space
    return _Element(
        pattern=re.compile(rf'<{mark}parameter name="(?P<name>.*?)" string="(?P<string>true|false)">'),
        end=f"</{mark}parameter>",
        write=lambda key, value: (
            f'<{mark}parameter name="{key}" string="{"true" if isinstance(value, str) else "false"}">'
            f"{_raw(value)}</{mark}parameter>\n"
        ),
        string=_marked,
        is_marked=True,
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
        re.compile(r'<parameter name="(?P<name>.*?)">'),
        "</parameter>",
        lambda key, value: f'<parameter name="{key}">{_raw(value)}</parameter>\n',
        _untyped,
    ),
    "glm_xml": _Element(
        re.compile(r"<arg_key>(?P<name>.*?)</arg_key>\s*<arg_value>"),
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
        is_marked=True,
        escapes_names=True,
    ),
}


def _read_elements(element: _Element, text: str, at: int, root: dict[str, Any]) -> Read:
    arguments: Arguments = {}
    while True:
        begin = skip_space(text, at)
        match = element.pattern.match(text, begin)
        if match is None:
            return arguments, begin
        name = _unescaped(match["name"]) if element.escapes_names else match["name"]
        arguments[name], end = _element_value(element, match, property_schema(root, name, root), root)
        at = end + len(element.end)


def _element_value(element: _Element, match: re.Match[str], schema: Any, root: dict[str, Any]) -> tuple[Any, int]:
    """The value, and where the element's end begins. JSON may hold that end within a string."""
    text, begin = match.string, match.end()
    end = text.find(element.end, begin)
    if end < 0:
        raise failed(f"argument {match['name']!r} has no end {element.end}", begin, text)
    string = element.string(match, text[begin:end])
    if string is None:
        value, behind = read_json(text, begin)
        end = skip_space(text, behind)
        if not text.startswith(element.end, end):
            raise failed(f"argument {match['name']!r} is not a JSON value", begin, text)
        return value, end
    if element.is_marked:
        return string, end
    try:
        value, behind = read_json(text, begin)
    except ToolCallError:
        value, behind = None, end
    behind = skip_space(text, behind)
    if behind > end and text.startswith(element.end, behind) and not _may_be_text(string, schema, root):
        return value, behind
    return of_text(string, schema, root), end


def _may_be_text(string: str, schema: Any, root: dict[str, Any]) -> bool:
    around = {key: root[key] for key in ("$schema", "$defs", "definitions") if key in root}
    return "string" in types_of(schema, root) and keeps(
        string, {**around, "allOf": [True if schema is None else schema]}
    )


# ---- Styles in which lists and objects are elements as well -------------------------------------


def _m3_text(value: Any) -> str:
    if isinstance(value, dict):
        return write("minimax_m3_xml", cast("Arguments", value))
    if isinstance(value, list):
        return "".join(f"{M3}<item>{_m3_text(item)}{M3}</item>" for item in cast("list[Any]", value))
    return _raw(value)


_M3_OPEN = re.compile(re.escape(M3) + r"<(?P<name>[^/>][^>]*)>")


class _M3Reader:
    """Elements, read. One of an unknown kind is read as a list and as an object, and each of those once for a schema:
    otherwise the work would double with each level.
    """

    def __init__(self, text: str, root: dict[str, Any]) -> None:
        self.text, self.root = text, root
        self._known: dict[tuple[int, str], tuple[Any, int]] = {}

    def elements(self, at: int, schema: Any) -> Read:
        """The properties of an object, and the place behind them."""
        arguments: Arguments = {}
        while (match := self._open(at)) is not None:
            name = match["name"]
            arguments[name], at = self._element(match, property_schema(schema, name, self.root))
        return arguments, skip_space(self.text, at)

    def _open(self, at: int) -> re.Match[str] | None:
        return _M3_OPEN.match(self.text, skip_space(self.text, at))

    def _element(self, match: re.Match[str], schema: Any) -> tuple[Any, int]:
        value, end = self._value(match.end(), schema)
        close = f"{M3}</{match['name']}>"
        if not self.text.startswith(close, end):
            raise failed(f"element {match['name']!r} has no end {close}", end, self.text)
        return value, end + len(close)

    def _value(self, at: int, schema: Any) -> tuple[Any, int]:
        """The value up to a closing tag: elements, or text."""
        types = types_of(schema, self.root)
        if self._open(at) is None:
            return self._leaf(at, schema, types)
        if "array" not in types:
            return self.elements(at, schema)
        if "object" in types:
            key = (at, json.dumps(schema))
            if key not in self._known:
                self._known[key] = self._list_or_object(at, schema)
            return self._known[key]
        items, end = self._items(at, schema)
        return self.elements(at, schema) if items is None else (items, end)

    def _list_or_object(self, at: int, schema: Any) -> tuple[Any, int]:
        items, end = self._items(at, schema)
        if items is None:
            return self.elements(at, schema)
        named, behind = self.elements(at, schema)
        if schema is None and len(items) == 1:
            return named, behind
        return (Readings((items, named)) if behind == end else items), end

    def _leaf(self, at: int, schema: Any, types: set[str]) -> tuple[Any, int]:
        end = self.text.find(M3, at)
        if end < 0:
            raise failed("a value has no end", at, self.text)
        written = self.text[at:end]
        if written.strip():
            return of_text(written, schema, self.root), end
        empty: list[Any] = [value for kind, value in (("array", []), ("object", {})) if kind in types]
        strings = list(dict.fromkeys([written, ""])) if "string" in types else []
        readings = strings + empty if schema is not None else [written]
        return Readings(tuple(readings or [written])), end

    def _items(self, at: int, schema: Any) -> tuple[list[Any] | None, int]:
        items: list[Any] = []
        while (match := self._open(at)) is not None:
            if match["name"] != "item":
                return None, at
            value, at = self._element(match, item_schema(schema, len(items), self.root))
            items.append(value)
        return items, skip_space(self.text, at)


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
