"""Fields of a JSON body: each is checked when it is read, and a field that nobody reads is refused.

>>> fields = Fields({"n": 3, "seeds": 1})
>>> fields.whole("n", 1, 16)
3
>>> try:
...     fields.no_others()
... except RequestError as failure:
...     print(failure.message, failure.hint)
`seeds` is not a field that this server knows the fields here are n

A field with the value null counts as left out, as in OpenAI's own API.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, cast

from xg2lab.integrations.serve.failures import RequestError

__all__ = ["Fields", "kind_of"]


def kind_of(value: object) -> str:
    """Return the JSON name of a value's type.

    Parameters
    ----------
    value : object
        A value of JSON.

    Returns
    -------
    str
        With its article.

    >>> kind_of(True), kind_of([]), kind_of(1.5)
    ('a boolean', 'an array', 'a number')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    kinds: list[tuple[type, str]] = [(int, "a number"), (float, "a number"), (str, "a string"), (list, "an array")]
    return next((name for kind, name in kinds if isinstance(value, kind)), "an object")


class Fields:
    """The fields of one object of a body.

    Parameters
    ----------
    value : object
        The JSON value; `RequestError` if it is no object.
    pointer : str
        Its JSON Pointer in the body.

    >>> Fields({"stream": True}).flag("stream")
    True
    """

    def __init__(self, value: object, pointer: str = "") -> None:
        if not isinstance(value, dict):
            what = "the body" if not pointer else "this field"
            raise RequestError(f"{what} must be an object, not {kind_of(value)}", pointer=pointer, code="invalid_type")
        self.pointer = pointer
        self.given = {key: each for key, each in cast("dict[str, Any]", value).items() if each is not None}
        self.known: list[str] = []

    def raw(self, name: str) -> Any:
        """Return a field as it is.

        Parameters
        ----------
        name : str
            The field.

        Returns
        -------
        object
            The value; None where it was left out.

        >>> Fields({"a": 1}).raw("b") is None
        True
        """
        if name not in self.known:
            self.known.append(name)
        return self.given.get(name)

    def has(self, name: str) -> bool:
        """Whether the field is there, and not null.

        Parameters
        ----------
        name : str
            The field.

        Returns
        -------
        bool
            True also for an empty value.

        >>> Fields({"a": ""}).has("a"), Fields({"a": None}).has("a")
        (True, False)
        """
        return self.raw(name) is not None

    def at(self, name: str) -> str:
        """Return the JSON Pointer of a field.

        Parameters
        ----------
        name : str
            The field.

        Returns
        -------
        str
            The pointer, with `~` and `/` escaped.

        >>> Fields({}, "/tools/0").at("a/b")
        '/tools/0/a~1b'
        """
        return f"{self.pointer}/{name.replace('~', '~0').replace('/', '~1')}"

    def failure(self, name: str, message: str, hint: str = "", code: str = "invalid_value") -> RequestError:
        """Return the failure for a field.

        Parameters
        ----------
        name : str
            The field.
        message, hint, code : str
            As for `RequestError`.

        Returns
        -------
        RequestError
            To be raised.

        >>> Fields({}).failure("n", "too many").pointer
        '/n'
        """
        return RequestError(message, pointer=self.at(name), hint=hint, code=code)

    def _of_type(self, name: str, kind: type | tuple[type, ...], wanted: str) -> Any:
        value = self.raw(name)
        is_odd_flag = isinstance(value, bool) and kind is not bool
        if value is not None and (is_odd_flag or not isinstance(value, kind)):
            raise self.failure(name, f"`{name}` must be {wanted}, not {kind_of(value)}", code="invalid_type")
        return value

    def text(self, name: str, *, among: Sequence[str] = (), needed: bool = False) -> str | None:
        """Return a string.

        Parameters
        ----------
        name : str
            The field.
        among : sequence of str
            The values that are known; any if empty.
        needed : bool
            Whether it has to be there, with at least one character.

        Returns
        -------
        str or None
            None where it was left out.

        >>> Fields({"mode": "auto"}).text("mode", among=["auto", "required"])
        'auto'
        """
        value = self._of_type(name, str, "a string")
        if needed and not value:
            raise self.failure(name, f"`{name}` is missing: a string that is not empty", code="missing_field")
        if value is not None and among and value not in among:
            known = ", ".join(f'"{each}"' for each in among)
            raise self.failure(name, f"`{name}` is {value[:60]!r}, which is not known", hint=f"known are {known}")
        return value

    def flag(self, name: str) -> bool | None:
        """Return a boolean.

        Parameters
        ----------
        name : str
            The field.

        Returns
        -------
        bool or None
            None where it was left out.

        >>> Fields({}).flag("stream") is None
        True
        """
        return self._of_type(name, bool, "true or false")

    def whole(self, name: str, low: int, high: int) -> int | None:
        """Return a whole number.

        Parameters
        ----------
        name : str
            The field.
        low, high : int
            The least and the greatest value.

        Returns
        -------
        int or None
            None where it was left out.

        >>> Fields({"n": 2.0}).whole("n", 1, 16)
        2
        """
        value = self._of_type(name, (int, float), "a whole number")
        if value is None:
            return None
        if isinstance(value, float) and not value.is_integer():
            raise self.failure(name, f"`{name}` must be a whole number, not {value}", code="invalid_type")
        return int(self._within(name, value, low, high))

    def number(self, name: str, low: float, high: float) -> float | None:
        """Return a number.

        Parameters
        ----------
        name : str
            The field.
        low, high : float
            The least and the greatest value.

        Returns
        -------
        float or None
            None where it was left out.

        >>> Fields({"temperature": 1}).number("temperature", 0, 2)
        1.0
        """
        value = self._of_type(name, (int, float), "a number")
        return None if value is None else float(self._within(name, value, low, high))

    def _within(self, name: str, value: float, low: float, high: float) -> float:
        if not (math.isfinite(value) if isinstance(value, float) else True) or not low <= value <= high:
            raise self.failure(name, f"`{name}` must be between {low} and {high}", code="out_of_range")
        return value

    def items(self, name: str) -> list[Any] | None:
        """Return an array.

        Parameters
        ----------
        name : str
            The field.

        Returns
        -------
        list or None
            None where it was left out.

        >>> Fields({"stop": ["a"]}).items("stop")
        ['a']
        """
        return self._of_type(name, list, "an array")

    def inner(self, name: str, *, needed: bool = False) -> Fields | None:
        """Return the fields of an object.

        Parameters
        ----------
        name : str
            The field.
        needed : bool
            Whether it has to be there.

        Returns
        -------
        Fields or None
            None where it was left out.

        >>> Fields({"a": {"b": 1}}).inner("a").pointer
        '/a'
        """
        value = self.raw(name)
        if value is None:
            if needed:
                raise self.failure(name, f"`{name}` is missing: an object", code="missing_field")
            return None
        return Fields(value, self.at(name))

    def no_others(self, hints: Mapping[str, str] | None = None) -> None:
        """Refuse a field that was not asked for.

        Parameters
        ----------
        hints : mapping of str to str, optional
            What to write instead of a field that used to exist, or that others have.

        Raises
        ------
        RequestError
            A 400 that names the field.

        >>> Fields({}).no_others()
        """
        for name in self.given:
            if name in self.known:
                continue
            near = get_close_matches(name, self.known, n=1)
            hint = (hints or {}).get(name) or (
                f"did you mean `{near[0]}`?" if near else f"the fields here are {', '.join(self.known)}"
            )
            raise self.failure(
                name, f"`{name[:80]}` is not a field that this server knows", hint=hint, code="unknown_field"
            )
