"""What the views do beyond stepping, in a real browser: keys, issue texts, bytes, brush, a lost kernel, axe.

Each test begins at the same place: three steps of the scripted model, the blocked token it wants most selected.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from .conftest import write_notebook
from .jupyter import Lab, NotebookPage
from .one_view import axe_rules, with_axe
from .page import HostedPage
from .plain import PlainPage

pytestmark = pytest.mark.browser

SETUP = "from tests.ui.scripted import scripted_session\nfrom xg2lab.widgets import *\nsession = scripted_session()"
#: alt 1 to alt 9
PANELS = (
    "text-view", "tape", "mask-lens", "why-card", "dist-view", "fsm-view", "chart-view", "cache-view", "grammar-pad",
)  # fmt: skip
#: what the tests of this file need beside each other
SHOWN = "Workbench(session, height=1200, arrangement='step')"
START = """
session.reset()
session.step(3)
token = session.tokenizer_info.decoded_vocab.index(b"celsius")
session.select(**dict.fromkeys(session.selection) | {"token": token})
print(token)
"""


@pytest.fixture(scope="module")
def opened(lab: Lab) -> NotebookPage:
    """A notebook with the workbench and a tape of its own."""
    lab.errors.clear()
    name = write_notebook(lab.folder, "views.ipynb", [SETUP, SHOWN, "Tape(session)"])
    page = lab.open(name)
    page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.run_all()
    expect(page.locator("[data-xg2lab=workbench] [data-panel]")).to_have_count(6)
    return page


@pytest.fixture
def notebook(opened: NotebookPage) -> NotebookPage:
    """The same, at its beginning."""
    subject = opened.locator("[data-xg2lab=workbench] .subject")
    opened.settled()  # Python has heard of the selection that the test before made last
    token = opened.python(START)
    opened.settled()
    # what a test that failed left on the page fails no other
    workbench(opened, "[data-key=w]").fill("")
    workbench(opened, "[data-stack=dock] [role=tab]").first.click()
    expect(subject).to_have_attribute("data-token", token)
    wait_for_steps(opened, 3)
    return opened


def workbench(notebook: HostedPage, selector: str) -> Locator:
    """A part of the workbench."""
    return notebook.locator(f"[data-xg2lab=workbench] {selector}")


def ask(notebook: NotebookPage, expression: str) -> Any:
    """A value of the kernel, by way of JSON."""
    return json.loads(notebook.python(f"import json; print(json.dumps({expression}))"))


def wait_for_steps(notebook: NotebookPage, n: int) -> None:
    """Until the page shows n decided steps, at its newest."""
    expect(workbench(notebook, ".session")).to_contain_text(f"step {n} of {n}")


def press(notebook: HostedPage, *keys: str, panel: str = "mask-lens") -> None:
    """Keys, with a panel in focus."""
    workbench(notebook, f"[data-panel={panel}]").focus()
    for key in keys:
        notebook.page.keyboard.press(key)


def copied(notebook: NotebookPage) -> str:
    """Click "copy as issue", and read the clipboard."""
    workbench(notebook, ".issue button").click()
    expect(workbench(notebook, ".issue [role=status]")).to_have_text("copied")
    return str(notebook.page.evaluate("() => navigator.clipboard.readText()"))


# ---- Keys ----------------------------------------------------------------------------------------------------------


def test_selections_are_gone_back_to_and_forward_again(notebook: NotebookPage) -> None:
    rail, before = workbench(notebook, ".rail"), workbench(notebook, "[aria-label='Selection before']")
    quote = workbench(notebook, ".dist-view .pick").nth(1)
    quote.click()
    expect(rail).to_contain_text('token " 34')
    press(notebook, "[")
    expect(rail).to_contain_text("token celsius")
    press(notebook, "]")
    expect(rail).to_contain_text('token " 34')
    expect(workbench(notebook, "[aria-label='Selection after']")).to_be_disabled()
    before.click()
    expect(rail).to_contain_text("token celsius")
    notebook.settled()
    assert ask(notebook, "session.selection['token'] == token")


def test_a_force_is_undone_by_key_and_by_button(notebook: NotebookPage) -> None:
    undo = workbench(notebook, "[aria-label='Undo force']")
    expect(undo).to_be_disabled()
    for way in (lambda: press(notebook, "u"), undo.click):
        workbench(notebook, ".dist-view .pick").nth(1).press("Enter")
        wait_for_steps(notebook, 4)
        expect(undo).to_be_enabled()
        way()
        wait_for_steps(notebook, 3)
    assert ask(notebook, "[b.steps[0].kind for b in session.trace.branches[-2:]]") == ["forced_by_user"] * 2
    press(notebook, "u")
    expect(workbench(notebook, "[role=alert]")).to_contain_text("was not forced by the user")
    press(notebook, "Escape")
    expect(workbench(notebook, "[role=alert]")).to_have_count(0)


def test_a_branch_is_made_at_the_cursor(notebook: NotebookPage) -> None:
    press(notebook, "b")
    expect(workbench(notebook, "[role=alert]")).to_contain_text("This is the newest step")
    press(notebook, "Shift+ArrowLeft", "Shift+ArrowLeft")
    expect(workbench(notebook, ".session")).to_contain_text("step 1 of 3")
    press(notebook, "b")
    wait_for_steps(notebook, 1)
    assert ask(notebook, "[session.trace.branches[-1].at, len(session.trace.branches[-1].steps)]") == [1, 2]
    expect(workbench(notebook, "[role=alert]")).to_have_count(0)
    press(notebook, "ArrowRight")
    wait_for_steps(notebook, 2)
    press(notebook, "Shift+ArrowLeft")
    expect(workbench(notebook, ".session")).to_contain_text("step 1 of 2")
    workbench(notebook, "[aria-label='Branch here']").click()
    wait_for_steps(notebook, 1)


def test_panels_are_reached_by_number(notebook: NotebookPage) -> None:
    workbench(notebook, "[data-panel=tape]").focus()
    for number, name in enumerate(PANELS, 1):
        notebook.page.keyboard.press(f"Alt+{number}")
        expect(workbench(notebook, f"[data-panel={name}]")).to_be_focused()
        expect(workbench(notebook, f"[data-panel={name}]")).to_be_in_viewport()
    notebook.page.keyboard.press("?")
    expect(workbench(notebook, ".key-list")).to_contain_text("alt 1 – 9")
    for key in ("u", "b", "[ ]", "alt ⏎", "F6", "⇧1 ⇧2 ⇧3"):
        expect(workbench(notebook, f".key-list kbd:text-is('{key}')")).to_be_visible()
    notebook.page.keyboard.press("Escape")


def test_a_pane_shows_one_of_its_views_and_only_that_one_is_there(notebook: NotebookPage) -> None:
    press(notebook, "Alt+6")  # the machine is in front, whatever the test before has left there
    pane = workbench(notebook, "[data-stack=dock]")
    panel, tabs = pane.locator("[data-panel]"), pane.locator("[role=tab]")
    expect(tabs).to_have_text(
        ["FSM", "Dispatch", "Operators", "Chart", "Cache", "Timeline", "Cost", "Compare", "Audit", "Side by side"]
    )
    expect(panel).to_have_attribute("data-panel", "fsm-view")
    tabs.nth(1).click()
    expect(panel).to_have_count(1)
    expect(panel).to_have_attribute("data-panel", "dispatch-view")
    expect(panel).to_contain_text("This grammar has no tags")
    expect(tabs.nth(1)).to_be_focused()
    for key, name in (
        ("ArrowRight", "operator-view"),
        ("ArrowLeft", "dispatch-view"),
        ("ArrowLeft", "fsm-view"),
        ("ArrowLeft", "lockstep-view"),
        ("ArrowRight", "fsm-view"),
        ("Alt+Digit6", "dispatch-view"),
    ):
        notebook.page.keyboard.press(key)
        expect(panel).to_have_attribute("data-panel", name)
    assert ask(notebook, "session.trace.n_decided") == 3, "the arrows moved between tabs and took no step"
    press(notebook, "ArrowRight")
    wait_for_steps(notebook, 4)
    expect(panel).to_have_attribute("data-panel", "dispatch-view")
    press(notebook, "Alt+8")
    expect(workbench(notebook, ".cache-view [role=slider]")).to_have_attribute("aria-valuenow", "4")
    tabs.nth(0).click()
    expect(pane.locator("svg.fsm")).to_be_visible()


def test_a_double_click_takes_two_steps_and_none_past_the_end(notebook: NotebookPage) -> None:
    step = workbench(notebook, ".transport").get_by_role("button", name="step")
    step.dblclick()
    wait_for_steps(notebook, 5)
    notebook.python("session.run(); session.back(1)")
    n = ask(notebook, "session.trace.n_decided")
    wait_for_steps(notebook, n)
    step.dblclick()
    expect(workbench(notebook, ".session")).to_contain_text("terminated")
    notebook.settled()
    expect(workbench(notebook, "[role=alert]")).to_have_count(0)
    assert ask(notebook, "session.trace.n_decided") == n + 1


# ---- The why card -------------------------------------------------------------------------------------------------


def test_an_issue_is_copied_with_and_without_the_clipboards_interface(notebook: NotebookPage) -> None:
    text = ask(notebook, "session.issue_text(token)")
    assert copied(notebook) == text
    notebook.page.evaluate(
        "() => { window.kept = navigator.clipboard; navigator.clipboard.writeText('');"
        " Object.defineProperty(navigator, 'clipboard', {value: undefined, configurable: true}); }"
    )
    try:
        expect(workbench(notebook, ".issue [role=status]")).to_have_text("")
        workbench(notebook, ".issue button").click()
        expect(workbench(notebook, ".issue [role=status]")).to_have_text("copied")
        assert notebook.page.evaluate("() => window.kept.readText()") == text
        notebook.page.evaluate("() => { document.execCommand = () => false; }")
        workbench(notebook, ".issue button").click()
        expect(workbench(notebook, ".issue textarea")).to_have_value(text)
    finally:
        notebook.page.evaluate("() => { delete navigator.clipboard; delete document.execCommand; }")


def test_the_missing_edge_leads_to_its_state(notebook: NotebookPage) -> None:
    missing = workbench(notebook, "[data-missing]")
    expect(missing).to_contain_text("string·0 has 22, none for 63")
    expect(missing).to_contain_text("ws·1 has 0A 20, none for 63")
    missing.get_by_role("button", name="string·0").click()
    state = ask(notebook, "session.trace.as_written.program['rules'][4]['start']")
    expect(workbench(notebook, ".fsm-state[aria-pressed=true]")).to_have_attribute("data-state", str(state))
    expect(workbench(notebook, "[data-rule] option:checked")).to_contain_text("string")


def test_the_bytes_are_stepped_and_chart_and_machine_follow(notebook: NotebookPage) -> None:
    notebook.python("Workbench(session, height=1200, lesson=['why_card', 'chart_view', 'fsm_view'])")
    try:
        step_the_bytes(notebook)
    finally:
        notebook.python(SHOWN)
        expect(workbench(notebook, "[data-arrange]")).to_have_count(3)


def step_the_bytes(notebook: NotebookPage) -> None:
    """The text is typed, and its bytes are gone through by key."""
    field = workbench(notebook, "[data-key=w]")
    field.fill('"Basel", "x": 12!')
    field.press("Enter")
    expect(workbench(notebook, ".walk-byte.is-selected")).to_contain_text("!")
    workbench(notebook, ".walk-step.dead .walk-byte").click()
    seen = set()
    for byte in (24, 23, 22):
        notebook.page.keyboard.press("ArrowLeft")
        expect(workbench(notebook, ".walk-byte.is-selected")).to_have_attribute("data-byte", str(byte))
        expect(workbench(notebook, ".column-selected")).to_have_count(1)
        notebook.settled()
        selection = ask(notebook, "session.selection")
        assert selection["byte"] == byte
        assert selection["rule"] is not None
        seen.add(workbench(notebook, "[data-rule]").input_value())
    assert len(seen) > 1  # the digits lead to a state of one rule, the space before them to another's
    notebook.page.keyboard.press("Home")
    expect(workbench(notebook, ".walk-byte.is-selected")).to_have_attribute("data-byte", "9")
    expect(workbench(notebook, ".column-selected")).to_have_count(1)
    assert ask(notebook, "session.trace.n_decided") == 3  # the arrows stepped bytes, not tokens
    field.fill("")


# ---- The mask -----------------------------------------------------------------------------------------------------


def test_cells_are_brushed_by_pointer_and_by_key(notebook: NotebookPage) -> None:
    canvas = workbench(notebook, "canvas[data-mask]")
    canvas.scroll_into_view_if_needed()
    cell, columns = (int(canvas.get_attribute(f"data-{name}") or 0) for name in ("cell", "columns"))
    box = canvas.bounding_box()
    assert box is not None
    mouse = notebook.page.mouse
    mouse.move(box["x"] + 2.5 * cell, box["y"] + 3.5 * cell)
    mouse.down()
    mouse.move(box["x"] + 6.5 * cell, box["y"] + 5.5 * cell, steps=5)
    mouse.up()
    brushed = workbench(notebook, "[data-brushed]")
    expect(brushed).to_have_attribute("data-brushed", "15")
    order = "from xg2lab.widgets.replay import vocabulary_of; order = vocabulary_of(session.tokenizer_info).order"
    notebook.python(order)
    ids = [f"int(order[{(3 + row) * columns + 2 + column}])" for row in range(3) for column in range(5)]
    expected = ask(notebook, f"[{', '.join(ids)}]")
    counts = ask(notebook, f"[int((session.provenance(3)[{expected}] == code).sum()) for code in range(8)]")
    for code, n in enumerate(counts):
        shown = brushed.locator(f"[data-class='{code}']")
        if n:
            expect(shown).to_contain_text(str(n))
        else:
            expect(shown).to_have_count(0)
    listed = [int(text) for text in brushed.locator("td.num.faint").all_inner_texts()]
    assert sorted(listed) == sorted(expected)
    brushed.locator("tbody button").first.click()
    notebook.settled()
    assert ask(notebook, "session.selection['token']") == listed[0]
    canvas.focus()
    notebook.page.keyboard.press("Escape")
    expect(brushed).to_have_count(0)
    for key in ("Home", "Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowDown"):
        notebook.page.keyboard.press(key)
    expect(brushed).to_have_attribute("data-brushed", "6")
    brushed.get_by_role("button", name="clear").click()
    assert ask(notebook, "session.trace.n_decided") == 3


def test_a_chart_column_under_the_pointer_shows_its_mask_and_asks_nobody(notebook: NotebookPage) -> None:
    for _ in range(3):
        press(notebook, "Shift+ArrowLeft")  # the masks of earlier steps come to the page as they are looked at
        notebook.settled()
    notebook.python("session.select(step=None); Workbench(session, height=1200, lesson=['mask_lens', 'chart_view'])")
    readout = workbench(notebook, ".mask-lens .readout")
    expect(readout).to_contain_text("at step 3")
    asked = "from xg2lab.widgets.registry import session_widget; w = session_widget(session)\nasked = []\n"
    notebook.python(asked + "old = w.on_bulk; w.on_bulk = lambda c: (asked.append(c), old(c))[1]")
    svg = workbench(notebook, ".chart-view svg[role=img]")
    svg.scroll_into_view_if_needed()
    column = svg.locator("text:text-is('6')").first.bounding_box()
    assert column is not None
    notebook.page.mouse.move(column["x"] + 20, column["y"] + 40)
    expect(readout).to_contain_text("at step 2, under the pointer")
    inside = svg.locator("text:text-is('7')").first.bounding_box()
    assert inside is not None
    notebook.page.mouse.move(inside["x"] + 20, inside["y"] + 40)
    expect(readout).to_have_text(re.compile(r"at step 3$"))
    notebook.page.mouse.move(5, 5)
    notebook.settled()
    assert notebook.python("print(len(asked))") == "0"
    notebook.python("del w.on_bulk\n" + SHOWN)


def whole(notebook: NotebookPage, key: str) -> None:
    """A view by its number: it takes the whole frame; in a narrow one it is a row."""
    workbench(notebook, ".panel").first.focus()
    notebook.page.keyboard.press(key)
    if workbench(notebook, "[aria-label^=Restore]").count() == 0:
        notebook.page.keyboard.press("Alt+Enter")
    notebook.settled()


def fits(drawing: Locator, smallest: str) -> None:
    """Its text is no smaller than 11 pixels, and it is drawn as large as it is."""
    assert drawing.locator("svg").first.evaluate(smallest) >= 11
    assert drawing.locator("svg").first.evaluate("e => e.getScreenCTM().a") == pytest.approx(1)


@pytest.mark.parametrize("width", [1920, 1280, 636])
def test_machines_and_charts_fit_their_boxes(notebook: NotebookPage, width: int) -> None:
    notebook.page.set_viewport_size({"width": width, "height": 1400})
    try:
        notebook.settled()
        whole(notebook, "Alt+6")
        box = workbench(notebook, ".fsm-box")
        expect(box.locator("svg.fsm")).to_be_visible()
        assert box.evaluate("e => e.scrollWidth - e.clientWidth") <= 1
        smallest = (
            "e => Math.min(...[...e.querySelectorAll('text')].map(t => parseFloat(getComputedStyle(t).fontSize)))"
        )
        fits(box, smallest)
        whole(notebook, "Alt+7")
        chart = workbench(notebook, ".chart-view .body")
        expect(chart.locator("svg").first).to_be_visible()
        kinds = chart.locator("svg").first.text_content() or ""
        assert "live" in kinds
        assert "dead" in kinds
        fits(chart, smallest)
        if width > 800:
            notebook.page.keyboard.press("Alt+Enter")
    finally:
        notebook.page.set_viewport_size({"width": 1600, "height": 1400})


# ---- Whoever reads it ---------------------------------------------------------------------------------------------

_FINDINGS = """async (how) => {
  const found = await axe.run('[data-xg2lab=workbench]', how);
  const contrast = found.passes.find((rule) => rule.id === 'color-contrast');
  return {
    checked: contrast ? contrast.nodes.length : 0,
    bad: found.violations
      .filter((rule) => ['serious', 'critical'].includes(rule.impact))
      .map((rule) => rule.id + ': ' + rule.nodes.map((n) => n.target.flat().join(' ') + ' ' + n.failureSummary).join()),
  };
}"""


@pytest.fixture(scope="module")
def plain(lab: Lab) -> PlainPage:
    """The same workbench on a plain page: what a host draws round it is none of axe's business here."""
    page = lab.show([SETUP + START, SHOWN])
    page.run_all()
    with_axe(page.page)
    return page


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_serious(plain: PlainPage, dark: bool) -> None:
    plain.theme(dark)
    tables = workbench(plain, "button[aria-label$='as a table']")
    states = {
        "pictures": lambda: None,
        "tables": lambda: [button.evaluate("b => b.click()") for button in tables.all()],
        "keys and a refusal": lambda: press(plain, "u", "?"),
    }
    try:
        for name, enter in states.items():
            enter()
            plain.settled()
            found = plain.page.evaluate(_FINDINGS, axe_rules(dark))
            assert found["checked"] > 100, f"axe looked at {found['checked']} texts only"
            assert found["bad"] == [], name
    finally:
        press(plain, "Escape", "Escape")
        for button in tables.all():
            button.evaluate("b => b.click()")


# ---- A kernel that goes -------------------------------------------------------------------------------------------


def test_a_restarted_kernel_leaves_what_was_recorded_and_cells_run_again(
    lab: Lab, notebook: NotebookPage, shots: Path
) -> None:
    text = ask(notebook, "session.issue_text(token)")
    notebook.page.evaluate("() => jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    expect(workbench(notebook, "[data-offline]").first).to_be_visible()
    expect(workbench(notebook, "[data-line=offline], .shell").first).to_be_visible()
    expect(workbench(notebook, ".session")).to_contain_text("step 3 of 3")
    expect(workbench(notebook, "canvas[data-mask]")).to_be_visible()
    # what was recorded can still be selected, explained and reported
    blocked = workbench(notebook, ".dist-view .pick").first
    blocked.click()
    expect(workbench(notebook, ".subject")).to_have_attribute("data-allowed", "false")
    seen = re.compile(r"- seen with: .*")
    assert seen.sub("", copied(notebook)) == seen.sub("", text)
    workbench(notebook, ".dist-view .pick").nth(3).click()
    workbench(notebook, "[data-key=w]").fill("nobody asked this")
    workbench(notebook, "[data-key=w]").press("Enter")
    expect(workbench(notebook, ".why-card")).to_contain_text("was not recorded")
    press(notebook, "ArrowRight", " ", "u", "b")
    workbench(notebook, ".panel").first.screenshot(path=str(shots / "views-restarted.png"))
    notebook.page.wait_for_function(
        "() => jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === 'idle'"
    )
    notebook.run_all()
    expect(workbench(notebook, "[data-offline]")).to_have_count(0)
    press(notebook, "ArrowRight")  # it counts also before the view knows that its kernel answers
    wait_for_steps(notebook, 1)
    assert ask(notebook, "session.trace.n_decided") == 1
    # Jupyter itself says in the console that a restarting kernel's line was closed
    assert [e for e in lab.errors if "xg2lab" in e or "TypeError" in e] == []
