"""The audit finds what is wrong, names it, and says nothing where nothing is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.ui.scripted import scripted_session, vocabulary
from xg2lab import Grammar, TokenizerInfo
from xg2lab.lab import AuditReport, Session, audit
from xg2lab.lab.auditing.repro import mask_repro
from xg2lab.lab.auditing.tokenizer_checks import tokenizer_checks


@pytest.fixture
def session() -> Any:
    """The scripted model, to its end."""
    session = scripted_session(512, name="audited")
    session.run()
    return session


def lying(session: Any, step: int, token_id: int) -> Any:
    """The session with one bit of one mask turned."""
    honest = session.bitmask

    def bitmask(at: int | None = None) -> Any:
        row = honest(at).copy()
        if at == step:
            row[token_id // 32] ^= np.int32(1 << token_id % 32)
        return row

    session.bitmask = bitmask
    return session


def test_masks_are_right_at_every_visited_state(session: Any) -> None:
    told: list[int] = []
    report = audit(session, tell=lambda r: told.append(r.n_done))
    assert isinstance(report, AuditReport)
    assert report.ok
    assert report.n_done == report.n_steps == len(session.trace.steps)
    assert sorted(step for state in report.states for step in state.steps) == list(range(report.n_steps))
    for state in report.states:
        assert state.n_checked == len(state.steps)
        assert state.n_allowed == session.trace.steps[state.steps[0]].n_allowed
    assert told == sorted(told)
    assert told[-1] == report.n_done
    assert "mask equals accept everywhere" in str(report)


@pytest.mark.parametrize("token", [b"Z", b'"'], ids=["blocked becomes allowed", "allowed becomes blocked"])
def test_one_turned_bit_is_found_and_told(session: Any, token: bytes) -> None:
    token_id, step = session.tokenizer_info.decoded_vocab.index(token), 3
    allowed = session.explain(token_id, step)["allowed"]
    report = audit(lying(session, step, token_id))
    assert not report.ok
    (found,) = report.disagreements
    assert (found.step, found.token_id, found.mask, found.accept) == (step, token_id, not allowed, allowed)
    assert "disagree on 1 token" in str(report)
    # the engine itself is right, so nothing small shows it, and the lines hold when they are run
    assert not found.is_small
    lines = found.repro.replace("info = ...", "info = given", 1)
    exec(lines, {"given": session.tokenizer_info})


def test_a_repro_that_fails_alone_is_shrunk_to_its_token(monkeypatch: pytest.MonkeyPatch) -> None:
    from xg2lab import _core

    header = {"grammar": {"text": 'root ::= "ab"', "root": "root"}, "options": {}, "vocab_size": 3}
    info = TokenizerInfo(["a", "b", "</s>"])
    assert not mask_repro(header, {"edges": []}, info, [], 0, accept=False)[1]
    monkeypatch.setattr("xg2lab.testing.bitmask_to_bool_mask", lambda *_: [[False, False]])
    text, is_small = mask_repro(header, {"edges": []}, info, [], 0, accept=True)
    assert is_small
    assert "TokenizerInfo([b'a', b'</s>']" in text
    with pytest.raises(AssertionError):
        exec(text, {})
    assert _core is not None


def test_it_can_be_stopped_and_has_a_budget(session: Any) -> None:
    asked = iter([False, False, True])
    report = audit(session, is_cancelled=lambda: next(asked, True))
    assert report.stopped == "cancelled"
    assert 0 < report.n_done + sum(bool(state.n_checked) for state in report.states) < 2 * report.n_steps
    assert not report.is_running
    assert audit(session, seconds=0.0).stopped == "the budget of 0 s"


def test_states_not_seen_before_come_first(session: Any) -> None:
    seen: list[int] = []
    matcher_at = session.matcher_at

    def noting(step: int | None = None) -> Any:
        seen.append(step or 0)
        return matcher_at(step)

    session.matcher_at = noting
    report = audit(session)
    firsts = [state.steps[0] for state in report.states]
    visited = list(dict.fromkeys(seen))  # bitmask asks for one too
    assert visited[: len(firsts)] == firsts


def test_the_session_is_as_before(session: Any) -> None:
    before = session.trace.to_wire()
    audit(session)
    assert session.trace.to_wire() == before
    assert session.status == "terminated"


def test_keywords_of_a_schema_are_listed_with_their_pointers() -> None:
    schema = {"type": "array", "items": {"type": "number"}, "uniqueItems": True, "title": "x"}
    grammar = Grammar.from_json_schema(schema, on_unsupported="relax")
    info = TokenizerInfo([*(bytes([b]) for b in range(256)), b"</s>"], stop_token_ids=[256])
    report = audit(Session(grammar, info, name="schema"))
    states = {use.pointer: use.state for use in report.coverage}
    assert states["/uniqueItems"] == "relaxed"
    assert states["/items"] == "enforced"
    relaxed = next(use for use in report.coverage if use.pointer == "/uniqueItems")
    exec(relaxed.repro, {})
    assert report.ok


# ---- Tokenizers ----


class FakeTokenizer:
    """One that encodes greedily and decodes by a list of bytes."""

    def __init__(self, tokens: list[bytes]) -> None:
        self.tokens = tokens
        self.info = TokenizerInfo(tokens, stop_token_ids=[len(tokens) - 8])

    def decode(self, ids: list[int], **_: Any) -> str:
        return b"".join(self.tokens[k] for k in ids).decode("utf-8", "replace")

    def __call__(self, text: str) -> Any:
        from types import SimpleNamespace

        return SimpleNamespace(input_ids=self.info.encode_greedy(text))


TOKENS = vocabulary(600)


def by_name(info: TokenizerInfo, tokens: list[bytes] = TOKENS, **known: Any) -> dict[str, Any]:
    return {check.name: check for check in tokenizer_checks(info, FakeTokenizer(tokens), **known)}


def test_the_right_vocabulary_passes() -> None:
    info = TokenizerInfo(TOKENS, stop_token_ids=[592])
    checks = by_name(info, n_logits=600, eos_ids=(592,))
    assert {check.level for check in checks.values()} <= {"ok", "hint"}
    assert checks["texts round trip"].value == "5 of 5"


@pytest.mark.parametrize("shift", [1, -2])
def test_shifted_ids_are_named(shift: int) -> None:
    moved = TOKENS[:592][-shift:] + TOKENS[:592][:-shift]
    check = by_name(TokenizerInfo([*moved, *TOKENS[592:]], stop_token_ids=[592]))["bytes of each token"]
    assert check.level == "error"
    assert f"is here token k{shift:+d}" in check.details


def test_another_order_is_named() -> None:
    other = [TOKENS[300], *TOKENS[1:300], TOKENS[0], *TOKENS[301:]]
    check = by_name(TokenizerInfo(other, stop_token_ids=[592]))["bytes of each token"]
    assert check.level == "error"
    assert "another order" in check.details
    assert set(check.token_ids) == {0, 300}


@pytest.mark.parametrize(("mark", "name"), [("Ġ", "BYTE_LEVEL"), ("▁", "BYTE_FALLBACK")])
def test_texts_read_in_another_way_of_writing_are_named(mark: str, name: str) -> None:
    info = TokenizerInfo([f"{mark}w{k}" if k % 3 == 0 else f"w{k}" for k in range(300)] + ["</s>"])
    check = {check.name: check for check in tokenizer_checks(info)}["written as"]
    assert (check.level, check.value) == ("error", f"{name}, read as RAW")
    with pytest.raises(AssertionError):
        exec(check.repro, {"info": info})


def test_stop_tokens_that_the_model_does_not_know_and_logits_of_another_width() -> None:
    checks = by_name(TokenizerInfo(TOKENS, stop_token_ids=[592]), n_logits=601, eos_ids=(593,))
    assert checks["stop tokens"].level == "error"
    assert "593" in checks["stop tokens"].details
    assert checks["logits and vocabulary agree"].value == "601 logits, 600 ids"
    none = {check.name: check for check in tokenizer_checks(TokenizerInfo(["a"], stop_token_ids=[]))}
    assert none["stop tokens"].details.startswith("no output can ever end")


def test_control_tokens_that_match_as_text_and_missing_bytes_are_hinted_at() -> None:
    info = TokenizerInfo(["a", "<|im_start|>", "a", "</s>"], stop_token_ids=[3], vocab_size=6)
    checks = {check.name: check for check in tokenizer_checks(info)}
    assert "1 <|im_start|>" in checks["special tokens never match as text"].details
    assert checks["every single byte has a token"].value == "1 of 243"
    assert checks["ids without a token, always masked"].value == "2"
    assert "ids (0, 2)" in checks["texts with two ids"].details
