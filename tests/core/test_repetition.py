"""Counted repetitions from outside: the size of what is compiled, memory, what inspection says, limits.

What they mean is in tests/differential/test_repetition.py.
"""

from __future__ import annotations

from typing import Any

import pytest

import xg2lab as xgr
from xg2lab.errors import GrammarSyntaxError

BYTES = [bytes([byte]) for byte in range(128)]


def compiled_for(grammar: str, tokens: list[bytes] = BYTES, **options: Any) -> xgr.CompiledGrammar:
    info = xgr.TokenizerInfo([*tokens, b"</s>"], stop_token_ids=[len(tokens)])
    return xgr.GrammarCompiler(info, options=xgr.EngineOptions(**options)).compile_grammar(grammar)


def columns_after_walk(grammar: str, text: str) -> int:
    """How many columns there are after a text of which each byte was masked for."""
    compiled = compiled_for(grammar)
    matcher = xgr.GrammarMatcher(compiled)
    bitmask = xgr.allocate_token_bitmask(1, 129)
    for byte in text:
        matcher.fill_next_token_bitmask(bitmask)
        assert matcher.accept_string(byte)
    return compiled.n_columns


# ---- What a count costs ----


def test_a_count_is_not_a_size():
    sizes = {
        (compiled.n_states, compiled.memory_size_bytes)
        for n in (10_000, 20_000, 99_999)  # as many digits, as the source is kept
        for compiled in [compiled_for(f'root ::= "<" [a-z]{{1,{n}}} ">"')]
    }
    assert len(sizes) == 1
    assert next(iter(sizes))[0] < 10


def test_up_to_the_threshold_counts_are_written_out():
    n_states = [compiled_for(f"root ::= [a-z]{{{n}}}").n_states for n in (31, 32, 33)]
    assert n_states == [32, 33, 6]
    assert compiled_for("root ::= [a-z]{33}", repetition_compression=False).n_states == 34
    assert compiled_for("root ::= [a-z]{33}", repetition_threshold=33).n_states == 34
    assert compiled_for("root ::= [a-z]{3}", repetition_threshold=2).n_states == 6


def test_nested_thousands_compile_at_once():
    for body in (
        '((("a"{0,1000}){0,1000}){0,1000})',
        '((("a"{0,1000} "b"){0,1000} "c"){0,1000} "d"){0,1000}',
        "(" * 9 + '"a"{5,2147483647} "b"' + "){7,2147483647}" * 9,
    ):
        assert compiled_for(f"root ::= {body}").n_states < 60


def test_masks_are_shared_by_counts_far_from_the_bounds():
    """A byte makes one column, and one more only near the bounds: its mask is that of a clamped column."""
    for body in ("[a-z]{1,65536}", '("a" | "aa"){0,100000}', '("a" | "aa"){50000}', '("aa" | "aaaaa"){9000}'):
        more, most = (columns_after_walk(f"root ::= {body}", "a" * n) for n in (400, 800))
        assert most - more <= 400, body
    compiled = compiled_for("root ::= [a-z]{1,65536}", [b"a", b"aa", b"aaaa"])
    matcher = xgr.GrammarMatcher(compiled)
    bitmask = xgr.allocate_token_bitmask(1, 4)
    made = 0
    for _ in range(500):
        matcher.fill_next_token_bitmask(bitmask)
        made += matcher.last_fill()["cache"] != "context_hit"
        assert matcher.accept_token(0)
    assert 1 <= made <= 6


def test_runs_that_begin_at_each_byte_share_masks_once_the_text_is_longer_than_the_run():
    """The context of each run names the runs before it, but its own completion asks for none of them."""
    matcher = xgr.GrammarMatcher(compiled_for("root ::= [a-z ]* [a-z]{60} [a-z ]*", [b"a", b"aa", b"aaaa"]))
    bitmask = xgr.allocate_token_bitmask(1, 4)
    made = list[int]()
    for i in range(300):
        matcher.fill_next_token_bitmask(bitmask)
        if matcher.last_fill()["cache"] != "context_hit":
            made.append(i)
        assert matcher.accept_token(0)
    assert made
    assert made[-1] <= 80, made


def test_a_text_takes_few_bytes_a_byte():
    compiled = compiled_for("root ::= [a-z]{1,100000}")
    matcher = xgr.GrammarMatcher(compiled)
    before = compiled.memory_size_bytes
    assert matcher.accept_string("a" * 40_000)
    # A list of waits, a context, a part and a column, with their slots in three tables and what
    # the tables have in reserve.
    assert compiled.memory_size_bytes - before < 40_000 * 140


def test_ambiguous_parts_keep_one_interval():
    for body in ('("a" | "aa"){0,100000}', '("a" | "aa"){50000}', '("a" | "aaa" | ""){77,100000}'):
        matcher = xgr.GrammarMatcher(compiled_for(f"root ::= {body}"))
        assert matcher.accept_string("a" * 5000)
        done = [item["done"] for item in matcher.live_items() if "done" in item]
        assert done
        assert all("," not in text for text in done), done


def test_gaps_between_counts_are_kept_where_they_matter():
    matcher = xgr.GrammarMatcher(compiled_for('root ::= ("aa" | "aaaaa"){40}'))
    assert matcher.accept_string("a" * 10)
    assert [item["done"] for item in matcher.live_items() if "done" in item] == ["2, 5"]
    assert matcher.accept_string("a" * 67)  # 77: 39 pieces if there is one of five, 1 mod 3 of them else
    assert not matcher.is_completed()
    assert matcher.accept_string("a" * 6)  # 83 = 39 * 2 + 5
    assert matcher.is_completed()
    loose = xgr.GrammarMatcher(compiled_for('root ::= ("aa" | "aaaaa"){35,40}'))
    assert loose.accept_string("a" * 10)
    assert [item["done"] for item in loose.live_items() if "done" in item] == ["2 to 5"]


def test_a_product_of_counts_past_the_limit_is_no_bound():
    matcher = xgr.GrammarMatcher(compiled_for('root ::= ("a"{3,100000}){2,50000}'))
    assert matcher.accept_string("a" * 5)
    assert not matcher.is_completed()
    assert matcher.accept_string("a" * 100_000)
    assert matcher.is_completed()


# ---- What inspection says ----


def test_a_repetition_is_one_edge_with_its_count():
    program = compiled_for('root ::= "<" [a-z]{3,65536} ">" ("x" item){40,}   item ::= "é"{99}').program()
    edges = {edge["label"]: edge for edge in program["edges"]}
    assert edges["[a-z]{3,65536}"]["kind"] == "rule"
    rules = {rule["name"]: rule for rule in program["rules"]}
    child = rules["[a-z]{3,65536}"]["repeat"]["child"]
    assert rules["[a-z]{3,65536}"]["repeat"] == {"child": child, "min": 3, "max": 65536}
    assert program["rules"][child]["name"] == "[a-z]"
    repeats = [rule["repeat"] for rule in program["rules"] if rule["repeat"]]
    assert sorted((r["min"], r["max"]) for r in repeats if r["max"]) == [(3, 65536), (99, 99)]
    assert [r["min"] for r in repeats if r["max"] is None] == [40]


def test_items_and_explanations_say_how_often():
    matcher = xgr.GrammarMatcher(compiled_for('root ::= "<" [a-z]{3,40} ">"'))
    assert matcher.accept_string("<ab")
    assert [item["done"] for item in matcher.live_items() if "done" in item] == ["2"]
    early = matcher.explain(ord(">"))
    assert early["reason"] == (
        "It breaks at byte 1 of 1 (>): expected [a-z]. [a-z]{3,40} has been matched 2 times: at least 3 are needed."
    )
    assert [(item["rule_name"], item["done"]) for item in early["counted"]] == [("[a-z]{3,40}", "2")]
    assert matcher.accept_string("c" * 38)
    late = matcher.explain(ord("a"))
    assert late["reason"] == (
        'It breaks at byte 1 of 1 (a): expected ">". [a-z]{3,40} has been matched 40 times: no more may follow.'
    )
    assert matcher.explain(ord(">"))["allowed"]
    assert [entry["counts"] for entry in matcher.mask_entries()] == [None]


def test_provenance_agrees_with_the_mask_at_each_count():
    tokens = [b"a", b"aa", b"aaa", b"a>", b">", b"<", b"b>"]
    matcher = xgr.GrammarMatcher(compiled_for('root ::= "<" [ab]{3,40} ">" | "<" [ab]{50} "<"', tokens))
    assert matcher.accept_string("<")
    for _ in range(50):
        codes = matcher.provenance()
        assert [token for token, code in enumerate(codes) if code in (1, 2, 5)] == matcher.allowed_tokens()
        assert all(matcher.explain(token)["allowed"] == (token in matcher.allowed_tokens()) for token in range(8))
        assert matcher.accept_string("b")
    assert matcher.allowed_tokens() == [5]


def test_forced_text_counts():
    matcher = xgr.GrammarMatcher(compiled_for('root ::= "ab"{500} [0-9]'))
    assert matcher.find_jump_forward_string() == "ab" * 500
    assert matcher.accept_string("ab" * 200 + "a")
    assert matcher.find_jump_forward_string() == "b" + "ab" * 299


# ---- Limits ----


def test_the_largest_count_is_taken_and_a_larger_one_refused():
    assert xgr.GrammarMatcher(compiled_for("root ::= [a-z]{0,2147483647}")).accept_string("a" * 100)
    matcher = xgr.GrammarMatcher(compiled_for("root ::= [a-z]{2147483647}"))
    assert matcher.accept_string("a" * 100)
    assert not matcher.is_completed()
    for body in ("[a-z]{1,99999999999}", "[a-z]{2147483648}", "[a-z]{4294967297,}", "[a-z]{0,18446744073709551617}"):
        with pytest.raises(GrammarSyntaxError, match="requires more than 2147483647") as caught:
            compiled_for(f"root ::= {body}")
        assert [(d.line, d.column) for d in caught.value.diagnostics] == [(1, 15)]
        assert "leave the upper bound out" in caught.value.hint


def test_thresholds_that_mean_nothing_are_refused():
    with pytest.raises(ValueError, match=r"EngineOptions.repetition_threshold must be at least 0, got -1"):
        xgr.EngineOptions(repetition_threshold=-1)
    with pytest.raises(ValueError, match=r"EngineOptions.repetition_threshold must be below 2\*\*31"):
        xgr.EngineOptions(repetition_threshold=1 << 31)
