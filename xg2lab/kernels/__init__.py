"""Ways to apply a bitmask to logits in place; each is imported on first use.

`apply_token_bitmask_inplace_*` are the names that callers of XGrammar's kernels import. `apply_bitmask_*` are
the backends that do it, for arguments that have been checked.

>>> sorted(apply_token_bitmask_inplace_kernels)
['cpu', 'cuda', 'metal', 'torch_compile', 'torch_native', 'triton']
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

__all__ = ["apply_token_bitmask_inplace_kernels"]

_FUNCTIONS = {
    "cpu": "apply_token_bitmask_inplace_cpu",
    "cuda": "apply_token_bitmask_inplace_cuda",
    "metal": "apply_token_bitmask_mlx",
    "torch_compile": "apply_token_bitmask_inplace_torch_compile",
    "torch_native": "apply_token_bitmask_inplace_torch",
    "triton": "apply_token_bitmask_inplace_triton",
}


class _Kernels(Mapping[str, Callable[..., Any]]):
    """The kernels by the name of their backend, each imported when it is taken."""

    def __getitem__(self, backend: str) -> Callable[..., Any]:
        name = _FUNCTIONS[backend]
        return getattr(import_module(f"{__name__}.{name}"), name)

    def __iter__(self) -> Iterator[str]:
        return iter(_FUNCTIONS)

    def __len__(self) -> int:
        return len(_FUNCTIONS)


#: Kernels by backend. "metal" is for MLX and returns the logits; the others work in place.
apply_token_bitmask_inplace_kernels: Mapping[str, Callable[..., Any]] = _Kernels()
