"""Parts of compilation by themselves: the template, which is compiled before any request, and what a peer does first.

offline_cpu_ms_p50     compiling the template
element_cpu_ms_p50     compiling the written-out grammar of one element, which the former is held against
read_cpu_ms_p50        reading a request's text, a part of what XGrammar takes to compile it
one_token_cpu_ms_p50   compiling it for a vocabulary of one token: reading and making machines, without masks
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from benchmarks import record
from benchmarks.engines import Xg2Lab, XGrammar
from benchmarks.templates import ways
from benchmarks.templates.tasks import Task
from benchmarks.texts import Source

N_TIMES = 9


def figures(engine: Xg2Lab, task: Task) -> dict[str, float]:
    """Milliseconds of both, each time with no mask entry known. A figure that can't be had is missing."""
    found: dict[str, float] = {}
    template = ways.template_of(task)
    if template is not None and task.element is not None:
        arguments = task.element.arguments
        found["element_cpu_ms_p50"] = cold_cpu_ms(
            engine, lambda compiler: compiler.compile_grammar(template.write_out(**arguments))
        )
    if template is not None and ways.can_link(engine):
        found["offline_cpu_ms_p50"] = cold_cpu_ms(engine, lambda compiler: compiler.compile_template(template))
    return found


def cold_cpu_ms(engine: Xg2Lab, act: Callable[[Any], Any]) -> float:
    """The median of what an act of a new compiler takes of the thread's time."""
    times: list[float] = []
    for _ in range(N_TIMES):
        ways.with_own_pool(engine)
        begin = time.thread_time()
        act(engine.compiler)
        times.append((time.thread_time() - begin) * 1e3)
    return record.quantile(times, 0.5)


def parts_cpu_ms(engine: XGrammar, task: Task, shape: str) -> dict[str, float]:
    """The medians of what XGrammar takes to read the text of a request, and to compile it for one token.

    All other ids stay, without a text, because a grammar may name special tokens by their ids.
    """
    n_tokens = len(task.words.tokens)
    tokens = [b"<", *[b""] * (n_tokens - 1)]
    info = engine.xgr.TokenizerInfo(tokens, vocab_size=n_tokens, stop_token_ids=[task.words.stop_token])
    compiler = engine.xgr.GrammarCompiler(info, max_threads=1, cache_enabled=False)
    acts = {"read": engine.xgr.Grammar.from_ebnf, "one_token": compiler.compile_grammar}
    times: dict[str, list[float]] = {name: [] for name in acts}
    for number in range(N_TIMES):
        grammar = task.request(number).grammars[shape]
        assert isinstance(grammar, Source)
        for name, act in acts.items():
            begin = time.thread_time()
            act(grammar.ebnf)
            times[name].append((time.thread_time() - begin) * 1e3)
    return {f"{name}_cpu_ms_p50": record.quantile(found, 0.5) for name, found in times.items()}
