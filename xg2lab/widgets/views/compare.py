"""Compare: the same bytes under other switches of the engine, another grammar, another session; where they part."""

from __future__ import annotations

from typing import Any

from xg2lab.errors import SessionError
from xg2lab.lab.comparison.comparison import CompareReport
from xg2lab.lab.comparison.shortest import Shortest
from xg2lab.widgets.view import View

__all__ = ["Compare"]


class Compare(View):
    """A is the session as it is; B what the page's switches, a grammar or another session make of the same bytes.

    The page begins a comparison with each switch and can stop it; `run()` does the same from Python. An
    instance of a template can be compared with its written-out grammar, `run(written_out=True)`. What needs no
    notebook: `xg2lab.lab.compare(session, parser="pda")`. The session itself is not touched.
    """

    PANEL = "compare"

    def run(self, other: Any = None, **asked: Any) -> CompareReport | None:
        """Compare now, in this thread, as `xg2lab.lab.compare` does; the pages show it as it goes."""
        report: CompareReport | None = self.session.comparer.run_now(other=other, **asked)
        return report

    def shortest(self, seconds: float = 10.0) -> Shortest:
        """Search now for the shortest text on which the two of the last report part; the pages show what was found."""
        report = self.data()
        if report is None:
            raise SessionError("nothing compared yet", hint='Compare(session).run(parser="pda")')
        self.session.comparer.run_now(of=report, seconds=seconds)
        return report.shortest or Shortest()

    def data(self) -> CompareReport | None:
        """The last report, or None before the first."""
        report: CompareReport | None = self.session.comparer.report
        return report

    def lines(self) -> list[str]:
        """The report."""
        report = self.data()
        if report is None:
            return ['nothing compared yet: Compare(session).run(parser="pda") replays the same bytes']
        return str(report).splitlines()
