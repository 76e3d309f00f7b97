"""Comparisons and searches that a page asks for, see `xg2lab.lab.comparison.comparing`. A newer one ends the old."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from xg2lab.errors import SessionError
from xg2lab.lab.comparison.comparing import compare
from xg2lab.lab.comparison.comparison import CompareReport
from xg2lab.lab.comparison.comparison_text import SWITCHES
from xg2lab.lab.trace.beside_mask import held_against, same_vocabulary
from xg2lab.widgets.reporter import Reporter
from xg2lab.widgets.talker import Message, Reply

if TYPE_CHECKING:
    from xg2lab.lab.comparison.shortest import Shortest
    from xg2lab.options import EngineOptions

__all__ = ["CompareRequests", "Comparer", "switches_on_wire"]

SEARCH_S = 20.0


class Comparer(Reporter):
    """The comparisons of one session widget."""

    TRAIT = "compare"

    def begin(self, asked: dict[str, Any]) -> None:
        """Begin as a page asks: `switches` by name, a `grammar`'s text, another `session`'s name, or `written_out`."""
        switches = {name: _value(name, value) for name, value in dict(asked.get("switches") or {}).items()}
        other = asked.get("session")
        of = None if other is None else self.others().get(str(other))
        if other is not None and of is None:
            raise SessionError(f"there is no other session {other!r}", hint=", ".join(self.others()) or "make one")
        self.stop()
        self.wait(2.0)
        written_out = bool(asked.get("written_out"))
        self.start(other=of, grammar=asked.get("grammar"), written_out=written_out, **switches)

    def others(self) -> dict[str, Any]:
        """The other sessions that the notebook shows, by name; of equal names the newest."""
        from xg2lab.widgets.registry import sessions

        return {session.name: session for session in sessions() if session is not self._widget.session}

    def search(self, seconds: float = SEARCH_S) -> None:
        """Begin to look for the shortest disagreement of the last report's sides, in whatever text it is."""
        report = self.report
        if report is None or report.is_running:
            raise SessionError("there is nothing to search yet", hint="compare first")
        self.stop()
        self.wait(2.0)
        self.start(of=report, seconds=seconds)

    def _work(self, tell: Callable[[Any], object], is_cancelled: Callable[[], bool], **asked: Any) -> CompareReport:
        if "of" in asked:
            return _search(asked["of"], asked["seconds"], tell, is_cancelled)
        return compare(self._widget.session, tell=tell, is_cancelled=is_cancelled, **asked)


class CompareRequests:
    """The answers of a session widget about comparisons."""

    session: Any
    comparer: Comparer
    #: the other session that masks are held against on the pages
    beside: Any = None

    def on_beside(self, content: Message, _buffers: list[Any]) -> Reply:
        """Hold the mask of a step against another session's: of `session`, "" for the first; without it no longer."""
        self.beside, name = None, content.get("session")
        if name is None:
            return {}, []
        known = {key: one for key, one in self.comparer.others().items() if same_vocabulary(self.session, one)}
        if not known:
            return {"sessions": [], "session": "", "says": "no other session of this vocabulary is shown here"}, []
        name = name if name in known else next(iter(known))
        self.beside = known[name]
        found = held_against(self.session, int(content["step"]), self.beside)
        return {"sessions": list(known), "session": name, "says": found.says}, [found.mask_b.tobytes()]

    def on_compare(self, content: Message, _buffers: list[Any]) -> Reply:
        """Begin a comparison; what it finds comes by the trait `compare`."""
        self.comparer.begin(content)
        return {}, []

    def on_compare_stop(self, _content: Message, _buffers: list[Any]) -> Reply:
        """End the comparison, or the search; what was found stays."""
        self.comparer.stop()
        return {}, []

    def on_compare_shortest(self, _content: Message, _buffers: list[Any]) -> Reply:
        """Look for the shortest text on which the two sides part; what is found comes with the report."""
        self.comparer.search()
        return {}, []

    def on_compare_mask(self, content: Message, _buffers: list[Any]) -> Reply:
        """Both masks of a step: A's row, and A xor B."""
        report, step = self.comparer.report, int(content["step"])
        if report is None or not 0 <= step < len(report.masks):
            raise SessionError(f"step {step} was not compared")
        a, b = report.masks.rows(step)
        return {"step": step}, [a.tobytes(), (a ^ b).tobytes()]

    def on_compare_with(self, _content: Message, _buffers: list[Any]) -> Reply:
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


def _value(name: str, value: Any) -> Any:
    """A value as the engine takes it: one of those that were offered."""
    offered = {str(known): known for known, _ in SWITCHES[name].values} if name in SWITCHES else {}
    if str(value) not in offered:
        raise SessionError(f"{name} can't be {value!r} here", hint=", ".join(offered) or ", ".join(SWITCHES))
    return offered[str(value)]


def switches_on_wire(options: EngineOptions) -> list[dict[str, Any]]:
    """Every switch with its values, as JSON; the session's own value is among them."""
    listed: list[dict[str, Any]] = []
    for name, switch in SWITCHES.items():
        own = getattr(options, name)
        values = [[str(value), text] for value, text in switch.values]
        if str(own) not in (value for value, _ in values):
            values.insert(0, [str(own), str(own)])
        listed.append({"name": name, "what": switch.what, "values": values, "own": str(own)})
    return listed
