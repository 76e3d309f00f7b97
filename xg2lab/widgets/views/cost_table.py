"""CostTable: compile passes one after the other, masks by rule and by step, and what of it was waited for."""

from __future__ import annotations

from xg2lab.lab.trace.costs import Costs, costs_of
from xg2lab.widgets.view import View

__all__ = ["CostTable"]


class CostTable(View):
    """Shows the compiler's passes as a waterfall, and the cost of masks in tables by rule and by step.

    Selecting a row highlights its line in the grammar and its step on the tape. All of it is read from the trace.

    Parameters
    ----------
    session : Session
        The session to show.

    >>> import xg2lab as xgr
    >>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
    >>> view = CostTable(session)
    >>> len(view.data().steps), view.data().mask_us > 0, len(view.lines()) > 1
    (1, True, True)
    """

    PANEL = "cost_table"

    def data(self) -> Costs:
        """Return the costs of passes, rules and steps.

        Returns
        -------
        Costs
            Times in microseconds, those of the model in milliseconds.
        """
        return costs_of(self.lab_session.trace)

    def lines(self) -> list[str]:
        """Return the costs as text.

        Returns
        -------
        list of str
            A line each.
        """
        return str(self.data()).splitlines()
