"""Applies a bitmask by a CUDA kernel, compiled at first use by the NVRTC that comes with torch.

Shapes: as in `xg2lab/kernels/apply_bitmask_torch.py`; all tensors on one GPU. Rows may have any stride; the values
of a row are contiguous. The kernel's arithmetic is tested on the CPU, by compiling its source as C++ with a loop in
place of the grid (tests/bitmask/test_cuda_source.py).

See also: `xg2lab/kernels/apply_bitmask_triton.py`, which `backend="auto"` prefers.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from xg2lab.errors import DeviceError

if TYPE_CHECKING:
    import torch

__all__ = ["KERNEL_SOURCE", "MINUS_INFINITY", "N_THREADS", "apply"]

N_THREADS = 256

#: C type of a logit, and the bits of its minus infinity. Halves are moved as integers.
MINUS_INFINITY = {
    "torch.float16": ("unsigned short", "0xFC00u"),
    "torch.bfloat16": ("unsigned short", "0xFF80u"),
    "torch.float32": ("unsigned int", "0xFF800000u"),
    "torch.float64": ("unsigned long long", "0xFFF0000000000000ull"),
}

#: One thread for each token of each row. LOGIT and MINUS_INFINITY are defined in front of it.
KERNEL_SOURCE = """
extern "C" __global__ void apply_bitmask(
    LOGIT* logits, const unsigned int* bitmask, const long long* rows,
    int n_tokens, int logits_row_stride, int bitmask_row_stride) {
  const long long row = rows[blockIdx.x];
  const long long token = (long long)blockIdx.y * blockDim.x + threadIdx.x;
  if (token >= n_tokens) return;
  const unsigned int word = bitmask[row * bitmask_row_stride + token / 32];
  if (((word >> (token % 32)) & 1u) == 0) logits[row * logits_row_stride + token] = (LOGIT)MINUS_INFINITY;
}
"""


def apply(logits: torch.Tensor, bitmask: torch.Tensor, n_tokens: int, rows: list[int] | None) -> None:
    """Writes minus infinity into each of the first `n_tokens` logits of the rows whose bit is 0."""
    import torch

    chosen = torch.tensor(range(logits.shape[0]) if rows is None else rows, dtype=torch.int64, device=logits.device)
    if len(chosen) == 0 or n_tokens == 0:
        return
    with torch.cuda.device(logits.device):
        _kernel(str(logits.dtype), logits.device.index)(
            grid=(len(chosen), (n_tokens + N_THREADS - 1) // N_THREADS, 1),
            block=(N_THREADS, 1, 1),
            args=[logits, bitmask, chosen, n_tokens, logits.stride(0), bitmask.stride(0)],
        )


@cache
def _kernel(dtype: str, device_index: int) -> Any:  # noqa: ARG001  a kernel belongs to the device it was loaded on
    import torch

    compile_kernel = getattr(torch.cuda, "_compile_kernel", None)
    if compile_kernel is None:
        raise DeviceError(
            f"torch {torch.__version__} can't compile CUDA source at run time",
            hint='use backend="triton", or torch 2.8 or newer',
        )
    logit, minus_infinity = MINUS_INFINITY[dtype]
    return compile_kernel(
        f"#define LOGIT {logit}\n#define MINUS_INFINITY {minus_infinity}\n{KERNEL_SOURCE}", "apply_bitmask"
    )
