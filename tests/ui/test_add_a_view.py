"""The view that CONTRIBUTING.md adds: made from that page in a copy of widgets/, built, and shown in an export."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tools import node
from tools.bootstrap import VENV

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
WIDGETS = ROOT / "widgets"
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


def run(*words: str | Path, cwd: Path) -> None:
    """A command that has to succeed; what it said is in the failure."""
    done = subprocess.run([str(word) for word in words], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def page(lab: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A copy of the sources with the view in it, built; the page that its Python class exports."""
    modules = WIDGETS / "node_modules"
    if not modules.is_dir():
        pytest.skip("widgets/node_modules is not there: `make test` installs it")
    files, python = written()
    assert sorted(files) == [f"src/views/step_log/{name}" for name in ("index.ts", "style.css", "view.tsx")]
    copy = tmp_path_factory.mktemp("copy")
    shutil.copytree(WIDGETS, copy / "widgets", ignore=shutil.ignore_patterns("node_modules", "test"))
    (copy / "widgets" / "node_modules").symlink_to(modules, target_is_directory=True)
    static = copy / "xg2lab" / "widgets" / "static"
    static.mkdir(parents=True)
    shutil.copy(ROOT / "xg2lab" / "widgets" / "cache_words.json", static.parent)
    for path, text in files.items():
        (copy / "widgets" / path).parent.mkdir(exist_ok=True)
        (copy / "widgets" / path).write_text(text, encoding="utf-8")
    views = copy / "widgets" / "src" / "views" / "index.ts"
    text = views.read_text(encoding="utf-8")
    text = text.replace("import { tape }", 'import { stepLog } from "./step_log";\nimport { tape }')
    views.write_text(text.replace("  compare,\n", "  compare,\n  stepLog,\n"), encoding="utf-8")
    program = node.node_command(VENV)
    run(program, modules / "@biomejs" / "biome" / "bin" / "biome", "check", "src/views", cwd=copy / "widgets")
    run(program, modules / "typescript" / "bin" / "tsc", "--noEmit", cwd=copy / "widgets")
    run(program, "build.mjs", cwd=copy / "widgets")
    run(sys.executable, "-c", python + EXPORT, static, copy / "log.html", cwd=ROOT)
    context = lab._browser.new_context(viewport={"width": 1600, "height": 1400}, offline=True, reduced_motion="reduce")
    shown = context.new_page()
    shown.goto((copy / "log.html").as_uri())
    yield shown
    context.close()


def test_the_view_is_drawn_by_its_name(page: Page) -> None:
    panel = page.locator("[data-xg2lab=step_log] .panel.step-log")
    expect(panel.locator("h2")).to_have_text("Log")
    expect(panel.locator("li")).to_have_count(5)
    assert panel.locator("li").first.evaluate("(li) => getComputedStyle(li).borderBottomStyle") == "solid"


def test_it_is_a_tab_of_its_place_and_follows_the_selection(page: Page) -> None:
    place = page.locator("[data-xg2lab=workbench] [data-place=cost]")
    expect(place.locator("[role=tab]")).to_have_text(["Cache", "Timeline", "Audit", "Cost", "Compare", "Log"])
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
