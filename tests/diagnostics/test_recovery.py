"""Rules that never match are found beside other mistakes; a mistake never makes a rule look as if it never matched."""

from __future__ import annotations

import pytest

from xg2lab.lints import lint


def found(text: str) -> list[tuple[str, str, int, int]]:
    return [(one.severity, one.code, one.line, one.column) for one in lint(text, seconds=0)]


def test_all_mistakes_of_a_text_are_told_at_once() -> None:
    text = """root ::= nmuber | item
number ::= [0-9]+
item ::= "é" )
loop ::= "[" loop ; [é] é ::= "x"
last ::= last "y"
"""
    told = lint(text, seconds=0)
    assert [(one.code, one.line) for one in told] == [
        ("undefined_rule", 1),
        ("syntax", 3),
        ("syntax", 4),
        ("never_matches", 5),
    ]
    assert "did you mean `number`?" in told[0].hint
    assert text.encode()[slice(*told[-1].span)] == b"last"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            'root ::= nmuber | loop\nloop ::= loop "x"',
            [("undefined_rule", 1, 10), ("never_matches", 1, 19), ("never_matches", 2, 1)],
        ),
        ('é ::= "ü" ) b ::= b root ::= é', [("syntax", 1, 11), ("never_matches", 1, 13)]),
        ('root ::= "ü" ) loop ::= "ü" loop', [("syntax", 1, 14), ("never_matches", 1, 16)]),
        ('root ::= "#" )\na ::= \'"\' a # b ::= c', [("syntax", 1, 14), ("never_matches", 2, 1)]),
        ('root[capture="x"] ::= "::=" )\na ::= "a ::= b" a', [("syntax", 1, 29), ("never_matches", 2, 1)]),
        ('root ::= "a" )', [("syntax", 1, 14)]),
        ('start ::= start "x"', [("missing_root", 1, 1)]),
        ("", [("empty_grammar", 1, 1)]),
    ],
)  # fmt: skip
def test_it_stands_at_its_place(text: str, expected: list[tuple[str, int, int]]) -> None:
    assert [(code, line, column) for _, code, line, column in found(text)] == expected


@pytest.mark.parametrize(
    "text",
    [
        'root ::= a\na ::= "x" a | )',  # the alternative that would end is the one with the mistake
        'root ::= a\na ::= "x" a | "unclosed\n',
        'root ::= a\na ::= "x" a | [z-a]',
        'root ::= a\na ::= "x" b\nb ::= a | c{5,2}\nc ::= "c"',
        'root ::= a\na ::= "x" a | mising',
        'root ::= a\na ::= "x" a\na ::= "y"',  # defined twice: the second may be meant as an alternative
        'root ::= a\na ::= "x" a\na ::= "y" )',
    ],
)
def test_a_mistake_makes_no_rule_look_as_if_it_never_matched(text: str) -> None:
    codes = {code for _, code, *_ in found(text)}
    assert codes
    assert "never_matches" not in codes
