"""OperatorView in Python: what it says at the cursor, its graph, what a page is told."""

from __future__ import annotations

import re
from typing import Any

import pytest

pytest.importorskip("anywidget")

import numpy as np

import xg2lab as xgr
from xg2lab.errors import PictureError
from xg2lab.lab import Session
from xg2lab.lab.trace.operators import headline
from xg2lab.widgets import OperatorView, Tape

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
    assert re.findall(r"  \[(.*?)\](?:  |$)", "\n".join(lines), re.MULTILINE) == [
        "1 of 1–2",
        "branch 1 of 2",
        "1 of 3 bytes",
    ]
    assert sum(line.startswith("*") for line in lines) == 1
    session.select(step=2)
    assert sum(line.startswith("*") for line in view.lines()) == 2
    assert view.data()["active"] == session.trace.steps[2].operators


def test_lines_that_read_text_say_what_their_masks_cost_and_who_made_them() -> None:
    xgr.GrammarCompiler(BYTES).clear_cache()  # the pool may hold another test's entries
    session = written(GRAMMAR, "<a=y")
    view = OperatorView(session)
    entries = view.data()["entries"]
    rows = session.trace.operators["rows"]
    assert {rows[number][0] for number in entries} == {"Write", "Wait"}
    assert {entry.maker for found in entries.values() for entry in found} == {"own"}
    used = {entry["state"] for step in session.trace.steps for entry in step.entries}
    assert {entry.state for found in entries.values() for entry in found} == used
    for number, found in entries.items():
        begin, end = rows[number][3:5]
        for entry in found:
            spans = session.trace.program["states"][entry.state]["spans"]
            assert any(b < end and begin < e for b, e in spans)
    (line,) = (line for line in view.lines() if 'Write "<"' in line)
    assert re.search(r"\(1 mask entry: own, 0 hits, [\d.]+ m?us\)$", line)
    session.select(step=0)
    assert set(view.data()["entries"]) == {next(k for k, row in enumerate(rows) if row[5] == 'Write "<"')}


def test_entries_that_another_grammar_gave_are_the_pools() -> None:
    options = xgr.EngineOptions(rule_inlining=False)
    compiler = xgr.GrammarCompiler(BYTES, options=options)
    compiler.clear_cache()
    kept = []
    for root in ('root ::= word ";" "x"', 'root ::= word ";" "y"'):
        compiled = compiler.compile_grammar(root + "\nword ::= [a-z]+")
        kept.append(Session(compiled))
        kept[-1].force("ab")
    makers = [
        {entry.maker for found in OperatorView(session).data()["entries"].values() for entry in found}
        for session in kept
    ]
    assert makers[0] == {"own"}
    assert "pool" in makers[1]


def test_an_instance_shows_arguments_and_what_its_template_had_ready() -> None:
    ready = xgr.GrammarCompiler(BYTES).compile_template(
        'root ::= Each($xs, x)\nx ::= "<item " $id ">" [a-z]{1,3} "</item>"'
    )
    ready.make_masks()
    session = Session(ready.instantiate(xs=[{"id": "one"}, {"id": "two"}]))
    session.force("<item one>ab</item><item tw")
    view = OperatorView(session)
    facts, rows = view.data(), session.record_operators() or session.trace.operators["rows"]
    assert facts["arguments"] == {"xs": [{"id": "one"}, {"id": "two"}]}
    makers = {row[5]: {entry.maker for entry in facts["entries"].get(number, [])} for number, row in enumerate(rows)}
    assert makers['Write "one"'] == makers['Write "two"'] == {"own"}
    assert makers['Write "<item "'] == makers["Wait allows=[a-z]"] == {"template"}
    of_id = {row[5]: facts["entries"][number] for number, row in enumerate(rows) if row[8] == "id"}
    assert len(of_id['Write "one"']) == 3
    assert len(of_id['Write "two"']) == 3  # before "t", "w" and "o"
    assert not {e.state for e in of_id['Write "one"']} & {e.state for e in of_id['Write "two"']}
    (line,) = (line for line in view.lines() if 'Write "one"' in line)
    assert '$id /xs/0/id = "one"  (3 mask entries: own, ' in line


def test_the_tape_is_cut_by_operator() -> None:
    session = written(GRAMMAR, "<ab=y")
    tape = Tape(session)
    assert "by operator" not in tape.lines()
    assert np.isnan(tape.data()["operator"]).all()
    OperatorView(session)
    lines = tape.lines()
    at = lines.index("by operator")
    assert lines[at - 1].startswith("without a choice of the model: 0 of 5 tokens, 0 %")
    assert lines[at + 1 :] == [
        "  step 0: Write \"<\": '<'",
        "  steps 1 to 2: Wait allows=[a-z]: 'ab'",
        "  step 3: Write \"=\": '='",
        "  step 4: Write \"yes\": 'y'",
    ]
    operator = tape.data()["operator"]
    rows = session.trace.operators["rows"]
    assert [None if np.isnan(n) else rows[int(n)][5] for n in operator] == [
        'Write "<"', "Wait allows=[a-z]", "Wait allows=[a-z]", 'Write "="', 'Write "yes"', None,
    ]  # fmt: skip


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
        assert push["operators"] == session.trace.operators | {
            "readers": push["operators"]["readers"],
            "filled": {},
            "headline": headline(session.trace.operators),
        }
        for told, step in zip(push["steps"], session.trace.steps, strict=True):
            assert told["operators"] == step.operators | {"said": told["operators"]["said"]}
    finally:
        page.widget.close()
