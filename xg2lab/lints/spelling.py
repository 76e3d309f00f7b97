r"""Lints of how a grammar is written: what means something else than it seems to.

>>> from xg2lab.grammar import Grammar
>>> context = Context.of(Grammar.from_ebnf(r'root ::= "\"" ["^]* "\""'))
>>> [finding.message for finding in carets_in_classes(context)]
['`^` is an ordinary character here: it is not at the beginning of the class']

See also: `xg2lab.lints.structure`, whose lints look at what is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from xg2lab.errors import Diagnostic
from xg2lab.lints.context import Context

__all__ = ["carets_in_classes", "empty_alternatives", "enumerated_classes", "similar_names"]

ESCAPE = re.compile(rb"\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
LETTERS_AND_DIGITS = set(range(0x30, 0x3A)) | set(range(0x41, 0x5B)) | set(range(0x61, 0x7B))
PRINTABLE = set(range(0x20, 0x7F))
MANY_MARKS = 5  # of punctuation, listed one by one


def carets_in_classes(context: Context) -> Iterator[Diagnostic]:
    """A `^` that is not the first in its class, and so excludes nothing: `["^]`."""
    for span, written in _classes(context):
        blanked = ESCAPE.sub(lambda found: b"\\" * len(found.group()), written)
        at = blanked.find(b"^", 2)
        # Between the ends of a range, or beside other marks of arithmetic, it is meant.
        if written[1:2] == b"^" or at < 0 or blanked[at - 1 : at] == b"-" or re.search(rb"[+*/%|&]", blanked):
            continue
        rest = (written[1:at] + written[at + 1 : -1]).decode("utf-8", "replace")
        yield context.finding(
            "class_caret",
            "hint",
            "`^` is an ordinary character here: it is not at the beginning of the class",
            (span[0] + at, span[0] + at + 1),
            f"to exclude, write [^{rest}]; if the character is meant, write \\x5E",
        )


def enumerated_classes(context: Context) -> Iterator[Diagnostic]:
    """A class that lists letters, digits and most punctuation one by one, where all but a few are meant."""
    for rule, index in context.sites:
        node = context.node(index)
        if node.kind != "class" or node.ranges[-1:] == ((0xE000, 0x10FFFF),):
            continue
        points = {point for low, high in node.ranges if high < 0x80 for point in range(low, high + 1)}
        marks = points & PRINTABLE - LETTERS_AND_DIGITS
        if len(points & LETTERS_AND_DIGITS) < 52 or len(marks) < MANY_MARKS or node.ranges[-1][1] >= 0x80:
            continue
        written = context.source[node.span[0] : node.span[1]]
        if written[:1] != b"[" or len(PRINTABLE - points) < 2:
            continue
        others = "".join(chr(point) for point in sorted(PRINTABLE - points))[:8]
        yield context.finding(
            "enumerated_class",
            "hint",
            f"this class of rule {context.name(rule)} lists characters one by one: it excludes letters beyond "
            f"ASCII, and {' '.join(others)}",
            node.span,
            "if all but some are meant, write these alone: [^}], say",
        )


def similar_names(context: Context) -> Iterator[Diagnostic]:
    """Rules whose names differ in letter case or punctuation only."""
    known: dict[str, str] = {}
    for number, rule in enumerate(context.nodes.rules):
        name = context.written_name(number)
        folded = re.sub(r"[-_.]", "", name).casefold()
        first = known.setdefault(folded, name)
        if first != name:
            yield context.finding(
                "similar_names",
                "hint",
                f"rules `{first}` and `{name}` differ in letter case or punctuation only",
                rule.name_span,
                "rename one of them: formats that allow fewer characters in names can confuse them",
            )


def empty_alternatives(context: Context) -> Iterator[Diagnostic]:
    """Alternatives with nothing in them: a bar too many, as a rule."""
    for rule, index in context.sites:
        node = context.node(index)
        for child in node.children if node.kind == "choice" else ():
            if context.node(child).kind == "empty" and not _is_written(context, child):
                yield context.finding(
                    "empty_alternative",
                    "hint",
                    f"rule {context.name(rule)} has an empty alternative, so it matches the empty text too",
                    context.node(child).span,
                    'if that is meant, write ""; if not, remove the bar',
                    rule=rule,
                )
    for rule in context.nodes.reached():
        body = context.nodes.rules[rule].body
        if context.node(body).kind == "empty" and not _is_written(context, body):
            yield context.finding(
                "empty_alternative",
                "hint",
                f"rule {context.name(rule)} has no body, so it matches the empty text only",
                context.nodes.rules[rule].name_span,
                'if that is meant, write ""',
            )


def _is_written(context: Context, index: int) -> bool:
    begin, end = context.node(index).span
    return bool(context.source[begin:end].strip())


def _classes(context: Context) -> Iterator[tuple[tuple[int, int], bytes]]:
    """The classes of the text, each with its span."""
    for _, index in context.sites:
        node = context.node(index)
        written = context.source[node.span[0] : node.span[1]]
        if node.kind == "class" and written[:1] == b"[" and written[-1:] == b"]":
            yield node.span, written
