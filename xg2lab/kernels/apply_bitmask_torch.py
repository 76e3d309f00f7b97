"""Applies a bitmask with plain torch operations: any device, any strides, any float type.

>>> import torch
>>> logits = torch.zeros((1, 4))
>>> apply(logits, torch.tensor([[0b0110]], dtype=torch.int32), 4, None)
>>> logits
tensor([[-inf, 0., 0., -inf]])

Shapes: logits (batch_size, at least n_tokens) of floats, bitmask (batch_size, n_words) of int32, both on one
device; `rows` are the rows to work on, None for all. See also: `xg2lab/bitmask.py`, which checks all that.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import torch

__all__ = ["apply", "apply_compiled"]


def _masked(logits: torch.Tensor, bitmask: torch.Tensor) -> torch.Tensor:
    """The logits with minus infinity where the bit is 0. Shapes (rows, n_tokens) and (rows, n_words)."""
    positions = torch.arange(32, dtype=torch.int32, device=bitmask.device)
    bits = (bitmask.unsqueeze(-1) >> positions) & 1
    forbidden = bits.flatten(-2)[:, : logits.shape[1]] == 0
    return logits.masked_fill(forbidden, float("-inf"))


def apply(
    logits: torch.Tensor,
    bitmask: torch.Tensor,
    n_tokens: int,
    rows: list[int] | None,
    masked: Callable[[torch.Tensor, torch.Tensor], torch.Tensor] = _masked,
) -> None:
    """Writes minus infinity into each of the first `n_tokens` logits of the rows whose bit is 0."""
    n_words = (n_tokens + 31) // 32
    with torch.no_grad():
        if rows is None:
            logits[:, :n_tokens] = masked(logits[:, :n_tokens], bitmask[:, :n_words])
        elif rows:
            chosen = torch.tensor(rows, device=logits.device)
            logits[chosen, :n_tokens] = masked(logits[chosen, :n_tokens], bitmask[chosen, :n_words])


def apply_compiled(logits: torch.Tensor, bitmask: torch.Tensor, n_tokens: int, rows: list[int] | None) -> None:
    """`apply` with its arithmetic fused by `torch.compile`, once for all shapes."""
    apply(logits, bitmask, n_tokens, rows, masked=_compiled())


@cache
def _compiled() -> Any:
    return torch.compile(_masked, dynamic=True)
