"""Grammars: read from EBNF, combined, inspected, serialized.

>>> grammar = Grammar.from_ebnf('root ::= "yes" | "no"')
>>> grammar.rules[0].body
'"yes" | "no"'
>>> Grammar.deserialize_json(grammar.serialize_json()).source
'root ::= "yes" | "no"'

`Grammar` itself is the engine's class. This module adds its written form: JSON text with a format name and a
version, holding the grammar's tables. A literal is a string; bytes of it that are not UTF-8 are lone surrogates
U+DC80 to U+DCFF, as Python's "surrogateescape" writes them.

Shapes and units: spans are byte offsets into the source; expressions refer to each other by index, children first.

See also: core/grammar/plain.h, where what was read is checked.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from xg2lab import _core
from xg2lab._core import Grammar, RuleInfo
from xg2lab.errors import (
    ArgumentError,
    ArgumentTypeError,
    DeserializeFormatError,
    DeserializeVersionError,
    InvalidJSONError,
    LimitError,
    Xg2LabError,
)
from xg2lab.support.arguments import kind_of
from xg2lab.support.json_text import check_size, read_json

if TYPE_CHECKING:
    from xg2lab.structural_tag import StructuralTagItem

__all__ = [
    "Grammar",
    "RuleInfo",
    "StructuralTagItem",
    "grammar_from_json",
    "grammar_from_structural_tag",
    "grammar_from_tables",
    "grammar_tables",
    "grammar_to_json",
    "is_relaxing",
    "structural_tag_input",
    "structural_tag_value",
]

FORMAT = "xg2lab.grammar"
VERSION = 2  # of grammars, tokenizers and compiled grammars; 1 had no checksum

Row = list[Any]


def __getattr__(name: str) -> Any:
    if name == "StructuralTagItem":  # it needs pydantic
        from xg2lab.structural_tag import StructuralTagItem

        return StructuralTagItem
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def grammar_to_json(grammar: Grammar) -> str:
    """Write a grammar as JSON text. `Grammar.serialize_json` is this function."""
    return json.dumps({"format": FORMAT, "__VERSION__": VERSION, **grammar_tables(grammar)}, separators=(",", ":"))


def grammar_tables(grammar: Grammar) -> dict[str, Any]:
    """A grammar as values that JSON has."""
    tables = cast("dict[str, Any]", grammar._to_plain())  # pyright: ignore[reportPrivateUsage]
    rows = tables["expressions"]
    for i, row in enumerate(rows):
        if row[0] == "literal":
            rows[i] = ("literal", row[1].decode("utf-8", "surrogateescape"), *row[2:])
    return tables


def grammar_from_json(text: str | bytes) -> Grammar:
    """Read a grammar that `grammar_to_json` wrote. `Grammar.deserialize_json` is this function."""
    tables = read_tables(text)
    try:
        return grammar_from_tables(tables)
    except LimitError:
        raise
    except (Xg2LabError, TypeError, ValueError, KeyError) as error:
        raise DeserializeFormatError(
            f"this JSON is not a grammar: {error}", hint="use the text that Grammar.serialize_json() returned"
        ) from error


def grammar_from_tables(tables: dict[str, Any]) -> Grammar:
    """The grammar of such values; Xg2LabError, TypeError, ValueError or KeyError for others."""
    tables["expressions"] = [with_bytes(row) for row in tables["expressions"]]
    return Grammar._from_plain(tables)  # pyright: ignore[reportPrivateUsage]


def read_tables(text: object) -> dict[str, Any]:
    """The JSON object in `text`, if its format and version are ours."""
    if not isinstance(text, (str, bytes)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ArgumentTypeError(f"text must be str or bytes, not {type(text).__name__}")
    check_size(text)
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidJSONError(f"not JSON: {error}") from error
    if not isinstance(value, dict):
        raise DeserializeFormatError("this JSON is not a grammar: it is not an object")
    tables = cast("dict[str, Any]", value)
    if tables.get("format") != FORMAT:
        raise DeserializeFormatError(
            f'this JSON is not a grammar: its "format" is {tables.get("format")!r:.40}, not {FORMAT!r}'
        )
    if tables.get("__VERSION__") != VERSION or isinstance(tables["__VERSION__"], bool):
        raise DeserializeVersionError(
            f"this grammar was written in version {tables.get('__VERSION__')!r:.40}; only {VERSION} can be read",
            hint="write it again with this release of xg2lab",
        )
    return tables


def with_bytes(row: Row) -> Row:
    """A row of an expression; if it is a literal's, with bytes for its string."""
    match row:
        case ["literal", str(payload), *_]:
            return ["literal", payload.encode("utf-8", "surrogateescape"), *row[2:]]
        case _:
            return row


# ---- Structural tags ----------------------------------------------------------------------------


def grammar_from_structural_tag(
    tag: Any, triggers: list[str] | None = None, tags: list[Any] | None = None, *, on_unsupported: str = "error"
) -> Grammar:
    """A grammar for a structural tag. `Grammar.from_structural_tag` is this function."""
    read = structural_tag_input(tag_or_tags(tag, tags), triggers)
    return _core.structural_tag_grammar(read, relaxes=is_relaxing(on_unsupported))


def structural_tag_input(tag: Any, triggers: list[str] | None = None) -> _core.StructuralTagInput:
    """The JSON of a structural tag as the engine reads it, from any form that a user may have.

    >>> structural_tag_input('{"format": {"type": "any_text"}}').text.splitlines()[1:3]
    ['  "format": {', '    "type": "any_text"']
    """
    return _core.StructuralTagInput(_tag_in_one(tag, triggers), read=_read_if_text)


def tag_or_tags(tag: Any, tags: list[Any] | None) -> Any:
    """Return the structural tag, or the list of the older form, which is named `tags`."""
    if (tag is None) == (tags is None):
        raise ArgumentTypeError("give a structural tag, or a list of tags and their triggers")
    return tag if tags is None else tags


def is_relaxing(on_unsupported: str) -> bool:
    """Whether keywords that can't be enforced are dropped, as the option of that name says."""
    if on_unsupported not in ("error", "relax"):
        raise ArgumentError(f'on_unsupported must be "error" or "relax", not {on_unsupported!r}')
    return on_unsupported == "relax"


def structural_tag_value(tag: Any, triggers: list[str] | None = None) -> Any:
    """Return the JSON of a structural tag as a dict, from any form that a user may have.

    >>> structural_tag_value('{"format": {"type": "any_text"}}')
    {'format': {'type': 'any_text'}}
    >>> structural_tag_value([{"begin": "<a>", "schema": "true", "end": "</a>"}], ["<a"])["format"]["triggers"]
    ['<a']
    """
    value = _read_if_text(_tag_in_one(tag, triggers))
    return value.model_dump() if hasattr(value, "model_dump") else value


def _tag_in_one(tag: Any, triggers: list[str] | None) -> Any:
    if isinstance(tag, list):
        return _of_items(cast("list[Any]", tag), triggers)
    if triggers is not None:
        raise ArgumentTypeError("`triggers` is for a list of tags, the older form")
    return tag


def _read_if_text(value: Any) -> Any:
    return read_json(value) if isinstance(value, (str, bytes)) else value


def _of_items(items: list[Any], triggers: list[str] | None) -> dict[str, Any]:
    if triggers is None:
        raise ArgumentTypeError("a list of tags is the older form, which needs `triggers` as well")
    tags: list[dict[str, Any]] = []
    for item in items:
        if not isinstance(item, dict) and not all(hasattr(item, name) for name in ("begin", "schema_", "end")):
            raise ArgumentTypeError(f"tag {len(tags)} is {kind_of(item)}; wanted a StructuralTagItem or a dict")
        fields = dict(item) if isinstance(item, dict) else {name: getattr(item, name) for name in ("begin", "end")}
        schema: Any = item["schema"] if isinstance(item, dict) else item.schema_
        if isinstance(schema, str):
            schema = read_json(schema)
        elif hasattr(schema, "model_json_schema"):
            schema = schema.model_json_schema()
        content = {"type": "json_schema", "json_schema": schema}
        tags.append({"type": "tag", "begin": fields["begin"], "content": content, "end": fields["end"]})
    return {"type": "structural_tag", "format": {"type": "triggered_tags", "triggers": triggers, "tags": tags}}
