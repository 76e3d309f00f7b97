"""Thresholds of the engine change the way to a mask and never the mask: mask == accept, whatever they are.

Users can't set a threshold; `_testing_costs` can, so that small grammars and vocabularies take every way.
XG2LAB_SEED repeats a run; XG2LAB_SHARE=0.1 does a tenth of it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, fields

import numpy as np
import pytest

from tests.differential.test_beside import random_texts, random_tokens
from tests.differential.test_plan import WAYS, all_facts
from tests.differential.test_repetition import random_counted
from tests.differential.test_words import random_program_grammar
from tests.generators import (
    SHARE,
    random_any_order,
    random_calls,
    random_grammar,
    random_member,
    random_vocabulary,
    seeded,
    write_ebnf,
)
from tests.refusals import Outcomes
from xg2lab.reference.ebnf import parse_ebnf
from xg2lab.reference.plan import Costs, plan

pytest.importorskip("xg2lab._core", reason="the engine is not built")
import xg2lab as xgr
from xg2lab import _core
from xg2lab.compiler import CompiledGrammar
from xg2lab.compiling.pool import shared_parts
from xg2lab.errors import ArgumentError, LimitError

N_GRAMMARS = max(8, round(150 * SHARE))
N_STEPS = 10
HUGE = 2**31 - 1
COSTS = _core.mask_costs()  # name: default, least
SWITCHES = [field.name for field in fields(xgr.EngineOptions) if field.default is True]
LETTERS = [bytes([byte]) for byte in b"abcde?!()+., "]


def compiled_with(text: str, info: xgr.TokenizerInfo, options: xgr.EngineOptions, **costs: int) -> CompiledGrammar:
    shared = shared_parts(info, options)
    made = _core.CompiledGrammar.compile(
        xgr.Grammar.from_ebnf(text), shared.token_sets, options, shared.mask_pool, _testing_costs=costs
    )
    return CompiledGrammar(made, info, shared, options)


# ---- What is drawn ----


def random_costs(rng: random.Random) -> dict[str, int]:
    """Some thresholds as they are, the others so low or so high that they always or never hold."""
    drawn: dict[str, int] = {}
    for name, (default, least) in COSTS.items():
        drawn[name] = rng.choice([default, default, least, 1, 2, HUGE])
    return drawn


def random_options(rng: random.Random) -> xgr.EngineOptions:
    off = dict.fromkeys((name for name in SWITCHES if rng.random() < 0.15), False)
    return xgr.EngineOptions(
        **off,  # type: ignore[arg-type]
        context_walks=rng.choice(["auto", "auto", "never", "always"]),
        parser=rng.choice(["earley", "earley", "earley", "pda"]),
        repetition_threshold=rng.choice([32, 3, 0]),
    )


def of_tuples(rng: random.Random) -> tuple[str, list[bytes]]:
    text = write_ebnf((random_calls if rng.random() < 0.3 else random_grammar)(rng))
    return text, random_vocabulary(rng, [random_member(rng, parse_ebnf(text)) or b"ab"])


def of_words(rng: random.Random) -> tuple[str, list[bytes]]:
    text = random_program_grammar(rng)
    member = random_member(rng, parse_ebnf(text), 25) or b"ae"
    return text, random_vocabulary(rng, [member, b"a e(e)"], n_tokens=60)


def of_counts(rng: random.Random) -> tuple[str, list[bytes]]:
    text = random_counted(rng)
    return text, random_vocabulary(rng, [b"aab;", "aé;b".encode()])


def of_members(rng: random.Random) -> tuple[str, list[bytes]]:
    text = random_any_order(rng)
    return text, random_vocabulary(rng, [random_member(rng, parse_ebnf(text)) or b"ab"])


def of_text(rng: random.Random) -> tuple[str, list[bytes]]:
    """Free text, as the root or called by rules that text may follow; sometimes of bounded length."""
    texts, names = random_texts(rng)
    if rng.random() < 0.3:
        texts = f"[^!?]{{{rng.randint(0, 2)},{rng.randint(3, 9)}}}"
    around = [
        'root ::= item "!"',
        'root ::= one | "(" two   one ::= item "!"   two ::= item "!" ")"',
        'root ::= item "!" root | item',
        'root ::= (item "," | "!")* "?"',
    ]
    return f"{rng.choice(around)}   item ::= {texts}", random_tokens(rng, names)


KINDS: dict[str, Callable[[random.Random], tuple[str, list[bytes]]]] = {
    "tuples": of_tuples,
    "words": of_words,
    "counts": of_counts,
    "members": of_members,
    "text": of_text,
}


# ---- mask == accept ----


def mask_of(matcher: xgr.GrammarMatcher, n_tokens: int) -> set[int]:
    bitmask = xgr.allocate_token_bitmask(1, n_tokens)
    matcher.fill_next_token_bitmask(bitmask)
    bits = np.unpackbits(np.ascontiguousarray(np.asarray(bitmask)[0]).view(np.uint8), bitorder="little")
    return set(np.flatnonzero(bits[:n_tokens]).tolist())


def accepted(matcher: xgr.GrammarMatcher, n_tokens: int) -> set[int]:
    """The mask by definition: the tokens that the matcher takes."""
    found: set[int] = set()
    for token in range(n_tokens):
        if matcher.accept_token(token):
            matcher.rollback(1)
            found.add(token)
    return found


def compare_along_a_text(compiled: CompiledGrammar, n_tokens: int, rng: random.Random) -> Counter[str]:
    """A mask is made before the steps by which it is judged, so no step prepares it; how masks were made."""
    ways: Counter[str] = Counter()
    matcher = xgr.GrammarMatcher(compiled)
    taken: list[int] = []
    for _ in range(N_STEPS):
        mask = mask_of(matcher, n_tokens)
        report = matcher.last_fill()
        assert report is not None
        ways[report["way"]] += 1
        expected = accepted(matcher, n_tokens)
        assert mask == expected, f"after the tokens {taken}, {mask ^ expected} differ"
        going_on = [token for token in mask if token != n_tokens - 1]
        if not going_on or rng.random() < 0.1:
            matcher.reset()
            taken.clear()
        else:
            taken.append(rng.choice(going_on))
            assert matcher.accept_token(taken[-1])
    return ways


@pytest.mark.parametrize("kind", KINDS)
def test_no_threshold_changes_a_mask(kind: str):
    rng = seeded(f"mask costs/{kind}")
    outcomes, ways = Outcomes(), Counter[str]()
    for _ in range(N_GRAMMARS // (3 if kind == "text" else 1)):
        text, tokens = KINDS[kind](rng)
        info = xgr.TokenizerInfo([*tokens, b"</s>"], stop_token_ids=[len(tokens)])
        options, costs = random_options(rng), random_costs(rng)
        try:
            compiled = compiled_with(text, info, options, **costs)
        except xgr.Xg2LabError:  # empty, or left-recursive: tests/differential/test_engine_vs_twin.py judges it
            outcomes["refused"] += 1
            continue
        try:
            ways += compare_along_a_text(compiled, len(tokens) + 1, rng)
        except LimitError:
            assert options.parser == "pda"  # more stacks than max_stacks
            outcomes["refused"] += 1
            continue
        except AssertionError as error:
            raise AssertionError(f"{error}\n{options}\n{costs}\n{text}\n{tokens}") from None
        outcomes["compared"] += 1
    print(outcomes, ways)
    outcomes.require("compared", 0.5)
    assert {"entries", "walk", "known"} <= set(ways)


# ---- The thresholds themselves ----


def test_thresholds_choose_the_way():
    info = xgr.TokenizerInfo([*LETTERS, b"</s>"], stop_token_ids=[len(LETTERS)])
    text = 'root ::= "a" root "b" | "c"'
    ways: list[str] = []
    for n_missing in (0, HUGE):
        compiled = compiled_with(text, info, xgr.EngineOptions(), least_missing_for_walk=n_missing)
        ways += compare_along_a_text(compiled, len(LETTERS) + 1, seeded("ways"))
    assert {"walk", "entries"} <= set(ways)


def test_the_plan_is_the_twins_at_any_threshold():
    rng = seeded("plan")
    names = [field.name for field in fields(Costs)]
    for facts in rng.sample(all_facts(), 500):
        ways = rng.choice(WAYS)
        costs = {name: rng.choice([0, 1, 5, HUGE]) for name in names}
        assert _core.plan_mask(asdict(facts), asdict(ways), costs) == plan(facts, ways, Costs(**costs))


def test_a_threshold_has_a_name_a_default_and_bounds():
    assert COSTS["least_missing_for_walk"] == (Costs().least_missing_for_walk, 0)
    assert {name for name, (_, least) in COSTS.items() if least == 1} == {
        name for name in COSTS if name.startswith("nodes_")
    }
    info = xgr.TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1])
    for costs, message in [
        ({"least_missing": 1}, "no threshold is named least_missing"),
        ({"most_uncertain": -1}, f"most_uncertain is -1; wanted 0 to {HUGE}"),
        ({"nodes_beside": 0}, f"nodes_beside is 0; wanted 1 to {HUGE}"),
        ({"nodes_beside": HUGE + 1}, f"nodes_beside is {HUGE + 1}; wanted 1 to {HUGE}"),
    ]:
        with pytest.raises(ArgumentError, match=message):
            compiled_with('root ::= "a"', info, xgr.EngineOptions(), **costs)
