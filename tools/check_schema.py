"""What is made from `xg2lab.lab.schema` is up to date: the TypeScript types of the page, the tables of the wire's note.

`--write` renews `widgets/src/wire/generated.ts` and, in `docs/design/0002-trace.md`, each table between the comments
`<!-- fields of NAME -->` and `<!-- end -->`. Both are read off the records: the types as Python resolves them, what a
field means from the text below it.

>>> from xg2lab.lab import schema
>>> types = Types()
>>> types.of(schema.Candidate)
'Candidate'
>>> types.of(list[schema.Span] | None), types.of(dict[str, list[int]])
('Span[] | null', 'Record<string, number[]>')

See also `tools/check_stubs.py`, which does the same for the engine's stub.
"""

from __future__ import annotations

import ast
import difflib
import re
import sys
import types
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from xg2lab.lab.schema.parts import Names, Row

ROOT = Path(__file__).resolve().parent.parent
TYPESCRIPT = ROOT / "widgets" / "src" / "wire" / "generated.ts"
SOURCES = ROOT / "xg2lab" / "lab" / "schema"
NOTE = ROOT / "docs" / "design" / "0002-trace.md"
MODULES = ("parts", "facts", "engine", "trace", "reports", "page", "messages")
#: Names of `parts` that say how values are checked; in TypeScript they are what they are made of.
WITHOUT_NAME = {
    "First", "Hex", "Listing", "Names", "Natural", "OrMinusOne", "Positive", "Row", "Table", "TokenKey", "Wire",
}  # fmt: skip
PLAIN = {int: "number", float: "number", str: "string", bool: "boolean", bytes: "DataView", type(None): "null"}
HEADER = """\
// The records that Python sends and saves. Generated from xg2lab/lab/schema by tools/check_schema.py; do not edit.
//
// Names are the wire's own, in snake_case. Offsets into the grammar's text and into the output count bytes; token ids
// are the model's numbers.
"""
TABLE = re.compile(r"(<!-- fields of (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


@dataclass(frozen=True)
class FieldFacts:
    """A field of a record: its name, whether it may be absent, its type, what it means."""

    name: str
    is_optional: bool
    type: Any
    meaning: str


class Texts:
    """What the sources of the schema say of its classes, fields and aliases."""

    def __init__(self) -> None:
        self.of_class: dict[str, str] = {}
        self.of_field: dict[tuple[str, str], str] = {}
        self.of_alias: dict[str, str] = {}
        for name in MODULES:
            source = (SOURCES / f"{name}.py").read_text(encoding="utf-8")
            self._read(ast.parse(source), source.splitlines())

    def _read(self, tree: ast.Module, lines: list[str]) -> None:
        # What type checkers are told otherwise is described where it is made for pydantic.
        for node in (one for outer in tree.body for one in (outer.orelse if isinstance(outer, ast.If) else [outer])):
            if isinstance(node, ast.ClassDef):
                self.of_class[node.name] = ast.get_docstring(node) or ""
                for field, text in zip(node.body, node.body[1:], strict=False):
                    if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
                        self.of_field[node.name, ast.unparse(field.target)] = " ".join(
                            ast.literal_eval(text.value).split()
                        )
            elif isinstance(node, ast.Assign):
                above = node.lineno - 2
                comment: list[str] = []
                while (line := lines[above].strip()).startswith("#:"):
                    comment.insert(0, line[2:].strip())
                    above -= 1
                self.of_alias[ast.unparse(node.targets[0])] = " ".join(comment)


def is_record(kind: Any) -> bool:
    """Return whether `kind` is a class of records."""
    return isinstance(kind, type) and issubclass(kind, dict) and hasattr(kind, "__total__")


class Types:
    """Python's types as TypeScript writes them; records and aliases by their names."""

    def __init__(self) -> None:
        modules = [import_module(f"xg2lab.lab.schema.{name}") for name in MODULES]
        found = [(name, getattr(module, name)) for module in modules for name in module.__all__]
        self.classes = {name: value for name, value in found if is_record(value) and name not in WITHOUT_NAME}
        self.aliases = {n: value for n, value in found if n not in self.classes and n not in WITHOUT_NAME}

    def of(self, kind: Any) -> str:
        """Return a type in TypeScript."""
        # Of equal literals typing makes one object, but only as long as its cache holds the first:
        # they are compared.
        is_literal = typing.get_origin(kind) is typing.Literal
        for name, value in self.aliases.items():
            if value is kind or (is_literal and value == kind):
                return name
        return self.spelled(kind)

    def spelled(self, kind: Any) -> str:
        """Return a type in TypeScript, an alias as what it stands for."""
        if is_record(kind):
            return kind.__name__
        if kind in PLAIN:
            return PLAIN[kind]
        if kind in (Any, object):
            return "unknown"
        origin, arguments = typing.get_origin(kind), typing.get_args(kind)
        if origin is typing.Annotated:
            return self._annotated(arguments[0], kind.__metadata__)
        if origin in (typing.Union, types.UnionType):
            return " | ".join(dict.fromkeys(self.of(part) for part in arguments))
        if origin is typing.Literal:
            return " | ".join(f'"{value}"' if isinstance(value, str) else str(value) for value in arguments)
        if origin is list:
            member = self.of(arguments[0])
            return f"({member})[]" if " | " in member and not member.startswith("[") else f"{member}[]"
        if origin is tuple:
            return f"[{', '.join(self.of(member) for member in arguments)}]"
        if origin is dict:
            key = self.of(arguments[0])
            return f"Record<{key}, {self.of(arguments[1])}>"
        raise TypeError(f"TypeScript has no word for {kind!r}: teach tools/check_schema.py one")

    def _annotated(self, kind: Any, metadata: tuple[Any, ...]) -> str:
        for each in metadata:
            if isinstance(each, Row):
                last = list(each.members)[-1] if each.optional else ""
                members = [f"{n}{'?' * (n == last)}: {self.of(of)}" for n, of in each.members.items()]
                return f"[{', '.join(members)}]"
            if isinstance(each, Names):
                (member,) = typing.get_args(kind)
                return f"[{', '.join(f'{name}: {self.of(member)}' for name in each.names)}]"
        return self.of(kind)


def bases_of(record: Any) -> list[Any]:
    """Return the records that a record extends, without those that have no name of their own."""
    bases: tuple[Any, ...] = record.__orig_bases__
    return [base for base in bases if base.__name__ in Types().classes]


def fields_of(record: Any, texts: Texts, *, inherited: bool = False) -> Iterator[FieldFacts]:
    """Yield the fields of a record; with `inherited` those of the records that it extends come first."""
    hints = typing.get_type_hints(record, include_extras=True)
    known = {name for base in bases_of(record) for name in typing.get_type_hints(base)}
    if inherited:
        for base in bases_of(record):
            yield from fields_of(base, texts, inherited=True)
    for name, kind in hints.items():
        if name in known:
            continue
        is_optional = typing.get_origin(kind) is typing.NotRequired
        of = typing.get_args(kind)[0] if is_optional else kind
        said = texts.of_field.get((record.__name__, name)) or _description(of)
        if not said:
            raise ValueError(f"{record.__name__}.{name} has no description: write it below the field")
        yield FieldFacts(name, is_optional, of, said)


def _description(kind: Any) -> str:
    """Return what a field of a record that can't be written as a class says of itself."""
    said = [getattr(each, "description", None) for each in getattr(kind, "__metadata__", ())]
    return next((text for text in said if text), "")


def typescript() -> str:
    """Return the types of the page."""
    known, texts = Types(), Texts()
    out = [HEADER]
    for name, value in known.aliases.items():
        out.append(f"/** {texts.of_alias[name]} */\nexport type {name} = {known.spelled(value)};\n")
    for name, record in known.classes.items():
        bases = ", ".join(base.__name__ for base in bases_of(record))
        out.append(f"/** {' '.join(texts.of_class[name].split())} */")
        out.append(f"export interface {name}{f' extends {bases}' if bases else ''} {{")
        out += [
            f"  /** {field.meaning} */\n  {field.name}{'?' * field.is_optional}: {known.of(field.type)};"
            for field in fields_of(record, texts)
        ]
        out.append("}\n")
    return "\n".join(out)


def table(name: str) -> str:
    """Return the fields of a record as a table in Markdown."""
    known, texts, bar = Types(), Texts(), "\\|"
    rows = ["| field | type | meaning |", "|---|---|---|"]
    for field in fields_of(known.classes[name], texts, inherited=True):
        cells = f"`{field.name}`{', optional' * field.is_optional}", f"`{known.of(field.type)}`", field.meaning
        rows.append(f"| {' | '.join(cell.replace('|', bar) for cell in cells)} |")
    return "\n".join(rows) + "\n"


def note(text: str) -> str:
    """Return the note with its tables renewed."""
    return TABLE.sub(lambda found: f"{found[1]}{table(found[2])}{found[3]}", text)


def wanted() -> dict[Path, str]:
    """Return the files that are made from the schema, with their contents."""
    return {TYPESCRIPT: typescript(), NOTE: note(NOTE.read_text(encoding="utf-8"))}


def difference() -> str:
    """Return what the committed files lack or have too much, as a diff; empty if they are up to date."""
    out: list[str] = []
    for path, text in wanted().items():
        name = path.relative_to(ROOT).as_posix()
        committed = path.read_text(encoding="utf-8") if path.exists() else ""
        lines = committed.splitlines(keepends=True), text.splitlines(keepends=True)
        out += difflib.unified_diff(*lines, fromfile=f"{name} as committed", tofile=f"{name} as the schema has it")
    return "".join(out)


def main(arguments: list[str]) -> int:
    """Compare, or with --write renew; 1 if something is out of date."""
    if "--write" in arguments:
        for path, text in wanted().items():
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.relative_to(ROOT)}")
        return 0
    changed = difference()
    remedy = "the schema has changed: `python -m tools.check_schema --write` renews these"
    print(f"{changed}\n{remedy}" if changed else "schema: types and tables are up to date")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
