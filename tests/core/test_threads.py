"""Threads on one compiled grammar see what each would see alone; a matcher in use refuses a second caller.

The same without Python, and under the thread sanitizer: tests/core/shared_grammar_stress.cc, which
`make sanitize ARGS=--thread` runs.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import xg2lab as xgr
from xg2lab.errors import MatcherStateError

NESTED = 'root ::= "[" root* "]" | [a-z]'
PIECES = [b"[[", b"]]", b"],[", b'{"', b'":', b'","', b'"}', b"true", b"12", b"ab", b", ", "é".encode()]
VOCABULARY = [bytes([byte]) for byte in range(256)] + PIECES + [b"</s>"]
STOP = len(VOCABULARY) - 1
N_THREADS = 6


def compiled_for(grammar: xgr.Grammar | str, **options: Any) -> xgr.CompiledGrammar:
    info = xgr.TokenizerInfo(VOCABULARY, stop_token_ids=[STOP])
    return xgr.GrammarCompiler(info, options=xgr.EngineOptions(**options)).compile_grammar(grammar)


def in_threads(n: int, work: Callable[[int], None]) -> None:
    """Runs work(0) to work(n - 1), which start together; raises what one of them raised."""
    failures: list[BaseException] = []
    start = threading.Barrier(n)

    def guarded(i: int) -> None:
        try:
            start.wait()
            work(i)
        except BaseException as error:  # noqa: BLE001 (handed to the main thread)
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def walk(compiled: xgr.CompiledGrammar, seed: int, n_steps: int = 150) -> list[Any]:
    """What a random walk sees: masks, forced text, whether the text is complete. Drawn from the seed alone."""
    rng = random.Random(seed)
    matcher = xgr.GrammarMatcher(compiled)
    bitmask = np.zeros((1, (len(VOCABULARY) + 31) // 32), np.int32)
    seen: list[Any] = []
    for _ in range(n_steps):
        action = rng.random()
        if matcher.n_steps and action < 0.15:
            matcher.rollback(rng.randint(1, matcher.n_steps))
        elif action < 0.3:
            fork = matcher.fork()
            seen.append(fork.accept_string(rng.choice(["[[[", "]", "{", '"', "1"])))
            seen.append(fork.is_completed())
        elif action < 0.35:
            seen.append(matcher.find_jump_forward_string())
        matcher.fill_next_token_bitmask(bitmask)
        seen.append(bitmask.tobytes())
        allowed = np.flatnonzero(np.unpackbits(bitmask.view(np.uint8), bitorder="little"))
        token = int(rng.choice(allowed))
        if token != STOP:
            assert matcher.accept_token(token)
    return seen


@pytest.mark.parametrize("max_bytes", [1 << 28, 4096], ids=["roomy", "tables-move"])
@pytest.mark.parametrize("grammar", [NESTED, None], ids=["nested", "json"])
def test_threads_see_what_each_would_see_alone(grammar: str | None, max_bytes: int):
    source = grammar or xgr.Grammar.builtin_json_grammar()
    alone = [walk(compiled_for(source), seed) for seed in range(N_THREADS)]
    shared = compiled_for(source, max_configuration_bytes=max_bytes)
    together: dict[int, list[Any]] = {}
    in_threads(N_THREADS, lambda i: together.update({i: walk(shared, i)}))
    for seed in range(N_THREADS):
        assert together[seed] == alone[seed], f"seed {seed}"


def closings_after_rewriting(fork: xgr.GrammarMatcher, i: int) -> int:
    """How many brackets are open after a history was taken back and written anew, over the ends of its chunks."""
    for _ in range(20):
        fork.rollback(30 + i)
        assert fork.accept_string("[" * 10)  # one step
    n_closed = 0
    while fork.accept_string("]"):
        n_closed += 1
    return n_closed


def test_forks_of_one_matcher_in_threads_share_a_history_and_nothing_else():
    matcher = xgr.GrammarMatcher(compiled_for(NESTED, max_configuration_bytes=1 << 14))
    for _ in range(700):  # more than two chunks of 256
        assert matcher.accept_string("[")
    forks = [matcher.fork() for _ in range(N_THREADS)]
    found: dict[int, int] = {}
    in_threads(N_THREADS, lambda i: found.update({i: closings_after_rewriting(forks[i], i)}))
    assert found == {i: 700 - (30 + i) - 19 * (29 + i) + 10 for i in range(N_THREADS)}
    assert closings_after_rewriting(matcher, 0) == found[0]


def test_every_call_refuses_a_matcher_that_another_thread_uses():
    matcher = xgr.GrammarMatcher(compiled_for("root ::= [a]*"))
    bitmask = np.zeros((1, (len(VOCABULARY) + 31) // 32), np.int32)
    calls: dict[str, Callable[[], Any]] = {
        "accept_token": lambda: matcher.accept_token(0),
        "accept_string": lambda: matcher.accept_string(""),
        "fill_next_token_bitmask": lambda: matcher.fill_next_token_bitmask(bitmask),
        "rollback": lambda: matcher.rollback(0),
        "fork": matcher.fork,
        "find_jump_forward_string": matcher.find_jump_forward_string,
        "is_completed": matcher.is_completed,
        "is_terminated": matcher.is_terminated,
        "n_steps": lambda: matcher.n_steps,
        "allowed_tokens": matcher.allowed_tokens,
        "live_items": matcher.live_items,
        "explain": lambda: matcher.explain(0),
        "provenance": matcher.provenance,
        "mask_entries": matcher.mask_entries,
    }
    refused: set[str] = set()
    text = b"a" * 20_000_000  # a tenth of a second, in which the other thread holds no lock of Python's
    for _ in range(50):
        thread = threading.Thread(target=matcher.accept_string, args=(text,))
        thread.start()
        while thread.is_alive() and len(refused) < len(calls):
            for name, call in calls.items():
                try:
                    matcher.rollback(0)  # not in use: nothing may be asked, lest the thread be refused
                except MatcherStateError:
                    pass
                else:
                    break
                try:
                    call()
                except MatcherStateError as error:
                    assert "the matcher is in use by another thread" in str(error)
                    refused.add(name)
        thread.join()
        matcher.reset()
        if len(refused) == len(calls):
            break
    assert refused == set(calls)
