"""The helpers of `xg2lab.testing` that ask a grammar."""

from __future__ import annotations

import pytest

import xg2lab as xgr
from xg2lab import testing


@pytest.mark.parametrize(
    ("text", "accepted", "begins"),
    [("ab", True, True), ("abab", True, True), ("a", False, True), ("", False, True), ("ba", False, False)],
)
def test_is_grammar_accept_string(text, accepted, begins):
    grammar = 'root ::= ("a" "b")+'
    for form in (text, text.encode()):
        assert testing._is_grammar_accept_string(grammar, form) is accepted
        assert testing._is_grammar_accept_string(grammar, form, require_termination=False) is begins
    assert testing._is_grammar_accept_string(xgr.Grammar.from_ebnf(grammar), text) is accepted


def test_printing(capsys):
    assert testing._is_grammar_accept_string('root ::= "é"', "é", debug_print=True, print_time=True)
    printed = capsys.readouterr().out
    assert "accept_string: " in printed
    assert "accepted: True" in printed
    assert len(printed.splitlines()) >= 2


def test_matchers():
    matcher = testing._get_matcher_from_grammar('root ::= "ab"')
    assert matcher.accept_token(ord("a"))
    assert not matcher.is_terminated()
    assert matcher.accept_string("b")
    assert matcher.is_terminated()
    info = xgr.TokenizerInfo(["ab", "</s>"])
    matcher = testing._get_matcher_from_grammar_and_tokenizer_info('root ::= "ab"', info, max_rollback_tokens=3)
    assert matcher.max_rollback_tokens == 3
    assert matcher.accept_token(0)
    assert not matcher.is_terminated()
    assert matcher.accept_token(1)
    assert matcher.is_terminated()
