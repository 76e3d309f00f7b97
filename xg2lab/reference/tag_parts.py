"""Formats of a structural tag that are made of formats: sequences, choices, repetitions, tags.

>>> from xg2lab.reference.structural_tag import accepts
>>> item = {"type": "const_string", "value": "ab"}
>>> accepts({"type": "star", "content": item}, "abab"), accepts({"type": "plus", "content": item}, "")
(True, False)

Only free text depends on the text after it: it ends at the first of the ends around it. So the
ends are passed down: the ends of a format are the positions after one of them. A format that is
not last has no ends, and free text in a repeated part may not contain them.

Shapes and units: places count code points.
See also: structural_tag.py, which names all formats.
"""

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

Format = dict[str, Any]


@dataclass(frozen=True)
class Around:
    """What follows a format, and what may not be in its free text because it ends something further out."""

    ends: tuple[str, ...] = ()
    end_tokens: frozenset[int] = frozenset()
    may_be_empty: bool = False
    forbidden: tuple[str, ...] = ()

    @property
    def has_ends(self) -> bool:
        """Is there one that is not empty?"""
        return bool(self.ends or self.end_tokens)

    def inside(self, *more: str) -> "Around":
        """For what is not last."""
        return Around(forbidden=(*self.forbidden, *more))


@dataclass(frozen=True)
class Parts:
    """A text, and the tokens that begin at its places: id and end. A method `..._ends` for each format."""

    text: str
    tokens: dict[int, tuple[int, int]]
    stops: frozenset[int]
    known: dict[tuple[int, Around, int], set[int]] = field(default_factory=dict[tuple[int, Around, int], set[int]])

    def ends(self, form: Format, around: Around, at: int) -> set[int]:
        """Where may a match of the format, and of one of the ends around it, end?"""
        key = id(form), around, at
        if key not in self.known:
            self.known[key] = getattr(self, f"{form['type']}_ends")(form, around, at)
        return self.known[key]

    def close(self, places: set[int], around: Around) -> set[int]:
        """Behind one of the ends."""
        if not around.has_ends:
            return places
        found = {at + len(end) for at in places for end in around.ends if self.text.startswith(end, at)}
        found |= {end for at in places for end in self.token_at(at, around.end_tokens)}
        return found | (places if around.may_be_empty else set())

    def many(self, at: int, step: Callable[[int], set[int]], least: int, most: int | None) -> set[int]:
        """Behind `least` to `most` steps."""
        places, found = {at}, set[int]()
        for n in itertools.count():
            if n >= least:
                places, found = places - found, found | places  # nothing new is in a place that was reached before
            if not places or n == most:
                return found
            places = {end for place in places for end in step(place)}
        return found

    def token_at(self, at: int, ids: Iterable[int], is_negated: bool = False) -> set[int]:
        """Behind the token that begins here, if it is one of these, or none of them."""
        token, end = self.tokens.get(at, (-1, at))
        return {end} if token >= 0 and token not in self.stops and (token in ids) != is_negated else set()

    # ---- One after the other, or one of them ----

    def sequence_ends(self, form: Format, around: Around, at: int) -> set[int]:
        """The ends are the last one's."""
        *first, last = form["elements"]
        places = {at}
        for part in first:
            places = {end for place in places for end in self.ends(part, around.inside(), place)}
        return {end for place in places for end in self.ends(last, around, place)}

    def or_ends(self, form: Format, around: Around, at: int) -> set[int]:
        """Any of them."""
        return {end for part in form["elements"] for end in self.ends(part, around, at)}

    def optional_ends(self, form: Format, around: Around, at: int) -> set[int]:
        """The content, or nothing."""
        return self.ends(form["content"], around, at) | self.close({at}, around)

    def repeat_ends(self, form: Format, around: Around, at: int, least: int = 0, most: int | None = None) -> set[int]:
        """Some times; without bounds of its own it has those that are given."""
        least, most = form.get("min", least), form.get("max", most)
        inside = around.inside(*around.ends)
        places = self.many(
            at, lambda place: self.ends(form["content"], inside, place), least, None if most == -1 else most
        )
        return self.close(places, around)

    def star_ends(self, form: Format, around: Around, at: int) -> set[int]:
        """Any number of times."""
        return self.repeat_ends(form, around, at)

    def plus_ends(self, form: Format, around: Around, at: int) -> set[int]:
        """Once or more."""
        return self.repeat_ends(form, around, at, least=1)

    # ---- Tags ----

    def tag_ends(self, form: Format, around: Around, at: int) -> set[int]:
        """Its begin, its content, one of its ends."""
        begin = form["begin"]
        if isinstance(begin, str):
            return self.rest(form, around, at + len(begin)) if self.text.startswith(begin, at) else set()
        return {end for place in self.token_at(at, {begin["token"]}) for end in self.rest(form, around, place)}

    def rest(self, form: Format, around: Around, at: int) -> set[int]:
        """What follows `begin`. A tag without an end of its own ends where the one around it does."""
        end = form["end"]
        texts = [] if isinstance(end, dict) else [end] if isinstance(end, str) else end
        tokens = frozenset([end["token"]] if isinstance(end, dict) else [])
        own = Around(tuple(text for text in texts if text), tokens, may_be_empty="" in texts)
        if not own.has_ends:
            return self.ends(form["content"], around, at)
        forbidden = (*around.forbidden, *(around.ends if own.may_be_empty else ()))
        return self.close(self.ends(form["content"], replace(own, forbidden=forbidden), at), around)
