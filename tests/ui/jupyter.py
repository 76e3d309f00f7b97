"""A real Jupyter server and a real Chromium for the browser tests.

    with Lab(folder) as lab:
        page = lab.open("notebook.ipynb")        # in JupyterLab, with a kernel of its own
        page = lab.show([SETUP, "Tape(session)"])  # the same cells on a plain page, which is there at once
        page.run_all()
        page.python("session.step()")      # in the kernel
        page.locator("[data-panel=tape]")  # Playwright pierces the views' shadow roots

The server is private: its own settings, data and port, no token, no news, no extensions of the user's. Every request of
a page that doesn't go to it is noted in `external`, every console error in `errors`.
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

from playwright.sync_api import Browser, Page, sync_playwright

from .page import PATIENCE_S, HostedPage
from .plain import PlainPage, page_text

__all__ = ["ARGS", "Lab", "NotebookPage", "chromium_path"]

ROOT = Path(__file__).resolve().parents[2]
ARGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
)  # fmt: skip
_SETTINGS: dict[str, dict[str, Any]] = {
    "@jupyterlab/apputils-extension/notification": {"doNotDisturbMode": True},
    "@jupyterlab/docmanager-extension/plugin": {"autosave": False},
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
_OPEN = """async (path) => {
  const opened = await jupyterapp.commands.execute('docmanager:open', {path, factory: 'Notebook'});
  await opened.context.ready;
  await opened.sessionContext.ready;
  jupyterapp.shell.activateById(opened.id);
}"""
# What the page asked for is answered before the kernel goes: JupyterLab does not tell the models that it has gone.
_LEAVE = """async () => {
  document.body.style.height = '';
  await globalThis[Symbol.for('xg2lab/page/1')]?.settled?.().catch(() => undefined);
  for (const widget of [...jupyterapp.shell.widgets('main')]) {
    await widget.sessionContext?.shutdown();
    widget.dispose();
  }
  for (const key of Object.keys(localStorage)) if (key.startsWith('xg2lab/')) localStorage.removeItem(key);
}"""
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
        self._open: list[NotebookPage | PlainPage] = []
        self._left: list[Page] = []  # JupyterLab without a notebook
        self._kernels: list[str] = []  # those of plain pages that were left

    def __enter__(self) -> Self:
        with contextlib.closing(socket.socket()) as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.base = f"http://127.0.0.1:{self._port}"
        for plugin, values in _SETTINGS.items():
            path = self._home / "settings" / f"{plugin}.jupyterlab-settings"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(values))
        (self._home / "static").mkdir()
        (self._home / "static" / "plain.html").write_text(page_text(), encoding="utf-8")
        homes = {"JUPYTER_CONFIG_DIR": "config", "JUPYTERLAB_SETTINGS_DIR": "settings", "JUPYTER_DATA_DIR": "data"}
        homes |= {"JUPYTERLAB_WORKSPACES_DIR": "workspaces", "IPYTHONDIR": "ipython"}
        env = dict(os.environ) | {name: str(self._home / folder) for name, folder in homes.items()} | self._env
        env["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, [env.get("PYTHONPATH")])])
        if self._python is not None:
            del env["PYTHONPATH"]
        env["JUPYTER_CONFIG_PATH"] = str(ROOT / "tools" / "jupyter")  # as `make lab` has it
        env["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
        self._log = (self._home / "server.log").open("w")
        self._server = subprocess.Popen(
            [
                self._python or sys.executable, "-m", "jupyterlab",
                "--allow-root", "--no-browser", "--ServerApp.ip=127.0.0.1",
                f"--port={self._port}", "--ServerApp.port_retries=0", "--IdentityProvider.token=",
                "--ServerApp.password=", "--ServerApp.disable_check_xsrf=True",
                "--expose-app-in-browser", "--JupyterNotebookApp.expose_app_in_browser=True",
                f"--ServerApp.root_dir={self.folder}",
                f"--ServerApp.extra_static_paths=['{self._home / 'static'}']",
            ],
            env=env, stdout=self._log, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            self._wait_for_server()
            self._playwright = sync_playwright().start()
            self._browser = self._playwright.chromium.launch(executable_path=chromium_path(), args=ARGS)
        except BaseException:
            self._stop()
            raise
        return self

    def _wait_for_server(self) -> None:
        until = time.monotonic() + PATIENCE_S
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

    def open(
        self,
        name: str,
        *,
        app: str = "lab/tree",
        fresh: bool = False,
        sidebar: bool = False,
        size: dict[str, int] | None = None,
    ) -> NotebookPage:
        """Open a notebook of the folder and wait for its kernel. `app`: JupyterLab, or `notebooks` for Notebook 7.

        `sidebar`: the left one stays open, as JupyterLab has it. `size`: of the window, if not the server's.

        A JupyterLab that was left is taken before another is loaded, which costs five times as much; `fresh`: it is
        loaded all the same, for a test that counts what a page has fetched.
        """
        page = self._left_page() if app == "lab/tree" and not fresh else None
        if page is None:
            page = self.blank(**({} if size is None else {"viewport": size}))
            page.goto(f"{self.base}/{app}/{name}?reset")
        else:
            page.evaluate(_OPEN, name)
        page.wait_for_selector(".jp-Notebook .jp-Cell")
        page.wait_for_function(_IDLE)
        if app == "lab/tree" and not sidebar:
            page.evaluate(_NO_SIDEBAR)
        notebook = NotebookPage(page)
        self._open.append(notebook)
        return notebook

    def _left_page(self) -> Page | None:
        while self._left:
            page = self._left.pop()
            if not page.is_closed():
                page.set_viewport_size(self.size)
                page.mouse.move(0, 0)
                return page
        return None

    def show(self, cells: list[str], *, fresh: bool = False) -> PlainPage:
        """A plain page of cells. Its kernel has served other pages, of which nothing is left but imported modules.

        `fresh`: nobody has used the kernel before, nor does anybody after, for a test of what a process holds.
        """
        kernel = self._kernels.pop() if self._kernels and not fresh else self._started_kernel()
        page = self._plain(cells, kernel, is_kept=not fresh)
        page.page.evaluate("(kernel) => connected(kernel)", kernel)
        return page

    def replay(self, saved: str) -> PlainPage:
        """A plain page without a kernel that shows what another one `saved()`."""
        page = self._plain([], None)
        page.page.evaluate("(saved) => replayed(saved)", saved)
        return page

    def _plain(self, cells: list[str], kernel: str | None, *, is_kept: bool = False) -> PlainPage:
        page = self.blank()
        page.goto(f"{self.base}/static/plain.html")
        self._open.append(PlainPage(page, list(cells), kernel, is_kept=is_kept))
        return self._open[-1]  # type: ignore[return-value]

    def _started_kernel(self) -> str:
        return str(self._api("kernels", "POST", {"name": "python3"})["id"])

    def _api(self, path: str, method: str = "GET", body: object = None) -> Any:
        """A call of the server's REST interface."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.base}/api/{path}", data, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    @property
    def opened(self) -> list[NotebookPage | PlainPage]:
        """The pages that are open."""
        return list(self._open)

    def leave(self, hosted: NotebookPage | PlainPage) -> None:
        """End a page: its JupyterLab serves the next notebook, a plain page's kernel the next plain page."""
        self._open.remove(hosted)
        page = hosted.page
        if isinstance(hosted, PlainPage):
            self._leave_plain(hosted)
            return
        if page.is_closed():
            return
        if f"{self.base}/lab" not in page.url:
            page.context.close()
            return
        hosted.theme(False)
        page.evaluate(_LEAVE)
        self._left.append(page)

    def _leave_plain(self, plain: PlainPage) -> None:
        is_kept = plain.is_kept and not plain.page.is_closed()
        if is_kept:
            plain.clean()
        if not plain.page.is_closed():
            plain.page.context.close()
        if is_kept and plain.kernel is not None:
            self._kernels.append(plain.kernel)
        elif plain.kernel is not None:
            self._api(f"kernels/{plain.kernel}", "DELETE")

    def blank(self, *, offline: bool = False, **options: Any) -> Page:
        """An empty page in a context of its own, its errors noted; `offline`: without any network."""
        assert self._browser is not None
        known: dict[str, Any] = {"viewport": self.size, "color_scheme": "light", "offline": offline} | options
        page = self._browser.new_context(**known).new_page()
        page.set_default_timeout(1000 * PATIENCE_S)
        page.on("console", lambda m: self.errors.append(m.text[:500]) if m.type == "error" else None)
        page.on("dialog", lambda dialog: dialog.accept())  # "leave this page?"
        page.on("pageerror", lambda e: self.errors.append(str(e)[:500]))
        page.on("request", lambda r: None if r.url.startswith(self._own) else self.external.append(r.url))
        return page

    @property
    def _own(self) -> tuple[str, ...]:
        return (self.base, self.base.replace("http", "ws"), "data:", "blob:", "file:", "about:")

    def close_pages(self) -> None:
        """Leave every page and end every notebook's kernel: what stays open goes on drawing beside later tests."""
        for hosted in self.opened:
            self.leave(hosted)
        for context in list(self._browser.contexts) if self._browser is not None else []:
            if not any(page in self._left for page in context.pages):
                context.close()
        for session in self._api("sessions"):
            with contextlib.suppress(OSError):
                self._api(f"sessions/{session['id']}", "DELETE")


class NotebookPage(HostedPage):
    """One notebook in JupyterLab or Notebook 7."""

    hides_overflow = True

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

    def theme(self, dark: bool) -> None:
        """JupyterLab's own light or dark theme."""
        if self.page.evaluate("(d) => document.body.dataset.jpThemeLight === String(!d)", dark):
            return
        name = "JupyterLab Dark" if dark else "JupyterLab Light"
        self.page.evaluate("(t) => jupyterapp.commands.execute('apputils:change-theme', {theme: t})", name)
        self.page.wait_for_function("(d) => document.body.dataset.jpThemeLight === String(!d)", arg=dark)
        self.settled()

    def save(self) -> None:
        """Save the notebook, with what its views show without a kernel."""
        self.settled(replay=True)
        self.page.evaluate("() => jupyterapp.shell.currentWidget.context.save()")
