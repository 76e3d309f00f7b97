r"""A tree of operators, run on bytes: the text so far is a set of positions, without origins and without a stack.

>>> from xg2lab.reference.ebnf import parse_ebnf
>>> reader = Operators(build(parse_ebnf('root ::= "<" name{1,2} ">"   name ::= [a-z]+ ";"')))
>>> all(reader.push(byte) for byte in b"<a;"), list(map(str, sorted(reader.active)))
(True, ['5 in 2.1', '7'])
>>> print(reader)
   0  Sequence
   1    Write "<"
   2    DoWhile min=1, max=2
   3      Sequence
   4        DoWhile min=1
*  5          Wait allows=[a-z]
   6        Write ";"
*  7    Write ">"
>>> reader.can_follow(b"b;>"), reader.can_follow(b"b;c"), reader.is_complete()
(True, False, False)

A *position* is a leaf of the tree, the state of that leaf, and for each DoWhile around it the
repetition that is running: `5 in 2.1` is operator 5, in the second repetition of operator 2 and
the first of operator 4. The possible continuations depend on nothing else of the text, since each
call site of a rule is a position in the tree. Three operations make all positions:

    enter    an operator: the positions before its first byte; after a part that may be empty, those of the next part
    advance  a position by a byte: its leaf continues, or has ended
    leave    an operator that has ended: enter what comes next in a Sequence; a DoWhile repeats, or is left, or both

Branches with a common beginning are active together until a byte distinguishes them;
determinism.py finds out whether there are any.

**Counts.** Repetitions are numbered from 1. Number k means that the DoWhile may be left after
least - k to most - k more repetitions; a set of numbers means the union. So positions that differ
in the number of one DoWhile alone, and whose windows touch, are one position with an interval.
From `least` on the smallest number represents all larger ones; without `most` the largest one
represents all, and need not grow beyond `least`. `*`, `+` and `?` have the number 1 alone.

Shapes and units: the state of a Write is the number of bytes written; of a class, the unread rest
of a character; of watched text, its suffix that begins a watched text, and the unread rest of a
character; of a lazy Wait, the positions within. Counts are intervals (low, high), outermost first.
`END` is the position after the root. COST a byte costs time for the active positions and the
positions that they enter. It does not depend on the text's length, except for bodies whose lengths
leave gaps between the numbers: ("aa" | "aaaaa"){50000}.
See also: Glushkov 1961; Antimirov 1996; counted.py, which doesn't unite numbers;
docs/design/0041-operators.md.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from xg2lab.reference.dispatch import Dispatch
from xg2lab.reference.operator_tree import (
    DoWhile,
    IfElse,
    Operator,
    OperatorError,
    Sequence,
    Tree,
    Wait,
    Write,
    build,
    listing,
)
from xg2lab.reference.token_sets import TokenSet
from xg2lab.reference.utf8 import LAST_CODE_POINT, Box, byte_boxes

__all__ = ["END", "Active", "OperatorError", "Operators", "Position", "Tree", "build"]

Interval = tuple[int, int]
Boxes = frozenset[Box]  # what is left of a character: byte ranges, in one of several ways; () stands for nothing
ANY: Boxes = frozenset(byte_boxes(0, LAST_CODE_POINT))


class Position(NamedTuple):
    """A leaf by its number, its state, and the repetition that is running in each DoWhile around it."""

    number: int
    state: Any
    counts: tuple[Interval, ...] = ()

    def __str__(self) -> str:
        counts = ".".join(f"{low}" if low == high else f"{low}-{high}" for low, high in self.counts)
        return f"{self.number} in {counts}" if counts else f"{self.number}"


END = Position(-1, 0)
Active = frozenset[Position]


class Operators:
    """The active positions after each byte. `push` and `pop` change them; everything else asks.

    `root` is the operator that is run, if it is not the tree's: a lazy Wait runs its child by itself.
    """

    def __init__(self, tree: Tree, root: Operator | None = None) -> None:
        self.tree, self.root = tree, root or tree.root
        self.inner = dict[int, Operators]()
        self.columns = [self.start()]

    # ---- The text so far ----

    @property
    def active(self) -> Active:
        """The positions after the bytes so far."""
        return self.columns[-1]

    def push(self, byte: int) -> bool:
        """Read one byte. False, and no position is left, if none took it."""
        self.columns.append(self.advance(self.active, byte))
        return self.is_alive

    def push_token(self, token: int, data: bytes, *, is_text: bool = True) -> bool:
        """Read a token, by its bytes if it is text, and by token edges. False, and nothing changes, if neither can."""
        active = self.after_token(self.active, token, data if is_text else None)
        if active:
            self.columns.append(active)
        return bool(active)

    def pop(self, n_steps: int) -> None:
        """Take the last bytes (or tokens) back."""
        del self.columns[len(self.columns) - n_steps :]

    @property
    def is_alive(self) -> bool:
        """Can the bytes so far be continued to a whole match (or are they one)?"""
        return bool(self.active)

    def is_complete(self) -> bool:
        """Are the bytes so far a whole match?"""
        return END in self.active

    def expected_bytes(self) -> set[int]:
        """Every byte that may come next."""
        return {byte for position in self.active for byte in self.bytes_of(position)}

    def can_follow(self, data: bytes) -> bool:
        """Would `data`, after the bytes so far, still be a beginning of a match? Nothing changes."""
        return bool(self.after_token(self.active, None, data))

    def can_take(self, token: int, data: bytes, *, is_text: bool = True) -> bool:
        """May the token come next? Nothing changes."""
        return bool(self.after_token(self.active, token, data if is_text else None))

    def __str__(self) -> str:
        return listing(self.tree, {position.number for position in self.active})

    # ---- Positions: enter, advance, leave ----

    def start(self) -> Active:
        """The positions before the first byte."""
        if self.root is None:
            return frozenset()
        return self.united([*self.enter(self.root, ()), *([END] if self.is_nullable(self.root) else [])])

    def is_nullable(self, operator: Operator) -> bool:
        """Does the operator match the empty string?"""
        return operator.number in self.tree.nullable

    def enter(self, operator: Operator, counts: tuple[Interval, ...]) -> Iterator[Position]:
        """The positions before the first byte (or token) of an operator."""
        match operator:
            case Write(what=what):
                if what != b"":
                    yield Position(operator.number, 0, counts)
            case Wait(what=what):
                yield Position(operator.number, self.state_of(operator.number, what), counts)
            case Sequence(children=children):
                yield from self.enter_first(children, counts)
            case DoWhile():
                yield from self.enter(operator.children[0], (*counts, simplest(operator, 1, 1)))
            case _:
                for child in operator.children:
                    yield from self.enter(child, counts)

    def enter_first(self, parts: Iterable[Operator], counts: tuple[Interval, ...]) -> Iterator[Position]:
        """The positions before the first byte of parts in turn, of which the first ones may be empty."""
        for part in parts:
            yield from self.enter(part, counts)
            if not self.is_nullable(part):
                return

    def state_of(self, number: int, what: Any) -> Any:
        """The state of a Wait that has read nothing."""
        match what:
            case TokenSet():
                return 0
            case Dispatch():
                return b"", ANY
            case str():
                return self.within(number).start()
            case ranges:
                return frozenset(box for each in ranges for box in byte_boxes(*each))

    def within(self, number: int) -> "Operators":
        """What runs the child of a lazy Wait, by itself: a set of its positions is one state of the Wait."""
        if number not in self.inner:
            self.inner[number] = Operators(self.tree, self.tree.operators[number].children[0])
        return self.inner[number]

    def advance(self, active: Iterable[Position], byte: int) -> Active:
        """The positions after one more byte."""
        return self.united(new for position in active for new in self.after(position, byte))

    def after(self, position: Position, byte: int) -> Iterator[Position]:
        """What one position becomes by a byte."""
        if position == END:
            return
        operator, state = self.tree.operators[position.number], position.state
        match operator:
            case Write(what=bytes(data)) if data[state] == byte:
                if state + 1 == len(data):
                    yield from self.leave(operator, position.counts)
                else:
                    yield position._replace(state=state + 1)
            case Wait(what=Dispatch() as dispatch):
                yield from self.after_watched(operator, dispatch, position, byte)
            case Wait(what=str()):
                inside = self.within(position.number).advance(state, byte)
                if END in inside:  # the first end is the end
                    yield from self.leave(operator, position.counts)
                elif inside:
                    yield position._replace(state=inside)
            case Wait(what=tuple()) if rest := rest_of(state, byte):
                if () in rest:
                    yield from self.leave(operator, position.counts)
                else:
                    yield position._replace(state=rest)
            case _:
                pass  # no byte crosses a token edge

    def after_watched(self, wait: Operator, dispatch: Dispatch, position: Position, byte: int) -> Iterator[Position]:
        """What free text becomes by a byte: the longest watched text that ends here decides (dispatch.py)."""
        end, rest = position.state
        text, rest = end + bytes([byte]), rest_of(rest, byte)
        watched = [each.encode() for each in dispatch.watched]
        hit = max((each for each in watched if text.endswith(each)), key=len, default=b"").decode()
        tags = [tag for tag, _ in dispatch.tags]
        if not rest or hit in dispatch.excludes:
            return
        if hit in tags:
            body = wait.children[tags.index(hit)]
            yield from self.enter(body, position.counts)
            if self.is_nullable(body):
                yield from self.leave(body, position.counts)
        elif hit:
            yield from self.leave(wait, position.counts)
        else:
            end = next(
                text[i:] for i in range(len(text) + 1) if any(each.startswith(text[i:]) for each in [*watched, b""])
            )
            yield position._replace(state=(end, ANY if () in rest else rest))
            if () in rest and dispatch.stop_eos:
                yield from self.leave(wait, position.counts)

    def leave(self, operator: Operator, counts: tuple[Interval, ...]) -> Iterator[Position]:
        """The positions behind an operator that has ended."""
        if operator is self.root:
            yield END
            return
        number, place = self.tree.parents[operator.number]
        match parent := self.tree.operators[number]:
            case IfElse():
                yield from self.leave(parent, counts)
            case Sequence(children=children):
                yield from self.enter_first(children[place + 1 :], counts)
                if all(map(self.is_nullable, children[place + 1 :])):
                    yield from self.leave(parent, counts)
            case DoWhile(least=least, most=most):
                *outer, (low, high) = counts
                if high >= least:
                    yield from self.leave(parent, tuple(outer))
                if most is None or low < most:
                    again = simplest(parent, low + 1, high + 1 if most is None else min(high + 1, most))
                    yield from self.enter(operator, (*outer, again))
            case Wait(what=Dispatch() as dispatch):
                if dispatch.loop_after_dispatch:
                    yield from self.enter(parent, counts)
                if dispatch.stop_eos or not dispatch.loop_after_dispatch:
                    yield from self.leave(parent, counts)
            case _:
                raise AssertionError(parent)

    # ---- Tokens ----

    def after_token(self, active: Active, token: int | None, data: bytes | None) -> Active:
        """The positions after a token: after its bytes, if it is text, and behind the token edges that take it."""
        read = active if data is not None else frozenset()
        for byte in data or b"":
            read = self.advance(read, byte)
        edges = [p for p in active if token is not None and (ids := self.tokens_of(p)) and ids.holds(token)]
        return self.united([*read, *self.crossed(edges)])

    def crossed(self, edges: Iterable[Position]) -> Active:
        """The positions behind token edges."""
        return self.united(new for p in edges for new in self.leave(self.tree.operators[p.number], p.counts))

    def tokens_of(self, position: Position) -> TokenSet | None:
        """The tokens that a position takes whole."""
        what = getattr(self.tree.operators[position.number], "what", None) if position != END else None
        return what if isinstance(what, TokenSet) else None

    def bytes_of(self, position: Position) -> set[int]:
        """The bytes that a position takes."""
        if position == END or self.tokens_of(position):
            return set()
        match self.tree.operators[position.number], position.state:
            case Write(what=bytes(data)), at:
                return {data[at]}
            case Wait(what=Dispatch(excludes=excludes)), (_, rest):
                last_bytes = {text.encode()[-1] for text in excludes}
                return {byte for byte in bytes_in(rest) if byte not in last_bytes or any(self.after(position, byte))}
            case Wait(what=str()), inside:
                return {byte for each in inside for byte in self.within(position.number).bytes_of(each)}
            case _, rest:
                return bytes_in(rest)

    # ---- Counts ----

    def united(self, positions: Iterable[Position]) -> Active:
        """The positions, those joined to one that differ in counts and together say no more than one."""
        found, agenda = dict[tuple[int, Any], list[Position]](), list(positions)
        while agenda:
            new = agenda.pop()
            others = found.setdefault((new.number, new.state), [])
            for other in others:
                if joint := self.joined(new, other):
                    others.remove(other)
                    agenda.append(joint)
                    break
            else:
                others.append(new)
        return frozenset(position for others in found.values() for position in others)

    def joined(self, a: Position, b: Position) -> Position | None:
        """One position that says what both say, if there is one: they differ in one count, or one says it all."""
        loops = self.loops(a.number)
        joint = [joined(loop, x, y) for loop, x, y in zip(loops, a.counts, b.counts, strict=True)]
        n_differing = sum(x != y for x, y in zip(a.counts, b.counts, strict=True))
        counts = tuple(each for each in joint if each)
        is_one = len(counts) == len(joint) and (n_differing <= 1 or counts in (a.counts, b.counts))
        return a._replace(counts=counts) if is_one else None

    def loops(self, number: int) -> list[DoWhile]:
        """The DoWhiles around an operator, outermost first."""
        found: list[DoWhile] = []
        while self.root and number not in (self.root.number, END.number):
            number = self.tree.parents[number][0]
            if isinstance(parent := self.tree.operators[number], DoWhile):
                found.insert(0, parent)
        return found


def simplest(loop: DoWhile, low: int, high: int) -> Interval:
    """The interval without the numbers whose part another one can play."""
    if loop.most is None:
        high = min(high, max(loop.least, 1))
        return high, high
    return (low, high) if high < loop.least else (low, max(low, loop.least))


def joined(loop: DoWhile, a: Interval, b: Interval) -> Interval | None:
    """The interval that stands for two, unless a number between them would say more."""
    a, b = sorted((a, b))
    if loop.most is not None and b[0] - a[1] > loop.most - loop.least + 1:
        return None
    return simplest(loop, a[0], max(a[1], b[1]))


def rest_of(boxes: Boxes, byte: int) -> Boxes:
    """What is left of a character after one more byte."""
    return frozenset(box[1:] for box in boxes if box and box[0][0] <= byte <= box[0][1])


def bytes_in(boxes: Boxes) -> set[int]:
    """The bytes that go on with a character."""
    return {byte for box in boxes if box for byte in range(box[0][0], box[0][1] + 1)}
