"""One text under a grammar: tokens taken and taken back, masks, and the flight that records it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import xg2lab as xgr
from xg2lab.flight import FlightRecord, FlightRecorder
from xg2lab.integrations.requests import request_grammar
from xg2lab.integrations.texts import ConstrainedText, Recorded

INFO = xgr.TokenizerInfo([b"a", b"b", b"c", b"</s>"], stop_token_ids=[3])
A, B, C, STOP = range(4)
GRAMMAR = request_grammar("regex", "ab*")
COMPILED = GRAMMAR.compile(xgr.GrammarCompiler(INFO))


def mask(text: ConstrainedText) -> list[int]:
    bitmask = np.zeros((2, 1), np.int32)
    text.fill(bitmask, 1)
    assert bitmask[0, 0] == 0
    return [token for token in range(4) if bitmask[1, 0] >> token & 1]


def test_tokens_are_taken_and_taken_back():
    text = ConstrainedText(COMPILED, max_rollback_tokens=2)
    assert mask(text) == [A]
    assert text.accept([A, B, STOP, C])
    assert (text.n_tokens, text.is_over, mask(text)) == (3, True, [A, B, C, STOP])
    assert text.accepted_prefix([B]) == []
    text.rollback(2)
    assert (text.n_tokens, text.is_over, mask(text)) == (1, False, [B, STOP])
    assert text.accepted_prefix([B, B, STOP, B]) == [B, B, STOP]
    assert text.accepted_prefix([-1]) == text.accepted_prefix([99]) == []
    assert mask(text) == [B, STOP]
    text.reset()
    assert (text.n_tokens, mask(text)) == (0, [A])


def test_a_refusal_says_why_and_keeps_what_came_before():
    text = ConstrainedText(COMPILED)
    assert not text.accept([A, B, C, B])
    assert text.n_tokens == 2
    assert text.refusal is not None
    assert text.refusal.startswith("token 2 ('c') at token 2 of the text: ")
    assert text.accept([B])
    assert text.refusal is None
    for token in (-1, 99):
        assert not text.accept([token])
        assert text.refusal == f"token {token} is outside the vocabulary of 4 tokens"


@pytest.mark.parametrize(("stops", "allowed"), [(None, [STOP]), ([], [STOP]), ([99], [STOP]), ([C, 99], [C])])
def test_stop_tokens_of_a_request(stops: Any, allowed: list[int]):
    text = ConstrainedText(COMPILED, stop_token_ids=stops)
    assert text.accept([A])
    assert mask(text) == [B, *allowed]
    again = text.fresh()
    assert (mask(again), again.n_tokens) == ([A], 0)
    assert again.accept([A])
    assert mask(again) == mask(text)


def flights(folder: Path, when: str, *steps: Any) -> list[FlightRecord]:
    """What is recorded of a text that takes these steps and is let go."""
    recorder = FlightRecorder(folder, when=when, outputs="keep")
    text = ConstrainedText(COMPILED, recorded=Recorded(recorder, GRAMMAR, "vllm", "a model"))
    for step in steps:
        step(text)
    del text
    recorder.close()
    return [FlightRecord.load(path) for path in recorder.files()]


def test_a_text_is_recorded(tmp_path: Path):
    [flight] = flights(
        tmp_path,
        "always",
        mask,
        lambda text: text.accept([A], "request-7"),
        mask,
        lambda text: text.accept([B, B], "another name"),
        lambda text: text.rollback(1),
        lambda text: text.accept([STOP, A]),
    )
    assert (flight.request_id, flight.host, flight.model, flight.end) == ("request-7", "vllm", "a model", "stop")
    assert flight.output_ids == (A, B, STOP)
    assert (flight.grammar.kind, flight.grammar.text) == ("regex", "ab*")
    assert flight.times.count == 2
    assert flight.n_rollbacks == 1


def test_a_refusal_is_recorded(tmp_path: Path):
    [flight] = flights(tmp_path, "refusal", mask, lambda text: text.accept([A, C], "request-8"))
    assert flight.end == "refused"
    assert flight.refused is not None
    assert (flight.refused.step, flight.refused.token_id) == (1, C)


def test_a_text_that_is_let_go_early_is_recorded(tmp_path: Path):
    [flight] = flights(tmp_path / "one", "always", mask)
    assert flight.end == "aborted"
    assert flight.request_id.startswith("vllm-")
    assert flights(tmp_path / "two", "always") == []
    again = flights(tmp_path / "three", "always", lambda text: text.accept([A, STOP], "x"), lambda text: text.reset())
    assert [flight.end for flight in again] == ["stop"]
