"""What each format of a structural tag means: texts that it takes, and texts that it doesn't."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import xg2lab as xgr
from xg2lab.grammar import Grammar
from xg2lab.testing import _is_grammar_accept_string

ANY = {"type": "any_text"}
TAG = {"type": "tag", "begin": "<f=a>", "content": {"type": "const_string", "value": "1"}, "end": "</f>"}
OTHER = {"type": "tag", "begin": "<f=b>", "content": ANY, "end": ["</f>", "</>"]}


def const(value: str) -> dict[str, Any]:
    return {"type": "const_string", "value": value}


def tag(content: Any, begin: str = "<", end: Any = ">") -> dict[str, Any]:
    return {"type": "tag", "begin": begin, "content": content, "end": end}


def triggered(*tags: Any, **fields: Any) -> dict[str, Any]:
    return {"type": "triggered_tags", "triggers": ["<f="], "tags": list(tags or [TAG]), **fields}


def separated(*tags: Any, **fields: Any) -> dict[str, Any]:
    return {"type": "tags_with_separator", "tags": list(tags or [TAG]), "separator": ",", **fields}


# name: the format, what it takes, what it doesn't
FORMATS: dict[str, tuple[dict[str, Any], list[str], list[str]]] = {
    "const": (const("ab\n"), ["ab\n"], ["", "ab", "ab\n\n"]),
    "const-empty": (const(""), [""], ["a"]),
    "regex": ({"type": "regex", "pattern": r"\d{2}-(?!00)\d\d"}, ["12-34"], ["12-00", "1-34", ""]),
    "grammar": ({"type": "grammar", "grammar": 'root ::= a+\na ::= "x" | "y"'}, ["xy", "x"], ["", "xz"]),
    "any-text": (ANY, ["", "a", "日本 <>"], []),
    "any-text-excludes": ({**ANY, "excludes": ["ab", "c"]}, ["", "a", "ba", "日"], ["ab", "xabx", "c"]),
    "any-text-max-chars": ({**ANY, "max_chars": 2}, ["", "日本"], ["abc"]),
    "any-text-of-no-characters": (tag({**ANY, "max_chars": 0}), ["<>"], ["<a>"]),
    "text-ends-at-the-first-end": (tag(ANY), ["<>", "<ab>"], ["<ab>>", "<ab", "ab>"]),
    "text-ends-at-any-of-the-ends": (tag(ANY, end=[">", "|"]), ["<a>", "<a|"], ["<a|>", "<a>|"]),
    "text-whose-end-may-be-missing": (tag(ANY, end=[">", ""]), ["<", "<a", "<a>"], ["<a>b"]),
    "text-with-excludes-and-an-end": (tag({**ANY, "excludes": ["x"]}), ["<a>"], ["<x>"]),
    "an-exclude-that-is-the-end": (tag({**ANY, "excludes": ["</t>"]}, end="</t>"), ["<a</t>", "<</t>"], ["<"]),
    "an-exclude-within-the-end": (tag({**ANY, "excludes": ["/"]}, end="</t>"), ["<a</t>", "<<</t>"], ["</</t>"]),
    "counted-text-with-an-end": (tag({**ANY, "max_chars": 2}), ["<>", "<ab>"], ["<abc>", "<a>>"]),
    "text-of-tag-without-end-ends-at-the-outer-one": (tag(tag(ANY, "(", "")), ["<(a>"], ["<(a>>"]),
    "sequence": ({"type": "sequence", "elements": [const("a"), const("b")]}, ["ab"], ["a", "b", ""]),
    "text-before-a-constant": ({"type": "sequence", "elements": [ANY, const("x")]}, ["x", "axbx"], ["", "xa"]),
    "text-last-in-a-sequence-ends": (
        tag({"type": "sequence", "elements": [const("b"), ANY]}),
        ["<b>", "<ba>"], ["<ba>>"]
    ),
    "or": ({"type": "or", "elements": [const("a"), const("b")]}, ["a", "b"], ["ab", ""]),
    "text-in-an-or-ends": (tag({"type": "or", "elements": [const("b"), ANY]}), ["<b>", "<xy>"], ["<b>>"]),
    "optional": ({"type": "optional", "content": const("a")}, ["", "a"], ["aa"]),
    "optional-text-ends": (tag({"type": "optional", "content": ANY}), ["<>", "<a>"], ["<a>>"]),
    "plus": ({"type": "plus", "content": const("a")}, ["a", "aaa"], [""]),
    "star": ({"type": "star", "content": TAG}, ["", "<f=a>1</f><f=a>1</f>"], ["<f=a>1"]),
    "repeated-text-ends": (tag({"type": "star", "content": ANY}), ["<>", "<ab>"], ["<ab>>"]),
    "repeat": ({"type": "repeat", "min": 1, "max": 2, "content": const("a")}, ["a", "aa"], ["", "aaa"]),
    "repeat-without-limit": ({"type": "repeat", "min": 2, "max": -1, "content": const("a")}, ["aa", "aaaaa"], ["a"]),
    "tag": (TAG, ["<f=a>1</f>"], ["<f=a></f>", "1"]),
    "triggered": (
        triggered(),
        ["", "x", "<f=a>1</f>", "x<f=a>1</f>y<f=a>1</f>", "<f<f=a>1</f>"],
        ["<f=", "<f=b>1</f>", "<f=a>2</f>", "x<f=a>1"],
    ),
    "triggered-stops": (triggered(stop_after_first=True), ["", "x", "x<f=a>1</f>"], ["<f=a>1</f>y"]),
    "triggered-begins": (
        triggered(at_least_one=True),
        ["<f=a>1</f>", "<f=a>1</f>y<f=a>1</f>"], ["", "x", "x<f=a>1</f>"]
    ),
    "triggered-is-one": (
        triggered(at_least_one=True, stop_after_first=True),
        ["<f=a>1</f>"],
        ["", "x", "<f=a>1</f>y", "<f=a>1</f><f=a>1</f>"],
    ),
    "triggered-excludes": (triggered(excludes=["!"]), ["a<f=a>1</f>"], ["!", "<f=a>1</f>!"]),
    "triggered-tags-share-a-trigger": (
        triggered(TAG, OTHER),
        ["<f=a>1</f><f=b>x</>", "<f=b></f>"], ["<f=b>x", "<f=c>"]
    ),
    "trigger-is-the-whole-begin": (
        {"type": "triggered_tags", "triggers": ["<f=a>"], "tags": [TAG]}, ["<f=a>1</f>", "<f="], ["<f=a>"]
    ),
    "triggered-ends": (tag(triggered(), "[", "]"), ["[]", "[x<f=a>1</f>y]"], ["[x]]", "[<f=a>1</f>"]),
    "triggered-once-ends": (
        tag(triggered(stop_after_first=True), "[", "]"), ["[]", "[x]", "[x<f=a>1</f>]"], ["[x<f=a>1</f>y]", "[x]]"]
    ),
    "triggered-once-ends-with-an-exclude-within": (
        tag(triggered(stop_after_first=True, excludes=["/"]), "[", "[/]"),
        ["[[/]", "[x[/]", "[x<f=a>1</f>[/]"], ["[x<f=a>1</f>y[/]", "[/[/]", "[x"],
    ),
    "separated": (
        separated(),
        ["", "<f=a>1</f>", "<f=a>1</f>,<f=a>1</f>"], [",", "<f=a>1</f>,", "<f=a>1</f><f=a>1</f>"]
    ),
    "separated-begins": (separated(at_least_one=True), ["<f=a>1</f>"], [""]),
    "separated-stops": (separated(stop_after_first=True), ["", "<f=a>1</f>"], ["<f=a>1</f>,<f=a>1</f>"]),
    "separated-by-nothing": (separated() | {"separator": ""}, ["", "<f=a>1</f><f=a>1</f>"], ["<f=a>1</f>,"]),
    "separated-ends": (tag(separated(), "[", "]"), ["[]", "[<f=a>1</f>,<f=a>1</f>]"], ["[<f=a>1</f>"]),
    "separated-tags-without-ends": (
        tag(separated(tag(ANY, "<", "")), "(", ")"),
        ["(<a)", "(<a,<b)"], ["(<a))", "(<a,b)"]
    ),
    "dispatch": (
        {"type": "dispatch", "rules": [["<f=", const("1")], ["<g=", ANY]], "excludes": ["!"]},
        ["", "a<f=1b<f=1", "<g=x"],
        ["<f=2", "!"],
    ),
    "dispatch-once": ({"type": "dispatch", "rules": [["<f=", const("1")]], "loop": False}, ["", "a<f=1"], ["<f=1b"]),
    "dispatch-ends": (tag({"type": "dispatch", "rules": [["f=", const("1")]]}), ["<>", "<af=1b>"], ["<a>>", "<f=>"]),
    "dispatch-once-ends": (
        tag({"type": "dispatch", "rules": [["f=", const("1")]], "loop": False}), ["<>", "<a>", "<af=1>"], ["<f=1a>"]
    ),
    "any-json": ({"type": "json_schema", "json_schema": True}, ["1", '{"a": [null]}', '"\\u00df"'], ["", "{", "01"]),
    "json-with-little-space": (
        {"type": "json_schema", "json_schema": {}, "max_whitespace_cnt": 1}, ["[1, 2]"], ["[1,  2]"]
    ),
    "json-with-excludes": (
        {"type": "json_schema", "json_schema": {}, "excludes": ["<|", "x"]},
        ['"a<"', '{"<": "|"}', "[1]"],
        ['"<|"', '{"x": 1}', '["a<|b"]'],
    ),
}  # fmt: skip


def structural_tag(form: Any) -> dict[str, Any]:
    return {"type": "structural_tag", "format": form}


@pytest.mark.parametrize("name", FORMATS)
def test_what_a_format_takes(name: str):
    form, takes, refuses = FORMATS[name]
    grammar = Grammar.from_structural_tag(structural_tag(form))
    assert [text for text in takes if not _is_grammar_accept_string(grammar, text)] == []
    assert [text for text in refuses if _is_grammar_accept_string(grammar, text)] == []


@pytest.mark.parametrize("name", FORMATS)
def test_the_printed_grammar_is_the_same(name: str):
    form, takes, refuses = FORMATS[name]
    grammar = Grammar.from_ebnf(str(Grammar.from_structural_tag(structural_tag(form))))
    assert all(_is_grammar_accept_string(grammar, text) for text in takes)
    assert not any(_is_grammar_accept_string(grammar, text) for text in refuses)


def test_models_and_text_and_dicts_are_the_same():
    from xg2lab.structural_tag import StructuralTag

    for form, _, _ in FORMATS.values():
        value = structural_tag(form)
        made = StructuralTag.from_json(value)
        texts = [str(Grammar.from_structural_tag(given)) for given in (value, made, made.model_dump_json())]
        assert len(set(texts)) == 1


def test_the_older_form():
    from pydantic import BaseModel

    from xg2lab.structural_tag import StructuralTag, StructuralTagItem

    class Anything(BaseModel):
        pass

    items = [
        StructuralTagItem(begin="<f=a>", schema="true", end="</f>"),
        {"begin": "<f=b>", "schema": {}, "end": "</f>"},
    ]
    grammar = Grammar.from_structural_tag(items, ["<f="])
    assert _is_grammar_accept_string(grammar, "x<f=a>[1]</f><f=b>2</f>")
    assert not _is_grammar_accept_string(grammar, "<f=c>1</f>")
    tag = StructuralTag.from_legacy_structural_tag([StructuralTagItem(begin="<f", schema=Anything, end=">")], ["<f"])
    assert tag.format.tags[0].content.json_schema == Anything.model_json_schema()
    with pytest.raises(TypeError, match="needs `triggers`"):
        Grammar.from_structural_tag(items)


# ---- Tokens -------------------------------------------------------------------------------------

VOCABULARY = [b"a", b"b", b"<t>", b"</t>", b"<u>", b"x", b"<", b"t>", b"</s>"]
INFO = xgr.TokenizerInfo(VOCABULARY, stop_token_ids=[8], special_token_ids=[2, 3, 4])
STOP = 8


def token(which: Any) -> dict[str, Any]:
    return {"type": "token", "token": which}


def walks(form: Any, length: int) -> set[tuple[int, ...]]:
    """All sequences of tokens up to a length that a format takes, by masks."""
    compiled = xgr.GrammarCompiler(INFO).compile_structural_tag(structural_tag(form))
    found = set()

    def walk(matcher: Any, path: tuple[int, ...]) -> None:
        for allowed in matcher.allowed_tokens():
            if allowed == STOP:
                found.add(path)
            elif len(path) < length:
                after = matcher.fork()
                assert after.accept_token(allowed)
                walk(after, (*path, allowed))

    walk(xgr.GrammarMatcher(compiled), ())
    return found


def by_definition(length: int, takes: Any) -> set[tuple[int, ...]]:
    return {path for n in range(length + 1) for path in itertools.product(range(8), repeat=n) if takes(path)}


def test_token_formats():
    assert walks(token(5), 2) == {(5,)}
    assert walks(token("<t>"), 2) == {(2,)}
    assert walks({"type": "exclude_token", "exclude_tokens": [0, "x"]}, 1) == {
        (i,) for i in range(8) if i not in (0, 5)
    }
    free = {"type": "any_tokens", "exclude_tokens": ["a"]}
    assert walks(free, 2) == by_definition(2, lambda path: 0 not in path)
    assert walks({**free, "max_tokens": 1}, 3) == by_definition(1, lambda path: 0 not in path)
    in_tag = {"type": "tag", "begin": token("<t>"), "content": {"type": "any_tokens"}, "end": token("</t>")}
    assert walks(in_tag, 3) == by_definition(
        3, lambda path: len(path) > 1 and path[0] == 2 and path[-1] == 3 and 3 not in path[1:-1]
    )


def test_token_dispatch():
    form = {"type": "token_dispatch", "rules": [[2, {"type": "token", "token": 0}]], "exclude_tokens": [1]}

    def takes(path: tuple[int, ...]) -> bool:
        at = 0
        while at < len(path):
            if path[at] == 1:
                return False
            if path[at] == 2:
                at += 1
                if at == len(path) or path[at] != 0:
                    return False
            at += 1
        return True

    assert walks(form, 3) == by_definition(3, takes)
    once = walks({**form, "loop": False}, 3)
    assert once == {path for path in by_definition(3, takes) if 2 not in path or path.index(2) == len(path) - 2}


@pytest.mark.parametrize("at_least_one", [False, True])
@pytest.mark.parametrize("stop_after_first", [False, True])
def test_token_triggered_tags(at_least_one: bool, stop_after_first: bool):
    inner = {"type": "tag", "begin": token(2), "content": token(0), "end": token(3)}
    form = {
        "type": "token_triggered_tags", "trigger_tokens": ["<t>"], "tags": [inner], "exclude_tokens": [1, 4, 5, 6, 7],
        "at_least_one": at_least_one, "stop_after_first": stop_after_first,
    }  # fmt: skip

    def takes(path: tuple[int, ...]) -> bool:
        if any(t in (1, 4, 5, 6, 7) for t in path):
            return False
        text = "".join("ab<>u"[t] if t != 3 else ">" for t in path).replace("<a>", "T")
        if "<" in text or (at_least_one and not text.startswith("T")):
            return False
        return not stop_after_first or "T" not in text or text.index("T") == len(text) - 1

    found = walks(form, 4)
    assert found == by_definition(4, takes)


# ---- Special tokens: a text that is one may come as that ----------------------------------------


def spelled(paths: set[tuple[int, ...]]) -> set[str]:
    return {b"".join(VOCABULARY[t] for t in path).decode() for path in paths}


def test_a_tag_around_text_opens_and_closes_by_special_tokens_or_by_text():
    found = walks(tag(ANY, "<t>", "</t>"), 4)
    assert (2, 3) in found
    assert (2, 0, 1, 3) in found
    assert (6, 7, 0, 3) in found  # spelled
    assert not any(path.count(3) > 1 or path[-1] != 3 for path in found)


@pytest.mark.parametrize("fields", [{}, {"at_least_one": True}, {"stop_after_first": True}])
def test_triggered_tags_open_by_special_tokens(fields: dict[str, Any]):
    inner = tag(const("a"), "<t>", "</t>")
    form = {"type": "triggered_tags", "triggers": ["<t>"], "tags": [inner], "excludes": ["x"], **fields}
    found = walks(form, 4)
    plain = xgr.TokenizerInfo([b"a", b"b", b"<t>", b"</t>", b"<u>", b"x", b"<", b"t>", b"</s>"], stop_token_ids=[8])
    text_grammar = Grammar.from_structural_tag(structural_tag(form))
    assert plain.vocab_size == INFO.vocab_size
    assert found
    for path in found:  # whatever comes by tokens would be taken as text
        assert _is_grammar_accept_string(text_grammar, b"".join(VOCABULARY[t] for t in path).decode())
    assert (2, 0, 3) in found
    assert ((2, 0, 3, 0) in found) == ("stop_after_first" not in fields)
    assert ((1, 2, 0, 3) in found) == ("at_least_one" not in fields)
    assert not any(5 in path for path in found)


def test_triggers_of_special_tokens_in_a_tag_with_an_end():
    inner = tag(const("a"), "<t>", "</t>")
    for stop in (False, True):
        form = {"type": "triggered_tags", "triggers": ["<t>"], "tags": [inner], "stop_after_first": stop}
        found = walks(tag(form, "b", "x"), 5)
        assert (1, 5) in found
        assert (1, 2, 0, 3, 5) in found
        assert (1, 0, 0, 5) in found
        assert not any(path.count(5) > 1 or path[-1] != 5 for path in found)


# ---- Stop tokens: where nothing may follow, one stands for the end whose text it has ------------


def test_a_stop_token_stands_for_the_last_end():
    info = xgr.TokenizerInfo([b"a", b"<", b">", b",", b"<end>"], stop_token_ids=[4])
    compiler = xgr.GrammarCompiler(info)

    def allowed(form: Any, *tokens: int) -> list[int]:
        matcher = xgr.GrammarMatcher(compiler.compile_structural_tag(structural_tag(form)))
        assert all(matcher.accept_token(token) for token in tokens)
        return matcher.allowed_tokens()

    one = tag(const("a"), "<", "<end>")
    assert allowed(one, 1, 0) == [1, 4]  # the end as text begins with <
    assert allowed(separated(one), 1, 0) == [1, 4]
    assert allowed(tag(ANY, "<", ["<end>", ">"]), 1, 0) == [0, 1, 2, 3, 4]
    assert allowed({"type": "sequence", "elements": [one, const("a")]}, 1, 0) == [1]  # not the last
    assert allowed(tag(separated(one), "<", ">"), 1, 1, 0) == [1]
