"""An audit that a page asked for, see `xg2lab.lab.auditing.auditing`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xg2lab.lab.auditing.auditing import AuditReport, audit
from xg2lab.widgets.reporter import Reporter

__all__ = ["Auditor"]


class Auditor(Reporter):
    """The audits of one session widget."""

    TRAIT = "audit"

    def run_here(self, seconds: float, tokenizer: Any = None) -> AuditReport | None:
        """The audit, in the caller's thread."""
        report: AuditReport | None = self.run_now(seconds=seconds, tokenizer=tokenizer)
        return report

    def _work(self, tell: Callable[[Any], object], is_cancelled: Callable[[], bool], **asked: Any) -> AuditReport:
        return audit(self._widget.session, tell=tell, is_cancelled=is_cancelled, **asked)
