"""Workbench: the views of a session in one grid, with one transport and the selection spelled out on top.

Tape, machine, chart, cost, mask, reason and distribution have a place each, and so have the grammar's source in an
editor and the examples of it: what is typed there is compiled at once, and becomes the session's grammar when it is
applied. Machine, dispatch and operators share their place as tabs, and so do cache, timeline,
audit, cost and comparison; a grammar with a
`TagDispatch` shows the dispatch first. What no tab shows is not drawn, and costs a step nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from xg2lab.widgets.pad_widget import PadWidget
from xg2lab.widgets.registry import pad_of_session
from xg2lab.widgets.session_widget import SessionWidget
from xg2lab.widgets.view import View
from xg2lab.widgets.views.mask_lens import mask_lines
from xg2lab.widgets.views.why_card import why_lines

if TYPE_CHECKING:
    from xg2lab.lab import schema
    from xg2lab.lab.session.session import Session

__all__ = ["Workbench"]


class Workbench(View):
    """Shows all views of a session at once; `alt 1` to `alt 9` go to them.

    Each view alone in a cell shows the same selection.

    Parameters
    ----------
    session : Session
        The session to show.
    tour : bool
        True begins the tour: five cards, each beside a pane, from the first step to a changed grammar. Esc skips it.

    >>> import xg2lab as xgr
    >>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
    >>> view = Workbench(session)
    >>> view.data()["header"]["vocab_size"], len(view.lines()) > 2
    (3, True)
    """

    PANEL = "workbench"

    def __new__(cls, session: Session | SessionWidget, *, tour: bool = False) -> Self:  # noqa: ARG004 (of `__init__`)
        """Return the session's workbench, or a new one."""
        return super().__new__(cls, session)

    def __init__(self, session: Session | SessionWidget, *, tour: bool = False) -> None:
        super().__init__(session)
        if tour:
            asked: int = self.tours
            self.tours = asked + 1

    def _pad_of(self, session: SessionWidget) -> PadWidget:
        return pad_of_session(session)

    def data(self) -> schema.TraceFile:
        """Return the whole trace as JSON values.

        Returns
        -------
        dict
            `Trace.to_wire(bulk=False)`.
        """
        return self.lab_session.trace.to_wire(bulk=False)

    def lines(self) -> list[str]:
        """Return the run, the mask and the reason as text.

        Returns
        -------
        list of str
            A line each.
        """
        session, step = self.lab_session, self.step_index
        return [*str(session.trace).splitlines(), *mask_lines(session, step), *why_lines(session, step)]
