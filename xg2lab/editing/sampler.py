r"""Members of a grammar while it is written: random ones, the shortest, one that uses a part, and a near non-member.

>>> from xg2lab.grammar import Grammar
>>> sampler = TextSampler(Grammar.from_ebnf('root ::= "[" (item ("," item)*)? "]"   item ::= [0-9]{2}'))
>>> sampler.members(3, seed=1)
['[]', '[04,66]', '[81]']
>>> sampler.shortest(), sampler.using_rule("item")
('[]', '[00]')
>>> near = sampler.near("[00]", seed=2)
>>> near.text, near.edit, near.died_at, near.expected
('[0]', 'without 0 at byte 1', 2, '[0-9]')

IDEA
  The shortest text around an expression, found by Dijkstra's algorithm (`xg2lab.lints.contexts`), with the expression's
  own shortest text in it, is a member that uses the expression. A non-member one edit away is searched among
  deletions, replacements and insertions at places in random order; the matcher says at which byte it fails. All texts
  are checked by the matcher before they are shown.

COST  Linear in the grammar once, then a few hundred checks of short texts for each call. Time ends at `SECONDS`.
Shapes and units: places in members count bytes; spans count bytes of the grammar's source.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from time import monotonic

from xg2lab.errors import LimitError
from xg2lab.grammar import Grammar
from xg2lab.language.examples import Checker, CheckRow
from xg2lab.language.members import Sampler
from xg2lab.language.nodes import Nodes
from xg2lab.lints.contexts import Contexts
from xg2lab.lints.symbols import NEVER, Symbols
from xg2lab.sources.schema_words import KEYWORDS
from xg2lab.support.places import JsonPlaces

__all__ = ["NearMiss", "TextSampler"]

MOST_EXPRESSIONS = 8_000  # of a grammar that is sampled: larger ones take too long between two keys
USUAL_LENGTH = 60  # code points of a member, if the shortest leaves room
MOST_CANDIDATES = 40  # expressions of a place that are tried
MOST_NEAR = 400  # code points of a text whose neighbours are tried
SECONDS = 0.5
#: The first character of values that a keyword constrains.
OPENINGS = {"strings": '"', "arrays": "[", "objects": "{", "numbers": "-0123456789"}


@dataclass(frozen=True)
class NearMiss:
    """A text that is no member, one edit away from `member`. `died_at` None: it is the beginning of a member."""

    text: str
    member: str
    edit: str
    died_at: int | None
    expected: str


class TextSampler:
    """The sampler of one grammar.

    Parameters
    ----------
    grammar : Grammar
        The grammar.
    checker : Checker, optional
        Its checker, if there is one already.

    Raises
    ------
    LimitError
        The grammar has more than 8,000 expressions.
    UnsupportedError
        The grammar names tokens, whose sentences are not texts.
    GrammarError
        The grammar matches nothing.
    """

    def __init__(self, grammar: Grammar, checker: Checker | None = None) -> None:
        self.grammar = grammar
        self.nodes = Nodes.of(grammar)
        if len(self.nodes) > MOST_EXPRESSIONS:
            raise LimitError(
                f"grammars of more than {MOST_EXPRESSIONS:,} expressions are not sampled while they are written",
                hint="xg2lab.sample draws members of any grammar",
            )
        self._made = Sampler(grammar, random.Random(0), 1_000_000)
        self._made.refuse_tokens()
        self.checker = checker or Checker(grammar)
        shortest = self.nodes.lengths[self._root] or 0
        self.max_length = max(USUAL_LENGTH, 2 * shortest)

    @property
    def _root(self) -> int:
        return self.nodes.rules[self.nodes.root].body

    @cached_property
    def _contexts(self) -> Contexts:
        return Contexts(Symbols(self.nodes))

    def _is_member(self, text: str) -> bool:
        return self.checker.row(text, should_match=True).verdict == "match"

    # ---- Members ----

    def members(self, n: int, seed: int) -> list[str]:
        """Up to `n` random members, each once; the same seed gives the same members."""
        self._made.rng, self._made.max_length, self._made.taken = random.Random(seed), self.max_length, {}
        found: dict[str, None] = {}
        end = monotonic() + SECONDS
        for _ in range(4 * n):
            pieces = self._made.draw()
            data = b"".join(p if isinstance(p, bytes) else str(p).encode("utf-8", "surrogateescape") for p in pieces)
            found[data.decode("utf-8", "replace")] = None
            if len(found) == n or monotonic() > end:
                break
        return list(found)

    def shortest(self) -> str | None:
        """A member of the least code points."""
        text = self._contexts.text(self._root)
        return text if self._is_member(text) else None

    def using_rule(self, rule: str) -> str | None:
        """A short member in which a rule is matched; None if the root does not need it, or it matches nothing."""
        numbers = [number for number, one in enumerate(self.nodes.rules) if one.name == rule]
        return self._first_member(self.nodes.rules[number].body for number in numbers)

    def using_span(self, span: tuple[int, int]) -> str | None:
        """A short member that uses an expression written at a span of the grammar's source."""
        inside = [
            index
            for index, node in enumerate(self.nodes.nodes)
            if node.span[1] > node.span[0] and span[0] <= node.span[0] and node.span[1] <= span[1]
        ]
        return self._first_member(inside)

    def using_keyword(self, pointer: str) -> str | None:
        """Of a JSON Schema's grammar, a short member in which the value that a keyword constrains is present.

        `pointer` is the keyword's JSON Pointer. A keyword for values of one type is shown by a value of that type.
        """
        schema, _, keyword = pointer.rpartition("/")
        word = KEYWORDS.get(keyword)
        openings = OPENINGS.get(word.speaks_of) if word is not None else None

        def shows(text: str) -> bool:
            return openings is None or text[:1] in openings if text else False

        return self._first_member(self._of_schema(schema), shows) or self._first_member(self._of_schema(schema))

    @cached_property
    def _by_pointer(self) -> dict[str, list[int]]:
        """The expressions by the pointer of the innermost value of the source that they are written at."""
        places = JsonPlaces.of(self.grammar.source.encode())
        found: dict[str, list[int]] = {}
        for index, node in enumerate(self.nodes.nodes):
            place = places.around(node.span)
            if node.span[1] > node.span[0] and node.span[0] >= place.span[0]:  # not a property's name
                found.setdefault(place.pointer, []).append(index)
        return found

    def _of_schema(self, pointer: str) -> list[int]:
        """The expressions of a schema; of one that has none of its own, those of the schemas around it."""
        while pointer and pointer not in self._by_pointer:
            pointer = pointer.rpartition("/")[0]
        return self._by_pointer.get(pointer, [])

    def _first_member(
        self, expressions: Iterator[int] | list[int], shows: Callable[[str], bool] = lambda _: True
    ) -> str | None:
        """The shortest member around one of some expressions whose own text is fit."""
        contexts = self._contexts
        known = [
            (contexts.lengths[place] + own, place)
            for index in expressions
            for place, own in (
                ((index, False), self.nodes.lengths[index]),
                ((index, True), contexts.symbols.filled[index]),
            )
            if place in contexts.lengths and own is not None and own < NEVER
        ]
        n_tried = 0
        for _, place in sorted(known):
            own = contexts.filled_text(place[0]) if place[1] else contexts.text(place[0])
            if not shows(own):
                continue
            before, after = contexts.around(place)
            n_tried += 1
            text = before + own + after
            if self._is_member(text):
                return text
            if n_tried >= MOST_CANDIDATES:
                break
        return None

    # ---- Non-members ----

    def near(self, member: str, seed: int) -> NearMiss | None:
        """A text that is no member, one edit away from a member; None if each text that was tried is one.

        A text that fails is better than one that is only incomplete.
        """
        if len(member) > MOST_NEAR:
            return None
        end, incomplete = monotonic() + SECONDS, None
        for edit, text in _neighbours(member, random.Random(seed)):
            row = self.checker.row(text, should_match=False)
            if row.verdict == "rejected":
                return _miss(text, member, edit, row)
            if row.verdict == "incomplete" and incomplete is None:
                incomplete = _miss(text, member, edit, row)
            if monotonic() > end:
                break
        return incomplete


def _miss(text: str, member: str, edit: str, row: CheckRow) -> NearMiss:
    return NearMiss(text, member, edit, row.died_at, row.expected_text)


def _neighbours(text: str, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Texts one edit away, each with the edit in words: at places in random order, first deletions."""
    places = list(range(len(text)))
    rng.shuffle(places)
    for k in places:
        at = len(text[:k].encode("utf-8", "surrogatepass"))
        yield f"without {_named(text[k])} at byte {at}", text[:k] + text[k + 1 :]
        for letter in _others(text[k]):
            yield f"{_named(letter)} for {_named(text[k])} at byte {at}", text[:k] + letter + text[k + 1 :]
    for k in [*places, len(text)]:
        at = len(text[:k].encode("utf-8", "surrogatepass"))
        for letter in ("x", "0", " "):
            yield f"{_named(letter)} more at byte {at}", text[:k] + letter + text[k:]


def _others(letter: str) -> list[str]:
    """Letters that an author might have typed instead."""
    found = ["0"] if letter.isalpha() else ["x"]
    if letter.isalpha() and letter.swapcase() != letter:
        found.append(letter.swapcase())
    return [one for one in found if one != letter]


def _named(letter: str) -> str:
    return (
        letter
        if letter.isprintable() and letter != " "
        else {" ": "a space", "\n": "a line break"}.get(letter, repr(letter))
    )
