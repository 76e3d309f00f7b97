"""What a matcher says of itself: stop tokens, why it is over, what may come, what debug_print prints."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import xg2lab as xgr
from xg2lab.errors import ArgumentError, MatcherStateError, VocabularyError

TOKENS = [b"a", b"b", b"ab", b"</s>", b"<eot>", b"\xc3"]
STOPS = [3, 4]


def make(grammar: str = 'root ::= "a" "b"*', **options: Any) -> xgr.GrammarMatcher:
    info = xgr.TokenizerInfo(TOKENS, stop_token_ids=STOPS)
    return xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar(grammar), **options)


# ---- Stop tokens ----


def test_stop_tokens_are_the_tokenizer_s_or_the_override():
    assert make().stop_token_ids == [3, 4]
    assert make(override_stop_tokens=4).stop_token_ids == [4]
    assert make(override_stop_tokens=[4, 1, 4]).stop_token_ids == [1, 4]
    assert make(override_stop_tokens=[]).stop_token_ids == []


def test_without_stop_tokens_nothing_stops_a_text():
    matcher = make('root ::= "a"', override_stop_tokens=[])
    assert matcher.accept_token(0)
    assert matcher.allowed_tokens() == []
    assert matcher.is_completed()
    assert not matcher.is_terminated()
    assert not matcher.accept_token(3)


@pytest.mark.parametrize("ids", [[6], [-1], -1, 2**40])
def test_stop_tokens_out_of_range(ids: Any):
    with pytest.raises(VocabularyError, match="override_stop_tokens"):
        make(override_stop_tokens=ids)


def test_forks_and_resets_keep_the_options():
    matcher = make(override_stop_tokens=[4], max_rollback_tokens=2, terminate_without_stop_token=True)
    for other in (matcher.fork(), matcher):
        other.accept_string("a")
        other.reset()
        assert other.stop_token_ids == [4]
        assert other.max_rollback_tokens == 2
        assert (other.n_steps, other.is_terminated()) == (0, False)
        assert other.accept_string("a")
        assert other.is_terminated()


# ---- Why it is over ----


def test_why_terminated_names_the_token():
    matcher = make()
    assert matcher.why_terminated is None
    matcher.accept_token(0)
    assert matcher.why_terminated is None
    matcher.accept_token(4)
    assert matcher.is_terminated()
    assert matcher.why_terminated == "Stop token 4 (<eot>) was accepted."
    assert matcher.fork().why_terminated == matcher.why_terminated
    matcher.rollback(1)
    assert matcher.why_terminated is None
    matcher.accept_token(3)
    assert matcher.why_terminated == "Stop token 3 (</s>) was accepted."
    matcher.reset()
    assert matcher.why_terminated is None


def test_why_terminated_of_a_matcher_without_a_window():
    matcher = make(max_rollback_tokens=0)
    matcher.accept_token(0)
    matcher.accept_token(3)
    assert matcher.why_terminated == "Stop token 3 (</s>) was accepted."
    with pytest.raises(MatcherStateError, match="max_rollback_tokens=0"):
        matcher.rollback(1)


def test_why_terminated_without_a_stop_token():
    matcher = make(terminate_without_stop_token=True)
    assert matcher.why_terminated is None
    matcher.accept_string("a")
    assert matcher.why_terminated == "The text is a sentence of the grammar, and terminate_without_stop_token is set."
    assert matcher.allowed_tokens() == [1, 3, 4]  # it may go on all the same
    assert matcher.accept_string("b")
    assert matcher.accept_token(3)
    assert matcher.why_terminated == "Stop token 3 (</s>) was accepted."


# ---- The window ----


@pytest.mark.parametrize("n", [-2, -(2**40)])
def test_windows_that_are_none(n: int):
    with pytest.raises(ArgumentError, match=f"max_rollback_tokens is {n}") as caught:
        make(max_rollback_tokens=n)
    assert caught.value.hint == "give the number of steps to keep, or -1 for no limit"


@pytest.mark.parametrize("window", [0, 1, 255, 256, 257, 600])
def test_a_window_takes_back_its_steps_and_no_more(window: int):
    matcher = make(max_rollback_tokens=window)
    for token in [0] + [1] * 999:
        assert matcher.accept_token(token)
    assert matcher.max_rollback_tokens == window
    with pytest.raises(MatcherStateError, match=f"only {window} steps can be taken back"):
        matcher.rollback(window + 1)
    matcher.rollback(window)
    assert matcher.n_steps == 1000 - window
    assert matcher.accept_token(1)


# ---- allowed_tokens, explain ----


def test_allowed_tokens_is_the_mask_and_what_accept_takes():
    matcher = make('root ::= "ab" [a-b]* | "é"')
    for token in (0, 1, 2, 1):
        bitmask = np.zeros((1, 1), np.int32)
        matcher.fill_next_token_bitmask(bitmask)
        allowed = matcher.allowed_tokens()
        assert allowed == [token for token in range(len(TOKENS)) if bitmask[0, 0] >> token & 1]
        assert allowed == [token for token in range(len(TOKENS)) if matcher.fork().accept_token(token)]
        assert matcher.accept_token(token)


def test_explain_takes_a_token_or_bytes_by_position():
    matcher = make()
    assert matcher.explain(0)["allowed"]
    for data in ("ab", b"ab"):
        assert matcher.explain(data) == matcher.explain(data=b"ab")
    assert not matcher.explain(b"b")["allowed"]
    with pytest.raises(TypeError, match="either token_id or data"):
        matcher.explain(b"a", data=b"a")
    with pytest.raises(TypeError, match="either token_id or data"):
        matcher.explain()


# ---- debug_print ----


def test_debug_print_says_what_explain_says(capsys: pytest.CaptureFixture[str]):
    matcher = make()
    reason = matcher.explain(1)["reason"]
    assert not matcher.accept_token(1, debug_print=True)
    printed = capsys.readouterr().out
    assert printed.startswith("blocked: b")
    assert reason in printed
    assert matcher.accept_string("ab", debug_print=True)
    assert capsys.readouterr().out.startswith("allowed: ab")
    bitmask = np.zeros((1, 1), np.int32)
    matcher.fill_next_token_bitmask(bitmask, debug_print=True)
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == 'expected: "b", or the end of the text'
    assert printed[1].startswith("mask: ")
    matcher.fill_next_token_bitmask(bitmask)
    matcher.accept_token(1)
    assert capsys.readouterr().out == ""


def test_debug_print_never_changes_what_a_call_does(capsys: pytest.CaptureFixture[str]):
    """Where nothing can be explained, it says so, and the call does what it would do without."""
    lenient = make()
    assert not lenient.accept_token(99, debug_print=True)
    assert "token id 99 is outside the vocabulary" in capsys.readouterr().out
    matcher = make(max_rollback_tokens=0, strict=True)
    for token in [0] + [1] * 600:
        assert matcher.accept_token(token, debug_print=True)
    with pytest.raises(VocabularyError):
        matcher.accept_token(99, debug_print=True)
    assert "not explained: " in capsys.readouterr().out
    assert matcher.accept_token(3, debug_print=True)
    capsys.readouterr()
    for call in (
        lambda: matcher.accept_token(1, debug_print=True),
        lambda: matcher.accept_string("b", debug_print=True),
        lambda: matcher.fill_next_token_bitmask(np.zeros((1, 1), np.int32), debug_print=True),
    ):
        with pytest.raises(MatcherStateError, match="a stop token was accepted"):
            call()
        assert capsys.readouterr().out != ""


# ---- The names and defaults of the field's API ----


def test_options_are_keywords():
    compiled = make().compiled_grammar
    with pytest.raises(TypeError):
        xgr.GrammarMatcher(compiled, [3])  # type: ignore[misc]
    matcher = xgr.GrammarMatcher(
        compiled, override_stop_tokens=None, terminate_without_stop_token=False, max_rollback_tokens=-1
    )
    assert matcher.accept_token(0, debug_print=False)
    assert matcher.accept_string("b", debug_print=False)
    matcher.rollback()
    matcher.rollback(num_tokens=1)
    assert inspect.isdatadescriptor(xgr.GrammarMatcher.stop_token_ids)
