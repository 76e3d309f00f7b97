"""What the views say of a session under an instance of a template."""

from __future__ import annotations

import pytest

pytest.importorskip("anywidget")

import xg2lab as xgr
from xg2lab.lab import Session
from xg2lab.widgets import WhyCard

TEMPLATE = """root    ::= Each($sections, section)
section ::= "<" $id ">" [a-z]+
"""
TOKENS = [b"<", b">", b"a", b"b", b"ab", b".", b"</s>"]


@pytest.fixture
def session() -> Session:
    info = xgr.TokenizerInfo(TOKENS, stop_token_ids=[6])
    return Session(xgr.Template.from_ebnf(TEMPLATE), info, arguments={"sections": [{"id": "a"}, {"id": "ab"}]})


def test_the_why_card_names_slot_and_argument(session: Session) -> None:
    session.force("<a>b<")
    session.select(token=3)
    lines = WhyCard(session).lines()
    assert any(line.endswith(", slot $id, argument /sections/1/id") for line in lines), lines
    session.back(3)
    session.select(token=5)
    assert not any("slot" in line for line in WhyCard(session).lines())
