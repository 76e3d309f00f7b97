"""Views in tabs of JupyterLab and in its right sidebar: opened from Python and from a view's head, closed, restored.

A real JupyterLab with the extension that the set-up has linked into `.venv`. `tests/tools/test_wheel.py` has the one
that a wheel installs.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from .conftest import write_notebook
from .jupyter import Lab, NotebookPage
from .one_view import looks

pytestmark = pytest.mark.browser

SETUP = """from tests.ui.scripted import scripted_session
from xg2lab.widgets import *
session = scripted_session()
steps = session.step(3)"""
OPEN = 'Workbench(session).open("tab")'
MASK = 'MaskLens(session).open("tab")'
TABS = """() => [...jupyterapp.shell.widgets('main'), ...jupyterapp.shell.widgets('right')]
  .filter((w) => w.id.startsWith('xg2lab-')).map((w) => [w.title.label, w.isVisible])"""
TO_NOTEBOOK = """() => jupyterapp.shell.activateById([...jupyterapp.shell.widgets('main')].find((w) => w.context).id)"""
#: Runs a cell without taking the notebook from the front tab.
RUN = """async (i) => {
  const panel = [...jupyterapp.shell.widgets('main')].find((w) => w.context);
  jupyterapp.shell.activateById(panel.id);
  panel.content.activeCellIndex = i;
  panel.content.deselectAll();
  await jupyterapp.commands.execute('notebook:run-cell');
}"""
PYTHON = """async (code) => {
  const panel = [...jupyterapp.shell.widgets('main')].find((w) => w.context);
  const future = panel.sessionContext.session.kernel.requestExecute({code, store_history: false});
  let text = '';
  future.onIOPub = (m) => { text += m.content.text ?? (m.content.ename ? m.content.ename + m.content.evalue : ''); };
  await future.done;
  return text.trim();
}"""


class Opened:
    """A notebook with views of one session, whichever tab is in front."""

    def __init__(self, notebook: NotebookPage) -> None:
        self.notebook, self.page = notebook, notebook.page

    @property
    def in_tab(self) -> Locator:
        """The views that are drawn in tabs and sidebars."""
        return self.page.locator("[data-xg2lab][data-here]")

    @property
    def in_cells(self) -> Locator:
        """The boxes of views in cells."""
        return self.page.locator(".jp-Notebook [data-xg2lab]")

    def run(self, cell: int) -> None:
        self.page.evaluate(RUN, cell)

    def python(self, code: str) -> str:
        return str(self.page.evaluate(PYTHON, code))

    def tabs(self) -> list[Any]:
        """Title of each tab, and whether it is seen."""
        return self.page.evaluate(TABS)

    def to_notebook(self) -> None:
        self.page.evaluate(TO_NOTEBOOK)


@pytest.fixture
def opened(lab: Lab) -> Iterator[Opened]:
    """A notebook whose workbench is in a tab."""
    lab.errors.clear()
    lab.external.clear()
    notebook = lab.open(write_notebook(lab.folder, "tabs.ipynb", [SETUP, OPEN, "Tape(session)", MASK]))
    on = Opened(notebook)
    on.run(0)
    on.run(1)
    expect(on.in_tab.locator("[data-panel=tape]")).to_be_visible()
    yield on
    assert lab.errors == []
    assert lab.external == []


def test_a_view_opens_in_a_tab_that_has_the_focus_and_fills_it(opened: Opened) -> None:
    assert opened.tabs() == [["Workbench: weather", True]]
    sizes = opened.in_tab.evaluate(
        "(e) => [e, e.closest('.lm-Widget')].map(({clientWidth, clientHeight}) => [clientWidth, clientHeight])"
    )
    assert sizes[0] == sizes[1]
    assert sizes[0][1] > 700
    expect(opened.in_tab.locator(".session")).to_contain_text("step 3 of 3")
    opened.page.keyboard.press("ArrowRight")
    expect(opened.in_tab.locator(".session")).to_contain_text("step 4 of 4")
    assert opened.python("print(session.trace.n_decided)") == "4"


def test_a_single_view_takes_the_height_of_its_tab(opened: Opened) -> None:
    opened.run(3)
    mask = opened.page.locator("[data-xg2lab=mask_lens][data-here=tab]")
    expect(mask.locator("canvas").first).to_be_visible()
    tab, panel = mask.evaluate("""(e) => [e.closest('.lm-Widget'), e.shadowRoot.querySelector('.panel')]
      .map((one) => one.getBoundingClientRect().height)""")
    assert abs(tab - panel) <= 4  # hairlines round the view and its tab
    mask.get_by_role("button", name="Show in the cell again").click()
    expect(mask).to_have_count(0)
    expect(opened.in_cells.locator("[data-panel=mask-lens]")).to_be_visible()


def test_the_cell_says_where_the_view_is_and_shows_it_when_the_tab_is_closed(opened: Opened) -> None:
    opened.to_notebook()
    line = opened.in_cells.locator("[data-elsewhere=tab]")
    expect(line).to_contain_text("Workbench is open in a tab of its own.")
    expect(opened.in_cells.locator("[data-panel]")).to_have_count(0)
    line.get_by_role("button", name="bring to front").click()
    assert opened.tabs() == [["Workbench: weather", True]]
    opened.page.locator(".lm-TabBar-tab.lm-mod-current .lm-TabBar-tabCloseIcon").click()
    expect(opened.in_tab).to_have_count(0)
    expect(opened.in_cells.locator("[data-panel=tape]")).to_be_visible()
    assert opened.tabs() == []
    # and from the view in its cell into a tab again, and back
    opened.in_cells.get_by_role("button", name="Open in a tab").first.click()
    expect(opened.in_tab.locator("[data-panel=tape]")).to_be_visible()
    opened.in_tab.get_by_role("button", name="Show in the cell again").click()
    expect(opened.in_tab).to_have_count(0)
    expect(opened.in_cells.locator("[data-panel=tape]")).to_be_visible()


def test_what_is_open_comes_to_front_and_moves_between_areas(opened: Opened) -> None:
    opened.run(1)
    expect(opened.in_tab.locator("[data-panel=tape]")).to_be_visible()
    assert opened.tabs() == [["Workbench: weather", True]]
    opened.to_notebook()
    opened.page.evaluate("() => jupyterapp.commands.execute('xg2lab:open-in-sidebar')")
    expect(opened.page.locator("#jp-right-stack [data-xg2lab=workbench]")).to_be_visible()
    assert opened.tabs() == [["Workbench: weather", True]]
    expect(opened.in_cells.locator("[data-elsewhere=right]")).to_contain_text("is open in the right sidebar")
    expect(opened.in_tab).to_have_count(1)
    # views of a session share it, wherever they are
    opened.run(2)
    opened.in_cells.locator("[data-panel=tape]").focus()
    opened.page.keyboard.press("ArrowRight")
    expect(opened.in_tab.locator(".session")).to_contain_text("step 4 of 4")
    opened.in_tab.get_by_role("button", name="Show in the cell again").click()
    expect(opened.in_tab).to_have_count(0)


def test_a_reloaded_page_restores_tabs_and_leaves_closed_ones_closed(opened: Opened) -> None:
    page = opened.page
    opened.to_notebook()
    page.evaluate("() => jupyterapp.shell.currentWidget.context.save()")

    def reload() -> None:
        page.reload()
        page.wait_for_selector(".jp-Notebook .jp-Cell")
        expect(opened.in_cells).to_have_count(1)

    reload()
    expect(opened.in_cells.locator("[data-elsewhere=tab]")).to_be_visible()
    assert opened.tabs() == [["Workbench: weather", False]]  # behind the notebook
    opened.in_cells.get_by_role("button", name="show here").click()
    expect(opened.in_cells.locator("[data-panel=tape]")).to_be_visible()
    reload()
    expect(opened.in_cells.locator("[data-panel=tape]")).to_be_visible()
    assert opened.tabs() == []


def test_after_a_restart_the_tab_says_that_no_kernel_answers_and_is_used_again(opened: Opened) -> None:
    restart = "async () => [...jupyterapp.shell.widgets('main')].find((w) => w.context).sessionContext.restartKernel()"
    opened.page.evaluate(restart)
    expect(opened.in_tab.locator(".session")).to_contain_text("recorded")
    assert opened.tabs() == [["Workbench: weather", True]]
    opened.run(0)
    opened.run(1)
    expect(opened.in_tab.locator(".session")).to_contain_text("idle, step 3 of 3")
    assert opened.tabs() == [["Workbench: weather", True]]
    opened.to_notebook()
    expect(opened.in_cells.locator("[data-elsewhere=tab]")).to_be_visible()


def test_a_closed_notebook_closes_its_tabs(opened: Opened) -> None:
    opened.page.evaluate(
        "async () => { const w = [...jupyterapp.shell.widgets('main')].find((w) => w.context);"
        " await w.context.save(); await w.sessionContext.shutdown(); w.dispose(); }"  # as after "close without saving?"
    )
    expect(opened.in_tab).to_have_count(0)
    assert opened.tabs() == []
    opened.page.close()


def test_the_launchers_card_opens_a_notebook_with_a_running_workbench(lab: Lab) -> None:
    lab.errors.clear()
    notebook = lab.open(write_notebook(lab.folder, "any.ipynb", ["1"]))
    page = notebook.page
    page.evaluate("async () => void (await jupyterapp.commands.execute('launcher:create'))")
    # the page may have served other tests, and has then other Launchers behind this one
    card = page.locator(".jp-LauncherCard:visible", has_text="xg2lab workbench")
    expect(card.locator("img")).to_be_visible()
    card.click()
    workbench = page.locator(".jp-Notebook [data-xg2lab=workbench]")
    expect(workbench.locator("[data-panel=tape]")).to_be_visible()
    page.locator(".jp-Notebook [data-panel=tape]").focus()
    page.keyboard.press("ArrowRight")
    expect(workbench.locator(".session")).to_contain_text("step 1 of 1")
    notebook.settled()
    assert lab.errors == []


def test_the_palette_offers_what_the_notebook_has(opened: Opened) -> None:
    is_enabled = "(id) => jupyterapp.commands.isEnabled(id)"
    page = opened.page
    opened.to_notebook()
    assert page.evaluate(is_enabled, "xg2lab:open-in-tab")
    labels = [page.evaluate("(id) => jupyterapp.commands.label(id)", f"xg2lab:{name}") for name in ("open-in-tab", "open-in-sidebar", "new-workbench")]  # fmt: skip # noqa: E501
    assert labels == ["Open the View in a Tab", "Open the View in the Right Sidebar", "xg2lab workbench"]
    palette_opens(page, "Open the View in a Tab")
    assert opened.tabs() == [["Workbench: weather", True]]
    opened.in_tab.get_by_role("button", name="Show in the cell again").click()
    opened.to_notebook()
    page.evaluate("() => jupyterapp.commands.execute('notebook:clear-all-cell-outputs')")
    expect(opened.in_cells).to_have_count(0)
    assert not page.evaluate(is_enabled, "xg2lab:open-in-tab")


def palette_opens(page: Page, label: str) -> None:
    """Choose a command in the palette, as a reader does."""
    page.evaluate("() => jupyterapp.commands.execute('apputils:activate-command-palette')")
    page.locator("#command-palette input, #modal-command-palette input").first.fill(label)
    page.locator(".lm-CommandPalette-item", has_text=label).first.click()


def test_without_the_extension_the_view_stays_in_its_cell_and_says_what_is_missing(lab: Lab) -> None:
    plain = lab.show([SETUP, OPEN])
    plain.run_all()
    view = plain.locator("[data-xg2lab=workbench]")
    expect(view.locator("[data-panel=tape]")).to_be_visible()
    expect(view.locator(".notice.hint")).to_contain_text(
        "This page has no tabs for views. JupyterLab has, with xg2lab installed beside it."
    )
    expect(view.get_by_role("button", name="Open in a tab")).to_have_count(0)


def test_notebook_7_has_no_areas_and_misses_nothing(lab: Lab) -> None:
    lab.errors.clear()
    notebook = lab.open(write_notebook(lab.folder, "seven.ipynb", [SETUP, OPEN]), app="notebooks")
    notebook.run_all()
    view = notebook.locator("[data-xg2lab=workbench]")
    expect(view.locator("[data-panel=tape]")).to_be_visible()
    expect(view.locator(".notice.hint")).to_be_visible()
    assert notebook.page.evaluate("() => jupyterapp.isPluginActivated('xg2lab:plugin')")
    assert [error for error in lab.errors if "xg2lab" in error] == []  # Notebook 7 has some of its own as it opens


@looks(1440)
def test_screenshots(opened: Opened, shots: Path, dark: bool, width: int) -> None:
    opened.page.set_viewport_size({"width": width, "height": 900})
    theme = "JupyterLab Dark" if dark else "JupyterLab Light"
    opened.page.evaluate("(theme) => jupyterapp.commands.execute('apputils:change-theme', {theme})", theme)
    opened.page.wait_for_function("(d) => document.body.dataset.jpThemeLight === String(!d)", arg=dark)
    opened.notebook.settled()
    name = f"lab_extension-{width}-{'dark' if dark else 'light'}"
    opened.page.screenshot(path=str(shots / f"{name}-tab.png"))
    opened.to_notebook()
    opened.page.evaluate("() => jupyterapp.commands.execute('xg2lab:open-in-sidebar')")
    expect(opened.page.locator("#jp-right-stack [data-xg2lab=workbench]")).to_be_visible()
    opened.notebook.settled()
    opened.page.screenshot(path=str(shots / f"{name}-right.png"))
    opened.page.evaluate("async () => void (await jupyterapp.commands.execute('launcher:create'))")
    expect(opened.page.locator(".jp-LauncherCard", has_text="xg2lab").last).to_be_visible()
    opened.page.screenshot(path=str(shots / f"{name}-launcher.png"))
    opened.page.evaluate("() => jupyterapp.shell.currentWidget.close()")
    opened.to_notebook()
    opened.in_cells.get_by_role("button", name="show here").click()
    expect(opened.in_tab).to_have_count(0)
