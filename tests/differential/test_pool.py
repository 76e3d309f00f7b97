"""Shared mask entries are the entries each grammar would have made: masks don't know whether there is a pool.

Pairs of grammars that share rules are walked with entries from a pool that others have filled, from one too small to
keep anything for long, and from one whose hashes all collide; the masks are compared with those of a grammar alone.
XG2LAB_SEED repeats a run; XG2LAB_FULL=1 makes twenty times as many.
"""

import contextlib
import os
import random
from typing import Any

import numpy as np
import pytest

import xg2lab as xgr
from tests.generators import LETTERS, mutate, random_expression, random_member, random_vocabulary, seeded, write_ebnf
from xg2lab import _core
from xg2lab.compiler import CompiledGrammar
from xg2lab.pool import SharedParts
from xg2lab.reference.ebnf import Expression, Grammar

N_FAMILIES = 60 * (20 if os.environ.get("XG2LAB_FULL") == "1" else 1)
SHARED = ["x", "y", "z"]
POOLS: dict[str, dict[str, Any]] = {
    "roomy": {"max_bytes": 1 << 24},
    "no-limit": {"max_bytes": -1},
    "tiny": {"max_bytes": 6000},
    "none-fits": {"max_bytes": 0},
    "collisions": {"max_bytes": -1, "_testing_weak_hashes": True},
}


def family(rng: random.Random) -> list[Grammar]:
    """Grammars with three rules in common, called by roots (and one more rule) of their own."""
    shared = {name: random_expression(rng, SHARED, 2, LETTERS) for name in SHARED}
    grammars: list[Grammar] = []
    for _ in range(rng.randint(2, 4)):
        grammar = Grammar("root")
        grammar.rules["root"] = callers_of(rng, [*SHARED, *SHARED, "own"])
        own = callers_of(rng, [*SHARED, *SHARED, "root"])
        # A new order of rules, and so another numbering of states.
        names = rng.sample(["own", *SHARED], 4)
        grammar.rules |= {name: own if name == "own" else shared[name] for name in names}
        grammars.append(grammar)
    return grammars


def callers_of(rng: random.Random, names: list[str]) -> Expression:
    """Rules in a row with letters around them; sometimes repeated, sometimes a choice of two rows."""
    parts: list[Expression] = []
    for _ in range(rng.randint(1, 3)):
        parts.append(("rule", rng.choice(names)))
        parts.append(("literal", rng.choice(["", *LETTERS]).encode()))
    row: Expression = ("seq", tuple(parts))
    kind = rng.random()
    if kind < 0.3:
        return "choice", (row, random_expression(rng, names, 1, LETTERS))
    return row if kind < 0.7 else ("repeat", row, rng.randint(0, 1), None)


def masks_of(compiled: CompiledGrammar, seed: int, n_steps: int = 10) -> list[bytes]:
    """The masks of a walk that is drawn from the seed and the masks alone."""
    rng = random.Random(seed)
    matcher = xgr.GrammarMatcher(compiled)
    bitmask = xgr.allocate_token_bitmask(1, compiled.tokenizer_info.vocab_size)
    stop = compiled.tokenizer_info.stop_token_ids[0]
    seen: list[bytes] = []
    for _ in range(n_steps):
        matcher.fill_next_token_bitmask(bitmask)
        words = np.ascontiguousarray(np.asarray(bitmask)[0])
        seen.append(words.tobytes())
        allowed = np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little"))
        token = int(rng.choice(allowed)) if len(allowed) else stop
        if token == stop:
            matcher.reset()
        else:
            assert matcher.accept_token(token)
    return seen


def draw_options(rng: random.Random) -> dict[str, bool]:
    """Switches at random, most of them on; inlining mostly off, as it writes small rules away."""
    names = ("right_recursion_to_repeat", "literal_fusion", "determinize", "minimize", "tail_calls")
    return {name: rng.random() < 0.8 for name in names} | {"rule_inlining": rng.random() < 0.3}


def compile_all(texts: list[str], info: xgr.TokenizerInfo, shared: SharedParts, options: Any) -> list[CompiledGrammar]:
    """The grammars that match something; the others are refused, with a pool and without."""
    compiled: list[CompiledGrammar] = []
    for text in texts:
        with contextlib.suppress(xgr.Xg2LabError):
            compiled.append(CompiledGrammar(xgr.Grammar.from_ebnf(text), info, shared, options))
    return compiled


@pytest.mark.parametrize("kind", POOLS)
def test_masks_do_not_know_of_the_pool(kind: str):
    rng = seeded(f"pool/{kind}")
    hits = {"perfect": 0, "partial": 0, "evictions": 0}
    for _ in range(N_FAMILIES):
        grammars = family(rng)
        texts = [write_ebnf(grammar) for grammar in grammars]
        members = [random_member(rng, grammar) or b"ab" for grammar in grammars]
        tokens = random_vocabulary(rng, [*members, mutate(rng, members[0])], n_tokens=rng.choice([20, 60]))
        info = xgr.TokenizerInfo([*tokens, b"</s>"], stop_token_ids=[len(tokens)])
        options = draw_options(rng)
        token_sets = _core.TokenSets(info.vocabulary)
        pool = _core.MaskPool(token_sets, **POOLS[kind])
        alone = compile_all(
            texts, info, SharedParts(token_sets), xgr.EngineOptions(**options, cross_grammar_cache=False)
        )
        shared = compile_all(texts, info, SharedParts(token_sets, pool), xgr.EngineOptions(**options))
        assert len(alone) == len(shared)
        seeds = [rng.randrange(10**9) for _ in range(2)]
        for seed in seeds:
            for one, other in zip(alone, shared, strict=True):
                assert masks_of(one, seed) == masks_of(other, seed), (
                    f"walk {seed}, {options}, tokens {tokens}, grammar\n{one.grammar}\nof\n" + "\n\n".join(texts)
                )
        figures = pool.statistics()
        assert POOLS[kind]["max_bytes"] < 0 or figures["size_bytes"] <= POOLS[kind]["max_bytes"]
        hits["perfect"] += figures["n_perfect_hits"]
        hits["partial"] += figures["n_partial_hits"]
        hits["evictions"] += figures["n_evictions"]
    print(hits)
    # The comparison means something only where entries were shared.
    if kind in ("roomy", "no-limit"):
        assert hits["perfect"] > N_FAMILIES // 4
        assert hits["partial"] > N_FAMILIES // 4
    if kind in ("tiny", "none-fits"):
        assert hits["evictions"] > N_FAMILIES
