"""Depth costs memory, never the C stack: deep texts, long histories, deep groups in a grammar."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest

import xg2lab as xgr
from tests.generators import SHARE
from xg2lab.errors import LimitError

N = int(1_000_000 * SHARE)
TOKENS = [bytes([byte]) for byte in range(256)] + [b"[[", b"]]", b"</s>"]
STOP = len(TOKENS) - 1
STACK_KIB = int(os.environ.get("XG2LAB_STACK_KIB") or 256)  # instrumented code has frames several times as large


def compiled(grammar: str | None) -> xgr.CompiledGrammar:
    compiler = xgr.GrammarCompiler(xgr.TokenizerInfo(TOKENS, stop_token_ids=[STOP]))
    return compiler.compile_grammar(grammar) if grammar else compiler.compile_builtin_json_grammar()


def in_a_small_stack(work: object) -> None:
    """Runs work() in a thread with a small stack: recursion a level of nesting would end the process."""
    failures: list[BaseException] = []

    def guarded() -> None:
        try:
            work()  # type: ignore[operator]
        except BaseException as error:  # noqa: BLE001 (handed to the main thread)
            failures.append(error)

    old = threading.stack_size(STACK_KIB << 10)
    try:
        thread = threading.Thread(target=guarded)
        thread.start()
    finally:
        threading.stack_size(old)
    thread.join()
    if failures:
        raise failures[0]


@pytest.mark.parametrize(
    ("grammar", "opens", "closes", "n"),
    [
        ('root ::= "[" root* "]"', "[", "]", N),
        ('root ::= "[" (root ("," root)*)? "]"', "[", "]", N // 10),
        ('root ::= x\nx ::= "[" y "]" | ""\ny ::= "{" x "}"', "[{", "}]", N // 10),
        ('root ::= "[" root | "a"', "[", "a", N),
    ],
)
def test_a_million_brackets(grammar: str, opens: str, closes: str, n: int):
    def work() -> None:
        matcher = xgr.GrammarMatcher(compiled(grammar))
        assert matcher.accept_string(opens * n)
        bitmask = np.zeros((1, (len(TOKENS) + 31) // 32), np.int32)
        matcher.fill_next_token_bitmask(bitmask)
        assert matcher.accept_string(closes * (1 if closes == "a" else n))
        assert matcher.is_completed()
        assert not matcher.accept_string(closes)

    in_a_small_stack(work)


def test_inspecting_a_deep_text():
    def work() -> None:
        matcher = xgr.GrammarMatcher(compiled(None))
        assert matcher.accept_string('[{"a":' * (N // 100))
        assert matcher.find_jump_forward_string() == ""
        assert len(matcher.live_items()) > 0
        assert matcher.provenance()
        assert matcher.explain("]")["allowed"] is False
        assert matcher.fork().accept_string("1")
        assert len(matcher.chart(N // 100 * 6 - 10)["columns"]) > 0

    in_a_small_stack(work)


def test_a_long_history_is_let_go_in_a_loop():
    def work() -> None:
        matcher = xgr.GrammarMatcher(compiled("root ::= [a]*"))
        for _ in range(N):
            matcher.accept_token(97)
        fork = matcher.fork()
        matcher.rollback(N)
        assert (matcher.n_steps, fork.n_steps) == (0, N)
        del matcher, fork

    in_a_small_stack(work)


def test_a_hundred_thousand_groups_are_refused_with_a_limit():
    def work() -> None:
        for text in ["(" * 100_000 + '"a"' + ")" * 100_000, "(" * 100_000, '"a"' + "?" * 100_000, '("a" ' * 100_000]:
            with pytest.raises(LimitError) as caught:
                xgr.Grammar.from_ebnf("root ::= " + text)
            assert caught.value.diagnostics[0].code == "nesting_too_deep"

    in_a_small_stack(work)


def test_the_deepest_grammar_that_is_read_goes_through_everything():
    def work() -> None:
        grammar = xgr.Grammar.from_ebnf("root ::= " + '("a" | ' * 499 + '"b"' + ")*" * 499)
        info = xgr.TokenizerInfo(TOKENS, stop_token_ids=[STOP])
        for options in (xgr.EngineOptions(), xgr.EngineOptions(rule_inlining=False, determinize=False, minimize=False)):
            made = xgr.GrammarCompiler(info, options=options).compile_grammar(grammar)
            assert xgr.GrammarMatcher(made).accept_string("ab" * 10)
        assert len(str(grammar)) > 499

    in_a_small_stack(work)


def test_a_chain_of_rules_as_deep_as_a_text():
    n = N // 50
    rules = "\n".join(f'r{i} ::= "(" r{i + 1} ")" | "x{i}"' for i in range(n))
    matcher = xgr.GrammarMatcher(compiled(f'root ::= r0\n{rules}\nr{n} ::= "y"'))
    assert matcher.accept_string("(" * n + "y" + ")" * n)
    assert matcher.is_completed()
