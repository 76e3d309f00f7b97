"""Session callbacks, called in order; an exception in one does not interrupt the step.

>>> seen = []
>>> events = Events()
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
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Generic, Literal, TypedDict, TypeVar

if TYPE_CHECKING:
    from xg2lab.lab import schema
    from xg2lab.lab.trace.steps import Branch, Step
    from xg2lab.lab.trace.trace import Trace

__all__ = ["Events", "SessionEvent"]

_LOG = logging.getLogger(__name__)


class StatusEvent(TypedDict):
    """The session has another status."""

    type: Literal["status"]
    status: schema.Status
    error: str | None  #: of a session that failed: why


class StepEvent(TypedDict):
    """A token was chosen; or, with `step` None, the pending step was measured again."""

    type: Literal["step"]
    step: Step | None
    pending: Step | None  #: the decision that comes next; None: the output has ended
    columns: list[list[list[int]]]  #: the chart's columns of the token's bytes


class RolledBackEvent(TypedDict):
    """The decisions from `at` on were taken back, to `branch`."""

    type: Literal["rolled_back"]
    at: int
    branch: Branch
    pending: Step | None


class SelectionEvent(TypedDict):
    """Another selection."""

    type: Literal["selection"]
    selection: schema.Selection


class TraceEvent(TypedDict):
    """The trace is another ("reset"), more was recorded of it ("recorded"), or its notes changed ("annotated")."""

    type: Literal["reset", "recorded", "annotated"]
    trace: Trace


SessionEvent = StatusEvent | StepEvent | RolledBackEvent | SelectionEvent | TraceEvent
Event = TypeVar("Event", bound=Mapping[str, object])


class Events(Generic[Event]):
    """Subscribers of one session or pad. Subscribing is atomic; events are emitted under the lock of their subject.

    A session's selection is emitted under no lock.
    """

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
