"""The task: audit a grammar and a tokenizer; a deliberately wrong vocabulary is caught and named.

A real kernel, the shipped model, by mouse and by key alone.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from .jupyter import Lab
from .one_view import OneView, axe_findings, looks

pytestmark = pytest.mark.browser

SETUP = """
from xg2lab import Grammar, Session, TokenizerInfo
from xg2lab.lab.model.model_runner import ModelRunner
from xg2lab.tiny import grammar_for, prompt
from xg2lab.widgets import *
model = ModelRunner.load("tiny_early")
request = prompt("What is the weather in Lisbon in celsius?", format="llama_function")
session = Session(grammar_for("llama_function"), model=model, prompt=request, seed=1, name="right")
session.run()
def begin(session):
    session.reset(request + " ")
    session.reset(request)
tokens = session.tokenizer_info.decoded_vocab
shifted = TokenizerInfo([*tokens[1:2000], tokens[0], *tokens[2000:]], vocab_size=2048, stop_token_ids=[2036, 2034])
schema = {"type": "object", "properties": {"tags": {"type": "array", "uniqueItems": True, "items": {"type": "number"}}}}
grammar = Grammar.from_json_schema(schema, on_unsupported="relax")
wrong = Session(grammar, shifted, model=model, prompt=request, seed=1, name="wrong")
wrong.step(4)
"""


@pytest.fixture(scope="module")
def views(lab: Lab) -> tuple[OneView, OneView]:
    """Audits of a session that is right, and of one with a wrong vocabulary."""
    lab.errors.clear()
    lab.external.clear()
    cells = [SETUP, "Audit(session)", "Audit(wrong)"]
    page = lab.show(cells)
    page.run_all()
    expect(page.locator("[data-xg2lab=audit] .panel").nth(1)).to_be_visible()
    return OneView(page, "audit"), Second(page, "audit")


class Second(OneView):
    """The second view of its kind."""

    def part(self, selector: str):  # type: ignore[no-untyped-def]
        """A part of it."""
        return self.notebook.locator(f"[data-xg2lab={self.name}]").nth(1).locator(selector)


def test_a_grammar_and_a_tokenizer_pass_by_mouse(views: tuple[OneView, OneView]) -> None:
    view = views[0]
    view.notebook.python("begin(session); session.run()")
    n = view.ask("len(session.trace.steps)")
    expect(view.part(".state")).to_contain_text("Not audited yet")
    view.part(".state").get_by_role("button", name=f"check {n} states").click()
    expect(view.part(".readout")).to_contain_text(f"{n} states × 2,048 tokens: mask equals accept everywhere")
    assert view.ask("Audit(session).data().ok")
    rows = view.ask("[(s.name, len(s.steps), s.n_allowed) for s in Audit(session).data().states]")
    expect(view.part("[data-state]")).to_have_count(len(rows))
    for name, visits, allowed in rows[:4]:
        expect(view.part(f"[data-state='{name}'] .num").first).to_have_text(str(visits))
        expect(view.part(f"[data-state='{name}']")).to_contain_text(f"{allowed:,}")
    expect(view.part("[data-level=error]")).to_have_count(0)
    expect(view.part("[role=alert]")).to_have_count(0)


def test_a_state_leads_to_its_step(views: tuple[OneView, OneView]) -> None:
    view = views[0]
    view.notebook.python("report = Audit(session).run()")
    state = view.ask("[(s.name, s.steps[0], s.state) for s in Audit(session).data().states][3]")
    view.part(f"[data-state='{state[0]}'] button").click()
    view.notebook.settled()
    assert view.ask("[session.selection['step'], session.selection['state']]") == state[1:]
    expect(view.part(f"[data-state='{state[0]}']")).to_have_class("is-selected")


def test_a_wrong_vocabulary_is_caught_and_named_by_key(views: tuple[OneView, OneView]) -> None:
    view = views[1]
    view.notebook.python("begin(wrong); steps = wrong.step(4)")
    expect(view.part(".state")).to_contain_text("Not audited yet")
    keys = view.notebook.page.keyboard
    view.part(".panel").focus()
    for _ in range(2):  # the head's picture button comes first
        keys.press("Tab")
    expect(view.part(".state button")).to_be_focused()
    keys.press("Enter")
    caught = view.part("[role=alert]").first
    expect(caught).to_contain_text("bytes of each token")
    expect(caught).to_contain_text("The ids are shifted: the tokenizer's token k is here token k-1")
    expect(view.part("[data-check='texts round trip']")).to_have_attribute("data-level", "error")
    assert not view.ask("Audit(wrong).data().ok")
    button = caught.get_by_role("button", name="minimal repro")
    for _ in range(6):
        if button.evaluate("e => e.getRootNode().activeElement === e"):
            break
        keys.press("Tab")
    keys.press("Enter")
    said = view.part(".repro div").all_inner_texts()
    lines = "\n".join(said)
    assert lines == view.ask("[c.repro for c in Audit(wrong).data().checks if c.name == 'bytes of each token'][0]")
    code = f"info, tokenizer = shifted, model.tokenizer\ntry:\n exec({lines!r})\n print('held')\n"
    assert view.notebook.python(f"{code}except AssertionError:\n print('failed')") == "failed"


def test_keywords_of_the_schema_and_their_repro(views: tuple[OneView, OneView]) -> None:
    view = views[1]
    view.notebook.python("report = Audit(wrong).run()")
    relaxed = view.part("[data-pointer='/properties/tags/uniqueItems']")
    expect(relaxed).to_have_attribute("data-kept", "relaxed")
    relaxed.locator("button").click()
    expect(view.part(".repro")).to_contain_text("from_json_schema")
    expect(view.part(".repro")).to_contain_text("/properties/tags/uniqueItems")


def test_a_long_audit_shows_findings_before_its_bar_and_can_be_stopped(views: tuple[OneView, OneView]) -> None:
    view = views[1]
    view.notebook.python("report = Audit(wrong).run()")
    view.notebook.python(
        "import time\nquick = wrong.matcher_at\nwrong.matcher_at = lambda step=None: (time.sleep(0.7), quick(step))[1]"
    )
    view.part(".head").get_by_role("button", name="run again").click()
    bar = view.part("[role=progressbar]")
    expect(bar).to_be_visible()
    expect(bar).to_have_attribute("aria-valuemax", str(view.ask("len(wrong.trace.steps)")))
    alert = view.part("[role=alert]").first.bounding_box()
    box = bar.bounding_box()
    assert alert is not None
    assert box is not None
    assert alert["y"] < box["y"]
    view.part(".panel").focus()
    view.notebook.page.keyboard.press("Escape")
    expect(view.part(".foot")).to_contain_text("stopped: cancelled")
    expect(bar).to_have_count(0)
    view.notebook.python("wrong.matcher_at = quick; report = Audit(wrong).run()")
    expect(view.part(".readout")).to_contain_text("mask equals accept everywhere")


def test_an_audit_of_an_earlier_state_says_so(views: tuple[OneView, OneView]) -> None:
    view = views[1]
    view.notebook.python("report = Audit(wrong).run(); steps = wrong.step(2)")
    expect(view.part(".notice.hint")).to_contain_text("The session has changed since")


@looks(1920, 1280, 524)
def test_it_fits_and_axe_finds_nothing_serious(
    views: tuple[OneView, OneView], shots: Path, width: int, dark: bool
) -> None:
    view = views[1]
    view.notebook.theme(dark)
    page = view.notebook.page
    page.set_viewport_size({"width": width, "height": 1400})
    view.notebook.settled()
    panel = view.part(".panel")
    panel.scroll_into_view_if_needed()
    assert panel.evaluate("e => e.scrollWidth - e.clientWidth") <= 1
    panel.screenshot(path=str(shots / f"audit-wrong-{width}-{'dark' if dark else 'light'}.png"))
    assert axe_findings(view.notebook, "audit", dark=dark) == []
    page.set_viewport_size({"width": 1600, "height": 1400})
    view.notebook.theme(False)


def test_nothing_was_complained_of(lab: Lab, views: tuple[OneView, OneView]) -> None:
    assert views[0].notebook.locator("[data-xg2lab=audit] .panel").count() == 2
    assert lab.errors == []
    assert lab.external == []
