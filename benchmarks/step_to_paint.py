"""A real JupyterLab: from the key that asks for a step to the frame that shows it, and from a selection to its frame.

    python -m benchmarks step_to_paint

Aims: step p95 at most 80 ms, the model's own time taken off (Jupyter's round trip is about 50 ms of it); selecting and
scrubbing at most 16 ms, which is one frame, without asking Python. Five views of one session are on the page. Measured
in the page (performance.measure in widgets/src/timing.ts): from the event to after the next frame was painted. The
shipped tiny model makes tool calls; needs the built front end (`make lab` or `make test` builds it) and a Chromium.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import record

if TYPE_CHECKING:
    from tests.ui.jupyter import NotebookPage

N_STEPS = 40
N_WARM = 5
PAUSE_MS = 150  # between what a person does; dragging has less
DRAG_MS = 40
VIEWS = ("Tape", "MaskLens", "WhyCard", "ChartView", "FsmView")
SETUP = """
from xg2lab import Session
from xg2lab.models import example_requests, grammar_for, prompt
from xg2lab.widgets import *
session = Session(
    grammar_for("harmony"), model="tiny", prompt=prompt(example_requests("harmony")[0], format="harmony"), seed=1
)
"""
_MEASURES = "(name) => performance.getEntriesByName(name).map((entry) => entry.duration)"


def run() -> list[record.Figures]:
    from tests.ui.conftest import write_notebook
    from tests.ui.jupyter import Lab

    with tempfile.TemporaryDirectory() as folder, Lab(Path(folder)) as lab:
        name = write_notebook(Path(folder), "steps.ipynb", [SETUP, *(f"{view}(session)" for view in VIEWS)])
        page = lab.open(name)
        page.run_all()
        tape = page.locator("[data-panel=tape]").first
        tape.wait_for()
        tape.focus()
        steps: list[float] = []
        model: list[float] = []
        while len(steps) < N_STEPS:
            if page.python("print(session.status)") == "terminated":
                page.python("session.reset()")
                tape.focus()
            page.page.wait_for_timeout(PAUSE_MS)
            page.page.keyboard.press("ArrowRight")
            n = len(steps) + 1
            page.page.wait_for_function(f"performance.getEntriesByName('xg2lab:step').length >= {n}", timeout=20_000)
            steps = page.page.evaluate(_MEASURES, "xg2lab:step")
            # The key that asks for a step waits for the forward pass that follows its token.
            model.append(float(page.python("print(session.trace.steps[-1].model_ms or 0)")))
        chosen = page.locator("[data-panel=tape] [data-token]")
        for n in range(N_STEPS):
            page.page.wait_for_timeout(PAUSE_MS)
            chosen.nth(n % chosen.count()).click()
        selects = page.page.evaluate(_MEASURES, "xg2lab:select")
        scrubs = scrub(page)[len(selects) :]
    rest = [whole - forward for whole, forward in list(zip(steps, model, strict=True))[N_WARM:]]
    row: dict[str, float | int | str] = {
        "n_steps": len(rest),
        "n_views": len(VIEWS),
        "step_ms_p50": record.quantile(rest, 0.5),
        "step_ms_p95": record.quantile(rest, 0.95),
        "model_ms_p50": record.quantile(model[N_WARM:], 0.5),
        "n_selects": len(selects),
    }
    for name, values in (("select", selects), ("scrub", scrubs)):
        row[f"{name}_ms_p50"] = record.quantile(values, 0.5)
        row[f"{name}_ms_p95"] = record.quantile(values, 0.95)
    return [row]


def scrub(page: NotebookPage) -> list[float]:
    """Drag along the tape's overview, a step at a time; every selection so far, in ms."""
    overview = page.locator("[data-panel=tape] .overview").first
    overview.scroll_into_view_if_needed()
    box = overview.bounding_box()
    assert box is not None
    mouse, y = page.page.mouse, box["y"] + 20
    mouse.move(box["x"] + 100, y)
    mouse.down()
    for k in range(N_STEPS):
        mouse.move(box["x"] + 100 + 16 * (k % 20), y)
        page.page.wait_for_timeout(DRAG_MS)
    mouse.up()
    return page.page.evaluate(_MEASURES, "xg2lab:select")
