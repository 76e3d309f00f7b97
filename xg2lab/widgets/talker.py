"""Widgets that answer messages: a request {kind, id, ...} gets one reply {re: id, ...}, an error included.

IDEA
  A class has one method `on_<kind>(content) -> (reply, buffers)` for each kind of request; nothing else can be asked
  for. `xg2lab.lab.schema.messages` has the records of requests and replies. A handler is short: what takes long goes to
  a thread of its own and is told by a push. A handler converts what it reads, so a field of another type is refused.

THREADS  Handlers run on whichever thread the kernel chose (the main thread or a subshell's), one at a time for a
         widget. A reply goes to every page of the kernel, so its id carries the page's own tag.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar, cast

from xg2lab.errors import SessionError, Xg2LabError
from xg2lab.widgets import saved
from xg2lab.widgets.light import Light

if TYPE_CHECKING:
    from ipywidgets import Widget

    from xg2lab.lab import schema

__all__ = ["Buffers", "Reply", "Talker", "page_of", "reference", "wire_error"]

#: The bytes beside a message.
Buffers = list[bytes]
Content = TypeVar("Content", bound=Mapping[str, object])
Reply = tuple[Content, Buffers]


def wire_error(error: BaseException) -> schema.WireError:
    """An exception as the page shows it: its type, what happened, and the remedy if it names one."""
    hint = str(getattr(error, "hint", "") or "")
    return {"type": type(error).__name__, "message": str(getattr(error, "message", "") or error), "hint": hint}


def page_of(message: Mapping[str, object]) -> str:
    """The tag of the page that sent a request: its id is the tag, a colon and a number.

    >>> page_of({"kind": "hello", "id": "k3x:17"})
    'k3x'
    """
    return str(message.get("id")).partition(":")[0]


def malformed(kind: str, error: BaseException) -> SessionError:
    """The error for a request whose fields are missing or of other types than its handler reads."""
    missing = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
    return SessionError(f"the request {kind!r} is malformed: {missing}", hint="reload the page: its code may be older")


def reference(widget: Widget | None, _owner: Widget | None = None) -> str | None:
    """How a widget is named in another's state; a closed one is named None.

    anywidget's own serializer hands back the widget object once it is closed. JSON then fails inside the reply to a
    reloading page, and every widget of the notebook stays at "Loading widget..." for ever.
    """
    return None if widget is None or widget.comm is None else f"anywidget:{widget.model_id}"


class Talker(Light):
    """A widget with `on_<kind>` methods."""

    _page: str | None = None  #: the tag of the page that said hello last

    def __init__(self, **traits: object) -> None:
        super().__init__(**traits)
        self.on_msg(Talker._dispatch)

    def _dispatch(self, content: object, _buffers: Sequence[memoryview]) -> None:
        message = cast("dict[str, object]", content) if isinstance(content, dict) else {}
        kind, request = message.get("kind"), message.get("id")
        is_ours = isinstance(kind, str) and not hasattr(Light, f"on_{kind}")  # not `on_msg`, `on_trait_change`
        handler: Callable[[object], Reply[dict[str, object]]] | None = (
            getattr(self, f"on_{kind}", None) if is_ours else None
        )
        if handler is None:
            refusal = SessionError(f"there is no request {kind!r}", hint="reload the page: its code may be older")
            self.send({"re": request, "error": wire_error(refusal)})
            return
        if kind == "hello" and not message.get("follows"):
            page = page_of(message)
            if self._page not in (None, page):
                saved.forget(self)
            self._page = page
        self._when_free(str(kind), message, lambda: self._answer(handler, message))

    def _when_free(self, _kind: str, _message: dict[str, object], answer: Callable[[], None]) -> None:
        """Answer a request, in this thread or another: here at once.

        This thread is the kernel's: while it waits, no cell runs and no other request is heard.
        """
        answer()

    def _answer(self, handler: Callable[[object], Reply[dict[str, object]]], message: dict[str, object]) -> None:
        kind, request = message["kind"], message.get("id")
        try:
            reply, data = handler(message)
        except (AttributeError, LookupError, OverflowError, TypeError, ValueError) as error:
            known = error if isinstance(error, Xg2LabError) else malformed(str(kind), error)
            self.send({"re": request, "error": wire_error(known)})
            return
        except Exception as error:  # noqa: BLE001 (whatever it is, the page must hear of it instead of waiting)
            self.send({"re": request, "error": wire_error(error)})
            return
        self.send({"re": request, **reply}, data)
