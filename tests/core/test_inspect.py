"""Inspection: the chart agrees with the table, explanations name mechanism and line, spans survive all passes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import xg2lab as xgr
from tests.cases import load_cases
from xg2lab.errors import VocabularyError

GRAMMAR = """# a list of numbers
root ::= "[" item ("," item)* "]"
item ::= number | root
number ::= [0-9]+
"""
TOKENS = [b"[", b"]", b",", b"1", b"12", b"1,", b"1x", b"1]", b"x", b"</s>", b"<s>", b""]


def make(options: xgr.EngineOptions | None = None) -> xgr.GrammarMatcher:
    info = xgr.TokenizerInfo(TOKENS, vocab_size=13, stop_token_ids=[9], special_token_ids=[10])
    return xgr.GrammarMatcher(xgr.GrammarCompiler(info, options=options).compile_grammar(GRAMMAR))


SEPARATE = xgr.EngineOptions(rule_inlining=False)


@pytest.mark.parametrize(
    ("token", "mechanism", "allowed"),
    [
        (4, "accepted_by_cache", True),
        (5, "accepted_by_parent_check", True),
        (6, "rejected_by_lookahead", False),
        (8, "rejected_by_cache", False),
        (9, "stop_not_legal", False),
        (10, "special_token", False),
        (11, "empty_token", False),
        (12, "padding", False),
    ],
)
def test_mechanisms(token: int, mechanism: str, allowed: bool):
    matcher = make(SEPARATE)
    matcher.accept_string("[1")
    explanation = matcher.explain(token)
    assert (explanation["mechanism"], explanation["allowed"]) == (mechanism, allowed)
    assert allowed == (token in matcher.allowed_tokens())
    assert explanation["reason"].endswith(".")


def test_a_token_without_bytes_is_padding_not_a_rejected_text():
    matcher = make(SEPARATE)
    matcher.accept_string("[1")
    codes = np.frombuffer(matcher.provenance(), np.uint8)
    assert list(codes[9:13]) == [6, 4, 7, 7]  # stop, special, empty, padding
    assert {token for token, code in enumerate(codes) if code in (1, 2, 5)} == set(matcher.allowed_tokens())


def test_a_parent_that_refuses_is_named():
    info = xgr.TokenizerInfo([b"a", b"ab", b"ac", b"(", b"</s>"], stop_token_ids=[4])
    grammar = 'root ::= "(" x "b" | x "c"\nx ::= "a"'
    matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info, options=SEPARATE).compile_grammar(grammar))
    matcher.accept_token(3)
    explanation = matcher.explain(2)
    assert explanation["mechanism"] == "rejected_by_parent_check"
    assert explanation["died_at"] == 1
    assert explanation["expected_text"] == '"b"'
    assert explanation["expected_by"][0]["line"] == 1
    assert "Rule x may end within the token" in explanation["reason"]


def test_from_a_blocked_token_to_the_line_of_the_grammar():
    matcher = make()
    matcher.accept_string("[1,")
    explanation = matcher.explain(8)
    assert explanation["died_at"] == 0
    assert explanation["expected"] == [(0x30, 0x39), (0x5B, 0x5B)]
    places = {(by["line"], GRAMMAR[slice(*span)]) for by in explanation["expected_by"] for span in by["spans"]}
    assert (4, "[0-9]") in places
    assert any(text == '"["' for _, text in places)


def test_bytes_are_explained_as_well_as_tokens():
    matcher = make()
    explanation = matcher.explain(data="[1, 2")
    assert (explanation["allowed"], explanation["died_at"]) == (False, 3)
    assert [step["alive"] for step in explanation["walk"]] == [True, True, True, False]
    assert matcher.explain(data=b"[1,2")["allowed"]
    with pytest.raises(TypeError, match="either token_id or data"):
        matcher.explain()
    with pytest.raises(VocabularyError, match="token id 99 is outside"):
        matcher.explain(99)


def test_explaining_changes_nothing():
    matcher = make()
    matcher.accept_string("[1")
    before = (matcher.allowed_tokens(), matcher.chart())
    for token in range(13):
        matcher.explain(token)
    assert (matcher.allowed_tokens(), matcher.chart()) == before


def test_after_a_stop_token_nothing_is_explained_as_possible():
    matcher = make()
    matcher.accept_string("[1]")
    assert matcher.explain(9)["mechanism"] == "stop_legal"
    matcher.accept_token(9)
    assert matcher.explain(3)["mechanism"] == "terminated"
    assert set(matcher.provenance()) <= {0, 4, 6, 7}


@pytest.mark.parametrize("options", [None, SEPARATE], ids=["inlined", "separate"])
def test_provenance_agrees_with_the_mask(options: xgr.EngineOptions | None):
    matcher = make(options)
    for text in ("", "[", "1", ",", "["):
        assert matcher.accept_string(text)
        codes = matcher.provenance()
        assert len(codes) == 13
        assert [token for token, code in enumerate(codes) if code in (1, 2, 5)] == matcher.allowed_tokens()
        assert (codes[10], codes[12]) == (4, 7)


def columns_of(chart: dict[str, Any]) -> list[list[tuple[int, ...]]]:
    return chart["columns"]


@pytest.mark.parametrize("case", load_cases(), ids=str)
def test_the_chart_reads_what_the_table_reads(case: Any):
    info = xgr.TokenizerInfo([b"</s>"], stop_token_ids=[0])
    for options in (xgr.EngineOptions(), xgr.EngineOptions(rule_inlining=False, right_recursion_to_repeat=False)):
        matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info, options=options).compile_grammar(case.grammar))
        for data in [*case.accepts, *case.rejects, *case.prefixes]:
            n_read = next((n for n in range(len(data), -1, -1) if matcher.accept_string(data[:n])), 0)
            explanation = matcher.explain(data=b"")
            chart = matcher.chart()
            assert len(columns_of(chart)) == n_read + 1
            for position, column in enumerate(columns_of(chart)):
                assert len({(state, origin) for state, origin, *_ in column}) == len(column), "I2"
                for _, origin, _, source_column, source, _ in column:
                    assert origin <= position, "I1"
                    if source >= 0:
                        assert source < len(columns_of(chart)[source_column])
            expected = {byte for lo, hi in explanation["expected"] for byte in range(lo, hi + 1)}
            fork = matcher.fork()
            for byte in range(256):
                taken = fork.accept_string(bytes([byte]))
                assert taken == (byte in expected)
                if taken:
                    fork.rollback(1)
            matcher.reset()


def test_spans_lead_back_to_the_source_through_all_passes():
    compiled = make().compiled_grammar
    program = compiled.program()
    source = GRAMMAR.encode()
    seen = {source[slice(*span)].decode() for edge in program["edges"] for span in edge["spans"]}
    assert {'"["', '"]"', '","', "[0-9]"} <= seen
    for rule in program["rules"]:
        assert source[slice(*rule["span"])].decode().startswith(rule["name"])
    states = {state["id"]: state for state in program["states"]}
    for edge in program["edges"]:
        assert states[edge["from"]]["rule"] == states[edge["to"]]["rule"]
    assert np.unique([state["rule"] for state in program["states"]]).size == len(program["rules"])


def test_debug_print_says_what_explain_says(capsys: pytest.CaptureFixture[str]):
    matcher = make()
    matcher.accept_token(8, debug_print=True)
    matcher.accept_string("[", debug_print=True)
    matcher.fill_next_token_bitmask(np.zeros((1, 1), np.int32), debug_print=True)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("blocked: x")
    assert lines[1].startswith("allowed: [")
    assert lines[2].startswith("expected: ")
