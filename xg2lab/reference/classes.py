r"""A character class of a regular expression, as a predicate on one character.

>>> is_member = Characters(r"[a-c\d]", "i").character()
>>> [character for character in "aBz7" if is_member(character)]
['a', 'B', '7']

Shapes and units: a character is a string of one code point. With flag i every character that
differs from a member in case only (by Unicode's simple case folding) is a member; a negated class,
`[^k]`, excludes every case.

See also: patterns.py, which reads the text around classes.
"""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

Member: TypeAlias = Callable[[str], bool]
SPACES = "\t\n\v\f\r \xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
LETTERS = {"n": "\n", "r": "\r", "t": "\t", "v": "\v", "f": "\f"}


def fold(character: str) -> str:
    """The character, whatever its case (simple case folding: one code point stays one)."""
    folded = character.casefold() if len(character.casefold()) == 1 else character.lower()
    return folded if len(folded) == 1 else character


def is_word(character: str) -> bool:
    """Is it matched by the escape w?"""
    return character.isascii() and (character.isalnum() or character == "_")


@dataclass
class Characters:
    """Reads characters and classes, one after the other."""

    pattern: str
    flags: str = ""
    at: int = 0

    def character(self) -> Member:
        """A class in brackets, an escape or a character."""
        return self.any_case(self.set() if self.take("[") else self.atom())

    def set(self) -> Member:
        """What stands between brackets."""
        is_negated, members = self.take("^"), list[Member]()
        while not self.take("]"):
            low = self.pattern[self.at]
            member = self.atom(in_set=True)
            if self.pattern[self.at] == "-" and self.pattern[self.at + 1] != "]" and low != "\\":
                self.at += 1
                member = between(low, self.next())
            members.append(member)
        whole = self.any_case(lambda c: any(member(c) for member in members))
        return lambda c: whole(c) != is_negated

    def atom(self, *, in_set: bool = False) -> Member:
        """One character, or an escape."""
        letter = self.next()
        if letter == "." and not in_set:
            return lambda c: "s" in self.flags or c not in "\n\r\u2028\u2029"
        if letter != "\\":
            return between(letter, letter)
        letter = self.next()
        if letter in "dDwWsS":
            words = self.any_case(is_word)
            kinds: dict[str, Member] = {"d": lambda c: c in "0123456789", "s": lambda c: c in SPACES, "w": words}
            return lambda c: kinds[letter.lower()](c) != letter.isupper()
        if letter in "pP":
            self.next()
            category = self.until("}")
            return lambda c: unicodedata.category(c).startswith(category) == (letter == "p")
        if letter == "u":
            self.next()
            letter = chr(int(self.until("}"), 16))
        return between(LETTERS.get(letter, letter), LETTERS.get(letter, letter))

    def any_case(self, is_member: Member) -> Member:
        """With flag i also what a member is in another case."""
        if "i" not in self.flags:
            return is_member
        return lambda c: any(is_member(other) for other in same_but_for_case().get(fold(c), c))

    def take(self, words: str) -> bool:
        """Go past the words, if they stand here."""
        is_here = self.pattern.startswith(words, self.at)
        self.at += len(words) * is_here
        return is_here

    def next(self) -> str:
        """Go past one character."""
        self.at += 1
        return self.pattern[self.at - 1]

    def until(self, mark: str) -> str:
        """Go past a mark; what stands before it."""
        begin, self.at = self.at, self.pattern.index(mark, self.at) + 1
        return self.pattern[begin : self.at - 1]


def between(low: str, high: str) -> Member:
    """Is it from `low` to `high`?"""
    return lambda c: low <= c <= high


@cache
def same_but_for_case() -> dict[str, str]:
    """By their common form, the characters that differ in case only."""
    same: dict[str, str] = {}
    for character in map(chr, range(0x110000)):
        if fold(character) != character:
            same[fold(character)] = same.get(fold(character), fold(character)) + character
    return same
