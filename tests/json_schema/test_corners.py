"""Taken, or refused with a place and what to do: long patterns with lengths, many variants, the format `regex`."""

from __future__ import annotations

import re
from typing import Any

import pytest

import xg2lab as xgr
from tests.generators import SHARE, seeded
from xg2lab.errors import LimitError, UnsupportedError

INFO = xgr.TokenizerInfo([bytes([byte]) for byte in range(256)] + [b"</s>"], stop_token_ids=[256])
COMPILER = xgr.GrammarCompiler(INFO, options=xgr.EngineOptions(max_compile_seconds=1e6, max_work_bytes=1 << 40))


def compiled(schema: Any, **options: Any) -> xgr.CompiledGrammar:
    return COMPILER.compile_json_schema(schema, strict_mode=False, **options)


def accepted(grammar: xgr.CompiledGrammar, text: str) -> bool:
    matcher = xgr.GrammarMatcher(grammar, terminate_without_stop_token=True)
    return matcher.accept_string(text) and matcher.is_completed()


# ---- Patterns and lengths ----

NAME = r"[a-z0-9!#$%&'*+/=?^_`{|}~-]+"
LABEL = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
LONG = {
    "address": (rf"^{NAME}(\.{NAME})*@({LABEL}\.)+{LABEL}$", 6, 254),
    "url": (r"^https?://[a-z0-9.-]+(\.[a-z0-9.-]+)+[a-z0-9\-._~:/?#\[\]@!$&'()*+,;=.]+$", 12, 2048),
    "host": (r"^([a-z]{1,63}\.){1,8}[a-z]{2,63}$", 4, 253),
    "password": (r"^(?=.*[A-Z])(?=.*[0-9])(?=.*[!@#]).*$", 8, 128),
    "somewhere": ("foo|bar", 100, 3000),
    "words": ("^[A-Za-z]+( [A-Za-z]+)*$", 1, 5000),
}
PIECES = {
    "address": ["a", ".", "@", "b.co", "x-1", "'"],
    "url": ["http://", "https://", "a.b", ".", "/x", "?q=1", " "],
    "host": ["a", ".", "bc", "x" * 40],
    "password": ["A", "1", "!", "aa", "zzzz"],
    "somewhere": ["foo", "bar", "x" * 20, "fo"],
    "words": ["a", " ", "Word", "x" * 30],
}
# A text of each that fits, and one that its pattern refuses: lots seldom draw both.
EXAMPLES = {
    "address": ("a@b.co", "aaa.b.co"),
    "url": ("https://a.b.co/x", "https:/a.b.co/x"),
    "host": ("a.bc", "a.b1"),
    "password": ("zzzz!aA1", "zzzz!aaA"),
    "somewhere": ("x" * 97 + "foo", "x" * 97 + "fob"),
    "words": ("Word a", "Word  a"),
}


@pytest.mark.parametrize("name", LONG)
def test_a_long_pattern_with_lengths_is_both(name: str):
    """By Python's `re` and `len`, on texts about the shortest and the longest."""
    pattern, least, most = LONG[name]
    grammar = compiled({"type": "string", "pattern": pattern, "minLength": least, "maxLength": most})
    rng = seeded(f"long patterns {name}")
    for text, fits in zip(EXAMPLES[name], (True, False), strict=True):
        assert (least <= len(text) <= most and re.search(pattern, text) is not None) == fits
        assert accepted(grammar, f'"{text}"') == fits
    for _ in range(round(200 * SHARE)):
        target = rng.choice([rng.randint(0, 30), least + rng.randint(-2, 3), most + rng.randint(-2, 3)])
        text = ""
        while len(text) < target:
            text += rng.choice(PIECES[name])
        for made in (text, text[: max(target, 0)]):
            fits = least <= len(made) <= most and re.search(pattern, made) is not None
            assert accepted(grammar, f'"{made}"') == fits, made


# ---- Objects in many variants ----


def variants(n: int) -> list[dict[str, Any]]:
    return [
        {
            "type": "object",
            "properties": {"kind": {"const": f"v{i}"}, "x": {"type": "integer", "minimum": i}},
            "required": ["kind", "x"],
            "additionalProperties": False,
        }
        for i in range(n)
    ]


@pytest.mark.parametrize("keyword", ["oneOf", "anyOf"])
def test_hundreds_of_variants_that_a_constant_tells_apart(keyword: str):
    grammar = compiled({keyword: variants(300)})
    for text, is_one in (
        ('{"kind": "v3", "x": 3}', True),
        ('{"x": 299, "kind": "v299"}', True),
        ('{"kind": "v9", "x": 8}', False),
        ('{"kind": "v300", "x": 999}', False),
    ):
        assert accepted(grammar, text) == is_one, text


def if_then(n: int) -> dict[str, Any]:
    def one(i: int) -> dict[str, Any]:
        asked = {"properties": {f"k{i}": {"const": 1}}, "required": [f"k{i}"]}
        return {"if": asked, "then": {"required": [f"x{i}"]}}

    return {"allOf": [one(i) for i in range(n)]}


def dependent(n: int) -> dict[str, Any]:
    return {"type": "object", "dependentRequired": {f"k{i}": [f"x{i}"] for i in range(n)}}


@pytest.mark.parametrize("make", [if_then, dependent])
def test_a_thousand_variants_of_conditions(make: Any):
    grammar = compiled(make(10))
    for text, is_one in (
        ('{"k3": 1, "x3": 2}', True),
        ('{"x7": 0, "k7": 1, "x2": 1, "k2": 1}', True),
        ('{"k3": 1}', False),
        ('{"k3": 1, "x3": 2, "k9": 1}', False),
    ):
        assert accepted(grammar, text) == is_one, text


TOO_MANY: dict[str, tuple[Any, str, str]] = {
    "if": (if_then(30), r"at /allOf/\d+/if: .*multiply", "write fewer anyOf, oneOf, not and dependencies side by side"),
    "dependentRequired": (dependent(30), r"at /dependentRequired/k\d+/0: .*multiply", "write fewer anyOf, oneOf, not"),
    "anyOf of open objects": (
        {"anyOf": [{"properties": {f"p{i}": {"type": "integer"}}, "required": [f"p{i}"]} for i in range(1000)]},
        "more than 100,000 properties",
        "write fewer alternatives of objects with so many properties",
    ),
}


@pytest.mark.parametrize("name", TOO_MANY)
def test_more_than_that_is_a_limit_with_its_place_and_a_way_out(name: str):
    schema, said, remedy = TOO_MANY[name]
    with pytest.raises(LimitError, match=said) as caught:
        compiled(schema)
    assert remedy in (caught.value.hint or "")
    assert caught.value.diagnostics[0].line >= 1


# ---- Formats ----


def test_the_format_regex_is_refused_with_its_place_and_taken_as_an_annotation():
    schema = {"properties": {"p": {"type": "string", "format": "regex"}}}
    with pytest.raises(UnsupportedError, match=r"at /properties/p/format: .*can't be checked") as caught:
        compiled(schema)
    assert "check_formats=False" in (caught.value.hint or "")
    assert accepted(compiled(schema, check_formats=False), '{"p": "("}')
    relaxed = xgr.Grammar.from_json_schema(schema, strict_mode=False, on_unsupported="relax")
    assert [use.keyword for use in relaxed.coverage if "format" in use.keyword] == ["format"]
