"""The styles in which a schema's values are written: what each takes, and what breaks the schema.

The texts are written out, as the table in docs/design/0022-structural-tags.md has them; no code of ours wrote them.
"""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import xg2lab as xgr
from xg2lab.errors import InvalidStructuralTagError, UnsupportedError
from xg2lab.grammar import Grammar
from xg2lab.testing import _is_grammar_accept_string

SCHEMA = {
    "type": "object",
    "properties": {
        "s": {"type": "string"},
        "n": {"type": "integer", "minimum": 1},
        "e": {"enum": ["a b", "c", 7]},
        "o": {"type": "object", "properties": {"k": {"type": "boolean"}}, "required": ["k"]},
        "l": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
    },
    "required": ["s"],
}
D, V = "｜DSML｜", "</｜DSML｜parameter>"
K, KE = '<|open|>argument key="', "<|close|>argument<|sep|>"
C, CE = '<cofl:value name="', "</cofl:value>"
M = "]<]minimax[>["

# style: what it takes, what it doesn't
STYLES: dict[str, tuple[list[str], list[str]]] = {
    "json": (
        ['{"s": "x"}', '{"s":"", "n": 2, "e": "c", "o": {"k": true}, "l": ["a", "b"]}'],
        ["{}", '{"n": 2}', '{"s": "x", "n": 0}', '{"s": 1}', '{"s": "x", "z": 1}', '{"n": 1, "s": "x"}'],
    ),
    "qwen_xml": (
        [
            "<parameter=s>\nx <b>\n</parameter>\n",
            "<parameter=s></parameter><parameter=n>\n12\n</parameter>\n<parameter=e>a b</parameter>",
            '<parameter=s>"</parameter>\n<parameter=e>7</parameter><parameter=o>\n{"k": true}\n</parameter>',
            '<parameter=s>x</parameter><parameter=l>["a"]</parameter>',
        ],
        [
            "",
            "<parameter=n>1</parameter>",
            "<parameter=s>x</parameter><parameter=n>0</parameter>",
            "<parameter=s>x</parameter><parameter=e>d</parameter>",
            '<parameter=s>x</parameter><parameter=l>["a","b","c"]</parameter>',
            "<parameter=s>x</parameter><parameter=z>1</parameter>",
            "<parameter=s>x</parameter></parameter>",
        ],
    ),
    "minimax_xml": (
        ['<parameter name="s">x</parameter>\n<parameter name="n">3</parameter>\n'],
        ['<parameter name="n">3</parameter>', '<parameter name="s">x</parameter><parameter name="n">x</parameter>'],
    ),
    "glm_xml": (
        ['<arg_key>s</arg_key><arg_value>x</arg_value><arg_key>o</arg_key>\n<arg_value>{"k":false}</arg_value>'],
        ["<arg_key>s</arg_key><arg_value>x", "<arg_key>n</arg_key><arg_value>1</arg_value>"],
    ),
    "deepseek_xml": (
        [
            f'<{D}parameter name="s" string="true">x"</{D}parameter>\n<{D}parameter name="n" string="false">2{V}\n',
            f'<{D}parameter name="s" string="true">x{V}<{D}parameter name="e" string="true">c{V}',
            f'<{D}parameter name="s" string="true">x{V}<{D}parameter name="e" string="false">7{V}',
        ],
        [
            f'<{D}parameter name="s" string="false">"x"{V}',
            f'<{D}parameter name="s" string="true">x{V}<{D}parameter name="n" string="true">2{V}',
            f'<{D}parameter name="s" string="true">x{V}<{D}parameter name="e" string="true">7{V}',
        ],
    ),
    "deepseek_v4_1_xml": (
        [f'<{D} parameter name="s" string="true">x</{D} parameter>\n'],
        [f'<{D}parameter name="s" string="true">x</{D}parameter>\n'],
    ),
    "kimi_k3_xml": (
        [
            f'{K}s" type="string"<|sep|>x{KE}{K}n" type="number"<|sep|>2{KE}',
            f'{K}s" type="string"<|sep|>x{KE}{K}o" type="object"<|sep|>{{"k": true}}{KE}',
            f'{K}s" type="string"<|sep|>x{KE}{K}e" type="number"<|sep|>7{KE}{K}l" type="array"<|sep|>[]{KE}',
        ],
        [f'{K}s" type="number"<|sep|>1{KE}', f'{K}s" type="string"<|sep|>x{KE}{K}n" type="string"<|sep|>2{KE}'],
    ),
    "cohere_xml": (
        [
            f'{C}s" type="raw">x{CE}{C}n" type="json">2{CE}{C}o" type="dict">{C}k" type="json">true{CE}{CE}',
            f'{C}s" type="raw">x{CE}{C}l" type="list"><cofl:value type="raw">a{CE}<cofl:value type="raw">b{CE}{CE}',
            f'{C}s" type="raw">x{CE}{C}l" type="list">{CE}',
        ],
        [
            f'{C}s" type="json">1{CE}',
            f'{C}s" type="raw">x{CE}{C}o" type="dict">{CE}',
            f'{C}s" type="raw">x{CE}{C}l" type="list">' + f'<cofl:value type="raw">a{CE}' * 3 + CE,
        ],
    ),
    "minimax_m3_xml": (
        [
            f"{M}<s>x{M}</s>{M}<n>2{M}</n>{M}<o>{M}<k>true{M}</k>{M}</o>",
            f"{M}<s>x{M}</s>{M}<l>{M}<item>a{M}</item>{M}<item>b{M}</item>{M}</l>",
            f"{M}<s>{M}</s>{M}<l>{M}</l>",
        ],
        [
            f"{M}<s>x{M}</n>",
            f"{M}<s>x{M}</s>{M}<o>{M}</o>",
            f"{M}<s>x{M}</s>{M}<l>{M}<item>a{M}</item>{M}<item>b{M}</item>{M}<item>c{M}</item>{M}</l>",
        ],
    ),
}


def grammar_of(schema: Any, style: str = "json", **fields: Any) -> Grammar:
    return Grammar.from_structural_tag(
        {"format": {"type": "json_schema", "json_schema": schema, "style": style, **fields}}
    )


def takes(grammar: Grammar, *texts: str) -> list[bool]:
    return [_is_grammar_accept_string(grammar, text) for text in texts]


@pytest.mark.parametrize("style", STYLES)
def test_what_a_style_takes(style: str):
    grammar = grammar_of(SCHEMA, style)
    good, bad = STYLES[style]
    assert takes(grammar, *good) == [True] * len(good)
    assert takes(grammar, *bad) == [False] * len(bad)


@pytest.mark.parametrize("style", STYLES)
def test_the_printed_grammar_is_the_same(style: str):
    grammar = Grammar.from_ebnf(str(grammar_of(SCHEMA, style)))
    good, bad = STYLES[style]
    assert takes(grammar, *good, *bad) == [True] * len(good) + [False] * len(bad)


def element(name: str, value: str) -> str:
    return f"<parameter={name}>{value}</parameter>"


def test_strings_that_say_something_are_raw_text():
    schema = {"type": "object", "properties": {
        "p": {"type": "string", "pattern": "^[a-z]+$"},
        "q": {"type": "string", "minLength": 2, "maxLength": 3},
        "d": {"type": "string", "format": "date"},
    }}  # fmt: skip
    grammar = grammar_of(schema, "qwen_xml")
    assert takes(grammar, element("p", "\nabc\n"), element("q", '"\\'), element("d", "2026-11-21")) == [True] * 3
    assert takes(grammar, element("p", "a1"), element("q", "abcd"), element("d", "21.11.2026")) == [False] * 3


def test_other_properties_have_plain_names():
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": {"type": "integer"}}
    grammar = grammar_of(schema, "qwen_xml")
    assert takes(grammar, element("a", "1") + element("zß", "2"), element("b", "1")) == [True, True]
    assert takes(grammar, element("a", "x"), element("b", "x"), element("b c", "1")) == [False] * 3
    printed = Grammar.from_ebnf(str(grammar))
    assert takes(printed, element("b", "1"), element("a", "1") + element("zß", "2")) == [True, True]
    assert takes(printed, element("a", "x"), element("b c", "1")) == [False, False]
    assert str(printed) == str(grammar)
    with pytest.raises(UnsupportedError, match="repeats each property's name") as caught:
        grammar_of(schema, "minimax_m3_xml")
    assert caught.value.pointer is not None
    assert caught.value.pointer.startswith("/format/json_schema")


def test_names_are_escaped_in_attributes():
    schema = {"type": "object", "properties": {'a"&b': {"type": "integer"}}}
    assert takes(grammar_of(schema, "kimi_k3_xml"), f'{K}a&quot;&amp;b" type="number"<|sep|>1{KE}') == [True]


def test_any_order():
    grammar = grammar_of(SCHEMA, "qwen_xml", any_order=True)
    assert takes(grammar, element("n", "1") + element("s", "x"), element("s", "x")) == [True, True]
    assert takes(grammar, element("n", "1"), element("s", "x") + element("s", "x"), element("n", "0")) == [False] * 3
    grammar = grammar_of(SCHEMA, any_order=True)
    assert takes(grammar, '{"n": 1, "s": "x"}', '{"n": 1}') == [True, False]


def test_little_whitespace():
    grammar = grammar_of(SCHEMA, "qwen_xml", max_whitespace_cnt=1)
    assert takes(grammar, " " + element("s", "x"), "  " + element("s", "x")) == [True, False]


def test_excludes():
    schema = {"type": "object", "properties": {
        "a": {"type": "string"}, "b": {"enum": ["x<|y", "z"]}, "c": {"type": "string", "maxLength": 4},
        "d": {"type": "array", "items": {"type": "string"}}, "e": {"type": "string", "pattern": "<|"},
    }}  # fmt: skip
    grammar = grammar_of(schema, excludes=["<|"])
    assert takes(grammar, '{"a": "<"}', '{"b": "z"}', '{"c": "|<"}', '{"d": ["|"]}', '{"e": "<|"}') == [True] * 5
    assert takes(grammar, '{"a": "<|"}', '{"b": "x<|y"}', '{"c": "a<|"}', '{"d": ["<|"]}') == [False] * 4
    raw = grammar_of(schema, "qwen_xml", excludes=["<|", "</"])
    assert takes(raw, element("a", "<"), element("b", "z"), element("c", "|<"), element("d", '["|"]')) == [True] * 4
    assert (
        takes(raw, element("a", "<|"), element("a", "</x"), element("c", "<|"), element("d", '["<|"]')) == [False] * 4
    )


# ---- References, alternatives, recursion --------------------------------------------------------


def test_references_are_resolved_within_the_schema():
    schema = {
        "$defs": {"t": {"type": "object", "properties": {"v": {"type": "integer"}, "t": {"$ref": "#/$defs/t"}}}},
        "type": "object",
        "properties": {"x": {"$ref": "#/$defs/t"}},
    }
    tag = {"type": "tag", "begin": "<", "content": {"type": "json_schema", "json_schema": schema}, "end": ">"}
    grammar = Grammar.from_structural_tag({"format": {"type": "sequence", "elements": [tag, tag]}})
    assert takes(grammar, '<{"x": {"v": 1, "t": {"t": {}}}}><{}>', '<{"x": 1}><{}>') == [True, False]
    for style, text in {
        "cohere_xml": f'{C}x" type="dict">{C}v" type="json">1{CE}{C}t" type="dict">{CE}{CE}',
        "minimax_m3_xml": f"{M}<x>{M}<v>1{M}</v>{M}<t>{M}<t>{M}</t>{M}</t>{M}</x>",
        "qwen_xml": element("x", '{"v": 1, "t": {"t": {}}}'),
    }.items():
        assert takes(grammar_of(schema, style), text) == [True], style


def test_objects_in_alternatives_and_together():
    part = {"type": "object", "properties": {"a": {"const": 1}}, "required": ["a"]}
    other = {"type": "object", "properties": {"b": {"const": "x"}}, "required": ["b"]}
    either = grammar_of({"anyOf": [part, other]}, "qwen_xml")
    assert takes(either, element("a", "1"), element("b", "x"), element("a", "2"), "") == [True, True, False, False]
    both = grammar_of({"allOf": [part, other]}, "qwen_xml")
    assert takes(both, element("a", "1") + element("b", "x"), element("a", "1")) == [True, False]


def test_equal_schemas_are_written_once():
    content = {"type": "json_schema", "json_schema": SCHEMA}
    tags = [{"type": "tag", "begin": f"<{i}>", "content": content, "end": "</>"} for i in range(20)]
    few, many = (
        len(Grammar.from_structural_tag({"format": {"type": "or", "elements": tags[:n]}}).rules) for n in (1, 20)
    )
    assert many == few + 19  # a rule for each tag


def test_mistakes_in_a_schema_are_shown_in_the_tag():
    with pytest.raises(InvalidStructuralTagError) as caught:
        grammar_of({"type": "object", "properties": {"a": {"type": "strng"}}})
    assert caught.value.pointer == "/format/json_schema/properties/a/type"
    with pytest.raises(UnsupportedError) as refused:
        grammar_of({"type": "object", "properties": {"a": {"type": "string", "pattern": "(a)\\1"}}})
    assert refused.value.pointer is not None
    assert refused.value.pointer.startswith("/format/json_schema/properties/a")


def test_spans_lead_into_the_tag():
    grammar = grammar_of({"type": "object", "properties": {"city": {"enum": ["Oslo"]}}})
    source = grammar.source.encode()

    def spans(tree: Any) -> Any:
        if isinstance(tree, tuple):
            if len(tree) == 2 and all(isinstance(part, int) for part in tree):
                yield tree
            for part in tree:
                yield from spans(part)

    shown = {source[slice(*span)].decode() for tree in grammar.expressions().values() for span in spans(tree)}
    assert '"city"' in shown
    assert any("Oslo" in text for text in shown)


def n_states(schema: dict[str, Any], style: str) -> int:
    info = xgr.TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1])
    return xgr.GrammarCompiler(info, cache_enabled=False).compile_grammar(grammar_of(schema, style)).n_states


def test_line_breaks_around_a_text_cost_no_copies_of_it():
    """Texts that begin or end with a line break of their own need one more: that is told within one machine."""
    schema = {"type": "object", "properties": {"s": {"type": "string", "minLength": 1, "maxLength": 100}}}
    with_breaks, without = n_states(schema, "qwen_xml"), n_states(schema, "glm_xml")
    assert with_breaks < 1.2 * without, (with_breaks, without)


@pytest.mark.parametrize(
    "words", [{"maxLength": 2}, {"pattern": "^a*$"}, {"pattern": "\n$", "maxLength": 3}, {"not": {"pattern": "^\n"}}]
)
def test_line_breaks_around_a_text_are_read_as_they_are_printed(words: dict[str, Any]):
    schema = {"type": "object", "properties": {"s": {"type": "string", **words}}, "required": ["s"]}
    grammar = grammar_of(schema, "qwen_xml")
    again = Grammar.from_ebnf(str(grammar))
    for length in range(5):
        for text in map("".join, itertools.product("\na", repeat=length)):
            element = f"<parameter=s>{text}</parameter>"
            assert _is_grammar_accept_string(again, element) == _is_grammar_accept_string(grammar, element), text
