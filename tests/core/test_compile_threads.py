"""One compiler, many threads; and calls that let other threads of Python run while the engine works."""

from __future__ import annotations

import itertools
import random
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import numpy as np
import pytest

import xg2lab as xgr
from tests.core.test_threads import VOCABULARY, in_threads, walk
from xg2lab import _core
from xg2lab.errors import GrammarError

STOP = len(VOCABULARY) - 1
TEXTS = [f'root ::= "{letter}" x*\nx ::= [0-{n}] | "(" x ")"' for letter, n in itertools.product("abcd", range(1, 6))]


def compiler(**options: Any) -> xgr.GrammarCompiler:
    return xgr.GrammarCompiler(xgr.TokenizerInfo(VOCABULARY, stop_token_ids=[STOP]), **options)


# ---- One compiler ----


@pytest.mark.parametrize("limit", [-1, 0, 200_000], ids=["roomy", "none", "tight"])
def test_threads_compile_with_one_compiler_what_each_would_alone(limit: int):
    expected = {text: walk(compiler().compile_grammar(text), 1, 10) for text in TEXTS}
    shared = compiler(max_threads=2, cache_limit_bytes=limit)

    def work(i: int) -> None:
        order = TEXTS * 2
        random.Random(i).shuffle(order)
        for text in order:
            assert walk(shared.compile_grammar(text), 1, 10) == expected[text]
            with pytest.raises(GrammarError):
                shared.compile_grammar("root ::= root")
            if i == 0:
                shared.clear_cache()
            if limit == 0:
                assert shared.get_cache_size_bytes() == 0

    in_threads(6, work)
    newest = shared.compile_grammar(TEXTS[0])
    assert (shared.get_cache_size_bytes() >= newest.memory_size_bytes) == (limit != 0)
    assert (shared.compile_grammar(TEXTS[0]) is newest) == (limit != 0)


def test_threads_that_compile_one_text_at_once_get_one_grammar():
    shared = compiler()
    found: list[xgr.CompiledGrammar] = []
    in_threads(6, lambda _: found.append(shared.compile_builtin_json_grammar()))
    assert all(one is found[0] for one in found)


@pytest.mark.parametrize("n", [1, 3])
def test_no_more_threads_than_turns_do_something_at_once(n: int):
    turns, inside, most = _core.Turns(n), [0], [0]

    def work(_: int) -> None:
        for _ in range(20):
            with turns:
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                time.sleep(0.0005)
                inside[0] -= 1

    in_threads(8, work)
    assert 1 <= most[0] <= n
    assert turns.n_free == n


def test_an_interrupt_between_any_two_steps_of_python_loses_no_turn():
    """A profile function raises where the interpreter runs handlers of signals: as a function begins, after a call."""
    compiler_of_one = compiler(max_threads=1, cache_enabled=False)
    n_interrupted = 0
    while True:
        left = [n_interrupted + 1]

        def interrupt(frame: FrameType, event: str, argument: object, left: list[int] = left) -> None:
            del frame, argument
            left[0] -= event in ("call", "c_return")
            if left[0] == 0:
                left[0] = -1
                raise KeyboardInterrupt

        try:
            sys.setprofile(interrupt)
            compiler_of_one.compile_grammar("root ::= [a]")
            sys.setprofile(None)
            break
        except KeyboardInterrupt:
            n_interrupted += 1
        finally:
            sys.setprofile(None)
        assert compiler_of_one._turns.n_free == 1, n_interrupted  # pyright: ignore[reportPrivateUsage]
    assert n_interrupted > 10


# ---- Calls that release the GIL ----


@pytest.fixture
def others_run() -> Iterator[Callable[[Callable[[], object]], bool]]:
    """Whether another thread ran during a call. Python itself makes no thread yield for a minute."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(60)
    is_over, ticks = threading.Event(), [0.0]

    def tick() -> None:
        while not is_over.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.0001)

    thread = threading.Thread(target=tick)
    thread.start()

    def observe(call: Callable[[], object]) -> bool:
        begin = time.perf_counter()
        call()
        end = time.perf_counter()
        return any(begin < moment < end for moment in ticks[-100_000:])

    yield observe
    is_over.set()
    sys.setswitchinterval(interval)
    thread.join()


BIG = "root ::= " + " | ".join(f'"{i:05}" [a-{"bcdefg"[i % 6]}]{{1,9}}' for i in range(2000))


def calls() -> dict[str, Callable[[], Callable[[], object]]]:
    """Long calls, each made ready anew: what they do is not known before."""
    info = xgr.TokenizerInfo([bytes(t) for t in itertools.product(b"abc[]", repeat=6)] + [b"[", b"</s>"])
    bitmask = np.zeros((4, (info.vocab_size + 31) // 32), np.int32)

    def matchers(n: int) -> list[xgr.GrammarMatcher]:
        grammar = xgr.GrammarCompiler(info, cache_enabled=False).compile_grammar(
            'root ::= "[" root* "]" | ("a" | "b" | "c" | "ab"){1,5}'
        )
        return [xgr.GrammarMatcher(grammar) for _ in range(n)]

    def accept() -> Callable[[], object]:
        (matcher,) = matchers(1)
        return lambda: matcher.accept_string("[" * 100_000)

    def fill() -> Callable[[], object]:
        (matcher,) = matchers(1)
        matcher.accept_string("[")
        return lambda: matcher.fill_next_token_bitmask(bitmask)

    def fill_batch() -> Callable[[], object]:
        group = matchers(4)
        xgr.BatchGrammarMatcher.batch_accept_string(group, ["", "[", "a", "[["])
        return lambda: xgr.BatchGrammarMatcher(1).batch_fill_next_token_bitmask(group, bitmask)

    def accept_batch() -> Callable[[], object]:
        group = matchers(4)
        return lambda: xgr.BatchGrammarMatcher.batch_accept_string(group, ["[" * 50_000] * 4)

    def tree() -> Callable[[], object]:
        (matcher,) = matchers(1)
        n = 50_000
        child, none, tokens = np.append(np.arange(1, n), -1), np.full(n, -1), np.full(n, info.vocab_size - 2)
        rows = np.zeros((n, bitmask.shape[1]), np.int32)
        return lambda: matcher.traverse_draft_tree(child, none, tokens, rows, 0.2)

    def compile_big() -> Callable[[], object]:
        grammar = xgr.Grammar.from_ebnf(BIG)
        other = xgr.GrammarCompiler(info, cache_enabled=False)
        return lambda: other.compile_grammar(grammar)

    return {
        "from_ebnf": lambda: lambda: xgr.Grammar.from_ebnf(BIG),
        "compile_grammar": compile_big,
        "accept_string": accept,
        "fill_next_token_bitmask": fill,
        "batch_fill_next_token_bitmask": fill_batch,
        "batch_accept_string": accept_batch,
        "traverse_draft_tree": tree,
    }


def test_other_threads_run_during_long_calls(others_run: Callable[[Callable[[], object]], bool]):
    for name, ready in calls().items():
        assert any(others_run(ready()) for _ in range(20)), name


def test_the_observation_can_fail(others_run: Callable[[Callable[[], object]], bool]):
    assert not any(others_run(lambda: sum(range(300_000))) for _ in range(3))
