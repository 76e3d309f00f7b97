"""Checks for values that come from outside as JSON: each names the place where the value is not what it should be.

>>> point = record({"x": number(), "name": optional(text())})
>>> point({"x": 1.5, "name": None}, "/points/0")
{'x': 1.5, 'name': None}
>>> try:
...     point({"x": "1.5", "name": None}, "/points/0")
... except DeserializeFormatError as error:
...     print(error.pointer, "|", error.message)
/points/0/x | /points/0/x should be a number and is a string

A check is a function of (value, JSON Pointer) that returns the value or raises `DeserializeFormatError`. Records let
fields pass that they don't know, so that a newer writer of the same version can still be read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from xg2lab.errors import DeserializeFormatError

__all__ = [
    "Check",
    "boolean",
    "fail",
    "integer",
    "listing",
    "mapping",
    "number",
    "one_of",
    "optional",
    "plain",
    "record",
    "text",
]

Check = Callable[[Any, str], Any]

_KINDS: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a string",
    bool: "true or false",
    type(None): "null",
}


def fail(pointer: str, wanted: str, value: object) -> NoReturn:
    """Raise the one error of this module."""
    found = _KINDS.get(type(value)) or f"the number {value!r}"
    raise DeserializeFormatError(
        f"{pointer or 'the trace'} should be {wanted} and is {found}",
        pointer=pointer,
        hint="the file was written by something else, or was damaged: save the trace again",
    )


def integer(low: int | None = None, below: int | None = None) -> Check:
    """An integer in [low, below)."""

    def check(value: Any, pointer: str) -> int:
        if type(value) is not int or (low is not None and value < low) or (below is not None and value >= below):
            bounds = f" of {low} or more" if low is not None else ""
            bounds += f" and below {below}" if below is not None else ""
            fail(pointer, f"an integer{bounds}", value)
        return value

    return check


def number() -> Check:
    """A finite number."""

    def check(value: Any, pointer: str) -> float:
        if type(value) not in (int, float) or not math.isfinite(value):
            fail(pointer, "a number", value)
        return value

    return check


def text() -> Check:
    """A string."""

    def check(value: Any, pointer: str) -> str:
        return value if isinstance(value, str) else fail(pointer, "a string", value)

    return check


def boolean() -> Check:
    """True or false."""

    def check(value: Any, pointer: str) -> bool:
        return value if isinstance(value, bool) else fail(pointer, "true or false", value)

    return check


def one_of(*values: str | None) -> Check:
    """One of a few constants."""

    def check(value: Any, pointer: str) -> Any:
        if not (value is None or isinstance(value, str)) or value not in values:
            wanted = ", ".join("null" if v is None else f'"{v}"' for v in values)
            found = f' ("{value}")' if isinstance(value, str) else ""
            fail(pointer, f"one of {wanted}{found}", value)
        return value

    return check


def optional(inner: Check) -> Check:
    """null, or what `inner` takes."""
    return lambda value, pointer: None if value is None else inner(value, pointer)


def listing(inner: Check, length: int | None = None) -> Check:
    """A list of what `inner` takes, of a fixed length if one is given."""

    def check(value: Any, pointer: str) -> list[Any]:
        if not isinstance(value, list):
            fail(pointer, "a list", value)
        if length is not None and len(value) != length:
            raise DeserializeFormatError(
                f"{pointer} should be a list of {length} values and has {len(value)}", pointer=pointer
            )
        return [inner(v, f"{pointer}/{i}") for i, v in enumerate(value)]

    return check


def mapping(inner: Check) -> Check:
    """An object with any keys, each value being what `inner` takes."""

    def check(value: Any, pointer: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            fail(pointer, "an object", value)
        return {key: inner(v, f"{pointer}/{_escape(key)}") for key, v in value.items()}

    return check


def record(fields: Mapping[str, Check]) -> Check:
    """An object that has each of `fields`; it may have others, which pass unchecked."""

    def check(value: Any, pointer: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            fail(pointer, "an object", value)
        for name in fields:
            if name not in value:
                raise DeserializeFormatError(
                    f'{pointer or "the trace"} has no field "{name}"', pointer=f"{pointer}/{name}"
                )
        return value | {name: inner(value[name], f"{pointer}/{name}") for name, inner in fields.items()}

    return check


def plain(value: Any) -> Any:
    """`value` as JSON would give it back: tuples as lists.

    >>> plain({"span": (0, 3), "pairs": [(1, 2)]})
    {'span': [0, 3], 'pairs': [[1, 2]]}
    """
    if isinstance(value, dict):
        return {key: plain(v) for key, v in value.items()}
    return [plain(v) for v in value] if isinstance(value, list | tuple) else value


def _escape(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
