"""How far from the floor: a known mask beside a copy of as many bytes, and what accepting a byte takes.

    python -m benchmarks floor

A mask over 128,256 tokens is 16,032 bytes: nothing can fill it faster than it can be written. Both are done for
`N_MATCHERS` rows in one call, so that a row has next to nothing of the Python call in it: `fill_ns` by
`BatchGrammarMatcher` on one thread, with every mask met before; `copy_ns` by NumPy's copy into the same rows (aim: at
most three times). `accept_ns_per_byte`: tokens of a text that has been read before, one call of `batch_accept_token`
for all matchers (aim: at most 50); `accept_string_ns_per_byte`: the same text in one call. `call_ns` is a fill of one
matcher from Python.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from benchmarks import record
from benchmarks.engines import Xg2Lab
from benchmarks.texts import JSON, json_text, vocabulary

N_MATCHERS = 16
N_ROUNDS = 200


def run() -> list[record.Figures]:
    words = vocabulary()
    engine = Xg2Lab(words)
    engine.compile(JSON)
    xgr, compiled = engine.xgr, engine.compiled
    text = json_text(20_000)
    tokens = words.encoding.encode_ordinary(text)
    matchers = [xgr.GrammarMatcher(compiled) for _ in range(N_MATCHERS)]
    batch = xgr.BatchGrammarMatcher(max_threads=1)
    rows = xgr.allocate_token_bitmask(N_MATCHERS, len(words.tokens), library="numpy")
    source = np.full_like(np.asarray(rows), -1)

    walk(batch, matchers, tokens, rows)  # every mask and column is known from here on
    fills, copies, calls = places(batch, matchers, tokens, rows, source)
    accepts = walk(batch, matchers, tokens, rows)
    strings: list[float] = []
    for _ in range(20):
        matchers[0].reset()
        begin = time.perf_counter_ns()
        assert matchers[0].accept_string(text)
        strings.append((time.perf_counter_ns() - begin) / len(text.encode()))
    per_byte = [ns / len(words.tokens[token]) for ns, token in zip(accepts, tokens, strict=True)]
    fill, copy = record.quantile(fills, 0.5), record.quantile(copies, 0.5)
    return [
        {
            "vocabulary": words.name,
            "n_bytes_of_mask": rows.shape[1] * 4,
            "n_matchers": N_MATCHERS,
            "fill_ns_p50": fill,
            "copy_ns_p50": copy,
            "fill_over_copy": fill / copy,
            "call_ns_p50": record.quantile(calls, 0.5),
            "accept_ns_per_byte_p50": record.quantile(per_byte, 0.5),
            "accept_string_ns_per_byte_p50": record.quantile(strings, 0.5),
        }
    ]


def walk(batch: Any, matchers: list[Any], tokens: list[int], rows: Any) -> list[float]:
    """Nanoseconds of each accept, a matcher's share of the call; masks are filled between them, and not timed."""
    for matcher in matchers:
        matcher.reset()
    accepts: list[float] = []
    for token in tokens:
        batch.batch_fill_next_token_bitmask(matchers, rows)
        same = [token] * len(matchers)
        begin = time.perf_counter_ns()
        accepted = batch.batch_accept_token(matchers, same)
        accepts.append((time.perf_counter_ns() - begin) / len(matchers))
        assert all(accepted)
    return accepts


def places(batch: Any, matchers: list[Any], tokens: list[int], rows: Any, source: Any) -> tuple[list[float], ...]:
    """At `N_ROUNDS` places of the text: nanoseconds of a fill, of a copy, and of a fill by a call of its own."""
    fills: list[float] = []
    copies: list[float] = []
    calls: list[float] = []
    target = np.asarray(rows)
    stride = max(1, len(tokens) // N_ROUNDS)
    for matcher in matchers:
        matcher.reset()
    for i, token in enumerate(tokens):
        if i % stride == 0:
            for times, act in (
                (fills, lambda: batch.batch_fill_next_token_bitmask(matchers, rows)),
                (copies, lambda: np.copyto(target, source)),
            ):
                act()
                begin = time.perf_counter_ns()
                act()
                times.append((time.perf_counter_ns() - begin) / len(matchers))
            begin = time.perf_counter_ns()
            matchers[0].fill_next_token_bitmask(rows)
            calls.append(float(time.perf_counter_ns() - begin))
        batch.batch_accept_token(matchers, [token] * len(matchers))
    return fills, copies, calls
