"""Views as graphs: each draws the step under its cursor, as its data have it."""

from __future__ import annotations

from typing import Any

import pytest

import xg2lab as xgr
from xg2lab.errors import ArgumentError, PictureError
from xg2lab.lab import Session
from xg2lab.lab.trace.derivation import derivation
from xg2lab.lab.trace.graphs import chart_dot, tree_dot
from xg2lab.widgets import ChartView, DispatchView, FsmView, Tape

BYTES = xgr.TokenizerInfo([bytes([byte]) for byte in range(256)] + [b"</s>"], stop_token_ids=[256])


def written(grammar: str, text: str, **options: Any) -> Session:
    """A session that wrote `text`, byte by byte."""
    session = Session(grammar, BYTES, options=xgr.EngineOptions(rule_inlining=False, **options))
    for byte in text.encode():
        session.force(byte)
    return session


def test_the_machine_that_is_shown_or_another(session: Any) -> None:
    view = FsmView(session)
    rule = view.data()["rule"]
    assert view.to_dot().startswith(f'digraph "{rule["name"]}"')
    assert view.to_dot().count("fillcolor") == len(view.data()["live"])
    assert view.to_dot("root").startswith('digraph "root"')
    with pytest.raises(ArgumentError, match="no rule 'nobody'"):
        view.to_dot("nobody")


def test_tree_and_chart_follow_the_cursor(session: Any) -> None:
    view = ChartView(session)
    for step in (0, 2, 4):
        session.select(step=step)
        at = session.trace.steps[step].byte_begin
        drawn = session.trace.drawn_as_written()
        assert drawn is not session.trace
        assert view.to_dot() == tree_dot(derivation(drawn, at))
        assert view.to_dot(as_written=False) == tree_dot(derivation(session.trace, at))
        assert view.to_dot("chart", most_columns=3, theme="dark") == chart_dot(drawn, at, most_columns=3, theme="dark")
    with pytest.raises(ArgumentError, match="no graph 'stacks' here") as refused:
        view.to_dot("stacks")
    assert 'stacks are of parser="pda"' in refused.value.hint


def test_stacks_are_a_graph_where_there_are_stacks() -> None:
    view = ChartView(written('root ::= "(" root ")" | "a" "b"?', "((a", parser="pda"))
    stacks = view.stacks()
    assert stacks is not None
    dot = view.to_dot("stacks")
    assert dot.count("fillcolor") == stacks["n_stacks"]
    assert "bottom -> f" in dot


def test_triggers_are_a_graph_where_there_are_tags(session: Any) -> None:
    grammar = 'root ::= TagDispatch(("<tool>", call))\ncall ::= "x"+ "</tool>"'
    view = DispatchView(written(grammar, "text <to"))
    lit = [line for line in view.to_dot().splitlines() if "fillcolor" in line]
    assert [line.split()[0] for line in lit] == ["n3"]  # three bytes of the trigger are read
    with pytest.raises(PictureError, match="this grammar has no tags"):
        DispatchView(session).to_dot()


def test_what_is_no_graph_says_what_it_can_be(session: Any) -> None:
    with pytest.raises(PictureError, match="a Tape is not a graph") as refused:
        Tape(session).to_graphviz()
    assert "to_svg()" in refused.value.hint
