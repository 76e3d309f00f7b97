"""One view in a notebook, as the browser tests of single views ask and drive it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from .jupyter import ROOT, Lab
from .page import HostedPage

__all__ = ["OneView", "axe_findings", "axe_rules", "looks", "with_axe", "workbench_at"]

AXE = ROOT / "widgets" / "node_modules" / "axe-core" / "axe.min.js"
_FINDINGS = """async ([scope, how]) => {
  const found = await axe.run(scope, { ...how, resultTypes: ['violations'], elementRef: true });
  // axe takes the <title> of a drawing's part, a tooltip, for text that is seen
  const isTooltip = (rule, { element }) =>
    rule.id === 'label-content-name-mismatch' && element?.querySelector(':scope > title');
  return found.violations.filter((rule) => ['serious', 'critical'].includes(rule.impact)).flatMap((rule) =>
    rule.nodes.filter((n) => !isTooltip(rule, n)).map((n) =>
      rule.id + ': ' + n.target.flat().join(' ') + ' ' + n.failureSummary));
}"""
# JupyterLab's body has no height and hides what overflows; axe would take everything in it for invisible.
_VISIBLE = "(height) => { document.body.style.height = height; }"
_HAS_AXE = "() => typeof axe === 'object'"
_OVERFLOW = "e => e.scrollWidth - e.clientWidth"


def looks(*widths: int) -> pytest.MarkDecorator:
    """The cases of a test of looks, by `width` and `dark`: the widest in both themes, the others in light.

    What stands where depends on the width, and colours on the theme.
    """
    cases = [(max(widths), True), *((width, False) for width in widths)]
    names = [f"{width}-{'dark' if dark else 'light'}" for width, dark in cases]
    return pytest.mark.parametrize(("width", "dark"), cases, ids=names)


def with_axe(page: Page) -> None:
    """Have axe on the page; skip the test where it is not installed."""
    if not AXE.is_file():
        pytest.skip("axe-core is not installed: run `npm ci` in widgets/")
    if not page.evaluate(_HAS_AXE):
        page.evaluate(AXE.read_text(encoding="utf-8") + ";0")


def axe_rules(dark: bool) -> dict[str, list[str]]:
    """The rules that axe applies: in the dark those of colours, since no other depends on the theme."""
    return {"runOnly": ["color-contrast", "link-in-text-block"]} if dark else {}


def axe_findings(hosted: HostedPage, view: str, *, dark: bool = False) -> list[str]:
    """What axe finds serious in the views of that name; `dark`: colours alone, see `axe_rules`."""
    page = hosted.page
    with_axe(page)
    if hosted.hides_overflow:
        page.evaluate(_VISIBLE, "100vh")
    try:
        found: list[str] = page.evaluate(_FINDINGS, [f"[data-xg2lab={view}]", axe_rules(dark)])
    finally:
        if hosted.hides_overflow:
            page.evaluate(_VISIBLE, "")
    return found


class OneView:
    """The first view of a kind on the page, and the kernel's `session` that it shows."""

    def __init__(self, notebook: Any, name: str) -> None:
        self.notebook, self.name = notebook, name

    def part(self, selector: str) -> Locator:
        """A part of the view."""
        return self.notebook.locator(f"[data-xg2lab={self.name}]").first.locator(selector)

    def ask(self, expression: str) -> Any:
        """A value of the kernel, by way of JSON."""
        return json.loads(self.notebook.python(f"import json; print(json.dumps({expression}))"))

    def select_step(self, step: int) -> None:
        """The cursor on a step, chosen in Python; nothing else stays selected."""
        self.notebook.settled()  # Python is told of a selection on the page a moment later: not after this one
        self.notebook.python(f"session.select(**dict.fromkeys(session.selection) | {{'step': {step}}})")

    def go_to(self, step: int) -> None:
        """The same, until the view's slider shows it."""
        self.select_step(step)
        expect(self.part("[role=slider]")).to_have_attribute("aria-valuenow", str(step))

    def looks_well(self, shots: Path, width: int, *, dark: bool, body: str = ".body") -> None:
        """At this width, in this theme: nothing sticks out, axe finds nothing serious; a picture is kept."""
        page = self.notebook.page
        self.notebook.theme(dark)
        page.set_viewport_size({"width": width, "height": 1400})
        try:
            self.notebook.settled()
            panel = self.part(".panel")
            panel.scroll_into_view_if_needed()
            assert panel.evaluate(_OVERFLOW) <= 1
            assert self.part(body).evaluate(_OVERFLOW) <= 1
            panel.screenshot(path=str(shots / f"{self.name}-{width}-{'dark' if dark else 'light'}.png"))
            found = axe_findings(self.notebook, self.name, dark=dark)
            assert found == [], found
        finally:
            page.set_viewport_size({"width": 1600, "height": 1400})
            self.notebook.theme(False)

    def maximise(self, panel: str) -> None:
        """The pane of that panel takes the whole frame, by key; called again, it is as before."""
        self.part(f"[data-panel={panel}]").focus()
        self.notebook.page.keyboard.press("Alt+Enter")
        expect(self.part(".pane-ends [aria-pressed]").first).to_be_visible()

    def complained_of_nothing(self, lab: Lab) -> None:
        """It is still there, and the console has no error of ours."""
        assert self.part(".panel").count() == 1
        assert [e for e in lab.errors if "xg2lab" in e or "TypeError" in e] == []


def workbench_at(hosted: HostedPage, start: str, step: int) -> OneView:
    """The page's workbench, after Python has run `start`, which brings its session to the step."""
    hosted.settled()  # Python has heard of the selection that the test before made last
    hosted.python(start)
    hosted.settled()
    view = OneView(hosted, "workbench")
    expect(view.part(".session")).to_contain_text(f"step {step} of {step}")
    return view
