"""A table of steps that an oracle fills as far as it is needed: what every oracle of prefixes looks like to the walk.

>>> class EvenZeros(Automaton):
...     def follow(self, state, byte_class):
...         if byte_class == 1: return DEAD
...         return self.number(("even", "odd")[state == START], is_end=state != START)
>>> oracle = EvenZeros(classes_of([(48, 48)]))
>>> _ = oracle.number("even", is_end=True)
>>> oracle.after(oracle.start, b"000") == oracle.after(oracle.start, b"0"), oracle.after(oracle.start, b"01")
(True, 0)

Shapes and units: a state is an int, 0 is dead; `table[state, byte_class]` is the state behind it, -1 if nobody has
asked yet. Bytes that the oracle never tells apart have one class.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["DEAD", "START", "Automaton", "ByteClasses", "TooLargeError", "classes_of"]

DEAD, START, _UNKNOWN = 0, 1, -1


class TooLargeError(Exception):
    """The oracle needs more states or items than it may have: the case is left out, and counted."""


class ByteClasses(Protocol):
    """`of[byte]` is a class; `members[byte_class]` is one of its bytes."""

    of: npt.NDArray[np.uint8]
    members: list[int]


class _Classes:
    def __init__(self, of: npt.NDArray[np.uint8], members: list[int]) -> None:
        self.of, self.members = of, members


def classes_of(ranges: Iterable[tuple[int, int]]) -> ByteClasses:
    """The coarsest classes of bytes that no range divides.

    >>> classes_of([(48, 57), (50, 50)]).members
    [0, 48, 50]
    """
    signatures: list[list[int]] = [[] for _ in range(256)]
    for i, (low, high) in enumerate(sorted(set(ranges))):
        for byte in range(low, high + 1):
            signatures[byte].append(i)
    numbers: dict[tuple[int, ...], int] = {}
    members: list[int] = []
    of = np.zeros(256, np.uint8)
    for byte, signature in enumerate(map(tuple, signatures)):
        if signature not in numbers:
            numbers[signature] = len(members)
            members.append(byte)
        of[byte] = numbers[signature]
    return _Classes(of, members)


class Automaton:
    """States with numbers, and what is known of the steps between them. A subclass says how to `follow` a step."""

    def __init__(self, classes: ByteClasses, most_states: int = 20_000) -> None:
        self.classes = classes
        self.most_states = most_states
        self.start = START
        self.table = np.full((64, len(classes.members)), _UNKNOWN, np.int32)
        self.table[DEAD] = DEAD
        self._ends = [False]
        self._numbers: dict[Hashable, int] = {}

    @property
    def n_states(self) -> int:
        """How many states the oracle has come through, the dead one left out."""
        return len(self._ends) - 1

    def follow(self, state: int, byte_class: int) -> int:
        """The state behind a step that nobody has asked for yet; `DEAD` if no text goes on so."""
        raise NotImplementedError

    def number(self, key: Hashable, *, is_end: bool) -> int:
        """The number of the state with this key: its own, or a new one."""
        if key in self._numbers:
            return self._numbers[key]
        if len(self._ends) > self.most_states:
            raise TooLargeError(f"more than {self.most_states} states")
        number = self._numbers[key] = len(self._ends)
        self._ends.append(is_end)
        if number >= len(self.table):
            more = np.full_like(self.table, _UNKNOWN)
            self.table = np.concatenate([self.table, more])
        return number

    def is_end(self, state: int) -> bool:
        """Whether the text so far is complete."""
        return self._ends[state]

    def after(self, state: int, data: bytes) -> int:
        """The state behind these bytes."""
        for byte in data:
            byte_class = int(self.classes.of[byte])
            self._fill(state, byte_class)
            state = int(self.table[state, byte_class])
        return state

    def steps(self, states: npt.NDArray[np.int32], data: npt.NDArray[np.uint8]) -> npt.NDArray[np.int32]:
        """The states behind one byte each."""
        byte_classes = self.classes.of[data]
        found = self.table[states, byte_classes]
        if (unknown := found == _UNKNOWN).any():
            n_classes = len(self.classes.members)
            for pair in np.unique(states[unknown].astype(np.int64) * n_classes + byte_classes[unknown]):
                self._fill(*map(int, divmod(pair, n_classes)))
            found = self.table[states, byte_classes]
        return found

    def _fill(self, state: int, byte_class: int) -> None:
        if self.table[state, byte_class] == _UNKNOWN:
            behind = self.follow(state, byte_class)
            self.table[state, byte_class] = behind
