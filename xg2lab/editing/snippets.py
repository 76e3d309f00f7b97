"""Beginnings of frequent constructs, with stops that an editor walks through.

>>> [snippet.label for snippet in SNIPPETS["regex"]]
['group', 'lookahead', 'named group']

`tests/editing/test_snippets.py` fills each with its defaults, and reads the result.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["SNIPPETS", "Snippet", "filled"]


@dataclass(frozen=True)
class Snippet:
    """A text with stops `${1:default}`. `where`: "rule" (where a rule may begin), "body", "schema" or "root"."""

    label: str
    text: str
    doc: str
    where: str


SNIPPETS: dict[str, tuple[Snippet, ...]] = {
    "ebnf": (
        Snippet("root", 'root ::= ${1:"yes" | "no"}', "The rule that a whole output matches.", "rule"),
        Snippet("rule", '${1:name} ::= ${2:"text"}', "A rule.", "rule"),
        Snippet(
            "json string", 'string ::= "\\\\"" ([^"\\\\\\\\\\\\x00-\\\\x1F] | "\\\\\\\\" [^\\\\x00-\\\\x1F])* "\\\\""',
            "A string as JSON writes it, loosely.", "rule",
        ),
        Snippet(
            "thinking", "think[max_tokens=${1:200}, capture] ::= ${2:[^<]*}", "Free text of limited length.", "rule",
        ),
        Snippet("list", '${1:[0-9]} ("${2:,}" ${1:[0-9]})*', "One or more, with a separator.", "body"),
        Snippet("optional", "(${1:[a-z]})?", "Once or not at all.", "body"),
        Snippet(
            "tools", 'TagDispatch(("${1:<tool>}", ${2:root}))', "Free text in which a text opens a rule.", "body",
        ),
    ),
    "lark": (
        Snippet("start", 'start: ${1:"yes" | "no"}', "The rule that a whole output matches.", "rule"),
        Snippet("rule", '${1:name}: ${2:"text"}', "A rule.", "rule"),
        Snippet("terminal", "${1:NAME}: /${2:[a-z]+}/", "A terminal.", "rule"),
        Snippet("spaces", "%import common.WS\n%ignore WS", "Spaces between all terminals.", "rule"),
        Snippet("list", '${1:"x"} ("${2:,}" ${1:"x"})*', "One or more, with a separator.", "body"),
    ),
    "json_schema": (
        Snippet(
            "object schema",
            '{\n  "type": "object",\n  "properties": {\n    "${1:name}": {"type": "${2:string}"}\n  },\n'
            '  "required": ["${1:name}"]\n}',
            "An object with a required property.", "schema",
        ),
        Snippet("array schema", '{"type": "array", "items": {"type": "${1:string}"}}', "An array.", "schema"),
        Snippet("string schema", '{"type": "string", "maxLength": ${1:100}}', "A string of limited length.", "schema"),
        Snippet("integer schema", '{"type": "integer", "minimum": ${1:0}}', "An integer with a bound.", "schema"),
        Snippet("enum schema", '{"enum": ["${1:a}", "${2:b}"]}', "One of some values.", "schema"),
        Snippet(
            "choice schema", '{"anyOf": [{"type": "${1:string}"}, {"type": "${2:null}"}]}', "One of some schemas.",
            "schema",
        ),
    ),
    "structural_tag": (
        Snippet(
            "structural tag",
            '{\n  "type": "structural_tag",\n  "format": {\n    "type": "triggered_tags",\n'
            '    "triggers": ["${1:<tool>}"],\n'
            '    "tags": [\n      {\n        "begin": "${1:<tool>}",\n'
            '        "content": {"type": "json_schema", "json_schema": {"type": "object"}},\n'
            '        "end": "${2:</tool>}"\n      }\n    ]\n  }\n}',
            "Free text in which a text opens a tool call.", "root",
        ),
    ),
    "regex": (
        Snippet("group", "(?:${1:a|b})", "A group without a number.", "body"),
        Snippet("lookahead", "(?=${1:a})", "What must follow.", "body"),
        Snippet("named group", "(?<${1:name}>${2:[a-z]+})", "A group with a name.", "body"),
    ),
}  # fmt: skip


def filled(text: str) -> str:
    r"""A snippet's text with its defaults.

    >>> filled(r"${1:name} ::= ${2:x} \$")
    'name ::= x $'
    """
    without = re.sub(r"\$\{\d+:((?:\\.|[^}\\])*)\}|\$0", lambda found: found[1] or "", text)
    return re.sub(r"\\([\\$}])", r"\1", without)
