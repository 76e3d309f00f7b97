"""What an assistant says of texts of each kind, right and wrong ones, at places that a `|` marks."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

import xg2lab
from xg2lab.editing.assistant import MOST_BYTES, Assistant
from xg2lab.editing.records import applied
from xg2lab.errors import ArgumentError, LimitError


def at(kind: str, marked: str) -> tuple[Assistant, int]:
    """An assistant of the text without its caret `‸`, and the caret's byte."""
    before, _, after = marked.partition("‸")
    assistant = Assistant(kind)
    assistant.read(before + after)
    return assistant, len(before.encode())


def labels(kind: str, marked: str) -> list[str]:
    """The words that are offered."""
    assistant, offset = at(kind, marked)
    return [word.label for word in assistant.completions(offset)]


def words(assistant: Assistant, spans: list[tuple[int, int]]) -> list[str]:
    """The text at spans."""
    return [assistant.text.encode()[begin:end].decode() for begin, end in spans]


# ---- Completion ----


@pytest.mark.parametrize(
    ("kind", "marked", "there", "missing"),
    [
        ("ebnf", "root ::= va‸\nvalue ::= [0-9]", ["root", "value", "Regex"], ["max_tokens"]),
        ("ebnf", 'root ::= "va‸"\nvalue ::= [0-9]', [], ["value"]),
        ("ebnf", "root ::= value # va‸\nvalue ::= [0-9]", [], ["value"]),
        ("ebnf", "root ::= [va‸]\nvalue ::= [0-9]", [], ["value"]),
        ("ebnf", 'root ::= "a" "open va‸', [], ["value", "root"]),
        ("ebnf", "root[ma‸] ::= value", ["max_tokens", "lazy", "parts"], ["root"]),
        ("ebnf", "root ::= x\nx[ma‸", ["max_tokens"], ["root"]),
        ("ebnf", "root ::= AnyOrder(a, se‸)\na ::= 'x'", ["sep", "min", "a"], ["TagDispatch"]),
        ("ebnf", 'root ::= TagDispatch(("<a>", a), ‸)\na ::= "x"', ["stop_eos", "a"], []),
        ("ebnf", "root ‸", ["::="], ["root"]),
        ("ebnf", "ro‸", ["root", "rule"], []),
        ("ebnf", 'root ::= "a" | b ‸', ["*", "+", "root"], []),
        ("ebnf", "root ::= $x va‸\nvalue ::= [0-9]", ["value", "OneOf", "Use"], []),
        ("ebnf", "näme ::= ‸", ["näme"], []),
        ("lark", "start: va‸\nvalue: NUM\nNUM: /[0-9]/", ["value", "NUM", "start"], ["%ignore"]),
        ("lark", "start: value\n%‸", ["%ignore", "%import"], ["%json"]),
        ("lark", "start: A\n%import common.‸", ["INT", "WS"], ["start"]),
        ("lark", "start: A\n%import common (WS, ‸", ["INT"], ["start"]),
        ("lark", "start: pair{A, B}\npair{x, y}: x ‸\nA: 'a'", ["x", "y"], []),
        ("lark", "start[ma‸: A", ["max_tokens", "suffix"], []),
        ("regex", r"[a-z]\‸", [r"\d", r"\p{L}"], ["group"]),
        ("regex", r"[a-z]‸", ["group", "lookahead"], []),
        ("json_schema", "‸", ["object schema"], []),
        ("json_schema", '{"ty‸', ["type", "minLength"], []),
        ("json_schema", '{"type": "‸"}', ["object", "string"], ["date"]),
        ("json_schema", '{"type": ["string", "‸"]}', ["null"], []),
        ("json_schema", '{"type": "object", "‸": 1}', ["properties"], ["type"]),
        ("json_schema", '{"format": "‸"}', ["date", "uuid"], ["regex"]),
        ("json_schema", '{"$defs": {"a": {}}, "$ref": "‸"}', ["#", "#/$defs/a"], []),
        ("json_schema", '{"properties": {"a": {}, "b": {}}, "required": ["a", "‸"]}', ["b"], ["a"]),
        ("json_schema", '{"required": ["city"], "properties": {"‸"}}', ["city"], ["type"]),
        ("json_schema", '{"properties": {"a": {"‸', ["type"], []),
        ("json_schema", '{"enum": [{"‸"}]}', [], ["type"]),
        ("json_schema", '{"properties": {"type": {"‸', ["type"], []),
        ("json_schema", '{"uniqueItems": ‸}', ["true", "false"], []),
        ("structural_tag", "‸", ["structural tag"], []),
        ("structural_tag", '{"‸', ["type", "format"], ["triggers"]),
        ("structural_tag", '{"format": {"type": "‸"}}', ["triggered_tags", "json_schema"], []),
        ("structural_tag", '{"format": {"type": "tag", "‸"}}', ["begin", "content", "end"], ["type"]),
        (
            "structural_tag",
            '{"format": {"type": "sequence", "elements": [{"type": "regex", "‸"}]}}',
            ["pattern"],
            ["elements"],
        ),
        ("structural_tag", '{"format": {"type": "dispatch", "rules": [["<a>", {"type": "‸"}]]}}', ["tag"], []),
        ("structural_tag", '{"format": {"type": "json_schema", "json_schema": {"‸"}}}', ["properties"], ["style"]),
        ("structural_tag", '{"format": {"type": "json_schema", "style": "‸"}}', ["qwen_xml"], []),
    ],
)
def test_words_that_may_stand_at_the_caret_are_offered(
    kind: str, marked: str, there: list[str], missing: list[str]
) -> None:
    found = labels(kind, marked)
    assert [word for word in there if word not in found] == [], found
    assert [word for word in missing if word in found] == []


def test_keywords_for_the_values_of_the_type_come_first() -> None:
    found = labels("json_schema", '{"type": "array", "‸": 1}')
    assert found[:3] == ["additionalItems", "contains", "items"]
    assert found.index("minItems") < found.index("enum") < found.index("title") < found.index("minLength")


@pytest.mark.parametrize(
    ("kind", "marked", "label", "made"),
    [
        ("ebnf", "root ::= va‸\nvalue ::= [0-9]", "value", "root ::= value\nvalue ::= [0-9]"),
        ("json_schema", '{"mi‸": 1}', "minLength", '{"minLength": 1}'),
        ("json_schema", '{"type": "str‸"}', "string", '{"type": "string"}'),
        (
            "json_schema",
            '{"$defs": {"a/b": {}}, "$ref": "‸',
            "#/$defs/a~1b",
            '{"$defs": {"a/b": {}}, "$ref": "#/$defs/a~1b"',
        ),
        ("lark", "start: A\n%import common.I‸", "INT", "start: A\n%import common.INT"),
    ],
)
def test_a_word_replaces_what_was_typed_of_it(kind: str, marked: str, label: str, made: str) -> None:
    assistant, offset = at(kind, marked)
    (word,) = [one for one in assistant.completions(offset) if one.label == label]
    data = assistant.text.encode()
    insert = word.insert.replace("\\", "") if word.is_snippet else word.insert
    assert (data[: word.span[0]] + insert.encode() + data[word.span[1] :]).decode() == made


# ---- Definitions, references, renaming ----


@pytest.mark.parametrize(
    ("kind", "marked", "n_places"),
    [
        ("ebnf", 'root ::= it‸em ("," item)*\nitem ::= [0-9]', 3),
        ("ebnf", 'root ::= AnyOrder(it‸em?, sep=item)\nitem ::= "é"', 3),
        ("ebnf", 'root[parts=item] ::= "x"\nite‸m ::= "é"', 2),
        ("ebnf", 'root ::= ite‸m "open\nitem ::= [0-9', 2),
        ("lark", "start: ite‸m item\nitem: /x/", 3),
        ("lark", "start: p{A}\np{item}: ite‸m item\nthings: /x/\nA: /a/", 3),
        ("json_schema", '{"$defs": {"ite‸m": {}}, "anyOf": [{"$ref": "#/$defs/item"}]}', 2),
        ("json_schema", '{"properties": {"item": {}}, "required": ["ite‸m", "other"]}', 2),
        (
            "structural_tag",
            '{"format": {"type": "json_schema", "json_schema": {"$defs": {"item": {}}, "$ref": "#/$defs/ite‸m"}}}',
            2,
        ),
    ],
)
def test_places_and_renaming_agree(kind: str, marked: str, n_places: int) -> None:
    assistant, offset = at(kind, marked)
    places = assistant.references(offset)
    assert len(places) == n_places
    assert assistant.definition(offset) in places
    edits = assistant.rename(offset, "other_one" if kind != "lark" else "other")
    assert [edit.span for edit in edits] == places
    renamed = applied(assistant.text, edits)
    back = Assistant(kind)
    back.read(renamed)
    moved = renamed.encode().index(b"other")
    assert len(back.references(moved)) == n_places
    again = applied(renamed, back.rename(moved, "item"))
    assert again == assistant.text


@pytest.mark.parametrize(
    ("kind", "marked", "name", "message"),
    [
        ("ebnf", "root ::= ite‸m\nitem ::= [0-9]", "root", "there is a `root` already"),
        ("ebnf", "root ::= ite‸m\nitem ::= [0-9]", "a b", "is not the name of a rule"),
        ("ebnf", "root ::= ite‸m\nitem ::= [0-9]", "", "is not the name of a rule"),
        ("ebnf", "root ::= ite‸m\nitem ::= [0-9]", "Regex", "is the name of a macro"),
        ("ebnf", 'root ::= "a‸"', "b", "nothing here can be renamed"),
        ("lark", "start: ite‸m\nitem: /x/", "ITEM", "does not name a rule"),
        ("lark", "start: I‸NT\n%import common.INT", "NUM", "it comes from another text"),
        ("regex", "a‸", "b", "has no names"),
        ("json_schema", '{"$defs": {"‸a": {}, "b": {}}}', "b", "there is a `b` already"),
        ("json_schema", '{"ty‸pe": "string"}', "kind", "nothing here can be renamed"),
    ],
)
def test_a_name_that_cannot_be_given_is_refused(kind: str, marked: str, name: str, message: str) -> None:
    assistant, offset = at(kind, marked)
    with pytest.raises(ArgumentError, match=message):
        assistant.rename(offset, name)


def test_a_parameter_is_a_name_of_its_rule_alone() -> None:
    assistant, offset = at("lark", "start: p{A} item\np{item}: ite‸m item\nitem: /x/\nA: /a/")
    assert words(assistant, assistant.references(offset)) == ["item"] * 3
    assert applied(assistant.text, assistant.rename(offset, "q")) == "start: p{A} item\np{q}: q q\nitem: /x/\nA: /a/"
    with pytest.raises(ArgumentError, match="there is a `start` already"):
        assistant.rename(offset, "start")


def test_a_renamed_definition_is_followed_by_references_through_it() -> None:
    text = '{"$defs": {"‸a": {"properties": {"x": {}}}}, "$ref": "#/$defs/a/properties/x"}'
    assistant, offset = at("json_schema", text)
    assert applied(assistant.text, assistant.rename(offset, "b ä")) == (
        '{"$defs": {"b ä": {"properties": {"x": {}}}}, "$ref": "#/$defs/b%20%C3%A4/properties/x"}'
    )


# ---- Hover ----


@pytest.mark.parametrize(
    ("kind", "marked", "said"),
    [
        ("ebnf", 'root ::= "[" ite‸m "]"\nitem ::= [0-9]+', ["item ::= [0-9]+", "it went into", "`[0-9]`", r"`[\]]`"]),
        ("ebnf", 'root ::= Reg‸ex("a")', ["regular expression", "json_string"]),
        ("ebnf", 'root ::= "a"+‸', ["Once or more"]),
        ("ebnf", 'root[max_‸tokens=3] ::= "a"', ["at most this many tokens"]),
        ("ebnf", "root ::= nowhe‸re", ["is not defined"]),
        ("lark", "start: A\n%ig‸nore A\nA: /a/", ["may stand between"]),
        ("regex", r"\d‸", [r"A digit"]),
        ("json_schema", '{"min‸Length": 1}', ["code points", "strings only", "here: enforced"]),
        ("json_schema", '{"tit‸le": "x"}', ["here: annotation"]),
        ("json_schema", '{"nonse‸nse": 1}', ["not a keyword"]),
        ("json_schema", '{"format": "da‸te"}', ["enforced, for example"]),
        ("json_schema", '{"$defs": {"a": {"type": "null"}}, "$ref": "#/$de‸fs/a"}', ['{"type": "null"}']),
        ("structural_tag", '{"format": {"type": "re‸gex", "pattern": "a"}}', ["regular expression"]),
        (
            "structural_tag",
            '{"format": {"type": "json_schema", "json_schema": {"maxi‸mum": 1}}}',
            ["At most" and "at most this"],
        ),
    ],
)
def test_a_hover_says_what_is_known(kind: str, marked: str, said: list[str]) -> None:
    assistant, offset = at(kind, marked)
    card = assistant.hover(offset)
    assert card is not None
    for part in said:
        assert part in card.text, card.text
    assert card.span[0] <= offset <= card.span[1]


def test_a_wrong_text_keeps_the_facts_of_the_last_right_one() -> None:
    assistant = Assistant("ebnf")
    assistant.read('root ::= "[" item "]"\nitem ::= [0-9]+')
    assistant.hover(15)
    assistant.read('root ::= "<" item ">\nitem ::= [0-9]+ item2\n')
    card = assistant.hover(15)
    assert card is not None
    assert "item ::= [0-9]+ item2" in card.text
    assert "**follow** `[\\]]`" in card.text


def test_a_schema_that_is_refused_says_which_keyword_is() -> None:
    assistant = Assistant("json_schema")
    text = '{"type": "array", "uniqueItems": true}'
    assistant.read(text)
    card = assistant.hover(text.index("unique") + 1)
    assert card is not None
    assert "here: refused" in card.text


# ---- Symbols, folds, layout ----


def test_symbols_are_the_definitions() -> None:
    assistant, _ = at("lark", "start: a\na: NUM\nNUM: /[0-9]/\n%import common.WS")
    assert [(one.name, one.kind) for one in assistant.symbols()] == [
        ("start", "rule"),
        ("a", "rule"),
        ("NUM", "terminal"),
    ]
    assistant, _ = at("json_schema", '{"type": "object", "properties": {"a": {"type": "string"}}}')
    (kind, properties) = assistant.symbols()
    assert (kind.name, properties.children[0].name, properties.children[0].kind) == ("type", "a", "object")


def test_folds_are_rules_comments_and_values_of_several_lines() -> None:
    text = '# one\n# two\nroot ::= "a"\n  | "b"\nx ::= "c"\n'
    assistant, _ = at("ebnf", text)
    assert sorted(text[begin:end] for (begin, end) in (fold.span for fold in assistant.folds())) == [
        "# one\n# two",
        'root ::= "a"\n  | "b"',
    ]
    assistant, _ = at("json_schema", '{\n "a": [\n1],\n "b": [2]}')
    assert len(assistant.folds()) == 2


LAID_OUT = [
    ("ebnf", 'root::="a"|b\nb ::= [0-9] +', 'root ::= "a" | b\nb ::= [0-9]+\n'),
    (
        "ebnf",
        '\n\n# c\n\n\n\nroot ::= ( "a" ){2,3}# d\n   | x\nx::="y"',
        '# c\n\nroot ::= ("a"){2,3}  # d\n  | x\nx ::= "y"\n',
    ),
    ("ebnf", 'root ::= AnyOrder( a,b? ,sep = "," )', 'root ::= AnyOrder(a, b?, sep=",")\n'),
    ("ebnf", "root[lazy]::=x [a]  x", "root[lazy] ::= x [a] x\n"),
    ("ebnf", 'root ::= $x   |  "a', 'root ::= $x | "a\n'),
    (
        "lark",
        "start:a|b\n   | c // x\na :  /x/  ->  al\n%ignore    WS",
        "start: a | b\n    | c  // x\na: /x/ -> al\n%ignore WS\n",
    ),
    ("json_schema", '{"a":[1.0,2e3],"b":{}}', '{\n  "a": [1.0, 2e3],\n  "b": {}\n}\n'),
    ("json_schema", '{"a": ', '{"a": '),
    ("regex", "a  b", "a  b"),
]


@pytest.mark.parametrize(("kind", "text", "made"), LAID_OUT)
def test_the_layout_changes_spaces_alone_and_once(kind: str, text: str, made: str) -> None:
    assistant = Assistant(kind)
    assistant.read(text)
    assert applied(text, assistant.layout()) == made
    assistant.read(made)
    assert assistant.layout() == []


def test_the_layout_of_random_texts_means_the_same() -> None:
    rng = random.Random(5)
    parts = [
        "root",
        " ::= ",
        "::=",
        "a",
        " ",
        "  ",
        "\n",
        "\n\n",
        '"x"',
        "[0-9]",
        "*",
        "+",
        "|",
        "(",
        ")",
        "# c\n",
        ",",
        "{2}",
        "$s",
        "=",
    ]
    for _ in range(400):
        text = "root ::= " + "".join(rng.choice(parts) for _ in range(rng.randint(0, 14)))
        assistant = Assistant("ebnf")
        assistant.read(text)
        made = applied(text, assistant.layout())
        assert outcome(text) == outcome(made), (text, made)
        assistant.read(made)
        assert assistant.layout() == [], (text, made)


def outcome(text: str) -> Any:
    """The grammar or template that a text is, or the codes of its mistakes."""
    try:
        return (
            str(xg2lab.Grammar.from_ebnf(text))
            if "$" not in text
            else [slot.name for slot in xg2lab.Template.from_ebnf(text).slots]
        )
    except xg2lab.Xg2LabError as error:
        return sorted(one.code for one in error.diagnostics)


# ---- Hostile texts ----

HOSTILE: list[tuple[str, Callable[[], str]]] = [
    ("json_schema", lambda: "[" * 100_000),
    ("json_schema", lambda: '{"a":' * 50_000),
    ("json_schema", lambda: '{"' + "\\" * 9_999),
    ("structural_tag", lambda: '{"format":' * 5_000 + '{"type": 3, "x": [[[1'),
    ("ebnf", lambda: "(" * 100_000),
    ("ebnf", lambda: "root ::= " + "a " * 50_000),
    ("ebnf", lambda: "a ::= b\n" * 5_000),
    ("ebnf", lambda: 'root ::= "\ud800" \udfff'),
    ("ebnf", lambda: "\ufeffroot ::= \x00 '"),
    ("lark", lambda: "a{" * 20_000),
    ("lark", lambda: "start: " + "[" * 50_000),
    ("regex", lambda: "(" * 100_000),
    ("regex", lambda: "\\" * 99_999),
]


@pytest.mark.parametrize(("kind", "make"), HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_texts_are_answered(kind: str, make: Callable[[], str]) -> None:
    assistant, text = Assistant(kind), make()
    assistant.read(text)
    for offset in (0, 5, len(text) // 2, len(text), len(text) * 5):
        assistant.completions(offset)
        assistant.definition(offset)
        assistant.references(offset)
        assistant.renamable(offset)
        assistant.hover(offset)
    assistant.symbols()
    assistant.folds()
    assistant.layout()


def test_every_prefix_of_a_text_is_answered() -> None:
    texts = {
        "ebnf": 'root[max_tokens=3, parts=x] ::= TagDispatch(("<a>", x), excludes=("é")) # ü\n'
        'x ::= [^"\\]]{2,3} | "\\"" (= "b")\n',
        "lark": 'start: p{A, "x"i} ~2..3 -> al\np{q, r}: q r?\nA.2: /a\\/b/x & ~"c"\n'
        '%import common.INT -> N\n%ignore " "\n',
        "json_schema": '{"$defs": {"é": {"enum": [1, {"a": null}]}}, '
        '"properties": {"a": {"$ref": "#/$defs/%C3%A9"}}, "required": ["a"]}',
        "structural_tag": '{"type": "structural_tag", "format": {"type": "tag", "begin": "<", '
        '"content": {"type": "json_schema", "json_schema": {"type": "object"}}, "end": ["a", "b"]}}',
        "regex": r"(?<n>\p{L}+)(?=[^\]a-z]{2,})|\u0041\\",
    }
    for kind, text in texts.items():
        assistant = Assistant(kind)
        for end in range(len(text) + 1):
            assistant.read(text[:end])
            n_bytes = len(text[:end].encode())
            for word in assistant.completions(n_bytes):
                assert 0 <= word.span[0] <= word.span[1] <= n_bytes, (kind, text[:end], word)
            assistant.references(n_bytes)
            assistant.layout()
            assistant.symbols()


def test_a_text_that_is_too_long_is_refused() -> None:
    with pytest.raises(LimitError, match="at most 1,048,576 bytes"):
        Assistant("ebnf").read("é" * (MOST_BYTES // 2 + 1))


def test_a_kind_that_nobody_knows_is_refused() -> None:
    with pytest.raises(ArgumentError, match="there is no kind of text 'nonsense'"):
        Assistant("nonsense")
