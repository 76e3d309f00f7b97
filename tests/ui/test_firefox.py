"""Firefox shows what Chromium shows: an exported page from disk, and a workbench with its kernel in JupyterLab."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.browser import find_firefox

from .bidi import Firefox, FirefoxPage
from .conftest import write_notebook
from .jupyter import Lab
from .scripted import scripted_session

pytestmark = pytest.mark.browser

SETUP = "from tests.ui.scripted import scripted_session\nfrom xg2lab.widgets import *\nsession = scripted_session()"
_RUN_ALL = """async () => {
  await jupyterapp.restored;
  const panel = jupyterapp.shell.currentWidget;
  await panel.context.ready;
  await panel.sessionContext.ready;
  await jupyterapp.commands.execute('notebook:run-all-cells');
}"""
_PYTHON = """async (code) => {
  const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const future = kernel.requestExecute({code, store_history: false});
  let text = '';
  future.onIOPub = (m) => { text += m.content.text ?? m.content.evalue ?? ''; };
  await future.done;
  return text;
}"""
#: Views that have something to show of a scripted session, with what each draws.
DRAWN = {
    "tape": "svg",
    "mask-lens": "canvas",
    "why-card": "[data-reason]",
    "chart-view": "svg",
    "fsm-view": "svg.fsm",
    "dist-view": ".dist-row",
    "cache-view": "[role=slider]",
}


@pytest.fixture(scope="module")
def firefox() -> Iterator[Firefox]:
    """The browser."""
    path = find_firefox()
    if path is None:
        pytest.skip("no Firefox on this machine (set FIREFOX to one)")
    with Firefox(path) as browser:
        yield browser


def stands_at(page: FirefoxPage, step: int, of: int) -> None:
    """Until the workbench says that it stands at this step."""
    page.shows(".session", f"step {step} of {of}")


def in_front(page: FirefoxPage, panel: str) -> None:
    """The pane of that panel, or its tab in front."""
    page.evaluate("(view) => deep(`[role=tab][data-view=${view}]`)?.click()", panel.replace("-", "_"))
    page.until("(panel) => deep(panel) != null", f"[data-panel={panel}]")


def asks_why(page: FirefoxPage, shots: Path, name: str) -> None:
    """At step 3 the model wants a blocked token most: it is clicked, and its reason appears."""
    in_front(page, "dist-view")
    page.click(".dist-view .pick")
    page.until("() => deep('.subject')?.dataset.allowed === 'false'")
    assert page.text("[data-reason]")
    page.screenshot(shots / f"firefox-{name}.png")


def test_an_exported_page_scrubs_and_explains(firefox: Firefox, tmp_path: Path, shots: Path) -> None:
    from xg2lab.widgets import export_html

    session = scripted_session(name="lesson")
    session.step(9)
    firefox.errors.clear()
    page = firefox.page(width=1440, height=900)
    page.goto(export_html(session, tmp_path / "lesson.html", views=("workbench",)).as_uri())
    stands_at(page, 9, 9)
    page.focus("[data-panel=tape]")
    page.press(*["ArrowLeft"] * 7)
    stands_at(page, 2, 9)
    page.press("ArrowRight")
    stands_at(page, 3, 9)
    asks_why(page, shots, "export")
    assert firefox.errors == []


def test_in_jupyterlab_it_steps_selects_and_explains(firefox: Firefox, lab: Lab, shots: Path) -> None:
    name = write_notebook(lab.folder, "firefox.ipynb", [SETUP, "Workbench(session)"])
    firefox.errors.clear()
    page = firefox.page(width=1440, height=900)
    page.goto(f"{lab.base}/lab/tree/{name}?reset")
    page.until("() => globalThis.jupyterapp?.shell?.currentWidget?.sessionContext !== undefined")
    page.evaluate(_RUN_ALL)
    stands_at(page, 0, 0)
    page.until("() => !deep('.topbar')?.querySelector('button:disabled[data-key=right]')")
    page.focus("[data-panel=tape]")
    page.press("ArrowRight")
    stands_at(page, 1, 1)
    page.press("ArrowRight", "ArrowRight")
    stands_at(page, 3, 3)
    assert page.evaluate(_PYTHON, "print(session.trace.n_decided)").strip() == "3"
    asks_why(page, shots, "jupyterlab")
    for panel, drawn in DRAWN.items():
        in_front(page, panel)
        page.until("(panel, drawn) => (deep(panel)?.querySelectorAll(drawn).length ?? 0) > 0",
                   f"[data-panel={panel}]", drawn)  # fmt: skip
    page.press("Shift+ArrowLeft")
    stands_at(page, 2, 3)
    assert [e for e in firefox.errors if "xg2lab" in e or "TypeError" in e] == []
