"""Members in any order mean what the twin's rules say, one for each set: masks, ends, forced text, at every step.

XG2LAB_SEED repeats a run; XG2LAB_SHARE=0.1 does a tenth of the usual samples.
"""

import dataclasses
import random
from functools import lru_cache
from typing import Any

import pytest

from tests.differential import test_rule_options
from tests.differential.test_engine_vs_twin import OPTIONS, kept_twin, walk_disagreement
from tests.generators import SHARE, mutate, random_any_order, random_member, random_vocabulary, seeded
from tests.refusals import Outcomes
from xg2lab.errors import LimitError
from xg2lab.reference.ebnf import Grammar, parse_ebnf
from xg2lab.reference.matcher import Matcher

pytest.importorskip("xg2lab._core", reason="the engine is not built")
import xg2lab as xgr

N_GRAMMARS = max(1, round(60 * SHARE))


def is_recursive(text: str) -> bool:
    """Members refer to `inner`, which holds them: no tree of operators stands for it (test_operators_parser.py)."""
    return "inner" in text.partition("inner ::=")[2]


@dataclasses.dataclass
class Sample:
    """A grammar, tokens, the seed of a walk, and the twin, which is asked the same for each parser."""

    text: str
    grammar: Grammar
    vocabulary: list[bytes]
    seed: int
    twin: Matcher


def sample(rng: random.Random, text: str) -> Sample:
    """A walk through the grammar of this text."""
    grammar = parse_ebnf(text)
    member = random_member(rng, grammar) or b"ab"
    vocabulary = random_vocabulary(rng, [member, mutate(rng, member)], n_tokens=rng.choice([3, 12, 35]))
    return Sample(text, grammar, vocabulary, rng.randrange(10**9), kept_twin(grammar, vocabulary))


def check(walk: Sample, name: str, parser: str, outcomes: Outcomes) -> None:
    """One walk, engine and twin side by side."""
    options = dataclasses.replace(OPTIONS[name], parser=parser)
    if parser == "operators" and is_recursive(walk.text):
        outcomes["recursive"] += 1
        return
    try:
        found = walk_disagreement(walk.grammar, walk.vocabulary, walk.seed, options, walk.text, walk.twin)
    except LimitError as error:
        assert parser != "earley", walk.text  # too many readings for a stack each
        assert "stacks are alive" in str(error), walk.text
        outcomes["too ambiguous"] += 1
        return
    outcomes["walked"] += 1
    shown = f"vocabulary {walk.vocabulary}\nwalk {walk.seed}, options {name}, {parser}"
    assert found is None, f"\n{walk.text}\n{found}\n{shown}"


@lru_cache(maxsize=1)
def random_samples(name: str) -> list[Sample]:
    """Random members in any order; the tests of the three parsers, one after the other, walk through the same."""
    rng = seeded(f"any_order/{name}")
    return [sample(rng, random_any_order(rng)) for _ in range(N_GRAMMARS)]


@pytest.mark.parametrize("parser", ["earley", "pda", "operators"])
@pytest.mark.parametrize("name", OPTIONS)
def test_random_members_in_any_order(name: str, parser: str):
    outcomes = Outcomes()
    for walk in random_samples(name):
        check(walk, name, parser, outcomes)
    outcomes.require("walked", 0.2 if parser == "operators" else 0.8)


@lru_cache(maxsize=1)
def samples_of_bounds(bounds: str, order: str) -> list[Sample]:
    """Each member with each mark: every combination that is possible, on one vocabulary; with a share, some of them."""
    rng = seeded(f"bounds/{bounds}/{order}")
    combinations = [a + b + c for a in "!?*+" for b in "!?*+" for c in "!?*+"]
    found: list[Sample] = []
    for marks in rng.sample(combinations, min(len(combinations), max(8, round(len(combinations) * SHARE)))):
        if bounds == ", max=2" and marks.count("!") + marks.count("+") > 2:
            continue
        members = ", ".join(name + mark.strip("!") for name, mark in zip("xyz", marks, strict=True))
        text = f'root ::= "<" AnyOrder({members}, sep=","{bounds}{order}) ">"   x ::= "a"   y ::= "ab"   z ::= [bc]'
        found.append(sample(rng, text))
    return found


@pytest.mark.parametrize("parser", ["earley", "pda", "operators"])
@pytest.mark.parametrize("order", ["", ", ordered=true"], ids=["any order", "ordered"])
@pytest.mark.parametrize("bounds", ["", ", min=2", ", max=2", ", min=2, max=3", ", max=3"])
def test_all_bounds_of_three_members(bounds: str, order: str, parser: str):
    outcomes = Outcomes()
    for walk in samples_of_bounds(bounds, order):
        check(walk, "all-on", parser, outcomes)
    outcomes.require("walked", 0.8)


@pytest.mark.filterwarnings("ignore:rules with different temperatures")
@pytest.mark.parametrize("name", [name for name in test_rule_options.CASES if "all-" in name])
def test_members_with_options(name: str):
    """Temperatures, captures and budgets, of members and of the whole."""
    rng = seeded(f"any_order options/{name}")
    outcomes = Outcomes()
    for _ in range(N_GRAMMARS):
        text = random_any_order(rng)
        if name.startswith("operators") and is_recursive(text):
            continue
        grammar = parse_ebnf(text)
        member = random_member(rng, grammar) or b"ab"
        vocabulary = random_vocabulary(rng, [member, mutate(rng, member)], n_tokens=rng.choice([3, 8, 20]))
        for rule in ("inner", "m0", "m1"):
            head = rng.choice(
                ["max_tokens=1", "max_tokens=2", "max_tokens=3, capture", "temperature=0.5, max_tokens=2"]
            )
            text = text.replace(f"{rule} ::=", f"{rule}[{head}] ::=")
        seed = rng.randrange(10**9)
        try:
            found = test_rule_options.disagreement(text, vocabulary, [member], seed, test_rule_options.CASES[name])
        except (LimitError, test_rule_options.TooAmbiguousError):
            outcomes["too ambiguous"] += 1
            continue
        outcomes["walked"] += 1
        assert found is None, f"{found}\n{text}\nvocabulary {vocabulary}\nwalk {seed}, options {name}"
    outcomes.require("walked", 0.5)


@pytest.mark.parametrize("parser", ["earley", "pda", "operators"])
def test_grammars_that_share_a_pool_have_masks_of_their_own(parser: Any):
    """Much is alike in these grammars, bounds and sets differ: entries of the pool must not be mistaken."""
    rng = seeded(f"any_order pool/{parser}")
    words = ["a", "b", "ab", ",", ", ", "a,", "b,a", "a,b", "<a", "a>", "é", "1", "1,", "(", ")", "),", "d;"]
    tokens = [word.encode() for word in words]
    vocabulary = [*tokens, b"</s>"]
    info = xgr.TokenizerInfo(vocabulary, stop_token_ids=[len(tokens)])
    shared, alone = (
        xgr.GrammarCompiler(info, options=xgr.EngineOptions(parser=parser, max_pool_bytes=n)) for n in (1 << 24, 0)
    )
    outcomes = Outcomes()
    for _ in range(N_GRAMMARS * 3):
        text = random_any_order(rng)
        if parser == "operators" and is_recursive(text):
            continue
        matchers = [xgr.GrammarMatcher(compiler.compile_grammar(text)) for compiler in (shared, alone)]
        try:
            for _ in range(8):
                allowed = matchers[0].allowed_tokens()
                assert allowed == matchers[1].allowed_tokens(), text
                if not (choices := [token for token in allowed if token < len(tokens)]):
                    break
                token = rng.choice(choices)
                assert all(matcher.accept_token(token) for matcher in matchers)
            outcomes["walked"] += 1
        except LimitError:
            assert parser != "earley", text
            outcomes["too ambiguous"] += 1
    outcomes.require("walked", 0.8)
