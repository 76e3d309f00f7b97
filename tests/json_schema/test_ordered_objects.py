"""Objects with many optional or counted properties in declared order: linear in size, and exact.

They are `AnyOrder(..., ordered=true)`; fewer are written out. Both must mean the same.
"""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

import xg2lab as xgr
from tests.generators import seeded

BYTES = [bytes([byte]) for byte in range(256)]


def schema_of(n: int, required: tuple[int, ...] = (), **bounds: Any) -> dict[str, Any]:
    kinds = ["boolean", "integer", "string"]
    return {
        "type": "object",
        "properties": {f"{'abc'[i % 3]}{i}": {"type": kinds[i % 3]} for i in range(n)},
        "required": [f"{'abc'[i % 3]}{i}" for i in required],
        "additionalProperties": False,
        **bounds,
    }


def value_of(name: str) -> Any:
    return {"a": True, "b": -12, "c": 'x, "y": {'}[name[0]]


def compiled_for(schema: dict[str, Any], tokens: list[bytes], parser: str = "earley") -> Any:
    info = xgr.TokenizerInfo([*tokens, b"</s>"], stop_token_ids=[len(tokens)])
    options = xgr.EngineOptions(parser=parser)
    return xgr.GrammarCompiler(info, options=options).compile_json_schema(json.dumps(schema), any_whitespace=False)


def is_member(compiled: Any, text: str) -> bool:
    matcher = xgr.GrammarMatcher(compiled)
    return matcher.accept_string(text) and matcher.is_completed()


def text_of(names: tuple[str, ...]) -> str:
    return json.dumps({name: value_of(name) for name in names})


@pytest.mark.parametrize(
    "bounds", [{}, {"minProperties": 2}, {"maxProperties": 3}, {"minProperties": 2, "maxProperties": 3}]
)
def test_every_choice_of_properties_in_every_order(bounds: dict[str, int]):
    """Five of eighteen, one of them required: what is accepted is what stands in order, within the bounds."""
    schema = schema_of(18, required=(15,), **bounds)
    names = list(schema["properties"])
    asked = [names[i] for i in (0, 3, 8, 15, 17)]
    compiled = compiled_for(schema, BYTES)
    assert "ordered=true" in str(compiled.grammar)
    low, high = bounds.get("minProperties", 0), bounds.get("maxProperties", 18)
    for n in range(len(asked) + 1):
        for chosen in itertools.permutations(asked, n):
            is_in_order = list(chosen) == sorted(chosen, key=names.index)
            expected = is_in_order and names[15] in chosen and low <= n <= high
            assert is_member(compiled, text_of(chosen)) == expected, chosen


@pytest.mark.parametrize("parser", ["earley", "pda", "operators"])
@pytest.mark.parametrize(
    "schema",
    [
        schema_of(20),
        schema_of(30, required=(4, 17), maxProperties=6),
        schema_of(16, required=(15,), minProperties=3),
        {**schema_of(15), "additionalProperties": {"type": "integer"}},
        {**schema_of(15, required=(2,)), "patternProperties": {"^x-": {"type": "boolean"}}, "minProperties": 2},
    ],
    ids=["optional", "at most", "at least", "others", "patterns"],
)
def test_masks_are_what_is_accepted(schema: dict[str, Any], parser: str):
    """At every state of a walk, for every token."""
    names = list(schema["properties"])
    pieces = [
        '", "',
        ': true, "',
        '12, "b',
        "true}",
        '"}',
        '{"',
        "x-",
        '": ',
        '"a0',
        '", "c',
        "a12",
        '"b1',
        "1, ",
        'x", "x-y',
    ]
    tokens = [*BYTES, *(piece.encode() for piece in pieces), *(f'"{name}": '.encode() for name in names[::2])]
    tokens += [f'{name}": true, "{other}'.encode() for name, other in itertools.pairwise(names[::3])]
    compiled = compiled_for(schema, tokens, parser)
    rng = seeded(f"ordered/{parser}/{sorted(schema)}")
    for _ in range(3):
        matcher = xgr.GrammarMatcher(compiled)
        for _ in range(25):
            allowed = set(matcher.allowed_tokens())
            for token in range(len(tokens)):
                is_accepted = matcher.accept_token(token)
                assert is_accepted == (token in allowed), (tokens[token], matcher)
                if is_accepted:
                    matcher.rollback(1)
            long = [token for token in allowed if token >= len(BYTES) and token < len(tokens)]
            choices = long if long and rng.random() < 0.7 else sorted(allowed - {len(tokens)})
            if not choices:
                break
            assert matcher.accept_token(rng.choice(choices))


def test_it_grows_with_the_properties_and_not_with_their_pairs():
    sizes = [compiled_for(schema_of(n), BYTES).n_states for n in (50, 100, 200)]
    assert sizes[2] - sizes[1] < 2.5 * (sizes[1] - sizes[0])
    assert compiled_for(schema_of(1000), BYTES).n_states < 25 * 1000
    assert compiled_for(schema_of(300, minProperties=20, maxProperties=200), BYTES).n_states < 25 * 300
