"""A browser without a window, for pictures: the machine's Chromium, driven through two pipes with nothing installed.

    with Headless(width=1000, height=800, scale=2) as browser:
        browser.open(Path("page.html"))
        text = browser.ask("document.title")     # any expression; a promise is waited for

IDEA
  Chromium takes orders on file descriptor 3 and answers on 4 (`--remote-debugging-pipe`): JSON, ended by a zero byte.
  So a page can be opened and asked with the standard library alone, and no port is opened that others could reach.
  Windows has no such descriptors: there `with Headless(...)` raises `PictureError`, and the module can be imported.

NOT HERE  what is asked of a page (`xg2lab.widgets.pictures`). The pages are our own: they hold what they need, and
          their policy forbids every request.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from xg2lab.errors import PictureError

__all__ = ["Headless", "find_browser"]

_NAMES = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge",
)  # fmt: skip
_ELSEWHERE = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)
_PLAYWRIGHT = ("~/.cache/ms-playwright", "~/Library/Caches/ms-playwright")
_SWITCHES = (
    "--headless=new", "--remote-debugging-pipe", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic",
    "--disable-dev-shm-usage", "--disable-extensions", "--force-color-profile=srgb", "--mute-audio",
)  # fmt: skip
_REMEDY = "install Chromium or Chrome, or set CHROMIUM to one; or click the picture button in the view's head"
PATIENCE_S = 60.0


def find_browser() -> str:
    """The path of a Chromium, Chrome or Edge. Raises `PictureError` when there is none."""
    asked = os.environ.get("CHROMIUM")
    if asked:
        found = shutil.which(asked)
        if found is None:
            raise PictureError(f"CHROMIUM={asked} is not a program", hint=_REMEDY)
        return found
    for path in _candidates():
        return path
    raise PictureError("a picture is made by a browser, and no Chromium was found", hint=_REMEDY)


def _candidates() -> Iterator[str]:
    yield from filter(None, map(shutil.which, _NAMES))
    yield from (path for path in _ELSEWHERE if Path(path).is_file())
    for folder in (os.environ.get("PLAYWRIGHT_BROWSERS_PATH", ""), *_PLAYWRIGHT):
        if folder:
            yield from map(str, sorted(Path(folder).expanduser().glob("chromium-*/chrome-*/chrome")))


class Headless:
    """One browser with one page; both end with the `with` block."""

    def __init__(self, *, width: int, height: int = 900, scale: float = 1.0) -> None:
        self._size = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False}
        self._unread = b""
        self._n_asked = 0
        self._page = ""
        self._until = 0.0

    def __enter__(self) -> Self:
        try:
            import fcntl  # Windows has none, and its processes inherit no file descriptors by number
        except ImportError as error:
            raise PictureError(
                "this system can't hand a browser the two pipes that a picture is made through",
                hint="click the picture button in the view's head: the page makes the same picture",
            ) from error
        browser = find_browser()
        self._home = tempfile.mkdtemp(prefix="xg2lab-browser-")
        self._log = Path(self._home) / "log"
        orders, self._out = os.pipe()
        self._in, answers = os.pipe()
        # Copies far above 3 and 4, so that neither is overwritten before it is copied there.
        theirs = [fcntl.fcntl(end, fcntl.F_DUPFD, 20) for end in (orders, answers)]
        switches = [*_SWITCHES, f"--user-data-dir={self._home}/profile", "about:blank"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            switches.insert(0, "--no-sandbox")  # Chromium has none for root
        said = os.open(self._log, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            self._pid = os.posix_spawn(
                browser,
                [browser, *switches],
                dict(os.environ),
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, theirs[0], 3),
                    (os.POSIX_SPAWN_DUP2, theirs[1], 4),
                    (os.POSIX_SPAWN_DUP2, said, 1),
                    (os.POSIX_SPAWN_DUP2, said, 2),
                ],
                setpgroup=0,
            )
        finally:
            for end in (orders, answers, said, *theirs):
                os.close(end)
        self._until = time.monotonic() + PATIENCE_S
        try:
            target = self._call("Target.createTarget", url="about:blank")["targetId"]
            self._page = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            self._call("Emulation.setDeviceMetricsOverride", **self._size)
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def open(self, path: Path) -> None:
        """Open a file in the page."""
        self._call("Page.enable")
        self._call("Page.navigate", url=path.resolve().as_uri())
        while self._read().get("method") != "Page.loadEventFired":
            pass

    def ask(self, expression: str) -> Any:
        """The value of an expression in the page, as JSON gives it. Raises `PictureError` with the page's own words."""
        reply = self._call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in reply:
            details = reply["exceptionDetails"]
            raise PictureError(
                "the page failed: " + details.get("exception", {}).get("description", details.get("text", ""))
            )
        return reply["result"].get("value")

    # ---- The two pipes -------------------------------------------------------------------------------------------

    def _call(self, method: str, **params: Any) -> dict[str, Any]:
        self._n_asked += 1
        message: dict[str, Any] = {"id": self._n_asked, "method": method, "params": params}
        if self._page:
            message["sessionId"] = self._page
        try:
            os.write(self._out, json.dumps(message).encode() + b"\0")
        except OSError as error:
            raise self._failed() from error
        while True:
            reply = self._read()
            if reply.get("id") != self._n_asked:
                continue
            if "error" in reply:
                raise PictureError(f"the browser refused {method}: {reply['error'].get('message', '')}")
            return reply["result"]

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._unread:
            left = self._until - time.monotonic()
            if left <= 0 or not select.select([self._in], [], [], left)[0]:
                raise self._failed(f"it did not answer within {PATIENCE_S:.0f} s")
            data = os.read(self._in, 1 << 20)
            if not data:
                raise self._failed()
            self._unread += data
        message, self._unread = self._unread.split(b"\0", 1)
        return json.loads(message)

    def _failed(self, how: str = "it ended") -> PictureError:
        said = self._log.read_text(errors="replace").strip().splitlines()[-3:]
        return PictureError(f"the browser could not be used: {how}. {' '.join(said)}".strip(), hint=_REMEDY)

    def _stop(self) -> None:
        for end in (self._out, self._in):
            os.close(end)
        with contextlib.suppress(OSError):
            os.killpg(self._pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.waitpid(self._pid, 0)
        shutil.rmtree(self._home, ignore_errors=True)
