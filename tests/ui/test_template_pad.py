"""A template and its arguments with a real kernel: from the why card to the argument, a mistake in both, applied."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from .jupyter import Lab
from .one_view import OneView

pytestmark = pytest.mark.browser

SETUP = r"""
import xg2lab as xgr
from xg2lab.widgets import *
info = xgr.TokenizerInfo([b"<", b">", b"a", b"b", b"x", b"</s>"], stop_token_ids=[5])
template = xgr.Template.from_ebnf('root ::= Each($sections, section)\nsection ::= "<" $id ">"\n')
session = xgr.Session(template, info, arguments={"sections": [{"id": "a"}, {"id": "b"}]})
session.force("<a><")
session.select(token=4)
"""


@pytest.fixture
def view(lab: Lab) -> OneView:
    """A why card above the pad of its session."""
    lab.errors.clear()
    page = lab.show([SETUP, "WhyCard(session)", "GrammarPad(session=session)"])
    page.run_all()
    expect(page.locator("[data-xg2lab=grammar_pad] .cm-content")).to_have_count(2)
    return OneView(page, "grammar_pad")


def test_the_why_card_leads_to_the_argument(view: OneView) -> None:
    card = view.notebook.locator("[data-xg2lab=why_card]")
    argument = card.locator("[data-argument='/sections/1/id']")
    expect(argument).to_contain_text("slot $id argument /sections/1/id")
    expect(argument).to_contain_text('"b"')
    argument.get_by_role("button").click()
    editor = view.part(".pad-arguments [data-pad-text]")
    expect(editor).to_be_focused()
    keyboard = view.notebook.page.keyboard
    keyboard.insert_text('"id": "x"')  # what the card pointed at is selected: it is written over
    expect(view.part(".pad-arguments .cm-line").filter(has_text='"id": "x"')).to_be_visible()
    expect(view.part(".pad-arguments .cm-line").filter(has_text='"id": "b"')).to_have_count(0)
    expect(view.part(".pad-arguments .cm-line").filter(has_text='"id": "a"')).to_have_count(1)


def test_a_mistake_is_marked_in_both_texts_and_an_apply_begins_again(view: OneView) -> None:
    editor, keyboard = view.part(".pad-arguments [data-pad-text]"), view.notebook.page.keyboard
    editor.click()
    keyboard.press("Control+a")
    keyboard.insert_text('{"sections": [{"id": 3}]}')
    expect(view.part(".pad-arguments .found.error")).to_have_text("3")
    expect(view.part(".pad-source > .pad-text .found.error")).to_have_text("$id")
    expect(view.part("[aria-label='Findings in the arguments'] li")).to_contain_text("/sections/0/id")
    expect(view.part(".readout")).to_contain_text("1 error")
    editor.click()
    keyboard.press("Control+a")
    keyboard.insert_text('{"sections": [{"id": "ab"}]}')
    expect(view.part(".pad-arguments .found")).to_have_count(0)
    view.part("button.primary").click()
    expect(view.part("button").filter(has_text="applied")).to_be_visible()
    assert view.ask("session.trace.header['template']['arguments']") == {"sections": [{"id": "ab"}]}
