"""A real Firefox, driven by the protocol that it speaks itself: W3C's WebDriver BiDi, with no driver program between.

    with Firefox(path) as firefox:
        page = firefox.page(width=1440, height=900)
        page.goto("http://127.0.0.1:8888/lab")
        page.until("() => deep('.tape') !== undefined")
        page.press("ArrowRight")

The tests of every view run in Chromium, by Playwright, which drives no Firefox but a build of its own. What is asked
here is whether the Firefox that a reader has shows and does the same; so this module has no more of the protocol than
that takes: one session, pages, scripts, keys, clicks, pictures and the console.

Source: https://www.w3.org/TR/webdriver-bidi/
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import websocket

from .page import PATIENCE_S

__all__ = ["Firefox", "FirefoxPage"]

_LISTENING = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
_PREFERENCES = {
    "app.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "layout.css.devPixelsPerPx": "1.0",
    "toolkit.telemetry.enabled": False,
}
#: The protocol's names of keys that write nothing.
_KEYS = {
    "Alt": "\ue00a", "ArrowDown": "\ue015", "ArrowLeft": "\ue012", "ArrowRight": "\ue014", "ArrowUp": "\ue013",
    "Control": "\ue009", "End": "\ue010", "Enter": "\ue007", "Escape": "\ue00c", "Home": "\ue011", "Shift": "\ue008",
    "Space": " ", "Tab": "\ue004",
}  # fmt: skip
#: `deep(selector)`: the first element that matches, in the document or in any shadow root below it.
_DEEP = """
const deep = (selector, root = document) => {
  const found = root.querySelector(selector);
  if (found) return found;
  for (const element of root.querySelectorAll('*')) {
    const inner = element.shadowRoot && deep(selector, element.shadowRoot);
    if (inner) return inner;
  }
  return undefined;
};
"""


class Firefox:
    """A browser with a profile of its own, both of which end with the `with` block."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._profile = Path(tempfile.mkdtemp(prefix="xg2lab-firefox-"))
        self._told = 0
        #: What pages wrote to the console as an error, and errors that no script caught.
        self.errors: list[str] = []

    def __enter__(self) -> Self:
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in _PREFERENCES.items()]
        (self._profile / "user.js").write_text("\n".join(lines), encoding="utf-8")
        log = self._profile / "log"
        with log.open("w") as said:
            self._process = subprocess.Popen(
                [self._path, "--headless", "--no-remote", "--profile", os.fspath(self._profile),
                 "--remote-debugging-port=0"],
                stdout=said, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            )  # fmt: skip
        try:
            address = self._address(log)
            self._line = websocket.create_connection(f"{address}/session", timeout=PATIENCE_S, suppress_origin=True)
            self.ask("session.new", capabilities={})
            self.ask("session.subscribe", events=["log.entryAdded"])
        except BaseException:
            self._end()
            raise
        return self

    def _address(self, log: Path) -> str:
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until and self._process.poll() is None:
            if found := _LISTENING.search(log.read_text(errors="replace")):
                return found[1]
            time.sleep(0.1)
        raise RuntimeError(f"Firefox did not start:\n{log.read_text(errors='replace')[-2000:]}")

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(Exception):
            self.ask("browser.close")
        self._line.close()
        self._end()

    def _end(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._profile, ignore_errors=True)

    def ask(self, method: str, **params: Any) -> Any:
        """Give a command of the protocol and return its result; what the protocol calls an error is raised."""
        self._told += 1
        self._line.send(json.dumps({"id": self._told, "method": method, "params": params}))
        while True:
            told = json.loads(self._line.recv())
            if told.get("method") == "log.entryAdded":
                if told["params"]["level"] == "error":
                    self.errors.append(str(told["params"]["text"])[:500])
            elif told.get("id") == self._told:
                if told["type"] == "error":
                    raise RuntimeError(f"{method}: {told['message']}")
                return told["result"]

    def page(self, *, width: int, height: int) -> FirefoxPage:
        """Open an empty page of this size, in CSS pixels."""
        context = self.ask("browsingContext.create", type="tab")["context"]
        self.ask("browsingContext.setViewport", context=context, viewport={"width": width, "height": height})
        return FirefoxPage(self, context)


class FirefoxPage:
    """A tab."""

    def __init__(self, firefox: Firefox, context: str) -> None:
        self._firefox, self._context = firefox, context

    def goto(self, url: str) -> None:
        """Load an address, to its end."""
        self._firefox.ask("browsingContext.navigate", context=self._context, url=url, wait="complete")

    def evaluate(self, function: str, *values: Any) -> Any:
        """Call a function of JavaScript with values of JSON; return what it, or its promise, gives, by way of JSON.

        The function may call `deep(selector)`, which finds an element in shadow roots too.
        """
        body = (
            f"async (text) => {{ {_DEEP} return JSON.stringify((await ({function})(...JSON.parse(text))) ?? null); }}"
        )
        told = self._firefox.ask(
            "script.callFunction",
            functionDeclaration=body,
            arguments=[{"type": "string", "value": json.dumps(values)}],
            target={"context": self._context},
            awaitPromise=True,
        )
        if told["type"] == "exception":
            raise AssertionError(told["exceptionDetails"]["text"])
        return json.loads(told["result"]["value"])

    def until(self, function: str, *values: Any) -> Any:
        """Return the first value of the function that counts as true in Python."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            if value := self.evaluate(function, *values):
                return value
            time.sleep(0.1)
        raise AssertionError(f"never true: {function} of {values}")

    def text(self, selector: str) -> str:
        """Return the text of the first element that matches, once there is one."""
        return str(self.until("(s) => deep(s)?.textContent", selector))

    def shows(self, selector: str, text: str) -> None:
        """Wait until the first element that matches contains this text."""
        self.until("(s, text) => deep(s)?.textContent.includes(text)", selector, text)

    def click(self, selector: str) -> None:
        """Scroll the element into sight and click on its middle."""
        self.until("(s) => deep(s) !== undefined", selector)
        middle = (
            "(s) => { const e = deep(s); e.scrollIntoView({block: 'nearest'}); const b = e.getBoundingClientRect();"
        )
        x, y = self.evaluate(middle + " return [b.x + b.width / 2, b.y + b.height / 2]; }", selector)
        moves = [
            {"type": "pointerMove", "x": round(x), "y": round(y)},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        self._act({"type": "pointer", "id": "mouse", "actions": moves})

    def focus(self, selector: str) -> None:
        """Give the element the focus."""
        self.until("(s) => { deep(s)?.focus(); return deep(s) !== undefined; }", selector)

    def press(self, *keys: str) -> None:
        """Press keys one after the other; "Shift+ArrowLeft" is one, with another held."""
        for key in keys:
            parts = [_KEYS.get(part, part) for part in key.split("+")]
            downs = [{"type": "keyDown", "value": part} for part in parts]
            ups = [{"type": "keyUp", "value": part} for part in reversed(parts)]
            self._act({"type": "key", "id": "keyboard", "actions": downs + ups})

    def _act(self, source: dict[str, Any]) -> None:
        self._firefox.ask("input.performActions", context=self._context, actions=[source])

    def screenshot(self, path: Path) -> None:
        """Write what the tab shows as PNG."""
        told = self._firefox.ask("browsingContext.captureScreenshot", context=self._context)
        path.write_bytes(base64.b64decode(told["data"]))
