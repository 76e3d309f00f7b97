r"""Lint of endings: free text that can hold the marker which is to end it.

>>> from xg2lab.grammar import Grammar
>>> context = Context.of(Grammar.from_ebnf('root ::= "<think>" [^]* "</think>"'))
>>> [finding.message for finding in swallowed_ends(context)]
['the free text `[^]*` can hold its own end marker "</think>", so reading that does not end it']

IDEA
  A model that writes the marker believes to be done. If the text before it may hold the marker too, the grammar follows
  both readings, and the model is free to go on: the output may hold the marker many times, or never end. Free text is a
  repetition without bound of a class that leaves out few characters; `[a-z]+ "ing"` is none, and says nothing. A lazy
  rule ends at the first marker.

See also `xg2lab.lints.structure`, whose lints look at one expression at a time.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from xg2lab.errors import Diagnostic
from xg2lab.language.nodes import Node
from xg2lab.lints.context import Context

__all__ = ["swallowed_ends"]

FREE_TEXT = 1000  # code points of a class from which on its repetition is free text
MOST_STEPS = 64  # rules and groups that are followed to a marker


def swallowed_ends(context: Context) -> Iterator[Diagnostic]:
    """Repetitions of nearly any character that are followed by a text which they can hold."""
    for rule, index in context.sites:
        node = context.node(index)
        if node.kind != "sequence" or context.nodes.rules[rule].is_lazy:
            continue
        for child, after in zip(node.children, node.children[1:], strict=False):
            free = _free_text(context, child)
            if free is None:
                continue
            ranges, site = free
            markers = [text for text in _begins(context, after) if text and all(_holds(ranges, c) for c in text)]
            if markers:
                marker = json.dumps(markers[0], ensure_ascii=False)
                yield context.finding(
                    "swallowed_end",
                    "warning",
                    f"the free text `{context.words(site)}` can hold its own end marker {marker}, so reading that does "
                    "not end it",
                    context.node(child).span,
                    "exclude the marker: TagDispatch(stop_str=...), a lazy rule, or a class without its first "
                    "character",
                    rule=rule,
                )
                break


def _free_text(context: Context, index: int) -> tuple[tuple[tuple[int, int], ...], int] | None:
    """The ranges of an unbounded repetition of a large class, and its place; through rules that are not lazy."""
    for _ in range(MOST_STEPS):
        node = context.node(index)
        if node.kind == "rule" and not _is_limited(context, node):
            index = context.nodes.rules[node.rule].body
        elif node.kind == "sequence" and len(node.children) == 1:
            index = node.children[0]
        elif node.kind == "repeat" and node.most is None:
            inner = context.node(node.children[0])
            n_points = sum(high - low + 1 for low, high in inner.ranges)
            return (inner.ranges, index) if inner.kind == "class" and n_points >= FREE_TEXT else None
        else:
            return None
    return None


def _is_limited(context: Context, node: Node) -> bool:
    rule = context.nodes.rules[node.rule]
    return rule.is_lazy or rule.max_chars is not None or rule.max_tokens is not None


def _begins(context: Context, index: int) -> list[str]:
    """The literals that an expression may begin with."""
    found: list[str] = []
    agenda, seen = [index], {index}
    while agenda and len(seen) < MOST_STEPS:
        node = context.node(agenda.pop())
        inner: tuple[int, ...] = ()
        if node.kind == "literal":
            found.append(node.text)
        elif node.kind == "rule":
            inner = (context.nodes.rules[node.rule].body,)
        elif node.kind == "sequence":
            inner = node.children[:1]
        elif node.kind == "choice" or (node.kind == "repeat" and node.least > 0):
            inner = node.children
        agenda += [one for one in inner if one not in seen]
        seen.update(inner)
    return found


def _holds(ranges: tuple[tuple[int, int], ...], character: str) -> bool:
    return any(low <= ord(character) <= high for low, high in ranges)
