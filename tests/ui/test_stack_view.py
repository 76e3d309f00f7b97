"""The stacks of parser="pda" with a real kernel: one tree, one stack lit, changes told, many stacks counted."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from .jupyter import Lab
from .one_view import OneView, looks

pytestmark = pytest.mark.browser

SETUP = """
from tests.widgets.test_stack_tree import TWO_WAYS, forced, pda_session
from xg2lab.widgets import *
session = pda_session()
session.step(16)
many = forced(TWO_WAYS, "a" * 14, "many")
deep = forced('root ::= "(" root ")" | "x"', "(" * 40, "deep")
"""
CELLS = [SETUP, "ChartView(session)", "FsmView(session)", "WhyCard(session)", "ChartView(many)", "ChartView(deep)"]


@pytest.fixture(scope="module")
def view(lab: Lab) -> OneView:
    """A page with the stacks of three sessions."""
    lab.errors.clear()
    page = lab.show(CELLS)
    page.run_all()
    expect(page.locator("[data-xg2lab=chart_view] [role=tree]")).to_have_count(3)
    return OneView(page, "chart_view")


def other(view: OneView, which: int, selector: str) -> Locator:
    """A part of the second or third chart."""
    return view.notebook.locator("[data-xg2lab=chart_view]").nth(which).locator(selector)


def states_shown(view: OneView, selector: str) -> list[int]:
    """The states of some rows, from the bottom up."""
    return [int(row.get_attribute("data-state") or -1) for row in view.part(selector).all()]


def show(view: OneView, step: int) -> None:
    """The stacks before this step."""
    view.select_step(step)
    expect(view.part("[role=tree]")).to_have_attribute("aria-label", f"Stacks before step {step}, the bottom first")


def test_every_frame_and_every_top_has_a_row(view: OneView) -> None:
    for step in (3, 8, 16):
        view.select_step(step)
        tree = view.ask(f"session.stacks({step})")
        expect(view.part(".readout")).to_have_text(
            f"{tree['n_stacks']} stack{'s' * (tree['n_stacks'] != 1)} on "
            f"{tree['n_frames']} frame{'s' * (tree['n_frames'] != 1)}"
        )
        rows = "[role=treeitem]:not([data-mark=gone])"
        expect(view.part(rows)).to_have_count(len(tree["tops"]) + len(tree["frames"]))
        assert sorted(states_shown(view, rows)) == sorted(n["state"] for n in tree["tops"] + tree["frames"])
        expect(view.part("[data-top]")).to_have_count(tree["n_stacks"])


def test_frames_that_came_and_went_are_told(view: OneView) -> None:
    chains = "sorted(f['state'] for f in session.trace.steps[{}].stacks['frames'])"
    for step in range(1, 17):
        show(view, step)
        n_new = view.part("[data-mark=new]").count()
        n_gone = view.part("[data-mark=gone]").count()
        before, now = (view.ask(chains.format(at)) for at in (step - 1, step))
        assert len(now) - len(before) == n_new - n_gone, f"step {step}"
        if n_new == n_gone == 0:
            assert before == now


def test_a_click_on_a_frame_leads_to_its_state_and_its_line(view: OneView) -> None:
    show(view, 16)
    frame = view.part("[role=treeitem]:not([data-top]):not([data-mark])").first
    state = int(frame.get_attribute("data-state") or -1)
    frame.click()
    expect(frame).to_have_attribute("aria-selected", "true")
    fsm = view.notebook.locator("[data-xg2lab=fsm_view]")
    expect(fsm.locator(".fsm-state[aria-pressed=true]")).to_have_attribute("data-state", str(state))
    line = view.ask(f"session.trace.program['rules'][session.trace.program['states'][{state}]['rule']]['line']")
    expect(view.notebook.locator("[data-xg2lab=why_card] .code .is-marked .n").first).to_have_text(str(line))
    view.notebook.settled()
    assert view.ask("session.selection['state']") == state


def test_arrows_walk_the_tree_and_take_no_step(view: OneView) -> None:
    show(view, 16)
    rows = view.part("[role=treeitem]")
    rows.first.focus()
    for key, at in (("ArrowDown", 1), ("End", rows.count() - 1), ("Home", 0), ("ArrowRight", 1), ("ArrowLeft", 0)):
        view.notebook.page.keyboard.press(key)
        expect(rows.nth(at)).to_be_focused()
    view.notebook.page.keyboard.press("ArrowDown")
    view.notebook.page.keyboard.press("Enter")
    expect(rows.nth(1)).to_have_attribute("aria-selected", "true")
    lit = states_shown(view, ".stack-row.lit")
    assert lit[:2] == states_shown(view, "[role=treeitem]")[:2], "the frame and what it stands on"
    assert view.ask("session.trace.n_decided") == 16


def test_the_chart_of_the_same_text_is_a_click_away(view: OneView) -> None:
    show(view, 16)
    view.part("[aria-label=Picture] button").nth(1).click()
    expect(view.part("svg[role=img]")).to_be_visible()
    expect(view.part(".readout")).to_contain_text("column 40")
    view.part("[aria-label=Picture] button").nth(0).click()
    expect(view.part("[role=tree]")).to_be_visible()


def test_very_many_stacks_are_counted_asked_for_once_and_never_all_drawn(view: OneView) -> None:
    n = view.ask("many.stacks()['n_stacks']")
    assert n > 49_000
    expect(other(view, 1, ".readout")).to_contain_text(f"{n:,} stacks on")
    expect(other(view, 1, "[data-partial]")).to_contain_text(f"400 of {n:,} stacks")
    assert other(view, 1, "[role=treeitem]").count() <= 60
    other(view, 1, ".stack-notes button").click()
    drawn = other(view, 1, "[role=treeitem]").count()
    assert 60 < drawn <= 600
    assert other(view, 1, "[data-mark]").count() == 0, "where some are left out nothing is compared"


def test_a_long_straight_stack_is_folded_and_unfolded(view: OneView) -> None:
    fold = other(view, 2, ".body [aria-expanded=false]")
    expect(fold).to_have_count(1)
    expect(fold).to_contain_text("frames")
    fold.focus()
    view.notebook.page.keyboard.press("Enter")
    expect(other(view, 2, "[role=treeitem]")).to_have_count(41)
    expect(other(view, 2, ".stack-notes")).to_contain_text("1 pushed since the step before")


@looks(1600, 524)
def test_it_fits_and_axe_finds_nothing_serious(view: OneView, shots: Path, width: int, dark: bool) -> None:
    show(view, 13)
    view.looks_well(shots, width, dark=dark)


def test_without_a_kernel_the_trace_shows_what_it_kept(lab: Lab, view: OneView) -> None:
    show(view, 16)
    n_rows = view.part("[role=treeitem]").count()
    replayed = OneView(lab.replay(view.notebook.saved()), "chart_view")
    expect(replayed.part("[role=treeitem]")).to_have_count(n_rows)
    expect(other(replayed, 1, "[data-partial]")).to_contain_text("24 of ")


def test_nothing_was_complained_of(lab: Lab, view: OneView) -> None:
    view.complained_of_nothing(lab)
