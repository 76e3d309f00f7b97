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
    """Return how deep a text may nest in this process: 10,000 levels unless it was set.

    Each reader also has a bound of its own: 1,000 levels in EBNF, 500 in JSON, 200 in patterns and in Lark.

    Returns
    -------
    int
        Levels.

    >>> import xg2lab as xgr
    >>> xgr.get_max_recursion_depth()
    10000

    See also: docs/design/0008-what-depth-limits.md.
    """
    return _core._most_nesting()  # pyright: ignore[reportPrivateUsage]


def set_max_recursion_depth(max_recursion_depth: int) -> None:
    """Set how deep a text may nest, for all threads of this process.

    Parameters
    ----------
    max_recursion_depth : int
        Levels; at least 100. A limit above the bounds of the readers changes nothing.

    Raises
    ------
    ArgumentError
        The limit is below 100: grammars that come with the engine could not be read.

    >>> import xg2lab as xgr
    >>> before = xgr.get_max_recursion_depth()
    >>> xgr.set_max_recursion_depth(5000)
    >>> xgr.get_max_recursion_depth()
    5000
    >>> xgr.set_max_recursion_depth(before)
    """
    depth = whole_number(max_recursion_depth, "the recursion depth", -sys.maxsize, sys.maxsize)
    if depth < LEAST:
        raise ArgumentError(f"the recursion depth is at least {LEAST}, got {depth}")
    _core._set_most_nesting(depth)  # pyright: ignore[reportPrivateUsage]


@contextmanager
def max_recursion_depth(temp_depth: int) -> Generator[None]:
    """Set how deep a text may nest, for all threads, while the context is open.

    Parameters
    ----------
    temp_depth : int
        Levels; at least 100.

    Returns
    -------
    context manager
        On exit it restores the limit that was set before.

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
