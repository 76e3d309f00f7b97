"""CacheView in a real JupyterLab: lanes count what the trace says, clicks and keys select, the machine follows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from .conftest import write_notebook
from .jupyter import ROOT, Lab, NotebookPage

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
AXE = ROOT / "widgets" / "node_modules" / "axe-core" / "axe.min.js"
_FINDINGS = """async () => {
  const found = await axe.run('[data-xg2lab=cache_view]');
  return found.violations.filter((rule) => ['serious', 'critical'].includes(rule.impact)).map((rule) =>
    rule.id + ': ' + rule.nodes.map((n) => n.target.flat().join(' ') + ' ' + n.failureSummary).join());
}"""


@pytest.fixture(scope="module")
def notebook(lab: Lab) -> NotebookPage:
    """A notebook with a cache view and an FSM."""
    lab.errors.clear()
    page = lab.open(write_notebook(lab.folder, "cache.ipynb", [SETUP, "CacheView(session)", "FsmView(session)"]))
    page.run_all()
    expect(page.locator("[data-xg2lab=cache_view] [data-lane]")).to_have_count(4)
    return page


def view(notebook: NotebookPage, selector: str) -> Locator:
    """A part of the view."""
    return notebook.locator(f"[data-xg2lab=cache_view] {selector}")


def ask(notebook: NotebookPage, expression: str) -> Any:
    """A value of the kernel, by way of JSON."""
    return json.loads(notebook.python(f"import json; print(json.dumps({expression}))"))


def go_to(notebook: NotebookPage, step: int) -> None:
    """The cursor on a step, chosen in Python."""
    notebook.python(f"session.select(**dict.fromkeys(session.selection) | {{'step': {step}}})")
    expect(view(notebook, "[role=slider]")).to_have_attribute("aria-valuenow", str(step))


def hits(notebook: NotebookPage) -> list[int]:
    """Steps with an entry of another grammar."""
    return ask(notebook, "[s.index for s in session.trace.steps if any(e['cache'] != 'miss' for e in s.entries)]")


def test_lanes_count_what_the_trace_says(notebook: NotebookPage) -> None:
    counts = ask(notebook, "CacheView(session).data()['counts']")
    assert counts["perfect_hit"] + counts["partial_hit"] > 0
    assert counts["context_hit"] > 0
    for name, n in counts.items():
        expect(view(notebook, f"[data-lane={name}]")).to_have_attribute("data-count", str(n))


def test_a_click_in_the_lanes_and_the_arrows_move_the_cursor(notebook: NotebookPage) -> None:
    go_to(notebook, 0)
    slider = view(notebook, "[role=slider]")
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box is not None
    notebook.page.mouse.click(box["x"] + 124 + 28 * 2.5, box["y"] + 20)
    expect(slider).to_have_attribute("aria-valuenow", "2")
    slider.focus()
    notebook.page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuenow", "3")
    notebook.page.wait_for_timeout(200)
    assert ask(notebook, "session.selection['step']") == 3
    expect(view(notebook, "[data-fill]")).to_contain_text("step 3")
    notebook.page.keyboard.press("End")
    notebook.page.keyboard.press("Home")
    expect(slider).to_have_attribute("aria-valuenow", "0")
    n = ask(notebook, "session.trace.n_decided")
    assert ask(notebook, "len(session.trace.branches)") == 0, "the arrows moved the cursor and took nothing back"
    assert n > 5


def test_a_hit_names_its_donor_and_its_state_opens_the_machine(notebook: NotebookPage) -> None:
    step = hits(notebook)[0]
    go_to(notebook, step)
    entries = ask(notebook, f"session.trace.steps[{step}].entries")
    rows = view(notebook, "[data-entry]")
    expect(rows).to_have_count(len(entries))
    taken = next(e for e in entries if e["cache"] != "miss")
    assert taken["donor"] == ask(notebook, "donor.compiled.id")
    row = view(notebook, f"tr:has([data-entry='{taken['state']}'])")
    expect(row.locator("[data-donor]")).to_have_text(f"{taken['donor']}: {taken['donor_name']}")
    expect(row).to_contain_text(taken["cache"].replace("_", " "))
    expect(row).to_contain_text(f"{taken['n_rejected']:,}")
    row.locator("button").click()
    expect(row).to_have_class("is-selected")
    fsm = notebook.locator("[data-xg2lab=fsm_view]")
    expect(fsm.locator("[data-rule]")).to_have_value(str(taken["rule"]))
    expect(fsm.locator(".fsm-state[aria-pressed=true]")).to_have_attribute("data-state", str(taken["state"]))
    notebook.page.wait_for_timeout(200)
    assert ask(notebook, "session.selection['mask_entry']") == taken["state"]
    pool = ask(notebook, f"session.trace.steps[{step}].pool")
    expect(view(notebook, "section.pool")).to_contain_text(f"{pool['n_perfect_hits']:,}")


def test_the_table_says_the_same(notebook: NotebookPage) -> None:
    go_to(notebook, 1)
    view(notebook, ".panel").focus()
    notebook.page.keyboard.press("t")
    rows = view(notebook, "[aria-label='Fills, a row a step'] tbody tr")
    expect(rows).to_have_count(ask(notebook, "len(session.trace.steps)"))
    step = hits(notebook)[0]
    expect(rows.nth(step)).to_contain_text(ask(notebook, "donor.compiled.name"))
    rows.nth(step).locator("button").click()
    expect(view(notebook, "[data-fill]")).to_contain_text(f"step {step}")
    view(notebook, "button[aria-label='Cache as a table']").click()
    expect(view(notebook, "[role=slider]")).to_be_visible()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1600, 524])
def test_it_fits_and_axe_finds_nothing_serious(notebook: NotebookPage, shots: Path, width: int, dark: bool) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core is not installed: run `npm ci` in widgets/")
    go_to(notebook, hits(notebook)[0])
    notebook.theme(dark)
    notebook.page.set_viewport_size({"width": width, "height": 1400})
    try:
        notebook.page.wait_for_timeout(500)
        panel = view(notebook, ".panel")
        panel.scroll_into_view_if_needed()
        assert panel.evaluate("e => e.scrollWidth - e.clientWidth") <= 1
        assert view(notebook, ".body").evaluate("e => e.scrollWidth - e.clientWidth") <= 1
        panel.screenshot(path=str(shots / f"cache-{width}-{'dark' if dark else 'light'}.png"))
        notebook.page.evaluate(AXE.read_text(encoding="utf-8") + ";0")
        notebook.page.evaluate("() => { document.body.style.height = '100vh'; }")
        assert notebook.page.evaluate(_FINDINGS) == []
    finally:
        notebook.page.evaluate("() => { document.body.style.height = ''; }")
        notebook.page.set_viewport_size({"width": 1600, "height": 1400})
        notebook.theme(False)


def test_nothing_was_complained_of(lab: Lab, notebook: NotebookPage) -> None:
    assert view(notebook, ".panel").count() == 1
    assert [e for e in lab.errors if "xg2lab" in e or "TypeError" in e] == []
