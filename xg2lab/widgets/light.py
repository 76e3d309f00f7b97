"""A widget that creates its `Layout` on first access, and whose messages are taken where the page sends them.

>>> widget = Light(_esm="export default {}")
>>> "layout" in widget.get_state()
False
>>> widget.layout.width = "50%"
>>> "layout" in widget.get_state()
True

IDEA
  Jupyter gives each widget a second one for its CSS, which a saved notebook holds for 600 bytes and a page opens a
  channel for. A view is as wide as its cell. Only users who set `view.layout` need a layout, so it is created, and sent
  to the page, on first access.

  A page names a thread of the kernel (a subshell) with each message, so that it is answered while a cell runs.
  ipykernel 7.4 overrides the name: it takes a message to the thread that sent the last one to any page. That may be a
  thread whose cell runs, or one that another page had and took with it when it closed, and then the message is lost.
"""

from __future__ import annotations

from collections.abc import Iterable

import anywidget
from ipywidgets import Layout, Widget
from ipywidgets.widgets.trait_types import InstanceDict
from ipywidgets.widgets.widget import widget_serialization
from traitlets import Bunch, HasTraits, observe

__all__ = ["Light"]


class _WhenAsked(InstanceDict):
    """The layout of a widget, created on first access."""

    def get(self, obj: HasTraits, cls: type[object] | None = None) -> Layout | None:
        is_new = self.name is not None and not obj.trait_has_value(self.name)
        layout = super().get(obj, cls)
        if is_new and isinstance(obj, Widget) and obj.comm is not None:
            obj.send_state(self.name)
        return layout


class Light(anywidget.AnyWidget):
    """A widget whose `layout` is on demand."""

    layout = _WhenAsked(Layout).tag(sync=True, **widget_serialization)

    @observe("comm")
    def _take_where_sent(self, change: Bunch) -> None:
        if hasattr(change.new, "_reply_subshell_for"):
            change.new._reply_subshell_for = None

    def get_state(self, key: str | Iterable[str] | None = None, drop_defaults: bool = False) -> dict[str, object]:
        """What the page is told: as in any widget, but for a layout that nobody asked for."""
        if key is None and "layout" not in self._trait_values:
            key = [name for name in self.keys if name != "layout"]
        state: dict[str, object] = super().get_state(key, drop_defaults)
        return state
