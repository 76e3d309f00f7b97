"""Task: fill an Earley column by hand in student mode, one step wrong. It says which and why; by mouse, by keys alone.

The shipped model and grammar with a real kernel. What is said is compared with what
`xg2lab.lab.lessons.exercise` says.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

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
session.run(24)
"""
#: Every step on the items there are: verb, place, whether it is right, its kind, what is said; right ones are not kept.
WRONG = """
from xg2lab.lab.lessons.exercise import VERBS, ColumnExercise, Placed
def wrong_steps(column, found):
    out = []
    for j in (column - 1, column):
        for row in session.trace.columns[j]:
            for verb in VERBS:
                exercise = ColumnExercise(session.trace, column)
                exercise.found = [Placed(*item) for item in found]
                if j < column or (j, row[0], row[1]) in exercise.found:
                    answer = exercise.do(verb, (j, row[0], row[1]))
                    if not answer.is_right:
                        out.append([verb, f"{j}:{session.trace.columns[j].index(row)}", answer.kind, answer.reason])
    return out
"""
#: The steps of hints, each by the keys of its item, until the column is full.
PATH = """
def path(column):
    exercise, out = ColumnExercise(session.trace, column), []
    while not exercise.is_finished:
        verb, item = exercise._next()
        place = session.trace.columns[item.column].index(
            next(r for r in session.trace.columns[item.column] if (r[0], r[1]) == item[1:]))
        out.append([verb, f"{item.column}:{place}", exercise.do(verb, item).reason])
    return out

def found_after(column, n):
    exercise = ColumnExercise(session.trace, column)
    for _ in range(n):
        exercise.do(*exercise._next())
    return exercise.found
"""


@pytest.fixture(scope="module")
def view(lab: Lab) -> OneView:
    """A page with a chart view, its cursor on a column with several operations."""
    lab.errors.clear()
    page = lab.show([SETUP, WRONG + PATH, "ChartView(session)"])
    page.run_all()
    expect(page.locator("[data-xg2lab=chart_view] .panel")).to_be_visible()
    view = OneView(page, "chart_view")
    page.python(
        "def n_kinds(step):\n"
        "    j = step.byte_begin\n"
        "    return len({row[2] for row in session.trace.columns[j]}) if j < len(session.trace.columns) else 0\n"
        "RICH = sorted(range(2, session.trace.n_decided), key=lambda k: (n_kinds(session.trace.steps[k]),\n"
        "              len(session.trace.columns[session.trace.steps[k].byte_begin])))\n"
        "STEP = RICH[-1]; COLUMN = session.trace.steps[STEP].byte_begin"
    )
    return view


def said(view: OneView) -> Locator:
    return view.part(".by-hand-said [role=status]")


def plain(words: str) -> str:
    """As it is shown: what stands between backticks is set as code."""
    return words.replace("`", "").replace("  from", " from")


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


def expect_wrong(view: OneView, kind: str, reason: str) -> None:
    expect(said(view)).to_have_attribute("data-kind", kind)
    expect(said(view)).to_have_text(plain(reason))


def test_by_mouse_every_mistake_is_told_as_python_tells_it(view: OneView) -> None:
    column = open_student_mode(view, by_keys=False)
    n_items = len(view.ask(f"session.trace.columns[{column}]"))
    hidden = view.part(".exercise [data-hidden]")
    expect(hidden).to_have_count(n_items)
    steps = view.ask(f"path({column})")
    kinds = set()
    for n, (verb, key, reason) in enumerate(steps):
        if n in (0, len(steps) - 1):
            found = view.ask(f"found_after({column}, {n})")
            for wrong_verb, wrong_key, kind, words in view.ask(f"wrong_steps({column}, {json.dumps(found)})")[:24]:
                choose(view, wrong_key)
                view.part(f"[data-verb={wrong_verb}]").click()
                expect_wrong(view, kind, words)
                kinds.add(kind)
                expect(hidden).to_have_count(n_items - len(found))
        choose(view, key)
        view.part(f"[data-verb={verb}]").click()
        expect(said(view)).to_have_attribute("data-kind", "right")
        expect(said(view)).to_have_text(plain(reason))
    assert len(kinds) >= 3, kinds
    expect(view.part("[data-finished]")).to_contain_text(f"Column {column} has exactly the engine's {n_items} item")
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
    column = open_student_mode(view, by_keys=True)
    n_decided = view.ask("session.trace.n_decided")
    letter = {"scan": "s", "predict": "p", "complete": "c"}
    expect(view.part(".by-hand")).to_be_focused()
    verb, key, kind, reason = view.ask(f"wrong_steps({column}, [])")[0]
    reach(view, key)
    page.keyboard.press(letter[verb])
    expect_wrong(view, kind, reason)
    page.keyboard.press("h")
    expect(said(view)).to_contain_text("hint: ")
    for verb, key, reason in view.ask(f"path({column})"):
        reach(view, key)
        page.keyboard.press(letter[verb])
        expect(said(view)).to_have_text(plain(reason))
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
    state, origin = view.ask(f"session.trace.columns[{column}][0][:2]")
    view.part(".by-hand-name select").select_option(str(state))
    view.part(".by-hand-name input").fill(str(origin + 1))
    view.part(".by-hand-name button").click()
    expected: dict[str, Any] = view.ask(
        f"(lambda a: {{'kind': a.kind, 'reason': a.reason}})(ColumnExercise(session.trace, {column})"
        f".add({state}, {origin + 1}))"
    )
    expect_wrong(view, expected["kind"], expected["reason"])
    view.part(".exercise button[aria-label='Next column']").click()
    expect(view.part(".exercise")).to_have_attribute("data-column", str(column + 1))
    close_student_mode(view)


@looks(1600, 700)
def test_it_fits_and_axe_finds_nothing_serious(view: OneView, shots: Path, width: int, dark: bool) -> None:
    column = open_student_mode(view, by_keys=False)
    view.part(".exercise").focus()
    steps = view.ask(f"path({column})")
    for verb, key, _ in steps[:2]:
        choose(view, key)
        view.part(f"[data-verb={verb}]").click()
    verb, key, *_ = view.ask(f"wrong_steps({column}, [])")[0]
    choose(view, key)
    view.part(f"[data-verb={verb}]").click()
    try:
        view.looks_well(shots, width, dark=dark)
    finally:
        close_student_mode(view)


def test_nothing_was_complained_of(lab: Lab, view: OneView) -> None:
    view.complained_of_nothing(lab)
