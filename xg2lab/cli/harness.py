"""`xg2lab grammar`: a harness for the grammar of tool calls, without a server or a model.

>>> print(strict_grammar(["greet"]).splitlines()[0])
root ::= "<start_function_call>" "call:" tool_name "{" arg_body "}" "<end_function_call>"

    xg2lab grammar full-test                         run everything below
    xg2lab grammar validate --show-grammar           check the grammar's syntax
    xg2lab grammar test -i '<start_function_call>…'  check whether the grammar matches a text
    xg2lab grammar generate my_tool another_tool     print the grammar for these tools

`--grammar FILE` gives the first three another grammar. This grammar is the strictest form of a tool call; the pipeline
for tools has those of other formats and levels.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

from xg2lab.cli.commands import read_text
from xg2lab.cli.terminal import is_colored, paint, painted_findings, say, width
from xg2lab.errors import ArgumentError
from xg2lab.language.examples import CheckRow, check
from xg2lab.lints import Findings, lint
from xg2lab.sources.readers import reader_for

__all__ = ["INVALID_SAMPLES", "VALID_SAMPLES", "run_harness", "strict_grammar"]

DEFAULT_TOOLS = ("simple_tool", "submit_result")
DEFAULT_NAME = "grammar.ebnf"
WIDTH = 60

VALID_SAMPLES = [
    "<start_function_call>call:simple_tool{}<end_function_call>",
    "<start_function_call>call:submit_result{}<end_function_call>",
    "<start_function_call>call:simple_tool{key:value}<end_function_call>",
    '<start_function_call>call:submit_result{text:<escape>done, and "well"<escape>,n:-1.5}<end_function_call>',
    "<start_function_call>call:simple_tool{a line\nand another}<end_function_call>",
]  # fmt: skip
INVALID_SAMPLES = [
    "plain text",
    "",
    "<start_function_call>call:unknown{}<end_function_call>",
    "  <start_function_call>call:simple_tool{}<end_function_call>",
    "<start_function_call>call: simple_tool{}<end_function_call>",
    "<start_function_call>call:simple_tool{}",
    "<start_function_call>call:simple_tool{}}<end_function_call>",
    "<start_function_call>call:simple_tool{}<end_function_call>\n",
]  # fmt: skip


def strict_grammar(names: Sequence[str]) -> str:
    """The grammar of one call of these tools: no whitespace around it, arguments free but for `}`."""
    if not names:
        raise ArgumentError("a call needs at least one tool", hint="name the tools: generate my_tool another_tool")
    tools = " | ".join(json.dumps(name, ensure_ascii=False) for name in names)
    return "\n".join([
        'root ::= "<start_function_call>" "call:" tool_name "{" arg_body "}" "<end_function_call>"',
        "",
        f"tool_name ::= {tools}",
        "",
        "arg_body ::= arg_char*",
        "arg_char ::= [^}]",
        "",
    ])  # fmt: skip


def run_harness(arguments: argparse.Namespace) -> int:
    """Run one of the commands; 0 if all is as it should be."""
    if arguments.command == "generate":
        say(strict_grammar(arguments.tools).removesuffix("\n"))
        return 0
    text = read_text(arguments.grammar) if arguments.grammar else strict_grammar(DEFAULT_TOOLS)
    if arguments.command == "validate":
        return _validate(text, arguments)
    if arguments.command == "test":
        return _test(text, arguments)
    return _full_test(text, arguments)


def _mistakes(text: str, arguments: argparse.Namespace) -> Findings | None:
    """Find the mistakes that keep the text from being a grammar; None if there are none."""
    path = arguments.grammar or DEFAULT_NAME
    found = lint(text, kind=reader_for(path, text=text).name, seconds=0, name=path)
    mistakes = [finding for finding in found if finding.severity == "error"]
    return Findings(mistakes, text, path) if mistakes else None


def _validate(text: str, arguments: argparse.Namespace) -> int:
    if arguments.show_grammar:
        say("Generated grammar:" if arguments.grammar is None else f"{arguments.grammar}:")
        say("\n".join(f"  {line}".rstrip() for line in text.split("\n")))
    found = _mistakes(text, arguments)
    say("No syntax errors found." if found is None else painted_findings(found.shown(width())))
    return int(found is not None)


def _test(text: str, arguments: argparse.Namespace) -> int:
    grammar = reader_for(arguments.grammar or DEFAULT_NAME, text=text).grammar(text)
    rows = check(grammar, accepts=arguments.input)
    for row in rows:
        say(_verdict(row, row.ok, str(row.example)) + (f"\n  {row.details}" if row.details else ""))
    return int(not rows.ok)


def _full_test(text: str, arguments: argparse.Namespace) -> int:
    say("=" * WIDTH + "\nGRAMMAR TEST HARNESS - Full Test Suite\n" + "=" * WIDTH)
    _step("Step 1: Generate grammar")
    say("Grammar generated successfully.\n\nGenerated grammar:")
    say("\n".join(f"  {line}".rstrip() for line in text.split("\n")))
    _step("Step 2: Validate EBNF syntax")
    found = _mistakes(text, arguments)
    say("No syntax errors found." if found is None else painted_findings(found.shown(width())))
    is_well = found is None
    if found is None:
        _step("Step 3: Test against sample inputs")
        result = check(
            reader_for(arguments.grammar or DEFAULT_NAME, text=text).grammar(text), VALID_SAMPLES, INVALID_SAMPLES
        )
        is_well = result.ok
        _say_rows("Valid samples (should match):", [row for row in result if row.should_match])
        say("")
        _say_rows("Invalid samples (should NOT match):", [row for row in result if not row.should_match])
    say("\n" + "=" * WIDTH)
    say("ALL TESTS PASSED" if is_well else "SOME TESTS FAILED")
    return int(not is_well)


def _step(title: str) -> None:
    say(f"\n{title}\n" + "-" * 40)


def _say_rows(title: str, rows: list[CheckRow]) -> None:
    say(title)
    for number, row in enumerate(rows, start=1):
        say(f"  {number}. {_verdict(row, row.ok, _short(str(row.example)))}")
        if not row.ok:
            say(f"     {row.verdict_text}; {row.details}" if row.details else f"     {row.verdict_text}")


def _verdict(row: CheckRow, is_well: bool, text: str) -> str:
    mark = (
        paint("[PASS]", "good", is_colored=is_colored()) if is_well else paint("[FAIL]", "bad", is_colored=is_colored())
    )
    return f"{mark} {text}" if text or not row.example else mark


def _short(text: str) -> str:
    """A sample on one line: of a call, all up to its arguments."""
    head, brace, _ = text.partition("{")
    shown = f"{head}{brace}..." if brace else text
    return repr(shown)[1:-1] if shown else "(nothing)"
