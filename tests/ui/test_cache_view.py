"""CacheView: lanes count what the trace says, clicks and keys select, the machine follows."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from .jupyter import Lab
from .one_view import OneView, looks

pytestmark = pytest.mark.browser

SETUP = """
from xg2lab import EngineOptions, GrammarCompiler
from xg2lab.lab import Session
from tests.ui.scripted import GRAMMAR, ScriptedRunner, vocabulary, N_SILENT
from xg2lab import TokenizerInfo
from xg2lab.widgets import *
tokens = vocabulary(2048, seed=17)
info = TokenizerInfo(tokens, vocab_size=2048, stop_token_ids=[2048 - N_SILENT])
compiler = GrammarCompiler(info, options=EngineOptions(rule_inlining=False))
def open_session(grammar, name):
    return Session(compiler.compile_grammar(grammar), info, ScriptedRunner(tokens), prompt="?", name=name,
                   temperature=0.0)
donor = open_session(GRAMMAR, "donor")
donor.run()
session = open_session(GRAMMAR.replace("number ::=", "number ::= \\"+\\" |"), "taker")
session.run()
"""


@pytest.fixture(scope="module")
def view(lab: Lab) -> OneView:
    """A page with a cache view and an FSM."""
    lab.errors.clear()
    page = lab.show([SETUP, "CacheView(session)", "FsmView(session)"], fresh=True)
    page.run_all()
    expect(page.locator("[data-xg2lab=cache_view] [data-lane]")).to_have_count(4)
    return OneView(page, "cache_view")


def hits(view: OneView) -> list[int]:
    """Steps with an entry of another grammar."""
    return view.ask("[s.index for s in session.trace.steps if any(e['cache'] != 'miss' for e in s.entries)]")


def test_lanes_count_what_the_trace_says(view: OneView) -> None:
    counts = view.ask("CacheView(session).data()['counts']")
    assert counts["perfect_hit"] + counts["partial_hit"] > 0
    assert counts["context_hit"] > 0
    for name, n in counts.items():
        expect(view.part(f"[data-lane={name}]")).to_have_attribute("data-count", str(n))


def test_a_perfect_hit_without_entries_says_why(view: OneView) -> None:
    last = view.ask("max(s.index for s in session.trace.steps if s.cache == 'perfect_hit' and not s.entries)")
    view.go_to(last)
    expect(view.part("[data-fill]")).to_have_attribute("data-fill", "perfect_hit")
    expect(view.part("[data-no-entries]")).to_contain_text("no mask entry is needed: only a stop token may follow")
    expect(view.part("[data-no-entries]")).to_contain_text("counts as a perfect hit, since nothing was built")
    expect(view.part("[data-class-words]")).to_have_count(0)
    expect(view.part("[aria-label='Mask entries of the step']")).to_have_count(0)


def test_each_figure_of_the_pool_is_explained(view: OneView) -> None:
    pool = view.part("section.pool")
    names = pool.locator("dt").all_text_contents()
    assert len(names) >= 6
    pool.locator("summary").click()
    rows = pool.locator("details li")
    assert rows.locator("b").all_text_contents() == names
    assert all(len(text.split(": ", 1)[1]) > 20 for text in rows.all_text_contents())


def test_a_click_in_the_lanes_and_the_arrows_move_the_cursor(view: OneView) -> None:
    view.go_to(0)
    slider = view.part("[role=slider]")
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box is not None
    view.notebook.page.mouse.click(box["x"] + 124 + 28 * 2.5, box["y"] + 20)
    expect(slider).to_have_attribute("aria-valuenow", "2")
    slider.focus()
    view.notebook.page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuenow", "3")
    view.notebook.settled()
    assert view.ask("session.selection['step']") == 3
    expect(view.part("[data-fill]")).to_contain_text("step 3")
    view.notebook.page.keyboard.press("End")
    view.notebook.page.keyboard.press("Home")
    expect(slider).to_have_attribute("aria-valuenow", "0")
    n = view.ask("session.trace.n_decided")
    assert view.ask("len(session.trace.branches)") == 0, "the arrows moved the cursor and took nothing back"
    assert n > 5


def test_a_hit_names_its_donor_and_its_state_opens_the_machine(view: OneView) -> None:
    step = hits(view)[0]
    view.go_to(step)
    entries = view.ask(f"session.trace.steps[{step}].entries")
    rows = view.part("[data-entry]")
    expect(rows).to_have_count(len(entries))
    taken = next(e for e in entries if e["cache"] != "miss")
    assert taken["donor"] == view.ask("donor.compiled.id")
    row = view.part(f"tr:has([data-entry='{taken['state']}'])")
    expect(row.locator("[data-donor]")).to_have_text(f"{taken['donor']}: {taken['donor_name']}")
    expect(row).to_contain_text(taken["cache"].replace("_", " "))
    expect(row).to_contain_text(f"{taken['n_rejected']:,}")
    fsm = view.notebook.locator("[data-xg2lab=fsm_view]")
    fsm.locator("[aria-label=Grammar] button").filter(has_text="engine").click()  # entries are of its states
    row.locator("[data-entry]").click()
    expect(row).to_have_class("is-selected")
    expect(fsm.locator("[data-rule]")).to_have_value(str(taken["rule"]))
    expect(fsm.locator(".fsm-state[aria-pressed=true]")).to_have_attribute("data-state", str(taken["state"]))
    view.notebook.settled()
    assert view.ask("session.selection['mask_entry']") == taken["state"]
    pool = view.ask(f"session.trace.steps[{step}].pool")
    expect(view.part("section.pool")).to_contain_text(f"{pool['n_perfect_hits']:,}")


def test_the_table_says_the_same(view: OneView) -> None:
    view.go_to(1)
    view.part(".panel").focus()
    view.notebook.page.keyboard.press("t")
    rows = view.part("[aria-label='Fills, a row a step'] tbody tr")
    expect(rows).to_have_count(view.ask("len(session.trace.steps)"))
    step = hits(view)[0]
    expect(rows.nth(step)).to_contain_text(view.ask("donor.compiled.name"))
    rows.nth(step).locator("button").click()
    expect(view.part("[data-fill]")).to_contain_text(f"step {step}")
    view.part("button[aria-label='Cache as a table']").click()
    expect(view.part("[role=slider]")).to_be_visible()


@looks(1600, 524)
def test_it_fits_and_axe_finds_nothing_serious(view: OneView, shots: Path, width: int, dark: bool) -> None:
    view.go_to(hits(view)[0])
    view.looks_well(shots, width, dark=dark)


def test_nothing_was_complained_of(lab: Lab, view: OneView) -> None:
    view.complained_of_nothing(lab)
