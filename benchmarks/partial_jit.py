"""What the background takes out of decode steps: masks of a cold grammar, with and without entries made ahead.

    python -m benchmarks partial_jit

Each run compiles a grammar with nothing known and reads a text, token by token, with a pause of 5 ms before each mask,
in place of the model's forward pass; `prefill_ms` is a pause before the first. The sleeping caller leaves its processor
to the background, as one that waits for an accelerator does. `fill_us_*` are over all masks of all runs;
`fill_us_max_median` is the median over the runs of each run's slowest. `first_us` is the first mask. `rank_correlation`
is Spearman's between estimates and what making the entries took, median over the runs.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Literal

from benchmarks import record
from benchmarks.engines import Xg2Lab
from benchmarks.texts import JSON_EBNF, Vocabulary, json_text, vocabulary

K = int | Literal["auto"]

N_RUNS = 5
N_TOKENS = 60
FORWARD_S = 0.005
PROSE_ROWS = r"""
root ::= row+
row ::= field ("," field)* "\n"
field ::= "\"" [^"]* "\"" | [a-zA-Z0-9 ]* | number
number ::= "-"? [0-9]+ ("." [0-9]+)?
"""
TEXTS = {
    "json": (JSON_EBNF, json_text(4_000)),
    "rows": (PROSE_ROWS, '12,-3.5,some words,"quoted, with a comma"\nmore,7\n' * 4),
}


@dataclass
class Run:
    """One cold grammar, one text."""

    fills_us: list[float]
    n_built: int
    n_ahead: int
    correlation: float


def run() -> list[record.Figures]:
    words = vocabulary()
    rows: list[record.Figures] = []
    for grammar, (ebnf, text) in TEXTS.items():
        tokens = words.encoding.encode_ordinary(text)[:N_TOKENS]
        for prefill_ms in (0, 50):
            settings: tuple[K, ...] = (0, 4, "auto")
            runs: dict[K, list[Run]] = {k: [] for k in settings}
            for _ in range(N_RUNS):  # in turns: a busy moment of the machine meets all
                for k in settings:
                    runs[k].append(decode(words, ebnf, tokens, k, prefill_ms / 1e3))
            rows += [figures(grammar, prefill_ms, k, len(tokens), runs[k]) for k in settings]
    return [{**row, "vocabulary": words.name, "load": round(os.getloadavg()[0], 1)} for row in rows]


def figures(grammar: str, prefill_ms: int, k: K, n_tokens: int, runs: list[Run]) -> record.Figures:
    """The row of one setting."""
    fills = [us for one in runs for us in one.fills_us]
    return {
        "grammar": grammar,
        "prefill_ms": prefill_ms,
        "k": k,
        "n_tokens": n_tokens,
        "n_runs": len(runs),
        "first_us_median": record.quantile([one.fills_us[0] for one in runs], 0.5),
        "fill_us_median": record.quantile(fills, 0.5),
        "fill_us_p99": record.quantile(fills, 0.99),
        "fill_us_max_median": record.quantile([max(one.fills_us) for one in runs], 0.5),
        "fill_us_max": max(fills),
        "n_built_in_steps": record.quantile([one.n_built for one in runs], 0.5),
        "n_ahead": record.quantile([one.n_ahead for one in runs], 0.5),
        "rank_correlation": record.quantile([one.correlation for one in runs], 0.5),
    }


def decode(words: Vocabulary, ebnf: str, tokens: list[int], k: K, prefill_s: float) -> Run:
    """Compiles cold, and reads the text at a model's pace."""
    engine = Xg2Lab(words)
    info = engine.compiler.tokenizer_info
    engine.compiler = engine.xgr.GrammarCompiler(
        info, options=engine.xgr.EngineOptions(partial_jit_k=k), cache_enabled=False
    )
    engine.compiler.clear_cache()
    compiled = engine.compiler.compile_grammar(ebnf)
    engine.compiled = compiled
    engine.start()
    time.sleep(prefill_s)
    fills_us: list[float] = []
    for token in tokens:
        begin = time.perf_counter()
        engine.fill()
        fills_us.append((time.perf_counter() - begin) * 1e6)
        if not (engine.allows(token) and engine.accept(token)):
            raise RuntimeError(f"token {token} is refused")
        time.sleep(FORWARD_S)
    report = compiled.jit_report()
    made = [cost for cost in report.states if cost.ns is not None]
    n_ahead = sum(cost.in_background for cost in made)
    return Run(fills_us, len(made) - n_ahead, n_ahead, report.rank_correlation or 0.0)
