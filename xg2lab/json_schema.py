"""JSON Schema to grammar: what `Grammar.from_json_schema` does before and after the engine.

>>> grammar = grammar_from_json_schema({"type": "object", "properties": {"age": {"type": "integer", "minimum": 0}}})
>>> [(use.pointer, use.state) for use in grammar.coverage]
[('/type', 'enforced'), ('/properties', 'enforced'), ('/properties/age/type', 'enforced'), \
('/properties/age/minimum', 'enforced')]

Every keyword of JSON Schema 2020-12 is kept, or refused by name: nothing is dropped in silence. Strings may be written
with any escape of JSON; `format` is checked, as a model's output should be; unknown keywords and formats check nothing,
as the standard says.

See also: core/frontends/json_schema/json_schema.h, docs/design/0023-json-schema.md.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from xg2lab import _core
from xg2lab.errors import ArgumentError
from xg2lab.json_text import read_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xg2lab.grammar import Grammar

__all__ = ["USUAL_WHITESPACE", "KeywordUse", "SchemaOptions", "grammar_from_json_schema", "schema_values"]

# As many characters of whitespace in one place as any usual layout needs: an indentation of 16 levels by 4.
USUAL_WHITESPACE = 64

KeywordState = Literal["enforced", "annotation", "relaxed", "refused"]


@dataclasses.dataclass(frozen=True)
class KeywordUse:
    """What became of one keyword. `pointer` is a JSON Pointer, `span` counts bytes of the grammar's source."""

    pointer: str
    keyword: str
    state: KeywordState
    note: str = ""
    span: tuple[int, int] = (0, 0)


class SchemaOptions(TypedDict, total=False):
    """The options of `Grammar.from_json_schema`, but for printing."""

    any_whitespace: bool
    indent: int | None
    separators: tuple[str, str] | None
    strict_mode: bool
    max_whitespace_cnt: int | None
    any_order: bool | None
    on_unsupported: Literal["error", "relax"]
    registry: Mapping[str, Any] | None


def grammar_from_json_schema(
    schema: Any,
    *,
    any_whitespace: bool = True,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    strict_mode: bool = True,
    max_whitespace_cnt: int | None = None,
    print_converted_ebnf: bool = False,
    any_order: bool | None = None,
    on_unsupported: Literal["error", "relax"] = "error",
    registry: Mapping[str, Any] | None = None,
) -> Grammar:
    """`Grammar.from_json_schema` is this function."""
    if on_unsupported not in ("error", "relax"):
        raise ArgumentError(f'on_unsupported is "error" or "relax", not {on_unsupported!r}')
    if max_whitespace_cnt is not None and max_whitespace_cnt < 0:
        raise ArgumentError(f"max_whitespace_cnt is at least 0, not {max_whitespace_cnt}")
    if indent is not None and indent < 0:
        raise ArgumentError(f"indent is at least 0, not {indent}")
    comma, colon = separators or ("," if indent is not None else ", ", ": ")
    grammar = _core._from_json_schema(  # pyright: ignore[reportPrivateUsage]
        schema_values(schema),
        registry={uri: schema_values(other) for uri, other in (registry or {}).items()},
        any_whitespace=any_whitespace,
        max_whitespace=USUAL_WHITESPACE if max_whitespace_cnt is None else max_whitespace_cnt,
        indent=indent,
        comma=comma,
        colon=colon,
        strict=strict_mode,
        any_order=not strict_mode if any_order is None else any_order,
        relaxes=on_unsupported == "relax",
    )
    if print_converted_ebnf:
        print(grammar, end="")  # noqa: T201  what was asked for
    return grammar


def schema_values(schema: Any) -> Any:
    """A schema as values that JSON has: text is parsed, models of pydantic and dataclasses tell theirs."""
    if isinstance(schema, (str, bytes)):
        return read_json(schema)
    if isinstance(schema, type):
        if hasattr(schema, "model_json_schema"):  # a pydantic model
            return schema.model_json_schema()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]
        if dataclasses.is_dataclass(schema):
            return _of_dataclass(schema)
    return schema


def _of_dataclass(schema: type) -> Any:
    try:
        from pydantic import TypeAdapter
    except ImportError:
        raise ArgumentError(
            f"{schema.__name__} is a dataclass, and pydantic, which knows its schema, is not installed",
            hint="pip install pydantic, or give the schema as a dict",
        ) from None
    return TypeAdapter(schema).json_schema()
