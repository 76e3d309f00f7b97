"""JSON text is read alike by the engine and by Python; what the engine leaves alone Python refuses in its own words."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from tests.generators import SHARE, seeded
from xg2lab import Grammar, InvalidJSONError, Xg2LabError
from xg2lab.support.json_text import read_json

TEXTS = [
    '{"type": "object", "properties": {"a": {"enum": [1, 2.50, -0, 1e400, "é", "\\u00e9", "\\ud83d\\ude00", null]}}}',
    '\t{ "const" : { "\\"" : [ ] , "\\\\\\/\\b\\f\\n\\r\\t" : { } } }\r\n',
    '{"enum": ["' + "x" * 41 + '", "' + "é" * 40 + '"], "description": "' + "long " * 30 + '"}',
    '{"enum": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]}',
    '{"enum": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}',
    '{"const": ' + "[" * 150 + "]" * 150 + "}",
    '{"const": ' + "[" * 300 + "]" * 300 + "}",
    "true",
    ' {"minimum": 0.10} ',
]
BROKEN = [
    "",
    " ",
    '{"a": 1, "a": 2}',
    '{"const": {' + ", ".join(f'"k{i % 11}": 1' for i in range(12)) + "}}",
    '{"const": 01}',
    '{"const": +1}',
    '{"const": 1.}',
    '{"const": .5}',
    '{"const": 1e}',
    '{"const": NaN}',
    '{"const": -Infinity}',
    '{"const": "\\x"}',
    '{"const": "\\u12g4"}',
    '{"const": "\\ud800"}',
    '{"const": "\\ude00\\ud83d"}',
    '{"const": "a\nb"}',
    '{"const": "a',
    '{"const": [1,]}',
    '{"const": {"a": 1,}}',
    '{"const": 1} x',
    "{'const': 1}",
    '{"const": tru}',
    '{"const" 1}',
    '{"const": 1,, "a": 2}',
    "{const: 1}",
]


def shown(schema: Any) -> str:
    """What a schema means, and how its source is written; or what is said of it."""
    try:
        grammar = Grammar.from_json_schema(schema)
    except Xg2LabError as error:
        return f"{type(error).__name__}: {error}"
    return f"{grammar}\n{grammar.source}\n{grammar.coverage}"


@pytest.mark.parametrize("text", TEXTS)
def test_text_is_read_as_python_reads_it(text: str):
    assert shown(text) == shown(read_json(text))


@pytest.mark.parametrize("text", BROKEN)
def test_what_is_no_json_is_refused_in_pythons_words(text: str):
    with pytest.raises(InvalidJSONError) as raised:
        Grammar.from_json_schema(text)
    with pytest.raises(InvalidJSONError) as expected:
        read_json(text)
    assert str(raised.value) == str(expected.value)
    assert raised.value.diagnostics[0].span == expected.value.diagnostics[0].span


def random_value(rng: random.Random, depth: int) -> Any:
    if depth == 0 or rng.random() < 0.3:
        letters = 'ab"\\/\n\té\u2028😀\x1f\x7f'
        word = "".join(rng.choice(letters) for _ in range(rng.choice([0, 1, 5, 45])))
        return rng.choice(
            [word, rng.randint(-(10**25), 10**25), rng.random() * 10.0 ** rng.randint(-30, 30), True, None]
        )
    if rng.random() < 0.5:
        return [random_value(rng, depth - 1) for _ in range(rng.choice([0, 1, 3, 14]))]
    return {
        f"k{rng.choice(letters_of_keys)}{i}": random_value(rng, depth - 1) for i in range(rng.choice([0, 1, 3, 12]))
    }


letters_of_keys = ["", '"', "é", "\n", "\\u0041"]


def test_random_values_and_random_damage():
    rng = seeded("json reader")
    for _ in range(round(300 * SHARE)):
        text = json.dumps(
            {"const": random_value(rng, 3)}, ensure_ascii=rng.random() < 0.5, indent=rng.choice([None, 1])
        )
        if rng.random() < 0.6:
            at = rng.randrange(len(text))
            text = (
                text[:at] + rng.choice(["", '"', "\\", "{", "]", ",", "1", "e", " ", "\x00", "\ud800"]) + text[at + 1 :]
            )
        try:
            values = read_json(text)
        except InvalidJSONError as error:
            assert shown(text) == f"InvalidJSONError: {error}", text
        else:
            assert shown(text) == shown(values), text
