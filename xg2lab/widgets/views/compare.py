"""Compare: the same bytes under other switches of the engine, another grammar, session or engine; where they part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack

from xg2lab.errors import SessionError
from xg2lab.lab.comparison.comparison import CompareReport
from xg2lab.lab.comparison.shortest import Shortest
from xg2lab.lab.engines.engine_comparison import EngineComparison
from xg2lab.widgets.view import View

if TYPE_CHECKING:
    from xg2lab.lab.engines.protocol import Engine
    from xg2lab.lab.session.session import Session
    from xg2lab.widgets.comparer import Compared

__all__ = ["Compare"]


class Compare(View):
    """Replays the session's output with other engine options, another grammar, another session or other engines, and
    shows where they part.

    The page starts a comparison and can stop it; `run()` and `engines()` do the same from Python. Without a notebook,
    use `xg2lab.lab.compare(session, parser="pda")`. The session does not change.

    Parameters
    ----------
    session : Session
        The session to show, side A.

    >>> import xg2lab as xgr
    >>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
    >>> view = Compare(session)
    >>> view.data() is None
    True
    >>> view.run(grammar='root ::= "b"', rounds=2).n_differ, len(view.lines()) > 1
    (2, True)
    >>> view.shortest().text
    b''
    """

    PANEL = "compare"

    def run(self, other: Session | None = None, **asked: Unpack[Compared]) -> CompareReport | None:
        """Compare now, in this thread. Pages show the growing report.

        Parameters
        ----------
        other : Session, optional
            Another session, side B.
        **asked
            The other parameters of `xg2lab.lab.compare`; `written_out=True` compares an instance with its written-out
            grammar.

        Returns
        -------
        CompareReport or None
            The report.
        """
        return self.session.comparer.run_here(other, **asked)

    def shortest(self, seconds: float = 10.0) -> Shortest:
        """Search for the shortest text on which the two sides of the last report part. Pages show the result.

        Parameters
        ----------
        seconds : float
            The budget.

        Returns
        -------
        Shortest
            The result.

        Raises
        ------
        SessionError
            Nothing was compared yet.
        """
        report = self.data()
        if not isinstance(report, CompareReport):
            was = "nothing compared yet" if report is None else "of other engines only masks are known"
            raise SessionError(was, hint='Compare(session).run(parser="pda")')
        self.session.comparer.search_here(report, seconds)
        return report.shortest or Shortest()

    def engines(self, engines: Sequence[str | Engine], seconds: float = 30.0) -> EngineComparison:
        """Compare the session's masks with other engines', on its own tokens. Pages show the growing report.

        What was given here can be chosen on the page again.

        Parameters
        ----------
        engines : sequence of str or Engine
            The engines: "xgrammar", "llguidance" or any other of `xg2lab.lab.engines`.
        seconds : float
            The longest call of an engine.

        Returns
        -------
        EngineComparison
            Where each parts from the session, who is wrong, and times.

        Raises
        ------
        EngineError
            There is no engine of a name, or it is not installed.
        ArgumentError
            No engines, or more than 15.

        >>> import xg2lab as xgr
        >>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
        >>> Compare(session).engines(["xg2lab-pda"]).ok
        True
        """
        return self.session.comparer.engines_here(engines, seconds)

    def show(self, report: CompareReport | EngineComparison) -> None:
        """Show a report that `xg2lab.lab.compare` has returned for this session.

        Parameters
        ----------
        report : CompareReport or EngineComparison
            The report.

        Raises
        ------
        SessionError
            It is a comparison of engines about another session.

        >>> import xg2lab as xgr
        >>> from xg2lab.lab import compare
        >>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
        >>> view = Compare(session)
        >>> view.show(compare(session, engines=["xg2lab-pda"]))
        >>> view.data().ok
        True
        """
        about = report.session if isinstance(report, EngineComparison) else None
        if about is not None and about is not self.lab_session:
            raise SessionError(
                f"the report is about the session {about.name!r}", hint="Compare(report.session).show(report)"
            )
        self.session.comparer.put(report)

    def data(self) -> CompareReport | EngineComparison | None:
        """Return the last report.

        Returns
        -------
        CompareReport, EngineComparison or None
            None before the first comparison.
        """
        report: CompareReport | EngineComparison | None = self.session.comparer.report
        return report

    def lines(self) -> list[str]:
        """Return the report as text.

        Returns
        -------
        list of str
            A line each.
        """
        report = self.data()
        if report is None:
            return ['nothing compared yet: Compare(session).run(parser="pda") replays the same bytes']
        return str(report).splitlines()


def _display(session: Session, report: EngineComparison) -> None:
    """Show a comparison of engines, the result of a cell, on the page of its session."""
    from IPython.display import display

    view = Compare(session)
    view.show(report)
    display(view)


EngineComparison.display = staticmethod(_display)
