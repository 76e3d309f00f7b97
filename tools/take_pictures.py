"""The README's pictures, taken of the real thing: a JupyterLab, the shipped early model, one session, the workbench.

    python -m tools.take_pictures          # writes docs/images/workbench-light.png and -dark.png

Needs what the browser tests need: the built front end, playwright, a Chromium.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from tools.progress import ROOT, say

WIDTH, HEIGHT = 1600, 2200
SETUP = """
from xg2lab import EngineOptions, Session
from xg2lab.models import grammar_for, prompt
from xg2lab.widgets import Workbench
session = Session(
    grammar_for("qwen"), model="tiny_early", prompt=prompt("What is the weather in Lisbon in celsius?", format="qwen"),
    seed=8, options=EngineOptions(rule_inlining=False), name="get_weather",
)
session.run(max_tokens=18)
"""
# The most probable token that the grammar blocks, at the step where it blocks most.
SELECT = """
step = min(session.trace.steps, key=lambda step: 1.0 if step.z is None else step.z)
blocked = [row for row in step.top if row[4] in (0, 3, 4, 6)]
session.select(step=step.index, token=blocked[0][0])
"""


def main() -> None:
    """Drive the browser and write the pictures."""
    from tests.ui.conftest import write_notebook
    from tests.ui.jupyter import Lab

    images = ROOT / "docs" / "images"
    images.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, Lab(Path(folder), width=WIDTH, height=HEIGHT) as lab:
        name = write_notebook(Path(folder), "pictures.ipynb", [SETUP, "Workbench(session)"])
        page = lab.open(name)
        page.run_all()
        workbench = page.locator("[data-xg2lab=workbench]")
        workbench.wait_for()
        page.python(SELECT)
        for theme in ("light", "dark"):
            page.theme(theme == "dark")
            page.page.wait_for_timeout(2500)
            path = images / f"workbench-{theme}.png"
            workbench.screenshot(path=str(path))
            say(f"wrote {path.relative_to(ROOT)} ({path.stat().st_size:,} bytes)")


if __name__ == "__main__":
    main()
