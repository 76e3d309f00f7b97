"""Which text is read how: a reader for each source language, chosen by a file's extension or by name.

>>> reader_for("digits.gbnf").name, reader_for("digits.txt", "regex").name
('ebnf', 'regex')
>>> reader_for("some.json", text='{"type": "integer"}').name, reader_for("some.json", text='{"format": {}}').name
('json_schema', 'structural_tag')
>>> reader_for("x.regex").grammar("[0-9]+", root="start")
Traceback (most recent call last):
xg2lab.errors.ArgumentError: a regular expression has no choice of `root`
  hint: leave it out

A source language that comes later joins by one row: `register_reader(Reader("name", "a name", (".extension",), read))`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xg2lab.errors import ArgumentError
from xg2lab.grammar import Grammar

__all__ = ["READERS", "Reader", "reader_for", "register_reader"]

OTHER_NAMES = {"gbnf": "ebnf", "schema": "json_schema", "pattern": "regex", "tag": "structural_tag"}


@dataclass(frozen=True)
class Reader:
    """One source language.

    `read` gets the text and those of `options` that were given: `root` (a rule's name), `on_unsupported`,
    `strict_mode`, `any_order`, `number_form`. `claims` says of a text whether it is of this language, where several
    have an extension. `is_json`: the grammar's source is the text's values, written down again.
    """

    name: str
    title: str  # with its article
    extensions: tuple[str, ...]
    read: Callable[..., Grammar]
    options: tuple[str, ...] = ()
    is_json: bool = False
    claims: Callable[[str], bool] | None = None

    def grammar(self, text: str | bytes, **options: Any) -> Grammar:
        """The grammar of a text; ArgumentError for an option that the language has not."""
        for name in options:
            if name not in self.options:
                raise ArgumentError(f"{self.title} has no choice of `{name}`", hint="leave it out")
        return self.read(text, **options)


def _ebnf(text: str | bytes, root: str = "root") -> Grammar:
    return Grammar.from_ebnf(text, root_rule_name=root)


def _lark(text: str, root: str = "start") -> Grammar:
    return Grammar.from_lark(text, start=root)


def _regex(text: str) -> Grammar:
    return Grammar.from_regex(text.removesuffix("\n"))


def _is_structural_tag(text: str) -> bool:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    # A JSON Schema's `format` is a text.
    return isinstance(value, dict) and (value.get("type") == "structural_tag" or isinstance(value.get("format"), dict))


READERS: dict[str, Reader] = {}


def register_reader(reader: Reader) -> None:
    """Adds a source language, or replaces the one of that name."""
    READERS[reader.name] = reader


register_reader(Reader("ebnf", "EBNF", (".ebnf", ".gbnf", ".bnf"), _ebnf, ("root",)))
register_reader(Reader("lark", "a Lark grammar", (".lark",), _lark, ("root",)))
register_reader(Reader("regex", "a regular expression", (".regex", ".re"), _regex))
register_reader(
    Reader(
        "structural_tag",
        "a structural tag",
        (".json",),
        Grammar.from_structural_tag,
        ("on_unsupported",),
        is_json=True,
        claims=_is_structural_tag,
    )
)
register_reader(
    Reader(
        "json_schema",
        "a JSON Schema",
        (".json",),
        Grammar.from_json_schema,
        ("on_unsupported", "strict_mode", "any_order", "number_form"),
        is_json=True,
    )
)


def reader_for(path: str, name: str | None = None, text: str = "") -> Reader:
    """The reader of that name; without one, that of the file's extension, and of the text where several have it."""
    if name is not None:
        wanted = name.replace("-", "_")
        return READERS[OTHER_NAMES.get(wanted, wanted)]
    extension = Path(path).suffix.lower()
    for reader in READERS.values():
        if extension in reader.extensions and (reader.claims is None or reader.claims(text)):
            return reader
    known = ", ".join(dict.fromkeys(extension for reader in READERS.values() for extension in reader.extensions))
    raise ArgumentError(
        f"{path}: the name does not show the kind of this grammar",
        hint=f"pass --kind {' or '.join(READERS)}; extensions are {known}",
    )
