"""An audit that a page asked for, see `xg2lab.lab.auditing.auditing`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xg2lab.lab.auditing.auditing import AuditReport, audit
from xg2lab.widgets.reporter import Reporter, Work

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

    from xg2lab.lab.engines.protocol import Engine
    from xg2lab.lab.model.tokenizer import Tokenizer

__all__ = ["Auditor"]


class Auditor(Reporter[AuditReport]):
    """The audits of one session widget."""

    TRAIT = "audit"

    def begin(self, seconds: float) -> None:
        """Begin an audit in a thread of its own."""
        self.start(self._audit(seconds))

    def run_here(
        self,
        seconds: float,
        tokenizer: PreTrainedTokenizerBase | Tokenizer | None = None,
        engines: Sequence[str | Engine] = (),
    ) -> AuditReport | None:
        """The audit, in the caller's thread."""
        return self.run_now(self._audit(seconds, tokenizer, engines))

    def _audit(
        self,
        seconds: float,
        tokenizer: PreTrainedTokenizerBase | Tokenizer | None = None,
        engines: Sequence[str | Engine] = (),
    ) -> Work[AuditReport]:
        session = self._widget.session
        return lambda tell, is_cancelled: audit(
            session, seconds=seconds, tokenizer=tokenizer, engines=engines, tell=tell, is_cancelled=is_cancelled
        )
