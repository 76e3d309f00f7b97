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
  hint: mend the JSON text there

A number is a `NumberText`, so that 0.1 stays a tenth and 1e400 is no infinity.
"""

from __future__ import annotations

import json
from typing import Any

from xg2lab.errors import Diagnostic, InvalidJSONError

__all__ = ["NumberText", "read_json"]


class NumberText(str):
    """A JSON number, as it was written."""

    __slots__ = ()


def read_json(text: str | bytes) -> Any:
    """The values of a JSON text.

    Raises
    ------
    InvalidJSONError
        For text that is not JSON, with its line and column; for NaN and Infinity; for a key that occurs twice.
    """
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8-sig")
        return _DECODER.decode(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        place = Diagnostic(
            "invalid_json",
            "error",
            error.msg.lower(),
            span=(error.pos, error.pos + 1),
            line=error.lineno,
            column=error.colno,
        )
        raise InvalidJSONError(
            f"line {error.lineno}, column {error.colno}: {error.msg[:1].lower()}{error.msg[1:]}",
            hint="mend the JSON text there",
            diagnostics=[place],
        ) from None
    except UnicodeDecodeError as error:
        raise InvalidJSONError(f"byte {error.start} is not UTF-8", hint="encode the text as UTF-8") from None
    except RecursionError:
        raise InvalidJSONError("this JSON is nested too deep", hint="nest it less deep") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))
        raise InvalidJSONError(f"the key {json.dumps(twice)} occurs twice in one object", hint="keep one of the two")
    return values


def _no_number(name: str) -> Any:
    raise InvalidJSONError(f"JSON has no {name}", hint="leave the bound out, or write a number")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=NumberText, parse_int=NumberText, parse_constant=_no_number
)
