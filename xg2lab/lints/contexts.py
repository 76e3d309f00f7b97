"""The shortest text of each expression, written out, and the shortest text around it.

>>> from xg2lab.grammar import Grammar
>>> from xg2lab.language.nodes import Nodes
>>> nodes = Nodes.of(Grammar.from_ebnf('root ::= "<" x "," x ">"   x ::= [a-z]+ | "-"'))
>>> Contexts(Symbols(nodes)).around((nodes.rules[1].body, False))
('<', ',a>')

IDEA
  Downwards each expression's shortest text is known (`Nodes.lengths`). From the root, Dijkstra's algorithm over the
  places where an expression stands adds what its neighbours need at the least.

Shapes and units: lengths count code points. Token edges have no text: they are shown as the call that they are.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator

from xg2lab.language.nodes import ByteMachine, Node
from xg2lab.lints.symbols import NEVER, Symbols

__all__ = ["Contexts"]

PLAIN = b"a0x1bA .,"  # letters that stand well for a class, in this order
MOST_BYTES = 10_000  # of a machine's shortest text
Place = tuple[int, bool]  # an expression, and whether the empty text doesn't count there
Beside = tuple[int | str, ...]  # expressions, texts; ~i: expression i, not empty


class Contexts:
    """Texts of and around the expressions of one grammar."""

    def __init__(self, symbols: Symbols) -> None:
        self.symbols = symbols
        self.nodes = symbols.nodes
        self.lengths: dict[Place, int] = {}
        self.above: dict[Place, tuple[Place, Beside, Beside]] = {}  # where it stands in, what is before, what after
        self._settle()

    def around(self, place: Place) -> tuple[str, str]:
        """The shortest text around a place that the root needs: before it, after it."""
        before: list[str] = []
        after: list[str] = []
        while place in self.above:
            parent, left, right = self.above[place]
            before[:0] = map(self._beside_text, left)
            after += map(self._beside_text, right)
            place = parent
        return "".join(before), "".join(after)

    def _beside_text(self, part: int | str) -> str:
        return part if isinstance(part, str) else self.text(part) if part >= 0 else self.filled_text(~part)

    def _beside_length(self, part: int | str) -> int:
        if isinstance(part, str):
            return len(part)
        return self.nodes.lengths[part] or 0 if part >= 0 else self.symbols.filled[~part]

    def text(self, index: int) -> str:
        """A shortest text of an expression; nothing for what is not looked into."""
        out: list[str] = []
        agenda = [index]
        while agenda:
            here = agenda.pop()
            node = self.nodes[here]
            match node.kind:
                case "literal":
                    out.append(node.text)
                case "class":
                    out.append(plain_letter(node.ranges))
                case "rule":
                    agenda.append(self.nodes.rules[node.rule].body)
                case "sequence":
                    agenda += reversed(node.children)
                case "choice":
                    agenda.append(min(node.children, key=self.nodes.order.__getitem__))
                case "repeat" if self.nodes.lengths[here]:
                    agenda += [node.children[0]] * node.least
                case "any_order" if node.any_order is not None:
                    agenda += reversed(node.any_order.shortest(node.children, self.nodes.lengths) or ())
                case "tokens":
                    out.append(str(node.tokens))
                case "machine":
                    out.append(shortest_of(self.nodes.machines[here]))
                case "dispatch" if node.dispatch is not None and not node.dispatch.stop_eos:
                    stops = [stop for stop in node.dispatch.stop_texts if node.dispatch.is_readable(stop)]
                    out.append(min(stops, key=len, default=""))
                case _:
                    pass
        return "".join(out)

    def stack_text(self, stack: int) -> str:
        """A shortest text of a stack."""
        out = ""
        while stack:
            match self.symbols.top[stack]:
                case ("atoms", int(mask)):
                    out += self.symbols.text(mask)
                case ("expr" | "closed", int(index)):
                    out += self.text(index)
                case ("rest", int(index), int(n)):
                    out += self.text(self.nodes[index].children[0]) * max(self.nodes[index].least - n, 0)
                case ("filled", int(index)):
                    out += self.filled_text(index)
                case _:
                    pass
            stack = self.symbols.below[stack]
        return out

    def filled_text(self, index: int) -> str:
        """A shortest text of an expression but the empty one: by the expansions that need least."""
        symbols = self.symbols
        stack, out = symbols.push(("filled", index), 0), ""
        agenda = [(symbols.least[stack], 0, stack, "")]
        n_made, seen = 0, {stack}
        while agenda:
            _, _, stack, out = heapq.heappop(agenda)
            if stack == 0:
                return out
            top = symbols.top[stack]
            if top[0] in ("atoms", "closed"):
                out += symbols.text(int(top[1])) if top[0] == "atoms" else self.text(int(top[1]))
                made = [symbols.below[stack]]
            else:
                made = [symbols.push_all(parts, symbols.below[stack]) for parts in symbols.expand(top)]
            for after in made:
                if after not in seen or after == 0:
                    seen.add(after)
                    n_made += 1
                    heapq.heappush(agenda, (len(out) + symbols.least[after], n_made, after, out))
        return out

    def _settle(self) -> None:
        root: Place = (self.nodes.rules[self.nodes.root].body, False)
        agenda: list[tuple[int, int, Place, Beside, Beside]] = [(0, 0, root, (), ())]  # length, number
        parents: list[Place] = [root]
        while agenda:
            length, number, place, before, after = heapq.heappop(agenda)
            if place in self.lengths:
                continue
            self.lengths[place] = length
            if number:
                self.above[place] = parents[number], before, after
            for inner, left, right in self._places(*place):
                more = sum(map(self._beside_length, (*left, *right)))
                if inner not in self.lengths and more < NEVER:
                    heapq.heappush(agenda, (length + more, len(parents), inner, left, right))
                    parents.append(place)

    def _places(self, index: int, is_filled: bool) -> Iterator[tuple[Place, Beside, Beside]]:
        """The expression in a place, and its neighbours there."""
        node = self.nodes[index]
        if self.nodes.lengths[index] is None:
            return
        match node.kind:
            case "rule":
                yield (self.nodes.rules[node.rule].body, is_filled), (), ()
            case "choice":
                yield from (((child, is_filled), (), ()) for child in node.children)
            case "sequence" if is_filled:
                yield from self._in_filled_sequence(node.children)
            case "sequence":
                for i, child in enumerate(node.children):
                    yield (child, False), node.children[:i], node.children[i + 1 :]
            case "repeat":
                yield from self._in_repetition(node, is_filled)
            case "any_order" if node.any_order is not None:
                for i, child in enumerate(node.children[:-1]):
                    beside = node.any_order.around(i, node.children, self.nodes.lengths)
                    if beside is not None:
                        yield (child, False), *beside
            case "dispatch" if node.dispatch is not None:
                stops = [stop for stop in node.dispatch.stop_texts if node.dispatch.is_readable(stop)]
                is_open = node.dispatch.stop_eos or not node.dispatch.loop_after_dispatch
                end = () if is_open else (min(stops, key=len, default=""),)
                for tag, child in zip(node.dispatch.tags, node.children, strict=True):
                    if node.dispatch.is_readable(tag):
                        yield (child, False), (tag,), end
            case _:
                pass

    def _in_filled_sequence(self, children: tuple[int, ...]) -> Iterator[tuple[Place, Beside, Beside]]:
        """One part is not empty, those before it are: it, one of those, or one after it."""
        for i, child in enumerate(children):
            yield (child, True), (), children[i + 1 :]
            for before in children[:i]:
                yield (before, False), (), (~child, *children[i + 1 :])
            for j in range(i + 1, len(children)):
                yield (children[j], False), (~child, *children[i + 1 : j]), children[j + 1 :]
            if self.nodes.lengths[child] != 0:
                return

    def _in_repetition(self, node: Node, is_filled: bool) -> Iterator[tuple[Place, Beside, Beside]]:
        child = node.children[0]
        more = max(node.least - 1, 0)
        if node.least > 0 and not is_filled:
            yield (child, False), (), (child,) * more
        if node.most is None or node.most > node.least:
            yield (child, True), (child,) * node.least, ()
        if is_filled and node.least > 0:
            yield (child, True), (), (child,) * more
            if node.least > 1 or node.most is None or node.most > 1:
                yield (child, False), (~child,), (child,) * max(more - 1, 0)


def shortest_of(machine: ByteMachine) -> str:
    """A shortest text of a machine, of letters that read well; nothing for a machine without texts."""
    out = bytearray()
    state = machine.start
    while machine.distance.get(state, 0) > 0 or state not in machine.accepting:
        ways = [
            (machine.distance[to] + (0 if 0x80 <= lo < 0xC0 else 1), lo, hi, to)
            for lo, hi, to in machine.edges[state]
            if to in machine.distance
        ]
        if not ways or len(out) > MOST_BYTES:
            return ""
        least = min(ways)[0]
        near = [(lo, hi, to) for length, lo, hi, to in ways if length == least]
        letter = next((one for one in PLAIN if any(lo <= one <= hi for lo, hi, _ in near)), near[0][0])
        out.append(letter)
        state = next(to for lo, hi, to in near if lo <= letter <= hi)
    return out.decode("utf-8", "replace")


def plain_letter(ranges: tuple[tuple[int, int], ...]) -> str:
    """A code point that stands well for a class."""
    for letter in PLAIN:
        if any(low <= letter <= high for low, high in ranges):
            return chr(letter)
    return chr(ranges[0][0])
