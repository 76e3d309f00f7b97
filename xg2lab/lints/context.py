r"""What a lint is given, and what it makes of it.

>>> from xg2lab.grammar import Grammar
>>> context = Context.of(Grammar.from_ebnf('root ::= "a"\n | "b"'))
>>> context.finding("example", "hint", "said of it", (15, 18)).line
2
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from xg2lab.errors import Diagnostic
from xg2lab.grammar import Grammar
from xg2lab.nodes import Node, Nodes
from xg2lab.places import line_and_column

__all__ = ["Context"]


@dataclass
class Context:
    """One grammar under examination."""

    grammar: Grammar
    nodes: Nodes
    source: bytes

    @classmethod
    def of(cls, grammar: Grammar) -> Context:
        """Reads a grammar."""
        return cls(grammar, Nodes.of(grammar), grammar.source.encode("utf-8", "surrogatepass"))

    def finding(self, code: str, severity: str, message: str, span: tuple[int, int], hint: str = "") -> Diagnostic:
        """A diagnostic with its line and column."""
        line, column = line_and_column(self.source, span[0])
        return Diagnostic(code, severity, message, hint, span, line, column)

    def words(self, index: int) -> str:
        """An expression as it is written, on one line."""
        begin, end = self.nodes[index].span
        text = " ".join(self.source[begin:end].decode("utf-8", "replace").split())
        return text if len(text) <= 50 else text[:49] + "…"

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
        return f"`{self.nodes.rules[rule].name}`"

    def is_nullable(self, index: int) -> bool:
        """May an expression match the empty text?"""
        return self.nodes.lengths[index] == 0

    def node(self, index: int) -> Node:
        """An expression."""
        return self.nodes[index]
