"""The tools and records that the tiny model knows: names, fields in order, kinds of value.

>>> [field.name for field in FIELDS["get_weather"]]
['city', 'unit']
>>> Answer("set_timer", {"minutes": 20}) == Answer("set_timer", {"minutes": 20})
True

*Shapes and units.* An `Answer` is what a request asks for: a tool call (`TOOL_NAMES`) or a record to extract
(`RECORD_NAMES`). Its values are `str`, `int` or `float`; its keys stand in the order of `FIELDS`.

See also `formats.py` (how an answer is written down) and `grammars.py` (the same, as EBNF).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

__all__ = ["FIELDS", "RECORD_NAMES", "TOOL_NAMES", "Answer", "Field", "Kind", "Value"]

Value: TypeAlias = str | int | float
Kind = Literal["text", "integer", "number", "date", "time", "unit", "currency"]


@dataclass(frozen=True)
class Field:
    """One argument of a tool, or one field of a record."""

    name: str
    kind: Kind
    is_required: bool = True


@dataclass(frozen=True)
class Answer:
    """The content of a request: the tool (or the kind of record) and its values."""

    name: str
    values: dict[str, Value] = field(default_factory=dict[str, Value])


_TOOLS: dict[str, tuple[Field, ...]] = {
    "get_weather": (Field("city", "text"), Field("unit", "unit", is_required=False)),
    "set_timer": (Field("minutes", "integer"), Field("label", "text", is_required=False)),
    "send_email": (Field("to", "text"), Field("subject", "text")),
    "search_flights": (Field("origin", "text"), Field("destination", "text"), Field("date", "date")),
    "add_event": (Field("title", "text"), Field("date", "date"), Field("time", "time")),
    "convert_currency": (Field("amount", "number"), Field("source", "currency"), Field("target", "currency")),
}

_RECORDS: dict[str, tuple[Field, ...]] = {
    "person": (Field("name", "text"), Field("age", "integer"), Field("city", "text")),
    "order": (Field("item", "text"), Field("quantity", "integer"), Field("price", "number")),
    "meeting": (Field("title", "text"), Field("date", "date"), Field("time", "time")),
}

TOOL_NAMES: tuple[str, ...] = tuple(_TOOLS)
RECORD_NAMES: tuple[str, ...] = tuple(_RECORDS)
FIELDS: dict[str, tuple[Field, ...]] = {**_TOOLS, **_RECORDS}

UNITS: tuple[str, ...] = ("celsius", "fahrenheit")
CURRENCIES: tuple[str, ...] = ("EUR", "USD", "GBP", "JPY", "CHF", "SEK", "INR", "BRL")
