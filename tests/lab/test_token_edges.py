"""A session whose grammar names tokens by id: what is recorded of a special token in the middle of the output."""

from __future__ import annotations

import pytest

import xg2lab as xgr
from tests.lab.fakes import FakeRunner
from xg2lab.lab import Session, Trace
from xg2lab.lab.session.session import BlockedTokenError

VOCAB = [b"<|start|>", b"<|message|>", b"user", b"us", b"er", b"hi", b"<|end|>"]
START, MESSAGE, USER, US, ER, HI, END = range(7)
GRAMMAR = f'root ::= Token({START}) "user" Token({MESSAGE}) body\nbody ::= ExcludeToken({START}, {MESSAGE})*'


@pytest.fixture
def session():
    info = xgr.TokenizerInfo(VOCAB, stop_token_ids=[END], special_token_ids=[START, MESSAGE])
    session = Session(GRAMMAR, info, FakeRunner(len(VOCAB)), prompt="?")
    for token in (START, US, ER, MESSAGE, HI):
        session.force(token)
    return session


def test_special_tokens_that_were_crossed_are_part_of_the_output(session):
    assert session.text == "<|start|>user<|message|>hi"
    assert [step.n_bytes for step in session.trace.steps[:5]] == [9, 2, 2, 11, 2]
    assert [step.n_allowed for step in session.trace.steps[:3]] == [1, 2, 1]
    session.force(END)
    assert (session.status, session.trace.steps[-1].n_bytes) == ("terminated", 0)


def test_the_chart_has_a_column_a_byte_and_none_lives_within_a_crossed_token(session):
    columns = session.trace.columns
    assert len(columns) == session.trace.n_bytes + 1 == 27
    lives = [j for j, column in enumerate(columns) if column]
    assert lives == [0, 9, 10, 11, 12, 13, 24, 26]
    state, origin, operation, source_column, *_ = columns[24][0]
    assert (origin, operation, source_column) == (13, 2, 13)  # scanned from the column before the token
    edges = session.trace.program["edges"]
    assert [e["label"] for e in edges if e["kind"] == "token" and e["to"] == state] == [f"Token({MESSAGE})"]


def test_steps_go_back_over_crossed_tokens(session):
    session.back(2)
    assert (session.text, len(session.trace.columns)) == ("<|start|>user", 14)
    session.force(MESSAGE)
    assert (session.text, len(session.trace.columns)) == ("<|start|>user<|message|>", 25)
    assert Trace.from_wire(session.trace.to_wire()) == session.trace


def test_a_blocked_token_is_explained_by_the_edge_that_does_not_take_it(session):
    session.back(2)
    why = session.explain(START)
    assert (why["allowed"], why["mechanism"]) == (False, "rejected_by_token_edge")
    assert why["reason"] == (
        f"A special token is taken whole, and this one is not taken by Token({MESSAGE}) in root (line 1)."
    )
    assert [(e["tokens"], e["rule_name"], e["line"]) for e in why["expected_tokens"]] == [
        (f"Token({MESSAGE})", "root", 1)
    ]
    with pytest.raises(BlockedTokenError, match="not taken by"):
        session.force(USER)
    text = session.issue_text(START)
    assert f"all(matcher.accept_token(token) for token in [{START}, {US}, {ER}])" in text
    assert f"matcher.explain({START})" in text


def test_a_free_session_writes_special_tokens_silently():
    info = xgr.TokenizerInfo(VOCAB, stop_token_ids=[END], special_token_ids=[START, MESSAGE])
    session = Session(GRAMMAR, info, FakeRunner(len(VOCAB)), prompt="?", constrained=False)
    for token in (START, MESSAGE):
        session.force(token)
    assert session.text == "<|start|>"  # the second has left the grammar: no edge crossed it
    assert session.trace.broke["mechanism"] == "special_token"
