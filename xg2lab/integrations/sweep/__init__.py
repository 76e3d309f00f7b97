"""Sweeps: thousands of JSON Schemas through one function, in processes of this machine or on Ray.

>>> import xg2lab.integrations.sweep as sweeps
>>> print(*sweeps.__all__)
SweepOptions SweepRow SweepSummary read_rows results_page summarize sweep

    report = sweep("schemas.jsonl", "out.parquet", what=("compile", "audit"), workers=2)
    print(report)

The names are loaded on first use. See also docs/sweeps.md and docs/design/0063-sweeps.md.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xg2lab.integrations.sweep.options import SweepOptions
    from xg2lab.integrations.sweep.page import results_page
    from xg2lab.integrations.sweep.results import read_rows
    from xg2lab.integrations.sweep.rows import SweepRow
    from xg2lab.integrations.sweep.summary import SweepSummary, summarize
    from xg2lab.integrations.sweep.sweeping import sweep

__all__ = [
    "SweepOptions",
    "SweepRow",
    "SweepSummary",
    "read_rows",
    "results_page",
    "summarize",
    "sweep",
]

_HOMES = {
    "SweepOptions": "options",
    "SweepRow": "rows",
    "SweepSummary": "summary",
    "read_rows": "results",
    "results_page": "page",
    "summarize": "summary",
    "sweep": "sweeping",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"xg2lab.integrations.sweep.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
