"""One older peer, in a Python of its own: `PYTHON old_peer_child.py INPUT OUTPUT`, files of pickle and JSON.

This file is run by the environment that has the older peer, so it imports nothing of ours. The input names the peer,
the vocabulary, and a list of requests: a grammar as text and the tokens of its reference text. The output has the
processor milliseconds to compile and to the first mask of each request, and the mean microseconds of a mask and of an
accept along the tokens, where there are any. Of XGrammar it has those of the parts of compilation too: reading the text
(`read_cpu_ms`), and compiling it for a vocabulary of one token (`one_token_cpu_ms`).
"""

from __future__ import annotations

import json
import pickle
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any


def xgrammar(given: dict[str, Any]) -> Callable[[str], Any]:
    """Compile EBNF to a matcher and its bitmask."""
    import xgrammar as xgr  # pyright: ignore[reportMissingImports]

    tokens, stop = given["tokens"], given["stop_token"]
    info = xgr.TokenizerInfo(tokens, vocab_size=len(tokens), stop_token_ids=[stop])
    compiler = xgr.GrammarCompiler(info, max_threads=1, cache_enabled=False)
    bitmask = xgr.allocate_token_bitmask(1, len(tokens))

    def compile_it(text: str) -> Any:
        compiled = compiler.compile_grammar(text)

        def start() -> Any:
            matcher = xgr.GrammarMatcher(compiled)
            return partial(matcher.fill_next_token_bitmask, bitmask), matcher.accept_token

        return start

    return compile_it


def xgrammar_parts() -> dict[str, Callable[[str], Any]]:
    """Parts of XGrammar's compilation by name: each reads a text and goes further than the one before."""
    import xgrammar as xgr  # pyright: ignore[reportMissingImports]

    info = xgr.TokenizerInfo([b"<", b""], vocab_size=2, stop_token_ids=[1])
    compiler = xgr.GrammarCompiler(info, max_threads=1, cache_enabled=False)
    return {"read_cpu_ms": xgr.Grammar.from_ebnf, "one_token_cpu_ms": compiler.compile_grammar}


def outlines(given: dict[str, Any]) -> Callable[[str], Any]:
    """Compile a regular expression to a guide."""
    from outlines.fsm.guide import RegexGuide  # pyright: ignore[reportMissingImports]

    tokenizer = AsTokenizer(given)

    def compile_it(text: str) -> Any:
        guide = RegexGuide.from_regex(text, tokenizer)

        def start() -> Any:
            state = guide.initial_state

            def accept(token: int) -> bool:
                nonlocal state
                state = guide.get_next_state(state, token)
                return state != -1

            def fill() -> object:
                return guide.get_next_instruction(state)

            return fill, accept

        return start

    return compile_it


class AsTokenizer:
    """A vocabulary as Outlines asks for a tokenizer: each byte of a token is a character, as GPT-2 writes it."""

    def __init__(self, given: dict[str, Any]) -> None:
        plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
        others = [byte for byte in range(256) if byte not in plain]
        self._character = {byte: chr(byte) for byte in plain} | {byte: chr(256 + i) for i, byte in enumerate(others)}
        self._byte = {character: byte for byte, character in self._character.items()}
        tokens, n_text = given["tokens"], given["n_text"]
        spelled = ["".join(self._character[byte] for byte in token) for token in tokens[:n_text]]
        self.vocabulary = {token: i for i, token in enumerate(spelled)}
        self.eos_token_id = given["stop_token"]
        self.special_tokens = {"<stop>"}
        self.vocabulary["<stop>"] = self.eos_token_id

    def convert_token_to_string(self, token: str) -> str:
        return bytes(self._byte[character] for character in token).decode("utf-8", "replace")

    def __hash__(self) -> int:
        return 1


def measure(
    compile_it: Callable[[str], Any], text: str, tokens: list[int], parts: dict[str, Callable[[str], Any]]
) -> dict[str, float]:
    """The times of one request."""
    of_parts: dict[str, float] = {}
    for name, act in parts.items():
        begin = time.process_time()
        act(text)
        of_parts[name] = (time.process_time() - begin) * 1e3
    begin = time.process_time()
    start = compile_it(text)
    compiled = time.process_time()
    fill, accept = start()
    fill()
    found = {"compile_cpu_ms": (compiled - begin) * 1e3, "first_cpu_ms": (time.process_time() - begin) * 1e3}
    fill, accept = start()
    mask = moved = 0.0
    for token in tokens:
        begin = time.thread_time()
        fill()
        filled = time.thread_time()
        is_accepted = accept(token)
        moved += time.thread_time() - filled
        mask += filled - begin
        if not is_accepted:
            raise SystemExit(f"token {token} is refused")
    if tokens:
        found |= {"mask_cpu_us_mean": mask * 1e6 / len(tokens), "accept_cpu_us_mean": moved * 1e6 / len(tokens)}
    return found | of_parts


if __name__ == "__main__":
    job = pickle.loads(Path(sys.argv[1]).read_bytes())
    make = {"xgrammar": xgrammar, "outlines": outlines}[job["peer"]](job)
    parts = xgrammar_parts() if job["peer"] == "xgrammar" else {}
    results = [measure(make, text, tokens, parts) for text, tokens in job["requests"]]
    Path(sys.argv[2]).write_text(json.dumps(results), encoding="utf-8")
