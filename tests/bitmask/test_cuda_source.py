"""The CUDA kernel's source, compiled as C++ with loops in place of its grid and held to the definition.

What this can't see is the launch on a real GPU: `test_apply.py::test_on_a_gpu` does that where there is one.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

from tests.bitmask.test_apply import by_definition, example
from xg2lab.bitmask import bool_mask_to_bitmask
from xg2lab.kernels.apply_bitmask_cuda import KERNEL_SOURCE, MINUS_INFINITY, N_THREADS

GRID_AS_LOOPS = """
struct Index { unsigned int x, y, z; };
static Index blockIdx, blockDim, threadIdx;
#define __global__
%s
extern "C" void launch(unsigned int grid_x, unsigned int grid_y, unsigned int block_x, LOGIT* logits,
                       const unsigned int* bitmask, const long long* rows, int n_tokens, int stride, int mask_stride) {
  blockDim = {block_x, 1, 1};
  for (blockIdx.x = 0; blockIdx.x < grid_x; ++blockIdx.x)
    for (blockIdx.y = 0; blockIdx.y < grid_y; ++blockIdx.y)
      for (threadIdx.x = 0; threadIdx.x < block_x; ++threadIdx.x)
        apply_bitmask(logits, bitmask, rows, n_tokens, stride, mask_stride);
}
"""


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_the_source_does_what_is_defined(dtype, tmp_path):
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("no C++ compiler to read the kernel's source")
    logit, minus_infinity = MINUS_INFINITY[f"torch.{dtype}"]
    source, library = tmp_path / "kernel.cc", tmp_path / "kernel.so"
    source.write_text(GRID_AS_LOOPS % KERNEL_SOURCE)
    defines = [f"-DLOGIT={logit}", f"-DMINUS_INFINITY={minus_infinity}"]
    subprocess.run([compiler, "-shared", "-fPIC", *defines, str(source), "-o", str(library)], check=True)
    launch = ctypes.CDLL(str(library)).launch

    for width in (1, 31, 33, 300):
        values, allowed = example(3, width)
        logits, bitmask, rows = values.astype(dtype), bool_mask_to_bitmask(allowed), np.array([2, 0], dtype=np.int64)
        n_tokens = max(width - 3, 1)
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in (logits, bitmask, rows)]
        n_blocks = (n_tokens + N_THREADS - 1) // N_THREADS
        launch(len(rows), n_blocks, N_THREADS, *pointers, n_tokens, width, bitmask.shape[1])
        assert logits.tolist() == by_definition(values.tolist(), allowed, n_tokens, [2, 0])


def test_bfloat16_minus_infinity():
    """NumPy has no bfloat16; its bits are the upper half of a float32's."""
    _, bits = MINUS_INFINITY["torch.bfloat16"]
    assert np.array([int(bits.removesuffix("u"), 16) << 16], dtype=np.uint32).view(np.float32)[0] == -np.inf
