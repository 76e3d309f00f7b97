"""The pushdown automaton answers as Earley's parser and as its twin do, wherever it takes the grammar at all."""

import random
from functools import partial

import pytest

from tests.differential.test_engine_vs_twin import OPTIONS, Engine, check_walks
from tests.generators import (
    SHARE,
    exhaustive_grammars,
    seeded,
    write_ebnf,
)
from tests.masks import mask_disagreements
from xg2lab.reference.cfg import productions_of
from xg2lab.reference.ebnf import Grammar, parse_ebnf
from xg2lab.reference.pda import Pda, left_recursion

pytest.importorskip("xg2lab._core", reason="the engine is not built")
import dataclasses

import xg2lab as xgr
from tests.refusals import Outcomes, refusal_mistake
from xg2lab.errors import LimitError

N_GRAMMARS = round(400 * SHARE)
MAX_STACKS = 200  # of the twin: a walk ends where ambiguity makes it slow
PDA = {
    name: dataclasses.replace(options, parser="pda", repetition_threshold=threshold, max_stacks=5000)
    for name, options in OPTIONS.items()
    for threshold in [2 if name == "all-on" else 32]
}


def disagreement(
    grammar: Grammar, vocabulary: list[bytes], seed: int, options: xgr.EngineOptions, outcomes: Outcomes
) -> str | None:
    """Walk by tokens and rollbacks with all three; the first difference before there are too many stacks."""
    text, pieces = write_ebnf(grammar), [*vocabulary, b"</s>"]
    engines: list[Engine] = []
    for each in (dataclasses.replace(options, parser="earley"), options):
        error = None
        try:
            engines.append(Engine(text, pieces, len(vocabulary), each))
        except xgr.Xg2LabError as refusal:
            error = refusal
        if mistake := refusal_mistake(grammar, each, error):
            return f"{each.parser}: {mistake}"
        if error:
            outcomes["empty" if each.parser == "earley" else "left-recursive"] += 1
            return None
    try:
        found = difference(grammar, vocabulary, seed, *engines)
    except (LimitError, OverflowError):
        outcomes["too ambiguous"] += 1
        return None
    outcomes["walked"] += 1
    return found


def difference(grammar: Grammar, vocabulary: list[bytes], seed: int, earley: Engine, pda: Engine) -> str | None:
    rng = random.Random(seed)
    stop, pieces = len(vocabulary), [*vocabulary, b"</s>"]
    has_twin = not left_recursion(productions_of(grammar, loops_left=False))
    twin = Pda(grammar, max_stacks=20_000) if has_twin else None
    for _ in range(8):
        if twin and len(twin.stacks) > MAX_STACKS:
            twin = None
        expected = earley.mask()
        if (found := pda.mask()) != expected:
            return f"PDA allows {sorted(found)}, Earley {sorted(expected)}"
        if pda.matcher.is_completed() != earley.matcher.is_completed():
            return "is_completed differs"
        if twin:
            of_twin = {token for token, piece in enumerate(vocabulary) if piece and twin.can_follow(piece)}
            of_twin |= {stop} if twin.is_complete() else set()
            if of_twin != expected:
                return f"after {bytes(twin.data)!r}: the twin allows {sorted(of_twin)}, Earley {sorted(expected)}"
        if wrong := mask_disagreements(pda.matcher):
            return f"mask and accept_token differ on tokens {wrong}"
        allowed = sorted(expected - {stop})
        if pda.matcher.n_steps and (not allowed or rng.random() < 0.2):
            pda.matcher.rollback(1)
            earley.matcher.rollback(1)
            twin = None  # it counts bytes
        elif allowed:
            token = rng.choice(allowed)
            pda.matcher.accept_token(token)
            earley.matcher.accept_token(token)
            for byte in pieces[token] if twin else b"":
                twin.push(byte)
    return None


@pytest.mark.parametrize("name", PDA)
def test_random_grammars(name: str):
    n_walks = N_GRAMMARS // (1 if name == "all-on" else 4)
    outcomes = Outcomes()
    differs = partial(disagreement, options=PDA[name], outcomes=outcomes)
    check_walks(seeded(f"pda/{name}"), n_walks, [3, 12, 35], differs)
    outcomes.require("walked", 0.5)


def test_small_universe():
    rng = seeded("pda/universe")
    outcomes = Outcomes()
    for text in rng.sample(list(exhaustive_grammars(max_rules=2, max_operators=3)), N_GRAMMARS):
        vocabulary = [b"a", b"b", b"ab", b"ba", b"aab", b"bbb"]
        if found := disagreement(parse_ebnf(text), vocabulary, rng.randrange(10**9), PDA["all-on"], outcomes):
            pytest.fail(f"{text}\n{found}")
    outcomes.require("walked", 0.35)
