"""Every backend against the definition: a logit becomes minus infinity if and only if its bit is 0."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import warnings

import numpy as np
import pytest

from xg2lab.bitmask import apply_token_bitmask_inplace, bool_mask_to_bitmask
from xg2lab.errors import BitmaskError, DeviceError

BACKENDS = ["auto", "cpu", "torch_native"]
WIDTHS = [1, 31, 32, 33, 64, 200, 1000]


def by_definition(logits, allowed, n_tokens, rows):
    expected = [list(row) for row in logits]
    for row in rows:
        for token in range(n_tokens):
            if not allowed[row][token]:
                expected[row][token] = float("-inf")
    return expected


def example(n_rows, width, seed=1):
    """Logits, and a mask with full words, empty words and mixed ones."""
    generator = np.random.default_rng(seed)
    logits = generator.integers(-8, 8, (n_rows, width)).astype(np.float32)
    density = generator.choice([0.0, 0.5, 1.0], (n_rows, (width + 31) // 32)).repeat(32, axis=1)[:, :width]
    return logits, generator.random((n_rows, width)) < density


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_torch(backend, width, dtype):
    torch = pytest.importorskip("torch")
    for seed in range(3):
        values, allowed = example(3, width, seed)
        logits = torch.tensor(values).to(getattr(torch, dtype))
        apply_token_bitmask_inplace(logits, bool_mask_to_bitmask(torch.tensor(allowed)), backend=backend)
        assert logits.tolist() == by_definition(values.tolist(), allowed, width, range(3))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_numpy(backend, width, dtype):
    if backend == "torch_native":
        pytest.importorskip("torch")
    values, allowed = example(3, width)
    logits = values.astype(dtype)
    apply_token_bitmask_inplace(logits, bool_mask_to_bitmask(allowed), backend=backend)
    assert logits.tolist() == by_definition(values.tolist(), allowed, width, range(3))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize(
    ("vocab_size", "indices"), [(None, [2, 0]), (70, None), (70, [1]), (64, []), (0, None), (None, (i for i in (1, 2)))]
)
def test_part_of_the_rows_and_of_the_width(backend, library, vocab_size, indices):
    torch = pytest.importorskip("torch")
    rows = None if indices is None else list(indices)
    values, allowed = example(3, 100)
    logits, bitmask = values.copy(), bool_mask_to_bitmask(allowed)
    if library == "torch":
        logits, bitmask = torch.tensor(logits), torch.tensor(bitmask)
    apply_token_bitmask_inplace(logits, bitmask, vocab_size=vocab_size, indices=rows, backend=backend)
    n_tokens = 100 if vocab_size is None else vocab_size
    assert logits.tolist() == by_definition(values.tolist(), allowed, n_tokens, range(3) if rows is None else rows)


@pytest.mark.parametrize("backend", BACKENDS)
def test_indices_allow_different_batch_sizes(backend):
    torch = pytest.importorskip("torch")
    values, allowed = example(4, 50)
    logits = torch.tensor(values[:3])
    apply_token_bitmask_inplace(logits, bool_mask_to_bitmask(torch.tensor(allowed)), indices=[2], backend=backend)
    assert logits.tolist() == by_definition(values[:3].tolist(), allowed, 50, [2])


@pytest.mark.parametrize("backend", BACKENDS)
def test_one_dimension(backend):
    pytest.importorskip("torch")
    values, allowed = example(1, 77)
    for logits, bitmask in (
        (values[0].copy(), bool_mask_to_bitmask(allowed)[0]),
        (values[0].copy(), bool_mask_to_bitmask(allowed)),
        (values.copy(), bool_mask_to_bitmask(allowed)[0]),
    ):
        apply_token_bitmask_inplace(logits, bitmask, backend=backend)
        assert np.atleast_2d(logits).tolist() == by_definition(values.tolist(), allowed, 77, [0])


@pytest.mark.parametrize("backend", BACKENDS)
def test_rows_far_apart(backend):
    """A part of a wider tensor: what lies beside it stays as it is."""
    torch = pytest.importorskip("torch")
    values, allowed = example(3, 60)
    whole = torch.zeros((6, 80))
    part = whole[::2, 5:65]
    part.copy_(torch.tensor(values))
    wide_mask = torch.zeros((6, 9), dtype=torch.int32)
    mask = wide_mask[1::2, 4:6]
    mask.copy_(bool_mask_to_bitmask(torch.tensor(allowed)))
    apply_token_bitmask_inplace(part, mask, backend=backend)
    assert part.tolist() == by_definition(values.tolist(), allowed, 60, range(3))
    part.zero_()
    assert not whole.any()


def test_mixed_libraries_and_unsigned_words():
    torch = pytest.importorskip("torch")
    values, allowed = example(2, 40)
    expected = by_definition(values.tolist(), allowed, 40, range(2))
    words = bool_mask_to_bitmask(allowed)
    for backend in BACKENDS:
        for logits in (values.copy(), torch.tensor(values)):
            for bitmask in (words, words.view(np.uint32), torch.tensor(words), torch.tensor(words).view(torch.uint32)):
                masked = logits.copy() if isinstance(logits, np.ndarray) else logits.clone()
                apply_token_bitmask_inplace(masked, bitmask, backend=backend)
                assert masked.tolist() == expected


def test_strided_values_go_by_torch():
    torch = pytest.importorskip("torch")
    values, allowed = example(2, 40)
    logits, bitmask = torch.tensor(values).T.contiguous().T, bool_mask_to_bitmask(torch.tensor(allowed))
    with pytest.raises(BitmaskError) as error:
        apply_token_bitmask_inplace(logits, bitmask)
    assert str(error.value) == (
        'the values of a logits row are not contiguous\n  hint: pass logits.contiguous(), or use backend="torch_native"'
    )
    apply_token_bitmask_inplace(logits, bitmask, backend="torch_native")
    assert logits.tolist() == by_definition(values.tolist(), allowed, 40, range(2))


def test_nan_and_infinity_stay():
    logits = np.array([[np.nan, np.inf, -np.inf, 1.0]], dtype=np.float32)
    apply_token_bitmask_inplace(logits, np.array([[0b0111]], dtype=np.int32))
    assert np.array_equal(logits, [[np.nan, np.inf, -np.inf, -np.inf]], equal_nan=True)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*torch.jit.*:DeprecationWarning")  # torch's own modules, among themselves
def test_torch_compile():
    torch = pytest.importorskip("torch")
    for n_rows, width in ((2, 40), (3, 100), (1, 33)):
        values, allowed = example(n_rows, width)
        logits = torch.tensor(values)
        apply_token_bitmask_inplace(logits, bool_mask_to_bitmask(torch.tensor(allowed)), backend="torch_compile")
        assert logits.tolist() == by_definition(values.tolist(), allowed, width, range(n_rows))


TRITON_CHECK = """
import torch
from xg2lab.bitmask import apply_token_bitmask_inplace, bool_mask_to_bitmask
from xg2lab.kernels import apply_bitmask_triton
from tests.bitmask.test_apply import by_definition, example

for width in (1, 31, 32, 33, 64, 200, 1100):
    for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.float64):
        values, allowed = example(3, width)
        bitmask = bool_mask_to_bitmask(torch.tensor(allowed))
        logits = torch.tensor(values).to(dtype)
        apply_token_bitmask_inplace(logits, bitmask, backend="triton")
        assert logits.tolist() == by_definition(values.tolist(), allowed, width, range(3)), (width, dtype)
        for block_size in (16, 64):
            whole = torch.zeros((6, width + 7)).to(dtype)
            part = whole[::2, 3 : 3 + width]
            part.copy_(torch.tensor(values))
            apply_bitmask_triton.apply(part, bitmask, max(width - 5, 0), [2, 0], block_size=block_size)
            assert part.tolist() == by_definition(values.tolist(), allowed, max(width - 5, 0), [2, 0])
            part.zero_()
            assert not whole.any()
    logits = torch.tensor(values).T.contiguous().T
    apply_token_bitmask_inplace(logits, bitmask, backend="triton")
    assert logits.tolist() == by_definition(values.tolist(), allowed, width, range(3))
print("as defined")
"""


@pytest.mark.slow
def test_triton_by_its_interpreter():
    pytest.importorskip("torch")
    pytest.importorskip("triton")
    import os

    done = subprocess.run(
        [sys.executable, "-c", TRITON_CHECK],
        env={**os.environ, "TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "as defined", done.stderr


def test_triton_launches_on_the_device_of_the_logits(monkeypatch):
    """Which need not be the current one: a kernel that is launched elsewhere reads another device's memory."""
    torch = pytest.importorskip("torch")
    from xg2lab.kernels import apply_bitmask_triton

    devices = []

    @contextlib.contextmanager
    def device_of(tensor):
        devices.append(tensor)
        yield
        devices.pop()

    class Kernel:
        def __getitem__(self, grid):
            return lambda *_, **__: launched.append((grid, list(devices)))

    launched = []
    monkeypatch.setattr(torch.cuda, "device_of", device_of)
    monkeypatch.setattr(apply_bitmask_triton, "_apply_kernel", Kernel(), raising=False)
    logits = torch.zeros(2, 40)
    apply_bitmask_triton.apply(logits, torch.zeros(2, 2, dtype=torch.int32), 40, None)
    ((grid, on),) = launched
    assert grid == (2, 1)
    assert on[0] is logits


def refused(logits, bitmask, **options):
    with pytest.raises(BitmaskError) as error:
        apply_token_bitmask_inplace(logits, bitmask, **options)
    return str(error.value)


SEE = "\n  hint: see apply_token_bitmask_inplace for the shapes and dtypes that fit"
LOGITS = np.zeros((2, 40), np.float32)
MASK = np.zeros((2, 2), np.int32)


@pytest.mark.parametrize(
    ("logits", "bitmask", "options", "message"),
    [
        ([1.0], MASK, {}, "the logits are a list; wanted a NumPy array or a torch tensor" + SEE),
        (LOGITS, None, {}, "the bitmask is a NoneType; wanted a NumPy array or a torch tensor" + SEE),
        (
            LOGITS.astype(np.int64),
            MASK,
            {},
            "the logits have dtype int64; wanted float32 or float64 or float16 or bfloat16" + SEE,
        ),
        (LOGITS, MASK.astype(np.int64), {}, "the bitmask has dtype int64; wanted int32 or uint32" + SEE),
        (LOGITS[None], MASK, {}, "the logits have shape (1, 2, 40); wanted (batch_size, width) or (width,)" + SEE),
        (LOGITS, MASK[None], {}, "the bitmask has shape (1, 2, 2); wanted (batch_size, n_words) or (n_words,)" + SEE),
        (
            LOGITS,
            MASK[:, :1],
            {"vocab_size": 40},
            "the bitmask has 1 words a row, bits for 32 tokens; 40 logits are to be masked\n"
            "  hint: allocate_token_bitmask(batch_size, 40), or vocab_size=32 to leave the others unmasked",
        ),
        (
            LOGITS,
            MASK,
            {"vocab_size": 41},
            "vocab_size is 41; the logits have 40 values a row\n"
            "  hint: vocab_size is at most 40; leave it out to work on all",
        ),
        (
            LOGITS,
            MASK[:1],
            {},
            "the logits have 2 rows, the bitmask 1; they must be equal\n  hint: pass indices to say which rows to mask",
        ),
        (
            LOGITS,
            MASK,
            {"indices": [0, 2]},
            "index 2 is not a row of both: the logits have 2 rows, the bitmask 2\n"
            "  hint: row i of the logits is masked by row i of the bitmask; count from 0",
        ),
        (
            LOGITS,
            MASK,
            {"indices": [-1]},
            "index -1 is not a row of both: the logits have 2 rows, the bitmask 2\n"
            "  hint: row i of the logits is masked by row i of the bitmask; count from 0",
        ),
        (
            LOGITS,
            MASK,
            {"backend": "gpu"},
            "backend 'gpu' is not known\n  hint: use one of auto, cpu, cuda, triton, torch_compile, torch_native",
        ),
    ],
)
def test_refusals(logits, bitmask, options, message):
    before = np.array(logits, copy=True)
    assert refused(logits, bitmask, **options) == message
    assert np.array_equal(before, logits)


def test_devices_that_differ_or_are_absent():
    torch = pytest.importorskip("torch")
    logits, mask = torch.zeros((2, 40)), torch.zeros((2, 2), dtype=torch.int32)
    assert refused(logits, mask.to("meta")) == (
        "the logits are on device cpu, the bitmask is on meta; both must be on one device\n"
        "  hint: copy the bitmask after it is filled: bitmask.to(logits.device, non_blocking=True)"
    )
    assert refused(logits.to("meta"), mask.to("meta"), backend="cpu") == (
        "the logits are on device meta; backend 'cpu' wants them in CPU memory\n  hint: use backend=\"auto\""
    )
    with pytest.raises(DeviceError) as error:
        apply_token_bitmask_inplace(logits, mask, backend="cuda")
    assert str(error.value) == (
        "backend 'cuda' wants logits on a CUDA device; they are on cpu\n"
        '  hint: use backend="auto", or move logits and bitmask to the GPU'
    )


def test_read_only_logits_are_refused():
    logits = LOGITS.copy()
    logits.flags.writeable = False
    assert refused(logits, MASK) == "the logits are read-only\n  hint: pass a writable copy"


@pytest.mark.gpu
@pytest.mark.parametrize("backend", ["auto", "cuda", "triton", "torch_native", "torch_compile"])
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_on_a_gpu(backend, dtype):
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    for width in WIDTHS:
        values, allowed = example(3, width)
        logits = torch.tensor(values).to("cuda", getattr(torch, dtype))
        apply_token_bitmask_inplace(logits, bool_mask_to_bitmask(torch.tensor(allowed)).cuda(), backend=backend)
        assert logits.tolist() == by_definition(values.tolist(), allowed, width, range(3))


# ---- Bitmasks of another width than the logits ----


def narrow_case(library: str):
    """Three rows of 40 logits, and a bitmask of 32 bits that allows the first eight."""
    logits, bitmask = np.zeros((3, 40), np.float32), np.full((3, 1), 0xFF, np.int32)
    if library == "numpy":
        return logits, bitmask
    torch = pytest.importorskip("torch")
    return torch.from_numpy(logits), torch.from_numpy(bitmask)


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("backend", ["auto", "cpu", "torch_native"])
def test_a_narrow_bitmask_warns_and_masks_what_it_has(library, backend):
    logits, bitmask = narrow_case(library)
    with pytest.warns(
        UserWarning, match="bits for 32 tokens, the logits have 40 values a row: the last 8 are"
    ) as found:
        apply_token_bitmask_inplace(logits, bitmask, indices=[0, 2], backend=backend)
    assert found[0].filename == __file__
    expected = np.zeros((3, 40), np.float32)
    expected[[0, 2], 8:32] = -np.inf
    assert (np.asarray(logits) == expected).all()


def test_a_narrow_bitmask_warns_once_for_each_line_that_calls():
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")
        for _ in range(3):
            apply_token_bitmask_inplace(*narrow_case("numpy"))
    assert len(found) == 1


def test_a_warning_that_is_an_error_leaves_the_logits():
    logits, bitmask = narrow_case("numpy")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="can be sampled"):
            apply_token_bitmask_inplace(logits, bitmask)
        assert not logits.any()
        apply_token_bitmask_inplace(logits, bitmask, vocab_size=32)  # said to be meant
        assert np.isinf(logits[:, 8:32]).all()
        assert not logits[:, 32:].any()


def test_bits_beyond_the_logits_mean_nothing():
    for word in (0, -1):
        logits, bitmask = np.zeros((1, 20), np.float32), np.array([[0xF, word]], np.int32)
        apply_token_bitmask_inplace(logits, bitmask)
        assert (logits == [[0] * 4 + [-np.inf] * 16]).all()


def test_indices_of_any_kind():
    torch = pytest.importorskip("torch")
    for indices in ([2, 0], (2, 0), np.array([2, 0]), torch.tensor([2, 0]), iter([2, 0]), [2, 0, 2]):
        logits = np.zeros((3, 8), np.float32)
        apply_token_bitmask_inplace(logits, np.full((3, 1), 1, np.int32), indices=indices)
        assert np.isinf(logits[[0, 2], 1:]).all()
        assert not logits[1].any()
