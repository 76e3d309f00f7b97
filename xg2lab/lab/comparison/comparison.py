"""What a comparison has found: the masks that differ, where the two part, and both sides' times.

>>> a, b = (np.array([[bits]], np.int32)[0] for bits in (0b110, 0b011))
>>> found = Difference.of(4, a, b)
>>> found.n_only_a, found.only_a.tolist(), found.only_b.tolist()
(1, [2], [0])

See also `xg2lab.lab.comparison.comparing`, which finds it; `comparison_text`, which says it in words;
`xg2lab.lab.comparison.shortest`.
"""

from __future__ import annotations

import base64
import zlib
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from xg2lab.lab.comparison.compared_masks import ComparedMasks
from xg2lab.lab.comparison.comparison_text import changes, comparison_text
from xg2lab.lab.comparison.replays import PHASES, Row, Side
from xg2lab.lab.comparison.shortest import Shortest, find_shortest

__all__ = ["CompareReport", "Difference", "Divergence", "count"]

MOST_LISTED = 100  # ids a step and side, and steps, on the wire; all are in `Difference`


Tape = tuple[tuple[int, str], ...]


def count(row: Row) -> int:
    """How many bits are set."""
    return int(np.unpackbits(row.view(np.uint8)).sum())


@dataclass(frozen=True)
class Difference:
    """A step whose masks differ. `only_a`, `only_b`: int[n] ids that one side alone allows, kept packed."""

    step: int
    n_only_a: int
    n_only_b: int
    _masks: tuple[bytes, bytes]

    @classmethod
    def of(cls, step: int, a: Row, b: Row) -> Difference:
        """The difference of two rows."""
        return cls(step, count(a & ~b), count(b & ~a), (zlib.compress(a.tobytes(), 1), zlib.compress(b.tobytes(), 1)))

    @property
    def only_a(self) -> npt.NDArray[np.int64]:
        """Ids that A alone allows."""
        return self._ids(0)

    @property
    def only_b(self) -> npt.NDArray[np.int64]:
        """Ids that B alone allows."""
        return self._ids(1)

    def _ids(self, of: int) -> npt.NDArray[np.int64]:
        a, b = (np.frombuffer(zlib.decompress(mask), np.uint8) for mask in self._masks)
        return np.flatnonzero(np.unpackbits(a & ~b if of == 0 else b & ~a, bitorder="little"))


@dataclass(frozen=True)
class Divergence:
    """The first step whose masks differ, or whose token one side refuses.

    `byte`: where in the output the step begins; `token_id`, `text`: what comes there, None at the end of the text;
    `takes_a`, `takes_b` whether each accepts it; `reason_a`, `reason_b` why a side refuses what the other allows;
    `listed` the tokens that differ, the text's own before the most wanted: (id, text, p or None, whether it is A that
    allows it, what accept_token of A says, and of B).
    """

    step: int
    byte: int
    token_id: int | None
    text: str
    takes_a: bool
    takes_b: bool
    reason_a: str
    reason_b: str
    mass: float | None
    listed: tuple[tuple[int, str, float | None, bool, bool, bool], ...]


@dataclass
class CompareReport:
    """What is known so far; `stopped` says why if it is not all: "", "cancelled", or the budget.

    `unit` is "token" or, for different vocabularies, "byte"; `changed` the switches that differ, [A's value, B's];
    `n_allowed[step]` is (A's count, B's); `repro` are lines that show a disagreement that must not be; `shortest` what
    `find_shortest` found last; `masks.rows(step)` both masks; `tapes` the tokens of the text, (byte, text) each: A's,
    and B's own where the vocabularies differ.
    """

    a: Side
    b: Side
    unit: str
    must_agree: bool
    changed: dict[str, tuple[Any, Any]]
    texts: list[str]
    n_steps: int
    n_rounds: int
    n_done: int = 0
    rounds_done: int = 0
    n_allowed: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    differences: list[Difference] = field(default_factory=list[Difference])
    divergence: Divergence | None = None
    repro: str = ""
    seconds: float = 0.0
    stopped: str = ""
    is_running: bool = True
    shortest: Shortest | None = None
    masks: ComparedMasks = field(default_factory=ComparedMasks)
    tapes: tuple[Tape, Tape | None] = ((), None)

    @property
    def n_differ(self) -> int:
        """Bits that differ, over all steps."""
        return sum(found.n_only_a + found.n_only_b for found in self.differences)

    @property
    def findings(self) -> list[tuple[str, str]]:
        """(level, sentence): "error" where what must agree does not, "warning" where a side could not be asked."""
        found: list[tuple[str, str]] = []
        if self.must_agree and (self.differences or self._parts):
            where = f"step {self.divergence.step}" if self.divergence else ""
            found.append(("error", f"these two must agree and do not, from {where} on: one of them is a bug"))
        if self.must_agree and self.shortest is not None and self.shortest.verdict == "part":
            found.append(("error", f"these two must agree, and over all texts {self.shortest}: one of them is a bug"))
        for side in (self.a, self.b):
            if side.unequal:
                found.append(("error", f"{side.name} made another mask of step {side.unequal[0]} when asked again"))
            if side.refused:
                found.append(("warning", f"{side.name} could not be asked: {side.refused}"))
        if self.unit == "byte":
            sizes = f"{self.a.info.vocab_size:,} and {self.b.info.vocab_size:,} tokens"
            found.append(("hint", f"the vocabularies differ ({sizes}): the next bytes are compared, not token ids"))
        return found

    @property
    def ok(self) -> bool:
        """Whether nothing that must agree differs, and both could be asked."""
        return not any(level in ("error", "warning") for level, _ in self.findings)

    @property
    def _parts(self) -> bool:
        return self.divergence is not None and self.divergence.takes_a != self.divergence.takes_b

    def ratio(self, phase: str = "warm") -> float | None:
        """B's median mask time over A's, in a phase of `xg2lab.lab.comparison.replays`; None before the first round."""
        a, b = self.a.median_us(phase), self.b.median_us(phase)
        return b / a if a and b is not None else None

    def total_ratio(self, phase: str = "first") -> float | None:
        """The same of all steps together: what a few expensive masks cost, a median does not show."""
        a, b = self.a.total_us(phase), self.b.total_us(phase)
        return b / a if a and b is not None else None

    def spread(self, phase: str = "warm") -> tuple[float, float] | None:
        """The ratio of the rounds' medians, least and greatest: around 1, the two can't be told apart."""
        return _range(self.a.by_round(phase), self.b.by_round(phase))

    def total_spread(self, phase: str = "first") -> tuple[float, float] | None:
        """The same of all steps together."""
        return _range(self.a.by_round(phase, sum), self.b.by_round(phase, sum))

    def compile_spread(self) -> tuple[float, float] | None:
        """The same of compiling."""
        return _range(self.a.compile_us, self.b.compile_us)

    def find_shortest(self, seconds: float = 10.0, **bounds: Any) -> Shortest:
        """The shortest text on which A and B part, along any text: see `xg2lab.lab.comparison.shortest`."""
        self.shortest = find_shortest((self.a, self.b), seconds, **bounds)
        return self.shortest

    def to_wire(self) -> dict[str, Any]:
        """A dict of JSON values; of ids the first 100 a step and side."""
        others = ("a", "b", "differences", "shortest", "masks")
        plain = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in others}
        plain["divergence"] = None if self.divergence is None else asdict(self.divergence)
        return plain | {
            "shortest": None if self.shortest is None else self.shortest.to_wire(),
            "masks": "" if self.is_running else base64.b64encode(self.masks.packed()).decode(),
            "a": self.a.to_wire(),
            "b": self.b.to_wire(),
            "ratios": {phase: self.ratio(phase) for phase in PHASES},
            "spreads": {phase: self.spread(phase) for phase in PHASES} | {"compile": self.compile_spread()},
            "total_spreads": {phase: self.total_spread(phase) for phase in PHASES},
            "total_ratios": {phase: self.total_ratio(phase) for phase in PHASES},
            "changes": changes(self),
            "changed": {name: [str(a), str(b)] for name, (a, b) in self.changed.items()},
            "findings": self.findings,
            "n_differing_steps": len(self.differences),
            "is_other_grammar": self.a.meaning != self.b.meaning,
            "n_differ": self.n_differ,
            "ok": self.ok,
            "differences": [
                [d.step, d.n_only_a, d.n_only_b, d.only_a[:MOST_LISTED].tolist(), d.only_b[:MOST_LISTED].tolist()]
                for d in self.differences[:MOST_LISTED]
            ],
        }

    def __str__(self) -> str:
        return comparison_text(self)


def _range(a: list[float], b: list[float]) -> tuple[float, float] | None:
    rounds = [y / x for x, y in zip(a, b, strict=False) if x]
    return (min(rounds), max(rounds)) if rounds else None
