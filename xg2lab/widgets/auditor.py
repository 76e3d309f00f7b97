"""An audit that a page asked for, in a thread of its own, told to the pages as it goes.

THREADS  `start` and `stop` may be called from any thread. One audit at a time: its thread owns the report until it
         ends. The session goes on meanwhile: the audit works on matchers of its own. What pages are told is said and
         taken back under `_lock`.
"""

from __future__ import annotations

import contextvars
import threading
from typing import Any

from xg2lab.errors import SessionError
from xg2lab.lab.auditing import AuditReport, audit
from xg2lab.widgets.talker import wire_error

__all__ = ["Auditor"]


class Auditor:
    """The audits of one session widget: `report` is the last one's, as far as it is known."""

    def __init__(self, widget: Any) -> None:
        self._widget = widget
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._worker: threading.Thread | None = None
        self._trace: Any = None  # what the report is about
        self.report: AuditReport | None = None

    def start(self, seconds: float) -> None:
        """Begin; raises `SessionError` while one is at work."""
        with self._lock:
            if self._worker is not None and self._worker.is_alive():
                raise SessionError("an audit is running already", hint="stop it first")
            self._stopping.clear()
            work = contextvars.copy_context()
            self._worker = threading.Thread(
                target=work.run, args=(self._run, seconds), name="xg2lab audit", daemon=True
            )
            self._worker.start()

    def stop(self) -> None:
        """Ask it to end; what it has found stays."""
        self._stopping.set()

    def wait(self, timeout: float | None = None) -> None:
        """Until it has ended."""
        if self._worker is not None:
            self._worker.join(timeout)

    def run_here(self, seconds: float, tokenizer: Any = None) -> AuditReport | None:
        """The audit, in the caller's thread; an error of it is shown where its result would be."""
        self.stop()
        self.wait()
        self._stopping.clear()
        return self._run(seconds, tokenizer)

    def _run(self, seconds: float, tokenizer: Any = None) -> AuditReport | None:
        session = self._widget.session
        trace = session.trace
        try:
            return audit(
                session,
                seconds=seconds,
                tokenizer=tokenizer,
                tell=lambda report: self._tell(trace, report),
                is_cancelled=self._stopping.is_set,
            )
        except Exception as error:  # noqa: BLE001 (whatever it is, the page shows it)
            self._widget.audit = {"error": wire_error(error)}
            return None

    def _tell(self, trace: Any, report: AuditReport) -> None:
        """Only while the widget shows the trace that was audited: another has another grammar, prompt or session."""
        with self._lock:
            self.report, self._trace = report, trace
            if self._widget.comm is not None and self._widget.session.trace is trace:
                self._widget.audit = report.to_wire()

    def follow(self) -> None:
        """The session began again: of another trace, what was found is not shown."""
        with self._lock:
            if self._trace is not None and self._widget.session.trace is not self._trace:
                self.stop()
                self._trace, self._widget.audit = None, None
