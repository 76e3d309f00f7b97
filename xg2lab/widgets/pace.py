"""How often a run is pushed: the next push goes when the pages have drawn the last one.

>>> pace = Pace()
>>> pace.pushed(7, now=2.0)
>>> pace.due(running=True)  # nobody has said yet that it draws: a frame later
2.016
>>> pace.shown("left", 7)
>>> pace.pushed(8, now=2.02)
>>> pace.due(running=True), pace.due(running=False)
(2.12, 2.036)
>>> pace.shown("left", 8)
>>> pace.due(running=True)
2.036

IDEA
  A run takes a step every few milliseconds. Between kernel and page stand Jupyter's server, a socket and the page's own
  thread, and each of them queues what comes too fast, so a page that draws more slowly than the kernel pushes shows an
  ever older state. Therefore a page says, after each frame of a run, which push it has drawn, and the kernel keeps what
  comes meanwhile for the next push. A page that does not answer (its kernel is in a cell, or it was closed) delays one
  push by `PATIENCE_S`, and counts again when it answers.

THREADS  the caller holds a lock.
"""

from __future__ import annotations

__all__ = ["FRAME_S", "MOST_PAGES", "PATIENCE_S", "Pace"]

FRAME_S = 0.016  #: least time between two pushes
PATIENCE_S = 0.1  #: a page that has not drawn a push after this time is not waited for
MOST_PAGES = 64  #: pages that are waited for; of more, those that answered longest ago are forgotten


class Pace:
    """When the next push may go."""

    def __init__(self) -> None:
        self._push, self.pushed_at = 0, 0.0
        self._drawn: dict[str, int] = {}  # the pages that answer, and the last push that each has drawn

    def pushed(self, push: int, now: float) -> None:
        """A push goes now. Pages that had not drawn the one before in time are not waited for any more."""
        if now - self.pushed_at >= PATIENCE_S:
            self._drawn = {page: drawn for page, drawn in self._drawn.items() if drawn >= self._push}
        self._push, self.pushed_at = push, now

    def shown(self, page: str, push: int) -> None:
        """A page has drawn a push and all before it."""
        self._drawn[page] = max(push, self._drawn.pop(page, 0))
        for oldest in list(self._drawn)[:-MOST_PAGES]:
            del self._drawn[oldest]

    def due(self, *, running: bool) -> float:
        """When the next push may go, on the clock that `pushed` is told."""
        waits = running and any(drawn < self._push for drawn in self._drawn.values())
        return self.pushed_at + (PATIENCE_S if waits else FRAME_S)
