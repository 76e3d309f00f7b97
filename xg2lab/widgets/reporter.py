"""Work that a page asked for and that takes a while, in a thread of its own, told to the pages as it goes.

A class derives from `Reporter` and names the session widget's trait that carries the report: audits
(`xg2lab.widgets.auditor`) and comparisons (`xg2lab.widgets.comparer`). What is done is a function, `Work`.

THREADS  `start` and `stop` may be called from any thread. One piece of work at a time: its thread owns the report until
         it ends. The session goes on meanwhile: the work has matchers of its own. What pages are told is said and taken
         back under `_lock`.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar, Generic, Protocol, TypeVar

from xg2lab.errors import SessionError
from xg2lab.widgets.talker import wire_error

if TYPE_CHECKING:
    from xg2lab.lab.trace.trace import Trace
    from xg2lab.widgets.session_widget import SessionWidget

__all__ = ["Reporter", "Work"]


class _Reported(Protocol):
    """A report."""

    def to_wire(self) -> Mapping[str, object]: ...


Report = TypeVar("Report", bound=_Reported)
#: The work: its first parameter is called with the growing report, the second is asked often whether to stop.
Work = Callable[[Callable[[Report], object], Callable[[], bool]], Report]


class Reporter(Generic[Report]):
    """The reports of one session widget: `report` is the last one, as far as it is known."""

    TRAIT: ClassVar[str] = ""

    def __init__(self, widget: SessionWidget) -> None:
        self._widget = widget
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._worker: threading.Thread | None = None
        self._trace: Trace | None = None  # what the report is about
        self.report: Report | None = None
        #: what ended the last piece of work; None: nothing did
        self.error: Exception | None = None

    def start(self, work: Work[Report]) -> None:
        """Begin; raises `SessionError` while one is at work."""
        with self._lock:
            if self._worker is not None and self._worker.is_alive():
                raise SessionError(f"{self.TRAIT} is running already", hint="stop it first")
            self._stopping.clear()
            context = contextvars.copy_context()
            self._worker = threading.Thread(
                target=context.run, args=(self._run, work), name=f"xg2lab {self.TRAIT}", daemon=True
            )
            self._worker.start()

    def stop(self) -> None:
        """Ask it to end; what it has found stays."""
        self._stopping.set()

    def wait(self, timeout: float | None = None) -> None:
        """Until it has ended."""
        if self._worker is not None:
            self._worker.join(timeout)

    def run_now(self, work: Work[Report]) -> Report | None:
        """The work, in the caller's thread; an error of it is shown where its result would be."""
        self.stop()
        self.wait()
        self._stopping.clear()
        return self._run(work)

    def _run(self, work: Work[Report]) -> Report | None:
        trace = self._widget.session.trace
        self.error = None
        try:
            return work(lambda report: self._tell(trace, report), self._stopping.is_set)
        except Exception as error:  # noqa: BLE001 (whatever it is, the page shows it)
            self.error = error
            setattr(self._widget, self.TRAIT, {"error": wire_error(error)})
            return None

    def put(self, report: Report) -> None:
        """Show a report that was made elsewhere, about the session as it is."""
        self.stop()
        self.wait()
        self._tell(self._widget.session.trace, report)

    def _tell(self, trace: Trace, report: Report) -> None:
        """Only while the widget shows the trace it is about: another has another grammar, prompt or session."""
        with self._lock:
            self.report, self._trace = report, trace
            if self._widget.comm is not None and self._widget.session.trace is trace:
                setattr(self._widget, self.TRAIT, report.to_wire())

    def follow(self) -> None:
        """The session began again: of another trace, what was found is not shown."""
        with self._lock:
            if self._trace is not None and self._widget.session.trace is not self._trace:
                self.stop()
                self._trace = None
                setattr(self._widget, self.TRAIT, None)
