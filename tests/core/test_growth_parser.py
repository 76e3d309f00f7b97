"""What the parser keeps grows with grammar and text as little as may be: n against 2 n, in bytes and columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("xg2lab._core", reason="the engine is not built")
import xg2lab as xgr

if TYPE_CHECKING:
    from collections.abc import Callable

TOKENS = [bytes([byte]) for byte in range(128)] + [b"aa", b"aaa", b"ab", b"a+1", b"((", b"</s>"]
INFO = xgr.TokenizerInfo(TOKENS, stop_token_ids=[len(TOKENS) - 1])
LINEAR = 2.5  # n against 2 n: what is square quadruples


def compiled_for(grammar: str, **options: int | bool | str) -> xgr.CompiledGrammar:
    switches = xgr.EngineOptions(**options)  # pyright: ignore[reportArgumentType]
    return xgr.GrammarCompiler(INFO, options=switches).compile_grammar(grammar)


def rules(*lines: str) -> str:
    return "\n".join(lines)


def nullable_cycle(n: int) -> str:
    """Any of the rules may match nothing, and calls two others."""
    names = [f"n{i}" for i in range(n)]
    return rules(
        "root ::= " + " ".join(names),
        *(f'n{i} ::= n{(i + 1) % n} n{(i + 2) % n} | "" | "a"' for i in range(n)),
    )


def nullable_cycle_with_counts(n: int) -> str:
    """Masks are kept by clamped columns, those who wait for each rule among them."""
    return nullable_cycle(n) + ' | "b"{40,90}'


def nullable_chain(n: int) -> str:
    """The same without a cycle."""
    return rules(
        "root ::= " + " ".join(f"n{i}" for i in range(n)),
        *(f'n{i} ::= n{i + 1} n{i + 2} | "" | "a"' for i in range(n)),
        f'n{n} ::= "" | "a"',
        f'n{n + 1} ::= "" | "a"',
    )


def unit_cycle(n: int) -> str:
    """Each rule is the next or itself with a letter behind it."""
    return rules("root ::= r0", *(f'r{i} ::= r{(i + 1) % n} | r{i} "x" | "a"' for i in range(n)))


def unit_cycle_in_brackets(n: int) -> str:
    return rules("root ::= r0", *(f'r{i} ::= r{(i + 1) % n} | "(" r{i} ")" | "a"' for i in range(n)))


def unit_cycle_from_everywhere(n: int) -> str:
    return rules(
        "root ::= " + " | ".join(f"r{i}" for i in range(n)),
        *(f'r{i} ::= r{(i + 1) % n} | "a" r{i} "b" | "a"' for i in range(n)),
    )


def operators(n: int) -> str:
    """Levels of operators, each on the left: a real grammar has a dozen."""
    return rules(
        "root ::= r0",
        *(f'r{i} ::= r{i} "+{i}" r{i + 1} | r{i + 1}' for i in range(n)),
        f'r{n} ::= "a" | "(" r0 ")"',
    )


def left_cycle(n: int) -> str:
    return rules("root ::= r0", *(f'r{i} ::= r{(i + 1) % n} "x" | r{(i + 3) % n} "y" | "a"' for i in range(n)))


def behind_what_may_be_empty(n: int) -> str:
    return rules(
        "root ::= r0",
        *(f'e{i} ::= "" | e{(i + 1) % n} "b"\nr{i} ::= e{i} r{(i + 1) % n} | "a" r{i} "b" | "a"' for i in range(n)),
    )


def many_of_each_other(n: int) -> str:
    return rules(
        "root ::= r0",
        *(
            f"r{i} ::= " + " | ".join(f"r{(i * j + j) % n} r{(i + j) % n}" for j in range(1, 5)) + ' | "a" | ""'
            for i in range(n)
        ),
    )


FAMILIES = [
    nullable_cycle,
    nullable_cycle_with_counts,
    nullable_chain,
    unit_cycle,
    unit_cycle_in_brackets,
    unit_cycle_from_everywhere,
    operators,
    left_cycle,
    behind_what_may_be_empty,
    many_of_each_other,
]


def kept_bytes(grammar: str, text: str) -> int:
    """After the text's masks, all bytes that the compiled grammar keeps: its program, masks and columns."""
    compiled = compiled_for(grammar)
    matcher = xgr.GrammarMatcher(compiled)
    bitmask = xgr.allocate_token_bitmask(1, INFO.vocab_size)
    for byte in text:
        matcher.fill_next_token_bitmask(bitmask)
        assert matcher.accept_string(byte)
    matcher.fill_next_token_bitmask(bitmask)
    return compiled.memory_size_bytes


@pytest.mark.parametrize("family", FAMILIES)
def test_rules_that_call_each_other_are_not_multiplied_with_each_other(family: Callable[[int], str]):
    kept, twice = (kept_bytes(family(n), "a") for n in (150, 300))
    assert twice < LINEAR * kept, (kept, twice)


@pytest.mark.parametrize("family", [nullable_cycle, nullable_cycle_with_counts, nullable_chain, many_of_each_other])
def test_nor_are_they_after_some_letters(family: Callable[[int], str]):
    # Between n and 2 n lies one doubling of the tables or none, so 4 n are looked at.
    kept, more = (kept_bytes(family(n), "aaaa") for n in (150, 600))
    assert more < LINEAR**2 * kept, (kept, more)


def test_ten_thousand_levels_of_operators_are_read():
    matcher = xgr.GrammarMatcher(compiled_for(operators(10_000)))
    assert matcher.accept_string("a")
    assert matcher.accept_string("+9999(a)+0a")
    assert matcher.is_completed()


# ---- Right recursion makes no column a letter ----

PLAIN = {"rule_inlining": False, "right_recursion_to_repeat": False}
RIGHT = {
    "one rule": ('root ::= "a" root | "b"', "a"),
    "two rules": ('root ::= "a" other | "x"\nother ::= "b" root | "y"', "ab"),
    "within another": ('root ::= "<" r ">"\nr ::= "a" r | "b"', "a"),
    "by a unit rule": ('root ::= s ";"\ns ::= if | "x"\nif ::= "i" s | "j" s "e" s', "i"),
    "by several unit rules": ('root ::= e ";"\ne ::= f\nf ::= g | "x"\ng ::= "-" h\nh ::= e', "-"),
    "by a cycle of unit rules": ('root ::= e ";"\ne ::= f | "y"\nf ::= e | "-" e | "x"', "-"),
    "behind what may be empty": ('root ::= r ";"\nr ::= e r | "a"\ne ::= "" | "b"', "b"),
    "several at once": ('root ::= a ";"\na ::= "x" a | "x" b | "z"\nb ::= "x" a | "y"', "x"),
    "the other branch": ('root ::= s ";"\ns ::= "i" s "e" s | "x"', "ixe"),
}


def n_columns_after(text: str, grammar: str, **options: bool) -> int:
    compiled = compiled_for(grammar, **options)
    prefix = "<" if "<" in grammar else ""
    assert xgr.GrammarMatcher(compiled).accept_string(prefix + text)
    return compiled.n_columns


@pytest.mark.parametrize("name", RIGHT)
def test_right_recursion_takes_constant_space(name: str):
    grammar, text = RIGHT[name]
    few, many = (n_columns_after(text * n, grammar, **PLAIN) for n in (20, 400))
    assert few == many


# ---- A text whose columns grow ----

PALINDROMES = 'root ::= "a" root "a" | "b" root "b" | ""'


def test_a_table_that_is_needed_whole_is_not_copied():
    """Each of a palindrome's columns is somebody's origin: a fresh table would hold them all again."""
    matcher = xgr.GrammarMatcher(compiled_for(PALINDROMES, max_configuration_bytes=1 << 16, **PLAIN))
    tables = set[int]()
    for _ in range(800):
        assert matcher.accept_string("a")
        tables.add(matcher.column_id()[0])
    assert len(tables) == 1


def test_a_table_that_is_not_needed_is_left():
    matcher = xgr.GrammarMatcher(
        compiled_for(
            'root ::= ("<" x ">")*\nx ::= "[" x "]" | "(" x ")" | ""', max_configuration_bytes=1 << 14, **PLAIN
        ),
        max_rollback_tokens=2,
    )
    tables = set[int]()
    for number in range(256):
        opened = [("[", "]") if number >> i & 1 else ("(", ")") for i in range(8)]
        assert matcher.accept_string("<" + "".join(begin for begin, _ in opened))
        assert matcher.accept_string("".join(end for _, end in reversed(opened)) + ">")
        tables.add(matcher.column_id()[0])
    assert len(tables) > 1


def test_a_palindromes_columns_are_half_as_long_as_its_text():
    kept = []
    for n in (400, 800):
        compiled = compiled_for(PALINDROMES, **PLAIN)
        assert xgr.GrammarMatcher(compiled).accept_string("a" * n)
        kept.append(compiled.memory_size_bytes)
        assert compiled.n_columns < n + 10
    assert kept[1] < 4.2 * kept[0], kept
