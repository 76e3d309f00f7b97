"""Lark grammars as a user meets them: what is read, what it accepts, what is refused and how.

Twin: xg2lab/reference/lark.py. At random, and against Lark itself: tests/differential/test_lark.py.
"""

import json
import lzma
import os
import random
from pathlib import Path
from typing import Any

import pytest

import xg2lab as xgr
from xg2lab.errors import (
    ArgumentError,
    GrammarError,
    GrammarSyntaxError,
    LimitError,
    UnsupportedError,
    Xg2LabError,
)
from xg2lab.grammar import Grammar

DATA = Path(os.environ.get("XG2LAB_DATA") or Path(__file__).parents[2].parent / "shared" / "data")
INFO = xgr.TokenizerInfo([bytes([byte]) for byte in range(256)] + [b"</s>"], stop_token_ids=[256])
COMPILER = xgr.GrammarCompiler(INFO)


def accepts(grammar: Grammar, text: str) -> bool:
    matcher = xgr.GrammarMatcher(COMPILER.compile_grammar(grammar))
    return matcher.accept_string(text) and matcher.is_completed()


def check(text: str, accepted: list[str], rejected: list[str], **arguments: Any) -> Grammar:
    grammar = Grammar.from_lark(text, **arguments)
    assert [word for word in accepted if not accepts(grammar, word)] == []
    assert [word for word in rejected if accepts(grammar, word)] == []
    return grammar


def mistakes(text: str, **arguments: Any) -> list[tuple[str, int, str]]:
    """Code, line and the words that are pointed at, of each mistake."""
    with pytest.raises(Xg2LabError) as caught:
        Grammar.from_lark(text, **arguments)
    found = [(d.code, d.line, text.encode()[d.span[0] : d.span[1]].decode()) for d in caught.value.diagnostics]
    assert all(d.message and d.hint for d in caught.value.diagnostics)
    return found


FEATURES: dict[str, tuple[str, list[str], list[str]]] = {
    "a-text": ('start: "a"', ["a"], ["", "A", "aa"]),
    "case": ('start: "aß"i "b"', ["aßb", "Aßb"], ["aßB"]),
    "escapes": (r'start: "\n\t\"\\\x41\u00e9\U0001F600\d"', ['\n\t"\\Aé😀\\d'], ["A"]),
    "a-range": ('start: "a".."c" "é".."ë"', ["aé", "cê"], ["dé", "aa"]),
    "a-pattern": (r"start: /[a-c]\d+/", ["a1", "b22"], ["a", "d1"]),
    "flags-of-patterns": ("start: /a.b/is", ["a\nB", "Axb"], ["ab"]),
    "verbose": ("start: /a  b # no [\n  [ #]/x", ["ab ", "ab#"], ["a  b", "ab"]),
    "python-classes": (r"start: /\w\d\s./", ["é٣\x1c\r", "_1 x"], ["é٣\ufeffx", "a1 \n"]),
    "python-brackets": (r"start: /[]a]+[^]]{,2}/", ["]a", "]xy"], ["]xyz", "x"]),
    "a-sequence-and-a-choice": ('start: "a" ("b" | "c") | "d"', ["ab", "ac", "d"], ["a", "abd"]),
    "an-empty-alternative": ('start: "a" ("b" | )', ["a", "ab"], ["b"]),
    "repetitions": ('start: "a"? "b"* "c"+', ["c", "abbcc"], ["ab", "aac"]),
    "maybe": ('start: "a" ["b" | "c"]', ["a", "ab", "ac"], ["abc"]),
    "counts": ('start: "a"~2 "b"~1..3', ["aab", "aabbb"], ["ab", "aabbbb"]),
    "counts-in-braces": ('start: "a"{2} "b"{1,} "c"{,2}', ["aab", "aabbcc"], ["aa", "aabccc"]),
    "aliases-and-marks": ('start: x y -> z\n | y\n?x: "a"\n!y: "b"\n', ["ab", "b"], ["a"]),
    "inlined-rules": ('start: _x\n_x.3: "a" | "b" _x', ["a", "bba"], ["b"]),
    "recursion": ('start: "(" start ")" | ""', ["", "(())"], ["(()"]),
    "terminals": ('start: A B\nA: "a" | C\nB: C+ ["d"]\nC: "c"', ["ac", "cccd"], ["a", "ad"]),
    "bodies-over-lines": ('start: "a"\n  | "b"\n    "c"\n\n  // nothing\n  | "d" # no\n', ["a", "bc", "d"], ["b"]),
    "templates": ('start: list{x}\nlist{i}: i ("," i)*\nx: "a" | "b"', ["a", "a,b"], ["", "a,"]),
    "templates-in-templates": (
        'start: pair{list{"x"}, "y"}\npair{a, b}: a ":" b\nlist{i}: "[" i* "]"',
        ["[xx]:y", "[]:y"],
        ["[y]:x", "x:y"],
    ),
    "ignored": ('start: "a" "b"\n%ignore " "', ["ab", " a  b "], ["a.b"]),
    "ignored-comments": (
        'start: NAME+\nNAME: /[a-z]+/\n%ignore " "\n%ignore /#[^\\n]*/\n%ignore "\\n"',
        ["a b", "a # b c\n d", "a #", "#\na"],
        ["", "# a"],
    ),
    "common": (
        "start: INT NUMBER ESCAPED_STRING CNAME\n%import common (INT, NUMBER)\n%import common.ESCAPED_STRING\n"
        "%import common.CNAME\n%import common.WS\n%ignore WS",
        ['1 2.5e-3 "a\\"b" x_1', '1 .5"" x'],
        ['1 2 "a" 1', '1 2 "\n" x', '1 2 "a\\" x'],
    ),
    "common-with-alias": ("start: N\n%import common.SIGNED_INT -> N", ["-12", "+1"], ["1.5"]),
    "common-comments": (
        "start: C_COMMENT CPP_COMMENT NEWLINE SH_COMMENT\n%import common (C_COMMENT, CPP_COMMENT, NEWLINE, SH_COMMENT)",
        ["/* a **/// b\n\r\n# c"],
        ["/* a */ */// b\n# c"],
    ),
    "extend": ('start: A\nA: "a"\n%extend A: "b"\n%extend start: "c"', ["a", "b", "c"], ["d"]),
    "override": ("start: INT\n%import common.INT\n%override INT: /[0-7]+/", ["7"], ["8"]),
    "and-and-not": (
        r"start: LINES" "\n" r"LINES: /[a-z\n]*/ & ~/(?s:.*)\n\n(?s:.*)/",
        ["", "a\nb", "\n"],
        ["a\n\nb", "A"],
    ),
    "substrings": ('start: "<" S ">"\nS: %regex {"substring_words": "one two, 3"}', ["<two, >", "<>"], ["<ne>"]),
    "substring-chunks": ('start: %regex {"substring_chunks": ["ab", "c"]}', ["", "abc", "c"], ["b"]),
    "nested": ('start: "[" %lark { start: X+\n X: "x"\n %ignore " " } "]"', ["[x x]", "[xx]"], ["[]", "[y]"]),
    "schemas": (
        'start: "call " %json {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}',
        ['call {"a": 1}', 'call {"a": 1, "b": []}'],
        ["call {}", 'call {"a": "1"}'],
    ),
    "empty-texts": ('start: "" "a" ""', ["a"], [""]),
    "empty-terminals": ('start: "<" T ">"\nT: /[a-z]*/', ["<>", "<a>"], ["<"]),
    "a-byte-order-mark": ('\ufeffstart: "a"', ["a"], ["b"]),
    "a-hyphen-in-a-name": ('start: a-b\na-b: "x" -> y', ["x"], ["y"]),
}


@pytest.mark.parametrize("name", FEATURES)
def test_features(name: str) -> None:
    """A table: the grammar, texts that it accepts, texts that it doesn't."""
    text, accepted, rejected = FEATURES[name]
    grammar = check(text, accepted, rejected)
    printed = Grammar.from_ebnf(str(grammar), root_rule_name=grammar.root_rule_name)
    assert [word for word in accepted if not accepts(printed, word)] == []
    assert [word for word in rejected if accepts(printed, word)] == []


LEXING: dict[str, tuple[str, list[str], list[str]]] = {
    "keywords-are-no-names": ('start: "if" N | N "=" N\nN: /[a-z]+/\n%ignore " "', ["if x", "a=if"], ["ifx", "if=a"]),
    "a-text-of-any-case": ('start: "if"i N | N\nN: /[a-z]+/i\n%ignore " "', ["IF x", "ifx"], ["iF", "If"]),
    "the-longest-match": ('start: ("<" | "<=" | "=") N\nN: "x"', ["<x", "<=x"], ["<=", "< =x"]),
    "two-operators-or-one": ('start: ("-" | "--")+ "x"\n%ignore " "', ["--x", "- -x", "-x"], ["-", "x"]),
    "no-space-is-needed-after-a-sign": ('start: N ("+" N)*\nN: /[a-z]+/\n%ignore " "', ["a+b", "a +b"], ["a b", "ab+"]),
    "numbers-and-names": (
        'start: (NUM | NAME)+\nNUM: /[0-9]+/\nNAME: /[a-z][a-z0-9]*/\n%ignore " "',
        ["1 a", "1a", "a1"],
        ["+"],
    ),
    "comments-reach-their-end": ('start: N "x"\nN: "a"\n%ignore /#[a-z]*/', ["ax", "a#b#x"[:1] + "x"], ["a#bx"]),
    "what-may-stand-there": ('start: N "." N | "if" N\nN: /[a-z]+/\n%ignore " "', ["a.if", "if if"], ["if.a", "ifa"]),
    "words-that-begin-others": (
        'start: "a" N | N (JOIN N)? \nN: /[a-z]+/\nJOIN: /left +join/\n%ignore " "',
        ["x left join y", "x", "a left"],
        ["x left y", "x left"],
    ),
    "priorities": ('start: A N | N\nA.1: "if"\nN: /[a-z]+/', ["ifx", "x"], ["if"]),
    "lazy-patterns": (r"start: /<.*?>/ /[a-z]+/", ["<a>b", "<<>b"], ["<a>b>c", "<a>"]),
    "lazy-with-a-tail": (r"start: /\/(?!\/)(\\\/|[^\/])*?\/[im]*/ \"x\"".replace('\\"', '"'), ["/a/imx"], ["/a/b/x"]),
    "lookaheads-behind": (
        r"start: OP N?" "\n" r"OP: /[?](?![a-z])/" "\n" "N: /[a-z]/" '\n%ignore " "',
        ["?", "? a"],
        ["?a"],
    ),
    "python-strings": (
        'start: S S\nS: /[ub]?r?("(?!"").*?(?<!\\\\)(\\\\\\\\)*?"|\'(?!\'\').*?(?<!\\\\)(\\\\\\\\)*?\')/i\n%ignore " "',
        ["\"a\" 'b'", '"a\\"b" u""', "'a' r'\\\\'"],
        ['"a"', '"a\\" "b', '"""a"', "'a' '''"],
    ),
    "what-is-ignored-is-long": (
        'start: N "-" N\nN: "x"\n%ignore " "\n%ignore /--[^\\n]*/',
        ["x-x", "x - x"],
        ["x--x", "x--"],
    ),
}


@pytest.mark.parametrize("name", LEXING)
def test_lexing(name: str) -> None:
    """What Lark's contextual lexer would make of a text."""
    text, accepted, rejected = LEXING[name]
    check(text, accepted, rejected)


def test_lexers_by_name() -> None:
    text = 'start: "if" N | N "=" N\nN: /[a-z]+/\n%ignore " "'
    words = ["if x", "ifx", "if=a", "a=if", "a=b"]
    found = {
        lexer: [word for word in words if accepts(Grammar.from_lark(text, lexer=lexer), word)]
        for lexer in ("contextual", "basic", "dynamic", "dynamic_complete")
    }
    assert found == {
        "contextual": ["if x", "a=if", "a=b"],
        "basic": ["if x", "a=b"],
        "dynamic": words,
        "dynamic_complete": words,
    }
    both = 'start: A A\nA: "x"+'
    assert accepts(Grammar.from_lark(both, lexer="dynamic_complete"), "xx")
    assert mistakes(both, lexer="dynamic") == [("never_matches", 1, "start")]
    with pytest.raises(ArgumentError, match="contextual, basic, dynamic"):
        Grammar.from_lark(both, lexer="lalr")


def test_a_grammar_without_clashes_comes_out_as_it_went_in() -> None:
    grammar = Grammar.from_lark(
        'start: value\nvalue: NUMBER | "[" [value ("," value)*] "]"\nNUMBER: /[0-9]+/\n%ignore " "'
    )
    assert {rule.name: rule.body for rule in grammar.rules} == {
        "root": "start ignored?",
        "start": "value",
        "ignored": '" "+',
        "value": 'ignored? NUMBER | (ignored? "[") (value ((ignored? ",") value)*)? (ignored? "]")',
        "NUMBER": "[0-9]+",
    }


def test_start_rule() -> None:
    text = 'start: "a"\nother: "b"'
    assert accepts(Grammar.from_lark(text, start="other"), "b")
    assert mistakes(text, start="others") == [("missing_root", 1, "")]
    assert mistakes("A: /a/") == [("missing_root", 1, "")]


def test_rule_options() -> None:
    text = (
        'start: think "." answer\n'
        'think[capture="t", max_tokens=3]: /[a-z]*/\n'
        'answer[capture, temperature=0.5]: "yes" | "no"'
    )
    matcher = xgr.GrammarMatcher(COMPILER.compile_lark(text))
    assert matcher.accept_string("abc.")
    assert matcher.temperature == 0.5
    assert matcher.accept_string("no")
    assert ("t", b"abc") in matcher.get_captures()
    assert ("answer", b"no") in matcher.get_captures()


def test_lazy_rules_and_suffixes() -> None:
    lazy = 'start: ( f | g )* TEXT\nTEXT: /(.|\\n)*/\nhd[lazy]: TEXT "<f"\nf: hd "=1>"\ng: hd "=2>"'
    check(lazy, ["", "hello", "a<f=1>b", "a<f=1><f=2>"], ["a<f", "a<f=3>", "<f=1><f"])
    check('start: x "!"\nx[suffix="<e>"]: /.*/', ["a<e>!", "<e>!"], ["a!", "a<e>b<e>!", "a<e>"])
    check('start: x "!"\nx[suffix=END]: /.*/\nEND: "]" | ")"', ["a]!", "a)!"], ["a])!"])
    for value in ('""', "end"):
        assert mistakes(f"start: x\nx[suffix={value}]: /.*/") == [("bad_option", 2, value)]
    assert mistakes('start: x\nx[lazy]: y\ny: "a"') == [("terminal_not_regular", 2, "y")]
    assert mistakes("start: x\nx[lasy]: /a/") == [("unknown_option", 2, "lasy")]


CAPTURED = {
    # The table of llguidance's manual; there what a stop has ended is taken back, here it is
    # written.
    'start: o\nw[capture, stop="<end>"]: /.*/\no[capture]: w "!"': ("foo<end>!", {"w": "foo", "o": "foo!"}),
    'start: o\nw[capture, suffix="<end>"]: /.*/\no[capture]: w': ("foo<end>", {"w": "foo", "o": "foo<end>"}),
    "start: o\nw[capture, lazy]: /.*<end>/\no[capture]: w": ("foo<end>", {"w": "foo<end>", "o": "foo<end>"}),
    # What ends a rule: a pattern, a terminal, a text in any case. Its capture has a name.
    'start: w "!"\nw[capture="b", suffix=/[0-9]+[;\\/]/, stop_capture="e"]: /[a-z]*/': (
        "ab12;!",
        {"b": "ab", "e": "12;"},
    ),
    'start: w\nw[capture, stop=END, stop_capture="e"]: /[a-z]+/\nEND: "]" | ")"': ("ab)", {"w": "ab", "e": ")"}),
    'start: w\nw[capture, suffix="END"i]: /[a-z]*?[0-9]*/': ("ab1eNd", {"w": "ab1"}),
    "start: w\nw[capture, suffix=/END/i, max_tokens=20]: NAME\nNAME: /[a-z]+/": ("abenD", {"w": "ab"}),
    'start: w "."\nw[suffix="e", stop_capture="e"]: /[a-z]*/': ("abe.", {"e": "e"}),
    # A body that looks around, also at what ends it.
    'start: w\nw[capture, suffix="ed"]: /(?!re)[a-z]*(?=e)/': ("added", {"w": "add"}),
    # Within other grammars, templates and rules that are written several times.
    'start[capture]: "(" %lark {\nstart: x\nx[stop="e"]: /.*/\n} ")"': ("(abe)", {"start": "(ab)"}),
    'start: end{w} ";"\nend{x}: x\nw[capture, stop="e"]: /[a-d]+/': ("abe;", {"w": "ab"}),
    'start: "if" w "then" w\nw[capture, suffix=/ +/]: /[a-z]+/\n%ignore " "': ("if ab then c ", {"w": "c"}),
}


@pytest.mark.parametrize("text", CAPTURED)
def test_what_ends_a_rule_is_left_out_of_captures(text: str) -> None:
    written, captured = CAPTURED[text]
    for parser in ("earley", "pda"):
        compiler = xgr.GrammarCompiler(INFO, options=xgr.EngineOptions(parser=parser))  # pyright: ignore[reportArgumentType]
        grammar = Grammar.from_lark(text)
        for made in (grammar, Grammar.from_ebnf(str(grammar), root_rule_name=grammar.root_rule_name)):
            matcher = xgr.GrammarMatcher(compiler.compile_grammar(made))
            assert matcher.accept_string(written)
            assert matcher.is_completed()
            found = matcher.get_captures()
            assert {name: data.decode() for name, data in found} == captured


def test_a_suffix_that_may_begin_at_several_places() -> None:
    """The body once, as long as it can be; what ends it at each place."""
    text = 'start: w "!"\nw[capture, suffix=/a?b/, stop_capture="e"]: /a*/'
    matcher = xgr.GrammarMatcher(COMPILER.compile_lark(text))
    assert matcher.accept_string("aab!")
    assert matcher.get_captures() == [("w", b"aa"), ("e", b"b"), ("e", b"ab")]


def test_a_stop_is_a_suffix() -> None:
    for ends in ('"<e>"', "END", "/[])]/"):
        for body in ("/.*/", "/[a-z]+/ | /[0-9]/"):
            text = f'start: (x "!")+\nx[{{}}={ends}]: {body}\nEND: "]" | ")"'
            assert str(Grammar.from_lark(text.format("stop"))) == str(Grammar.from_lark(text.format("suffix")))
    check('start: x "e" "!"\nx[stop="e"]: /[a-z]*/', ["abee!", "ee!"], ["abe!", "abeee!", "e!"])
    assert mistakes('start: x\nx[stop=""]: /.*/') == [("bad_option", 2, '""')]
    assert mistakes('start: x\nx[stop="a", suffix="b"]: /.*/') == [("duplicate_option", 2, '"b"')]
    assert mistakes('start: x\nx[suffix="e", stop_capture=k]: /.*/') == [("bad_option", 2, "k")]
    assert mistakes('start: x\nx[stop_capture="k"]: /.*/') == [("bad_option", 2, '"k"')]
    around = "start: x\nx[suffix=/e\\b/, capture]: /.*/"
    assert mistakes(around) == [("unsupported_stop", 2, "x")]
    assert accepts(Grammar.from_lark(around.replace(", capture", "")), "abe")


def test_tokens_by_name_and_id() -> None:
    info = xgr.TokenizerInfo(
        [b"a", b"b", b"<|tool|>", b"<|end|>", b"</s>"], stop_token_ids=[4], special_token_ids=[2, 3]
    )
    compiler = xgr.GrammarCompiler(info)
    matcher = xgr.GrammarMatcher(compiler.compile_lark('start: <|tool|> "a"+ <|end|>'))
    assert matcher.accept_token(2)
    assert matcher.accept_token(0)
    assert matcher.allowed_tokens() == [0, 3]
    ids = "start: <[0-1]> <[^0,2-4]> <[*]>"
    assert [str(Grammar.from_lark(ids))] == ["start ::= Token(0, 1) ExcludeToken(0, 2, 3, 4) ExcludeToken()\n"]
    assert mistakes("start: <|tool|>") == [("unknown_special_token", 1, "<|tool|>")]
    assert mistakes("start: <|tol|>", tokenizer_info=info) == [("unknown_special_token", 1, "<|tol|>")]
    assert mistakes("start: <[5-2]> <[x]>") == [("bad_token_id", 1, "<[5-2]>"), ("bad_token_id", 1, "<[x]>")]


def test_named_grammars() -> None:
    digits = Grammar.from_ebnf("root ::= [0-9]+")
    named: dict[str, Any] = {"digits": digits, "word": "start: W\nW: /[a-z]+/\nV: /[aeiou]/"}
    check('start: @digits ":" @word @word', ["12:ab"], [":a", "1:"], named_grammars=named)
    check("start: V\n%import word.V", ["a"], ["b"], named_grammars=named)
    check("start: w\n%import .word (W, V)\nw: W V?", ["ab"], ["1"], named_grammars=named)
    assert mistakes("start: @nothing") == [("unknown_grammar", 1, "@nothing")]
    assert mistakes("start: X\n%import python.X") == [("unknown_import", 2, "%import python.X")]
    assert mistakes("start: X\n%import word.X", named_grammars=named) == [("unknown_import", 2, "X")]
    broken = {"g": 'start: "a" |\n  x'}
    assert mistakes('start: "["\n  @g', named_grammars=broken) == [("undefined_rule", 2, "@g")]
    itself = {"g": "start: @g"}
    assert {code for code, _, _ in mistakes("start: @g", named_grammars=itself)} == {"nesting_too_deep"}
    with pytest.raises(TypeError, match="a Grammar or a str, not int"):
        Grammar.from_lark("start: @g", named_grammars={"g": 1})  # type: ignore[dict-item]


MISTAKES: dict[str, tuple[str, list[tuple[str, int, str]]]] = {
    "an-unknown-rule": ("start: x\n", [("undefined_rule", 1, "x")]),
    "several": (
        'start: x Y\nz: "a" (\n',
        [("undefined_rule", 1, "x"), ("undefined_rule", 1, "Y"), ("unterminated_group", 2, "(")],
    ),
    "a-text-without-end": ('start: "ab\nx: "c"', [("unterminated_text", 1, '"ab')]),
    "a-pattern-without-end": ("start: /ab\n", [("unterminated_pattern", 1, "/ab")]),
    "a-rule-twice": ('start: "a"\nstart: "b"', [("duplicate_rule", 2, "start")]),
    "mixed-letters": ('start: aB\naB: "b"', [("bad_name", 1, "aB"), ("bad_name", 2, "aB")]),
    "a-recursive-terminal": ('start: A\nA: "a" A', [("recursive_terminal", 2, "A")]),
    "a-rule-in-a-terminal": ('start: A\nA: b\nb: "b"', [("terminal_not_regular", 2, "b")]),
    "declared": ('start: A _IN\nA: "a"\n%declare _IN _DE', [("unsupported_declared", 3, "_IN")]),
    "an-equals-sign": ('start = "a"', [("expected_token", 1, "start"), ("missing_root", 1, "")]),
    "two-repetitions": ('start: "a"*?', [("double_repetition", 1, "?")]),
    "counts-backwards": ('start: "a"~3..2', [("bad_repetition", 1, "3..2")]),
    "a-range-backwards": ('start: "b".."a"', [("bad_range", 1, '"b".."a"')]),
    "a-long-range": ('start: "ab".."c"', [("bad_range", 1, '"ab".."c"')]),
    "a-backreference": (r"start: /(a)\1/", [("unsupported_regex", 1, r"\1")]),
    "a-flag": ("start: /a/l", [("unsupported_regex", 1, "/a/l")]),
    "a-group": ("start: /a(b/", [("bad_regex", 1, "(")]),
    "a-look-behind-the-end": ('start: /a(?=b)/ "b"', [("unsupported_lookaround", 1, "/a(?=b)/")]),
    "a-look-before-the-beginning": (r"start: /(?<=b)a/", [("unsupported_lookaround", 1, "/(?<=b)a/")]),
    "a-statement": ('start: "a"\n%ignored " "', [("unknown_directive", 2, "%ignored")]),
    "an-import-of-nothing": ('start: "a"\n%import common', [("expected_token", 2, "")]),
    "a-template-without-arguments": ("start: x\nx{a}: a", [("bad_template", 1, "x")]),
    "a-template-to-start-with": ('start{a}: a "b"', [("bad_template", 1, "start")]),
    "too-many-arguments": ('start: x{"a", "b"}\nx{a}: a', [("bad_template", 1, 'x{"a", "b"}')]),
    "no-template": ('start: x{"a"}\nx: "b"', [("bad_template", 1, 'x{"a"}')]),
    "nothing-to-extend": ('start: "a"\n%extend x: "b"', [("undefined_rule", 2, "x")]),
    "a-schema-that-is-none": ('start: %json {"type": 1}', [("bad_schema", 1, '%json {"type": 1}')]),
    "a-schema-that-is-no-json": ("start: %json {x}", [("bad_schema", 1, "%json {x}")]),
    "a-structured-regex": (
        'start: %regex {"type": "number"}',
        [("unsupported_structured_regex", 1, '%regex {"type": "number"}')],
    ),
    "an-operator-in-a-rule": ('start: "a" & "b"', [("terminal_not_regular", 1, '"a" & "b"')]),
    "an-operator-in-the-middle": ('start: A\nA: ("a" & "b") "c"', [("unsupported_operator", 2, '"a" & "b"')]),
    "a-setting": (
        '%llguidance {"allow_initial_skip": true}\nstart: "a"',
        [("unsupported_setting", 1, '%llguidance {"allow_initial_skip": true}')],
    ),
    "a-stray-line": ('start: "a"\n+ 1', [("expected_token", 2, "1")]),
    "a-token-in-a-terminal": ("start: A\nA: <[5]>", [("terminal_not_regular", 2, "<[5]>")]),
    "terminals-that-run-together": ("start: A A\nA: /[a-z]+/", [("never_matches", 1, "start")]),
    "an-empty-ignore": ('start: "a"\n%ignore ""', [("empty_ignore", 2, '""')]),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name: str) -> None:
    """A table: the text, and each mistake's code, line and words."""
    text, expected = MISTAKES[name]
    assert mistakes(text) == expected


def test_a_whole_message() -> None:
    with pytest.raises(GrammarError) as caught:
        Grammar.from_lark('start: name ":" INT\n%ignore " "\nnames: /[a-z]+/')
    assert str(caught.value) == (
        "rule `name` is not defined\n"
        "  grammar:1:8\n"
        '    1 | start: name ":" INT\n'
        "      |        ^^^^\n"
        "  hint: did you mean `names`?\n"
        "terminal `INT` is not defined\n"
        "  grammar:1:17\n"
        '    1 | start: name ":" INT\n'
        "      |                 ^^^\n"
        "  hint: write %import common.INT"
    )


def test_warnings() -> None:
    grammar = Grammar.from_lark('start: A | B\nA: /[a-z]+/\nB: /[a-c]x?/\nC: "c"\nd: "d"')
    assert [(d.code, d.line) for d in grammar.diagnostics] == [
        ("terminals_overlap", 2),
        ("unused_rule", 4),
        ("unused_rule", 5),
    ]
    assert grammar.diagnostics[0].message == "`A` and `B` both match `a`; both readings are kept"
    cut = Grammar.from_lark('start: "a-b" | A\nA: /[a-z]+/')
    assert [(d.code, d.line) for d in cut.diagnostics] == [("text_cut", 1)]
    assert accepts(cut, "a-b")
    assert Grammar.from_lark('start: "ab" | A\nA: /[a-z]+/').diagnostics == []


def test_limits() -> None:
    with pytest.raises(LimitError, match="nested deeper than 200"):
        Grammar.from_lark("start: " + "(" * 300 + '"a"' + ")" * 300)
    with pytest.raises(LimitError, match="templates use each other too deep"):
        Grammar.from_lark('start: t{"a"}\nt{x}: x | t{u{x}}\nu{x}: x x')
    for grows in ('"b" x', "x x"):  # an argument that holds the one before, once or twice
        with pytest.raises(LimitError, match="templates use each other too deep"):
            Grammar.from_lark('start: t{"a"}\nt{x}: x | t{(' + grows + ")}")
    with pytest.raises(LimitError, match="more than 4194304 bytes"):
        Grammar.from_lark('start: "a"\n' + "#" * (4 << 20))
    with pytest.raises(LimitError, match="needs a machine that is too large"):
        Grammar.from_lark("start: /(a|b)*a(a|b){30}/")
    with pytest.raises(GrammarSyntaxError, match="not valid UTF-8"):
        Grammar.from_lark("start: \udc80")


def test_compile_lark_remembers() -> None:
    text = 'start: "a"'
    assert COMPILER.compile_lark(text) is COMPILER.compile_lark(text)
    assert COMPILER.compile_lark(text) is not COMPILER.compile_lark(text, lexer="dynamic")
    assert COMPILER.compile_lark(text, named_grammars={"x": Grammar.from_ebnf('root ::= "a"')}) is not None


# ---- The grammars of the data folder ----

NOT_READ = {  # what is wrong with them, as the first code says
    "lark-lark/common.lark": "missing_root",  # terminals for others to import
    "lark-lark/unicode.lark": "missing_root",
    "lark-lark/python.lark": "missing_root",  # single_input, file_input, eval_input
    "lark-lark/python2.lark": "missing_root",
    "lark-ligurio/gedcom.lark": "undefined_rule",
    "lark-ligurio/mdoc.lark": "never_matches",  # terminals side by side that are one
    "lark-ligurio/pf.lark": "undefined_rule",
    "lark-ligurio/phone_number.lark": "duplicate_rule",
    "lark-ligurio/postal.lark": "never_matches",
    "lark-ligurio/python3.lark": "missing_root",
    "lark-ligurio/restructuredtext.lark": "double_repetition",
    "lark-ligurio/rfc_1738.lark": "undefined_rule",
    "lark-ligurio/rfc_2396.lark": "missing_root",
    "lark-ligurio/rfc_2397.lark": "missing_root",
    "lark-ligurio/rfc_5321.lark": "missing_root",
    "lark-ligurio/rfc_5545.lark": "missing_root",
    "lark-ligurio/rfc_6531.lark": "missing_root",
    "lark-ligurio/rfc_822.lark": "missing_root",
    "lark-ligurio/rfc_822_datetime.lark": "missing_root",
    "lark-ligurio/toml.lark": "missing_root",
    "lark-syncode/python.lark": "unsupported_declared",
}


def lark_files() -> list[Path]:
    return sorted((DATA / "grammars").glob("lark-*/*.lark"))


def needs_data() -> None:
    if not lark_files():
        pytest.skip(f"no Lark grammars: {DATA / 'grammars'} is not there (set XG2LAB_DATA to the data folder)")


def test_data_grammars_are_read_or_refused_by_name() -> None:
    needs_data()
    for path in lark_files():
        name = f"{path.parent.name}/{path.name}"
        text = path.read_text(encoding="utf-8")
        if name not in NOT_READ:
            assert len(Grammar.from_lark(text).rules) > 0, name
            continue
        with pytest.raises(Xg2LabError) as caught:
            Grammar.from_lark(text)
        assert caught.value.diagnostics[0].code == NOT_READ[name], name


def test_pythons_indentation_is_named_with_its_line() -> None:
    needs_data()
    text = (DATA / "grammars/lark-lark/python.lark").read_text(encoding="utf-8")
    with pytest.raises(UnsupportedError) as caught:
        Grammar.from_lark(text, start="file_input")
    assert {(d.code, d.line) for d in caught.value.diagnostics} == {("unsupported_declared", 275)}
    # With braces in their place it is a grammar.
    braces = text.replace("%declare _INDENT _DEDENT", '_INDENT: "{"\n_DEDENT: "}"')
    grammar = Grammar.from_lark(braces, start="file_input")
    assert accepts(grammar, "def f(x, *y):\n{ return re.match(x, 'a') if not y else 0x1F\n}x = 1.5e3\n")
    assert not accepts(grammar, "def f(x):\n{ returnx y\n}")
    assert not accepts(grammar, "x = 'a\n")


@pytest.mark.parametrize(
    ("name", "accepted", "rejected"),
    [
        ("lark-lark/json.lark", ['{"a": [1, -2.5e3, true, null, "x\\"y"]}', " [ ] "], ["{a: 1}", "[1 2]", '"\n"']),
        ("lark-syncode/json.lark", ['{"a": [1, true]}'], ["{'a': 1}"]),
        ("lark-lark/lark.lark", ['start: a "b"i~1..3 |/c/x -> d\n%ignore WS\n'], ["start ::= a"]),
        ("lark-llguidance/lark.lark", ["start: a\n"], ["start ::= a"]),
        ("lark-syncode/calc.lark", ["1 + 2*(3-4)"], ["1 +"]),
        ("lark-ligurio/palindrome.lark", ["aboba", "o"], ["ab"]),
    ],
)
def test_data_grammars_accept_what_they_should(name: str, accepted: list[str], rejected: list[str]) -> None:
    needs_data()
    check((DATA / "grammars" / name).read_text(encoding="utf-8"), accepted, rejected)


@pytest.mark.parametrize(
    ("grammar", "texts", "language", "n_least"),
    [("java", "code_dev.jsonl.xz", "java", 48), ("sql", "spider_dev_sql_dev.jsonl.xz", "sql", 58)],
)
def test_programs(grammar: str, texts: str, language: str, n_least: int) -> None:
    """Of 60 programs as many are accepted as Lark reads with its contextual lexer: 49 and 60 when this was written."""
    needs_data()
    with lzma.open(DATA / "program-texts" / texts, "rt", encoding="utf-8") as lines:
        programs = [row["text"] for row in map(json.loads, lines) if row["lang"] == language][:60]
    text = (DATA / f"grammars/lark-syncode/{grammar}.lark").read_text(encoding="utf-8")
    compiled = COMPILER.compile_lark(text)
    n_accepted = 0
    for program in programs:
        matcher = xgr.GrammarMatcher(compiled)
        n_accepted += matcher.accept_string(program) and matcher.is_completed()
    assert n_accepted >= n_least


# ---- Any text ----

PIECES = [
    *'abAB"/\\()[]{}|:;,.*+?~!&@<>#%\n\n -_0159',
    "start: ",
    "x: ",
    '"a"',
    "/a/",
    "%import common.INT\n",
    "%ignore ",
    "%json {",
    "%lark {",
    "%regex {",
    "..",
    "->",
    "~1..3",
    "<[1]>",
    "[lazy]",
    "x{a}: ",
    "x{y}",
    "é",
    "\x00",
    "%extend ",
]


@pytest.mark.parametrize("seed", range(4))
def test_any_text_is_a_grammar_or_a_mistake_with_a_place(seed: int) -> None:
    rng = random.Random(seed)
    seeds = [text for text, _, _ in (*FEATURES.values(), *LEXING.values())] + [text for text, _ in MISTAKES.values()]
    for _ in range(400):
        if rng.random() < 0.4:
            text = "".join(rng.choice(PIECES) for _ in range(rng.randint(1, 60)))
        else:
            text = rng.choice(seeds)
            for _ in range(rng.randint(1, 4)):
                at = rng.randint(0, len(text))
                text = text[:at] + rng.choice(["", *PIECES]) + text[at + rng.randint(0, 3) :]
        try:
            grammar = Grammar.from_lark(text, lexer=rng.choice(["contextual", "basic", "dynamic", "dynamic_complete"]))
        except Xg2LabError as error:
            for diagnostic in error.diagnostics:
                begin, end = diagnostic.span
                assert 0 <= begin <= end <= len(text.encode()), text
        else:
            again = Grammar.from_ebnf(str(grammar), root_rule_name=grammar.root_rule_name)
            assert str(again) == str(grammar), text
