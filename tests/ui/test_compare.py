"""The task: switch cross-grammar cache, JIT and repetition compression off and on, Earley and PDA, on the same bytes.

A real kernel, the shipped model, by mouse and by key alone.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from .jupyter import Lab
from .one_view import OneView, looks

pytestmark = pytest.mark.browser

SETUP = """
from xg2lab import Session, TokenizerInfo
from xg2lab.widgets import *
grammar = 'root ::= "{" pair ("," pair)* "}"  pair ::= "\\\\"" [a-z]{1,60} "\\\\":" val  val ::= [0-9]+'
session = Session(grammar, model="tiny", seed=3, max_tokens=30, name="mine")
session.run()
bytes_only = TokenizerInfo([*(bytes([k]) for k in range(256)), b"</s>"], stop_token_ids=[256])
other = Session(grammar, bytes_only, name="in bytes")
tape = Tape(other)
"""

SWITCHED = [
    ("cross_grammar_cache", "off", "on", "False"),
    ("partial_jit_k", "all ahead", "when needed", "2147483647"),
    ("repetition_compression", "off", "on", "False"),
    ("parser", "pushdown automaton", "Earley", "'pda'"),
]


@pytest.fixture(scope="module")
def view(lab: Lab) -> OneView:
    """A Compare view of a run that has 30 tokens."""
    lab.errors.clear()
    page = lab.show([SETUP, "Compare(session)", "CostTable(session)", "WhyCard(session)"])
    page.run_all()
    found = OneView(page, "compare")
    expect(found.part("[data-switch]").first).to_be_visible()
    return found


def switch(view: OneView, name: str, value: str) -> Locator:
    return view.part(f"[data-switch={name}]").get_by_role("button", name=value, exact=True)


def finished(view: OneView) -> None:
    """The report that Python has is the one on the page, and is done."""
    expect(view.part(".foot")).to_contain_text("6 rounds of times")
    expect(view.part("[role=progressbar]")).to_have_count(0)


@pytest.fixture(autouse=True)
def switches(view: OneView) -> None:
    """Each test begins with the switches before it, as the session has them, and the whole run."""
    view.notebook.python("if session.trace.n_decided != 30: session.reset(); session.run()")
    view.part(".what").get_by_role("button", name="switches", exact=True).click()
    for name, _, own, _ in SWITCHED:
        button = switch(view, name, own)
        if button.get_attribute("aria-pressed") != "true":
            button.click()


def test_it_says_what_it_is_for(view: OneView) -> None:
    view.notebook.python("session.reset('another'); session.reset(''); session.run()")
    expect(view.part(".state")).to_contain_text("Nothing compared yet")
    for name, _, own, _ in SWITCHED:
        expect(switch(view, name, own)).to_have_attribute("aria-pressed", "true")


def tab_to(view: OneView, target: Locator, most: int = 60) -> None:
    """By the tab key alone, from the panel on."""
    view.part(".panel").focus()
    for _ in range(most):
        view.notebook.page.keyboard.press("Tab")
        if target.evaluate("e => e.getRootNode().activeElement === e"):
            break
    expect(target).to_be_focused()


def micros(us: float) -> str:
    """A time as the views write it, as a pattern."""
    if us >= 1000:
        return r"[\d.]+ ms"
    # The page rounds a time that was rounded before; near a midpoint both neighbours are right.
    near = dict.fromkeys(f"{x:.1f} µs" if us < 10 else f"{x:.0f} µs" for x in (us * 0.99, us, us * 1.01))
    return f"({'|'.join(map(re.escape, near))})"


def agrees(view: OneView, name: str, value: str, own: str, literal: str) -> None:
    """The page tells what Python knows: what is switched, each mask, each time."""
    expect(view.part(".readout")).to_contain_text(f"A {own}, B {value}")
    finished(view)
    expect(view.part("[data-verdict=agree]")).to_contain_text("They agree. 31 masks, 63,488 bits, 0 differ.")
    report = "Compare(session).data()"
    assert view.ask(f"list({report}.changed)") == [name]
    assert view.ask(f"{report}.changed['{name}'][1] == {literal} and {report}.ok")
    assert view.ask(f"[{report}.n_done, {report}.n_differ, {report}.rounds_done]") == [31, 0, 6]
    for phase, row in (("first", "median, cold"), ("shared", "median, cold, pool kept"), ("warm", "median, warm")):
        ratio = view.ask(f"{report}.ratio('{phase}')")
        expect(view.part(f"[data-cost='{row}'] td.num").last).to_have_text(f"{ratio:.2f}")


@pytest.mark.parametrize(("name", "value", "own", "literal"), SWITCHED)
def test_switched_by_mouse_masks_agree_and_times_are_told(
    view: OneView, name: str, value: str, own: str, literal: str
) -> None:
    switch(view, name, value).click()
    agrees(view, name, value, own, literal)
    switch(view, name, own).click()  # off again: nothing differs from the session, so nothing is compared
    expect(switch(view, name, own)).to_have_attribute("aria-pressed", "true")
    assert view.ask("[session.compiled.options.parser, session.trace.n_decided, session.status]")[:2] == ["earley", 30]


@pytest.mark.parametrize(("name", "value", "own", "literal"), SWITCHED)
def test_switched_by_key_alone_masks_and_times_are_walked_through(
    view: OneView, name: str, value: str, own: str, literal: str
) -> None:
    keys = view.notebook.page.keyboard
    begun = "getattr(Compare(session).data(), 'seconds', None)"  # of this comparison and no other
    before = view.ask(begun)
    tab_to(view, switch(view, name, value))
    keys.press("Enter")
    expect(switch(view, name, value)).to_have_attribute("aria-pressed", "true")
    agrees(view, name, value, own, literal)
    assert view.ask(begun) != before
    steps = view.part("[role=slider]")
    tab_to(view, steps)
    keys.press("Home")
    keys.press("ArrowRight")
    expect(steps).to_have_attribute("aria-valuenow", "1")
    told = view.part("[data-told]")
    counts = view.ask("Compare(session).data().n_allowed[1]")
    expect(told).to_contain_text(f"Step 1, before {view.ask('session.trace.steps[1].text')}")
    expect(told).to_contain_text(f"masks agree, {counts[0]:,} allowed")
    expect(told).to_have_text(re.compile(r"; A [\d.]+ [µm]s, B [\d.]+ [µm]s$"))
    expect(steps).to_have_attribute("aria-valuetext", told.inner_text())
    for phase, shown in (("warm", "warm"), ("first", "cold")):
        button = view.part(".compare-under").get_by_role("button", name=shown, exact=True)
        tab_to(view, button)
        keys.press("Space")
        expect(button).to_have_attribute("aria-pressed", "true")
        times = view.ask(f"(lambda r: [side.medians('{phase}')[1] for side in (r.a, r.b)])(Compare(session).data())")
        expect(told).to_have_text(re.compile("; A {}, B {}$".format(*map(micros, times))))
    keys.press("t")
    expect(view.part("[data-step='1']")).to_have_class("is-selected")
    expect(view.part("[data-step]")).to_have_count(31)
    keys.press("t")
    expect(steps).to_be_visible()
    tab_to(view, switch(view, name, own))
    keys.press("Enter")
    expect(switch(view, name, own)).to_have_attribute("aria-pressed", "true")


def test_another_grammar_parts_where_it_says(view: OneView) -> None:
    view.part(".what").get_by_role("button", name="grammar", exact=True).click()
    field = view.part("textarea")
    field.fill(view.ask("grammar").replace("[0-9]+", "[0-8]+"))
    view.part(".other-grammar button").click()
    expect(view.part("[data-verdict=differ]")).to_be_visible()
    finished(view)
    at = view.ask("(lambda d: [d.step, d.byte])(Compare(session).data().divergence)")
    expect(view.part("[data-verdict]")).to_contain_text(f"They part at step {at[0]} byte {at[1]}")
    view.part("[role=slider]").press("Home")
    for _ in range(at[0]):
        view.part("[role=slider]").press("ArrowRight")
    ids = view.ask("[row[0] for row in Compare(session).data().divergence.listed]")
    expect(view.part("[data-token]")).to_have_count(len(ids))
    expect(view.part("[role=alert]")).to_have_count(0)  # other grammars may differ
    expect(view.part(f"[data-differs='{at[0]}']")).to_have_count(1)
    view.part(f"[data-token='{ids[0]}'] button").click()
    view.notebook.settled()
    assert view.ask("[session.selection['step'], session.selection['token']]") == [at[0], ids[0]]


def test_a_grammar_that_is_none_is_told_where_the_result_would_be(view: OneView) -> None:
    view.part(".what").get_by_role("button", name="grammar", exact=True).click()
    view.part("textarea").fill("root ::= [")
    view.part(".other-grammar button").click()
    expect(view.part("[role=alert]")).to_contain_text("class is not closed in its line")


def test_another_session_is_compared_by_bytes(view: OneView) -> None:
    view.part(".what").get_by_role("button", name="session", exact=True).click()
    view.part(".sessions").get_by_role("button", name="in bytes").click()
    finished(view)
    expect(view.part(".notice.hint")).to_contain_text("the next bytes are compared, not token ids")
    n = view.ask("len(session.text.encode()) + 1")
    expect(view.part("[data-verdict=agree]")).to_contain_text(f"{n} masks, {n * 256:,} bits, 0 differ")
    view.part("[role=slider]").focus()
    view.notebook.page.keyboard.press("End")
    expect(view.part("[role=slider]")).to_have_attribute("aria-valuenow", str(n - 1))


def test_what_must_agree_and_does_not_comes_first(view: OneView) -> None:
    view.notebook.python(
        "from xg2lab import Grammar\nfrom xg2lab.lab.comparison import comparing\nreal = comparing.Side.compile\n"
        "def wrong(self, *a):\n"
        "    if self.name == 'B': self.grammar = Grammar.from_ebnf(grammar.replace('[0-9]', '[0-8]'))\n"
        "    return real(self, *a)\n"
        "comparing.Side.compile = wrong\nCompare(session).run(parser='pda')\ncomparing.Side.compile = real"
    )
    alert = view.part("[role=alert]")
    expect(alert).to_contain_text("these two must agree and do not")
    box, verdict = alert.bounding_box(), view.part("[data-verdict]").bounding_box()
    assert box is not None
    assert verdict is not None
    assert box["y"] < verdict["y"]


def test_a_long_comparison_shows_its_bar_and_stops_at_once(view: OneView) -> None:
    view.notebook.python(
        "import time\nfrom xg2lab.lab.comparison import comparing\nnote = comparing.Side.note\n"
        "comparing.Side.note = lambda self, *a: (time.sleep(0.1), note(self, *a))[1]"
    )
    switch(view, "parser", "pushdown automaton").click()
    bar = view.part("[role=progressbar]")
    expect(bar).to_have_attribute("aria-valuemax", "31")
    expect(view.part(".progress")).to_contain_text("of 31")
    view.part(".panel").focus()
    view.notebook.page.keyboard.press("Escape")
    expect(view.part(".foot")).to_contain_text("stopped: cancelled")
    expect(bar).to_have_count(0)
    view.notebook.python("comparing.Side.note = note")
    assert view.ask("session.trace.n_decided") == 30


def test_a_session_that_went_on_is_said(view: OneView) -> None:
    view.notebook.python("report = Compare(session).run(parser='pda'); session.back(2)")
    expect(view.part(".notice.hint")).to_contain_text("The session has changed since: 30 tokens then, 28 now")
    view.notebook.python("session.run(2)")


def test_both_masks_are_one_picture_by_mouse_and_by_key(view: OneView) -> None:
    keys = view.notebook.page.keyboard
    view.notebook.python("report = Compare(session).run(grammar=grammar.replace('[0-9]+', '[0-8]+'))")
    at = view.ask("report.divergence.step")
    view.part("[role=slider]").focus()
    keys.press("Home")
    for _ in range(at):
        keys.press("ArrowRight")
    only_a = view.ask(f"[d for d in report.differences if d.step == {at}][0].only_a.tolist()")
    expect(view.part("[data-xor]")).to_have_attribute("data-xor", str(len(only_a)))
    counts = view.part(".lens-legend li")
    n_both = view.ask(f"report.n_allowed[{at}][1]")
    for row, n in enumerate([len(only_a), 0, n_both, 2048 - n_both - len(only_a)]):
        expect(counts.nth(row).locator(".num").first).to_have_text(f"{n:,}")
    # a cell of A alone: hover says it, a click selects it, and every view follows
    order = "from xg2lab.widgets.replay import vocabulary_of; order = list(vocabulary_of(session.tokenizer_info).order)"
    view.notebook.python(order)
    rank = view.ask(f"order.index({only_a[0]})")
    canvas = view.part("canvas[data-mask]")
    cell, columns = (int(canvas.get_attribute(f"data-{name}") or "") for name in ("cell", "columns"))
    place = {"x": (rank % columns + 0.5) * cell, "y": (rank // columns + 0.5) * cell}
    canvas.hover(position=place)
    tip = view.part(".tip")
    expect(tip).to_contain_text("A alone allows")
    expect(tip).to_contain_text(str(only_a[0]))
    canvas.click(position=place)
    expect(view.part(f"[data-token='{only_a[0]}']")).to_have_class("is-selected")
    view.notebook.settled()
    assert view.ask("[session.selection['step'], session.selection['token']]") == [at, only_a[0]]
    expect(view.notebook.locator("[data-xg2lab=why_card] .subject")).to_contain_text(str(only_a[0]))
    # by key: one class alone, and a cell in trie order
    canvas.focus()
    keys.press("1")
    expect(counts.first.locator("button")).to_have_attribute("aria-checked", "true")
    keys.press("1")
    expect(counts.first.locator("button")).to_have_attribute("aria-checked", "false")
    keys.press("Home")
    keys.press("ArrowRight")
    expect(canvas).to_have_attribute("aria-label", re.compile("(neither allows|both allow|alone allows)"))
    keys.press("Enter")
    view.notebook.settled()
    assert view.ask("session.selection['token'] == int(order[1])")


def test_tapes_lead_to_a_step_and_mark_where_they_part(view: OneView) -> None:
    view.notebook.python("report = Compare(session).run(grammar=grammar.replace('[0-9]+', '[0-8]+'))")
    at = view.ask("[report.divergence.step, report.divergence.byte]")
    line = view.part("[data-parts]")
    expect(line).to_have_attribute("data-parts", str(at[1]))
    expect(view.part("[data-differs-in*='B refuses']")).to_have_count(view.ask("int(not report.divergence.takes_b)"))
    cell = view.part("[data-cell=A2] rect")
    cell.click()
    expect(view.part("[role=slider]")).to_have_attribute("aria-valuenow", "2")
    box, after = cell.bounding_box(), view.part("[data-cell=A3] rect").bounding_box()
    assert box is not None
    assert after is not None
    n_bytes = view.ask("report.tapes[0][3][0] - report.tapes[0][2][0]")
    assert after["x"] - box["x"] == pytest.approx(10 * n_bytes, abs=1)


def test_bytes_of_other_vocabularies_have_256_cells_and_two_tapes(view: OneView) -> None:
    view.notebook.python("report = Compare(session).run(other)")
    n = view.ask("len(session.text.encode())")
    expect(view.part("[data-cell^=B]").first).to_be_visible()
    view.part("[role=slider]").press("Home")
    expect(view.part("[data-cell=B0]")).to_have_count(1)
    assert view.ask("[len(report.tapes[1]), len(report.tapes[0]) < len(report.tapes[1])]") == [n, True]
    expect(view.part("[data-xor='0']")).to_contain_text("both masks at step 0: they agree")
    total = sum(int(row.inner_text().replace(",", "")) for row in view.part(".lens-legend .num:not(.xs)").all())
    assert total == 256
    expect(view.part("[data-ends]")).to_have_text("The text may end here: A no, B no.")
    canvas = view.part("canvas[data-mask]")
    cell, columns = (int(canvas.get_attribute(f"data-{name}") or "") for name in ("cell", "columns"))
    canvas.click(position={"x": (0x7B % columns + 0.5) * cell, "y": (0x7B // columns + 0.5) * cell})
    expect(view.notebook.locator("[data-xg2lab=why_card] .subject")).to_have_attribute("data-allowed", "true")
    view.part(".panel").focus()
    view.notebook.page.keyboard.press("t")
    row = view.part("[data-step='2'] td")
    expect(row.nth(-1)).to_have_text(view.ask("dict(report.tapes[1])[2]"))
    expect(row.nth(-2)).to_have_text(view.ask("dict(report.tapes[0]).get(2, '')"))
    view.notebook.page.keyboard.press("t")
    canvas.click(position={"x": (0x41 % columns + 0.5) * cell, "y": (0x41 // columns + 0.5) * cell})
    expect(view.notebook.locator("[data-xg2lab=why_card] .subject")).to_have_attribute("data-allowed", "false")


def test_the_shortest_disagreement_is_searched_by_key_and_can_be_stopped(view: OneView) -> None:
    keys = view.notebook.page.keyboard
    view.notebook.python("report = Compare(session).run(grammar=grammar.replace('{1,60}', '{1,3}'))")
    button = view.part(".compare-shortest").get_by_role("button", name="shortest disagreement")
    tab_to(view, button)
    keys.press("Enter")
    expect(view.part("[data-shortest=part]")).to_contain_text('after {"aaa, at byte 5')
    found = view.ask("[report.shortest.text.decode(), report.shortest.only_a, report.shortest.only_b]")
    assert found == ['{"aaa', [[97, 122]], []]
    expect(view.part("[data-side=a] td").first).to_have_text("a–z")
    expect(view.part("[data-side=b]")).to_contain_text("expected")
    # endless: said as far as it goes, and stopped by escape
    view.notebook.python(
        'report = Compare(session).run(grammar=\'root ::= val | root2  root2 ::= "(" root2 ")"  val ::= [0-9]\')'
    )
    view.notebook.python("deep = 'root ::= \"(\" root \")\" | [x]'\nlate = deep.replace('[x]', '\"x\"')")
    view.notebook.python("from xg2lab.lab.comparison.replays import Side\nfrom xg2lab import Grammar")
    view.notebook.python(
        "report.a.grammar, report.b.grammar = Grammar.from_ebnf(deep), Grammar.from_ebnf(late)\nreport.shortest = None"
    )
    tab_to(view, view.part(".compare-shortest button").first)
    keys.press("Enter")
    expect(view.part("[data-shortest=running]")).to_contain_text("none up to")
    view.part(".panel").focus()
    keys.press("Escape")
    expect(view.part("[data-shortest=none]")).to_contain_text("No disagreement in texts of up to")
    expect(view.part("[data-shortest=none]")).to_contain_text("no proof that they are equal: cancelled")
    # equal, and proved
    view.notebook.python("report = Compare(session).run(parser='pda')")
    tab_to(view, button)
    keys.press("Enter")
    expect(view.part("[data-shortest=equal]")).to_contain_text("They are equal.")


@looks(1920, 1280, 524)
def test_it_fits_and_axe_finds_nothing_serious(view: OneView, shots: Path, width: int, dark: bool) -> None:
    view.notebook.python("report = Compare(session).run(grammar=grammar.replace('[0-9]+', '[0-8]+'))")
    view.looks_well(shots, width, dark=dark, body="[data-verdict]")


def test_an_exported_page_shows_it_as_it_was(view: OneView, lab: Any) -> None:
    view.notebook.python("report = Compare(session).run(grammar=grammar.replace('[0-9]+', '[0-8]+'))")
    view.notebook.python(f"path = Compare(session).export_html({str(lab.folder / 'compared.html')!r})")
    page = lab.blank(offline=True)
    page.goto((lab.folder / "compared.html").as_uri())
    panel = page.locator("[data-panel=compare]")
    expect(panel.locator("[data-verdict=differ]")).to_be_visible()
    expect(panel.locator("canvas[data-mask]")).to_be_visible()
    expect(panel.locator("[data-switch]")).to_have_count(0)  # a recording has no engine to ask
    page.context.close()


def test_what_a_notebook_saves_draws_comparison_and_costs_without_its_kernel(view: OneView, lab: Lab) -> None:
    view.notebook.python("report = Compare(session).run(grammar=grammar.replace('[0-9]+', '[0-8]+'))")
    rules = view.ask("[r.name for r in CostTable(session).data().rules]")
    at = view.ask("Compare(session).data().divergence.step")
    other = OneView(lab.replay(view.notebook.saved()), "compare")
    expect(other.part("[data-verdict=differ]")).to_contain_text(f"They part at step {at}")
    expect(other.part(f"[data-differs='{at}']")).to_have_count(1)
    expect(other.part("[data-token]").first).to_be_visible()
    other.part("[role=slider]").press("Home")
    for _ in range(at):
        other.part("[role=slider]").press("ArrowRight")
    only = view.ask(f"[d for d in Compare(session).data().differences if d.step == {at}][0].n_only_a")
    expect(other.part("[data-xor]")).to_have_attribute("data-xor", str(only))
    expect(other.part("canvas[data-mask]")).to_be_visible()
    expect(other.part("[data-parts]")).to_have_count(1)
    expect(other.part(".compare-shortest")).to_have_count(0)  # a search takes a kernel
    expect(other.part("[data-cost=compile]")).to_be_visible()
    expect(other.part("[data-switch]")).to_have_count(0)
    other.part("[role=slider]").press("Home")
    expect(other.part("[data-told]")).to_contain_text("Step 0, before")
    costs = OneView(other.notebook, "cost_table")
    expect(costs.part("[data-rule]").first).to_be_visible()
    assert [e.get_attribute("data-rule") for e in costs.part("[data-rule]").all()] == rules
    expect(costs.part("[data-pass=lower]")).to_have_count(1)


def test_nothing_was_complained_of(view: OneView, lab: Lab) -> None:
    view.complained_of_nothing(lab)
