"""A real JupyterLab: from the key that asks for a step to the frame that shows it, and from a selection to its frame.

    python -m benchmarks step_to_paint

Aims: step p95 at most 80 ms, the model's own time taken off (Jupyter's round trip is about 50 ms of it); selecting at
most 16 ms, which is one frame, without asking Python. Five views of one session are on the page. Measured in the page
(performance.measure in widgets/src/timing.ts): from the key to after the next frame was painted. The shipped tiny
model writes a JSON record; needs the built front end (`make lab` or `make test` builds it) and a Chromium.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from benchmarks import record

N_STEPS = 40
N_WARM = 5
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
        for n in range(1, N_STEPS + 1):
            page.page.keyboard.press("ArrowRight")
            page.page.wait_for_function(f"performance.getEntriesByName('xg2lab:step').length >= {n}", timeout=20_000)
        steps: list[float] = page.page.evaluate(_MEASURES, "xg2lab:step")
        model: list[float] = json.loads(
            page.python("import json; print(json.dumps([step.model_ms for step in session.trace.steps]))")
        )
        for n in range(N_STEPS):
            page.python(f"session.select(step={n % 7})")
        chosen = page.locator("[data-panel=tape] [data-step]")
        for n in range(N_STEPS):
            chosen.nth(n % chosen.count()).click()
        selects: list[float] = page.page.evaluate(_MEASURES, "xg2lab:select")
    # The key that asks for step i waits for the forward pass that follows its token.
    rest = [whole - model[i + 1] for i, whole in enumerate(steps) if N_WARM <= i < len(model) - 1]
    row: dict[str, float | int | str] = {
        "n_steps": len(rest),
        "n_views": len(VIEWS),
        "step_ms_p50": record.quantile(rest, 0.5),
        "step_ms_p95": record.quantile(rest, 0.95),
        "model_ms_p50": record.quantile(model[N_WARM:], 0.5),
        "n_selects": len(selects),
    }
    if selects:
        row["select_ms_p50"] = record.quantile(selects, 0.5)
        row["select_ms_p95"] = record.quantile(selects, 0.95)
    return [row]
