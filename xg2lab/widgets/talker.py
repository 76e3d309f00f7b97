"""Widgets that answer messages: a request {kind, id, ...} gets one reply {re: id, ...}, an error included.

IDEA
  A class has one method `on_<kind>(content, buffers) -> (reply, buffers)` for each kind of request; nothing else can be
  asked for. A handler is short: what takes long goes to a thread of its own and is told by a push.

THREADS  Handlers run on whichever thread the kernel chose (the main thread or a subshell's), one at a time for a
         widget. A reply goes to every page of the kernel, so its id carries the page's own tag.
"""

from __future__ import annotations

from typing import Any

from xg2lab.errors import SessionError
from xg2lab.widgets.light import Light

__all__ = ["Message", "Reply", "Talker", "reference", "wire_error"]

Message = dict[str, Any]
Reply = tuple[Message, list[Any]]


def wire_error(error: BaseException) -> dict[str, str]:
    """An exception as the page shows it: its type, what happened, and the remedy if it names one."""
    hint = str(getattr(error, "hint", "") or "")
    return {"type": type(error).__name__, "message": str(getattr(error, "message", "") or error), "hint": hint}


def reference(widget: Any, _owner: Any = None) -> str | None:
    """How a widget is named in another's state; a closed one is named None.

    anywidget's own serializer hands back the widget object once it is closed. JSON then fails inside the reply to a
    reloading page, and every widget of the notebook stays at "Loading widget..." for ever.
    """
    return None if widget is None or widget.comm is None else f"anywidget:{widget.model_id}"


class Talker(Light):
    """A widget with `on_<kind>` methods."""

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.on_msg(Talker._dispatch)

    def _dispatch(self, content: Message, buffers: list[Any]) -> None:
        kind, request = content.get("kind"), content.get("id")
        handler = getattr(self, f"on_{kind}", None) if isinstance(kind, str) and kind != "msg" else None
        if handler is None:
            refusal = SessionError(f"there is no request {kind!r}", hint="reload the page: its code may be older")
            self.send({"re": request, "error": wire_error(refusal)})
            return
        try:
            reply, data = handler(content, buffers)
        except Exception as error:  # noqa: BLE001 (whatever it is, the page must hear of it instead of waiting)
            self.send({"re": request, "error": wire_error(error)})
            return
        self.send({"re": request, **reply}, data)
