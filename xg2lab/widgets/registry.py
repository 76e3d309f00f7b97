"""One widget a session, one view of a kind a session: running a cell again makes nothing new.

IDEA
  `session = Session(...)` in a cell that is run again makes another session of the same name. Its widget is the one
  before, showing the new session: views in other cells follow, and neither the kernel, nor the page, nor the saved
  notebook grows. Only when the earlier session still has a name of its own in the notebook, both are wanted, and the
  new one gets a widget of its own.
"""

from __future__ import annotations

import sys
import weakref
from typing import Any

from xg2lab.lab.pad import Pad, text_and_kind
from xg2lab.widgets.pad_widget import PadWidget
from xg2lab.widgets.session_widget import SessionWidget

__all__ = ["pad_of_session", "pad_widget", "remember", "session_widget", "view_of"]

_widgets: dict[str, list[SessionWidget]] = {}
_views: weakref.WeakKeyDictionary[SessionWidget | PadWidget, dict[str, Any]] = weakref.WeakKeyDictionary()
_pads: weakref.WeakKeyDictionary[SessionWidget | Pad, PadWidget] = weakref.WeakKeyDictionary()


def _has_a_name(value: object) -> bool:
    """Whether a variable of the notebook, or a list or dict that is one, holds `value`."""
    ipython = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython is not None else None
    if shell is None:
        return True
    for name, held in list(shell.user_ns.items()):
        if name.startswith("_") or name in ("In", "Out"):
            continue
        inside = held.values() if isinstance(held, dict) else held if isinstance(held, list | tuple | set) else ()
        if held is value or any(one is value for one in inside):
            return True
    return False


def session_widget(session: Any) -> SessionWidget:
    """The widget of a session: its own, or that of a forgotten session of the same name, or a new one."""
    alive = [widget for widget in _widgets.get(session.name, []) if widget.comm is not None]
    _widgets[session.name] = alive
    for widget in alive:
        if widget.session is session:
            return widget
    for widget in alive:
        if not _has_a_name(widget.session):
            widget.show(session)
            if widget in _pads:
                _pads[widget].pad.follow(session)
            return widget
    widget = SessionWidget(session)
    alive.append(widget)
    return widget


def pad_widget(pad: Pad) -> PadWidget:
    """The widget of a pad: the one it has, or a new one."""
    widget = _pads.get(pad)
    if widget is None or widget.comm is None:
        widget = _pads[pad] = PadWidget(pad)
    return widget


def pad_of_session(session: SessionWidget) -> PadWidget:
    """The pad that all views of a session share; a new one has the session's own grammar."""
    widget = _pads.get(session)
    if widget is None or widget.comm is None:
        pad = Pad(*text_and_kind(session.session.compiled.grammar), session=session.session)
        widget = _pads[session] = pad_widget(pad)
    return widget


def view_of(widget: SessionWidget | PadWidget, panel: str) -> Any:
    """The view with that panel, if there is one alive."""
    view = _views.setdefault(widget, {}).get(panel)
    return view if view is not None and view.comm is not None else None


def remember(widget: SessionWidget | PadWidget, view: Any) -> None:
    """Note a new view, to be given again for the same session."""
    _views.setdefault(widget, {})[view.PANEL] = view
