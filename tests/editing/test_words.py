"""The tables of words are those of the engine: names are compared with its sources, every example is read."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import xg2lab
from xg2lab.language.byte_matcher import accepts
from xg2lab.sources.grammar_words import (
    COMMON_TERMINALS,
    ESCAPES,
    LARK_OPTIONS,
    LARK_STATEMENTS,
    MACROS,
    OPERATORS,
    OPTIONS,
    TEMPLATE_MACROS,
)
from xg2lab.sources.schema_words import FORMATS, KEYWORDS, REFUSED_FORMATS, TYPES

CORE = Path(__file__).resolve().parents[2] / "core"
#: A value of each shape that a keyword may have.
VALUES: dict[str, Any] = {
    "schema": {"type": "string"},
    "map": {"a": {"type": "string"}},
    "list": [{"type": "string"}],
    "types": "string",
    "names": ["a"],
    "lists": {"a": ["b"]},
    "values": ["a"],
    "value": "a",
    "number": 1,
    "count": 1,
    "flag": True,
    "text": "a",
    "format": "date",
    "pattern": "a",
    "reference": "#/$defs/a",
}
#: Keywords that mean nothing alone, each in a schema that gives it a meaning. Older keywords name their draft.
BESIDE: dict[str, dict[str, Any]] = {
    "then": {"if": {"type": "string"}},
    "else": {"if": {"type": "string"}},
    "minContains": {"contains": {"type": "string"}},
    "maxContains": {"contains": {"type": "string"}},
    "additionalItems": {"$schema": "https://json-schema.org/draft/2019-09/schema", "items": [{"type": "string"}]},
    "$recursiveRef": {"$schema": "https://json-schema.org/draft/2019-09/schema"},
    "$recursiveAnchor": {"$schema": "https://json-schema.org/draft/2019-09/schema"},
    "dependencies": {"$schema": "http://json-schema.org/draft-07/schema#"},
    "unevaluatedItems": {"prefixItems": [{"type": "string"}]},
    "$dynamicRef": {"$defs": {"a": {"type": "string"}}},
    "uniqueItems": {"items": {"enum": ["a", "b"]}},
    "$ref": {"$defs": {"a": {"type": "string"}}},
}
OWN: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": "https://example.org/a",
    "$recursiveRef": "#",
    "$vocabulary": {},
    "type": "string",
}


@pytest.mark.parametrize("name", KEYWORDS)
def test_the_engine_makes_of_a_keyword_what_the_table_says(name: str) -> None:
    word = KEYWORDS[name]
    value = OWN.get(name, VALUES[word.shape])
    schema, pointer = {**BESIDE.get(name, {}), name: value}, f"/{name}"
    if name == "$recursiveRef":
        schema, pointer = {**BESIDE[name], "properties": {"a": {name: value}}}, f"/properties/a/{name}"
    grammar = xg2lab.Grammar.from_json_schema(schema, on_unsupported="relax")
    (use,) = [use for use in grammar.coverage if use.pointer == pointer]
    assert use.state == word.state, use.note


def test_no_keyword_of_the_engine_is_missing() -> None:
    source = (CORE / "frontends/json_schema/reader.cc").read_text()
    table = source[source.index("std::vector<KeywordRow> table{") : source.index("kAnnotations) table.emplace_back")]
    enforced = set(re.findall(r'\{"([^"]+)", &Reader', table))
    listed = source[source.index("kAnnotations{") : source.index("};", source.index("kAnnotations{"))]
    annotations = set(re.findall(r'"([^"]+)"', listed)) - {"id", "example"}  # drafts' older spellings
    assert enforced == {name for name, word in KEYWORDS.items() if word.state == "enforced"}
    assert annotations == {name for name, word in KEYWORDS.items() if word.state == "annotation"}


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_checked_and_its_example_has_it(name: str) -> None:
    grammar = xg2lab.Grammar.from_json_schema({"type": "string", "format": name})
    assert [use.state for use in grammar.coverage] == ["enforced", "enforced"]
    assert accepts(grammar, json.dumps(FORMATS[name]))


@pytest.mark.parametrize("name", REFUSED_FORMATS)
def test_a_format_that_no_machine_checks_is_refused(name: str) -> None:
    with pytest.raises(xg2lab.Xg2LabError, match="can't be checked"):
        xg2lab.Grammar.from_json_schema({"type": "string", "format": name})


def test_types_are_those_of_the_engine() -> None:
    source = (CORE / "frontends/json_schema/reader.cc").read_text()
    listed = source[source.index("kTypeNames{{") : source.index("}};", source.index("kTypeNames{{"))]
    assert set(re.findall(r'\{"(\w+)"', listed)) == set(TYPES)


def test_macros_are_those_of_the_engine() -> None:
    source = (CORE / "frontends/ebnf/macros.cc").read_text()
    assert set(re.findall(r'\{"(\w+)", make_', source)) == set(MACROS)
    holes = (CORE / "frontends/ebnf/parser.cc").read_text()
    assert set(re.findall(r'words\(\) == "(\w+)"\) (?:read_call|open_if)', holes)) == set(TEMPLATE_MACROS)


@pytest.mark.parametrize("name", MACROS)
def test_a_macro_has_its_keywords_and_its_example_is_read(name: str) -> None:
    rules = 'tag ::= "x"\nfirst ::= "y"\nsecond ::= "z"'
    assert xg2lab.Grammar.from_ebnf(f"root ::= {MACROS[name].call} tag first second\n{rules}").rules
    call = MACROS[name].call.removesuffix(")")
    source = (CORE / "frontends/ebnf/macros.cc").read_text()
    for keyword in MACROS[name].keywords:
        assert f'"{keyword}"' in source, keyword
        with pytest.raises(xg2lab.Xg2LabError) as refused:  # the engine knows the keyword, and not the value
            xg2lab.Grammar.from_ebnf(f"root ::= {call}, {keyword}=Nonsense(1)) tag first second\n{rules}")
        assert f"no argument `{keyword}`" not in str(refused.value)


def test_options_are_those_of_the_engine() -> None:
    source = (CORE / "grammar/rule_options.h").read_text()
    listed = source[source.index("kOptionNames{") : source.index("};", source.index("kOptionNames{"))]
    assert set(re.findall(r'"(\w+)"', listed)) == set(OPTIONS)


@pytest.mark.parametrize("name", OPTIONS)
def test_the_example_of_an_option_is_read(name: str) -> None:
    value = OPTIONS[name].value
    option = name if value is None else f"{name}={value}"
    assert xg2lab.Grammar.from_ebnf(f'root ::= a\na[{option}] ::= "x" rule\nrule ::= [a-z]').rules


@pytest.mark.parametrize("name", LARK_OPTIONS)
def test_the_example_of_an_option_of_lark_is_read(name: str) -> None:
    value = LARK_OPTIONS[name].value
    option = name if value is None else f"{name}={value}"
    before = 'suffix="!", ' if name == "stop_capture" else ""
    assert xg2lab.Grammar.from_lark(f"start: a\na[{before}{option}]: /[a-z]+/").rules


@pytest.mark.parametrize("name", COMMON_TERMINALS)
def test_a_terminal_of_the_library_can_be_imported(name: str) -> None:
    assert xg2lab.Grammar.from_lark(f"start: {name}\n%import common.{name}").rules


def test_no_public_terminal_of_the_library_is_missing() -> None:
    source = (CORE / "frontends/lark/library.cc").read_text()
    assert set(re.findall(r"^([A-Z]\w*):", source, re.MULTILINE)) == set(COMMON_TERMINALS)


def test_statements_of_lark_are_those_of_the_engine() -> None:
    source = (CORE / "frontends/lark/parser.cc").read_text() + (CORE / "frontends/lark/cursor.cc").read_text()
    assert set(re.findall(r'"(%\w+)"', source)) - {"%llguidance"} == set(LARK_STATEMENTS)


@pytest.mark.parametrize("written", OPERATORS)
def test_an_operator_is_read(written: str) -> None:
    shown = {"( )": '("a")', "|": '| "b"'}.get(written, written)
    assert xg2lab.Grammar.from_ebnf(f'root ::= x "x"\nx ::= "a"{shown}').rules


@pytest.mark.parametrize("written", ESCAPES)
def test_an_escape_of_a_pattern_is_read(written: str) -> None:
    assert xg2lab.Grammar.from_regex(f"a{written}?b?" if written == r"\p{L}" else f"[a-z]*{written}[a-z]*").rules
