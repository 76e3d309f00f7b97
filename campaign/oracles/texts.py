"""Texts out of the engine's own masks, texts near them, and the engine's verdicts on texts and beginnings."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np

import xg2lab as xgr
from campaign.oracles.masks import drawn
from campaign.oracles.vocabularies import Flags, Words

__all__ = ["Verdicts", "near", "walked_texts"]

CHARACTERS = 'ab0 _-"\\\n\r\t\u2028\u0085é日😀K\x0b,.}{][:/1e+'


class Verdicts:
    """The engine on one grammar and one vocabulary."""

    def __init__(self, grammar: xgr.Grammar, words: Words) -> None:
        compiler = xgr.GrammarCompiler(words.info, cache_enabled=False)
        self.words = words
        self._matcher = xgr.GrammarMatcher(compiler.compile_grammar(grammar))
        self._bitmask = np.zeros((1, (len(words.tokens) + 31) // 32), np.int32)

    def accepts(self, data: bytes) -> bool:
        """Whether the text is in the language."""
        return self.begins(data) and self._matcher.is_completed()

    def begins(self, data: bytes) -> bool:
        """Whether a text of the language begins so."""
        self._matcher.reset()
        return self._matcher.accept_string(data)

    def mask(self) -> Flags:
        """The tokens that are allowed behind the text so far, without the stop tokens."""
        self._matcher.fill_next_token_bitmask(self._bitmask)
        bits = np.unpackbits(self._bitmask[0].view(np.uint8), bitorder="little")[: len(self.words.tokens)]
        found = bits.astype(bool)
        found[self.words.stops] = False
        return found

    def ended(
        self, begun: bytes, rng: random.Random, most_bytes: int = 200, *, eager: float = 0.5, closing: bytes = b""
    ) -> str | None:
        """A text that begins so and is in the language, by a walk through the masks; None if the walk is too long.

        Parameters
        ----------
        begun : bytes
        rng : random.Random
        most_bytes : int
        eager : float
            How often the walk ends where it may.
        closing : bytes
            A token that begins with one of these is taken more often, the longer the text.
        """
        if not self.begins(begun):
            return None
        text = begun
        while len(text) < most_bytes:
            if self._matcher.is_completed() and rng.random() < eager:
                break
            token = self._closer(closing, rng) if rng.random() < 0.2 + len(text) / most_bytes else None
            if token is None:
                token = drawn(self.mask(), self.words, rng)
            if token is None:
                break
            if not self._matcher.accept_token(token):
                raise AssertionError(f"token {token} is in the mask and not accepted after {text!r}")
            text += self.words.tokens[token]
        return text.decode() if self._matcher.is_completed() else None

    def _closer(self, closing: bytes, rng: random.Random) -> int | None:
        if not closing:
            return None
        ids = np.flatnonzero(self.mask())
        first = self.words.first_bytes(ids)
        for byte in rng.sample(closing, len(closing)):
            found = ids[first == byte]
            if len(found):
                return min(map(int, found), key=lambda i: len(self.words.tokens[i]))
        return None


def walked_texts(engine: Verdicts, rng: random.Random, n: int, most_characters: int) -> set[str]:
    """Up to `n` texts of the language, by walks through the masks."""
    found: set[str] = set()
    for _ in range(n):
        text = engine.ended(b"", rng, most_characters, eager=rng.choice([0.2, 0.5, 0.9]))
        if text is not None and len(text) <= most_characters:
            found.add(text)
    return found


def near(text: str, rng: random.Random) -> Iterator[str]:
    """Three texts that differ in one place, and one with something behind it."""
    for _ in range(3):
        i = rng.randrange(len(text) + 1)
        other = rng.choice(CHARACTERS)
        yield rng.choice([text[:i] + text[i + 1 :], text[:i] + other + text[i + 1 :], text[:i] + other + text[i:]])
    yield text + rng.choice(CHARACTERS)
