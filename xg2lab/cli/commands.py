"""The commands `lint`, `check`, `sample`, `coverage` and `compile`: from parsed arguments to an exit status.

Status 0: all is well. 1: there are findings (hints alone don't count), or examples that are not as they should be. 2: a
file can't be read, or the call is wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass, replace
from typing import Any

from xg2lab.cli.terminal import painted_coverage, painted_findings, painted_rows, say, width
from xg2lab.errors import ArgumentError, UnsupportedError, Xg2LabError
from xg2lab.grammar import Grammar
from xg2lab.language.examples import CheckResult, CheckRow, check
from xg2lab.language.members import sample
from xg2lab.lints import Findings, lint
from xg2lab.sources.json_schema import Coverage
from xg2lab.sources.readers import Reader, reader_for
from xg2lab.support.files import MOST_BYTES, read_file, read_stream
from xg2lab.support.places import JsonPlaces, line_and_column, offset_of

__all__ = ["UnusableSourceError", "read_text", "run_check", "run_compile", "run_coverage", "run_lint", "run_sample"]


def read_text(path: str) -> str:
    """Return a file's text; `-` is the standard input. The reader refuses bytes that are not UTF-8, at their place."""
    return read_data(path).decode("utf-8", "surrogateescape")


def read_data(path: str) -> bytes:
    """A file's bytes, unpacked if they are gzip; LimitError beyond what any source may have."""
    try:
        return read_stream(sys.stdin.buffer, MOST_BYTES, "the standard input") if path == "-" else read_file(path)
    except OSError as error:
        raise ArgumentError(f"{path}: {error.strerror or error}") from error


class UnusableSourceError(Exception):
    """A file that has mistakes, where a grammar is needed."""

    def __init__(self, findings: Findings) -> None:
        super().__init__(str(findings))
        self.findings = findings


@dataclass(frozen=True)
class Source:
    """A file as it was read, and how it is to be understood."""

    path: str
    data: bytes
    reader: Reader
    options: dict[str, Any]

    @classmethod
    def of(cls, path: str, arguments: argparse.Namespace) -> Source:
        """Reads a file."""
        data = read_data(path)
        given = {
            "root": arguments.root,
            "on_unsupported": "relax" if arguments.relax else None,
            "strict_mode": False if arguments.no_strict else None,
            "any_order": True if arguments.any_order else None,
            "number_form": arguments.number_form,
        }
        options = {name: value for name, value in given.items() if value is not None}
        return cls(path, data, reader_for(path, arguments.kind, data.decode("utf-8", "replace")), options)

    def findings(self, seconds: float = 0.0) -> Findings:
        """Find what is wrong or questionable in the file."""
        options = dict(self.options)
        root = options.pop("root", None)
        return lint(self.data, kind=self.reader.name, root_rule_name=root, seconds=seconds, name=self.path, **options)

    def grammar(self) -> Grammar:
        """Its grammar."""
        try:
            return self.reader.grammar(self.data.decode("utf-8", "surrogateescape"), **self.options)
        except ArgumentError:
            raise
        except Xg2LabError as error:
            if not error.diagnostics:
                raise
            raise UnusableSourceError(self.findings()) from error


def run_lint(arguments: argparse.Namespace) -> int:
    """Run `xg2lab lint FILE...`: find errors and questionable constructs in grammars."""
    found = {path: Source.of(path, arguments).findings(arguments.seconds) for path in arguments.files}
    if arguments.format == "json":
        rows = [{"file": path, **asdict(finding)} for path, findings in found.items() for finding in findings]
        say(json.dumps(rows, indent=2))
    else:
        for path, findings in found.items():
            say(painted_findings(findings.shown(width())) if findings else f"{path}: no findings")
    return int(any(findings.worst in ("error", "warning") for findings in found.values()))


def run_check(arguments: argparse.Namespace) -> int:
    """Run `xg2lab check FILE`: check which examples a grammar accepts."""
    source = Source.of(arguments.file, arguments)
    grammar = source.grammar()
    result = check(grammar, map(_example, arguments.accepts), map(_example, arguments.rejects))
    if source.reader.is_json:
        result = as_written(result, grammar.source.encode(), source.data)
    if arguments.format == "json":
        rows = [{**asdict(row), "ok": row.ok} for row in result]
        say(json.dumps(rows, indent=2, default=lambda data: data.decode("utf-8", "backslashreplace")))
    else:
        say(painted_rows(result.shown(width())))
    return int(not result.ok)


def as_written(result: CheckResult, source: bytes, data: bytes) -> CheckResult:
    """The same with places in JSON as its author wrote it."""
    ours, written = JsonPlaces.of(source), JsonPlaces.of(data)
    lines = data.decode("utf-8", "replace").split("\n")

    def moved(row: CheckRow) -> CheckRow:
        if row.line is None or row.column is None:
            return row
        begin = offset_of(source, row.line, row.column)
        there = written.values[ours.at(begin).index].begin
        line, column = line_and_column(data, there)
        return replace(row, line=line, column=column, line_text=lines[line - 1])

    return CheckResult(tuple(map(moved, result)))


def _example(text: str) -> str | bytes:
    """An argument of the command line; as bytes where these are no UTF-8."""
    data = text.encode("utf-8", "surrogateescape")
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def run_sample(arguments: argparse.Namespace) -> int:
    """Run `xg2lab sample FILE`: draw random sentences of a grammar, one a line."""
    grammar = Source.of(arguments.file, arguments).grammar()
    members = sample(grammar, arguments.n, seed=arguments.seed, max_length=arguments.max_length)
    for member in members:
        say(json.dumps(member) if arguments.format == "json" else member)
    return 0


def run_coverage(arguments: argparse.Namespace) -> int:
    """Run `xg2lab coverage FILE`: list what became of each keyword of a schema, or of the schemas in a structural tag.

    The status is 1 if some are not enforced.
    """
    source = Source.of(arguments.file, arguments)
    if not source.reader.is_json:
        raise ArgumentError(
            f"{source.path}: {source.reader.title} has no keywords", hint="coverage is for JSON Schemas"
        )
    try:
        grammar = source.grammar()
    except UnusableSourceError as unusable:
        if not isinstance(unusable.__cause__, UnsupportedError):
            raise
        say(painted_findings(unusable.findings.shown(width())))
        say("no grammar can enforce the refused keywords; --relax drops them, and lists what became of all keywords")
        return 1
    if arguments.format == "json":
        say(json.dumps([asdict(use) for use in grammar.coverage], indent=2))
    else:
        say(painted_coverage(Coverage(grammar.coverage).shown(width())))
    return int(bool(grammar.relaxations))


def run_compile(arguments: argparse.Namespace) -> int:
    """Run `xg2lab compile FILE`: report states, memory and compile time, or print the grammar as EBNF."""
    grammar = Source.of(arguments.file, arguments).grammar()
    if arguments.ebnf:
        say(str(grammar).removesuffix("\n"))
        return 0
    from xg2lab.language.byte_matcher import text_matcher

    compiled = text_matcher(grammar).compiled_grammar
    figures = {
        "rules": len(grammar.rules),
        "states": compiled.n_states,
        "memory_size_bytes": compiled.memory_size_bytes,
        "compile_us": round(compiled.compile_us),
    }
    if arguments.format == "json":
        say(json.dumps(figures))
    else:
        names = {"memory_size_bytes": "bytes of memory", "compile_us": "µs to compile"}
        most = max(len(f"{count:,}") for count in figures.values())
        say("\n".join(f"{count:>{most},} {names.get(name, name)}" for name, count in figures.items()))
    return 0
