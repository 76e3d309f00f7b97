"""Comparisons and searches that a page asks for, see `xg2lab.lab.comparison.comparing`. A newer one ends the old."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Unpack, cast

from xg2lab.errors import SessionError
from xg2lab.lab.comparison.comparing import compare
from xg2lab.lab.comparison.comparison import CompareReport
from xg2lab.lab.comparison.comparison_text import SWITCHES, SwitchValue
from xg2lab.lab.trace.beside_mask import held_against, same_vocabulary
from xg2lab.options import EngineSwitches
from xg2lab.widgets.reporter import Reporter, Work
from xg2lab.widgets.shown import sessions
from xg2lab.widgets.talker import Reply

if TYPE_CHECKING:
    from xg2lab.grammar import Grammar
    from xg2lab.lab import schema
    from xg2lab.lab.comparison.shortest import Shortest
    from xg2lab.lab.session.session import Session
    from xg2lab.options import EngineOptions

__all__ = ["CompareRequests", "Compared", "Comparer", "switches_on_wire"]

SEARCH_S = 20.0


class Compared(EngineSwitches, total=False):
    """The parameters of `compare`, but for the two sessions and what the widget passes itself."""

    grammar: Grammar | str | None
    written_out: bool
    rounds: int
    seconds: float


class Comparer(Reporter[CompareReport]):
    """The comparisons of one session widget."""

    TRAIT = "compare"

    def begin(self, asked: schema.CompareRequest) -> None:
        """Begin as a page asks: `switches` by name, a `grammar`'s text, another `session`'s name, or `written_out`."""
        switches = {name: _value(name, value) for name, value in dict(asked.get("switches") or {}).items()}
        other = asked.get("session")
        of = None if other is None else self.others().get(str(other))
        if other is not None and of is None:
            raise SessionError(f"there is no other session {other!r}", hint=", ".join(self.others()) or "make one")
        self.stop()
        self.wait(2.0)
        grammar, written_out = asked.get("grammar"), bool(asked.get("written_out"))
        self.start(self._compare(of, grammar=grammar, written_out=written_out, **cast("EngineSwitches", switches)))

    def run_here(self, other: Session | None = None, **asked: Unpack[Compared]) -> CompareReport | None:
        """The comparison, in the caller's thread."""
        return self.run_now(self._compare(other, **asked))

    def search_here(self, report: CompareReport, seconds: float) -> None:
        """The search for the shortest disagreement, in the caller's thread."""
        self.run_now(lambda tell, is_cancelled: _search(report, seconds, tell, is_cancelled))

    def others(self) -> dict[str, Session]:
        """The other sessions that the notebook shows, by name; of equal names the newest."""
        return {session.name: session for session in sessions() if session is not self._widget.session}

    def search(self, seconds: float = SEARCH_S) -> None:
        """Begin to look for the shortest disagreement of the last report's sides, in whatever text it is."""
        report = self.report
        if report is None or report.is_running:
            raise SessionError("there is nothing to search yet", hint="compare first")
        self.stop()
        self.wait(2.0)
        self.start(lambda tell, is_cancelled: _search(report, seconds, tell, is_cancelled))

    def _compare(self, other: Session | None, **asked: Unpack[Compared]) -> Work[CompareReport]:
        session = self._widget.session
        return lambda tell, is_cancelled: compare(session, other, tell=tell, is_cancelled=is_cancelled, **asked)


class CompareRequests:
    """The answers of a session widget about comparisons."""

    session: Session
    comparer: Comparer
    #: the other session that masks are held against on the pages
    beside: Session | None = None

    def on_beside(self, content: schema.BesideRequest) -> Reply[schema.BesideReply]:
        """Hold the mask of a step against another session's: of `session`, "" for the first; without it no longer."""
        self.beside, name = None, content.get("session")
        if name is None:
            return {}, []
        known = {key: one for key, one in self.comparer.others().items() if same_vocabulary(self.session, one)}
        if not known:
            return {"sessions": [], "session": "", "says": "no other session of this vocabulary is shown here"}, []
        name = name if name in known else next(iter(known))
        self.beside = known[name]
        newest = len(self.session.trace.steps) - 1
        found = held_against(self.session, int(content.get("step", newest)), self.beside)
        return {"sessions": list(known), "session": name, "says": found.says}, [found.mask_b.tobytes()]

    def on_compare(self, content: schema.CompareRequest) -> Reply[schema.Nothing]:
        """Begin a comparison; what it finds comes by the trait `compare`."""
        self.comparer.begin(content)
        return {}, []

    def on_compare_stop(self, _content: schema.Nothing) -> Reply[schema.Nothing]:
        """End the comparison, or the search; what was found stays."""
        self.comparer.stop()
        return {}, []

    def on_compare_shortest(self, _content: schema.Nothing) -> Reply[schema.Nothing]:
        """Look for the shortest text on which the two sides part; what is found comes with the report."""
        self.comparer.search()
        return {}, []

    def on_compare_mask(self, content: schema.BulkRequest) -> Reply[schema.CompareMaskReply]:
        """Both masks of a step: A's row, and A xor B."""
        report, step = self.comparer.report, int(content["step"])
        if report is None or not 0 <= step < len(report.masks):
            raise SessionError(f"step {step} was not compared")
        a, b = report.masks.rows(step)
        return {"step": step}, [a.tobytes(), (a ^ b).tobytes()]

    def on_compare_with(self, _content: schema.Nothing) -> Reply[schema.CompareWithReply]:
        """Return the possible other sides: the engine's switches, and the other sessions by name."""
        switches = switches_on_wire(self.session.compiled.options)
        is_instance = self.session.instance is not None
        return {"switches": switches, "sessions": list(self.comparer.others()), "is_instance": is_instance}, []


def _search(
    report: CompareReport, seconds: float, tell: Callable[[CompareReport], object], is_cancelled: Callable[[], bool]
) -> CompareReport:
    """The report with what the search finds, as it goes."""

    def told(found: Shortest) -> None:
        report.shortest = found
        tell(report)

    report.find_shortest(seconds, tell=told, is_cancelled=is_cancelled)
    return report


def _value(name: str, value: object) -> SwitchValue:
    """A value as the engine takes it: one of those that were offered."""
    offered = {str(known): known for known, _ in SWITCHES[name].values} if name in SWITCHES else {}
    if str(value) not in offered:
        raise SessionError(f"{name} can't be {value!r} here", hint=", ".join(offered) or ", ".join(SWITCHES))
    return offered[str(value)]


def switches_on_wire(options: EngineOptions) -> list[schema.SwitchFacts]:
    """Every switch with its values, as JSON; the session's own value is among them."""
    listed: list[schema.SwitchFacts] = []
    for name, switch in SWITCHES.items():
        own = getattr(options, name)
        values = [[str(value), text] for value, text in switch.values]
        if str(own) not in (value for value, _ in values):
            values.insert(0, [str(own), str(own)])
        listed.append({"name": name, "what": switch.what, "values": values, "own": str(own)})
    return listed
