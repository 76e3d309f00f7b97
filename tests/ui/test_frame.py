"""The frame of the workbench: it fills its box and never scrolls; panes are resized, moved, closed and remembered.

A plain page whose output takes the whole width, so that a viewport of 1008 pixels is a box of 1008. The scripted model,
at its third step.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from xg2lab.widgets.panels import PANELS

from .jupyter import Lab
from .one_view import OneView, axe_findings
from .plain import PlainPage

pytestmark = pytest.mark.browser

SETUP = "from tests.ui.scripted import scripted_session\nfrom xg2lab.widgets import *\nsession = scripted_session()"
START = "session.reset(); session.step(3); session.select(**dict.fromkeys(session.selection))"
STYLE = "main { padding: 0 !important } .output { margin: 0 !important }"
SIZES = {700: 960, 1008: 720, 1166: 800, 1842: 1000}
LEAST = {
    "mask-lens": (408, 250),
    "why-card": (420, 240),
    "tape": (280, 126),
    "text-view": (280, 36),
    "grammar-pad": (420, 200),
}
#: Of the document, the frame and the room: how much longer and wider the content is than the box.
SCROLLS = """() => {
  const root = document.querySelector("[data-xg2lab=workbench]").shadowRoot;
  const boxes = [document.documentElement, ...[".workbench", ".topbar", ".rail"].map((one) => root.querySelector(one))];
  return boxes.flatMap((e) => [e.scrollHeight - e.clientHeight, e.scrollWidth - e.clientWidth]);
}"""
PANES = """() => Object.fromEntries([...document.querySelector("[data-xg2lab=workbench]").shadowRoot
  .querySelectorAll(".pane")].map((e) => [e.querySelector("[data-panel]")?.dataset.panel ?? e.className,
    [e.offsetLeft, e.offsetTop, e.offsetWidth, e.offsetHeight]]))"""
MEMORY = "() => localStorage.getItem('xg2lab/frame/1')"


@pytest.fixture(scope="module")
def opened(lab: Lab) -> PlainPage:
    """A page whose one output is the workbench."""
    lab.errors.clear()
    page = lab.show([SETUP, "Workbench(session, arrangement='step', height=720)"])
    page.page.add_style_tag(content=STYLE)
    page.run_all()
    return page


@pytest.fixture
def bench(opened: PlainPage) -> Iterator[OneView]:
    """The workbench in its cell of 1008 × 720, as a reader meets it first."""
    page = opened.page
    page.set_viewport_size({"width": 1008, "height": 720})
    opened.settled()
    opened.python(START)
    view = OneView(opened, "workbench")
    asked(view, "arrangement='author'")
    asked(view, "arrangement='step'")
    for one in ("Step", "Author", "Debug"):
        view.part(".arrangements").get_by_role("button", name=one).click()
        menu(view, None).get_by_role("menuitem", name="reset the layout").click()
    view.part(".arrangements").get_by_role("button", name="Step").click()
    page.evaluate("() => localStorage.clear()")
    expect(view.part(".session")).to_contain_text("step 3 of 3")
    expect(view.part("[data-panel]")).to_have_count(5)
    yield view
    page.mouse.move(1, 1)


def asked(view: OneView, options: str) -> None:
    """What Python asks the workbench for."""
    view.notebook.python(f"Workbench(session, {options})")
    view.notebook.settled()


def panes(view: OneView) -> dict[str, Any]:
    """Left, top, width and height of each pane, by the panel in it."""
    view.notebook.settled()
    found: dict[str, Any] = view.notebook.page.evaluate(PANES)
    return found


def tab(view: OneView, name: str) -> Locator:
    """A tab by its title."""
    return view.part(".room").get_by_role("tab", name=name, exact=True)


def menu(view: OneView, panel: str | None) -> Locator:
    """The menu of the pane with that panel, opened; None: the menu of all panes."""
    view.part("[data-panes]" if panel is None else f"[data-panel={panel}] [data-menu-of]").click()
    return view.part("[role=menu]")


def closed(view: OneView) -> list[str]:
    """The views that the menu of all panes would open."""
    items = menu(view, None).get_by_role("menuitem")
    names = [text.removeprefix("open ") for text in items.all_inner_texts() if text.startswith("open ")]
    view.notebook.page.keyboard.press("Escape")
    return names


def between(view: OneView, before: str) -> Locator:
    """The splitter at the right or lower edge of the pane with that panel."""
    at = panes(view)[before]
    for line in view.part("[role=separator].splitter").all():
        left, top = line.evaluate("e => [e.offsetLeft, e.offsetTop]")
        if (left == at[0] + at[2] and top == at[1]) or (top == at[1] + at[3] and left == at[0]):
            return line
    raise AssertionError(f"no splitter at {before}")


# ---- The box ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arrangement", ["step", "author", "debug"])
@pytest.mark.parametrize("width", SIZES)
def test_only_panes_scroll(bench: OneView, shots: Path, width: int, arrangement: str) -> None:
    page = bench.notebook.page
    try:
        page.set_viewport_size({"width": width, "height": SIZES[width]})
        asked(bench, f"arrangement={arrangement!r}, height={SIZES[width]}")
        assert page.evaluate(SCROLLS) == [0] * 8
        page.mouse.move(width // 2, SIZES[width] // 2)
        page.mouse.wheel(0, 400)
        assert page.evaluate("() => [scrollX, scrollY]") == [0, 0]
        page.screenshot(path=str(shots / f"frame-{arrangement}-{width}-light.png"))
        for panel, (_, _, w, h) in panes(bench).items():
            least = LEAST.get(panel, (280, 120))
            assert (panel, w >= least[0], h >= least[1]) == (panel, True, True)
            content = bench.part(f".pane [data-panel={panel}]")
            assert content.evaluate("e => e.scrollWidth - e.clientWidth") <= 1, f"{panel} is wider than its pane"
    finally:
        asked(bench, "arrangement='step', height=720")


def test_mask_and_why_are_beside_each_other_and_as_large_as_the_cell_allows(bench: OneView) -> None:
    assert panes(bench) == {
        "text-view": [0, 0, 1006, 84],
        "tape": [0, 85, 1006, 134],
        "mask-lens": [0, 220, 440, 269],
        "why-card": [441, 220, 565, 269],
        "fsm-view": [0, 490, 1006, 160],
    }


def test_the_lower_edge_is_dragged_and_moved_by_keys(bench: OneView) -> None:
    page = bench.notebook.page
    page.set_viewport_size({"width": 1008, "height": 900})
    edge = bench.part(".lower-edge")
    try:
        edge.hover()
        page.mouse.down()
        page.mouse.move(500, 800, steps=4)
        page.mouse.up()
        height = int(edge.get_attribute("aria-valuenow") or 0)
        assert 780 <= height <= 820
        assert bench.part(".workbench").evaluate("e => e.offsetHeight") == height
        edge.press("ArrowUp")
        expect(edge).to_have_attribute("aria-valuenow", str(height - 16))
    finally:
        asked(bench, "arrangement='step', height=800")
        asked(bench, "arrangement='step', height=720")


def test_a_host_with_a_height_of_its_own_is_filled(lab: Lab, tmp_path: Path, bench: OneView) -> None:
    bench.notebook.python(f"Workbench(session).export_html({str(tmp_path / 'whole.html')!r}, graphviz=False)")
    page = lab.blank(offline=True, viewport={"width": 1166, "height": 800})
    try:
        page.goto((tmp_path / "whole.html").as_uri())
        expect(page.locator("[data-xg2lab=workbench] .pane").first).to_be_visible()
        sizes = page.evaluate("() => [document.documentElement.scrollHeight, innerHeight]")
        assert sizes[0] == sizes[1]
        bottom = page.locator("[data-xg2lab=workbench] .workbench").evaluate("e => e.getBoundingClientRect().bottom")
        assert bottom <= 800
        expect(page.locator("[data-arrange=step]")).to_have_attribute("aria-pressed", "true")
    finally:
        page.context.close()


# ---- Splitters -------------------------------------------------------------------------------------------------------


def test_a_splitter_is_dragged(bench: OneView) -> None:
    page = bench.notebook.page
    line = between(bench, "mask-lens").bounding_box()
    assert line is not None
    x, y = line["x"] + 3, line["y"] + 100  # 8 pixels can be grabbed, though one is seen
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y, steps=5)
    page.mouse.up()
    assert panes(bench)["mask-lens"][2] == 500
    assert panes(bench)["why-card"][2] == 505
    page.mouse.move(x + 60, y)
    page.mouse.down()
    page.mouse.move(x + 700, y, steps=5)
    page.mouse.up()
    assert panes(bench)["why-card"][2] == 420, "the least width holds"


def test_a_splitter_is_moved_and_collapsed_by_keys(bench: OneView) -> None:
    line = between(bench, "mask-lens")
    expect(line).to_have_attribute("aria-valuenow", "440")
    expect(line).to_have_attribute("aria-orientation", "vertical")
    line.press("ArrowRight")
    expect(line).to_have_attribute("aria-valuenow", "456")
    line.press("ArrowLeft")
    line.press("ArrowLeft")
    expect(line).to_have_attribute("aria-valuenow", "424")
    line.press("End")
    expect(line).to_have_attribute("aria-valuenow", line.get_attribute("aria-valuemax") or "")
    line.press("Enter")
    expect(bench.part(".pane.is-bar.upright [role=tab]")).to_have_text("Mask")
    expect(bench.part("[data-panel=mask-lens]")).to_have_count(0)
    expect(line).to_be_focused()
    line.press("Enter")
    expect(bench.part("[data-panel=mask-lens]")).to_be_visible()
    line.press("Enter")
    bench.part(".pane.is-bar [role=tab]").click()
    expect(bench.part("[data-panel=mask-lens]")).to_be_visible()


# ---- Docking ---------------------------------------------------------------------------------------------------------


def dragged(view: OneView, tab_: Locator, x: float, y: float) -> None:
    """A tab is dragged to a point."""
    mouse = view.notebook.page.mouse
    box = tab_.bounding_box()
    assert box is not None
    mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    mouse.down()
    mouse.move(x - 20, y, steps=3)
    expect(view.part(".dock-mark")).to_be_visible()
    mouse.move(x, y, steps=3)
    mouse.up()
    expect(view.part(".dock-mark")).to_have_count(0)


def test_a_tab_is_dragged_into_a_pane_and_beside_one(bench: OneView) -> None:
    why = bench.part("[data-panel=why-card]").bounding_box()
    assert why is not None
    dragged(bench, tab(bench, "Distribution"), why["x"] + why["width"] / 2, why["y"] + why["height"] / 2)
    expect(bench.part("[data-stack=why] [role=tab]")).to_have_text(["Why", "Distribution"])
    expect(bench.part("[data-panel=dist-view]")).to_be_visible()
    fsm = bench.part("[data-panel=fsm-view]").bounding_box()
    assert fsm is not None
    dragged(bench, tab(bench, "Distribution"), fsm["x"] + fsm["width"] - 12, fsm["y"] + fsm["height"] / 2)
    at = panes(bench)
    assert at["dist-view"][1] == at["fsm-view"][1]
    assert at["dist-view"][0] == at["fsm-view"][0] + at["fsm-view"][2] + 1
    expect(bench.part("[data-panel=dist-view]")).to_be_focused()


def test_escape_leaves_a_dragged_tab_where_it_was(bench: OneView) -> None:
    before = panes(bench)
    page = bench.notebook.page
    tab(bench, "Chart").hover()
    page.mouse.down()
    page.mouse.move(700, 300, steps=4)
    expect(bench.part(".dock-mark")).to_be_visible()
    page.keyboard.press("Escape")
    page.mouse.up()
    assert panes(bench) == before


def test_a_tab_is_moved_and_closed_and_opened_by_keys(bench: OneView) -> None:
    keyboard = bench.notebook.page.keyboard
    tab(bench, "FSM").focus()
    keyboard.press("ArrowRight")
    expect(tab(bench, "Dispatch")).to_be_focused()
    keyboard.press("Shift+F10")
    expect(bench.part("[role=menuitem]").first).to_be_focused()
    for _ in range(20):
        if "Why" in str(bench.part("[role=menuitem]:focus").inner_text()):
            break
        keyboard.press("ArrowDown")
    keyboard.press("Enter")
    expect(bench.part("[data-stack=why] [role=tab]")).to_have_text(["Why", "Dispatch"])
    tab(bench, "Dispatch").focus()
    keyboard.press("Delete")
    expect(bench.part("[data-stack=why] [data-panel]")).to_have_attribute("data-panel", "why-card")
    assert closed(bench) == ["Dispatch"]
    bench.part("[data-panes]").focus()
    keyboard.press("Enter")
    keyboard.press("Enter")
    expect(bench.part("[data-panel=dispatch-view]")).to_be_visible()
    assert closed(bench) == []


def test_all_panes_can_be_closed_and_the_layout_reset(bench: OneView) -> None:
    n_views = len(PANELS)  # the workbench is none of them, and the rules beside the grammar are no view of Python's
    for _ in range(n_views):
        bench.part("[data-menu-of]").first.click()
        bench.part("[role=menu]").get_by_role("menuitem", name="close").click()
    expect(bench.part(".room-empty")).to_be_visible()
    bench.part(".room-empty button").click()
    expect(bench.part("[data-panel]")).to_have_count(5)


def test_a_pane_takes_the_whole_frame_and_gives_it_back(bench: OneView) -> None:
    before = panes(bench)
    page = bench.notebook.page
    bench.part("[data-panel=why-card]").focus()
    page.keyboard.press("Alt+Enter")
    assert panes(bench) == {"why-card": [0, 0, 1006, 650]}
    expect(bench.part("[data-panel=why-card]")).to_be_focused()
    page.keyboard.press("Shift+ArrowLeft")
    expect(bench.part(".session")).to_contain_text("step 2 of 3")
    page.keyboard.press("Alt+Enter")
    assert panes(bench) == before
    head = bench.part("[data-panel=mask-lens] .head h2").bounding_box()
    assert head is not None
    page.mouse.dblclick(head["x"] + 10, head["y"] + 10)
    assert panes(bench) == {"mask-lens": [0, 0, 1006, 650]}
    bench.part("[aria-label='Restore Mask']").click()
    assert panes(bench) == before


def test_panes_are_gone_through_and_views_reached_by_number(bench: OneView) -> None:
    press = bench.notebook.page.keyboard.press
    bench.part("[data-panel=text-view]").focus()
    for panel in ("tape", "mask-lens", "why-card", "fsm-view", "text-view"):
        press("F6")
        expect(bench.part(f"[data-panel={panel}]")).to_be_focused()
    press("Shift+F6")
    expect(bench.part("[data-panel=fsm-view]")).to_be_focused()
    press("Alt+7")
    expect(bench.part("[data-panel=chart-view]")).to_be_focused()
    press("Alt+3")
    expect(bench.part("[data-panel=mask-lens]")).to_be_focused()
    # of another arrangement, a view that is closed is opened
    press("Shift+Digit2")
    expect(bench.part("[data-arrange=author]")).to_have_attribute("aria-pressed", "true")
    press("Alt+1")
    expect(bench.part("[data-panel=text-view]")).to_be_focused()


# ---- Memory ----------------------------------------------------------------------------------------------------------


def drawn_again(view: OneView) -> None:
    """The view is displayed anew: of what the page has held, only what it stored is left."""
    view.notebook.run_cell(1)
    view.notebook.settled()


def test_layouts_are_remembered_a_reader_and_stay_out_of_the_notebook(bench: OneView) -> None:
    between(bench, "mask-lens").press("ArrowRight")
    tab(bench, "Chart").click()
    menu(bench, "tape")
    bench.part("[role=menu]").get_by_role("menuitem", name="close").click()
    known = panes(bench)
    assert known["mask-lens"][2] == 456
    recorded = bench.ask("session.trace.to_wire(bulk=False)['header']")
    drawn_again(bench)
    assert panes(bench) == known
    expect(bench.part("[data-panel=chart-view]")).to_be_visible()
    assert closed(bench) == ["Tape"]
    kept = str(bench.notebook.page.evaluate(MEMORY))
    assert 0 < len(kept) < 16_384
    saved = bench.notebook.saved() if isinstance(bench.notebook, PlainPage) else ""
    assert "chart_view" not in saved.split('"frame"')[-1][:200]
    assert bench.ask("session.trace.to_wire(bulk=False)['header']") == recorded
    bench.notebook.page.keyboard.press("Shift+Digit3")
    bench.part("[data-arrange=debug]").click()
    expect(bench.part("[data-arrange=debug]")).to_have_attribute("aria-pressed", "true")
    bench.part("[data-arrange=step]").click()
    assert panes(bench) == known
    menu(bench, None).get_by_role("menuitem", name="reset the layout").click()
    assert panes(bench)["mask-lens"][2] == 440
    expect(bench.part("[data-panel=tape]")).to_be_visible()


@pytest.mark.parametrize("text", ["{", '{"layouts": {"step/cell": {"parts": 3, "dir": "row"}}}', "x" * 20_000])
def test_a_damaged_memory_is_none(bench: OneView, text: str) -> None:
    known = panes(bench)
    bench.notebook.page.evaluate("(text) => localStorage.setItem('xg2lab/frame/1', text)", text)
    drawn_again(bench)
    assert panes(bench) == known


# ---- What is in sight ------------------------------------------------------------------------------------------------

ASKED = """
from xg2lab.widgets.registry import session_widget
from xg2lab.widgets.session_widget import SessionWidget
widget, kinds = session_widget(session), []
for _name in [n for n in vars(SessionWidget) if n.startswith("on_")]:
    def _noted(content, _old=getattr(widget, _name), _kind=_name[3:]):
        kinds.append(_kind)
        return _old(content)
    object.__setattr__(widget, _name, _noted)
"""


def test_a_hidden_pane_is_not_mounted_and_asks_nothing(bench: OneView) -> None:
    for panel in ("cache-view", "timeline-view", "audit", "chart-view"):
        expect(bench.part(f"[data-panel={panel}]")).to_have_count(0)
    bench.notebook.python(ASKED)
    try:
        bench.notebook.python(START)
        expect(bench.part(".session")).to_contain_text("step 3 of 3")
        bench.notebook.settled()
        # at this step the distribution asks for the whole of the lost mass, of which the record has a part
        assert "settle" in bench.ask("kinds"), "requests are noted"
        assert "lost_mass" not in bench.ask("kinds")
        tab(bench, "Distribution").click()
        expect(bench.part("[data-panel=dist-view]")).to_be_visible()
        bench.notebook.settled()
        assert "lost_mass" in bench.ask("kinds")
    finally:
        bench.notebook.python("for n in [n for n in vars(widget) if n.startswith('on_')]: delattr(widget, n)")


def selects_state(view: OneView, n: int) -> None:
    """A state is selected in why: a line of the grammar beside the card."""
    view.part(".why-card .source .rule-name").nth(n).click()
    view.notebook.settled()


def test_what_is_written_in_why_outlives_its_pane(bench: OneView) -> None:
    field = bench.part(".why-card [data-key=w]")
    field.fill("/22 21/")
    field.press("Enter")
    expect(bench.part(".why-card .subject")).to_contain_text("2 bytes typed")
    bench.part("[data-panel=tape]").focus()
    bench.notebook.page.keyboard.press("Alt+Enter")
    expect(field).to_have_count(0)
    bench.notebook.page.keyboard.press("Alt+Enter")
    expect(field).to_have_value("/22 21/")
    expect(bench.part(".why-card .subject")).to_contain_text("2 bytes typed")
    field.fill("")


def test_what_was_selected_comes_to_the_front_once(bench: OneView) -> None:
    tab(bench, "FSM").click()
    tab(bench, "Grammar").click()
    expect(bench.part("[data-panel=grammar-pad]")).to_be_visible()
    # the reader has left FSM for another tab: no selection brings it back
    selects_state(bench, 0)
    expect(bench.part("[data-stack=dock] [data-panel]")).to_have_attribute("data-panel", "grammar-pad")
    # byte and chart: nobody has left the chart
    bench.notebook.python("session.select(byte=3)")
    expect(bench.part("[data-panel=chart-view]")).to_be_visible()
    tab(bench, "FSM").click()
    tab(bench, "Chart").click()
    bench.notebook.python("session.select(byte=5)")
    expect(bench.part("[data-panel=chart-view]")).to_be_visible()
    assert bench.notebook.page.evaluate("() => [scrollX, scrollY]") == [0, 0]


def test_the_line_in_why_leads_to_the_grammar(bench: OneView) -> None:
    token = bench.ask("session.tokenizer_info.decoded_vocab.index(b'celsius')")
    bench.notebook.python(f"session.select(token={token})")
    line = bench.part(".why-card [data-source]").first
    line.click()
    expect(bench.part("[data-panel=grammar-pad]")).to_be_visible()
    expect(bench.part("[data-panel=grammar-pad] .sel-here").first).to_be_in_viewport()
    assert bench.notebook.page.evaluate("() => [scrollX, scrollY]") == [0, 0]


# ---- Lessons, the narrow box, the whole screen -----------------------------------------------------------------------


def test_a_lesson_fixes_what_is_shown(bench: OneView) -> None:
    try:
        asked(bench, "lesson=['text_view', 'mask_lens', 'why_card', 'chart_view']")
        assert sorted(panes(bench)) == ["chart-view", "mask-lens", "text-view", "why-card"]
        for part in (".arrangements", "[data-panes]"):
            expect(bench.part(part)).to_have_count(0)
        items = menu(bench, "mask-lens").get_by_role("menuitem")
        expect(items).to_have_text(["maximisealt ⏎"])
        bench.notebook.page.keyboard.press("Escape")
        press = bench.notebook.page.keyboard.press
        bench.part("[data-panel=why-card]").focus()
        for keys in ("Shift+Digit3", "Alt+2", "Alt+9"):
            press(keys)
        assert sorted(panes(bench)) == ["chart-view", "mask-lens", "text-view", "why-card"]
        between(bench, "mask-lens").press("ArrowRight")
        assert panes(bench)["mask-lens"][2] == 456
        assert bench.notebook.page.evaluate(MEMORY) is None
        asked(bench, "lesson='debug'")
        assert "dist-view" in panes(bench)
        expect(bench.part(".arrangements")).to_have_count(0)
    finally:
        asked(bench, "arrangement='step', height=720")


def test_a_narrow_box_is_an_accordion_whose_closed_rows_say_their_result(bench: OneView, shots: Path) -> None:
    page = bench.notebook.page
    page.set_viewport_size({"width": 700, "height": 720})
    bench.notebook.settled()
    expect(bench.part(".row.is-open [data-panel]")).to_have_count(4)
    said = {
        row.locator("b").inner_text(): row.locator(".row-says").inner_text()
        for row in bench.part(".row:not(.is-open)").all()
    }
    z = bench.ask("session.trace.pending.z")
    assert said["Distribution"].startswith(f"Z {z:.3f}"[:5])
    assert "live at" in said["FSM"]
    assert said["Chart"].startswith("column ")
    n_rules = bench.ask("len(session.trace.program['rules'])")
    assert said["Grammar"] == f"{n_rules} rules"
    bench.part("[data-row-of=mask_lens]").click()
    expect(bench.part("[data-panel=mask-lens]")).to_have_count(0)
    n, of = bench.ask("[session.trace.pending.n_allowed, session.tokenizer_info.vocab_size]")
    expect(bench.part(".row:has([data-row-of=mask_lens]) .row-says")).to_have_text(f"{n:,} of {of:,} may come")
    bench.part("[data-panel=text-view]").focus()
    page.keyboard.press("Alt+7")
    expect(bench.part("[data-panel=chart-view]")).to_be_focused()
    expect(bench.part("[data-panel=chart-view]")).to_be_in_viewport()
    assert page.evaluate(SCROLLS) == [0] * 8
    page.screenshot(path=str(shots / "frame-accordion.png"))


def test_the_full_screen_is_filled_and_keeps_the_focus(bench: OneView) -> None:
    page = bench.notebook.page
    button = bench.part("[aria-label='Full screen']")
    button.click()
    page.wait_for_function("() => document.fullscreenElement !== null")
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(button).to_be_focused()
    bench.notebook.settled()
    height = bench.part(".workbench").evaluate("e => [e.offsetHeight, innerHeight]")
    assert height[0] == height[1]
    button.click()
    page.wait_for_function("() => document.fullscreenElement === null")
    expect(button).to_be_focused()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("arrangement", ["step", "author", "debug"])
def test_axe_finds_nothing_serious(bench: OneView, shots: Path, arrangement: str, dark: bool) -> None:
    try:
        asked(bench, f"arrangement={arrangement!r}, height=720")
        bench.notebook.theme(dark)
        bench.part("[data-panes]").click()
        bench.notebook.settled()
        assert axe_findings(bench.notebook, "workbench", dark=dark) == []
        bench.notebook.page.keyboard.press("Escape")
        between(bench, {"step": "mask-lens", "author": "grammar-pad", "debug": "why-card"}[arrangement]).press("Enter")
        bench.notebook.settled()
        assert axe_findings(bench.notebook, "workbench", dark=dark) == []
        bench.notebook.page.screenshot(path=str(shots / f"frame-collapsed-{arrangement}-{dark}.png"))
    finally:
        bench.notebook.theme(False)
        asked(bench, "arrangement='step', height=720")


def test_nothing_was_complained_of(lab: Lab, bench: OneView) -> None:
    expect(bench.part("[data-panel]")).to_have_count(5)
    assert [e for e in lab.errors if "xg2lab" in e or "TypeError" in e] == []


def test_a_page_whose_mask_views_are_hidden_gets_steps_without_masks(bench: OneView) -> None:
    bench.notebook.python("from xg2lab.widgets.registry import session_widget")
    watching = "sum(masks for masks, *_ in session_widget(session)._watchers.values())"
    bench.notebook.settled()
    n = bench.ask(watching)
    assert n >= 1
    bench.part("[data-panel=tape]").focus()
    bench.notebook.page.keyboard.press("Alt+Enter")
    expect(bench.part("[data-panel]")).to_have_count(1)
    bench.notebook.settled()
    assert bench.ask(watching) == n - 1
    bench.notebook.page.keyboard.press("Alt+Enter")
    expect(bench.part("canvas[data-mask]")).to_be_visible()
    bench.notebook.settled()
    assert bench.ask(watching) == n
