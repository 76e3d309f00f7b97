"""Applies a bitmask by our Triton kernel. Importing this needs neither triton nor a GPU; calling it does.

See also: `xg2lab.bitmask`, which checks the arguments and has the backends behind one function.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from xg2lab.bitmask import apply_token_bitmask_inplace

__all__ = ["apply_token_bitmask_inplace_triton"]


def apply_token_bitmask_inplace_triton(
    logits: Any, bitmask: Any, vocab_size: int | None = None, indices: Iterable[int] | None = None
) -> None:
    """`apply_token_bitmask_inplace` with the backend "triton". The name is that of XGrammar's kernel."""
    apply_token_bitmask_inplace(logits, bitmask, vocab_size=vocab_size, indices=indices, backend="triton")
