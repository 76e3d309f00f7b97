"""The figures of a sweep: verdicts, refusals by keyword, times, instances, disagreements, generated texts.

>>> from xg2lab.integrations.sweep.rows import empty_row
>>> rows = [empty_row("a", 1, "compiled"), {**empty_row("b", 2, "refused"), "refused_keywords": ["not"]}]
>>> print(summarize(rows))
2 schemas: 1 compiled, 1 refused
refused keywords: not 1

Percentiles of masks are over all masks of all rows, from the rows' histograms: exact to half an octave, rounded up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from xg2lab.integrations.sweep.rows import N_BUCKETS, VERDICTS, EngineResult, SweepRow, bucket_us, quantile_of

__all__ = ["EngineSummary", "SweepSummary", "summarize"]

_SHOWN = 12  # keywords of the text


@dataclass
class EngineSummary:
    """One engine's figures.

    Attributes
    ----------
    name : str
        The engine.
    verdicts : Counter of str
        How many schemas have each verdict.
    codes : Counter of str
        Why schemas were refused or failed.
    first_us, compile_us : list of float
        Microseconds to the first mask and of compiling, one for each compiled schema, sorted.
    masks : list of int
        Counts of masks in buckets of half an octave, as in `EngineResult`.
    slowest : list of float
        The slowest mask of each compiled schema, in microseconds, sorted.
    n_wrongly_rejected, n_wrongly_accepted, n_mask_not_accept : int
        Instances with a wrong verdict; steps at which the mask and accept disagreed.
    n_right : int
        Compiled schemas with instances of which every verdict was right.
    """

    name: str
    verdicts: Counter[str] = field(default_factory=Counter[str])
    codes: Counter[str] = field(default_factory=Counter[str])
    first_us: list[float] = field(default_factory=list[float])
    compile_us: list[float] = field(default_factory=list[float])
    masks: list[int] = field(default_factory=lambda: [0] * N_BUCKETS)
    slowest: list[float] = field(default_factory=list[float])
    n_wrongly_rejected: int = 0
    n_wrongly_accepted: int = 0
    n_mask_not_accept: int = 0
    n_right: int = 0

    @property
    def n_masks(self) -> int:
        """The number of masks."""
        return sum(self.masks)

    def mask_us(self, share: float) -> float:
        """Return a percentile of all masks, from the histogram.

        Parameters
        ----------
        share : float
            From 0 to 1.

        Returns
        -------
        float
            The upper end of the bucket, in microseconds; 0.0 if there are no masks.

        >>> summary = EngineSummary("xg2lab")
        >>> summary.masks[8] = 10
        >>> summary.mask_us(0.5)
        1.0
        """
        left = share * self.n_masks
        for bucket, count in enumerate(self.masks):
            left -= count
            if count and left <= 0:
                return bucket_us(bucket)
        return 0.0

    def add(self, part: EngineResult, n_instances: int) -> None:
        """Count one row's part.

        Parameters
        ----------
        part : EngineResult
            The engine's part of a row.
        n_instances : int
            The instances of the row.
        """
        self.verdicts[part["verdict"]] += 1
        if part["verdict"] != "compiled":
            self.codes[part["code"] or part["verdict"]] += 1
        if part["first_us"]:
            self.first_us.append(part["first_us"])
            self.compile_us.append(part["compile_us"])
        if part["n_masks"]:
            self.slowest.append(part["mask_max_us"])
        for bucket, count in enumerate(part["mask_histogram"][:N_BUCKETS]):
            self.masks[bucket] += count
        wrong = len(part["wrongly_rejected"]) + len(part["wrongly_accepted"])
        self.n_wrongly_rejected += len(part["wrongly_rejected"])
        self.n_wrongly_accepted += len(part["wrongly_accepted"])
        self.n_mask_not_accept += part["mask_not_accept"]
        self.n_right += part["verdict"] == "compiled" and n_instances > 0 and not wrong


@dataclass
class SweepSummary:
    """The figures of a sweep; prints as a few lines.

    Attributes
    ----------
    n_rows, n_instances : int
        Schemas and instances.
    verdicts : Counter of str
        How many schemas have each verdict, by the first engine.
    keywords : Counter of str
        How many schemas have each refused keyword.
    engines : dict of str to EngineSummary
        Each engine's figures.
    disagreements : Counter of (str, str, str)
        How many schemas have a disagreement: by kind, the reference and the other engine.
    wrong : Counter of str
        In how many disagreements each engine is wrong.
    generated, unconstrained : Counter of str
        Of texts that the model wrote under the grammar and without it: "all", their ends, "valid", "invalid",
        "expected", "unexpected".
    out : Path or None
        The file, if the summary is that of a sweep that has just ended.
    n_new : int
        Rows that this run did; the others were there.

    >>> print(SweepSummary())
    0 schemas: none
    """

    n_rows: int = 0
    n_instances: int = 0
    verdicts: Counter[str] = field(default_factory=Counter[str])
    keywords: Counter[str] = field(default_factory=Counter[str])
    engines: dict[str, EngineSummary] = field(default_factory=dict[str, EngineSummary])
    disagreements: Counter[tuple[str, str, str]] = field(default_factory=Counter[tuple[str, str, str]])
    wrong: Counter[str] = field(default_factory=Counter[str])
    generated: Counter[str] = field(default_factory=Counter[str])
    unconstrained: Counter[str] = field(default_factory=Counter[str])
    out: Path | None = None
    n_new: int = 0

    def add(self, row: SweepRow) -> None:
        """Count a row.

        Parameters
        ----------
        row : SweepRow
            The row.

        >>> from xg2lab.integrations.sweep.rows import empty_row
        >>> summary = SweepSummary()
        >>> summary.add(empty_row("a", 1, "timeout"))
        >>> summary.verdicts
        Counter({'timeout': 1})
        """
        self.n_rows += 1
        self.n_instances += row["n_instances"]
        self.verdicts[row["verdict"]] += 1
        self.keywords.update({*row["refused_keywords"]})
        for part in row["engines"]:
            self.engines.setdefault(part["name"], EngineSummary(part["name"])).add(part, row["n_instances"])
        self.disagreements.update({(one["kind"], one["a"], one["b"]) for one in row["disagreements"]})
        self.wrong.update(one["wrong"] for one in row["disagreements"] if one["wrong"])
        for counts, wrote in ((self.generated, row["generated"]), (self.unconstrained, row["unconstrained"])):
            if wrote is not None:
                counts["all"] += 1
                counts[wrote["end"]] += 1
                counts.update({"yes": ["valid"], "no": ["invalid"]}.get(wrote["is_valid"], []))
                counts.update({"yes": ["expected"], "no": ["unexpected"]}.get(wrote["is_expected"], []))

    def to_wire(self) -> dict[str, Any]:
        """Return the figures as JSON values.

        Returns
        -------
        dict
            Counts, and for each engine percentiles in microseconds.

        >>> SweepSummary().to_wire()["n_rows"]
        0
        """
        return {
            "n_rows": self.n_rows,
            "n_new": self.n_new,
            "n_instances": self.n_instances,
            "verdicts": dict(self.verdicts),
            "refused_keywords": dict(self.keywords.most_common()),
            "engines": {name: _engine_wire(one) for name, one in self.engines.items()},
            "disagreements": [
                {"kind": kind, "a": a, "b": b, "n_schemas": n} for (kind, a, b), n in self.disagreements.most_common()
            ],
            "wrong": dict(self.wrong),
            "generated": dict(self.generated),
            "unconstrained": dict(self.unconstrained),
        }

    def __str__(self) -> str:
        counts = ", ".join(f"{self.verdicts[name]:,} {name}" for name in VERDICTS if self.verdicts[name])
        lines = [f"{self.n_rows:,} schemas: {counts or 'none'}"]
        if self.keywords:
            shown = [f"{name} {n:,}" for name, n in self.keywords.most_common(_SHOWN)]
            more = len(self.keywords) - len(shown)
            lines.append(f"refused keywords: {', '.join(shown)}" + (f", {more} more" if more > 0 else ""))
        for one in self.engines.values():
            lines += _engine_lines(one, self)
        for (kind, a, b), n in sorted(self.disagreements.items()):
            what = "verdicts on instances differ" if kind == "instance" else "masks differ"
            lines.append(f"{a} and {b}: {what} in {n:,} schemas")
        if self.wrong:
            lines.append("wrong about an instance: " + ", ".join(f"{k} {n:,}" for k, n in self.wrong.most_common()))
        lines += _wrote("generated", self.generated) + _wrote("without the grammar", self.unconstrained)
        return "\n".join(lines)


def _wrote(title: str, counts: Counter[str]) -> list[str]:
    if not counts:
        return []
    n_judged, n_compared = counts["valid"] + counts["invalid"], counts["expected"] + counts["unexpected"]
    line = f"{title} {counts['all']:,}: {counts['stop']:,} whole, {counts['valid']:,} of {n_judged:,} judged valid"
    return [line + (f", {counts['expected']:,} of {n_compared:,} as expected" if n_compared else "")]


def _engine_wire(one: EngineSummary) -> dict[str, Any]:
    return {
        "verdicts": dict(one.verdicts),
        "codes": dict(one.codes.most_common()),
        "first_us": {name: quantile_of(one.first_us, share) for name, share in _SHARES.items()},
        "n_masks": one.n_masks,
        "mask_us": {name: round(one.mask_us(share), 2) for name, share in _SHARES.items()},
        "n_right": one.n_right,
        "n_wrongly_rejected": one.n_wrongly_rejected,
        "n_wrongly_accepted": one.n_wrongly_accepted,
        "n_mask_not_accept": one.n_mask_not_accept,
    }


_SHARES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}


def _engine_lines(one: EngineSummary, of: SweepSummary) -> list[str]:
    if not one.first_us:
        return []
    first = " / ".join(f"{quantile_of(one.first_us, share):,.0f}" for share in (0.5, 0.9, 0.99))
    lines = [f"{one.name}: {one.verdicts['compiled']:,} compiled; first mask p50 / p90 / p99 {first} µs"]
    if one.n_masks:
        masks = " / ".join(f"{one.mask_us(share):,.1f}" for share in (0.5, 0.9, 0.99))
        lines.append(
            f"  {one.n_masks:,} masks, p50 / p90 / p99 at most {masks} µs; of {of.n_instances:,} instances "
            f"{one.n_wrongly_rejected:,} wrongly rejected, {one.n_wrongly_accepted:,} wrongly accepted; "
            f"mask and accept differ {one.n_mask_not_accept:,} times"
        )
    return lines


def summarize(rows: Iterable[SweepRow]) -> SweepSummary:
    """Count the rows of a sweep.

    Parameters
    ----------
    rows : iterable of SweepRow
        As `read_rows` yields them.

    Returns
    -------
    SweepSummary
        Prints as a few lines.

    >>> summarize([]).n_rows
    0
    """
    summary = SweepSummary()
    for row in rows:
        summary.add(row)
    for one in summary.engines.values():
        one.first_us.sort()
        one.compile_us.sort()
        one.slowest.sort()
    return summary
