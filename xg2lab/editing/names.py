r"""The names of a grammar in EBNF or Lark: where each is defined and used, as the engine's parsers read them.

>>> names = Names.of('root ::= value | "x\nvalue ::= [0-9]+', "ebnf")
>>> [(rule.name, rule.n_uses) for rule in names.rules]
[('root', 0), ('value', 1)]
>>> names.places("value"), names.definition("value")
([(9, 14), (20, 25)], (20, 25))
>>> names.lexeme_at(19).kind
'unterminated'

IDEA
  The parsers go on behind a mistake at the next rule, so a text that is no grammar has its names too
  (core/grammar/outline.h). A parameter of a template of Lark is a name within its rule alone.

COST  That of parsing.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from xg2lab import _core
from xg2lab.editing.records import Span

__all__ = ["Lexeme", "Mention", "NamedRule", "Names", "NamesLanguage"]

NamesLanguage = Literal["ebnf", "template", "lark"]


@dataclass(frozen=True, slots=True)
class Lexeme:
    """A lexeme, by its kind: "name", "literal", "unterminated", ... (core/grammar/outline.h)."""

    kind: str
    span: Span


@dataclass(frozen=True, slots=True)
class Mention:
    """A name where it stands. `scope`: the rule whose parameter it is; None: it is a name of the whole text."""

    kind: Literal["definition", "reference", "macro", "slot", "parameter"]
    name: str
    span: Span
    scope: int | None = None


@dataclass(frozen=True, slots=True)
class NamedRule:
    """A rule or terminal: the name, its place, the whole definition, and how often the name is used."""

    name: str
    name_span: Span
    span: Span
    n_uses: int


class Names:
    """All names of one text."""

    def __init__(self, text: str, language: NamesLanguage) -> None:
        self.data = text.encode("utf-8", "replace")
        self.language = language
        rules, mentions, lexemes = _core._outline(self.data.decode(), language)  # pyright: ignore[reportPrivateUsage]
        self._spans = sorted((begin, end, name, name_end) for name, name_end, begin, end in rules)
        self._begins = [begin for begin, _, _, _ in self._spans]
        self.lexemes = [Lexeme(kind, (begin, end)) for kind, begin, end in lexemes]
        self._lexeme_begins = [lexeme.span[0] for lexeme in self.lexemes]
        self.mentions = self._mentions(mentions)

    @classmethod
    def of(cls, text: str, language: NamesLanguage) -> Names:
        """Read a text. Raises `LimitError` for one that is too long."""
        return cls(text, language)

    def _mentions(self, read: list[tuple[str, int, int]]) -> list[Mention]:
        scopes: dict[int, set[str]] = {}  # by rule, the names of its parameters
        for kind, begin, end in read:
            rule = self.rule_index(begin)
            if kind == "parameter" and rule is not None:
                scopes.setdefault(rule, set()).add(self.words((begin, end)))
        found: dict[Span, Mention] = {}
        for kind, begin, end in sorted(read, key=lambda row: row[1]):
            name, rule = self.words((begin, end)), self.rule_index(begin)
            scope = rule if rule is not None and name in scopes.get(rule, ()) else None
            if kind in ("definition", "reference", "macro", "slot", "parameter"):
                found.setdefault((begin, end), Mention(kind, name, (begin, end), scope))
        return list(found.values())

    def words(self, span: Span) -> str:
        """The text at a span."""
        return self.data[slice(*span)].decode("utf-8", "replace")

    def rule_index(self, offset: int) -> int | None:
        """The number of the definition around a byte, in the order of the text."""
        at = bisect_right(self._begins, offset) - 1
        return at if at >= 0 and offset <= self._spans[at][1] else None

    def rule_before(self, offset: int) -> int | None:
        """The number of the definition around a byte, or before it: a text that is being written goes on there."""
        at = bisect_right(self._begins, offset) - 1
        return at if at >= 0 else None

    @cached_property
    def rules(self) -> list[NamedRule]:
        """All rules and terminals that the text defines itself, in its order."""
        uses: dict[str, int] = {}
        for mention in self.mentions:
            if mention.kind == "reference" and mention.scope is None:
                uses[mention.name] = uses.get(mention.name, 0) + 1
        made: list[NamedRule] = []
        for begin, end, name, name_end in self._spans:
            words = self.words((name, name_end))
            made.append(NamedRule(words, (name, name_end), (begin, end), uses.get(words, 0)))
        return made

    @cached_property
    def defined(self) -> dict[str, Span]:
        """Each name that is defined, imports among them, with the place of its first definition."""
        found: dict[str, Span] = {}
        for mention in self.mentions:
            if mention.kind == "definition":
                found.setdefault(mention.name, mention.span)
        return found

    @cached_property
    def _own(self) -> set[Span]:
        return {rule.name_span for rule in self.rules}

    def is_imported(self, name: str) -> bool:
        """Whether a name comes from another text: an import or a declaration."""
        return name in self.defined and self.defined[name] not in self._own

    def mention_at(self, offset: int) -> Mention | None:
        """The name at a byte, or right before it."""
        around = [mention for mention in self.mentions if mention.span[0] <= offset <= mention.span[1]]
        return around[-1] if around else None

    def definition(self, name: str, scope: int | None = None) -> Span | None:
        """The place where a name is defined first."""
        if scope is None:
            return self.defined.get(name)
        return next(
            (m.span for m in self.mentions if m.kind == "parameter" and (m.name, m.scope) == (name, scope)), None
        )

    def places(self, name: str, scope: int | None = None, kinds: tuple[str, ...] = ()) -> list[Span]:
        """All places of a name, in the order of the text; of macros and slots too if `kinds` has them."""
        wanted = kinds or ("definition", "reference", "parameter")
        return [m.span for m in self.mentions if m.name == name and m.scope == scope and m.kind in wanted]

    def lexeme_index(self, offset: int) -> int:
        """The number of the last lexeme that begins before a byte; -1 if none does."""
        return bisect_right(self._lexeme_begins, offset - 1) - 1 if offset else -1

    def lexeme_at(self, offset: int) -> Lexeme | None:
        """The lexeme whose inside or end is at a byte."""
        at = self.lexeme_index(offset)
        return self.lexemes[at] if at >= 0 and offset <= self.lexemes[at].span[1] else None
