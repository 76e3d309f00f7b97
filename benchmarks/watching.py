"""Does being watchable cost the decode path anything? Steps of a matcher that is inspected at times, and of another.

    python -m benchmarks watching

Two matchers of one compiled grammar walk the same text in turns, a stretch of tokens each, so that noise meets both
alike. One of them is asked for its chart, provenance and an explanation between its stretches (not timed). The ratio of
the medians is 1 if inspection leaves nothing behind on the decode path.
"""

from __future__ import annotations

import time

from benchmarks import record
from benchmarks.engines import Xg2Lab
from benchmarks.texts import json_text, vocabulary

STRETCH = 64


def run() -> list[record.Figures]:
    words = vocabulary()
    tokens = words.encoding.encode_ordinary(json_text(20_000))
    engine = Xg2Lab(words)
    engine.compile()
    plain = engine.xgr.GrammarMatcher(engine.compiled)
    watched = engine.xgr.GrammarMatcher(engine.compiled)
    for token in tokens:  # warm: both walk over known columns
        plain.fill_next_token_bitmask(engine.bitmask)
        plain.accept_token(token)
    plain.reset()
    times: dict[str, list[float]] = {"plain": [], "watched": []}
    for first in range(0, len(tokens), STRETCH):
        for name, matcher in (("plain", plain), ("watched", watched)):
            if name == "watched":
                matcher.chart(first)
                matcher.provenance()
                matcher.explain(tokens[first])
            for token in tokens[first : first + STRETCH]:
                begin = time.perf_counter()
                matcher.fill_next_token_bitmask(engine.bitmask)
                matcher.accept_token(token)
                times[name].append((time.perf_counter() - begin) * 1e6)
    plain_p50, watched_p50 = (record.quantile(times[name], 0.5) for name in ("plain", "watched"))
    return [
        {
            "vocabulary": words.name,
            "n_tokens": len(tokens),
            "step_us_p50_plain": plain_p50,
            "step_us_p50_watched": watched_p50,
            "ratio": watched_p50 / plain_p50,
        }
    ]
