"""Entries made in the background: the same masks, in order of an estimate, dropped with the grammar, safe at forks."""

from __future__ import annotations

import dataclasses
import gc
import random
import re
import time
from typing import Any

import numpy as np
import pytest

import xg2lab as xgr
from tests.core.test_fork import needs_fork, run
from xg2lab.compiling.jit_report import rank_correlation

PIECES = [b"[[", b"]]", b"],[", b'{"', b'":', b'","', b'"}', b"true", b"12", b"ab", b", ", b"a,b", "é".encode()]
VOCABULARY = [bytes([byte]) for byte in range(256)] + PIECES + [b"</s>"]
STOP = len(VOCABULARY) - 1
INFO = xgr.TokenizerInfo(VOCABULARY, stop_token_ids=[STOP])
SWITCHES = [field.name for field in dataclasses.fields(xgr.EngineOptions) if field.type in ("bool", bool)]
ALL = 1_000_000
GRAMMARS = {
    "json": "",
    "nested": 'root ::= "[" root* "]" | [a-z]',
    "counted": 'root ::= ("a" | "b" [0-9]){3,200} ("," [a-z]{0,90})*',
    "prose": 'root ::= ([^\\n]* "\\n")* "."',
    "brackets": 'root ::= part*  part ::= [^()] | "(" part* ")"',
    "dispatch": 'root ::= TagDispatch(("<a>", item), stop_eos=true) item ::= [0-9]+ ";"',
}


def compiled_for(name: str, **options: Any) -> xgr.CompiledGrammar:
    compiler = xgr.GrammarCompiler(INFO, options=xgr.EngineOptions(**options), cache_enabled=False)
    compiler.clear_cache()  # the pool may be another test's
    return compiler.compile_builtin_json_grammar() if name == "json" else compiler.compile_grammar(GRAMMARS[name])


def finished(compiled: xgr.CompiledGrammar) -> dict[str, Any]:
    """The progress, once the background is done."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        progress = compiled.jit_progress()
        assert progress is not None
        if progress["is_over"]:
            return progress
        time.sleep(0.001)
    raise AssertionError(f"the background is not done: {compiled.jit_progress()}")


def walk(compiled: xgr.CompiledGrammar, seed: int, n_steps: int = 60) -> list[bytes]:
    """The masks of a random text, drawn from the seed alone."""
    rng = random.Random(seed)
    matcher = xgr.GrammarMatcher(compiled)
    bitmask = np.zeros((1, (len(VOCABULARY) + 31) // 32), np.int32)
    masks: list[bytes] = []
    for _ in range(n_steps):
        matcher.fill_next_token_bitmask(bitmask)
        masks.append(bitmask.tobytes())
        allowed = [token for token in matcher.allowed_tokens() if token != STOP]
        if not allowed:
            break
        assert matcher.accept_token(rng.choice(allowed))
    return masks


OPTIONS: list[dict[str, Any]] = [
    {},
    {"parser": "pda"},
    {"repetition_threshold": 0},
    dict.fromkeys(SWITCHES, False),
    *({name: False} for name in SWITCHES),
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("name", GRAMMARS)
def test_masks_are_the_same_made_ahead_or_asked_for(name: str, options: dict[str, Any]):
    plain = compiled_for(name, **options)
    for k in (1, "auto", ALL):
        racing = compiled_for(name, **options, partial_jit_k=k)
        assert [walk(racing, seed) for seed in range(3)] == [walk(plain, seed) for seed in range(3)]
        ahead = compiled_for(name, **options, partial_jit_k=k)
        if ahead.jit_progress() is not None:
            finished(ahead)
        assert [walk(ahead, seed) for seed in range(3)] == [walk(plain, seed) for seed in range(3)]


def test_what_is_walked_for_in_its_context_is_not_made_ahead():
    planned = {
        walks: finished(compiled_for("brackets", partial_jit_k=ALL, context_walks=walks))["n_planned"]
        for walks in ("never", "auto", "always")
    }
    assert planned["never"] > planned["auto"] >= planned["always"] == 0


def test_all_entries_are_made_ahead_and_no_fill_builds_one():
    compiled = compiled_for("json", partial_jit_k=ALL)
    progress = finished(compiled)
    report = compiled.jit_report()
    assert progress["n_planned"] == progress["n_done"] == len(report.states) > 20
    assert all(cost.ns is not None and cost.in_background for cost in report.states)
    matcher = xgr.GrammarMatcher(compiled)
    bitmask = np.zeros((1, (len(VOCABULARY) + 31) // 32), np.int32)
    for byte in b'{"a":[1,true]}':
        matcher.fill_next_token_bitmask(bitmask)
        last = matcher.last_fill()
        assert last is not None
        assert last["n_built"] == 0
        assert matcher.accept_token(byte)


def test_k_entries_those_with_the_highest_estimates():
    compiled = compiled_for("json", partial_jit_k=3)
    assert finished(compiled) == {"n_planned": 3, "n_done": 3, "is_over": True}
    costs = compiled.jit_report().states
    least_made = min(cost.n_visits for cost in costs if cost.in_background)
    assert sum(cost.in_background for cost in costs) == 3
    assert least_made >= max(cost.n_visits for cost in costs if cost.ns is None)


def test_without_it_nothing_is_made_and_there_is_no_progress():
    compiled = compiled_for("json")
    assert compiled.jit_progress() is None
    assert all(cost.ns is None and not cost.in_background for cost in compiled.jit_report().states)
    assert compiled.jit_report().rank_correlation is None


def test_the_estimate_counts_the_nodes_that_a_walk_steps_to():
    """By definition, where there are fewer nodes than samples: a node is met if what is above it can be read."""
    vocabulary = [b"a", b"ab", b"abc", b"abd", b"b", b"ba", b"c", b"cab", b"</s>"]
    info = xgr.TokenizerInfo(vocabulary, stop_token_ids=[8])
    nodes = {token[:n] for token in vocabulary[:8] for n in range(1, len(token) + 1)}
    for grammar in ('root ::= "ab" "d"', 'root ::= "a"+', 'root ::= "c" [ab]*', 'root ::= "x"'):
        compiled = xgr.GrammarCompiler(info).compile_grammar(grammar)
        matcher = xgr.GrammarMatcher(compiled)
        expected = 0
        for node in nodes:
            is_alive = matcher.accept_string(node[:-1])
            expected += is_alive
            if is_alive:
                matcher.rollback(1)
        start = next(cost for cost in compiled.jit_report().states if cost.state == matcher.mask_entries()[0]["state"])
        assert start.n_visits == expected, grammar


def test_events_and_accounts_tell_what_the_background_did():
    compiler = xgr.GrammarCompiler(INFO, options=xgr.EngineOptions(partial_jit_k=4, rule_inlining=False))
    compiler.clear_cache()
    with compiler.record_cache_events():
        compiled = compiler.compile_builtin_json_grammar()
        finished(compiled)
        ahead = [event for event in compiler.cache_events() if event.kind == "entry"]
        assert [event.in_background for event in ahead] == [True] * 4
        walk(compiled, 1)
        entries = [event for event in compiler.cache_events() if event.kind == "entry"]
    assert {event.in_background for event in entries} == {True, False}
    assert len({event.state for event in entries}) == len(entries), "each is made once"
    pool = compiler.pool
    assert pool is not None
    account = next(account for account in pool.by_grammar if account.id == compiled.id)
    assert account.n_background == 4
    assert account.n_built + account.n_perfect_hits + account.n_partial_hits == len(entries)


def test_many_grammars_dropped_while_the_background_works():
    for i in range(200):
        compiled = compiled_for("json", partial_jit_k=ALL)
        if i % 3 == 0:
            walk(compiled, i, 5)
        del compiled
    gc.collect()
    last = compiled_for("json", partial_jit_k=ALL)
    finished(last)
    assert walk(last, 1) == walk(compiled_for("json"), 1)


def test_a_matcher_keeps_the_work_going():
    compiled = compiled_for("json", partial_jit_k=ALL)
    matcher = xgr.GrammarMatcher(compiled)
    del compiled
    assert finished(matcher.compiled_grammar)["n_done"] > 20


def test_what_is_no_k():
    words = "'auto' or an int"
    for k, wanted in ((-1, "at least 0"), (1 << 31, "below 2**31"), ("all", words), (1.5, words), (True, words)):
        with pytest.raises(ValueError, match=re.escape(f"partial_jit_k must be {wanted}, got")):
            xgr.EngineOptions(partial_jit_k=k)  # pyright: ignore[reportArgumentType]


def test_rank_correlation_shares_ranks_among_ties():
    assert rank_correlation([1, 1, 2, 3], [5, 6, 7, 8]) == pytest.approx(0.9486832980505138)
    assert rank_correlation([1, 1], [1, 2]) is None
    assert rank_correlation([1], [1]) is None


AHEAD = """
        import warnings
        warnings.simplefilter("ignore")  # Python 3.12 warns of forks beside threads: that is the subject
        options = xgr.EngineOptions(partial_jit_k=10**6)
        def ahead():
            return xgr.GrammarCompiler(info, options=options, cache_enabled=False).compile_builtin_json_grammar()
"""


@needs_fork
def test_forks_while_the_background_works():
    out = run(
        AHEAD
        + """
        expected = batch_of_masks(fresh())
        failed = 0
        for i in range(20):
            compiled = ahead()
            time.sleep(i % 5 * 0.001)
            pid = os.fork()
            if pid == 0:
                new = ahead()
                while not new.jit_progress()["is_over"]:
                    time.sleep(0.001)
                os._exit(0 if batch_of_masks([compiled] * 4) == batch_of_masks([new] * 4) == expected else 1)
            failed += os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 0
            failed += batch_of_masks([compiled] * 4) != expected
        print(failed)
    """
    )
    assert out == "0\n"


def test_the_background_does_not_hold_up_the_end():
    for keep in ("kept = ", ""):
        out = run(AHEAD + f'\n        {keep}[ahead() for _ in range(20)]\n        print("over")\n', 60)
        assert out == "over\n"
