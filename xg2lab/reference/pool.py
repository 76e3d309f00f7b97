r"""Mask entries of one grammar used by another: a perfect hit, a partial hit, or a miss, for each of its states.

Two grammars with the same `key`, which ends at a quote. Before its first byte no token of this
vocabulary ends it; after one byte, the token `":` does, and reads one byte of the text that
follows:

>>> key = Machine({2}, [[((34, 34), 1)], [((97, 122), 1), ((34, 34), 2)], []])
>>> def root(end):
...     return Machine({2}, [[("key", 1)], [((ord(end), ord(end)), 2)], []])
>>> vocabulary = [b'"', b"a", b'a"', b'":']
>>> first = Program({"root": root(":"), "key": key})
>>> for end in ":,":
...     pool = Pool(vocabulary)
...     made = [pool.use(first, place) for place in (("key", 0), ("key", 1))]
...     second = Program({"root": root(end), "key": key})
...     print(made, [pool.look_up(second, place) for place in (("key", 0), ("key", 1), ("root", 1))])
['miss', 'miss'] ['perfect_hit', 'perfect_hit', 'miss']
['miss', 'miss'] ['perfect_hit', 'partial_hit', 'miss']

An entry classifies the vocabulary by the state's rule, and, if the rule ends within a token, by
the texts that may follow the rule. Both parts may be known if an *equal* state was used before
(equal rules: structure.py):

- A miss: no equal state was used. All tokens are walked.
- A perfect hit: either no token continues after the rule's end, or the walk over the rule's
  callers would visit the same as an earlier walk. The entry itself is reused.
- A partial hit: the walk would visit something else. Only the tokens that continue after the
  rule's end are walked again.

A walk's *sight* (`Sight`) is a part of the program: the states that the walk may be in after the
rule has ended, and the facts that it used of each. For a state in which a byte was read these are
all its byte edges, with the target only of edges that some token follows; for every state, whether
it is accepting, and its calls. Two sights are equal if the rules and states of one can be renamed,
one to one, to those of the other. The stack of callers is left out: a rule that has ended is
assumed to return to all seen states that call it. So a sight may hold more than the walk needed,
and a partial hit may have been a perfect one; never the other way round.

The engine pairs edges in their order (`in_order`), and so misses some renamings; here all pairings
are tried.

Shapes and units: a place is (rule, state); a column is a set of items (place, origin); an origin
is a number of bytes read, or OUTSIDE for rules that began before the walk. Byte edges are `((low,
high), target)`, calls `(rule, target)`.

See also: XGrammar 2, section 3.3 (cross-grammar caching); structure.py; mask.py for what an entry
is.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations
from typing import Literal, TypeVar

from xg2lab.reference.structure import Hash, Machine, Machines, states_by_structure

Place = tuple[str, int]
Item = tuple[Place, int]
Result = Literal["perfect_hit", "partial_hit", "miss"]
Names = dict[object, object]
T = TypeVar("T")
OUTSIDE = -1


@dataclass(frozen=True)
class Program:
    """The machines of a grammar; the first is the root's."""

    machines: Machines

    @cached_property
    def structure(self) -> dict[Place, tuple[Hash, int]]:
        """For each place what it is up to the names of rules and states."""
        return states_by_structure(self.machines)

    @cached_property
    def nullable(self) -> set[str]:
        """The rules that match the empty string."""
        rules: set[str] = set()
        while True:
            found = {name for name, machine in self.machines.items() if may_end_at_once(machine, rules)}
            if found == rules:
                return rules
            rules = found

    @cached_property
    def returns(self) -> dict[str, list[Place]]:
        """For each rule the places to which its callers go on."""
        found = {
            rule: {(name, to) for name in self.machines for _, to in self.all_calls(name, rule)}
            for rule in self.machines
        }
        order = {name: i for i, name in enumerate(self.machines)}
        return {rule: sorted(places, key=lambda place: (order[place[0]], place[1])) for rule, places in found.items()}

    def all_calls(self, name: str, rule: str) -> list[tuple[int, int]]:
        """The edges of the machine `name` that call `rule`, as (from, to)."""
        edges = self.machines[name].edges
        return [(state, to) for state in range(len(edges)) for label, to in edges[state] if label == rule]

    def calls(self, place: Place) -> list[tuple[str, int]]:
        """The calls that leave a place, and where they go on."""
        return [(label, to) for label, to in self.machines[place[0]].edges[place[1]] if isinstance(label, str)]

    def reads(self, place: Place) -> list[tuple[tuple[int, int], int]]:
        """The bytes that may be read at a place, and where they lead."""
        edges = self.machines[place[0]].edges[place[1]]
        return sorted((label, to) for label, to in edges if not isinstance(label, str))

    def is_accepting(self, place: Place) -> bool:
        """Whether the place's rule may end there."""
        return place[1] in self.machines[place[0]].accepting

    def has_one_context(self, rule: str) -> bool:
        """Whether the rule is called at one place only, and so are its caller, and that one's, up to the root."""
        root = next(iter(self.machines))
        callers: list[str] = []
        while rule != root and rule not in callers:
            callers.append(rule)
            names = [name for name in self.machines for _ in self.all_calls(name, rule)]
            if len(names) != 1:
                return False
            rule = names[0]
        return rule == root and not any(self.all_calls(name, root) for name in self.machines)


def may_end_at_once(machine: Machine, nullable: set[str]) -> bool:
    """Whether an accepting state is reached over calls of nullable rules alone."""
    reached = [machine.start]
    for state in reached:
        reached += [to for label, to in machine.edges[state] if label in nullable and to not in reached]
    return bool(machine.accepting & set(reached))


# ---- The walk: two parsers read each token, one within the rule, one beyond it ----


class Parser:
    """Earley's parser on machines, begun in the middle of a text: what came before is OUTSIDE."""

    def __init__(self, program: Program, goes_beyond: bool) -> None:
        self.program, self.goes_beyond = program, goes_beyond
        self.columns: list[set[Item]] = []

    def open_column(self, items: Iterable[Item]) -> None:
        """Append a column: the items, what they call, and what waits for those that have ended."""
        j, column = len(self.columns), set(items)
        self.columns.append(column)
        agenda = list(column)
        for item in agenda:
            fresh = {*self.predict(item, j), *self.complete(item)} - column
            column |= fresh
            agenda += fresh

    def predict(self, item: Item, j: int) -> Iterator[Item]:
        """The starts of the rules called; and the places after those that match the empty string."""
        (rule, _), origin = item
        for callee, to in self.program.calls(item[0]):
            yield (callee, self.program.machines[callee].start), j
            if callee in self.program.nullable:
                yield (rule, to), origin

    def complete(self, item: Item) -> Iterator[Item]:
        """What waits for the item's rule where it began; outside, all its callers wait."""
        place, origin = item
        if not self.program.is_accepting(place):
            return
        if origin != OUTSIDE:
            for (caller, state), its_origin in self.columns[origin]:
                for callee, to in self.program.calls((caller, state)):
                    if callee == place[0]:
                        yield (caller, to), its_origin
        elif self.goes_beyond:
            yield from ((to, OUTSIDE) for to in self.program.returns[place[0]])

    def read(self, byte: int, more: Iterable[Item] = ()) -> None:
        """Append the column after a byte; `more` items are in it from the beginning."""
        scanned = {((place[0], to), origin) for place, origin in self.columns[-1] for to in self.after(place, byte)}
        self.open_column({*scanned, *more})

    def after(self, place: Place, byte: int) -> list[int]:
        """The states of the place's rule that a byte leads to."""
        return [to for (low, high), to in self.program.reads(place) if low <= byte <= high]

    def has_ended(self, rule: str) -> bool:
        """Whether the rule that began outside may end here."""
        return any(p[0] == rule and o == OUTSIDE and self.program.is_accepting(p) for p, o in self.columns[-1])


@dataclass
class Walk:
    """What the walk of a vocabulary found: tokens that end the rule and go on; bytes read beyond it, by place."""

    leaving: list[bytes] = field(default_factory=list[bytes])
    steps: dict[Place, set[int]] = field(default_factory=dict[Place, set[int]])


def walk(program: Program, place: Place, vocabulary: Iterable[bytes]) -> Walk:
    """Read every token from `place`; where the rule has ended, its callers read on beside it."""
    found = Walk()
    rule = place[0]
    for token in vocabulary:
        inside, beyond = Parser(program, goes_beyond=False), Parser(program, goes_beyond=True)
        inside.columns.append({(place, OUTSIDE)})  # what the place calls has entries of its own
        beyond.columns.append(set())
        has_ended = False
        for byte in token:
            if not inside.columns[-1] and not beyond.columns[-1]:
                break
            for other, _ in beyond.columns[-1]:
                if program.reads(other):
                    found.steps.setdefault(other, set()).add(byte)
            was_inside = bool(inside.columns[-1])
            inside.read(byte)
            if was_inside and not inside.columns[-1] and has_ended:
                found.leaving.append(token)
            ends_here = inside.has_ended(rule)
            has_ended |= ends_here
            beyond.read(byte, [(to, OUTSIDE) for to in program.returns[rule]] if ends_here else [])
    return found


# ---- What it saw of the callers ----


@dataclass
class Sight:
    """The part of a program that a walk beyond `rule` looked at."""

    program: Program
    rule: str
    steps: dict[Place, set[int]]
    places: set[Place] = field(default_factory=set[Place])
    ended: set[str] = field(default_factory=set[str])  # rules that were completed
    entered: set[str] = field(default_factory=set[str])  # rules that went on after a callee of an unknown caller

    def __post_init__(self) -> None:
        """Close under what follows, until nothing new is seen."""
        self.ended, self.entered = {self.rule}, {self.rule}
        size = 0
        while size != (size := len(self.places) + len(self.ended) + len(self.entered)):
            self.go_on()

    def go_on(self) -> None:
        """One round: returns to unknown callers, then what each place calls, reads and ends."""
        for rule in self.ended & self.entered:
            self.places.update(self.program.returns[rule])
            self.entered.update(caller for caller, _ in self.program.returns[rule])
        for place in list(self.places):
            rule, _ = place
            if self.program.is_accepting(place):
                self.ended.add(rule)
            for callee, to in self.program.calls(place):
                self.places.add((callee, self.program.machines[callee].start))
                if callee in self.ended:
                    self.places.add((rule, to))
            bytes_read = self.steps.get(place, set())
            for (low, high), to in self.program.reads(place):
                if bytes_read & {*range(low, high + 1)}:
                    self.places.add((rule, to))


def sees_the_same(sight: Sight, other: Program, rule: str, in_order: bool = False) -> bool:
    """Whether a walk beyond `rule` of another program would see what was seen, under other names."""
    if sight.program.has_one_context(sight.rule) != other.has_one_context(rule):
        return False
    return can_rename(sight, other, [(sight.rule, rule)], {}, in_order)


def can_rename(sight: Sight, other: Program, agenda: list[tuple[object, object]], names: Names, in_order: bool) -> bool:
    """Whether the pairs, and all that follow from them, are one to one; each pairing of edges is tried."""
    names = dict(names)
    while agenda:
        ours, theirs = agenda.pop()
        if ours in names or theirs in names.values():
            if names.get(ours) != theirs:
                return False
            continue
        names[ours] = theirs
        pairings = list(pairings_of(sight, other, ours, theirs, in_order))
        if len(pairings) != 1:
            return any(can_rename(sight, other, agenda + pairs, names, in_order) for pairs in pairings)
        agenda += pairings[0]
    return True


def pairings_of(
    sight: Sight, other: Program, ours: object, theirs: object, in_order: bool
) -> Iterator[list[tuple[object, object]]]:
    """The ways to go on from a pair that look alike, each as further pairs; none if the pair looks different."""
    if isinstance(ours, str) and isinstance(theirs, str):
        yield from pairings_of_rules(sight, other, ours, theirs, in_order)
    elif isinstance(ours, tuple) and isinstance(theirs, tuple):
        yield from pairings_of_places(sight, other, ours, theirs, in_order)


def pairings_of_rules(
    sight: Sight, other: Program, ours: str, theirs: str, in_order: bool
) -> Iterator[list[tuple[object, object]]]:
    """Rules look alike if both are nullable or neither, begin alike, and return to as many places."""
    program = sight.program
    if (ours in program.nullable) != (theirs in other.nullable):
        return
    starts = seen_pairs(sight, [((ours, program.machines[ours].start), (theirs, other.machines[theirs].start))])
    if ours not in sight.ended or ours not in sight.entered:
        yield starts
        return
    for returns in orders(other.returns[theirs], len(program.returns[ours]), in_order):
        yield starts + seen_pairs(sight, zip(program.returns[ours], returns, strict=True))


def pairings_of_places(
    sight: Sight, other: Program, ours: Place, theirs: Place, in_order: bool
) -> Iterator[list[tuple[object, object]]]:
    """Places look alike if they agree on what was asked of them: end, reads, and as many calls."""
    program = sight.program
    reads, their_reads = program.reads(ours), other.reads(theirs)
    if program.is_accepting(ours) != other.is_accepting(theirs) or bool(reads) != bool(their_reads):
        return
    pairs: list[tuple[object, object]] = [(ours[0], theirs[0])]
    if ours in sight.steps:
        if [label for label, _ in reads] != [label for label, _ in their_reads]:
            return
        targets = zip(reads, their_reads, strict=True)
        pairs += seen_pairs(sight, (((ours[0], a), (theirs[0], b)) for (_, a), (_, b) in targets))
    calls = program.calls(ours)
    for their_calls in orders(other.calls(theirs), len(calls), in_order):
        paired = list(zip(calls, their_calls, strict=True))
        rules: list[tuple[object, object]] = [(a, b) for (a, _), (b, _) in paired]
        yield pairs + rules + seen_pairs(sight, (((ours[0], a), (theirs[0], b)) for (_, a), (_, b) in paired))


def seen_pairs(sight: Sight, pairs: Iterable[tuple[Place, Place]]) -> list[tuple[object, object]]:
    """The pairs whose first place was looked at; of the others nothing was asked."""
    return [(ours, theirs) for ours, theirs in pairs if ours in sight.places]


def orders(values: Sequence[T], n_values: int, in_order: bool) -> Iterable[Sequence[T]]:
    """The orders in which values may be paired with `n_values` others; none if there are more or fewer."""
    if len(values) != n_values:
        return []
    return [values] if in_order else permutations(values)


# ---- The pool ----


class Pool:
    """What grammars have used so far, for one vocabulary; with `in_order` renamings are tried as by the engine."""

    def __init__(self, vocabulary: Iterable[bytes], in_order: bool = False) -> None:
        self.vocabulary, self.in_order = list(vocabulary), in_order
        # For each structure the tokens that end the rule and go on, and what the walks over its
        # callers saw.
        self.known: dict[tuple[Hash, int], tuple[list[bytes], list[Sight]]] = {}

    def look_up(self, program: Program, place: Place) -> Result:
        """What the pool has for a state of a grammar."""
        key = program.structure[place]
        if key not in self.known:
            return "miss"
        leaving, sights = self.known[key]
        if not leaving or any(sees_the_same(sight, program, place[0], self.in_order) for sight in sights):
            return "perfect_hit"
        return "partial_hit"

    def use(self, program: Program, place: Place) -> Result:
        """The same; and what was walked for is kept."""
        result = self.look_up(program, place)
        key = program.structure[place]
        if result == "miss":
            found = walk(program, place, self.vocabulary)
            self.known[key] = found.leaving, [Sight(program, place[0], found.steps)]
        elif result == "partial_hit":
            leaving, sights = self.known[key]
            sights.append(Sight(program, place[0], walk(program, place, leaving).steps))
        return result
