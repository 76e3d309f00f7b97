"""Audit: masks against accept, the vocabulary against its tokenizer, a schema's keywords; a repro for each finding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xg2lab.lab.auditing.auditing import AuditReport
from xg2lab.widgets.view import View

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

    from xg2lab.lab.engines.protocol import Engine
    from xg2lab.lab.model.tokenizer import Tokenizer

__all__ = ["Audit"]


class Audit(View):
    """Compares each mask with `accept_token` at every visited state, then checks tokenizer and schema.

    The page's button starts and stops it; `run()` does the same from Python. Without a notebook, use
    `xg2lab.lab.audit(session)`.

    Parameters
    ----------
    session : Session
        The session to show.

    >>> import xg2lab as xgr
    >>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
    >>> view = Audit(session)
    >>> view.data() is None
    True
    >>> view.run().ok, view.lines()[0]
    (True, '1 of 1 states x 3 tokens: mask equals accept everywhere')
    """

    PANEL = "audit"

    def run(
        self,
        seconds: float = 20.0,
        tokenizer: PreTrainedTokenizerBase | Tokenizer | None = None,
        engines: Sequence[str | Engine] = (),
    ) -> AuditReport | None:
        """Audit now, in this thread. Pages show the growing report.

        Parameters
        ----------
        seconds : float
            The budget.
        tokenizer : transformers.PreTrainedTokenizerBase, optional
            The tokenizer to compare the vocabulary with; the model's own if left out.
        engines : sequence of str or Engine
            Other engines, as for `xg2lab.lab.audit`: a row each among the checks, with the text of an issue.

        Returns
        -------
        AuditReport or None
            The report.
        """
        return self.session.auditor.run_here(seconds, tokenizer, engines)

    def data(self) -> AuditReport | None:
        """Return the last report.

        Returns
        -------
        AuditReport or None
            None before the first audit.
        """
        return self.session.auditor.report

    def lines(self) -> list[str]:
        """Return the report as text.

        Returns
        -------
        list of str
            A line for each state, check and keyword.
        """
        report = self.data()
        if report is None:
            n = sum(step.n_allowed is not None for step in self.lab_session.trace.steps)
            return [f"not audited yet: {n} states were visited; Audit(session).run() checks them"]
        return str(report).splitlines()
