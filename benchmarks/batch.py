"""When does help pay? Batches of matchers filled by one thread, by a pool of two, and by a Python call each.

    python -m benchmarks batch

Three kinds of batch: all masks known (a copy each); none known, in one grammar; none known, in a grammar each. The
ways take turns, so that noise meets all alike. On one processor, or a busy machine, a second thread can't help.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

from benchmarks import record
from benchmarks.engines import Xg2Lab
from benchmarks.texts import json_text, vocabulary

SAME = ("state",)  # columns that divide the sizes (benchmarks/scaling.py)
GROWS = "n_matchers"
Way = Callable[[list[Any], Any], object]
SIZES = {"known": (2, 8, 32, 64, 128, 256, 512), "new": (1, 2, 4, 8, 16), "new, own grammars": (1, 2, 4, 8, 16)}
ROUNDS = {"known": 100, "new": 12, "new, own grammars": 12}


def run() -> list[record.Figures]:
    words = vocabulary()
    engine = Xg2Lab(words)
    engine.compile()
    batches = Batches(engine)
    return [
        {
            "vocabulary": words.name,
            "n_processors": len(os.sched_getaffinity(0)),
            "state": state,
            "n_matchers": size,
            "n_rounds": ROUNDS[state],
            **batches.measure(state, size),
        }
        for state, sizes in SIZES.items()
        for size in sizes
    ]


class Batches:
    """Makes batches of a kind, and fills them in each of the three ways."""

    def __init__(self, engine: Xg2Lab) -> None:
        self.xgr, self.info = engine.xgr, engine.compiled.tokenizer_info
        self.compiler = self.xgr.GrammarCompiler(self.info, cache_enabled=False)
        self.text = json_text(20_000)
        one, two = (self.xgr.BatchGrammarMatcher(max_threads=n) for n in (1, 2))
        self.ways: dict[str, Way] = {
            "one_by_one": lambda batch, rows: [
                matcher.fill_next_token_bitmask(rows, i) for i, matcher in enumerate(batch)
            ],
            "one_thread": one.batch_fill_next_token_bitmask,
            "two_threads": two.batch_fill_next_token_bitmask,
        }

    def measure(self, state: str, size: int) -> record.Figures:
        """Medians of each way, and how two threads compare with one."""
        rows = self.xgr.allocate_token_bitmask(size, self.info.vocab_size, library="numpy")
        known = self.compiler.compile_builtin_json_grammar()
        times: dict[str, list[float]] = {name: [] for name in self.ways}
        for _ in range(ROUNDS[state]):
            for name, fill in self.ways.items():
                batch = self.matchers(size, known if state == "known" else None, own=state.endswith("own grammars"))
                if state == "known":
                    fill(batch, rows)
                begin = time.perf_counter()
                fill(batch, rows)
                times[name].append((time.perf_counter() - begin) * 1e6)
        medians = {name: record.quantile(values, 0.5) for name, values in times.items()}
        figures = {f"us_p50_{name}": median for name, median in medians.items()}
        return figures | {"two_over_one": medians["two_threads"] / medians["one_thread"]}

    def matchers(self, size: int, grammar: Any, *, own: bool) -> list[Any]:
        """Matchers in texts of different lengths, of the grammar given, or of one or several that are new."""
        new = None if grammar else self.compiler.compile_builtin_json_grammar()
        batch = []
        for i in range(size):
            compiled = self.compiler.compile_builtin_json_grammar() if own else grammar or new
            batch.append(self.xgr.GrammarMatcher(compiled))
            assert batch[-1].accept_string(self.text[: 1 + 37 * i])
        return batch
