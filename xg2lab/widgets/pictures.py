"""Pictures of views for slides and papers: the view's own page, drawn in a browser without a window and read from it.

    Tape(session).save("tape.svg")                       # or .png, .html; the file's ending says what
    svg = FsmView(session).to_svg(theme="dark", width=720)

IDEA
  Python does not draw a view a second time. The picture's page is the exported page with this one view;
  the code behind a panel's picture button (widgets/src/picture/) reads it: text stays text, drawings stay drawings.

COST    A browser is started for each picture.
See also `xg2lab.show.dot`, which writes graphs as text and needs no browser; `docs/design/0028-pictures.md`.
"""

from __future__ import annotations

import base64
import json
import tempfile
from pathlib import Path
from typing import Any, Literal

from xg2lab.errors import ArgumentError
from xg2lab.show.dot import Theme
from xg2lab.widgets.export import picture_page
from xg2lab.widgets.headless import Headless

__all__ = ["picture_of"]

#: Width in CSS pixels where none is said: what a view has in a notebook, and the workbench with all its columns.
WIDTH, WORKBENCH_WIDTH = 960, 1600
NARROWEST, WIDEST = 280, 4000


def picture_of(view: Any, format: Literal["svg", "png"], *, theme: Theme, width: int | None, scale: float) -> bytes:
    """The file's bytes. `width` is the view's in CSS pixels; a drawing that needs more room makes the picture wider."""
    if theme not in ("light", "dark"):
        raise ArgumentError(f"there is no theme {theme!r}", hint='"light" or "dark"')
    width = width or (WORKBENCH_WIDTH if view.PANEL == "workbench" else WIDTH)
    if not NARROWEST <= width <= WIDEST:
        raise ArgumentError(f"a view is {NARROWEST} to {WIDEST} pixels wide, not {width}")
    asked = {"theme": theme, "width": width, "format": format, "scale": scale}
    with tempfile.TemporaryDirectory(prefix="xg2lab-picture-") as folder:
        page = Path(folder) / "picture.html"
        page.write_text(picture_page(view), encoding="utf-8")
        with Headless(width=width + 64, height=1200, scale=scale) as browser:
            browser.open(page)
            made: str = browser.ask(f"xg2lab_picture({json.dumps(asked)})")
    return made.encode() if format == "svg" else base64.b64decode(made.partition(",")[2])
