"""A grammar as a pushdown automaton on code points: stacks of symbols, and what each stack can begin with.

>>> from xg2lab.grammar import Grammar
>>> symbols = Symbols(Nodes.of(Grammar.from_ebnf('root ::= "a"* "b"')))
>>> start = symbols.push(("expr", symbols.nodes.rules[0].body), EMPTY)
>>> [symbols.text(mask) for mask in symbols.singles(symbols.first[start])], symbols.least[start]
(['a', 'b'], 1)

IDEA
  A derivation from the left is a stack of what is still to be matched. Equal stacks are one number (hash-consing),
  and with each stripe of a stack goes what a search prunes by: the fewest code points it needs, those it can begin
  with, whether it may be empty.

  Code points that no part of the grammar tells apart are one *atom*; a set of code points is a bitmask of atoms.

  A repetition's iterations beyond its minimum are not empty: `("a"?)*` has one derivation of the empty text, not
  infinitely many. So an expression is needed in a second form, the one that matches its texts but the empty one.

Shapes and units: a symbol is a tuple: ("expr", i), ("filled", i) for expression i but the empty text, ("rest", i, n)
for repetition i after n iterations, ("atoms", mask), ("mark",), ("closed", i) for what is not looked into (dispatch,
machines, token edges, rules that are cut). Lengths count code points.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from xg2lab.language.nodes import Nodes

__all__ = ["EMPTY", "MARK", "NEVER", "Symbol", "Symbols"]

Symbol = tuple[str | int, ...]
EMPTY = 0  # the number of the empty stack
MARK: Symbol = ("mark",)
PLAIN = "a0x1bA .,"  # code points that stand well for an atom
NEVER = 1 << 60  # a length that nothing has


class Symbols:
    """Symbols and stacks of one grammar."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.bounds = self._boundaries()
        self.filled = self._filled_lengths()
        self.firsts = self._first_masks()
        self.known: dict[tuple[Symbol, int], int] = {}
        self.expansions: dict[Symbol, list[tuple[Symbol, ...]]] = {}
        # By the number of a stack: its top, the stack below it, and what can be said of it.
        self.top: list[Symbol] = [MARK]
        self.below: list[int] = [EMPTY]
        self.least: list[int] = [0]
        self.first: list[int] = [0]
        self.may_be_empty: list[bool] = [True]

    # ---- Stacks ----

    def push(self, symbol: Symbol, stack: int) -> int:
        """The number of the stack with a symbol on top."""
        found = self.known.get((symbol, stack))
        if found is not None:
            return found
        length, first, nullable = self.facts(symbol)
        self.top.append(symbol)
        self.below.append(stack)
        self.least.append(length + self.least[stack])
        self.first.append(first | (self.first[stack] if nullable else 0))
        self.may_be_empty.append(nullable and self.may_be_empty[stack])
        number = self.known[symbol, stack] = len(self.top) - 1
        return number

    def push_all(self, symbols: tuple[Symbol, ...], stack: int) -> int:
        """The number of the stack with symbols on top, the first of them uppermost."""
        for symbol in reversed(symbols):
            stack = self.push(symbol, stack)
        return stack

    def facts(self, symbol: Symbol) -> tuple[int, int, bool]:
        """The fewest code points of a symbol, what it begins with, whether it may be empty."""
        match symbol:
            case ("atoms", int(mask)):
                return 1, mask, False
            case ("expr", int(index)):
                length = self.nodes.lengths[index]
                return (NEVER if length is None else length), self.firsts[index], length == 0
            case ("filled", int(index)):
                return self.filled[index], self.firsts[index], False
            case ("rest", int(index), int(n)):
                node = self.nodes[index]
                child = node.children[0]
                length = self.nodes.lengths[child] or 0
                return max(node.least - n, 0) * length, self.firsts[child], n >= node.least or length == 0
            case ("closed", int(index)):
                return self.nodes.lengths[index] or 0, 0, False
            case _:
                return 0, 0, True

    # ---- One step of a derivation ----

    def expand(self, symbol: Symbol) -> list[tuple[Symbol, ...]]:
        """Return the expansions of a symbol, one for each distinct derivation."""
        if symbol not in self.expansions:
            found = list(self._expansions(symbol))
            self.expansions[symbol] = [
                symbols for symbols in found if all(self.facts(part)[0] < NEVER for part in symbols)
            ]
        return self.expansions[symbol]

    def _expansions(self, symbol: Symbol) -> Iterator[tuple[Symbol, ...]]:
        match symbol:
            case ("expr", int(index)):
                yield from self._of_expression(index)
            case ("filled", int(index)):
                yield from self._filled(index)
            case ("rest", int(index), int(n)):
                node = self.nodes[index]
                child = node.children[0]
                if n < node.least:
                    yield ("expr", child), ("rest", index, n + 1)
                    return
                yield ()
                if node.most is None or n < node.most:
                    yield ("filled", child), ("rest", index, n if node.most is None else n + 1)
            case _:
                return

    def _of_expression(self, index: int) -> Iterator[tuple[Symbol, ...]]:
        node = self.nodes[index]
        match node.kind:
            case "empty":
                yield ()
            case "literal":
                yield tuple(("atoms", self.mask([(ord(letter), ord(letter))])) for letter in node.text)
            case "class":
                yield (("atoms", self.mask(node.ranges)),)
            case "rule":
                rule = self.nodes.rules[node.rule]
                is_cut = rule.is_lazy or rule.max_chars is not None
                yield (("closed" if is_cut else "expr", rule.body),)
            case "sequence":
                yield tuple(("expr", child) for child in node.children)
            case "choice":
                for child in node.children:
                    yield (("expr", child),)
            case "repeat":
                yield (("rest", index, 0),)
            case "nothing":
                return
            case _:
                yield (("closed", index),)

    def _filled(self, index: int) -> Iterator[tuple[Symbol, ...]]:
        """The same without derivations of the empty text."""
        node = self.nodes[index]
        match node.kind:
            case "empty":
                return
            case "rule":
                rule = self.nodes.rules[node.rule]
                is_cut = rule.is_lazy or rule.max_chars is not None
                yield (("closed" if is_cut else "filled", rule.body),)
            case "choice":
                for child in node.children:
                    yield (("filled", child),)
            case "sequence":
                for i, child in enumerate(node.children):
                    yield ("filled", child), *(("expr", later) for later in node.children[i + 1 :])
                    if self.nodes.lengths[child] != 0:
                        return
            case "repeat":
                child = node.children[0]
                n_before = range(min(node.least, 3) + 1) if self.nodes.lengths[child] == 0 else range(1)
                for n in n_before:  # iterations that are empty
                    if node.most is None or n < node.most:
                        done = n + 1 if node.most is not None or n < node.least else node.least
                        yield ("filled", child), ("rest", index, done)
            case _:
                yield from self._of_expression(index)

    # ---- Atoms ----

    def _boundaries(self) -> list[int]:
        """Where atoms begin: wherever a class or a letter of a literal begins or ends."""
        found = {0}
        for node in self.nodes.nodes:
            for low, high in node.ranges:
                found |= {low, high + 1}
            if node.kind == "literal":
                found |= {ord(letter) + more for letter in node.text for more in (0, 1)}
        return sorted(found)

    def mask(self, ranges: list[tuple[int, int]] | tuple[tuple[int, int], ...]) -> int:
        """A set of code points as atoms."""
        bits = 0
        for low, high in ranges:
            first, end = bisect_left(self.bounds, low), bisect_left(self.bounds, high + 1)
            bits |= ((1 << (end - first)) - 1) << first
        return bits

    def singles(self, mask: int) -> Iterator[int]:
        """The atoms of a mask, each as a mask."""
        while mask:
            yield mask & -mask
            mask &= mask - 1

    def text(self, mask: int) -> str:
        """A code point out of a mask: one that reads well, if there is one."""
        atoms = [atom.bit_length() - 1 for atom in self.singles(mask)]
        ends = [*self.bounds[1:], 0x110000]
        ranges = [(self.bounds[atom], ends[atom]) for atom in atoms]
        for letter in PLAIN:
            if any(low <= ord(letter) < end for low, end in ranges):
                return letter
        printable = [max(low, 0x21) for low, end in ranges if low < 0x7F and end > 0x21]
        return chr(min(printable, default=ranges[0][0]))

    # ---- Facts of expressions, each as the least solution of its equations ----

    def _filled_lengths(self) -> list[int]:
        """Code points of the shortest text but the empty one."""
        return self.nodes.least_solution(NEVER, self._filled_length)

    def _filled_length(self, index: int, lengths: list[int]) -> int:
        node, least = self.nodes[index], self.nodes.lengths
        if least[index] is None or node.kind == "empty":
            return NEVER
        match node.kind:
            case "rule":
                return lengths[self.nodes.rules[node.rule].body]
            case "choice":
                return min(lengths[child] for child in node.children)
            case "sequence":
                total = sum(least[child] or 0 for child in node.children)
                return min(total - (least[child] or 0) + lengths[child] for child in node.children)
            case "repeat":
                child = node.children[0]
                return lengths[child] if not least[child] else max(node.least, 1) * lengths[child]
            case _:
                return max(least[index] or 0, 1)

    def _first_masks(self) -> list[int]:
        """What an expression may begin with; nothing for what is not looked into."""
        return self.nodes.least_solution(0, self._first_mask)

    def _first_mask(self, index: int, masks: list[int]) -> int:
        node = self.nodes[index]
        match node.kind:
            case "literal":
                return self.mask([(ord(node.text[0]), ord(node.text[0]))])
            case "class":
                return self.mask(node.ranges)
            case "rule":
                rule = self.nodes.rules[node.rule]
                return 0 if rule.is_lazy or rule.max_chars is not None else masks[rule.body]
            case "choice" | "repeat" | "sequence":
                found = 0
                for child in node.children:
                    found |= masks[child]
                    if node.kind == "sequence" and self.nodes.lengths[child] != 0:
                        break
                return found
            case _:
                return 0
