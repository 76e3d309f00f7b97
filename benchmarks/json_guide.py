"""The guide's JSON grammar on the Llama-3 vocabulary, one thread: first mask, mask, accept; peers in the same run.

    python -m benchmarks json_guide

Aims: first mask (compile and fill, cold) at most 5 ms; then mask p50 at most 5 µs and p99 at most 200 µs; accept p50 at
most 3 µs. Times include the Python call, as a user's loop pays it. Mask times count every step of the text, those that
build an entry just in time too.
"""

from __future__ import annotations

from benchmarks import record, steps
from benchmarks.engines import engines
from benchmarks.texts import json_text, tokens_of, vocabulary

N_COLD = 7


def run() -> list[record.Figures]:
    words = vocabulary()
    text = tokens_of(words, json_text(20_000))
    rows: list[record.Figures] = []
    for engine in engines(words):
        figures = steps.measure(engine, engine.compile, [text], N_COLD)
        rows.append({"engine": engine.name, "vocabulary": words.name, **figures})
    return rows
