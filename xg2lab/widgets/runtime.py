"""The one widget that carries the code of all views: one a kernel, so that ten views don't ship ten bundles.

The bundle comes compressed. A saved notebook holds it, so the notebook replays every view. The page asks for the files
that only a kernel's page needs (the editor, Graphviz, what saves pictures), once a page, and to pause: the kernel only
ever replies on this channel, which is why a message here is heard while a cell runs.
"""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING

import traitlets

from xg2lab.errors import SessionError
from xg2lab.widgets.bundle import bundle_path, bundle_text
from xg2lab.widgets.talker import Reply, Talker

if TYPE_CHECKING:
    from xg2lab.lab import schema
    from xg2lab.widgets.session_widget import SessionWidget

__all__ = ["Runtime", "runtime"]

_ASSETS = {name: (f"{name}.js.gz", True) for name in ("graphviz", "editor", "picture", "tour")}


class Runtime(Talker):
    """The bundle. `sent` counts the assets that pages asked for."""

    _view_name = traitlets.Unicode(None, allow_none=True).tag(sync=True)  # a model without a view of its own
    bundle = traitlets.Bytes().tag(sync=True)

    def __init__(self) -> None:
        super().__init__(_esm=bundle_text("stub_runtime.js"), bundle=bundle_path("runtime.js.gz").read_bytes())
        self.sent: dict[str, int] = {}
        self.pausers: weakref.WeakValueDictionary[str, SessionWidget] = weakref.WeakValueDictionary()

    def on_asset(self, content: schema.AssetRequest) -> Reply[schema.AssetReply]:
        """A built file, as it is on disk."""
        name = content.get("name")
        if name not in _ASSETS:
            raise SessionError(f"there is no asset {name!r}")
        file, gzipped = _ASSETS[name]
        data = bundle_path(file).read_bytes()
        self.sent[name] = self.sent.get(name, 0) + 1
        return {"gzip": gzipped}, [data]

    def on_pause(self, content: schema.PauseRequest) -> Reply[schema.Nothing]:
        """Pause the session of that id."""
        widget = self.pausers.get(str(content.get("session")))
        if widget is None:
            raise SessionError("that session is gone", hint="run its cell again")
        widget.pause()
        return {}, []


_lock = threading.Lock()
_runtime: Runtime | None = None


def runtime() -> Runtime:
    """The kernel's runtime; made when first needed, and again if it was closed."""
    global _runtime  # noqa: PLW0603 (one a kernel, by design)
    with _lock:
        if _runtime is None or _runtime.comm is None:
            _runtime = Runtime()
        return _runtime
