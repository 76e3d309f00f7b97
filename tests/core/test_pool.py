"""The pool of mask entries: what is shared, what is not, what it counts, and that no mask ever tells."""

from __future__ import annotations

import itertools
import threading
from typing import Any

import pytest

import xg2lab as xgr
from xg2lab import _core
from xg2lab.compiler import CompiledGrammar, compile_with
from xg2lab.compiling.pool import SharedParts, shared_parts

KEY = r' key ::= "\"" "a"* "\""'
# All texts of up to 4 bytes over the letters of the grammars below: whatever they differ in, some
# token sees it.
TOKENS = ["".join(t).encode() for n in range(1, 5) for t in itertools.product('"a:xy', repeat=n)]
INFO = xgr.TokenizerInfo([*TOKENS, b"</s>"], stop_token_ids=[len(TOKENS)])
SETS = _core.TokenSets(INFO.vocabulary)
# Each differs from some other in one thing that can be seen beyond `key`: a letter near or far, an
# end, a call, how often something is called, whether it may be empty.
ROOTS = [
    'root ::= key ":"',
    'root ::= key "x"',
    'root ::= key ":x"',
    'root ::= key ":y"',
    'root ::= key ":" "x"?',
    'root ::= key ":" [xy]',
    'root ::= key ":x" ":"',
    'root ::= (key ":")+',
    'root ::= (key ":")*',
    "root ::= key key",
    'root ::= key | ":" key "x"',
    'root ::= pair "x" pair ::= key ":"',
    'root ::= pair "y" pair ::= key ":"',
    'root ::= pair "a" pair ::= key ":" [xy]',
    'root ::= pair "a" pair ::= key ":" [xy]?',
    'root ::= pair pair "a" pair ::= key ":" | key',
    'root ::= pair+ pair ::= key ":"',
    'root ::= pair+ "x" pair ::= key ":" | key',
    'root ::= key rest ":" rest ::= "x"*',
    'root ::= key rest ":" rest ::= "x"+',
    'root ::= key rest rest ::= ":" rest | "x"',
    'root ::= key rest rest ::= ":" rest ":" | "x"',
    'root ::= ":" root "x" | key',
    'root ::= ":" root "y" | key',
    'root ::= ":" root root | key',
]  # fmt: skip
PLAIN = xgr.EngineOptions(rule_inlining=False, cross_grammar_cache=False)
POOLED = xgr.EngineOptions(rule_inlining=False)


def compiled_with(text: str, pool: _core.MaskPool | None, options: xgr.EngineOptions = POOLED) -> CompiledGrammar:
    return compile_with(xgr.Grammar.from_ebnf(text + KEY), INFO, SharedParts(SETS, pool), options)


def facts_within_key(compiled: CompiledGrammar) -> tuple[list[int], int, str, str]:
    """In the middle of a key: allowed tokens, and what the entry of its state is."""
    matcher = xgr.GrammarMatcher(compiled)
    assert matcher.accept_string(b'"a') or matcher.accept_string(b':"a')
    allowed = matcher.allowed_tokens()
    (entry,) = (e for e in matcher.mask_entries() if e["n_accepted"])
    return allowed, entry["n_uncertain"], entry["cache"], entry["donor_name"]


@pytest.mark.parametrize("weak", [False, True], ids=["hashes", "collisions"])
@pytest.mark.parametrize("tail_calls", [True, False], ids=["tail-calls", "no-tail-calls"])
def test_each_grammar_after_each_other(weak: bool, tail_calls: bool):
    options = xgr.EngineOptions(rule_inlining=False, tail_calls=tail_calls)
    alone = {root: facts_within_key(compiled_with(root, None, PLAIN)) for root in ROOTS}
    found: set[str] = set()
    for first, second in itertools.product(ROOTS, repeat=2):
        pool = _core.MaskPool(SETS, -1, _testing_weak_hashes=weak)
        facts_within_key(compiled_with(first, pool, options))
        *shared, cache, donor = facts_within_key(compiled_with(second, pool, options))
        assert shared == list(alone[second][:2]), (first, second, cache)
        assert cache in ("perfect_hit", "partial_hit") or weak, (first, second, cache)
        assert cache == "perfect_hit" or first != second or weak
        if cache == "perfect_hit":
            assert donor.startswith(first[:9]), "the first has built it"
        found.add(cache)
    assert {"perfect_hit", "partial_hit"} <= found


@pytest.mark.parametrize("weak", [False, True], ids=["hashes", "collisions"])
def test_rules_that_differ_share_nothing(weak: bool):
    pool = _core.MaskPool(SETS, -1, _testing_weak_hashes=weak)
    for letters in ('"a"*', '"a"+', '"x"*', "[ax]*", '"a"* | "a:"', 'ax ax ::= "a" | "x"', 'ax ax ::= "a" | "x" ax'):
        text = rf'root ::= key ":" key ::= "\"" {letters}'
        matchers = [
            xgr.GrammarMatcher(compile_with(xgr.Grammar.from_ebnf(text), INFO, SharedParts(SETS, p), options))
            for p, options in ((None, PLAIN), (pool, POOLED))
        ]
        for data in (b"", b'"', b"a"):
            assert len({matcher.accept_string(data) for matcher in matchers}) == 1
            assert matchers[0].allowed_tokens() == matchers[1].allowed_tokens()
            assert {entry["cache"] for entry in matchers[1].mask_entries()} <= {"miss"}, (letters, data)


def test_what_no_token_can_see_does_not_matter():
    pool = _core.MaskPool(SETS, -1)
    far = 'root ::= key "::::" [{}]'
    assert facts_within_key(compiled_with(far.format("x"), pool))[2] == "miss"
    assert facts_within_key(compiled_with(far.format("y"), pool))[2] == "perfect_hit"


def test_equal_rules_of_one_grammar_share():
    pool = _core.MaskPool(SETS, -1)
    text = r'root ::= key ":" | "x" other ":" other ::= "\"" "a"* "\""'
    matcher = xgr.GrammarMatcher(compiled_with(text, pool))
    seen: list[str] = []
    for data in (b'"a', b'x"a'):
        assert matcher.accept_string(data)
        seen += [entry["cache"] for entry in matcher.mask_entries()]
        matcher.rollback(1)
    # Within a token's sight both are followed by ":" and the end, and both have one caller.
    assert seen == ["miss", "perfect_hit"]


def test_the_budget_is_kept_and_evicted_entries_stay_in_use():
    pool = _core.MaskPool(SETS, 2000)
    before: list[Any] = []
    users: list[CompiledGrammar] = []
    for root in ROOTS:
        users.append(compiled_with(root, pool))
        before.append(facts_within_key(users[-1])[:2])
        assert pool.statistics()["size_bytes"] <= 2000
    assert pool.statistics()["n_evictions"] >= 5
    pool.clear()
    assert [facts_within_key(user)[:2] for user in users] == before
    assert pool.statistics()["size_bytes"] == pool.statistics()["n_entries"] == pool.statistics()["n_states"] == 0


def test_bytes_come_back_when_states_go():
    pool = _core.MaskPool(SETS, -1)
    sizes: list[int] = []
    for _ in range(3):
        for root in ROOTS[:6]:
            facts_within_key(compiled_with(root, pool))
        sizes.append(pool.statistics()["size_bytes"])
        pool.clear()
    assert sizes[0] == sizes[1] == sizes[2] > 0


def test_compilers_of_equal_tokenizers_share():
    again = xgr.TokenizerInfo([*TOKENS, b"</s>"], stop_token_ids=[len(TOKENS)])
    other = xgr.TokenizerInfo([*TOKENS, b"</s>"], stop_token_ids=[0])
    first, second, third = (xgr.GrammarCompiler(info, options=POOLED) for info in (INFO, again, other))
    facts_within_key(first.compile_grammar(ROOTS[0] + KEY))
    assert facts_within_key(second.compile_grammar(ROOTS[1] + KEY))[2] == "partial_hit"
    matcher = xgr.GrammarMatcher(third.compile_grammar(ROOTS[2] + KEY))
    assert matcher.accept_string(b'"a')
    assert matcher.mask_entries()[0]["cache"] == "miss"
    assert first.pool is not None
    assert second.pool == first.pool != third.pool
    assert [account.n_given for account in first.pool.by_grammar] == [1, 0]
    assert "partial" in str(first.pool)
    assert (
        shared_parts(INFO, xgr.EngineOptions(max_pool_bytes=99)).mask_pool is not shared_parts(INFO, POOLED).mask_pool
    )


def test_clearing_and_switching_off():
    compiler = xgr.GrammarCompiler(INFO, options=xgr.EngineOptions(max_pool_bytes=1 << 20))
    compiled = compiler.compile_grammar(ROOTS[0] + KEY)
    matcher = xgr.GrammarMatcher(compiled)
    matcher.allowed_tokens()
    assert compiler.pool is not None
    assert compiler.pool.n_entries == 1
    assert compiler.get_cache_size_bytes() > 0
    compiler.clear_cache()
    assert compiler.pool.n_entries == compiler.get_cache_size_bytes() == 0
    assert xgr.GrammarCompiler(INFO, options=PLAIN).pool is None
    with pytest.raises(ValueError, match=r"max_pool_bytes must be -1 \(no limit\) or more, got -2"):
        xgr.EngineOptions(max_pool_bytes=-2)


@pytest.mark.parametrize("max_bytes", [-1, 3000], ids=["roomy", "evicting"])
def test_threads_compile_and_fill_with_one_pool(max_bytes: int):
    alone = [facts_within_key(compiled_with(root, None, PLAIN))[:2] for root in ROOTS]
    pool = _core.MaskPool(SETS, max_bytes)
    wrong: list[str] = []
    start = threading.Barrier(6)

    def work(offset: int) -> None:
        start.wait()
        for i in range(2 * len(ROOTS)):
            at = (i + 4 * offset) % len(ROOTS)
            if facts_within_key(compiled_with(ROOTS[at], pool))[:2] != alone[at]:
                wrong.append(ROOTS[at])
        pool.statistics()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    figures = pool.statistics()
    n_asked = figures["n_misses"] + figures["n_perfect_hits"] + figures["n_partial_hits"]
    assert n_asked >= 6 * 2 * len(ROOTS)
