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
from xg2lab.reference.cfg import productions_of
from xg2lab.reference.ebnf import Grammar, parse_ebnf
from xg2lab.reference.pda import Pda, left_recursion

pytest.importorskip("xg2lab._core", reason="the engine is not built")
import dataclasses

import xg2lab as xgr
from xg2lab.errors import LimitError, UnsupportedError

N_GRAMMARS = round(400 * SHARE)
MAX_STACKS = 200  # of the twin: a walk ends where ambiguity makes it slow
PDA = {
    name: dataclasses.replace(options, parser="pda", repetition_threshold=threshold, max_stacks=5000)
    for name, options in OPTIONS.items()
    for threshold in [2 if name == "all-on" else 32]
}


def disagreement(grammar: Grammar, vocabulary: list[bytes], seed: int, options: xgr.EngineOptions) -> str | None:
    """Walk by tokens and rollbacks with all three; the first difference before there are too many stacks."""
    try:
        return difference(grammar, vocabulary, seed, options)
    except (LimitError, OverflowError):
        return None


def difference(grammar: Grammar, vocabulary: list[bytes], seed: int, options: xgr.EngineOptions) -> str | None:
    rng = random.Random(seed)
    stop = len(vocabulary)
    text, pieces = write_ebnf(grammar), [*vocabulary, b"</s>"]
    earley_options = dataclasses.replace(options, parser="earley")
    try:
        earley = Engine(text, pieces, stop, earley_options)
    except xgr.Xg2LabError:
        return None
    is_refused_by_twin = bool(left_recursion(productions_of(grammar, loops_left=False)))
    try:
        pda = Engine(text, pieces, stop, options)
    except UnsupportedError as error:
        return None if "left_recursion" in [d.code for d in error.diagnostics] else f"refused: {error}"
    twin = None if is_refused_by_twin else Pda(grammar, max_stacks=20_000)
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
        for token in range(len(pieces)):
            if (is_accepted := pda.matcher.accept_token(token)) != (token in expected):
                return f"mask and accept_token differ on token {token}"
            if is_accepted:
                pda.matcher.rollback(1)
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
    check_walks(seeded(f"pda/{name}"), n_walks, [3, 12, 35], partial(disagreement, options=PDA[name]))


def test_small_universe():
    rng = seeded("pda/universe")
    for text in rng.sample(list(exhaustive_grammars(max_rules=2, max_operators=3)), N_GRAMMARS):
        vocabulary = [b"a", b"b", b"ab", b"ba", b"aab", b"bbb"]
        if found := disagreement(parse_ebnf(text), vocabulary, rng.randrange(10**9), PDA["all-on"]):
            pytest.fail(f"{text}\n{found}")
