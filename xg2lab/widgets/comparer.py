"""Comparisons and searches that a page asks for, see `xg2lab.lab.comparison.comparing`. A newer one ends the old."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Unpack, cast

from xg2lab.errors import SessionError
from xg2lab.lab.comparison.comparing import compare
from xg2lab.lab.comparison.comparison import CompareReport
from xg2lab.lab.comparison.comparison_text import SWITCHES, SwitchValue
from xg2lab.lab.engines.engine_comparison import EngineComparison
from xg2lab.lab.engines.registry import known_engines
from xg2lab.lab.trace.beside_mask import held_against, same_vocabulary
from xg2lab.options import EngineSwitches
from xg2lab.widgets.reporter import Reporter, Work
from xg2lab.widgets.shown import sessions
from xg2lab.widgets.talker import Reply

if TYPE_CHECKING:
    from xg2lab.grammar import Grammar
    from xg2lab.lab import schema
    from xg2lab.lab.comparison.shortest import Shortest
    from xg2lab.lab.engines.protocol import Engine
    from xg2lab.lab.session.session import Session
    from xg2lab.options import EngineOptions
    from xg2lab.widgets.session_widget import SessionWidget

__all__ = ["CompareRequests", "Compared", "Comparer", "switches_on_wire"]

SEARCH_S = 20.0
CALL_S = 30.0  # of an engine, when a page asks

AnyReport = CompareReport | EngineComparison


class Compared(EngineSwitches, total=False):
    """The parameters of `compare`, but for the two sessions and what the widget passes itself."""

    grammar: Grammar | str | None
    written_out: bool
    rounds: int
    seconds: float


class Comparer(Reporter[AnyReport]):
    """The comparisons of one session widget: of two sides, or of engines."""

    TRAIT = "compare"

    def __init__(self, widget: SessionWidget) -> None:
        super().__init__(widget)
        self._given: dict[str, str | Engine] = {}  # engines that Python gave, which a page can choose again

    def begin(self, asked: schema.CompareRequest) -> None:
        """Begin as a page asks: `switches` by name, a `grammar`'s text, another `session`'s name, `written_out`, or
        names of `engines`.
        """
        names = asked.get("engines")
        if names is not None:
            engines = [self._engine(str(name)) for name in names]
            self.stop()
            self.wait(2.0)
            self.start(self._engines(engines, CALL_S))
            return
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
        report = self.run_now(self._compare(other, **asked))
        return report if isinstance(report, CompareReport) else None

    def engines_here(self, engines: Sequence[str | Engine], seconds: float) -> EngineComparison:
        """The comparison of engines, in the caller's thread. An error is raised, and shown on the pages."""
        report = self.run_now(self._engines(engines, seconds))
        if self.error is not None:
            raise self.error
        assert isinstance(report, EngineComparison)
        for engine, row in zip(engines, report.rows[1:], strict=True):
            self._given[row.name] = engine
        return report

    def choices(self) -> list[schema.EngineChoice]:
        """The engines that a page can choose: those that have names, and those that Python gave."""
        known: dict[str, schema.EngineChoice] = {
            name: {"name": name, "what": what, "version": version, "install": install}
            for name, what, version, install in known_engines()
        }
        for name, engine in self._given.items():
            if name not in known:
                what, version = ("a class", "") if isinstance(engine, str) else ("an object", str(engine.version))
                known[name] = {"name": name, "what": f"{what} given in Python", "version": version, "install": ""}
        return list(known.values())

    def _engine(self, name: str) -> str | Engine:
        offered = [one["name"] for one in self.choices()]
        if name not in offered:
            raise SessionError(f"there is no engine {name!r} here", hint=", ".join(offered))
        return self._given.get(name, name)

    def _engines(self, engines: Sequence[str | Engine], seconds: float) -> Work[AnyReport]:
        session = self._widget.session
        return lambda tell, is_cancelled: compare(
            session, engines=engines, seconds=seconds, tell=tell, is_cancelled=is_cancelled
        )

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
        if not isinstance(report, CompareReport):
            raise SessionError("of other engines only masks are known", hint="compare two sides of xg2lab")
        self.stop()
        self.wait(2.0)
        self.start(lambda tell, is_cancelled: _search(report, seconds, tell, is_cancelled))

    def _compare(self, other: Session | None, **asked: Unpack[Compared]) -> Work[AnyReport]:
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

    def on_compare_mask(self, content: schema.CompareMaskRequest) -> Reply[schema.CompareMaskReply]:
        """Both masks of a step: A's row, and A xor B. `pair`: which two sides or engines, by their places."""
        report, step = self.comparer.report, int(content["step"])
        first, second = (int(k) for k in content.get("pair") or (0, 1))
        if isinstance(report, EngineComparison):
            a, b = report.masks(step, first, second)
        elif report is None or not 0 <= step < len(report.masks):
            raise SessionError(f"step {step} was not compared")
        elif not {first, second} <= {0, 1}:
            raise SessionError(f"there are no sides {first} and {second}", hint="0 is A, 1 is B")
        else:
            rows = report.masks.rows(step)
            a, b = rows[first], rows[second]
        return {"step": step}, [a.tobytes(), (a ^ b).tobytes()]

    def on_compare_with(self, _content: schema.Nothing) -> Reply[schema.CompareWithReply]:
        """Return the possible other sides: the engine's switches, the other sessions by name, and other engines."""
        switches = switches_on_wire(self.session.compiled.options)
        is_instance = self.session.instance is not None
        return {
            "switches": switches,
            "sessions": list(self.comparer.others()),
            "is_instance": is_instance,
            "engines": self.comparer.choices(),
        }, []


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
