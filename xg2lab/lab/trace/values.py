"""Values of JSON: what they are called in an error, and Python's values as JSON gives them back.

>>> plain({"span": (0, 3), "pairs": [(1, 2)]})
{'span': [0, 3], 'pairs': [[1, 2]]}
>>> shown([1, 2]), shown(None), shown(2.5), shown("x")
('a list of 2 values', 'null', 'the number 2.5', 'a string ("x")')
"""

from __future__ import annotations

from typing import Any, NoReturn

from xg2lab.errors import DeserializeFormatError

__all__ = ["REMEDY", "escaped", "fail", "plain", "shown"]

REMEDY = "the file was written by something else, or was damaged: save the trace again"
_MOST_SHOWN = 40  # characters of a text, digits of a number


def fail(pointer: str, wanted: str, value: object) -> NoReturn:
    """Raise the error of a value that is not what it should be.

    Parameters
    ----------
    pointer : str
        The JSON Pointer of the value; empty for the whole trace.
    wanted : str
        What the value should be, with an article.
    value : object
        What it is.

    Raises
    ------
    DeserializeFormatError
        Always.
    """
    message = f"{pointer or 'the trace'} should be {wanted} and is {shown(value)}"
    raise DeserializeFormatError(message, pointer=pointer, hint=REMEDY)


def shown(value: object) -> str:
    """Return a value of JSON in words, short whatever it holds."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        is_large = isinstance(value, int) and abs(value) >= 10**_MOST_SHOWN
        return f"a number of more than {_MOST_SHOWN} digits" if is_large else f"the number {value!r}"
    if isinstance(value, str):
        return f'a string ("{value}")' if len(value) <= _MOST_SHOWN else "a string"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {len(value)} values"  # pyright: ignore[reportUnknownArgumentType]
    return f"a {type(value).__name__}"


def escaped(key: str) -> str:
    """Return a key as a part of a JSON Pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def plain(value: object) -> Any:  # Any: the caller knows which record the engine wrote
    """Return `value` as JSON would give it back: tuples as lists."""
    if isinstance(value, dict):
        return {key: plain(v) for key, v in value.items()}
    return [plain(v) for v in value] if isinstance(value, list | tuple) else value
