"""When the model and the mask were at work: intervals of one clock, and what of the mask the model did not hide.

>>> lanes = Lanes(model=(0, 900), mask=(100, 400))
>>> lanes.wait_ns, Lanes(model=(0, 900), mask=(700, 1000)).wait_ns, Lanes(model=(0, 900)).wait_ns
(0, 100, None)

IDEA
  Mask and forward pass need the tokens so far and nothing of each other (XGrammar, section 3.5), so one can be made
  while the other runs. What is left to wait for is the part of the mask's lane that no forward pass covers:

      wait = |mask| - |mask ∩ model|

  Without overlap that is the whole mask. `wait_ns` is None where one of the two was not at work.

Shapes and units: a lane is (begin, end) in nanoseconds of the session's clock, which starts at 0 with the session and
which all threads share. See also `xg2lab.lab.model.model_lane`, `docs/design/0016-overlap.md`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xg2lab.lab.trace.invariants import check_lanes
from xg2lab.lab.trace.values import fail

if TYPE_CHECKING:
    from xg2lab.lab import schema

__all__ = ["LANES", "Clock", "Lane", "Lanes", "figures", "hidden_share", "uncovered"]

Lane = tuple[int, int]
LANES: tuple[str, ...] = ("model", "mask", "apply", "sample")


class Clock:
    """Nanoseconds since it was made; may be read by any thread."""

    def __init__(self) -> None:
        self._origin = time.perf_counter_ns()

    def now(self) -> int:
        """The time."""
        return time.perf_counter_ns() - self._origin

    def at(self, perf_counter_ns: int) -> int:
        """A reading of `time.perf_counter_ns` on this clock."""
        return perf_counter_ns - self._origin


@dataclass(frozen=True)
class Lanes:
    """When the parts of one decision were done; None for what was not.

    `model`: the forward pass (the prompt's for step 0), up to its logits in host memory. `mask`: the fill. `apply`: the
    mask put on the logits, p, q and Z. `sample`: the draw.
    """

    model: Lane | None = None
    mask: Lane | None = None
    apply: Lane | None = None
    sample: Lane | None = None

    @property
    def wait_ns(self) -> int | None:
        """The time of the mask's lane that the model's does not cover."""
        return None if self.mask is None or self.model is None else uncovered(self.mask, self.model)

    def to_wire(self) -> schema.StepLanes:
        """Return a dict of JSON values: four lanes as [begin, end] or null, and `wait_ns`."""
        return {
            "model": self.model and list(self.model),
            "mask": self.mask and list(self.mask),
            "apply": self.apply and list(self.apply),
            "sample": self.sample and list(self.sample),
            "wait_ns": self.wait_ns,
        }

    @classmethod
    def of_record(cls, record: schema.StepLanes, pointer: str = "") -> Lanes:
        """Return the lanes of a record that was checked; raise `DeserializeFormatError` if its figures disagree."""
        check_lanes(record, pointer)
        lanes = cls(*(_pair(record[name]) for name in ("model", "mask", "apply", "sample")))
        if record["wait_ns"] != lanes.wait_ns:
            fail(f"{pointer}/wait_ns", f"what the lanes say ({lanes.wait_ns})", record["wait_ns"])
        return lanes


def _pair(lane: list[int] | None) -> Lane | None:
    return None if lane is None else (lane[0], lane[1])


def uncovered(lane: Lane, other: Lane) -> int:
    """How long `lane` lasts outside `other`.

    >>> uncovered((0, 10), (4, 20)), uncovered((0, 10), (2, 5)), uncovered((0, 10), (30, 40))
    (4, 7, 10)
    """
    both = min(lane[1], other[1]) - max(lane[0], other[0])
    return lane[1] - lane[0] - max(both, 0)


def hidden_share(lanes: Sequence[Lanes | None]) -> float | None:
    """The share of all mask time that forward passes covered; None where no step has both.

    >>> hidden_share([Lanes((0, 9), (5, 10)), Lanes((20, 29), (20, 25))])
    0.9
    """
    known = [lane for lane in lanes if lane is not None]
    both = [(lane.mask, lane.wait_ns) for lane in known if lane.mask is not None and lane.wait_ns is not None]
    total = sum(mask[1] - mask[0] for mask, _ in both)
    return None if total == 0 else 1.0 - sum(wait for _, wait in both) / total


def figures(lanes: Sequence[Lanes | None]) -> dict[str, schema.LaneFigures]:
    """Median, 95th percentile and sum, in nanoseconds, of model (without the prompt's pass), mask and wait.

    `lanes` are those of a trace's steps, in order. What no step has is left out.

    >>> figures([Lanes((0, 900), (0, 50)), Lanes((1000, 1010), (1000, 1030)), None])["wait"]
    {'p50': 20, 'p95': 20, 'sum': 20}
    """
    known = [lane for lane in lanes if lane is not None]
    times = {
        "model": [b - a for a, b in (lane.model for lane in lanes[1:] if lane is not None and lane.model is not None)],
        "mask": [b - a for a, b in (lane.mask for lane in known if lane.mask is not None)],
        "wait": [lane.wait_ns for lane in known if lane.wait_ns is not None],
    }
    return {
        name: {"p50": _quantile(found, 0.5), "p95": _quantile(found, 0.95), "sum": sum(found)}
        for name, found in times.items()
        if found
    }


def _quantile(values: list[int], q: float) -> int:
    return sorted(values)[min(len(values) - 1, int(q * len(values)))]
