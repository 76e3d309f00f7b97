"""DispatchView in a real JupyterLab: events, the lit node, and what a grammar without tags is told."""

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
from tests.widgets.test_dispatch_view import TEXT, dispatching
from tests.ui.scripted import scripted_session
from xg2lab.widgets import *
session = dispatching(TEXT)
plain = scripted_session(name="no tags")
tags = ", ".join(f'("<f{n:02}>", count)' for n in range(40))
many = dispatching("a <f", f"root ::= TagDispatch({tags})\\n", "many")
"""
AXE = ROOT / "widgets" / "node_modules" / "axe-core" / "axe.min.js"
_FINDINGS = """async () => {
  const found = await axe.run('[data-xg2lab=dispatch_view]');
  return found.violations.filter((rule) => ['serious', 'critical'].includes(rule.impact)).map((rule) =>
    rule.id + ': ' + rule.nodes.map((n) => n.target.flat().join(' ') + ' ' + n.failureSummary).join());
}"""


@pytest.fixture(scope="module")
def notebook(lab: Lab) -> NotebookPage:
    """A notebook with a dispatch view, and one of a grammar without tags."""
    lab.errors.clear()
    cells = [SETUP, "DispatchView(session)", "DispatchView(plain)", "DispatchView(many)"]
    page = lab.open(write_notebook(lab.folder, "dispatch.ipynb", cells))
    page.run_all()
    expect(page.locator("[data-xg2lab=dispatch_view] [data-panel]")).to_have_count(3)
    return page


def view(notebook: NotebookPage, selector: str) -> Locator:
    """A part of the view that has tags."""
    return notebook.locator("[data-xg2lab=dispatch_view]").first.locator(selector)


def ask(notebook: NotebookPage, expression: str) -> Any:
    """A value of the kernel, by way of JSON."""
    return json.loads(notebook.python(f"import json; print(json.dumps({expression}))"))


def go_to(notebook: NotebookPage, step: int) -> None:
    """The cursor on a step, chosen in Python."""
    notebook.python(f"session.select(**dict.fromkeys(session.selection) | {{'step': {step}}})")
    expect(view(notebook, "[role=slider]")).to_have_attribute("aria-valuenow", str(step))


def test_events_on_the_page_are_those_of_python(notebook: NotebookPage) -> None:
    readings = ask(notebook, "DispatchView(session).data()['readings']")
    for event in ("arms", "breaks", "fires"):
        expected = [r["at"] - 1 for r in readings if r["event"] == event]
        assert expected
        marks = view(notebook, f"[data-event={event}]")
        expect(marks).to_have_count(len(expected))
        assert [int(m.get_attribute("data-byte") or -1) for m in marks.all()] == expected


def test_the_lit_node_and_the_sentence_follow_the_cursor(notebook: NotebookPage) -> None:
    at = ask(notebook, "TEXT.encode().index(b'<to')")
    trie = view(notebook, "svg[data-node]")
    seen = []
    for n_read in range(4):
        go_to(notebook, at + n_read)
        seen.append(trie.get_attribute("data-node"))
        if n_read:
            expect(view(notebook, "[data-said]")).to_contain_text(f"{n_read} of ")
    assert seen[0] == "0"
    assert len(set(seen)) == 4
    expect(view(notebook, "[data-said]")).to_contain_text("goes on")
    go_to(notebook, at + 3)
    expect(view(notebook, "[data-said]")).to_contain_text("3 of 6 bytes of <tool>, 3 of 5 of <top>")
    expect(view(notebook, "[data-said]")).to_contain_text("o or p goes on")
    go_to(notebook, ask(notebook, "TEXT.encode().index(b'x}')"))
    expect(view(notebook, "[data-said]")).to_contain_text("Dispatched: inside call")


def test_clicks_and_arrows_move_the_cursor(notebook: NotebookPage) -> None:
    go_to(notebook, 2)
    slider = view(notebook, "[role=slider]")
    slider.focus()
    notebook.page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuenow", "3")
    view(notebook, "[data-event=breaks]").first.locator("text").first.click()
    broke = ask(notebook, "TEXT.encode().index(b' b')")
    expect(slider).to_have_attribute("aria-valuenow", str(broke))
    notebook.page.wait_for_timeout(200)
    assert ask(notebook, "session.selection['step']") == broke
    assert ask(notebook, "len(session.trace.branches)") == 0


def test_tallies_and_the_table_twin(notebook: NotebookPage) -> None:
    go_to(notebook, 0)
    tool = view(notebook, "[data-text='<tool>']")
    expect(tool.locator("td.num")).to_have_text(["", "4", "3", "1"])
    expect(view(notebook, "[data-text='<top>'] td.num")).to_have_text(["", "4", "3", "1"])
    view(notebook, ".panel").focus()
    notebook.page.keyboard.press("t")
    rows = view(notebook, "[aria-label='Bytes, a row each'] tbody tr")
    expect(rows).to_have_count(ask(notebook, "len(TEXT.encode())"))
    notebook.page.keyboard.press("t")
    expect(view(notebook, "[role=slider]")).to_be_visible()


def test_a_grammar_without_tags_says_so(notebook: NotebookPage) -> None:
    empty = notebook.locator("[data-xg2lab=dispatch_view]").nth(1)
    expect(empty).to_contain_text("This grammar has no tags")
    expect(empty.locator("code")).to_contain_text("TagDispatch")


def test_an_automaton_too_large_to_draw_is_a_table(notebook: NotebookPage) -> None:
    large = notebook.locator("[data-xg2lab=dispatch_view]").nth(2)
    expect(large.locator("svg[data-node]")).to_have_count(0)
    nodes = large.locator("[aria-label='Nodes of the automaton'] tbody tr")
    expect(nodes).to_have_count(1 + 2 + 4 + 40 + 40)
    expect(nodes.nth(1)).to_have_class("is-selected")
    expect(nodes.nth(1)).to_contain_text("<f")
    expect(nodes.nth(1).locator("td").first).to_have_text("0 1 2 3")
    expect(large.locator("[data-said]")).to_contain_text("and 37 more read; 0 or 1 or 2 or 3 goes on")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1600, 524])
def test_it_fits_and_axe_finds_nothing_serious(notebook: NotebookPage, shots: Path, width: int, dark: bool) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core is not installed: run `npm ci` in widgets/")
    go_to(notebook, ask(notebook, "TEXT.encode().index(b'ol>')"))
    notebook.theme(dark)
    notebook.page.set_viewport_size({"width": width, "height": 1400})
    try:
        notebook.page.wait_for_timeout(500)
        panel = view(notebook, ".panel")
        panel.scroll_into_view_if_needed()
        assert view(notebook, ".body").evaluate("e => e.scrollWidth - e.clientWidth") <= 1
        panel.screenshot(path=str(shots / f"dispatch-{width}-{'dark' if dark else 'light'}.png"))
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
