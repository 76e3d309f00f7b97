"""Applies a bitmask to logits of MLX, Apple's array library, whose arrays have no operation in place.

    apply_token_bitmask_mlx(mx.array([[0b101]], dtype=mx.int32), mx.zeros((1, 3)), 3)     # [[0, -inf, 0]]

Shapes: bitmask (batch_size, n_words) of int32 or uint32 and logits (batch_size, at least vocab_size), or both without
the first axis. Needs `mlx` to be called, not to be imported.

See also: `xg2lab.contrib.mlxlm`, the logits processor for mlx-lm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xg2lab.errors import BitmaskError, DeviceError

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["apply_token_bitmask_mlx", "mlx_core"]


def mlx_core() -> ModuleType:
    """The module `mlx.core`. Raises DeviceError where mlx is not installed."""
    try:
        from importlib import import_module

        return import_module("mlx.core")
    except ImportError as error:
        raise DeviceError(
            "MLX is not installed",
            hint='pip install mlx on a Mac, or "mlx[cpu]" on Linux; torch and NumPy have apply_token_bitmask_inplace',
        ) from error


def apply_token_bitmask_mlx(bitmask: Any, logits: Any, vocab_size: int) -> Any:
    """The first `vocab_size` logits of each row, with minus infinity where the bit is 0.

    Parameters
    ----------
    bitmask : mlx.core.array
        int32 or uint32, one bit a token, at least `vocab_size` of them: `mx.array(bitmask.numpy())` of a filled one.
    logits : mlx.core.array
        Any float type, at least `vocab_size` values a row.
    vocab_size : int
        How many tokens there are.

    Returns
    -------
    mlx.core.array
        Shape (..., vocab_size) and the type of the logits: logits beyond `vocab_size` are no tokens and are left out.

    Raises
    ------
    BitmaskError
        Where bitmask or logits are too narrow.
    DeviceError
        Where mlx is not installed.
    """
    mx = mlx_core()
    n_bits, width = bitmask.shape[-1] * 32, logits.shape[-1]
    if not 0 <= vocab_size <= min(n_bits, width):
        raise BitmaskError(
            f"vocab_size is {vocab_size}; the bitmask has bits for {n_bits} tokens, the logits {width} values a row",
            hint="allocate_token_bitmask(batch_size, logits.shape[-1]) makes a bitmask as wide as the logits",
        )
    positions = mx.arange(32, dtype=bitmask.dtype)
    bits = mx.bitwise_and(mx.right_shift(mx.expand_dims(bitmask, -1), positions), 1)
    allowed = mx.reshape(bits, (*bitmask.shape[:-1], n_bits))[..., :vocab_size] == 1
    return mx.where(allowed, logits[..., :vocab_size], mx.array(float("-inf"), dtype=logits.dtype))
