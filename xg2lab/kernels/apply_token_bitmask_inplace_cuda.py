"""Applies a bitmask by our CUDA kernel. Importing this needs no GPU; calling it does.

See also: `xg2lab.bitmask`, which checks the arguments and has the backends behind one function.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from xg2lab.bitmask import apply_token_bitmask_inplace

__all__ = ["apply_token_bitmask_inplace_cuda"]


def apply_token_bitmask_inplace_cuda(logits: Any, bitmask: Any, indices: Iterable[int] | None = None) -> None:
    """`apply_token_bitmask_inplace` with the backend "cuda". The name is that of XGrammar's kernel."""
    apply_token_bitmask_inplace(logits, bitmask, indices=indices, backend="cuda")
