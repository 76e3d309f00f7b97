"""How things look in a notebook: grammars, findings, errors. Legible on light and dark pages, and without colours.

>>> from xg2lab.grammar import Grammar
>>> "<b>root</b>" in grammar_html(Grammar.from_ebnf('root ::= "<"'))
True

Nothing here sets a background or a text colour of its own for what is to be read: the page's own are kept. Colours mark
severities and carets alone, of a lightness that both kinds of pages let stand out.

See also: `xg2lab.widgets`, which draw sessions.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from xg2lab.errors import visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xg2lab.compiler import CompiledGrammar
    from xg2lab.grammar import Grammar
    from xg2lab.language.examples import CheckResult

__all__ = ["compiled_html", "examples_html", "findings_html", "grammar_html", "table_html"]

# Contrast at least 4.3 to 1 on white, and 3.8 on #111: tests/diagnostics/test_notebooks.py.
COLORS = {"error": "#d13438", "warning": "#a86400", "hint": "#2f7fb8"}
CELL = "text-align: left; vertical-align: top"
PRE = "margin: 0; white-space: pre-wrap; overflow-wrap: anywhere"
# A notebook keeps what it shows: so much of a grammar, and the rest is counted.
MOST_RULES = 200
MOST_OF_A_RULE = 2000  # characters
MOST_OF_A_GRAMMAR = 40_000
MOST_FINDINGS = 50  # below a grammar
MOST_ROWS = 200


def findings_html(text: str) -> str:
    """Findings as `Findings.__str__` writes them, with severities and carets in colour."""
    marked = re.sub(r"^(error|warning|hint)(?=\[)", _severity, escape(visible(text)), flags=re.MULTILINE)
    marked = re.sub(
        r"^( +\| \s*)(\^+)$",
        lambda m: f'{m[1]}<b style="color: {COLORS["error"]}">{m[2]}</b>',
        marked,
        flags=re.MULTILINE,
    )
    return f'<pre style="{PRE}">{marked}</pre>'


def _severity(found: re.Match[str]) -> str:
    return f'<b style="color: {COLORS[found[1]]}">{found[1]}</b>'


def grammar_html(grammar: Grammar) -> str:
    """A grammar's rules as EBNF, their names in bold; what is questionable about it below."""
    rules = grammar.rules
    shown, n_left = _beginning(visible(str(grammar)).rstrip("\n").split("\n"))
    lines = [re.sub(r"^[^\s\[:]+", lambda m: f"<b>{m[0]}</b>", escape(line, quote=False)) for line in shown]
    more = f"\n… {n_left} more rule{'s' * (n_left > 1)}" if n_left else ""
    count = f"{len(rules)} rule{'s' * (len(rules) > 1)}"
    head = f"{escape(visible(grammar.source_name))}: {count}, root {escape(grammar.root_rule_name)}"
    if uses := grammar.coverage:
        head += f"; keywords: {str(uses).rpartition(chr(10))[2]}"
    said = "".join(
        f'<li><b style="color: {COLORS[finding.severity]}">{finding.severity}</b>, line {finding.line}: '
        f"{escape(finding.message)}</li>"
        for finding in grammar.diagnostics[:MOST_FINDINGS]
    )
    if len(grammar.diagnostics) > MOST_FINDINGS:
        said += f"<li>… {len(grammar.diagnostics) - MOST_FINDINGS} more</li>"
    return (
        f"<details open><summary>{head}</summary>"
        f'<pre style="{PRE}">{chr(10).join(lines)}{more}</pre>{said and f"<ul>{said}</ul>"}</details>'
    )


def _beginning(rules: list[str]) -> tuple[list[str], int]:
    """Return the first rules of a grammar, with long rules cut, and the number of rules omitted."""
    shown: list[str] = []
    n_characters = 0
    for rule in rules[:MOST_RULES]:
        n_more = len(rule) - MOST_OF_A_RULE
        shown.append(f"{rule[:MOST_OF_A_RULE]}… {n_more:,} more characters" if n_more > 0 else rule)
        n_characters += len(shown[-1])
        if n_characters > MOST_OF_A_GRAMMAR:
            break
    return shown, len(rules) - len(shown)


def table_html(rows: Iterable[Iterable[str]], caption: str = "", head: Iterable[str] = ()) -> str:
    """A table of cells that are HTML already."""
    heads = "".join(f'<th style="{CELL}">{cell}</th>' for cell in head)
    body = "".join("<tr>" + "".join(f'<td style="{CELL}">{cell}</td>' for cell in row) + "</tr>" for row in rows)
    above = f'<caption style="text-align: left">{escape(caption)}</caption>' if caption else ""
    return f"<table>{above}{f'<thead><tr>{heads}</tr></thead>' if heads else ''}<tbody>{body}</tbody></table>"


def compiled_html(compiled: CompiledGrammar) -> str:
    """Return the figures of a compiled grammar as a small table above its grammar."""
    rows = [
        ("vocabulary", f"{compiled.tokenizer_info.vocab_size:,} tokens"),
        ("states", f"{compiled.n_states:,}"),
        ("columns met so far", f"{compiled.n_columns:,}"),
        ("memory", f"{compiled.memory_size_bytes:,} bytes"),
        ("compiled in", f"{compiled.compile_us:,.0f} µs"),
    ]
    return table_html(rows) + grammar_html(compiled.grammar)


def examples_html(result: CheckResult) -> str:
    """A row an example: whether it is as it should be, and why it is not a match."""
    head = ("", "should be", "is", "example", "")
    rows = [
        (
            "✓" if row.ok else f'<b style="color: {COLORS["error"]}">✗</b>',
            "accepted" if row.should_match else "rejected",
            escape(row.verdict_text),
            f'<code style="white-space: pre-wrap">{escape(visible(row.shown_example))}</code>',
            escape(visible(row.details)),
        )
        for row in result
    ]
    n_well = sum(row.ok for row in result)
    return table_html(rows, f"{n_well} of {len(result)} examples are as they should be", head)
