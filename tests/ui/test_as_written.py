"""The chart and the derivations of the grammar as written, beside the engine's, with a real kernel on a plain page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from .jupyter import Lab
from .one_view import OneView, looks

pytestmark = pytest.mark.browser

SETUP = r"""
import xg2lab as xgr
from xg2lab.widgets import *
INFO = xgr.TokenizerInfo([bytes([b]) for b in range(256)] + [b"</s>"], stop_token_ids=[256])
def forced(grammar, text, name):
    session = xgr.Session(grammar, INFO, name=name)
    session.force(text)
    return session
SUM = 'root ::= sum\nsum ::= sum "+" sum | sum "*" sum | num\nnum ::= [0-9]\n'
session = forced(SUM, "1+2*3", "sums")
long = forced(SUM, "1" + "+2*3" * 12, "long")
tools = forced('root ::= "<name>" [a-z]+ "</name>"', "<na", "tag")
"""
CELLS = [SETUP, "ChartView(session)", "ChartView(long)", "ChartView(tools)", "FsmView(session)", "WhyCard(session)"]


@pytest.fixture(scope="module")
def view(lab: Lab) -> OneView:
    """Charts of an ambiguous sum with default options, of a long one, and of a literal that is read in part."""
    lab.errors.clear()
    page = lab.show(CELLS)
    page.run_all()
    expect(page.locator("[data-xg2lab=chart_view] .panel")).to_have_count(3)
    expect(page.locator("[data-xg2lab=why_card] .panel")).to_have_count(1)
    return OneView(page, "chart_view")


def chart(view: OneView, which: int) -> Locator:
    return view.notebook.locator("[data-xg2lab=chart_view]").nth(which)


def picture(view: OneView, which: int, name: str) -> None:
    chart(view, which).scroll_into_view_if_needed()  # a view out of sight is drawn late
    chart(view, which).locator("[aria-label=Picture] button", has_text=name).click()


def grammar(view: OneView, which: int, name: str) -> None:
    chart(view, which).locator("[aria-label=Grammar] button", has_text=name).click()


def test_items_are_those_of_the_authors_rules(view: OneView) -> None:
    picture(view, 0, "items")
    grammar(view, 0, "as written")
    titles = chart(view, 0).locator(".item title")
    expect(titles.filter(has_text=re.compile(r'^sum → sum "\*" sum •'))).not_to_have_count(0)
    expect(titles.filter(has_text=re.compile(r"^num → \[0-9\] •"))).not_to_have_count(0)
    grammar(view, 0, "engine")
    expect(titles.filter(has_text=re.compile(r"^num → "))).to_have_count(0)
    grammar(view, 0, "as written")


def test_the_machine_is_that_of_the_authors_rule(view: OneView) -> None:
    fsm = view.notebook.locator("[data-xg2lab=fsm_view]")
    fsm.scroll_into_view_if_needed()
    rules = fsm.locator("[data-rule]")
    expect(rules.locator("option", has_text="num")).to_have_count(1)
    rules.select_option(label=rules.locator("option", has_text="sum").inner_text())
    expect(fsm.locator(".fsm-state")).to_have_count(10)  # three alternatives begin apart
    state = fsm.locator("[data-live] .fsm-state, .fsm-state[data-live]").first
    state.click()
    expect(fsm.locator(".fsm-state[aria-pressed=true]")).to_have_count(1)
    rules.select_option(label=rules.locator("option", has_text="num").inner_text())
    expect(fsm.locator(".fsm-state")).to_have_count(2)  # the engine has written the rule into its caller
    fsm.locator("[aria-label=Grammar] button", has_text="engine").click()
    expect(rules.locator("option", has_text="num")).to_have_count(0)
    fsm.locator("[aria-label=Grammar] button", has_text="as written").click()
    expect(fsm.locator(".fsm-state")).to_have_count(2)


def test_the_why_card_names_the_authors_items(view: OneView) -> None:
    card = view.notebook.locator("[data-xg2lab=why_card]")
    card.scroll_into_view_if_needed()
    view.notebook.python("session.select(token=ord('x'))")
    expect(card.locator(".facts-list .item").first).to_have_text(re.compile(r'^sum → sum • "[+*]" sum$'))
    expect(card.locator("[data-missing]")).to_have_text(re.compile(r"sum·\d+ has 2[AB], none for 78"))
    card.locator("[aria-label=Grammar] button", has_text="engine").click()
    expect(card.locator(".facts-list .item").first).not_to_have_text(re.compile(r'sum • "[+*]" sum$'))
    card.locator("[aria-label=Grammar] button", has_text="as written").click()
    view.notebook.python("session.select(token=None)")


def test_derivations_stand_side_by_side_and_say_where_they_part(view: OneView) -> None:
    picture(view, 0, "tree")
    forest = chart(view, 0).locator(".forest")
    expect(forest.locator("[data-count]")).to_have_text("2 derivations")
    trees = forest.locator(".forest-tree")
    expect(trees).to_have_count(2)
    said = sorted(text.split("way", 1)[1][3:] for text in trees.locator("figcaption").all_inner_texts())
    assert said == ['sum 0–5 is sum 0–1 "+" sum 2–5', 'sum 0–5 is sum 0–3 "*" sum 4–5']
    for k in (0, 1):
        expect(trees.nth(k).locator(".forest-node.parts")).to_have_count(1)
        is_sum = '"+"' in trees.nth(k).locator("figcaption").inner_text()
        differing = trees.nth(k).locator(".forest-node.differs").all()
        assert {node.get_attribute("data-node") for node in differing} == {"1.0.5", "1.2.5" if is_sum else "1.0.3"}


def test_a_node_leads_to_its_item_its_text_and_its_line(view: OneView) -> None:
    picture(view, 0, "tree")
    node = chart(view, 0).locator(".forest-tree", has_text='"+" sum 2–5').locator("[data-node='1.2.5']")
    node.click()
    line = chart(view, 0).locator("[data-item-line]")
    expect(line).to_contain_text('sum → sum "*" sum •')
    expect(line).to_contain_text("2*3")
    expect(line.locator("[data-grammar-line]")).to_have_attribute("data-grammar-line", "2")
    picture(view, 0, "items")
    expect(chart(view, 0).locator("[data-item-line]")).to_contain_text("bytes 2–5")


def test_only_some_of_very_many_derivations_are_drawn(view: OneView) -> None:
    picture(view, 1, "tree")
    head = chart(view, 1).locator("[data-count]")
    expect(head).to_have_text(re.compile(r"^6 of [\d,]{15,} derivations$"))
    expect(chart(view, 1).locator(".forest-tree")).to_have_count(6)
    chart(view, 1).locator("[data-more]").click()
    expect(chart(view, 1).locator(".forest-tree")).to_have_count(24)
    assert chart(view, 1).locator(".forest-node").count() < 24 * 48


def test_the_dot_is_inside_a_literal_that_is_read_in_part(view: OneView) -> None:
    picture(view, 2, "items")
    expect(chart(view, 2).locator(".item title").filter(has_text='root → "<na•me>"')).to_have_count(1)


def test_derivations_are_walked_by_keys(view: OneView) -> None:
    picture(view, 0, "tree")
    first = chart(view, 0).locator(".forest-tree").first
    first.locator("[data-row='0']").focus()
    view.notebook.page.keyboard.press("ArrowDown")
    expect(first.locator("[data-row='1']")).to_be_focused()
    view.notebook.page.keyboard.press("ArrowUp")
    expect(first.locator("[data-row='0']")).to_be_focused()


def test_a_recording_has_the_derivations_of_its_newest_steps(lab: Lab, view: OneView) -> None:
    replayed = lab.replay(view.notebook.saved())
    first = replayed.locator("[data-xg2lab=chart_view]").first
    first.locator("[aria-label=Picture] button", has_text="tree").click()
    expect(first.locator("[data-count]")).to_have_text("2 derivations")
    expect(first.locator(".forest-tree")).to_have_count(2)


@pytest.mark.parametrize("shown", ["items", "tree"])
@looks(1600, 700)
def test_it_fits_and_axe_finds_nothing_serious(view: OneView, shots: Path, width: int, dark: bool, shown: str) -> None:
    picture(view, 0, shown)
    view.looks_well(shots, width, dark=dark)
    shot = shots / f"chart_view-{width}-{'dark' if dark else 'light'}.png"
    shot.replace(shots / f"as_written_{shown}-{width}-{'dark' if dark else 'light'}.png")


def test_nothing_went_wrong_on_the_page(view: OneView, lab: Lab) -> None:
    assert lab.errors == []
