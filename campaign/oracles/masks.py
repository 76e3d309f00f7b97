"""A walk by lot through the engine's masks, each of them held against an oracle's verdict on every token.

The walk takes tokens that the mask allows. Mostly the first byte is drawn before the token: else a state within
free text would lead to nothing but more text. The engine accepts each token, and the oracle follows it.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

import xg2lab as xgr
from campaign.oracles.automaton import DEAD, Automaton, TooLargeError
from campaign.oracles.vocabularies import Flags, Words

__all__ = ["Compared", "Difference", "compare_masks", "drawn"]


@dataclass(frozen=True)
class Difference:
    """One token at one state on which engine and oracle differ; `token` is None where it is the end of the text."""

    before: bytes
    token: bytes | None
    is_allowed: bool  # by the engine
    n_tokens: int = 1  # how many tokens differ at this state in the same direction


@dataclass
class Compared:
    """What was compared, and what differed: at most two differences for each state."""

    counts: Counter[str] = field(default_factory=Counter[str])
    differences: list[Difference] = field(default_factory=list[Difference])


def compare_masks(
    compiled: xgr.CompiledGrammar,
    words: Words,
    oracle: Automaton,
    rng: random.Random,
    *,
    n_states: int = 24,
    n_deep: int = 14,
    is_within: bool = False,
) -> Compared:
    """Compares masks at `n_states` states, on walks of at most `n_deep` tokens.

    Parameters
    ----------
    compiled : CompiledGrammar
        On the vocabulary `words`.
    words : Words
    oracle : Automaton
        What should be allowed.
    rng : random.Random
    n_states, n_deep : int
    is_within : bool
        Whether the engine may forbid what the oracle allows.

    Returns
    -------
    Compared
        Counts: `states` and `pairs` (of a state and a token) of states that differ for the oracle, `states_again`,
        `differences`, `cut_short` where the oracle gave up.
    """
    done = Compared()
    n = len(words.tokens)
    bitmask = np.zeros((1, (n + 31) // 32), np.int32)
    matcher = xgr.GrammarMatcher(compiled)
    state, text, depth = oracle.start, b"", 0
    seen: set[int] = set()
    for _ in range(n_states * 2):
        matcher.fill_next_token_bitmask(bitmask)
        mask = np.unpackbits(bitmask[0].view(np.uint8), bitorder="little")[:n].astype(bool)
        try:
            right = words.allowed(oracle, state)
        except TooLargeError:
            done.counts["cut_short"] += 1
            break
        if state not in seen:
            done.counts.update(states=1, pairs=n)
        elif text:
            done.counts.update(states_again=1)
        seen.add(state)
        wrong = mask & ~right if is_within else mask != right
        if wrong.any():
            found = list(_differences(mask, wrong, words, text))
            done.differences += found
            done.counts["differences"] += len(found)
        right[words.stops] = False
        token = drawn(mask & right, words, rng)
        if token is None or depth >= n_deep:
            if not text or len(seen) >= n_states:
                break
            matcher.reset()
            state, text, depth = oracle.start, b"", 0
            n_deep = rng.randint(1, 14)
            continue
        if not matcher.accept_token(token):
            done.differences.append(Difference(text, words.tokens[token], is_allowed=False))
            break
        text += words.tokens[token]
        state = oracle.after(state, words.tokens[token])
        depth += 1
        if state == DEAD:
            raise AssertionError("a token that the oracle allows leads nowhere")
    return done


def drawn(allowed: Flags, words: Words, rng: random.Random) -> int | None:
    """A token by lot: of all, or first its first byte; short ones more often. None if nothing is allowed."""
    ids: npt.NDArray[np.int64] = np.flatnonzero(allowed)
    if not len(ids):
        return None
    if rng.random() < 0.6:
        first = words.first_bytes(ids)
        ids = ids[first == rng.choice(np.unique(first))]
    some = [int(ids[rng.randrange(len(ids))]) for _ in range(rng.choice([1, 1, 3]))]
    return min(some, key=lambda i: len(words.tokens[i]))


def _differences(mask: Flags, wrong: Flags, words: Words, text: bytes) -> list[Difference]:
    """The shortest token of each direction."""
    found: list[Difference] = []
    for is_allowed in (True, False):
        ids = np.flatnonzero(wrong & (mask == is_allowed))
        if len(ids):
            shortest = min(map(int, ids), key=lambda i: (len(words.tokens[i]), words.tokens[i]))
            token = None if shortest in words.stops else words.tokens[shortest]
            found.append(Difference(text, token, is_allowed, len(ids)))
    return found
