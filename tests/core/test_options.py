"""Options are checked and made one of the types they are kept as, so that what is written can be read."""

import dataclasses
import pickle
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import xg2lab as xgr
from xg2lab.compiler import CompiledGrammar
from xg2lab.errors import ArgumentError, ArgumentTypeError

INFO = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
FIELDS = {field.name: field.default for field in dataclasses.fields(xgr.EngineOptions)}


def options(**values: Any) -> xgr.EngineOptions:
    return xgr.EngineOptions(**values)


TAKEN: list[tuple[dict[str, Any], Any]] = [
    ({"max_compile_seconds": 60}, 60.0),
    ({"max_compile_seconds": np.float32(1.5)}, 1.5),
    ({"max_compile_seconds": Decimal("2.5")}, 2.5),
    ({"max_stacks": np.int64(7)}, 7),
    ({"max_stacks": np.uint8(7)}, 7),
    ({"partial_jit_k": np.int16(3)}, 3),
    ({"partial_jit_k": "auto"}, "auto"),
    ({"parser": np.str_("pda")}, "pda"),
    ({"max_pool_bytes": -1}, -1),
    ({"repetition_threshold": 0}, 0),
    ({"tail_calls": False}, False),
]


@pytest.mark.parametrize(("given", "kept"), TAKEN)
def test_what_is_taken_is_kept_in_one_type_and_comes_back(given: dict[str, Any], kept: Any):
    (name,) = given
    made = options(**given)
    assert getattr(made, name) == kept
    assert type(getattr(made, name)) is type(kept)
    compiled = xgr.GrammarCompiler(INFO, options=made).compile_grammar('root ::= "a"')
    assert CompiledGrammar.deserialize_json(compiled.serialize_json(), INFO).options == made
    assert pickle.loads(pickle.dumps(compiled)).options == made


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("value", [None, [], "x", b"a", 1j, object(), float("nan"), float("inf"), 1 << 70, -2])
def test_nothing_else_is_taken(name: str, value: Any):
    with pytest.raises(ArgumentError, match=f"EngineOptions.{name} must be "):
        options(**{name: value})


@pytest.mark.parametrize("name", [name for name, default in FIELDS.items() if isinstance(default, bool)])
@pytest.mark.parametrize("value", [0, 1, 1.0, "true", np.True_])
def test_switches_are_true_or_false(name: str, value: Any):
    with pytest.raises(ArgumentTypeError, match=f"EngineOptions.{name} must be True or False, got"):
        options(**{name: value})


@pytest.mark.parametrize("name", [name for name, default in FIELDS.items() if not isinstance(default, bool)])
@pytest.mark.parametrize("value", [True, False, np.True_])
def test_truth_is_no_number(name: str, value: Any):
    with pytest.raises(ArgumentTypeError, match=f"EngineOptions.{name} must be "):
        options(**{name: value})


def test_the_words():
    for given, message in (
        ({"tail_calls": 1}, "EngineOptions.tail_calls must be True or False, got 1"),
        ({"max_stacks": 0}, "EngineOptions.max_stacks must be at least 1, got 0"),
        ({"max_stacks": 1.0}, "EngineOptions.max_stacks must be an int, got 1.0"),
        ({"max_stacks": 1 << 62}, "EngineOptions.max_stacks must be below 2**62, got an int, 4611686018427387904"),
        ({"max_pool_bytes": -2}, "EngineOptions.max_pool_bytes must be -1 (no limit) or more, got -2"),
        ({"parser": "lr"}, "EngineOptions.parser must be 'earley', 'pda' or 'operators', got 'lr'"),
        ({"partial_jit_k": "all"}, "EngineOptions.partial_jit_k must be 'auto' or an int, got 'all'"),
        ({"max_compile_seconds": 0}, "EngineOptions.max_compile_seconds must be above 0 and at most 1e+09, got 0.0"),
    ):
        with pytest.raises(ArgumentError) as caught:
            options(**given)
        assert str(caught.value) == message
