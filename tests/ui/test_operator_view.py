"""The tree of operators with a real kernel: what is active is lit, lines lead to grammar and step."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from .conftest import OUT
from .jupyter import Lab
from .one_view import OneView, looks

pytestmark = pytest.mark.browser

SETUP = r"""
import xg2lab as xgr
from xg2lab.lab import Session
from xg2lab.widgets import *
TEXT = r'''root     ::= "<outline>\n" Each($sections, section) "</outline>"
section  ::= "<h2 id='" $id "'>" title "</h2>\n" paragraph{$lo,$hi} If($noted, note, "")
title    ::= [A-Za-z ]{1,24}
paragraph ::= "<p>" ("plain " | "plaintext ") "</p>\n"
note     ::= "open" | "done"
'''
ids = ["introduction", "methods", "a \"quoted\" one"]
sections = [{"id": each, "lo": 1, "hi": k + 2, "noted": bool(k % 2)} for k, each in enumerate(ids)]
tokens = [bytes([b]) for b in range(256)] + [b"<outline>\n", b"<h2 id='", b"intro", b"</h2>\n", b"<p>", b"pla"]
info = xgr.TokenizerInfo(tokens + [b"</s>"], stop_token_ids=[len(tokens)])
session = Session(xgr.Template.from_ebnf(TEXT), info, arguments={"sections": sections}, name="outline")
session.force("<outline>\n<h2 id='introduction'>A title</h2>\n<p>plain </p>\n<p>pla")
"""
LONG = r"""
long = Session("root ::= " + " ".join(f'"a{k}" [a-z]' for k in range(5000)), info, name="long")
long.force("a0xa1ya2")
OperatorView(long)
"""
RECURSIVE = 'OperatorView(Session(\'root ::= "<" root ">" | "a"\', info, name=\'recursive\'))'


@pytest.fixture(scope="module")
def view(lab: Lab) -> OneView:
    """An OperatorView beside tape, reason and grammar."""
    lab.errors.clear()
    cells = [SETUP, "OperatorView(session)", "WhyCard(session)", LONG, RECURSIVE, "Tape(session)"]
    page = lab.show(cells)
    page.run_all()
    found = OneView(page, "operator_view")
    expect(found.part(".line.active").first).to_be_visible()
    found.part(".panel").scroll_into_view_if_needed()
    return found


@pytest.fixture(autouse=True)
def at_the_newest_step(view: OneView) -> None:
    """Each test begins with the tree in sight, the cursor at the newest step and nothing selected."""
    view.notebook.settled()  # Python has heard of the selection that the test before made last
    view.notebook.python("session.select(**dict.fromkeys(session.selection))")
    view.part(".panel").scroll_into_view_if_needed()
    view.notebook.settled()


def test_what_is_active_is_lit(view: OneView) -> None:
    active = view.ask("[each['operator'] for each in session.trace.steps[-1].operators['at']]")
    assert [int(e.get_attribute("data-operator") or -1) for e in view.part(".line.active").all()] == active
    expect(view.part(".line.active .written").first).to_have_text("pla")
    expect(view.part(".line.path .said:not(:empty)").first).to_have_text("2 of 1–2")
    expect(view.part(".readout")).to_contain_text("operators, ")
    slot = view.part(".line.is-slot").filter(has_text="/sections/0/id").first
    expect(slot.locator(".of-argument")).to_contain_text("/sections/0/id")


def test_lines_say_their_mask_entries_and_who_made_them(view: OneView) -> None:
    told = view.ask(
        "{k: [sorted({e.maker for e in found}), sum(e.hits for e in found)] "
        "for k, found in OperatorView(session).data()['entries'].items()}"
    )
    assert {maker for makers, _ in told.values() for maker in makers} == {"own", "template"}
    shown = 0
    for line in view.part(".line").all():
        known = told.get(line.get_attribute("data-operator"))
        expect(line.locator(".maker")).to_have_text("" if known is None else ", ".join(known[0]))
        expect(line.locator(".hits")).to_have_text("" if known is None else str(known[1]))
        shown += known is not None
    assert shown > 5
    slot = view.part(".line.is-slot").filter(has_text="introduction").filter(has_text="/sections/0/id")
    expect(slot.locator(".maker")).to_have_text("own")
    expect(slot.locator(".of-argument code")).to_have_text('"introduction"')
    assert "built by this grammar" in (slot.get_attribute("title") or "")


def test_the_cursor_moves_what_is_lit(view: OneView) -> None:
    view.select_step(2)
    expect(view.part(".line.active .said:not(:empty)")).to_have_count(0)
    expect(view.part(".line.active")).to_contain_text(["introduction"])
    view.select_step(3)
    expect(view.part(".line.active .said")).to_have_text(["5 of 12 bytes"])


def test_a_line_leads_to_its_step_and_its_place(view: OneView) -> None:
    view.part(".line.path").first.click()
    expect(view.part(".line.is-selected")).to_have_count(1)
    view.select_step(3)
    slot = view.part(".line.is-slot").filter(has_text="/sections/0/id").first
    slot.click()
    view.notebook.settled()
    assert view.ask("session.selection['step']") == 2
    state = view.ask("session.trace.program['states'][session.selection['state']]['spans']")
    assert state == [
        view.ask(f"list(session.compiled.operators().operators[{slot.get_attribute('data-operator')}].span)")
    ]
    marks = view.notebook.locator("[data-xg2lab=why_card]").first.locator(".code .mark")
    expect(marks.first).to_have_text("$id")


def test_by_keys_alone(view: OneView) -> None:
    tree = view.part("[role=tree]")
    tree.focus()
    tree.press("Home")
    tree.press("ArrowDown")
    tree.press("Enter")
    view.notebook.settled()
    assert view.ask("session.selection['step']") == 0
    assert tree.get_attribute("aria-activedescendant") == "operator-1"
    view.part(".panel").press("t")
    expect(view.part("table tr.is-live").first).to_be_visible()
    view.part(".panel").press("t")
    expect(tree).to_be_visible()


def test_ten_thousand_lines_draw_those_in_sight(view: OneView) -> None:
    frame = view.notebook.locator("[data-xg2lab=operator_view]").nth(1)
    frame.scroll_into_view_if_needed()
    tree = frame.locator("[role=tree]")
    expect(tree.locator(".line").first).to_have_attribute("aria-setsize", "10001")
    n_lines = tree.locator(".line").count()
    assert n_lines < 60
    tree.focus()
    tree.press("End")
    expect(tree.locator("[data-operator='10000']")).to_be_visible()
    assert tree.locator(".line").count() == n_lines
    tree.press("Home")
    expect(tree.locator("[data-operator='0']")).to_be_visible()


SCROLL = """async ([root, tops]) => {
  const frames = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  await frames();
  const seen = { added: 0, lines: new Set(), least: Infinity, most: 0 };
  const watch = new MutationObserver((changes) => {
    for (const { type, addedNodes, target } of changes) {
      if (type === 'childList') seen.added += [...addedNodes].filter((node) => node.nodeType === 1).length;
      const line = (target.nodeType === 1 ? target : target.parentElement)?.closest('.line');
      if (line) seen.lines.add(line);
    }
  });
  watch.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
  for (const top of tops) {
    root.scrollTop = top;
    await frames();
    const n = root.querySelectorAll('*').length;
    [seen.least, seen.most] = [Math.min(seen.least, n), Math.max(seen.most, n)];
  }
  watch.disconnect();
  const box = root.getBoundingClientRect();
  const host = root.getRootNode().host;
  const rows = [...root.querySelectorAll('.line')].filter((line) => {
    const { top, bottom } = line.getBoundingClientRect();
    return bottom > box.top && top < box.bottom;
  });
  const shown = rows.map((line) => Number(line.dataset.operator));
  return { ...seen, lines: seen.lines.size, shown, top: root.scrollTop };
}"""


def test_a_scroll_rewrites_the_lines_in_sight_and_makes_no_element(view: OneView) -> None:
    frame = view.notebook.locator("[data-xg2lab=operator_view]").nth(1)
    tree = frame.locator("[role=tree]")
    n_lines = tree.locator(".line").count()

    def scrolled(*tops: int) -> dict[str, Any]:
        return tree.evaluate("(root, tops) => (" + SCROLL + ")([root, tops])", list(tops))

    far = scrolled(*(k * 7000 for k in range(1, 31)))
    assert far["added"] == 0
    assert far["least"] == far["most"]
    assert far["lines"] <= n_lines
    assert far["shown"][0] == far["top"] // 24
    assert far["shown"] == list(range(far["shown"][0], far["shown"][-1] + 1))
    assert len(far["shown"]) >= 18
    scrolled(96_000)  # a block's first line
    near = scrolled(*(96_000 + 24 * k for k in range(1, 8)))
    assert (near["added"], near["lines"]) == (0, 0)


def test_a_recursive_grammar_says_why(view: OneView) -> None:
    frame = view.notebook.locator("[data-xg2lab=operator_view]").nth(2)
    frame.scroll_into_view_if_needed()
    expect(frame.locator(".state")).to_contain_text("root -> root")
    expect(frame.locator(".state")).to_contain_text("write the recursion as a repetition")
    expect(frame.locator(".state button")).to_have_text(["call at byte 13"])


def test_the_tape_is_cut_by_operator(view: OneView) -> None:
    view.select_step(2)
    tape = view.notebook.locator("[data-xg2lab=tape]").first
    tape.scroll_into_view_if_needed()
    segments = tape.locator(".segment")
    expect(segments.nth(2)).to_have_attribute("aria-label", 'Write "introduction", from step 2')
    expect(tape.locator("[data-share]")).to_contain_text("0 of ")
    writers = [segment.get_attribute("data-writer") for segment in segments.all()]
    assert all(left is None or left != right for left, right in pairwise(writers))
    segments.nth(1).click()
    expect(view.part(".line.is-selected, .line.active").first).to_contain_text("<h2 id='")
    OneView(view.notebook, "tape").looks_well(OUT, 1440, dark=False)
    tape.locator(".panel").press("t")
    table = tape.get_by_role("region", name="The output by operator")
    expect(table.locator("tbody tr")).to_have_count(
        view.ask("len(Tape(session).lines()) - Tape(session).lines().index('by operator') - 1")
    )
    expect(table).to_contain_text("$id /sections/0/id")
    table.get_by_role("button", name="steps 2 to").click()
    view.notebook.settled()
    assert view.ask("session.selection['step']") == 2
    tape.locator(".panel").press("t")


@looks(1440, 800)
def test_it_looks_well(view: OneView, shots: Path, width: int, dark: bool) -> None:
    view.notebook.python("session.select(step=None, rule=None, state=None, mask_entry=None)")
    view.looks_well(shots, width, dark=dark)


def test_without_a_kernel_it_is_there(view: OneView, lab: Lab, tmp_path: Path) -> None:
    path = view.notebook.python(f"print(OperatorView(session).export_html({str(tmp_path / 'o.html')!r}))").strip()
    page = lab.blank(viewport={"width": 1200, "height": 900}, offline=True)
    page.goto(Path(path).as_uri())
    expect(page.locator(".line.active").first).to_be_visible()
    page.context.close()


def test_nothing_complained(view: OneView, lab: Lab) -> None:
    view.notebook.settled()
    assert [e for e in lab.errors if "xg2lab" in e or "TypeError" in e] == []
