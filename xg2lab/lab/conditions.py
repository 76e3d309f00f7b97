"""When a run ends by itself: at the end, at the end of a rule, where the grammar forbids nearly everything.

>>> class Asked:
...     class trace:
...         class pending:
...             z, live = 0.04, []
>>> stop_condition(("z", 0.1), Asked)(Asked)
True

A condition is a function of the session, called before each decision but the first; true ends the run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xg2lab.errors import SessionError

__all__ = ["Until", "stop_condition"]

#: "end" (or None), "rule_end", ("z", mass), or a function of the session.
Until = str | tuple[str, float] | Callable[[Any], bool] | None


def stop_condition(until: Until, session: Any) -> Callable[[Any], bool]:
    """The condition that `until` names, for a run that begins in the session's present state."""
    if until is None or until == "end":
        return lambda _: False
    if until == "rule_end":
        return _rule_end(session)
    if callable(until):
        return until
    if isinstance(until, tuple | list) and len(until) == 2 and until[0] == "z" and isinstance(until[1], int | float):
        return lambda s: s.trace.pending.z is not None and s.trace.pending.z < until[1]
    raise SessionError(
        f"a run can't go until {until!r}", hint='give "end", "rule_end", ("z", 0.1) or a function of the session'
    )


def _rule_end(session: Any) -> Callable[[Any], bool]:
    """The rule being matched is the one that began last, before the present byte if any did; it ends with its items."""
    pending = session.trace.pending
    if pending is None or not pending.live:
        return lambda _: False
    begun = [item["origin"] for item in pending.live if item["origin"] < pending.byte_begin]
    origin = max(begun, default=pending.byte_begin)
    watched = {(item["rule"], item["origin"]) for item in pending.live if item["origin"] == origin}
    return lambda s: not watched & {(item["rule"], item["origin"]) for item in s.trace.pending.live}
