"""The log of what compilation and the caches did: off unless asked for, bounded, and true."""

from __future__ import annotations

import pytest

import xg2lab as xgr
from xg2lab.compiling.pool import CacheEvent

INFO = xgr.TokenizerInfo([b'"', b"a", b'":', b",", b":", b"</s>"], stop_token_ids=[5])
KEY = r' key ::= "\"" [a-z]* "\""'


def compiler_with(max_pool_bytes: int = -1) -> xgr.GrammarCompiler:
    options = xgr.EngineOptions(rule_inlining=False, max_pool_bytes=max_pool_bytes)
    compiler = xgr.GrammarCompiler(INFO, options=options)
    compiler.clear_cache()  # the pool may be another test's
    return compiler


def use(compiler: xgr.GrammarCompiler, root: str) -> int:
    """Compiles, and fills the mask before and after a quote; the grammar's id."""
    compiled = compiler.compile_grammar(root + KEY)
    matcher = xgr.GrammarMatcher(compiled)
    bitmask = xgr.allocate_token_bitmask(1, INFO.vocab_size)
    for _ in range(2):
        matcher.fill_next_token_bitmask(bitmask)
        matcher.accept_token(0)
    return compiled.id


def told(events: list[CacheEvent], kind: str) -> list[tuple[int | None, str | None, int | None]]:
    return [(event.grammar, event.cache, event.donor) for event in events if event.kind == kind]


def test_nothing_is_written_down_unless_asked_for():
    compiler = compiler_with()
    use(compiler, 'root ::= key ":"')
    assert compiler.cache_events() == []


def test_passes_entries_and_fills():
    compiler = compiler_with()
    with compiler.record_cache_events():
        first = use(compiler, 'root ::= key ":"')
        second = use(compiler, 'root ::= key ","')
        assert use(compiler, 'root ::= key ":"') == first
        events = compiler.cache_events()
    assert told(events, "compile") == [(first, None, None), (second, None, None)]
    assert told(events, "entry") == [
        (first, "miss", first),
        (first, "miss", first),
        (second, "perfect_hit", first),  # before the quote no token ends the key
        (second, "partial_hit", first),
    ]
    assert told(events, "fill") == [
        (first, "miss", None),
        (first, "miss", None),
        (second, "perfect_hit", None),
        (second, "partial_hit", None),
        (first, "context_hit", None),
        (first, "context_hit", None),
    ]
    passes = [event for event in events if event.kind == "pass" and event.grammar == first and not event.inside]
    names = [event.name for event in passes]
    assert names[-1] == "lower"
    assert {"normalize", "fuse_literals"} < set(names)
    passes_ns = sum(event.ns for event in passes)
    (compile_ns,) = (event.ns for event in events if event.kind == "compile" and event.grammar == first)
    assert 0 < passes_ns <= compile_ns
    times = [event.at_ns for event in events]
    assert times == sorted(times)
    use(compiler, "root ::= key key")
    assert compiler.cache_events() == events, "it is off again"


def test_evictions_name_who_had_built_what_went():
    compiler = compiler_with(max_pool_bytes=0)
    with compiler.record_cache_events():
        grammar = use(compiler, 'root ::= key ":"')
    evictions = [event for event in compiler.cache_events() if event.kind == "eviction"]
    assert [(event.grammar, event.donor) for event in evictions] == [(grammar, grammar)] * 2
    assert all(event.n_bytes is not None and event.n_bytes > 0 for event in evictions)


def test_the_log_is_bounded():
    compiler = compiler_with()
    with compiler.record_cache_events(capacity=2):
        use(compiler, 'root ::= key ":"')
    assert [event.kind for event in compiler.cache_events()] == ["entry", "fill"]
    with pytest.raises(ValueError, match="capacity is an int, 0; wanted one from 1"), compiler.record_cache_events(0):
        pass


def test_a_fill_says_what_was_adapted():
    compiler = compiler_with()
    use(compiler, 'root ::= key ":"')
    matcher = xgr.GrammarMatcher(compiler.compile_grammar('root ::= key ","' + KEY))
    assert matcher.accept_token(0)
    bitmask = xgr.allocate_token_bitmask(1, INFO.vocab_size)
    matcher.fill_next_token_bitmask(bitmask)
    report = matcher.last_fill()
    assert report is not None
    assert (report["cache"], report["n_built"], report["n_adapted"]) == ("partial_hit", 0, 1)
    explained = matcher.explain(3)["entry"]
    assert (explained["cache"], explained["donor_name"]) == ("partial_hit", 'root ::= key ":"' + KEY)
