"""What is drawn at the leaves of a random member: a code point of a class, a text of a machine, free text.

>>> rng = random.Random(0)
>>> code_point(rng, ((0x61, 0x7A),)).islower()
True

Shapes and units: budgets count code points.
See also: `xg2lab.members`, which draws what is above the leaves.
"""

from __future__ import annotations

import random

from xg2lab.nodes import ByteMachine, Dispatch

__all__ = ["code_point", "how_many", "unwatched", "walk"]

FREE_TEXT = "abcdefghijklmnopqrstuvwxyz ABCXYZ0123456789.,:;!?<>[]{}()/'\"\n-_é你😀"
PRINTABLE = (0x20, 0x7E)


def how_many(rng: random.Random, most: int) -> int:
    """A number up to `most`: few as a rule, any now and then."""
    if rng.random() < 0.1:
        return rng.randint(0, most)
    n = 0
    while n < most and rng.random() < 0.6:
        n += 1
    return n


def code_point(rng: random.Random, ranges: tuple[tuple[int, int], ...]) -> str:
    """One of a class: mostly a printable letter of ASCII, if there is one; else each as likely as another."""
    plain = [(max(lo, PRINTABLE[0]), min(hi, PRINTABLE[1])) for lo, hi in ranges]
    plain = [(lo, hi) for lo, hi in plain if lo <= hi]
    among = plain if plain and rng.random() < 0.9 else list(ranges)
    at = rng.randrange(sum(hi - lo + 1 for lo, hi in among))
    for lo, hi in among:
        if at <= hi - lo:
            return chr(lo + at)
        at -= hi - lo + 1
    raise AssertionError("a draw is among its ranges")


def walk(rng: random.Random, machine: ByteMachine, budget: int) -> bytes:
    """From the machine's start to an end, at random as long as an end is within the budget."""
    out = bytearray()
    state = machine.start
    while True:
        ways: list[tuple[int, int, int]] = []
        for lo, hi, to in machine.edges[state]:
            cost = 0 if 0x80 <= lo < 0xC0 else 1
            if to in machine.distance and machine.distance[to] + cost <= budget:
                ways.append((lo, hi, to))
        if state in machine.accepting and (not ways or rng.random() < 0.3):
            return bytes(out)
        plain = [(max(lo, 0x20), min(hi, 0x7E), to) for lo, hi, to in ways if lo <= 0x7E and hi >= 0x20]
        lo, hi, state = rng.choice(plain if plain and rng.random() < 0.9 else ways)
        byte = rng.randint(lo, hi)
        budget -= 0 if 0x80 <= byte < 0xC0 else 1
        out.append(byte)


def unwatched(rng: random.Random, dispatch: Dispatch, most: int, word: str) -> str:
    """Free text in which nothing watched is read, nor with `word` behind it before the word's own end."""
    text = ""
    for _ in range(how_many(rng, most)):
        longer = text + rng.choice(FREE_TEXT)
        if dispatch.fires(longer) is None:
            text = longer
    while text and word and dispatch.first_fired(text + word, len(text)) != (word, len(text + word)):
        text = text[:-1]
    return text
