"""DispatchView: events, the lit node, and what a grammar without tags is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from .jupyter import Lab
from .one_view import OneView, looks

pytestmark = pytest.mark.browser

SETUP = """
from tests.widgets.test_dispatch_view import TEXT, dispatching, tags_of_one_trigger
from tests.ui.scripted import scripted_session
from xg2lab.widgets import *
session = dispatching(TEXT)
plain = scripted_session(name="no tags")
tags = ", ".join(f'("<f{n:02}>", count)' for n in range(40))
many = dispatching("a <f", f"root ::= TagDispatch({tags})\\n", "many")
shared = tags_of_one_trigger(500, "a <function=svc3.op08")
"""


@pytest.fixture(scope="module")
def view(lab: Lab) -> OneView:
    """A page with a dispatch view, and one of a grammar without tags."""
    lab.errors.clear()
    cells = [SETUP, "DispatchView(session)", "DispatchView(plain)", "DispatchView(many)", "DispatchView(shared)"]
    page = lab.show(cells)
    page.run_all()
    expect(page.locator("[data-xg2lab=dispatch_view] [data-panel]")).to_have_count(4)
    return OneView(page, "dispatch_view")


def test_events_on_the_page_are_those_of_python(view: OneView) -> None:
    readings = view.ask("DispatchView(session).data()['readings']")
    for event in ("arms", "breaks", "fires"):
        expected = [r["at"] - 1 for r in readings if r["event"] == event]
        assert expected
        marks = view.part(f"[data-event={event}]")
        expect(marks).to_have_count(len(expected))
        assert [int(m.get_attribute("data-byte") or -1) for m in marks.all()] == expected


def test_the_lit_node_and_the_sentence_follow_the_cursor(view: OneView) -> None:
    at = view.ask("TEXT.encode().index(b'<to')")
    trie = view.part("svg[data-node]")
    seen = []
    for n_read in range(4):
        view.go_to(at + n_read)
        seen.append(trie.get_attribute("data-node"))
        if n_read:
            expect(view.part("[data-said]")).to_contain_text(f"{n_read} of ")
    assert seen[0] == "0"
    assert len(set(seen)) == 4
    expect(view.part("[data-said]")).to_contain_text("continues it")
    view.go_to(at + 3)
    expect(view.part("[data-said]")).to_contain_text("3 of 6 bytes of <tool>, 3 of 5 of <top>")
    expect(view.part("[data-said]")).to_contain_text("o or p continues it")
    view.go_to(view.ask("TEXT.encode().index(b'x}')"))
    expect(view.part("[data-said]")).to_contain_text("Dispatched: inside call")


def test_clicks_and_arrows_move_the_cursor(view: OneView) -> None:
    view.go_to(2)
    slider = view.part("[role=slider]")
    slider.focus()
    view.notebook.page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuenow", "3")
    view.part("[data-event=breaks]").first.locator("text").first.click()
    broke = view.ask("TEXT.encode().index(b' b')")
    expect(slider).to_have_attribute("aria-valuenow", str(broke))
    view.notebook.settled()
    assert view.ask("session.selection['step']") == broke
    assert view.ask("len(session.trace.branches)") == 0


def test_tallies_and_the_table_twin(view: OneView) -> None:
    view.go_to(0)
    tool = view.part("[data-text='<tool>']")
    expect(tool.locator("td.num")).to_have_text(["", "4", "3", "1"])
    expect(view.part("[data-text='<top>'] td.num")).to_have_text(["", "4", "3", "1"])
    view.part(".panel").focus()
    view.notebook.page.keyboard.press("t")
    rows = view.part("[aria-label='Bytes, a row each'] tbody tr")
    expect(rows).to_have_count(view.ask("len(TEXT.encode())"))
    view.notebook.page.keyboard.press("t")
    expect(view.part("[role=slider]")).to_be_visible()


def test_a_grammar_without_tags_says_so(view: OneView) -> None:
    empty = view.notebook.locator("[data-xg2lab=dispatch_view]").nth(1)
    expect(empty).to_contain_text("This grammar has no tags")
    expect(empty.locator("code")).to_contain_text("TagDispatch")


def test_an_automaton_too_large_to_draw_is_a_table(view: OneView) -> None:
    large = view.notebook.locator("[data-xg2lab=dispatch_view]").nth(2)
    expect(large.locator("svg[data-node]")).to_have_count(0)
    nodes = large.locator("[aria-label='Nodes of the automaton'] tbody tr")
    expect(nodes).to_have_count(
        1 + 2 + 4 + 40
    )  # nothing, the way, and what can follow: bytes without a choice are one row
    expect(nodes.nth(2)).to_have_class("is-selected")
    expect(nodes.nth(2)).to_contain_text("<f")
    expect(nodes.nth(2).locator("td").first).to_have_text("0–3")
    expect(large.locator("[data-said]")).to_contain_text("and 37 more read; 0–3 continues it")


def test_the_tags_that_are_still_possible_are_named_and_a_long_list_can_be_filtered(view: OneView) -> None:
    shared = view.notebook.locator("[data-xg2lab=dispatch_view]").nth(3)
    said = shared.locator("[data-said]")
    expect(said).to_contain_text("<function= was read, 10 of 500 tags are possible: <function=svc3.op080>, ")
    expect(said).to_contain_text("and 7 more")
    tags = shared.locator("[aria-label='Tags of <function='] tbody tr")
    expect(tags).to_have_count(40)
    assert tags.evaluate_all("rows => rows.map((r) => r.dataset.alive).join()") == ",".join(
        ["true"] * 10 + ["false"] * 30
    )
    expect(shared.locator(".text-tools")).to_contain_text("10 of 500 alive; 40 of 500 shown")
    shared.get_by_role("button", name="alive", exact=True).click()
    expect(tags).to_have_count(10)
    shared.get_by_label("Find one of the tags").fill("op085")
    expect(tags).to_have_count(1)
    shared.get_by_label("Find one of the tags").fill("nothing like it")
    expect(shared.locator(".text-tools")).to_contain_text("none is found")
    view.notebook.python("shared.force('5>{')")
    expect(said).to_contain_text("Dispatched: inside the tag <function=svc3.op085>.")
    view.notebook.python("shared.back(3)")
    expect(said).to_contain_text("10 of 500 tags are possible")


@looks(1600, 524)
def test_it_fits_and_axe_finds_nothing_serious(view: OneView, shots: Path, width: int, dark: bool) -> None:
    view.go_to(view.ask("TEXT.encode().index(b'ol>')"))
    view.looks_well(shots, width, dark=dark)


def test_nothing_was_complained_of(lab: Lab, view: OneView) -> None:
    view.complained_of_nothing(lab)
