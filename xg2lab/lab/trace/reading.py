"""Values that come from outside, checked against a record; an error names the place that is wrong.

>>> from xg2lab.errors import DeserializeFormatError
>>> checked(Selection, dict.fromkeys(Selection.__annotations__))["step"]
>>> try:
...     checked(Item, {"state": 1, "rule": "0", "origin": 0}, "/steps/0/live/2")
... except DeserializeFormatError as error:
...     print(error.pointer, "|", error.message)
/steps/0/live/2/rule | /steps/0/live/2/rule should be an integer and is a string ("0")

The first error that pydantic finds is reported. Its path leads through the alternatives of unions; the JSON Pointer is
made of those parts that are places of the value.

COST  Making the check of a whole trace takes about 0.1 s, once; a check costs less than parsing the JSON did.
See also `xg2lab.lab.trace.invariants`: what a record can't say, such as that a number is one of a state that there is.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TypeVar, cast

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from xg2lab.errors import DeserializeFormatError
from xg2lab.lab.schema.engine import Item
from xg2lab.lab.schema.trace import Selection
from xg2lab.lab.trace.values import REMEDY, escaped, fail

__all__ = ["Item", "Selection", "adapter", "checked", "checked_json"]

Record = TypeVar("Record")


@cache
def adapter(record: type[Record]) -> TypeAdapter[Record]:
    """Return pydantic's check of a record, made once."""
    return TypeAdapter(record)


def checked(record: type[Record], value: object, pointer: str = "") -> Record:
    """Return a copy of `value` whose shape is that of `record`.

    Parameters
    ----------
    record : type
        A class of `xg2lab.lab.schema`.
    value : object
        A value of JSON.
    pointer : str
        The JSON Pointer of the value in the whole that it is a part of.

    Raises
    ------
    DeserializeFormatError
        A field is missing or has another type; `pointer` names it.
    """
    try:
        return adapter(record).validate_python(value)
    except ValidationError as error:
        raise _located(error.errors(include_url=False)[0], value, pointer) from None
    except ValueError as error:  # an integer of more digits than Python converts
        raise DeserializeFormatError(f"{pointer or 'the trace'}: {error}", pointer=pointer, hint=REMEDY) from None


def checked_json(record: type[Record], data: bytes) -> Record | None:
    """Return what the JSON text `data` holds if it is a `record`, else None.

    The text is parsed and checked in one pass, with half the time and half the memory of `checked(json.loads(data))`.
    None does not mean that the text is wrong: it may hold half of a surrogate pair, which Python's parser alone reads.
    `checked` finds the place of an error.
    """
    try:
        return adapter(record).validate_json(data)
    except ValueError:
        return None


def _located(found: ErrorDetails, value: object, pointer: str) -> DeserializeFormatError:
    """Return the error as this package raises it."""
    kind, facts, place = found["type"], found.get("ctx", {}), pointer
    missing: str | None = None
    for part in found["loc"]:
        inner = _member(value, part)
        if inner is not _NOT_THERE:
            value, place = inner, f"{place}/{escaped(str(part))}"
        elif kind == "missing" and part == found["loc"][-1]:
            missing = str(part)
    if missing is not None and isinstance(value, dict):
        return DeserializeFormatError(
            f'{place or "the trace"} has no field "{missing}"', pointer=f"{place}/{escaped(missing)}", hint=REMEDY
        )
    if found["loc"] and found["loc"][-1] == "[key]":
        value = place.rpartition("/")[2]
    try:
        fail(place, _wanted(kind, facts, found["msg"]), value)
    except DeserializeFormatError as error:
        return error


_NOT_THERE = object()


def _member(value: object, part: int | str) -> object:
    """Return what is at a part of a path; `_NOT_THERE` if the part names no place, but an alternative of a union."""
    if isinstance(value, list):
        members = cast("list[object]", value)
        return members[part] if isinstance(part, int) and part < len(members) else _NOT_THERE
    return cast("dict[object, object]", value).get(part, _NOT_THERE) if isinstance(value, dict) else _NOT_THERE


_WANTED = {
    "int_type": "an integer",
    "float_type": "a number",
    "finite_number": "a number",
    "string_type": "a string",
    "string_unicode": "a string of Unicode",
    "bool_type": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "an object",
    "missing": "a list of more values",
}
#: What the patterns of `xg2lab.lab.schema.parts` ask for.
_PATTERNS = {"^(?:[0-9a-fA-F]{2})*$": "bytes in hexadecimal", "^[0-9]{1,10}$": "named by a number"}


def _wanted(kind: str, facts: Mapping[str, object], message: str) -> str:
    """Return what was wanted, as a noun."""
    if kind in _WANTED:
        return _WANTED[kind]
    match kind:
        case "greater_than_equal":
            return f"an integer of {facts['ge']} or more"
        case "less_than":
            return f"an integer below {facts['lt']}"
        case "literal_error":
            return f"one of {facts['expected']}"
        case "too_short":
            return f"a list of {facts['min_length']} values or more"
        case "too_long":
            return f"a list of {facts['max_length']} values or fewer"
        case "string_pattern_mismatch":
            return _PATTERNS[str(facts["pattern"])]
        case _:
            return message
