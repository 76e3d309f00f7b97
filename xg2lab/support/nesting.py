"""How deep texts may nest: groups in a grammar's or a pattern's text, values in JSON.

>>> import xg2lab as xgr
>>> with xgr.max_recursion_depth(100):
...     try:
...         xgr.Grammar.from_ebnf("root ::= " + "(" * 101 + '"a"' + ")" * 101)
...     except xgr.Xg2LabError as error:
...         print(error.diagnostics[0].message)
groups and repetitions are nested deeper than 100 levels

Parsing a text never recurses, however deep it nests: a limit on that would change nothing (docs/design/0008).
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager

from xg2lab import _core
from xg2lab.errors import ArgumentError
from xg2lab.support.arguments import whole_number

__all__ = ["get_max_recursion_depth", "max_recursion_depth", "set_max_recursion_depth"]

#: Grammars and patterns that come with the engine nest less deep.
LEAST = 100


def get_max_recursion_depth() -> int:
    """How deep what is read may nest, in this process: 10,000 unless it was set.

    Each reader has a bound of its own besides: 1,000 levels in EBNF, 500 in JSON, 200 in patterns and in Lark.

    >>> import xg2lab as xgr
    >>> xgr.get_max_recursion_depth()
    10000
    """
    return _core._most_nesting()  # pyright: ignore[reportPrivateUsage]


def set_max_recursion_depth(max_recursion_depth: int) -> None:
    """Set the limit for all threads of this process.

    Parameters
    ----------
    max_recursion_depth : int
        Levels; at least 100. Beyond the bounds of the readers it changes nothing.

    Raises
    ------
    ArgumentError
        For less than 100: what comes with the engine could not be read.
    """
    depth = whole_number(max_recursion_depth, "the recursion depth", -sys.maxsize, sys.maxsize)
    if depth < LEAST:
        raise ArgumentError(f"the recursion depth is at least {LEAST}, got {depth}")
    _core._set_most_nesting(depth)  # pyright: ignore[reportPrivateUsage]


@contextmanager
def max_recursion_depth(temp_depth: int) -> Generator[None]:
    """Within it another limit holds, for all threads.

    >>> import xg2lab as xgr
    >>> with xgr.max_recursion_depth(5000):
    ...     xgr.get_max_recursion_depth()
    5000
    >>> xgr.get_max_recursion_depth()
    10000
    """
    before = get_max_recursion_depth()
    set_max_recursion_depth(temp_depth)
    try:
        yield
    finally:
        set_max_recursion_depth(before)
