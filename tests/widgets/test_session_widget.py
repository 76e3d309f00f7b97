"""The session widget: what it pushes adds up to the trace, what it is asked it answers, what fails is told."""

from __future__ import annotations

import gzip
import json
import struct
import threading
from typing import Any

import numpy as np
import pytest

from tests.ui.scripted import TARGET, Gate, scripted_session

pytest.importorskip("anywidget")

from xg2lab.widgets import session_widget as session_widget_module
from xg2lab.widgets.pace import PATIENCE_S, Pace
from xg2lab.widgets.page_trace import replayed, told_explanation, told_trace
from xg2lab.widgets.registry import session_widget
from xg2lab.widgets.runtime import runtime

from .conftest import Page


def copy_of(trace: dict[str, Any], push: dict[str, Any]) -> dict[str, Any]:
    """What `applyPush` of the page does."""
    old = {"steps": [], "chart": {"columns": []}, "branches": []} if push.get("reset") else trace
    rows = {
        name: [row for row in old["chart"].get(name, []) if row[0] < push["keep_columns"]] + push.get(name, [])
        for name in ("ways", "ways_read", "stepped_over")
    }
    return {
        "header": push.get("header", trace.get("header")),
        "program": push.get("program", trace.get("program")),
        "steps": old["steps"][: push["keep_steps"]] + push["steps"],
        "branches": old["branches"][: push["keep_branches"]] + push["branches"],
        "chart": {"columns": old["chart"]["columns"][: push["keep_columns"]] + push["columns"]}
        | {name: found for name, found in rows.items() if found},
    }


def settle(page: Page) -> None:
    """Until the worker is done and the last frame was pushed."""
    page.widget._jobs.wait(20)
    page.ask("settle")


def test_pushes_add_up_to_the_trace(page: Page, session: Any) -> None:
    held = json.loads(gzip.decompress(page.ask("trace")[1][0]))
    session.step(4)
    session.back(2)
    session.force("ba")
    session.step(1)
    session.run(max_tokens=5)
    page.ask("settle")
    for push in page.pushes():
        held = copy_of(held, json.loads(json.dumps(push)))
    wire = json.loads(json.dumps(told_trace(session.trace)))
    assert {k: held[k] for k in ("steps", "branches", "chart")} == {k: wire[k] for k in ("steps", "branches", "chart")}
    session.reset("another prompt")
    page.ask("settle")
    for push in page.pushes():
        held = copy_of(held, json.loads(json.dumps(push)))
    assert held["header"]["prompt"] == "another prompt"
    assert len(held["steps"]) == 1


def test_pushes_are_numbered_without_gaps_and_one_step_sends_one_step(page: Page, session: Any) -> None:
    for _ in range(3):
        session.step()
        page.ask("settle")  # its frame has come
    seqs = [p["seq"] for p in page.pushes()]
    assert seqs == list(range(seqs[0], seqs[0] + len(seqs)))
    assert max(len(p["steps"]) for p in page.pushes()) == 2  # the decided step and the pending one


def test_a_fast_run_is_told_in_frames(page: Page) -> None:
    page.ask("run")
    settle(page)
    n_steps = page.widget.session.trace.n_decided
    assert page.widget.session.status == "terminated"
    assert page.widget.session.text == TARGET
    assert n_steps > 20
    assert page.pushes()[-1]["status"] == "terminated"


def test_commands_step_in_order(page: Page, session: Any) -> None:
    for _ in range(3):
        page.ask("step", n=1)
    page.ask("back", n=2)
    settle(page)
    assert session.trace.n_decided == 6
    quote = session.tokenizer_info.decoded_vocab.index(b'", "')
    page.ask("force", token=quote)
    settle(page)
    assert session.trace.steps[6].kind == "forced_by_user"


def test_a_force_at_an_earlier_step_branches_there(page: Page, session: Any) -> None:
    step = session.trace.steps[2]
    other = next(
        k for k in range(session.tokenizer_info.vocab_size) if k != step.token_id and session.explain(k, 2)["allowed"]
    )
    page.ask("force", token=other, step=2)
    settle(page)
    assert [(s.kind, s.token_id) for s in session.trace.steps[2:3]] == [("forced_by_user", other)]
    assert session.trace.branches[-1].at == 2


def test_branch_here_and_undo_of_a_force(page: Page, session: Any) -> None:
    page.ask("force", token=session.trace.pending.top[0].token_id)
    page.ask("undo_force")
    settle(page)
    assert (session.trace.n_decided, len(session.trace.branches)) == (5, 1)
    page.ask("back_to", step=2)
    settle(page)
    assert session.trace.n_decided == 2
    assert [branch.at for branch in session.trace.branches] == [5, 2]
    page.ask("undo_force")
    settle(page)
    assert "not forced by the user" in page.pushes()[-1]["error"]["message"]
    session.step()
    settle(page)
    assert page.pushes()[-1]["error"] is None, "the error goes with the next step, whoever takes it"


@pytest.mark.parametrize("frame_s", [0, 3600], ids=["each push at once", "a push when it is asked for"])
def test_a_click_too_many_at_an_end_does_nothing(
    page: Page, session: Any, frame_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("xg2lab.widgets.pace.FRAME_S", frame_s)
    session.run()
    n = session.trace.n_decided
    page.ask("step", n=1, n_decided=n - 1)  # the page had not heard of the last step yet
    settle(page)
    assert page.pushes()[-1]["error"] is None
    page.ask("step", n=1, n_decided=n)  # it had
    settle(page)
    assert "ended" in page.pushes()[-1]["error"]["message"]
    session.reset()
    page.ask("back", n=1, n_decided=1)
    settle(page)
    assert page.pushes()[-1]["error"] is None
    page.ask("back", n=1, n_decided=0)
    settle(page)
    assert "can't go back" in page.pushes()[-1]["error"]["message"]
    page.ask("back", n=1, n_decided=1)  # a command that has nothing to do takes the error off the page all the same
    settle(page)
    assert page.pushes()[-1]["error"] is None


@pytest.mark.parametrize("frame_s", [0, 3600], ids=["each push at once", "a push when it is asked for"])
def test_a_session_that_begins_again_has_no_error_of_before(
    page: Page, session: Any, frame_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("xg2lab.widgets.pace.FRAME_S", frame_s)
    page.ask("undo_force")
    settle(page)
    assert "not forced by the user" in page.pushes()[-1]["error"]["message"]
    session.reset()
    settle(page)
    assert page.pushes()[-1]["error"] is None


def steps_by_push(page: Page, *, draws: bool, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many steps each push of a run of four brings to a page that has greeted, and draws or hangs."""
    monkeypatch.setattr("xg2lab.widgets.pace.FRAME_S", 0)
    monkeypatch.setattr("xg2lab.widgets.pace.PATIENCE_S", 3600)
    widget = page.widget
    page.ask("hello", tag="a")
    widget._flush()  # outside of a run a page draws a push and does not say so
    page.told.clear()
    if draws:
        widget.session.subscribe(
            lambda event: page.ask("shown", tag="a", seq=widget._push) if event["type"] == "step" else None
        )
    page.ask("run", max_tokens=4)
    widget._jobs.wait(60)
    assert page.pushes()[-1]["status"] == "idle"
    return [n for push in page.pushes() if (n := len(push["steps"]))]


def test_a_page_that_draws_gets_each_step_of_a_run(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(steps_by_push(page, draws=True, monkeypatch=monkeypatch)) == 4


def test_a_page_that_does_not_draw_gets_the_first_step_of_a_run_and_the_rest_together(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert steps_by_push(page, draws=False, monkeypatch=monkeypatch) == [2, 4]  # each with the step that is open then


def test_a_page_that_hangs_delays_three_pushes_of_a_run() -> None:
    pace = Pace()
    pace.joined("hangs")

    def waits(push: int) -> bool:
        pace.pushed(push, now=float(push), running=True)
        return pace.due(running=True) == push + PATIENCE_S

    assert [waits(push) for push in range(1, 6)] == [True, True, True, False, False]
    pace.shown("hangs", 5)
    assert waits(6), "it answered, and counts again"


def test_an_issue_is_written_for_ids_and_bytes(page: Page, session: Any) -> None:
    token = next(iter(session.trace.steps[3].explain))
    assert page.ask("issue", step=3, token=int(token))[0]["text"] == session.issue_text(int(token), 3)
    assert "typed, blocked?" in page.ask("issue", step=3, bytes="2122ff")[0]["text"]


def test_a_failing_command_is_told_and_the_next_one_clears_it(page: Page, session: Any) -> None:
    blocked = session.trace.pending.top[-1].token_id
    blocked = next(c.token_id for c in session.trace.pending.top if c.provenance in (0, 3))
    page.ask("force", token=blocked)
    settle(page)
    told = page.pushes()[-1]["error"]
    assert told["type"] == "BlockedTokenError"
    assert told["hint"]
    assert session.trace.n_decided == 5
    page.ask("step", n=1)
    settle(page)
    assert page.pushes()[-1]["error"] is None


def test_a_failing_model_is_told_with_its_steps_kept() -> None:
    page = Page(scripted_session(fail_at=3))
    page.ask("run")
    settle(page)
    last = page.pushes()[-1]
    assert last["status"] == "error"
    assert "out of memory" in last["error"]["message"]
    assert page.widget.session.trace.n_decided >= 1
    page.widget.close()


def test_pause_comes_through_the_runtime() -> None:
    gate = threading.Event()
    gate.set()
    session = scripted_session(gate=gate)
    page = Page(session)
    gate.clear()
    running = threading.Event()
    session.subscribe(lambda event: running.set() if event.get("status") == "running" else None)
    page.ask("run")
    assert running.wait(60)
    runtime().on_pause({"session": page.widget.session_id})
    gate.set()
    settle(page)
    assert page.widget.session.status == "paused"
    page.widget.close()


def test_bulk_has_codes_for_every_token_and_mass_that_adds_up(page: Page, session: Any) -> None:
    page.ask("watch", bulk=True, figures=False)
    content, (provenance, probability) = page.ask("bulk", step=3)
    n = session.tokenizer_info.vocab_size
    assert len(provenance) == len(probability) == n
    assert np.array_equal(np.frombuffer(provenance, np.uint8), session.provenance(3))
    assert sum(content["mass"]) == pytest.approx(1.0, abs=1e-6)
    assert content["mass"][1] + content["mass"][2] + content["mass"][5] == pytest.approx(
        session.trace.steps[3].z, abs=1e-9
    )
    session.step()
    page.ask("settle")
    pushed = [(c, b) for c, b in page.told if "bulk" in c]
    assert pushed[-1][0]["bulk"]["step"] == 6
    assert len(pushed[-1][1]) == 2


def masks_of_a_step(page: Page, session: Any) -> int:
    """The masks that come with the pushes of one step."""
    page.told.clear()
    session.step()
    page.ask("settle")
    assert page.pushes()
    return sum("bulk" in push for push in page.pushes())


def test_a_mask_that_is_asked_for_is_not_watched(page: Page, session: Any) -> None:
    page.ask("bulk", step=3)
    assert masks_of_a_step(page, session) == 0


def test_masks_come_as_long_as_one_of_the_pages_shows_them(page: Page, session: Any) -> None:
    page.ask("watch", tag="left", bulk=True, figures=False)
    page.ask("watch", tag="right", bulk=True, figures=False)
    assert masks_of_a_step(page, session) > 0
    page.ask("watch", tag="left", bulk=False, figures=False)
    assert masks_of_a_step(page, session) > 0
    page.ask("watch", tag="right", bulk=False, figures=False)
    assert masks_of_a_step(page, session) == 0


def test_a_page_that_was_closed_is_forgotten_after_some_pushes(
    page: Page, session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_widget_module, "WATCHED_PUSHES", 8)
    page.ask("watch", tag="closed", bulk=True, figures=False)
    assert masks_of_a_step(page, session) > 0
    for _ in range(8):
        page.widget._flush()
    page.ask("watch", tag="open", bulk=False, figures=True)
    assert masks_of_a_step(page, session) == 0
    assert set(page.widget._watchers) == {"open"}


def test_pages_that_watch_are_bounded(page: Page) -> None:
    for n in range(session_widget_module.MOST_WATCHERS + 5):
        page.ask("watch", tag=f"page{n}", bulk=True, figures=False)
    assert len(page.widget._watchers) == session_widget_module.MOST_WATCHERS
    assert "page4" not in page.widget._watchers
    assert "page5" in page.widget._watchers


def test_vocabulary_reads_back(page: Page, session: Any) -> None:
    _, (blob, offsets, order) = page.ask("vocabulary")
    at = np.frombuffer(offsets, "<u4")
    tokens = [blob[at[k] : at[k + 1]] for k in range(len(at) - 1)]
    assert tokens == session.tokenizer_info.decoded_vocab
    ids = np.frombuffer(order, "<u4")
    assert sorted(ids) == list(range(len(tokens)))
    text = [tokens[k] for k in ids if tokens[k] and k not in session.tokenizer_info.stop_token_ids]
    silent = set(session.tokenizer_info.special_token_ids)
    plain = [
        t
        for k, t in zip(ids, [tokens[k] for k in ids], strict=True)
        if t and k not in silent and k not in session.tokenizer_info.stop_token_ids
    ]
    assert plain == sorted(plain)
    assert text


def test_explain_answers_for_ids_text_and_bytes(page: Page, session: Any) -> None:
    token = session.trace.pending.top[0].token_id
    told = told_explanation(session.trace.program, session.explain(token, 5))
    assert page.ask("explain", step=5, token=token)[0]["explanation"] == told
    assert page.ask("explain", step=5, text="a!")[0]["explanation"]["bytes"] == "6121"
    assert page.ask("explain", step=5, bytes="227d")[0]["explanation"]["text"] == '"}'


def test_wrong_requests_are_refused_in_words(page: Page) -> None:
    assert page.ask("nonsense")[0]["error"]["type"] == "SessionError"
    assert page.ask("set", key="trace", value=1)[0]["error"]["message"]
    assert page.ask("explain", step=99, token=1)[0]["error"]["type"] == "SessionError"


def test_selection_goes_both_ways(page: Page, session: Any) -> None:
    page.ask("set", key="selection", value={"step": 2, "token": 7})
    assert session.selection["step"] == 2
    assert page.widget.selection["token"] == 7
    session.select(rule=1)
    assert page.widget.selection["rule"] == 1


def test_a_model_in_its_pass_holds_no_request_up() -> None:
    """The thread of the requests is the kernel's own: a question that waits for the model waits in another."""
    gate = Gate()
    gate.set()
    session = scripted_session(gate=gate)
    page = Page(session)
    session.step(2)
    gate.clear()
    gate.reached.clear()
    page.ask("run")
    assert gate.reached.wait(60)  # the token is taken, and the model reads it
    page.ask("set", key="selection", value={"step": 1, "token": 7})
    assert page.widget.selection["step"] == session.selection["step"] == 1
    assert not session.at_once(lambda: None)
    asked: list[tuple[str, dict[str, Any]]] = [("explain", {"step": 1, "token": 7}), ("forest", {})]
    asked += [("issue", {"step": 1, "token": 7}), ("lost_mass", {"step": 1}), ("settle", {"replay": True})]
    for kind, body in [*asked, ("pause", {})]:
        page.widget._dispatch({"kind": kind, "id": kind, **body}, [])
    assert {told["re"] for told, _ in page.told if told.get("re") not in (None, "1")} == {"pause"}
    gate.set()
    page.widget._questions.wait(60)
    replies = {told["re"]: told for told, _ in page.told if told.get("re")}
    assert set(replies) == {"pause", *(kind for kind, _ in asked)}
    assert [reply["error"] for reply in replies.values() if "error" in reply] == []
    page.widget._jobs.wait(60)
    assert session.status == "paused"
    assert replies["explain"]["explanation"]["token_id"] == 7
    page.widget.close()


def test_a_frame_that_ends_while_the_page_settles_is_told_once(
    page: Page, session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("xg2lab.widgets.pace.FRAME_S", 3600)
    session.step(2)
    frame = page.widget._frame
    seq = page.ask("settle")[0]["seq"]
    frame.function()  # as its thread does if it waited for the lock when it was cancelled
    assert page.ask("settle")[0]["seq"] == seq


def test_the_replay_is_whole_once_the_session_rests(page: Page, session: Any) -> None:
    widget, kept = page.widget, threading.Event()
    session.step(3)
    n_pushes = page.ask("settle")[0]["seq"]
    # a frame that was due when the page asked may push once more
    widget.observe(lambda change: kept.set() if change.new >= n_pushes else None, "seq")
    assert kept.wait(60) or widget.seq >= n_pushes
    assert json.loads(gzip.decompress(widget.trace)) == json.loads(json.dumps(replayed(session.trace)))
    packed = gzip.decompress(widget.bulk)
    head = json.loads(packed[4 : 4 + struct.unpack("<I", packed[:4])[0]])
    assert [s["step"] for s in head["steps"]] == list(range(9))
    assert head["vocabulary"] is not None
    assert widget.seq == page.pushes()[-1]["seq"]


def test_fifty_steps_fit_into_a_megabyte() -> None:
    session = scripted_session()
    while session.status != "terminated":
        session.step()
    for _ in range(2):
        session.back(20)
        session.run()
    widget = session_widget(session)
    per_step = (len(widget.trace) + len(widget.bulk)) / len(session.trace.steps)
    assert 50 * per_step * 4 / 3 < 1 << 20  # base64 in the notebook
    widget.close()
