"""Student mode: every mistake is told, by mouse and by keys. A column filled as a task is in test_tasks.py.

The shipped model and grammar with a real kernel. Which steps are right, and what kind of mistake the others are,
`tests/by_hand.py` says by definition; the sentences are those of `tests/widgets/test_exercise.py`.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.by_hand import VERBS, Column, Placed

from .jupyter import Lab
from .one_view import OneView, looks

pytestmark = pytest.mark.browser

SETUP = """
import json
import xg2lab as xgr
from xg2lab.tiny import example_requests, grammar_for, prompt
from xg2lab.widgets import *
model = xgr.ModelRunner.tiny()
asked = prompt(example_requests("qwen")[0], "qwen")
session = xgr.Session(grammar_for("qwen"), model=model, name="class", prompt=asked, temperature=0.0,
                      options=xgr.EngineOptions(rule_inlining=False))
session.record_as_written()
session.run(24)
"""


@pytest.fixture(scope="module")
def view(lab: Lab) -> OneView:
    """A page with a chart view, its cursor on a column with several operations."""
    lab.errors.clear()
    page = lab.show([SETUP, "ChartView(session)"])
    page.run_all()
    expect(page.locator("[data-xg2lab=chart_view] .panel")).to_be_visible()
    view = OneView(page, "chart_view")
    page.python(
        "drawn = session.trace.drawn_as_written()\n"
        "def n_kinds(step):\n"
        "    j = step.byte_begin\n"
        "    return len({row[2] for row in drawn.columns[j]}) if j < len(drawn.columns) else 0\n"
        "RICH = sorted(range(2, session.trace.n_decided), key=lambda k: (n_kinds(session.trace.steps[k]),\n"
        "              len(drawn.columns[session.trace.steps[k].byte_begin])))\n"
        "STEP = RICH[-1]; COLUMN = session.trace.steps[STEP].byte_begin"
    )
    return view


def judged(view: OneView, column: int) -> Column:
    """A column as the judge reads it."""
    return Column(view.ask("session.trace.drawn_as_written().to_wire(bulk=False)"), column)


def key_of(column: Column, item: Placed) -> str:
    """How the page names an item."""
    return f"{item.column}:{column.columns[item.column].index(item)}"


def mistakes(column: Column, found: Collection[Placed]) -> list[tuple[str, str, str]]:
    """Every wrong step on the items that are there: verb, key of the item, kind."""
    there = [*(column.columns[column.at - 1] if column.at else []), *found]
    steps = [(verb, item, column.kind(verb, item, found)) for item in there for verb in VERBS]
    return [(verb, key_of(column, item), kind) for verb, item, kind in steps if kind != "right"]


def said(view: OneView) -> Locator:
    return view.part(".by-hand-said [role=status]")


def open_student_mode(view: OneView, *, by_keys: bool) -> int:
    """Student mode on a fresh column; which one."""
    button = view.part("[data-key=e]")
    step = view.ask("STEP")
    view.select_step(step)
    if by_keys:
        view.part(".panel").focus()
        view.notebook.page.keyboard.press("e")
    else:
        button.click()
    exercise = view.part(".exercise")
    expect(exercise).to_have_attribute("data-column", str(view.ask("COLUMN")))
    again = view.part("[data-do=again]")
    if again.is_enabled():
        again.click()
        view.part(".by-hand").focus()
    return view.ask("COLUMN")


def close_student_mode(view: OneView) -> None:
    view.part("[data-key=e]").click()
    expect(view.part(".exercise")).to_have_count(0)
    expect(view.part(".body svg[role=img]")).to_be_visible()


def choose(view: OneView, key: str) -> None:
    view.part(f"[data-item='{key}']").click()
    expect(view.part(".chosen")).to_have_attribute("data-chosen", key)


def expect_kind(view: OneView, kind: str) -> None:
    expect(said(view)).to_have_attribute("data-kind", kind)
    expect(said(view)).not_to_be_empty()


def test_by_mouse_every_mistake_is_told(view: OneView) -> None:
    column = judged(view, open_student_mode(view, by_keys=False))
    n_items = len(column.all)
    hidden = view.part(".exercise [data-hidden]")
    expect(hidden).to_have_count(n_items)
    steps, found, kinds = column.path(), list[Placed](), set[str]()
    for n, (verb, item) in enumerate(steps):
        if n in (0, len(steps) - 1):
            for wrong_verb, wrong_key, kind in mistakes(column, found)[:24]:
                choose(view, wrong_key)
                view.part(f"[data-verb={wrong_verb}]").click()
                expect_kind(view, kind)
                kinds.add(kind)
                expect(hidden).to_have_count(n_items - len(found))
        choose(view, key_of(column, item))
        view.part(f"[data-verb={verb}]").click()
        expect_kind(view, "right")
        found += [new for new in column.made(verb, item, found) if new in column.all and new not in found]
        expect(hidden).to_have_count(n_items - len(found))
    assert len(kinds) >= 3, kinds
    at = column.at
    expect(view.part("[data-finished]")).to_contain_text(f"Column {at} has all {n_items} item")
    expect(hidden).to_have_count(0)
    expect(view.part("[data-score]")).to_contain_text(f"{n_items} of {n_items} items, {len(steps)} right")
    close_student_mode(view)


def reach(view: OneView, key: str) -> None:
    """The item by arrow keys: to the end, then up and to the left until it is the active one."""
    page, box = view.notebook.page, view.part(".by-hand")
    want = f"xg-item-{key.replace(':', '-')}"
    page.keyboard.press("End")
    for _ in range(60):
        if box.get_attribute("aria-activedescendant") == want:
            return
        before = box.get_attribute("aria-activedescendant")
        page.keyboard.press("ArrowUp")
        if box.get_attribute("aria-activedescendant") == before:
            page.keyboard.press("ArrowLeft")
            for _ in range(12):
                page.keyboard.press("ArrowDown")
    raise AssertionError(f"{key} can't be reached by arrows")


def test_by_keys_alone(view: OneView) -> None:
    page = view.notebook.page
    view.notebook.python("STEP = RICH[-2]; COLUMN = session.trace.steps[STEP].byte_begin")
    column = judged(view, open_student_mode(view, by_keys=True))
    n_decided = view.ask("session.trace.n_decided")
    letter = {"scan": "s", "predict": "p", "complete": "c"}
    expect(view.part(".by-hand")).to_be_focused()
    verb, key, kind = mistakes(column, [])[0]
    reach(view, key)
    page.keyboard.press(letter[verb])
    expect_kind(view, kind)
    page.keyboard.press("h")
    expect(said(view)).to_contain_text("hint: ")
    for n, (verb, item) in enumerate(column.path(), start=1):
        reach(view, key_of(column, item))
        page.keyboard.press(letter[verb])
        expect(view.part("[data-score]")).to_contain_text(f", {n} right, ")
    expect(view.part("[data-finished]")).to_be_visible()
    page.keyboard.press("u")
    expect(view.part("[data-finished]")).to_have_count(0)
    page.keyboard.press("r")
    expect(view.part("[data-finished]")).to_be_visible()
    expect(view.part("[data-score]")).to_contain_text("1 wrong, 1 hint, ")
    page.keyboard.press("Enter")  # on an item it forces no token
    assert view.ask("session.trace.n_decided") == n_decided
    page.keyboard.press("e")
    expect(view.part(".exercise")).to_have_count(0)
    page.keyboard.press("e")  # what was done is kept
    expect(view.part("[data-finished]")).to_be_visible()
    page.keyboard.press("a")
    expect(view.part(".exercise [data-hidden]")).not_to_have_count(0)
    page.keyboard.press("e")


def test_an_item_may_be_named_outright(view: OneView) -> None:
    column = open_student_mode(view, by_keys=False)
    expect(view.part("[data-do=undo]")).to_be_disabled()
    state, origin = view.ask(f"session.trace.as_written.columns[{column}][0][:2]")
    view.part(".by-hand-name select").select_option(str(state))
    view.part(".by-hand-name input").fill(str(origin + 1))
    view.part(".by-hand-name button").click()
    expect(said(view)).to_have_attribute("data-kind", re.compile("^(not_predicted|not_here|wrong_byte|origin)$"))
    expect(said(view)).not_to_be_empty()
    view.part(".exercise button[aria-label='Next column']").click()
    expect(view.part(".exercise")).to_have_attribute("data-column", str(column + 1))
    close_student_mode(view)


@looks(1600, 700)
def test_it_fits_and_axe_finds_nothing_serious(view: OneView, shots: Path, width: int, dark: bool) -> None:
    column = judged(view, open_student_mode(view, by_keys=False))
    view.part(".exercise").focus()
    for verb, item in column.path()[:2]:
        choose(view, key_of(column, item))
        view.part(f"[data-verb={verb}]").click()
    verb, key, _ = mistakes(column, [])[0]
    choose(view, key)
    view.part(f"[data-verb={verb}]").click()
    try:
        view.looks_well(shots, width, dark=dark)
    finally:
        close_student_mode(view)


def test_nothing_was_complained_of(lab: Lab, view: OneView) -> None:
    view.complained_of_nothing(lab)
