"""A notebook is saved, closed and opened again: what its cells' outputs show where there is no widget.

JupyterLab is in its default profile, which saves no state of widgets.
"""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest
from nbconvert import HTMLExporter
from playwright.sync_api import Page, expect

from .conftest import write_notebook
from .jupyter import Lab, NotebookPage

pytestmark = pytest.mark.browser

SETUP = "from tests.ui.scripted import scripted_session\nfrom xg2lab.widgets import *\nsession = scripted_session()"
VIEWS = ["Workbench(session)", "Tape(session)", "MaskLens(session)"]


@pytest.fixture(scope="module")
def saved(lab: Lab) -> NotebookPage:
    """A notebook with three views of a session that went on after they were shown; it was saved."""
    lab.errors.clear()
    cells = [SETUP, *VIEWS, "session.step(5)"]
    notebook = lab.open(write_notebook(lab.folder, "kept.ipynb", cells), fresh=True)
    notebook.run_all()
    notebook.settled()
    notebook.save()
    return notebook


def copied(lab: Lab, name: str, *, without: int | None = None, is_trusted: bool = True) -> Path:
    """A copy of the saved notebook; JupyterLab trusts outputs that it signed, whatever the file's name."""
    path = lab.folder / name
    notebook = nbformat.read(lab.folder / "kept.ipynb", as_version=4)
    if without is not None:
        del notebook.cells[without]
    if not is_trusted:
        notebook.cells[1].outputs[1].data["text/plain"] += " "
    nbformat.write(notebook, path)
    return path


def outputs(lab: Lab) -> list[str]:
    """The HTML outputs of the saved notebook."""
    notebook = json.loads((lab.folder / "kept.ipynb").read_text())
    found = [output.get("data", {}) for cell in notebook["cells"] for output in cell["outputs"]]
    return ["".join(data["text/html"]) for data in found if "text/html" in data]


def nothing_is_missed(page: Page) -> None:
    """JupyterLab's words for a widget that is not there are not seen."""
    for words in ("model not found", "Loading widget"):
        expect(page.get_by_text(words).filter(visible=True)).to_have_count(0)


def drawn(page: Page) -> None:
    """All three views are there, with their five steps, and nothing complains."""
    for name in ("workbench", "tape", "mask_lens"):
        expect(page.locator(f"[data-xg2lab={name}] [data-panel]").first).to_be_visible()
    expect(page.locator("[data-xg2lab=workbench] [data-offline]").first).to_be_visible()
    expect(page.locator("[data-xg2lab=workbench] .session")).to_contain_text("step 5 of 5")
    nothing_is_missed(page)


def test_while_widgets_show_the_views_their_outputs_are_hidden(saved: NotebookPage) -> None:
    expect(saved.page.locator("[data-xg2lab=tape]")).to_have_count(1)
    hidden = "() => [...document.querySelectorAll('.xg2lab-saved')].map((e) => e.offsetParent === null)"
    assert saved.page.evaluate(hidden) == [True] * 3
    # and their script has not opened the code of the views a second time
    assert saved.page.evaluate("() => globalThis[Symbol.for('xg2lab/page/1')].evaluations") == 1


def test_a_notebook_holds_the_code_once_and_the_recording_once(lab: Lab, saved: NotebookPage) -> None:
    html = outputs(lab)
    assert len(html) == 4
    assert sum("xg2lab-code" in text for text in html) == 1
    assert sum('data-part="trace"' in text for text in html) == 1
    assert (lab.folder / "kept.ipynb").stat().st_size < 400_000


def test_the_notebook_opened_again_draws_every_view(lab: Lab, saved: NotebookPage, shots: Path) -> None:
    lab.errors.clear()
    copied(lab, "again.ipynb")
    page = lab.open("again.ipynb", fresh=True).page
    drawn(page)
    # views share one selection, as live ones do
    tape = page.locator("[data-xg2lab=tape]")
    tape.locator("[data-panel=tape]").focus()
    page.keyboard.press("Shift+ArrowLeft")
    expect(page.locator("[data-xg2lab=workbench] .session")).to_contain_text("step 4 of 5")
    expect(page.locator("[data-xg2lab=mask_lens]")).to_contain_text("at step 4")
    page.locator("[data-xg2lab=workbench]").screenshot(path=str(shots / "saved-opened-again.png"))
    assert [e for e in lab.errors if "model not found" not in e] == []
    assert lab.external == []


def test_a_page_of_it_replays_without_jupyter_and_without_a_network(
    lab: Lab, saved: NotebookPage, tmp_path: Path
) -> None:
    html, _ = HTMLExporter().from_filename(str(copied(lab, "page.ipynb")))
    path = tmp_path / "page.html"
    path.write_text(html, encoding="utf-8")
    before = list(lab.external)
    page = lab.blank(offline=True)
    page.goto(path.as_uri())
    drawn(page)
    lab.external[:] = before  # nbconvert's own page asks for MathJax and require.js


def test_a_notebook_that_is_not_trusted_shows_the_facts_as_text(lab: Lab, saved: NotebookPage) -> None:
    copied(lab, "not_trusted.ipynb", is_trusted=False)
    page = lab.open("not_trusted.ipynb", fresh=True).page
    expect(page.locator(".jp-OutputArea pre:visible").filter(has_text="sampled").first).to_be_visible()
    expect(page.locator(".jp-OutputArea")).to_contain_text(["trust the notebook to see it drawn"] * 3)
    expect(page.locator("[data-xg2lab]")).to_have_count(0)
    nothing_is_missed(page)


def test_without_the_cell_that_held_the_recording_the_text_says_what_to_do(lab: Lab, saved: NotebookPage) -> None:
    copied(lab, "cut.ipynb", without=1)
    page = lab.open("cut.ipynb", fresh=True).page
    expect(page.locator(".xg2lab-saved:visible")).to_have_count(2)
    expect(page.locator(".xg2lab-saved").first).to_contain_text("run the cell")
    nothing_is_missed(page)


def test_the_cell_is_run_again_and_the_widget_takes_its_place(lab: Lab, saved: NotebookPage) -> None:
    copied(lab, "on.ipynb")
    notebook = lab.open("on.ipynb", fresh=True)
    drawn(notebook.page)
    for cell in (0, 2):
        notebook.run_cell(cell)
    notebook.settled()
    tape = notebook.page.locator("[data-xg2lab=tape]")
    expect(tape).to_have_count(1)
    expect(tape.locator(".transport button:has-text('step')")).to_be_enabled()
    # the output that holds code and recording is that of the cell that was run: the others show the old recording
    expect(notebook.page.locator("[data-xg2lab=workbench] .session")).to_contain_text("step 5 of 5")


def test_after_a_reload_a_new_cell_keeps_the_session_as_it_is(lab: Lab) -> None:
    cells = [SETUP, "Tape(session)", "MaskLens(session)", "session.step(2)", "Tape(session)"]
    notebook = lab.open(write_notebook(lab.folder, "reloaded.ipynb", cells), fresh=True)
    for cell in range(4):
        notebook.run_cell(cell)
    notebook.settled()
    notebook.save()
    notebook.page.reload()
    expect(notebook.page.locator("[data-xg2lab=tape] .step-field input, [data-xg2lab=tape]").first).to_be_visible()
    note = notebook.page.get_by_text("as it was before the page was reloaded").filter(visible=True)
    notebook.python("session.step(2)")
    expect(note).to_have_count(1)  # below the view whose output holds the recording
    notebook.run_cell(4)
    expect(note).to_have_count(0)
    notebook.settled()
    notebook.save()
    (lab.folder / "reloaded_again.ipynb").write_bytes((lab.folder / "reloaded.ipynb").read_bytes())
    page = lab.open("reloaded_again.ipynb", fresh=True).page
    # the newest recording is that of all views, also of those above it
    for name in ("tape", "mask_lens"):
        expect(page.locator(f"[data-xg2lab={name}]").first).to_be_visible()
    expect(page.locator("[data-xg2lab=tape] .head").first).to_contain_text("4 tokens")
    expect(page.locator("[data-xg2lab=mask_lens]")).to_contain_text("at step 4")
