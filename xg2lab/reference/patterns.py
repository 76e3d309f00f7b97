r"""Patterns, read into plain tuples: the main parts of the regular expressions that the engine reads.

>>> from xg2lab.reference.patterns import read_pattern
>>> _, ((_, ((_, is_vowel), repeat)),) = read_pattern("[aeiou]b{2,}")
>>> is_vowel("e"), is_vowel("b"), repeat[0], repeat[2:]
(True, False, 'repeat', (2, None))

Classes (`. [...]` and the escapes d w s p u{...}), groups, choices, counts, lookaheads and
lookbehinds, and the flags i, m and s. Anchors are lookarounds: `^` means that no character is
before it. The pattern must be well formed; the engine reports the mistakes of others.

Shapes and units: a class is a predicate on one character; a repetition without end has the upper
bound None.

See also: classes.py for these; regex.py, which finds the matches of a pattern.
"""

from typing import Literal, TypeAlias

from xg2lab.reference.classes import Characters, Member, is_word

Node: TypeAlias = """(
    tuple[Literal["class"], Member] | tuple[Literal["sequence", "choice"], tuple[Node, ...]]
    | tuple[Literal["repeat"], Node, int, int | None] | tuple[Literal["look"], bool, bool, Node]
)"""
COUNTS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}


def read_pattern(pattern: str, flags: str = "") -> Node:
    """Read a well-formed pattern."""
    return Reader(pattern, flags).choice()


class Reader(Characters):
    """Recursive descent over a pattern without mistakes."""

    def choice(self) -> Node:
        """Sequences with `|` between them, up to `)` or the end."""
        branches = [self.sequence()]
        while self.take("|"):
            branches.append(self.sequence())
        return "choice", tuple(branches)

    def sequence(self) -> Node:
        """Terms and their counts."""
        parts: list[Node] = []
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            part = self.term()
            if self.at < len(self.pattern) and self.pattern[self.at] in "*+?{":
                part = ("repeat", part, *self.count())
                self.take("?")
            parts.append(part)
        return "sequence", tuple(parts)

    def count(self) -> tuple[int, int | None]:
        """`*`, `+`, `?` or braces."""
        mark = self.next()
        if mark != "{":
            return COUNTS[mark]
        least, comma, most = self.until("}").partition(",")
        return int(least), int(most) if most else None if comma else int(least)

    def term(self) -> Node:
        """A class, an assertion or a group."""
        for opening, is_ahead, is_negative in (("?=", 1, 0), ("?!", 1, 1), ("?<=", 0, 0), ("?<!", 0, 1)):
            if self.take("(" + opening):
                return "look", bool(is_ahead), bool(is_negative), self.group()
        if self.take("(?:") or self.take("("):
            return self.group()
        for edge in ("^", "$"):
            if self.take(edge):
                return (
                    "look",
                    edge == "$",
                    True,
                    ("class", lambda c: "m" not in self.flags or c not in "\n\r\u2028\u2029"),
                )
        for boundary in ("\\b", "\\B"):
            if self.take(boundary):
                word: Node = ("class", self.any_case(is_word))
                is_same = boundary == "\\B"
                return "choice", tuple(
                    ("sequence", (("look", False, behind, word), ("look", True, behind == is_same, word)))
                    for behind in (False, True)
                )
        return "class", self.character()

    def group(self) -> Node:
        """What stands between the parentheses."""
        inner = self.choice()
        self.next()
        return inner
