"""Sizes: the code that a page loads, and what a saved notebook grows by."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

from benchmarks import record
from benchmarks.ui.figure import figure
from benchmarks.ui.pages import N_TOKENS, opened

if TYPE_CHECKING:
    from pathlib import Path

    from tests.ui.jupyter import Lab, NotebookPage

__all__ = ["bundles", "notebooks"]

KIB = 1024
VIEWS = (
    "Tape", "MaskLens", "WhyCard", "ChartView", "FsmView",
    "CacheView", "TimelineView", "DispatchView", "GrammarPad", "ExampleBench", "Sampler",
)  # fmt: skip


def bundles() -> list[record.Figures]:
    """The bundle of every notebook, the editor that a page is sent, what of it a notebook saves."""
    from xg2lab.widgets.bundle import STATIC

    runtime, editor = (len(gzip.decompress((STATIC / f"{name}.js.gz").read_bytes())) for name in ("runtime", "editor"))
    saved = -(-(STATIC / "runtime.js.gz").stat().st_size // 4) * 5  # base 85; widgets/build.mjs bounds it
    return [
        figure("bundle", [runtime], "B", None),
        figure("editor", [editor], "B", 424 * KIB),
        figure("code in a saved notebook, once", [saved], "B", None),
    ]


def saved(page: NotebookPage, path: Path) -> int:
    """The size of the notebook once it is saved."""
    page.page.wait_for_timeout(1500)  # what a replay needs is renewed when the session rests
    page.save()
    page.page.wait_for_timeout(500)
    return path.stat().st_size


def notebooks(lab: Lab) -> list[record.Figures]:
    """What 50 steps add to a saved notebook with the workbench, and what nine more views add to one."""
    page, path = opened(lab, "saved", N_TOKENS, "Workbench"), lab.folder / "saved.ipynb"
    before = saved(page, path)
    page.python(
        "while sum(len(b.steps) for b in session.trace.branches) + session.trace.n_decided < 50:\n"
        "    session.back(8) if session.status == 'terminated' else session.step()"
    )
    grown = saved(page, path) - before
    page.page.context.close()
    sizes: list[int] = []
    for name, views in (("one", VIEWS[:1]), ("ten", VIEWS)):
        page = opened(lab, name, 2048, *views)
        sizes.append(saved(page, lab.folder / f"{name}.ipynb"))
        page.page.context.close()
    return [
        figure("saved notebook, 50 steps", [grown], "B", 1 << 20, N_TOKENS),
        figure("ten views over one", [sizes[1] - sizes[0]], "B", 25 * KIB, 2048),
    ]
