r"""The words of the EBNF dialect: where each begins, and the values of its escapes, ranges and bounds.

>>> [lexeme.text for lexeme in read_lexemes("a ::= [0-9]{2}  # two digits")]
['a', '::=', '[0-9]', '{2}', '', '']
>>> read_literal(r'"\x41\u00e9"')
b'A\xc3\xa9'
>>> read_class("[a-c-]"), read_class("[]")
(((45, 45), (97, 99)), ())
>>> read_bounds("{,3}"), read_bounds("+")
((0, 3), (1, None))

A line end is a space like any other. The list ends in two empty lexemes, so that a reader may look
ahead.

Shapes and units: places are 1-based lines and columns in code points. A class is ranges of code
points, both ends included, sorted, disjoint, without surrogates. `\xHH` is a code point too:
U+00E9 takes two bytes.

See also: ebnf.py, which reads the sentences.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from xg2lab.reference.utf8 import LAST_CODE_POINT, SURROGATES, complement

LEXEMES = re.compile(
    r"""(?P<space> \s+ | \#[^\n]* | \A\ufeff )
      | (?P<define> ::= )
      | (?P<name> \w[\w.-]* )
      | (?P<literal> "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' )
      | (?P<klass> \[ (?:[^\]\\\n]|\\.)* \] )
      | (?P<repeat> [*+?] | \{ [^{}\n]* \} )
      | (?P<mark> \(= | [()|] )  | (?P<token> !?<\[\d+\]> )
      | (?P<unterminated_literal> ["'] ) | (?P<unterminated_class> \[ ) | (?P<syntax> . )""",
    re.VERBOSE,
)
ESCAPE = re.compile(r"\\x([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})|\\(.)|(.)", re.DOTALL)
NAMED = dict(zip("nrtbfav0e\"\\/'?[]-^", "\n\r\t\b\f\a\v\0\x1b\"\\/'?[]-^", strict=True))
BOUNDS = re.compile(r"\{\s*(\d*)\s*(,?)\s*(\d*)\s*\}")


class Lexeme(NamedTuple):
    """One word of the text: what it is, how it is spelled, at which code point it begins."""

    kind: str
    text: str
    at: int


class CodePoint(NamedTuple):
    """One code point of a literal or class, written plainly or by an escape, and where in the word."""

    value: int
    is_plain: bool
    at: int


class LexemeError(ValueError):
    """A word that means nothing: the kind of mistake, and where in the word it stands."""

    def __init__(self, code: str, at: int = 0) -> None:
        super().__init__(code)
        self.code, self.at = code, at


def read_lexemes(text: str) -> list[Lexeme]:
    """Cut a text into words, without spaces and comments."""
    words = [Lexeme(found.lastgroup or "", found.group(), found.start()) for found in LEXEMES.finditer(text)]
    return [word for word in words if word.kind != "space"] + [Lexeme("end", "", len(text))] * 2


def read_literal(text: str) -> bytes:
    """The bytes between two quotation marks."""
    return "".join(chr(point.value) for point in code_points(text, 1)).encode()


def read_class(text: str) -> tuple[tuple[int, int], ...]:
    """The ranges of `[...]`. A plain '-' between two code points makes a range; at an end it is itself."""
    is_negated = text.startswith("[^")
    points = list(code_points(text, 1 + is_negated))
    listed: list[tuple[int, int]] = []
    while points:
        low, *points = points
        high = low
        if len(points) >= 2 and points[0].value == ord("-") and points[0].is_plain:
            _, high, *points = points
        if high.value < low.value:
            raise LexemeError("reversed_range", low.at)
        listed.append((low.value, high.value))
    others = complement([*listed, SURROGATES])
    return tuple(others if is_negated else complement([*others, SURROGATES]))


def read_bounds(text: str) -> tuple[int, int | None]:
    """The least and the greatest number of matches that a repetition allows."""
    if text in "*+?":
        return {"*": (0, None), "+": (1, None), "?": (0, 1)}[text]
    found = BOUNDS.fullmatch(text)
    low, comma, high = found.groups() if found else ("", "", "")
    least = int(low or 0)
    most = int(high) if high else None if comma else least
    if not (low or high) or (most is not None and most < least):
        raise LexemeError("bad_repetition")
    return least, most


def code_points(text: str, start: int) -> Iterator[CodePoint]:
    """The code points from `start` to the closing mark, escapes resolved."""
    for found in ESCAPE.finditer(text, start, len(text) - 1):
        *hexadecimal, named, plain = found.groups()
        digits = next(filter(None, hexadecimal), None)
        if named and named not in NAMED:
            raise LexemeError("bad_escape", found.start())
        value = int(digits, 16) if digits else ord(plain or NAMED[named])
        if value > LAST_CODE_POINT:
            raise LexemeError("bad_escape", found.start())
        if SURROGATES[0] <= value <= SURROGATES[1]:
            raise LexemeError("surrogate", found.start())
        yield CodePoint(value, bool(plain), found.start())
