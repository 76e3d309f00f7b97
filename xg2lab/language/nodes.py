"""A grammar's expressions as plain Python values, and how short each of them can be.

>>> nodes = Nodes.of(Grammar.from_ebnf('root ::= "[" item* "]" | item{2}   item ::= [0-9] ","'))
>>> nodes[nodes.rules[nodes.root].body].kind, nodes.lengths[nodes.rules[nodes.root].body]
('choice', 2)

What samples, lints and draws in Python reads a grammar through this, so that only one place knows the engine's tables.

IDEA
  The shortest text of each expression, by Knuth's generalization of Dijkstra's algorithm: expressions are settled in
  the order of their lengths. The order itself is kept, because it ends: whoever goes from an expression to parts
  settled before it never goes in a circle. An expression that is never settled matches nothing.

Shapes and units: expressions and rules are indices; lengths count code points, a token edge counts one; spans are
bytes. See also: Knuth 1977, "A generalization of Dijkstra's algorithm"; core/grammar/plain.h, the tables.
"""

from __future__ import annotations

import heapq
import json
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from xg2lab._core import CompiledGrammar, Grammar, TokenSets, Vocabulary
from xg2lab.language.any_order import AnyOrder
from xg2lab.options import EngineOptions

__all__ = ["ByteMachine", "Dispatch", "Node", "Nodes", "RuleNode", "TokenEdge", "machine_of"]

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Dispatch:
    """Free text watched for texts. Tag `i` opens the rule of the node's child `i`."""

    tags: tuple[str, ...]
    stop_texts: tuple[str, ...]
    excludes: tuple[str, ...]
    stop_eos: bool
    loop_after_dispatch: bool

    def fires(self, text: str) -> str | None:
        """What is read to its end where `text` ends: the longest of the watched texts that it ends with."""
        found = [word for word in (*self.tags, *self.stop_texts, *self.excludes) if text.endswith(word)]
        return max(found, key=len, default=None)

    def is_readable(self, word: str) -> bool:
        """Can a watched text be read to its end, or is another always read before?"""
        return self.first_fired(word) == (word, len(word))

    def first_fired(self, text: str, begin: int = 0) -> tuple[str | None, int]:
        """The first watched text that is read within `text`, after its first `begin` characters, and where it ends."""
        for end in range(begin + 1, len(text) + 1):
            fired = self.fires(text[:end])
            if fired is not None:
                return fired, end
        return None, len(text)


@dataclass(frozen=True, slots=True)
class TokenEdge:
    """One token out of a set, by its id or its text."""

    is_negated: bool
    ids: frozenset[int]
    names: frozenset[str] = frozenset()

    def __str__(self) -> str:
        names = [json.dumps(name, ensure_ascii=False) for name in sorted(self.names)]
        return f"{'Exclude' * self.is_negated}Token({', '.join([*map(str, sorted(self.ids)), *names])})"


@dataclass(frozen=True, slots=True)
class ByteMachine:
    """A deterministic machine on bytes: `edges[state]` are (lo, hi, to); `distance[state]` code points to an end."""

    start: int
    edges: dict[int, list[tuple[int, int, int]]]
    accepting: frozenset[int]
    distance: dict[int, int]


@dataclass(frozen=True, slots=True)
class Node:
    """One expression. Only the fields of its kind are filled."""

    kind: str  # empty, nothing, literal, class, rule, sequence, choice, repeat, dispatch, tokens, machine, any_order
    span: Span
    children: tuple[int, ...] = ()  # of a dispatch: the references of its tags; any_order: members, then separator
    text: str = ""  # literal; machine: the words that stand for it
    ranges: tuple[tuple[int, int], ...] = ()  # class
    rule: int = -1  # rule
    least: int = 0  # repeat
    most: int | None = None  # repeat; None: no limit
    dispatch: Dispatch | None = None
    any_order: AnyOrder | None = None
    tokens: TokenEdge | None = None


@dataclass(frozen=True, slots=True)
class RuleNode:
    """One rule."""

    name: str
    body: int
    lookahead: int | None
    span: Span
    name_span: Span
    max_tokens: int | None = None
    max_chars: int | None = None
    is_lazy: bool = False
    capture: str | None = None
    temperature: float | None = None


@dataclass
class Nodes:
    """All expressions of a grammar.

    `lengths[i]`: code points of the shortest text of expression i; None: it has none.
    """

    nodes: list[Node]
    rules: list[RuleNode]
    root: int
    source: str
    machines: dict[int, ByteMachine] = field(default_factory=dict[int, ByteMachine])
    lengths: list[int | None] = field(default_factory=list[int | None])
    order: list[int] = field(default_factory=list[int])  # order[i]: when expression i was settled

    @classmethod
    def of(cls, grammar: Grammar) -> Nodes:
        """Reads a grammar."""
        tables: dict[str, Any] = grammar._to_plain()  # pyright: ignore[reportPrivateUsage]
        options = {row[0]: row[1:6] for row in tables.get("options", [])}
        rules = [
            RuleNode(name, body, lookahead, (begin, end), (name_begin, name_end), *options.get(i, ()))
            for i, (name, body, lookahead, begin, end, name_begin, name_end) in enumerate(tables["rules"])
        ]
        nodes = [_node(kind, payload, (begin, end)) for kind, payload, begin, end in tables["expressions"]]
        for index, name, *_ in tables.get("token_names", []):
            edge = nodes[index].tokens
            assert edge is not None, "names of tokens stand in sets of tokens"
            nodes[index] = replace(nodes[index], tokens=replace(edge, names=edge.names | {name}))
        read = cls(nodes, rules, tables["root"], tables["source"])
        read.machines = {i: machine_of(node.text) for i, node in enumerate(nodes) if node.kind == "machine"}
        _settle(read)
        return read

    def __getitem__(self, index: int) -> Node:
        return self.nodes[index]

    def __len__(self) -> int:
        return len(self.nodes)

    def reached(self) -> list[int]:
        """The rules that the root needs, itself among them, in the order in which they are met."""
        met = [self.root]
        known = {self.root}
        for rule in met:
            for node in self.walk(self.rules[rule].body):
                target = self.nodes[node].rule
                if target >= 0 and target not in known:
                    known.add(target)
                    met.append(target)
        return met

    def walk(self, index: int) -> Iterator[int]:
        """An expression and all within it, each once, without going into rules."""
        agenda, seen = [index], {index}
        while agenda:
            here = agenda.pop()
            yield here
            fresh = [child for child in self.nodes[here].children if child not in seen]
            seen.update(fresh)
            agenda += reversed(fresh)

    def least_solution(self, start: int, value_of: Callable[[int, list[int]], int]) -> list[int]:
        """A value of each expression that follows from those of its parts, and of a rule's body where one is named.

        Parameters
        ----------
        start : int
            The value of every expression at first.
        value_of : callable
            From an expression and the values so far to its value. It goes one way only as theirs do, up or down.

        Returns
        -------
        list of int
            By expression: values that `value_of` gives again. An expression is looked at again when a part's changes.
        """
        users: list[list[int]] = [[] for _ in self.nodes]
        for index, node in enumerate(self.nodes):
            for part in (*node.children, *([self.rules[node.rule].body] if node.kind == "rule" else [])):
                users[part].append(index)
        values = [start] * len(self.nodes)
        agenda = deque(sorted(range(len(self.nodes)), key=self.order.__getitem__))
        is_waiting = [True] * len(self.nodes)
        while agenda:
            index = agenda.popleft()
            is_waiting[index] = False
            value = value_of(index, values)
            if value == values[index]:
                continue
            values[index] = value
            for user in users[index]:
                if not is_waiting[user]:
                    is_waiting[user] = True
                    agenda.append(user)
        return values

    def text(self, index: int) -> str:
        """The words of the source that an expression was written in."""
        begin, end = self.nodes[index].span
        return self.source.encode("utf-8", "surrogatepass")[begin:end].decode("utf-8", "replace")


def _node(kind: str, payload: Any, span: Span) -> Node:
    match kind:
        case "literal":
            return Node(kind, span, text=payload.decode("utf-8", "surrogateescape"))
        case "class":
            return Node(kind, span, ranges=tuple(payload))
        case "rule":
            return Node(kind, span, rule=payload)
        case "sequence" | "choice":
            return Node(kind, span, children=tuple(payload))
        case "repeat":
            child, least, most = payload
            return Node(kind, span, children=(child,), least=least, most=most)
        case "dispatch":
            tags, children, stop_texts, excludes, stop_eos, loop = payload
            words = [tuple(text for text, _, _ in texts) for texts in (tags, stop_texts, excludes)]
            dispatch = Dispatch(words[0], words[1], words[2], stop_eos, loop)
            return Node(kind, span, children=tuple(children), dispatch=dispatch)
        case "tokens":
            is_negated, ids = payload
            return Node(kind, span, tokens=TokenEdge(is_negated, frozenset(ids)))
        case "machine":
            return Node(kind, span, text=payload)
        case "any_order":
            marks, children, least, most = payload
            return Node(kind, span, children=tuple(children), any_order=AnyOrder.read(marks, least, most))
        case _:
            return Node(kind, span)


# ---- Machines ----


def machine_of(words: str) -> ByteMachine:
    """The machine that a macro call such as `Regex("a(?!b)")` stands for, as the engine makes it."""
    tokens = TokenSets(Vocabulary([b"\0"], n_tokens=1))
    program = CompiledGrammar.compile(Grammar.from_ebnf(f"root ::= {words}"), tokens, EngineOptions()).program()
    state = program["rules"][program.get("root", 0)]["start"]
    calls = {edge["from"]: edge["rule"] for edge in program["edges"] if edge["rule"] is not None}
    if state in calls:  # a large machine has a rule of its own
        state = program["rules"][calls[state]]["start"]
    edges: dict[int, list[tuple[int, int, int]]] = {row["id"]: [] for row in program["states"]}
    for edge in program["edges"]:
        edges[edge["from"]] += [(lo, hi, edge["to"]) for lo, hi in edge["ranges"]]
    accepting = frozenset(row["id"] for row in program["states"] if row["accepting"])
    return ByteMachine(state, edges, accepting, _distances(edges, accepting))


def _distances(edges: dict[int, list[tuple[int, int, int]]], accepting: frozenset[int]) -> dict[int, int]:
    """Code points from each state to the nearest accepting one: bytes that go on with a code point cost nothing."""
    back: dict[int, list[tuple[int, int]]] = {state: [] for state in edges}
    for state, leaving in edges.items():
        for lo, _, to in leaving:
            back[to].append((state, 0 if 0x80 <= lo < 0xC0 else 1))
    distance: dict[int, int] = {}
    agenda = [(0, state) for state in sorted(accepting)]
    while agenda:
        so_far, state = heapq.heappop(agenda)
        if state not in distance:
            distance[state] = so_far
            for before, cost in back[state]:
                heapq.heappush(agenda, (so_far + cost, before))
    return distance


# ---- Lengths ----


def _settle(nodes: Nodes) -> None:
    """Fills `lengths` and `order`."""
    n_nodes = len(nodes)
    parents: list[list[int]] = [[] for _ in range(n_nodes)]
    callers: list[list[int]] = [[] for _ in nodes.rules]
    bodies: dict[int, list[int]] = {}
    missing = [len(node.children) for node in nodes.nodes]
    for i, node in enumerate(nodes.nodes):
        for child in node.children:
            parents[child].append(i)
        if node.kind == "rule":
            callers[node.rule].append(i)
    for number, rule in enumerate(nodes.rules):
        bodies.setdefault(rule.body, []).append(number)
    lengths: list[int | None] = [None] * n_nodes
    order = [n_nodes] * n_nodes
    sums = [0] * n_nodes
    agenda = [(length, i) for i in range(n_nodes) if (length := _own_length(nodes, i)) is not None]
    heapq.heapify(agenda)
    n_settled = 0
    while agenda:
        length, i = heapq.heappop(agenda)
        if lengths[i] is not None:
            continue
        lengths[i], order[i] = length, n_settled
        n_settled += 1
        for parent in parents[i]:
            missing[parent] -= 1
            sums[parent] += length
            offer = _offer(nodes[parent], i, lengths, sums[parent], missing[parent])
            if offer is not None:
                heapq.heappush(agenda, (offer, parent))
        for number in bodies.get(i, ()):
            for caller in callers[number]:
                heapq.heappush(agenda, (length, caller))
    nodes.lengths, nodes.order = lengths, order


def _own_length(nodes: Nodes, index: int) -> int | None:
    """Return the length that an expression needs beside its parts."""
    node = nodes[index]
    match node.kind:
        case "empty":
            return 0
        case "literal":
            return len(node.text)
        case "class" | "tokens":
            return 1 if node.kind == "tokens" or node.ranges else None
        case "repeat" if node.least == 0:
            return 0
        case "machine":
            return nodes.machines[index].distance.get(nodes.machines[index].start)
        case "any_order" if node.any_order is not None:
            return 0 if node.any_order.least == 0 and not set("!+") & set(node.any_order.marks) else None
        case "dispatch" if node.dispatch is not None:
            stops = [len(text) for text in node.dispatch.stop_texts if node.dispatch.is_readable(text)]
            return min([0] if node.dispatch.stop_eos else stops, default=None)
        case _:
            return None


def _offer(node: Node, child: int, lengths: list[int | None], total: int, missing: int) -> int | None:
    """A length for a parent, now that a child's is known."""
    length = lengths[child] or 0
    match node.kind:
        case "choice":
            return length
        case "sequence" if missing == 0:
            return total
        case "repeat":
            return node.least * length
        case "any_order" if node.any_order is not None:
            parts = node.any_order.shortest(node.children, lengths)
            return None if parts is None else sum(lengths[part] or 0 for part in parts)
        case "dispatch" if node.dispatch is not None and not node.dispatch.loop_after_dispatch:
            words = [tag for tag, ref in zip(node.dispatch.tags, node.children, strict=True) if ref == child]
            return min((len(tag) + length for tag in words if node.dispatch.is_readable(tag)), default=None)
        case _:
            return None
