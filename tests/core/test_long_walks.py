"""Walks that meet most of the vocabulary: by a table of places, with and without homes, and from the column itself."""

from __future__ import annotations

import itertools
import json
import random
from typing import Any

import numpy as np
import pytest

import xg2lab as xgr
from tests.vocabularies import CWV_NAMES, cwv_info

WAYS = [
    xgr.EngineOptions(context_walks=walks, token_classes=classes)
    for walks, classes in itertools.product(("auto", "never", "always"), (True, False))
]


def of_pattern(pattern: str) -> dict[str, Any]:
    return {"type": "string", "pattern": pattern}


def keys(pattern: str, value: Any) -> dict[str, Any]:
    return {"type": "object", "patternProperties": {pattern: value}, "additionalProperties": False}


CASES: dict[str, tuple[dict[str, Any], Any]] = {
    # A home with many exits, which several walks come to.
    "few characters": ({"items": of_pattern("^[a-z0-9_]+$")}, ["abc_1", "x", "the_end9"]),
    # Words apart: the walk beside home meets nearly everything.
    "all but a word": ({"items": of_pattern("^(?!The)[A-Za-z ]*x[a-z]{2,4}$")}, ["is xab", "Ten xabcd"]),
    "anywhere": (of_pattern("[A-Fa-f0-9]{12}"), "some AABB 00112233445566 more"),
    # More than four entries with a pattern each are missing at once.
    "alternatives": (
        {"anyOf": [keys(f"^[a-z0-9]{{1,{n}}}$", {"const": n}) for n in range(2, 9)]},
        {"a1": 8, "abcdefgh": 8},
    ),
    # Conditions of more members than moves have kinds.
    "members": (
        {
            "properties": {f"key_{n}": {"type": "integer"} for n in range(150)},
            "patternProperties": {"^[xyz][a-z0-9_]*$": {"type": "boolean"}},
            "additionalProperties": False,
        },
        {"key_14": 2, "key_149": 1, "xa_1": True},
    ),
    # A string that is called from everywhere.
    "callers": (
        {"properties": {f"p{n}": {"properties": {"q": {"type": "string"}}, "required": ["q"]} for n in range(400)}},
        {"p3": {"q": ""}, "p17": {"q": 'it\'s "so", {here}'}},
    ),
}


@pytest.mark.parametrize("any_order", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_masks_are_what_is_accepted_whichever_way_they_are_walked_for(name: str, any_order: bool):
    schema, value = CASES[name]
    info = cwv_info(CWV_NAMES[0])
    matchers = [
        xgr.GrammarMatcher(
            xgr.GrammarCompiler(info, options=options).compile_json_schema(
                json.dumps(schema), any_order=any_order, strict_mode=False
            )
        )
        for options in WAYS
    ]
    masks = [np.zeros((1, (info.vocab_size + 31) // 32), np.int32) for _ in matchers]
    rng = random.Random(name)
    for token in info.encode_greedy(json.dumps(value)):
        for matcher, mask in zip(matchers, masks, strict=True):
            matcher.fill_next_token_bitmask(mask)
        for mask, options in zip(masks[1:], WAYS[1:], strict=True):
            assert (mask == masks[0]).all(), options
        allowed = np.unpackbits(masks[0].view(np.uint8), bitorder="little")
        asked = [token, *rng.sample(range(info.vocab_size), 20), *rng.sample(list(np.flatnonzero(allowed)), 1)]
        for other in map(int, asked):
            is_accepted = matchers[0].fork().accept_token(other)
            assert is_accepted == bool(allowed[other]), info.decoded_vocab[other]
        for matcher in matchers:
            assert matcher.accept_token(token), info.decoded_vocab[token]
    assert all(matcher.is_completed() for matcher in matchers)


def test_a_mask_of_many_missing_entries_makes_none():
    names = [f"r{n}" for n in range(7)]
    rules = [f'{name} ::= [a-z0-9_]+ ("(" {name} ")")? "!{name}"' for name in names]
    grammar = xgr.Grammar.from_ebnf(f'root ::= "[" ({" | ".join(names)}) "]"\n' + "\n".join(rules))
    info = cwv_info(CWV_NAMES[0])
    masks: dict[str, np.ndarray[Any, Any]] = {}
    n_built: dict[str, int] = {}
    for walks in ("auto", "never"):
        compiler = xgr.GrammarCompiler(info, options=xgr.EngineOptions(context_walks=walks))  # type: ignore[arg-type]
        matcher = xgr.GrammarMatcher(compiler.compile_grammar(grammar))
        assert matcher.accept_string("[ab")
        masks[walks] = np.zeros((1, (info.vocab_size + 31) // 32), np.int32)
        matcher.fill_next_token_bitmask(masks[walks])
        report = matcher.last_fill()
        assert report is not None
        n_built[walks] = report["n_built"]
    assert n_built == {"auto": 0, "never": 7}
    assert (masks["auto"] == masks["never"]).all()
