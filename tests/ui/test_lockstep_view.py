"""LockstepView by mouse and by key: where runs part and why, in a notebook, a saved one and an exported page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from .jupyter import Lab
from .one_view import OneView, looks

pytestmark = pytest.mark.browser

SETUP = """
from xg2lab import Session
from xg2lab.widgets import *
session = Session('root ::= "[" [0-9]+ ("," [0-9]+)* "]"', model="tiny", prompt="A list: ", name="loose", max_tokens=14)
three = session.variant(grammar='root ::= "[" [0-9]{3} ("," [0-9]{3})* "]"', name="three digits")
view = LockstepView([session, three])
both = view.lockstep
"""
COUNTS = "[side.n_tokens for side in both.data().sides]"


@pytest.fixture(scope="module")
def view(lab: Lab) -> OneView:
    """Two runs, and the reasons of both."""
    lab.errors.clear()
    page = lab.show([SETUP, "view", "WhyCard(session)", "WhyCard(three)", "LockstepView(three)"])
    page.run_all()
    found = OneView(page, "lockstep_view")
    expect(found.part("[data-cell=A0]")).to_be_visible()
    return found


@pytest.fixture(autouse=True)
def begun(view: OneView) -> None:
    """Each test begins with both at their start."""
    view.notebook.python("view.session.lockstepper.show(both); both.reset(); view.session.lockstepper.tell()")
    expect(view.part("[data-cell=A1]")).to_have_count(0)
    expect(view.part("[data-cell=B1]")).to_have_count(0)


def button(view: OneView, name: str) -> Any:
    return view.part(".head").get_by_role("button", name=name)


def test_one_key_steps_all_and_takes_back(view: OneView) -> None:
    keys = view.notebook.page.keyboard
    view.part(".panel").focus()
    keys.press("ArrowRight")
    expect(view.part("[data-cell=B1]")).to_be_visible()
    keys.press("ArrowRight")
    expect(view.part("[data-cell=A2]")).to_be_visible()
    expect(view.part("[data-cell=B2]")).to_be_visible()
    assert view.ask(COUNTS) == [2, 2]
    keys.press("ArrowLeft")
    expect(view.part("[data-cell=A2]")).to_have_count(0)
    expect(view.part("[data-cell=B2]")).to_have_count(0)
    assert view.ask(COUNTS) == [1, 1]


def test_a_run_by_the_space_key_goes_to_the_end_of_both(view: OneView) -> None:
    view.part(".panel").focus()
    view.notebook.page.keyboard.press("Space")
    view.notebook.python("view.session.lockstepper._jobs.wait(60)")
    assert view.ask("both.is_over")
    for side, count in zip("AB", view.ask(COUNTS), strict=True):
        assert count > 3
        expect(view.part(f"[data-cell={side}{count - 1}]")).to_have_count(1)
    expect(button(view, "run all")).to_be_visible()


def test_the_mouse_runs_until_they_part_and_one_click_leads_to_the_reason(view: OneView) -> None:
    button(view, "until they part").click()
    expect(view.part("[data-parting]:not([data-parting=''])")).to_be_visible()
    at = view.ask("both.divergence.byte")
    expect(view.part("[data-parting]")).to_have_attribute("data-parting", str(at))
    expect(view.part("[data-parts]")).to_have_attribute("data-parts", str(at))
    expect(view.part("[data-parting]")).to_contain_text(view.ask("both.divergence.says"))
    refused = view.ask(
        "next([one.is_a, one.step, one.token_id, one.reason] for one in both.divergence.refused if not one.is_a)"
    )
    view.part(".refused").filter(has_text="why B blocks").get_by_role("button").click()
    expect(view.part("[data-why]")).to_contain_text(refused[3])
    view.notebook.settled()
    assert view.ask("[three.selection['step'], three.selection['token']]") == refused[1:3]
    subject = view.notebook.locator("[data-xg2lab=why_card]").nth(1).locator(".subject")
    expect(subject).to_have_attribute("data-allowed", "false")
    expect(subject).to_contain_text(str(refused[2]))


def test_tokens_stand_at_their_bytes_and_the_removed_mass_below_them(view: OneView) -> None:
    view.notebook.python("both.run()")
    view.notebook.settled()
    n = view.ask(COUNTS)[0]
    expect(view.part(f"[data-cell=A{n - 1}]")).to_have_count(1)
    for side, name in (("A", "session"), ("B", "three")):
        begins = view.ask(f"[step.byte_begin for step in {name}.trace.steps if step.kind][:4]")
        lefts = [
            float(view.part(f"[data-cell={side}{k}] > rect").first.get_attribute("x") or "nan")
            for k in range(len(begins))
        ]
        assert [round((x - lefts[0]) / 10) for x in lefts] == begins
        lost = [
            float(view.part(f"[data-cell={side}{k}] [data-lost]").get_attribute("data-lost") or "nan")
            for k in range(len(begins))
        ]
        assert lost == pytest.approx([1 - z for z in view.ask(f"[step.z for step in {name}.trace.steps][:4]")])


def test_the_masks_at_the_cursor_are_pythons(view: OneView) -> None:
    view.notebook.python("both.run()")
    view.notebook.settled()
    held = view.part("[data-held]")
    newest = view.ask("[both.held()[0].n_only_a, both.held()[0].n_only_b]")
    expect(held).to_have_attribute("data-held", ",".join(map(str, newest)))
    for step in (0, 2):
        view.part(f"[data-cell=A{step}] > rect").first.click()
        wanted = view.ask(f"[both.held({step})[0].n_only_a, both.held({step})[0].n_only_b]")
        expect(held).to_have_attribute("data-held", ",".join(map(str, wanted)))
        expect(held).to_contain_text(f"masks A {step}, B")
    view.notebook.settled()
    assert view.ask("session.selection['step']") == 2
    # a token that A alone allows leads to the reason of B
    alone = view.ask("both.held(2)[0].only_a[0][0]")
    held.get_by_role("button").first.click()
    expect(view.part("[data-why]")).to_contain_text("three digits blocks")
    view.notebook.settled()
    assert view.ask("three.selection['token']") == alone


def test_a_click_on_the_other_row_selects_in_the_other_session(view: OneView) -> None:
    view.notebook.python("both.step(4)")
    view.notebook.settled()
    view.part("[data-cell=B1] > rect").first.click()
    expect(view.part("[data-cell=B1] > rect").first).to_have_attribute("fill", "var(--xg-select)")
    view.notebook.settled()
    assert view.ask("[three.selection['step'], session.selection['step']]") == [1, None]


def test_a_side_is_added_and_taken_away_on_the_page(view: OneView) -> None:
    beside = view.part(".lockstep-beside")
    beside.get_by_label("The seed").fill("9")
    beside.get_by_role("button", name="add a run").click()
    expect(view.part("[data-cell=C0]")).to_be_visible()
    expect(view.part("table tbody tr").first.locator("td").nth(2)).to_be_visible()
    assert view.ask("[one.sampling.seed for one in view.lockstep.sessions]") == [0, 0, 9]
    beside.get_by_role("button", name="grammar").click()
    field = beside.get_by_label("The other grammar, EBNF")
    field.fill("root ::= [")
    beside.get_by_role("button", name="add a run").click()
    expect(view.part("[role=alert]")).to_contain_text("class is not closed in its line")
    field.fill('root ::= "[1]"')
    beside.get_by_role("button", name="add a run").click()
    expect(view.part("[data-cell=D0]")).to_be_visible()
    expect(beside).to_have_count(0)  # four sides
    for name in ("take D away", "take C away"):
        view.part("tbody").get_by_role("button", name=name).click()
    expect(view.part("[data-cell=C0]")).to_have_count(0)
    assert view.ask("len(view.lockstep.sessions)") == 2


def test_a_side_that_ends_early_is_said_and_the_other_goes_on(view: OneView) -> None:
    view.notebook.python("short = session.variant(grammar='root ::= \"[1]\"', name='short'); short.max_tokens = 1")
    view.notebook.python("other = LockstepView([session, short]).lockstep; other.run()")
    view.notebook.settled()
    expect(view.part("tbody")).to_contain_text("stopped: 1 more would pass the session's limit of 1 tokens")
    assert view.ask("[other.data().sides[1].n_tokens, other.data().sides[0].n_tokens > 5]") == [1, True]


def test_another_view_without_a_second_run_offers_one(view: OneView) -> None:
    other = view.notebook.locator("[data-xg2lab=lockstep_view]").nth(1)
    other.scroll_into_view_if_needed()
    expect(other.locator(".state")).to_contain_text("One run so far")
    expect(other.locator(".lockstep-beside")).to_be_visible()


def test_as_a_table_each_row_is_a_byte(view: OneView) -> None:
    view.notebook.python("both.run()")
    view.notebook.settled()
    view.part(".panel").focus()
    view.notebook.page.keyboard.press("t")
    bytes_ = view.ask("sorted({step.byte_begin for one in both.sessions for step in one.trace.steps})")
    rows = view.part("[data-byte]")
    expect(rows).to_have_count(len(bytes_))
    expect(rows.nth(1).locator("td").nth(1)).to_have_text(view.ask("session.trace.steps[1].text"))
    view.notebook.page.keyboard.press("t")
    expect(view.part(".lockstep-rows")).to_be_visible()


@looks(1280, 700)
def test_it_fits_and_axe_finds_nothing_serious(view: OneView, shots: Path, width: int, dark: bool) -> None:
    view.notebook.python("both.run()")
    view.notebook.settled()
    view.looks_well(shots, width, dark=dark, body=".lockstep")


def test_an_exported_page_shows_both_runs_as_they_were(view: OneView, lab: Lab) -> None:
    view.notebook.python("both.run()")
    view.notebook.python(f"path = view.export_html({str(lab.folder / 'lockstep.html')!r})")
    counts, says = view.ask(COUNTS), view.ask("both.divergence.says")
    reason = view.ask("both.divergence.refused[0].reason")
    page = lab.blank(offline=True)
    page.goto((lab.folder / "lockstep.html").as_uri())
    panel = page.locator("[data-panel=lockstep-view]")
    expect(panel.locator(f"[data-cell=B{counts[1] - 1}]")).to_have_count(1)
    expect(panel.locator("[data-parting]")).to_contain_text(says)
    expect(panel.locator("[data-parting]")).to_contain_text(reason)
    panel.locator("[data-cell=A0] > rect").first.click()
    expect(panel.locator("[data-held]")).to_contain_text("masks A 0, B 0")
    expect(panel.locator(".lockstep-beside")).to_have_count(0)
    page.context.close()


def test_a_saved_notebook_shows_both_runs_without_its_kernel(view: OneView, lab: Lab) -> None:
    view.notebook.python("both.run()")
    view.notebook.settled()
    counts, says = view.ask(COUNTS), view.ask("both.divergence.says")
    replayed = OneView(lab.replay(view.notebook.saved()), "lockstep_view")
    for side, count in zip("AB", counts, strict=True):
        expect(replayed.part(f"[data-cell={side}{count - 1}]")).to_have_count(1)
    expect(replayed.part("[data-parting]")).to_contain_text(says)
    expect(replayed.part(".head .primary")).to_have_count(0)
    other = replayed.notebook.locator("[data-xg2lab=lockstep_view]").nth(1)
    other.scroll_into_view_if_needed()
    expect(other.locator(".state")).to_contain_text("A second run was not recorded")


def test_nothing_was_complained_of(view: OneView, lab: Lab) -> None:
    view.complained_of_nothing(lab)
