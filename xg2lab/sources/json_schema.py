"""JSON Schema to grammar: what `Grammar.from_json_schema` does before and after the engine.

>>> grammar = grammar_from_json_schema({"type": "object", "properties": {"age": {"type": "integer", "minimum": 0}}})
>>> [(use.pointer, use.state) for use in grammar.coverage]
[('/type', 'enforced'), ('/properties', 'enforced'), ('/properties/age/type', 'enforced'), \
('/properties/age/minimum', 'enforced')]

Every keyword of JSON Schema 2020-12 is kept, or refused by name: nothing is dropped in silence. Strings may be written
with any escape of JSON; `format` is checked, as a model's output should be; unknown keywords and formats check nothing,
as the standard says. A name that a schema lists comes once in an object; of names without number no grammar can know
which there were, so where the schema leaves an object open one may come twice, and the coverage says where.

See also: core/frontends/json_schema/json_schema.h, docs/design/0023-json-schema.md.
"""

from __future__ import annotations

import dataclasses
import textwrap
from collections import Counter
from html import escape
from typing import TYPE_CHECKING, Any, Literal, TypedDict, get_args

from xg2lab import _core
from xg2lab.errors import ArgumentError
from xg2lab.grammar import is_relaxing
from xg2lab.show.html import MOST_ROWS, table_html
from xg2lab.support.json_text import read_json
from xg2lab.support.places import JsonPlaces

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from xg2lab.grammar import Grammar

__all__ = [
    "USUAL_WHITESPACE",
    "Coverage",
    "KeywordUse",
    "NumberForm",
    "SchemaOptions",
    "grammar_from_json_schema",
    "schema_input",
    "schema_values",
]

# As many characters of whitespace in one place as any usual layout needs: an indentation of 16
# levels by 4.
USUAL_WHITESPACE = 64

#: How numbers are written: in each of JSON's ways, or as programs write them, with a bound to
#: their digits.
NumberForm = Literal["any", "plain"]
_MOST_REPETITIONS = 2**31 - 1  # core/support/bounds.h: the parser's counts have 31 bits
_NUMBER_FORMS: tuple[str, ...] = get_args(NumberForm)
KeywordState = Literal["enforced", "annotation", "relaxed", "refused"]


@dataclasses.dataclass(frozen=True)
class KeywordUse:
    """The state of one keyword. `pointer` is a JSON Pointer, `span` counts bytes of the grammar's source."""

    pointer: str
    keyword: str
    state: KeywordState
    note: str = ""
    span: tuple[int, int] = (0, 0)


class Coverage(list[KeywordUse]):
    """The states of all keywords, in the order of the source; prints as a table.

    >>> from xg2lab import Grammar
    >>> print(Grammar.from_json_schema({"type": "string", "title": "a name", "minlength": 1}).coverage)
    enforced    /type
    annotation  /title
    annotation  /minlength  not a keyword of the standard
    <BLANKLINE>
    1 enforced, 2 annotations
    """

    @classmethod
    def of(cls, source: str, uses: Iterable[tuple[KeywordState, str, tuple[int, int]]]) -> Coverage:
        """Add the names and pointers at the spans."""
        found = list(uses)
        if not found:
            return cls()
        places = JsonPlaces.of(source.encode())
        made = cls()
        for state, note, span in found:
            pointer = places.at(span[0]).pointer
            keyword = pointer.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
            made.append(KeywordUse(pointer, keyword, state, note, span))
        return made

    def summary(self) -> str:
        """How many there are of each state."""
        counts = Counter(use.state for use in self)
        words = {"annotation": ("annotation", "annotations")}
        shown = [(counts[state], words.get(state, (state, state))) for state in get_args(KeywordState) if counts[state]]
        return ", ".join(f"{count} {names[count > 1]}" for count, names in shown) or "no keywords"

    def shown(self, width: int | None = None) -> str:
        """The table; with a `width`, notes that would be wider stand on lines of their own."""
        longest = max((len(use.pointer) for use in self), default=0)
        lines: list[str] = []
        for use in self:
            head = f"{use.state:10}  {use.pointer}"
            line = f"{head:{12 + longest}}  {use.note}" if use.note else head
            if width is None or len(line) <= width or not use.note:
                lines.append(line)
            else:
                lines += [
                    head,
                    *textwrap.wrap(use.note, width - 14, initial_indent=" " * 14, subsequent_indent=" " * 14),
                ]
        return "\n".join([*lines, *([""] if lines else []), self.summary()])

    def __str__(self) -> str:
        return self.shown()

    def _repr_html_(self) -> str:
        rows = [
            (f"{_MARKS[use.state]} {use.state}", f"<code>{escape(use.pointer)}</code>", escape(use.note))
            for use in self[:MOST_ROWS]
        ]
        if len(self) > MOST_ROWS:
            rows.append(("", f"… {len(self) - MOST_ROWS:,} more", "print(coverage) lists all"))
        return table_html(rows, self.summary())


_MARKS = {"enforced": "✓", "annotation": "·", "relaxed": "△", "refused": "✗"}


#: What happens to a keyword that a grammar can't enforce: an error, or it is left out and noted.
OnUnsupported = Literal["error", "relax"]


class SchemaOptions(TypedDict, total=False):
    """The options of `Grammar.from_json_schema`, but for printing."""

    any_whitespace: bool
    indent: int | None
    separators: tuple[str, str] | None
    strict_mode: bool
    max_whitespace_cnt: int | None
    any_order: bool | None
    check_formats: bool
    on_unsupported: OnUnsupported
    number_form: NumberForm
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
    check_formats: bool = True,
    on_unsupported: Literal["error", "relax"] = "error",
    number_form: NumberForm = "any",
    registry: Mapping[str, Any] | None = None,
) -> Grammar:
    """`Grammar.from_json_schema` is this function."""
    grammar = _core._from_json_schema(  # pyright: ignore[reportPrivateUsage]
        schema_input(
            schema,
            any_whitespace=any_whitespace,
            indent=indent,
            separators=separators,
            strict_mode=strict_mode,
            max_whitespace_cnt=max_whitespace_cnt,
            any_order=any_order,
            check_formats=check_formats,
            on_unsupported=on_unsupported,
            number_form=number_form,
            registry=registry,
        )
    )
    if print_converted_ebnf:
        print(grammar, end="")  # noqa: T201  what was asked for
    return grammar


def schema_input(
    schema: Any,
    *,
    any_whitespace: bool = True,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    strict_mode: bool = True,
    max_whitespace_cnt: int | None = None,
    any_order: bool | None = None,
    check_formats: bool = True,
    on_unsupported: Literal["error", "relax"] = "error",
    number_form: NumberForm = "any",
    registry: Mapping[str, Any] | None = None,
) -> _core.SchemaInput:
    """A schema with its options, checked, as the engine takes them."""
    relaxes = is_relaxing(on_unsupported)
    if max_whitespace_cnt is not None and not 0 <= max_whitespace_cnt <= _MOST_REPETITIONS:
        raise ArgumentError(f"max_whitespace_cnt must be from 0 to {_MOST_REPETITIONS:,}, not {max_whitespace_cnt}")
    if indent is not None and indent < 0:
        raise ArgumentError(f"indent must be at least 0, not {indent}")
    if number_form not in _NUMBER_FORMS:
        raise ArgumentError(f"number_form must be 'any' or 'plain', not {number_form!r}")
    comma, colon = separators or ("," if indent is not None else ", ", ": ")
    return _core.SchemaInput(
        schema,
        registry={uri: schema_values(other) for uri, other in (registry or {}).items()},
        any_whitespace=any_whitespace,
        max_whitespace=USUAL_WHITESPACE if max_whitespace_cnt is None else max_whitespace_cnt,
        indent=indent,
        comma=comma,
        colon=colon,
        strict=strict_mode,
        any_order=not strict_mode if any_order is None else any_order,
        check_formats=check_formats,
        plain_numbers=number_form == "plain",
        relaxes=relaxes,
        read=schema_values,
    )


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
