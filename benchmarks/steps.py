"""Compile, first mask, then a mask and an accept for each token: how benchmarks of whole texts take their times.

Each call is timed by itself, as a user's loop pays it; whether the bitmask allows the token is looked up between the
two. An engine is not timed on another language: a token that it refuses is an error, unless the benchmark asks first
which texts an engine takes (`takes`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from benchmarks import record
from benchmarks.engines import Engine

WALK_S = 20.0
Compile = Callable[[], None]  # compiles the grammar anew into the engine that it belongs to


def cold_ms(engine: Engine, compile_it: Compile, n_cold: int) -> list[float]:
    """Milliseconds to compile, make a matcher and fill once, nothing known before: `n_cold` times."""
    times: list[float] = []
    for _ in range(n_cold):
        engine.forget()
        begin = time.perf_counter()
        compile_it()
        engine.start()
        engine.fill()
        times.append((time.perf_counter() - begin) * 1e3)
    return times


def walk_us(engine: Engine, tokens: Sequence[int]) -> tuple[list[float], list[float]]:
    """Microseconds of each fill and each accept along a text; every token must be allowed and accepted."""
    fills: list[float] = []
    accepts: list[float] = []
    for token in tokens:
        begin = time.perf_counter()
        engine.fill()
        middle = time.perf_counter()
        allowed = engine.allows(token)
        later = time.perf_counter()
        accepted = engine.accept(token)
        end = time.perf_counter()
        fills.append((middle - begin) * 1e6)
        accepts.append((end - later) * 1e6)
        if not (allowed and accepted):
            raise RuntimeError(f"{engine.name} refuses token {token} at step {len(fills)}")
    return fills, accepts


def takes(engine: Engine, tokens: Sequence[int]) -> bool:
    """Whether the grammar last compiled accepts each token where it comes."""
    engine.start()
    try:
        return all(engine.accept(token) for token in tokens)
    except RuntimeError:
        return False


def measure(
    engine: Engine, compile_it: Compile, texts: Sequence[tuple[Sequence[int], int]], n_cold: int = 5
) -> dict[str, float | int | str]:
    """First masks, then all steps along texts (tokens, and how many bytes they are), begun with nothing known.

    No text is begun after `WALK_S` seconds; `n_texts` and `n_tokens` say how far an engine came.
    """
    first = cold_ms(engine, compile_it, n_cold)
    engine.forget()
    compile_it()
    fills: list[float] = []
    accepts: list[float] = []
    n_texts = n_bytes = 0
    end = time.monotonic() + WALK_S
    for tokens, size in texts:
        if time.monotonic() > end:
            break
        n_texts, n_bytes = n_texts + 1, n_bytes + size
        engine.start()
        one = walk_us(engine, tokens)
        fills += one[0]
        accepts += one[1]
    return {
        "n_texts": n_texts,
        "n_tokens": len(fills),
        "n_cold": n_cold,
        "first_mask_ms_median": record.quantile(first, 0.5),
        "first_mask_ms_max": max(first),
        "mask_us_p50": record.quantile(fills, 0.5),
        "mask_us_p99": record.quantile(fills, 0.99),
        "mask_us_mean": sum(fills) / len(fills),
        "mask_us_max": max(fills),
        "accept_us_p50": record.quantile(accepts, 0.5),
        "accept_us_p99": record.quantile(accepts, 0.99),
        "accept_ns_per_byte": sum(accepts) * 1e3 / n_bytes,
    }
