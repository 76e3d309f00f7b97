"""How a text could go on: for each state of a program, a shortest way to the end of its rule.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1])
>>> compiled = xgr.GrammarCompiler(info).compile_grammar('root ::= "<" [a-z]{2} ">"')
>>> ways = Continuations(compiled.program())
>>> ways.from_state(0)
b'<aa>'

IDEA
  The shortest text of each state by Knuth's generalization of Dijkstra's algorithm: an edge that reads a byte costs
  one, an edge that calls a rule costs what the rule's start needs. A token edge reads no text, so no way goes over it.

See also: `GrammarMatcher.explain`, whose items these ways begin at; `xg2lab.language.nodes`, the same of expressions.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xg2lab.lab.schema.engine import Edge, Program

__all__ = ["Continuations"]

MOST_BYTES = 200  # of a way that is written out
PLAIN = b"a0AbB1 .,"  # bytes that stand well for a range, in this order


class Continuations:
    """Shortest ways through one program, as `CompiledGrammar.program()` gives it."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.edges: list[list[Edge]] = [[] for _ in program["states"]]
        for edge in program["edges"]:
            self.edges[edge["from"]].append(edge)
        self.lengths: dict[int, int] = {}
        self.ways: dict[int, Edge | None] = {}  # the edge to take; None: stop here
        self._settle()

    def from_state(self, state: int) -> bytes | None:
        """A shortest text from a state to the end of its rule; None if there is none, or if it is very long."""
        if self.lengths.get(state, MOST_BYTES + 1) > MOST_BYTES:
            return None
        out = bytearray()
        agenda = [state]
        while agenda:
            edge = self.ways[agenda.pop()]
            if edge is None:
                continue
            agenda.append(edge["to"])
            if edge["kind"] == "bytes":
                out.append(plain_byte(edge["ranges"]))
            else:
                agenda += self._calls(edge["rule"])
        return bytes(out)

    def begun(self, state: int, most: int) -> list[bytes]:
        """Texts that go on at a state, one for each of its edges that read bytes, the shortest first."""
        found: dict[bytes, None] = {}
        for edge in self.edges[state]:
            rest = self.from_state(edge["to"]) if edge["kind"] == "bytes" else None
            if rest is not None:
                found[bytes([plain_byte(edge["ranges"])]) + rest] = None
        return sorted(found, key=len)[:most]

    def _calls(self, number: int | None) -> list[int]:
        """The starts of the rules that one match of a rule goes through: a counted rule's child, often enough."""
        if number is None:
            return []
        rule = self.program["rules"][number]
        repeat = rule.get("repeat")
        if repeat is None:
            return [rule["start"]]
        return [self.program["rules"][repeat["child"]]["start"]] * repeat["min"]

    def _settle(self) -> None:
        before: dict[int, list[tuple[int, Edge]]] = {}  # state -> edges whose cost depends on it
        for state, leaving in enumerate(self.edges):
            for edge in leaving:
                needs = {edge["to"], *self._calls(edge["rule"])}
                for needed in needs if edge["kind"] != "token" else ():
                    before.setdefault(needed, []).append((state, edge))
        offers: list[Edge | None] = [None]
        agenda = [(0, row["id"], 0) for row in self.program["states"] if row["accepting"]]  # length, state, offer
        while agenda:
            length, state, offer = heapq.heappop(agenda)
            if state in self.lengths:
                continue
            self.lengths[state], self.ways[state] = length, offers[offer]
            for origin, edge in before.get(state, ()):
                cost = self._cost(edge) if origin not in self.lengths else None
                if cost is not None:
                    offers.append(edge)
                    heapq.heappush(agenda, (cost, origin, len(offers) - 1))

    def _cost(self, edge: Edge) -> int | None:
        needed = [edge["to"], *self._calls(edge["rule"])]
        if any(state not in self.lengths for state in needed):
            return None
        return sum(self.lengths[state] for state in needed) + (edge["kind"] == "bytes")


def plain_byte(ranges: Iterable[Sequence[int]]) -> int:
    """A byte that stands for ranges: one that reads well, if there is one."""
    ranges = list(ranges)
    for byte in (*PLAIN, *range(0x20, 0x7F)):
        if any(lo <= byte <= hi for lo, hi in ranges):
            return byte
    return ranges[0][0]
