"""Names of texts with and without mistakes: the outline of a grammar has the grammar's own places."""

from __future__ import annotations

import random

import pytest

from xg2lab import Grammar, Xg2LabError
from xg2lab._core import _outline
from xg2lab.editing.names import Names
from xg2lab.errors import LimitError
from xg2lab.language.nodes import Nodes

TEXT = 'root[parts=item] ::= "[" item ("," item)* "]" AnyOrder(item?, sep=item)\nitem ::= [0-9]+ (= "]" | ",")\n'


def test_references_are_those_of_the_grammar() -> None:
    names, nodes = Names.of(TEXT, "ebnf"), Nodes.of(Grammar.from_ebnf(TEXT))
    of_grammar = {node.span for node in nodes.nodes if node.kind == "rule" and TEXT[slice(*node.span)] == "item"}
    places = {mention.span for mention in names.mentions if mention.kind == "reference"}
    assert of_grammar <= places
    assert {TEXT[slice(*span)] for span in places} == {"item"}
    assert [(rule.name_span, rule.span) for rule in names.rules] == [
        (rule.name_span, rule.span) for rule in nodes.rules
    ]


def test_a_mistake_hides_no_name_behind_it() -> None:
    rng = random.Random(3)
    for _ in range(300):
        at = rng.randrange(len(TEXT))
        broken = TEXT[:at] + rng.choice("\"'[](){}|*=:<$\\ \n") + TEXT[at + 1 :]
        names = Names.of(broken + "\nlast ::= root", "ebnf")
        assert names.rules[-1].name == "last", broken
        assert names.mentions[-1].name == "root", broken
        for mention in names.mentions:
            assert broken.encode()[slice(*mention.span)].decode() in ("root", "item", "") or mention.name.isascii()


def test_duplicates_are_all_listed_and_the_first_is_the_definition() -> None:
    names = Names.of("a ::= b\nb ::= 'x'\nb ::= 'y'", "ebnf")
    assert names.places("b") == [(6, 7), (8, 9), (18, 19)]
    assert names.definition("b") == (8, 9)


def test_an_import_of_lark_is_a_name_of_another_text() -> None:
    names = Names.of("start: NUM WS\n%import common.INT -> NUM\n%import common (WS, LETTER)\n%declare X", "lark")
    assert {name for name in names.defined if names.is_imported(name)} == {"NUM", "WS", "LETTER", "X"}
    assert names.definition("NUM") == (36, 39)


def test_a_text_that_is_too_long_or_no_text_is_refused() -> None:
    with pytest.raises(LimitError):
        _outline("#" * (17 << 20), "ebnf")
    with pytest.raises(LimitError):
        _outline("#" * (5 << 20), "lark")
    with pytest.raises(Xg2LabError, match="there is no language `x`"):
        _outline("", "x")


def test_many_mistakes_do_not_end_the_outline() -> None:
    names = Names.of("a ::= ) b\n" * 1000 + "last ::= a", "ebnf")
    assert len(names.rules) == 1001
    assert names.mentions[-1].name == "a"
