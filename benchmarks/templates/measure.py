"""What is measured of one way: the first mask of each request, then every mask and accept along its reference text.

Requests come one after the other, as a server has them, and nothing is forgotten between them. The first is measured by
itself, nothing known before; all other figures are from the second on. Texts are walked in the first requests of a
task only, for the time it takes; the others end at their first mask.

Two clocks run. `_cpu_` is the thread's own time, which other work on the machine does not lengthen. What reading the
clocks costs is measured before each text and taken off; the medians of masks and accepts are wall-clock times, whose
clock costs less.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks import record
from benchmarks.engines import Engine
from benchmarks.templates.tasks import Task
from benchmarks.templates.ways import Compile


@dataclass
class Samples:
    """Times of one way: milliseconds of first masks, microseconds of steps."""

    cold_cpu_ms: list[float] = field(default_factory=list[float])
    compile_cpu_ms: list[float] = field(default_factory=list[float])
    first_cpu_ms: list[float] = field(default_factory=list[float])
    first_ms: list[float] = field(default_factory=list[float])
    mask_us: list[float] = field(default_factory=list[float])
    mask_cpu_us: list[float] = field(default_factory=list[float])
    accept_us: list[float] = field(default_factory=list[float])


def measure(
    engine: Engine, of: Sequence[tuple[Task, Compile]], n_requests: int, n_walked: int
) -> dict[str, float | int | str]:
    """The figures of one way over all its tasks. At least two requests of each task are walked."""
    samples = Samples()
    for task, compile_it in of:
        for number in range(n_requests):
            one_request(engine, task, compile_it, number, samples, is_walked=number < n_walked)
    return {
        "n_requests": len(samples.first_ms),
        "n_tokens": len(samples.mask_us),
        "cold_first_cpu_ms": record.quantile(samples.cold_cpu_ms, 0.5),
        "compile_cpu_ms_p50": record.quantile(samples.compile_cpu_ms, 0.5),
        "first_cpu_ms_p50": record.quantile(samples.first_cpu_ms, 0.5),
        "first_ms_p50": record.quantile(samples.first_ms, 0.5),
        "mask_us_p50": record.quantile(samples.mask_us, 0.5),
        "mask_us_mean": sum(samples.mask_us) / len(samples.mask_us),
        "mask_us_p99": record.quantile(samples.mask_us, 0.99),
        "mask_cpu_us_mean": sum(samples.mask_cpu_us) / len(samples.mask_cpu_us),
        "mask_cpu_us_p99": record.quantile(samples.mask_cpu_us, 0.99),
        "accept_us_p50": record.quantile(samples.accept_us, 0.5),
        "accept_us_mean": sum(samples.accept_us) / len(samples.accept_us),
    }


def one_request(
    engine: Engine, task: Task, compile_it: Compile, number: int, samples: Samples, *, is_walked: bool
) -> None:
    """Measure one request. The first of a task gives its cold first mask alone."""
    request = task.request(number)
    begin, cpu = time.perf_counter(), time.thread_time()
    compile_it(request)
    compiled = time.thread_time()
    engine.start()
    engine.fill()
    first_cpu, first = time.thread_time() - cpu, time.perf_counter() - begin
    if number == 0:
        samples.cold_cpu_ms.append(first_cpu * 1e3)
    else:
        samples.compile_cpu_ms.append((compiled - cpu) * 1e3)
        samples.first_cpu_ms.append(first_cpu * 1e3)
        samples.first_ms.append(first * 1e3)
    if is_walked:
        walk(engine, request.tokens, samples if number else Samples())


def walk(engine: Engine, tokens: Sequence[int], samples: Samples) -> None:
    """A mask and an accept for each token of a reference text; each must be allowed and accepted."""
    clocks = clocks_us()
    for at, token in enumerate(tokens):
        cpu = time.thread_time()
        begin = time.perf_counter()
        engine.fill()
        filled = time.perf_counter()
        cpu = time.thread_time() - cpu
        is_allowed = engine.allows(token)
        later = time.perf_counter()
        is_accepted = engine.accept(token)
        end = time.perf_counter()
        samples.mask_us.append((filled - begin) * 1e6)
        samples.mask_cpu_us.append(max(0.0, cpu * 1e6 - clocks))
        samples.accept_us.append((end - later) * 1e6)
        if not (is_allowed and is_accepted):
            raise RuntimeError(f"{engine.name} refuses token {token} at step {at + 1}")


def clocks_us(n_times: int = 99) -> float:
    """What `walk` measures of a mask that takes no time: the median of reading the clocks alone."""
    costs: list[float] = []
    for _ in range(n_times):
        cpu = time.thread_time()
        time.perf_counter()
        time.perf_counter()
        costs.append((time.thread_time() - cpu) * 1e6)
    return record.quantile(costs, 0.5)
