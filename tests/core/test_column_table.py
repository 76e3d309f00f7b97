"""Columns by content: equal futures are one column, memory is bounded, and moving house changes nothing."""

from __future__ import annotations

import random

import pytest

import xg2lab as xgr


def compiled_for(grammar: str, **options: int | bool) -> xgr.CompiledGrammar:
    info = xgr.TokenizerInfo([bytes([b]) for b in range(128)] + [b"</s>"], stop_token_ids=[128])
    return xgr.GrammarCompiler(info, options=xgr.EngineOptions(**options)).compile_grammar(grammar)


def n_columns_after(text: str, grammar: str, **options: bool) -> int:
    compiled = compiled_for(grammar, **options)
    assert xgr.GrammarMatcher(compiled).accept_string(text)
    return compiled.n_columns


def test_a_loop_needs_no_new_columns():
    grammar = 'root ::= "[" ([0-9]+ ",")* "]"'
    assert n_columns_after("[" + "12," * 50, grammar) == n_columns_after("[" + "12," * 500, grammar)


def test_nesting_makes_a_column_a_level_and_leaving_it_none():
    grammar = 'root ::= "[" root* "]"'
    deep, deeper = (n_columns_after("[" * n, grammar) for n in (100, 200))
    assert deeper - deep == 100
    assert n_columns_after("[" * 100 + "]" * 50 + "[" * 50, grammar) <= deep + 100


def test_right_recursion_takes_constant_space_by_tail_calls():
    grammar = 'root ::= "a" other | "x"   other ::= "b" root | "y"'
    plain = {"rule_inlining": False, "right_recursion_to_repeat": False}
    assert n_columns_after("ab" * 50, grammar, **plain) == n_columns_after("ab" * 5000, grammar, **plain)
    without = {**plain, "tail_calls": False}
    assert n_columns_after("ab" * 100, grammar, **without) > n_columns_after("ab" * 50, grammar, **without)


@pytest.mark.parametrize(
    "grammar",
    ['root ::= name ("+" name)*   name ::= [a-z]+', 'root ::= "in" name | "if" name | name   name ::= [a-z]+'],
)
def test_a_long_name_needs_no_more_columns_than_a_short_one(grammar: str):
    plain = {"rule_inlining": False}
    assert n_columns_after("info" * 50, grammar, **plain) == n_columns_after("info" * 5, grammar, **plain)


def test_what_follows_a_name_is_made_once_for_all_its_letters():
    grammar = (
        'root ::= sum   sum ::= name op sum | name   op ::= "+" | "-" | "*"   name ::= "abc" | "abd" | "xyz" | [a-z]+'
    )
    plain = {"rule_inlining": False, "right_recursion_to_repeat": False}
    compiled = compiled_for(grammar, **plain)
    for text in ("a+", "ab+", "abc+", "abd+", "xyz+", "q+"):
        assert xgr.GrammarMatcher(compiled).accept_string(text)
    after_one = n_columns_after("q+", grammar, **plain)
    assert compiled.n_columns <= after_one + 7  # a place within each keyword, and none behind them


def test_a_full_table_is_left_for_a_fresh_one_and_nothing_is_lost():
    grammar = 'root ::= "[" root* "]"'
    text = "[" * 300 + "]" * 100 + "[" * 200 + "]" * 300
    roomy = xgr.GrammarMatcher(compiled_for(grammar))
    tight = xgr.GrammarMatcher(compiled_for(grammar, max_configuration_bytes=4096))
    for step, byte in enumerate(text):
        assert roomy.accept_string(byte)
        assert tight.accept_string(byte)
        if step % 50 == 0:
            assert tight.allowed_tokens() == roomy.allowed_tokens()
    for _ in range(9):
        roomy.rollback(77)
        tight.rollback(77)
        assert tight.allowed_tokens() == roomy.allowed_tokens()
    fork = tight.fork()
    assert fork.accept_string("]" * 3)
    assert tight.allowed_tokens() == roomy.allowed_tokens()


def test_tables_stay_within_their_budget_over_many_texts():
    compiled = compiled_for('root ::= "[" root* "]" | [a-z]', max_configuration_bytes=1 << 16)
    for width in range(1, 200):
        assert xgr.GrammarMatcher(compiled).accept_string("[a" * width + "]" * width)
    assert compiled.memory_size_bytes < 8 << 16


def test_deep_nesting_does_not_overflow_the_stack():
    matcher = xgr.GrammarMatcher(compiled_for('root ::= "[" root* "]"'))
    assert matcher.accept_string("[" * 100_000 + "]" * 100_000)
    assert matcher.is_completed()


AMBIGUOUS = [
    'root ::= root "+" root | "a"',
    'root ::= root root | "a" | "+"',
    'root ::= sum | root "+" sum   sum ::= sum "+" root | "a"',
    'root ::= item root item | item   item ::= "a" | "+" | "a+" | item "+" item',
    'root ::= "a" other | other "a" | "+"   other ::= root "+" root | root other | "a"',
]


@pytest.mark.parametrize("grammar", AMBIGUOUS)
def test_long_lists_of_callers_are_woken_whole(grammar: str):
    """The chart wakes every caller one by one; the table wakes groups of them."""
    options = {"right_recursion_to_repeat": False, "rule_inlining": False}
    rng = random.Random(3)
    for _ in range(4):
        matcher = xgr.GrammarMatcher(compiled_for(grammar, **options))
        for step in range(50):
            allowed = matcher.allowed_tokens()
            chart = {token for token in range(128) if matcher.explain(data=bytes([token]))["allowed"]}
            assert set(allowed) - {128} == chart, step
            text = [token for token in allowed if token < 128]
            if not text:
                break
            matcher.accept_token(rng.choice(text))
