"""A grammar that shares rules with one before it: its masks with the pool of mask entries, and without.

    python -m benchmarks shared_rules

The first grammar is JSON; the second calls the same rules from a root of its own, as a tool's schema would. Timed are
the second's compilation with its first mask, and all masks along a text of it, begun with nothing known but what the
first one's walk along its own text has left in the pool. `n_built`, `n_partial`, `n_perfect` count the second's
entries.
"""

from __future__ import annotations

import time

from benchmarks import record
from benchmarks.engines import Xg2Lab
from benchmarks.texts import JSON_EBNF, json_text, vocabulary

N_COLD = 5
N_BYTES = 4_000
RULES = JSON_EBNF.strip().split("\n", 1)[1]
ENVELOPE = f'root ::= "{{\\"id\\": " basic_integer ", \\"result\\": " basic_any "}}\\n"\n{RULES}'


def run() -> list[record.Figures]:
    words = vocabulary()
    xgr = Xg2Lab(words).xgr
    body = json_text(N_BYTES)
    first_tokens = words.encoding.encode_ordinary(body)
    tokens = words.encoding.encode_ordinary(f'{{"id": 17, "result": {body.strip()}}}\n')
    rows: list[record.Figures] = []
    for is_on in (False, True):
        first_ms: list[float] = []
        fills_ms: list[float] = []
        counts: dict[str, int] = {}
        for _ in range(N_COLD):
            engine = Xg2Lab(words)
            options = xgr.EngineOptions(cross_grammar_cache=is_on)
            engine.compiler = xgr.GrammarCompiler(engine.compiler.tokenizer_info, options=options, cache_enabled=False)
            engine.compiler.clear_cache()
            engine.compiled = engine.compiler.compile_grammar(JSON_EBNF)
            walk_ms(engine, first_tokens)
            begin = time.perf_counter()
            engine.compiled = engine.compiler.compile_grammar(ENVELOPE)
            engine.start()
            engine.fill()
            first_ms.append((time.perf_counter() - begin) * 1e3)
            with engine.compiler.record_cache_events(100_000):
                fills_ms.append(walk_ms(engine, tokens))
            entries = [event.cache for event in engine.compiler.cache_events() if event.kind == "entry"]
            counts = {cache: entries.count(cache) for cache in ("miss", "partial_hit", "perfect_hit")}
        rows.append(
            {
                "pool": "on" if is_on else "off",
                "vocabulary": words.name,
                "n_tokens": len(tokens),
                "first_mask_ms_median": record.quantile(first_ms, 0.5),
                "all_masks_ms_median": record.quantile(fills_ms, 0.5),
                "all_masks_ms_min": min(fills_ms),
                "n_built": counts["miss"],
                "n_partial": counts["partial_hit"],
                "n_perfect": counts["perfect_hit"],
            }
        )
    return rows


def walk_ms(engine: Xg2Lab, tokens: list[int]) -> float:
    """Milliseconds of all fills along a text; every token must be allowed."""
    engine.start()
    sum_ms = 0.0
    for token in tokens:
        begin = time.perf_counter()
        engine.fill()
        sum_ms += (time.perf_counter() - begin) * 1e3
        if not (engine.allows(token) and engine.accept(token)):
            raise RuntimeError(f"token {token} is refused")
    return sum_ms
