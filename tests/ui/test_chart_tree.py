"""The chart's derivation tree, its filter by rule and its marks of ambiguity, with a real kernel."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from .jupyter import Lab
from .one_view import OneView, looks

pytestmark = pytest.mark.browser

SETUP = r"""
import xg2lab as xgr
from tests.lab.test_derivation import plain_tree
from xg2lab.lab.trace.derivation import derivation
from xg2lab.widgets import *
INFO = xgr.TokenizerInfo([bytes([b]) for b in range(256)] + [b"</s>"], stop_token_ids=[256])
def forced(grammar, text, name, **options):
    session = xgr.Session(grammar, INFO, name=name, options=xgr.EngineOptions(rule_inlining=False, **options))
    for byte in text:
        session.force(byte)
    return session
SUM = 'root ::= sum\nsum ::= sum "+" sum | num | "(" sum ")"\nnum ::= [0-9]+\n'
session = forced(SUM, b"12+(3+4+5)+6+", "sums", right_recursion_to_repeat=False)
WIDE = "root ::= " + " | ".join(f"r{k}" for k in range(9)) + "\n" + "\n".join(
    f'r{k} ::= "{"a" * (k + 1)}" "b"' for k in range(9))
wide = forced(WIDE, b"a", "wide")
LINES = ", ".join('{"k%d": [%d]}' % (k, k) for k in range(115)).encode()
long = forced(xgr.Grammar.builtin_json_grammar(), b"[" + LINES, "long")
"""
CELLS = [SETUP, "ChartView(session)", "GrammarPad(session)", "FsmView(session)", "ChartView(wide)", "ChartView(long)"]
#: every branch of Python's tree: name, begin, end, number of ways
BRANCHES = r"""
def branches(column, of=None):
    out, agenda = [], [derivation((of or session).trace, column)]
    while agenda:
        branch = agenda.pop()
        out.append([branch.name, branch.begin, branch.end, branch.n_ways])
        agenda += [part for part in branch.parts if not isinstance(part, bytes)]
    return sorted(out, key=str)
"""


@pytest.fixture(scope="module")
def view(lab: Lab) -> OneView:
    """Three charts: of an ambiguous sum, of many rules, of a long text."""
    lab.errors.clear()
    page = lab.show([SETUP + BRANCHES, *CELLS[1:]])
    page.run_all()
    expect(page.locator("[data-xg2lab=chart_view] .panel")).to_have_count(3)
    for k in range(3):  # the drawing is compared with Python's tree of the engine's chart
        chart = page.locator("[data-xg2lab=chart_view]").nth(k)
        chart.scroll_into_view_if_needed()  # one that is seen asks for the chart as written
        chart.locator("[aria-label=Grammar] button", has_text="engine").click()
    for k in (0, 2):
        page.locator("[data-xg2lab=chart_view]").nth(k).locator("[aria-label=Picture] button", has_text="tree").click()
    expect(page.locator("[data-xg2lab=chart_view] [role=tree]")).to_have_count(2)
    return OneView(page, "chart_view")


def other(view: OneView, which: int, selector: str) -> Locator:
    return view.notebook.locator("[data-xg2lab=chart_view]").nth(which).locator(selector)


def show(view: OneView, step: int) -> None:
    """The tree of what is written before this step: a byte a step here."""
    view.part("[aria-label=Picture] button").filter(has_text="tree").click()
    view.select_step(step)
    expect(view.part("[role=tree]")).to_have_attribute(
        "aria-label", _starts(f"Derivation tree of the first {step} bytes")
    )


def _starts(words: str) -> re.Pattern[str]:
    return re.compile("^" + re.escape(words))


def eventually(view: OneView, expression: str, value: Any) -> bool:
    """Whether the kernel comes to say so: it hears of a selection soon after the page shows it."""
    view.notebook.settled()
    return view.ask(expression) == value


def drawn(view: OneView) -> list[list[Any]]:
    """Every branch that is drawn, as `branches` tells Python's."""
    found = view.part("[role=tree]").evaluate(
        """tree => [...tree.querySelectorAll('.node.branch')].map((node) => {
          const said = node.getAttribute('aria-label');
          const [, name, ways, begin, end] = /^(\\S+)(?: (\\d+) ways,)? (?:from byte )?(\\d+)(?:–(\\d+))?/.exec(said);
          return [name, Number(begin), end === undefined ? null : Number(end), Number(ways ?? 1)];
        })"""
    )
    return sorted(found, key=str)


def picture(view: OneView) -> dict[str, list[float]]:
    """Where each branch stands within the drawing."""
    return view.part("[role=tree]").evaluate(
        "tree => Object.fromEntries([...tree.querySelectorAll('.node.branch')].map(n => [n.dataset.node, "
        "[n.offsetLeft, n.offsetTop]]))"
    )


@pytest.mark.parametrize("step", range(14))
def test_the_drawn_tree_is_pythons_at_every_step(view: OneView, step: int) -> None:
    show(view, step)
    assert drawn(view) == view.ask(f"branches({step})")


def test_what_stood_stays_where_it_stood(view: OneView) -> None:
    """Nodes of the same rule, at the same depth, begun at the same byte: none moves when a byte comes."""
    show(view, 4)
    before = picture(view)
    for step in range(5, 9):
        show(view, step)
        after = picture(view)
        moved = {key for key in before.keys() & after.keys() if before[key] != after[key]}
        assert not moved, step
        before = after


def test_a_click_on_a_node_leads_to_its_line_and_its_machine(view: OneView) -> None:
    show(view, 13)
    node = view.part(".node.branch.several")
    item = node.get_attribute("data-item")
    node.click()
    expect(node).to_have_attribute("aria-selected", "true")
    rule = view.ask("next(r['id'] for r in session.trace.program['rules'] if r['name'] == 'sum')")
    fsm = view.notebook.locator("[data-xg2lab=fsm_view]")
    state = view.ask(f"session.trace.columns[{item.split(':')[0]}][{item.split(':')[1]}][0]")
    expect(fsm.locator(".fsm-state[aria-pressed=true]")).to_have_attribute("data-state", str(state))
    assert eventually(view, "session.selection['item']", [int(k) for k in item.split(":")])
    assert view.ask("[session.selection[k] for k in ('rule', 'state')]") == [rule, state]


def test_ambiguity_is_marked_and_its_readings_are_said(view: OneView) -> None:
    show(view, 13)
    marked = view.part(".node.several")
    expect(marked).to_have_count(1)
    expect(marked).to_contain_text("2 ways")
    marked.click()
    expect(view.part("[data-said]")).to_have_text('sum 2 ways, 4–9; also as sum 4-5 + "+" + sum 6-9')
    expect(view.part("[data-several]")).to_have_text("1 node can be read otherwise")


def test_by_keys_alone(view: OneView) -> None:
    show(view, 13)
    page = view.notebook.page
    n_decided = view.ask("session.trace.n_decided")
    view.part("[role=treeitem][tabindex='0']").focus()
    page.keyboard.press("Home")
    said = view.part("[role=treeitem]:focus")
    expect(said).to_have_attribute("aria-label", "root from byte 0 on, open")
    page.keyboard.press("ArrowDown")
    expect(said).to_have_attribute("aria-label", "sum from byte 0 on, open")
    page.keyboard.press("ArrowDown")
    expect(said).to_have_attribute("aria-label", "sum 0–2")
    page.keyboard.press("ArrowRight")
    expect(said).to_have_attribute("aria-label", "+, bytes 2 to 3")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowUp")
    expect(said).to_have_attribute("aria-label", "sum from byte 0 on, open")
    page.keyboard.press("End")
    expect(said).to_have_attribute("aria-label", "sum from byte 11 on, open, waits for sum")
    page.keyboard.press("Enter")
    expect(said).to_have_attribute("aria-selected", "true")
    assert view.ask("session.trace.n_decided") == n_decided, "enter forces nothing here"
    expect(view.part("[role=treeitem][tabindex='0']")).to_have_count(1)


def test_the_table_tells_the_same_and_selects(view: OneView) -> None:
    show(view, 13)
    view.part("[aria-label='Chart as a table']").click()
    rows = view.part(
        "tbody tr",
    )
    branches = view.ask("branches(13)")
    expect(rows.filter(has=view.notebook.page.locator("td", has_text="rule"))).to_have_count(len(branches))
    expect(view.part("tbody")).to_contain_text('2 ways: also sum 4-5 + "+" + sum 6-9')
    rows.nth(2).locator("button").click()
    expect(rows.nth(2)).to_have_class("is-selected")
    view.part("[aria-label='Chart as a table']").click()
    expect(view.part("[role=tree]")).to_be_visible()


def test_a_long_text_is_folded_says_so_and_is_unfolded(view: OneView) -> None:
    n_bytes = view.ask("len(long.trace.output_bytes)")
    assert n_bytes > 1700
    tree = other(view, 2, "[role=tree]")
    expect(tree).to_have_attribute("aria-label", _starts(f"Derivation tree of the first {n_bytes} bytes"))
    n_nodes = other(view, 2, "[role=treeitem]").count()
    assert 50 < n_nodes <= 1000
    expect(other(view, 2, "[data-folded]")).to_contain_text(f"of {n_bytes:,} bytes")
    fold = other(view, 2, ".node.fold").first
    fold.focus()
    view.notebook.page.keyboard.press("Enter")
    expect(other(view, 2, "[role=treeitem]")).not_to_have_count(n_nodes)
    assert other(view, 2, "[role=treeitem]").count() > n_nodes
    other(view, 2, ".tree-said button").click()
    expect(other(view, 2, "[role=treeitem]")).to_have_count(n_nodes)


# ---- The items: filter and badges ---


def as_items(view: OneView) -> None:
    """The items of every rule, the filter open."""
    view.part("[aria-label=Picture] button").filter(has_text="items").click()
    expect(view.part("svg[role=img]")).to_be_visible()
    if not view.part(".chart-filter").count():
        view.part(".tools button").filter(has_text="rules").click()
    every = view.part(".chart-filter button").filter(has_text="show all")
    if every.count() and every.is_enabled():
        every.click()
    expect(view.part(".chart-filter [role=status]")).to_contain_text("all rules")


def test_an_item_says_in_how_many_ways_it_was_made(view: OneView) -> None:
    view.select_step(10)
    as_items(view)
    rows = view.ask("[row[:3] for row in session.trace.ways]")
    assert rows
    column, index, n_others = rows[0]
    item = view.part(f"[data-item='{column}:{index}']")
    expect(item.locator("text.ways")).to_have_text(f"{n_others + 1} ways")
    item.click()
    expect(view.part("[data-also]")).to_have_text('2 ways to sum: also as sum 4-5 + "+" + sum 6-9')
    expect(view.part(".other-way path").first).to_be_attached()


def test_rules_are_chosen_by_mouse_and_what_is_hidden_is_told(view: OneView) -> None:
    view.select_step(10)
    as_items(view)
    chip = view.part("[data-rule=num]")
    chip.click()
    expect(chip).to_have_attribute("aria-checked", "true")
    expect(view.part("svg .item")).not_to_have_count(0)
    names = view.part("svg[role=img]").evaluate(
        "s => [...s.querySelectorAll('text.strong > title')].map(t => t.textContent)"
    )
    assert names == ["num"]
    hidden = view.ask(
        "sum(session.trace.program['states'][r[0]]['rule'] != next(x['id'] for x in session.trace.program['rules']"
        " if x['name'] == 'num') for r in session.trace.columns[10])"
    )
    expect(view.part(".chart-filter [role=status]")).to_contain_text(f"1 rule of 3; {hidden} items of column 10 hidden")
    view.notebook.python("session.select(rule=1)")
    expect(view.part("[data-hidden-selection]")).to_contain_text("The selection is in sum, which is hidden.")
    view.part("[data-hidden-selection] button").click()
    expect(view.part("[data-hidden-selection]")).to_have_count(0)
    expect(view.part("[data-rule=sum]")).to_have_attribute("aria-checked", "true")
    view.part("[data-rule=sum]").click()
    view.part("[aria-label='Chart as a table']").click()
    expect(view.part("caption")).to_contain_text("the rules of the others are hidden")
    view.part("[aria-label='Chart as a table']").click()
    view.part(".chart-filter button").filter(has_text="show all").click()
    expect(chip).to_have_attribute("aria-checked", "false")


def test_rules_are_chosen_by_keys(view: OneView) -> None:
    as_items(view)
    page = view.notebook.page
    field = view.part(".chart-filter input")
    field.focus()
    page.keyboard.type("nu")
    expect(view.part("[role=switch]")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(view.part("[data-rule=num]")).to_have_attribute("aria-checked", "true")
    field.fill("")
    view.part("[role=switch][tabindex='0']").focus()
    page.keyboard.press("End")
    page.keyboard.press("Home")
    expect(view.part("[role=switch]").first).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(view.part("[role=switch]").nth(1)).to_be_focused()
    page.keyboard.press("Space")
    expect(view.part("[role=switch]").nth(1)).to_have_attribute("aria-checked", "true")
    page.keyboard.press("Escape")
    expect(view.part(".chart-filter")).to_have_count(0)
    expect(view.part(".tools button").filter(has_text="2 of 3 rules")).to_be_visible()


def test_more_rules_open_the_filter_and_a_selected_rule_is_shown(view: OneView) -> None:
    lanes = "s => [...s.querySelectorAll('text.strong > title')].map(t => t.textContent)"
    more = other(view, 1, "[data-more]")
    expect(more).to_have_text("4 more rules")
    svg = other(view, 1, "svg[role=img]")
    assert "r8" not in svg.evaluate(lanes)
    rule = view.ask("next(r['id'] for r in wide.trace.program['rules'] if r['name'] == 'r8')")
    view.notebook.python(f"wide.select(rule={rule})")
    expect(svg.locator("title", has_text="r8").first).to_be_attached()
    more.click()
    expect(other(view, 1, "[role=switch]")).to_have_count(10)
    expect(other(view, 1, ".chart-filter [role=status]")).to_contain_text("all rules")


@pytest.mark.parametrize("picture", ["items", "tree"])
@looks(1920, 1280, 524)
def test_it_fits_and_axe_finds_nothing_serious(
    view: OneView, shots: Path, width: int, dark: bool, picture: str
) -> None:
    show_items = picture == "items"
    view.part("[aria-label=Picture] button").filter(has_text=picture).click()
    view.select_step(10)
    if show_items and not view.part(".chart-filter").count():
        view.part(".tools button").filter(has_text="rules").click()
    expect(view.part(".chart-filter" if show_items else "[role=tree]")).to_be_visible()
    view.looks_well(shots, width, dark=dark)
    shot = shots / f"chart_view-{width}-{'dark' if dark else 'light'}.png"
    shot.replace(shots / f"chart_{picture}-{width}-{'dark' if dark else 'light'}.png")


def test_without_a_kernel_the_tree_is_there(lab: Lab, view: OneView) -> None:
    show(view, 13)
    replayed = OneView(lab.replay(view.notebook.saved()), "chart_view")
    replayed.part("[aria-label=Picture] button").filter(has_text="tree").click()
    replayed.part("[aria-label=Grammar] button").filter(has_text="engine").click()
    expect(replayed.part(".node.several")).to_contain_text("2 ways")
    assert len(drawn(replayed)) == len(drawn(view))


def test_nothing_was_complained_of(lab: Lab, view: OneView) -> None:
    assert [e for e in lab.errors if "xg2lab" in e or "TypeError" in e] == []
