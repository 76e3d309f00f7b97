"""Presenter mode: the lesson's panes in large type over the whole page, and what they say covered until it is revealed.

A plain page with the scripted model; JupyterLab hears keys too, so one test is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from .conftest import write_notebook
from .jupyter import Lab
from .one_view import OneView, axe_findings
from .plain import PlainPage

pytestmark = pytest.mark.browser

SETUP = "from tests.ui.scripted import scripted_session\nfrom xg2lab.widgets import *\nsession = scripted_session()"
START = "session.reset(); session.step(4); session.select(**dict.fromkeys(session.selection))"
SHOWN = ["text-view", "tape", "mask-lens", "why-card"]
#: Of each text that is seen: its size on the screen. Stand-ins for white space and marks are no text to read.
SIZES = """() => {
  const root = document.querySelector("[data-xg2lab=workbench]").shadowRoot.querySelector(".xg");
  const zoom = root.currentCSSZoom;
  return [...root.querySelectorAll(".topbar *, .pane *")].filter((e) => e.checkVisibility()
    && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()))
    .map((e) => parseFloat(getComputedStyle(e).fontSize) * zoom);
}"""
#: How far the frame and each pane reach past the window, and the head past its own box.
OUTSIDE = """() => {
  const root = document.querySelector("[data-xg2lab=workbench]").shadowRoot;
  const boxes = [".workbench", ".topbar", ".rail", ".pane"].flatMap((one) => [...root.querySelectorAll(one)]);
  const head = root.querySelector(".topbar");
  return Math.max(head.scrollWidth - head.clientWidth, ...boxes.map((e) => e.getBoundingClientRect())
    .flatMap((r) => [-r.left, -r.top, r.right - innerWidth, r.bottom - innerHeight]));
}"""
#: Until an element has stood still for ten frames: panes take their sizes one after another.
STILL = """async (element) => {
  let at = "";
  for (let still = 0; still < 10; ) {
    await new Promise(requestAnimationFrame);
    const { x, y, width, height } = element.getBoundingClientRect();
    const now = [x, y, width, height].join(" ");
    still = now === at ? still + 1 : 0;
    at = now;
  }
}"""
FILLS = """() => {
  const box = document.querySelector("[data-xg2lab=workbench]").getBoundingClientRect();
  return [box.left, box.top, box.width - innerWidth, box.height - innerHeight];
}"""


@pytest.fixture(scope="module")
def opened(lab: Lab) -> PlainPage:
    lab.errors.clear()
    page = lab.show([SETUP, "Workbench(session)"])
    page.run_all()
    return page


@pytest.fixture
def bench(opened: PlainPage) -> Iterator[OneView]:
    """The workbench in its cell, at the fourth step; nobody presents."""
    opened.page.set_viewport_size({"width": 1440, "height": 900})
    opened.settled()
    opened.python(START)
    opened.python("Workbench(session, arrangement='step')")
    opened.settled()
    view = OneView(opened, "workbench")
    expect(view.part(".session")).to_contain_text("step 4 of 4")
    expect(view.part(".xg[data-presenting]")).to_have_count(0)
    view.part("[data-panel=tape]").focus()
    yield view
    if view.part(".xg[data-presenting]").count():
        view.part("[aria-label='Presenter mode']").click()
    opened.theme(False)


def press(view: OneView, *keys: str) -> None:
    for key in keys:
        view.notebook.page.keyboard.press(key)


def covers(view: OneView) -> Locator:
    return view.part(".panel.covered")


def shown(view: OneView) -> list[str]:
    view.notebook.settled()
    found: list[str] = view.part("[data-panel]").evaluate_all("(all) => all.map((e) => e.dataset.panel)")
    return found


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1920, 1080)])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_large_type_fills_the_page_and_keeps_the_layout_whole(
    bench: OneView, shots: Path, width: int, height: int, dark: bool
) -> None:
    page: Any = bench.notebook.page
    page.set_viewport_size({"width": width, "height": height})
    bench.notebook.theme(dark)
    bench.notebook.settled()
    before = min(page.evaluate(SIZES))
    press(bench, "Shift+P")
    expect(covers(bench)).to_have_count(2)
    assert shown(bench) == SHOWN
    assert page.evaluate(FILLS) == [0, 0, 0, 0]
    assert min(page.evaluate(SIZES)) >= 1.5 * before
    for name in ("covered", "revealed"):
        assert page.evaluate(OUTSIDE) <= 1
        assert axe_findings(bench.notebook, "workbench", dark=dark) == []
        page.screenshot(path=str(shots / f"presenting-{name}-{width}-{'dark' if dark else 'light'}.png"))
        press(bench, ".", ".", ".")
        expect(covers(bench)).to_have_count(0)
    press(bench, "Escape")
    expect(bench.part(".arrangements")).to_be_visible()
    assert page.evaluate("() => document.querySelector(':popover-open')") is None
    assert min(page.evaluate(SIZES)) == before


def test_a_class_guesses_before_each_pane_is_revealed(bench: OneView) -> None:
    press(bench, "Shift+P")
    expect(covers(bench)).to_have_count(2)
    column = bench.part(".tape-col").last
    expect(column.locator("rect")).to_have_count(1)  # the ground: neither a bar of allowed tokens nor Z
    expect(bench.part("[data-panel=mask-lens].covered")).to_have_count(1)
    expect(bench.part(".mask-lens canvas")).to_have_count(0)
    press(bench, ".")  # the tape's column
    expect(column.locator("rect")).not_to_have_count(1)
    press(bench, ".")
    expect(bench.part(".mask-lens canvas").first).to_be_visible()
    expect(covers(bench)).to_have_count(1)
    bench.part(".covered").get_by_role("button", name="Reveal Why").click()
    expect(covers(bench)).to_have_count(0)
    expect(bench.part("[data-panel=why-card]")).to_be_focused()
    press(bench, ",")
    expect(covers(bench)).to_have_count(2)
    press(bench, ".", ".", ".")
    token = bench.ask("session.tokenizer_info.decoded_vocab.index(b'celsius')")
    bench.notebook.python(f"session.select(token={token})")  # another question for Why
    expect(bench.part("[data-panel=why-card].covered")).to_have_count(1)
    expect(bench.part("[data-panel=mask-lens].covered")).to_have_count(0)
    press(bench, "ArrowRight")  # the token, by the next step; and that step is covered
    expect(bench.part(".session")).to_contain_text("step 5 of 5")
    expect(covers(bench)).to_have_count(2)


def test_of_a_recorded_run_the_class_sees_what_is_before_the_cursor(bench: OneView) -> None:
    texts = bench.ask("[step.text for step in session.trace.steps]")
    bench.notebook.python("session.select(step=2)")
    expect(bench.part(".session")).to_contain_text("step 2 of 4")
    press(bench, "Shift+P")
    expect(bench.part(".text-view [data-step]")).to_have_count(3)
    expect(bench.part(".text-view .written")).to_have_text("".join(texts[:2]).replace(" ", "·"))
    expect(bench.part(".tape-col")).to_have_count(3)
    press(bench, "Shift+ArrowRight")
    expect(bench.part(".text-view [data-step]")).to_have_count(4)
    press(bench, "Shift+ArrowLeft", ".", ".")
    expect(bench.part(".mask-lens canvas").first).to_be_visible()
    press(bench, "Shift+ArrowRight", "Shift+ArrowLeft")  # back at a step that was shown: it stays so
    expect(bench.part(".mask-lens canvas").first).to_be_visible()
    press(bench, "Escape")
    expect(bench.part(".text-view [data-step]")).to_have_count(5)


def test_the_pointer_hits_what_it_points_at(bench: OneView) -> None:
    press(bench, "Shift+P", ".", ".", ".")
    canvas = bench.part(".mask-lens canvas").first
    canvas.evaluate(STILL)
    cell = canvas.evaluate("(e) => e.clientWidth * e.currentCSSZoom / 64")
    canvas.click(position={"x": 10.5 * cell, "y": 1.5 * cell})
    order = "sorted(range(2040), key=lambda k: session.tokenizer_info.decoded_vocab[k])"
    bench.notebook.settled()
    assert bench.ask("session.selection['token']") == bench.ask(f"({order})[64 + 10]")
    line = bench.part(".splitter.row").first
    middle = line.bounding_box()
    assert middle is not None
    mouse = bench.notebook.page.mouse
    mouse.move(middle["x"], middle["y"] + 60)
    mouse.down()
    mouse.move(middle["x"] + 24, middle["y"] + 60, steps=4)
    mouse.up()
    after = line.bounding_box()
    assert after is not None
    assert abs(after["x"] - middle["x"] - 24) < 2


def test_a_lesson_chooses_the_panes_and_python_begins(bench: OneView) -> None:
    bench.notebook.python("Workbench(session, lesson=['tape', 'fsm_view', 'grammar_pad'], presenting=True)")
    expect(covers(bench)).to_have_count(1)
    assert sorted(shown(bench)) == ["fsm-view", "grammar-pad", "tape"]
    bench.part("[aria-label='Presenter mode']").click()
    expect(covers(bench)).to_have_count(0)
    assert sorted(shown(bench)) == ["fsm-view", "grammar-pad", "tape"]
    assert bench.notebook.page.evaluate("() => localStorage.getItem('xg2lab/frame/1')") is None
    bench.notebook.python("Workbench(session, arrangement='step')")
    press(bench, "?")
    expect(bench.part(".key-list")).to_contain_text("presenter mode, and back")


def test_in_jupyterlab_the_page_below_neither_shows_nor_hears(lab: Lab) -> None:
    notebook = lab.open(write_notebook(lab.folder, "presenting.ipynb", [SETUP + "\n" + START, "Workbench(session)"]))
    notebook.run_all()
    view = OneView(notebook, "workbench")
    view.part("[data-panel=tape]").focus()
    n_cells = notebook.locator(".jp-Cell").count()
    press(view, "Shift+P")
    expect(covers(view)).to_have_count(2)
    assert notebook.page.evaluate(FILLS) == [0, 0, 0, 0]
    student = view.part(".head-tools button").filter(has_text="student page")
    student.click()
    expect(view.part(".head-tools button").filter(has_text="copied")).to_be_visible()
    press(view, ".", ".", ".")
    expect(covers(view)).to_have_count(0)
    press(view, "Escape", "b")  # `b` would be a new cell of the notebook
    expect(view.part(".arrangements")).to_be_visible()
    assert notebook.locator(".jp-Cell").count() == n_cells
    assert [error for error in lab.errors if "xg2lab" in error or "TypeError" in error] == []
