"""Applies a bitmask to logits in CPU memory.

>>> import numpy as np
>>> logits = np.zeros((1, 3), dtype=np.float32)
>>> apply_token_bitmask_inplace_cpu(logits, np.array([[0b101]], dtype=np.int32))
>>> logits
array([[  0., -inf,   0.]], dtype=float32)

See also: `xg2lab.bitmask`, which checks the arguments and has the backends behind one function.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from xg2lab.bitmask import apply_token_bitmask_inplace

__all__ = ["apply_token_bitmask_inplace_cpu"]


def apply_token_bitmask_inplace_cpu(
    logits: Any, bitmask: Any, vocab_size: int | None = None, indices: Iterable[int] | None = None
) -> None:
    """`apply_token_bitmask_inplace` with the backend "cpu". The name is that of XGrammar's kernel."""
    apply_token_bitmask_inplace(logits, bitmask, vocab_size=vocab_size, indices=indices, backend="cpu")
