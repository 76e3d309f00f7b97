"""The donor of a hit beside ours at every width, and why an entry was not shared. The task is in test_tasks.py.

The shipped model and two grammars of tool calls with a real kernel, compiled with their rules as they are written.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from .jupyter import Lab
from .one_view import OneView, looks

pytestmark = pytest.mark.browser

SETUP = """
import xg2lab as xgr
from xg2lab.lab.session.setup import tokenizer_info_for
from xg2lab.tiny import example_requests, grammar_for, prompt
from xg2lab.widgets import *
from xg2lab.widgets.views.cache_view import UNSHARED
model = xgr.ModelRunner.tiny()
info = tokenizer_info_for("", model)
as_written = xgr.GrammarCompiler(info, options=xgr.EngineOptions(rule_inlining=False))
inlined = xgr.GrammarCompiler(info)
def open_session(form, compiler, name):
    grammar = compiler.compile_grammar(grammar_for(form))
    made = xgr.Session(grammar, info, model, prompt=prompt(example_requests(form)[0], form), temperature=0.0, name=name)
    made.run(60)
    return made
donor = open_session("qwen", as_written, "donor")
session = open_session("llama_function", as_written, "mine")
large = open_session("qwen", inlined, "inlined")
"""


@pytest.fixture(scope="module")
def view(lab: Lab) -> OneView:
    """A page with the cache view and the machine of the second grammar."""
    lab.errors.clear()
    cells = [SETUP, "CacheView(session)", "FsmView(session)", "CacheView(large)"]
    page = lab.show(cells, fresh=True)
    page.run_all()
    expect(page.locator("[data-xg2lab=cache_view]").first.locator("[data-lane]")).to_have_count(4)
    return OneView(page, "cache_view")


def entry_of(view: OneView, cache: str) -> dict[str, Any]:
    """The first entry of that class, with its step."""
    picked = "next(dict(e, step=s.index) for s in session.trace.steps for e in s.entries"
    return view.ask(f"{picked} if e['cache'] == {cache!r} and e['donor'] in (donor.compiled.id, session.compiled.id))")


def row_of(view: OneView, entry: dict[str, Any]) -> Locator:
    return view.part(f"tr:has([data-entry='{entry['state']}'])")


def expect_beside(view: OneView, entry: dict[str, Any]) -> None:
    """Both grammars stand there, each with its state marked; the states are those that Python finds equal."""
    theirs = view.ask(f"session.donor({entry['state']}, {entry['step']}).to_wire()")
    assert theirs["id"] == view.ask("donor.compiled.id")
    beside = view.part("[data-donor-open]")
    expect(beside).to_be_visible()
    mine, other = (beside.locator(f"[data-side={side}]") for side in ("mine", "donor"))
    expect(mine.locator(".code")).to_contain_text(view.ask("session.trace.header['grammar']['text']").splitlines()[0])
    expect(other.locator(".code")).to_contain_text(theirs["grammar"]["text"].splitlines()[0])
    rule = theirs["program"]["rules"][theirs["program"]["states"][theirs["state"]]["rule"]]
    expect(other.locator(".sub")).to_contain_text(f"{rule['name']}·{theirs['state'] - rule['states'][0]}")
    for side in (mine, other):
        expect(side.locator(".code .is-marked")).not_to_have_count(0)
        expect(side.locator("tr.is-selected")).to_have_count(1)
    leads = [side.locator("tr.is-selected td").inner_text() for side in (mine, other)]
    assert leads[0] == leads[1], "the same edges"


def test_an_entry_says_why_it_was_not_shared(view: OneView) -> None:
    steps = view.ask("[[s.index, e['state'], e['unshared']] for s in session.trace.steps for e in s.entries]")
    reasons = {why: (step, state) for step, state, why in steps}
    assert set(reasons) >= {None, "long_name", "short_walk"}
    for why, (step, state) in reasons.items():
        view.go_to(step)
        told = view.part(f"tr:has([data-entry='{state}']) [data-unshared]")
        if why is None:
            expect(told).to_have_count(0)
        else:
            expect(told).to_have_attribute("data-unshared", why)
            expect(told).to_contain_text(view.ask(f"UNSHARED[{why!r}]"))
    expect(view.part("[data-sharing-hint]")).to_have_count(0)
    other = view.notebook.locator("[data-xg2lab=cache_view]").nth(1)
    expect(other.locator("[data-sharing-hint]")).to_contain_text("rule_inlining=False")


@looks(1600, 700)
def test_it_fits_and_axe_finds_nothing_serious(view: OneView, shots: Path, width: int, dark: bool) -> None:
    entry = entry_of(view, "perfect_hit")
    view.go_to(entry["step"])
    row_of(view, entry).locator("[data-donor]").click()
    expect_beside(view, entry)
    try:
        view.looks_well(shots, width, dark=dark)
    finally:
        view.part("[data-donor-open] button").click()


def test_nothing_was_complained_of(lab: Lab, view: OneView) -> None:
    view.complained_of_nothing(lab)
