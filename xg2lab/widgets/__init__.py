"""Notebook views of a session: each usable alone in a cell, all sharing one selection.

    from xg2lab.widgets import FsmView, MaskLens, Tape
    Tape(session)          # the run, token by token
    MaskLens(session)      # the whole vocabulary at the step under the cursor

A `Session` is stepped as well from Python as from any of its views. One runtime a kernel carries the code of all views
(`runtime.py`), one session widget carries a session's state (`session_widget.py`), a view is a name (`view.py`).
Needs `pip install xg2lab[widgets]`; a model of Hugging Face needs the extra `hf`, and `lab` is both with JupyterLab.
"""

from __future__ import annotations

try:
    import anywidget  # noqa: F401  # pyright: ignore[reportUnusedImport] (asked for here, to say its absence in our words)
except ImportError as error:
    raise ImportError(
        "xg2lab.widgets needs anywidget, which is not installed; run: pip install xg2lab[widgets]", name="anywidget"
    ) from error

from xg2lab.widgets.export import ExportWarning, export_html
from xg2lab.widgets.session_widget import SessionWidget
from xg2lab.widgets.views.audit import Audit
from xg2lab.widgets.views.beam_view import BeamView
from xg2lab.widgets.views.cache_view import CacheView
from xg2lab.widgets.views.chart_view import ChartView
from xg2lab.widgets.views.compare import Compare
from xg2lab.widgets.views.cost_table import CostTable
from xg2lab.widgets.views.dispatch_view import DispatchView
from xg2lab.widgets.views.dist_view import DistView
from xg2lab.widgets.views.example_bench import ExampleBench
from xg2lab.widgets.views.fsm_view import FsmView
from xg2lab.widgets.views.grammar_pad import GrammarPad
from xg2lab.widgets.views.lockstep_view import LockstepView
from xg2lab.widgets.views.mask_lens import MaskLens
from xg2lab.widgets.views.operator_view import OperatorView
from xg2lab.widgets.views.sampler import Sampler
from xg2lab.widgets.views.tape import Tape
from xg2lab.widgets.views.text_view import TextView
from xg2lab.widgets.views.timeline_view import TimelineView
from xg2lab.widgets.views.why_card import WhyCard
from xg2lab.widgets.views.workbench import Workbench

__all__ = [
    "Audit",
    "BeamView",
    "CacheView",
    "ChartView",
    "Compare",
    "CostTable",
    "DispatchView",
    "DistView",
    "ExampleBench",
    "ExportWarning",
    "FsmView",
    "GrammarPad",
    "LockstepView",
    "MaskLens",
    "OperatorView",
    "Sampler",
    "SessionWidget",
    "Tape",
    "TextView",
    "TimelineView",
    "WhyCard",
    "Workbench",
    "export_html",
]
