"""Forcing at the cursor, in the past too; errors of commands are told where the command was given and move nothing."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from .jupyter import Lab
from .one_view import OneView, workbench_at
from .plain import PlainPage

pytestmark = pytest.mark.browser

SETUP = """
from tests.ui.scripted import scripted_session
from xg2lab.widgets import *
session = scripted_session()
blocked = session.tokenizer_info.decoded_vocab.index(b"celsius")
"""
START = "session.reset(); session.step(5); session.select(**dict.fromkeys(session.selection))"
TOPS = "e => [...e.querySelectorAll('.panel')].map((p) => [p.dataset.panel, p.offsetTop, p.offsetHeight])"


@pytest.fixture(scope="module")
def opened(lab: Lab) -> PlainPage:
    """A page with a workbench, and a tape alone."""
    lab.errors.clear()
    page = lab.show([SETUP, "Workbench(session)", "Tape(session)"])
    page.run_all()
    return page


@pytest.fixture
def bench(opened: PlainPage) -> OneView:
    """The workbench at step 5, nothing selected."""
    return workbench_at(opened, START, 5)


def at(bench: OneView, step: int) -> None:
    """The cursor on a step."""
    bench.select_step(step)
    expect(bench.part(".session")).to_contain_text(f"step {step} of 5")
    expect(bench.part(".dist-view .readout")).to_contain_text(f"step {step},")


def another(bench: OneView, box: str, step: int) -> tuple[Locator, int]:
    """An allowed token of the step that was not chosen there, as a button of the box."""
    token = bench.ask(
        f"next(c.token_id for c in session.trace.steps[{step}].top"
        f" if c.token_id != session.trace.steps[{step}].token_id and session.explain(c.token_id, {step})['allowed'])"
    )
    return bench.part(f"{box} [data-token='{token}']").first, token


def branched(bench: OneView, step: int, token: int) -> None:
    """The token is forced at the step, and the later ones are a branch."""
    expect(bench.part(".session")).to_contain_text(f"step {step + 1} of {step + 1}")
    assert bench.ask(f"[session.trace.steps[{step}].kind, session.trace.steps[{step}].token_id]") == [
        "forced_by_user",
        token,
    ]
    assert bench.ask("session.trace.branches[-1].at") == step
    expect(bench.part("[role=alert]")).to_have_count(0)


@pytest.mark.parametrize("box", [".tape", ".dist-view"])
def test_enter_on_a_candidate_of_the_past_branches(bench: OneView, box: str) -> None:
    at(bench, 2)
    if box == ".tape":
        bench.maximise("tape")
    candidate, token = another(bench, box, 2)
    expect(candidate).to_have_attribute("title", re.compile("branch and force"))
    candidate.press("Enter")
    branched(bench, 2, token)
    if box == ".tape":
        bench.maximise("tape")


def test_the_why_card_names_both_and_branches(bench: OneView) -> None:
    at(bench, 2)
    candidate, token = another(bench, ".dist-view", 2)
    candidate.click()
    action = bench.part(".why-card .inline-action")
    expect(action).to_contain_text("branch and force it")
    action.click()
    branched(bench, 2, token)


def test_a_blocked_token_of_the_past_takes_nothing_back_and_is_told_in_its_panel(bench: OneView) -> None:
    at(bench, 3)
    bench.maximise("tape")
    before = bench.part(".workbench").evaluate(TOPS)
    token = bench.ask("blocked")
    bench.part(f".tape [data-token='{token}']").press("Enter")
    told = bench.part(".tape [role=alert]")
    expect(told).to_contain_text("is blocked")
    expect(told).not_to_contain_text("Error")
    expect(bench.part("[role=alert]")).to_have_count(1)
    expect(OneView(bench.notebook, "tape").part("[role=alert]")).to_have_count(0)
    assert bench.part(".workbench").evaluate(TOPS) == before
    assert bench.ask("session.trace.n_decided") == 5
    bench.part(".tape").focus()
    bench.notebook.page.keyboard.press("Shift+ArrowLeft")
    expect(bench.part("[role=alert]")).to_have_count(0)
    bench.maximise("tape")


def test_an_error_goes_with_the_next_step(bench: OneView) -> None:
    bench.part(".mask-lens").focus()
    bench.notebook.page.keyboard.press("u")
    expect(bench.part(".mask-lens [role=alert]")).to_contain_text("was not forced by the user")
    bench.notebook.python("session.step()")
    expect(bench.part(".session")).to_contain_text("step 6 of 6")
    expect(bench.part("[role=alert]")).to_have_count(0)


def test_a_question_that_was_not_recorded_says_which_lines_answer_it(bench: OneView, lab: Lab) -> None:
    saved = OneView(lab.replay(bench.notebook.saved()), "workbench")
    expect(saved.part("[data-offline]")).to_be_visible()
    field = saved.part("[data-key=w]")
    field.fill('say "x"')
    field.press("Enter")
    told = saved.part(".why-card [role=alert]")
    expect(told).to_contain_text("was not recorded, and no kernel answers")
    expect(told.locator(".answering")).to_have_text(['why = session.explain("say \\"x\\"", 5)', 'print(why["reason"])'])
    expect(told).not_to_contain_text("Error")
    lines = "\n".join(told.locator(".answering").all_text_contents())
    assert bench.notebook.python(lines) == bench.ask("session.explain('say \"x\"', 5)['reason']")
    saved.part(".tape").focus()
    saved.notebook.page.keyboard.press("ArrowRight")
    expect(saved.part(".tape .told")).to_contain_text("was not recorded")
    expect(saved.part(".tape .told")).not_to_contain_text("Error")
