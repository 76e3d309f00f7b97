"""Every state of the workbench from 360 to 1920 pixels, light and dark: nothing is cut off, axe finds nothing serious.

The states are empty, waiting for the kernel, refused, closed, replayed and exported. A screenshot of each is kept in
`tests/ui/out` to be looked at. The scripted model, on a page whose output takes the whole width.
"""

from __future__ import annotations

from collections.abc import Iterator
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
            assert (width, page.evaluate(CUT_OFF)) == (width, [])
        page.set_viewport_size({"width": 1440, "height": SIZES[1440]})
        assert axe_findings(hosted, "workbench", dark=dark) == []


def test_empty(bench: OneView, shots: Path) -> None:
    bench.notebook.python("session.reset()")
    expect(bench.part(".session")).to_contain_text("step 0 of 0")
    looks_well(bench.notebook.page, bench.notebook, bench.notebook.theme, shots, "empty")


def test_refused(bench: OneView, shots: Path) -> None:
    """A blocked token was forced: the reason stands in its own pane."""
    blocked = bench.part(".dist-view .pick[title*=blocked], .dist-view .pick[title*=rejected]").first
    bench.part(".room").get_by_role("tab", name="Distribution", exact=True).click()
    blocked.press("Enter")
    expect(bench.part("[data-panel=dist-view] [role=alert]")).to_contain_text("is blocked")
    looks_well(bench.notebook.page, bench.notebook, bench.notebook.theme, shots, "refused")


def test_replayed_and_exported(lab: Lab, bench: OneView, shots: Path, tmp_path: Path) -> None:
    bench.notebook.python(f"Workbench(session).export_html({str(tmp_path / 'whole.html')!r}, graphviz=False)")
    replayed = lab.replay(bench.notebook.saved())
    replayed.page.add_style_tag(content=STYLE)
    expect(replayed.locator("[data-xg2lab=workbench] [data-offline]").first).to_be_visible()
    looks_well(replayed.page, Bare(replayed.page), replayed.theme, shots, "replayed")
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


def test_waiting(lab: Lab, bench: OneView, shots: Path) -> None:
    """The kernel is busy: what was asked for is said to be on its way, and the card before it stays."""
    page, kernel = bench.notebook.page, bench.notebook.kernel
    page.evaluate("() => void run('import threading; threading.Event().wait()').catch(() => undefined)")
    bench.part("[data-key=w]").fill("never asked before")
    page.keyboard.press("Enter")
    expect(bench.part(".asking")).to_contain_text("asking the kernel")
    try:
        for dark in (False, True):
            page.evaluate("(dark) => { document.body.dataset.jpThemeLight = String(!dark); }", dark)
            for width, height in SIZES.items():
                page.set_viewport_size({"width": width, "height": height})
                page.screenshot(path=str(shots / f"state-waiting-{width}-{'dark' if dark else 'light'}.png"))
                assert (width, page.evaluate(CUT_OFF)) == (width, [])
    finally:
        lab._api(f"kernels/{kernel}/interrupt", "POST", {})
    expect(bench.part(".asking")).to_have_count(0)


def test_closed(bench: OneView, shots: Path) -> None:
    """The last of them: no session is left for another."""
    bench.notebook.python("session.close()")
    expect(bench.notebook.locator("[data-xg2lab=workbench]")).to_contain_text("This session was closed")
    looks_well(bench.notebook.page, bench.notebook, bench.notebook.theme, shots, "closed")
