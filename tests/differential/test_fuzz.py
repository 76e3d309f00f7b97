"""A long random walk: one grammar compiled under many options, masks compared at each step and held to accept_token.

Twins judge small grammars elsewhere; here the engine judges itself, far longer: what no switch may change is the
same for all of them. XG2LAB_FUZZ_STEPS=1000000 walks that many steps, XG2LAB_SEED repeats a run.
"""

from __future__ import annotations

import dataclasses
import os
import random
from typing import Any

import numpy as np
import pytest

import xg2lab as xgr
from tests.generators import (
    SHARE,
    mutate,
    random_any_order,
    random_grammar,
    random_heads,
    random_member,
    random_vocabulary,
    seeded,
    with_heads,
    with_token_edges,
    write_ebnf,
)
from tests.refusals import Outcomes
from xg2lab.errors import LimitError, UnsupportedError
from xg2lab.reference.ebnf import parse_ebnf

N_STEPS = int(os.environ.get("XG2LAB_FUZZ_STEPS") or 6_000 * SHARE)
SWITCHES = [field.name for field in dataclasses.fields(xgr.EngineOptions) if field.type in ("bool", bool)]
FEW_TOKENS = 6  # tried with accept_token, of those allowed and of those not


def random_options(rng: random.Random) -> xgr.EngineOptions:
    """Any combination of switches; limits so small that tables are left and pools evict now and then."""
    switches: dict[str, Any] = {name: rng.random() < 0.5 for name in SWITCHES}
    return xgr.EngineOptions(
        **switches,
        parser=rng.choice(["earley", "pda", "operators"]),
        context_walks=rng.choice(["auto", "never", "always"]),
        max_stacks=2000,
        repetition_threshold=rng.choice([0, 1, 2, 32]),
        partial_jit_k=rng.choice([0, 3, "auto", 1000]),
        max_configuration_bytes=rng.choice([1, 4096, 1 << 20, 96 << 20]),
        max_pool_bytes=rng.choice([-1, 0, 5000, 1 << 20]),
    )


def dispatch_grammar(rng: random.Random, text: str) -> str:
    """A grammar whose root watches free text for tags that open the rules of another."""
    tags = rng.sample(["<a", "<ab", "b<", "é", "aa", "<"], 2)
    loop, stop_eos = rng.random() < 0.5, rng.random() < 0.7
    stop = "" if stop_eos and rng.random() < 0.5 else ', stop_str=("0", "ba")'
    calls = ", ".join(f'("{tag}", inner)' for tag in tags)
    flags = f"loop_after_dispatch={str(loop).lower()}, stop_eos={str(stop_eos).lower()}"
    inner = text.replace("root", "inner")
    return f"root ::= TagDispatch({calls}, {flags}{stop})\n{inner}"


class Walker:
    """One matcher under one set of options."""

    def __init__(self, text: str, info: xgr.TokenizerInfo, options: xgr.EngineOptions) -> None:
        self.options = options
        self.matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info, options=options).compile_grammar(text))
        self.bitmask = xgr.allocate_token_bitmask(1, info.vocab_size)

    def mask(self) -> bytes:
        self.matcher.fill_next_token_bitmask(self.bitmask)
        return np.ascontiguousarray(np.asarray(self.bitmask)[0]).tobytes()


def compile_all(rng: random.Random, text: str, info: xgr.TokenizerInfo) -> list[Walker]:
    """The plain default, and some that take the grammar under other options. Empty if the grammar matches nothing."""
    try:
        walkers = [Walker(text, info, xgr.EngineOptions())]
    except xgr.Xg2LabError:
        return []
    for _ in range(rng.choice([1, 2, 3])):
        options = random_options(rng)
        try:
            walkers.append(Walker(text, info, options))
        except UnsupportedError as error:
            codes = [d.code for d in error.diagnostics]
            # What refers to itself at its end may be made a repetition, or not.
            refusals = {"pda": {"left_recursion"}, "operators": {"recursion"}}.get(options.parser, set[str]())
            assert set(codes) <= refusals or codes == ["not_regular"], error
            assert set(codes) <= refusals or not options.right_recursion_to_repeat, error
    return walkers


def walk(rng: random.Random, walkers: list[Walker], stop: int, members: list[bytes]) -> int:
    """Up to 30 steps by all at once. Returns how many were taken."""
    first = walkers[0].matcher
    for n in range(30):
        masks = [walker.mask() for walker in walkers]
        for walker, mask in zip(walkers, masks, strict=True):
            assert mask == masks[0], f"another mask under {walker.options}"
        allowed = np.flatnonzero(np.unpackbits(np.frombuffer(masks[0], np.uint8), bitorder="little")).tolist()
        assert len(allowed) == len(set(allowed) & set(range(stop + 1)))
        refused = sorted(set(range(stop + 1)) - set(allowed))
        chosen = rng.choice(walkers).matcher
        for tokens, is_allowed in ((allowed, True), (refused, False)):
            for token in rng.sample(tokens, min(FEW_TOKENS, len(tokens))):
                probe = chosen.fork()
                assert probe.accept_token(token) == is_allowed, f"token {token}: mask and accept differ"
        action = rng.random()
        n_back = rng.randint(1, max(1, first.n_steps))
        data = mutate(rng, rng.choice(members))[:5]
        token = int(rng.choice(allowed)) if allowed else stop
        for walker in walkers:
            matcher = walker.matcher
            if matcher is not first:
                assert matcher.is_completed() == (stop in allowed)
        if first.n_steps and (action < 0.15 or token == stop):
            for walker in walkers:
                walker.matcher.rollback(n_back)
        elif action < 0.25:
            taken = {walker.matcher.accept_string(data) for walker in walkers}
            assert len(taken) == 1, f"accept_string({data!r}) differs"
        elif action < 0.3:
            for walker in walkers:
                walker.matcher = walker.matcher.fork()
            first = walkers[0].matcher
        elif token == stop:
            return n
        else:
            for walker in walkers:
                assert walker.matcher.accept_token(token)
    return 30


def test_no_option_changes_a_mask():
    rng = seeded("fuzz")
    n_steps = n_compared = 0
    outcomes = Outcomes()
    while n_steps < N_STEPS:
        grammar = random_grammar(rng, max_rules=rng.choice([1, 2, 4, 6]))
        member = random_member(rng, grammar) or b"ab"
        members = [member, b"<a", b"b<ab"]
        has_dispatch = rng.random() < 0.25
        if has_dispatch:
            members += [b"<ab" + member, b"aa" + member]
        tokens = random_vocabulary(rng, [*members, mutate(rng, member)], n_tokens=rng.choice([5, 20, 60]))
        special: list[int] = []
        if rng.random() < 0.3:
            special = [token for token in range(len(tokens)) if rng.random() < 0.1]
            grammar = with_token_edges(rng, grammar, [token for token, data in enumerate(tokens) if data])
        text = dispatch_grammar(rng, write_ebnf(grammar)) if has_dispatch else write_ebnf(grammar, rng)
        if not has_dispatch and rng.random() < 0.3:
            text = with_heads(grammar, random_heads(rng, grammar))
        if not has_dispatch and not special and rng.random() < 0.2:
            text = random_any_order(rng)
            member = random_member(rng, parse_ebnf(text)) or b"ab"
            members = [member]
            tokens = random_vocabulary(rng, [member, mutate(rng, member)], n_tokens=rng.choice([5, 20, 60]))
            if rng.random() < 0.3:
                text = text.replace("m0 ::=", "m0[max_tokens=2] ::=").replace("inner ::=", "inner[max_tokens=3] ::=")
        info = xgr.TokenizerInfo([*tokens, b"</s>"], stop_token_ids=[len(tokens)], special_token_ids=special)
        walkers = compile_all(rng, text, info)
        outcome = "walked" if walkers else "refused"
        try:
            for _ in range(3 if walkers else 0):
                n_steps += walk(rng, walkers, len(tokens), members)
                for walker in walkers:
                    walker.matcher.reset()
        except LimitError as error:  # too many stacks: ambiguity is the automaton's limit, not a difference
            assert "stacks" in str(error)
            outcome = "too ambiguous"
        except AssertionError as error:
            options = [walker.options for walker in walkers]
            pytest.fail(f"{error}\ngrammar\n{text}\ntokens {tokens}\nspecial {special}\noptions {options}")
        outcomes[outcome] += 1
        n_compared += len(walkers)
    print(f"{n_steps} steps, {dict(outcomes)}, {n_compared} compilations, no difference")
    outcomes.require("walked", 0.7)
    assert n_compared > outcomes.total(), "too few grammars were taken by more than one set of options"
