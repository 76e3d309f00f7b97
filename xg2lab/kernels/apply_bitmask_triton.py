"""Applies a bitmask by a Triton kernel: one program for each block of tokens of each row.

Shapes: as in `xg2lab/kernels/apply_bitmask_torch.py`; all tensors on one GPU. Rows and columns may have any stride.
With the environment variable TRITON_INTERPRET=1 the kernel runs on CPU tensors, slowly; that is how it is tested
where there is no GPU.

Needs triton to be called, not to be imported.
"""

# pyright: reportPossiblyUnboundVariable=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

if TYPE_CHECKING:
    import torch

from xg2lab.errors import DeviceError

__all__ = ["BLOCK_SIZE", "apply", "check", "is_available"]

BLOCK_SIZE = 1024  # tokens of one program; a power of two

if triton is not None:

    @triton.jit
    def _apply_kernel(
        logits: Any,
        bitmask: Any,
        rows: Any,
        n_tokens: Any,
        logits_row_stride: Any,
        logits_column_stride: Any,
        bitmask_row_stride: Any,
        bitmask_column_stride: Any,
        block_size: tl.constexpr,
    ) -> None:
        row = tl.load(rows + tl.program_id(0))  # int64, so that offsets don't overflow
        tokens = tl.program_id(1).to(tl.int64) * block_size + tl.arange(0, block_size)
        inside = tokens < n_tokens
        word_at = bitmask + row * bitmask_row_stride + (tokens // 32) * bitmask_column_stride
        words = tl.load(word_at, mask=inside, other=0)
        forbidden = ((words >> (tokens % 32).to(tl.int32)) & 1) == 0
        logits_at = logits + row * logits_row_stride + tokens * logits_column_stride
        tl.store(logits_at, -float("inf"), mask=inside & forbidden)


def is_available() -> bool:
    """Whether triton is installed."""
    return triton is not None


def check(logits: torch.Tensor) -> None:
    """Raises DeviceError where the kernel can't run on these logits."""
    if triton is None:
        raise DeviceError("backend 'triton' needs triton, which is not installed", hint='use backend="torch_native"')
    from triton import knobs

    if not logits.is_cuda and not knobs.runtime.interpret:
        raise DeviceError(
            f"backend 'triton' wants logits on a GPU; they are on {logits.device}",
            hint='use backend="auto", or set TRITON_INTERPRET=1 to test the kernel on the CPU',
        )


def apply(
    logits: torch.Tensor, bitmask: torch.Tensor, n_tokens: int, rows: list[int] | None, block_size: int = BLOCK_SIZE
) -> None:
    """Writes minus infinity into each of the first `n_tokens` logits of the rows whose bit is 0."""
    import torch

    chosen = torch.tensor(range(logits.shape[0]) if rows is None else rows, dtype=torch.int64, device=logits.device)
    if len(chosen) == 0 or n_tokens == 0:
        return
    grid = (len(chosen), (n_tokens + block_size - 1) // block_size)
    launch: Any = _apply_kernel[grid]
    with torch.cuda.device_of(logits):  # which need not be the current one; of the CPU's nothing
        launch(logits, bitmask, chosen, n_tokens, *logits.stride(), *bitmask.stride(), block_size=block_size)
