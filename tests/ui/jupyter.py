"""A real JupyterLab server and a real Chromium for the browser tests.

    with Lab(folder) as lab:
        page = lab.open("notebook.ipynb")
        page.run_all()
        page.python("session.step()")      # in the notebook's kernel
        page.locator("[data-panel=tape]")  # Playwright pierces the views' shadow roots

The server is private: its own settings, data and port, no token, no news, no extensions of the user's. Every request of
the page that doesn't go to it is noted in `external`, every console error in `errors`.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from playwright.sync_api import Browser, Locator, Page, sync_playwright

__all__ = ["Lab", "NotebookPage", "chromium_path"]

ROOT = Path(__file__).resolve().parents[2]
_ARGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
)  # fmt: skip
_SETTINGS: dict[str, dict[str, Any]] = {
    "@jupyterlab/apputils-extension/notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    },
    "@jupyterlab/docmanager-extension/plugin": {"autosave": False},
    "@jupyter-widgets/jupyterlab-manager/plugin": {"saveState": True},
}
_RUN_CELL = """async (i) => {
  const notebook = jupyterapp.shell.currentWidget.content;
  notebook.activeCellIndex = i;
  notebook.deselectAll();
  await jupyterapp.commands.execute('notebook:run-cell');
  return JSON.parse(JSON.stringify(notebook.widgets[i].model.outputs.toJSON()));
}"""
_PYTHON = """async (code) => {
  const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const future = kernel.requestExecute({code, store_history: false});
  let text = '';
  future.onIOPub = (m) => {
    if (m.header.msg_type === 'stream') text += m.content.text;
    if (m.header.msg_type === 'error') text += 'ERROR ' + m.content.ename + ': ' + m.content.evalue;
  };
  await future.done;
  return text;
}"""
_NO_SIDEBAR = "() => jupyterapp.shell.leftCollapsed || jupyterapp.commands.execute('application:toggle-left-area')"
# A page that is taken over waits for nothing of the notebook before: its kernel has gone, and answers no request.
_OPEN = """async (path) => {
  globalThis[Symbol.for('xg2lab/page/1')]?.underWay?.clear();
  const opened = await jupyterapp.commands.execute('docmanager:open', {path, factory: 'Notebook'});
  await opened.context.ready;
  await opened.sessionContext.ready;
  jupyterapp.shell.activateById(opened.id);
}"""
_LEAVE = """async () => {
  document.body.style.height = '';
  for (const widget of [...jupyterapp.shell.widgets('main')]) {
    await widget.sessionContext?.shutdown();
    widget.dispose();
  }
}"""
_SETTLED = "(options) => globalThis[Symbol.for('xg2lab/page/1')].settled(options)"
_IDLE = "() => window.jupyterapp?.shell?.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"


def chromium_path() -> str | None:
    """The browser: $CHROMIUM, or the first of the usual names; None when there is none."""
    for name in (os.environ.get("CHROMIUM"), "/usr/bin/chromium", "chromium-browser", "google-chrome"):
        found = shutil.which(name) if name else None
        if found:
            return found
    return None


class Lab:
    """A server on `folder` and a browser; both end with the `with` block.

    `python`: an environment of its own with JupyterLab and the package in it, which does not see this checkout.
    """

    def __init__(
        self,
        folder: Path,
        *,
        width: int = 1600,
        height: int = 1400,
        env: dict[str, str] | None = None,
        python: Path | None = None,
    ) -> None:
        self._python = python
        self.folder, self.size = folder, {"width": width, "height": height}
        self.errors: list[str] = []
        self.external: list[str] = []
        self._home = Path(tempfile.mkdtemp(prefix="xg2lab-lab-"))
        self._env = env or {}
        self._browser: Browser | None = None
        self._open: list[NotebookPage] = []
        self._left: list[Page] = []  # JupyterLab without a notebook

    def __enter__(self) -> Self:
        with contextlib.closing(socket.socket()) as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.base = f"http://127.0.0.1:{self._port}"
        for plugin, values in _SETTINGS.items():
            path = self._home / "settings" / f"{plugin}.jupyterlab-settings"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(values))
        homes = {"JUPYTER_CONFIG_DIR": "config", "JUPYTERLAB_SETTINGS_DIR": "settings", "JUPYTER_DATA_DIR": "data"}
        homes |= {"JUPYTERLAB_WORKSPACES_DIR": "workspaces", "IPYTHONDIR": "ipython"}
        env = dict(os.environ) | {name: str(self._home / folder) for name, folder in homes.items()} | self._env
        env["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, [env.get("PYTHONPATH")])])
        if self._python is not None:
            del env["PYTHONPATH"]
        env["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
        self._log = (self._home / "server.log").open("w")
        self._server = subprocess.Popen(
            [
                self._python or sys.executable, "-m", "jupyterlab",
                "--allow-root", "--no-browser", "--ServerApp.ip=127.0.0.1",
                f"--port={self._port}", "--ServerApp.port_retries=0", "--IdentityProvider.token=",
                "--ServerApp.password=", "--ServerApp.disable_check_xsrf=True", "--LabApp.news_url=None",
                "--LabApp.check_for_updates_class=jupyterlab.handlers.announcements.NeverCheckForUpdate",
                "--expose-app-in-browser", "--JupyterNotebookApp.expose_app_in_browser=True",
                f"--ServerApp.root_dir={self.folder}",
            ],
            env=env, stdout=self._log, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            self._wait_for_server()
            self._playwright = sync_playwright().start()
            self._browser = self._playwright.chromium.launch(executable_path=chromium_path(), args=list(_ARGS))
        except BaseException:
            self._stop()
            raise
        return self

    def _wait_for_server(self, seconds: float = 90.0) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until and self._server.poll() is None:
            with contextlib.suppress(OSError), urllib.request.urlopen(f"{self.base}/api", timeout=2):
                return
            time.sleep(0.1)
        log = (self._home / "server.log").read_text()[-2000:]
        raise RuntimeError(f"JupyterLab did not start:\n{log}")

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._browser is not None:
            self._browser.close()
            self._playwright.stop()
        self._stop()

    def _stop(self) -> None:
        self._server.terminate()
        try:
            self._server.wait(20)
        except subprocess.TimeoutExpired:
            self._server.kill()
        self._log.close()
        shutil.rmtree(self._home, ignore_errors=True)

    def open(self, name: str, *, app: str = "lab/tree", fresh: bool = False) -> NotebookPage:
        """Open a notebook of the folder and wait for its kernel. `app`: JupyterLab, or `notebooks` for Notebook 7.

        A JupyterLab that was left is taken before another is loaded, which costs five times as much; `fresh`: it is
        loaded all the same, for a test that counts what a page has fetched.
        """
        page = self._left_page() if app == "lab/tree" and not fresh else None
        if page is None:
            page = self.blank()
            page.on(
                "request",
                lambda r: None if r.url.startswith((self.base, "data:", "blob:")) else self.external.append(r.url),
            )
            page.goto(f"{self.base}/{app}/{name}?reset")
        else:
            page.evaluate(_OPEN, name)
        page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=90_000)
        page.wait_for_function(_IDLE, timeout=60_000)
        if app == "lab/tree":
            page.evaluate(_NO_SIDEBAR)
        self._open.append(NotebookPage(page))
        return self._open[-1]

    def _left_page(self) -> Page | None:
        while self._left:
            page = self._left.pop()
            if not page.is_closed():
                page.set_viewport_size(self.size)
                page.mouse.move(0, 0)
                return page
        return None

    @property
    def opened(self) -> list[NotebookPage]:
        """The notebooks that are open."""
        return list(self._open)

    def leave(self, notebook: NotebookPage) -> None:
        """End a notebook's kernel and views; its JupyterLab serves the next one."""
        self._open.remove(notebook)
        page = notebook.page
        if page.is_closed():
            return
        if f"{self.base}/lab" not in page.url:
            page.context.close()
            return
        notebook.theme(False)
        page.evaluate(_LEAVE)
        self._left.append(page)

    def blank(self) -> Page:
        """An empty page, its errors noted."""
        assert self._browser is not None
        context = self._browser.new_context(viewport=self.size, color_scheme="light")
        page = context.new_page()
        page.on("console", lambda m: self.errors.append(m.text[:500]) if m.type == "error" else None)
        page.on("dialog", lambda dialog: dialog.accept())  # "leave this page?"
        page.on("pageerror", lambda e: self.errors.append(str(e)[:500]))
        return page

    def close_pages(self) -> None:
        """Leave every notebook and end every kernel: what stays open goes on drawing beside the tests that follow."""
        for notebook in self.opened:
            self.leave(notebook)
        for context in list(self._browser.contexts) if self._browser is not None else []:
            if not any(page in self._left for page in context.pages):
                context.close()
        with urllib.request.urlopen(f"{self.base}/api/sessions", timeout=10) as answer:
            sessions = json.load(answer)
        for session in sessions:
            request = urllib.request.Request(f"{self.base}/api/sessions/{session['id']}", method="DELETE")
            with contextlib.suppress(OSError), urllib.request.urlopen(request, timeout=20):
                pass


class NotebookPage:
    """One notebook in the browser."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def run_all(self) -> None:
        """Run every cell; an error in one fails here with its text."""
        n = self.page.evaluate("() => jupyterapp.shell.currentWidget.content.widgets.length")
        for index in range(n):
            self.run_cell(index)

    def run_cell(self, index: int) -> list[dict[str, Any]]:
        """Run one cell and return its outputs."""
        if self.page.evaluate("(i) => jupyterapp.shell.currentWidget.content.widgets[i].model.type", index) != "code":
            return []
        outputs = self.page.evaluate(_RUN_CELL, index)
        for output in outputs:
            if output.get("output_type") == "error":
                raise AssertionError(f"cell {index}: {output['ename']}: {output['evalue']}")
        return outputs

    def python(self, code: str) -> str:
        """Run code in the notebook's kernel and return what it printed."""
        text = self.page.evaluate(_PYTHON, code)
        if "ERROR " in text:
            raise AssertionError(text)
        return text.strip()

    def locator(self, selector: str) -> Locator:
        """An element of a view; shadow roots are looked through."""
        return self.page.locator(selector)

    def theme(self, dark: bool) -> None:
        """JupyterLab's own light or dark theme."""
        if self.page.evaluate("(d) => document.body.dataset.jpThemeLight === String(!d)", dark):
            return
        name = "JupyterLab Dark" if dark else "JupyterLab Light"
        self.page.evaluate("(t) => jupyterapp.commands.execute('apputils:change-theme', {theme: t})", name)
        self.page.wait_for_function("(d) => document.body.dataset.jpThemeLight === String(!d)", arg=dark)
        self.settled()

    def settled(self, *, replay: bool = False) -> None:
        """Until kernel and page know the same and the page shows it; `replay`: a saved notebook shows it too."""
        self.page.evaluate(_SETTLED, {"replay": replay})

    def save(self) -> None:
        """Save the notebook, with what its views show without a kernel."""
        self.settled(replay=True)
        self.page.evaluate("() => jupyterapp.shell.currentWidget.context.save()")
