"""How parsing grows with the text: linear where an LR parser would do, at worst with its cube.

    python -m benchmarks earley_scaling

Each grammar's text is read byte by byte at doubling lengths, nothing known before and no rule rewritten. `slope` is
that of log(time) over log(length) from the length before: 1 is linear, 2 square, 3 cube. `n_items` are alive at the
end.

    left, right   recursion on one side; LR-regular
    nested        brackets: LR(0)
    expression    sums and products with brackets, unambiguous: LR(1)
    palindromes   unambiguous, but in no LR(k): each position may be the middle
    pairs         root ::= root root | "a": every way to put brackets

Source: XGrammar-2 section 3.4 and appendix B; Leo 1991 for LR-regular grammars in linear time.
"""

from __future__ import annotations

import math
import time

from benchmarks import record

SECONDS = 4.0
N_REPETITIONS = 3
TOKENS = [bytes([byte]) for byte in range(256)] + [b"</s>"]
GRAMMARS = {
    "left": 'root ::= root "a" | "a"',
    "right": 'root ::= "a" root | "a"',
    "nested": 'root ::= "(" root ")" | "a"',
    "expression": 'root ::= root "+" t | t\nt ::= t "*" f | f\nf ::= "(" root ")" | [0-9]',
    "palindromes": 'root ::= "a" root "a" | "b" root "b" | ""',
    "pairs": 'root ::= root root | "a"',
}
FIRST, LAST = 200, 102_400  # bytes


def text_of(name: str, n_bytes: int) -> bytes:
    """A text of about so many bytes."""
    if name == "nested":
        return b"(" * (n_bytes // 2) + b"a" + b")" * (n_bytes // 2)
    if name == "expression":
        return (b"(1+2*3)*4+" * (n_bytes // 10)) + b"5"
    return b"a" * n_bytes


def run() -> list[record.Figures]:
    import xg2lab as xgr

    info = xgr.TokenizerInfo(TOKENS, stop_token_ids=[256])
    options = xgr.EngineOptions(
        rule_inlining=False, right_recursion_to_repeat=False, max_history_bytes=1 << 30, max_mask_seconds=10.0
    )
    compiler = xgr.GrammarCompiler(info, options=options)
    rows: list[record.Figures] = []
    for name, ebnf in GRAMMARS.items():
        n_bytes, before = FIRST, 0.0
        while n_bytes <= LAST and before < SECONDS:
            text = text_of(name, n_bytes)
            times: list[float] = []
            n_items = 0
            for _ in range(N_REPETITIONS):
                compiler.clear_cache()
                matcher = xgr.GrammarMatcher(compiler.compile_grammar(ebnf))
                begin = time.perf_counter()
                for byte in text:
                    if not matcher.accept_token(byte):
                        raise RuntimeError(f"{name} refuses byte {byte}")
                times.append(time.perf_counter() - begin)
                n_items = len(matcher.live_items()) if n_bytes <= 2 * FIRST else 0
            seconds = record.quantile(times, 0.5)
            rows.append(
                {
                    "grammar": name,
                    "n_bytes": len(text),
                    "read_ms_median": seconds * 1e3,
                    "us_per_byte": seconds * 1e6 / len(text),
                    "slope": math.log2(seconds / before) if before else "",
                    "n_items": n_items or "",
                }
            )
            n_bytes, before = 2 * n_bytes, seconds
    return rows
