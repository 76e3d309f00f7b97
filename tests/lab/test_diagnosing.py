"""Pasted token ids: found in whatever holds them, judged one by one; the replay shows them and loses nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import xg2lab as xgr
from tests.generators import random_grammar, random_member, random_vocabulary, seeded, write_ebnf
from tests.lab.fakes import FakeRunner
from tests.ui.scripted import scripted_session
from xg2lab.errors import LimitError, SessionError
from xg2lab.lab import Session, diagnose
from xg2lab.lab.session.diagnosing import KINDS
from xg2lab.lab.session.pasted import read_ids

GRAMMAR = '# numbers\nroot ::= "[" item ("," item)* "]"\nitem ::= [0-9]+\n'
TOKENS = [b"[", b"]", b",", b"1", b"12", b"1,", b"1x", b"x", b"</s>", b"<s>", b""]
INFO = xgr.TokenizerInfo(TOKENS, vocab_size=13, stop_token_ids=[8], special_token_ids=[9])
COMPILED = xgr.GrammarCompiler(INFO).compile_grammar(GRAMMAR)


def test_what_stands_nowhere_in_a_schema_is_told_without_a_line():
    info = xgr.TokenizerInfo([bytes([byte]) for byte in range(256)] + [b"</s>"], stop_token_ids=[256])
    schema = {"type": "object", "properties": {"a": {"type": "integer", "minimum": 3}}, "required": ["a"]}
    compiled = xgr.GrammarCompiler(info).compile_json_schema(schema)
    for text, has_line in ((b'{"a": "x', False), (b" {", False), (b'{"b"', True), (b'{"a": 2}', True)):
        found = diagnose(compiled, list(text))
        assert ("  line " in str(found)) == has_line, text
        assert (found.to_wire()["line"] is not None) == has_line, text
        assert found.reason in str(found)
        assert "- mechanism: " in found.issue_text()


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("[12, 34]", (12, 34)),
        ("[12]", (12,)),
        ("  12, 34,\n56 ", (12, 34, 56)),
        ("array([ 12,  34])", (12, 34)),
        ("[12 34 56]", (12, 34, 56)),
        ("(12, 34,)", (12, 34)),
        ('{"prompt_token_ids": [1, 2, 3, 4, 5], "token_ids": [12, 34]}', (12, 34)),
        ("output_token_ids=[7], prompt_token_ids=[1, 2, 3]", (7,)),
        ("2026-11-22 17:02:11 [3] request 99: token_ids: [12, 34] (2 tokens)", (12, 34)),
        ("Failed to advance FSM for request cmpl-1 for tokens [12, 34]. Please file an issue.", (12, 34)),
        ("Failed to advance FSM for request 8f00 for tokens 34. Please file an issue.", (34,)),
        ("CompletionOutput(index=0, text='a', token_ids=[12, 34], cumulative_logprob=-3)", (12, 34)),
        ("rejected token_id=-1", (-1,)),
    ],
)
def test_ids_are_read_from_text(text: str, ids: tuple[int, ...]) -> None:
    assert read_ids(text).ids == ids


def test_what_holds_no_ids_is_refused() -> None:
    for text in ("", "no ids here", "[1.5, 2]", "['a']"):
        with pytest.raises(SessionError, match="no token ids"):
            read_ids(text)
    with pytest.raises(SessionError, match="cut short"):
        read_ids("[1, 2, ... 9]")
    assert read_ids(np.array([3, 4])).ids == (3, 4)
    for text in ("[" + "1" * 5000 + "]", "1" * 5000, "token_id=" + "1" * 5000):
        with pytest.raises(SessionError, match="5,000 digits"):
            read_ids(text)


def test_a_long_text_is_read_in_one_pass() -> None:
    """A pattern that can match in two ways needs hours for some of these."""
    ids = tuple(range(1000, 21_000))
    listed = ", ".join(map(str, ids))
    for text in (f"[{listed}]", f"output_token_ids=[{listed}] done", listed, listed.replace(",", "")):
        assert read_ids(text).ids == ids
    for text in (
        f"[{listed}",
        f"[{listed} x]",
        "[1" + " " * 50_000,
        "token" + " " * 50_000,
        "[ " * 50_000,
        "[1 " * 20_000,
    ):
        with pytest.raises(SessionError, match="no token ids"):
            read_ids(text)
    with pytest.raises(SessionError, match="cut short"):
        read_ids(f"[{listed}, ...]")


CASES = {
    "blocked": ([0, 3, 7], 2, 2, "rejected_by_cache"),
    "outside_vocabulary": ([0, 3, 13], 2, 2, ""),
    "special_token": ([9, 0], 0, 0, "special_token"),
    "stop_too_early": ([0, 3, 8], 2, 2, "stop_not_legal"),
    "no_token": ([0, 12], 1, 1, "padding"),
    "after_end": ([0, 3, 1, 8, 0], 4, 3, "terminated"),
    "nothing": ([], 0, 0, ""),
    "ended": ([0, 3, 1, 8], 4, 3, ""),
    "complete": ([0, 3, 1], 3, 3, ""),
    "unfinished": ([0, 5], 2, 3, ""),
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_told(kind: str) -> None:
    ids, step, byte, mechanism = CASES[kind]
    found = diagnose(COMPILED, ids)
    assert (found.kind, found.step, found.byte, found.mechanism) == (kind, step, byte, mechanism)
    assert found.reason
    assert found.token_id == (ids[step] if step < len(ids) else None)
    assert str(found).startswith(kind)
    wire = found.to_wire()
    assert wire["kind"] == kind
    assert wire["issue"] == found.issue_text()


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "nothing"])
def test_the_reproduction_runs_by_itself(kind: str) -> None:
    found = diagnose(COMPILED, CASES[kind][0])
    shown = subprocess.run(
        [sys.executable, "-W", "error", "-c", found.repro()],
        capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert shown.returncode == 0, shown.stderr + found.repro()


def test_the_byte_within_a_token_and_the_source_line() -> None:
    found = diagnose(COMPILED, [0, 6])
    assert (found.step, found.byte) == (1, 2)  # its first byte was well
    assert found.expected_by is not None
    assert found.expected_by["line"] in (2, 3)
    assert "line " in str(found)
    assert found.selection["state"] == found.expected_by["state"]


def test_the_first_refused_id_is_the_one_that_the_mask_forbids() -> None:
    """Random grammars and ids: as many are accepted as a matcher accepts, and the mask of that state lacks the next."""
    rng = seeded("diagnose")
    n_blocked = 0
    for _ in range(60):
        grammar = random_grammar(rng)
        member = random_member(rng, grammar)
        if not member:
            continue
        words = random_vocabulary(rng, [member], n_tokens=20)
        info = xgr.TokenizerInfo([*words, b"</s>"], stop_token_ids=[len(words)])
        compiled = xgr.GrammarCompiler(info).compile_grammar(write_ebnf(grammar))  # it has a member
        for _ in range(8):
            ids, matcher = [], xgr.GrammarMatcher(compiled)
            while len(ids) < 6 and not matcher.is_terminated() and rng.random() < 0.9:
                allowed = matcher.allowed_tokens()
                ids.append(int(rng.choice(allowed)) if len(allowed) else 0)
                if not matcher.accept_token(ids[-1]):
                    break
            ids += [rng.randrange(info.vocab_size) for _ in range(2)]
            found, matcher = diagnose(compiled, ids), xgr.GrammarMatcher(compiled)
            assert all(matcher.accept_token(token) for token in ids[: found.step])
            if found.token_id is not None:
                n_blocked += 1
                assert found.token_id == ids[found.step]
                is_over = matcher.is_terminated()
                assert is_over or found.token_id not in matcher.allowed_tokens()
    assert n_blocked > 50


def test_a_replay_has_a_trace_of_its_own_and_loses_nothing() -> None:
    session = scripted_session()
    session.step(6)
    session.back(2)
    before, wire = session.trace, session.trace.to_wire()
    blocked = next(iter(session.trace.steps[2].explain))
    ids = [*session.output_ids[:2], blocked, 5]
    found = session.replay(f"tokens: {ids}")
    assert (found.step, found.token_id) == (2, blocked)
    assert session.trace is not before
    assert session.output_ids == ids[:2]
    assert session.selection["token"] == blocked
    assert session.selection["step"] is None  # the newest: where it was refused
    assert session.selection["state"] == found.expected_by["state"]
    assert [step.kind for step in session.trace.steps] == ["forced_by_user"] * 2 + [None]
    assert session.explain(blocked)["reason"] == found.reason
    assert session.past_traces == [before]
    assert before.to_wire() == wire, "masks, branches and steps are as they were"
    again = session.resume()
    assert again is before
    assert session.past_traces[0].n_decided == 2
    assert session.trace.to_wire()["steps"][:4] == wire["steps"][:4]
    session.step(2)  # and it goes on
    assert session.trace.n_decided == 6


def test_a_resumed_session_draws_what_it_would_have_drawn() -> None:
    plain, other = (Session(GRAMMAR, INFO, FakeRunner(13), seed=4) for _ in range(2))
    for session in (plain, other):
        session.step(3)
    other.replay([0, 3])
    other.resume()
    n = min(4, 12)
    assert [s.token_id for s in plain.step(n)] == [s.token_id for s in other.step(n)]


def test_an_ended_trace_is_resumed_as_ended() -> None:
    session = Session(GRAMMAR, INFO)
    session.force("[1]")
    session.force(8)
    session.replay([7])
    assert session.resume().n_decided == 4
    assert session.status == "terminated"
    with pytest.raises(SessionError, match="has ended"):
        session.force("1")


def test_what_cannot_be_replayed_is_refused_and_changes_nothing() -> None:
    session = Session(GRAMMAR, INFO, max_tokens=2)
    session.force("[")
    trace = session.trace
    with pytest.raises(SessionError, match="no token ids"):
        session.replay("nothing")
    with pytest.raises(LimitError, match="3 tokens would pass"):
        session.replay([0, 3, 1])
    with pytest.raises(SessionError, match="no earlier trace"):
        session.resume()
    assert session.trace is trace
    free = Session(GRAMMAR, INFO, FakeRunner(13), constrained=False)
    with pytest.raises(SessionError, match="not constrained"):
        free.replay([0])
    session.change_grammar('root ::= "[" "1"')
    with pytest.raises(SessionError, match="another grammar"):
        session.resume()


def test_a_grammar_of_token_edges_is_diagnosed() -> None:
    info = xgr.TokenizerInfo([b"a", b"<call>", b"b", b"</s>"], stop_token_ids=[3], special_token_ids=[1])
    compiled = xgr.GrammarCompiler(info).compile_grammar('root ::= "a" Token(1) "b"')
    found = diagnose(compiled, [0, 1, 2])
    assert found.kind == "complete"
    assert found.output == b"a<call>b"
    assert "accept_token(token) for token in [0, 1, 2]" in found.repro()
    assert diagnose(compiled, [0, 2]).kind == "blocked"
    assert re.search(r"^- seen with: xg2lab", diagnose(compiled, [0, 2]).issue_text(), re.MULTILINE)
