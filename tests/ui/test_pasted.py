"""Pasted token ids: what can not be taken is told in place, and the verdict fits every width.

The task itself is in test_tasks.py. The shipped model and a real kernel. The server's log line is made here, of the ids
that the same model wrote without the grammar: the last of them is one that the grammar refuses.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from .jupyter import Lab
from .one_view import OneView, looks
from .plain import PlainPage

pytestmark = pytest.mark.browser

SETUP = """
import xg2lab as xgr
from xg2lab.tiny import example_requests, grammar_for, prompt
from xg2lab.widgets import *
model = xgr.ModelRunner.tiny()
settings = dict(model=model, prompt=prompt(example_requests("qwen")[0], "qwen"), temperature=1.6)
options = xgr.EngineOptions(rule_inlining=False)
for seed in range(50):  # until an output breaks, after some tokens
    settings["seed"] = seed
    free = xgr.Session(grammar_for("qwen"), constrained=False, name="server", options=options, **settings)
    free.run(200)
    if free.trace.broke and free.trace.broke["step"] > 5:
        break
bad = free.trace.broke["step"]
log = f"WARN 17:02 request 99: Failed to advance FSM, output_token_ids={free.output_ids[:bad + 1]}"
session = xgr.Session(grammar_for("qwen"), name="mine", options=options, **settings)
session.step(5)
mine = session.trace
before = repr(mine.to_wire())
"""


@pytest.fixture(scope="module")
def notebook(lab: Lab) -> PlainPage:
    """A page with the workbench, and a why card alone."""
    lab.errors.clear()
    page = lab.show([SETUP, "Workbench(session)", "WhyCard(session)"])
    page.run_all()
    expect(page.locator("[data-xg2lab=workbench] .session")).to_contain_text("step 5 of 5")
    return page


@pytest.fixture(scope="module")
def bench(notebook: PlainPage) -> OneView:
    return OneView(notebook, "workbench")


def verdict(view: OneView) -> Locator:
    return view.part(".diagnosis")


def expect_the_run_there_was(bench: OneView) -> None:
    expect(bench.part(".session")).to_contain_text("step 5 of 5")
    expect(verdict(bench)).to_have_count(0)
    assert bench.ask("session.trace is mine and session.output_ids == [s.token_id for s in mine.steps][:5]")


def test_what_can_not_be_taken_is_told_in_place(notebook: PlainPage, bench: OneView) -> None:
    page = notebook.page
    page.keyboard.press("Escape")
    bench.part("[data-panel=why-card]").focus()
    page.keyboard.press("i")
    field = bench.part(".paste-ids textarea")
    field.fill("no numbers here")
    field.press("Enter")
    expect(bench.part(".paste-ids [role=alert]")).to_contain_text("there are no token ids in this text")
    field.fill("[1, 2, ...]")
    field.press("Enter")
    expect(bench.part(".paste-ids [role=alert]")).to_contain_text("cut short")
    n = bench.ask("session.tokenizer_info.vocab_size")
    field.fill(f"[{n + 7}]")
    field.press("Enter")
    expect(verdict(bench)).to_have_attribute("data-diagnosis", "outside_vocabulary")
    expect(verdict(bench)).to_contain_text("is this the tokenizer of the model that was served?")
    bench.part("[data-resume]").click()
    expect_the_run_there_was(bench)


@looks(1600, 700)
def test_it_fits_and_axe_finds_nothing_serious(
    notebook: PlainPage, bench: OneView, shots: Path, width: int, dark: bool
) -> None:
    card = OneView(notebook, "why_card")
    notebook.python("session.replay(log)")
    expect(verdict(card)).to_be_visible()
    card.part("[data-key=i]").click()
    try:
        card.looks_well(shots, width, dark=dark)
    finally:
        card.part(".paste-ids textarea").press("Escape")
        expect(card.part(".paste-ids")).to_have_count(0)
        notebook.python("session.resume(mine)")
        expect_the_run_there_was(bench)


def test_nothing_was_complained_of(lab: Lab, notebook: PlainPage) -> None:
    OneView(notebook, "why_card").complained_of_nothing(lab)
