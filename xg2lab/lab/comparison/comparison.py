"""What a comparison has found: the masks that differ, where the two part, and both sides' times.

>>> a, b = (np.array([[bits]], np.int32)[0] for bits in (0b110, 0b011))
>>> found = Difference.of(4, a, b)
>>> found.n_only_a, found.only_a.tolist(), found.only_b.tolist()
(1, [2], [0])

See also `xg2lab.lab.comparison.comparing`, which finds it; `comparison_text`, which writes it as text;
`xg2lab.lab.comparison.shortest`.
"""

from __future__ import annotations

import base64
import zlib
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Unpack, cast

import numpy as np
import numpy.typing as npt

from xg2lab.lab.comparison.comparison_text import SwitchValue, changes, comparison_text
from xg2lab.lab.comparison.replays import PHASES, Row, Side
from xg2lab.lab.comparison.shortest import Bounds, Shortest, find_shortest
from xg2lab.lab.trace.compared_masks import ComparedMasks

if TYPE_CHECKING:
    from xg2lab.lab import schema

__all__ = ["CompareReport", "Difference", "Divergence", "Listed", "count"]

MOST_LISTED = 100  # ids a step and side, and steps, on the wire; all are in `Difference`


Tape = tuple[tuple[int, str], ...]
#: A token that one side alone allows, as `Divergence.listed` says.
Listed = tuple[int, str, float | None, bool, bool, bool]


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
    listed: tuple[Listed, ...]


@dataclass
class CompareReport:
    """What a comparison of two sides, A and B, has found so far.

    Attributes
    ----------
    a, b : Side
        The two sides: grammar, vocabulary, options and measured times.
    unit : str
        "token"; or "byte" if the vocabularies differ.
    must_agree : bool
        Whether a difference is an error: only switches of the engine differ.
    changed : dict of str to (value of A, value of B)
        The switches that differ.
    texts : list of str
        The tokens (or bytes) of the compared output.
    n_steps, n_rounds : int
        Masks to compare, and rounds of timing to run.
    n_done, rounds_done : int
        Masks compared, and rounds run, so far.
    n_allowed : list of (int, int)
        For each step, how many tokens A allows, and B.
    differences : list of Difference
        The steps whose masks differ.
    divergence : Divergence or None
        The first step whose masks differ or whose token one side refuses.
    repro : str
        Lines that show a disagreement that is an error; empty if there is none.
    seconds : float
        The time so far.
    stopped : str
        Why the comparison is incomplete: "cancelled" or the budget; "" if it is complete.
    is_running : bool
        Whether the comparison is still at work.
    shortest : Shortest or None
        The last result of `find_shortest`.
    masks : ComparedMasks
        `masks.rows(step)` returns both masks.
    tapes : tuple
        A's tokens of the text, each (byte, text); and B's own if the vocabularies differ, else None.

    >>> import xg2lab as xgr
    >>> from xg2lab.lab import compare
    >>> session = xgr.Session('root ::= [ab]{2}', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
    >>> steps = session.force("a")
    >>> report = compare(session, grammar='root ::= "a" [abc]', rounds=2)
    >>> report.n_differ, report.divergence.step, report.ok
    (1, 0, True)
    >>> report.ratio() > 0, report.total_ratio() > 0, report.compile_spread()[0] > 0
    (True, True, True)
    >>> report.spread()[0] <= report.spread()[1], report.total_spread()[0] <= report.total_spread()[1]
    (True, True)
    >>> report.find_shortest().text, report.to_wire()["n_differ"]
    (b'', 1)
    """

    a: Side
    b: Side
    unit: str
    must_agree: bool
    changed: dict[str, tuple[SwitchValue | float, SwitchValue | float]]
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
        """The number of bits that differ, over all steps."""
        return sum(found.n_only_a + found.n_only_b for found in self.differences)

    @property
    def findings(self) -> list[tuple[str, str]]:
        """Pairs of a level and a sentence: "error" for a difference that must not be, "warning" if a side could not be
        measured.
        """
        found: list[tuple[str, str]] = []
        if self.must_agree and (self.differences or self._parts):
            where = f"step {self.divergence.step}" if self.divergence else ""
            found.append(("error", f"these two must agree and do not, from {where} on: one of them is wrong"))
        if self.must_agree and self.shortest is not None and self.shortest.verdict == "part":
            found.append(("error", f"these two must agree, and over all texts {self.shortest}: one of them is wrong"))
        for side in (self.a, self.b):
            if side.unequal:
                found.append(
                    ("error", f"{side.name} computed a different mask of step {side.unequal[0]} the second time")
                )
            if side.refused:
                found.append(("warning", f"{side.name} failed: {side.refused}"))
        if self.unit == "byte":
            sizes = f"{self.a.info.vocab_size:,} and {self.b.info.vocab_size:,} tokens"
            found.append(("hint", f"the vocabularies differ ({sizes}): the next bytes are compared, not token ids"))
        return found

    @property
    def ok(self) -> bool:
        """Whether nothing that must agree differs, and both sides could be measured."""
        return not any(level in ("error", "warning") for level, _ in self.findings)

    @property
    def _parts(self) -> bool:
        return self.divergence is not None and self.divergence.takes_a != self.divergence.takes_b

    def ratio(self, phase: str = "warm") -> float | None:
        """Divide B's median mask time by A's.

        Parameters
        ----------
        phase : str
            "first", "shared" or "warm": see `xg2lab.lab.comparison.replays`.

        Returns
        -------
        float or None
            None before the first round.
        """
        a, b = self.a.median_us(phase), self.b.median_us(phase)
        return b / a if a and b is not None else None

    def total_ratio(self, phase: str = "first") -> float | None:
        """Divide B's mask time over all steps by A's. It shows a few expensive masks, which a median hides.

        Parameters
        ----------
        phase : str
            As for `ratio`.

        Returns
        -------
        float or None
            None before the first round.
        """
        a, b = self.a.total_us(phase), self.b.total_us(phase)
        return b / a if a and b is not None else None

    def spread(self, phase: str = "warm") -> tuple[float, float] | None:
        """Return the range of the ratio over the rounds.

        Parameters
        ----------
        phase : str
            As for `ratio`.

        Returns
        -------
        tuple of float, or None
            The least and the greatest ratio of the rounds' medians. If 1 lies between them, the two sides can't be told
            apart. None before the first round.
        """
        return _range(self.a.by_round(phase), self.b.by_round(phase))

    def total_spread(self, phase: str = "first") -> tuple[float, float] | None:
        """Return the range of the total ratio over the rounds.

        Parameters
        ----------
        phase : str
            As for `ratio`.

        Returns
        -------
        tuple of float, or None
            The least and the greatest `total_ratio` of the rounds; None before the first round.
        """
        return _range(self.a.by_round(phase, sum), self.b.by_round(phase, sum))

    def compile_spread(self) -> tuple[float, float] | None:
        """Return the range of the ratio of compile times over the rounds.

        Returns
        -------
        tuple of float, or None
            The least and the greatest ratio, B's time over A's; None before the first round.
        """
        return _range(self.a.compile_us, self.b.compile_us)

    def find_shortest(self, seconds: float = 10.0, **bounds: Unpack[Bounds]) -> Shortest:
        """Search for the shortest text, any text, after which A and B allow different continuations.

        Parameters
        ----------
        seconds : float
            The budget.
        **bounds
            The other parameters of `shortest_disagreement`: `most_pairs`, `tell`, `is_cancelled`.

        Returns
        -------
        Shortest
            The result, which the attribute `shortest` keeps.
        """
        self.shortest = find_shortest((self.a, self.b), seconds, **bounds)
        return self.shortest

    def to_wire(self) -> schema.CompareReport:
        """Return the report as JSON values.

        Returns
        -------
        dict
            A value for each field, with at most 100 token ids for a step and side.
        """
        others = ("a", "b", "differences", "shortest", "masks")
        plain = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in others}
        plain["divergence"] = None if self.divergence is None else asdict(self.divergence)
        wire = plain | {
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
        return cast("schema.CompareReport", wire)

    def __str__(self) -> str:
        return comparison_text(self)


def _range(a: list[float], b: list[float]) -> tuple[float, float] | None:
    rounds = [y / x for x, y in zip(a, b, strict=False) if x]
    return (min(rounds), max(rounds)) if rounds else None
