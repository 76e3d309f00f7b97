"""What a check of sources finds, and how it ends: each finding on a line, as compilers print theirs.

>>> print(Violation("core/a.h", 3, "core/a is not a layer"))
core/a.h:3: core/a is not a layer
>>> report([], "layers: every arrow points down")
layers: every arrow points down
0
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Violation", "report"]


@dataclass(frozen=True)
class Violation:
    """A line that breaks a rule, and why it does."""

    path: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}"


def report(violations: Sequence[Violation], well: str) -> int:
    """Print what is wrong, or that all is `well`; return the exit status, 1 if anything is wrong."""
    for violation in violations:
        print(violation)
    if not violations:
        print(well)
    return 1 if violations else 0
