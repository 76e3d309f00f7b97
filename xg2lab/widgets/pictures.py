"""Pictures of views for slides and papers: the view's own page, drawn in a browser without a window and read from it.

    Tape(session).save("tape.svg")                       # or .png, .html; the file's ending says what
    svg = FsmView(session).to_svg(theme="dark", width=720)

IDEA
  Python does not draw a view a second time. The picture's page is the exported page with this one view;
  the code behind a panel's picture button (widgets/src/picture/) reads it: text stays text, drawings stay drawings.
  Playwright drives the browser: the machine's Chromium, Chrome or Edge, or the one that Playwright installs.

COST    A browser is started for each picture.
See also `xg2lab.show.dot`, which writes graphs as text and needs no browser; `docs/design/0028-pictures.md`.
"""

from __future__ import annotations

import base64
import os
import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict

from xg2lab.errors import ArgumentError, PictureError
from xg2lab.show.dot import Theme
from xg2lab.widgets.export import picture_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from xg2lab.widgets.view import View

__all__ = ["picture_of"]

#: Width in CSS pixels where none is said: what a view has in a notebook, and the workbench with
#: all its columns.
WIDTH, WORKBENCH_WIDTH = 960, 1600
NARROWEST, WIDEST = 280, 4000

#: What a Chromium is called on the search path. $CHROMIUM names another.
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
PATIENCE_MS = 60_000
#: Playwright finds these where they are usually installed.
_CHANNELS = ("chrome", "msedge")
_BUTTON = "the picture button in the view's head makes the same picture"
_NO_PLAYWRIGHT = f"pip install 'xg2lab[pictures]'; or without it: {_BUTTON}"
_NO_BROWSER = f"install Chromium or Chrome, or run `playwright install chromium`, or set CHROMIUM; or: {_BUTTON}"
_SWITCHES = ("--disable-gpu", "--disable-quic")
_ASK = """([asked, patience]) => Promise.race([
  xg2lab_picture(asked),
  new Promise((_, refuse) => setTimeout(() => refuse(new Error(`no picture within ${patience / 1000} s`)), patience)),
])"""


class _Asked(TypedDict):
    """What the page's script is asked for."""

    theme: Theme
    width: int
    format: Literal["svg", "png"]
    scale: float


class _Launch(TypedDict, total=False):
    """Which browser Playwright starts; its own, if nothing is said."""

    executable_path: str
    channel: str


def picture_of(view: View, format: Literal["svg", "png"], *, theme: Theme, width: int | None, scale: float) -> bytes:
    """Return the picture's bytes.

    Parameters
    ----------
    view : View
        What is drawn.
    format : "svg" or "png"
        The kind of file.
    theme : "light" or "dark"
        The colours.
    width : int or None
        The view's width in CSS pixels, 280 to 4000; a drawing that needs more room makes the picture wider.
    scale : float
        Pixels of a PNG for each CSS pixel.

    Raises
    ------
    ArgumentError
        For another theme or width.
    PictureError
        Where Playwright or a browser is missing, with what to install, or if the page fails.
    """
    if theme not in ("light", "dark"):
        raise ArgumentError(f"there is no theme {theme!r}", hint='"light" or "dark"')
    width = width or (WORKBENCH_WIDTH if view.PANEL == "workbench" else WIDTH)
    if not NARROWEST <= width <= WIDEST:
        raise ArgumentError(f"a view must be {NARROWEST} to {WIDEST} pixels wide, not {width}")
    asked: _Asked = {"theme": theme, "width": width, "format": format, "scale": scale}
    with tempfile.TemporaryDirectory(prefix="xg2lab-picture-") as folder:
        page = Path(folder) / "picture.html"
        page.write_text(picture_page(view), encoding="utf-8")
        # Playwright's blocking calls refuse a thread that runs an event loop, as a notebook's does.
        with ThreadPoolExecutor(max_workers=1) as aside:
            made = aside.submit(_draw, page, asked).result()
    return made.encode() if format == "svg" else base64.b64decode(made.partition(",")[2])


def _draw(path: Path, asked: _Asked) -> str:
    """What the page at `path` answers: SVG text, or a PNG as a data URL."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ModuleNotFoundError as error:
        raise PictureError("a picture needs Playwright, which is not installed", hint=_NO_PLAYWRIGHT) from error
    refused: list[str] = []
    with sync_playwright() as playwright:
        for found in _launches():
            try:
                # Chromium has no sandbox for root.
                sandbox = getattr(os, "geteuid", lambda: 1)() != 0
                browser = playwright.chromium.launch(args=_SWITCHES, chromium_sandbox=sandbox, **found)
            except Error as error:
                refused.append(f"{next(iter(found.values()), 'own')}: {_first_line(error.message)}")
                continue
            try:
                return _drawn(browser, path, asked)
            except Error as error:
                raise PictureError(f"the page failed: {error.message}") from error
            finally:
                browser.close()
    raise PictureError(f"no browser that draws a picture could be started ({'; '.join(refused)})", hint=_NO_BROWSER)


def _drawn(browser: Browser, path: Path, asked: _Asked) -> str:
    """What the page at `path` answers in this browser."""
    wide = asked["width"] + 64
    with browser.new_page(viewport={"width": wide, "height": 1200}, device_scale_factor=asked["scale"]) as page:
        page.goto(path.resolve().as_uri(), timeout=PATIENCE_MS)
        return page.evaluate(_ASK, [asked, PATIENCE_MS])


def _launches() -> Iterator[_Launch]:
    """How a browser may be started: the machine's, or Playwright's own, or Chrome or Edge where they are installed."""
    asked = os.environ.get("CHROMIUM")
    if asked and shutil.which(asked) is None:
        raise PictureError(f"CHROMIUM={asked} is not a program", hint=_NO_BROWSER)
    found = shutil.which(asked) if asked else next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is not None:
        yield {"executable_path": found}
        return
    yield {}
    for channel in _CHANNELS:
        yield {"channel": channel}


def _first_line(text: str) -> str:
    return next(iter(text.strip().splitlines()), "")
