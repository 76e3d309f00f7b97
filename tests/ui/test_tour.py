"""The tour of the workbench: five cards beside their panes, moved on by a deed or by Enter, left by Esc."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from .jupyter import Lab
from .one_view import axe_findings, looks
from .plain import PlainPage

pytestmark = pytest.mark.browser

SETUP = """from tests.ui.scripted import scripted_session
from xg2lab.widgets import Workbench
session = scripted_session()
steps = session.step(3)"""


@pytest.fixture
def page(lab: Lab) -> PlainPage:
    """A workbench whose tour has not begun."""
    lab.errors.clear()
    page = lab.show([SETUP, "Workbench(session)"])
    page.run_all()
    expect(page.locator("[data-panel=tape]")).to_be_visible()
    return page


def card(page: PlainPage) -> Locator:
    return page.locator(".tour-card")


def at_card(page: PlainPage, n: int, title: str, pane: str) -> None:
    """The card is shown, its pane is ringed, and the card is inside the widget."""
    expect(card(page)).to_have_attribute("data-tour", str(n))
    expect(card(page).locator("h3")).to_contain_text(title)
    expect(card(page)).to_be_in_viewport()
    page.page.wait_for_function(
        """(pane) => {
          const root = document.querySelector('[data-xg2lab=workbench]').shadowRoot;
          const boxOf = (one) => root.querySelector(one)?.getBoundingClientRect();
          const [a, b] = [boxOf(`[data-panel=${pane}]`), boxOf('.tour-ring')];
          return a && b && ['left', 'top', 'width', 'height'].every((side) => Math.abs(a[side] - b[side]) < 2);
        }""",
        arg=pane,
    )


def begin(page: PlainPage) -> None:
    page.locator("[data-xg2lab=workbench]").get_by_role("button", name="tour").first.click()
    at_card(page, 1, "Let it write", "tape")


def test_each_deed_moves_the_tour_on(page: PlainPage, lab: Lab) -> None:
    expect(card(page)).to_have_count(0)  # it never begins by itself
    begin(page)
    page.page.keyboard.press("ArrowRight")
    at_card(page, 2, "From 2,048 to", "mask-lens")
    allowed = page.python("print(f'{session.trace.steps[-1].n_allowed:,}')")
    expect(card(page).locator("h3")).to_contain_text(f"From 2,048 to {allowed}")
    page.page.keyboard.press("ArrowRight")
    at_card(page, 3, "Ask a grey one", "mask-lens")
    blocked = page.python(
        "print(next(c.token_id for c in session.trace.steps[-1].top if not session.explain(c.token_id)['allowed']))"
    )
    page.python(f"session.select(token={blocked})")
    at_card(page, 4, "Read why", "why-card")
    page.page.keyboard.press("Enter")
    at_card(page, 5, "Change the grammar", "grammar-pad")
    page.python('session.change_grammar(\'root ::= "{" [a-z]* "}"\')')
    expect(card(page)).to_have_count(0)
    assert lab.errors == []


def test_enter_goes_on_and_esc_leaves_without_touching_the_session(page: PlainPage) -> None:
    page.python("session.select(token=65)")
    begin(page)
    expect(card(page).get_by_role("button", name="next")).to_be_focused()
    for n, (title, pane) in enumerate(
        [
            ("From 2,048 to", "mask-lens"),
            ("Ask a grey one", "mask-lens"),
            ("Read why", "why-card"),
            ("Change the grammar", "grammar-pad"),
        ],
        start=2,
    ):
        page.page.keyboard.press("Enter")
        at_card(page, n, title, pane)
    card(page).get_by_role("button", name="back").click()
    at_card(page, 4, "Read why", "why-card")
    page.page.keyboard.press("Escape")
    expect(card(page)).to_have_count(0)
    page.settled()
    assert page.python("print(session.trace.n_decided, session.selection['token'])") == "3 65"
    # the focus is in the widget still: its keys work
    page.page.keyboard.press("ArrowRight")
    expect(page.locator(".topbar .session, .session").first).to_contain_text("step 4 of 4")


def test_the_list_of_keys_begins_it_and_its_last_card_ends_it(page: PlainPage) -> None:
    page.locator("[data-panel=tape]").focus()
    page.page.keyboard.press("?")
    page.locator(".key-list").get_by_role("button", name="tour").click()
    expect(page.locator(".key-list")).to_have_count(0)
    at_card(page, 1, "Let it write", "tape")
    for n in range(2, 6):
        card(page).get_by_role("button", name="next").click()
        expect(card(page)).to_have_attribute("data-tour", str(n))
    card(page).get_by_role("button", name="done").click()
    expect(card(page)).to_have_count(0)


def test_python_begins_it_once(lab: Lab) -> None:
    page = lab.show([SETUP, "Workbench(session, tour=True)"])
    page.run_all()
    at_card(page, 1, "Let it write", "tape")
    card(page).get_by_role("button", name="skip").click()
    expect(card(page)).to_have_count(0)
    page.python("Workbench(session, tour=True)")
    at_card(page, 1, "Let it write", "tape")


def test_a_view_alone_has_no_tour(lab: Lab) -> None:
    page = lab.show([SETUP, "from xg2lab.widgets import Tape\nTape(session)"])
    page.run_all()
    tape = page.locator("[data-xg2lab=tape]")
    expect(tape.locator("[data-panel=tape]")).to_be_visible()
    page.settled()
    expect(tape.get_by_role("button", name="tour")).to_have_count(0)


@looks(1008)
def test_screenshots(page: PlainPage, shots: Path, dark: bool, width: int) -> None:
    page.page.set_viewport_size({"width": width, "height": 900})
    page.theme(dark)
    begin(page)
    for n in range(1, 6):
        expect(card(page)).to_have_attribute("data-tour", str(n))
        expect(card(page)).to_be_in_viewport()
        page.settled()
        page.page.screenshot(path=str(shots / f"tour-{n}-{width}-{'dark' if dark else 'light'}.png"))
        if n == 2:
            assert axe_findings(page, "workbench", dark=dark) == []
        page.page.keyboard.press("Enter")
    expect(card(page)).to_have_count(0)
