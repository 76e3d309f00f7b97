"""Tape: what was written, token by token; what the model wanted, what the grammar left of it, what it cost."""

from __future__ import annotations

from typing import Any

import numpy as np

from xg2lab.lab.trace.table import shown
from xg2lab.lab.trace.written import Segment, segments_of, share_of
from xg2lab.widgets.view import View

__all__ = ["Tape"]

_MOST_SEGMENTS, _WIDEST = 40, 48


class Tape(View):
    """The run of a session: steps with their bytes and kinds, mass, mask and model time; candidates of the step.

    Where the trace has operators (`Session.record_operators`, which `OperatorView` calls), the output is cut by them.
    """

    PANEL = "tape"

    def data(self) -> dict[str, Any]:
        """NumPy columns by name, a row a step: those of `Trace.data()`, and `operator`.

        `operator` is the number of the operator that took the token's first byte; NaN where none is known.
        """
        trace = self.lab_session.trace
        operator = np.full(len(trace.steps), np.nan)
        for segment in segments_of(trace):
            if segment.writer is not None:
                operator[segment.first : segment.last + 1] = segment.writer
        return trace.data() | {"operator": operator}

    def lines(self) -> list[str]:
        """The trace as a table; the output by operator; how much of it was written without a choice of the model."""
        trace = self.lab_session.trace
        segments, share = segments_of(trace), share_of(trace)
        out = [*str(trace).splitlines(), *([str(share)] if share.n_tokens else [])]
        if segments:
            out.append("by operator")
        out += [self._line(segment) for segment in segments[:_MOST_SEGMENTS]]
        n_more = len(segments) - _MOST_SEGMENTS
        return [*out, f"  … {n_more:,} more"] if n_more > 0 else out

    def _line(self, segment: Segment) -> str:
        steps = self.lab_session.trace.steps[segment.first : segment.last + 1]
        where = f"step {segment.first}" if len(steps) == 1 else f"steps {segment.first} to {segment.last}"
        wrote = segment.text if len(segment.text) <= _WIDEST else f"{segment.text[: _WIDEST - 1]}…"
        return f"  {where}: {wrote}: {shown(''.join(step.text for step in steps), 32)}"
