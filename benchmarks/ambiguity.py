"""Ambiguous grammars and longer and longer texts: Earley's items against the automaton's stacks, and the peers.

    python -m benchmarks ambiguity

`sums`: root ::= root "+" root | "a", which has a reading for each way to put brackets. `two_ways`: whether an "a" was
begun by one rule or another shows at its end only. Each engine reads the whole text byte by byte with nothing
known before; one that needs more than SECONDS is not asked for a longer text, and the run says so.
"""

from __future__ import annotations

import time
from importlib import import_module
from typing import Any

from benchmarks import record

SECONDS = 20.0
GRAMMARS = {
    "sums": ('root ::= root "+" root | "a"', 'start: start "+" start | "a"'),
    "two_ways": (
        'root ::= left | right | "b"\nleft ::= "a" root "x"\nright ::= "a" root "y"\n',
        'start: left | right | "b"\nleft: "a" start "x"\nright: "a" start "y"\n',
    ),
}
LENGTHS = {"sums": [100, 200, 400, 800, 1600, 3200], "two_ways": [2, 4, 8, 12, 14, 16, 100, 1000]}
TOKENS = [bytes([byte]) for byte in range(256)] + [b"</s>"]
SAME = ("grammar", "n_bytes")  # columns in which rows must agree to be compared (benchmarks/ahead.py)
GROWS = "n_bytes"  # the column over which figures may grow (benchmarks/scaling.py)


def text_of(name: str, n_bytes: int) -> str:
    return ("a+" * n_bytes)[: n_bytes // 2 * 2 - 1] if name == "sums" else "a" * n_bytes


class Ours:
    """xg2lab with one of its parsers, and no rewriting of the grammar."""

    def __init__(self, parser: Any) -> None:
        import xg2lab as xgr

        self.name, self.xgr = f"xg2lab {parser}", xgr
        options = xgr.EngineOptions(parser=parser, rule_inlining=False, right_recursion_to_repeat=False)
        self.compiler = xgr.GrammarCompiler(xgr.TokenizerInfo(TOKENS, stop_token_ids=[256]), options=options)
        self.parser = parser

    def read(self, name: str, text: str) -> tuple[float, int | str]:
        """Seconds, and what is alive at the end: items, or stacks."""
        self.compiler.clear_cache()
        matcher = self.xgr.GrammarMatcher(self.compiler.compile_grammar(GRAMMARS[name][0]))
        begin = time.perf_counter()
        for byte in text.encode():
            if not matcher.accept_token(byte):
                raise RuntimeError(f"{self.name} refuses byte {byte}")
        seconds = time.perf_counter() - begin
        if self.parser == "pda":
            return seconds, matcher.stacks()["n_stacks"]
        return seconds, len(matcher.live_items()) if len(text) <= 400 else ""


class XGrammar:
    """The peer whose API we share."""

    def __init__(self) -> None:
        self.xgr: Any = import_module("xgrammar")
        self.name = f"xgrammar {self.xgr.__version__ if hasattr(self.xgr, '__version__') else ''}".strip()
        info = self.xgr.TokenizerInfo(TOKENS, vocab_size=257, stop_token_ids=[256])
        self.compiler = self.xgr.GrammarCompiler(info, max_threads=1, cache_enabled=False)

    def read(self, name: str, text: str) -> tuple[float, int | str]:
        matcher = self.xgr.GrammarMatcher(self.compiler.compile_grammar(GRAMMARS[name][0]))
        begin = time.perf_counter()
        for byte in text.encode():
            if not matcher.accept_token(byte):
                raise RuntimeError(f"{self.name} refuses byte {byte}")
        return time.perf_counter() - begin, ""


class LlGuidance:
    """The other peer."""

    def __init__(self) -> None:
        self.llg: Any = import_module("llguidance")
        self.name = f"llguidance {self.llg.__version__ if hasattr(self.llg, '__version__') else ''}".strip()

        class Bytes:
            """A tokenizer whose tokens are bytes."""

            eos_token_id, bos_token_id = 256, None
            tokens, special_token_ids = TOKENS, [256]

            def __call__(self, text: str | bytes) -> list[int]:
                return list(text.encode() if isinstance(text, str) else text)

        self.tokenizer = self.llg.LLTokenizer(self.llg.TokenizerWrapper(Bytes()))

    def read(self, name: str, text: str) -> tuple[float, int | str]:
        matcher = self.llg.LLMatcher(self.tokenizer, self.llg.LLMatcher.grammar_from_lark(GRAMMARS[name][1]))
        begin = time.perf_counter()
        for byte in text.encode():
            if not matcher.consume_token(byte):
                raise RuntimeError(f"{self.name}: {matcher.get_error()}")
        return time.perf_counter() - begin, ""


def readers() -> list[Any]:
    """Ours and the peers that are installed."""
    found: list[Any] = [Ours("earley"), Ours("pda")]
    for peer in (XGrammar, LlGuidance):
        try:
            found.append(peer())
        except ImportError as missing:
            print(f"left out: {missing.name} is not installed")
    return found


def run() -> list[record.Figures]:
    rows: list[record.Figures] = []
    for name, lengths in LENGTHS.items():
        for reader in readers():
            last = 0.0
            for n_bytes in lengths:
                if last > SECONDS:
                    print(f"left out: {reader.name} on {name} from {n_bytes} bytes on; it took {last:.0f} s before")
                    break
                try:
                    last, n_alive = reader.read(name, text_of(name, n_bytes))
                except RuntimeError as error:  # what an engine refuses is a result of its own
                    print(f"left out: {reader.name} on {name} from {n_bytes} bytes on: {str(error).splitlines()[0]}")
                    break
                row: dict[str, float | int | str] = {"grammar": name, "engine": reader.name, "n_bytes": n_bytes}
                rows.append({**row, "read_ms": last * 1e3, "n_alive": n_alive})
    return rows
