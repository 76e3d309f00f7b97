r"""What hovers say of a text that could be read: each rule's lowered form, and its first and follow bytes.

>>> from xg2lab.grammar import Grammar
>>> facts = GrammarFacts(Grammar.from_ebnf('root ::= "[" item ("," item)* "]"   item ::= [0-9]+ | root'))
>>> facts.lowered("item"), facts.first("item"), facts.follow("item")
('item ::= [0-9]+ | root', '[0-9[]', '[,\\]]')
>>> facts.lowered("missing") is None
True

A text keeps the facts of its last version that was a grammar: rules are looked up by name.
"""

from __future__ import annotations

from functools import cached_property

from xg2lab.grammar import Grammar
from xg2lab.language.first_follow import FirstFollow, shown
from xg2lab.language.nodes import Nodes

__all__ = ["GrammarFacts"]

MOST_EXPRESSIONS = 8_000  # of a grammar whose sets are computed: larger ones take too long for a hover
MOST_LOWERED = 600  # characters


class GrammarFacts:
    """Facts of one grammar, each computed when it is first wanted."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar

    @cached_property
    def _bodies(self) -> dict[str, str]:
        return {rule.name: rule.body for rule in self.grammar.passes()[-1][1].rules}

    @cached_property
    def written(self) -> set[str]:
        """The names of all rules, as the grammar has them before it is lowered."""
        return {rule.name for rule in self.grammar.rules}

    @cached_property
    def nodes(self) -> Nodes:
        """The grammar's expressions."""
        return Nodes.of(self.grammar)

    @cached_property
    def _sets(self) -> FirstFollow | None:
        return FirstFollow(self.nodes) if len(self.nodes) <= MOST_EXPRESSIONS else None

    def lowered(self, rule: str) -> str | None:
        """A rule as the engine gets it; None if it went into the rules that use it, or is not there."""
        body = self._bodies.get(rule)
        if body is None:
            return None
        text = f"{rule} ::= {body}"
        return text if len(text) <= MOST_LOWERED else text[: MOST_LOWERED - 1] + "…"

    def first(self, rule: str) -> str | None:
        """The bytes that a match may begin with, as a class."""
        sets = self._sets
        return None if sets is None or rule not in sets.numbers else shown(sets.first(rule))

    def follow(self, rule: str) -> str | None:
        """The bytes that may come after a match, as a class."""
        sets = self._sets
        return None if sets is None or rule not in sets.numbers else shown(sets.follow(rule))
