"""The commands `lint`, `check` and `sample`: from arguments as argparse has read them to an exit status.

Status 0: all is well. 1: there are findings (hints alone don't count), or examples that are not as they should be. 2: a
file can't be read, or the call is wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from xg2lab.cli.readers import reader_for
from xg2lab.cli.terminal import painted_findings, painted_rows, say
from xg2lab.errors import ArgumentError, Diagnostic, Xg2LabError
from xg2lab.examples import check
from xg2lab.grammar import Grammar
from xg2lab.lints import Findings, lint
from xg2lab.members import sample

__all__ = ["read_text", "run_check", "run_lint", "run_sample"]


def read_text(path: str) -> str:
    """A file's text; `-` is the standard input. What is not UTF-8 is for the reader to refuse, at its place."""
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise ArgumentError(f"{path}: {error.strerror or error}") from error
    return data.decode("utf-8", "surrogateescape")


def findings_in(path: str, arguments: argparse.Namespace) -> Findings:
    """All findings in one file."""
    text = read_text(path)
    reader = reader_for(path, arguments.language)
    try:
        grammar = reader.read(text, arguments.root)
    except ArgumentError:
        raise
    except Xg2LabError as error:
        return Findings(error.diagnostics or [Diagnostic("refused", "error", error.message, error.hint)], text, path)
    return lint(grammar, seconds=arguments.seconds, name=path)


def run_lint(arguments: argparse.Namespace) -> int:
    """`xg2lab lint FILE...`: all that is wrong with grammars, or questionable about them."""
    found = {path: findings_in(path, arguments) for path in arguments.files}
    if arguments.format == "json":
        rows = [{"file": path, **asdict(finding)} for path, findings in found.items() for finding in findings]
        say(json.dumps(rows, indent=2))
    else:
        for path, findings in found.items():
            say(painted_findings(str(findings)) if findings else f"{path}: nothing to say")
    return int(any(findings.worst in ("error", "warning") for findings in found.values()))


def grammar_in(arguments: argparse.Namespace) -> Grammar:
    """The grammar of the file."""
    reader = reader_for(arguments.file, arguments.language)
    return reader.read(read_text(arguments.file), arguments.root)


def run_check(arguments: argparse.Namespace) -> int:
    """`xg2lab check FILE`: examples held against a grammar."""
    result = check(grammar_in(arguments), map(_example, arguments.accepts), map(_example, arguments.rejects))
    if arguments.format == "json":
        rows = [{**asdict(row), "ok": row.ok} for row in result]
        say(json.dumps(rows, indent=2, default=lambda data: data.decode("utf-8", "backslashreplace")))
    else:
        say(painted_rows(str(result)))
    return int(not result.ok)


def _example(text: str) -> str | bytes:
    """An argument of the command line; as bytes where these are no UTF-8."""
    data = text.encode("utf-8", "surrogateescape")
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def run_sample(arguments: argparse.Namespace) -> int:
    """`xg2lab sample FILE`: random members of a grammar, one a line."""
    members = sample(grammar_in(arguments), arguments.n, seed=arguments.seed, max_length=arguments.max_length)
    for member in members:
        say(json.dumps(member) if arguments.format == "json" else member)
    return 0
