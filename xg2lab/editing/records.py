"""The answers of an assistant as plain values. Spans count bytes of the text in UTF-8.

>>> Edit((0, 1), "x").applied("abc")
'xbc'
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["Completion", "Edit", "Fold", "Hover", "Span", "Symbol", "SymbolKind", "WordKind", "applied"]

Span = tuple[int, int]
WordKind = Literal["rule", "terminal", "macro", "option", "operator", "keyword", "value", "format", "snippet", "slot"]
SymbolKind = Literal["rule", "terminal", "object", "array", "string", "number", "boolean", "null", "format"]


@dataclass(frozen=True)
class Completion:
    r"""A word that may be inserted at the caret.

    Attributes
    ----------
    label : str
        The word as a list shows it.
    insert : str
        The text that replaces `span`. A snippet has stops `${1:name}` and `$0`; `\`, `$` and `}` in its text are
        escaped by a backslash.
    kind : str
        The kind of the word.
    detail, doc : str
        A few words, and a sentence.
    span : tuple of (int, int)
        The bytes that `insert` replaces.
    is_snippet : bool
        Whether `insert` has stops.
    rank : int
        Words of a lower rank come first.
    """

    label: str
    insert: str
    kind: WordKind
    detail: str
    doc: str
    span: Span
    is_snippet: bool = False
    rank: int = 1


@dataclass(frozen=True)
class Edit:
    """A change: `text` in place of the bytes of `span`."""

    span: Span
    text: str

    def applied(self, text: str) -> str:
        """Return a text with this change."""
        return applied(text, [self])


def applied(text: str, edits: Iterable[Edit]) -> str:
    """Return a text with changes, which do not overlap.

    >>> applied("a b", [Edit((0, 1), "long"), Edit((2, 3), "c")])
    'long c'
    """
    data = text.encode("utf-8", "surrogatepass")
    for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
        data = data[: edit.span[0]] + edit.text.encode("utf-8", "surrogatepass") + data[edit.span[1] :]
    return data.decode("utf-8", "surrogatepass")


@dataclass(frozen=True)
class Hover:
    """What is known of the word at the caret, as Markdown, and the word's span."""

    span: Span
    text: str


@dataclass(frozen=True)
class Fold:
    """Lines that an editor may hide: those after the line of the first byte, up to the line of the last."""

    span: Span
    kind: Literal["region", "comment"] = "region"


@dataclass(frozen=True)
class Symbol:
    """A name that a text defines, the whole definition, and the names within it."""

    name: str
    kind: SymbolKind
    span: Span
    name_span: Span
    detail: str = ""
    children: tuple[Symbol, ...] = field(default=())
