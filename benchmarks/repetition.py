"""A repetition `[a-z]{1,N}` for growing N: do compiling, masks and accepting cost the same for any count?

    python -m benchmarks repetition

An engine whose compile takes long is not asked for the next N, which would take longer; the run says so.
"""

from __future__ import annotations

import random
import time

from benchmarks import record
from benchmarks.engines import Engine, engines
from benchmarks.texts import Source, Vocabulary, vocabulary

COUNTS = [16, 64, 256, 1024, 4096, 16_384, 65_536, 1_000_000]
MOST_BYTES = 20_000  # of text, where the count allows as many
N_REPETITIONS = 3
SECONDS = 20.0  # that the next compile is expected to take at most, if time grows as the count does
SAME = ("count",)  # columns in which rows must agree to be compared (benchmarks/ahead.py)
GROWS = "count"  # the column over which figures may grow (benchmarks/scaling.py)


def text_tokens(words: Vocabulary, n_bytes: int) -> list[int]:
    """Tokens of exactly `n_bytes` lower-case letters, from a seed."""
    rng = random.Random(1)
    pieces = ["".join(rng.choices("etaoinshrdlu", k=rng.randint(2, 12))) for _ in range(n_bytes)]
    letters, tokens = "".join(pieces)[:n_bytes], list[int]()
    for begin in range(0, n_bytes, 64):
        tokens += words.encoding.encode_ordinary(letters[begin : begin + 64])
    return tokens


def measure(engine: Engine, count: int, tokens: list[int], n_bytes: int) -> record.Figures:
    """Compile, first mask, then every step of the text."""
    source = Source(ebnf=f"root ::= [a-z]{{1,{count}}}", lark=f"start: /[a-z]{{1,{count}}}/")
    compile_ms: list[float] = []
    first_us: list[float] = []
    fills: list[float] = []
    accept_ns: list[float] = []
    for _ in range(N_REPETITIONS):
        begin = time.perf_counter()
        engine.compile(source)
        engine.start()
        compile_ms.append((time.perf_counter() - begin) * 1e3)
        begin = time.perf_counter()
        engine.fill()
        first_us.append((time.perf_counter() - begin) * 1e6)
        in_accept = 0.0
        for i, token in enumerate(tokens):
            begin = time.perf_counter()
            engine.fill()
            filled = time.perf_counter()
            if not engine.accept(token):
                raise RuntimeError(f"{engine.name} refuses token {token} at step {i}")
            in_accept += time.perf_counter() - filled
            fills.append((filled - begin) * 1e6)
        accept_ns.append(in_accept * 1e9 / n_bytes)
    return {
        "engine": engine.name,
        "count": count,
        "n_bytes": n_bytes,
        "n_tokens": len(tokens),
        "n_repetitions": N_REPETITIONS,
        "compile_ms": record.quantile(compile_ms, 0.5),
        "first_mask_us": record.quantile(first_us, 0.5),
        "mask_us_p50": record.quantile(fills, 0.5),
        "mask_us_p99": record.quantile(fills, 0.99),
        "accept_ns_per_byte": record.quantile(accept_ns, 0.5),
    }


def run() -> list[record.Figures]:
    words = vocabulary()
    rows: list[record.Figures] = []
    for engine in engines(words):
        last: tuple[int, float] | None = None
        for count in COUNTS:
            if last and last[1] * count / last[0] > SECONDS * 1e3:
                print(f"left out: {engine.name} from {count:,} on; {last[0]:,} took {last[1] / 1e3:.1f} s to compile")
                break
            n_bytes = min(count, MOST_BYTES)
            try:
                figures = measure(engine, count, text_tokens(words, n_bytes), n_bytes)
            except RuntimeError as error:  # llguidance refuses what it finds too large
                print(f"left out: {engine.name} from {count:,} on; {str(error).splitlines()[0][:160]}")
                break
            rows.append({"vocabulary": words.name, **figures})
            last = (count, float(figures["compile_ms"]))
    return rows
