"""LockstepView: two to four runs side by side, stepped by one key; where they part, and why.

    a = Session(grammar, model="tiny", prompt="A list: ", name="strict")
    view = LockstepView([a, a.variant(seed=1)])

See also: `xg2lab.lab.Lockstep`, which steps them; docs/design/0057-lockstep.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from xg2lab.lab.comparison.lockstep import Lockstep
from xg2lab.widgets.session_widget import SessionWidget
from xg2lab.widgets.view import View

if TYPE_CHECKING:
    from xg2lab.lab.comparison.lockstep_report import LockstepReport
    from xg2lab.lab.session.session import Session

__all__ = ["LockstepView"]


class LockstepView(View):
    """Shows sessions beside each other, their tokens aligned by bytes, and steps them together.

    It marks the first byte at which a side differs from the first one, says which token one mask blocked, and lists
    what each mask allows that the first one does not. A session has one such view: made with other sessions, it
    shows these.

    Parameters
    ----------
    runs : Lockstep, sequence of Session, or Session
        Two to four sessions of one vocabulary. The view is of the first. With one session, the page offers what can
        stand beside it: another session, seed, temperature or grammar.

    Raises
    ------
    ArgumentError, ArgumentTypeError, VocabularyError
        As `Lockstep`.

    >>> import xg2lab as xgr
    >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
    >>> one, two = xgr.Session('root ::= [ab]', info, name="one"), xgr.Session('root ::= "b"', info, name="two")
    >>> view = LockstepView([one, two])
    >>> print(view.lines()[-1])
    at byte 0 one alone allows 'a'; two allows nothing that one blocks
    >>> view.lockstep.sessions == (one, two)
    True

    See also: docs/design/0057-lockstep.md.
    """

    PANEL = "lockstep_view"

    def __new__(cls, runs: Lockstep | Sequence[Session] | Session | SessionWidget) -> Self:
        """Return the first session's view of its runs, or a new one."""
        return super().__new__(cls, _first(_lockstep_of(runs), runs))

    def __init__(self, runs: Lockstep | Sequence[Session] | Session | SessionWidget) -> None:
        lockstep = _lockstep_of(runs)
        super().__init__(_first(lockstep, runs))
        if lockstep is not None and not self._shows(lockstep):
            self.session.lockstepper.show(lockstep)

    def _shows(self, lockstep: Lockstep) -> bool:
        """Whether these sessions are shown already: then a run that is on goes on."""
        known = self.lockstep
        return known is not None and known.sessions == lockstep.sessions

    @property
    def lockstep(self) -> Lockstep | None:
        """The runs that are shown, with `step`, `run`, `back` and more; None while there is one session."""
        known: Lockstep | None = self.session.lockstepper.lockstep
        return known

    def data(self) -> LockstepReport | None:
        """Return what is known of all sides.

        Returns
        -------
        LockstepReport or None
            None while there is one session.

        >>> from xg2lab import Session
        >>> first = Session('root ::= "[" [0-9] "]"', model="tiny", prompt="A list: ")
        >>> LockstepView([first, first.variant(seed=1)]).data().varies
        [('seed', ['0', '1'])]
        """
        return None if self.lockstep is None else self.lockstep.data()

    def lines(self) -> list[str]:
        """Return the sides, where they part and why as text.

        Returns
        -------
        list of str
            A line each.
        """
        report = self.data()
        if report is None:
            return ["no runs are side by side yet: LockstepView([session, session.variant(seed=1)])"]
        return str(report).splitlines()


def _lockstep_of(runs: Lockstep | Sequence[Session] | Session | SessionWidget) -> Lockstep | None:
    """The runs; None for one session. Raises what `Lockstep` raises."""
    if isinstance(runs, Lockstep):
        return runs
    return Lockstep(runs) if isinstance(runs, Sequence) else None


def _first(
    lockstep: Lockstep | None, runs: Lockstep | Sequence[Session] | Session | SessionWidget
) -> Session | SessionWidget:
    if lockstep is not None:
        return lockstep.sessions[0]
    assert not isinstance(runs, Lockstep | Sequence)
    return runs
