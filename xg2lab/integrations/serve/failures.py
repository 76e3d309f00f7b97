"""A request that is refused: OpenAI's error form, with the JSON Pointer of the place and a hint.

>>> failure = RequestError("`guided_json` is no field of today", name="guided_json", hint="use structured_outputs")
>>> failure.status, failure.body()["error"]["param"], failure.body()["error"]["pointer"]
(400, 'guided_json', '/guided_json')
"""

from __future__ import annotations

from typing import Any

from xg2lab.errors import Xg2LabError, visible
from xg2lab.support.places import JsonPlaces

__all__ = ["RequestError", "refused"]

_TYPES = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}


class RequestError(Exception):
    """What is wrong with a request, for the client.

    Parameters
    ----------
    message : str
        What is wrong.
    status : int
        The HTTP status.
    name : str
        The field, as a path with dots, OpenAI's `param`; empty if no field is meant.
    pointer : str, optional
        The JSON Pointer of the place in the body; made of `name` if left out.
    hint : str
        What to do about it.
    code : str
        A stable name of the kind of failure.
    headers : dict of str to str, optional
        Headers of the answer.

    >>> print(RequestError("too late", status=504))
    too late
    """

    def __init__(
        self,
        message: str,
        *,
        status: int = 400,
        name: str = "",
        pointer: str | None = None,
        hint: str = "",
        code: str = "invalid_value",
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.message, self.status, self.hint, self.code = visible(message), status, visible(hint), code
        self.pointer = "".join(f"/{part}" for part in name.split(".") if part) if pointer is None else pointer
        self.name = name or ".".join(part for part in self.pointer.split("/") if part)
        self.headers = headers or {}

    def body(self) -> dict[str, Any]:
        """Return the JSON of the answer.

        Returns
        -------
        dict
            `{"error": {...}}`: OpenAI's fields, and `pointer` and `hint`. The message ends with both, because many
            clients show nothing else.

        >>> RequestError("no", name="n", hint="1 to 16").body()["error"]["message"]
        'no (at /n); hint: 1 to 16'
        """
        kind = _TYPES.get(self.status, "invalid_request_error" if self.status < 500 else "server_error")
        place = f" (at {self.pointer})" if self.pointer else ""
        hint = f"; hint: {self.hint}" if self.hint and self.hint not in self.message else ""
        return {
            "error": {
                "message": f"{self.message}{place}{hint}",
                "type": kind,
                "param": self.name or None,
                "code": self.code,
                "pointer": self.pointer or None,
                "hint": self.hint or None,
            }
        }


def refused(error: Xg2LabError, pointer: str, code: str = "invalid_constraint") -> RequestError:
    """Return the failure for an error of the engine.

    Parameters
    ----------
    error : Xg2LabError
        What reading or compiling a constraint raised.
    pointer : str
        The JSON Pointer of the constraint in the body; the error's own place in the constraint is appended.
    code : str
        A stable name of the kind of failure.

    Returns
    -------
    RequestError
        A 400.

    >>> from xg2lab import Grammar
    >>> try:
    ...     Grammar.from_json_schema({"properties": {"a": {"type": "strin"}}})
    ... except Xg2LabError as error:
    ...     failure = refused(error, "/response_format/json_schema/schema")
    >>> failure.pointer, failure.hint
    ('/response_format/json_schema/schema/properties/a/type', 'did you mean `string`?')
    """
    return RequestError(error.message, pointer=pointer + _place(error), hint=error.hint, code=code)


def _place(error: Xg2LabError) -> str:
    """The JSON Pointer of an error within its own source; empty where the source is no JSON."""
    if error.pointer is not None:
        return error.pointer
    if error.span is None or not error.source or not error.source.lstrip().startswith("{"):
        return ""
    try:
        return JsonPlaces.of(error.source.encode()).at(error.span[0]).pointer
    except (ValueError, IndexError):
        return ""
