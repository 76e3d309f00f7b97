"""The codes of a token's verdict: the engine gives those that `Provenance` names, and `is_allowed` is the mask."""

from __future__ import annotations

import numpy as np
import pytest

import xg2lab as xgr
from xg2lab import Provenance
from xg2lab.errors import ArgumentError, SessionError
from xg2lab.lab import Session

TOKENS = [b"a", b"ab", b"ac", b"x", b"<s>", b"</s>", b""]
INFO = xgr.TokenizerInfo(TOKENS, vocab_size=8, stop_token_ids=[5], special_token_ids=[4])
#: Of `part`, "a" is all; what follows it within a token is its caller's, so "ab" and "ac" are
#: uncertain there.
GRAMMAR = """root ::= one | two
one ::= "1" part "b"
two ::= "2" part "d"
part ::= "a" | "(" part ")"
"""
WITHOUT_CONTEXT = xgr.EngineOptions(
    context_expansion=False, context_walks="never", rule_inlining=False, cross_grammar_cache=False
)


def codes_of(text: str, grammar: str, options: xgr.EngineOptions | None = None) -> list[str]:
    compiler = xgr.GrammarCompiler(INFO, options=options or xgr.EngineOptions())
    matcher = xgr.GrammarMatcher(compiler.compile_grammar(grammar))
    assert matcher.accept_string(text)
    named = [Provenance(code) for code in matcher.provenance()]
    assert [token for token, code in enumerate(named) if code.is_allowed] == matcher.allowed_tokens()
    return [code.name for code in named]


def test_each_code_is_what_the_engine_means():
    silent = ["SPECIAL", "STOP_NOT_LEGAL", "PADDING", "PADDING"]
    uncertain = ["ACCEPTED", "UNCERTAIN_ACCEPTED", "UNCERTAIN_REJECTED", "REJECTED"]
    assert codes_of("1", GRAMMAR, WITHOUT_CONTEXT) == uncertain + silent
    assert codes_of("", "root ::= [a-c]*")[:6] == ["ACCEPTED"] * 3 + ["REJECTED", "SPECIAL", "STOP_LEGAL"]
    assert {*uncertain, *silent, "STOP_LEGAL"} == {one.name for one in Provenance}


def test_arrays_of_codes_compare_with_the_members():
    codes = Session('root ::= "a"', INFO).provenance()
    assert codes is not None
    assert codes.dtype == np.uint8
    assert (codes == Provenance.ACCEPTED).tolist() == [True] + [False] * 7
    assert xgr.Provenance is Provenance


# ---- A text, byte by byte ----


def test_a_text_is_forced_byte_by_byte():
    grammar = 'root ::= "abab"'
    info = xgr.TokenizerInfo([b"ab", b"a", b"b", b"</s>"], stop_token_ids=[3])
    session = Session(grammar, info)
    assert [step.token_id for step in session.force("abab", byte_by_byte=True)] == [1, 2, 1, 2]
    session = Session(grammar, info)
    assert [step.token_id for step in session.force("abab")] == [0, 0]


def test_what_has_no_token_of_one_byte_is_refused_and_nothing_is_taken():
    session = Session('root ::= "ab"', INFO)
    with pytest.raises(SessionError, match="no tokens of at most 1 bytes of the vocabulary spell 'ab'"):
        session.force("ab", byte_by_byte=True)
    assert session.text == ""
    with pytest.raises(ArgumentError, match="byte_by_byte spells a text"):
        session.force(1, byte_by_byte=True)
