"""max_tokens on contexts: the column after a token has ended.

>>> from xg2lab.reference.heads import parse_with_options
>>> grammar, options = parse_with_options('root ::= x "."   x[max_tokens=2] ::= "<" [a-z]* ">"')
>>> columns = Columns(program_of(grammar, max_tokens={"x": options["x"]["max_tokens"]}))
>>> ticks, column = Ticks(columns), columns.start
>>> for byte in b"<a>":
...     column = ticks.tick(columns.step(column, byte))
...     print(chr(byte), sorted(map(chr, columns.expected_bytes(column)))[:3])
< ['>', 'a', 'b']
a ['>', 'a', 'b']
> ['.']

An item of a rule with max_tokens counts the tokens that its match overlaps. At the end of a token
each open match that has consumed the token's last byte overlaps one token more: the matches of the
column's items, and those of the items that wait for them, down to the root. A match that overlaps
max_tokens tokens is *expired*. The tick keeps the items inside the fewest expired matches. If the
text may end here, it keeps only the items inside none.

The *level* of an item is the number of expired matches that it is inside: 1 if its own match is
expired, plus the least level of the items that it will resume. A context holds items of several
levels, so it is ticked once for each level: the new context has the waiting items of that level,
each with its token counted. The new origin of an item is its old one, ticked for the item's level
without its own match. A waiting item whose origin is SELF, and whose own match is expired, so gets
the next lower level's context as its origin.

Tokens don't overlap matches that have consumed nothing. `is_here` is true of a context if no byte
was read since it was made; then the matches that began in it (`is_begun`) don't count the token.

Shapes and units: a level is a number of matches, inf for an item that can resume no other. COST a
new tick is linear in the waiting items down to the root, times their levels.
See also: options.py, the same by definition; rows.py; core/parse/tick.cc.
"""

from collections.abc import Iterator
from math import inf
from typing import TypeAlias

from xg2lab.reference.machines import Members, program_of
from xg2lab.reference.rows import OUT, SELF, Callers, Column, Columns, Part, Place, Wait

__all__ = ["Ticks", "program_of"]

Levels: TypeAlias = dict[tuple[Callers, Wait], float]


class Ticks:
    """The ticks of a table of columns."""

    def __init__(self, columns: Columns) -> None:
        self.columns, self.rows = columns, columns.rows
        self.levels: dict[tuple[int, bool], Levels] = {}
        self.ticked: dict[tuple[int, bool, float], int] = {}

    def tick(self, column: Column) -> Column:
        """The column after a token that ends in `column`."""
        if not self.columns.program.has_budgets:
            return column
        items = [(part, place) for part in column.parts for place in part.scan]
        levels = [self.level(place, part.origin, part.is_begun) for part, place in items]
        least = 0 if column.is_complete else min(levels, default=0)
        kept = [item for item, level in zip(items, levels, strict=True) if level == least]
        parts = [self.aged_part(part, place, least) for part, place in kept]
        return self.columns.column(parts, column.is_complete)

    def aged_part(self, part: Part, place: Place, level: float) -> Part:
        """An item that stays, as it is after the tick."""
        around = level - self.is_expired(place, part.is_begun)
        aged = self.aged(place, part.origin, part.is_begun, around)
        return Part(self.context(part.origin, part.is_begun, around), frozenset({aged}), part.is_begun)

    def level(self, place: Place, origin: int, is_here: bool) -> float:
        """The fewest expired matches that an item may be inside."""
        return self.is_expired(place, is_here) + self.level_around(place, origin, is_here)

    def level_around(self, place: Place, origin: int, is_here: bool) -> float:
        """The same without the item's own match."""
        if origin == OUT:
            return 0
        return min((level for _, level in self.resumed_by(place, origin, is_here)), default=inf)

    def resumed_by(self, place: Place, origin: int, is_here: bool) -> Iterator[tuple[Wait, float]]:
        """The waiting items that completing an item resumes, with their levels. Items of a member rule resume those
        whose sets of members leave them open.
        """
        is_of_member = isinstance(self.rows.rule(place), Members)
        for (_, wait), level in self.levels_of(origin, is_here).items():
            if wait.rule == place.goal and (
                not is_of_member or self.rows.is_open(place._replace(counts=wait.place.counts))
            ):
                yield wait, level

    def n_overlapped(self, place: Place, is_here: bool) -> int:
        """The number of tokens that an item's match overlaps after this one."""
        return min(self.rows.rule(place).max_tokens, place.counts + (not is_here))

    def is_expired(self, place: Place, is_here: bool) -> bool:
        """Whether the item's own match is expired."""
        budget = self.rows.rule(place).max_tokens
        return budget > 0 and self.n_overlapped(place, is_here) == budget

    def aged(self, place: Place, origin: int, is_here: bool, around: float) -> Place:
        """An item's place after the tick. `around`: the level of the items that it resumes."""
        rule, counts = self.rows.rule(place), place.counts
        if rule.max_tokens:
            counts = self.n_overlapped(place, is_here)
        elif isinstance(rule, Members) and origin != OUT:
            resumed = [wait for wait, level in self.resumed_by(place, origin, is_here) if level == around]
            counts = resumed[0].place.counts.union(*(wait.place.counts for wait in resumed))
        return place._replace(counts=counts)

    def levels_of(self, context: int, is_here: bool) -> Levels:
        """The levels of a context's waiting items. Some refer to each other: the loop runs until none falls."""
        if (context, is_here) not in self.levels:
            levels: Levels = {
                (callers, wait): inf for callers in self.columns.contexts[context] for wait in callers.waits
            }
            self.levels[context, is_here] = levels
            while (found := {item: self.level_of(*item, context, is_here) for item in levels}) != levels:
                levels |= found
        return self.levels[context, is_here]

    def level_of(self, callers: Callers, wait: Wait, context: int, is_here: bool) -> float:
        """The level of a waiting item of a context."""
        origin = context if callers.origin == SELF else callers.origin
        return self.level(wait.place, origin, is_here and callers.is_begun)

    def context(self, context: int, is_here: bool, level: float) -> int:
        """The context of one level, after the tick."""
        if context == OUT:
            return OUT
        key = context, is_here, level
        if key not in self.ticked:
            items = [item for item, found in self.levels_of(context, is_here).items() if found == level]
            self.ticked[key] = self.columns.context(
                self.aged_callers(callers, wait, context, is_here, level) for callers, wait in items
            )
        return self.ticked[key]

    def aged_callers(self, callers: Callers, wait: Wait, context: int, is_here: bool, level: float) -> Callers:
        """A waiting item that stays. If its own match is expired, its origin is a context of a lower level."""
        origin = context if callers.origin == SELF else callers.origin
        begins_here = is_here and callers.is_begun
        around = level - self.is_expired(wait.place, begins_here)
        waits = frozenset({Wait(wait.rule, self.aged(wait.place, origin, begins_here, around))})
        if callers.origin == SELF and around == level:
            return Callers(SELF, waits, callers.is_begun)
        is_begun = callers.is_begun and callers.origin != SELF
        return Callers(self.context(origin, begins_here, around), waits, is_begun)
