"""How often a run is pushed: the next push goes when the pages have drawn the last one.

>>> pace = Pace()
>>> pace.joined("left")
>>> pace.pushed(1, now=2.0, running=True)
>>> pace.due(running=True), pace.due(running=False)  # the page has not said yet that it has drawn the push
(2.1, 2.016)
>>> pace.shown("left", 1)
>>> pace.due(running=True)
2.016

IDEA
  A run takes a step every few milliseconds. Between kernel and page stand Jupyter's server, a socket and the page's own
  thread, and each of them queues what comes too fast, so a page that draws more slowly than the kernel pushes shows an
  ever older state. Therefore a page says, after each frame of a run, which push it has drawn, and the kernel keeps what
  comes meanwhile for the next push. A page counts from its greeting on. A page that does not answer during a run (its
  browser is busy, or it was closed) delays `MOST_BEHIND` pushes by `PATIENCE_S` each; then nobody waits for it until it
  answers. Outside of a run nobody answers, and nobody is waited for.

THREADS  the caller holds a lock.
"""

from __future__ import annotations

__all__ = ["FRAME_S", "MOST_BEHIND", "MOST_PAGES", "PATIENCE_S", "Pace"]

FRAME_S = 0.016  #: least time between two pushes
PATIENCE_S = 0.1  #: the next push waits no longer than this for pages to draw the last one
MOST_BEHIND = 3  #: a page that has not drawn so many pushes of a run is not waited for
MOST_PAGES = 64  #: pages that are waited for; of more, those that answered longest ago are forgotten


class Pace:
    """When the next push may go."""

    def __init__(self) -> None:
        self._push, self.pushed_at = 0, 0.0
        self._drawn: dict[str, int] = {}  # the pages that answer, and the last push that each has drawn

    def pushed(self, push: int, now: float, *, running: bool) -> None:
        """A push has gone. Outside of a run all pages count as having drawn it."""
        if not running:
            self._drawn = dict.fromkeys(self._drawn, push)
        self._drawn = {page: drawn for page, drawn in self._drawn.items() if push - drawn <= MOST_BEHIND}
        self._push, self.pushed_at = push, now

    def joined(self, page: str) -> None:
        """A page has asked how far the session is: it need not draw what was pushed before."""
        self.shown(page, self._push)

    def shown(self, page: str, push: int) -> None:
        """A page has drawn a push and all before it."""
        self._drawn[page] = max(push, self._drawn.pop(page, 0))
        for oldest in list(self._drawn)[:-MOST_PAGES]:
            del self._drawn[oldest]

    def due(self, *, running: bool) -> float:
        """When the next push may go, on the clock that `pushed` is told."""
        waits = running and any(drawn < self._push for drawn in self._drawn.values())
        return self.pushed_at + (PATIENCE_S if waits else FRAME_S)
