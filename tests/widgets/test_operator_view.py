"""OperatorView in Python: what it says at the cursor, its graph, what a page is told."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("anywidget")

import xg2lab as xgr
from xg2lab.errors import PictureError
from xg2lab.lab import Session
from xg2lab.widgets import OperatorView

from .conftest import Page

GRAMMAR = 'root ::= "<" pair{1,2} ">"\npair ::= [a-z]+ "=" ("yes" | "no") ";"'
BYTES = xgr.TokenizerInfo([bytes([byte]) for byte in range(256)] + [b"</s>"], stop_token_ids=[256])


def written(grammar: str, text: str) -> Any:
    """A session that wrote `text`, byte by byte."""
    session = Session(grammar, BYTES)
    for byte in text.encode():
        session.force(byte)
    return session


def test_text_follows_the_cursor() -> None:
    session = written(GRAMMAR, "<a=y")
    view = OperatorView(session)
    lines = view.lines()
    assert lines[0] == "12 operators, deterministic, at most 2 active at once"
    assert [line.split("  ")[-1] for line in lines if line.endswith("]")] == [
        "[1 of 1–2]",
        "Wait allows=[a-z]",
        "[branch 1 of 2]",
        "[1 of 3 bytes]",
    ]
    assert sum(line.startswith("*") for line in lines) == 1
    session.select(step=2)
    assert sum(line.startswith("*") for line in view.lines()) == 2
    assert view.data()["active"] == session.trace.steps[2].operators


def test_of_a_long_tree_the_text_shows_what_is_active() -> None:
    session = written("root ::= " + " ".join(f'"a{k}" [a-z]' for k in range(500)), "a0xa1ya2")
    lines = OperatorView(session).lines()
    assert lines[0].startswith("1,001 operators, ")
    assert len(lines) < 70
    assert any(line.startswith("*") for line in lines)


def test_its_graph_lights_what_is_active() -> None:
    session = written(GRAMMAR, "<a")
    view = OperatorView(session)
    active = {each["operator"] for each in session.trace.steps[-1].operators["at"]}
    assert view.to_dot() == session.compiled.operators().to_dot(active)
    assert view.to_dot().count("fillcolor") == len(active)


def test_a_recursive_grammar_says_why_and_what_to_do() -> None:
    view = OperatorView(written('root ::= "(" root ")" | "a"', "(("))
    lines = view.lines()
    assert lines[0].endswith("root -> root")
    assert "repetition" in lines[1]
    assert view.data()["tree"]["spans"] == [[13, 17]]
    with pytest.raises(PictureError, match="root -> root"):
        view.to_dot()


def test_a_page_that_asks_is_told_tree_and_steps() -> None:
    session = written(GRAMMAR, "<a=")
    page = Page(session)
    try:
        assert all("operators" not in push for push in page.pushes())
        page.ask("operators")
        page.widget._jobs.wait(20.0)  # pyright: ignore[reportPrivateUsage]
        page.widget._flush()  # pyright: ignore[reportPrivateUsage]  now, not with the next frame
        push = next(push for push in page.pushes() if "operators" in push)
        assert push["operators"] == session.trace.operators
        assert [step["operators"] for step in push["steps"]] == [step.operators for step in session.trace.steps]
    finally:
        page.widget.close()
