"""The guide's JSON grammar on the Llama-3 vocabulary, one thread: first mask, mask, accept; peers in the same run.

    python -m benchmarks json_guide

Aims: first mask (compile and fill, cold) at most 5 ms; then mask p50 at most 5 µs and p99 at most 200 µs; accept p50 at
most 3 µs. Times include the Python call, as a user's loop pays it. Mask times count every step of the text, those that
build an entry just in time too.
"""

from __future__ import annotations

import time

from benchmarks import record
from benchmarks.engines import Engine, engines
from benchmarks.texts import json_text, vocabulary

N_COLD = 7


def cold_first_mask_ms(engine: Engine) -> float:
    """Compile, make a matcher, fill once; nothing of it known before."""
    begin = time.perf_counter()
    engine.compile()
    engine.start()
    engine.fill()
    return (time.perf_counter() - begin) * 1e3


def walk_us(engine: Engine, tokens: list[int]) -> tuple[list[float], list[float]]:
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


def run() -> list[record.Figures]:
    words = vocabulary()
    text = json_text(20_000)
    tokens = words.encoding.encode_ordinary(text)
    rows: list[record.Figures] = []
    for engine in engines(words):
        first = [cold_first_mask_ms(engine) for _ in range(N_COLD)]
        engine.compile()  # afresh: the walk below meets every state for the first time
        engine.start()
        engine.fill()
        fills, accepts = walk_us(engine, tokens)
        rows.append(
            {
                "engine": engine.name,
                "vocabulary": words.name,
                "n_tokens": len(tokens),
                "first_mask_ms_median": record.quantile(first, 0.5),
                "first_mask_ms_max": max(first),
                "mask_us_p50": record.quantile(fills, 0.5),
                "mask_us_p99": record.quantile(fills, 0.99),
                "mask_us_mean": sum(fills) / len(fills),
                "mask_us_max": max(fills),
                "accept_us_p50": record.quantile(accepts, 0.5),
                "accept_us_p99": record.quantile(accepts, 0.99),
            }
        )
    return rows
