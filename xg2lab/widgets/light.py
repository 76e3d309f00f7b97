"""A widget that creates its `Layout` on first access.

>>> widget = Light(_esm="export default {}")
>>> "layout" in widget.get_state()
False
>>> widget.layout.width = "50%"
>>> "layout" in widget.get_state()
True

IDEA
  Jupyter gives each widget a second one for its CSS, which a saved notebook holds for 600 bytes and a page opens a
  channel for. A view is as wide as its cell; only who sets `view.layout` needs one, so it is made, and told to the
  page, when it is first asked for.
"""

from __future__ import annotations

from typing import Any

import anywidget
from ipywidgets import Layout
from ipywidgets.widgets.trait_types import InstanceDict
from ipywidgets.widgets.widget import widget_serialization

__all__ = ["Light"]


class _WhenAsked(InstanceDict):
    """The layout of a widget, made when it is first read."""

    def get(self, obj: Any, cls: Any = None) -> Any:
        is_new = self.name not in obj._trait_values
        layout = super().get(obj, cls)
        if is_new and getattr(obj, "comm", None) is not None:
            obj.send_state(self.name)
        return layout


class Light(anywidget.AnyWidget):
    """A widget whose `layout` is on demand."""

    layout = _WhenAsked(Layout).tag(sync=True, **widget_serialization)

    def get_state(self, key: Any = None, drop_defaults: bool = False) -> dict[str, Any]:
        """What the page is told: as in any widget, but for a layout that nobody asked for."""
        if key is None and "layout" not in self._trait_values:
            key = [name for name in self.keys if name != "layout"]
        state: dict[str, Any] = super().get_state(key, drop_defaults)
        return state
