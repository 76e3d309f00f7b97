"""A schema whose $dynamicRefs depend on the way to them means what it means written out, value by value.

XG2LAB_SEED repeats a run; XG2LAB_SHARE=0.1 draws a tenth.
"""

import json
import random
from typing import Any

import pytest

from tests.generators import SHARE, seeded
from xg2lab.reference.dynamic_references import written_out
from xg2lab.reference.json_schema import is_valid

pytest.importorskip("xg2lab._core", reason="the engine is not built")
import xg2lab as xgr
from xg2lab.errors import GrammarError, LimitError

LEVELS = 3  # of values
N_SCHEMAS = round(600 * SHARE)
IDS = ["main", "b", "c", "d"]
NAMES = ["n", "m"]
LEAVES: list[Any] = [1, 2, "a", None, True]


def random_resources(rng: random.Random) -> list[dict[str, Any]]:
    """Resources that refer to each other, each with some of the anchors."""
    return [resource(rng, name) for name in IDS]


def resource(rng: random.Random, name: str) -> dict[str, Any]:
    anchors = NAMES if name == "d" else rng.sample(NAMES, rng.randint(0, 2))  # so that all words lead somewhere
    return {
        "$id": name,
        **body(rng, 0),
        "$defs": {
            anchor: {rng.choice(["$dynamicAnchor"] * 4 + ["$anchor"]): anchor, **body(rng, 1)} for anchor in anchors
        },
    }


def body(rng: random.Random, depth: int) -> dict[str, Any]:
    """Keywords without a bare anchor of their own: `d#n` leads somewhere from everywhere."""
    kinds = ["leaf", "properties", "items", "if", "reference", "anyOf"]
    match rng.choice(kinds if depth < 2 else kinds[:1]):
        case "properties":
            names = rng.sample(["p", "q"], rng.randint(1, 2))
            return {"type": "object", "properties": {name: place(rng, depth) for name in names}}
        case "items":
            return {"type": "array", "items": place(rng, depth)}
        case "if":
            return {"if": {"required": ["p"]}, "then": place(rng, depth), "else": place(rng, depth)}
        case "anyOf":
            return {"anyOf": [place(rng, depth), place(rng, depth)]}
        case "reference":
            return reference(rng)
        case _:
            return {"enum": rng.sample(LEAVES, 2)}


def place(rng: random.Random, depth: int) -> dict[str, Any]:
    return reference(rng) if rng.random() < 0.7 else body(rng, depth + 1)


def reference(rng: random.Random) -> dict[str, Any]:
    if rng.random() < 0.5:
        return {"$ref": rng.choice(IDS)}
    return {rng.choice(["$dynamicRef"] * 3 + ["$ref"]): f"d#{rng.choice(NAMES)}"}


def random_value(rng: random.Random, depth: int = 0) -> Any:
    kind = rng.randrange(4) if depth < LEVELS else 0
    if kind == 1:
        return [random_value(rng, depth + 1) for _ in range(rng.randint(0, 2))]
    if kind > 1:
        return {name: random_value(rng, depth + 1) for name in rng.sample(["p", "q"], rng.randint(0, 2))}
    return rng.choice(LEAVES)


def test_a_schema_means_what_it_means_written_out():
    info = xgr.TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1])
    compiler = xgr.GrammarCompiler(info, cache_enabled=False)
    n_compared = n_that_depend = n_valid = n_given_up = 0
    rng = seeded()
    for n in range(N_SCHEMAS):
        resources = random_resources(rng)
        main = {**resources[0], "$defs": {**resources[0]["$defs"], **{r["$id"]: r for r in resources[1:]}}}
        try:
            matcher = xgr.GrammarMatcher(compiler.compile_json_schema(main, strict_mode=False))
        except LimitError:  # sets of schemas that hold at once are many where all refer to each other
            n_given_up += 1
            continue
        except GrammarError as error:  # a circle, or nothing is allowed
            assert {d.code for d in error.diagnostics} <= {"circular_reference", "schema_allows_nothing"}, n
            continue
        # As it is, and as if each $dynamicRef were a $ref: does anything hang on the way?
        plain = json.loads(json.dumps(resources).replace("$dynamicRef", "$ref"))
        try:
            meaning, plain_meaning = (written_out(of[0], of, LEVELS) for of in (resources, plain))
        except RecursionError:  # a circle where no value leads
            continue
        n_that_depend += meaning != plain_meaning
        for _ in range(40):
            value = random_value(rng)
            matcher.reset()
            is_accepted = matcher.accept_string(json.dumps(value)) and matcher.is_completed()
            assert is_accepted == is_valid(meaning, value), (main, value)
            n_valid += is_accepted
            n_compared += 1
    assert n_given_up <= 1 + 0.01 * N_SCHEMAS
    assert n_compared > 5 * N_SCHEMAS
    assert n_that_depend > 0.03 * N_SCHEMAS
    assert n_valid > 0.5 * N_SCHEMAS
