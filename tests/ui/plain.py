"""Views on a plain page with a real kernel: for tests to which a notebook's host makes no difference.

    page = lab.show([SETUP, "Tape(session)"])
    page.run_all()
    page.python("session.step()")
    page.locator("[data-xg2lab=tape]")

The kernel is Jupyter's, and so are the messages; only the page is ours (`plain.js`): it does for a widget what
anywidget's protocol asks, in a document without JupyterLab. A page is there in a fraction of a second, and kernels that
have imported torch serve one page after the other. What a host may break is tested in JupyterLab itself: keys that it
hears too, saving and opening again, themes, two pages of one notebook, cells that are scrolled away.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from .page import HostedPage

__all__ = ["PlainPage", "page_text"]

_HERE = Path(__file__).parent
#: What the next page of a kernel must not meet: widgets that still draw, names, sessions that still hold a mask pool.
_CLEAN = """
import gc
from ipywidgets import Widget
from xg2lab.widgets.shown import sessions
for _session in sessions():
    _session.pause()
Widget.close_all()
get_ipython().reset()
import gc
gc.collect()
"""


def page_text() -> str:
    """The page: its document with its script in it."""
    script = (_HERE / "plain.js").read_text(encoding="utf-8")
    return (_HERE / "plain.html").read_text(encoding="utf-8").replace("SCRIPT", script)


class PlainPage(HostedPage):
    """Cells of code, with their views one below the other; `kernel` is None for a page that replays saved views.

    `is_kept`: the kernel serves another page when this one is left.
    """

    def __init__(self, page: Page, cells: list[str], kernel: str | None, *, is_kept: bool = False) -> None:
        super().__init__(page)
        self.cells, self.kernel, self.is_kept = cells, kernel, is_kept

    def run_all(self) -> None:
        """Run every cell; an error in one fails here with its text."""
        for index in range(len(self.cells)):
            self.run_cell(index)

    def run_cell(self, index: int) -> None:
        """Run one cell; what it displays is drawn when this returns."""
        told = self.page.evaluate("([index, code]) => runCell(index, code)", [index, self.cells[index]])
        if told["error"]:
            raise AssertionError(f"cell {index}: {told['error']}")

    def add(self, cell: str) -> int:
        """One more cell at the end; its number."""
        self.cells.append(cell)
        return len(self.cells) - 1

    def python(self, code: str) -> str:
        """Run code in the kernel and return what it printed."""
        told = self.page.evaluate("(code) => run(code)", code)
        if told["error"]:
            raise AssertionError(told["error"])
        return str(told["text"]).strip()

    def theme(self, dark: bool) -> None:
        """Light or dark, said on the body as Jupyter says it."""
        self.page.evaluate("(dark) => { document.body.dataset.jpThemeLight = String(!dark); }", dark)
        self.settled()

    def saved(self) -> str:
        """What a saved notebook would hold of the widgets, as `Lab.replay` takes it."""
        self.settled(replay=True)
        text: Any = self.page.evaluate("() => saved()")
        return str(text)

    def clean(self) -> None:
        """Leave the kernel as the next page expects it."""
        self.python(_CLEAN)
        self.page.evaluate("() => left()")
