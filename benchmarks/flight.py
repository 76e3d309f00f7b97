"""What does the flight recorder cost a decode step, and what does its thread do afterwards?

    python -m benchmarks flight

Two matchers of one compiled grammar walk the same text in turns, a token each, so that noise meets both alike. One of
them has a flight: its fill is timed, and each token recorded, as the integrations do it. The median of the differences
is what recording costs a step. It is set against a forward pass of the tiny model on the CPU, which is a short
decode step.

The files are written with redaction, as they are by default.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np

import xg2lab as xgr
from benchmarks import record
from benchmarks.texts import JSON_EBNF, json_text
from xg2lab.flight import FlightGrammar, FlightRecorder

N_FLIGHTS = 20
N_BYTES = 6_000


def run() -> list[record.Figures]:
    model = xgr.ModelRunner.tiny()
    info = model.tokenizer_info
    tokens = info.encode_greedy(json_text(N_BYTES))
    compiled = xgr.GrammarCompiler(info).compile_grammar(JSON_EBNF)
    with tempfile.TemporaryDirectory() as folder, FlightRecorder(folder, "always") as recorder:
        return [_row(recorder, compiled, tokens, model, Path(folder))]


def _row(
    recorder: FlightRecorder,
    compiled: xgr.CompiledGrammar,
    tokens: list[int],
    model: xgr.ModelRunner,
    folder: Path,
) -> record.Figures:
    grammar = FlightGrammar("ebnf", JSON_EBNF)
    info = compiled.tokenizer_info
    bitmask = np.zeros((1, (info.vocab_size + 31) // 32), np.int32)
    plain_us, recorded_us, end_us, write_ms = list[float](), list[float](), list[float](), list[float]()
    for number in range(N_FLIGHTS + 1):
        plain, watched = xgr.GrammarMatcher(compiled), xgr.GrammarMatcher(compiled)
        flight = recorder.begin(f"request-{number}", grammar, info, compiled=compiled)
        for token in tokens:
            begun = time.perf_counter_ns()
            plain.fill_next_token_bitmask(bitmask)
            plain.accept_token(token)
            between = time.perf_counter_ns()
            started = time.perf_counter_ns()
            watched.fill_next_token_bitmask(bitmask)
            flight.masked(time.perf_counter_ns() - started)
            watched.accept_token(token)
            flight.accepted((token,))
            ended = time.perf_counter_ns()
            if number:  # the first round warms all that both use
                plain_us.append((between - begun) / 1e3)
                recorded_us.append((ended - between) / 1e3)
        begun = time.thread_time_ns()
        flight.end("stop")
        end_us.append((time.thread_time_ns() - begun) / 1e3)
        recorder.flush()
        begun = time.thread_time_ns()
        flight.record().packed()  # what the writer's thread does, but for the folder
        write_ms.append((time.thread_time_ns() - begun) / 1e6)
    sizes = [path.stat().st_size for path in folder.glob("*.xgflight")]
    model_us = _forward_us(model, tokens[:200])
    pairs = zip(recorded_us, plain_us, strict=True)
    record_us = record.quantile([recorded - without for recorded, without in pairs], 0.5)
    return {
        "vocabulary": f"tiny-{info.vocab_size}",
        "text": f"JSON, {N_BYTES} bytes",
        "n_tokens": len(tokens),
        "n_flights": N_FLIGHTS,
        "plain_us_p50": record.quantile(plain_us, 0.5),
        "recorded_us_p50": record.quantile(recorded_us, 0.5),
        "record_us": record_us,
        "end_cpu_us_p50": record.quantile(end_us[1:], 0.5),
        "write_cpu_ms_p50": record.quantile(write_ms[1:], 0.5),
        "file_bytes": int(np.median(sizes)),
        "model_us_p50": model_us,
        "of_step_percent": 100 * record_us / model_us,
    }


def _forward_us(model: xgr.ModelRunner, tokens: list[int]) -> float:
    """The median of a forward pass of one token."""
    model.prefill(tokens[:1])
    times: list[float] = []
    for token in tokens[1:]:
        begun = time.perf_counter_ns()
        model.forward(token)
        times.append((time.perf_counter_ns() - begun) / 1e3)
    return record.quantile(times, 0.5)
