"""Lowering: minimal machines, UTF-8 by code point, the same language whatever is switched off."""

from __future__ import annotations

import itertools

import pytest

import xg2lab as xgr

INFO = xgr.TokenizerInfo([b"</s>"], stop_token_ids=[0])


def compiled_for(grammar: str, **options: bool | int) -> xgr.CompiledGrammar:
    return xgr.GrammarCompiler(INFO, options=xgr.EngineOptions(**options)).compile_grammar(grammar)


def accepts(compiled: xgr.CompiledGrammar, data: bytes | str) -> bool:
    matcher = xgr.GrammarMatcher(compiled)
    return matcher.accept_string(data) and matcher.is_completed()


@pytest.mark.parametrize(
    ("grammar", "n_states"),
    [
        ('root ::= "ab" | "ac"', 3),
        ("root ::= [a-m]* | [n-z]*", 3),
        ('root ::= ("a" | "b")*', 1),
        ('root ::= "abc" | "xbc"', 4),
        ("root ::= [a-z]{2,4}", 5),
        ("root ::= [é-ï]", 3),
    ],
)
def test_machines_are_minimal(grammar: str, n_states: int):
    assert compiled_for(grammar).n_states == n_states


def test_minimization_keeps_ten_thousand_words_small_and_quick():
    words = ["".join(letters) for letters in itertools.product("abcdefghij", repeat=4)]
    compiled = compiled_for("root ::= " + " | ".join(f'"{word}"' for word in words))
    assert compiled.n_states == 5
    assert accepts(compiled, "jihg")


@pytest.mark.parametrize("code_point", [0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF])
def test_classes_are_by_code_point_at_every_edge_of_utf8(code_point: int):
    low, high = max(code_point - 1, 0), min(code_point + 1, 0x10FFFF)
    around = [c for c in (low, code_point, high) if not 0xD800 <= c <= 0xDFFF]
    only = compiled_for(f"root ::= [\\U{code_point:08X}]")
    but = compiled_for(f"root ::= [^\\U{code_point:08X}]")
    for c in around:
        assert accepts(only, chr(c)) == (c == code_point)
        assert accepts(but, chr(c)) == (c != code_point)


@pytest.mark.parametrize(
    "data", [b"\xc0\x80", b"\xc1\xbf", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xff", b"\x80"]
)
def test_what_is_not_utf8_is_never_a_code_point(data: bytes):
    assert not xgr.GrammarMatcher(compiled_for("root ::= [^]*")).accept_string(data)


SWITCHES = ["rule_inlining", "right_recursion_to_repeat", "literal_fusion", "determinize", "minimize", "tail_calls"]


@pytest.mark.parametrize("off", SWITCHES)
def test_no_switch_changes_the_language(off: str):
    grammar = 'root ::= a root "z" | ("x" | "xy" | [é-ï] a){1,3}   a ::= "a" a | b?   b ::= "b" | "bb" b'
    on, without = compiled_for(grammar), compiled_for(grammar, **{off: False})
    for letters in itertools.product(["a", "b", "x", "y", "z", "é"], repeat=4):
        text = "".join(letters)
        assert accepts(on, text) == accepts(without, text), text


def test_a_machine_beyond_its_budget_still_runs():
    # The 14th byte from the end is an a: a deterministic machine needs 2^14 states, far beyond the
    # budget.
    compiled = compiled_for('root ::= [ab]* "a" [ab]{13}')
    assert compiled.n_states < 2000
    assert accepts(compiled, "b" * 30 + "a" + "b" * 13)
    assert not accepts(compiled, "b" * 44)
