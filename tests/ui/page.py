"""What a test does with a page of views, whatever hosts it."""

from __future__ import annotations

import os

from playwright.sync_api import Locator, Page

__all__ = ["PATIENCE_S", "HostedPage"]

#: How long a test waits for a server, a page or a state before it fails.
PATIENCE_S = float(os.environ.get("XG2LAB_PATIENCE", "180"))

_SETTLED = "(options) => globalThis[Symbol.for('xg2lab/page/1')].settled(options)"


class HostedPage:
    """A page with cells, their views and a kernel."""

    #: whether the page's body hides what is longer than itself
    hides_overflow = False

    def __init__(self, page: Page) -> None:
        self.page = page

    def python(self, code: str) -> str:
        """Run code in the kernel and return what it printed; an error fails the test with its text."""
        raise NotImplementedError

    def theme(self, dark: bool) -> None:
        """The host's light or dark theme, drawn to its end."""
        raise NotImplementedError

    def locator(self, selector: str) -> Locator:
        """An element of a view; shadow roots are looked through."""
        return self.page.locator(selector)

    def settled(self, *, replay: bool = False) -> None:
        """Until kernel and page know the same and the page shows it; `replay`: a saved notebook shows it too."""
        self.page.evaluate(_SETTLED, {"replay": replay, "limitMs": 1000 * PATIENCE_S})
