r"""Python's own reader of patterns as an oracle: its parse tree becomes productions, read by the Earley oracle.

>>> from campaign.oracles.earley import EarleyOracle
>>> oracle = EarleyOracle(whole(r"^[a-c]{2}\d*$", ECMA))
>>> oracle.is_end(oracle.after(oracle.start, b"ab7")), oracle.after(oracle.start, b"abc")
(True, 0)

The engine reads ECMA-262 (docs/design/0015-regex.md), Python's `re` another dialect. Each difference is a *feature*
that can be switched on alone: with all of them (`ECMA`) the tree means what the engine promises, with none what `re`
does. So a disagreement with `re` is in the class of the feature that alone turns the verdict round.

Left out (`LeftOutError`): looks, anchors inside, references, atomic and possessive groups, flag i. These have
`re` and the package `regex` as oracles of texts and of beginnings.
"""

from __future__ import annotations

import importlib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from campaign.oracles.productions import Productions, Row

__all__ = ["ECMA", "FEATURES", "PYTHON", "LeftOutError", "add_pattern", "has_looks", "searched", "tree_of", "whole"]

#: What ECMA-262 with flag u has otherwise than Python.
FEATURES = ("line_terminators", "white_space", "ascii_digits_and_words", "end_of_text")
ECMA = frozenset(FEATURES)
PYTHON: frozenset[str] = frozenset()

#: The flag i, within the tree.
FOLDED = "folded"

Ranges = list[tuple[int, int]]

_LAST = 0x10FFFF
_SURROGATES = (0xD800, 0xDFFF)


class LeftOutError(Exception):
    """The pattern has something that productions can't say."""


def tree_of(pattern: str) -> Any:
    """Python's parse tree; `re.error` if Python doesn't read the pattern."""
    parser: Any = importlib.import_module("re._parser")
    tree = parser.parse(pattern)
    if tree.state.flags & (re.IGNORECASE | re.MULTILINE | re.DOTALL | re.VERBOSE):
        raise LeftOutError("flags")
    return tree


def has_looks(pattern: str) -> bool:
    """Whether the pattern looks around: then `regex` can't always tell whether a beginning is one."""
    return any(mark in pattern for mark in ("(?=", "(?!", "(?<=", "(?<!", r"\b", r"\B", "^", "$"))


def whole(pattern: str, features: frozenset[str]) -> Productions:
    """Productions of the texts that the pattern matches from end to end."""
    made = Productions()
    made.add("start", _sequence(made, tree_of(pattern), features, is_first=True, is_last=True))
    return made


def searched(pattern: str, features: frozenset[str]) -> Productions:
    """Productions of the texts in which the pattern is found."""
    made = Productions()
    anything = made.repeat(made.points([(0, _LAST)]), 0, None)
    items = list(tree_of(pattern))
    branches = [list(items)]
    if len(items) == 1 and str(items[0][0]) == "BRANCH":
        branches = [list(branch) for branch in items[0][1][1]]
    for branch in branches:
        is_tied = bool(branch) and _anchor(branch[0]) == "begin"
        is_closed = bool(branch) and _anchor(branch[-1]) == "end"
        inner = branch[is_tied : len(branch) - is_closed]
        row = _sequence(made, inner, features, is_first=is_tied, is_last=is_closed)
        after: Row = () if is_closed else anything
        if is_closed and str(branch[-1][1]) == "AT_END" and "end_of_text" not in features:
            after = made.repeat(made.literal(b"\n"), 0, 1)  # Python's $ holds before a last line break, too
        made.add("start", (() if is_tied else anything) + row + after)
    return made


def add_pattern(made: Productions, name: str, pattern: str, features: frozenset[str]) -> None:
    """Adds the pattern's productions under a name; it may fold cases, and mustn't match nothing."""
    row = _sequence(made, tree_of(pattern), features, is_first=False, is_last=False)
    made.add(name, row)


def _anchor(item: Any) -> str:
    if str(item[0]) != "AT":
        return ""
    name = str(item[1])
    if name in ("AT_BEGINNING", "AT_BEGINNING_STRING"):
        return "begin"
    return "end" if name in ("AT_END", "AT_END_STRING") else "other"


def _sequence(made: Productions, items: Any, features: frozenset[str], *, is_first: bool, is_last: bool) -> Row:
    row: Row = ()
    items = list(items)
    for i, item in enumerate(items):
        begins, ends = is_first and i == 0, is_last and i == len(items) - 1
        row += _item(made, item, features, begins, ends)
    return row


def _item(made: Productions, item: Any, features: frozenset[str], is_first: bool, is_last: bool) -> Row:
    operation, argument = str(item[0]), item[1]
    match operation:
        case "LITERAL":
            return made.points(_folded([(argument, argument)], features))
        case "NOT_LITERAL":
            return made.points(_without(_folded([(argument, argument)], features)))
        case "ANY":
            ends = [(10, 10), (13, 13), (0x2028, 0x2029)] if "line_terminators" in features else [(10, 10)]
            return made.points(_without(ends))
        case "IN":
            return made.points(_class(argument, features))
        case "BRANCH":
            branches = [_sequence(made, branch, features, is_first=is_first, is_last=is_last) for branch in argument[1]]
            return made.choice(branches)
        case "SUBPATTERN":
            if argument[1] not in (0, re.IGNORECASE) or argument[2]:
                raise LeftOutError("flags")
            inner = features | {FOLDED} if argument[1] else features
            return _sequence(made, argument[3], inner, is_first=is_first, is_last=is_last)
        case "MAX_REPEAT" | "MIN_REPEAT":
            least, most, inner = argument
            limit = None if str(most) == "MAXREPEAT" else int(most)
            if limit is not None and limit > 1_000:
                raise OverflowError("a count above 1,000")
            return made.repeat(_sequence(made, inner, features, is_first=False, is_last=False), int(least), limit)
        case "AT" if (is_first and _anchor(item) == "begin") or (is_last and _anchor(item) == "end"):
            return ()
        case _:
            raise LeftOutError(operation)


def _class(items: Sequence[Any], features: frozenset[str]) -> Ranges:
    ranges: Ranges = []
    is_negated = False
    for operation, argument in items:
        match str(operation):
            case "NEGATE":
                is_negated = True
            case "LITERAL":
                ranges.append((argument, argument))
            case "RANGE":
                ranges.append(tuple(argument))
            case "CATEGORY":
                ranges += _category(str(argument), features)
            case other:
                raise LeftOutError(other)
    ranges = _folded(_merged(ranges), features)
    return _without(ranges) if is_negated else ranges


def _folded(ranges: Ranges, features: frozenset[str]) -> Ranges:
    """With the flag i: and all that Python takes for these characters."""
    if FOLDED not in features:
        return ranges
    more = [other for point in _cased() if any(low <= point <= high for low, high in ranges) for other in _same(point)]
    return _merged([*ranges, *((point, point) for point in more)])


@cache
def _cased() -> list[int]:
    return [point for point in range(0x1E944) if chr(point).lower() != chr(point) or chr(point).upper() != chr(point)]


@cache
def _same(point: int) -> list[int]:
    match = re.compile(re.escape(chr(point)), re.IGNORECASE).fullmatch
    return [other for other in _cased() if match(chr(other))]


def _category(name: str, features: frozenset[str]) -> Ranges:
    kind = name.rpartition("_")[2]
    feature = "white_space" if kind == "SPACE" else "ascii_digits_and_words"
    ranges = _ecma_set(kind) if feature in features else _python_set(kind)
    return _without(ranges) if "_NOT_" in name else list(ranges)


@cache
def _python_set(kind: str) -> Ranges:
    """What Python's own engine matches among all code points.

    The package `regex` knows a later Unicode than `unicodedata`: it decides the code points not yet assigned there.
    """
    newer: Any = importlib.import_module("regex")
    every = "".join(map(chr, range(_LAST + 1)))
    found = [match.span() for match in re.finditer({"DIGIT": r"\d", "WORD": r"\w", "SPACE": r"\s"}[kind] + "+", every)]
    later = newer.finditer({"DIGIT": r"\p{Nd}", "WORD": r"[\p{L}\p{N}]", "SPACE": r"\s"}[kind] + "+", every)
    points = [point for match in later for point in range(*match.span())]
    unassigned = [(point, point) for point in points if unicodedata.category(chr(point)) == "Cn"]
    return _merged([*((low, end - 1) for low, end in found), *unassigned])


@cache
def _ecma_set(kind: str) -> Ranges:
    """ECMA-262, 22.2.2.9: digits and words are ASCII, white space is Unicode's with U+FEFF."""
    if kind == "DIGIT":
        return [(48, 57)]
    if kind == "WORD":
        return [(48, 57), (65, 90), (95, 95), (97, 122)]
    spaces = [point for point in range(0x10000) if unicodedata.category(chr(point)) == "Zs"]
    return _merged((point, point) for point in sorted([*range(9, 14), 0x2028, 0x2029, 0xFEFF, *spaces]))


def _merged(ranges: Iterable[tuple[int, int]]) -> Ranges:
    found: Ranges = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], high))
        else:
            found.append((low, high))
    return found


def _without(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """All other code points but the surrogates."""
    found: Ranges = []
    begin = 0
    for low, high in _merged([*ranges, _SURROGATES]):
        if begin < low:
            found.append((begin, low - 1))
        begin = high + 1
    return [*found, (begin, _LAST)] if begin <= _LAST else found
