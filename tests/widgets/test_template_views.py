"""What the views say of a session under an instance of a template."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("anywidget")

import xg2lab as xgr
from xg2lab.errors import SessionError
from xg2lab.lab import Session
from xg2lab.widgets import CacheView, Compare, CostTable, GrammarPad, WhyCard

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


def test_the_why_card_names_the_argument_of_a_token_edge() -> None:
    info = xgr.TokenizerInfo(TOKENS, stop_token_ids=[6])
    template = xgr.Template.from_ebnf(
        TEMPLATE, spelling="tokens", encode=lambda text: [TOKENS.index(bytes([byte])) for byte in text.encode()]
    )
    session = Session(template, info, arguments={"sections": [{"id": "a"}]})
    session.force(0)
    session.select(token=3)
    lines = WhyCard(session).lines()
    assert [line for line in lines if line.endswith(", slot $id, argument /sections/0/id")] == [lines[3]]
    assert "  slot `$id`, argument /sections/0/id\n" in session.issue_text(3)


def test_the_cache_view_counts_what_the_template_had_ready(session: Session) -> None:
    session.force("<a>b")
    view = CacheView(session)
    counts = view.data()["from_template"]
    assert counts[0] == 0  # the section's begin belongs to the request
    assert counts[3] == 1
    session.select(step=3)
    lines = view.lines()
    assert "from the template: 1 of 1 entries" in lines
    assert any(line.endswith("perfect hit from its template") for line in lines), lines
    plain = Session('root ::= "a"', session.tokenizer_info)
    assert CacheView(plain).data()["from_template"] is None


def test_the_cost_table_says_offline_and_request(session: Session) -> None:
    lines = CostTable(session).lines()
    assert [line.split(":")[0] for line in lines[1:3]] == ["once, offline", "for this request"]
    at = next(k for k, line in enumerate(lines) if line.startswith("of the request, "))
    assert lines[3].startswith("compile passes of the template, ")
    assert lines[at + 1].endswith(" check_arguments")
    assert " link: " in lines[at + 2]


def test_a_page_compares_with_the_written_out_grammar(session: Session) -> None:
    session.force("<a>b")
    view = Compare(session)
    assert view.session.on_compare_with({})[0]["is_instance"]
    view.session.on_compare({"written_out": True})
    view.session.comparer.wait(20.0)
    report = view.data()
    assert report is not None
    assert report.ok
    assert report.b.instance is None


def test_a_sessions_pad_holds_template_and_arguments(session: Session) -> None:
    pad = GrammarPad(session=session).wait()
    assert pad.text == TEMPLATE
    assert json.loads(pad.arguments) == {"sections": [{"id": "a"}, {"id": "ab"}]}
    pad.arguments = {"sections": [{"id": 3}]}
    assert any(line.startswith("arguments 4:") for line in pad.wait().lines()), pad.lines()
    pad.arguments = {"sections": []}
    pad.wait().apply()
    assert session.trace.header["template"]["arguments"] == {"sections": []}


def test_a_pad_takes_templates() -> None:
    template = xgr.Template.from_ebnf("root ::= $x")
    for pad in (GrammarPad(template=template, arguments={"x": "a"}), GrammarPad("root ::= $x", arguments='{"x": "a"}')):
        assert pad.wait().data().is_good_current
    pad = GrammarPad(template='root ::= "a"')
    assert pad.data().is_template
    assert not GrammarPad('root ::= "a"').data().is_template
    with pytest.raises(SessionError, match="a pad holds one text"):
        GrammarPad("root ::= $x", template=template)
