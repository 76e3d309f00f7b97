"""The row that a fill writes: found where it lies, or refused before a word is touched."""

from __future__ import annotations

import numpy as np
import pytest

from xg2lab._core import bitmask_row_address
from xg2lab.errors import BitmaskError

ALLOCATE = "\n  hint: allocate_token_bitmask(batch_size, vocab_size) makes one that fits"


def address(array, row):
    return array[row].ctypes.data if isinstance(array, np.ndarray) else array[row].data_ptr()


@pytest.mark.parametrize("dtype", [np.int32, np.uint32])
def test_numpy_rows(dtype):
    bitmask = np.zeros((3, 5), dtype=dtype)
    for row in range(3):
        assert bitmask_row_address(bitmask, row, 160) == (address(bitmask, row), 5)
    assert bitmask_row_address(bitmask[1], 0, 129) == (address(bitmask, 1), 5)
    # Rows may be far apart, in either order; their words may not.
    assert bitmask_row_address(bitmask[::2], 1, 160) == (address(bitmask, 2), 5)
    assert bitmask_row_address(bitmask[::-1], 0, 160) == (address(bitmask, 2), 5)
    assert bitmask_row_address(bitmask[:, 1:], 1, 128) == (address(bitmask[:, 1:], 1), 4)


def test_torch_rows():
    torch = pytest.importorskip("torch")
    for dtype in (torch.int32, torch.uint32):
        bitmask = torch.zeros((3, 5), dtype=dtype)
        for row in range(3):
            assert bitmask_row_address(bitmask, row, 160) == (address(bitmask, row), 5)
        assert bitmask_row_address(bitmask[1], 0, 129) == (address(bitmask, 1), 5)
        assert bitmask_row_address(bitmask[::2], 1, 160) == (address(bitmask, 2), 5)
        assert bitmask_row_address(bitmask[:, 1:], 1, 128) == (address(bitmask[:, 1:], 1), 4)


def test_torch_without_the_exchange_table():
    """Older versions of torch publish none: their attributes tell the same."""
    torch = pytest.importorskip("torch")

    class OldTensor(torch.Tensor):
        __dlpack_c_exchange_api__ = None

    plain = torch.zeros((3, 5), dtype=torch.int32)
    old = plain.as_subclass(OldTensor)
    assert bitmask_row_address(old, 2, 160) == bitmask_row_address(plain, 2, 160)
    assert bitmask_row_address(old[::2], 1, 160) == (address(plain, 2), 5)
    with pytest.raises(BitmaskError, match="the bitmask has dtype int64; wanted int32"):
        bitmask_row_address(old.long(), 0, 160)


def test_torch_parameters_and_subclasses_are_tensors():
    torch = pytest.importorskip("torch")
    parameter = torch.nn.Parameter(torch.zeros((1, 2), dtype=torch.int32), requires_grad=False)
    assert bitmask_row_address(parameter, 0, 64) == (parameter.data_ptr(), 2)


def refused(bitmask, row, n_tokens):
    with pytest.raises(BitmaskError) as error:
        bitmask_row_address(bitmask, row, n_tokens)
    return str(error.value)


def read_only():
    bitmask = np.zeros((2, 3), dtype=np.int32)
    bitmask.flags.writeable = False
    return bitmask


@pytest.mark.parametrize(
    ("bitmask", "row", "n_tokens", "message"),
    [
        ([0], 0, 1, "the bitmask is a list; wanted a NumPy array or a torch tensor of int32" + ALLOCATE),
        (None, 0, 1, "the bitmask is None; wanted a NumPy array or a torch tensor of int32" + ALLOCATE),
        (np.zeros((2, 3), np.int64), 0, 1, "the bitmask has dtype int64; wanted int32" + ALLOCATE),
        (np.zeros((2, 3), np.float32), 0, 1, "the bitmask has dtype float32; wanted int32" + ALLOCATE),
        (np.zeros((2, 3), ">i4"), 0, 1, "the bitmask has dtype >i4; wanted int32" + ALLOCATE),
        (
            np.zeros((1, 2, 3), np.int32),
            0,
            1,
            "the bitmask has shape (1, 2, 3); wanted (batch_size, n_words) or (n_words,)" + ALLOCATE,
        ),
        (
            np.zeros((), np.int32),
            0,
            1,
            "the bitmask has shape (); wanted (batch_size, n_words) or (n_words,)" + ALLOCATE,
        ),
        (
            np.zeros((4, 2), np.int32).T,
            0,
            64,
            "the words of a bitmask's row are not contiguous\n  hint: pass a copy in C order",
        ),
        (read_only(), 0, 1, "the bitmask is read-only\n  hint: pass a writable copy"),
        (
            np.zeros((2, 3), np.int32),
            2,
            1,
            "row 2 does not exist; the bitmask has shape (2, 3)\n  hint: rows count from 0 to 1",
        ),
        (
            np.zeros((2, 3), np.int32),
            -1,
            1,
            "row -1 does not exist; the bitmask has shape (2, 3)\n  hint: rows count from 0 to 1",
        ),
        (
            np.zeros(3, np.int32),
            1,
            1,
            "row 1 does not exist; the bitmask has shape (3,)\n  hint: its only row is row 0",
        ),
        (
            np.zeros((2, 3), np.int32),
            0,
            97,
            "the bitmask has 3 words a row; 97 tokens need 4 words\n"
            "  hint: allocate_token_bitmask(batch_size, 97) makes one that fits",
        ),
    ],
)
def test_refusals(bitmask, row, n_tokens, message):
    assert refused(bitmask, row, n_tokens) == message


def test_elements_that_lie_between_strides():
    """A field of a record: its stride is no whole number of words."""
    records = np.zeros(4, dtype=[("flag", np.int8), ("word", np.int32)])
    assert "not contiguous" in refused(records["word"], 0, 128)


def test_torch_refusals():
    torch = pytest.importorskip("torch")
    assert refused(torch.zeros((2, 3)), 0, 1) == "the bitmask has dtype float32; wanted int32" + ALLOCATE
    assert refused(torch.zeros((2, 3), dtype=torch.int32), 2, 1).startswith("row 2 does not exist")
    assert refused(torch.zeros((3, 2), dtype=torch.int32).T, 0, 96).startswith("the words of a bitmask's row are not")
    assert refused(torch.zeros((1, 1, 1), dtype=torch.int32), 0, 1).startswith("the bitmask has shape (1, 1, 1)")
    assert refused(torch.zeros((2, 3), dtype=torch.int32, device="meta"), 0, 1) == (
        "the bitmask is on device meta; wanted cpu\n"
        "  hint: fill a bitmask on the CPU and copy it: bitmask.to(logits.device)"
    )
