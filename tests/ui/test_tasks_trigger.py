"""Task: watch a tool-call trigger arm, break and fire in DispatchView. By mouse, by keys alone.

The shipped model with a real kernel. The reader puts the first tokens: one that begins like the trigger, one that
breaks it, the trigger itself; the model writes the call.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from .jupyter import Lab
from .one_view import OneView

pytestmark = pytest.mark.browser

SETUP = r"""
import xg2lab as xgr
from xg2lab.tiny import example_requests, grammar_for, prompt
from xg2lab.widgets import *
model = xgr.ModelRunner.tiny()
body = grammar_for("qwen").split("root ::= '<tool_call>")[1]
grammar = "root ::= TagDispatch(('<tool_call>', rest))\nrest ::= '" + body
def open_session(name):
    return xgr.Session(grammar, model=model, name=name, temperature=0.0,
                       prompt=prompt(example_requests("qwen")[0], "qwen"))
session = open_session("clicked")
typed = open_session("typed")
trigger = session.tokenizer_info.decoded_vocab.index(b"<tool_call>")
"""


@pytest.fixture(scope="module")
def view(lab: Lab) -> OneView:
    """A page with tape, why card and dispatch of two sessions."""
    lab.errors.clear()
    cells = [SETUP, *(f"{kind}({s})" for s in ("session", "typed") for kind in ("Tape", "WhyCard", "DispatchView"))]
    page = lab.show(cells)
    page.run_all()
    expect(page.locator("[data-xg2lab=dispatch_view] [data-panel]")).to_have_count(2)
    return OneView(page, "dispatch_view")


def events(view: OneView, name: str) -> list[list[object]]:
    """What Python says happened: byte and event."""
    return view.ask(f"[[r['at'] - 1, r['event']] for r in DispatchView({name}).data()['readings'] if r['event']]")


def expect_events(view: OneView, name: str, nth: int, wanted: list[str]) -> None:
    """The same events in Python and as marks on the page, in order."""
    marks = view.notebook.locator("[data-xg2lab=dispatch_view]").nth(nth).locator("[data-event]:not([data-event=''])")
    known = view.notebook.locator("[data-xg2lab=dispatch_view]").nth(nth)
    for event in ("arms", "breaks", "fires"):
        expect(known.locator(f"[data-event={event}]")).to_have_count(wanted.count(event))
    assert [event for _, event in events(view, name)] == wanted
    at = [int(byte) for byte, _ in events(view, name)]  # type: ignore[call-overload]
    shown = [m.get_attribute("data-byte") for m in marks.all() if m.get_attribute("data-event") in wanted]
    assert shown == [str(byte) for byte in at]


def expect_explained(view: OneView, card: Locator, text: str) -> None:
    """The card is about this token, and not still about the one before."""
    token = view.ask(f"session.tokenizer_info.decoded_vocab.index({text.encode()!r})")
    expect(card.locator(f"div:not(.stale) > .subject[data-token='{token}']")).to_be_visible()


def test_by_mouse(view: OneView) -> None:
    page = view.notebook
    card = page.locator("[data-xg2lab=why_card]").first
    said = view.part("[data-said]")
    field = card.get_by_label("Token id, text or /bytes/ to explain")
    told = {
        "<": (["arms"], "1 of 11 bytes of <tool_call>"),
        "a": (["arms", "breaks"], "nothing of a trigger is read"),
        "#": (["arms", "breaks", "arms", "fires"], "Fired: <tool_call> was read to its end"),
    }
    for n, (text, (wanted, sentence)) in enumerate(told.items(), 1):
        field.fill(text if text != "#" else f"#{view.ask('trigger')}")
        field.press("Enter")
        expect_explained(view, card, text if text != "#" else "<tool_call>")
        card.get_by_role("button", name="force it").click()
        expect(page.locator("[data-xg2lab=tape]").first.locator(".readout")).to_contain_text(f"{n} token")
        expect_events(view, "session", 0, wanted)
        expect(said).to_contain_text(sentence, ignore_case=True)
    run = page.locator("[data-xg2lab=tape]").first.get_by_role("button", name="run")
    run.first.click()
    expect(said).to_contain_text("nothing of a trigger is read")  # the call has ended
    assert '"name": "get_weather"' in view.ask("session.text")


def test_by_keys_alone(view: OneView) -> None:
    page = view.notebook.page
    tape = view.notebook.locator("[data-xg2lab=tape]").nth(1)
    card = view.notebook.locator("[data-xg2lab=why_card]").nth(1)
    for n, (text, wanted) in enumerate(
        (("<", ["arms"]), ("a", ["arms", "breaks"]), (f"#{view.ask('trigger')}", ["arms", "breaks", "arms", "fires"])),
        1,
    ):
        card.locator(".panel").focus()
        page.keyboard.press("w")
        page.keyboard.press("Control+a")
        page.keyboard.insert_text(text)
        page.keyboard.press("Enter")
        expect_explained(view, card, text if n < 3 else "<tool_call>")
        force = card.get_by_role("button", name="force it")
        expect(force).to_be_enabled()
        for _ in range(4):
            page.keyboard.press("Tab")
            if force.evaluate("e => e.getRootNode().activeElement === e"):
                break
        page.keyboard.press("Enter")
        expect(tape.locator(".readout")).to_contain_text(f"{n} token")
        expect_events(view, "typed", 1, wanted)
    tape.locator(".panel").focus()
    page.keyboard.press("ArrowRight")  # the model goes on inside the tag
    expect(tape.locator(".readout")).to_contain_text("4 tokens")
    said = view.notebook.locator("[data-xg2lab=dispatch_view]").nth(1).locator("[data-said]")
    expect(said).to_contain_text("Dispatched: inside rest")
    for sentence in ("Fired: <tool_call>", "nothing of a trigger is read", "1 of 11 bytes of <tool_call>"):
        page.keyboard.press("Shift+ArrowLeft")  # and the cursor goes back over it
        expect(said).to_contain_text(sentence)


def test_nothing_was_complained_of(lab: Lab, view: OneView) -> None:
    assert [e for e in lab.errors if "xg2lab" in e or "TypeError" in e] == []
