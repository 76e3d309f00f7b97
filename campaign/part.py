"""What a part of the campaign is: units of work in a fixed order, and what each of them found.

>>> class Squares:
...     title = "squares are not negative"
...     def prepare(self, run): return None
...     def units(self, run): return [f"{run.seed}/{i}" for i in range(3)]
...     def do(self, run, unit): return Done(counts={"squares": 1})
>>> run = Run("squares", seed=7, folder=Path("unused"))
>>> [Squares().do(run, unit).counts for unit in Squares().units(run)]
[{'squares': 1}, {'squares': 1}, {'squares': 1}]

A new part is a class with these four names in a module of its own, and a line in `campaign/parts.py`. The driver does
the rest: the order, the time, the state after each unit, the record, the findings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

__all__ = ["Done", "Figures", "Finding", "Part", "Run"]

Figures = Mapping[str, float | int | str]


@dataclass(frozen=True)
class Finding:
    """A fault: `name` is the same each time that the same fault is found.

    `kind` is the class that the part sorts it into, `detail` says what was seen, `case` is where the input is kept, or
    the input itself if it is short.
    """

    name: str
    kind: str
    detail: str = ""
    case: str = ""


@dataclass
class Done:
    """What a unit did: counts that are added up, rows for the record, findings."""

    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    rows: list[Figures] = field(default_factory=list[Figures])
    findings: list[Finding] = field(default_factory=list[Finding])


@dataclass(frozen=True)
class Run:
    """How a part is run.

    Parameters
    ----------
    name : str
        The part's name.
    seed : int
        All that is drawn by lot is drawn by it.
    folder : Path
        Where the part may keep files between runs: corpora, built programs. Git ignores it.
    share : float
        The part of the units that are done, from 0 to 1; they are spread over all.
    peers : bool
        Whether peers are measured beside us.
    minutes : float
        What the whole part may take; a part whose units choose their own length divides it among them.
    """

    name: str
    seed: int
    folder: Path
    share: float = 1.0
    peers: bool = False
    minutes: float = 60.0


class Part(Protocol):
    """A part of the campaign."""

    title: str

    def prepare(self, run: Run) -> str | None:
        """Builds and loads what the units need. A text: why the part is left out here."""
        ...

    def units(self, run: Run) -> Iterable[str]:
        """The names of all units, in the same order for the same seed."""
        ...

    def do(self, run: Run, unit: str) -> Done:
        """One unit: seconds to minutes."""
        ...
