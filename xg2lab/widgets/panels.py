"""The names of all panels: each class of views notes its own, and a page that is exported may show any of them.

>>> from xg2lab.widgets.views.tape import Tape
>>> Tape.PANEL in PANELS
True
"""

from __future__ import annotations

__all__ = ["AS_WRITTEN", "PANELS"]

#: Names of panels, in the order in which their classes were made.
PANELS: dict[str, None] = {}
#: Panels that draw the grammar as written, if it is recorded: a live page asks for that, and a page without a kernel
#: must have it in its recording.
AS_WRITTEN = frozenset({"chart_view", "fsm_view", "why_card", "workbench"})
