"""The command line: `xg2lab lint`, `check`, `sample`, `audit`, `open`, `serve`, `sweep` and more.

    xg2lab lint FILE...                        find errors and questionable constructs
    xg2lab check FILE --accepts TEXT --rejects TEXT
    xg2lab sample FILE -n 10 --seed 0          draw random sentences
    xg2lab coverage FILE.json                  list what became of each keyword of a JSON Schema
    xg2lab compile FILE [--ebnf]               report states, memory and time, or print the grammar as EBNF
    xg2lab audit FILE --engine NAME --text TEXT   compare other engines with ours on the same tokens
    xg2lab open FILE [--out PAGE | --print]    show a saved trace in the browser, or print a server's flight
    xg2lab sweep SCHEMAS.jsonl --out FILE      do thousands of JSON Schemas, in processes or on Ray
    xg2lab grammar validate|test|generate|full-test
    xg2lab lsp                                 serve an editor: the Language Server Protocol over the standard streams
    xg2lab serve [MODEL]                       serve a model with OpenAI's API, constraints included

A FILE is EBNF or GBNF, Lark, a regular expression, a JSON Schema or a structural tag: by its extension and contents, or
by --kind.
Exit status: 0 if all is well, 1 if something was found, 2 if the call or a file is wrong. Only terminals get colours.
See also: `xg2lab.sources.readers`, which a new source language joins.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from xg2lab.cli.auditing import run_audit
from xg2lab.cli.commands import UnusableSourceError, run_check, run_compile, run_coverage, run_lint, run_sample
from xg2lab.cli.harness import run_harness
from xg2lab.cli.opening import run_open
from xg2lab.cli.server import run_lsp
from xg2lab.cli.serving import add_serve
from xg2lab.cli.sweeping import add_sweep
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
        sys.stderr.close()  # the reader has seen enough
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="xg2lab", description="Check, test and compile grammars for constrained decoding."
    )
    commands = parser.add_subparsers(required=True, metavar="command")
    one = argparse.ArgumentParser(add_help=False)
    one.add_argument(
        "--kind",
        "--as",
        type=lambda name: name.replace("-", "_"),
        choices=[*READERS, *OTHER_NAMES],
        metavar="KIND",
        help=f"the kind of the file, if its extension and contents do not tell: {', '.join(READERS)}",
    )
    one.add_argument("--root", help="EBNF and Lark: the rule that a whole output must match (root, start)")
    one.add_argument("--relax", action="store_true", help="schemas: drop unsupported constraints, with a warning")
    one.add_argument("--any-order", action="store_true", help="schemas: allow properties in any order")
    one.add_argument("--no-strict", action="store_true", help="schemas: allow undeclared properties")
    one.add_argument(
        "--number-form",
        choices=["any", "plain"],
        help="schemas: write numbers in any of JSON's forms, or as programs do",
    )
    one.add_argument("--format", choices=["text", "json"], default="text", help="the output format (text)")
    _add_lint(commands, one)
    _add_check(commands, one)
    _add_sample(commands, one)
    _add_coverage(commands, one)
    _add_compile(commands, one)
    _add_audit(commands, one)
    _add_open(commands)
    add_sweep(commands)
    _add_grammar(commands)
    _add_lsp(commands)
    add_serve(commands)
    return parser


def _add_lint(commands: Any, one: argparse.ArgumentParser) -> None:
    lint = commands.add_parser("lint", parents=[one], help="find errors and questionable constructs in grammars")
    lint.add_argument("files", nargs="+", metavar="FILE", help="a grammar; - reads the standard input")
    lint.add_argument("--seconds", type=float, default=1.0, help="how long to search for ambiguous texts (1)")
    lint.set_defaults(run=run_lint)


def _add_check(commands: Any, one: argparse.ArgumentParser) -> None:
    check = commands.add_parser("check", parents=[one], help="check which examples a grammar accepts")
    check.add_argument("file", metavar="FILE")
    for option, what in (("--accepts", "accept"), ("--rejects", "reject")):
        check.add_argument(
            option, nargs="+", action="extend", default=[], metavar="TEXT", help=f"strings the grammar must {what}"
        )
    check.set_defaults(run=run_check)


def _add_sample(commands: Any, one: argparse.ArgumentParser) -> None:
    sample = commands.add_parser("sample", parents=[one], help="draw random sentences of a grammar")
    sample.add_argument("file", metavar="FILE")
    sample.add_argument("-n", type=int, default=10, help="how many sentences (10)")
    sample.add_argument("--seed", type=int, help="the same seed gives the same sentences")
    sample.add_argument("--max-length", type=int, default=60, help="the longest sentence, in characters (60)")
    sample.set_defaults(run=run_sample)


def _add_coverage(commands: Any, one: argparse.ArgumentParser) -> None:
    coverage = commands.add_parser("coverage", parents=[one], help="list what became of each keyword of a JSON Schema")
    coverage.add_argument("file", metavar="FILE", help="a JSON Schema or a structural tag; - reads the standard input")
    coverage.set_defaults(run=run_coverage)


def _add_compile(commands: Any, one: argparse.ArgumentParser) -> None:
    compiling = commands.add_parser("compile", parents=[one], help="report a grammar's states, memory and compile time")
    compiling.add_argument("file", metavar="FILE")
    compiling.add_argument("--ebnf", action="store_true", help="print the grammar as EBNF instead")
    compiling.set_defaults(run=run_compile)


def _add_audit(commands: Any, one: argparse.ArgumentParser) -> None:
    audit = commands.add_parser("audit", parents=[one], help="compare other engines with ours, on the same tokens")
    audit.add_argument("file", metavar="FILE", help="a grammar; - reads the standard input")
    audit.add_argument(
        "--engine",
        action="append",
        metavar="NAME",
        help="xgrammar, llguidance, xg2lab-pda, xg2lab-plain or package.module:Class; may be repeated (those that are "
        "installed)",
    )
    what = audit.add_mutually_exclusive_group(required=True)
    what.add_argument("--text", help="the output, spelled by greedy longest match; - reads the standard input")
    what.add_argument("--ids", nargs="+", metavar="ID", help="the output's token ids")
    audit.add_argument(
        "--vocabulary",
        default="tiny",
        metavar="FILE",
        help='a tokenizer.json, a saved TokenizerInfo, "tiny" or "bytes" (tiny)',
    )
    audit.add_argument(
        "--strict", action="store_true", help="schemas: forbid undeclared properties, where an engine can"
    )
    audit.add_argument("--seconds", type=_seconds, default=60.0, help="the longest call of an engine (60)")
    audit.add_argument("--steps", type=int, default=20, metavar="N", help="how many steps to list (20)")
    audit.add_argument("--issue", metavar="NAME", help="print the text of an issue about this engine instead")
    audit.set_defaults(run=run_audit)


def _add_open(commands: Any) -> None:
    opening = commands.add_parser(
        "open", help="show a saved trace, or an exported page, in the browser; print a flight"
    )
    opening.add_argument("file", metavar="FILE", help="what Trace.save(), export_html() or a FlightRecorder wrote")
    opening.add_argument("--out", metavar="PAGE", help="write the page to this file, and open no browser")
    opening.add_argument("--print", action="store_true", help="print steps and reasons instead")
    opening.add_argument(
        "--vocabulary", metavar="FILE", help="what TokenizerInfo.serialize_json() returned, for masks and for flights"
    )
    opening.add_argument("--views", nargs="+", metavar="VIEW", help="the views of a trace's page (workbench)")
    opening.add_argument(
        "--max-bytes", type=int, metavar="N", help="the largest page of a trace (16 MiB); masks of early steps go first"
    )
    opening.set_defaults(run=run_open)


def _add_grammar(commands: Any) -> None:
    grammar = commands.add_parser("grammar", help="test the grammar of tool calls")
    inner = grammar.add_subparsers(required=True, dest="command", metavar="command")
    other = argparse.ArgumentParser(add_help=False)
    other.add_argument("--grammar", metavar="FILE", help="a grammar to use instead of the default tools'")
    validate = inner.add_parser("validate", parents=[other], help="check the grammar's syntax")
    validate.add_argument("--show-grammar", action="store_true", help="print the grammar too")
    test = inner.add_parser("test", parents=[other], help="check whether the grammar matches texts")
    test.add_argument(
        "-i", "--input", action="append", required=True, metavar="TEXT", help="a text to match; may be repeated"
    )
    generate = inner.add_parser("generate", help="print the grammar for tools")
    generate.add_argument("tools", nargs="+", metavar="TOOL", help="the name of a tool")
    inner.add_parser("full-test", parents=[other], help="generate, validate and test")
    grammar.set_defaults(run=run_harness)


def _add_lsp(commands: Any) -> None:
    lsp = commands.add_parser("lsp", help="serve an editor: the Language Server Protocol over the standard streams")
    lsp.add_argument("--stdio", action="store_true", help="has no effect: some editors pass it")
    lsp.add_argument(
        "--answer-seconds", type=_seconds, default=5.0, help="how long a question may take before it is given up (5)"
    )
    lsp.add_argument(
        "--diagnostics-seconds", type=_seconds, default=15.0, help="how long the diagnostics of a text may take (15)"
    )
    lsp.set_defaults(run=run_lsp)


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds <= 3600:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 3600 seconds")
    return seconds
