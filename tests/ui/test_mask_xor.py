"""A mask held against the step before and against another session, by mouse and by key alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from .jupyter import Lab
from .one_view import OneView, looks

pytestmark = pytest.mark.browser

SETUP = """
from xg2lab import Session
from xg2lab.widgets import *
grammar = 'root ::= "[" [0-9]+ ("," [0-9]+)* "]"'
session = Session(grammar, model="tiny", seed=3, name="mine")
session.force("[1,2")
second = Session(grammar.replace("[0-9]+", "[0-8]+"), model="tiny", seed=3, name="second")
third = Session(grammar.replace("[0-9]+", "[0-9]{1,2}"), model="tiny", seed=3, name="third")
second.force("[1,2"); third.force("[1")
tapes = [Tape(second), Tape(third)]
"""


@pytest.fixture(scope="module")
def view(lab: Lab) -> OneView:
    """A MaskLens of a session; two more are shown on the page."""
    lab.errors.clear()
    page = lab.show([SETUP, "MaskLens(session)"])
    page.run_all()
    found = OneView(page, "mask_lens")
    expect(found.part("canvas[data-mask]")).to_be_visible()
    return found


def told(view: OneView, *, says: str) -> None:
    """The page's counts are Python's, in the head and in the legend."""
    expect(view.part(".readout")).to_contain_text(says)
    view.notebook.settled()  # Python hears where the cursor came to rest
    counts = view.ask("MaskLens(session).data()['xor'].counts")
    expect(view.part(".readout")).to_contain_text(f"{counts['only_a']:,} only in A, {counts['only_b']:,} only in B.")
    rows = view.part(".lens-legend .num:not(.xs)")
    for row, name in enumerate(["only_a", "only_b", "both", "neither"]):
        expect(rows.nth(row)).to_have_text(f"{counts[name]:,}")
    text = view.ask("repr(MaskLens(session)).splitlines()[-1]")
    assert f"{counts['only_a']:,} only in A, {counts['only_b']:,} only in B, {counts['both']:,} in both" in text
    assert says in text


def test_against_another_session_by_mouse(view: OneView) -> None:
    n = view.ask("session.trace.n_decided")
    view.part(".head").get_by_role("button", name="xor session").click()
    told(view, says=f"second, its step {n}, the same byte 4")
    expect(view.part("select option")).to_have_text(["second", "third"])
    view.part("select").select_option("third")
    told(view, says="third, its step")
    expect(view.part(".readout")).to_contain_text("no step of it begins at byte 4")
    view.part(".lens-legend button").first.click()
    expect(view.part(".lens-list caption")).to_have_text("this class alone, most probable first")
    view.part(".lens-legend button").first.click()
    expect(view.part(".lens-list caption")).to_have_text("allowed by one alone, most probable first")
    view.part(".head").get_by_role("button", name="mask", exact=True).click()
    expect(view.part(".readout")).to_contain_text("may come next")
    expect(view.part("select")).to_have_count(0)
    view.notebook.settled()
    assert view.ask("session.trace and MaskLens(session).session.beside is None")


def test_by_key_alone(view: OneView) -> None:
    keys = view.notebook.page.keyboard
    view.part(".panel").focus()
    keys.press("x")
    n = view.ask("session.trace.n_decided")
    told(view, says=f"step {n - 1}")
    keys.press("Shift+X")
    told(view, says=f"second, its step {n}, the same byte 4")
    keys.press("Tab")  # the combobox is the first of the head
    expect(view.part("select")).to_be_focused()
    keys.press("ArrowDown")
    told(view, says="third, its step")
    view.part(".panel").focus()
    keys.press("2")  # B alone
    expect(view.part(".lens-legend button").nth(1)).to_have_attribute("aria-checked", "true")
    keys.press("2")
    canvas = view.part("canvas[data-mask]")
    canvas.focus()
    keys.press("Home")
    keys.press("ArrowRight")
    keys.press("Enter")
    view.notebook.settled()
    assert view.ask("session.selection['token'] is not None")
    view.part(".panel").focus()
    keys.press("Shift+X")
    expect(view.part(".readout")).to_contain_text("may come next")


def test_it_follows_the_cursor(view: OneView) -> None:
    keys = view.notebook.page.keyboard
    view.part(".panel").focus()
    keys.press("Shift+X")
    keys.press("Home")
    told(view, says="its step 0, the same byte 0")
    keys.press("End")
    told(view, says="same byte 4")
    keys.press("Shift+X")
    expect(view.part(".readout")).to_contain_text("may come next")


@looks(1920, 1280, 524)
def test_it_fits_and_axe_finds_nothing_serious(view: OneView, shots: Path, width: int, dark: bool) -> None:
    view.looks_well(shots, width, dark=dark)


def test_nothing_was_complained_of(view: OneView, lab: Lab) -> None:
    view.complained_of_nothing(lab)
