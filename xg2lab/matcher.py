"""Matchers and bitmasks under the name of XGrammar's module; they live in the engine and in `xg2lab.bitmask`.

>>> get_bitmask_shape(2, 100)
(2, 4)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xg2lab._core import BatchGrammarMatcher, GrammarMatcher
from xg2lab.bitmask import (
    allocate_token_bitmask,
    apply_token_bitmask_inplace,
    get_bitmask_shape,
    reset_token_bitmask,
)

if TYPE_CHECKING:
    bitmask_dtype: Any = None

__all__ = [
    "BatchGrammarMatcher",
    "GrammarMatcher",
    "allocate_token_bitmask",
    "apply_token_bitmask_inplace",
    "bitmask_dtype",
    "get_bitmask_shape",
    "reset_token_bitmask",
]


def __getattr__(name: str) -> Any:
    if name == "bitmask_dtype":  # asking for it may import torch
        from xg2lab import bitmask

        return bitmask.bitmask_dtype
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
