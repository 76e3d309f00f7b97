"""The machine of a rule before and after each pass: drawn as the engine has it, by mouse and by key alone.

A real kernel; what the page draws is held against the kernel's `FsmView(session).stages()`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from .jupyter import Lab
from .one_view import OneView, looks

pytestmark = pytest.mark.browser

SETUP = r"""
from xg2lab import TokenizerInfo
from xg2lab.lab import Session
from xg2lab.widgets import *
grammar = 'root ::= item ("," item)*\nitem ::= word | num\nword ::= "b" "a" | "c" "a" word\nnum ::= [0-9] num | [0-9]\n'
info = TokenizerInfo([bytes([k]) for k in range(256)] + [b"</s>"], stop_token_ids=[256])
session = Session(grammar, info, name="passes")
session.force("12,ca")
"""
NAMES = [
    "as written",
    "right_recursion_to_repeat",
    "inline_fragments",
    "fuse_literals",
    "determinize",
    "minimize",
]
SHORT = ["source", "repeat", "inline", "fuse", "determinize", "minimize"]
STATES = "[data-which={}] [data-state]"


@pytest.fixture(scope="module")
def view(lab: Lab) -> OneView:
    """An FsmView of the root, with its passes open."""
    lab.errors.clear()
    page = lab.show([SETUP, "FsmView(session)"])
    page.run_all()
    found = OneView(page, "fsm_view")
    expect(found.part("svg.fsm")).to_be_visible()
    found.notebook.python("session.select(rule=0)")
    found.part("[data-key=p]").click()
    expect(found.part("[data-stages]")).to_have_attribute("data-stages", "root")
    return found


def after(view: OneView, short: str) -> None:
    view.part(
        ".seg button",
    ).filter(has_text=short).click()
    expect(view.part("[data-stages]")).to_have_attribute("data-stage", NAMES[SHORT.index(short)])
    expect(view.part("[data-which=after] svg, [data-which=after] > p")).to_be_visible()


def drawn_states(view: OneView, which: str) -> set[int]:
    """States that have a place in the drawing: circles, bytes of literals (each the state after it, but the last)."""
    circles = view.part(f"[data-which={which}] .fsm-state").all()
    return {int(e.get_attribute("data-state") or "") for e in circles}


def test_each_stage_is_the_engines(view: OneView) -> None:
    told = view.ask("[[s.name, s.n_states, s.n_edges] for s in FsmView(session).stages('root')]")
    assert [name for name, _, _ in told] == NAMES
    shown = [e.inner_text() for e in view.part("[aria-label='The machine after'] button").all()]
    assert shown == SHORT
    for short, (_, n_states, n_edges) in zip(SHORT, told, strict=True):
        after(view, short)
        expect(view.part("[data-which=after] [data-counts]")).to_have_text(f"{n_states} states, {n_edges} edges")
        if short == "source":
            expect(view.part("[data-which=before]")).to_have_count(0)
        else:
            _, n_states, n_edges = told[SHORT.index(short) - 1]
            expect(view.part("[data-which=before] [data-counts]")).to_have_text(f"{n_states} states, {n_edges} edges")


def test_the_last_is_the_machine_that_runs(view: OneView) -> None:
    stages = "FsmView(session).stages('root')"
    assert view.ask(f"{stages}[-1].n_states == len(FsmView(session).data()['states'])")
    after(view, "minimize")
    live = view.ask("[s - FsmView(session).data()['rule']['states'][0] for s in FsmView(session).data()['live']]")
    expect(view.part("[data-which=after] [data-live]")).to_have_count(len(live))
    lit = {int(e.get_attribute("data-state") or "") for e in view.part("[data-which=after] [data-live]").all()}
    assert lit == set(live)
    expect(view.part("[data-live-note]")).to_contain_text("This machine runs")
    after(view, "determinize")
    expect(view.part("[data-live]")).to_have_count(0)
    expect(view.part("[data-live-note]")).to_contain_text("only the machine after minimize runs")


@pytest.mark.parametrize("short", SHORT[1:])
def test_marks_are_those_of_python(view: OneView, short: str) -> None:
    after(view, short)
    k = SHORT.index(short)
    new, joined, gone = view.ask(f"(lambda m: [m.new, m.joined, m.gone])(FsmView(session).stages('root')[{k}].marks)")
    circles = drawn_states(view, "after")
    marked = {
        kind: sum(int(kind == e.get_attribute("data-mark")) for e in view.part("[data-which=after] .stage-mark").all())
        for kind in ("new", "joined")
    }
    if set(new) | set(joined) <= circles:  # none of them is folded
        assert marked == {"new": len(new), "joined": len(joined)}
    before = drawn_states(view, "before")
    if set(gone) <= before:
        expect(view.part("[data-which=before] [data-mark=gone]")).to_have_count(len(gone))
    if new:
        expect(view.part(".fsm-stages [role=status]")).to_contain_text(f"{len(new)} state")


def test_a_state_shows_its_like_in_the_other_machine(view: OneView) -> None:
    view.notebook.python("session.select(rule=0, state=None)")
    after(view, "minimize")
    stands = view.ask("FsmView(session).stages('root')[-1].marks.stands_for")
    before, drawn = drawn_states(view, "before"), drawn_states(view, "after")
    state = max(
        (k for k, of in enumerate(stands) if of and set(of) <= before and k in drawn), key=lambda k: len(stands[k])
    )
    expect(view.part("[data-ringed]")).to_have_count(0)
    view.part(f"[data-which=after] .fsm-state[data-state='{state}']").click()
    expect(view.part("[data-which=before] [data-ringed]")).to_have_count(len(stands[state]))
    expect(view.part("[data-which=after] [aria-pressed=true]")).to_have_attribute("data-state", str(state))
    told = "session.selection['state']"  # the rule's first state is 0: it is the root
    view.notebook.settled()
    assert view.ask(told) == state


def test_a_rule_that_was_inlined_has_earlier_machines(view: OneView) -> None:
    early = view.part("[data-early]")
    names = view.ask(
        "sorted({n for s in FsmView(session).stages('root') for n in s.rules}"
        " - {r['name'] for r in session.trace.program['rules']})"
    )
    assert sorted(filter(None, (e.evaluate("e => e.value") for e in early.locator("option").all()))) == names
    assert "num" in names
    early.select_option("num")
    expect(view.part("[data-stages]")).to_have_attribute("data-stages", "num")
    told = view.ask("[s.n_states for s in FsmView(session).stages('num')]")
    last = max(k for k, n in enumerate(told) if n)
    expect(view.part("[data-stages]")).to_have_attribute("data-stage", NAMES[last])
    expect(view.part("[data-which=after] [data-counts]")).to_contain_text(f"{told[last]} states")
    after(view, "minimize")
    expect(view.part("[data-which=after]")).to_contain_text("written into its callers")
    early.select_option("")
    expect(view.part("[data-stages]")).to_have_attribute("data-stages", "root")


def test_by_key_alone(view: OneView) -> None:
    keys = view.notebook.page.keyboard
    view.part(".panel").focus()
    keys.press("p")
    expect(view.part("[data-stages]")).to_have_count(0)
    expect(view.part(".fsm-grid svg.fsm")).to_be_visible()
    keys.press("p")
    expect(view.part("[data-stages]")).to_be_visible()
    button = view.part(".seg button").filter(has_text="inline")
    for _ in range(14):
        keys.press("Tab")
        if button.evaluate("e => e.getRootNode().activeElement === e"):
            break
    keys.press("Enter")
    expect(view.part("[data-stages]")).to_have_attribute("data-stage", "inline_fragments")
    one = view.part(".seg button").filter(has_text="one")
    for _ in range(9):
        keys.press("Tab")
        if one.evaluate("e => e.getRootNode().activeElement === e"):
            break
    keys.press("Enter")
    expect(view.part("[data-which=before]")).to_have_count(0)
    view.part(".seg button").filter(has_text="side").click()


@looks(1920, 1280, 524)
def test_it_fits_and_axe_finds_nothing_serious(view: OneView, shots: Path, width: int, dark: bool) -> None:
    if width > 600:
        after(view, "inline")
    view.looks_well(shots, width, dark=dark)


def test_a_saved_page_has_the_rules_that_were_looked_at(view: OneView, lab: Any) -> None:
    for rule in ("num", "", "num"):  # each is asked for when it is first looked at
        view.part("[data-early]").select_option(rule)
        expect(view.part("[data-stages]")).to_have_attribute("data-stages", rule or "root")
    view.part("[data-early]").select_option("")
    assert sorted(view.ask("list(FsmView(session).session.stages)")) == ["num", "root"]
    view.notebook.python(f"path = FsmView(session).export_html({str(lab.folder / 'stages.html')!r})")
    page = lab.blank(offline=True)
    page.goto((lab.folder / "stages.html").as_uri())
    panel = page.locator("[data-panel=fsm-view]")
    panel.locator("[data-key=p]").click()
    expect(panel.locator("[data-which=after] svg.fsm")).to_be_visible()
    other = view.ask("[r['name'] for r in session.trace.program['rules']]")
    if len(other) > 1:
        panel.locator("[data-rule]").select_option(label=other[1])
        expect(panel.locator(".notice")).to_contain_text("no kernel answers")
    page.context.close()


def test_nothing_was_complained_of(view: OneView, lab: Lab) -> None:
    view.complained_of_nothing(lab)
