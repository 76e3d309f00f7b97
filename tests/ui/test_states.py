"""Every state of the workbench from 360 to 1920 pixels, light and dark: nothing is cut off, axe finds nothing serious.

The states are empty, waiting for the kernel, refused, closed, replayed and exported. A screenshot of each is kept in
`tests/ui/out` to be looked at. The scripted model, on a page whose output takes the whole width.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from .jupyter import Lab
from .one_view import OneView, axe_findings
from .plain import PlainPage

pytestmark = pytest.mark.browser

SETUP = "from tests.ui.scripted import scripted_session\nfrom xg2lab.widgets import *\nsession = scripted_session()"
START = "session.reset(); session.step(3); session.select(**dict.fromkeys(session.selection))"
STYLE = "main { padding: 0 !important } .output { margin: 0 !important }"
#: The model's next read fails, once.
FAIL = "runner = session.model; runner.fail_at = len(runner._read) - runner._n_prompt + 1"
#: A question is refused, with a remedy.
REFUSE = """from xg2lab.errors import SessionError
def session_explain(*subject):
    raise SessionError("an answer takes too long", hint="a hint of what to do")
session.explain = session_explain"""
#: No question is answered before `answers` is set.
HOLD = """import threading
answers, asked = threading.Event(), session.explain
session.explain = lambda *subject: (answers.wait(60), asked(*subject))[1]"""
#: Of the window: 360 is a sidebar of JupyterLab.
SIZES = {360: 800, 700: 960, 1440: 780, 1920: 1000}
#: What sticks out of the workbench or of a row of tools that has no way to unfold.
CUT_OFF = """() => {
  const root = document.querySelector("[data-xg2lab=workbench]").shadowRoot;
  const found = [];
  const frame = root.querySelector(".workbench").getBoundingClientRect();
  for (const one of [".workbench", ".topbar", ".rail"]) {
    const box = root.querySelector(one);
    if (box.scrollWidth - box.clientWidth > 1) found.push(`${one}: ${box.scrollWidth - box.clientWidth} px`);
  }
  for (const tool of root.querySelectorAll(".topbar button, .rail button")) {
    const { left, right, width } = tool.getBoundingClientRect();
    if (width > 0 && (left < frame.left - 1 || right > frame.right + 1)) found.push(tool.ariaLabel ?? tool.textContent);
  }
  for (const panel of root.querySelectorAll(".panel")) {
    const [{ left, right }, head] = [panel.getBoundingClientRect(), panel.querySelector(".head")];
    if (!panel.checkVisibility()) continue;
    if (panel.scrollWidth - panel.clientWidth > 1) found.push(`${panel.dataset.panel} scrolls sideways`);
    // what has no room in a head lies below its edge, and a button unfolds it
    for (const tool of head?.querySelectorAll(":scope > .tools > *, .pane-ends button, .fold") ?? []) {
      const at = tool.getBoundingClientRect();
      const isSeen = at.width > 0 && at.top < head.getBoundingClientRect().bottom;
      const isOut = at.left < left - 1 || at.right > right + 1;
      if (isSeen && isOut) found.push(`${panel.dataset.panel}: ${tool.outerHTML.slice(0, 90)}`);
    }
  }
  const page = document.scrollingElement;
  if (page.scrollWidth - page.clientWidth > 1) found.push("the page scrolls sideways");
  return found;
}"""


@pytest.fixture(scope="module")
def opened(lab: Lab) -> PlainPage:
    """A page whose one output is the workbench."""
    lab.errors.clear()
    page = lab.show([SETUP, "Workbench(session, arrangement='step', height=720)"], fresh=True)
    page.page.add_style_tag(content=STYLE)
    page.run_all()
    page.page.evaluate("() => localStorage.clear()")
    return page


@pytest.fixture
def bench(opened: PlainPage) -> Iterator[OneView]:
    """The workbench at its third step."""
    opened.settled()
    opened.python(START)
    opened.settled()
    yield OneView(opened, "workbench")
    opened.page.set_viewport_size({"width": 1440, "height": 780})
    opened.theme(False)


def ask(bench: OneView, text: str) -> None:
    """Type into the field of Why."""
    bench.part("[data-key=w]").fill(text)
    bench.notebook.page.keyboard.press("Enter")


def theme_of(page: Page, dark: bool) -> None:
    """Light or dark, for a page that waits for a kernel and so does not settle."""
    page.evaluate("(dark) => { document.body.dataset.jpThemeLight = String(!dark); }", dark)


class Bare:
    """A page without a kernel, as `axe_findings` asks for it."""

    hides_overflow = False

    def __init__(self, page: Page) -> None:
        self.page = page


def looks_well(page: Page, hosted: Any, dark_by: Any, shots: Path, state: str) -> None:
    """At each size, in both themes: nothing is cut off, axe finds nothing serious; a picture is kept."""
    for dark in (False, True):
        dark_by(dark)
        for width, height in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            page.screenshot(path=str(shots / f"state-{state}-{width}-{'dark' if dark else 'light'}.png"))
            assert (width, dark, page.evaluate(CUT_OFF)) == (width, dark, [])
        page.set_viewport_size({"width": 1440, "height": SIZES[1440]})
        assert axe_findings(hosted, "workbench", dark=dark) == []


def test_empty(bench: OneView, shots: Path) -> None:
    bench.notebook.python("session.reset()")
    expect(bench.part(".session")).to_contain_text("step 0 of 0")
    looks_well(bench.notebook.page, bench.notebook, bench.notebook.theme, shots, "empty")


def test_refused(bench: OneView, shots: Path) -> None:
    """The model fails at a step, and a question of Why is refused: each says it in its own pane."""
    page = bench.notebook.page
    bench.notebook.python(FAIL)
    bench.part("[data-panel=tape]").focus()
    page.keyboard.press("ArrowRight")
    expect(bench.part("[data-panel=tape] [role=alert]")).to_contain_text("out of memory, as the test asked")
    bench.notebook.python(REFUSE)
    ask(bench, "refused")
    expect(bench.part("[data-panel=why-card] [role=alert]")).to_have_text(
        re.compile("an answer takes too long.*a hint")
    )
    bench.notebook.python("del session.explain")
    looks_well(page, bench.notebook, bench.notebook.theme, shots, "refused")
    expect(
        bench.part("[data-panel=tape] [role=alert]")
    ).to_be_visible()  # also after panes became rows, and panes again
    bench.part("[data-panel=tape]").focus()
    page.keyboard.press("ArrowRight")
    expect(bench.part(".session")).to_contain_text("idle, step 5 of 5")  # the failed step had chosen its token
    expect(bench.part("[data-panel=tape] [role=alert]")).to_have_count(0)


def test_replayed_and_exported(lab: Lab, bench: OneView, shots: Path, tmp_path: Path) -> None:
    bench.notebook.python(f"Workbench(session).export_html({str(tmp_path / 'whole.html')!r}, graphviz=False)")
    replayed = lab.replay(bench.notebook.saved())
    replayed.page.add_style_tag(content=STYLE)
    expect(replayed.locator("[data-xg2lab=workbench] [data-offline]").first).to_be_visible()
    looks_well(replayed.page, Bare(replayed.page), partial(theme_of, replayed.page), shots, "replayed")
    page = lab.blank(offline=True)
    try:
        page.goto((tmp_path / "whole.html").as_uri())
        expect(page.locator("[data-xg2lab=workbench] .session")).to_contain_text("step 3 of 3")
        looks_well(
            page,
            Bare(page),
            lambda dark: page.emulate_media(color_scheme="dark" if dark else "light"),
            shots,
            "exported",
        )
    finally:
        page.context.close()


def test_waiting(bench: OneView, shots: Path) -> None:
    """The kernel takes its time: the question is said to be on its way, and the card before it stays, in grey."""
    page = bench.notebook.page
    token = bench.ask("int(session.trace.pending.top[0].token_id)")
    bench.notebook.python(f"session.select(token={token})")
    expect(bench.part("[data-reason]")).to_be_visible()
    bench.notebook.settled()
    bench.notebook.python(HOLD)
    try:
        ask(bench, "never asked before")
        expect(bench.part(".asking")).to_contain_text("asking the kernel")
        expect(bench.part(".why-card .stale [data-reason]")).to_be_visible()
        looks_well(page, bench.notebook, partial(theme_of, page), shots, "waiting")
    finally:
        bench.notebook.python("answers.set(); del session.explain")
    ask(bench, "asked when the kernel answers again")
    expect(bench.part(".why-card :not(.stale) > .say[data-reason]")).to_be_visible()
    expect(bench.part(".asking")).to_have_count(0)


def test_closed(bench: OneView, shots: Path) -> None:
    """The last of them: no session is left for another."""
    bench.notebook.python("Workbench(session).session.close()")
    expect(bench.notebook.locator("[data-xg2lab=workbench]")).to_contain_text("This session was closed")
    looks_well(bench.notebook.page, bench.notebook, bench.notebook.theme, shots, "closed")
