r"""The bytes that a rule's matches may begin with, and those that may come after them: first and follow sets.

>>> from xg2lab.grammar import Grammar
>>> sets = FirstFollow(Nodes.of(Grammar.from_ebnf('root ::= "[" item ("," item)* "]"   item ::= [0-9]+ | root')))
>>> shown(sets.first("item")), shown(sets.follow("item")), shown(sets.follow("root"))
('[0-9[]', '[,\\]]', '[,\\]] or the end')

IDEA
  The textbook's equations, over bytes. First sets are the least solution upwards, follow sets downwards from the root,
  whose matches the end of the text follows. Token edges read no bytes; they are one more symbol. Lookarounds, limits
  and lazy ends are not considered, so a set may hold a byte too many and never one too few.

Shapes and units: a set is an integer; bit b stands for byte b, `END` for the end of the text, `TOKEN` for a token.
See also: Aho, Sethi, Ullman 1986, "Compilers", section 4.4.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from functools import cached_property

from xg2lab.language.nodes import Node, Nodes

__all__ = ["END", "TOKEN", "FirstFollow", "shown"]

END = 1 << 256
TOKEN = 1 << 257
#: Bytes that a code point in UTF-8 may begin with.
ANY = sum(1 << byte for byte in (*range(0x80), *range(0xC2, 0xF5)))
MOST_SHOWN = 12  # ranges of a set


class FirstFollow:
    """The sets of one grammar."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.numbers = {rule.name: number for number, rule in enumerate(nodes.rules)}

    def first(self, rule: str) -> int:
        """What a match of a rule may begin with; `END` among it if a match may be empty."""
        body = self.nodes.rules[self.numbers[rule]].body
        return self.firsts[body] | (END if self.nodes.lengths[body] == 0 else 0)

    def follow(self, rule: str) -> int:
        """What may come after a match of a rule; 0 for a rule that the root does not need."""
        return self.follows[self.nodes.rules[self.numbers[rule]].body]

    @cached_property
    def firsts(self) -> list[int]:
        """By expression."""
        return self.nodes.least_solution(0, self._first)

    def _first(self, index: int, known: list[int]) -> int:
        node = self.nodes[index]
        if self.nodes.lengths[index] is None:
            return 0  # it matches nothing
        match node.kind:
            case "literal":
                return 1 << node.text.encode("utf-8", "surrogateescape")[0]
            case "class":
                return _lead_bytes(node.ranges)
            case "rule":
                return known[self.nodes.rules[node.rule].body]
            case "sequence":
                return self._first_of(node.children, known)
            case "choice":
                return _union(known[child] for child in node.children)
            case "repeat":
                return 0 if node.most == 0 else known[node.children[0]]
            case "any_order":
                return _union(known[child] for child in node.children[:-1])
            case "dispatch":
                return ANY
            case "tokens":
                return TOKEN
            case "machine":
                machine = self.nodes.machines[index]
                return _union(_span(lo, hi) for lo, hi, _ in machine.edges[machine.start])
            case _:
                return 0

    def _first_of(self, parts: tuple[int, ...], known: list[int]) -> int:
        found = 0
        for part in parts:
            found |= known[part]
            if self.nodes.lengths[part] != 0:
                break
        return found

    @cached_property
    def follows(self) -> list[int]:
        """By expression."""
        found = [0] * len(self.nodes)
        root = self.nodes.rules[self.nodes.root].body
        found[root] = END
        agenda, is_waiting = deque([root]), {root}
        done: set[int] = set()
        while agenda:
            index = agenda.popleft()
            is_waiting.discard(index)
            done.add(index)
            for child, after in self._after(index, found[index]):
                if child in done and found[child] | after == found[child]:
                    continue
                found[child] |= after
                if child not in is_waiting:
                    is_waiting.add(child)
                    agenda.append(child)
        return found

    def _after(self, index: int, after: int) -> list[tuple[int, int]]:
        """The parts of an expression, each with what may come behind it."""
        node = self.nodes[index]
        if self.nodes.lengths[index] is None:
            return []
        match node.kind:
            case "rule":
                return [(self.nodes.rules[node.rule].body, after)]
            case "choice":
                return [(child, after) for child in node.children]
            case "sequence":
                return self._in_sequence(node, after)
            case "repeat":
                again = 0 if node.most == 1 else self.firsts[node.children[0]]
                return [(node.children[0], after | again)]
            case "any_order":
                others = _union(self.firsts[child] for child in node.children)
                return [(child, after | others) for child in node.children]
            case "dispatch" if node.dispatch is not None:
                return [(child, after | (ANY if node.dispatch.loop_after_dispatch else 0)) for child in node.children]
            case _:
                return []

    def _in_sequence(self, node: Node, after: int) -> list[tuple[int, int]]:
        parts: list[tuple[int, int]] = []
        for child in reversed(node.children):
            parts.append((child, after))
            after = self.firsts[child] | (after if self.nodes.lengths[child] == 0 else 0)
        return parts


def _union(sets: Iterable[int]) -> int:
    found = 0
    for one in sets:
        found |= one
    return found


def _span(low: int, high: int) -> int:
    return ((1 << (high - low + 1)) - 1) << low


def _lead_bytes(ranges: tuple[tuple[int, int], ...]) -> int:
    """The first bytes of code points in UTF-8, which grow with the code points."""
    found = 0
    for low, high in ranges:
        found |= _span(_lead(low), _lead(high))
    return found & ANY


def _lead(point: int) -> int:
    return chr(point).encode("utf-8", "surrogatepass")[0]


def shown(of: int) -> str:
    r"""A set as a class of bytes.

    >>> shown((1 << 0x61) | (1 << 0x62) | (1 << 0xC3)), shown(0), shown(END)
    ('[a-b\\xC3]', 'nothing', 'the end')
    """
    ranges: list[tuple[int, int]] = []
    for byte in range(256):
        if of >> byte & 1:
            if ranges and ranges[-1][1] == byte - 1:
                ranges[-1] = ranges[-1][0], byte
            else:
                ranges.append((byte, byte))
    parts: list[str] = []
    if of & (END - 1) == ANY:
        parts.append("any character")
    elif ranges:
        written = "".join(
            _byte(low) if low == high else f"{_byte(low)}-{_byte(high)}" for low, high in ranges[:MOST_SHOWN]
        )
        parts.append(f"[{written}{'…' * (len(ranges) > MOST_SHOWN)}]")
    parts += ["a token"] * bool(of & TOKEN) + ["the end"] * bool(of & END)
    return " or ".join(parts) or "nothing"


def _byte(byte: int) -> str:
    known = {9: r"\t", 10: r"\n", 13: r"\r", 0x5C: r"\\", 0x5D: r"\]", 0x2D: r"\-"}
    return known.get(byte) or (chr(byte) if 0x20 <= byte < 0x7F else f"\\x{byte:02X}")
