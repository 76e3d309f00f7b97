"""A comparison that a page asked for, see `xg2lab.lab.comparing`. A newer one ends the one before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xg2lab.errors import SessionError
from xg2lab.lab.comparing import compare
from xg2lab.lab.comparison import CompareReport
from xg2lab.lab.comparison_text import SWITCHES
from xg2lab.widgets.reporter import Reporter

__all__ = ["Comparer", "switches_on_wire"]


class Comparer(Reporter):
    """The comparisons of one session widget."""

    TRAIT = "compare"

    def begin(self, asked: dict[str, Any]) -> None:
        """Begin as a page asks: `switches` by name, or a `grammar`'s text, or the name of another `session`."""
        switches = {name: _value(name, value) for name, value in dict(asked.get("switches") or {}).items()}
        other = asked.get("session")
        of = None if other is None else self.others().get(str(other))
        if other is not None and of is None:
            raise SessionError(f"there is no other session {other!r}", hint=", ".join(self.others()) or "make one")
        self.stop()
        self.wait(2.0)
        self.start(other=of, grammar=asked.get("grammar"), **switches)

    def others(self) -> dict[str, Any]:
        """The other sessions that the notebook shows, by name; of equal names the newest."""
        from xg2lab.widgets.registry import sessions

        return {session.name: session for session in sessions() if session is not self._widget.session}

    def _work(self, tell: Callable[[Any], object], is_cancelled: Callable[[], bool], **asked: Any) -> CompareReport:
        return compare(self._widget.session, tell=tell, is_cancelled=is_cancelled, **asked)


def _value(name: str, value: Any) -> Any:
    """A value as the engine takes it: one of those that were offered."""
    offered = {str(known): known for known, _ in SWITCHES[name].values} if name in SWITCHES else {}
    if str(value) not in offered:
        raise SessionError(f"{name} can't be {value!r} here", hint=", ".join(offered) or ", ".join(SWITCHES))
    return offered[str(value)]


def switches_on_wire(options: Any) -> list[dict[str, Any]]:
    """Every switch with its values, as JSON; the session's own value is among them."""
    listed: list[dict[str, Any]] = []
    for name, switch in SWITCHES.items():
        own = getattr(options, name)
        values = [[str(value), text] for value, text in switch.values]
        if str(own) not in (value for value, _ in values):
            values.insert(0, [str(own), str(own)])
        listed.append({"name": name, "what": switch.what, "values": values, "own": str(own)})
    return listed
