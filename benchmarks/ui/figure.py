"""A row of the record: one figure and whether it keeps its bound."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks import record

__all__ = ["figure"]


def figure(
    name: str, values: Sequence[float], unit: str, at_most: float | None, n_tokens: int | str = ""
) -> record.Figures:
    """The row; `at_most` bounds the 95th percentile of the values, None where no bound was set."""
    p95 = record.quantile(values, 0.95)
    return {
        "figure": name,
        "n_tokens": n_tokens,
        "n": len(values),
        "p50": record.quantile(values, 0.5),
        "p95": p95,
        "unit": unit,
        "at_most": "" if at_most is None else at_most,
        "is_met": "" if at_most is None else "yes" if p95 <= at_most else "no",
    }
