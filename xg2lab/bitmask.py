"""Bitmasks: one bit a token, 1 = allowed; made here, filled by a matcher, applied to logits here.

>>> import numpy as np
>>> bitmask = bool_mask_to_bitmask(np.array([[False, True, True, False]]))
>>> logits = np.zeros((1, 4), dtype=np.float32)
>>> apply_token_bitmask_inplace(logits, bitmask)
>>> logits
array([[-inf,   0.,   0., -inf]], dtype=float32)

Shapes and units: a bitmask has shape (batch_size, ceil(vocab_size / 32)) and dtype int32; token t is bit t % 32,
least significant first, of word t // 32. NumPy arrays and torch tensors both work. Where torch is
installed a new bitmask is a tensor, as code written for XGrammar expects, and making the first one
imports torch; importing this module doesn't.

See also: `core/support/bits.h` (the layout), `xg2lab/kernels/` (the backends).
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from xg2lab import _core
from xg2lab.errors import BitmaskError, DeviceError
from xg2lab.support.arguments import article, shown, whole_number

__all__ = [
    "allocate_token_bitmask",
    "apply_token_bitmask_inplace",
    "bitmask_dtype",
    "bitmask_to_bool_mask",
    "bool_mask_to_bitmask",
    "get_bitmask_shape",
    "reset_token_bitmask",
]

Backend = Literal["auto", "cpu", "cuda", "triton", "torch_compile", "torch_native"]

if TYPE_CHECKING:
    from types import ModuleType

    bitmask_dtype: Any = None

_BACKENDS = ("auto", "cpu", "cuda", "triton", "torch_compile", "torch_native")
_LOGITS_DTYPES = ("float32", "float64", "float16", "bfloat16")
#: A larger request is a mistake: 1 GiB is 32,768 sequences with 262,144 tokens each.
MOST_WORDS = 1 << 28
_ALL_ALLOWED = -1  # a word of 32 ones


def __getattr__(name: str) -> Any:
    """`bitmask_dtype`: torch.int32 where torch is installed, else numpy.int32."""
    if name == "bitmask_dtype":
        torch = _torch_if_installed()
        return np.int32 if torch is None else torch.int32
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@cache
def _torch_if_installed() -> ModuleType | None:
    """torch, imported now if it wasn't; None where it is missing, or doesn't load. Looked for once a process."""
    try:
        import torch
    except (ImportError, OSError):  # OSError: a library of torch's that the loader refuses
        return None
    return torch


def get_bitmask_shape(batch_size: int, vocab_size: int) -> tuple[int, int]:
    """Return the shape of a bitmask.

    Parameters
    ----------
    batch_size : int
        Rows: one for each sequence.
    vocab_size : int
        Width of the model's logits.

    Returns
    -------
    tuple of int
        (batch_size, words in a row), with 32 tokens in a word.

    Raises
    ------
    BitmaskError
        A number is negative.

    >>> get_bitmask_shape(2, 100)
    (2, 4)
    """
    batch_size = whole_number(batch_size, "batch_size")
    vocab_size = whole_number(vocab_size, "vocab_size")
    if batch_size < 0 or vocab_size < 0:
        raise BitmaskError(
            f"no bitmask has batch_size {batch_size} and vocab_size {vocab_size}",
            hint="both must be at least 0; vocab_size is the width of the logits",
        )
    return batch_size, (vocab_size + 31) // 32


def allocate_token_bitmask(
    batch_size: int, vocab_size: int, *, library: Literal["auto", "numpy", "torch"] = "auto"
) -> Any:
    """Make a bitmask that allows everything.

    Parameters
    ----------
    batch_size : int
        Rows: one for each sequence.
    vocab_size : int
        Width of the model's logits.
    library : "auto", "numpy" or "torch"
        "auto" makes a torch tensor on the CPU if torch is installed, else a NumPy array. "numpy" never imports torch.

    Returns
    -------
    numpy.ndarray or torch.Tensor
        int32, every word -1: all bits are 1, those beyond `vocab_size` too. A fill writes the whole row.

    Raises
    ------
    BitmaskError
        A number is negative, the bitmask would take more than 1 GiB, or there is no such library.

    Examples
    --------
    >>> allocate_token_bitmask(1, 40, library="numpy")
    array([[-1, -1]], dtype=int32)
    """
    shape = get_bitmask_shape(batch_size, vocab_size)
    if shape[0] * shape[1] > MOST_WORDS:
        raise BitmaskError(
            f"a bitmask of {batch_size} rows for {vocab_size} tokens takes more than 1 GiB",
            hint="vocab_size is the width of the model's logits, batch_size the number of sequences",
        )
    if not isinstance(library, str) or library not in ("auto", "numpy", "torch"):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BitmaskError(f"library {shown(library)} is not known", hint='use "auto", "numpy" or "torch"')
    if library == "torch":
        import torch
    else:
        torch = _torch_if_installed() if library == "auto" else None
    if torch is not None:
        return torch.full(shape, _ALL_ALLOWED, dtype=torch.int32)
    return np.full(shape, _ALL_ALLOWED, dtype=np.int32)


def reset_token_bitmask(bitmask: Any) -> None:
    """Allow everything again, in place.

    Parameters
    ----------
    bitmask : numpy.ndarray or torch.Tensor
        Shape (batch_size, n_words) or (n_words,); int32 or uint32, writable.

    Raises
    ------
    BitmaskError
        The bitmask has another type or shape, or can't be written.

    >>> bitmask = np.zeros((1, 2), dtype=np.int32)
    >>> reset_token_bitmask(bitmask)
    >>> bitmask
    array([[-1, -1]], dtype=int32)
    """
    _check_bitmask(bitmask)
    _check_writable(bitmask, "bitmask")
    if isinstance(bitmask, np.ndarray):
        bitmask.view(np.int32).fill(_ALL_ALLOWED)
    else:
        bitmask.fill_(_ALL_ALLOWED)


def apply_token_bitmask_inplace(
    logits: Any,
    bitmask: Any,
    *,
    vocab_size: int | None = None,
    indices: Iterable[int] | None = None,
    backend: Backend = "auto",
) -> None:
    """Write minus infinity into each logit whose bit is 0, in place.

    Parameters
    ----------
    logits : numpy.ndarray or torch.Tensor
        Shape (batch_size, width) or (width,); float32, float64, float16 or bfloat16.
    bitmask : numpy.ndarray or torch.Tensor
        Shape (batch_size, n_words) or (n_words,); int32 or uint32, on the device of the logits.
    vocab_size : int, optional
        Only the first `vocab_size` logits of each row are changed. By default, those that the bitmask has bits for; if
        it has fewer bits than there are logits, a UserWarning says how many tokens can still be sampled. Bits beyond
        the logits mean nothing.
    indices : iterable of int or tensor, optional
        The rows to change: row i of the logits by row i of the bitmask, for i in `indices`. By default all rows, and
        then both must have the same number of rows.
    backend : str
        "cpu": ours, for arrays and tensors in CPU memory. "triton" and "cuda": kernels for tensors on a GPU.
        "torch_native", "torch_compile": torch operations on any device. "auto": "cpu" for CPU memory, "triton" on a GPU
        that has it, else "torch_native".

    Raises
    ------
    BitmaskError
        A dtype, shape, stride or device does not fit. The message says what was passed and what is needed.
    DeviceError
        The backend needs a GPU or a library that is missing.

    Examples
    --------
    >>> logits = np.zeros(4, dtype=np.float32)
    >>> apply_token_bitmask_inplace(logits, np.array([0b0110], dtype=np.int32))
    >>> logits
    array([-inf,   0.,   0., -inf], dtype=float32)

    The meaning::

        for row in indices or range(batch_size):
            for token in range(vocab_size):
                if not bit(bitmask, row, token): logits[row, token] = -inf
    """
    if not isinstance(backend, str) or backend not in _BACKENDS:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BitmaskError(f"backend {shown(backend)} is not known", hint="use one of " + ", ".join(_BACKENDS))
    _check_logits(logits)
    _check_bitmask(bitmask)
    n_tokens = _checked_width(logits, bitmask, vocab_size)
    rows = _checked_rows(logits, bitmask, indices)
    on_device = _device(logits)
    if _device(bitmask) != on_device:
        raise BitmaskError(
            f"the logits are on device {on_device}, the bitmask is on {_device(bitmask)}; both must be on one device",
            hint="copy the bitmask after it is filled: bitmask.to(logits.device, non_blocking=True)",
        )
    if backend == "auto":
        backend = _choose_backend(on_device)
    if backend == "cpu":
        if on_device != "cpu":
            raise BitmaskError(
                f"the logits are on device {on_device}; backend 'cpu' wants them in CPU memory",
                hint='use backend="auto"',
            )
        _core.apply_bitmask_on_cpu(logits, bitmask, n_tokens, range(_n_rows(logits)) if rows is None else rows)
        return
    _apply_with_torch(logits, bitmask, n_tokens, rows, backend)


def _apply_with_torch(logits: Any, bitmask: Any, n_tokens: int, rows: list[int] | None, backend: Backend) -> None:
    if backend == "cuda" and not _device(logits).startswith("cuda"):
        raise DeviceError(
            f"backend 'cuda' wants logits on a CUDA device; they are on {_device(logits)}",
            hint='use backend="auto", or move logits and bitmask to the GPU',
        )
    import torch

    if isinstance(logits, np.ndarray):
        logits = torch.from_numpy(logits)
    if isinstance(bitmask, np.ndarray):
        bitmask = torch.from_numpy(bitmask.view(np.int32))
    if bitmask.dtype != torch.int32:
        bitmask = bitmask.view(torch.int32)
    logits, bitmask = (tensor[None] if tensor.ndim == 1 else tensor for tensor in (logits, bitmask))
    if backend == "cuda":
        from xg2lab.kernels import apply_bitmask_cuda

        _check_contiguous_rows(logits, bitmask)
        apply_bitmask_cuda.apply(logits, bitmask, n_tokens, rows)
    elif backend == "triton":
        from xg2lab.kernels import apply_bitmask_triton

        apply_bitmask_triton.check(logits)
        apply_bitmask_triton.apply(logits, bitmask, n_tokens, rows)
    else:
        from xg2lab.kernels import apply_bitmask_torch

        apply = apply_bitmask_torch.apply if backend == "torch_native" else apply_bitmask_torch.apply_compiled
        apply(logits, bitmask, n_tokens, rows)


def _choose_backend(device: str) -> Backend:
    if device == "cpu":
        return "cpu"
    if device.startswith("cuda"):
        from xg2lab.kernels import apply_bitmask_triton

        if apply_bitmask_triton.is_available():
            return "triton"
    return "torch_native"


# ---- Bits and booleans ----


def bitmask_to_bool_mask(bit_mask: Any, vocab_size: int | None = None) -> Any:
    """Unpack the bits of a bitmask into booleans.

    Parameters
    ----------
    bit_mask : numpy.ndarray or torch.Tensor
        Shape (batch_size, n_words) or (n_words,); int32 or uint32.
    vocab_size : int, optional
        The number of bits of each row to return; all if left out.

    Returns
    -------
    numpy.ndarray or torch.Tensor
        Of the bitmask's library; bool, True = allowed, with the shape (batch_size, vocab_size) or (vocab_size,).

    Raises
    ------
    BitmaskError
        The bitmask has another type or shape, or fewer bits than `vocab_size`.

    >>> bitmask_to_bool_mask(np.array([0b101], dtype=np.int32), 4)
    array([ True, False,  True, False])
    """
    bitmask = bit_mask  # the name in XGrammar's signature
    _check_bitmask(bitmask)
    n_bits = bitmask.shape[-1] * 32
    if vocab_size is not None and not 0 <= vocab_size <= n_bits:
        raise BitmaskError(
            f"vocab_size is {vocab_size}; a bitmask of {bitmask.shape[-1]} words a row has {n_bits} bits",
            hint="pass the vocab_size the bitmask was allocated for",
        )
    if isinstance(bitmask, np.ndarray):
        octets = np.ascontiguousarray(bitmask).astype("<i4", copy=False).view(np.uint8)
        return np.unpackbits(octets, axis=-1, bitorder="little").astype(bool)[..., :vocab_size]
    torch = sys.modules["torch"]
    positions = torch.arange(32, dtype=torch.int32, device=bitmask.device)
    bits = (bitmask.view(torch.int32).unsqueeze(-1) >> positions) & 1
    return bits.flatten(-2).bool()[..., :vocab_size]


def bool_mask_to_bitmask(bool_mask: Any) -> Any:
    """Pack booleans into a bitmask. Padding bits are 0.

    Parameters
    ----------
    bool_mask : numpy.ndarray, torch.Tensor or sequence
        Shape (batch_size, vocab_size) or (vocab_size,); other types than bool count by their truth.

    Returns
    -------
    numpy.ndarray or torch.Tensor
        int32, shape (batch_size, n_words) or (n_words,); a torch tensor for a tensor, else a NumPy array.

    >>> bool_mask_to_bitmask(np.array([[True, False, True]]))
    array([[5]], dtype=int32)
    """
    if not hasattr(bool_mask, "shape"):
        bool_mask = np.asarray(bool_mask, dtype=bool)
    padding = -bool_mask.shape[-1] % 32
    if isinstance(bool_mask, np.ndarray):
        widths = [(0, 0)] * (bool_mask.ndim - 1) + [(0, padding)]
        octets = np.packbits(np.pad(bool_mask.astype(bool), widths), axis=-1, bitorder="little")
        return octets.view("<i4").astype(np.int32, copy=False)
    torch = sys.modules["torch"]
    bits = torch.nn.functional.pad(bool_mask.bool().to(torch.int64), (0, padding)).unflatten(-1, (-1, 32))
    words = (bits << torch.arange(32, device=bits.device)).sum(-1)
    return torch.where(words >= 1 << 31, words - (1 << 32), words).to(torch.int32)


# ---- Checks: what came, what is wanted, what to do ----


def _is_tensor(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def _dtype(value: Any) -> str:
    return str(value.dtype).removeprefix("torch.")


def _device(value: Any) -> str:
    return str(value.device) if _is_tensor(value) else "cpu"


def _n_rows(value: Any) -> int:
    return value.shape[0] if value.ndim == 2 else 1


def _check_matrix(value: Any, what: str, verb: str, dtypes: tuple[str, ...], width: str) -> None:
    hint = "see apply_token_bitmask_inplace for the shapes and dtypes that fit"
    if not isinstance(value, np.ndarray) and not _is_tensor(value):
        name = type(value).__name__
        came = f"the {what} {verb} {article(name)} {name}"
        raise BitmaskError(f"{came}; wanted a NumPy array or a torch tensor", hint=hint)
    have = "have" if verb == "are" else "has"
    if _dtype(value) not in dtypes:
        raise BitmaskError(f"the {what} {have} dtype {_dtype(value)}; wanted {' or '.join(dtypes)}", hint=hint)
    if value.ndim not in (1, 2):
        raise BitmaskError(
            f"the {what} {have} shape {tuple(value.shape)}; wanted (batch_size, {width}) or ({width},)", hint=hint
        )


def _check_logits(logits: Any) -> None:
    _check_matrix(logits, "logits", "are", _LOGITS_DTYPES, "width")
    _check_writable(logits, "logits")


def _check_writable(value: Any, what: str) -> None:
    """That each of its elements can be written, and has memory of its own."""
    if isinstance(value, np.ndarray) and not value.flags.writeable:
        raise BitmaskError(f"the {what} {'are' if what == 'logits' else 'is'} read-only", hint="pass a writable copy")
    strides = value.strides if isinstance(value, np.ndarray) else value.stride()
    size = value.itemsize if isinstance(value, np.ndarray) else 1
    reach = size
    if 0 in value.shape:
        return
    for stride, n in sorted((abs(stride), n) for stride, n in zip(strides, value.shape, strict=True)):
        if n > 1 and stride < reach:
            raise BitmaskError(
                f"rows or values of the {what} overlap in memory: the strides are {tuple(strides)}",
                hint="pass a copy: logits.contiguous(), or numpy.array(logits)",
            )
        reach += stride * (n - 1) if n > 1 else 0


def _check_bitmask(bitmask: Any) -> None:
    _check_matrix(bitmask, "bitmask", "is", ("int32", "uint32"), "n_words")


def _check_contiguous_rows(logits: Any, bitmask: Any) -> None:
    for what, tensor in (("logits", logits), ("bitmask", bitmask)):
        if tensor.shape[1] > 1 and tensor.stride(1) != 1:
            raise BitmaskError(
                f"the {what} have stride {tensor.stride(1)} between values of a row; backend 'cuda' wants 1",
                hint='pass a contiguous tensor, or use backend="torch_native"',
            )


def _checked_width(logits: Any, bitmask: Any, vocab_size: int | None) -> int:
    width, n_bits = logits.shape[-1], bitmask.shape[-1] * 32
    if vocab_size is None and n_bits < width:
        # Python shows a warning once for each line that calls: two frames above are `apply_...`
        # and its caller.
        warnings.warn(
            f"the bitmask has bits for {n_bits} tokens, the logits have {width} values a row: the last "
            f"{width - n_bits} are not masked and can be sampled. Make the bitmask by allocate_token_bitmask("
            f"batch_size, {width}) with TokenizerInfo(..., vocab_size={width}), or pass vocab_size={n_bits} if that "
            "is meant",
            UserWarning,
            stacklevel=3,
        )
    n_tokens = min(width, n_bits) if vocab_size is None else whole_number(vocab_size, "vocab_size")
    if not 0 <= n_tokens <= width:
        raise BitmaskError(
            f"vocab_size is {n_tokens}; the logits have {width} values a row",
            hint=f"vocab_size is at most {width}; leave it out to work on all",
        )
    if n_tokens > n_bits:
        raise BitmaskError(
            f"the bitmask has {bitmask.shape[-1]} words a row, bits for {n_bits} tokens; "
            f"{n_tokens} logits are to be masked",
            hint=f"allocate_token_bitmask(batch_size, {n_tokens}), or vocab_size={n_bits} to leave the others unmasked",
        )
    return n_tokens


def _checked_rows(logits: Any, bitmask: Any, indices: Iterable[int] | None) -> list[int] | None:
    n_logits, n_masks = _n_rows(logits), _n_rows(bitmask)
    if indices is None:
        if n_logits != n_masks:
            raise BitmaskError(
                f"the logits have {n_logits} rows, the bitmask {n_masks}; they must be equal",
                hint="pass indices to say which rows to mask",
            )
        return None
    tensor: Any = indices
    listed = tensor.tolist() if hasattr(tensor, "tolist") else indices  # one copy from a GPU
    rows = [whole_number(index, "an index") for index in listed]
    for row in rows:
        if not 0 <= row < min(n_logits, n_masks):
            raise BitmaskError(
                f"index {row} is not a row of both: the logits have {n_logits} rows, the bitmask {n_masks}",
                hint="row i of the logits is masked by row i of the bitmask; count from 0",
            )
    return rows
