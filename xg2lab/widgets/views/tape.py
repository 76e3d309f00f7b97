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
    """Shows the run of a session, token by token: what the model wanted, what the grammar left of it, and what it cost.

    If the trace has operators (`Session.record_operators`, which `OperatorView` calls), the output is divided by them.

    Parameters
    ----------
    session : Session
        The session to show.

    >>> import xg2lab as xgr
    >>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
    >>> steps = session.force("a")
    >>> view = Tape(session)
    >>> view.data()["text"].tolist(), len(view.lines()) > 1
    (['a', ''], True)
    """

    PANEL = "tape"

    def data(self) -> dict[str, Any]:
        """Return the steps as columns.

        Returns
        -------
        dict of str to numpy.ndarray, shape (n_steps,)
            The columns of `Trace.data()`; and `operator`, the number of the operator that took the token's first byte,
            NaN where it is unknown.
        """
        trace = self.lab_session.trace
        operator = np.full(len(trace.steps), np.nan)
        for segment in segments_of(trace):
            if segment.writer is not None:
                operator[segment.first : segment.last + 1] = segment.writer
        return trace.data() | {"operator": operator}

    def lines(self) -> list[str]:
        """Return the trace as a table, the output by operator, and the share that the model did not choose.

        Returns
        -------
        list of str
            A line each.
        """
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
