"""The notebooks after the first, in a real JupyterLab: each runs from top to bottom, and each of its views is drawn.

What their cells claim is asserted in the cells. What each view does in detail is tested elsewhere. Where a browser is,
this is the only run of these notebooks (`tools/run_tests.py`); test_start_here.py runs the first.
"""

from __future__ import annotations

import shutil

import pytest
from playwright.sync_api import expect

from .jupyter import ROOT, Lab

pytestmark = pytest.mark.browser

FIRST = "00_start_here"
#: For each, its views from top to bottom.
LESSONS = {
    "01_author_a_grammar": ["grammar_pad", "example_bench"],
    "02_debug_a_mask": ["tape", "dist_view", "why_card", "fsm_view", "audit", "mask_lens", "lockstep_view"],
    "03_inside_the_cache": ["cache_view", "mask_lens", "cache_view", "timeline_view"],
    "04_templates": ["tape", "operator_view", "why_card", "grammar_pad", "cache_view", "cost_table", "compare"],
    "05_other_engines": ["audit"],
}
MARKS = ".body svg, .body canvas, .cm-content, .example, .body table"


def test_every_notebook_is_run_here_or_by_the_test_of_the_first() -> None:
    assert {path.stem for path in (ROOT / "notebooks").glob("*.ipynb")} == {FIRST, *LESSONS}


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_runs_and_shows_its_views(lab: Lab, name: str) -> None:
    for folder in ("notebooks", "docs/images"):  # its picture lies beside it as in the repository
        (lab.folder / folder).mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "notebooks" / f"{name}.ipynb", lab.folder / "notebooks")
    for picture in (ROOT / "docs" / "images").glob("*.svg"):
        shutil.copy(picture, lab.folder / "docs" / "images")
    lab.errors.clear()
    lab.external.clear()
    notebook = lab.open(f"notebooks/{name}.ipynb")
    notebook.run_all()
    shown = notebook.locator("[data-xg2lab]")
    expect(shown).to_have_count(len(LESSONS[name]))
    for k, view in enumerate(LESSONS[name]):
        frame = shown.nth(k)
        expect(frame).to_have_attribute("data-xg2lab", view)
        frame.scroll_into_view_if_needed()
        expect(frame.locator(MARKS).first).to_be_visible()
        assert frame.evaluate("e => e.scrollWidth - e.clientWidth") <= 1, f"{view} is wider than its cell"
    picture = notebook.locator(".jp-RenderedMarkdown img").first
    picture.scroll_into_view_if_needed()
    assert picture.evaluate("e => e.decode().then(() => e.naturalWidth)") > 800
    assert picture.get_attribute("alt")
    assert lab.errors == []
    assert lab.external == []
