"""Bridges to libraries that generate text; each is imported on first use.

>>> from xg2lab import contrib
>>> contrib.hf.LogitsProcessor.__name__
'LogitsProcessor'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xg2lab.contrib import hf, mlxlm

__all__ = ["hf", "mlxlm"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from importlib import import_module

        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
