"""Focus never leaves a widget by itself: a field, a card or a button that goes gives it back, and the keys go on.

Each test begins with the focus on a known element, opens something, closes it, and asks two things: which element has
the focus, and whether a key of the widget still acts.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from .conftest import write_notebook
from .jupyter import Lab
from .one_view import OneView, workbench_at
from .plain import PlainPage

pytestmark = pytest.mark.browser

SETUP = "from tests.ui.scripted import scripted_session\nfrom xg2lab.widgets import *\nsession = scripted_session()"
START = "session.reset(); session.step(3); session.select(**dict.fromkeys(session.selection))"
#: The innermost element with the focus, through all shadow roots: a word that names it.
HELD = """() => {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  const { key, panel, token } = element.dataset ?? {};
  return key ?? panel ?? token ?? element.className ?? element.tagName;
}"""
ADD = """e => {
  const button = document.createElement("button");
  button.textContent = "added";
  e.append(button);
}"""


# Holds back all work that waits for a frame, also a push of the kernel, until `letFramesGo` runs it.
HOLD_FRAMES = """() => {
  const [real, waiting] = [window.requestAnimationFrame, []];
  window.requestAnimationFrame = (work) => waiting.push(work);
  window.letFramesGo = () => {
    window.requestAnimationFrame = real;
    for (const work of waiting) real.call(window, work);
  };
}"""


@pytest.fixture(scope="module")
def opened(lab: Lab) -> PlainPage:
    """A page with a workbench, and a why card alone."""
    lab.errors.clear()
    page = lab.show([SETUP, "Workbench(session)", "WhyCard(session)"])
    page.run_all()
    return page


@pytest.fixture
def bench(opened: PlainPage) -> OneView:
    """The workbench at step 3, nothing selected."""
    return workbench_at(opened, START, 3)


def held(view: OneView) -> str:
    """Which element has the focus."""
    view.notebook.settled()
    return str(view.notebook.page.evaluate(HELD))


def keys_act(view: OneView, n: int = 3) -> None:
    """A key of the widget is heard: the cursor moves one step back."""
    view.notebook.page.keyboard.press("Shift+ArrowLeft")
    expect(view.part(".session")).to_contain_text(f"step {n - 1} of {n}")


def test_escape_in_the_field_of_why_gives_the_focus_back(bench: OneView) -> None:
    press = bench.notebook.page.keyboard.press
    candidate = bench.part(".dist-view .pick").first
    candidate.focus()
    token = candidate.get_attribute("data-token")
    press("w")
    assert held(bench) == "w"
    press("Escape")
    assert held(bench) == token
    press("w")
    press("Escape")
    keys_act(bench)


def test_a_field_that_was_clicked_leaves_the_focus_to_its_panel(bench: OneView) -> None:
    bench.part(".why-ask input").click()
    bench.notebook.page.keyboard.press("Escape")
    assert held(bench) == "why-card"
    keys_act(bench)


@pytest.mark.parametrize("alone", [False, True], ids=["workbench", "alone"])
def test_paste_ids_gives_the_focus_back(bench: OneView, alone: bool) -> None:
    view = OneView(bench.notebook, "why_card") if alone else bench
    page = bench.notebook.page
    view.part(".why-card [data-key=i]").focus()
    page.keyboard.press("i")
    expect(view.part(".paste-ids textarea")).to_be_focused()
    page.keyboard.press("Escape")
    expect(view.part(".paste-ids")).to_have_count(0)
    assert held(view) == "i"
    page.keyboard.press("i")
    expect(view.part(".paste-ids textarea")).to_be_focused()
    page.keyboard.type("[0, 1, 2]")
    page.keyboard.press("Enter")
    expect(view.part(".diagnosis")).to_be_visible()
    assert held(view) == "i"
    view.part("[data-resume]").click()
    expect(view.part(".diagnosis")).to_have_count(0)
    assert held(view) == "why-card"
    keys_act(view if not alone else bench)


def test_an_element_that_a_repaint_takes_leaves_the_focus_to_its_panel_then_to_the_frame(bench: OneView) -> None:
    for box, went, keeps in (
        (".dist-view", "e => e.remove()", "dist-view"),
        (".tape .tools", "e => { e.disabled = true; }", "tape"),
        (".rail", "e => e.remove()", "xg"),
    ):
        bench.part(box).evaluate(ADD)
        button = bench.part(box).get_by_text("added")
        button.click()
        button.evaluate(went)
        assert held(bench) == keeps
    bench.part(".tape .tools > button:disabled").evaluate("e => e.remove()")
    keys_act(bench)


def test_keys_between_two_frames_reach_what_the_first_of_them_drew(bench: OneView) -> None:
    page = bench.notebook.page
    place, keys = bench.part("[data-stack=dock]"), page.keyboard
    place.locator("[role=tab]").first.focus()
    page.evaluate(HOLD_FRAMES)
    try:
        # of tabs that ask the kernel nothing: an answer would wait for a frame
        for key, name in (("Right", "dispatch-view"), ("Left", "fsm-view"), ("Right", "dispatch-view")):
            keys.press(f"Arrow{key}")
            expect(place.locator("[data-panel]")).to_have_attribute("data-panel", name)
            expect(place.locator("[role=tab][aria-selected=true]")).to_be_focused()
    finally:
        page.evaluate("() => window.letFramesGo()")
    assert bench.ask("session.trace.n_decided") == 3


def test_focus_that_the_reader_moves_is_not_taken_back(bench: OneView) -> None:
    page = bench.notebook.page
    bench.part(".why-ask input").click()
    page.evaluate("() => { document.body.style.paddingBottom = '80px'; }")
    size = page.evaluate("() => [innerWidth, innerHeight]")
    page.mouse.click(2, size[1] - 2)
    bench.notebook.python("session.step()")
    expect(bench.part(".session")).to_contain_text("step 4 of 4")
    assert page.evaluate("() => document.activeElement === document.body")


def test_in_jupyterlab_alt_digits_stay_in_the_widget_and_ctrl_s_saves(lab: Lab) -> None:
    page = lab.open(write_notebook(lab.folder, "focus.ipynb", [SETUP + "\nsession.step(3)", "Workbench(session)"]))
    page.run_all()
    view = OneView(page, "workbench")
    expect(view.part(".session")).to_contain_text("step 3 of 3")
    sidebars = "() => [...document.querySelectorAll('.jp-SideBar .lm-mod-current')].map((e) => e.dataset.id).join()"
    before = page.page.evaluate(sidebars)
    view.part(".tape").focus()
    for key in ("w", "Escape", "i", "Escape"):
        page.page.keyboard.press(key)
    for digit in range(1, 10):
        page.page.keyboard.press(f"Alt+{digit}")
        assert page.page.evaluate(sidebars) == before
    keys_act(view)
    is_dirty = "() => jupyterapp.shell.currentWidget.context.model.dirty"
    assert page.page.evaluate(is_dirty)
    page.page.keyboard.press("Control+s")
    page.page.wait_for_function(f"() => !({is_dirty})()")
    page.page.keyboard.press("Control+b")  # JupyterLab's sidebar
    page.page.wait_for_function(f"() => ({sidebars})() !== '{before}'")
    page.page.keyboard.press("Shift+ArrowLeft")
    expect(view.part(".session")).to_contain_text("step 1 of 3")
