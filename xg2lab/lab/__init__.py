"""The lab: a session that steps a model under a grammar, and the trace it leaves.

>>> import xg2lab.lab as lab
>>> print(*[name for name in sorted(lab.__all__) if name[0].isupper()])
AuditReport ColumnExercise CompareReport Diagnosis ModelRunner Runner Session Shortest Step Trace
>>> print(*[name for name in sorted(lab.__all__) if name[0].islower()])
audit compare diagnose shortest_disagreement

The names are loaded when they are first asked for, so that importing the package brings neither torch nor
transformers. See also `xg2lab.lab.session` and `docs/design/0002-trace.md`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xg2lab.lab.auditing import AuditReport, audit
    from xg2lab.lab.comparing import compare
    from xg2lab.lab.comparison import CompareReport
    from xg2lab.lab.diagnosing import Diagnosis, diagnose
    from xg2lab.lab.exercise import ColumnExercise
    from xg2lab.lab.model_runner import ModelRunner
    from xg2lab.lab.runner import Runner
    from xg2lab.lab.session import Session
    from xg2lab.lab.shortest import Shortest, shortest_disagreement
    from xg2lab.lab.trace import Step, Trace

__all__ = [
    "AuditReport",
    "ColumnExercise",
    "CompareReport",
    "Diagnosis",
    "ModelRunner",
    "Runner",
    "Session",
    "Shortest",
    "Step",
    "Trace",
    "audit",
    "compare",
    "diagnose",
    "shortest_disagreement",
]

_HOMES = {
    "AuditReport": "xg2lab.lab.auditing",
    "ColumnExercise": "xg2lab.lab.exercise",
    "CompareReport": "xg2lab.lab.comparison",
    "Diagnosis": "xg2lab.lab.diagnosing",
    "ModelRunner": "xg2lab.lab.model_runner",
    "Runner": "xg2lab.lab.runner",
    "Session": "xg2lab.lab.session",
    "Shortest": "xg2lab.lab.shortest",
    "Step": "xg2lab.lab.trace",
    "Trace": "xg2lab.lab.trace",
    "audit": "xg2lab.lab.auditing",
    "compare": "xg2lab.lab.comparing",
    "diagnose": "xg2lab.lab.diagnosing",
    "shortest_disagreement": "xg2lab.lab.shortest",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
