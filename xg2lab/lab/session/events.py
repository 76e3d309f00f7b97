"""Session callbacks, called in order; an exception in one does not interrupt the step.

>>> events, seen = Events(), []
>>> stop = events.subscribe(seen.append)
>>> events.emit({"type": "status", "status": "idle"})
>>> stop()
>>> events.emit({"type": "status", "status": "running"})
>>> seen
[{'type': 'status', 'status': 'idle'}]

Types of events and their other fields are listed in `docs/design/0002-trace.md`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

__all__ = ["Event", "Events"]

Event = dict[str, Any]
_LOG = logging.getLogger(__name__)


class Events:
    """Subscribers of one session. Subscribing is atomic; emitting happens under the session's lock."""

    def __init__(self) -> None:
        self._callbacks: tuple[Callable[[Event], object], ...] = ()

    def subscribe(self, callback: Callable[[Event], object]) -> Callable[[], None]:
        """Call `callback(event)` from now on; the function returned ends that."""
        self._callbacks = (*self._callbacks, callback)

        def unsubscribe() -> None:
            self._callbacks = tuple(c for c in self._callbacks if c is not callback)

        return unsubscribe

    def emit(self, event: Event) -> None:
        """Tell everyone. A callback that raises is logged, and hurts neither the step nor the others."""
        for callback in self._callbacks:
            try:
                callback(event)
            except Exception:  # noqa: BLE001 (a subscriber may raise anything)
                _LOG.exception("a subscriber of the session failed at %r", event["type"])
