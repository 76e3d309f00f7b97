"""The names of all panels: each class of views notes its own, and a page that is exported may show any of them.

>>> from xg2lab.widgets.views.tape import Tape
>>> Tape.PANEL in PANELS
True
"""

from __future__ import annotations

__all__ = ["PANELS"]

#: Names of panels, in the order in which their classes were made.
PANELS: dict[str, None] = {}
