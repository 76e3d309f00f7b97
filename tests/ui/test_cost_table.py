"""Where the time went: a waterfall, rules and steps sorted by any column; a row lights grammar and tape.

A real kernel, the shipped model, by mouse and by key alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from .jupyter import Lab
from .one_view import OneView, looks

pytestmark = pytest.mark.browser

SETUP = """
from xg2lab import EngineOptions
from xg2lab.lab import Session
from xg2lab.widgets import *
grammar = 'root ::= "{" pair ("," pair)* "}"\\npair ::= key ":" val\\n'
grammar += 'key ::= "\\\\"" [a-z]{1,60} "\\\\""\\nval ::= [0-9]+ | key'
grammar += 'lost ::= "x"\\n'
options = EngineOptions(cross_grammar_cache=False)  # whose machines no other grammar made
session = Session(grammar, model="tiny", seed=3, max_tokens=30, name="dear", options=options)
session.run()
"""


@pytest.fixture(scope="module")
def view(lab: Lab) -> OneView:
    """A CostTable beside the workbench's tape."""
    lab.errors.clear()
    page = lab.show([SETUP, "CostTable(session)", "Tape(session)"])
    page.run_all()
    found = OneView(page, "cost_table")
    expect(found.part("[data-rule]").first).to_be_visible()
    return found


def test_it_tells_what_python_tells(view: OneView) -> None:
    costs = "CostTable(session).data()"
    names = view.ask(f"[p.name for p in {costs}.passes]")
    assert [e.get_attribute("data-pass") for e in view.part("[data-pass]").all()] == names
    assert {"lower", "determinize", "minimize"} <= set(names)
    changes = {p: c for p, c in view.ask(f"[[p.name, p.change] for p in {costs}.passes]") if c}
    shown = {e.get_attribute("data-pass"): e.locator("[data-change]") for e in view.part("[data-pass]").all()}
    for name, change in changes.items():
        expect(shown[name]).to_contain_text(change)
    assert view.part("[data-change]").count() == len(changes)
    parts = view.ask(f"[p.name for p in {costs}.passes if p.inside == 'lower']")
    assert [e.get_attribute("data-pass") for e in view.part("[data-inside=lower]").all()] == parts
    rules = view.ask(f"[[r.name, r.n_fills, r.n_misses] for r in {costs}.rules]")
    assert [e.get_attribute("data-rule") for e in view.part("[data-rule]").all()] == [name for name, _, _ in rules]
    for name, fills, misses in rules:
        row = view.part(f'[data-rule="{name}"] td.num')
        expect(row.nth(2)).to_have_text(str(fills))
        expect(row.nth(3)).to_have_text(str(misses))
    expect(view.part(".readout")).to_contain_text(f"in {view.ask(f'len({costs}.steps)')} fills")


def test_a_rule_lights_grammar_and_tape_by_mouse(view: OneView) -> None:
    rule = view.ask("(lambda r: [r.name, r.rule, r.costliest])(CostTable(session).data().rules[1])")
    view.part(f'[data-rule="{rule[0]}"]').click()
    expect(view.part(f'[data-rule="{rule[0]}"]')).to_have_class("is-selected")
    expect(view.part("[role=slider]")).to_have_attribute("aria-valuenow", str(rule[2]))
    view.notebook.settled()
    assert view.ask("[session.selection['rule'], session.selection['step']]") == rule[1:]
    tape = view.notebook.locator("[data-xg2lab=tape]").first
    expect(tape.locator("[aria-valuenow]").first).to_have_attribute("aria-valuenow", str(rule[2]))


def test_sorted_by_any_column_by_key(view: OneView) -> None:
    keys = view.notebook.page.keyboard
    view.part(".panel").focus()
    keys.press("Tab")
    keys.press("Tab")
    expect(view.part(".seg button").nth(1)).to_be_focused()
    keys.press("Enter")  # steps
    expect(view.part("[data-step]").first).to_be_visible()
    head = view.part(
        "th[scope=col]",
    ).filter(has_text="mask")
    expect(head).to_have_attribute("aria-sort", "descending")
    order = view.ask("[s.step for s in sorted(CostTable(session).data().steps, key=lambda s: -s.us)]")
    assert [int(e.get_attribute("data-step") or "") for e in view.part("[data-step]").all()] == order
    button = view.part("th[scope=col]").filter(has_text="step").locator("button")
    for _ in range(6):
        keys.press("Tab")
        if button.evaluate("e => e.getRootNode().activeElement === e"):
            break
    keys.press("Enter")
    keys.press("Enter")
    expect(view.part("th[scope=col]").filter(has_text="step")).to_have_attribute("aria-sort", "ascending")
    shown = [int(e.get_attribute("data-step") or "") for e in view.part("[data-step]").all()]
    assert shown == sorted(shown)
    row = view.part("[data-step='3'] button")
    row.focus()
    keys.press("Enter")
    view.notebook.settled()
    assert view.ask("session.selection['step']") == 3
    view.part(".seg button").first.click()


@looks(1920, 1280, 524)
def test_it_fits_and_axe_finds_nothing_serious(view: OneView, shots: Path, width: int, dark: bool) -> None:
    view.looks_well(shots, width, dark=dark, body=".cost-lanes")


def test_it_replays_without_a_kernel(view: OneView, lab: Any) -> None:
    view.notebook.python(f"path = CostTable(session).export_html({str(lab.folder / 'costs.html')!r})")
    page = lab.blank(offline=True)
    page.goto((lab.folder / "costs.html").as_uri())
    panel = page.locator("[data-panel=cost-table]")
    expect(panel.locator("[data-pass=lower]")).to_have_count(1)
    expect(panel.locator("[data-rule]").first).to_be_visible()
    page.context.close()


def test_nothing_was_complained_of(view: OneView, lab: Lab) -> None:
    view.complained_of_nothing(lab)
