"""Other engines under the same glass: adapters, a worker that survives a crash, masks laid over each other, a verdict.

>>> import xg2lab.lab.engines as engines
>>> print(*engines.__all__)
Engine EngineComparison EngineError EngineSource Worker compare_engines engine_names judge_instance

The names are loaded on first use. See also docs/engines.md and docs/design/0059-other-engines.md.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xg2lab.lab.engines.comparing_engines import compare_engines
    from xg2lab.lab.engines.engine_comparison import EngineComparison
    from xg2lab.lab.engines.judging import judge_instance
    from xg2lab.lab.engines.protocol import Engine, EngineError, EngineSource
    from xg2lab.lab.engines.registry import engine_names
    from xg2lab.lab.engines.worker import Worker

__all__ = [
    "Engine",
    "EngineComparison",
    "EngineError",
    "EngineSource",
    "Worker",
    "compare_engines",
    "engine_names",
    "judge_instance",
]

_HOMES = {
    "Engine": "protocol",
    "EngineComparison": "engine_comparison",
    "EngineError": "protocol",
    "EngineSource": "protocol",
    "Worker": "worker",
    "compare_engines": "comparing_engines",
    "engine_names": "registry",
    "judge_instance": "judging",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"xg2lab.lab.engines.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
