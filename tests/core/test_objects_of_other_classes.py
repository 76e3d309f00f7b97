"""Behind a constructor's back: another class for an object, a copy of it, a second beginning, or none at all."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import xg2lab as xgr
from tests.hostile import Good
from tests.hostile_values import CLASSES
from xg2lab import _core
from xg2lab.errors import ArgumentTypeError, Xg2LabError

GOOD = Good()
#: Of each class of the engine that has objects, how one is made.
MADE = {
    type(value): make
    for name, make in GOOD.by_type.items()
    if name != "Bits" and type(value := make()) in CLASSES  # Bits holds functions alone
}
BOUND = sorted(MADE, key=lambda kind: kind.__name__)


def named(kind: type) -> str:
    return kind.__name__


@pytest.mark.parametrize("kind", BOUND, ids=named)
def test_an_object_keeps_its_class(kind: type):
    value: Any = MADE[kind]()
    for other in [*CLASSES, xgr.CompiledGrammar, object, type("Own", (kind,), {"__slots__": ()})]:
        with pytest.raises(ArgumentTypeError, match="the class of an object of the engine can't be changed"):
            value.__class__ = other
        assert type(value) is value.__class__ is kind
    assert isinstance(value, kind)
    repr(value)


def test_so_do_objects_of_classes_made_from_ours():
    own = type("Own", (_core.Grammar,), {"__slots__": ()})
    other = type("Other", (_core.GrammarMatcher,), {"__slots__": ()})
    value: Any = GOOD.compiled  # a class in Python with an engine's below it
    for kind in (other, own, _core.Grammar):
        with pytest.raises(ArgumentTypeError):
            value.__class__ = kind
    assert value.__class__ is xgr.CompiledGrammar


@pytest.mark.parametrize("kind", BOUND, ids=named)
def test_copies_are_whole_or_refused(kind: type):
    for again in (
        copy.copy,
        copy.deepcopy,
        *(lambda value, n=n: pickle.loads(pickle.dumps(value, n)) for n in range(6)),
        *(lambda value, n=n: value.__reduce_ex__(n)[0](*value.__reduce_ex__(n)[1]) for n in range(6)),
    ):
        value: Any = MADE[kind]()
        try:
            made = again(value)
        except (TypeError, pickle.PicklingError):
            continue
        assert type(made) is kind
        if _core._is_made(made):  # pyright: ignore[reportPrivateUsage]
            repr(made)
        else:  # what is to be filled by __setstate__
            with pytest.raises((TypeError, Xg2LabError)):
                made.memory_size_bytes  # noqa: B018


@pytest.mark.parametrize("kind", CLASSES, ids=named)
def test_no_object_comes_about_without_its_constructor(kind: type):
    with pytest.raises(TypeError):
        object.__new__(kind)
    own: Any = type("Own", (kind,), {"__init__": lambda *_: None})
    with pytest.raises(TypeError):
        own()


def test_a_second_beginning_changes_nothing():
    grammar = xgr.Grammar.from_ebnf('root ::= "b"')
    matcher: Any = GOOD.matcher()
    before = (matcher.n_steps, matcher.allowed_tokens())
    matcher.__init__(GOOD.compiler.compile_grammar(grammar))
    assert (matcher.n_steps, matcher.allowed_tokens()) == before
    matcher.__init__(None)
    assert (matcher.n_steps, matcher.allowed_tokens()) == before


def test_a_constructor_that_raises_half_way_leaves_no_object():
    kept: list[Any] = []

    class Own(_core.Grammar):
        def __init__(self) -> None:
            kept.append(self)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Own()
    with pytest.raises(TypeError, match="is not initialized"):
        str(kept[0].rules)
