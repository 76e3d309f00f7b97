"""Settings of the process under the name of XGrammar's module; they live in `xg2lab.support.nesting`.

>>> with max_recursion_depth(5_000):
...     get_max_recursion_depth()
5000
"""

from xg2lab.compiling.serialization import get_serialization_version
from xg2lab.support.nesting import get_max_recursion_depth, max_recursion_depth, set_max_recursion_depth

__all__ = [
    "get_max_recursion_depth",
    "get_serialization_version",
    "max_recursion_depth",
    "set_max_recursion_depth",
]
