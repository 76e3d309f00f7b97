"""Shared mask entries are the entries each grammar would have made: masks don't know whether there is a pool.

Pairs of grammars that share rules are walked with entries from a pool that others have filled, from one too small to
keep anything for long, and from one whose hashes all collide; the masks are compared with those of a grammar alone.
XG2LAB_SEED repeats a run; XG2LAB_FULL=1 makes twenty times as many.
"""

import os
import random
from typing import Any

import numpy as np
import pytest

import xg2lab as xgr
from tests.generators import LETTERS, mutate, random_expression, random_member, random_vocabulary, seeded, write_ebnf
from tests.masks import mask_disagreements
from tests.refusals import refusal_mistake
from xg2lab import _core
from xg2lab.compiler import CompiledGrammar, compile_with
from xg2lab.compiling.pool import SharedParts
from xg2lab.reference.ebnf import Expression, Grammar, parse_ebnf

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
        # Nearly shared is not shared: sometimes a repetition has other bounds.
        mine = {name: with_other_bounds(rng, body) for name, body in shared.items()} if rng.random() < 0.3 else shared
        grammar.rules |= {name: own if name == "own" else mine[name] for name in names}
        grammars.append(grammar)
    return grammars


def with_other_bounds(rng: random.Random, expression: Expression) -> Expression:
    """The same expression, the upper bounds of its repetitions one higher."""
    match expression:
        case ("repeat", part, least, int(most)):
            return "repeat", with_other_bounds(rng, part), least, most + 1
        case ("choice" | "seq" as kind, parts):
            return kind, tuple(with_other_bounds(rng, part) for part in parts)
        case _:
            return expression


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
    return row if kind < 0.7 else ("repeat", row, rng.randint(0, 1), rng.choice([None, 2, 3]))


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


def draw_options(rng: random.Random) -> dict[str, Any]:
    """Switches at random, most of them on; inlining mostly off, as it writes small rules away; counting on or off."""
    names = ("right_recursion_to_repeat", "literal_fusion", "determinize", "minimize", "tail_calls")
    return {name: rng.random() < 0.8 for name in names} | {
        "rule_inlining": rng.random() < 0.3,
        "repetition_threshold": rng.choice([0, 1, 2, 32]),
    }


def compile_all(
    texts: list[str], info: xgr.TokenizerInfo, shared: SharedParts, options: Any, events: _core.EventLog | None = None
) -> list[CompiledGrammar]:
    """The grammars that match something; the others are refused, with a pool and without."""
    compiled: list[CompiledGrammar] = []
    for text in texts:
        error = None
        try:
            compiled.append(compile_with(xgr.Grammar.from_ebnf(text), info, shared, options, events))
        except xgr.Xg2LabError as refusal:
            error = refusal
        assert (mistake := refusal_mistake(parse_ebnf(text), options, error)) is None, f"{text}\n{mistake}"
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
        assert hits["perfect"] > N_FAMILIES // 20
        assert hits["partial"] > N_FAMILIES // 6
    if kind in ("tiny", "none-fits"):
        assert hits["evictions"] > N_FAMILIES // 3


@pytest.mark.parametrize("threshold", [1, 32], ids=["counted", "written out"])
@pytest.mark.parametrize(
    "grammar",
    [
        'root ::= x "!" | "?" x\nx ::= "a" "b"{0,N} "c"',
        'root ::= x "!" | "?" x\nx ::= "a" "b"{N,9} "c"',
        'root ::= x y "!" | "?" x y\nx ::= "a"+\ny ::= "b"{0,N} "c"',
        'root ::= x y "!" | "?" x y\nx ::= "a"+ y?\ny ::= "b"{N,9} "c" x?',
    ],
    ids=["inside, at most", "inside, at least", "beyond, at most", "beyond and recursive"],
)
def test_other_bounds_are_another_structure(grammar: str, threshold: int):
    tokens = [b"a", b"b", b"c", b"!", b"?", *(b"a" + b"b" * n + end for n in range(1, 8) for end in (b"", b"c", b"c!"))]
    info = xgr.TokenizerInfo([*tokens, b"</s>"], stop_token_ids=[len(tokens)])
    options = xgr.EngineOptions(rule_inlining=False, repetition_threshold=threshold)
    token_sets = _core.TokenSets(info.vocabulary)
    shared = SharedParts(token_sets, _core.MaskPool(token_sets, max_bytes=-1))
    for n in (2, 3, 5, 2):
        compiled = compile_with(xgr.Grammar.from_ebnf(grammar.replace("N", str(n))), info, shared, options)
        for begin in ["", "?", "a", "ab"]:
            matcher = xgr.GrammarMatcher(compiled)
            assert matcher.accept_string(begin)
            assert mask_disagreements(matcher) == [], (n, begin)
    assert shared.mask_pool is not None
    assert shared.mask_pool.statistics()["n_perfect_hits"] > 0
