r"""The input of a lint, and the findings that it returns.

>>> from xg2lab.grammar import Grammar
>>> context = Context.of(Grammar.from_ebnf('root ::= "a"\n | "b"'))
>>> context.finding("example", "hint", "said of it", (15, 18)).line
2
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property

from xg2lab.errors import Diagnostic
from xg2lab.grammar import Grammar
from xg2lab.language.nodes import Node, Nodes
from xg2lab.support.places import is_within, line_and_column

__all__ = ["Context"]


Span = tuple[int, int]


@dataclass
class Context:
    """One grammar under examination.

    A grammar that was written out from a template has the template's text, and a rule of it for each element that the
    rule is read with. Its findings call rules as the template does; `pointer` says which argument is at fault, if one
    is.
    """

    grammar: Grammar
    nodes: Nodes
    source: bytes

    @classmethod
    def of(cls, grammar: Grammar) -> Context:
        """Reads a grammar."""
        return cls(grammar, Nodes.of(grammar), grammar.source.encode("utf-8", "surrogatepass"))

    def finding(
        self,
        code: str,
        severity: str,
        message: str,
        span: Span,
        hint: str = "",
        *,
        rule: int | None = None,
        holds_slot: bool = False,
        item: int | None = None,
    ) -> Diagnostic:
        """A diagnostic with its line and column.

        `rule` is the rule in whose body `span` is: then a finding about what an argument made has its pointer. With
        `holds_slot` an expression with a slot in it counts as made by the argument; `item` is of a list of texts.
        """
        line, column = line_and_column(self.source, span[0])
        pointer = None if rule is None else self._pointer(rule, span, holds_slot)
        if pointer is not None and item is not None:
            pointer = f"{pointer}/{item}"
        return Diagnostic(code, severity, message, hint, span, line, column, pointer)

    @cached_property
    def _filled(self) -> dict[str, list[tuple[Span, str]]]:
        """For each rule that was written out from a template: places of its slots, with pointers to the arguments."""
        places = self.grammar._argument_places()  # pyright: ignore[reportPrivateUsage]
        return {name: [(span, pointer) for span, _, pointer in holes] for name, _, holes in places}

    def _pointer(self, rule: int, span: Span, holds_slot: bool) -> str | None:
        filled = self._filled.get(self.nodes.rules[rule].name, [])
        around = [(of[1] - of[0], pointer) for of, pointer in filled if is_within(span, of)]
        if around:
            return min(around)[1]
        inside = {pointer for of, pointer in filled if is_within(of, span)} if holds_slot else set[str]()
        return inside.pop() if len(inside) == 1 else None

    def is_of_slot(self, rule: int, span: Span) -> bool:
        """Whether an expression of a rule stands for a slot of a template."""
        return any(of == span for of, _ in self._filled.get(self.nodes.rules[rule].name, ()))

    def words(self, index: int) -> str:
        """An expression as it is written, on one line."""
        begin, end = self.nodes[index].span
        text = " ".join(self.source[begin:end].decode("utf-8", "replace").split())
        return text if len(text) <= 50 else text[:49] + "…"

    def said(self, rule: int, index: int) -> str:
        """An expression as it is written; of a text that fills a slot, the text."""
        node = self.nodes[index]
        if node.kind == "literal" and self.is_of_slot(rule, node.span):
            text = json.dumps(node.text, ensure_ascii=False)
            return text if len(text) <= 50 else text[:49] + "…"
        return self.words(index)

    @cached_property
    def sites(self) -> list[tuple[int, int]]:
        """Each expression that the root needs, once, as (rule, expression)."""
        seen: set[int] = set()
        found: list[tuple[int, int]] = []
        for rule in self.nodes.reached():
            for index in self.nodes.walk(self.nodes.rules[rule].body):
                if index not in seen:
                    seen.add(index)
                    found.append((rule, index))
        return found

    def name(self, rule: int) -> str:
        """A rule's name, quoted."""
        return f"`{self.written_name(rule)}`"

    def written_name(self, rule: int) -> str:
        """A rule's name as its author wrote it."""
        of = self.nodes.rules[rule]
        if self.grammar.source_name != "template":
            return of.name
        begin, end = of.name_span
        return self.source[begin:end].decode("utf-8", "replace") or of.name

    def is_nullable(self, index: int) -> bool:
        """May an expression match the empty text?"""
        return self.nodes.lengths[index] == 0

    def node(self, index: int) -> Node:
        """An expression."""
        return self.nodes[index]
