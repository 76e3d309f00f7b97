"""Earley's columns without positions: rows of items that know no origin, and contexts, the sets of items that wait.

>>> from xg2lab.reference.ebnf import parse_ebnf
>>> columns = Columns(program_of(parse_ebnf('root ::= "[" root* "]" | [a-z]')))
>>> column = columns.after(b"[[")
>>> columns.after(b"[[x]y[[][]][") == column, sorted(map(chr, columns.expected_bytes(column)))[:3], column.is_complete
(True, ['[', ']', 'a'], False)
>>> len(columns.contexts), len(columns.columns)  # the deepest text had three levels
(3, 4)

An Earley item says where its rule began, so that completing the rule finds the items that wait for
it. No other part of that column matters. So an item's origin is a *context*: the set of items that
waited when its rule was called. Contexts are interned: two that are equal have one number, and so
have the futures of their items.

A column is a few *parts*, each a context and the items whose rules were called in it. Without
their common origin the items of a part are places: a state, and the rule that completing it
completes (the goal). A *row* is the closure of a set of places under prediction and completion,
which is the same for all origins:

- scan: the places that read a byte,
- waits: the places that wait for a called rule, as they will be once it is complete,
- ended: the goals that are complete, so that the items waiting in the origin are resumed,
- called: the places with which the called rules start.

So rows depend on the program alone, and are closed once for all contexts. Reading a byte unites
rows by origin, the newest origin first, because items that wait in a context belong to older
contexts or to the context itself (SELF). In the end all waiting items of the column make one
context, the origin of every rule that is called here.

- Counts (machines.py): rows are closed separately and united later, as uniting commutes with all
  functions of counts. States of counted rules read no byte, so their counts occur in waiting items
  alone.
- Tail calls: an item that waits at the end of its rule would, once resumed, only complete that
  rule. In a new context, the items that wait for that rule replace it, if they are few. So right
  recursion makes no context for each letter.
- Waiting groups: under root ::= root "+" root each context has the waiting items of the one before, and one more. The
  items of a context that wait alike are a *group*: the group of their newest origin, and a few more. One byte resumes a
  group once.
- A pushdown automaton (`predict_apart`) makes a context for each waiting item, where Earley's parser makes one for all.
- max_tokens (ticks.py): a match overlaps the tokens whose bytes it has consumed. So if a program has max_tokens, items
  whose match has consumed nothing yet are parts of their own, marked `is_begun`.

Shapes and units: a context is a number, in the order in which contexts are made; OUT is the origin
of the text. A column is its content. COST a step looks up a row for each part, and for each origin
of the groups that it resumes.
See also: machines.py, the rules; earley.py, the same by position; core/parse/column_table.h;
Aycock and Horspool 2002, "Practical Earley parsing" (LR(0) sets).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeAlias

from xg2lab.reference.machines import Counts, Member, Program, Rule, program_of

__all__ = ["Columns", "predict_apart", "predict_together", "program_of"]

OUT, SELF = -1, -2  # origins: of the text; of items whose origin is the context that they wait in
MOST_RETURNS = 8  # a tail call is replaced by at most so many waiting items


class Place(NamedTuple):
    """An item without its origin."""

    state: tuple[str, int]
    goal: str
    counts: Counts = None


class Wait(NamedTuple):
    """The rule that an item waits for, and the item's place once that rule is complete."""

    rule: str
    place: Place


Ended: TypeAlias = tuple[str, Member]  # a goal that is complete; of a member rule, the member


class Row(NamedTuple):
    """The closure of a set of places: the places that scan and wait, the complete goals, the called rules."""

    scan: frozenset[Place] = frozenset()
    waits: frozenset[Wait] = frozenset()
    ended: frozenset[Ended] = frozenset()
    called: frozenset[Place] = frozenset()


class Part(NamedTuple):
    """Places that read a byte and their origin. `is_begun`: no byte was read since that context was made."""

    origin: int
    scan: frozenset[Place]
    is_begun: bool = False


class Callers(NamedTuple):
    """Waiting items and their origin. `is_begun`: that context was made at the same byte as theirs."""

    origin: int
    waits: frozenset[Wait]
    is_begun: bool = False


class Column(NamedTuple):
    """The items that read the next byte, and whether the bytes so far are a whole match."""

    parts: frozenset[Part]
    is_complete: bool


Context: TypeAlias = frozenset[Callers]
Group: TypeAlias = tuple[int, frozenset[Wait]]  # the items of a context that wait alike, whatever their origins are
Found: TypeAlias = dict[int, Row]
Predict: TypeAlias = "Callable[[Columns, Found], list[Part]]"
DEAD = Column(frozenset(), is_complete=False)


# ---- Rows: whatever does not depend on an origin ----


class Rows:
    """The rows of a program, each closed once."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.known: dict[tuple[frozenset[Place], bool], Row] = {}

    def rule(self, place: Place) -> Rule:
        """The rule of a place's state; its goal is another one after a tail call of the pushdown automaton."""
        return self.program.rules[place.state[0]]

    def is_open(self, place: Place) -> bool:
        """Whether a match can be finished from this place; no row has a place from which none can."""
        return self.rule(place).is_open(place.state[1], place.counts)

    def close(self, places: Iterable[Place], *, holds_called: bool = False) -> Row:
        """The row of these places. `holds_called`: the rules called begin in the same context, so that the places with
        which they start belong to the row.
        """
        key = frozenset(places), holds_called
        if key in self.known:
            return self.known[key]
        counts: dict[tuple[tuple[str, int], str], Counts] = {}
        agenda = list(key[0])
        for place in agenda:
            core = place.state, place.goal
            united = self.rule(place).unite(counts[core], place.counts) if core in counts else place.counts
            if core in counts and united == counts[core]:
                continue
            counts[core] = united
            for wait in self.waits(Place(*core, united)):
                agenda += [wait.place] * (wait.rule in self.program.nullable)  # past a rule that matches nothing
                agenda += [self.start(wait)] * holds_called
        found = [Place(*core, united) for core, united in counts.items()]
        waits = frozenset(wait for place in found for wait in self.waits(place))
        self.known[key] = row = Row(
            frozenset(place for place in found if any(self.targets(place))),
            waits,
            frozenset(ended for place in found for ended in self.ends(place)),
            frozenset() if holds_called else frozenset(map(self.start, waits)),
        )
        return row

    def waits(self, place: Place) -> Iterator[Wait]:
        """The calls of a place."""
        for rule, to, counts in self.rule(place).calls(place.state[1], place.counts):
            wait = Wait(rule, Place((place.state[0], to), place.goal, counts))
            if rule in self.program.rules and self.is_open(wait.place):
                yield wait

    def start(self, wait: Wait) -> Place:
        """The place with which the rule that an item waits for starts."""
        rule = self.program.rules[wait.rule]
        return Place((wait.rule, rule.machine.start), wait.rule, rule.first(wait.place.counts))

    def is_at_end(self, place: Place) -> bool:
        """Whether an item in this place can do nothing but complete its rule."""
        return self.rule(place).is_at_end(place.state[1])

    def ends(self, place: Place) -> Iterator[Ended]:
        """What is complete in a place."""
        return ((place.goal, member) for member in self.rule(place).ends(place.state[1], place.counts))

    def targets(self, place: Place) -> Iterator[tuple[tuple[int, int], Place]]:
        """The byte ranges that a place reads, and where they lead."""
        for label, to in self.rule(place).machine.edges[place.state[1]]:
            after = place._replace(state=(place.state[0], to))
            if isinstance(label, tuple) and self.is_open(after):
                yield label, after

    def step(self, scan: Iterable[Place], byte: int) -> Row:
        """The row after a byte."""
        return self.close(to for place in scan for (low, high), to in self.targets(place) if low <= byte <= high)

    def predicted(self, called: Iterable[Place]) -> Row:
        """The row of the rules called, and of those that they call: all begin in the context that is being made. What
        is complete in it matched nothing, and the items that wait for it are past it already.
        """
        return self.close(called, holds_called=True)._replace(ended=frozenset())

    def returned(self, waits: Iterable[Wait], ended: frozenset[Ended]) -> Row:
        """The row of the waiting items that these goals resume."""
        return self.close(
            wait.place._replace(counts=self.rule(wait.place).resumed(wait.place.counts, member))
            for wait in waits
            for goal, member in ended
            if goal == wait.rule
        )

    def returned_here(self, waits: frozenset[Wait], ended: frozenset[Ended]) -> tuple[Row, frozenset[Ended]]:
        """The same where the waiting items' own rules began in this context too, so that they resume one another."""
        while not (row := self.returned(waits, ended)).ended <= ended:
            ended |= row.ended
        return row._replace(ended=frozenset()), ended

    def united(self, a: Row, b: Row) -> Row:
        """The row of the places of both."""
        scan, waits = self.unite_places(a.scan | b.scan), self.unite_waits(a.waits | b.waits)
        return Row(scan, waits, a.ended | b.ended, a.called | b.called)

    def unite_places(self, places: Iterable[Place]) -> frozenset[Place]:
        """Places; those that differ in their counts alone become one."""
        counts: dict[Place, Counts] = {}
        for place in places:
            core = place._replace(counts=None)
            counts[core] = self.rule(core).unite(counts[core], place.counts) if core in counts else place.counts
        return frozenset(core._replace(counts=united) for core, united in counts.items())

    def unite_waits(self, waits: Iterable[Wait]) -> frozenset[Wait]:
        """The same of waiting items."""
        places: dict[str, list[Place]] = {}
        for rule, place in waits:
            places.setdefault(rule, []).append(place)
        return frozenset(Wait(rule, place) for rule in places for place in self.unite_places(places[rule]))


# ---- Columns: rows with origins ----


class Columns:
    """The contexts and columns that texts have met so far."""

    def __init__(self, program: Program, predict: Predict | None = None, most_returns: int = MOST_RETURNS) -> None:
        self.program, self.rows = program, Rows(program)
        self.predict, self.most_returns = predict or predict_together, most_returns
        self.contexts: list[Context] = []
        self.numbers: dict[Context, int] = {}
        self.columns: set[Column] = set()
        self.steps: dict[tuple[Column, int], Column] = {}
        self.groups: dict[Group, tuple[int | None, set[int]]] = {}
        self.n_lookups = 0  # of rows, by origin
        found: Found = {}
        if program.root in program.rules:
            text = Place((program.root, 0), program.root)  # the item that waits for the root
            found[OUT] = self.rows.close([self.rows.start(Wait(program.root, text))])
        self.start = self.finish(found, is_complete=program.root in program.nullable)

    def step(self, column: Column, byte: int) -> Column:
        """The column after a byte; DEAD if no place reads it."""
        if (column, byte) not in self.steps:
            found: Found = {}
            for part in column.parts:
                self.n_lookups += 1
                self.add(found, part.origin, self.rows.step(part.scan, byte))
            self.steps[column, byte] = self.finish(found, self.complete(found))
        return self.steps[column, byte]

    def add(self, found: Found, origin: int, row: Row) -> None:
        """Unite a row with what was found of its origin."""
        found[origin] = self.rows.united(found[origin], row) if origin in found else row

    def complete(self, found: Found) -> bool:
        """Resume the items that wait for goals which are complete. Returns whether the text is complete."""
        done: set[int] = set()
        resumed: dict[Group, frozenset[Ended]] = {}
        while pending := {origin for origin, row in found.items() if row.ended and origin != OUT} - done:
            origin = max(pending)  # the newest one: the items waiting there have older origins, or this one
            done.add(origin)
            ended = found[origin].ended
            for callers in self.contexts[origin]:
                if callers.origin == SELF:
                    row, ended = self.rows.returned_here(callers.waits, ended)
                    self.add(found, origin, row)
            for waits in {callers.waits for callers in self.contexts[origin]}:
                self.resume(found, (origin, waits), ended, resumed)
        return OUT in found and any(goal == self.program.root for goal, _ in found[OUT].ended)

    def resume(
        self, found: Found, group: Group, ended: frozenset[Ended], resumed: dict[Group, frozenset[Ended]]
    ) -> None:
        """Resume a waiting group, and the groups that it begins with, unless these goals have resumed it before."""
        first, waits = group
        at: int | None = first
        while at is not None and not ended <= resumed.get((at, waits), frozenset()):
            resumed[at, waits] = resumed.get((at, waits), frozenset()) | ended
            shared, origins = self.group(at, waits)
            for origin in origins:
                if (at, origin) != (first, SELF):  # `complete` has resumed these
                    self.n_lookups += 1
                    self.add(found, at if origin == SELF else origin, self.rows.returned(waits, ended))
            at = shared

    def group(self, context: int, waits: frozenset[Wait]) -> tuple[int | None, set[int]]:
        """The origins of equal waiting items in a context: those of an older context's group, and a few more."""
        if (context, waits) not in self.groups:
            origins = {callers.origin for callers in self.contexts[context] if callers.waits == waits}
            newest = max(origins)
            older = self.contexts[newest] if newest >= 0 else frozenset[Callers]()
            shared = {newest if c.origin == SELF else c.origin for c in older if c.waits == waits}
            is_shared = bool(shared) and shared <= origins
            self.groups[context, waits] = (newest, origins - shared) if is_shared else (None, origins)
        return self.groups[context, waits]

    def finish(self, found: Found, is_complete: bool) -> Column:
        """The column of the places found, and of those that are predicted."""
        parts = [Part(origin, row.scan) for origin, row in found.items()]
        return self.column([*parts, *self.predict(self, found)], is_complete)

    def column(self, parts: Iterable[Part], is_complete: bool) -> Column:
        """The column of some parts; those of one origin become one."""
        places: dict[tuple[int, bool], list[Place]] = {}
        for origin, scan, is_begun in parts:
            places.setdefault((origin, is_begun and self.program.has_budgets), []).extend(scan)
        united = (Part(origin, self.rows.unite_places(scan), begun) for (origin, begun), scan in places.items())
        column = Column(frozenset(part for part in united if part.scan), is_complete)
        self.columns.add(column)
        return column

    def context(self, callers: Iterable[Callers]) -> int:
        """The number of the context of these waiting items; those of one origin become one."""
        waits: dict[tuple[int, bool], list[Wait]] = {}
        for origin, some, is_begun in callers:
            waits.setdefault((origin, is_begun and self.program.has_budgets), []).extend(some)
        context = frozenset(
            Callers(origin, self.rows.unite_waits(some), begun) for (origin, begun), some in waits.items() if some
        )
        if context not in self.numbers:
            self.numbers[context] = len(self.contexts)
            self.contexts.append(context)
        return self.numbers[context]

    def is_tail_call(self, wait: Wait) -> bool:
        """Whether an item that waits does nothing once resumed but complete its rule. Budgets need both rules open."""
        return (
            self.most_returns > 0 and self.rows.is_at_end(wait.place) and not self.program.rules[wait.rule].max_tokens
        )

    def returns(self, origin: int, wait: Wait) -> set[tuple[int, Wait]]:
        """The items that a tail call returns to, with their origins, if they are few; or else the one that waits."""
        found = self.returns_of(origin, wait.place, set()) if self.is_tail_call(wait) else set[tuple[int, Place]]()
        if 0 < len(found) <= self.most_returns:
            return {(at, Wait(wait.rule, place)) for at, place in found}
        return {(origin, wait)}

    def returns_of(self, origin: int, place: Place, seen: set[tuple[int, str]]) -> set[tuple[int, Place]]:
        """The items that would be resumed in the end, if this one did nothing but complete its rule."""
        if origin == OUT or not self.rows.is_at_end(place):
            return {(origin, place)}
        if (origin, place.goal) in seen:
            return set()
        seen.add((origin, place.goal))
        waiting = [
            (origin if callers.origin == SELF else callers.origin, wait.place)
            for callers in self.contexts[origin]
            for wait in callers.waits
            if wait.rule == place.goal
        ]
        if len(waiting) > self.most_returns:
            return {(origin, place)}
        return {after for at, other in waiting for after in self.returns_of(at, other, seen)}

    def after(self, data: bytes) -> Column:
        """The column after a text."""
        column = self.start
        for byte in data:
            column = self.step(column, byte)
        return column

    def expected_bytes(self, column: Column) -> set[int]:
        """Every byte that may come next."""
        ranges = [label for part in column.parts for place in part.scan for label, _ in self.rows.targets(place)]
        return {byte for low, high in ranges for byte in range(low, high + 1)}


# ---- Two parsers: which contexts the waiting items of a column make ----


def predict_together(columns: Columns, found: Found) -> list[Part]:
    """Earley's parser: all waiting items make one context, and each rule is called once for all of them."""
    row = columns.rows.predicted(frozenset[Place]().union(*(row.called for row in found.values())))
    if not row.scan:
        return []
    callers = [Callers(SELF, row.waits, is_begun=True)]
    for origin, each in found.items():
        callers += [Callers(at, frozenset({wait})) for call in each.waits for at, wait in columns.returns(origin, call)]
    return [Part(columns.context(callers), row.scan, is_begun=True)]


def predict_apart(columns: Columns, found: Found) -> list[Part]:
    """A pushdown automaton: each waiting item is a context, the frame of the rule that it calls. After a tail call
    the called rule has the caller's frame, and completes the caller's goal.
    """
    rows, parts = columns.rows, list[Part]()
    agenda = dict.fromkeys((origin, wait, False) for origin, row in found.items() for wait in row.waits)
    for origin, wait, is_begun in (pending := list(agenda)):
        if columns.is_tail_call(wait):
            row = rows.close([rows.start(wait)._replace(goal=wait.place.goal)])
            part = Part(origin, row.scan, is_begun)
        else:
            row = rows.close([rows.start(wait)])
            frame = columns.context([Callers(origin, frozenset({wait}), is_begun)])
            part = Part(frame, row.scan, is_begun=True)
        parts.append(part)
        fresh = {(part.origin, each, part.is_begun): None for each in row.waits}
        pending += [call for call in fresh if call not in agenda]
        agenda |= fresh
    return parts
