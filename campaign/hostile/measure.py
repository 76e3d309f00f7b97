"""What one input costs one engine: processor time and memory from text to compiled grammar, first mask, 60 steps.

The steps are a walk by lot through the engine's own masks: each token taken is one that the mask allows, and the
matcher has to accept it. What is measured is told as it comes, so a child that is ended has said how far it was.
"""

from __future__ import annotations

import random
import resource
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from campaign.children import Limits, Peak, Result, Tell, run_child
from campaign.hostile.faces import Face, Words
from campaign.hostile.inputs import Input

__all__ = ["BOUND_BYTES", "BOUND_S", "N_STEPS", "Cost", "as_row", "judged", "measure"]

N_STEPS = 60
BOUND_S = 1.0  # of processor time, for any one call
BOUND_BYTES = 256 << 20  # of resident memory, for all calls together


@dataclass
class Cost:
    """A row of the record. Times are seconds of processor time, `peak_mb` MiB of resident memory beyond the parent's.

    `where` is the last thing that was begun: `compile`, `mask`, `step 7`. `over` says which bound was broken:
    `time`, `memory`, both, or nothing; a refusal is over only if it came after the limits of the child.
    """

    name: str
    engine: str
    outcome: str = "ok"
    over: str = ""
    compile_s: float = 0.0
    first_mask_s: float = 0.0
    largest_mask_s: float = 0.0
    largest_accept_s: float = 0.0
    steps_s: float = 0.0
    n_steps: int = 0
    peak_mb: float = 0.0
    where: str = ""
    detail: str = ""

    @property
    def worst_s(self) -> float:
        """The dearest call."""
        return max(self.compile_s, self.first_mask_s, self.largest_mask_s, self.largest_accept_s)


def measure(face: Face, made: Input, limits: Limits, seed: int = 0) -> Cost:
    """Drives an engine through an input in a child; the bounds are judged here.

    Parameters
    ----------
    face : Face
        The engine.
    made : Input
        The input; its text is made in the child too, before the clock runs.
    limits : Limits
        What the child may take: more than the bounds, so that a broken bound has a figure.
    seed : int
        Of the walk.

    Returns
    -------
    Cost
    """
    result = run_child(lambda tell: _drive(face, made, seed, tell), limits, face.typed)
    return judged(Cost(made.name, face.name), result)


def judged(cost: Cost, result: Result) -> Cost:
    """A row of what a child told, with the bounds applied."""
    known = {field.name for field in fields(Cost)}
    for told in result.told:
        for key, value in told.items():
            if key in known:
                setattr(cost, key, value)
    cost.outcome, cost.detail = result.kind, result.detail
    broken: list[str] = []
    if result.kind == "over" or (result.kind != "typed" and cost.worst_s > BOUND_S):
        broken.append("time")
    if result.kind == "memory" or cost.peak_mb * (1 << 20) > BOUND_BYTES:
        broken.append("memory")
    cost.over = "+".join(broken)
    return cost


def as_row(cost: Cost) -> dict[str, float | int | str]:
    """A cost as a row of the record."""
    return asdict(cost)


def _drive(face: Face, made: Input, seed: int, tell: Tell) -> None:
    source = made.make()
    peak = Peak()

    def timed(where: str, act: Callable[[], Any]) -> tuple[Any, float]:
        tell({"where": where})
        begin = _cpu_s()
        try:
            return act(), _cpu_s() - begin
        finally:
            spent = _cpu_s() - begin
            tell({"peak_mb": round(peak.bytes() / (1 << 20), 1), **_as_cost(where, spent)})

    timed("compile", lambda: face.compile(made, source))
    timed("mask", lambda: (face.start(), face.fill()))
    rng = random.Random(zlib.crc32(f"{seed}/{made.name}".encode()))
    largest = {"mask": 0.0, "accept": 0.0}
    total = 0.0
    for step in range(N_STEPS):
        token = chosen(rng, face.fill())
        if token is None or face.is_over():
            break
        accepted, spent = timed(f"accept {step}", lambda token=token: face.accept(token))
        if not accepted:
            raise AssertionError(f"token {token} is in the mask and not accepted, at step {step}")
        largest["accept"] = max(largest["accept"], spent)
        total += spent
        if face.is_over():
            tell({"n_steps": step + 1, "steps_s": total, "largest_accept_s": largest["accept"]})
            break
        _, spent = timed(f"mask {step}", face.fill)
        largest["mask"] = max(largest["mask"], spent)
        total += spent
        tell({"n_steps": step + 1, "steps_s": total, **{f"largest_{key}_s": most for key, most in largest.items()}})


def _cpu_s() -> float:
    """Processor time of all threads. (Under RLIMIT_CPU the kernel reads the process clock at its ticks only.)"""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _as_cost(where: str, spent: float) -> dict[str, float]:
    """The column that a call which failed or was ended belongs to."""
    if where == "compile":
        return {"compile_s": spent}
    return {"first_mask_s": spent} if where == "mask" else {}


def chosen(rng: random.Random, words: Words) -> int | None:
    """A token that the mask allows, by lot; None if there is none."""
    bits = np.unpackbits(words.view(np.uint8), bitorder="little")
    allowed = np.flatnonzero(bits)
    return int(allowed[rng.randrange(len(allowed))]) if len(allowed) else None
