r"""The EBNF front end: what is read, and what is said about mistakes, word for word.

Twin: xg2lab/reference/ebnf.py. Table: tests/cases/errors.toml
"""

import os
from pathlib import Path

import pytest

import xg2lab as xgr
from tests.cases import ErrorCase, load_cases, load_error_cases
from tests.generators import random_grammar, seeded, write_ebnf
from xg2lab.errors import GrammarError, GrammarSyntaxError, LimitError, UnsupportedError, Xg2LabError
from xg2lab.grammar import Grammar

DATA = Path(os.environ.get("XG2LAB_DATA") or Path(__file__).parents[2].parent / "shared" / "data")


def body(text: str) -> str:
    """The body of the root as it is printed."""
    return str(Grammar.from_ebnf(text)).splitlines()[0].removeprefix("root ::= ")


def refusal(text: str | bytes, **options: str) -> Xg2LabError:
    with pytest.raises(Xg2LabError) as caught:
        Grammar.from_ebnf(text, **options)
    return caught.value


def codes(text: str | bytes) -> list[str]:
    return [diagnostic.code for diagnostic in refusal(text).diagnostics]


# ---- What is read ----


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        (r'root ::= "\" \\ \/ \' \? \n \r \t \b \f \a \v \0 \e"',
         r'''"\" \\ / ' ? \n \r \t \x08 \x0c \x07 \x0b \x00 \x1b"'''),
        (r"root ::= '\' \" é'", r'''"' \" é"'''),
        (r'root ::= "\x41\u0042\U00000043\xe9\uD83D\uDE00"', '"ABCé😀"'),
        (r"root ::= [\x41-\x43\u00e9\]\[\^\-] [a-] [-a] [a\-z] [\uD83D\uDE00-\uD83D\uDE02]",
         r"[\-A-C\[\]\^é] [\-a] [\-a] [\-az] [😀-😂]"),
        ("root ::= [] | [^] | [^^] | [^\\^] | [[a]", r"[] | [^] | [^\^] | [^\^] | [\[a]"),
        (r"root ::= [^a-z] | [^\x00-\uD7FF\uE000-\U0010ffff] | [\x00-\U0010ffff]", "[^a-z] | [] | [^]"),
        ('root ::= "a"{2} "b"{ 2 , } "c"{2,5} "d"{,5} "e"{0,1} "f"{1} "g"{0,} "h"{ 1 ,}',
         '"a"{2} "b"{2,} "c"{2,5} "d"{0,5} "e"? "f" "g"* "h"+'),
        ('root ::= "a"*? "b"{2}{3}', '("a"*)? ("b"{2}){3}'),
        ('root ::= | "a" | | ("b" |) ()', '"" | "a" | "" | ("b" | "") ""'),
        ("root ::=", '""'),
        ("root ::= größe größe ::= 規則_1 規則_1 ::= a-b.c a-b.c ::= 2x 2x ::= ''", "größe"),
        ("\ufeffroot ::= 'a'", '"a"'),
        ("# one\nroot\n::=#two\r'a'\r\n#three", '"a"'),
        ("root ::= 'a'\u00a0\u3000'b'\x0b\x0c'c'", '"a" "b" "c"'),
        ("root ::= '\x00\x01'", r'"\x00\x01"'),
        ("root ::= x('a')\nx ::= Token 'b' Token ::= 'c'", 'x "a"'),
        ('root ::= "#" # "not this"\n "#"', '"#" "#"'),
    ],
)  # fmt: skip
def test_spellings(text: str, printed: str) -> None:
    assert body(text) == printed


def test_a_rule_begins_wherever_its_name_is_defined() -> None:
    text = 'root ::= a b a ::= "x"\n| "y" b\n::= (\n"z")'
    assert str(Grammar.from_ebnf(text)) == 'root ::= a b\na ::= "x" | "y"\nb ::= "z"\n'


def test_bytes_are_read_as_utf8() -> None:
    assert Grammar.from_ebnf("root ::= 'é'".encode()).source == "root ::= 'é'"


def test_text_must_be_text() -> None:
    with pytest.raises(TypeError, match="text must be str or bytes, not list"):
        Grammar.from_ebnf(["root"])


def test_another_root() -> None:
    grammar = Grammar.from_ebnf("a ::= b b ::= 'x'", root_rule_name="b")
    assert grammar.root_rule_name == "b"
    assert [d.code for d in grammar.diagnostics] == ["unused_rule"]


@pytest.mark.parametrize("folder", ["gbnf-llama.cpp", "ebnf-transformers-cfg"])
def test_published_grammars_are_read(folder: str) -> None:
    paths = sorted((DATA / "grammars" / folder).glob("*bnf"))
    if not paths:
        pytest.skip(f"no grammars in {DATA / 'grammars' / folder}")
    for path in paths:
        grammar = Grammar.from_ebnf(path.read_text(encoding="utf-8"))
        assert str(Grammar.from_ebnf(str(grammar))) == str(grammar), path.name
        assert grammar.passes()[-1][1].root_rule_name == "root"


def test_the_cases_of_the_table_are_read() -> None:
    for case in load_cases():
        grammar = Grammar.from_ebnf(case.grammar)
        assert str(Grammar.from_ebnf(str(grammar))) == str(grammar), case


# ---- What is said about mistakes ----

MESSAGES = {
    "digits ::= [0-9]{5,2}": """repetition {5,2} requires at least 5 and at most 2
  grammar:1:17
    1 | digits ::= [0-9]{5,2}
      |                 ^^^^^
  hint: write {2,5}""",
    "root ::= a{99999999999}\na ::= 'x'": """repetition `{99999999999}` requires more than 2147483647
  grammar:1:11
    1 | root ::= a{99999999999}
      |           ^^^^^^^^^^^^^
  hint: for no limit leave the upper bound out: {n,}""",
    "root ::= 'a'{two}": """repetition `{two}` is not {n}, {n,}, {,m} or {n,m}
  grammar:1:13
    1 | root ::= 'a'{two}
      |             ^^^^^
  hint: write for example {2}, {2,}, {,5} or {2,5}""",
    "root ::= 'a'{2,5": """`{2,5` is not closed: a repetition is {n}, {n,}, {,m} or {n,m}
  grammar:1:13
    1 | root ::= 'a'{2,5
      |             ^^^^
  hint: write for example {2,5}; a brace as text is "{\"""",
    'root ::= "abc\n  "d"': """literal is not closed in its line
  grammar:1:10
    1 | root ::= "abc
      |          ^^^^
  hint: add "; a line break in it is \\n""",
    "root ::= [abc\n": """class is not closed in its line
  grammar:1:10
    1 | root ::= [abc
      |          ^^^^
  hint: add ]; a line break in it is \\n, a bracket \\]""",
    "root ::= ('a' | ('b')\nx ::= 'c'": """`(` is not closed
  grammar:1:10
    1 | root ::= ('a' | ('b')
      |          ^
  hint: add )""",
    "root ::= 'a' (= 'b'": """`(=` is not closed
  grammar:1:14
    1 | root ::= 'a' (= 'b'
      |              ^^
  hint: add )""",
    "root ::= 'a') 'b'": """`)` closes nothing
  grammar:1:13
    1 | root ::= 'a') 'b'
      |             ^
  hint: remove it, or add ( before""",
    r'root ::= "a\qé"': r"""unknown escape `\q`
  grammar:1:12
    1 | root ::= "a\qé"
      |            ^^
  hint: escapes are \n \r \t \b \f \a \v \0 \e \\ \" \' \/ \? \[ \] \- \^ \xHH \uXXXX \UXXXXXXXX; a backslash is \\""",
    r'root ::= "\é"': r"""unknown escape `\é`
  grammar:1:11
    1 | root ::= "\é"
      |           ^^
  hint: escapes are \n \r \t \b \f \a \v \0 \e \\ \" \' \/ \? \[ \] \- \^ \xHH \uXXXX \UXXXXXXXX; a backslash is \\""",
    r"root ::= [\x4]": r"""escape `\x4` needs 2 hexadecimal digits
  grammar:1:11
    1 | root ::= [\x4]
      |           ^^^
  hint: write for example \x0A, \u000A or \U0000000A""",
    r"root ::= '\U00110000'": r"""escape `\U00110000` is beyond the last code point, U+10FFFF
  grammar:1:11
    1 | root ::= '\U00110000'
      |           ^^^^^^^^^^
  hint: write a code point from \U00000000 to \U0010FFFF""",
    r"root ::= '\uDE00\uD83D'": r"""escape `\uDE00` is half of a surrogate pair, not a character
  grammar:1:11
    1 | root ::= '\uDE00\uD83D'
      |           ^^^^^^
  hint: write the character itself, or its code point as \UXXXXXXXX
escape `\uD83D` is half of a surrogate pair, not a character
  grammar:1:17
    1 | root ::= '\uDE00\uD83D'
      |                 ^^^^^^
  hint: write the character itself, or its code point as \UXXXXXXXX""",
    r"root ::= [\x7a-a]": r"""range `\x7a-a` runs backwards
  grammar:1:11
    1 | root ::= [\x7a-a]
      |           ^^^^^^
  hint: write a-\x7a""",
    "root ::= + 'a'": """`+` repeats nothing
  grammar:1:10
    1 | root ::= + 'a'
      |          ^
  hint: put what is repeated before it, or write the character as a literal: "+\"""",
    "root ::= 'a' | *": """`*` repeats nothing
  grammar:1:16
    1 | root ::= 'a' | *
      |                ^
  hint: put what is repeated before it, or write the character as a literal: "*\"""",
    "root ::= digits\ndigit ::= [0-9]": """rule `digits` is not defined
  grammar:1:10
    1 | root ::= digits
      |          ^^^^^^
  hint: did you mean `digit`?""",
    "root ::= Root | x": """rule `Root` is not defined
  grammar:1:10
    1 | root ::= Root | x
      |          ^^^^
  hint: did you mean `root`?
rule `x` is not defined
  grammar:1:17
    1 | root ::= Root | x
      |                 ^
  hint: define it: x ::= ...""",
    "root ::= a\n\n  a ::= 'x'\na ::= 'y'": """rule `a` is defined twice
  grammar:4:1
    4 | a ::= 'y'
      | ^
  hint: the first definition is at line 3, column 3; join the two with |, or rename one""",
    "roots ::= 'a'": """the root rule `root` is not defined
  grammar:1:1
    1 | roots ::= 'a'
      | ^
  hint: did you mean `roots`?; name another root with root_rule_name""",
    "one ::= 'a' two ::= 'b'": """the root rule `root` is not defined
  grammar:1:1
    1 | one ::= 'a' two ::= 'b'
      | ^
  hint: the rules are `one`, `two`; name another root with root_rule_name""",
    "root = 'a'": """expected `::=` after `root`, found `=`
  grammar:1:6
    1 | root = 'a'
      |      ^
  hint: a rule is written root ::= ...""",
    "root": """expected `::=` after `root`, found the end
  grammar:1:5
    1 | root
      |     ^
  hint: a rule is written root ::= ...""",
    "<root> ::= 'a'": """expected a rule, found `<`
  grammar:1:1
    1 | <root> ::= 'a'
      | ^
  hint: a rule is written name ::= ...""",
    "root ::= x\nx = 'a'": """unexpected `=`
  grammar:2:3
    2 | x = 'a'
      |   ^
  hint: a rule is written name ::= ...""",
    "root ::= 'a' ::= 'b'": """`::=` has no rule's name before it
  grammar:1:14
    1 | root ::= 'a' ::= 'b'
      |              ^^^
  hint: a rule is written name ::= ...""",
    "root ::= “say” 'b', 'c';": """unexpected `“say”`
  grammar:1:10
    1 | root ::= “say” 'b', 'c';
      |          ^^^^^
  hint: write straight quotation marks: "..."
unexpected `,`
  grammar:1:19
    1 | root ::= “say” 'b', 'c';
      |                   ^
  hint: parts of a sequence are separated by spaces; remove the comma
unexpected `;`
  grammar:1:24
    1 | root ::= “say” 'b', 'c';
      |                        ^
  hint: rules need no end mark; remove it""",
    "root ::= 'a' &&& \x00": """unexpected `&`
  grammar:1:14
    1 | root ::= 'a' &&& ?
      |              ^
  hint: text is written in quotation marks: "..."
unexpected `U+0000`
  grammar:1:18
    1 | root ::= 'a' &&& ?
      |                  ^
  hint: text is written in quotation marks: \"...\"""",
    "root ::= 'a' (= 'b') | 'c'": """expected the next rule, found `|`
  grammar:1:22
    1 | root ::= 'a' (= 'b') | 'c'
      |                      ^
  hint: a lookahead (= ...) must be at the end of its rule""",
    "root ::= ('a' (= 'b')) 'c'": """a lookahead (= ...) is not allowed inside an expression
  grammar:1:15
    1 | root ::= ('a' (= 'b')) 'c'
      |               ^^
  hint: put it at the end of the rule, after all alternatives""",
    "root ::= TagDispatch(('<a>', x), stop_eos=true, loop_after_dispatch = (1.5)) x\nx ::= 'a'":
    """loop_after_dispatch must be true or false
  grammar:1:71
    1 | root ::= TagDispatch(('<a>', x), stop_eos=true, loop_after_dispatch = (1.5)) x
      |                                                                       ^^^^^
  hint: write loop_after_dispatch=true or loop_after_dispatch=false""",
    "root ::= Regex('(a)\\\\1', flags='i') x\nx ::= 'a'": """backreference `\\1` is not supported
  grammar:1:20
    1 | root ::= Regex('(a)\\\\1', flags='i') x
      |                    ^^^
  hint: no grammar can compare two texts; write the group's alternatives out""",
    "root ::= x\nx[max_token=3] ::= 'a'*": """a rule has no option `max_token`
  grammar:2:3
    2 | x[max_token=3] ::= 'a'*
      |   ^^^^^^^^^
  hint: did you mean `max_tokens`?""",
}  # fmt: skip

KINDS = {
    "undefined_rule": GrammarError, "duplicate_rule": GrammarError, "missing_root": GrammarError,
    "empty_grammar": GrammarError, "never_matches": GrammarError, "nesting_too_deep": LimitError,
    "bad_macro_argument": GrammarError, "unsupported_regex": UnsupportedError, "unknown_option": GrammarError,
}  # fmt: skip


@pytest.mark.parametrize("text", MESSAGES)
def test_messages(text: str) -> None:
    error = refusal(text)
    assert str(error) == MESSAGES[text]
    kinds = {KINDS.get(diagnostic.code, GrammarSyntaxError) for diagnostic in error.diagnostics}
    assert {type(error)} == kinds
    assert error.span == error.diagnostics[0].span
    assert error.hint == error.diagnostics[0].hint


def test_a_byte_that_is_not_utf8_is_named_by_its_offset() -> None:
    assert str(refusal(b"root ::= '\xc3\xa9' \xc3\x28")) == (
        "byte 14 (0xc3) is not valid UTF-8\n"
        "  grammar:1:14\n"
        "    1 | root ::= 'é' ?(\n"
        "      |              ^\n"
        "  hint: save the text as UTF-8; a code point can also be written \\xHH"
    )
    for data in [b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"\x80"]:
        error = refusal(b"root ::= '" + data + b"'")
        assert [(d.code, d.span) for d in error.diagnostics] == [("invalid_utf8", (10, 11))]
    assert codes("root ::= '\ud800'") == ["invalid_utf8"]


def test_a_text_without_rules_is_refused() -> None:
    for text in ["", "  # root ::= 'a'"]:
        error = refusal(text)
        assert [(d.code, d.span) for d in error.diagnostics] == [("empty_grammar", (0, 0))]
        assert str(error) == (
            "the grammar has no rules\n"
            "  grammar:1:1\n"
            f"    1 | {text}\n"
            "      | ^\n"
            '  hint: write for example root ::= "yes" | "no"'
        )


def test_all_mistakes_of_a_text_are_reported_in_order() -> None:
    text = """root ::= one | [z-a] | two{3,1}
two ::= ("a" | three
three ::= "\\q" | 'unclosed
two ::= Regex("\\\\p{X}")
four ::= five (= "a") "b"
"""
    error = refusal(text)
    assert isinstance(error, GrammarSyntaxError)
    assert [(d.line, d.column, d.code) for d in error.diagnostics] == [
        (1, 10, "undefined_rule"),
        (1, 17, "reversed_range"),
        (1, 27, "bad_repetition"),
        (2, 9, "unterminated_group"),
        (3, 12, "bad_escape"),
        (3, 18, "unterminated_literal"),
        (4, 1, "duplicate_rule"),
        (4, 16, "unsupported_regex"),
        (5, 10, "undefined_rule"),
        (5, 23, "expected_token"),
    ]
    assert str(error).count("\n    ") == 20


def test_the_kind_follows_the_gravest_mistake() -> None:
    assert type(refusal("root ::= a Regex('x')")) is GrammarError
    assert type(refusal("root ::= a Regex('x') )")) is GrammarSyntaxError
    assert type(refusal("root ::= a" + "(" * 2000)) is LimitError


def test_many_mistakes_are_counted_not_all_shown() -> None:
    error = refusal("root ::= " + "x " * 5000)
    assert len(error.diagnostics) == 200
    assert str(error).endswith("\n... and 180 more")


def test_places_in_a_long_line_are_counted_in_code_points() -> None:
    text = "root ::= 'é' " + "".join(f"r{i} ::= 'é😀' " for i in range(100_000))
    grammar = Grammar.from_ebnf(text)
    assert len(grammar.diagnostics) == 100_000
    for diagnostic in grammar.diagnostics[::9_999]:
        assert diagnostic.line == 1
        assert text[diagnostic.column - 1 :].startswith(diagnostic.message.split("`")[1])
    assert {rule.line for rule in grammar.rules} == {1}


@pytest.mark.parametrize("case", load_error_cases(), ids=str)
def test_the_table_of_mistakes(case: ErrorCase) -> None:
    found = [(d.line, d.column, d.code) for d in refusal(case.grammar).diagnostics]
    assert found == case.errors


# ---- Limits ----


def test_nesting_is_limited_not_fatal() -> None:
    fine = "root ::= " + "(" * 1000 + "'a'" + ")" * 1000
    assert body(fine) == '"a"'
    for text in ["root ::= " + "(" * 1001 + "'a'" + ")" * 1001, "root ::= " + "(" * 1_000_000,
                 "root ::= 'a'" + "{2}" * 100_000, "root ::= " + "('a' | " * 200_000]:  # fmt: skip
        error = refusal(text)
        assert type(error) is LimitError
        assert [d.code for d in error.diagnostics] == ["nesting_too_deep"]
    assert "nested deeper than 1000 levels" in str(error)
    deep = Grammar.from_ebnf("root ::= " + "('a' | " * 499 + "'b'" + ")*" * 499)
    assert str(Grammar.from_ebnf(str(deep))) == str(deep)
    assert deep.passes()[-1][1].root_rule_name == "root"


def test_size_is_limited() -> None:
    with pytest.raises(LimitError, match="has 16777217 bytes; the limit is 16777216"):
        Grammar.from_ebnf(b"#" * (2**24 + 1))
    with pytest.raises(LimitError, match="more than 1000000 rules"):
        Grammar.from_ebnf("".join(f"r{i}::=" for i in range(1_000_001)))


@pytest.mark.parametrize(
    "unit", ["('a'|", "'a' ", "x ", "[a-z]", "x ::= ", "'a'*", "| ", "Regex(", "(= ", "“", "{", "\\", "# ", "r#\n"]
)
def test_reading_a_long_text_is_not_given_up(unit: str) -> None:
    """One look at each pair of places would be 10**11 looks, and the budget's end: a hundred times what is needed."""
    said = ""
    with xgr.work_limits(max_seconds=60, max_bytes=1 << 40):
        try:
            Grammar.from_ebnf("root ::= " + unit * 400_000)
        except Xg2LabError as error:
            said = str(error)
    assert "stopped while" not in said


# ---- Fuzz ----

PIECES = ["root", " ::= ", "a", "b-c", "é", '"x"', "'y'", "[a-z]", "[^", "]", "(", ")", "(= ", "|", "*", "+", "?",
          "{2}", "{,3}", "{4,", "}", "\\", "\\u12", "\\uD83D", "\\uDE00", "\n", "#", "\0", "\ufeff", "=", ":", "-",
          '"', "'", "Regex(", "[x=1] ::=", " ", "😀", "\u202e", "\x1b"]  # fmt: skip


def test_no_text_crashes_the_reader() -> None:
    rng = seeded("fuzz")
    n_read = 0
    grammars = [write_ebnf(random_grammar(rng), rng) for _ in range(300)]
    for i in range(20_000):
        kind = i % 4
        if kind == 0:
            data = bytes(rng.randrange(256) for _ in range(rng.randrange(60)))
        elif kind == 1:
            data = ("root ::= " + "".join(rng.choices(PIECES, k=rng.randrange(30)))).encode()
        else:
            text = bytearray(rng.choice(grammars).encode())
            for _ in range(rng.randint(1, 4)):
                at = rng.randrange(len(text) + 1)
                text[at : at + rng.choice([0, 0, 1, 3])] = rng.choice(PIECES).encode()
            data = bytes(text)
        try:
            grammar = Grammar.from_ebnf(data)
        except Xg2LabError as error:
            assert error.diagnostics
            assert str(error)
            spans = [diagnostic.span for diagnostic in error.diagnostics]
            assert spans == sorted(spans, key=lambda span: span[0])
            assert all(0 <= begin <= end <= len(data) for begin, end in spans), data
        else:
            n_read += 1
            assert str(Grammar.from_ebnf(str(grammar))) == str(grammar), data
            grammar.passes()
    assert n_read > 500
    print(f"{n_read} of 20000 texts were grammars")
