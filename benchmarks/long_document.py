"""A 1 MB JSON text: does a token cost the same at the end as at the start, and what does a byte of history take?

    python -m benchmarks long_document

Aims: the median cost of a step (mask and accept) in the last tenth at most 1.2 times that in the second tenth; at most
64 bytes of memory a byte of text. Memory is what the process grows by (resident set), so the table of columns, the
masks and the history all count.
"""

from __future__ import annotations

import gc
import resource
import time
from pathlib import Path

from benchmarks import record
from benchmarks.engines import engines
from benchmarks.texts import json_text, vocabulary

N_BYTES = 1_000_000


def resident_bytes() -> int:
    """The process's resident set now (its peak where /proc is missing)."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * resource.getpagesize()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def run() -> list[record.Figures]:
    words = vocabulary()
    text = json_text(N_BYTES)
    tokens = words.encoding.encode_ordinary(text)
    rows: list[record.Figures] = []
    for engine in engines(words):
        engine.compile()
        engine.start()
        engine.fill()
        times = [0.0] * len(tokens)  # allocated before memory is read
        gc.collect()
        before = resident_bytes()
        for i, token in enumerate(tokens):
            begin = time.perf_counter()
            engine.fill()
            if not engine.accept(token):
                raise RuntimeError(f"{engine.name} refuses token {token} at step {i}")
            times[i] = (time.perf_counter() - begin) * 1e6
        grown = resident_bytes() - before
        tenth = len(times) // 10
        second, last = times[tenth : 2 * tenth], times[9 * tenth :]
        rows.append(
            {
                "engine": engine.name,
                "vocabulary": words.name,
                "n_bytes": len(text.encode()),
                "n_tokens": len(tokens),
                "step_us_p50_second_tenth": record.quantile(second, 0.5),
                "step_us_p50_last_tenth": record.quantile(last, 0.5),
                "ratio": record.quantile(last, 0.5) / record.quantile(second, 0.5),
                "step_us_p99": record.quantile(times, 0.99),
                "memory_bytes_per_byte": grown / len(text.encode()),
            }
        )
    return rows
