"""The donor of an entry: its grammar, and the state that equals the one here."""

from __future__ import annotations

import gc
from typing import Any

import pytest

import xg2lab as xgr
from tests.ui.scripted import GRAMMAR, N_SILENT, TARGET, vocabulary
from xg2lab.errors import SessionError
from xg2lab.lab import Session
from xg2lab.lab.trace.donors import equal_states
from xg2lab.widgets.views.cache_view import UNSHARED, CacheView

TOKENS = vocabulary(2048, seed=23)
INFO = xgr.TokenizerInfo(TOKENS, vocab_size=2048, stop_token_ids=[2048 - N_SILENT])
AS_WRITTEN = xgr.EngineOptions(rule_inlining=False)
RENAMED = GRAMMAR.replace("string", "text").replace("number ::=", 'number ::= "+" |')


def session_of(grammar: str, name: str, options: Any = AS_WRITTEN) -> Session:
    session = Session(grammar, INFO, name=name, options=options)
    session.force(TARGET)
    return session


def hits(session: Session) -> list[tuple[int, dict[str, Any]]]:
    return [(s.index, e) for s in session.trace.steps for e in s.entries if e["cache"] != "miss"]


def edges_of(program: dict[str, Any], state: int) -> list[Any]:
    return sorted((e["kind"], str(e["ranges"])) for e in program["edges"] if e["from"] == state)


def test_a_hit_leads_to_the_equal_state_of_its_donor() -> None:
    donor = session_of(GRAMMAR, "donor")
    taker = session_of(RENAMED, "taker")
    found = hits(taker)
    assert {entry["cache"] for _, entry in found} >= {"perfect_hit"}
    for step, entry in found:
        theirs = taker.donor(entry["state"], step)
        assert theirs.id == entry["donor"]
        if theirs.id != donor.compiled.id:
            continue
        assert theirs.text == GRAMMAR
        assert theirs.state is not None
        assert edges_of(theirs.program, theirs.state) == edges_of(taker.trace.program, entry["state"])
        mine, other = taker.trace.program["states"][entry["state"]], theirs.program["states"][theirs.state]
        assert mine["accepting"] == other["accepting"]
        name = taker.trace.program["rules"][mine["rule"]]["name"]
        assert theirs.program["rules"][other["rule"]]["name"] == {"text": "string"}.get(name, name)
        assert str(theirs).startswith(f"{theirs.id}: ")
        assert theirs.to_wire()["state"] == theirs.state
    assert any(taker.donor(e["state"], s).id == donor.compiled.id for s, e in found)


def test_equal_states_are_equal_to_themselves_and_to_no_other_rule() -> None:
    program = session_of(GRAMMAR, "one").trace.program
    for state in program["states"]:
        assert state["id"] in equal_states(program, state["id"], program)
    number = next(r for r in program["rules"] if r["name"] == "number")
    string = next(r for r in program["rules"] if r["name"] == "string")
    assert not {*range(*string["states"])} & {*equal_states(program, number["start"], program)}


def test_what_has_no_donor_says_so() -> None:
    session = session_of(GRAMMAR, "alone", xgr.EngineOptions(rule_inlining=False, cross_grammar_cache=False))
    step, entry = next((s.index, e) for s in session.trace.steps for e in s.entries)
    assert entry["unshared"] == "no_pool"
    with pytest.raises(SessionError, match="was built here"):
        session.donor(entry["state"], step)
    with pytest.raises(SessionError, match="no mask entry of state"):
        session.donor(10_000, step)


def test_a_donor_that_is_gone_is_told() -> None:
    first = session_of(GRAMMAR + "\n# gone\n", "first")
    assert first.trace.n_decided
    taker = session_of(RENAMED + "\n# gone\n", "second")
    other = [(s, e) for s, e in hits(taker) if e["donor"] == first.compiled.id]
    del first
    gc.collect()
    for step, entry in other:
        with pytest.raises(SessionError, match="no longer exists here"):
            taker.donor(entry["state"], step)


@pytest.mark.parametrize(
    ("options", "reasons"),
    [
        (xgr.EngineOptions(rule_inlining=False), {None, "long_name"}),
        (xgr.EngineOptions(), {"long_name"}),
        (xgr.EngineOptions(cross_grammar_cache=False), {"no_pool"}),
    ],
    ids=["as written", "inlined", "no pool"],
)
def test_an_entry_says_why_it_is_not_shared(options: xgr.EngineOptions, reasons: set[str | None]) -> None:
    session = session_of(GRAMMAR, "why", options)
    seen = {e["unshared"] for s in session.trace.steps for e in s.entries if e["cache"] == "miss"}
    assert seen & reasons
    assert seen <= {None, *UNSHARED}
    view = CacheView(session)
    for step in session.trace.steps:
        session.select(step=step.index)
        text = "\n".join(view.lines())
        for entry in step.entries:
            if entry["unshared"]:
                assert UNSHARED[entry["unshared"]] in text


def test_token_edges_and_counts_are_not_shared() -> None:
    tokens = [b"a", b"b", b"<x>", *(b"a" * n for n in range(2, 40)), b"</s>"]
    info = xgr.TokenizerInfo(tokens, stop_token_ids=[len(tokens) - 1])
    options = xgr.EngineOptions(rule_inlining=False, repetition_threshold=0)

    def reasons(grammar: str, token: int) -> set[str | None]:
        session = Session(grammar, info, options=options)
        session.force(token)
        return {e["unshared"] for s in session.trace.steps for e in s.entries}

    assert "token_edge" in reasons('root ::= Token(2) "b"', 2)
    assert reasons('root ::= ("a" | "ab"){2,30} "b"', 0) == {"counted"}
