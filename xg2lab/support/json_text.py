"""JSON text as values: numbers keep their digits, and what JSON leaves open is refused with its place.

>>> read_json('{"multipleOf": 0.10}')
{'multipleOf': '0.10'}
>>> read_json('{"a": 1, "a": 2}')
Traceback (most recent call last):
xg2lab.errors.InvalidJSONError: the key "a" occurs twice in one object
  hint: keep one of the two
>>> read_json('{"a": }')
Traceback (most recent call last):
xg2lab.errors.InvalidJSONError: line 1, column 7: expecting value
  hint: correct the JSON text there

A number is a `NumberText`, so that 0.1 stays a tenth and 1e400 is no infinity.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from xg2lab import _core
from xg2lab.errors import Diagnostic, InvalidJSONError
from xg2lab.support.places import CHARACTERS, LEXEMES, JsonPlaces, line_and_column

__all__ = ["Json", "NumberText", "check_size", "read_json"]

#: A value of JSON: what `json.dumps` writes as JSON has it.
Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"

# Shorter texts are not looked at: whatever they hold is within every limit.
SHORT = 1 << 20
# What a value takes in Python, about, and its place in a list or dict.
VALUE_BYTES = 80


class NumberText(str):
    """A JSON number, as it was written."""

    __slots__ = ()


def check_size(text: str | bytes) -> None:
    r"""Raises LimitError for JSON whose values would take more memory than `max_work_bytes`, before they are made.

    >>> from xg2lab.errors import LimitError
    >>> try:
    ...     check_size("[" + "[]," * 4_000_000 + "[]]")
    ... except LimitError as error:
    ...     print(error.message.partition("\n")[0])
    this takes more memory than EngineOptions.max_work_bytes, 201326592 bytes: stopped while reading JSON
    """
    if len(text) < SHORT:
        return
    marks = b"[{,:" if isinstance(text, bytes) else "[{,:"
    n_values = sum(text.count(marks[i : i + 1]) for i in range(4))  # pyright: ignore[reportArgumentType]
    _core.check_work("reading JSON", len(text) + VALUE_BYTES * n_values)


def read_json(text: str | bytes) -> Any:
    """The values of a JSON text.

    Raises
    ------
    LimitError
        For text whose values would take more than `EngineOptions.max_work_bytes`.
    InvalidJSONError
        For text that is not JSON, with its line and column; for NaN and Infinity; for a key that occurs twice.
    """
    check_size(text)
    try:
        if isinstance(text, bytes):
            text = text.decode()
        text.encode()
        values = _DECODER.decode(text.removeprefix("\ufeff"))
        if "\\ud" in text or "\\uD" in text:
            json.dumps(values, ensure_ascii=False).encode()
        return values
    except json.JSONDecodeError as error:
        said = error.msg[:1].lower() + error.msg[1:]
        begin = len(_data(text)) - len(_data(error.doc[error.pos :]))
        refused = _refused(text, said, "correct the JSON text there", (begin, begin + 1))
        place = refused.diagnostics[0]
        message = f"line {place.line}, column {place.column}: {said}"
        raise InvalidJSONError(message, hint=place.hint, diagnostics=[place]) from None
    except UnicodeDecodeError as error:
        where = (error.start, error.start + 1)
        raise _refused(text, f"byte {error.start} is not UTF-8", "encode the text as UTF-8", where) from None
    except UnicodeEncodeError as error:
        if error.object == text:
            begin = len(_data(text[: error.start]))
            raise _refused(text, "this text is not UTF-8", "encode the text as UTF-8", (begin, begin + 1)) from None
        raise _refused(
            text,
            "an escape is half of a surrogate pair, which no JSON text in UTF-8 can hold",
            "write both halves, or the character itself",
            _half_of_a_pair(_data(text)),
        ) from None
    except RecursionError:
        raise _refused(text, "this JSON is nested too deep", "nest it less deeply", (0, 1)) from None
    except _KeyTwiceError:
        data = _data(text)
        begin, end = _second_key(data)
        message = f"the key {data[begin:end].decode()} occurs twice in one object"
        raise _refused(text, message, "keep one of the two", (begin, end)) from None
    except _NoNumberError as error:
        data = _data(text)
        where = next(found.span() for found in LEXEMES.finditer(data) if found[4] and found[4] == str(error).encode())
        raise _refused(text, f"JSON has no {error}", "leave the bound out, or write a number", where) from None


class _KeyTwiceError(Exception):
    pass


class _NoNumberError(Exception):
    pass


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise _KeyTwiceError
    return values


def _no_number(name: str) -> Any:
    raise _NoNumberError(name)


# ---- Where it is ----


def _refused(text: str | bytes, message: str, hint: str, span: tuple[int, int]) -> InvalidJSONError:
    data = _data(text)
    line, column = line_and_column(data, span[0])
    place = Diagnostic("invalid_json", "error", message, hint, (span[0], min(span[1], len(data))), line, column)
    return InvalidJSONError(message, hint=hint, diagnostics=[place])


def _data(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")


def _second_key(data: bytes) -> tuple[int, int]:
    """The first key that stood in its object before."""
    places = JsonPlaces.of(data)
    seen: set[str] = set()
    for place in places.values:
        if place.key_span is not None and place.pointer in seen:
            return place.key_span
        seen.add(place.pointer)
    return 0, 1


def _half_of_a_pair(data: bytes) -> tuple[int, int]:
    halves = (found for found in CHARACTERS.finditer(data) if len(found[0]) == 6 and found[0][2:3] in b"dD")
    found = next((half for half in halves if half[0][3:4] in b"89abcdefABCDEF"), None)
    return (0, 1) if found is None else found.span()


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=NumberText, parse_int=NumberText, parse_constant=_no_number
)
