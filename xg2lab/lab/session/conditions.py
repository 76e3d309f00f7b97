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

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from xg2lab.errors import SessionError

if TYPE_CHECKING:
    from xg2lab.lab.session.session import Session

__all__ = ["Until", "stop_condition"]

#: "end" (or None), "rule_end", ("z", mass), or a function of the session.
Condition = Callable[["Session"], bool]
Until = str | tuple[str, float] | Condition | None


def stop_condition(until: Until, session: Session) -> Condition:
    """The condition that `until` names, for a run that begins in the session's present state."""
    if until is None or until == "end":
        return lambda _: False
    if until == "rule_end":
        return _rule_end(session)
    if callable(until):
        return until
    if isinstance(until, tuple | list) and len(until) == 2 and until[0] == "z":
        with contextlib.suppress(TypeError, ValueError, OverflowError):  # a page may send anything
            mass = float(until[1])
            return lambda one: (at := one.trace.pending) is not None and at.z is not None and at.z < mass
    raise SessionError(
        f"a run can't end at {until!r}", hint='give "end", "rule_end", ("z", 0.1) or a function of the session'
    )


def _rule_end(session: Session) -> Condition:
    """Over when nothing that can still read a byte belongs to the rule: neither an item of it nor one it called.

    The rule is the one begun last among those that can read the next byte; if none has begun, the one predicted last.
    """
    trace = session.trace
    if not trace.columns:
        raise SessionError('a run until "rule_end" needs the chart', hint="make the session with record_chart=True")
    reads = [state["scannable"] for state in trace.program["states"]]
    rule_of = [state["rule"] for state in trace.program["states"]]
    callers: dict[int, set[int]] = {}
    for edge in trace.program["edges"]:
        if edge["rule"] is not None:
            callers.setdefault(edge["rule"], set()).add(edge["from"])

    def reading() -> list[tuple[int, int]]:
        pending = session.trace.pending
        live = [] if pending is None else pending.live
        return [(item["origin"], item["rule"]) for item in live if reads[item["state"]]]

    def is_over(_: Session) -> bool:
        columns, waiting, seen = session.trace.columns, reading(), set[tuple[int, int]]()
        while waiting:
            origin, rule = waiting.pop()
            if (origin, rule) == watched:
                return False
            if (origin, rule) in seen or origin >= len(columns):
                continue
            seen.add((origin, rule))
            calling = callers.get(rule, set())
            waiting += [(item[1], rule_of[item[0]]) for item in columns[origin] if item[0] in calling]
        return True

    here = reading()
    begun = [item for item in here if item[0] < trace.n_bytes]
    watched = max(begun, key=lambda item: item[0]) if begun else (here or [(-1, -1)])[-1]
    return is_over
