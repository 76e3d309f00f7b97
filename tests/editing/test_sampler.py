"""Members while a grammar is written: each is one, the near miss is none, and equal seeds give equal texts."""

from __future__ import annotations

import pytest

from xg2lab import Grammar
from xg2lab.editing.sampler import TextSampler
from xg2lab.errors import LimitError, UnsupportedError
from xg2lab.language.byte_matcher import accepts

SCHEMA = {
    "type": "object",
    "properties": {
        "age": {"type": "integer", "minimum": 30},
        "tags": {"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 2},
        "day": {"type": "string", "format": "date"},
        "any": {"pattern": "^x+$", "minimum": 7},
    },
    "required": ["age"],
}


@pytest.mark.parametrize(
    ("keyword", "shown"),
    [
        ("/properties/age/minimum", '{"age":30}'),
        ("/properties/tags/items/enum", '{"age":30,"tags":["a","a"]}'),
        ("/properties/day/format", '{"age":30,"day":"'),
        ("/properties/any/pattern", '{"age":30,"any":"x"}'),
        ("/properties/any/minimum", '{"age":30,"any":7}'),
        ("/required", '{"age":30}'),
    ],
)
def test_a_keyword_is_shown_by_a_value_that_it_constrains(keyword: str, shown: str) -> None:
    grammar = Grammar.from_json_schema(SCHEMA)
    found = TextSampler(grammar).using_keyword(keyword)
    assert found is not None
    assert found.startswith(shown)
    assert accepts(grammar, found)


def test_members_are_members_and_equal_seeds_give_equal_texts() -> None:
    grammar = Grammar.from_json_schema(SCHEMA)
    sampler = TextSampler(grammar)
    first, other = sampler.members(10, 4), sampler.members(10, 5)
    assert (len(first), len(other), first != other) == (10, 10, True)
    assert TextSampler(grammar).members(10, 4) == first
    assert all(accepts(grammar, text) for text in (*first, *other, sampler.shortest() or ""))


@pytest.mark.parametrize("seed", range(20))
def test_a_near_miss_is_one_edit_away_and_fails_where_it_says(seed: int) -> None:
    grammar = Grammar.from_ebnf('root ::= "[" item ("," item)* "]"\nitem ::= "é" | [0-9]{2}')
    member = TextSampler(grammar).members(1, seed)[0]
    near = TextSampler(grammar).near(member, seed)
    assert near is not None
    assert not accepts(grammar, near.text)
    assert near.died_at is not None
    assert 0 <= near.died_at < len(near.text.encode())
    assert abs(len(near.text) - len(member)) <= 1


def test_a_rule_that_no_text_can_use_has_no_member() -> None:
    sampler = TextSampler(Grammar.from_ebnf('root ::= "a" | x\nx ::= "b"\nalone ::= "c"'))
    assert (sampler.using_rule("x"), sampler.using_rule("alone"), sampler.using_rule("missing")) == ("b", None, None)


def test_a_grammar_of_all_texts_has_no_near_miss() -> None:
    sampler = TextSampler(Grammar.from_ebnf("root ::= [^]*"))
    assert (sampler.shortest(), sampler.near("ab", 1)) == ("", None)


def test_machines_and_free_text_have_their_shortest_text() -> None:
    sampler = TextSampler(
        Grammar.from_ebnf(
            'root ::= Regex("[xy]{3}|z{5}") t\nt ::= TagDispatch(("<a>", x), stop_eos=false, stop_str=("!"))\nx ::= "x"'
        )
    )
    assert sampler.shortest() == "xxx!"


def test_grammars_that_cannot_be_sampled_say_why() -> None:
    with pytest.raises(UnsupportedError, match="takes a token by its id"):
        TextSampler(Grammar.from_ebnf("root ::= Token(5)"))
    large = "root ::= " + " | ".join(f'"a{number}" [b-c]' for number in range(4000))
    with pytest.raises(LimitError, match="more than 8,000 expressions"):
        TextSampler(Grammar.from_ebnf(large))
