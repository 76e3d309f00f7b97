r"""Arguments of a template as values of JSON, as a trace holds them, and back.

>>> arguments_to_wire({"id": "intro", "mark": b"\xff"})
{'id': 'intro', 'mark': {'$bytes': 'ff'}}
>>> arguments_from_wire({"mark": {"$bytes": "ff"}})
{'mark': b'\xff'}

A text that is UTF-8 is a string. Other bytes are `{"$bytes": hexadecimal}`, a grammar is `{"$grammar": text, "root":
name}`. An argument that is itself an object with a name that begins with $ stands in `{"$value": object}`.

See also `xg2lab.lab.session.instances`, which fills templates.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from xg2lab.grammar import Grammar

if TYPE_CHECKING:
    from typing import SupportsIndex

    from xg2lab.support.json_text import Json

__all__ = ["argument_text", "arguments_from_wire", "arguments_to_wire"]

MOST_CHARACTERS = 60  # of an argument in words


def arguments_to_wire(value: object) -> Json:
    r"""An argument as a value of JSON.

    >>> arguments_to_wire([b"a", b"\xff", ("b", 1), {"$x": True}])
    ['a', {'$bytes': 'ff'}, ['b', 1], {'$value': {'$x': True}}]
    """
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, str | bytes):
        return _text(value)
    if isinstance(value, list | tuple):
        return [arguments_to_wire(item) for item in cast("Sequence[object]", value)]
    if isinstance(value, dict):
        members = cast("dict[str, object]", value)
        plain = {name: arguments_to_wire(member) for name, member in members.items()}
        return {"$value": plain} if any(name.startswith("$") for name in plain) else plain
    if isinstance(value, Grammar):
        return {"$grammar": str(value), "root": value.root_rule_name}
    return operator.index(cast("SupportsIndex", value))


def arguments_from_wire(value: Json) -> object:
    r"""The inverse of `arguments_to_wire`, but for texts that were given as bytes.

    >>> arguments_from_wire({"x": {"$bytes": "ff"}, "y": {"$value": {"$x": [1]}}})
    {'x': b'\xff', 'y': {'$x': [1]}}
    """
    if isinstance(value, list):
        return [arguments_from_wire(item) for item in value]
    if not isinstance(value, dict):
        return value
    members, names = value, set(value)
    if names == {"$bytes"} and isinstance(data := members["$bytes"], str):
        return bytes.fromhex(data)
    if "$grammar" in members and names <= {"$grammar", "root"}:
        text, root = cast("str", members["$grammar"]), cast("str", members.get("root", "root"))
        return Grammar.from_ebnf(text, root_rule_name=root)  # it refuses what is no text
    if names == {"$value"} and isinstance(inner := members["$value"], dict):
        members = inner
    return {name: arguments_from_wire(member) for name, member in members.items()}


def argument_text(values: Json, pointer: str) -> str:
    """Return the value that a JSON Pointer names in arguments as a trace has them, in few words; empty for no value.

    >>> values = {"xs": [{"$value": {"$a/b": "c"}}, {"$bytes": "00ff"}, {"$grammar": "root ::= [a]", "root": "root"}]}
    >>> argument_text(values, "/xs/0/$a~1b"), argument_text(values, "/xs/1"), argument_text(values, "/xs/2")
    ('"c"', 'bytes 00ff', 'a grammar')
    >>> argument_text(values, "/xs/3"), argument_text(values, "/n"), argument_text({"n": None}, "/n")
    ('', '', 'null')
    """
    at = values
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        inner = at.get("$value", at) if isinstance(at, dict) else at
        if isinstance(inner, dict) and name in inner:
            at = inner[name]
        elif isinstance(inner, list) and name.isdigit() and int(name) < len(inner):
            at = inner[int(name)]
        else:
            return ""
    if isinstance(at, dict) and "$grammar" in at:
        return "a grammar"
    if isinstance(at, dict) and "$bytes" in at:
        return f"bytes {at['$bytes']}"
    text = json.dumps(at, ensure_ascii=False)
    return text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 1]}…"


def _text(value: str | bytes) -> str | dict[str, str]:
    data = value if isinstance(value, bytes) else value.encode("utf-8", "surrogateescape")
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"$bytes": data.hex()}
