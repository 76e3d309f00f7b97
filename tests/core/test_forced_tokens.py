"""Forced tokens: ids that need no model, of token edges and of text that an encoder spells."""

from __future__ import annotations

from typing import Any

import pytest

import xg2lab as xgr
from xg2lab.errors import MatcherStateError, VocabularyError

TOKENS = [b"<", b"p", b"<p", b">", b"a", b"b", b"ab", b"<image>", b"\xc3", b"\xa9", b"</s>"]
IMAGE, STOP = 7, 10
SPELLINGS = {"<p>": [2, 3], "ab": [6], "a": [4], ">": [3], "<image>": [IMAGE]}
INFO = xgr.TokenizerInfo(TOKENS, stop_token_ids=[STOP], special_token_ids=[IMAGE])


def matcher_of(grammar: str, parser: Any = "earley", **options: Any) -> xgr.GrammarMatcher:
    compiler = xgr.GrammarCompiler(INFO, options=xgr.EngineOptions(parser=parser))
    return xgr.GrammarMatcher(compiler.compile_grammar(grammar), **options)


def encode(text: str) -> list[int]:
    return SPELLINGS[text]


@pytest.mark.parametrize("parser", ["earley", "pda"])
@pytest.mark.parametrize(
    ("grammar", "strict", "spelled"),
    [
        ("root ::= Token(7) Token(7) [ab]", [7, 7], [7, 7]),
        ('root ::= Token("<image>") "<p>" Token(7) [ab]', [7], [7, 2, 3, 7]),
        ('root ::= "<p>" Token(7, 4)', [], [2, 3]),
        ('root ::= ">" "ab" | ">" "aa"', [3], [3]),  # behind it "a" may be the beginning of "ab"
        ('root ::= ">" | Token(7)', [], []),
        ('root ::= ">"? Token(7)', [], []),
        ('root ::= Token(7)+ ">"', [7], [7]),
        ('root ::= Token(7) ("a" Token(7))*', [7], [7]),  # it may end behind the first
        ("root ::= ExcludeToken(0, 1, 2, 3, 4, 5, 6, 8, 9)", [7], [7]),
        ('root ::= "é" [ab]', [8, 9], [8, 9]),
    ],
)
def test_what_is_forced(grammar: str, strict: list[int], spelled: list[int], parser: str):
    def of(text: str) -> list[int]:
        return {">a": [3, 4], "é": [8, 9]}.get(text) or encode(text)

    matcher = matcher_of(grammar, parser)
    assert matcher.find_forced_tokens() == strict
    assert matcher.find_forced_tokens(of) == spelled
    assert matcher.find_forced_tokens(encode=None) == strict


def test_the_matcher_stays_where_it_is():
    matcher = matcher_of('root ::= Token(7) "<p>" Token(7) [ab]')
    before = matcher.allowed_tokens()
    forced = matcher.find_forced_tokens(encode)
    assert matcher.allowed_tokens() == before == [7]
    with pytest.raises(MatcherStateError):
        matcher.rollback(1)
    assert all(matcher.accept_token(token) for token in forced)
    matcher.rollback(len(forced))
    assert matcher.find_forced_tokens(encode) == forced


def test_nothing_is_forced_where_the_text_may_end():
    matcher = matcher_of('root ::= ">"')
    assert matcher.find_forced_tokens() == [3]
    assert matcher.accept_token(3)
    assert matcher.allowed_tokens() == [STOP]
    assert matcher.find_forced_tokens(encode) == []
    assert matcher.accept_token(STOP)
    assert matcher.find_forced_tokens(encode) == []


def test_a_special_token_in_a_spelling_ends_the_list():
    matcher = matcher_of('root ::= Token(7) "a<image>" ">"')
    assert matcher.find_forced_tokens(lambda text: {"a<image>>": [4, IMAGE, 3]}[text]) == [7, 4]


def test_a_stop_token_of_this_text_is_not_forced():
    assert matcher_of('root ::= ">" [ab]', override_stop_tokens=[3]).find_forced_tokens() == []


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([2], "has the bytes `<p`"),
        ([2, 99], "has the id 99, which is outside the vocabulary of 11 tokens"),
        ([2, -1], "has the id -1, which is outside"),
        ([2, 3, STOP], "has the id 10, a token that no text holds (stop)"),
        (["2"], "must be a list of token ids"),
        ([2.0, 3.0], "must be a list of token ids"),
        (None, "must be a list of token ids"),
        ([1 << 70], "must be a list of token ids"),
    ],
)
def test_what_an_encoder_may_get_wrong(answer: Any, message: str):
    matcher = matcher_of('root ::= "<p>" Token(7)')
    with pytest.raises(VocabularyError) as caught:
        matcher.find_forced_tokens(lambda text: answer)
    assert message in caught.value.message
    assert "`<p>`" in caught.value.message
    assert matcher.find_forced_tokens(encode) == [2, 3, 7]


def test_what_an_encoder_raises_passes_through():
    matcher = matcher_of('root ::= "<p>" Token(7)')
    with pytest.raises(KeyError):
        matcher.find_forced_tokens({}.__getitem__)
    with pytest.raises(MatcherStateError):  # the matcher is in use while it asks
        matcher.find_forced_tokens(lambda text: [int(matcher.is_completed())])
    with pytest.raises(TypeError):
        matcher.find_forced_tokens("encode")  # type: ignore[arg-type]
    assert matcher.find_forced_tokens(encode) == [2, 3, 7]


def test_instances_of_templates():
    ready = xgr.GrammarCompiler(INFO).compile_template('root ::= Each($xs, row)   row ::= Token(7) "<p>" $id Token(7)')
    matcher = xgr.GrammarMatcher(ready.instantiate(xs=[{"id": "a"}, {"id": "ab"}]))
    spellings = {"<p>a": [2, 3, 4], "<p>ab": [2, 3, 6]}
    assert matcher.find_forced_tokens(spellings.__getitem__) == [7, 2, 3, 4, 7, 7, 2, 3, 6, 7]


def test_a_long_run_of_tokens_has_a_limit():
    matcher = matcher_of("root ::= Token(7){70000}")
    assert matcher.find_forced_tokens() == [7] * (1 << 16)
