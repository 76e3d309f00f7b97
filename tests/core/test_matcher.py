"""The matcher: accepting, filling, taking back, forking; and every refusal with its place and remedy."""

from __future__ import annotations

import threading
import traceback
from typing import Any

import numpy as np
import pytest

import xg2lab as xgr
from xg2lab.errors import BitmaskError, LimitError, MatcherStateError, UnsupportedError, VocabularyError

TOKENS = [b"a", b"b", b"ab", b"</s>", b"<pad>", b"", b"a"]  # 3 stop, 4 special, 5 empty, 6 a twin of 0; 7 padding
STOP, SPECIAL, EMPTY, PADDING = 3, 4, 5, 7


def make(
    grammar: str = 'root ::= "a" "b"*', options: xgr.EngineOptions | None = None, **keywords: Any
) -> xgr.GrammarMatcher:
    info = xgr.TokenizerInfo(TOKENS, vocab_size=8, stop_token_ids=[STOP], special_token_ids=[SPECIAL])
    return xgr.GrammarMatcher(xgr.GrammarCompiler(info, options=options).compile_grammar(grammar), **keywords)


def mask(matcher: xgr.GrammarMatcher) -> set[int]:
    bitmask = np.zeros((1, 1), np.int32)
    matcher.fill_next_token_bitmask(bitmask)
    return {token for token in range(32) if int(bitmask[0, 0]) >> token & 1}


def test_mask_says_what_accept_takes():
    matcher = make()
    assert mask(matcher) == {0, 2, 6}  # a, ab, and the second a
    assert matcher.accept_token(2)
    assert mask(matcher) == {1, STOP}
    assert matcher.accept_token(STOP)
    assert matcher.is_terminated()


@pytest.mark.parametrize("token", [1, STOP, SPECIAL, EMPTY, PADDING])
def test_a_rejected_token_leaves_the_matcher_as_it_was(token: int):
    matcher = make()
    before = mask(matcher)
    assert not matcher.accept_token(token)
    assert mask(matcher) == before
    assert matcher.n_steps == 0


def test_fill_says_whether_anything_is_forbidden():
    info = xgr.TokenizerInfo([b"a", b"b"], stop_token_ids=[])
    compiler = xgr.GrammarCompiler(info)
    bitmask = np.zeros((1, 1), np.int32)
    assert not xgr.GrammarMatcher(compiler.compile_grammar("root ::= [ab]*")).fill_next_token_bitmask(bitmask)
    assert xgr.GrammarMatcher(compiler.compile_grammar("root ::= [a]*")).fill_next_token_bitmask(bitmask)


def test_rollback_restores_mask_and_termination():
    matcher = make()
    seen = [mask(matcher)]
    for token in (0, 1, 1):
        matcher.accept_token(token)
        seen.append(mask(matcher))
    matcher.accept_token(STOP)
    for expected in reversed(seen):
        matcher.rollback(1)
        assert not matcher.is_terminated()
        assert mask(matcher) == expected
        if matcher.n_steps == 0:
            break


def test_rollback_past_the_beginning_names_the_history():
    matcher = make()
    matcher.accept_token(0)
    with pytest.raises(MatcherStateError, match=r"rollback\(2\): only 1 steps can be taken back") as caught:
        matcher.rollback(2)
    assert "accepted 1 steps" in caught.value.hint
    assert matcher.n_steps == 1
    with pytest.raises(MatcherStateError, match=r"rollback\(-1\)"):
        matcher.rollback(-1)


def test_rollback_past_the_window_names_the_window():
    matcher = make(max_rollback_tokens=3)
    for token in [0] + [1] * 700:
        assert matcher.accept_token(token)
    with pytest.raises(MatcherStateError) as caught:
        matcher.rollback(4)
    assert "max_rollback_tokens=3" in caught.value.hint
    matcher.rollback(3)
    with pytest.raises(MatcherStateError):
        matcher.rollback(1)
    assert mask(matcher) == {1, STOP}
    with pytest.raises(MatcherStateError, match="max_rollback_tokens=3"):
        matcher.chart()


def test_nothing_follows_a_stop_token():
    matcher = make()
    matcher.accept_token(0)
    matcher.accept_token(STOP)
    with pytest.raises(MatcherStateError, match="a stop token was accepted") as caught:
        mask(matcher)
    assert "rollback(1)" in caught.value.hint
    takes = [matcher.accept_token(1), matcher.accept_token(STOP), matcher.accept_string("b"), matcher.accept_string("")]
    assert takes == [False] * 4
    assert matcher.n_steps == 2
    assert matcher.allowed_tokens() == []
    matcher.reset()
    assert mask(matcher) == {0, 2, 6}


def test_a_strict_matcher_raises_after_a_stop_token():
    matcher = make(strict=True)
    assert matcher.strict
    assert not matcher.accept_token(1)  # what the grammar forbids is no error
    assert matcher.accept_token(0)
    assert matcher.accept_token(STOP)
    for strict in (matcher, matcher.fork()):
        for call in (lambda m: m.accept_token(1), lambda m: m.accept_string("b"), mask):
            with pytest.raises(MatcherStateError, match="a stop token was accepted") as caught:
                call(strict)
            assert "rollback(1)" in caught.value.hint
        strict.rollback(1)
        assert mask(strict) == {1, STOP}


@pytest.mark.parametrize("token", [-1, 8, 2**31, -(2**40)])
def test_token_ids_out_of_range_are_refused_and_named_by_a_strict_matcher(token: int):
    matcher = make()
    assert not matcher.strict
    assert not matcher.accept_token(token)
    assert (matcher.n_steps, mask(matcher)) == (0, mask(make()))
    with pytest.raises(VocabularyError, match=f"token id {token} is outside the vocabulary of 8 tokens"):
        make(strict=True).accept_token(token)


def test_override_of_stop_tokens():
    matcher = make(override_stop_tokens=[1])
    assert matcher.stop_token_ids == [1]
    assert mask(matcher) == {0, 2, 6}
    matcher.accept_token(0)
    assert mask(matcher) == {1}  # "b" now ends the text and is no text; </s> is no stop token here
    assert not matcher.accept_token(STOP)
    assert matcher.accept_token(1)
    assert matcher.is_terminated()
    with pytest.raises(VocabularyError, match="override_stop_tokens: token id 9 is outside"):
        make(override_stop_tokens=[9])


def test_termination_without_stop_token():
    matcher = make(terminate_without_stop_token=True)
    assert not matcher.is_terminated()
    matcher.accept_token(0)
    assert matcher.is_terminated()


def test_forks_are_independent_and_share_history():
    matcher = make()
    for token in [0] + [1] * 600:
        matcher.accept_token(token)
    fork = matcher.fork()
    matcher.rollback(500)
    assert fork.n_steps == 601
    for _ in range(300):
        fork.accept_token(1)
    assert (matcher.n_steps, fork.n_steps) == (101, 901)
    fork.rollback(901)
    assert mask(fork) == {0, 2, 6}
    assert mask(matcher) == {1, STOP}
    assert fork.compiled_grammar is matcher.compiled_grammar


def test_strings_are_taken_whole_or_not_at_all():
    matcher = make()
    assert not matcher.accept_string("abc")
    assert matcher.n_steps == 0
    assert matcher.accept_string(b"ab")
    assert matcher.n_steps == 1
    with pytest.raises(TypeError, match="give str or bytes"):
        matcher.accept_string(3)


def test_forced_text_ends_at_code_points_and_choices():
    assert make('root ::= "née " ("a" | "b")').find_jump_forward_string() == "née "
    assert make('root ::= "x" [é-ê]').find_jump_forward_string() == "x"
    assert make('root ::= "ab"?').find_jump_forward_string() == ""


@pytest.mark.parametrize(
    ("bitmask", "index", "said"),
    [
        (np.zeros((1, 1), np.int64), 0, "int64"),
        (np.zeros((1, 1), np.float32), 0, "float32"),
        (np.zeros((1, 0), np.int32), 0, "word"),
        (np.zeros((2, 1), np.int32), 2, "2"),
        (np.zeros((2, 1), np.int32), -1, "-1"),
        (np.zeros((1, 1, 1), np.int32), 0, "shape (1, 1, 1)"),
        (np.zeros((4, 4), np.int32)[:, ::2], 0, "contiguous"),
        ([[0]], 0, "list"),
    ],
)
def test_bitmasks_that_do_not_fit_are_refused(bitmask: Any, index: int, said: str):
    matcher = make()
    with pytest.raises((BitmaskError, TypeError)) as caught:
        matcher.fill_next_token_bitmask(bitmask, index)
    assert said in str(caught.value)
    assert mask(matcher) == {0, 2, 6}


def test_a_wide_row_is_cleared_to_its_end():
    bitmask = np.full((1, 4), -1, np.int32)
    make().fill_next_token_bitmask(bitmask)
    assert bitmask.tolist() == [[0b1000101, 0, 0, 0]]


def test_too_many_states_are_a_limit_with_a_remedy():
    with pytest.raises(LimitError, match="rule `root` needs more than 1000 states") as caught:
        make("root ::= [a]{5000}", options=xgr.EngineOptions(max_fsm_states=1000, repetition_compression=False))
    assert "repetition_compression" in caught.value.hint


def test_a_matcher_in_two_threads_refuses_or_waits_but_never_breaks():
    matcher = make('root ::= ("a" | "b")*')
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(2000):
                try:
                    matcher.accept_token(0)
                    mask(matcher)
                except MatcherStateError as error:
                    if "another thread" not in str(error):
                        raise
        except BaseException as error:  # noqa: BLE001 (handed to the main thread)
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert mask(matcher) == {0, 1, 2, STOP, 6}


def test_one_compiled_grammar_serves_many_threads():
    compiled = make('root ::= "[" (root ("," root)*)? "]" | [ab]+').compiled_grammar
    results: list[list[set[int]]] = []

    def work() -> None:
        matcher = xgr.GrammarMatcher(compiled)
        seen = [mask(matcher)]
        for text in (b"[", b"a", b",", b"[", b"]", b"]"):
            if matcher.accept_string(text):
                seen.append(mask(matcher))
        results.append(seen)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8
    assert all(result == results[0] for result in results)


def test_a_grammar_that_could_not_be_compiled_can_be_shown_in_a_traceback():
    """Tracebacks with local variables read them: no object may stand in a frame before it is made."""
    with pytest.raises(UnsupportedError) as caught:
        make('root ::= root "a" | "b"', xgr.EngineOptions(parser="pda"))
    shown = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    assert "calls itself" in "".join(shown.format())
    frames = [frame.f_locals.values() for frame, _ in traceback.walk_tb(caught.value.__traceback__)]
    assert not any(isinstance(value, xgr.CompiledGrammar) for values in frames for value in values)


def test_the_state_of_a_schemas_matcher_is_told_where_white_space_may_come() -> None:
    info = xgr.TokenizerInfo([*(bytes([k]) for k in range(256)), b"</s>"], stop_token_ids=[256])
    matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_json_schema({"type": "object", "required": ["a"]}))
    assert matcher.accept_string("{")
    assert ["line" in item for item in matcher.explain(data=b"")["expected_by"]] == [True, False]
    assert "[\\t\\n\\r ]    from byte 1\n" in matcher._debug_print_internal_state() + "\n"
