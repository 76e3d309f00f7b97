"""Limits on the time and memory for reading a grammar, and how to raise them.

>>> import xg2lab as xgr
>>> with xgr.work_limits(max_seconds=30, max_bytes=1 << 30):
...     grammar = xgr.Grammar.from_json_schema({"type": "integer"})
>>> with xgr.work_limits(max_bytes=100):
...     try:
...         xgr.Grammar.from_regex("[a-z]+")
...     except xgr.Xg2LabError as error:
...         print(error.message.partition(":")[0])
this takes more memory than EngineOptions.max_work_bytes, 100 bytes

A compiler has its limits from its `EngineOptions`, for its texts too: from the text to the compiled grammar
there is one budget. `Grammar.from_...` alone has the same ones by default.

Units: seconds are those of the thread's processor time; bytes are what the engine takes and has not given back.

See also: core/support/budget.h, docs/design/0032-budgets.md.
"""

from __future__ import annotations

from xg2lab import _core
from xg2lab.errors import ArgumentError
from xg2lab.options import EngineOptions

__all__ = ["terms_of", "work_limits"]


def work_limits(*, max_seconds: float | None = None, max_bytes: int | None = None) -> _core.WorkTerms:
    """Limit what all texts that are read and compiled in the context may take together, in this thread.

    Parameters
    ----------
    max_seconds : float, optional
        Seconds of the thread's processor time, above 0. None: the default of `EngineOptions.max_compile_seconds`.
    max_bytes : int, optional
        Bytes, at least 1. None: the default of `EngineOptions.max_work_bytes`.

    Returns
    -------
    WorkTerms
        A context manager, to be entered once. In the context of other limits, those hold too. Work beyond a limit
        raises `LimitError`.

    Raises
    ------
    ArgumentError
        A limit is not above 0.

    >>> import xg2lab as xgr
    >>> with xgr.work_limits(max_seconds=10):
    ...     xgr.Grammar.from_ebnf('root ::= "a"').root_rule_name
    'root'

    See also: docs/design/0032-budgets.md.
    """
    seconds = EngineOptions.max_compile_seconds if max_seconds is None else max_seconds
    n_bytes = EngineOptions.max_work_bytes if max_bytes is None else max_bytes
    if not seconds > 0:
        raise ArgumentError(f"max_seconds must be above 0, not {seconds}")
    if n_bytes < 1:
        raise ArgumentError(f"max_bytes must be at least 1, not {n_bytes}")
    return _core.WorkTerms(seconds=seconds, bytes=min(n_bytes, 2**63 - 1))


def terms_of(options: EngineOptions) -> _core.WorkTerms:
    """Return the limits from a text to its compiled grammar that a compiler's options set."""
    return _core.WorkTerms(seconds=options.max_compile_seconds, bytes=options.max_work_bytes)
