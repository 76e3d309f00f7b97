"""Which text is read how: a reader for each source language, chosen by a file's extension or by name.

>>> reader_for("digits.gbnf").name, reader_for("digits.txt", "regex").name
('ebnf', 'regex')

A source language that comes later joins by one row: `register_reader(Reader("lark", (".lark",), read))`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from xg2lab.errors import ArgumentError
from xg2lab.grammar import Grammar

__all__ = ["READERS", "Reader", "reader_for", "register_reader"]


@dataclass(frozen=True)
class Reader:
    """One source language. `read` gets the text and the name of the root rule, which a language may have no use for."""

    name: str
    extensions: tuple[str, ...]
    read: Callable[[str, str], Grammar]


def _ebnf(text: str, root: str) -> Grammar:
    return Grammar.from_ebnf(text, root_rule_name=root)


def _regex(text: str, root: str) -> Grammar:
    if root != "root":
        raise ArgumentError("a regular expression has no rules, so no root can be chosen", hint="leave out --root")
    return Grammar.from_regex(text.removesuffix("\n"))


READERS: dict[str, Reader] = {}


def register_reader(reader: Reader) -> None:
    """Adds a source language, or replaces the one of that name."""
    READERS[reader.name] = reader


register_reader(Reader("ebnf", (".ebnf", ".gbnf", ".bnf"), _ebnf))
register_reader(Reader("regex", (".regex", ".re"), _regex))


def reader_for(path: str, name: str | None = None) -> Reader:
    """The reader of that name; without one, that of the file's extension."""
    if name is not None:
        return READERS[name]
    extension = Path(path).suffix.lower()
    for reader in READERS.values():
        if extension in reader.extensions:
            return reader
    known = ", ".join(extension for reader in READERS.values() for extension in reader.extensions)
    raise ArgumentError(
        f"{path}: what kind of grammar this is can't be told from its name",
        hint=f"say --as {' or '.join(READERS)}; extensions are {known}",
    )
