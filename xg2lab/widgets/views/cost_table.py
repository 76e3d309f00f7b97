"""CostTable: compile passes one after the other, masks by rule and by step, and what of it was waited for."""

from __future__ import annotations

from xg2lab.lab.trace.costs import Costs, costs_of
from xg2lab.widgets.view import View

__all__ = ["CostTable"]


class CostTable(View):
    """A waterfall of the compiler's passes; tables of rules and of steps, sorted by any column; rules by steps.

    A row lights its line in the grammar and its step on the tape. All of it is read from the trace.
    """

    PANEL = "cost_table"

    def data(self) -> Costs:
        """Passes, rules and steps with their microseconds."""
        return costs_of(self.lab_session.trace)

    def lines(self) -> list[str]:
        """The costs."""
        return str(self.data()).splitlines()
