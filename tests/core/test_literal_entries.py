"""Masks within literals, which are found along one path of the token trie, beside walks of the whole vocabulary."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import xg2lab as xgr
from tests.masks import mask_disagreements

# Tokens that end within a literal, at its end, and behind it; two tokens with equal bytes; parts of
# characters.
TOKENS = sorted(
    {
        *(text.encode() for n in range(1, 5) for text in map("".join, itertools.product("ab", repeat=n))),
        *("ä".encode()[i:] for i in range(2)),
        *("aä".encode()[:i] for i in range(1, 3)),
        *("äab".encode()[i:j] for i in range(4) for j in range(i + 1, 5)),
        *(b"bab,", b",", b",a", b"ab,ab", b'"', b'ab"', b'ab",', b" ", b" a"),
    }
)
TOKENS += [b"ab", b"bab,"]

GRAMMARS = {
    "one": 'root ::= "abababab"',
    "followed by text": r'root ::= "abab" "\"" [ab]* "\"," "baba"',
    "followed by itself": 'root ::= "abab" root | ","',
    "called from several places": 'root ::= "a" word "," word | "b" word "ab"   word ::= "babab"',
    "parts of characters": 'root ::= "aäabäabä" ("ä" | "a")',
    "two at a time": 'root ::= "ababab" | "abaaab" | "bababa,"',
    "counted": 'root ::= ("abab" ","){2,4} "a"',
    "any order": 'root ::= AnyOrder(x, y?, sep=",")   x ::= "abab"   y ::= "bab,"',
    "ends anywhere": 'root ::= "ab" ("ab" ("ab" "ab"?)?)?',
}


def compiled_grammar(source: str, **options: object) -> xgr.CompiledGrammar:
    info = xgr.TokenizerInfo([*TOKENS, b"</s>"], stop_token_ids=[len(TOKENS)])
    return xgr.GrammarCompiler(info, options=xgr.EngineOptions(**options)).compile_grammar(source)  # type: ignore[arg-type]


def walk(compiled: xgr.CompiledGrammar, choices: list[int]) -> list[tuple[int, ...]]:
    """What is allowed at each step of a text, whose tokens are chosen among those allowed."""
    matcher = xgr.GrammarMatcher(compiled)
    found = []
    for choice in choices:
        assert mask_disagreements(matcher) == []
        found.append(tuple(matcher.allowed_tokens()))
        going_on = [token for token in found[-1] if token < len(TOKENS)]
        if not going_on:
            break
        assert matcher.accept_token(going_on[choice % len(going_on)])
    return found


@pytest.mark.parametrize("name", GRAMMARS)
@given(choices=st.lists(st.integers(0, 30), min_size=1, max_size=12))
def test_equal_to_walks(name: str, choices: list[int]) -> None:
    by_entries = walk(compiled_grammar(GRAMMARS[name]), choices)
    assert walk(compiled_grammar(GRAMMARS[name], context_walks="always"), choices) == by_entries
    assert walk(compiled_grammar(GRAMMARS[name], cross_grammar_cache=False), choices) == by_entries


@given(
    words=st.lists(st.text("abä, ", min_size=1, max_size=9), min_size=1, max_size=4),
    joined=st.sampled_from([" ", " | "]),
    choices=st.lists(st.integers(0, 30), min_size=1, max_size=10),
)
def test_any_literals(words: list[str], joined: str, choices: list[int]) -> None:
    source = "root ::= (" + joined.join(f'"{word}"' for word in words) + ") root?"
    assert walk(compiled_grammar(source), choices) == walk(compiled_grammar(source, context_walks="always"), choices)


def test_the_tokens_are_the_beginnings_of_what_is_left() -> None:
    compiled = compiled_grammar('root ::= "abababab"')
    matcher = xgr.GrammarMatcher(compiled)
    assert matcher.accept_string("ab")
    allowed = [TOKENS[token] for token in matcher.allowed_tokens()]
    assert sorted(allowed) == [b"a", b"ab", b"ab", b"aba", b"abab"]
    assert matcher.accept_string("abab")
    assert sorted(TOKENS[token] for token in matcher.allowed_tokens()) == [b"a", b"ab", b"ab"]
