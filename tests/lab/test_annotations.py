"""Notes of a trace's author: what they are about, their limits, where they stay, and files that hold wrong ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import xg2lab as xgr
from xg2lab.errors import ArgumentError, ArgumentTypeError, DeserializeFormatError, LimitError
from xg2lab.lab.trace.annotations import MOST_CHARACTERS, MOST_NOTES
from xg2lab.lab.trace.trace import Trace

INFO = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
GRAMMAR = 'root ::= "a" rest   rest ::= "b"'


@pytest.fixture
def session() -> xgr.Session:
    return xgr.Session(GRAMMAR, INFO, prompt="x")


def test_a_note_is_about_a_step_a_token_or_a_rule_as_written(session: xgr.Session) -> None:
    session.force("a")
    assert session.annotate("newest") == 1
    assert session.annotate("first", step=0) == 2
    assert session.annotate("blocked", step=0, token=1) == 3
    assert session.annotate("<b>inlined</b>", rule="rest") == 4  # the engine's program has no such rule
    assert [rule["name"] for rule in session.trace.program["rules"]] == ["root"]
    assert session.trace.annotations == [
        {"number": 1, "text": "newest", "step": 1},
        {"number": 2, "text": "first", "step": 0},
        {"number": 3, "text": "blocked", "step": 0, "token": 1},
        {"number": 4, "text": "<b>inlined</b>", "rule": "rest"},
    ]
    said = str(session.trace)
    assert "  note 3, step 0, token 1: blocked" in said
    assert all(len(line) <= 100 for line in said.splitlines())


def test_notes_are_edited_and_deleted_and_no_number_comes_twice(session: xgr.Session) -> None:
    for text in "one", "two", "three":
        session.annotate(text, step=0)
    session.delete_annotation(2)
    session.edit_annotation(1, "uno")
    assert session.annotate("four", step=0) == 4
    assert [(note["number"], note["text"]) for note in session.trace.annotations] == [
        (1, "uno"),
        (3, "three"),
        (4, "four"),
    ]


@pytest.mark.parametrize(
    ("kind", "told", "arguments"),
    [
        (ArgumentTypeError, "text is an int, 3; wanted a str", {"text": 3}),
        (ArgumentError, "a note has no text", {"text": " \n"}),
        (ArgumentError, "half of a surrogate pair", {"text": "\ud800"}),
        (LimitError, "a note has 2,001 characters; at most 2,000", {"text": "x" * (MOST_CHARACTERS + 1)}),
        (ArgumentError, "there is no step 7", {"text": "x", "step": 7}),
        (ArgumentError, "there is no step -1", {"text": "x", "step": -1}),
        (ArgumentError, "there is no step True", {"text": "x", "step": True}),
        (ArgumentError, "there is no token 3", {"text": "x", "token": 3}),
        (ArgumentError, "the grammar has no rule 'rset'", {"text": "x", "rule": "rset"}),
        (ArgumentError, "about a rule or about a step, not about both", {"text": "x", "rule": "rest", "step": 0}),
    ],
)
def test_what_is_no_note_is_refused_with_a_remedy(
    session: xgr.Session, kind: type[xgr.Xg2LabError], told: str, arguments: dict[str, Any]
) -> None:
    with pytest.raises(kind, match=told) as refused:
        session.annotate(**arguments)
    assert refused.value.hint or "wanted" in told
    assert session.trace.annotations == []


def test_a_mistyped_rule_is_told_with_its_like(session: xgr.Session) -> None:
    with pytest.raises(ArgumentError) as refused:
        session.annotate("x", rule="rset")
    assert refused.value.hint == "rest"


def test_numbers_of_no_note_are_refused(session: xgr.Session) -> None:
    session.annotate("one")
    for act in (lambda: session.edit_annotation(2, "x"), lambda: session.delete_annotation(2)):
        with pytest.raises(ArgumentError, match="there is no note 2") as refused:
            act()
        assert refused.value.hint == "the notes' numbers: 1"


def test_a_trace_keeps_so_many_notes_and_no_more(session: xgr.Session) -> None:
    for _ in range(MOST_NOTES):
        session.annotate("x" * MOST_CHARACTERS)
    with pytest.raises(LimitError, match="at most 200 notes"):
        session.annotate("x")
    assert len(Trace.from_wire(session.trace.to_wire()).annotations) == MOST_NOTES


def test_notes_stay_until_their_author_deletes_them(session: xgr.Session) -> None:
    session.force("a")
    session.annotate("at the second step", step=1)
    session.annotate("of the rule", rule="rest")
    session.back()
    session.reset()
    assert [note["text"] for note in session.trace.annotations] == ["at the second step", "of the rule"]
    before = session.trace
    session.reset("another prompt")
    assert session.trace is not before
    assert [note["text"] for note in session.trace.annotations] == ["of the rule"]
    assert len(before.annotations) == 2
    session.change_grammar('root ::= "b"')
    assert [note["text"] for note in session.trace.annotations] == ["of the rule"]


def test_subscribers_hear_of_notes(session: xgr.Session) -> None:
    heard: list[str] = []
    session.subscribe(lambda event: heard.append(event["type"]))
    session.edit_annotation(session.annotate("one"), "two")
    session.delete_annotation(1)
    assert heard == ["annotated"] * 3


def test_a_saved_trace_has_its_notes(session: xgr.Session, tmp_path: Path) -> None:
    session.annotate("Ünï\n日本", step=0, token=1)
    session.annotate("rule", rule="root")
    path = session.trace.save(tmp_path / "lesson.json.gz")
    loaded = Trace.load(path)
    assert loaded == session.trace
    assert loaded.annotations == session.trace.annotations
    assert session.trace.snapshot().annotations == session.trace.annotations
    session.delete_annotation(1)
    session.delete_annotation(2)
    assert "annotations" not in session.trace.to_wire()  # older readers meet nothing new


GOOD = {"number": 1, "text": "x", "step": 0}


@pytest.mark.parametrize(
    ("notes", "pointer"),
    [
        ({}, "/annotations"),
        ([GOOD | {"number": k} for k in range(1, MOST_NOTES + 2)], "/annotations"),
        ([3], "/annotations/0"),
        ([{"text": "x", "step": 0}], "/annotations/0/number"),
        ([GOOD | {"number": 0}], "/annotations/0/number"),
        ([GOOD, GOOD], "/annotations/1/number"),
        ([GOOD | {"number": True}], "/annotations/0/number"),
        ([GOOD | {"text": ""}], "/annotations/0/text"),
        ([GOOD | {"text": " "}], "/annotations/0/text"),
        ([GOOD | {"text": "x" * 2001}], "/annotations/0/text"),
        ([GOOD | {"text": ["x"]}], "/annotations/0/text"),
        ([{"number": 1, "text": "x"}], "/annotations/0"),
        ([GOOD | {"rule": "root"}], "/annotations/0"),
        ([GOOD | {"step": -1}], "/annotations/0/step"),
        ([GOOD | {"token": 3}], "/annotations/0/token"),
        ([{"number": 1, "text": "x", "rule": "root", "token": 1}], "/annotations/0/token"),
        ([{"number": 1, "text": "x", "rule": ""}], "/annotations/0/rule"),
        ([{"number": 1, "text": "x", "rule": "x" * 1001}], "/annotations/0/rule"),
    ],
)
def test_hostile_notes_are_refused_with_their_place(session: xgr.Session, notes: object, pointer: str) -> None:
    wire: dict[str, Any] = {**session.trace.to_wire(), "annotations": notes}
    with pytest.raises(DeserializeFormatError) as refused:
        Trace.from_wire(wire)
    assert refused.value.pointer == pointer
    assert refused.value.hint
