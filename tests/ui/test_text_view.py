"""Prompt and output as text, with a real kernel: tokens by what chose them, the cursor, another prompt, again."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from .jupyter import Lab
from .one_view import OneView, looks

pytestmark = pytest.mark.browser

SETUP = """
import xg2lab as xgr
from tests.ui.scripted import scripted_session
from xg2lab.widgets import *
session = scripted_session(name="text")
"""
CHAT = """
chat = xgr.Session('root ::= [a-z ]{40}', model="tiny", name="chat", messages=[
    {"role": "system", "content": "Answer in one line."}, {"role": "user", "content": "Where is  <Oslo>?"}])
TextView(chat)
"""


@pytest.fixture(scope="module")
def view(lab: Lab) -> OneView:
    """The text beside its tape; below, a chat's."""
    lab.errors.clear()
    page = lab.show([SETUP, "TextView(session)", "Tape(session)", CHAT])
    page.run_all()
    found = OneView(page, "text_view")
    expect(found.part(".written")).to_be_visible()
    return found


@pytest.fixture(autouse=True)
def begun(view: OneView) -> None:
    """Four tokens of the model, one of the user, and the session's own prompt."""
    view.notebook.python("session.reset('What is the weather in Zürich?')\nsession.step(4)\nsession.force('Bas')")
    view.notebook.settled()


def tokens(view: OneView) -> list[tuple[str, str]]:
    """The tokens of the output, each with the kind of its choice."""
    found = view.part(".written [data-step]:not([data-kind=''])").all()
    return [(one.inner_text(), one.get_attribute("data-kind") or "") for one in found if one.inner_text()]


def test_each_token_is_marked_by_what_chose_it(view: OneView) -> None:
    taken = view.ask("[[s.text, s.kind] for s in session.trace.steps if s.kind is not None]")
    assert tokens(view) == [(text.replace(" ", "·"), kind) for text, kind in taken]
    assert tokens(view)[-1] == ("Bas", "forced_by_user")
    counted = {kind: sum(k == kind for _, k in taken) for _, kind in taken}
    legend = view.part(".legend").inner_text()
    assert all(f"{n} " in legend for n in counted.values())
    assert "1 forced by the user" in " ".join(legend.split())


def test_a_click_selects_the_step_and_the_cursor_follows_other_views(view: OneView) -> None:
    view.part("[data-step='2']").click()
    expect(view.part("[data-on]")).to_have_attribute("data-step", "2")
    view.notebook.settled()
    assert view.ask("session.selection['step']") == 2
    tape = view.notebook.locator("[data-xg2lab=tape] [data-panel=tape]").first
    tape.focus()
    view.notebook.page.keyboard.press("Shift+ArrowLeft")
    expect(view.part("[data-on]")).to_have_attribute("data-step", "1")


def test_the_prompt_is_changed_in_its_place(view: OneView) -> None:
    view.part(".panel").focus()
    keys = view.notebook.page.keyboard
    keys.press("m")
    expect(view.part("textarea")).to_be_focused()
    keys.type("And in Bern?")
    keys.press("Control+Enter")
    expect(view.part("textarea")).to_have_count(0)
    expect(view.part(".read")).to_have_text("And in Bern?")
    assert view.ask("[session.prompt, session.text, len(session.past_traces) > 0]") == ["And in Bern?", "", True]


def test_escape_leaves_the_prompt_and_keeps_the_keys(view: OneView) -> None:
    view.part(".panel").focus()
    keys = view.notebook.page.keyboard
    keys.press("m")
    expect(view.part("textarea")).to_be_focused()
    keys.type("nothing")
    keys.press("Escape")
    expect(view.part(".read")).to_have_text("What is the weather in Zürich?")
    keys.press("Home")  # the panel has the focus again
    expect(view.part("[data-on]")).to_have_attribute("data-step", "0")


def test_the_end_of_what_the_model_can_read_is_said_before_it_comes(view: OneView) -> None:
    head = view.part(".head")
    chat = view.notebook.locator("[data-xg2lab=text_view]").nth(1).locator(".head")
    view.notebook.python("messages = chat.trace.header['messages']; chat.reset('a ' * 1000); chat.step(1)")
    try:
        left = view.ask("chat.trace.header['most_tokens'] - 1")
        assert 0 < left <= 64, "the tiny model reads 2,048 tokens"
        expect(chat).to_contain_text(f"1 token; the model can read {left} more")
        expect(head).to_contain_text("5 tokens")
        expect(head).not_to_contain_text("the model can read")
    finally:
        view.notebook.python("chat.reset(messages=messages)")


def test_again_begins_from_the_start(view: OneView) -> None:
    view.part(".panel").focus()
    view.notebook.page.keyboard.press("a")
    expect(view.part(".head")).not_to_contain_text("5 tokens")
    view.notebook.settled()
    status, text, kinds = view.ask("[session.status, session.text, [s.kind for s in session.trace.steps]]")
    assert status == "terminated"
    assert len(text) > 20
    assert "forced_by_user" not in kinds


def chat(view: OneView) -> Locator:
    return view.notebook.locator("[data-xg2lab=text_view]").nth(1)


def test_a_chat_shows_its_messages_and_what_the_template_makes_of_them(view: OneView) -> None:
    assert chat(view).locator("dt").all_inner_texts()[:2] == ["system", "user"]
    expect(chat(view).locator(".read").nth(1)).to_have_text("Where is  <Oslo>?", use_inner_text=True)
    chat(view).get_by_text("the chat template makes").click()
    prompt = view.ask("chat.prompt")
    assert "<|im_start|>" in prompt
    expect(chat(view).locator(".read.mono")).to_contain_text("<|im_start|>")
    chat(view).get_by_text("the chat template makes").click()
    expect(chat(view).locator(".read.mono")).to_have_count(0)


def test_the_last_message_of_the_user_is_changed(view: OneView) -> None:
    chat(view).locator("button[data-key=m]").click()
    chat(view).locator("textarea").fill("Where is Bergen?")
    chat(view).get_by_text("begin again with it").click()
    expect(chat(view).locator("textarea")).to_have_count(0)
    expect(chat(view).locator(".read").nth(1)).to_have_text("Where is Bergen?")
    messages = view.ask("chat.trace.header['messages']")
    assert [message["content"] for message in messages] == ["Answer in one line.", "Where is Bergen?"]
    assert "Where is Bergen?" in view.ask("chat.prompt")


@looks(1240, 524, 320)
def test_it_fits_and_axe_finds_nothing_serious(view: OneView, shots: Path, width: int, dark: bool) -> None:
    view.looks_well(shots, width, dark=dark)


def test_nothing_was_complained_of(lab: Lab, view: OneView) -> None:
    view.complained_of_nothing(lab)
