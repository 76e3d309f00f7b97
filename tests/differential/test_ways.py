"""In how many ways each item was made: the engine's recorder and the twin, on grammars that are ambiguous.

XG2LAB_SEED repeats a run; XG2LAB_SHARE=0.1 does a tenth of it.
"""

import random
from typing import Any

import pytest

from tests.generators import SHARE, exhaustive_grammars, random_calls, random_grammar, seeded, write_ebnf
from xg2lab.reference.ways import Way, ways

pytest.importorskip("xg2lab._core", reason="the engine is not built")
import xg2lab as xgr

N_GRAMMARS = round(250 * SHARE)
N_BYTES = 7
MAX_ITEMS = 60  # in a column: a walk ends where the twin would be slow
KEPT = 8
INFO = xgr.TokenizerInfo([bytes([byte]) for byte in range(256)] + [b"</s>"], stop_token_ids=[256])
PLAIN = {
    "rule_inlining": False, "right_recursion_to_repeat": False, "literal_fusion": False, "determinize": False,
    "minimize": False,
}  # fmt: skip
OPTIONS = {
    "all-on": xgr.EngineOptions(),
    "as-written": xgr.EngineOptions(rule_inlining=False, right_recursion_to_repeat=False),
    "plain": xgr.EngineOptions(**PLAIN),
    "plain-counted": xgr.EngineOptions(**PLAIN, repetition_threshold=0),
}
with_options = pytest.mark.parametrize("options", list(OPTIONS.values()), ids=list(OPTIONS))


def random_text(matcher: Any, rng: random.Random) -> bytes:
    """Bytes that may come, one after the other, as long as the chart is small."""
    data = b""
    while len(data) < N_BYTES and len(matcher.live_items()) < MAX_ITEMS:
        allowed = [token for token in matcher.allowed_tokens() if token < 256]
        if not allowed:
            break
        data += bytes([rng.choice(allowed[:4])])
        assert matcher.accept_token(data[-1])
    return data


def compare(text: str, options: Any, rng: random.Random) -> int:
    """Every item of every column, on one text; how many items had several ways."""
    try:
        compiled = xgr.GrammarCompiler(INFO, options=options).compile_grammar(text)
    except xgr.Xg2LabError:
        return 0  # the empty language
    matcher = xgr.GrammarMatcher(compiled)
    data = random_text(matcher, rng)
    chart = matcher.chart()
    columns, n_several = chart["columns"], 0
    for j, expected in enumerate(ways(compiled.program(), data)):
        told = {index: (n_others, others) for index, n_others, others in chart["ways"].get(j, [])}
        assert {row[:2] for row in columns[j]} == set(expected)
        for index, (state, origin, operation, *own) in enumerate(columns[j]):

            def way(column: int, source: int, child: int, j: int = j) -> Way:
                return Way((column, *columns[column][source][:2]), None if child < 0 else columns[j][child][:2])

            n_others, others = told.get(index, (0, []))
            found = [way(*own)] if operation >= 2 else []
            found += [way(*other) for _, *other in others]
            place = f"{text}\n{data!r}, column {j}, state {state} from {origin}"
            assert len(set(found)) == len(found), f"a way is told twice: {place}"
            assert set(found) <= expected[state, origin], place
            assert len(expected[state, origin]) == n_others + (operation >= 2), place
            assert len(others) == min(n_others, KEPT), place
            n_several += n_others > 0
    return n_several


@with_options
def test_ways_in_the_small_universe(options: Any):
    rng = seeded("ways")
    texts = rng.sample(list(exhaustive_grammars(max_rules=2, max_operators=3)), N_GRAMMARS)
    n_several = sum(compare(text, options, rng) for text in texts)
    assert n_several > 0, "none of these was ambiguous"


@with_options
def test_ways_of_random_grammars(options: Any):
    rng = seeded("ways at random")
    for _ in range(N_GRAMMARS // 2):
        compare(write_ebnf((random_calls if rng.random() < 0.3 else random_grammar)(rng)), options, rng)


@pytest.mark.parametrize("rule", ['x ::= x x | "1"', 'x ::= x "1" x | x x | "1" | ""', 'x ::= x | y | "1"\ny ::= x x'])
@with_options
def test_ways_where_there_are_many(rule: str, options: Any):
    assert compare(f"root ::= x\n{rule}", options, seeded("many")) > 0 or options == OPTIONS["all-on"]


def test_an_unambiguous_grammar_has_no_other_ways():
    matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(INFO).compile_builtin_json_grammar())
    assert matcher.accept_string('{"a": [1, 2.5, {"b": "ü"}], "c": null}')
    assert matcher.chart()["ways"] == {}
