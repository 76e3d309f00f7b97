"""Random schemas with slots and random arguments: what is written out is the schema with the arguments put in.

Both grammars accept the same texts, and their masks agree along random walks.
"""

import json
import random
from typing import Any

import xg2lab as xgr
from tests.generators import SHARE, seeded
from xg2lab.errors import TemplateArgumentError, Xg2LabError
from xg2lab.reference.template import with_arguments

VALUES = [None, True, False, 0, 1, -2, 1.5, 1e-3, "", "a", 'b"', "é", "\\", "12", [], [1], ["a", None], {}, {"k": 1}]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"any_whitespace": False},
    {"any_whitespace": False, "indent": 2},
    {"strict_mode": False},
    {"number_form": "plain", "max_whitespace_cnt": 1},
]
TOKENS = [bytes([byte]) for byte in range(256)] + [
    b'"a',
    b'":',
    b'", "',
    b"[[",
    b"],",
    b"tru",
    b"null",
    b"\xc3\xa9",
    b"\n  ",
]
INFO = xgr.TokenizerInfo([*TOKENS, b"</s>"], stop_token_ids=[len(TOKENS)])
COMPILER = xgr.GrammarCompiler(INFO)


def random_schema(rng: random.Random, depth: int) -> dict[str, Any]:
    """A schema; the first letter of a slot's name is its kind."""

    def slot(kind: str) -> dict[str, str]:
        return {"$slot": f"{kind}{rng.randrange(3)}"}

    kind = rng.randrange(7 if depth else 3)
    if kind == 0:
        return {"const": slot("v")} | rng.choice([{}, {"title": "t"}, {"type": ["string", "integer", "null"]}])
    if kind == 1:
        return {"enum": slot("l")} | rng.choice([{}, {"type": ["boolean", "number", "string"]}, {"maxLength": 1}])
    if kind == 2:
        return rng.choice([{"type": "boolean"}, {"enum": ["x", 3]}, {"type": "string", "maxLength": 2}])
    if kind == 3:
        names = rng.sample(["p", "q", "r"], rng.randrange(1, 4))
        properties = {name: random_schema(rng, depth - 1) for name in names}
        required = rng.sample(names, rng.randrange(len(names) + 1))
        return {"type": "object", "properties": properties, "required": required}
    if kind == 4:
        return {"anyOf": [random_schema(rng, depth - 1) for _ in range(2)]}
    bounds = {
        "minItems": rng.choice([None, 1, slot("m"), slot("m")]),
        "maxItems": rng.choice([None, 4, slot("n"), slot("n")]),
    }
    sizes = {name: bound for name, bound in bounds.items() if bound is not None}
    return {"type": "array", "items": random_schema(rng, depth - 1), **sizes}


def random_arguments(rng: random.Random, template: xgr.Template) -> dict[str, Any]:
    return {
        slot.name: {
            "v": lambda: rng.choice(VALUES),
            "l": lambda: [rng.choice(VALUES) for _ in range(rng.randrange(1, 5))],
            "m": lambda: rng.randrange(3),
            "n": lambda: rng.randrange(1, 5),
        }[slot.name[0]]()
        for slot in template.slots
    }


def difference(rng: random.Random, written: xgr.Grammar, expected: xgr.Grammar) -> str | None:
    """The first text after which the two masks differ, on a few walks."""
    matchers = [xgr.GrammarMatcher(COMPILER.compile_grammar(grammar)) for grammar in (written, expected)]
    for _ in range(4):
        text = b""
        for _ in range(60):
            masks = [matcher.allowed_tokens() for matcher in matchers]
            if masks[0] != masks[1]:
                odd = [INFO.vocabulary.all_bytes()[token] for token in set(masks[0]) ^ set(masks[1])]
                return f"after {text!r}: {odd}"
            # whitespace would be most of the text
            going_on = [token for token in masks[0] if token < len(TOKENS) and TOKENS[token].strip()] or masks[0]
            token = rng.choice(going_on)
            if not all(matcher.accept_token(token) for matcher in matchers):
                return f"after {text!r}: token {token} is refused"
            if token == len(TOKENS):
                break
            text += TOKENS[token]
        for matcher in matchers:
            matcher.reset()
    return None


def test_random_schemas_with_slots():
    rng = seeded("schema templates")
    n_equal = n_slots = n_refused = 0
    n = int(300 * SHARE) + 20
    for _ in range(n):
        schema, options = random_schema(rng, 3), rng.choice(OPTIONS)
        shown = f"{json.dumps(schema)} {options}"
        template = xgr.Template.from_json_schema(schema, **options)
        arguments = random_arguments(rng, template)
        try:
            written = template.write_out(**arguments)
        except TemplateArgumentError as error:
            assert {found.code for found in error.diagnostics} <= {"bad_count", "wrong_argument"}, shown
            n_refused += 1
            continue
        except Xg2LabError as error:
            assert "never" in str(error) or "can't match" in str(error), f"{shown} {arguments}: {error}"
            continue
        assert not written.diagnostics, f"{shown} {arguments}: {written.diagnostics}"
        expected = xgr.Grammar.from_json_schema(with_arguments(schema, arguments), **options)
        found = difference(rng, written, expected)
        assert found is None, f"{found}\n{shown}\n{arguments}\n{written}\n{expected}"
        n_equal += 1
        n_slots += len(template.slots)
    assert n_equal > 0.3 * n
    assert n_slots > n_equal
    assert n_refused > 0
