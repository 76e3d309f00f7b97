"""The sessions that a notebook shows: their widgets, by the session's name.

`registry.py` makes widgets and notes them here; comparisons look up the other sessions here (`comparer.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xg2lab.lab.session.session import Session
    from xg2lab.widgets.session_widget import SessionWidget

__all__ = ["sessions", "widgets_of"]

_widgets: dict[str, list[SessionWidget]] = {}


def widgets_of(name: str) -> list[SessionWidget]:
    """Return the open widgets of sessions of that name, as a list to which a new one is appended."""
    alive = _widgets[name] = [widget for widget in _widgets.get(name, []) if widget.comm is not None]
    return alive


def sessions() -> list[Session]:
    """Return the sessions that have a widget, those of a name in the order in which they came."""
    return [widget.session for known in list(_widgets.values()) for widget in known if widget.comm is not None]
