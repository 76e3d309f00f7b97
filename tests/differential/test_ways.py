"""In how many ways each item was made: the engine's recorder and the twin, on grammars that are ambiguous.

XG2LAB_SEED repeats a run; XG2LAB_SHARE=0.1 does a tenth of it.
"""

import random
from collections.abc import Iterable
from typing import Any

import pytest

from tests.generators import SHARE, exhaustive_grammars, random_calls, random_grammar, seeded, write_ebnf
from xg2lab.reference.ebnf import parse_ebnf
from xg2lab.reference.ways import Way, ways

pytest.importorskip("xg2lab._core", reason="the engine is not built")
import xg2lab as xgr
from tests.refusals import Outcomes, refusal_mistake

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


def compare_all(texts: Iterable[str], options: xgr.EngineOptions, rng: random.Random) -> Outcomes:
    """Every grammar that the engine takes, on one text; the others have to be empty for the twin too."""
    outcomes = Outcomes()
    for text in texts:
        error = None
        try:
            n_several = compare(xgr.GrammarCompiler(INFO, options=options).compile_grammar(text), text, rng)
            outcomes["ambiguous" if n_several else "unambiguous"] += 1
        except xgr.Xg2LabError as refusal:
            error = refusal
            outcomes["empty"] += 1
        mistake = refusal_mistake(parse_ebnf(text), options, error)
        assert mistake is None, f"{text}\n{mistake}"
    return outcomes


def compare(compiled: xgr.CompiledGrammar, text: str, rng: random.Random) -> int:
    """Every item of every column, on one text; how many items had several ways."""
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
    outcomes = compare_all(texts, options, rng)
    outcomes.require("ambiguous", 0.08)


@with_options
def test_ways_of_random_grammars(options: Any):
    rng = seeded("ways at random")
    texts = [write_ebnf((random_calls if rng.random() < 0.3 else random_grammar)(rng)) for _ in range(N_GRAMMARS // 2)]
    outcomes = compare_all(texts, options, rng)
    outcomes.require("ambiguous", 0.15)


@pytest.mark.parametrize(
    ("rule", "is_made_repetition"),
    [
        ('x ::= x x | "1"', True),
        ('x ::= x "1" x | x x | "1" | ""', True),
        ('x ::= x | y | "1"\ny ::= x x', False),
    ],
)
@with_options
def test_ways_where_there_are_many(rule: str, is_made_repetition: bool, options: xgr.EngineOptions):
    """Recursion on both sides has many ways, until a pass makes it a repetition, which has one."""
    (outcome,) = compare_all([f"root ::= x\n{rule}"], options, seeded("many"))
    has_one_way = is_made_repetition and options.right_recursion_to_repeat
    assert outcome == ("unambiguous" if has_one_way else "ambiguous")


def test_an_unambiguous_grammar_has_no_other_ways():
    matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(INFO).compile_builtin_json_grammar())
    assert matcher.accept_string('{"a": [1, 2.5, {"b": "ü"}], "c": null}')
    assert matcher.chart()["ways"] == {}
