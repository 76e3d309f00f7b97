"""TimelineView: its figures are the trace's, clicks and keys select and zoom, it fits."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from .jupyter import Lab
from .one_view import axe_findings, looks
from .plain import PlainPage

pytestmark = pytest.mark.browser

SETUP = """
from tests.ui.scripted import scripted_session
from xg2lab.widgets import *
session = scripted_session(name="beside", delay_s=0.002, overlap=True)
session.run()
apart = scripted_session(name="apart", overlap=False)
apart.run()
"""


@pytest.fixture(scope="module")
def notebook(lab: Lab) -> PlainPage:
    """A page with a timeline beside a tape, and one of a session without overlap."""
    lab.errors.clear()
    cells = [SETUP, "TimelineView(session)", "Tape(session)", "TimelineView(apart)"]
    page = lab.show(cells)
    page.run_all()
    expect(page.locator("[data-xg2lab=timeline_view] [data-lane]")).to_have_count(8)
    return page


def view(notebook: PlainPage, selector: str, nth: int = 0) -> Locator:
    """A part of the view: of the first, or of the one without overlap."""
    return notebook.locator("[data-xg2lab=timeline_view]").nth(nth).locator(selector)


def ask(notebook: PlainPage, expression: str) -> Any:
    """A value of the kernel, by way of JSON."""
    return json.loads(notebook.python(f"import json; print(json.dumps({expression}))"))


def go_to(notebook: PlainPage, step: int) -> None:
    """The cursor on a step, chosen in Python."""
    notebook.settled()  # what the page has chosen is told when the reader rests, and would come after it
    notebook.python(f"session.select(**dict.fromkeys(session.selection) | {{'step': {step}}})")
    expect(view(notebook, "[role=slider]")).to_have_attribute("aria-valuenow", str(step))


def shown(ns: float) -> str:
    """A time as the page writes it."""
    us = ns / 1e3
    if us >= 1000:
        return f"{us / 1000:#.3g} ms"
    return f"{us:.0f} µs" if us >= 10 else f"{us:.1f} µs"


def test_the_figures_are_those_of_the_trace(notebook: PlainPage) -> None:
    figures = ask(notebook, "TimelineView(session).data()['figures']")
    assert set(figures) == {"model", "mask", "wait"}
    for name in ("model", "mask"):
        expect(view(notebook, f"[data-figures={name}]")).to_contain_text(shown(figures[name]["p50"]))
    hidden = ask(notebook, "TimelineView(session).data()['hidden']")
    expect(view(notebook, ".readout")).to_contain_text(f"overlap on; {round(hidden * 100)} % of the mask time hidden")
    expect(view(notebook, ".readout", 1)).to_contain_text("overlap off; 0 % of the mask time hidden")
    expect(view(notebook, "[data-prefill]")).to_contain_text("compilation")


def test_the_wait_is_drawn_where_there_is_one(notebook: PlainPage) -> None:
    n = ask(notebook, "len(apart.trace.steps)")
    path = view(notebook, "[data-lane=wait] path", 1).get_attribute("d") or ""
    assert path.count("M") == n  # without overlap every mask is waited for
    model = view(notebook, "[data-lane=model] path", 1).get_attribute("d") or ""
    assert model.count("M") == n


def test_a_click_and_the_arrows_move_the_cursor_of_every_view(notebook: PlainPage) -> None:
    go_to(notebook, 3)
    slider = view(notebook, "[role=slider]")
    slider.scroll_into_view_if_needed()
    slider.focus()
    notebook.page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuenow", "4")
    notebook.settled()
    assert ask(notebook, "session.selection['step']") == 4
    box = slider.bounding_box()
    assert box is not None
    notebook.page.mouse.click(box["x"] + box["width"] - 4, box["y"] + 40)
    last = int(slider.get_attribute("aria-valuenow") or 0)
    assert last > 4
    notebook.settled()
    assert ask(notebook, "session.selection['step']") in (last, None)
    expect(view(notebook, "[data-said]")).to_contain_text(f"Step {last}: model")
    notebook.page.mouse.move(box["x"] + 70, box["y"] + 40)
    expect(view(notebook, "[data-said]")).not_to_contain_text(f"Step {last}:")
    expect(slider).to_have_attribute("aria-valuenow", str(last))


def test_keys_zoom_and_the_cursor_stays_in_sight(notebook: PlainPage) -> None:
    go_to(notebook, 0)
    slider = view(notebook, "[role=slider]")
    slider.focus()
    lane = view(notebook, "[data-lane=model] path")

    def n_bars() -> int:
        return (lane.get_attribute("d") or "").count("M")

    notebook.page.keyboard.press("0")
    notebook.settled()
    n_all = n_bars()
    assert n_all == ask(notebook, "sum(s.lanes.model is not None for s in session.trace.steps)")
    for _ in range(3):
        notebook.page.keyboard.press("+")
    notebook.settled()
    assert 0 < n_bars() < n_all
    notebook.page.keyboard.press("End")
    notebook.settled()
    numbers = view(notebook, "svg text.haloed")
    expect(numbers).to_have_text(slider.get_attribute("aria-valuenow") or "")
    notebook.page.keyboard.press("0")
    notebook.page.keyboard.press("Home")
    notebook.settled()
    assert n_bars() == n_all
    assert ask(notebook, "len(session.trace.branches)") == 0, "the keys took nothing back"


def test_the_table_says_the_same(notebook: PlainPage) -> None:
    go_to(notebook, 1)
    view(notebook, ".panel").focus()
    notebook.page.keyboard.press("t")
    rows = view(notebook, "[aria-label='Times, a row a step'] tbody tr")
    expect(rows).to_have_count(ask(notebook, "len(session.trace.steps)"))
    mask = ask(notebook, "(lambda lane: lane[1] - lane[0])(session.trace.steps[2].lanes.mask)")
    expect(rows.nth(2)).to_contain_text(shown(mask))
    rows.nth(2).locator("button").click()
    notebook.settled()
    assert ask(notebook, "session.selection['step']") == 2
    view(notebook, "button[aria-label='Timeline as a table']").click()
    expect(view(notebook, "[role=slider]")).to_be_visible()


@looks(1600, 1280, 524)
def test_it_fits_and_axe_finds_nothing_serious(notebook: PlainPage, shots: Path, width: int, dark: bool) -> None:
    go_to(notebook, 5)
    notebook.theme(dark)
    notebook.page.set_viewport_size({"width": width, "height": 1400})
    try:
        notebook.settled()
        for nth, name in enumerate(("beside", "apart")):
            panel = view(notebook, ".panel", nth)
            panel.scroll_into_view_if_needed()
            assert panel.evaluate("e => e.scrollWidth - e.clientWidth") <= 1
            assert view(notebook, ".body", nth).evaluate("e => e.scrollWidth - e.clientWidth") <= 1
            panel.screenshot(path=str(shots / f"timeline-{name}-{width}-{'dark' if dark else 'light'}.png"))
        assert axe_findings(notebook, "timeline_view", dark=dark) == []
    finally:
        notebook.page.set_viewport_size({"width": 1600, "height": 1400})
        notebook.theme(False)


def test_a_run_shows_how_far_it_is_and_escape_ends_it_at_once(notebook: PlainPage) -> None:
    notebook.python("slow = scripted_session(name='slow', delay_s=1.0, overlap=False)")
    notebook.run_cell(notebook.add("TimelineView(slow)"))
    last = notebook.locator("[data-xg2lab=timeline_view]").nth(2)
    expect(last.locator("[role=slider]")).to_be_visible()
    most = ask(notebook, "slow.max_tokens")  # before the run: its bar is there only as long as the run is
    last.locator(".panel").press(" ")
    bar = last.locator("[role=progressbar]")
    expect(bar).to_have_attribute("aria-valuemax", str(most))
    expect(last.locator(".progress")).to_contain_text("of at most 2,000")
    expect(bar).to_have_attribute("aria-valuenow", re.compile("[2-9]|[1-9][0-9]+"))  # whichever is seen first of a run
    notebook.page.keyboard.press("Escape")
    expect(bar).to_have_count(0)
    assert ask(notebook, "slow.status") == "paused"  # of a run that came to its end it would be another
    taken = ask(notebook, "slow.trace.n_decided")
    assert ask(notebook, "len(slow.step())") == 1
    assert ask(notebook, "slow.trace.n_decided") == taken + 1  # a run that went on would have taken steps of its own


def test_nothing_was_complained_of(lab: Lab, notebook: PlainPage) -> None:
    expect(view(notebook, ".panel")).to_have_count(1)
    assert [e for e in lab.errors if "xg2lab" in e or "TypeError" in e] == []
