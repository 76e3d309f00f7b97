"""TimelineView as text and data: the trace's own lanes, their quantiles, and what was not recorded said as such."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np

from tests.ui.scripted import scripted_session
from xg2lab.lab.trace.lanes import LANES, hidden_share
from xg2lab.widgets import TimelineView


def test_the_data_are_the_lanes_of_the_trace(session: Any) -> None:
    data, trace = TimelineView(session).data(), session.trace
    for name in LANES:
        lane = getattr(trace.steps[2].lanes, name)
        assert (data["steps"][f"{name}_begin_ns"][2], data["steps"][f"{name}_end_ns"][2]) == lane
    waits = data["steps"]["wait_ns"]
    assert waits.tolist() == [step.lanes.wait_ns for step in trace.steps]
    assert data["figures"]["wait"]["sum"] == waits.sum()
    masks = data["steps"]["mask_end_ns"] - data["steps"]["mask_begin_ns"]
    assert data["figures"]["mask"]["p50"] == sorted(masks)[len(masks) // 2]
    assert data["hidden"] == 1 - waits.sum() / masks.sum() == hidden_share([step.lanes for step in trace.steps])
    assert data["overlap"] is False
    assert data["compile_lane"] == trace.header["compile_lane"]


def test_the_prompt_does_not_count_as_a_pass() -> None:
    session = scripted_session(name="slow prompt", delay_s=0.03)
    session._recorder.decoder.runner.delay_s = 0.0
    session.step(4)
    model = TimelineView(session).data()["figures"]["model"]
    assert model["sum"] == sum(b - a for a, b in (step.lanes.model for step in session.trace.steps[1:]))
    assert session.trace.steps[0].model_ms >= 30


def test_the_text_says_the_switch_the_figures_and_the_step() -> None:
    session = scripted_session(name="apart", overlap=False)
    session.step(3)
    session.select(step=2)
    text = repr(TimelineView(session))
    assert "overlap off; 0% of the mask time hidden" in text
    assert re.search(r"prompt [\d.]+ .s, compile [\d.]+ .s, of it waited for", text)
    assert re.search(r"step 2: model .*, mask .*, apply .*, sample .*; waited for the mask", text)
    assert max(map(len, text.splitlines()[1:])) <= 100


def test_an_older_trace_has_no_times_and_says_so(session: Any) -> None:
    trace = session.trace
    trace.steps = [replace(step, lanes=None) for step in trace.steps]
    trace.header = trace.header | {"overlap": None, "compile_lane": None}
    view = TimelineView(session)
    assert view.data()["figures"] == {}
    assert view.data()["hidden"] is None
    assert np.isnan(view.data()["steps"]["model_end_ns"]).all()
    assert "its times were not recorded" in repr(view)


def test_a_session_without_a_model_has_masks_alone(session: Any) -> None:
    from xg2lab.lab import Session

    alone = Session("root ::= [ab]+", session.tokenizer_info, name="alone")
    alone.force("a")
    view = TimelineView(alone)
    assert set(view.data()["figures"]) == {"mask"}
    assert view.data()["hidden"] is None
    assert "waited" not in repr(view)
