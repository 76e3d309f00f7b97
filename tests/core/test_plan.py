"""Which way each mask is made, by the grammar and the text that are meant to take it; and that off means off."""

from __future__ import annotations

import numpy as np
import pytest

import xg2lab as xgr
from tests.core.test_context_walk import PROGRAM
from tests.vocabularies import CWV_NAMES, cwv_info

JSON = r"""
root ::= object
object ::= "{" ws pair (ws "," ws pair)* ws "}"
pair ::= "\"" [a-z]* "\"" ws ":" ws ("1" | "\"" [a-z]* "\"" | object)
ws ::= [ \n\t]{0,40}
"""
WORDS = "let x1 = (new Point() + y) - z; call(x1);"
# name: grammar, text, the ways that its masks take with all options as they are
CASES: dict[str, tuple[xgr.Grammar, str, set[str]]] = {
    "entries": (xgr.Grammar.from_ebnf('root ::= "[" [a-z]+ "]"'), "[abc]", {"entries"}),
    "entries_and_run": (xgr.Grammar.from_ebnf(JSON), '{  "a": {"b" : 1}}', {"entries", "entries_and_run"}),
    "shared_walks": (xgr.Grammar.from_lark(PROGRAM), WORDS, {"shared_walks", "walk", "entries"}),
    "walk": (
        xgr.Grammar.from_ebnf('root ::= part*  part ::= [^()] | "(" part* ")" | "[" part* "]"'),
        "a(b[c])d",
        {"walk"},
    ),
}


def filled(grammar: xgr.Grammar, text: str, **options: object) -> tuple[list[str], list[bytes]]:
    """The way of each mask along the text, in a grammar and a matcher of its own; and the masks."""
    info = cwv_info(CWV_NAMES[0])
    compiler = xgr.GrammarCompiler(info, cache_enabled=False, options=xgr.EngineOptions(**options))  # type: ignore[arg-type]
    matcher = xgr.GrammarMatcher(compiler.compile_grammar(grammar))
    bitmask = np.zeros((1, (info.vocab_size + 31) // 32), np.int32)
    ways, masks = [], []
    for end in range(len(text) + 1):
        if end > 0:
            assert matcher.accept_string(text[end - 1])
        matcher.fill_next_token_bitmask(bitmask)
        report = matcher.last_fill()
        assert report is not None
        ways.append(report["way"])
        masks.append(bitmask.tobytes())
    return ways, masks


@pytest.mark.parametrize("name", CASES)
def test_each_way_is_taken_by_its_case(name: str):
    grammar, text, wanted = CASES[name]
    ways, _ = filled(grammar, text)
    assert name in ways
    assert set(ways) - {"known"} <= wanted


OFF: dict[str, dict[str, object]] = {
    "entries": {"context_walks": "always"},
    "entries_and_run": {"counted_runs": False},
    "shared_walks": {"shared_walks": False},
    "walk": {"context_walks": "never"},
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("way", OFF)
def test_a_way_that_is_off_is_not_taken_and_changes_no_mask(name: str, way: str):
    grammar, text, _ = CASES[name]
    usual, masks = filled(grammar, text)
    ways, others = filled(grammar, text, **OFF[way])
    assert way not in ways
    assert others == masks
    if way not in usual and way != "walk":  # without walks there are no shared ones, and no runs
        assert ways == usual or way == "entries"


def test_never_a_walk_means_entries_alone():
    for grammar, text, _ in CASES.values():
        ways, _ = filled(grammar, text, context_walks="never")
        assert set(ways) <= {"entries", "known"}


def test_a_known_mask_says_so():
    grammar, _, _ = CASES["entries"]
    info = cwv_info(CWV_NAMES[0])
    compiled = xgr.GrammarCompiler(info).compile_grammar(grammar)
    bitmask = np.zeros((1, (info.vocab_size + 31) // 32), np.int32)
    for wanted in ("entries", "known"):
        matcher = xgr.GrammarMatcher(compiled)
        matcher.fill_next_token_bitmask(bitmask)
        report = matcher.last_fill()
        assert report is not None
        assert (report["way"], report["cache"] == "context_hit") == (wanted, wanted == "known")


def test_many_missing_entries_are_one_walk():
    alternatives = " | ".join(f"r{i}" for i in range(6))
    rules = "".join(f'   r{i} ::= [ab] r{i} "{i}" | "c"' for i in range(6))
    options = {"rule_inlining": False, "right_recursion_to_repeat": False}
    assert filled(xgr.Grammar.from_ebnf(f"root ::= {alternatives}{rules}"), "", **options)[0] == ["walk"]
    few = " | ".join(f"r{i}" for i in range(3))
    assert filled(xgr.Grammar.from_ebnf(f"root ::= {few}{rules}"), "", **options)[0] == ["entries"]


def test_events_say_the_way():
    grammar, text, _ = CASES["entries_and_run"]
    compiler = xgr.GrammarCompiler(cwv_info(CWV_NAMES[0]))
    matcher = xgr.GrammarMatcher(compiler.compile_grammar(grammar))
    bitmask = np.zeros((1, (compiler.tokenizer_info.vocab_size + 31) // 32), np.int32)
    with compiler.record_cache_events():
        for end in range(4):
            assert end == 0 or matcher.accept_string(text[end - 1])
            matcher.fill_next_token_bitmask(bitmask)
    ways = [event.way for event in compiler.cache_events() if event.kind == "fill"]
    assert len(ways) == 4
    assert "entries_and_run" in ways
    assert {event.way for event in compiler.cache_events() if event.kind != "fill"} <= {None}
