"""Forced text: whole code points, never past the edge of a token that the model might choose instead."""

from __future__ import annotations

import random

import numpy as np
import pytest

import xg2lab as xgr
from tests.generators import seeded
from xg2lab.lab.trace.spelling import Spelling
from xg2lab.tokenizer_info import TokenizerInfo

BYTES = [bytes([byte]) for byte in range(256)]
KEYS = [b'{"', b"name", b'":', b' "', b': "', b'",', b"\xc3\xa9", b"e\xcc", b"\xcc\x81", b" a", b"0x"]


def matcher_of(grammar: str, tokens: list[bytes], **options: object) -> xgr.GrammarMatcher:
    info = TokenizerInfo([*tokens, b"</s>"], stop_token_ids=[len(tokens)])
    return xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar(grammar), **options)  # type: ignore[arg-type]


def forced(grammar: str, tokens: list[bytes]) -> str:
    return matcher_of(grammar, tokens).find_jump_forward_string()


@pytest.mark.parametrize(
    ("grammar", "tokens", "text"),
    [
        ('root ::= "x: " [a-z]', [*BYTES], "x: "),
        ('root ::= "x: " [a-z]', [*BYTES, b" a"], "x:"),  # the space may be the beginning of " a"
        ('root ::= "x: " [b-z]', [*BYTES, b" a"], "x: "),  # not where the grammar has no "a"
        ('root ::= "x: " [a-z]', [*BYTES, b": a", b" a"], "x"),
        ('root ::= "x: " [a-z]', [*BYTES, b"x:", b": a"], "x: "),  # "x:" is longer than "x": no edge before ":"
        ('root ::= "x: " [a-z]+', [*BYTES, b"x: abc"], ""),
        ('root ::= "x: " [a-z]+', [*BYTES, b"x: abc", b"x: "], ""),
        ('root ::= "x: " [a-z]', [*BYTES, b"x: abc"], "x: "),  # one letter, not three
        ('root ::= "ab"', [*BYTES, b"abc"], "ab"),
        ('root ::= "ab" "c"?', [*BYTES, b"abc"], ""),  # the text may end after "ab", and go on
        ('root ::= "ab" | "cd"', [*BYTES], ""),
    ],
)
def test_the_text_ends_where_no_token_goes_past_it(grammar: str, tokens: list[bytes], text: str):
    assert forced(grammar, tokens) == text


@pytest.mark.parametrize(
    ("grammar", "tokens", "text"),
    [
        ('root ::= "née " [é-ê]', BYTES, "née "),  # é and ê begin alike
        ('root ::= "née" [é-ê]', [*BYTES, b"e\xc3"], "né"),  # an edge inside a code point is none
        ('root ::= "é" "x" [ab]', [*BYTES, b"\xa9x"], "éx"),
        ('root ::= "né" [ab]', [*BYTES, b"n\xc3", b"\xa9a"], ""),  # the last sure edge is inside the é
        ("root ::= [é] | [è]", BYTES, ""),
        ('root ::= "你好" [一-龥]', BYTES, "你好"),
        ('root ::= "😀" [😀-😂]', BYTES, "😀"),
    ],
)
def test_the_text_is_whole_code_points(grammar: str, tokens: list[bytes], text: str):
    assert forced(grammar, tokens) == text


def test_in_the_middle_of_a_code_point_nothing_is_forced():
    matcher = matcher_of('root ::= "é!"', BYTES)
    assert matcher.accept_string(b"\xc3")
    assert matcher.find_jump_forward_string() == ""
    assert matcher.accept_string(b"\xa9")
    assert matcher.find_jump_forward_string() == "!"


def test_a_vocabulary_that_cannot_spell_the_text_sets_no_edges():
    matcher = xgr.GrammarMatcher(
        xgr.GrammarCompiler(TokenizerInfo([b"z"])).compile_grammar('root ::= "abb" ("é" | "è")')
    )
    assert matcher.find_jump_forward_string() == "abb"


def test_a_stop_token_is_no_text_that_goes_past():
    tokens = [*BYTES, b" a"]
    assert matcher_of('root ::= "x: " [a-z]', tokens, override_stop_tokens=[256]).find_jump_forward_string() == "x: "


def allowed(matcher: xgr.GrammarMatcher) -> set[int]:
    return set(matcher.allowed_tokens())


def test_whatever_the_model_chooses_reads_the_text_or_stops_within_it():
    """Random keys and vocabularies: from every edge up to the text's end, each token that the mask allows ends
    within the text, if the token before was the longest; and after the text the matcher stands where it would."""
    rng = seeded("jump_forward")
    n_texts = 0
    for _ in range(150):
        grammar = random_record(rng)
        tokens = [*BYTES, *rng.sample(KEYS, rng.randint(0, len(KEYS)))]
        matcher = matcher_of(grammar, tokens)
        data = matcher.find_jump_forward_string().encode()
        at = 0
        while at < len(data):
            lengths = {len(tokens[token]) for token in allowed(matcher)}
            assert at + max(lengths) <= len(data), (grammar, tokens[256:], data, at)
            (token,) = {t for t in allowed(matcher) if len(tokens[t]) == max(lengths)}
            assert matcher.accept_token(token)
            at += max(lengths)
        n_texts += at > 0
        whole = matcher_of(grammar, tokens)
        assert whole.accept_string(data)
        assert allowed(whole) == allowed(matcher)
    assert n_texts > 50


def random_record(rng: random.Random) -> str:
    parts = [
        rng.choice(['"{\\"name\\":"', '" \\""', '"é"', '"0x"', '": \\"a"', '"née"']) for _ in range(rng.randint(1, 3))
    ]
    return "root ::= " + " ".join([*parts, rng.choice(["[a-z]", '("a" | "b")', "[é-ê]", '"\\""', '"a"?'])])


def test_retokenizing_the_text_reaches_the_same_state():
    """What an engine does with the text: spell it in tokens, give those to a matcher; or give it the text."""
    tokens = [*BYTES, *KEYS]
    grammar = 'root ::= "{\\"name\\": \\"" [a-z]* "\\"}"'
    matcher = matcher_of(grammar, tokens)
    by_tokens = matcher.fork()
    text = matcher.find_jump_forward_string()
    ids = Spelling(matcher.compiled_grammar.tokenizer_info).spell(text.encode())
    assert [tokens[token] for token in ids] == [b'{"', b"name", b'":', b' "']
    assert all(xgr.BatchGrammarMatcher.batch_accept_token([by_tokens], [token]) == [True] for token in ids)
    assert matcher.accept_string(text)
    masks = np.zeros((2, 9), np.int32)
    xgr.BatchGrammarMatcher().batch_fill_next_token_bitmask([matcher, by_tokens], masks)
    assert (masks[0] == masks[1]).all()
