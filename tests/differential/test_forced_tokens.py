"""Forced tokens at random: the engine names the ids that the twin names, in every state of a walk.

Grammars of any shape get token edges, many of one id; the encoder spells a text in a way drawn at random, which may
have a special token in it. Looking for forced tokens leaves nothing behind: all else that a walk compares stays equal.

XG2LAB_SEED repeats a run; XG2LAB_FULL=1 draws twenty times as many, XG2LAB_SHARE=0.1 a tenth.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tests.differential.test_engine_vs_twin import follow, report
from tests.differential.test_token_edges import BOTH, N_GRAMMARS, TokenWalk
from tests.generators import mutate, random_grammar, random_member, random_vocabulary, seeded, with_token_edges
from xg2lab.errors import GrammarError, LimitError, UnsupportedError
from xg2lab.reference.ebnf import Expression, Grammar
from xg2lab.reference.forced_tokens import forced_tokens
from xg2lab.reference.token_sets import TokenSet

MOST_FORCED = 60  # the twin is slow, and may find no end

Encode = Callable[[str], list[int]]


class UnspellableError(Exception):
    """No tokens of the vocabulary make up a text."""


def random_encoder(vocabulary: list[bytes], special: set[int], seed: int) -> Encode:
    """An encoder that draws one of a text's spellings, always the same one; of special tokens only now and then."""

    def encode(text: str) -> list[int]:
        rng = random.Random(f"{seed}/{text}")
        data, dead = text.encode(), set[int]()
        allowed = [t for t, piece in enumerate(vocabulary) if piece and (t not in special or rng.random() < 0.3)]

        def spelled(begin: int) -> list[int] | None:
            if begin == len(data):
                return []
            fitting = [] if begin in dead else [t for t in allowed if data.startswith(vocabulary[t], begin)]
            for token in rng.sample(fitting, len(fitting)):
                if (rest := spelled(begin + len(vocabulary[token]))) is not None:
                    return [token, *rest]
            dead.add(begin)
            return None

        if (ids := spelled(0)) is None:
            raise UnspellableError(text)
        return ids

    return encode


def random_record(rng: random.Random, tokens: list[int], depth: int = 2) -> Expression:
    """Parts in turn, most of them forced: literals, token edges of one id, repetitions, and now and then a choice."""
    parts: list[Expression] = []
    for _ in range(rng.randint(2, 4)):
        kind = rng.random()
        if kind < 0.4:
            parts.append(("literal", rng.choice([b"a", b"ab", b"ba1", "\u00e9".encode(), b"bb"])))
        elif kind < 0.7:
            parts.append(("tokens", TokenSet(frozenset({rng.choice(tokens)}))))
        elif depth and kind < 0.85:
            parts.append(("repeat", random_record(rng, tokens, depth - 1), *rng.choice([(2, 2), (0, 1), (1, 2)])))
        elif depth:
            parts.append(("choice", tuple(random_record(rng, tokens, depth - 1) for _ in range(2))))
    return "seq", tuple(parts)


class ForcedWalk(TokenWalk):
    """A walk that compares the forced tokens too, in each state."""

    def __init__(self, encode: Encode, counts: Counter[str], *args: Any) -> None:
        super().__init__(*args)
        self.encode, self.counts = encode, counts

    def check(self) -> str | None:
        matcher, data = self.engine.matcher, bytes(self.twin.chart.data)
        for encode in (None, self.encode):
            n_steps = len(self.twin.steps)
            try:
                expected: list[int] | str = forced_tokens(self.twin, encode, MOST_FORCED)
            except UnspellableError as error:
                expected = str(error)
                self.twin.rollback(len(self.twin.steps) - n_steps)
            try:
                found: list[int] | str = matcher.find_forced_tokens(encode)
            except UnspellableError as error:
                found = str(error)
            if len(expected) >= MOST_FORCED and isinstance(found, list):  # without end
                found = found[: len(expected)]
            if found != expected:
                return f"after {data!r}: forced are {found}, by the twin {expected} (encode: {encode is not None})"
            self.counts[f"{'text' if encode else 'strict'} {min(len(found), 2) if expected else 0}"] += 1
            if isinstance(found, list):
                fork = matcher.fork()
                if not all(fork.accept_token(token) for token in found):
                    return f"after {data!r}: the forced tokens {found} are not accepted"
        return super().check()


@pytest.mark.parametrize("name", ["all-on", "all-off", "pda-all-on", "made-ahead"])
def test_forced_tokens_of_random_grammars(name: str):
    rng = seeded(f"forced-tokens/{name}")
    counts = Counter[str]()
    for i in range(N_GRAMMARS):
        grammar = random_grammar(rng, max_rules=3, max_depth=2)
        member = b"ab1ba" if i % 2 else random_member(rng, grammar) or b"ab"
        vocabulary = random_vocabulary(rng, [member, mutate(rng, member)], n_tokens=rng.choice([6, 12, 25]))
        special = {token for token in range(len(vocabulary)) if rng.random() < 0.2}
        usable = [token for token, data in enumerate(vocabulary) if data]
        if i % 2:
            grammar = Grammar("root", {"root": random_record(rng, usable)})
        else:
            grammar = with_token_edges(rng, grammar, usable, rng.choice([0.15, 0.4, 0.8]))
        seed = rng.randrange(10**9)
        encode = random_encoder(vocabulary, special, seed)

        def differs(
            candidate: Grammar,
            vocabulary: list[bytes] = vocabulary,
            special: set[int] = special,
            seed: int = seed,
            encode: Encode = encode,
        ) -> str | None:
            try:
                walk = ForcedWalk(encode, counts, candidate, vocabulary, BOTH[name], None, special)
                return follow(walk, candidate, seed)
            except (GrammarError, UnsupportedError, LimitError):  # no match, left recursion, too many stacks
                return None

        if differs(grammar):
            found = report(grammar, differs)
            pytest.fail(f"{found}\nvocabulary {vocabulary}\nspecial {special}\nwalk {seed}, options {name}")
    for kind in ("strict 1", "strict 2", "text 1", "text 2"):
        assert counts[kind] > N_GRAMMARS // 15, counts
