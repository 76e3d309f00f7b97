"""Audit: masks against accept, the vocabulary against its tokenizer, a schema's keywords; a repro for each finding."""

from __future__ import annotations

from typing import Any

from xg2lab.lab.auditing.auditing import AuditReport
from xg2lab.widgets.view import View

__all__ = ["Audit"]


class Audit(View):
    """Every token at every visited state: its bit is set if and only if accept takes it. Then tokenizer and schema.

    The page's button begins it and can stop it; `run()` does the same from Python. What needs no notebook:
    `xg2lab.lab.audit(session)`.
    """

    PANEL = "audit"

    def run(self, seconds: float = 20.0, tokenizer: Any = None) -> AuditReport | None:
        """Audit now, in this thread; the pages show it as it goes. `seconds` is the budget."""
        return self.session.auditor.run_here(seconds, tokenizer)

    def data(self) -> AuditReport | None:
        """The last report, or None before the first."""
        return self.session.auditor.report

    def lines(self) -> list[str]:
        """The report."""
        report = self.data()
        if report is None:
            n = sum(step.n_allowed is not None for step in self.lab_session.trace.steps)
            return [f"not audited yet: {n} states were visited; Audit(session).run() checks them"]
        return str(report).splitlines()
