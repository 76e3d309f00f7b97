"""LockstepView: what a page may ask of runs side by side, the report by trait, its text, what is kept of it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.widgets.conftest import Page
from xg2lab import Session
from xg2lab.errors import ArgumentError, SessionError
from xg2lab.lab import Lockstep
from xg2lab.widgets import LockstepView, Tape
from xg2lab.widgets.session_widget import SessionWidget

LIST = 'root ::= "[" [0-9]+ ("," [0-9]+)* "]"'


@pytest.fixture
def first() -> Session:
    """A run of the tiny model."""
    return Session(LIST, model="tiny", prompt="A list: ", name="one", max_tokens=20)


@pytest.fixture
def side(first: Session) -> Iterator[Page]:
    """A page that shows it."""
    page = Page(first)
    yield page
    page.widget.lockstepper.show(None)
    page.widget.close()


def done(widget: SessionWidget) -> dict[str, Any]:
    """The report once the moves are made."""
    widget.lockstepper._jobs.wait(30)
    widget.lockstepper.tell()
    assert widget.lockstep is not None
    return widget.lockstep


def test_it_shows_the_sessions_and_the_first_one_has_one_such_view(first: Session) -> None:
    two = first.variant(seed=1, name="two")
    view = LockstepView([first, two])
    assert view.session.session is first
    assert view.session.lockstep == view.lockstep.data().to_wire()
    again = LockstepView([first, two])
    assert again is view
    assert again.lockstep is view.lockstep
    three = first.variant(seed=2, name="three")
    assert LockstepView(Lockstep([first, three])) is view
    assert view.lockstep.sessions == (first, three)
    view.lockstep.run()
    assert view.lines() == str(view.data()).splitlines()
    assert "has not parted" in repr(view) or "took" in repr(view)


def test_with_one_session_it_says_how_to_add_another(first: Session) -> None:
    view = LockstepView(first)
    assert view.data() is None
    assert view.session.lockstep is None
    assert view.lines() == ["no runs are side by side yet: LockstepView([session, session.variant(seed=1)])"]
    with pytest.raises(ArgumentError, match="two to 4 sides"):
        LockstepView([first])
    with pytest.raises(SessionError, match="the first side is another session"):
        view.session.lockstepper.show(Lockstep([first.variant(), first]))


def test_a_page_adds_sides_moves_them_and_takes_them_away(side: Page) -> None:
    assert side.ask("lockstep_with")[0]["has_model"]
    assert side.ask("lockstep", do="step")[0]["error"]["message"] == "no runs are side by side yet"
    for what in ({"seed": 1}, {"temperature": 0.5}, {"grammar": 'root ::= "[" [0-9]{2} "]"'}):
        assert "error" not in side.ask("lockstep_add", **what)[0]
    names = [one["name"] for one in done(side.widget)["sides"]]
    assert names == ["one", "one, seed 1", "one, temperature 0.5", "one, other grammar"]
    assert side.ask("lockstep_add", seed=4)[0]["error"]["type"] == "ArgumentError"
    side.ask("lockstep", do="step")
    assert [len(one["steps"]) for one in done(side.widget)["sides"]] == [2, 2, 2, 2]
    side.ask("lockstep", do="run", until="parts")
    found = done(side.widget)
    assert any(found["partings"])
    side.ask("lockstep", do="run")
    assert done(side.widget)["sides"][3]["status"] == "terminated"
    side.ask("lockstep", do="back")
    side.ask("lockstep", do="reset")
    assert [len(one["steps"]) for one in done(side.widget)["sides"]] == [1, 1, 1, 1]
    for k in (1, 1):
        side.ask("lockstep_drop", side=k)
    assert [one["name"] for one in done(side.widget)["sides"]] == ["one", "one, other grammar"]
    side.ask("lockstep_drop", side=1)
    assert side.widget.lockstep is None


def test_another_session_of_the_notebook_is_added_by_its_name(side: Page) -> None:
    other = side.widget.session.variant(seed=3, name="of another cell")
    Tape(other)
    assert "of another cell" in side.ask("lockstep_with")[0]["sessions"]
    side.ask("lockstep_add", session="of another cell")
    assert side.widget.lockstepper.lockstep is not None
    assert side.widget.lockstepper.lockstep.sessions[1] is other
    assert "of another cell" not in side.ask("lockstep_with")[0]["sessions"]
    # a side that is stepped alone is followed
    other.step(2)
    side.widget.lockstepper._timer.join(10)
    assert len(side.widget.lockstep["sides"][1]["steps"]) == 3


@pytest.mark.parametrize(
    ("kind", "body", "message"),
    [
        ("lockstep_add", {"session": "nobody"}, "there is no other session 'nobody' of this vocabulary"),
        ("lockstep_add", {}, "nothing says what the side is"),
        ("lockstep_add", {"seed": -1}, "seed"),
        ("lockstep_add", {"grammar": "root ::= ["}, "class is not closed in its line"),
        ("lockstep_drop", {"side": 0}, "there is no side 0 to take away"),
        ("lockstep", {"do": "fly"}, "a lockstep can't do 'fly' until 'end'"),
        ("lockstep", {"do": "run", "until": "late"}, "a lockstep can't do 'run' until 'late'"),
        ("lockstep", {}, "the request 'lockstep' is malformed"),
        ("lockstep_select", {"side": 9, "step": 0}, "there is no side 9"),
        ("lockstep_select", {"side": 1, "step": 0, "token": 10**9}, "10"),
        ("lockstep_held", {"step": 99}, "there is no step 99"),
    ],
)
def test_what_makes_no_sense_is_refused(side: Page, kind: str, body: dict[str, Any], message: str) -> None:
    side.ask("lockstep_add", seed=1)
    assert message in side.ask(kind, **body)[0]["error"]["message"]
    assert len(done(side.widget)["sides"]) == 2


def test_a_click_selects_in_the_sides_own_session_and_says_why(side: Page) -> None:
    side.ask("lockstep_add", grammar='root ::= "[" [0-9]{2} "]"')
    side.ask("lockstep", do="run")
    found = done(side.widget)
    (parting,) = found["partings"]
    refused = next(one for one in parting["refused"] if not one["is_a"])
    why = side.ask("lockstep_select", side=1, step=refused["step"], token=refused["token_id"])[0]["why"]
    assert refused["reason"] in why
    assert "other grammar blocks" in why
    two = side.widget.lockstepper.lockstep.sessions[1]
    assert (two.selection["step"], two.selection["token"]) == (refused["step"], refused["token_id"])
    assert side.ask("lockstep_select", side=0, step=0)[0]["why"] == ""
    held = side.ask("lockstep_held", step=1)[0]["held"]
    assert held == found["held"]["1"]


def test_a_failure_of_every_side_is_told_and_a_pause_reaches_the_runs(side: Page) -> None:
    side.ask("lockstep_add", grammar='root ::= "[1]"')
    side.widget.session.change_grammar('root ::= "[1]"')
    side.ask("lockstep", do="run")
    done(side.widget)
    side.ask("lockstep", do="step")
    side.widget.lockstepper._jobs.wait(30)
    assert side.pushes()[-1]["error"]["message"].startswith("no side can step: one: the output has ended")
    lockstep = side.widget.lockstepper.lockstep
    lockstep._pausing.clear()
    side.widget.pause()
    assert lockstep._pausing.is_set()


def test_a_recording_keeps_it_and_another_session_drops_it(side: Page) -> None:
    side.ask("lockstep_add", seed=1)
    side.ask("lockstep", do="run")
    found = done(side.widget)
    kept = json.loads(gzip.decompress(side.widget.recording()["values"]))
    assert kept["lockstep"] == json.loads(json.dumps(found))
    assert side.widget.reports()["lockstep"] == found
    side.widget.show(side.widget.session.variant(seed=7))
    assert side.widget.lockstep is None
