"""What a page is told beside the record: the facts are Python's own, and the record is in it as it was."""

from __future__ import annotations

import json
from typing import Any

import pytest

import xg2lab as xgr
from tests.ui.scripted import scripted_session
from xg2lab.lab import Session
from xg2lab.lab.trace.costs import costs_of, innermost
from xg2lab.lab.trace.derivation import derivation
from xg2lab.lab.trace.entries import entries_of_operators
from xg2lab.lab.trace.issue import issue_text, missing_edges, range_text
from xg2lab.lab.trace.lanes import figures as lane_figures
from xg2lab.lab.trace.lost_mass import recorded_loss
from xg2lab.lab.trace.written import segments_of, share_of
from xg2lab.widgets import page_trace
from xg2lab.widgets.page_trace import (
    figures,
    replayed,
    told_chart,
    told_explanation,
    told_steps,
    told_trace,
    written_program,
)

from .conftest import Page

BYTES = xgr.TokenizerInfo([bytes([b]) for b in range(256)] + [b"</s>"], stop_token_ids=[256])


@pytest.fixture
def trace() -> Any:
    """A few scripted steps, with operators if the grammar has a tree of them."""
    session = scripted_session()
    session.step(6)
    return session.trace


def issue_of(replay: dict[str, Any], step: int, token: int | str) -> str | None:
    """The text of an issue, as the page reads it in a replay."""
    lines = replay["steps"][step]["explain"][str(token)].get("issue")
    return None if lines is None else "\n".join(replay["issue_lines"][number] for number in lines)


def test_the_record_is_in_it_as_it_was(trace: Any) -> None:
    before = json.dumps(trace.to_wire(bulk=False))
    told, recorded = told_trace(trace), trace.to_wire(bulk=False)
    assert json.dumps(trace.to_wire(bulk=False)) == before
    apart = {"steps", "chart"}
    assert {k: told[k] for k in recorded if k not in apart} == {k: v for k, v in recorded.items() if k not in apart}
    assert {name: told["chart"][name] for name in recorded["chart"]} == recorded["chart"]
    changed = {"explain", "entries"}  # more is said of what is in them
    for step, own in zip(told["steps"], recorded["steps"], strict=True):
        assert {k: step[k] for k in own if k not in changed} == {k: v for k, v in own.items() if k not in changed}
        assert [{k: e[k] for k in mine} for e, mine in zip(step["entries"], own["entries"], strict=True)] == own[
            "entries"
        ]


def test_an_explanation_names_edges_slots_and_innermost_items(trace: Any) -> None:
    for step, told in zip(trace.steps, told_steps(trace), strict=True):
        for token, why in step.explain.items():
            page = told["explain"][str(token)]
            edges = [(edge.state, range_text(edge.ranges)) for edge in missing_edges(trace.program, why)]
            assert [(state, text) for state, _, text in page["missing"]] == edges
            for mine, theirs in zip(why["walk"], page["walk"], strict=True):
                inner = innermost(trace.program, mine["items"])
                assert (None if theirs["inner"] is None else theirs["items"][theirs["inner"]]) == inner
        assert (None if told["inner"] is None else told["live"][told["inner"]]) == innermost(trace.program, step.live)


def test_items_before_edges_of_bytes_and_of_tokens_are_told_once() -> None:
    ready = xgr.GrammarCompiler(BYTES).compile_template('root ::= "<" $x ">"')
    session = Session(ready.instantiate(x="ab"))
    session.force("<")
    why = session.explain(ord("z"))
    item = why["expected_by"][0] | {"argument": "/x"}
    told = told_explanation(session.trace.program, why | {"expected_by": [item], "expected_tokens": [item, item]})
    assert [one["slot"] for one in told["expected_by"]] == ["$x"]
    assert "expected_tokens" not in told
    assert "slot" not in item


def test_the_blocked_mass_is_told_as_far_as_it_was_recorded(trace: Any) -> None:
    told = told_steps(trace)
    assert any(step["lost"] and step["lost"]["groups"] for step in told)
    for step, page in zip(trace.steps, told, strict=True):
        lost = recorded_loss(step, trace.header["vocab_size"])
        assert page["lost"] == (None if lost is None else lost.to_wire())
        if lost is not None:
            assert lost.rest + sum(group.mass for group in lost.groups) == pytest.approx(lost.total)
            assert lost.n_rest + sum(len(group.token_ids) for group in lost.groups) + step.n_allowed == len(
                trace.bulk.get(step.index).provenance
            )


def test_steps_join_to_the_segments_of_operators() -> None:
    session = Session('root ::= "<" [a-z]+ "=" ("yes" | "no")', BYTES)
    session.force("<ab=y")
    assert [step["written"] for step in told_steps(session.trace)] == [None] * 6
    session.record_operators()
    joined: list[list[Any]] = []
    for step in told_steps(session.trace):
        if (written := step["written"]) is None:
            continue
        if written["begins"]:
            joined.append([step["index"], step["index"], written["writer"], written["text"]])
        else:
            joined[-1][1::2] = step["index"], written["text"]
    assert joined == [[one.first, one.last, one.writer, one.text] for one in segments_of(session.trace)]
    assert len(joined) == 4
    # the steps of a push say the same as those of the whole
    assert told_steps(session.trace, 2) == told_steps(session.trace)[2:]


def test_readers_and_makers_give_the_entries_of_operators() -> None:
    ready = xgr.GrammarCompiler(BYTES).compile_template(
        'root ::= Each($xs, x)\nx ::= "<item " $id ">" [a-z]{1,3} "</item>"'
    )
    ready.make_masks()
    session = Session(ready.instantiate(xs=[{"id": "one"}, {"id": "two"}]))
    session.force("<item one>ab</item><item tw")
    session.record_operators()
    trace, told = session.trace, told_trace(session.trace)
    assert told["linked"]
    newest = {(e["state"], e["counts"]): e for step in told["steps"] for e in step["entries"]}
    readers = {(begin, end): states for begin, end, states in told["operators"]["readers"]}
    expected = entries_of_operators(trace, len(trace.steps) - 1)
    assert len(expected) > 4
    assert trace.operators is not None
    for number, row in enumerate(trace.operators["rows"]):
        states = readers.get((row[3], row[4]), []) if row[0] in ("Write", "Wait") else []
        made_from = {state: trace.program["states"][state].get("argument") for state in states}
        own = [state for state in states if made_from[state] in (None, row[9])]
        found = [(e["state"], e["maker"], e["hits"]) for (state, _), e in newest.items() if state in own]
        assert sorted(found) == sorted((e.state, e.maker, e.hits) for e in expected.get(number, []))


def test_facts_of_the_chart_are_told_column_by_column() -> None:
    as_written = xgr.EngineOptions(rule_inlining=False, right_recursion_to_repeat=False)
    session = Session('root ::= gap x\ngap ::= "a"?\nx ::= x x | "1"', BYTES, options=as_written)
    session.force("1111")
    whole = told_chart(session.trace)
    assert {name for name, rows in whole.items() if rows} == {"ways_read", "stepped_over"}
    for column in range(6):
        later = {name: [row for row in rows if row[0] >= column] for name, rows in whole.items()}
        assert told_chart(session.trace, column) == {name: rows for name, rows in later.items() if rows}
    session.back(1)
    assert told_chart(session.trace) == {name: [r for r in rows if r[0] < 4] for name, rows in whole.items()}


def test_a_step_tells_where_the_tree_before_it_begins(trace: Any) -> None:
    for step, told in zip(trace.steps, told_steps(trace), strict=True):
        tree, root = derivation(trace, step.byte_begin), told["root"]
        assert tuple(root["line"][0]) == tree.item
        assert root["is_whole"] == (tree.end is not None)
    unrecorded = Session('root ::= "ab"', BYTES, record_chart=False)
    unrecorded.force("a")
    assert [step["root"] for step in told_steps(unrecorded.trace)] == [None, None]


def test_figures_are_those_of_the_modules_that_own_them(trace: Any) -> None:
    told, costs = json.loads(json.dumps(figures(trace))), costs_of(trace)
    assert [rule["us"] for rule in told["costs"]["rules"]] == [rule.us for rule in costs.rules]
    assert [one["change"] for one in told["costs"]["passes"] or []] == [one.change for one in costs.passes or ()]
    assert told["costs"]["mask_us"] == costs.mask_us
    assert told["lanes"]["rows"] == lane_figures([step.lanes for step in trace.steps])
    assert told["share"] is None


def test_the_share_is_told_once_there_are_operators_and_a_token() -> None:
    session = Session('root ::= "ab"', BYTES)
    session.record_operators()
    assert figures(session.trace)["share"] is None
    session.force("a")
    assert figures(session.trace)["share"] == str(share_of(session.trace))


def test_an_instance_tells_what_was_paid_offline() -> None:
    ready = xgr.GrammarCompiler(BYTES).compile_template('root ::= "<" $x ">"')
    trace = Session(ready.instantiate(x="ab")).trace
    told, costs = figures(trace)["costs"]["template"], costs_of(trace).template
    assert costs is not None
    assert [one["us"] for one in told["paid"]] == [costs.offline_us, costs.request_us]
    assert told["paid"][1]["rows"][-1] == ["first mask", trace.steps[0].mask_us]


def test_a_replay_has_the_text_of_every_recorded_issue(trace: Any) -> None:
    replay = json.loads(json.dumps(replayed(trace)))
    n = 0
    for step in trace.steps:
        taken = [(s.token_id, s.data) for s in trace.steps[: step.index]]
        for token, why in step.explain.items():
            seen = next(line for line in replay["issue_lines"] if line.startswith("- seen with: "))
            text = issue_text(
                trace.header, trace.program, step.to_wire(), taken, why, seen.removeprefix("- seen with: ")
            )
            assert issue_of(replay, step.index, token) == text
            n += 1
    assert n > 20
    assert len(set(replay["issue_lines"])) == len(replay["issue_lines"])


def test_more_explanations_come_with_their_texts() -> None:
    session = scripted_session()
    session.step(3)
    token = session.tokenizer_info.decoded_vocab.index(b"celsius")
    other = next(t for t in range(40) if t not in session.trace.steps[3].explain)
    replay = replayed(session.trace, {3: {other: session.explain(other, 3)}})
    assert issue_of(replay, 3, other) == session.issue_text(other, 3)
    assert issue_of(replay, 3, token) == session.issue_text(token, 3)


def test_of_a_long_run_the_newest_steps_keep_their_texts(trace: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_trace, "MOST_ISSUE_CHARACTERS", 4000)
    replay = replayed(trace)
    kept = [any("issue" in why for why in step["explain"].values()) for step in replay["steps"]]
    assert kept[-1]
    assert not kept[0]
    assert kept == sorted(kept)
    assert sum(map(len, replay["issue_lines"])) <= 4000


def test_an_explanation_names_the_items_as_written_beside_the_engines() -> None:
    info = xgr.TokenizerInfo([bytes([b]) for b in range(256)] + [b"</s>"], stop_token_ids=[256])
    session = Session('root ::= sum\nsum ::= sum "+" num | num\nnum ::= [0-9]\n', info)
    session.record_as_written()
    program = written_program(session.trace)
    assert program is not None
    why = session.explain(b"1x")
    told = told_explanation(session.trace.program, why, written=program)
    names = [program["rules"][rule]["name"] for _, rule, _ in told.get("missing_as_written", [])]
    assert (names, [edge[2] for edge in told.get("missing_as_written", [])]) == (["sum"], ["2B"])
    first = told.get("walk_as_written", [])[0]
    inner = first["items"][first["inner"]]
    assert (program["rules"][inner["rule"]]["name"], inner["before"]) == ("sum", "sum")
    assert "missing_as_written" not in told_explanation(session.trace.program, why)


def test_a_page_that_shows_figures_gets_them_with_pushes(page: Page, session: Any) -> None:
    session.step()
    page.ask("settle")
    assert all("figures" not in push for push in page.pushes())
    asked = page.ask("watch", bulk=False, figures=True)[0]["figures"]
    assert asked == figures(session.trace)
    page.told.clear()
    session.step()
    page.ask("settle")
    assert page.pushes()[-1]["figures"] == figures(session.trace)
    page.told.clear()
    page.ask("run")
    page.widget._jobs.wait(20)  # pyright: ignore[reportPrivateUsage]
    page.ask("settle")
    last = next(push for push in reversed(page.pushes()) if "figures" in push)
    assert last["figures"] == figures(session.trace)
    assert page.ask("watch", bulk=False, figures=False)[0] == {"re": "1"}
    page.told.clear()
    session.back(1)
    page.ask("settle")
    assert page.pushes()
    assert all("figures" not in push for push in page.pushes())
