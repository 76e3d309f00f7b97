"""The output cut by operator, and the share of tokens in which the model had no choice."""

from __future__ import annotations

from dataclasses import replace

import pytest

import xg2lab as xgr
from xg2lab.lab import Session
from xg2lab.lab.trace.written import Segment, segments_of, share_of

INFO = xgr.TokenizerInfo([b"<", b">", b"a", b"b", b"a>", b"<a", b"</s>"], stop_token_ids=[6])


def session_of(grammar: str, *tokens: int) -> Session:
    """A session that took these tokens, with operators."""
    session = Session(grammar, INFO)
    for token in tokens:
        session.force(token)
    session.record_operators()
    return session


def test_a_token_that_goes_on_in_the_next_operator_ends_its_segment() -> None:
    session = session_of('root ::= "<" "ab"? "a" ">"', 5, 1)
    assert [(one.first, one.last, one.text) for one in segments_of(session.trace)] == [
        (0, 0, 'Write "<", and on'),
        (1, 1, 'Write ">"'),
    ]


def test_where_several_could_have_taken_the_byte_none_is_named() -> None:
    session = session_of('root ::= "ab" | "a" "a"', 2, 2)
    assert (segments_of(session.trace)[0].writer, segments_of(session.trace)[0].n_others) == (None, 2)
    assert [one.text for one in segments_of(session.trace)] == ["one of 2", 'Write "a"']
    session = session_of('root ::= [ab]+ "a" ">"', 2, 2, 1)
    # the trace doesn't say what a Wait allows, so where the tree is not deterministic it may have
    # taken the last byte
    assert [one.text for one in segments_of(session.trace)] == ["Wait allows=[a-b]", "one of 2", "one of 2"]


def test_segments_of_what_was_not_recorded() -> None:
    session = session_of('root ::= "<" "a" ">"', 0)
    trace = session.trace
    step = trace.steps[0]
    trace.steps[0] = replace(step, operators=None)
    assert segments_of(trace) == [Segment(0, 0, None)]
    assert step.operators is not None
    trace.steps[0] = replace(step, operators=step.operators | {"n": 99})
    assert segments_of(trace) == [Segment(0, 0, None, 99)]
    recursive = session_of('root ::= "<" root ">" | "a"', 0)
    assert segments_of(recursive.trace) == []
    trace.operators = None
    assert segments_of(trace) == []


def test_the_share_counts_passes_before_tokens_that_were_jumped() -> None:
    session = session_of('root ::= "<" [ab] "a" ">"', 0, 2, 2, 1)
    trace = session.trace
    assert str(share_of(trace)) == (
        "without a choice of the model: 0 of 4 tokens, 0 % (0 by jump-forward, 0 alone allowed)"
    )
    kinds = ("jump_forward", "sampled", "jump_forward", "forced_by_grammar")
    for k, kind in enumerate(kinds):
        trace.steps[k] = replace(trace.steps[k], kind=kind)
    share = share_of(trace)
    assert (share.n_tokens, share.n_jumped, share.n_forced, share.saved_ms, share.model_ms) == (4, 2, 1, None, None)
    assert share.share == 0.75
    assert "passes" not in str(share)
    for k in range(4):
        trace.steps[k] = replace(trace.steps[k], model_ms=10.0 * (k + 1))
    share = share_of(trace)
    assert (share.saved_ms, share.model_ms) == (40.0, 100.0)
    assert str(share).endswith(
        "; passes before tokens written by jump-forward: 40 ms of 100 ms, which a decoder that jumps saves"
    )


@pytest.mark.parametrize("jump_forward", [True, False])
def test_a_session_that_jumps_says_so(jump_forward: bool) -> None:
    pytest.importorskip("torch")
    session = Session('root ::= "{\\"name\\": \\"" [a-z]{3} "\\"}"', model="tiny", jump_forward=jump_forward)
    session.step(12)
    share = share_of(session.trace)
    jumped = [step for step in session.trace.steps if step.kind == "jump_forward"]
    assert (share.n_jumped > 0) == jump_forward
    assert share.n_jumped == len(jumped)
    assert share.saved_ms == pytest.approx(sum(step.model_ms or 0.0 for step in jumped))
