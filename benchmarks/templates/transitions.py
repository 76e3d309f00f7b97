"""A byte of text by each parser: Earley's, the pushdown automaton, and the tree of operators. No mask is filled.

warm_ns_per_byte   of a text that the compiled grammar has read before: each step is known
cold_ns_per_byte   of the same text, read for the first time

The grammar is the written-out outline with the rules as its author wrote them (no inlining), so that there are calls.
Each figure is the least of several times: the three take turns. Text is given whole, up to the next special token,
since a call from Python takes as long as some thirty steps.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from importlib import import_module
from itertools import groupby
from typing import Any

from benchmarks import record
from benchmarks.engines import Xg2Lab
from benchmarks.templates import ways
from benchmarks.templates.tasks import Task
from benchmarks.texts import Vocabulary

PARSERS = ("earley", "pda", "operators")
N_TIMES = 7


def rows(engine: Xg2Lab, task: Task) -> list[record.Figures]:
    """A row for each parser."""
    xgr: Any = import_module("xg2lab")
    template, request = ways.template_of(task), task.request(0)
    assert template is not None
    grammar = template.write_out(**request.arguments)
    pieces = pieces_of(task.words, request.tokens)
    info = engine.compiler.tokenizer_info
    best: dict[str, tuple[float, float]] = {}
    for _ in range(N_TIMES):
        for parser in PARSERS:
            options = xgr.EngineOptions(parser=parser, rule_inlining=False)
            compiled = xgr.GrammarCompiler(info, options=options, cache_enabled=False).compile_grammar(grammar)
            matcher = xgr.GrammarMatcher(compiled)
            cold = read(matcher, pieces)
            matcher.reset()
            warm = read(matcher, pieces)
            before = best.get(parser, (cold, warm))
            best[parser] = min(before[0], cold), min(before[1], warm)
    return [
        {
            "engine": f"{engine.name}, accepted by {parser}",
            "task": task.name,
            "n": task.n,
            "way": f"accepted by {parser}",
            "vocabulary": task.words.name,
            "cold_ns_per_byte": cold / request.n_bytes,
            "warm_ns_per_byte": warm / request.n_bytes,
        }
        for parser, (cold, warm) in best.items()
    ]


def pieces_of(words: Vocabulary, tokens: Sequence[int]) -> list[bytes | int]:
    """A reference text as runs of text and special tokens."""
    pieces: list[bytes | int] = []
    for is_text, group in groupby(tokens, key=lambda token: token < words.n_text):
        run = list(group)
        pieces += [b"".join(words.tokens[token] for token in run)] if is_text else run
    return pieces


def read(matcher: Any, pieces: Sequence[bytes | int]) -> float:
    """Nanoseconds of the thread to accept the pieces."""
    begin = time.thread_time_ns()
    is_taken = all(
        matcher.accept_string(piece) if isinstance(piece, bytes) else matcher.accept_token(piece) for piece in pieces
    )
    took = time.thread_time_ns() - begin
    assert is_taken
    return float(took)
