"""MaskLens without a model, of 262,144 tokens, and in a narrow box: nothing is false, invisible or cut off."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from .jupyter import Lab
from .one_view import OneView, axe_findings
from .plain import PlainPage

pytestmark = pytest.mark.browser

SETUP = """
import xg2lab as xgr
from tests.ui.scripted import scripted_session, vocabulary
from xg2lab.widgets import *
n = 262_144
info = xgr.TokenizerInfo(vocabulary(n), vocab_size=n, stop_token_ids=[n - 8])
session = xgr.Session("root ::= [^A]*", info, name="no model")
allowed = {k for k, code in enumerate(session.provenance()) if code in (1, 2, 5)}
modelled = scripted_session()
"""
#: How many pixels of the mask's canvas have each of the two commonest colours, and the distance between these colours.
COLOURS = """(canvas) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const counts = new Map();
  for (let k = 0; k < data.length; k += 4) {
    const key = `${data[k]},${data[k + 1]},${data[k + 2]}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const [a, b] = [...counts].sort((x, y) => y[1] - x[1]);
  const rgb = ([text]) => text.split(",").map(Number);
  return [a[1], b[1], Math.hypot(...rgb(a).map((x, k) => x - rgb(b)[k]))];
}"""

#: The parts of a panel that reach past its right edge.
STICKS_OUT = """(panel) => {
  const edge = panel.getBoundingClientRect().right;
  const past = (e) => !e.closest(".unseen") && e.getBoundingClientRect().right > edge + 0.5;
  return [...panel.querySelectorAll("*")].filter(past)
    .map((e) => `${e.tagName} ${e.getAttribute("class")} ${e.getBoundingClientRect().right - edge}`);
}"""


@pytest.fixture(scope="module")
def page(lab: Lab) -> PlainPage:
    """The mask of a session without a model, and one with a model."""
    lab.errors.clear()
    page = lab.show([SETUP, "MaskLens(session)", "MaskLens(modelled)"])
    page.run_all()
    expect(page.locator("[data-xg2lab=mask_lens] canvas[data-mask]")).to_have_count(2)
    return page


@pytest.fixture
def view(page: PlainPage) -> OneView:
    """The first of them, nothing selected."""
    page.settled()
    page.python("session.select(**dict.fromkeys(session.selection))")
    page.settled()
    return OneView(page, "mask_lens")


def test_without_a_model_nothing_is_said_of_probabilities(view: OneView) -> None:
    view.part(".lens-legend button").first.click()
    view.part("canvas[data-mask]").hover(position={"x": 120, "y": 80})
    expect(view.part(".tip")).to_contain_text("no model")
    expect(view.part(".lens-list caption")).to_contain_text("by token id, no model")
    for words in ("probable", "10⁻⁹"):
        expect(view.part(".panel")).not_to_contain_text(words)
    expect(view.part(".shade-key")).to_have_count(0)
    view.part(".lens-legend button").first.click()
    other = view.notebook.locator("[data-xg2lab=mask_lens]").nth(1)
    expect(other.locator(".shade-key")).to_contain_text("10⁻⁹")


def test_the_magnifier_is_there_before_anything_is_selected(view: OneView) -> None:
    view.notebook.page.mouse.move(1, 1)
    loupe = view.part(".loupe")
    expect(loupe).to_be_visible()
    first = int(loupe.get_attribute("data-rank") or -1)
    view.notebook.python("from xg2lab.widgets.replay import vocabulary_of\norder = list(vocabulary_of(info).order)")
    assert not view.ask(f"int(order[{first}]) in allowed"), "it begins at a blocked token: those are the fewer"
    assert view.ask(f"all(int(k) in allowed for k in order[:{first}])")
    view.part("canvas[data-mask]").hover(position={"x": 200, "y": 200})
    expect(loupe).not_to_have_attribute("data-rank", str(first))
    view.part("canvas[data-mask]").click(position={"x": 100, "y": 40})
    view.notebook.page.mouse.move(1, 1)
    view.notebook.settled()
    selected = view.ask("session.selection['token']")
    expect(loupe).to_have_attribute("data-rank", str(view.ask(f"order.index({selected})")))


def test_two_colours_tell_blocked_tokens_from_a_field_of_allowed_ones(view: OneView, shots: Path) -> None:
    view.part(".panel").focus()
    view.notebook.page.keyboard.press("c")
    expect(view.part("[data-key=c]")).to_have_attribute("aria-pressed", "true")
    expect(view.part(".two-key")).to_contain_text("allowed")
    n_blocked = view.ask("n - len(allowed)")
    field, marks, distance = view.part("canvas[data-mask]").evaluate(COLOURS)
    assert n_blocked < 262_144 / 256, "the blocked are rare here"
    assert marks > 2 * n_blocked**0.5
    assert marks >= n_blocked / 4
    assert field > marks
    assert distance > 150
    view.part(".panel").screenshot(path=str(shots / "mask-two-colours.png"))
    view.notebook.page.keyboard.press("c")
    expect(view.part(".two-key")).to_have_count(0)


@pytest.mark.parametrize("width", [360, 300])
def test_nothing_is_cut_off_in_a_narrow_box(page: PlainPage, width: int) -> None:
    page.page.set_viewport_size({"width": width, "height": 1400})
    try:
        page.settled()
        for panel in page.locator("[data-xg2lab=mask_lens] .panel").all():
            panel.scroll_into_view_if_needed()
            assert panel.evaluate(STICKS_OUT) == []
        found = axe_findings(page, "mask_lens")
        assert found == [], found
    finally:
        page.page.set_viewport_size({"width": 1600, "height": 1400})


def test_nothing_was_complained_of(lab: Lab, page: PlainPage) -> None:
    assert page.locator("[data-xg2lab=mask_lens] .panel").count() == 2
    assert lab.errors == []
