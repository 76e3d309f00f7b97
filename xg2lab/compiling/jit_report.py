"""How well the estimate that orders the background's work foretells what mask entries cost.

>>> rank_correlation([1.0, 2.0, 3.0], [10.0, 20.0, 400.0])
1.0
>>> rank_correlation([1.0, 2.0, 3.0], [3.0, 2.0, 1.0])
-1.0

Shapes and units: estimates are nodes of the token trie that a walk visits; measurements are nanoseconds.

See also: `core/mask/walk/classify.h` (estimate_visits), `docs/design/0012-partial-jit.md`, XGrammar-2 section 3.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["JitReport", "StateCost", "rank_correlation"]


@dataclass(frozen=True)
class StateCost:
    """One state that has a mask entry of its own."""

    state: int
    rule: str
    n_visits: int  #: estimated: nodes of the token trie
    ns: int | None  #: the time of making the entry, by any thread; None: it isn't made yet
    cache: str | None  #: "miss": built here; "partial_hit", "perfect_hit": taken over from another grammar
    in_background: bool  #: made ahead of the texts


@dataclass(frozen=True)
class JitReport:
    """Estimates beside measurements; `str()` is a table, the costliest first."""

    states: tuple[StateCost, ...]

    @property
    def rank_correlation(self) -> float | None:
        """Spearman's, over the entries that were built here; None if there are fewer than two, or all are alike."""
        built = [(cost.n_visits, cost.ns) for cost in self.states if cost.cache == "miss" and cost.ns is not None]
        return rank_correlation([n for n, _ in built], [ns for _, ns in built])

    def __str__(self) -> str:
        rho = self.rank_correlation
        lines = [
            f"rank correlation {'unknown' if rho is None else format(rho, '.2f')}",
            " visits        us  made  rule",
        ]
        for cost in sorted(self.states, key=lambda cost: -cost.n_visits):
            us = "-" if cost.ns is None else f"{cost.ns / 1e3:.1f}"
            made = "ahead" if cost.in_background else "-" if cost.ns is None else "asked"
            lines.append(f"{cost.n_visits:7}  {us:>8}  {made:5} {cost.rule}[{cost.state}]")
        return "\n".join(lines)


def rank_correlation(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Spearman's rank correlation, ties sharing the mean of their ranks; None where it isn't defined."""
    n = len(xs)
    if n < 2:
        return None
    ranks = [_ranks(xs), _ranks(ys)]
    mean = (n - 1) / 2
    products = sum((x - mean) * (y - mean) for x, y in zip(*ranks, strict=True))
    squares = [sum((rank - mean) ** 2 for rank in of) for of in ranks]
    if not all(squares):
        return None
    return products / (squares[0] * squares[1]) ** 0.5


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    begin = 0
    while begin < len(order):
        end = begin
        while end < len(order) and values[order[end]] == values[order[begin]]:
            end += 1
        for i in order[begin:end]:
            ranks[i] = (begin + end - 1) / 2
        begin = end
    return ranks
