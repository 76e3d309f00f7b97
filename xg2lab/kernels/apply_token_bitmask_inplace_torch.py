"""Applies a bitmask with plain torch operations, on any device.

See also: `xg2lab.bitmask`, which checks the arguments and has the backends behind one function.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from xg2lab.bitmask import apply_token_bitmask_inplace

__all__ = ["apply_token_bitmask_inplace_torch"]


def apply_token_bitmask_inplace_torch(
    logits: Any, bitmask: Any, vocab_size: int | None = None, indices: Iterable[int] | None = None
) -> None:
    """`apply_token_bitmask_inplace` with the backend "torch_native". The name is that of XGrammar's kernel."""
    apply_token_bitmask_inplace(logits, bitmask, vocab_size=vocab_size, indices=indices, backend="torch_native")
