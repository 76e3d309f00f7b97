"""First and follow sets, compared with the bytes that the engine allows: never one too few."""

from __future__ import annotations

import random

import pytest

from xg2lab import Grammar, Xg2LabError, sample
from xg2lab.language.byte_matcher import text_matcher
from xg2lab.language.first_follow import ANY, END, TOKEN, FirstFollow, shown
from xg2lab.language.nodes import Nodes

MARK = "\x01"  # stands at the end of each match of a rule, to find where the matches end
RULES = ("root", "one", "two")


def drawn(rng: random.Random, depth: int = 2) -> str:
    """A random expression."""
    if depth == 0 or rng.random() < 0.3:
        return rng.choice(['"a"', '"b"', '"ä"', "[c-e]", "[^a-y\\x01]", '""', *RULES[1:]])
    inner = drawn(rng, depth - 1)
    match rng.randrange(5):
        case 0:
            return f"({inner}){rng.choice(['*', '+', '?', '{2}', '{0,2}'])}"
        case 1:
            return f"({inner} | {drawn(rng, depth - 1)})"
        case _:
            return f"{inner} {drawn(rng, depth - 1)}"


def allowed(matcher: object) -> int:
    """The bytes that may come next, and the end."""
    found = sum(1 << byte for byte in matcher.allowed_tokens())  # type: ignore[attr-defined]
    return found | (END if matcher.is_completed() else 0)  # type: ignore[attr-defined]


@pytest.mark.parametrize("seed", range(150))
def test_sets_hold_what_the_engine_allows(seed: int) -> None:
    rng = random.Random(seed)
    bodies = {name: drawn(rng) for name in RULES}
    try:
        grammar = Grammar.from_ebnf("\n".join(f"{name} ::= {body}" for name, body in bodies.items()))
        marked = [
            Grammar.from_ebnf(
                "\n".join(
                    f'{name} ::= ({body}) "\\x01"' if name == rule else f"{name} ::= {body}"
                    for name, body in bodies.items()
                )
            )
            for rule in RULES
        ]
    except Xg2LabError:
        return  # a rule that never matches: nothing is to be compared
    sets = FirstFollow(Nodes.of(grammar))
    assert allowed(text_matcher(grammar)) == sets.first("root")
    reached = {grammar.rules[number].name for number in Nodes.of(grammar).reached()}
    for rule, with_mark in zip(RULES, marked, strict=True):
        if rule not in reached:
            assert sets.follow(rule) == 0
            continue
        seen = 0
        for text in sample(with_mark, 40, seed=seed, max_length=60 if rule != "root" else 61):
            data = text.encode()
            matcher = text_matcher(with_mark)
            for byte in data:
                matcher.accept_string(bytes([byte]))
                if byte == ord(MARK):
                    seen |= allowed(matcher) & ~(1 << ord(MARK))
        assert seen & ~sets.follow(rule) == 0, (bodies, rule, shown(seen), shown(sets.follow(rule)))


@pytest.mark.parametrize(
    ("text", "rule", "first", "follow"),
    [
        ('root ::= x "z"\nx ::= [α-ω]', "x", "[\\xCE-\\xCF]", "[z]"),
        ('root ::= AnyOrder(x, y?, sep=",")\nx ::= "x"\ny ::= "y"', "x", "[x]", "[,x-y] or the end"),
        ('root ::= TagDispatch(("<a>", x))\nx ::= "x"', "x", "[x]", "any character or the end"),
        ('root ::= x Token(5)\nx ::= Regex("[0-9]{2}")', "x", "[0-9]", "a token"),
        ('root ::= "a"\nx ::= "b"?', "x", "[b] or the end", "nothing"),
    ],
)
def test_sets_of_each_kind_of_expression(text: str, rule: str, first: str, follow: str) -> None:
    sets = FirstFollow(Nodes.of(Grammar.from_ebnf(text)))
    assert (shown(sets.first(rule)), shown(sets.follow(rule))) == (first, follow)


def test_symbols_are_apart_from_bytes() -> None:
    assert ANY & (END | TOKEN) == 0
    assert shown(TOKEN | END | (1 << 0x5D)) == "[\\]] or a token or the end"
