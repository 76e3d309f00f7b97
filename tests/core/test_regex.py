"""Regular expressions as a user meets them: what matches, what is printed, what is refused and how.

Twin: xg2lab/reference/regex.py. At random, and against Python and JavaScript: tests/differential/test_regex.py.
"""

import json
from typing import Any

import numpy as np
import pytest

import xg2lab as xgr
from tests.vocabularies import cwv_info
from xg2lab._core import RegularLanguage
from xg2lab.errors import DeserializeFormatError, GrammarError, GrammarSyntaxError, LimitError, UnsupportedError
from xg2lab.grammar import Grammar
from xg2lab.reference.regex import matches_json

INFO = xgr.TokenizerInfo([bytes([byte]) for byte in range(256)] + [b"</s>"], stop_token_ids=[256])
COMPILER = xgr.GrammarCompiler(INFO)


def accepts(grammar: Any, text: str) -> bool:
    matcher = xgr.GrammarMatcher(COMPILER.compile_grammar(grammar))
    return matcher.accept_string(text) and matcher.is_completed()


def macro(pattern: str, **arguments: Any) -> str:
    words = "".join(f", {name}={json.dumps(value)}" for name, value in arguments.items())
    return f"root ::= Regex({json.dumps(pattern, ensure_ascii=False)}{words})"


WHOLE = {  # pattern: (texts that match, texts that don't)
    r"": ([""], ["a"]),
    r"a|": (["", "a"], ["b"]),
    r"()a(?:b)(?<n>c)(?P<m>d)": (["abcd"], ["abc"]),
    r".": (["a", "é", "😀", "\t"], ["", "\n", "\r", "\u2028", "ab"]),
    r"[^]": (["\n", "😀"], ["", "ab"]),
    r"[]|a": (["a"], ["", "]"]),
    r"\d\w\s": (["1_ ", "9a\xa0", "0Z\ufeff"], ["١a ", "1é ", "1a\u0085"]),
    r"\D\W\S": (["a-b", "١éx"], ["1-b", "aab", "a- "]),
    r"[\d\-x]+": (["1-x"], ["a"]),
    r"[\w-.]+": (["a-.", "b"], [","]),
    r"[a\-c]+": (["a-c"], ["b"]),
    r"[-a]|[b-]": (["-", "a", "b"], ["c"]),
    r"[^a-c\n]": (["d", "é"], ["b", "\n"]),
    r"[\b]": (["\b"], ["b"]),
    r"\t\n\v\f\r\0\x41\u00e9\u{1F600}\uD83D\uDE00\cJ": (["\t\n\v\f\r\0Aé😀😀\n"], [""]),
    r"\.\-\/\@\_\é\ ": ([".-/@_é "], ["a-/@_é "]),
    r"{a}{}x{,y}": (["{a}{}x{,y}"], ["a"]),
    r"a{2}b{1,}c{0,1}": (["aab", "aabbbc"], ["ab", "aabcc"]),
    r"a*?b+?c??d{1,2}?": (["bd", "aabbcdd"], ["ad"]),
    r"^abc$": (["abc"], ["xabc"]),
    r"\Aabc\Z|\Ax\z": (["abc", "x"], [""]),
    r"(^a|b)c$": (["ac", "bc"], ["aac"]),
    r"(^|,)a($|;)": (["a", ",a;", "a;"], ["aa"]),
    r"(a|$)+": (["", "a", "aa"], ["b"]),
    r"x*^y": (["y"], ["xy"]),
    r"x*$y*": (["", "xx"], ["xy", "y"]),
    r"\bcat\b|\Bs": (["cat"], ["s"]),
    r"a\b.b": (["a b", "a-b"], ["aab"]),
    r"a\B.b": (["aab", "a_b"], ["a b"]),
    r"(?!if\b)[a-z]+": (["i", "iff", "foo"], ["if", ""]),
    r"(?=.*\d)(?=.*[a-z]).{4,6}": (["abc1", "1aaaaa"], ["abcd", "1234", "ab1", "abcdef1"]),
    r"(?:(?!ab).)*": (["", "ba", "a", "bbb"], ["ab", "xabx"]),
    r".*(?<=a)b": (["ab", "xxab"], ["bb", "b"]),
    r".*(?<!a)b": (["b", "bb"], ["ab"]),
    r"(?=(?!b).)[a-c]|b(?!)": (["a", "c"], ["b"]),
    r"(?i)straße|K": (["STRAẞE", "straße", "k", "\u212a"], ["strasse"]),
    r"(?i:a)b(?-i:c)": (["Abc", "abc"], ["AB", "AbC"]),
    r"a(?i)b|c": (["aB", "C"], ["AB"]),
    r"(?s:.)(?s).": (["\n\n"], [""]),
    r"a(?#no)b": (["ab"], ["a"]),
    r"(?m)(^a$\n?)*": (["a", "a\na", ""], ["aa"]),
    r"\p{Lu}\p{Ll}\P{L}": (["Éa1"], ["ea1"]),
    r"\p{L}\p{Letter}\p{gc=L}\p{General_Category=Lowercase_Letter}\pL": (["aé中bß"], ["aé中B1"]),
    r"\p{Script=Greek}\p{sc=Cyrl}\p{Script_Extensions=Latin}": (["λжx"], ["lжx"]),
    r"\p{scx=Deva}\P{sc=Deva}": (["।।"], ["।ऄ"]),
    r"\p{Alphabetic}\p{White_Space}\p{ASCII}\p{Any}\p{Emoji}\p{ID_Start}": (["ⅷ\u3000a\n😀a"], ["1 a\n😀a"]),
    r"[\p{Nd}\p{Zs}]+": (["1 ٣\u3000"], ["a"]),
    r"[^\ud800-\udfff]\ud83d\ude00": (["a😀", "😀😀"], ["\n"]),
    r"\ud800|a": (["a"], [""]),
}


@pytest.mark.parametrize("pattern", WHOLE)
def test_what_matches(pattern: str):
    members, others = WHOLE[pattern]
    grammar = Grammar.from_regex(pattern)
    language = RegularLanguage.from_regex(pattern)
    for text in members:
        assert accepts(grammar, text), text
        assert language.accepts(text), text
    for text in others:
        assert not accepts(grammar, text), text
        assert not language.accepts(text), text


SEARCHES = {
    "b": (["b", "abc", "\nb"], ["", "a"]),
    "^a": (["a", "ab"], ["ba", "\na"]),
    "a$": (["a", "ba"], ["ab", "a\n"]),
    "^a|b$": (["ax", "xb", "a"], ["xax"]),
    "(^|x)a(y|$)": (["a", "ay!", "?xa"], ["?a", "ab"]),
    '^"$': (['"'], ['""', 'a"']),
    "cat|dog|cow": (["a cow!", "dog", "xcat"], ["ca", "do"]),
    r"\bcat\b": (["a cat.", "cat"], ["concat", "cats"]),
    r"^(?!.*bad).*ok": (["ok", "so ok"], ["bad ok", "ok bad", "o"]),
    "": (["", "a\nb"], []),
}


@pytest.mark.parametrize("pattern", SEARCHES)
def test_what_is_found(pattern: str):
    members, others = SEARCHES[pattern]
    for text in members + others:
        assert accepts(macro(pattern, search=True), text) == (text in members), text
        assert RegularLanguage.from_regex(pattern, search=True).accepts(text) == (text in members), text
        inside = json.dumps(text)[1:-1]
        assert accepts(macro(pattern, search=True, json_string=True), inside) == (text in members), text


JSON = [
    ("[^]*", ["", 'a\\"', "\\\\", "\\/", "/", "\\b\\f\\n\\r\\t", "\\u0000", "é\\u00E9", "\\ud83d\\uDE00😀", '"', "\n",
              "\x1f", "\x7f", "\\x", "\\u12", "\\u00g0", "\\ud83d", "\\ude00", "\\ud83d\\u0041", "\\"]),
    ('a"b', ['a\\"b', "a\\u0022b", "\\u0061\\u0022\\u0062", 'a"b', "ab"]),
    ("é[^x]", ["éa", "\\u00e9a", "\\u00E9\\n", "é\n", "é😀", "é\\ud83d\\ude00", "é\\u0078", "éx", "é\\u0058"]),
    ("[\\u{10000}-\\u{103FF}\\u{1F600}]", ["\\ud800\\udc00", "\\ud800\\udfff", "\\ud801\\udc00", "\\uD83d\\uDe00"]),
    ("[a-z]{40,50}", ["a" * 40, "a" * 51, "\\u0061" * 45, "a" * 39 + "\\u0041"]),
    ("(?!.*\\\\).{2}", ["ab", "a\\\\", "\\u005ca", "a\\u0062"]),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "texts"), JSON, ids=[pattern for pattern, _ in JSON])
def test_the_inside_of_a_json_string(pattern: str, texts: list[str]):
    grammar = Grammar.from_ebnf(macro(pattern, json_string=True))
    for text in texts:
        twin = pattern.replace("[^]", "(?:.|\\n|\\r)").replace("{10000}-\\u{103FF}", "{10000}-\U000103ff")
        expected = matches_json(twin, text, "s")
        assert accepts(grammar, text) == expected, text


def test_flags():
    assert accepts(macro("a.c", flags="is"), "A\nC")
    assert accepts(macro("a$\n^b", flags="mu"), "a\nb")
    assert not accepts(macro("a$\n^b|x", flags="u"), "a\nb")
    assert accepts(macro("[^k]", flags="i"), "j")
    assert not accepts(macro("[^k]", flags="i"), "\u212a")
    assert accepts(macro(r"\w", flags="i"), "ſ")
    assert not accepts(macro(r"\w"), "ſ")


# ---- What is printed, and written down ----

PRINTED = {
    "[a-z]{1,8}|[0-9]+": "root ::= [a-z]{1,8} | [0-9]+\n",
    "foo(bar|baz)*?": 'root ::= "foo" ("bar" | "baz")*\n',
    "^a(b|^c)$": 'root ::= "ab"\n',
    "(?i)a1": 'root ::= [Aa] "1"\n',
    r"(?!if\b)[a-z]+": r'root ::= Regex("(?!if\\b)[a-z]+")' + "\n",
    '(?=a"\n)\\p{L}"\\s': 'root ::= Regex("(?=a\\"\\n)\\\\p{L}\\"\\\\s")\n',
}


@pytest.mark.parametrize("pattern", PRINTED)
def test_the_printed_form_parses_back(pattern: str, capsys: pytest.CaptureFixture[str]):
    grammar = Grammar.from_regex(pattern, print_converted_ebnf=True)
    assert str(grammar) == PRINTED[pattern] == capsys.readouterr().out
    assert grammar.source == pattern
    assert str(Grammar.from_ebnf(str(grammar))) == str(grammar)


MACROS = [
    macro("a(?!b).", flags="is", search=True, json_string=True),
    macro("ab{40,}c", json_string=True),
    macro("x(\\.|[a-c]{50}){2,3}", json_string=True),
    'root ::= "\\"" Regex("[a-z]{1,65536}", json_string=true) "\\"" | Substring("a ", "b ", "\\"")',
]


@pytest.mark.parametrize("text", MACROS)
def test_machines_are_known_by_their_words(text: str):
    grammar = Grammar.from_ebnf(text)
    assert str(Grammar.from_ebnf(str(grammar))) == str(grammar)
    again = Grammar.deserialize_json(grammar.serialize_json())
    assert again.expressions() == grammar.expressions()
    assert again.source == text
    assert COMPILER.compile_grammar(again).n_states == COMPILER.compile_grammar(grammar).n_states
    both = Grammar.concat(grammar, again)
    assert str(both).count("Regex(") == 2 * str(grammar).count("Regex(")


def test_what_was_written_down_is_not_trusted():
    tables: Any = json.loads(Grammar.from_ebnf(macro("a(?!b).")).serialize_json())
    for words in ['"a"', 'Regex("a")', 'Regex("a(?!b).") "c"', 'Regex("a(")', "root", "", "Regex(", 'Substring("a"']:
        tables["expressions"] = [["machine", words, 0, 1]]
        with pytest.raises(DeserializeFormatError):
            Grammar.deserialize_json(json.dumps(tables))
    tables["expressions"] = [["machine", 5, 0, 1]]
    with pytest.raises(DeserializeFormatError):
        Grammar.deserialize_json(json.dumps(tables))


def test_a_compiled_grammar_with_machines_is_read_back():
    compiled = COMPILER.compile_grammar(MACROS[0])
    again = xgr.CompiledGrammar.deserialize_json(compiled.serialize_json(), INFO)
    assert again.serialize_json() == compiled.serialize_json()


def test_expressions_tell_the_words():
    tree: Any = Grammar.from_ebnf('root ::= "x" Regex("a(?!b)")').expressions()["root"]
    assert tree[1][1] == ("machine", 'Regex("a(?!b)")', (20, 26))


def test_compile_regex_is_from_regex_and_cached():
    compiler = xgr.GrammarCompiler(INFO)
    compiled = compiler.compile_regex("a(?=b)b|c")
    assert compiled is compiler.compile_regex("a(?=b)b|c")
    assert xgr.GrammarMatcher(compiled).accept_string("ab")
    assert xgr.GrammarMatcher(compiler.compile_grammar('root ::= "a"')).accept_string("a")


def test_a_large_repetition_is_counted_and_a_large_machine_stands_alone():
    compiled = COMPILER.compile_regex("[a-z]{0,65536}x|(ab){1,5000}")
    assert compiled.n_states < 30
    compiled = COMPILER.compile_grammar(macro("[a-z]{1,65536}", json_string=True))
    assert compiled.n_states < 40
    grammar = Grammar.from_ebnf('root ::= "(" Regex("(?!if$)[a-z]{1,300}") ")"')
    assert 'root ::= "(" root_machine ")"' in str(grammar.passes()[-1][1])
    assert accepts(grammar, "(" + "a" * 300 + ")")
    assert not accepts(grammar, "(if)")


def test_assertions_and_nullability_see_into_machines():
    kept = Grammar.from_ebnf('root ::= x Regex(";(?!;).*")   x ::= "1" (= ";" [^;]? )')
    assert kept.diagnostics == []
    broken = Grammar.from_ebnf('root ::= x Regex("a|(?!;).*")   x ::= "1" (= "a")')
    assert [d.code for d in broken.diagnostics] == ["lookahead_not_kept"]
    rules: Any = Grammar.from_ebnf('root ::= x y   x ::= Regex("(?!a)b*")   y ::= Regex("(?!a)b+")').rules
    assert [rule.is_nullable for rule in rules] == [False, True, False]


# ---- What is refused ----

SYNTAX = {
    "(a": [(1, "`(` is not closed", "add ), or write \\(")],
    "a)b)": [(column, "`)` closes nothing", "remove it, or write \\)") for column in (2, 4)],
    "[a": [(1, "`[` is not closed", "add ], or write \\[")],
    "a**": [(3, "a repetition is repeated", "put the first repetition into (?:...)")],
    "*a": [(1, "`*` repeats nothing", "write what is to be repeated before it, or a backslash")],
    "x|{2}": [(3, "`{2}` repeats nothing", "write what is to be repeated before it, or a backslash")],
    "^*": [(1, "an assertion can't be repeated", "remove the repetition")],
    r"\b+": [(1, "an assertion can't be repeated", "remove the repetition")],
    "a{3,2}": [(2, "repetition `{3,2}` requires at least 3 and at most 2", "write {2,3}")],
    "a{1,99999999999}": [(2, "repetition `{1,99999999999}` requires more than 2147483647",
                          "for no limit leave the upper bound out: {n,}")],
    "[z-a]": [(2, "range `z-a` runs backwards",
               "write the smaller code point first; a hyphen itself is \\-")],
    "é\\": [(2, "the pattern ends in a backslash", "a backslash itself is written \\\\")],
    r"\xg": [(1, "escape `\\x` needs 2 hexadecimal digits", "write for example \\x41")],
    r"\u{110000}": [(1, "escape `\\u{110000}` is beyond the last code point, U+10FFFF",
                     "write a code point from \\u{0} to \\u{10FFFF}")],
    "(?<1>a)(?<>b)": [(1, "this group has no name", "write (?<name>...) or (?:...)"),
                      (8, "this group has no name", "write (?<name>...) or (?:...)")],
}  # fmt: skip
UNSUPPORTED = {
    r"(a)\1": [(4, "backreference `\\1` is not supported",
                "no grammar can compare two texts; write the group's alternatives out")],
    r"(?<n>a)\k<n>": [(8, "backreference \\k is not supported",
                       "no grammar can compare two texts; write the group's alternatives out")],
    "(?P<n>a)(?P=n)": [(9, "group `(?P` is not supported",
                        "no grammar can compare two texts; a pattern can't refer to itself: write a rule")],
    "(?>a)b++": [(1, "group `(?>` is atomic, which is not supported", "write (?:...) if it means the same"),
                 (7, "possessive repetition `++` is not supported", "leave the + out if it means the same")],
    r"\p{Foo}\p{Greek}\p{lettr}": [
        (1, "Unicode property `Foo` is not supported",
         "there are general categories (\\p{Lu}), scripts (\\p{Script=Greek}) and binary properties such as "
         "\\p{Alphabetic}"),
        (8, "Unicode property `Greek` is not supported", "did you mean \\p{Script=Greek}?"),
        (17, "Unicode property `lettr` is not supported", "did you mean \\p{letter}?")],
    r"\y": [(1, "escape `\\y` is not supported",
             "a backslash goes before punctuation, or one of d D w W s S b B p P n r t v f c x u 0")],
    r"\01": [(1, "octal escape `\\01` is not supported", "write the code point as \\xHH or \\u{...}")],
    "(?<=a(?=b))c": [(6, "a lookahead in a lookbehind is not supported", "write it outside of the lookbehind")],
    r"(?<=\b)": [(5, "a word boundary in a lookbehind is not supported", "write it outside of the lookbehind")],
    "(?x)a": [(3, "group modifier `x` is not supported",
               "the modifiers are i, m, s and u; a group without captures is (?:...)")],
    "a{,3}": [(2, "repetition `{,3}` has no lower bound", "write {0,3}, or \\{ for a brace")],
}  # fmt: skip


@pytest.mark.parametrize("pattern", [*SYNTAX, *UNSUPPORTED])
def test_what_is_refused(pattern: str):
    kind = GrammarSyntaxError if pattern in SYNTAX else UnsupportedError
    with pytest.raises(kind) as caught:
        Grammar.from_regex(pattern)
    found = [(d.column, d.message, d.hint) for d in caught.value.diagnostics]
    assert found == (SYNTAX | UNSUPPORTED)[pattern]


def test_mistakes_in_a_macro_are_shown_in_the_grammar():
    with pytest.raises(GrammarSyntaxError) as caught:
        Grammar.from_ebnf('root ::= "é" Regex("\\\\q\\u00e9[z-a]", flags="ix")\n  Regex("a", "b") Regex(5, kind="x")')
    assert [(d.line, d.column, d.message) for d in caught.value.diagnostics] == [
        (1, 21, "escape `\\q` is not supported"),
        (1, 31, "range `z-a` runs backwards"),
        (1, 46, "flag `x` is not supported"),
        (2, 14, "Regex takes one pattern, as a text"),
        (2, 25, "Regex takes one pattern, as a text"),
        (2, 28, "Regex has no argument `kind`"),
    ]
    assert "      |                               ^^^\n" in str(caught.value)


def test_the_whole_message():
    with pytest.raises(UnsupportedError) as caught:
        Grammar.from_regex(r"^(\w+) \1$")
    assert str(caught.value) == (
        "backreference `\\1` is not supported\n"
        "  pattern:1:8\n"
        "    1 | ^(\\w+) \\1$\n"
        "      |        ^^\n"
        "  hint: no grammar can compare two texts; write the group's alternatives out"
    )


def test_limits_have_names():
    with pytest.raises(LimitError, match="needs a machine that is too large"):
        Grammar.from_regex("(a|b)*a(a|b){30}(?!c)")
    with pytest.raises(LimitError, match="needs a machine that is too large"):
        Grammar.from_regex("(?!a)((((a{1000}){1000}){1000}){1000}){1000}")
    with pytest.raises(LimitError, match="nested more than 200 deep"):
        Grammar.from_regex("(" * 60_000)
    with pytest.raises(LimitError, match="more than 65536 bytes"):
        Grammar.from_regex("a" * 100_000)
    assert accepts(Grammar.from_regex("(" * 200 + "a" + ")" * 200), "a")


def test_a_long_pattern_is_made_of_few_machines():
    long = "".join(chr(97 + i % 26) for i in range(3000))
    grammar = Grammar.from_ebnf(macro(long, json_string=True))
    assert str(grammar).count("Regex(") == 8
    assert accepts(grammar, long)
    assert accepts(grammar, "\\u0061" + long[1:])
    grammar = Grammar.from_ebnf(macro("|".join(f"w{i}" for i in range(1000)), json_string=True))
    assert accepts(grammar, "w99\\u0039")
    assert not accepts(grammar, "w1000")


def test_a_pattern_that_matches_nothing_is_an_error():
    for pattern in ("a$b", "[]", "(?!)", "(?=a)b", r"a\bb"):
        with pytest.raises(GrammarError, match="matches nothing"):
            Grammar.from_regex(pattern)


def test_an_assertion_that_can_not_hold_is_not_blamed_on_a_class():
    for pattern in ("(?<=a)b", "(?<=a+)b", "a(?=b)"):
        with pytest.raises(GrammarError) as caught:
            Grammar.from_regex(pattern)
        assert "no text has this form" in str(caught.value), pattern
        assert "find nothing before the first character" in (caught.value.diagnostics[0].hint or ""), pattern
    with pytest.raises(GrammarError, match="a class without characters"):
        Grammar.from_ebnf('root ::= "a" []')


def test_text_that_is_no_text():
    with pytest.raises(GrammarSyntaxError, match="not valid UTF-8"):
        Grammar.from_regex("a\ud800")
    with pytest.raises(TypeError, match="must be str or bytes"):
        Grammar.from_regex(5)  # pyright: ignore[reportArgumentType]
    assert accepts(Grammar.from_regex("é".encode()), "é")


# ---- Masks ----

WALKS = [
    (macro(r"(?!if\b)[a-z]+( [a-z]+\b)*"), "this is if not"),
    (macro("[^]{3,60}", json_string=True), 'say \\"ähm\\" \\u00e9\\n ok'),
    (macro(r"^\p{Lu}\p{L}* \d{4}-\d\d$", json_string=True, search=True), "Zürich 2026-11"),
    ('root ::= "\\"" Regex("cat|dog|cow", search=true, json_string=true) "\\""', '"a dog and a cat"'),
    ('root ::= "[" Substring("the ", "cat ", "sat ", "on ", "the ", "mat ") "]"', "[cat sat on the ]"),
]


@pytest.mark.parametrize(("grammar", "text"), WALKS)
def test_the_mask_is_what_is_accepted_with_a_real_vocabulary(grammar: str, text: str):
    info = cwv_info("mistral_spm_v3-32768")
    matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar(grammar))
    bitmask = np.zeros((1, (info.vocab_size + 31) // 32), np.int32)
    for token in info.encode_greedy(text):
        matcher.fill_next_token_bitmask(bitmask)
        bits = np.unpackbits(bitmask[0].view(np.uint8), bitorder="little")
        for other in range(info.vocab_size):
            is_accepted = matcher.accept_token(other)
            if is_accepted:
                matcher.rollback(1)
            assert is_accepted == bool(bits[other]), info.decoded_vocab[other]
        assert matcher.accept_token(token), info.decoded_vocab[token]
    assert matcher.is_completed()


def test_places_of_classes():
    body = xgr.Grammar.from_regex("x|[a-z]|[^b]").expressions()["root"]
    assert [branch[-1] for branch in body[1]] == [(0, 1), (2, 7), (8, 12)]
