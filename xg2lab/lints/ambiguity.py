"""Ambiguity: a shortest text that a grammar derives in two ways.

>>> from xg2lab.grammar import Grammar
>>> search = AmbiguitySearch(Nodes.of(Grammar.from_ebnf('root ::= root "+" root | "1"')))
>>> witness = search.run()[0]
>>> witness.text, witness.ways
('1+1+1', ('1', '1+1'))

IDEA
  Two derivations of one text first differ at some expression: there they take two branches of a choice, or a part of
  a sequence (an iteration of a repetition) ends at two places. So the search starts at each such expression with a
  *pair* of stacks,

      two branches               ("+" root) | ("1" root)      both are to read the same text
      a part and what follows    root MARK "+" root           both, but the first passes the mark at an earlier place

  and lets both read the same code points, shortest first (A*, with what each stack needs at the least). Which code
  point is read doesn't matter as long as both can: the step takes a whole set of them. Where both stacks are empty,
  or equal, the expression is ambiguous. Around it stand the shortest texts that lead to it from the root and from it
  to the end.

LIMITS  Whether a grammar is ambiguous is undecidable. The search ends after so many pairs, and leaves out texts that
are
  more than `max_extra` code points longer than the shortest through the expression; what it finds is certain, what it
  doesn't find is not. It doesn't look into dispatches, machines of Regex(...), token edges and rules with lazy or
  max_chars.

See also: Brabrand, Giegerich and Møller 2010, "Analyzing ambiguity of context-free grammars": vertical and horizontal.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator
from dataclasses import dataclass

from xg2lab.language.nodes import Nodes
from xg2lab.lints.contexts import Contexts, Place
from xg2lab.lints.symbols import EMPTY, MARK, Symbol, Symbols

__all__ = ["AmbiguitySearch", "Witness"]

# What the mark says of a pair: both are before it; the first is behind it and nothing was read
# since; they differ.
BOTH_BEFORE, FIRST_BEHIND, DIFFERENT = range(3)
MOST_STARTS = 20_000


@dataclass(frozen=True)
class Witness:
    """A text with two derivations, which differ at expression `node`."""

    text: str
    node: int
    part: str  # what the expression itself matches
    branches: tuple[int, int] | None  # of a choice
    child: int | None  # of a sequence or repetition: the part that ends at two places
    ways: tuple[str, str] = ("", "")  # then: what it matches in each


@dataclass(frozen=True, slots=True)
class Start:
    """Where a search begins."""

    node: int
    place: Place
    branches: tuple[int, int] | None
    child: int | None
    before: tuple[int, ...]  # expressions of the same sequence that stand before


Pair = tuple[int, int, int]  # first stack, second stack, what the mark says


@dataclass(slots=True)
class Step:
    """The step by which a pair was found."""

    pair: Pair
    start: int
    previous: int  # number of the step before; -1: none
    letters: int  # the mask that was read; 0: none


class AmbiguitySearch:
    """One search. `is_complete` afterwards: no pair was left out but for the length."""

    def __init__(self, nodes: Nodes, *, max_extra: int = 12, max_pairs: int = 30_000, seconds: float = 1.0) -> None:
        self.nodes = nodes
        self.max_extra = max_extra
        self.max_pairs = max_pairs
        self.seconds = seconds
        self.symbols = Symbols(nodes)
        self.contexts = Contexts(self.symbols)
        self.steps: list[Step] = []
        self.limits: list[int] = []  # for each start
        self.is_complete = True

    def run(self, most: int = 5) -> list[Witness]:
        """Witnesses, the shortest first, one for each expression."""
        deadline = time.monotonic() + self.seconds
        starts = list(self._starts())
        self.limits = [self._shortest(start) + self.max_extra for start, _ in starts]
        agenda: list[tuple[int, int, int]] = []  # (length of the whole text, number, step)
        seen: set[tuple[Pair, int]] = set()
        for number, (start, pair) in enumerate(starts):
            self._add(agenda, Step(pair, number, -1, 0), self._around(start), 0)
        found: dict[int, Witness] = {}
        n_taken = 0
        while agenda and len(found) < most:
            bound, _, number = heapq.heappop(agenda)
            step = self.steps[number]
            start = starts[step.start][0]
            if start.node in found or (step.pair, start.node) in seen:
                continue
            seen.add((step.pair, start.node))
            n_taken += 1
            if n_taken > self.max_pairs or (n_taken % 64 == 0 and time.monotonic() > deadline):
                self.is_complete = False
                break
            first, second, phase = step.pair
            if phase == DIFFERENT and first == second:
                found[start.node] = self._witness(number, start)
                continue
            read = bound - max(self.symbols.least[first], self.symbols.least[second])
            for after, letters in self._next(step.pair):
                self._add(agenda, Step(after, step.start, number, letters), read, 1 if letters else 0)
        return sorted(found.values(), key=lambda witness: (len(witness.text), witness.node))

    def _add(self, agenda: list[tuple[int, int, int]], step: Step, read: int, more: int) -> None:
        first, second, phase = step.pair
        symbols = self.symbols
        if not symbols.first[first] & symbols.first[second]:
            # Nothing can be read by both: then both must be able to end here, and to differ
            # already, or be equal.
            if phase != DIFFERENT:
                return
            if first != second and not (symbols.may_be_empty[first] and symbols.may_be_empty[second]):
                return
        bound = read + more + max(symbols.least[first], symbols.least[second])
        if bound > self.limits[step.start]:
            return
        self.steps.append(step)
        heapq.heappush(agenda, (bound, len(self.steps), len(self.steps) - 1))

    # ---- Where two derivations may come to differ ----

    def _starts(self) -> Iterator[tuple[Start, Pair]]:
        n_starts = 0
        for place in list(self.contexts.lengths):
            for made in self._starts_at(place):
                n_starts += 1
                if n_starts > MOST_STARTS:
                    self.is_complete = False
                    return
                yield made

    def _starts_at(self, place: Place) -> Iterator[tuple[Start, Pair]]:
        index, is_filled = place
        node, push = self.nodes[index], self.symbols.push_all
        if self.nodes.lengths[index] is None:
            return
        if node.kind == "choice":
            kind = "filled" if is_filled else "expr"
            stacks = [push(((kind, child),), EMPTY) for child in node.children]
            firsts = [self.symbols.first[stack] for stack in stacks]
            for i in range(len(stacks)):
                for j in range(i):
                    is_empty = self.symbols.may_be_empty[stacks[i]] and self.symbols.may_be_empty[stacks[j]]
                    if stacks[i] == stacks[j] or firsts[i] & firsts[j] or is_empty:
                        yield Start(index, place, (j, i), None, ()), (stacks[j], stacks[i], DIFFERENT)
        if node.kind == "sequence":
            for i, child in enumerate(node.children[:-1]):
                rest = push((MARK, *(("expr", later) for later in node.children[i + 1 :])), EMPTY)
                stack = push((("expr", child),), rest)
                yield Start(index, place, None, child, node.children[:i]), (stack, stack, BOTH_BEFORE)
        if node.kind == "repeat" and node.most != 1:
            child = node.children[0]
            for n_before in sorted({0, node.least}):
                if node.most is not None and n_before + 1 >= node.most:
                    continue
                once: Symbol = ("filled" if n_before >= node.least else "expr", child)
                done = n_before + 1 if node.most is not None else min(n_before + 1, node.least)
                stack = push((once, MARK, ("rest", index, done)), EMPTY)
                yield Start(index, place, None, child, (child,) * n_before), (stack, stack, BOTH_BEFORE)

    def _around(self, start: Start) -> int:
        """Code points of the shortest text around an expression."""
        return self.contexts.lengths[start.place] + sum(self.nodes.lengths[index] or 0 for index in start.before)

    def _shortest(self, start: Start) -> int:
        return self.contexts.lengths[start.place] + (self.nodes.lengths[start.node] or 0)

    # ---- One step of a pair ----

    def _next(self, pair: Pair) -> Iterator[tuple[Pair, int]]:
        """The pairs that follow, and what was read on the way."""
        first, second, phase = pair
        symbols = self.symbols
        top = symbols.top[first] if first else None
        if top == MARK:
            yield (symbols.below[first], second, FIRST_BEHIND), 0
            return
        if top is not None and top[0] != "atoms":
            for made in symbols.expand(top):
                yield (symbols.push_all(made, symbols.below[first]), second, phase), 0
            return
        other = symbols.top[second] if second else None
        if other == MARK:
            if phase == DIFFERENT:
                yield (first, symbols.below[second], phase), 0
            return
        if other is not None and other[0] != "atoms":
            for made in symbols.expand(other):
                yield (first, symbols.push_all(made, symbols.below[second]), phase), 0
            return
        if top is None or other is None:
            return
        letters = symbols.first[first] & symbols.first[second]
        if letters:
            after = DIFFERENT if phase == FIRST_BEHIND else phase
            yield (symbols.below[first], symbols.below[second], after), letters

    # ---- What was found ----

    def _witness(self, number: int, start: Start) -> Witness:
        path: list[Step] = []
        while number >= 0:
            path.append(self.steps[number])
            number = self.steps[number].previous
        path.reverse()
        letters, at_mark = "", [-1, -1]
        for before, step in zip([path[0], *path], path, strict=False):
            if step.letters:
                letters += self.symbols.text(step.letters)
            for side in (0, 1):
                stack = before.pair[side]
                if stack and self.symbols.top[stack] == MARK and step.pair[side] == self.symbols.below[stack]:
                    at_mark[side] = len(letters)
        stack = path[-1].pair[0]
        tail = self.contexts.stack_text(stack)
        head = "".join(self.contexts.text(index) for index in start.before)
        around = self.contexts.around(start.place)
        part = head + letters + tail
        ways = ("", "")
        if start.child is not None:
            ways = (letters[: at_mark[0]], letters[: at_mark[1]] if at_mark[1] >= 0 else letters)
        return Witness(around[0] + part + around[1], start.node, part, start.branches, start.child, ways)
