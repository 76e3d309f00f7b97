"""Values that nobody should pass: each made anew, as a call may change it.

See tests/hostile.py, which passes them.
"""

from __future__ import annotations

# pyright: reportPrivateUsage=false
import collections
import decimal
import fractions
import io
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import xg2lab as xgr
from xg2lab import _core
from xg2lab.support.json_text import NumberText


class HostileError(ValueError):
    """What hostile objects raise: it may come out of a call."""


class Raising:
    """Every question is answered by an exception."""

    def __index__(self) -> int:
        raise HostileError

    def __len__(self) -> int:
        raise HostileError

    def __iter__(self) -> Iterator[Any]:
        raise HostileError

    def __getitem__(self, _: object) -> Any:
        raise HostileError

    def __bool__(self) -> bool:
        raise HostileError

    def __str__(self) -> str:
        raise HostileError

    __repr__ = __str__
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, _: object) -> bool:
        raise HostileError


class Lying:
    """Says that it is a grammar, of negative length, with names of half a surrogate pair."""

    @property
    def __class__(self) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return _core.Grammar

    def __len__(self) -> int:
        return -1  # noqa: PLE0303

    def __repr__(self) -> str:
        return "\ud800"


class BadDecimal(decimal.Decimal):
    """A number whose text is none."""

    def __str__(self) -> str:
        return ""


class Index:
    """An integer by protocol alone."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


def nested(depth: int) -> list[Any]:
    """A list in a list in a list."""
    made: list[Any] = []
    for _ in range(depth):
        made = [made]
    return made


def containing_itself() -> list[Any]:
    made: list[Any] = [1]
    made.append(made)
    return made


def closed_file() -> io.BytesIO:
    file = io.BytesIO()
    file.close()
    return file


def released() -> memoryview:
    view = memoryview(b"abc")
    view.release()
    return view


def read_only() -> np.ndarray:
    array = np.zeros((2, 1), np.int32)
    array.flags.writeable = False
    return array


def object_of(type_: Any) -> Any:
    return type_.__new__(type_)


def made_of(*types_: type) -> Iterator[Callable[[], Any]]:
    """Objects of these classes whose __init__ was never called."""
    for type_ in types_:
        yield lambda type_=type_: object_of(type_)


INTEGERS = [-(1 << 63) - 1, -(1 << 63), -(1 << 31), -1, 0, 1, 31, 32, 255, 1 << 16, (1 << 31) - 1, 1 << 31]
LARGE = [(1 << 32) - 1, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, 1 << 64, 10**40]
TEXTS = ["", "\0", "a\0b", "\ud800", "\u202e", "é", "a" * 70_000, "[" * 3000, "{", "0", "1e999999999", "-", "root", "("]
ARRAYS: list[Callable[[], Any]] = [
    lambda: np.zeros((2, 1), np.int32),
    lambda: np.zeros((2, 1), np.int64),
    lambda: np.zeros((2, 1), np.float32),
    lambda: np.zeros((2, 1), bool),
    lambda: np.zeros((2, 1), ">i4"),
    lambda: np.array([[None]]),
    lambda: np.array(5, np.int32),
    lambda: np.zeros(0, np.int32),
    lambda: np.zeros((0, 4), np.int32),
    lambda: np.zeros((4, 0), np.int32),
    lambda: np.zeros((2, 2, 2), np.int32),
    lambda: np.zeros((3, 4), np.int32)[:, ::2],
    lambda: np.zeros((4, 2), np.int32)[::-1],
    lambda: np.zeros((3, 4), np.int32).T,
    lambda: np.broadcast_to(np.zeros(1, np.int32), (3, 1)),
    lambda: np.lib.stride_tricks.as_strided(np.zeros(8, np.int32), (3, 4), (4, 4)),
    lambda: np.lib.stride_tricks.as_strided(np.zeros(8, np.int32), (3, 4), (0, 4)),
    lambda: np.frombuffer(bytearray(9), np.uint8)[1:].view(np.int32),
    lambda: np.zeros(2, [("a", np.int32)]),
    lambda: np.zeros(2, "V0"),
    lambda: np.zeros((1, 1), np.int32).view(np.matrix),
    lambda: np.ma.masked_array(np.zeros((1, 1), np.int32)),
    lambda: np.array([-1, 0, 99], np.int64),
    lambda: np.array([1, 1, 1], np.int64),
    read_only,
]
CLASSES = [value for value in vars(_core).values() if isinstance(value, type)]
OTHERS: list[Callable[[], Any]] = [
    *(lambda value=value: value for value in (None, True, False, ..., NotImplemented, object(), int, len, sys)),
    *(lambda value=value: value for value in (0.5, float("nan"), float("inf"), -0.0, 1e308, 1j)),
    *(lambda value=value: value for value in (b"", b"\0\xff", b"a" * 70_000, bytearray(b"a"))),
    *(lambda value=value: value for value in (np.int64(-1), np.uint64(2**64 - 1), np.float32("nan"), np.bool_(1))),
    *(lambda value=value: value for value in (decimal.Decimal("NaN"), decimal.Decimal("1e99999"), BadDecimal(1))),
    *(lambda value=value: value for value in (fractions.Fraction(1, 3), NumberText("a"), NumberText(""), Index(1))),
    *(lambda value=value: value for value in (Index(1 << 70), Raising(), Lying(), range(5), slice(None))),
    *(lambda value=value: [value] for value in (None, 0, -1, "a", b"a", 1.5, [], {}, 1 << 70, Raising(), "\ud800")),
    *(lambda value=value: {"a": value} for value in (None, 0, "a", [], {}, Raising(), float("nan"))),
    *(lambda value=value: {value: 1} for value in (None, 0, "\ud800", b"a", "")),
    list, dict, set, tuple, released, closed_file, containing_itself, lambda: nested(10_000), lambda: nested(3),
    lambda: (i for i in range(3)), lambda: iter([]), lambda: map(str, [1]), lambda: lambda *_, **__: None,
    lambda: [*range(3000)], lambda: types.SimpleNamespace(parser="pda"), lambda: collections.UserList([1]),
    lambda: [None] * 3, lambda: Path("a"), lambda: xgr.GrammarMatcher,
]  # fmt: skip
HOSTILE: list[Callable[[], Any]] = [
    *(lambda value=value: value for value in [*INTEGERS, *LARGE, *TEXTS]),
    *ARRAYS,
    *OTHERS,
    *made_of(*CLASSES, xgr.CompiledGrammar),
    *(lambda make=make: [make()] for make in made_of(*CLASSES)),
]
