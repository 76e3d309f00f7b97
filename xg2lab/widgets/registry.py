"""One widget a session, one view of a kind a session: running a cell again makes nothing new.

IDEA
  A pad without a session is that of the cell which made it, for the same reason: run again, the cell writes into it.

  `session = Session(...)` in a cell that is run again makes another session of the same name. Its widget is the one
  before, showing the new session: views in other cells follow, and neither the kernel, nor the page, nor the saved
  notebook grows. Only when the earlier session still has a name of its own in the notebook, both are wanted, and the
  new one gets a widget of its own.
"""

from __future__ import annotations

import sys
import weakref
from typing import TYPE_CHECKING, Any

from xg2lab.lab.pad.pad import Pad, shown_of
from xg2lab.widgets.cells import running_cell
from xg2lab.widgets.pad_widget import PadWidget
from xg2lab.widgets.session_widget import SessionWidget

if TYPE_CHECKING:
    from xg2lab.lab.session.session import Session
    from xg2lab.widgets.view import View

__all__ = ["pad_of_cell", "pad_of_session", "pad_widget", "remember", "session_widget", "sessions", "view_of"]

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


def session_widget(session: Session) -> SessionWidget:
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


def sessions() -> list[Session]:
    """The sessions that have a widget, those of a name in the order in which they came."""
    return [widget.session for known in list(_widgets.values()) for widget in known if widget.comm is not None]


class _Pads:
    """How many pads the running cell has made so far."""

    def __init__(self) -> None:
        self.run, self.n_pads = "", 0

    def next_key(self) -> tuple[str, int] | None:
        """Names the next pad of this cell, the same each time the cell is run; None where there are no cells."""
        cell = running_cell()
        if cell.name is None:
            return None
        if cell.run != self.run:
            self.run, self.n_pads = cell.run, 0
        self.n_pads += 1
        return cell.name, self.n_pads


_made = _Pads()
_pads_of_cells: dict[tuple[str, int], Pad] = {}


def pad_of_cell(text: str, kind: str, on_unsupported: str = "error", **of_template: Any) -> Pad:
    """A pad without a session: the one that this cell made when it was run before, with the text, or a new one."""
    key = _made.next_key()
    known = None if key is None else _pads_of_cells.get(key)
    if known is not None and known.session is None:
        known.write(text, kind, on_unsupported=on_unsupported, **of_template)
        return known
    pad = Pad(text, kind, on_unsupported=on_unsupported, **of_template)
    if key is not None:
        _pads_of_cells[key] = pad
    return pad


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
        pad = Pad(**shown_of(session.session), session=session.session)
        widget = _pads[session] = pad_widget(pad)
    return widget


def view_of(widget: SessionWidget | PadWidget, panel: str) -> Any:
    """The view with that panel, if there is one alive."""
    view = _views.setdefault(widget, {}).get(panel)
    return view if view is not None and view.comm is not None else None


def remember(widget: SessionWidget | PadWidget, view: View) -> None:
    """Note a new view, to be given again for the same session."""
    _views.setdefault(widget, {})[view.PANEL] = view
