"""What a newcomer does with the first notebook: run all, step by key and by click, pick a blocked token, read why.

A real JupyterLab, a real Chromium, the shipped notebook, engine and model. The page's DOM and the session in the kernel
are asserted side by side. What each view does in detail is tested with a scripted model in `test_workbench.py`.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from .jupyter import ROOT, Lab, NotebookPage
from .one_view import looks

pytestmark = pytest.mark.browser

NOTEBOOK = ROOT / "notebooks" / "00_start_here.ipynb"
PICTURE = ROOT / "docs" / "images" / "replay.svg"
#: Each alone in a cell, of one session; the workbench of the first cell is of another.
VIEWS = ("tape", "mask_lens", "why_card", "chart_view", "fsm_view")


@pytest.fixture(scope="module")
def notebook(lab: Lab) -> NotebookPage:
    """A copy of the notebook, every cell run; its session of the views is called `lab`."""
    for folder in ("notebooks", "docs/images"):  # its picture lies beside it as in the repository
        (lab.folder / folder).mkdir(parents=True, exist_ok=True)
    shutil.copy(NOTEBOOK, lab.folder / "notebooks")
    shutil.copy(PICTURE, lab.folder / "docs" / "images")
    lab.errors.clear()
    lab.external.clear()
    page = lab.open(f"notebooks/{NOTEBOOK.name}", fresh=True)
    expect(page.locator(".jp-RenderedMarkdown img").first).to_be_visible()
    before_any_cell_ran = page.locator(".jp-RenderedMarkdown img").first.evaluate(
        "e => e.decode().then(() => e.naturalWidth)"
    )
    assert before_any_cell_ran == 760
    page.run_all()
    for view in ("workbench", *VIEWS):
        expect(page.locator(f"[data-xg2lab={view}] .panel").first).to_be_visible()
    return page


def ask(notebook: NotebookPage, expression: str) -> Any:
    """A value of the kernel, by way of JSON."""
    return json.loads(notebook.python(f"import json; print(json.dumps({expression}))"))


def wait_for_steps(notebook: NotebookPage, n: int) -> None:
    """Until the tape shows n decided tokens and Python has as many."""
    expect(notebook.locator("[data-xg2lab=tape] .readout")).to_contain_text(f"{n} tokens")
    assert ask(notebook, "lab.trace.n_decided") == n


def test_five_steps_by_key_and_by_click(notebook: NotebookPage) -> None:
    tape = notebook.locator("[data-xg2lab=tape]")
    tape.locator(".panel").focus()
    before = ask(notebook, "lab.trace.n_decided")
    for n in range(1, 4):
        notebook.page.keyboard.press("ArrowRight")
        wait_for_steps(notebook, before + n)
    for n in range(4, 6):
        tape.get_by_role("button", name="step").click()
        wait_for_steps(notebook, before + n)
    newest = tape.locator(".tape-columns svg")
    for step in ask(notebook, "[s.byte_begin for s in lab.trace.steps[-3:]]"):
        expect(newest).to_contain_text(str(step))


def test_a_click_on_a_rejected_token_is_explained(notebook: NotebookPage) -> None:
    rejected = "numpy.where(numpy.isin(lab.provenance(), (0, 3)), lab.probabilities(), -1)"
    token = int(notebook.python(f"import numpy; print({rejected}.argmax())"))
    order = "from xg2lab.widgets.replay import vocabulary_of"
    rank = int(notebook.python(f"{order}\nprint(list(vocabulary_of(lab.tokenizer_info).order).index({token}))"))
    canvas = notebook.locator("[data-xg2lab=mask_lens] canvas[data-mask]")
    cell, columns = (int(canvas.get_attribute(f"data-{name}") or 0) for name in ("cell", "columns"))
    canvas.click(position={"x": (rank % columns + 0.5) * cell, "y": (rank // columns + 0.5) * cell})

    why = ask(notebook, f"lab.explain({token}, lab.trace.pending.index)")
    assert not why["allowed"]
    card = notebook.locator("[data-xg2lab=why_card]")
    expect(card.locator(".subject")).to_have_attribute("data-token", str(token))
    expect(card.locator(".subject")).to_have_attribute("data-allowed", "false")
    expect(card.locator("[data-reason]")).to_contain_text(why["reason"])
    expect(card.locator("[data-mechanism]")).to_have_attribute("data-mechanism", why["mechanism"])
    expect(card.locator(".walk-step.dead")).to_have_count(1)
    expect(card.locator(f"[data-source='{why['expected_by'][0]['line']}']").first).to_be_visible()
    expect(notebook.locator("[data-xg2lab=chart_view] .body svg")).to_contain_text("dead")
    notebook.settled()
    assert ask(notebook, "lab.selection['token']") == token


def test_one_bundle_serves_all_views_and_one_session_those_below(notebook: NotebookPage) -> None:
    counters = notebook.page.evaluate(
        "() => { const {theme, ...page} = globalThis[Symbol.for('xg2lab/page/1')]; return page; }"
    )
    assert counters["evaluations"] == 1
    assert counters["mounted"] == len(VIEWS) + 1
    assert counters["stores"] == 2
    assert counters["assets_fetched"] <= 2  # the editor and Graphviz, each once


def test_running_cells_again_makes_nothing_new(notebook: NotebookPage) -> None:
    count = "from ipywidgets.widgets.widget import _instances; print(len(_instances))"
    before = notebook.python(count)
    cells = notebook.page.evaluate(
        "() => jupyterapp.shell.currentWidget.content.widgets.map((c, i) => [i, c.model.sharedModel.source])"
        ".filter(([, s]) => /^(MaskLens|ChartView|FsmView)\\(\\w+\\)$/m.test(s)).map(([i]) => i)"
    )
    assert len(cells) == 3
    for index in cells:
        notebook.run_cell(index)
    expect(notebook.locator("[data-xg2lab]")).to_have_count(len(VIEWS) + 1)
    assert notebook.python(count) == before


def test_a_session_made_again_is_shown_by_the_views_there_are(notebook: NotebookPage) -> None:
    count = "from ipywidgets.widgets.widget import _instances; print(len(_instances))"
    before = notebook.python(count)
    notebook.python(
        "lab = xgr.Session(lab.compiled, model=model, name='lab', **settings); lab.step(2); Tape(lab); FsmView(lab)"
    )
    wait_for_steps(notebook, 2)
    assert notebook.python(count) == before


@looks(1600, 700)
def test_screenshots(notebook: NotebookPage, shots: Path, dark: bool, width: int) -> None:
    notebook.page.set_viewport_size({"width": width, "height": 1700 if width > 1000 else 3200})
    notebook.theme(dark)
    notebook.python("if lab.status != 'terminated': lab.run()")
    token = "next(iter(lab.trace.steps[10].explain))"
    notebook.python(f"lab.select(step=10, token={token})")
    for view in VIEWS:
        element = notebook.locator(f"[data-xg2lab={view}]")
        element.scroll_into_view_if_needed()
        notebook.settled()
        path = shots / f"start_here-{view}-{width}-{'dark' if dark else 'light'}.png"
        element.screenshot(path=str(path))
        assert element.evaluate("e => e.scrollWidth - e.clientWidth") <= 1, f"{view} is wider than its cell"


def test_nothing_went_wrong_and_nothing_left_the_machine(lab: Lab, notebook: NotebookPage) -> None:
    assert notebook.page.title()
    assert lab.errors == []
    assert lab.external == []
