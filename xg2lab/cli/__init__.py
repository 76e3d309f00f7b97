"""The command line: `xg2lab lint`, `check`, `sample`, `coverage`, `compile` and `grammar`, or `python -m xg2lab ...`.

    xg2lab lint FILE...                        what is wrong with grammars, or questionable about them
    xg2lab check FILE --accepts TEXT --rejects TEXT
    xg2lab sample FILE -n 10 --seed 0          random members
    xg2lab coverage FILE.json                  what became of each keyword of a JSON Schema
    xg2lab compile FILE [--ebnf]               what it takes to run it, or the grammar as EBNF
    xg2lab grammar validate|test|generate|full-test

A FILE is EBNF or GBNF, Lark, a regular expression, a JSON Schema or a structural tag: by its extension and contents, or
by --kind.
Exit status: 0 if all is well, 1 if something was found, 2 if the call or a file is wrong. Colours are for terminals.
See also: `xg2lab.sources.readers`, which a new source language joins.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from xg2lab.cli.commands import UnusableSourceError, run_check, run_compile, run_coverage, run_lint, run_sample
from xg2lab.cli.harness import run_harness
from xg2lab.cli.terminal import painted_findings, width
from xg2lab.errors import Xg2LabError
from xg2lab.sources.readers import OTHER_NAMES, READERS

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    parsed = _parser().parse_args(arguments)
    try:
        return parsed.run(parsed)
    except UnusableSourceError as unusable:
        sys.stderr.write(painted_findings(unusable.findings.shown(width(sys.stderr)), sys.stderr) + "\n")
        return 2
    except Xg2LabError as error:
        sys.stderr.write(f"xg2lab: {type(error).__name__}: {error}\n")
        return 2
    except BrokenPipeError:
        sys.stderr.close()  # who reads has seen enough
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="xg2lab", description="Grammars for constrained decoding, tried out.")
    commands = parser.add_subparsers(required=True, metavar="command")
    one = argparse.ArgumentParser(add_help=False)
    one.add_argument(
        "--kind",
        "--as",
        type=lambda name: name.replace("-", "_"),
        choices=[*READERS, *OTHER_NAMES],
        metavar="KIND",
        help=f"how a file is read, if not by its extension and contents: {', '.join(READERS)}",
    )
    one.add_argument("--root", help="EBNF and Lark: the rule that a whole match is made of (root, start)")
    one.add_argument("--relax", action="store_true", help="schemas: drop unsupported constraints, with a warning")
    one.add_argument("--any-order", action="store_true", help="schemas: properties may come in any order")
    one.add_argument("--no-strict", action="store_true", help="schemas: allow undeclared properties")
    one.add_argument(
        "--number-form",
        choices=["any", "plain"],
        help="schemas: numbers in each of JSON's ways, or as programs write them",
    )
    one.add_argument("--format", choices=["text", "json"], default="text", help="of the answer (text)")
    _add_lint(commands, one)
    _add_check(commands, one)
    _add_sample(commands, one)
    _add_coverage(commands, one)
    _add_compile(commands, one)
    _add_grammar(commands)
    return parser


def _add_lint(commands: Any, one: argparse.ArgumentParser) -> None:
    lint = commands.add_parser("lint", parents=[one], help="what is wrong with grammars, or questionable about them")
    lint.add_argument("files", nargs="+", metavar="FILE", help="a grammar; - is the standard input")
    lint.add_argument("--seconds", type=float, default=1.0, help="how long to search for ambiguous texts (1)")
    lint.set_defaults(run=run_lint)


def _add_check(commands: Any, one: argparse.ArgumentParser) -> None:
    check = commands.add_parser("check", parents=[one], help="hold examples against a grammar")
    check.add_argument("file", metavar="FILE")
    for option, what in (("--accepts", "accept"), ("--rejects", "reject")):
        check.add_argument(
            option, nargs="+", action="extend", default=[], metavar="TEXT", help=f"strings the grammar must {what}"
        )
    check.set_defaults(run=run_check)


def _add_sample(commands: Any, one: argparse.ArgumentParser) -> None:
    sample = commands.add_parser("sample", parents=[one], help="random members of a grammar")
    sample.add_argument("file", metavar="FILE")
    sample.add_argument("-n", type=int, default=10, help="how many (10)")
    sample.add_argument("--seed", type=int, help="the same seed gives the same members")
    sample.add_argument("--max-length", type=int, default=60, help="in characters (60)")
    sample.set_defaults(run=run_sample)


def _add_coverage(commands: Any, one: argparse.ArgumentParser) -> None:
    coverage = commands.add_parser("coverage", parents=[one], help="what became of each keyword of a JSON Schema")
    coverage.add_argument("file", metavar="FILE", help="a JSON Schema or a structural tag; - is the standard input")
    coverage.set_defaults(run=run_coverage)


def _add_compile(commands: Any, one: argparse.ArgumentParser) -> None:
    compiling = commands.add_parser("compile", parents=[one], help="report a grammar's states, memory and compile time")
    compiling.add_argument("file", metavar="FILE")
    compiling.add_argument("--ebnf", action="store_true", help="print the grammar as EBNF instead")
    compiling.set_defaults(run=run_compile)


def _add_grammar(commands: Any) -> None:
    grammar = commands.add_parser("grammar", help="the harness for the grammar of tool calls")
    inner = grammar.add_subparsers(required=True, dest="command", metavar="command")
    other = argparse.ArgumentParser(add_help=False)
    other.add_argument("--grammar", metavar="FILE", help="another grammar than that of the default tools")
    validate = inner.add_parser("validate", parents=[other], help="is it a grammar?")
    validate.add_argument("--show-grammar", action="store_true", help="print it, too")
    test = inner.add_parser("test", parents=[other], help="does it match?")
    test.add_argument("-i", "--input", action="append", required=True, metavar="TEXT", help="a text; may be repeated")
    generate = inner.add_parser("generate", help="print the grammar for tools")
    generate.add_argument("tools", nargs="+", metavar="TOOL", help="names of tools")
    inner.add_parser("full-test", parents=[other], help="generate, validate and test")
    grammar.set_defaults(run=run_harness)
