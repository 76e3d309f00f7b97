"""The workbench's own figures, in a real JupyterLab: how long what the reader does takes, and what a notebook grows by.

    python -m benchmarks ui

A row a figure: the median and the 95th percentile of `n` measurements (sizes have one), and the bound, which is on the
percentile. Times are taken in the page, from the event to after the frame that shows it (widgets/src/timing.ts); a
frame is 16.7 ms. The model's own time is taken off. The screen has 1440 x 900 px, as laptops have. The sessions are
real, with 151,936 tokens (262,144 for `hover`); their logits are made up (tests/ui/scripted.py). Needs the built front
end and a Chromium.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks import record
from benchmarks.ui import long_session, pages, sizes

__all__ = ["run"]


def run() -> list[record.Figures]:
    from tests.ui.jupyter import Lab

    rows: list[record.Figures] = []
    with tempfile.TemporaryDirectory() as folder, Lab(Path(folder), width=1440, height=900) as lab:
        rows += pages.workbench(lab)
        rows += pages.hover(lab)
        rows += pages.sliders(lab)
        rows += long_session.first_paint(lab)
        rows += long_session.long_session(lab)
        rows += sizes.notebooks(lab)
    return [*rows, *sizes.bundles()]
