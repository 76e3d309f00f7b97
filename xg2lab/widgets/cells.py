"""The notebook's cell that is being run, as the kernel's messages name it.

>>> running_cell()
Cell(name=None, run='')
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

__all__ = ["Cell", "kernel_shell", "running_cell"]


class Cell(NamedTuple):
    """A cell by its id in the notebook, None where the host gives cells no ids; and the run, by its request's id."""

    name: str | None
    run: str


def kernel_shell() -> Any:
    """Return IPython's shell if a kernel runs it, with a page at its other end; else None."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell if getattr(shell, "kernel", None) is not None else None


def running_cell() -> Cell:
    """Return the cell that is being run."""
    shell = kernel_shell()
    parent: dict[str, Any] = {} if shell is None else shell.kernel.get_parent("shell")
    return Cell(parent.get("metadata", {}).get("cellId"), parent.get("header", {}).get("msg_id", ""))
