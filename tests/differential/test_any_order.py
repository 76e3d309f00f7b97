"""Members in any order mean what the twin's rules say, one for each set: masks, ends, forced text, at every step.

XG2LAB_SEED repeats a run; XG2LAB_SHARE=0.1 does a tenth of the usual samples.
"""

import dataclasses
import random

import pytest

from tests.differential.test_engine_vs_twin import OPTIONS, walk_disagreement
from tests.generators import SHARE, mutate, random_any_order, random_member, random_vocabulary, seeded
from xg2lab.reference.ebnf import parse_ebnf

pytest.importorskip("xg2lab._core", reason="the engine is not built")

N_GRAMMARS = max(1, round(60 * SHARE))


def check(rng: random.Random, text: str, name: str, parser: str) -> None:
    """One walk, engine and twin side by side."""
    grammar = parse_ebnf(text)
    member = random_member(rng, grammar) or b"ab"
    vocabulary = random_vocabulary(rng, [member, mutate(rng, member)], n_tokens=rng.choice([3, 12, 35]))
    seed = rng.randrange(10**9)
    options = dataclasses.replace(OPTIONS[name], parser=parser)
    found = walk_disagreement(grammar, vocabulary, seed, options, text)
    assert found is None, f"\n{text}\n{found}\nvocabulary {vocabulary}\nwalk {seed}, options {name}, {parser}"


@pytest.mark.parametrize("parser", ["earley", "pda"])
@pytest.mark.parametrize("name", OPTIONS)
def test_random_members_in_any_order(name: str, parser: str):
    rng = seeded(f"any_order/{name}/{parser}")
    for _ in range(N_GRAMMARS):
        check(rng, random_any_order(rng), name, parser)


@pytest.mark.parametrize("parser", ["earley", "pda"])
@pytest.mark.parametrize("bounds", ["", ", min=2", ", max=2", ", min=2, max=3", ", max=3"])
def test_all_bounds_of_three_members(bounds: str, parser: str):
    """Each member with each mark: every combination that is possible, on one vocabulary."""
    rng = seeded(f"bounds/{bounds}/{parser}")
    for marks in (a + b + c for a in "!?*+" for b in "!?*+" for c in "!?*+"):
        if bounds == ", max=2" and marks.count("!") + marks.count("+") > 2:
            continue
        members = ", ".join(name + mark.strip("!") for name, mark in zip("xyz", marks, strict=True))
        text = f'root ::= "<" AnyOrder({members}, sep=","{bounds}) ">"   x ::= "a"   y ::= "ab"   z ::= [bc]'
        check(rng, text, "all-on", parser)
