"""The hand of a reader: clicks and presses keys, counts both, and notes whether anything has scrolled meanwhile.

`docs/tasks.md` says how many clicks and keys each task takes; the tests read their figures there.
"""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Locator, expect

from .jupyter import ROOT
from .page import HostedPage

__all__ = ["DOCUMENT", "Hand", "figures"]

DOCUMENT = ROOT / "docs" / "tasks.md"
_TASK = re.compile(r"^## (\d+)\. ", re.MULTILINE)
_FIGURES = re.compile(r"^\*\*By (mouse|keys)\*\*, (.+?):", re.MULTILINE)
_COUNT = re.compile(r"(\d+) (click|key|text)s?")

#: Where the page and the notebook stand, and how far a scroll has taken either from there. A notebook that was just
#: scrolled puts other cells into the page, and the browser moves the notebook by their height a few frames later.
_WATCH = """async () => {
  const boxes = [document.scrollingElement, ...document.querySelectorAll(".jp-WindowedPanel-outer")];
  let at = [];
  for (let still = 0; still < 10; ) {
    await new Promise(requestAnimationFrame);
    const now = boxes.map((box) => box.scrollTop);
    still = now.every((top, k) => top === at[k]) ? still + 1 : 0;
    at = now;
  }
  window.xg2labMoved = 0;
  const look = () => boxes.forEach((box, k) => {
    window.xg2labMoved = Math.max(window.xg2labMoved, Math.abs(box.scrollTop - at[k]));
  });
  window.xg2labLook = look;
  document.addEventListener("scroll", look, { capture: true });
}"""
_MOVED = "() => { window.xg2labLook(); return window.xg2labMoved; }"


def figures(task: int, by: str) -> dict[str, int]:
    """What the document says of a task `by` mouse or by keys: how many clicks, keys and texts."""
    parts = _TASK.split(DOCUMENT.read_text(encoding="utf-8"))
    found = {int(number): text for number, text in zip(parts[1::2], parts[2::2], strict=True)}
    said = dict(_FIGURES.findall(found[task]))
    counts = {kind: int(n) for n, kind in _COUNT.findall(said[by])}
    return {kind: counts.get(kind, 0) for kind in ("click", "key", "text")}


class Hand:
    """One task, done on a page: what is clicked, pressed and written is counted.

    A text is typed or pasted, and counts as one; so does the choice of its whole field before it. A choice from a
    drop-down list is two clicks. A chord of keys is one key.
    """

    def __init__(self, hosted: HostedPage) -> None:
        self.hosted, self.page = hosted, hosted.page
        self.made = {"click": 0, "key": 0, "text": 0}
        self.page.evaluate(_WATCH)

    def click(self, target: Locator, at: tuple[float, float] | None = None) -> None:
        """Click an element, at a point of it or in its middle. The page must show it as it is."""
        expect(target).to_be_enabled()
        self.hosted.settled()
        target.scroll_into_view_if_needed()
        box = target.bounding_box()
        assert box is not None, f"{target} is not drawn"
        x, y = at or (box["width"] / 2, box["height"] / 2)
        self.made["click"] += 1
        self.page.mouse.click(box["x"] + x, box["y"] + y)
        self.hosted.settled()
        self._nothing_scrolled(f"a click on {target}")

    def choose(self, target: Locator, value: str) -> None:
        """An entry of a drop-down list."""
        self.made["click"] += 2
        target.select_option(value)
        self._nothing_scrolled(f"the choice of {value}")

    def press(self, *keys: str) -> None:
        """Keys, one after another; each has acted when the next is pressed."""
        for key in keys:
            self.made["key"] += 1
            self.page.keyboard.press(key)
            self.hosted.settled()
            self._nothing_scrolled(key)

    def press_until(self, key: str, target: Locator, most: int = 24) -> None:
        """A key, until that element has the focus; none if it has it."""
        for _ in range(most):
            if has_focus(target):
                return
            self.press(key)
        raise AssertionError(f"{target} does not get the focus by {most} times {key}")

    def write(self, text: str, *, instead: bool = False) -> None:
        """A text where the focus is; `instead` of what is there."""
        self.made["text"] += 1
        if instead:
            self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(text)
        self.hosted.settled()
        self._nothing_scrolled(f"the text {text[:20]!r}")

    def _nothing_scrolled(self, after: str) -> None:
        moved = self.page.evaluate(_MOVED)
        assert moved <= 1, f"{after} has scrolled the page or the notebook by {moved} pixels"

    def did(self, task: int, by: str, *others: Hand) -> None:
        """The task is over: it took what the document says, with the `others` on further pages."""
        self._nothing_scrolled("the task")
        made: dict[str, Any] = {kind: sum(hand.made[kind] for hand in (self, *others)) for kind in self.made}
        assert made == figures(task, by), (made, figures(task, by))


def has_focus(target: Locator) -> bool:
    """Whether the focus is on that very element."""
    return bool(target.count() == 1 and target.evaluate("e => e.getRootNode().activeElement === e"))
