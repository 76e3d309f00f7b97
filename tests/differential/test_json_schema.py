"""A schema's grammar accepts the values that are valid by definition, and no others; or the schema is refused by name.

XG2LAB_SEED repeats a run; XG2LAB_FULL=1 draws twenty times as many, XG2LAB_SHARE=0.1 a tenth.
"""

import json
import random
from typing import Any

import pytest

from tests.generators import SHARE, seeded
from xg2lab.reference.json_schema import is_valid

pytest.importorskip("xg2lab._core", reason="the engine is not built")
import xg2lab as xgr
from xg2lab.errors import GrammarError, LimitError, UnsupportedError

N_SCHEMAS = round(1200 * SHARE)
N_VALUES = 60
NAMES = ["a", "b", "ab", "x1", "é"]
TEXTS = ["", "a", "b", "ab", "ba", "aab", "x1", "é", '"']
NUMBERS = [0, 1, 2, 3, 4, 6, -1, -3, 0.5, 1.5, 2.5, 10, 12, 100]
PATTERNS = ["a", "^a", "b$", "^[ab]*$", "^x", "[0-9]", "^.$"]


def random_schema(rng: random.Random, depth: int = 0) -> Any:
    """A schema of a few keywords, some of which clash."""
    if depth > 2 or rng.random() < 0.1:
        return rng.choice(
            [
                True,
                False,
                {},
                {"type": "string"},
                {"type": "integer"},
                {"const": rng.choice(NUMBERS)},
                {"enum": ["a", 1, None]},
            ]
        )
    schema: dict[str, Any] = {}

    def sub() -> Any:
        return random_schema(rng, depth + 1)

    if rng.random() < 0.7:
        types = ["null", "boolean", "number", "integer", "string", "array", "object"]
        schema["type"] = rng.choice([rng.choice(types), rng.sample(types, 2)])
    for _ in range(rng.choice([0, 1, 1, 2, 3])):
        match rng.randrange(22):
            case 0:
                schema["enum"] = rng.sample([*NUMBERS, *TEXTS, None, True, [1], {"a": 1}, []], rng.randint(1, 4))
            case 1:
                schema["const"] = rng.choice([*NUMBERS, *TEXTS, [1, "a"], {"a": 1, "b": []}])
            case 2:
                schema[rng.choice(["minimum", "exclusiveMinimum"])] = rng.choice(NUMBERS)
            case 3:
                schema[rng.choice(["maximum", "exclusiveMaximum"])] = rng.choice(NUMBERS)
            case 4:
                schema["multipleOf"] = rng.choice([1, 2, 3, 0.5, 1.5])
            case 5:
                schema["minLength"] = rng.randint(0, 3)
            case 6:
                schema["maxLength"] = rng.randint(0, 3)
            case 7:
                schema["pattern"] = rng.choice(PATTERNS)
            case 8:
                schema["items"] = sub()
            case 9:
                schema["prefixItems"] = [sub() for _ in range(rng.randint(1, 2))]
            case 10:
                schema[rng.choice(["minItems", "maxItems"])] = rng.randint(0, 3)
            case 11:
                schema["contains"] = sub()
                if rng.random() < 0.5:
                    schema[rng.choice(["minContains", "maxContains"])] = rng.randint(0, 2)
            case 12:
                schema["properties"] = {name: sub() for name in rng.sample(NAMES, rng.randint(1, 3))}
            case 13:
                schema["required"] = rng.sample(NAMES, rng.randint(1, 2))
            case 14:
                schema["additionalProperties"] = sub()
            case 15:
                schema["patternProperties"] = {rng.choice(PATTERNS): sub()}
            case 16:
                schema["propertyNames"] = rng.choice(
                    [{"pattern": rng.choice(PATTERNS)}, {"maxLength": 1}, {"enum": ["a", "b"]}]
                )
            case 17:
                schema[rng.choice(["minProperties", "maxProperties"])] = rng.randint(0, 3)
            case 18:
                schema["not"] = sub()
            case 19:
                schema[rng.choice(["allOf", "anyOf", "oneOf"])] = [sub() for _ in range(rng.randint(1, 3))]
            case 20:
                schema |= {"if": sub(), "then": sub(), "else": sub()}
            case _:
                schema["dependentRequired"] = {rng.choice(NAMES): [rng.choice(NAMES)]}
    return schema


def random_value(rng: random.Random, depth: int = 0) -> Any:
    kind = rng.randrange(4 if depth > 2 else 8)
    match kind:
        case 0:
            return rng.choice([None, True, False])
        case 1:
            return rng.choice(NUMBERS)
        case 2 | 3:
            return rng.choice(TEXTS)
        case 4 | 5:
            return [random_value(rng, depth + 1) for _ in range(rng.choice([0, 1, 2, 2, 3]))]
        case _:
            return {name: random_value(rng, depth + 1) for name in rng.sample(NAMES, rng.choice([0, 1, 2, 2, 3]))}


def accepts(matcher: xgr.GrammarMatcher, value: Any, *, ascii_only: bool) -> bool:
    matcher.reset()
    return matcher.accept_string(json.dumps(value, ensure_ascii=ascii_only)) and matcher.is_completed()


def test_random_schemas():
    rng = seeded("json-schema")
    info = xgr.TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1])
    compiler = xgr.GrammarCompiler(info, cache_enabled=False)
    n_kept = 0
    for _ in range(N_SCHEMAS):
        schema = random_schema(rng)
        values = [random_value(rng) for _ in range(N_VALUES)]
        valid = [is_valid(schema, value) for value in values]
        try:
            matcher = xgr.GrammarMatcher(compiler.compile_json_schema(schema, strict_mode=False))
        except GrammarError as error:
            assert [d.code for d in error.diagnostics] == ["schema_allows_nothing"], (schema, str(error))
            assert not any(valid), f"refused as empty: {json.dumps(schema)} allows {values[valid.index(True)]!r}"
            continue
        except (UnsupportedError, LimitError):
            continue
        n_kept += 1
        for value, is_right in zip(values, valid, strict=True):
            got = accepts(matcher, value, ascii_only=rng.random() < 0.5)
            assert got == is_right, f"{json.dumps(schema)}\nvalue {json.dumps(value)}: valid {is_right}, accepted {got}"
    assert n_kept > 0.75 * N_SCHEMAS, f"only {n_kept} of {N_SCHEMAS} schemas were kept"
