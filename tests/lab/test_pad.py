"""A pad: the newest text wins, the last good grammar stays, examples follow, the session is given what was made."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from tests.ui.scripted import GRAMMAR, scripted_session
from xg2lab.errors import GrammarError, SessionError
from xg2lab.lab.pad import pad as pad_module
from xg2lab.lab.pad.drafts import Draft
from xg2lab.lab.pad.pad import Pad, text_and_kind

GOOD, BAD = 'root ::= "yes" | "no"', 'root ::= "yes" | maybe'


def verdicts(pad: Pad) -> list[str]:
    """The rows' verdicts, once the text was compiled."""
    return [row.verdict for row in pad.wait().bench.rows]


def test_verdicts_follow_the_text() -> None:
    pad = Pad(GOOD, examples=["yes", ("maybe", False)])
    assert verdicts(pad) == ["match", "reject at byte 0"]
    pad.write('root ::= "maybe"')
    assert verdicts(pad) == ["reject at byte 0", "match"]
    assert [row.agrees for row in pad.bench.rows] == [False, False]


def test_the_last_good_grammar_stays_while_the_text_is_wrong() -> None:
    pad = Pad(GOOD, examples=["yes"]).wait()
    pad.write(BAD)
    state = pad.wait().state
    assert state.draft is not None
    assert state.draft.n_errors == 1
    assert state.good is not None
    assert state.good.text == GOOD
    assert not state.is_good_current
    assert verdicts(pad) == ["match"]
    assert pad.bench.rows[0].judged_by == state.good_revision < state.revision


def test_an_example_that_is_added_to_a_wrong_text_is_judged_by_the_last_good_one() -> None:
    pad = Pad(GOOD).wait()
    pad.write(BAD)
    pad.wait().change_examples(lambda bench: bench.add("no"))
    assert verdicts(pad) == ["match"]


def test_nothing_is_wrong_with_nothing() -> None:
    pad = Pad("", examples=["a"]).wait()
    assert pad.state.draft == Draft("", "ebnf", ())
    assert verdicts(pad) == [""]


class Gate:
    """Holds compilations of a text until it is opened, in place of a slow one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, held: str) -> None:
        self.open, self.entered, self.made = threading.Event(), threading.Event(), []
        real = pad_module.read_draft

        def read(text: str, kind: str, **options: Any) -> Draft:
            if text == held:
                self.entered.set()
                assert self.open.wait(60)
            self.made.append(text)
            return real(text, kind, **options)

        monkeypatch.setattr(pad_module, "read_draft", read)


def test_the_newest_text_wins_over_one_that_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = GOOD + ' | "slow"'
    gate = Gate(monkeypatch, slow)
    pad = Pad(slow)
    assert gate.entered.wait(60)
    pad.write(GOOD)
    state = pad.wait().state
    assert state.good is not None
    assert state.good.text == GOOD
    told: list[str] = []
    pad.subscribe(lambda event: told.append(event["type"]))
    gate.open.set()
    for thread in threading.enumerate():
        if thread.name == "xg2lab pad":
            thread.join(60)
    assert slow in gate.made
    assert pad.state.good is state.good
    assert "good" not in told[1:]


def test_texts_in_between_are_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate(monkeypatch, GOOD)
    pad = Pad(GOOD)
    assert gate.entered.wait(60)
    pad.write(GOOD)  # the second worker is held as well
    for n in range(20):
        pad.write(f'root ::= "{n}"')
    gate.open.set()
    assert pad.wait().state.good is not None
    assert pad.state.good is not None
    assert pad.state.good.text == 'root ::= "19"'
    assert 'root ::= "10"' not in gate.made


def test_a_cancelled_compilation_leaves_the_last_good_grammar(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = GOOD + ' | "slow"'
    gate = Gate(monkeypatch, slow)
    pad = Pad(GOOD).wait()
    pad.write(slow)
    assert gate.entered.wait(60)
    pad.cancel()
    assert pad.wait().state.status == "cancelled"
    gate.open.set()
    assert pad.state.text == slow
    assert pad.state.good is not None
    assert pad.state.good.text == GOOD


def test_an_error_that_nobody_foresaw_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_given: Any, **_more: Any) -> Draft:
        raise ZeroDivisionError("of ours")

    monkeypatch.setattr(pad_module, "compile_draft", fail)
    state = Pad(GOOD).wait().state
    assert state.draft is not None
    assert "ZeroDivisionError" in state.draft.findings[0].message


def test_apply_gives_the_session_the_grammar_and_keeps_its_record() -> None:
    session = scripted_session()
    session.step(4)
    before = session.trace
    pad = Pad(GRAMMAR, session=session).wait()
    assert pad.is_applied
    pad.write('root ::= "{" [a-z]* "}"')
    assert not pad.wait().is_applied
    pad.apply()
    assert pad.is_applied
    assert session.past_traces == [before]
    assert session.trace.header["grammar"]["text"] == 'root ::= "{" [a-z]* "}"'
    assert session.trace.n_decided == 0
    session.step(3)
    assert session.text.startswith("{")


def test_apply_refuses_what_is_no_grammar_and_needs_a_session() -> None:
    session = scripted_session()
    pad = Pad(BAD, session=session)
    with pytest.raises(SessionError, match="not a valid grammar"):
        pad.apply()
    with pytest.raises(SessionError, match="no session"):
        Pad(GOOD).apply()


def test_a_session_can_be_followed() -> None:
    first, second = scripted_session(), scripted_session()
    second.change_grammar(GOOD)
    pad = Pad(GRAMMAR, session=first).wait()
    pad.follow(second)
    assert pad.state.text == GOOD
    pad.write(BAD)
    pad.follow(first)
    assert pad.state.text == BAD


def test_the_sessions_text_becomes_an_example() -> None:
    session = scripted_session()
    pad = Pad(GRAMMAR, session=session)
    with pytest.raises(SessionError, match="no output"):
        pad.add_from_session()
    session.step(3)
    pad.add_from_session()
    row = pad.bench.rows[-1]
    assert row.example.text == session.text
    assert row.example.origin == "run, step 3"
    assert verdicts(pad) == ["incomplete"]


def test_a_session_changes_its_grammar_or_nothing_at_all() -> None:
    session = scripted_session()
    session.step(3)
    text, trace = session.text, session.trace
    with pytest.raises(GrammarError):
        session.change_grammar("root ::= nothing")
    assert (session.text, session.trace) == (text, trace)
    events: list[str] = []
    session.subscribe(lambda event: events.append(event["type"]))
    session.change_grammar(GOOD)
    assert "reset" in events
    assert session.trace.program["rules"][0]["name"] == "root"
    session.force("yes")
    assert session.text == "yes"


@pytest.mark.parametrize(
    ("grammar", "kind"),
    [(GOOD, "ebnf"), ({"type": "integer"}, "json_schema"), ({"format": {"type": "any_text"}}, "structural_tag")],
)
def test_what_is_shown_of_a_grammar_says_how_it_is_read(grammar: Any, kind: str) -> None:
    assert text_and_kind(grammar)[1] == kind


def test_what_was_read_is_read_the_same_way_again() -> None:
    from xg2lab import Grammar

    made = [
        (Grammar.from_ebnf(GOOD), "ebnf"),
        (Grammar.from_lark('start: "a"'), "lark"),
        (Grammar.from_regex("a+"), "regex"),
        (Grammar.from_json_schema({"type": "integer"}), "json_schema"),
    ]
    for grammar, kind in made:
        text, found = text_and_kind(grammar)
        assert found == kind
        assert Pad(text, found).wait().state.good is not None
