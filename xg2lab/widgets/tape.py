"""Tape: what was written, token by token; what the model wanted, what the grammar left of it, what it cost."""

from __future__ import annotations

from typing import Any

from xg2lab.widgets.view import View

__all__ = ["Tape"]


class Tape(View):
    """The run of a session: steps with their bytes and kinds, mass, mask and model time; candidates of the step."""

    PANEL = "tape"

    def data(self) -> dict[str, Any]:
        """NumPy columns by name, a row a step: `Trace.data()`."""
        return self.lab_session.trace.data()

    def lines(self) -> list[str]:
        """The trace as a table."""
        return str(self.lab_session.trace).splitlines()
