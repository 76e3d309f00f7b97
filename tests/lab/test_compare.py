"""Comparisons: what only options change must agree; where grammars differ, the step, the byte and the ids are exact."""

from __future__ import annotations

import base64
import gzip
import json
import struct
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from xg2lab import EngineOptions, Grammar, TokenizerInfo
from xg2lab.errors import SessionError
from xg2lab.lab import CompareReport, Session, compare
from xg2lab.lab.comparison import comparing as module
from xg2lab.lab.comparison.comparison_text import ALL_AHEAD, SWITCHES

TOKENS = [b"a", b"b", b"ab", b"[", b"]", b",", b"1", b"12", b'"', b"</s>"]
GRAMMAR = 'root ::= "[" item ("," item)* "]"  item ::= [0-9]{1,60} | "\\"" [a-z]* "\\""'


@pytest.fixture
def session() -> Session:
    info = TokenizerInfo(TOKENS, stop_token_ids=[9])
    session = Session(GRAMMAR, info)
    session.force('[12,"ab",1')
    return session


@pytest.mark.parametrize("name", sorted(SWITCHES))
def test_no_switch_changes_a_mask(session: Session, name: str) -> None:
    before = session.trace.to_wire()
    for value, _ in SWITCHES[name].values:
        if value == getattr(EngineOptions(), name):
            continue
        report = compare(session, rounds=1, **{name: value})
        assert report.ok, report
        assert report.must_agree
        assert report.changed == {name: (getattr(EngineOptions(), name), value)}
        assert (report.n_done, report.n_differ) == (len(session.trace.steps), 0)
        assert report.divergence is None
        assert all(ratio is not None and ratio > 0 for ratio in map(report.ratio, ("first", "shared", "warm")))
    assert session.trace.to_wire() == before


def test_every_switch_is_offered() -> None:
    left = {f.name for f in fields(EngineOptions)} - set(SWITCHES)
    assert all(name.startswith("max_") for name in left)


def test_another_grammar_parts_at_the_first_mask_that_differs(session: Session) -> None:
    report = compare(session, grammar=GRAMMAR.replace("[a-z]", "[a]"), rounds=1)
    at = report.divergence
    assert at is not None
    step = next(step for step in session.trace.steps if step.bytes == b"ab".hex())
    assert (at.step, at.byte, at.text) == (step.index, step.byte_begin, "ab")
    assert (at.takes_a, at.takes_b) == (True, False)
    assert [d.step for d in report.differences] == [step.index]
    assert report.differences[0].only_a.tolist() == [1, 2]
    assert report.differences[0].only_b.tolist() == []
    assert report.n_done == step.index + 1
    assert report.ok  # other grammars may differ
    assert "expected" in at.reason_b
    assert at.reason_a == ""


def test_xor_is_exact_at_every_step(session: Session) -> None:
    other = Grammar.from_ebnf(GRAMMAR.replace("[0-9]{1,60}", "[0-9]{2,60}"))
    report = compare(session, grammar=other, rounds=1)
    mine = Session(other, session.tokenizer_info)
    for step, (n_a, n_b) in enumerate(report.n_allowed):
        a = np.unpackbits(session.bitmask(step).view(np.uint8), bitorder="little")
        b = np.unpackbits(mine.bitmask(step).view(np.uint8), bitorder="little")
        assert (n_a, n_b) == (a.sum(), b.sum())
        found = [d for d in report.differences if d.step == step]
        assert sorted(k for d in found for k in (*d.only_a, *d.only_b)) == np.flatnonzero(a != b).tolist()
        if step < session.trace.n_decided and step + 1 < len(report.n_allowed):
            mine.force(session.trace.steps[step].token_id)


def test_other_vocabularies_are_compared_by_bytes(session: Session) -> None:
    other = Session(GRAMMAR, TokenizerInfo([*(bytes([k]) for k in range(128)), b"</s>"], stop_token_ids=[128]))
    report = compare(session, other, rounds=1)
    assert report.unit == "byte"
    assert not report.must_agree
    assert report.n_done == len(session.text.encode()) + 1
    assert report.divergence is None
    assert report.ok
    assert [level for level, _ in report.findings] == ["hint"]
    assert len(report.a.us["warm"]) == len(session.trace.steps)
    assert len(report.b.us["warm"]) == len(session.text.encode()) + 1
    assert "next bytes are compared" in str(report)


def test_what_the_automaton_refuses_is_said() -> None:
    left = Session('root ::= root "a" | "a"', TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1]))
    report = compare(left, parser="pda", rounds=1)
    assert not report.ok
    assert report.b.refused.startswith("UnsupportedError: rule `root` calls itself")
    assert report.findings[0][0] == "warning"
    assert (report.n_done, report.rounds_done) == (0, 0)


def test_options_that_differ_where_they_must_agree_are_an_error(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = module.Side.compile

    def wrong(self: Any, *args: Any) -> Any:
        if self.name == "B":
            self.grammar = Grammar.from_ebnf(GRAMMAR.replace("[a-z]", "[a]"))
        return real(self, *args)

    monkeypatch.setattr(module.Side, "compile", wrong)
    report = compare(session, parser="pda", rounds=1)
    assert not report.ok
    level, text = report.findings[0]
    assert level == "error"
    assert text == "these two must agree and do not, from step 4 on: one of them is wrong"
    assert "  error: these two must agree" in str(report)


def test_a_mask_that_changes_when_made_again_is_an_error(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    real, calls = module.Side.note, []

    def flaky(self: Any, step: int, row: Any) -> None:
        calls.append(step)
        real(self, step, row ^ 1 if calls.count(3) == 4 and step == 3 else row)

    monkeypatch.setattr(module.Side, "note", flaky)
    report = compare(session, parser="pda", rounds=1)
    assert [level for level, _ in report.findings] == ["error"]
    assert "computed a different mask of step 3 the second time" in report.findings[0][1]


def test_it_stops_at_once_and_says_so(session: Session) -> None:
    told: list[int] = []
    report = compare(session, parser="pda", is_cancelled=lambda: bool(told), tell=lambda r: told.append(r.n_done))
    assert report.stopped == "cancelled"
    assert report.n_done == 0
    assert not report.is_running
    report = compare(session, parser="pda", seconds=0.0)
    assert report.stopped == "the budget of 0 s"


def test_it_goes_over_the_wire_and_has_words(session: Session) -> None:
    report: CompareReport = compare(session, partial_jit_k=ALL_AHEAD, rounds=2)
    wire = json.loads(json.dumps(report.to_wire()))
    assert wire["ok"]
    assert wire["rounds_done"] == 2
    for phase in ("first", "shared", "warm"):
        least, greatest = wire["spreads"][phase]
        assert least == min(x / y for x, y in zip(report.b.by_round(phase), report.a.by_round(phase), strict=True))
        assert 0 < least <= greatest
        assert len(report.a.by_round(phase)) == 2
    assert len(wire["a"]["us"]["first"]) == len(session.trace.steps)
    lines = str(report).splitlines()
    assert lines[0] == "A and B: mask entries are built when needed / all ahead"
    assert lines[1] == f"they agree: {report.n_done} masks, {report.n_done * 10} bits, 0 differ"


def test_what_makes_no_sense_is_refused(session: Session) -> None:
    with pytest.raises(SessionError, match="nothing to compare with"):
        compare(session)
    with pytest.raises(SessionError, match="without other options"):
        compare(session, session, parser="pda")
    with pytest.raises(TypeError):
        compare(session, no_such_switch=True)


def masks_of(report: CompareReport) -> dict[int, tuple[Any, Any]]:
    """The rows that a page replays, read as the page reads them."""
    data = gzip.decompress(base64.b64decode(report.to_wire()["masks"]))
    (n,) = struct.unpack_from("<I", data)
    head = json.loads(data[4 : 4 + n])
    rows = np.frombuffer(data[4 + n :], "<i4").reshape(-1, head["n_words"])
    out, at = {}, 0
    for step, differs in head["steps"]:
        out[step] = rows[at], rows[at] ^ rows[at + 1] if differs else rows[at]
        at += 1 + differs
    assert at == len(rows)
    return out


def test_both_masks_of_each_step_are_kept_and_replayed(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    report = compare(session, grammar=GRAMMAR.replace("[a-z]", "[a]"), rounds=1)
    kept = masks_of(report)
    assert sorted(kept) == list(range(report.n_done))
    for step, (n_a, n_b) in enumerate(report.n_allowed):
        for (a, b), (x, y) in [(kept[step], report.masks.rows(step))]:
            assert np.array_equal(a, x)
            assert np.array_equal(b, y)
        assert [int(np.unpackbits(row.view(np.uint8)).sum()) for row in kept[step]] == [n_a, n_b]
        assert np.array_equal(kept[step][0], session.bitmask(step).reshape(-1))
    monkeypatch.setattr("xg2lab.lab.trace.compared_masks.MOST_RAW", 1)  # room for one step: the one that differs
    assert list(masks_of(report)) == [report.differences[0].step]
    monkeypatch.setattr("xg2lab.lab.trace.compared_masks.MOST_PACKED", 1)
    assert report.to_wire()["masks"] == ""


def test_the_tokens_of_both_are_told_by_their_bytes(session: Session) -> None:
    report = compare(session, parser="pda", rounds=1)
    steps = [step for step in session.trace.steps if step.token_id is not None]
    assert report.tapes == (tuple((step.byte_begin, step.text) for step in steps), None)
    assert len(report.a.caches) == len(report.b.caches) == report.n_done
    assert {*report.a.caches, *report.b.caches} <= {"miss", "perfect_hit", "partial_hit", "context_hit"}
    tokens = [b"[", b"12,", b'"', b"a", b"b", b",", b"1", b"2", b"]", b"</s>"]
    report = compare(session, Session(GRAMMAR, TokenizerInfo(tokens, stop_token_ids=[9])), rounds=1)
    assert report.tapes[1] == ((0, "["), (1, "12,"), (4, '"'), (5, "a"), (6, "b"), (7, '"'), (8, ","), (9, "1"))
    mute = Session(GRAMMAR, TokenizerInfo([b"[", b"1", b"]", b"</s>"], stop_token_ids=[3]))
    report = compare(session, mute, rounds=1)  # it has no token for `"`
    assert report.tapes[1] is None
    assert report.b.refused.startswith("SessionError: no tokens of the vocabulary spell")
    assert report.n_done == len(session.text.encode()) + 1


def test_a_disagreement_in_another_text_is_an_error_too(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    report = compare(session, parser="pda", rounds=1)
    assert report.find_shortest().verdict == "equal"
    assert report.ok
    assert "over all texts: they are equal" in str(report)
    report.b.grammar = Grammar.from_ebnf(GRAMMAR.replace("[a-z]", "[a]"))
    report.must_agree = True
    monkeypatch.setattr(module.Side, "compile", lambda self, *_: compiled_apart(self))
    found = report.find_shortest()
    assert (found.verdict, found.text) == ("part", b'["')
    assert [level for level, _ in report.findings] == ["error"]
    assert not report.ok
    assert report.to_wire()["shortest"]["only_a"] == [[98, 122]]


def compiled_apart(side: Any) -> Any:
    from xg2lab import GrammarCompiler

    return GrammarCompiler(side.info).compile_grammar(side.grammar)
