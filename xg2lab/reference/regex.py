r"""Regular expressions by their meaning: the ends of the matches that begin at a position.

>>> matches(r"(?!if\b)[a-z]+", "iffy"), matches(r"(?!if\b)[a-z]+", "if")
(True, False)
>>> is_found(r"^a|b$", "xxb"), is_found(r"\bcat\b", "concat")
(True, False)
>>> matches_json(r"é\n", r"\u00e9\n"), matches_json(r"é\n", "é" + chr(10))
(True, False)
>>> sorted(substrings(["a", "b", "a"]))
['', 'a', 'ab', 'aba', 'b', 'ba']

A pattern is a tree; `ends` returns all positions at which a match of the root may end, computed
from the ends of its parts. A lookaround is a test of the given text, so the code is simple and
slow: a repetition tries every way. The engine answers without the text, for all texts at once
(core/languages/regex/language.h).

Shapes and units: places are numbers of code points before them.

See also: patterns.py, which reads them.
"""

import json

from xg2lab.reference.patterns import Node, read_pattern


def matches(pattern: str, text: str, flags: str = "") -> bool:
    """Is the whole text a match?"""
    return len(text) in ends(read_pattern(pattern, flags), text, 0)


def is_found(pattern: str, text: str, flags: str = "") -> bool:
    """Is there a match anywhere in the text?"""
    node = read_pattern(pattern, flags)
    return any(ends(node, text, at) for at in range(len(text) + 1))


def matches_json(pattern: str, contents: str, flags: str = "") -> bool:
    """Is this the inside of a JSON string whose value is a match?"""
    try:
        value = json.loads(f'"{contents}"')
    except ValueError:
        return False
    return not any("\ud800" <= c <= "\udfff" for c in value) and matches(pattern, value, flags)


def substrings(chunks: list[str]) -> set[str]:
    """Every run of neighbouring chunks, the empty one too."""
    return {"".join(chunks[i:j]) for i in range(len(chunks) + 1) for j in range(i, len(chunks) + 1)}


def ends(node: Node, text: str, at: int) -> set[int]:
    """All places where a match of `node` may end that begins at `at`."""
    match node:
        case ("class", is_member):
            return {at + 1} if at < len(text) and is_member(text[at]) else set()
        case ("sequence", parts):
            places = {at}
            for part in parts:
                places = {end for place in places for end in ends(part, text, place)}
            return places
        case ("choice", branches):
            return {end for branch in branches for end in ends(branch, text, at)}
        case ("repeat", part, least, most):
            places, found = {at}, {at} if least == 0 else set[int]()
            for n in range(1, (least + len(text) + 1 if most is None else most) + 1):
                places = {end for place in places for end in ends(part, text, place)}
                found |= places if n >= least else set()
            return found
        case ("look", True, is_negative, part):
            return {at} if bool(ends(part, text, at)) != is_negative else set()
        case ("look", False, is_negative, part):
            return {at} if any(at in ends(part, text, begin) for begin in range(at + 1)) != is_negative else set()
