"""An item is a state and an origin: the chart shows both, so that no item stands twice in a column."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from .jupyter import Lab
from .one_view import OneView

pytestmark = pytest.mark.browser

SETUP = r"""
import xg2lab as xgr
from xg2lab.widgets import *
tokens = [bytes([b]) for b in range(128)] + [b"</s>"]
info = xgr.TokenizerInfo(tokens, stop_token_ids=[128])
grammar = 'root ::= expr\nexpr ::= expr [+*] expr | "(" expr ")" | num\nnum ::= [0-9]+\n'
options = xgr.EngineOptions(rule_inlining=False, right_recursion_to_repeat=False)
compiled = xgr.GrammarCompiler(info, options=options).compile_grammar(grammar)
session = xgr.Session(compiled, info, name="ambiguous")
session.force("1+2*3+4", byte_by_byte=True)
"""
#: The texts of each column's items, by column.
ITEMS = """(box) => {
  const columns = {};
  for (const item of box.querySelectorAll("[data-item]")) {
    const column = item.dataset.item.split(":")[0];
    const texts = [...item.querySelectorAll(":scope > text")].map((text) => text.textContent).join(" ");
    (columns[column] ??= []).push([Number(item.dataset.item.split(":")[1]), texts]);
  }
  return columns;
}"""


@pytest.fixture(scope="module")
def view(lab: Lab) -> OneView:
    """A chart of a text that can be read in several ways."""
    lab.errors.clear()
    page = lab.show([SETUP, "ChartView(session)"])
    page.run_all()
    expect(page.locator("[data-xg2lab=chart_view] [data-item]").first).to_be_visible()
    return OneView(page, "chart_view")


def expect_told_apart(view: OneView, *, at_least: int) -> None:
    """No two items of a column read alike, and some columns are crowded."""
    columns = view.part(".body").evaluate(ITEMS)
    assert max(len(items) for items in columns.values()) >= at_least
    for column, items in columns.items():
        rules = view.ask(
            f"[w.program['states'][row[0]]['rule'] for w in [session.trace.as_written] for row in w.columns[{column}]]"
        )
        read = [(rules[index], text) for index, text in items]
        assert len(set(read)) == len(read), (column, read)
        assert not any(text.startswith("[0-…") for _, text in read), "short items are whole"


@pytest.mark.parametrize("width", [1600, 1000])
def test_in_student_mode_each_item_of_a_crowded_column_says_its_origin(view: OneView, width: int) -> None:
    view.notebook.page.set_viewport_size({"width": width, "height": 1400})
    view.part("[data-key=e]").click()
    try:
        if view.part("[data-do=again]").is_enabled():
            view.part("[data-do=again]").click()
            expect(view.part("[data-do=again]")).to_be_disabled()  # the new exercise is drawn
        view.part("[data-do=reveal]").click()
        expect(view.part("[data-do=reveal]")).to_be_disabled()
        expect(view.part("[data-hidden]")).to_have_count(0)
        expect_told_apart(view, at_least=8)
        rows = view.ask("session.trace.as_written.columns[7]")
        for index, row in enumerate(rows):
            expect(view.part(f"[data-item='7:{index}'] [data-origin]")).to_have_attribute("data-origin", str(row[1]))
    finally:
        view.part("[data-key=e]").click()
        view.notebook.page.set_viewport_size({"width": 1600, "height": 1400})


def test_nothing_was_complained_of(lab: Lab, view: OneView) -> None:
    view.complained_of_nothing(lab)
