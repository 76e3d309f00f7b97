"""Settings of the process under the name of XGrammar's module; they live in `xg2lab.nesting`.

>>> with max_recursion_depth(5_000):
...     get_max_recursion_depth()
5000
"""

from xg2lab.nesting import get_max_recursion_depth, max_recursion_depth, set_max_recursion_depth
from xg2lab.serialization import get_serialization_version

__all__ = [
    "get_max_recursion_depth",
    "get_serialization_version",
    "max_recursion_depth",
    "set_max_recursion_depth",
]
