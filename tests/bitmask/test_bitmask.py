"""Bitmasks made, reset and read, in both libraries."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xg2lab import bitmask as bitmask_module
from xg2lab.bitmask import (
    allocate_token_bitmask,
    bitmask_to_bool_mask,
    bool_mask_to_bitmask,
    get_bitmask_shape,
    reset_token_bitmask,
)
from xg2lab.errors import BitmaskError
from xg2lab.testing import _get_masked_tokens_from_bitmask, _is_single_token_bitmask


@pytest.mark.parametrize(("vocab_size", "n_words"), [(0, 0), (1, 1), (31, 1), (32, 1), (33, 2), (128256, 4008)])
def test_shapes(vocab_size, n_words):
    assert get_bitmask_shape(3, vocab_size) == (3, n_words)
    bitmask = allocate_token_bitmask(3, vocab_size, library="numpy")
    assert bitmask.shape == (3, n_words)
    assert bitmask.dtype == np.int32
    assert (bitmask == -1).all()


@pytest.mark.parametrize(("batch_size", "vocab_size"), [(-1, 10), (1, -1), (1, -5)])
def test_sizes_that_no_bitmask_has(batch_size, vocab_size):
    with pytest.raises(BitmaskError) as error:
        allocate_token_bitmask(batch_size, vocab_size)
    assert str(error.value) == (
        f"no bitmask has batch_size {batch_size} and vocab_size {vocab_size}\n"
        "  hint: both must be at least 0; vocab_size is the width of the logits"
    )


def run_alone(code: str) -> None:
    """In a process that has imported nothing."""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr


def test_the_library_is_torch_where_it_is_installed():
    """The guide's `bitmask.to(...)` works whatever was imported first."""
    pytest.importorskip("torch")
    run_alone(
        "import sys\n"
        "import xg2lab as xgr\n"
        "assert 'torch' not in sys.modules\n"
        "made = xgr.allocate_token_bitmask(1, 40).to('cpu', non_blocking=True)\n"
        "import torch\n"
        "assert isinstance(made, torch.Tensor) and made.dtype is xgr.bitmask_dtype is torch.int32\n"
    )
    run_alone(
        "import sys\n"
        "import numpy, xg2lab as xgr\n"
        "made = xgr.allocate_token_bitmask(1, 40, library='numpy')\n"
        "assert isinstance(made, numpy.ndarray)\n"
        "xgr.apply_token_bitmask_inplace(numpy.zeros((1, 40), numpy.float32), made)\n"
        "assert 'torch' not in sys.modules\n"
    )


@pytest.mark.parametrize("error", ["ImportError", "OSError"])
def test_the_library_is_numpy_where_torch_is_missing_or_broken(error: str):
    run_alone(
        "import sys, builtins\n"
        "plain = builtins.__import__\n"
        "def without_torch(name, *rest):\n"
        f"    if name == 'torch': raise {error}('libtorch.so: cannot open shared object file')\n"
        "    return plain(name, *rest)\n"
        "builtins.__import__ = without_torch\n"
        "import numpy, xg2lab as xgr\n"
        "made = xgr.allocate_token_bitmask(1, 40)\n"
        "assert isinstance(made, numpy.ndarray) and xgr.bitmask_dtype is numpy.int32\n"
        "try: xgr.allocate_token_bitmask(1, 40, library='torch')\n"
        f"except {error}: pass\n"
        "else: raise AssertionError\n"
    )


def test_the_library_can_be_chosen():
    torch = pytest.importorskip("torch")
    assert bitmask_module.bitmask_dtype is torch.int32
    made = allocate_token_bitmask(2, 40)
    assert made.dtype == torch.int32
    assert made.device.type == "cpu"
    assert made.tolist() == [[-1, -1], [-1, -1]]
    assert isinstance(allocate_token_bitmask(2, 40, library="numpy"), np.ndarray)
    with pytest.raises(BitmaskError, match="library 'jax' is not known"):
        allocate_token_bitmask(2, 40, library="jax")


def test_reset():
    torch = pytest.importorskip("torch")
    for bitmask in (
        np.zeros((2, 3), np.int32),
        np.zeros((2, 3), np.uint32),
        np.zeros((4, 3), np.int32)[::2],
        torch.zeros((2, 3), dtype=torch.int32),
    ):
        reset_token_bitmask(bitmask)
        assert bitmask_to_bool_mask(bitmask).all()
    with pytest.raises(BitmaskError, match="the bitmask has dtype int64; wanted int32 or uint32"):
        reset_token_bitmask(np.zeros((2, 3), np.int64))


bool_masks = st.tuples(st.integers(1, 3), st.integers(1, 100)).flatmap(
    lambda shape: st.lists(
        st.lists(st.booleans(), min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0]
    )
)


def bits_by_definition(words, vocab_size):
    return [[bool((int(row[t // 32]) >> (t % 32)) & 1) for t in range(vocab_size)] for row in words]


@given(bool_masks)
def test_booleans_and_bits(rows):
    torch = pytest.importorskip("torch")
    vocab_size = len(rows[0])
    for bool_mask in (np.array(rows), torch.tensor(rows)):
        bitmask = bool_mask_to_bitmask(bool_mask)
        assert str(bitmask.dtype).endswith("int32")
        assert tuple(bitmask.shape) == get_bitmask_shape(len(rows), vocab_size)
        assert bits_by_definition(bitmask.tolist(), vocab_size) == rows
        assert not bitmask_to_bool_mask(bitmask)[..., vocab_size:].any()  # padding is 0
        assert bitmask_to_bool_mask(bitmask, vocab_size).tolist() == rows
        assert bitmask_to_bool_mask(bitmask[0], vocab_size).tolist() == rows[0]
    for row, booleans in enumerate(rows):
        assert _get_masked_tokens_from_bitmask(bitmask, vocab_size, row) == [
            t for t, allowed in enumerate(booleans) if not allowed
        ]
        single = booleans.count(True) == 1
        expected = (True, booleans.index(True)) if single else (False, -1)
        assert _is_single_token_bitmask(bitmask, vocab_size, row) == expected


def test_wrong_rows_and_sizes():
    bitmask = np.zeros((2, 2), np.int32)
    with pytest.raises(BitmaskError, match=r"row 2 does not exist; the bitmask has shape \(2, 2\)"):
        _get_masked_tokens_from_bitmask(bitmask, 64, 2)
    with pytest.raises(BitmaskError) as error:
        bitmask_to_bool_mask(bitmask, 65)
    assert str(error.value) == (
        "vocab_size is 65; a bitmask of 2 words a row has 64 bits\n"
        "  hint: pass the vocab_size the bitmask was allocated for"
    )
