"""Words of ours have cards: under the pointer, with the focus, and in the list of keys."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from .jupyter import Lab
from .one_view import OneView, axe_findings

pytestmark = pytest.mark.browser

SETUP = "from tests.ui.scripted import scripted_session\nfrom xg2lab.widgets import *\nsession = scripted_session()"


@pytest.fixture(scope="module")
def tape(lab: Lab) -> OneView:
    """A tape at its fourth step, whose Z is low, and a mask."""
    lab.errors.clear()
    page = lab.show([SETUP, "Tape(session)", "MaskLens(session)", "session.step(3)"])
    page.run_all()
    view = OneView(page, "tape")
    expect(view.part("button.term").first).to_be_visible()
    return view


@pytest.fixture(autouse=True)
def nothing_pointed_at(tape: OneView) -> None:
    tape.notebook.page.mouse.move(0, 0)
    tape.notebook.page.keyboard.press("Escape")
    tape.part(".panel").focus()


def card(tape: OneView) -> Locator:
    return tape.notebook.locator(".term-card")


def test_the_pointer_opens_a_card_with_what_it_is_here(tape: OneView) -> None:
    tape.part(".candidates [data-term=z]").hover()
    expect(card(tape)).to_contain_text("How much of what the model wanted is still allowed")
    z = tape.ask("session.trace.pending.z")
    expect(card(tape)).to_contain_text(f"At step 3 Z is {z:.3f}")
    tape.part(".head h2").hover()
    expect(card(tape)).to_have_count(0)


def test_words_of_a_drawing_have_cards_too(tape: OneView) -> None:
    tape.part("svg text[data-term=z]").first.hover()
    expect(card(tape)).to_contain_text("Z, feasible mass")
    lens = tape.notebook.locator("[data-xg2lab=mask_lens]")
    lens.locator("[data-term=uncertain]").first.hover()
    expect(card(tape)).to_have_count(1)
    expect(card(tape)).to_contain_text("runs past the rule's end")


def test_the_focus_opens_a_card_and_escape_closes_it_alone(tape: OneView) -> None:
    tape.part(".candidate").nth(1).click()
    tape.notebook.settled()
    chosen = tape.ask("session.selection['token']")
    word = tape.part("button.term[data-term=kl]")
    word.focus()
    expect(card(tape)).to_contain_text("nats")
    tape.notebook.page.keyboard.press("Escape")
    expect(card(tape)).to_have_count(0)
    expect(word).to_be_focused()
    tape.notebook.settled()
    assert tape.ask("session.selection['token']") == chosen is not None


def test_a_card_stays_inside_its_view(tape: OneView) -> None:
    page = tape.notebook.page
    page.set_viewport_size({"width": 420, "height": 1000})
    try:
        tape.notebook.settled()
        for word in ("miss", "kl"):
            tape.part(f"button.term[data-term={word}]").focus()
            expect(card(tape)).to_be_visible()
            box, frame = card(tape).bounding_box(), tape.part(".panel").bounding_box()
            assert box is not None
            assert frame is not None
            assert frame["x"] <= box["x"]
            assert box["x"] + box["width"] <= frame["x"] + frame["width"] + 1
            assert frame["y"] <= box["y"]
            assert box["y"] + box["height"] <= frame["y"] + frame["height"] + 1
    finally:
        page.set_viewport_size({"width": 1600, "height": 1400})


def test_the_list_of_keys_has_every_word(tape: OneView) -> None:
    from xg2lab.widgets.words import WORDS

    tape.part(".panel").focus()
    tape.notebook.page.keyboard.press("?")
    assert tape.part(".words dt").all_inner_texts() == [term["word"] for term in WORDS["terms"].values()]
    assert axe_findings(tape.notebook, "tape") == []
    tape.notebook.page.keyboard.press("?")
    assert tape.part(".words").count() == 0
