"""BeamView: the drawn tree is Python's, a click forces nothing, a named button does; it replays without a kernel."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from .jupyter import Lab
from .one_view import OneView, looks

pytestmark = pytest.mark.browser

SETUP = """
import xg2lab as xgr
from xg2lab.widgets import *
session = xgr.Session('root ::= "[" [0-9]+ ("," [0-9]+)* "]"', model="tiny", prompt="A list: ", name="beams")
session.force("[1")
alone = xgr.Session('root ::= "a"', xgr.TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1]), name="alone")
"""


@pytest.fixture(scope="module")
def view(lab: Lab) -> OneView:
    """A tree of a session with a model, and a session without one."""
    lab.errors.clear()
    page = lab.show([SETUP, "BeamView(session)", "BeamView(alone)"])
    page.run_all()
    expect(page.locator("[data-xg2lab=beam_view] .panel")).to_have_count(2)
    return OneView(page, "beam_view")


def texts(view: OneView, depth: int, width: int) -> list[str]:
    return view.ask(f"[node.text for node in session.beam({depth}, {width}).nodes]")


def test_the_tree_is_pythons_and_blocked_branches_are_told_apart(view: OneView) -> None:
    nodes = view.part(".beam-node")
    expect(nodes).to_have_count(len(texts(view, 4, 3)))
    n_blocked = view.ask("sum(not node.allowed for node in session.beam(4, 3).nodes)")
    expect(view.part(".beam-node.blocked")).to_have_count(n_blocked)
    expect(view.part("[data-branch=blocked]")).to_have_count(n_blocked)
    widths = [
        float(w) for w in view.part("path.drawn").evaluate_all("all => all.map(p => p.getAttribute('stroke-width'))")
    ]
    drawn = view.ask("[node.drawn for node in session.beam(4, 3).nodes if node.allowed]")
    assert widths == pytest.approx([max(1.0, 22.0 * mass) for mass in drawn], rel=1e-6)


def test_its_size_is_chosen(view: OneView) -> None:
    view.part("[aria-label='Tokens of a continuation'] button").filter(has_text="2").click()
    view.part("[aria-label='Continuations of each kind'] button").filter(has_text="5").click()
    expect(view.part(".beam-node")).to_have_count(len(texts(view, 2, 5)))


def test_a_click_selects_and_a_named_button_forces(view: OneView) -> None:
    n_decided = view.ask("session.trace.n_decided")
    view.part(".beam-node:not(.blocked)").first.click()
    expect(view.part("[data-chosen]")).to_contain_text("under the mask")
    view.notebook.settled()
    first = view.ask("session.beam(2, 5).nodes[0].token_id")
    assert view.ask("session.selection['token']") == first
    assert view.ask("session.trace.n_decided") == n_decided
    view.part(".beam-node.blocked").first.click()
    expect(view.part("[data-chosen]")).to_contain_text("blocked")
    expect(view.part("[data-force]")).to_have_count(0)
    view.part(".beam-node:not(.blocked)").first.click()
    view.part("[data-force]").click()
    expect(view.part(".beam-root")).to_have_text(str(n_decided + 1))
    assert view.ask("session.trace.steps[-2].token_id") == first
    assert view.ask("session.trace.n_decided") == n_decided + 1


def test_arrows_walk_the_tree(view: OneView) -> None:
    view.part("[data-index='0']").focus()
    view.notebook.page.keyboard.press("ArrowDown")
    expect(view.part("[data-index='1']")).to_be_focused()
    view.notebook.page.keyboard.press("Home")
    expect(view.part("[data-index='0']")).to_be_focused()


def test_as_a_table(view: OneView) -> None:
    view.part("[aria-label='Continuations as a table']").click()
    expect(view.part("tbody tr")).to_have_count(len(texts(view, 2, 5)))
    view.part("[aria-label='Continuations as a table']").click()


@looks(1600, 700)
def test_it_fits_and_axe_finds_nothing_serious(view: OneView, shots: Path, width: int, dark: bool) -> None:
    view.looks_well(shots, width, dark=dark)


def test_without_a_model_it_says_so(view: OneView) -> None:
    other = view.notebook.locator("[data-xg2lab=beam_view]").nth(1)
    expect(other).to_contain_text("This session has no model")


def test_it_replays_without_a_kernel(lab: Lab, view: OneView) -> None:
    n_nodes = view.part(".beam-node").count()
    replayed = OneView(lab.replay(view.notebook.saved()), "beam_view")
    expect(replayed.part(".beam-node")).to_have_count(n_nodes)


def test_nothing_was_complained_of(lab: Lab, view: OneView) -> None:
    view.complained_of_nothing(lab)
