"""The workbench's source and examples: what is typed there, the chart and the session are one."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from .jupyter import Lab
from .one_view import OneView, looks

pytestmark = pytest.mark.browser

SETUP = """
from tests.ui.scripted import GRAMMAR, scripted_session
from xg2lab.widgets import *
session = scripted_session()
session.step(12)
wb = Workbench(session, arrangement="author", height=1400)
bench = ExampleBench(session)
def begin():
    for row in bench.data():
        bench.delete(row.row_id)
    if session.trace.header["grammar"]["text"] != GRAMMAR:
        session.change_grammar(GRAMMAR)
        session.step(12)
    pad = GrammarPad(session=session)
    if pad.text != GRAMMAR:
        pad.text = GRAMMAR
"""
#: panes that are wider than their box, or lie on another
CLASHES = """(workbench) => {
  const places = [...workbench.querySelectorAll("[data-stack]")].map((e) => [e, e.getBoundingClientRect()]);
  const shared = (a, b) => Math.min(
    Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
  return places.flatMap(([one, box], at) => [
    ...(one.scrollWidth - one.clientWidth > 1 ? [one.dataset.stack] : []),
    ...places.slice(at + 1).filter(([, other]) => shared(box, other) > 1)
      .map(([other]) => `${one.dataset.stack} and ${other.dataset.stack}`),
  ]);
}"""
WORD = 'root ::= "{" [a-z"]+ ": " ["A-Zü-]* "}"\n'


@pytest.fixture(scope="module")
def view(lab: Lab) -> OneView:
    """A workbench arranged for an author, wide enough for three columns."""
    lab.errors.clear()
    page = lab.show([SETUP, "wb"])
    page.page.set_viewport_size({"width": 1920, "height": 1600})
    page.run_all()
    expect(page.locator("[data-xg2lab=workbench] .cm-content")).to_have_count(1)
    return OneView(page, "workbench")


@pytest.fixture(autouse=True)
def begun(view: OneView) -> None:
    """Twelve steps of the session's own grammar, which the editor has, and no examples."""
    view.notebook.settled()
    view.notebook.python("begin()")
    expect(rows(view)).to_have_count(0)
    expect(view.part(".pad")).to_have_attribute("data-fresh", "true")


def selected(view: OneView) -> list[int | None]:
    """Step and byte of Python's selection, once the page has told it."""
    view.notebook.settled()
    return view.ask("[session.selection['step'], session.selection['byte']]")


def rows(view: OneView) -> Locator:
    """The examples."""
    return view.part("[data-stack=examples] [data-row]")


def test_it_has_the_sessions_own_grammar(view: OneView) -> None:
    assert view.ask("GrammarPad(session=session).text == session.trace.header['grammar']['text']")
    expect(view.part(".pad-text")).to_contain_text("# weather tool")
    expect(
        view.part(
            "[data-stack=source] button",
        ).get_by_text("applied")
    ).to_be_disabled()


def test_mask_time_is_in_the_gutter_and_the_parse_is_lit(view: OneView) -> None:
    expect(view.part(".bar[class*=heat-]").first).to_be_attached()
    expect(view.part(".rule-times li").first).to_be_visible()
    expect(view.part(".pad-text .live-here").first).to_be_attached()
    heat = view.part(".rule-times li").first.locator("button").inner_text()
    assert heat in view.ask("[r.name for r in GrammarPad(session=session).data().good.rules]")


REACHED = """
def reached():
    trace, rules = session.trace, GrammarPad(session=session).data().good.rules
    seen = {row[0] for column in trace.columns for row in column}
    states, starts = trace.program['states'], {r['id']: r['span'][0] for r in trace.program['rules']}
    place = {s['id']: s['spans'][0][0] if s['spans'] else starts[s['rule']] for s in states}
    own = lambda rule: [k for k, at in place.items() if rule.span[0] <= at < rule.span[1]]
    return {r.name: [len(seen.intersection(own(r))), len(own(r))] for r in rules}
"""


def test_the_gutter_shows_misses_and_coverage_by_mouse_and_by_key(view: OneView) -> None:
    measures = view.part("[aria-label='Rules and gutter show']")
    measures.get_by_role("button", name="coverage").click()
    expect(view.part(".bar.coverage").first).to_be_attached()
    view.notebook.python(REACHED)
    known = view.ask("reached()")
    rows = view.part(".rule-times li")
    told = {row.locator("button").inner_text(): row.locator(".num").inner_text() for row in rows.all()}
    assert told
    assert told == {name: "{} of {}".format(*known[name]) for name in told}
    measures.get_by_role("button", name="misses").focus()
    view.notebook.page.keyboard.press("Enter")
    expect(view.part(".rule-times.misses")).to_be_attached()
    n_misses = view.ask("sum(step.cache == 'miss' for step in session.trace.steps)")
    assert sum(int(text.split()[0]) for text in rows.locator(".num").all_inner_texts()) == n_misses
    measures.get_by_role("button", name="time").click()


def test_an_example_of_this_run_leads_to_its_byte_in_the_chart(view: OneView) -> None:
    view.part("[data-stack=examples]").get_by_role("button", name="from this run").click()
    expect(rows(view)).to_have_count(1)
    text = view.ask("session.text")
    expect(rows(view).first).to_have_attribute("data-verdict", "incomplete")
    rows(view).first.locator(".example").click()
    last = len(text.encode()) - 1
    assert selected(view)[1] == last
    assert view.ask(f"session.trace.steps[session.selection['step']].byte_begin <= {last}")
    expect(view.part("nav[aria-label=Selection]")).to_contain_text(f"byte {last}")


def test_a_rejected_example_leads_to_the_byte_it_died_at_by_keyboard(view: OneView) -> None:
    view.notebook.python("row = bench.add_from_session()")
    expect(rows(view)).to_have_count(1)
    keyboard = view.notebook.page.keyboard
    view.part("[data-stack=examples] .add").focus()
    keyboard.press("Enter")
    expect(view.part("textarea")).to_be_focused()
    keyboard.insert_text(view.ask("session.text[:12]") + "\x01")
    expect(view.part(".judged")).to_contain_text("reject at byte")
    keyboard.press("Enter")
    expect(rows(view)).to_have_count(2)
    view.part(".example[tabindex='0']").focus()
    keyboard.press("End")
    expect(rows(view).nth(1).locator(".example")).to_be_focused()
    keyboard.press("Enter")
    expect(rows(view).nth(1)).to_have_class("is-selected disagrees")
    died = view.ask("ExampleBench(session).data()[1].check.died_at")
    assert selected(view)[1] == died


def test_an_example_of_another_text_leaves_the_selection(view: OneView) -> None:
    before = selected(view)
    view.notebook.python("ExampleBench(session).add('{ \\n', False)")
    expect(rows(view)).to_have_count(1)
    rows(view).first.locator(".example").click()
    assert selected(view) == before


def test_the_keyboard_alone_leads_to_the_editor_and_back(view: OneView) -> None:
    keyboard = view.notebook.page.keyboard
    view.part("[data-panel=mask-lens]").focus()
    keyboard.press("Alt+9")
    expect(view.part("[data-panel=grammar-pad]")).to_be_focused()
    keyboard.press("F6")
    expect(view.part("[data-panel=example-bench]")).to_be_focused()
    keyboard.press("Shift+F6")
    expect(view.part("[data-panel=grammar-pad]")).to_be_focused()
    for _ in range(8):
        if view.part("[data-pad-text]").evaluate("e => e.getRootNode().activeElement === e"):
            break
        keyboard.press("Tab")
    expect(view.part("[data-pad-text]")).to_be_focused()
    keyboard.press("F6")
    expect(view.part("[data-panel=example-bench]")).to_be_focused()
    keyboard.press("n")
    expect(view.part(".bench-edit textarea")).to_be_focused()
    keyboard.press("F6")
    expect(view.part(".bench-edit textarea")).not_to_be_focused()
    view.part(".bench-edit textarea").focus()
    keyboard.press("Alt+9")
    expect(view.part("[data-panel=grammar-pad]")).to_be_focused()
    view.part(".bench-edit textarea").press("Escape")
    keyboard.press("Alt+3")
    expect(view.part("[data-panel=mask-lens]")).to_be_focused()


def test_a_letter_typed_in_the_editor_does_not_step(view: OneView) -> None:
    n = view.ask("session.trace.n_decided")
    view.part("[data-pad-text]").click()
    keyboard = view.notebook.page.keyboard
    keyboard.press("Control+End")
    keyboard.type("# r z u b x ? /")
    keyboard.press("ArrowLeft")
    view.notebook.settled()
    assert view.ask("session.trace.n_decided") == n
    expect(view.part(".key-list")).to_have_count(0)


def test_a_new_grammar_begins_the_session_again_and_its_record_is_kept(view: OneView) -> None:
    view.notebook.python("row = bench.add_from_session()")
    view.part("[data-pad-text]").click()
    keyboard = view.notebook.page.keyboard
    keyboard.press("Control+a")
    keyboard.press("Delete")
    keyboard.insert_text(WORD)
    expect(view.part(".pad")).to_have_attribute("data-fresh", "true")
    view.part("[data-stack=source]").get_by_role("button", name="apply", exact=True).click()
    expect(view.part("[data-stack=source]").get_by_role("button", name="applied")).to_be_disabled()
    assert view.ask("session.past_traces[-1].n_decided") == 12
    keyboard.press("Escape")
    view.part("[data-panel=mask-lens]").focus()
    keyboard.press("ArrowRight")
    expect(view.part(".session")).to_contain_text("step 1 of 1")
    assert view.ask("session.trace.n_decided") == 1
    expect(rows(view).first).to_have_attribute("data-agrees", "false")


@looks(1920, 1280, 700)
def test_nothing_sticks_out(view: OneView, shots: Path, width: int, dark: bool) -> None:
    page = view.notebook.page
    view.notebook.theme(dark)
    page.set_viewport_size({"width": width, "height": 1600})
    view.notebook.settled()
    wb = view.part(".workbench")
    assert wb.evaluate("e => e.scrollWidth - e.clientWidth") <= 1
    assert wb.locator("[data-stack]").count() == {1920: 5, 1280: 3, 700: 2}[width]
    assert wb.evaluate(CLASHES) == []
    wb.screenshot(path=str(shots / f"author-{width}-{'dark' if dark else 'light'}.png"))


def test_nothing_was_complained_of(lab: Lab) -> None:
    assert [e for e in lab.errors if "xg2lab" in e or "TypeError" in e] == []
