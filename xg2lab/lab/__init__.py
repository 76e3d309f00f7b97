"""The lab: a session that steps a model under a grammar, and the trace it leaves.

>>> import xg2lab.lab as lab
>>> print(*[name for name in sorted(lab.__all__) if name[0].isupper()])
AuditReport CompareReport Diagnosis Lockstep ModelRunner Runner Session Shortest Step Trace
>>> print(*[name for name in sorted(lab.__all__) if name[0].islower()])
audit compare diagnose open_flight shortest_disagreement

The names are loaded on first use, so that importing the package brings neither torch nor
transformers. See also `xg2lab.lab.session.session` and `docs/design/0002-trace.md`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xg2lab.lab.auditing.auditing import AuditReport, audit
    from xg2lab.lab.comparison.comparing import compare
    from xg2lab.lab.comparison.comparison import CompareReport
    from xg2lab.lab.comparison.lockstep import Lockstep
    from xg2lab.lab.comparison.shortest import Shortest, shortest_disagreement
    from xg2lab.lab.model.model_runner import ModelRunner
    from xg2lab.lab.model.runner import Runner
    from xg2lab.lab.session.diagnosing import Diagnosis, diagnose
    from xg2lab.lab.session.flights import open_flight
    from xg2lab.lab.session.session import Session
    from xg2lab.lab.trace.trace import Step, Trace

__all__ = [
    "AuditReport",
    "CompareReport",
    "Diagnosis",
    "Lockstep",
    "ModelRunner",
    "Runner",
    "Session",
    "Shortest",
    "Step",
    "Trace",
    "audit",
    "compare",
    "diagnose",
    "open_flight",
    "shortest_disagreement",
]

_HOMES = {
    "AuditReport": "xg2lab.lab.auditing.auditing",
    "CompareReport": "xg2lab.lab.comparison.comparison",
    "Diagnosis": "xg2lab.lab.session.diagnosing",
    "Lockstep": "xg2lab.lab.comparison.lockstep",
    "ModelRunner": "xg2lab.lab.model.model_runner",
    "Runner": "xg2lab.lab.model.runner",
    "Session": "xg2lab.lab.session.session",
    "Shortest": "xg2lab.lab.comparison.shortest",
    "Step": "xg2lab.lab.trace.trace",
    "Trace": "xg2lab.lab.trace.trace",
    "audit": "xg2lab.lab.auditing.auditing",
    "compare": "xg2lab.lab.comparison.comparing",
    "diagnose": "xg2lab.lab.session.diagnosing",
    "open_flight": "xg2lab.lab.session.flights",
    "shortest_disagreement": "xg2lab.lab.comparison.shortest",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
