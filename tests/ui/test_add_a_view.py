"""The view that CONTRIBUTING.md adds: made from that page in a copy of widgets/, built, and shown in an export."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.page_sources import Sources

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
EXPORT = """
import sys
from pathlib import Path
from xg2lab.widgets import bundle
bundle.STATIC = Path(sys.argv[1])
from tests.ui.scripted import scripted_session
session = scripted_session(name="log")
session.step(5)
view = StepLog(session)
assert view.lines()[0].startswith("0 "), view.lines()
view.export_html(sys.argv[2], views=("step_log", "workbench"))
"""


def written() -> tuple[dict[str, str], str]:
    """The files of the page's section by their paths, and its Python class."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = page.split("\n## Add a view\n")[1].split("\n## ")[0]
    files: dict[str, str] = {}
    python = ""
    parts = re.split(r"^```(\w*)\n", section, flags=re.MULTILINE)  # told, language, code, "", told, ...
    for told, language, text in zip(parts[::4], parts[1::4], parts[2::4], strict=False):
        if language == "python":
            python = text
        else:
            (path,) = re.findall(r"`widgets/(src/views/step_log/[\w.]+)`", told)
            files[path] = text
    return files, python


@pytest.fixture(scope="module")
def page(lab: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A copy of the sources with the view in it, built; the page that its Python class exports."""
    files, python = written()
    assert sorted(files) == [f"src/views/step_log/{name}" for name in ("index.ts", "style.css", "view.tsx")]
    sources = Sources(tmp_path_factory.mktemp("copy"))
    for path, text in files.items():
        (sources.folder / path).parent.mkdir(exist_ok=True)
        (sources.folder / path).write_text(text, encoding="utf-8")
    sources.replace("src/views/index.ts", "import { tape }", 'import { stepLog } from "./step_log";\nimport { tape }')
    sources.replace("src/views/index.ts", "  compare,\n", "  compare,\n  stepLog,\n")
    sources.check()
    sources.build()
    exported = sources.folder / "log.html"
    program = [sys.executable, "-c", python + EXPORT, str(sources.static), str(exported)]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    shown = lab.blank(offline=True, reduced_motion="reduce")
    shown.goto(exported.as_uri())
    yield shown
    shown.context.close()


def test_the_view_is_drawn_by_its_name(page: Page) -> None:
    panel = page.locator("[data-xg2lab=step_log] .panel.step-log")
    expect(panel.locator("h2")).to_have_text("Log")
    expect(panel.locator("li")).to_have_count(5)
    assert panel.locator("li").first.evaluate("(li) => getComputedStyle(li).borderBottomStyle") == "solid"


def test_it_is_a_tab_of_its_place_and_follows_the_selection(page: Page) -> None:
    place = page.locator("[data-xg2lab=workbench] [data-stack=dock]")
    expect(place.locator("[role=tab]").last).to_have_text("Log")
    place.locator("[role=tab]").last.click()
    place.locator("li button").nth(2).click()
    expect(page.locator("[data-xg2lab=workbench] .rail .part").first).to_have_text("step 2")


def test_its_key_is_listed_and_works_from_anywhere_in_the_widget(page: Page) -> None:
    frame = page.locator("[data-xg2lab=step_log]")
    frame.locator(".panel").focus()
    first = frame.locator("li").first
    expect(first).to_contain_text("0 ")
    page.keyboard.press("l")
    expect(first).to_contain_text("4 ")
    page.keyboard.press("?")
    expect(frame.locator(".key-list kbd:text-is('l')")).to_be_visible()
