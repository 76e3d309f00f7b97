"""A test fixture: five hand-written rules as byte machines and an Earley chart that records its back-pointers.

The browser tests need a session that behaves before, beside and without the compiled engine. This file gives them the facts an
engine would give, in the wire's own shapes, for one fixed grammar and any vocabulary. It is a fixture, not a twin: the
readable definitions are in `xg2lab/reference`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

GRAMMAR = r"""# weather tool, one call
root   ::= "{" ws "\"city\":" ws string "," ws
           "\"unit\":" ws unit ws "}"
string ::= "\"" char* "\""
char   ::= [^"\\\x00-\x1F] | "\\" ["\\/bfnrt]
unit   ::= "\"celsius\"" | "\"fahrenheit\""
ws     ::= [ \n]*
"""
START, PREDICT, SCAN, COMPLETE = 0, 1, 2, 3
Item = tuple[int, int]  # (state, origin)


@dataclass
class State:
    """One state of one rule's machine, with the labels left and right of the dot."""

    rule: int
    before: str
    after: str
    span: tuple[int, int]
    accepting: bool = False
    byte_edges: list[tuple[int, int, int]] = field(default_factory=list)  # lo, hi, target
    rule_edges: list[tuple[int, int]] = field(default_factory=list)  # rule, target


RULES = ["root", "string", "char", "unit", "ws"]
# a rule is a list of alternatives; a symbol is a literal, a class (tuple of ranges) or a rule's name after "@"
CHAR = ((0x20, 0x21), (0x23, 0x5B), (0x5D, 0x7F), (0xC2, 0xF4), (0x80, 0xBF))
SHAPES: dict[str, list[list[Any]]] = {
    "root": [["{", "@ws", '"city":', "@ws", "@string", ",", "@ws", '"unit":', "@ws", "@unit", "@ws", "}"]],
    "unit": [['"celsius"'], ['"fahrenheit"']],
}


class Machines:
    """States of all five rules, numbered through."""

    def __init__(self) -> None:
        self.states: list[State] = []
        self.start: list[int] = []
        self.ranges: list[tuple[int, int]] = []
        for name in RULES:
            first = len(self.states)
            self.start.append(first)
            {"string": self._string, "char": self._char, "ws": self._ws}.get(name, self._shape)(name)
            self.ranges.append((first, len(self.states)))
        self.nullable = [self.states[s].accepting for s in self.start]

    def _add(self, rule: str, before: str, after: str, text: str, accepting: bool = False) -> int:
        at = GRAMMAR.encode().find(f"\n{rule} ".encode()) + 1
        found = GRAMMAR.encode().find(text.encode(), at) if text else at
        self.states.append(State(RULES.index(rule), before, after, (found, found + len(text.encode())), accepting))
        return len(self.states) - 1

    def _shape(self, rule: str) -> None:
        start: int | None = None
        for symbols in SHAPES[rule]:
            shown = [s[1:] if s[0] == "@" else '"' + s.replace('"', '\\"') + '"' for s in symbols]
            if start is None:
                start = self._add(rule, "", " ".join(shown) if rule != "unit" else r'"\"celsius\"" | "\"fahrenheit\""', shown[0])
            here = start
            for k, symbol in enumerate(symbols):
                left, right = " ".join(shown[: k + 1]), " ".join(shown[k + 1 :])
                following = shown[k + 1] if k + 1 < len(shown) else shown[k]
                last = k + 1 == len(symbols)
                if symbol[0] == "@":
                    there = self._add(rule, left, right, following, last)
                    self.states[here].rule_edges.append((RULES.index(symbol[1:]), there))
                    here = there
                    continue
                data = symbol.encode()
                for n, byte in enumerate(data):
                    done = n + 1 == len(data)
                    known = [t for lo, _, t in self.states[here].byte_edges if lo == byte]
                    if known:
                        here = known[0]
                        continue
                    part = data[: n + 1].decode().replace('"', '\\"')
                    rest = data[n + 1 :].decode().replace('"', '\\"')
                    stem = " ".join(shown[:k])
                    there = self._add(
                        rule,
                        left if done else f'{stem} "{part}"'.strip(),
                        right if done else f'"{rest}" {right}'.strip(),
                        following if done else shown[k],
                        last and done,
                    )
                    self.states[here].byte_edges.append((byte, byte, there))
                    here = there

    def _string(self, rule: str) -> None:
        a = self._add(rule, "", r'"\"" char* "\""', r'"\""')
        b = self._add(rule, r'"\""', r'char* "\""', r'char* "\""')
        c = self._add(rule, r'"\"" char* "\""', "", r'"\""', accepting=True)
        self.states[a].byte_edges.append((0x22, 0x22, b))
        self.states[b].byte_edges.append((0x22, 0x22, c))
        self.states[b].rule_edges.append((RULES.index("char"), b))

    def _char(self, rule: str) -> None:
        a = self._add(rule, "", r'[^"\\\x00-\x1F] | "\\" ["\\/bfnrt]', r'[^"\\\x00-\x1F] | "\\" ["\\/bfnrt]')
        b = self._add(rule, r'[^"\\\x00-\x1F]', "", r'[^"\\\x00-\x1F]', accepting=True)
        c = self._add(rule, r'"\\"', r'["\\/bfnrt]', r'["\\/bfnrt]')
        two = self._add(rule, "[C2-DF]", "[80-BF]", r'[^"\\\x00-\x1F]')
        three = self._add(rule, "[E0-EF]", "[80-BF]{2}", r'[^"\\\x00-\x1F]')
        four = self._add(rule, "[F0-F4]", "[80-BF]{3}", r'[^"\\\x00-\x1F]')
        edges = self.states[a].byte_edges
        edges += [(0x20, 0x21, b), (0x23, 0x5B, b), (0x5D, 0x7F, b), (0x5C, 0x5C, c), (0xC2, 0xDF, two), (0xE0, 0xEF, three), (0xF0, 0xF4, four)]
        self.states[two].byte_edges.append((0x80, 0xBF, b))
        self.states[three].byte_edges.append((0x80, 0xBF, two))
        self.states[four].byte_edges.append((0x80, 0xBF, three))
        self.states[c].byte_edges += [(ord(x), ord(x), b) for x in '"\\/bfnrt']

    def _ws(self, rule: str) -> None:
        a = self._add(rule, "", r"[ \n]*", r"[ \n]*", accepting=True)
        self.states[a].byte_edges += [(0x20, 0x20, a), (0x0A, 0x0A, a)]

    def program(self) -> dict[str, Any]:
        source = GRAMMAR.encode()
        rules, edges, states = [], [], []
        for k, name in enumerate(RULES):
            begin = source.find(f"\n{name} ".encode()) + 1
            end = source.find(f"\n{RULES[k + 1]} ".encode()) if k + 1 < len(RULES) else len(source) - 1
            rules.append({"id": k, "name": name, "span": [begin, end], "line": source[:begin].count(b"\n") + 1, "start": self.start[k], "states": list(self.ranges[k]), "nullable": self.nullable[k]})
        for k, s in enumerate(self.states):
            states.append({"id": k, "rule": s.rule, "accepting": s.accepting, "scannable": bool(s.byte_edges), "before": s.before, "after": s.after, "spans": [list(s.span)]})
            by_target: dict[int, list[list[int]]] = {}
            for lo, hi, t in s.byte_edges:
                by_target.setdefault(t, []).append([lo, hi])
            for t, ranges in by_target.items():
                edges.append({"from": k, "to": t, "kind": "bytes", "label": edge_label(ranges), "ranges": ranges, "rule": None, "spans": [list(s.span)]})
            for r, t in s.rule_edges:
                edges.append({"from": k, "to": t, "kind": "rule", "label": RULES[r], "ranges": [], "rule": r, "spans": [list(s.span)]})
        return {"rules": rules, "states": states, "edges": edges}


def byte_text(byte: int) -> str:
    """A byte inside a class: printable ASCII as itself, the rest as an escape."""
    return {10: "\\n", 13: "\\r", 9: "\\t"}.get(byte) or (chr(byte) if 0x20 <= byte < 0x7F else f"\\x{byte:02X}")


def edge_label(ranges: list[list[int]]) -> str:
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return f'"{byte_text(ranges[0][0])}"' if ranges[0][0] != 0x22 else "'\"'"
    return "[" + "".join(byte_text(lo) if lo == hi else f"{byte_text(lo)}-{byte_text(hi)}" for lo, hi in ranges) + "]"


class Chart:
    """Columns of items with the operation that made each; pushed and popped like the engine's."""

    def __init__(self, machines: Machines) -> None:
        self.m = machines
        self.columns: list[list[list[int]]] = [[]]
        self._index: list[dict[Item, int]] = [{}]
        self._add(0, (machines.start[0], 0), [START, -1, -1, -1, -1])
        self._close(0)

    def _add(self, j: int, item: Item, link: list[int]) -> None:
        if item not in self._index[j]:
            self._index[j][item] = len(self.columns[j])
            self.columns[j].append([*item, *link])

    def _close(self, j: int) -> None:
        k = 0
        while k < len(self.columns[j]):
            state, origin = self.columns[j][k][:2]
            s = self.m.states[state]
            for rule, target in s.rule_edges:
                self._add(j, (self.m.start[rule], j), [PREDICT, j, k, -1, -1])
                if self.m.nullable[rule]:
                    self._add(j, (target, origin), [COMPLETE, j, k, j, k])
            if s.accepting:
                for w, waiting in enumerate(self.columns[origin]):
                    for rule, target in self.m.states[waiting[0]].rule_edges:
                        if rule == s.rule:
                            self._add(j, (target, waiting[1]), [COMPLETE, origin, w, j, k])
            k += 1

    def push(self, byte: int) -> bool:
        j = len(self.columns)
        self.columns.append([])
        self._index.append({})
        for k, (state, origin, *_) in enumerate(self.columns[j - 1]):
            for lo, hi, target in self.m.states[state].byte_edges:
                if lo <= byte <= hi:
                    self._add(j, (target, origin), [SCAN, j - 1, k, -1, -1])
        if not self.columns[j]:
            self.pop(1)
            return False
        self._close(j)
        return True

    def pop(self, n: int) -> None:
        del self.columns[len(self.columns) - n :], self._index[len(self._index) - n :]

    def completed(self) -> bool:
        return any(self.m.states[s].accepting and self.m.states[s].rule == 0 for s, *_ in self.columns[-1])

    def scannable(self) -> list[list[int]]:
        return [item for item in self.columns[-1] if self.m.states[item[0]].byte_edges]
