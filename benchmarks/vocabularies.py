"""The guide's JSON grammar on vocabularies from 32,000 to 262,000 tokens: first mask, masks and accepts; the peers.

    python -m benchmarks vocabularies

The vocabularies are those of the tests' data folder. Text is cut into the longest token that fits, as the vocabularies
come without their merges: the same tokens for every engine. Special tokens are text to nobody.
"""

from __future__ import annotations

import pytest

from benchmarks import record, steps
from benchmarks.engines import engines
from benchmarks.texts import LongestMatch, Vocabulary, json_text, tokens_of
from tests.vocabularies import CWV_NAMES, read_cwv

SAME = ("vocabulary",)  # columns in which rows must agree to be compared (benchmarks/ahead.py)
GROWS = "n_vocabulary"  # the column over which figures may grow (benchmarks/scaling.py)
N_BYTES = 8_000
SPECIAL = b"\xff<special>"  # never valid UTF-8, so in no text


def read(name: str) -> Vocabulary:
    """A vocabulary of the data folder: its special tokens come to the end under names that no text has."""
    facts = read_cwv(name)
    special = set(facts.special) | set(facts.eos)
    text = [data for token, data in enumerate(facts.tokens) if token not in special]
    tokens = text + [SPECIAL + str(token).encode() for token in sorted(special)]
    return Vocabulary(name, tokens, len(text), len(text), LongestMatch(text))


def run() -> list[record.Figures]:
    rows: list[record.Figures] = []
    for name in sorted(CWV_NAMES, key=lambda name: int(name.rsplit("-", 1)[1])):
        try:
            words = read(name)
        except pytest.skip.Exception as reason:
            print(f"left out: {reason}")
            continue
        text = tokens_of(words, json_text(N_BYTES))
        for engine in engines(words):
            figures = steps.measure(engine, engine.compile, [text])
            rows.append({"engine": engine.name, "vocabulary": name, "n_vocabulary": len(words.tokens), **figures})
    return rows
