"""The meaning of a Lark grammar: a text is cut into tokens as a lexer would cut it, and then parsed.

Twin of core/frontends/lark/lexing.h, by definition: try every way to cut the text, keep those in
which each token is the one that a lexer would have taken there, and ask whether the rules derive
the row of terminals.

>>> rules = {"start": [["IF", "NAME"], ["NAME"]]}
>>> terminals = {"IF": Terminal("if", is_text=True), "NAME": Terminal("[a-z]+"), "WS": Terminal(" +")}
>>> grammar = LarkGrammar(rules, terminals, ignored=["WS"])
>>> [grammar.accepts(text) for text in ("if x", "ifx", "if", "iff", "if ")]
[True, True, False, True, False]

`ifx` is a NAME, as the longest match is taken. `if` is an IF, as texts are preferred to patterns,
and then a NAME is missing.

Shapes and units: `rules` maps a name to alternatives, each a list of names of rules and terminals;
positions count characters.

See also: Lark's manual on its lexers; docs/design/0020-lark.md, the engine's way to the same
result.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

START = "^"  # stands before the first token


@dataclass(frozen=True)
class Terminal:
    """A pattern of Python's `re`, or a text."""

    pattern: str
    priority: int = 0
    is_text: bool = False

    def matches(self, word: str) -> bool:
        """Whether the word is one of the terminal's; the empty one is none."""
        if self.is_text:
            return word == self.pattern
        return bool(word) and re.fullmatch(self.pattern, word) is not None


class LarkGrammar:
    """Rules and terminals, as one of Lark's lexers takes them: contextual, basic, dynamic or dynamic_complete."""

    def __init__(
        self,
        rules: dict[str, list[list[str]]],
        terminals: dict[str, Terminal],
        *,
        ignored: list[str] | None = None,
        lexer: str = "contextual",
        alphabet: str = "abcdefghijklmnopqrstuvwxyz ",
        reach: int = 1,
    ) -> None:
        self.rules, self.terminals, self.ignored, self.lexer = rules, terminals, ignored or [], lexer
        # What a word may go on with, to find out whether a terminal could still match.
        self.more = ["".join(end) for n in range(reach + 1) for end in itertools.product(alphabet, repeat=n)]
        self.follow = self.neighbours()

    def accepts(self, text: str) -> bool:
        """Whether a row of tokens that the lexer could give for the text is a sentence of `start`."""
        return any(self.derives("start", row) for row in self.cuts(text, 0, START))

    def cuts(self, text: str, at: int, before: str) -> Iterator[tuple[str, ...]]:
        """Rows of terminals for the rest of the text, behind the terminal `before`."""
        if at == len(text):
            yield ()
        rivals = self.rivals(before)
        for name in sorted(rivals | self.follow[before] | set(self.ignored)):
            for end in range(at + 1, len(text) + 1):
                if not self.is_taken(name, text[at:end], text[end : end + 1], rivals):
                    continue
                if name in self.ignored:
                    yield from self.cuts(text, end, before)
                if name in self.follow[before]:
                    yield from ((name, *row) for row in self.cuts(text, end, name))

    def rivals(self, before: str) -> set[str]:
        """The terminals that compete for a token after `before`."""
        if self.lexer == "contextual":
            return self.follow[before] | set(self.ignored)
        if self.lexer == "basic":
            return {name for names in self.follow.values() for name in names} | set(self.ignored)
        return set()

    def is_taken(self, name: str, word: str, behind: str, rivals: set[str]) -> bool:
        """Whether the lexer takes this word as this terminal, if the character `behind` comes next."""
        own = self.terminals[name]
        if not own.matches(word):
            return False
        itself = {name} if self.lexer == "dynamic" or name in self.ignored else set[str]()
        for rival in rivals | itself:
            other = self.terminals[rival]
            if other.priority > own.priority and any(other.matches(word[:n]) for n in range(len(word) + 1)):
                return False
            if other.priority == own.priority and other.is_text and not own.is_text and other.matches(word):
                return False
            if other.priority >= own.priority and behind and self.could_match(rival, word + behind):
                return False
        return True

    @functools.cache  # noqa: B019  (a twin lives as long as its test)
    def could_match(self, name: str, begun: str) -> bool:
        """Whether some word of the terminal begins like this."""
        return any(self.terminals[name].matches(begun + more) for more in self.more)

    @functools.cache  # noqa: B019
    def derives(self, symbol: str, row: tuple[str, ...]) -> bool:
        """Whether the symbol stands for this row of terminals. No rule may come back to itself without reading one."""
        if symbol not in self.rules:
            return row == (symbol,)
        return any(self.derives_all(tuple(alternative), row) for alternative in self.rules[symbol])

    def derives_all(self, symbols: tuple[str, ...], row: tuple[str, ...]) -> bool:
        """The same for symbols one after the other."""
        if not symbols:
            return not row
        return any(
            self.derives(symbols[0], row[:n]) and self.derives_all(symbols[1:], row[n:]) for n in range(len(row) + 1)
        )

    def neighbours(self) -> dict[str, set[str]]:
        """For each terminal, and START: which can stand behind it, over all sentences and beginnings of rules."""
        follow: dict[str, set[str]] = {name: set() for name in (*self.terminals, START)}
        empty: set[str] = set()
        first: dict[str, set[str]] = {name: {name} for name in self.terminals} | {name: set() for name in self.rules}
        last = {name: set(names) for name, names in first.items()}
        for _ in range(2 * len(self.rules) + 2):  # each round looks one rule further
            for rule, alternative in ((rule, row) for rule, rows in self.rules.items() for row in rows):
                empty |= {rule} if all(part in empty for part in alternative) else set()
                for side, parts in ((first, alternative), (last, alternative[::-1])):
                    for part in parts:
                        side[rule] |= side[part]
                        if part not in empty:
                            break
                for i, j in itertools.combinations(range(len(alternative)), 2):
                    if all(part in empty for part in alternative[i + 1 : j]):
                        for name in last[alternative[i]]:
                            follow[name] |= first[alternative[j]]
        follow[START] = first["start"]
        return follow
