r"""The grammar as its author wrote it: its program and its chart with the items of a textbook.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([bytes([byte]) for byte in range(256)])
>>> text = 'root ::= sum   sum ::= sum "+" sum | "num"'
>>> compiled = xgr.GrammarCompiler(info, options=written_options(xgr.EngineOptions())).compile_grammar(text)
>>> written = Textbook(compiled.program(), compiled.grammar)
>>> for state in written.program["states"]:
...     print(written.program["rules"][state["rule"]]["name"], "→", dotted(state))
root → • sum
root → sum •
sum → • sum "+" sum
sum → • "num"
sum → "n•um"
sum → sum • "+" sum
sum → "nu•m"
sum → sum "+" • sum
sum → "num" •
sum → sum "+" sum •

IDEA
  The engine compiles the same grammar once more, with every pass off that rewrites rules. Each rule's machine then has
  one state for each position of the grammar (Glushkov's automaton): the bytes of a literal, one class, one name of a
  rule. So an item of its chart is a dotted rule, and the dot follows the position that the item passed last. The text
  round the dot is the author's, cut out of the source.

      engine       num ::= [0-9]+, written into sum      sum → num • [*+]
      as written   sum ::= sum "+" sum | num             sum → sum • "+" sum

  One thing is left that a textbook has and a machine has not: a rule with several alternatives begins with an item for
  each. `Textbook` divides the start state of such a rule, and each item before it.

INVARIANTS
  I1  A divided program matches the same texts: each edge of a start state leaves exactly one of its parts.
  I2  Column j has the items of the engine's column j, and of an item before a divided state one for each part.

Bounds: a grammar of more than `MOST_STATES` states is not drawn as written; the text beside a dot has at most
`MOST_SAID` characters on each side.
COST    One compilation without masks. A column: O(its items).

See also: `xg2lab.lab.session.written_chart`, which fills the chart; docs/design/0054-as-written.md.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from xg2lab.compiling.stages import stage_options
from xg2lab.lab.trace.values import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from xg2lab.grammar import Grammar
    from xg2lab.lab import schema
    from xg2lab.options import EngineOptions

Dotted = TypeVar("Dotted", bound="schema.DottedItem")

__all__ = ["MOST_STATES", "AsWritten", "Textbook", "dotted", "written_options"]

#: Of a program that is drawn as written.
MOST_STATES = 5_000
#: Characters of the grammar's text on each side of a dot.
MOST_SAID = 200
MOST_SECONDS = 2.0

_COMPLETE = 3
_LEAVES = ("literal", "class", "rule", "machine", "token_set")
Span = tuple[int, int]


def written_options(options: EngineOptions) -> EngineOptions:
    """The options of a session, with every pass off that rewrites rules or merges states, and Earley's parser."""
    as_written = stage_options(options)[0][1]
    return replace(
        as_written,
        parser="earley",
        tail_calls=False,
        max_fsm_states=min(options.max_fsm_states, MOST_STATES),
        partial_jit_k=0,
        cross_grammar_cache=False,
        max_compile_seconds=min(options.max_compile_seconds, MOST_SECONDS),
    )


@dataclass
class AsWritten:
    """The grammar as written in a trace: the program, and the chart's columns and ways as a trace has its own.

    `note` says why there is no program, or where the chart ends; it is empty otherwise.
    """

    program: schema.Program | None
    columns: list[list[list[int]]] = field(default_factory=list[list[list[int]]])
    ways: list[list[int]] = field(default_factory=list[list[int]])
    note: str = ""

    def to_wire(self) -> schema.AsWritten:
        """The record."""
        chart: schema.Chart = {"columns": list(self.columns)}
        if self.ways:
            chart["ways"] = list(self.ways)
        known: schema.AsWritten = {"chart": chart, "note": self.note}
        return known if self.program is None else {**known, "program": self.program}

    @classmethod
    def of_record(cls, wire: schema.AsWritten) -> AsWritten:
        """Read a record that was checked."""
        return cls(wire.get("program"), wire["chart"]["columns"], wire["chart"].get("ways", []), wire["note"])

    def cut(self, n_columns: int) -> AsWritten:
        """The same with the first columns alone."""
        ways = [row for row in self.ways if row[0] < n_columns]
        return AsWritten(self.program, self.columns[:n_columns], ways, self.note)


def dotted(state: Mapping[str, Any]) -> str:
    """A state's text with its dot: without spaces round it inside a literal."""
    between = "•" if state.get("tight") else " • "
    return f"{state['before']}{between}{state['after']}".strip()


class Textbook:
    """A program as written, its start states divided by alternatives, and the text round each dot.

    Parameters
    ----------
    program : dict
        `CompiledGrammar.program()` of a grammar that was compiled with `written_options`.
    grammar : Grammar
        That grammar.
    """

    def __init__(self, program: Mapping[str, Any], grammar: Grammar) -> None:
        self._from = program
        source = grammar.source.encode()
        # Spans of a schema or a structural tag are places in JSON, not in a rule.
        bodies: dict[str, Any] = {} if grammar.coverage else grammar.expressions()
        self._bodies = bodies
        self._parts = {rule["start"]: spans for rule in program["rules"] if len(spans := self._alternatives(rule)) > 1}
        #: by state of the engine: the numbers of its parts; one for a state that is whole
        self.parts: list[list[int]] = []
        self._targets: dict[tuple[int, int], int] = {}
        self._callers: dict[tuple[int, int], int] = {}
        n = 0
        for state in program["states"]:
            n_parts = len(self._parts.get(state["id"], "1"))
            self.parts.append(list(range(n, n + n_parts)))
            n += n_parts
        texts = _Texts(program, source, bodies)
        self.program: schema.Program = cast("schema.Program", plain(self._divided(texts)))

    # ---- The program ----------------------------------------------------------------------------

    def _alternatives(self, rule: Mapping[str, Any]) -> list[Span]:
        """The spans of a rule's alternatives, if its start state can be divided by them."""
        special = any(rule.get(name) for name in ("repeat", "any_order", "dispatch", "tokens"))
        body = _body(rule, self._bodies)
        if special or body is None or body[0] != "choice":
            return []
        spans = [tuple(part[-1]) for part in body[1]]
        edges = [edge for edge in self._from["edges"] if rule["start"] in (edge["from"], edge["to"])]
        for edge in edges:
            homes = {_home(span, spans) for span in edge["spans"]}
            if edge["to"] == rule["start"] or len(homes) != 1 or None in homes:
                return []
        return spans

    def _divided(self, texts: _Texts) -> dict[str, Any]:
        """The program with the parts of start states in their places, and the texts of the author."""
        out: dict[str, list[Any]] = {"rules": [], "states": [], "edges": []}
        nullable = {rule["name"]: rule["nullable"] for rule in self._from["rules"]}
        for state in self._from["states"]:
            spans = self._parts.get(state["id"])
            for k, number in enumerate(self.parts[state["id"]]):
                one = state | {"id": number}
                if spans is None:
                    out["states"].append(one | texts.at(state))
                    continue
                body = self._bodies[self._from["rules"][state["rule"]]["name"]][1][k]  # of a choice
                own = [span for span in state["spans"] if _home(span, spans) == k]
                ends = state["accepting"] and _is_nullable(body, nullable)
                said = texts.clip("", texts.said(*spans[k], None))
                out["states"].append(
                    one
                    | {"before": said[0], "after": said[1], "spans": own, "accepting": ends}
                    | {"scannable": any(e["kind"] == "bytes" for e in self._edges_of(state["id"], k))}
                )
        for edge in self._from["edges"]:
            source, target = edge["from"], self.parts[edge["to"]][0]
            spans = self._parts.get(source)
            k = 0 if spans is None else cast("int", _home(edge["spans"][0], spans))
            if spans is not None:
                self._targets[source, edge["to"]] = k
                if edge["rule"] is not None:
                    self._callers.setdefault((source, edge["rule"]), k)
            out["edges"].append(edge | {"from": self.parts[source][k], "to": target})
        for rule in self._from["rules"]:
            first, end = rule["states"]
            starts = self.parts[rule["start"]]
            states = [self.parts[first][0], self.parts[end - 1][-1] + 1] if end > first else [0, 0]
            own = {"starts": starts} if len(starts) > 1 else {}
            out["rules"].append(rule | {"start": starts[0], "states": states} | own)
        out["edges"].sort(key=lambda edge: edge["from"])
        return {"root": self._from["root"], **out}

    def _edges_of(self, state: int, k: int) -> Iterator[Mapping[str, Any]]:
        for edge in self._from["edges"]:
            if edge["from"] == state and _home(edge["spans"][0], self._parts[state]) == k:
                yield edge

    # ---- The chart ------------------------------------------------------------------------------

    def column(
        self, rows: list[list[int]], places: list[list[list[int]]], engine: list[list[list[int]]]
    ) -> list[list[int]]:
        """A column of the engine with divided items.

        `rows` is the column as a trace has it. `engine` holds the engine's columns before it, and `places` where each
        of their items is in the divided column: a list for each item. Both grow by this column.
        """
        engine.append(rows)
        n, own = 0, list[list[int]]()
        for row in rows:
            n_parts = len(self.parts[row[0]])
            own.append(list(range(n, n + n_parts)))
            n += n_parts
        places.append(own)
        return [
            [part, row[1], *self._made(row[0], row[2:], places, engine)] for row in rows for part in self.parts[row[0]]
        ]

    def ways(self, row: list[int], places: list[list[list[int]]], engine: list[list[list[int]]]) -> list[int]:
        """The ways of an item, as a trace has them, with the places of divided columns."""
        column, index, n_others, *ways = row
        state = engine[column][index][0]
        out = [column, places[column][index][0], n_others]
        for k in range(0, len(ways), 5):
            out += self._made(state, ways[k : k + 5], places, engine)
        return out

    def walk_step(self, step: schema.WalkStep) -> schema.WalkStep:
        """One step of an explanation's walk, with divided items and the author's text."""
        return {**step, "items": self.divide_items(step["items"])}

    def divide_items(self, items: Iterable[Dotted], *, is_reading: bool = False) -> list[Dotted]:
        """Items of the whole program as divided ones, with the author's text.

        Of an item at a divided start state, `is_reading` leaves out the alternatives that read no byte.
        """
        states = self.program["states"]
        return [
            cast("Dotted", {**item, "state": part, "before": states[part]["before"], "after": states[part]["after"]})
            for item in items
            for part in self.parts[item["state"]]
            if not is_reading or len(self.parts[item["state"]]) == 1 or states[part]["scannable"]
        ]

    def _made(
        self, state: int, made: list[int], places: list[list[list[int]]], engine: list[list[list[int]]]
    ) -> list[int]:
        """What made an item: of a source before a divided state, the part that leads to the item."""
        operation, column, index, child, child_index = made
        if index < 0:
            return made
        source = engine[column][index][0]
        parts = places[column][index]
        k = 0
        if len(parts) > 1:
            rule = self._from["states"][state]["rule"]
            k = self._callers.get((source, rule), 0) if operation == 1 else self._targets.get((source, state), 0)
        inner = places[child][child_index][0] if child_index >= 0 else -1
        return [operation, column, parts[k], child, inner]


def _body(rule: Mapping[str, Any], bodies: Mapping[str, Any]) -> Any | None:
    """The expression of a rule; None for a rule that the compiler made, such as that of a counted repetition."""
    body = bodies.get(rule["name"])
    is_own = body is not None and rule["span"][0] <= body[-1][0] and body[-1][1] <= rule["span"][1]
    return body if is_own and not rule.get("repeat") else None


def _home(span: Span, spans: list[Span]) -> int | None:
    """The alternative in which a span lies; None if that is not exactly one."""
    homes = [k for k, (begin, end) in enumerate(spans) if begin <= span[0] and span[1] <= end]
    return homes[0] if len(homes) == 1 else None


def _is_nullable(expression: Any, rules: Mapping[str, bool]) -> bool:
    """Whether an expression matches the empty text."""
    kind = expression[0]
    if kind == "empty":
        return True
    if kind == "literal":
        return not expression[1]
    if kind == "rule":
        return rules.get(expression[1], False)
    if kind == "choice":
        return any(_is_nullable(part, rules) for part in expression[1])
    if kind == "sequence":
        return all(_is_nullable(part, rules) for part in expression[1])
    if kind == "repeat":
        return expression[2] == 0 or _is_nullable(expression[1], rules)
    return False


# ---- The author's text with a dot -------------------------------------------------------------------


class _Texts:
    """The text of the grammar on both sides of a state's dot.

    A state follows one position of the grammar, so the edges into it have one span. The dot stands at its end, or, of
    a literal, behind the bytes that were read. Where the spans are not places in the rule's own text, the engine's
    labels stay: the edges into the state and those out of it.
    """

    def __init__(self, program: Mapping[str, Any], source: bytes, bodies: Mapping[str, Any]) -> None:
        self._program, self._source = program, source
        self._into: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
        self._out: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
        for edge in program["edges"]:
            self._into[edge["to"]].append(edge)
            self._out[edge["from"]].append(edge)
        self._bodies = bodies
        self._leaves: dict[str, dict[Span, Any]] = {name: dict(_leaves(body)) for name, body in bodies.items()}
        self._read = self._bytes_read()
        self._seen: dict[tuple[int, int, str], int] = defaultdict(int)

    def at(self, state: Mapping[str, Any]) -> dict[str, Any]:
        """What a state says of itself: `before` and `after` its dot, and `tight` if the dot is inside a literal."""
        rule = self._program["rules"][state["rule"]]
        body = _body(rule, self._bodies)
        if not self._bodies or rule.get("dispatch") or rule.get("any_order") or "argument" in state:
            return {}
        begin, end = rule["span"] if body is None else body[-1]
        if state["id"] == rule["start"]:
            return self._told(rule, "", self.said(begin, end, None), end) if begin < end else {}
        spans = {tuple(span) for edge in self._into[state["id"]] for span in edge["spans"]}
        if len(spans) != 1:
            return {}
        span = spans.pop()
        if not (begin <= span[0] < span[1] <= end):
            return {}
        if body is not None and body[0] == "choice":
            home = _home(span, [tuple(part[-1]) for part in body[1]])
            if home is not None:
                begin, end = body[1][home][-1]
        dot = self._dot(state, span, rule)
        before, _, after = self.said(begin, end, dot).partition("\0")
        is_tight = dot < span[1]
        if not is_tight:
            before, after = before.rstrip(), after.lstrip()
        return self._told(rule, before, after, dot) | ({"tight": True} if is_tight else {})

    def _told(self, rule: Mapping[str, Any], before: str, after: str, dot: int) -> dict[str, Any]:
        """The clipped text; copies of one position, of a repetition with bounds, are told apart by their number."""
        key = rule["id"], dot, before
        self._seen[key] += 1
        n = self._seen[key]
        before, after = self.clip(before, after)
        return {"before": before, "after": after if n == 1 else f"{after} ⟨copy {n}⟩".lstrip()}

    def _dot(self, state: Mapping[str, Any], span: Span, rule: Mapping[str, Any]) -> int:
        """The place of the dot in the source: behind what the state has read of the span."""
        leaf = self._leaves.get(rule["name"], {}).get(span)
        if leaf is not None and leaf[0] == "literal":
            n_read = self._read.get(state["id"], 0)
            return span[1] if n_read >= len(leaf[1]) else _inside(self._source, span, leaf[1], n_read)
        if leaf is not None and leaf[0] == "class" and self._is_within_character(state, span):
            return span[1] - 1
        return span[1]

    def _is_within_character(self, state: Mapping[str, Any], span: Span) -> bool:
        """Whether only the further bytes of a character may follow."""
        edges = self._out[state["id"]]
        return (
            bool(edges)
            and not state["accepting"]
            and all(
                e["kind"] == "bytes"
                and [tuple(s) for s in e["spans"]] == [span]
                and all(lo >= 0x80 and hi <= 0xBF for lo, hi in e["ranges"])
                for e in edges
            )
        )

    def _bytes_read(self) -> dict[int, int]:
        """Of each state the bytes of its own position that have been read: the fewest, as a literal may be repeated."""
        spans = {
            state: {tuple(span) for edge in edges for span in edge["spans"]} for state, edges in self._into.items()
        }
        read = {
            edge["to"]: 1
            for edge in self._program["edges"]
            if spans.get(edge["from"], set()) != {tuple(span) for span in edge["spans"]}
        }
        agenda = list(read)
        lengths = {
            span: len(leaf[1])
            for leaves in self._leaves.values()
            for span, leaf in leaves.items()
            if leaf[0] == "literal"
        }
        for state in agenda:
            for edge in self._out[state]:
                if edge["kind"] == "bytes" and edge["to"] not in read:
                    n_bytes = lengths.get(tuple(edge["spans"][0]) if edge["spans"] else (0, 0), 0)
                    read[edge["to"]] = 1 if 0 < n_bytes <= read[state] else read[state] + 1
                    agenda.append(edge["to"])
        return read

    def said(self, begin: int, end: int, dot: int | None) -> str:
        """A part of the source in one line, without comments; a NUL character stands where the dot is."""
        pieces: list[str] = []
        at = begin
        for low, high in [*self._verbatim(begin, end), (end, end)]:
            for place, is_gap in ((low, True), (high, False)):
                if dot is not None and at <= dot < place:
                    pieces += [self._piece(at, dot, is_gap=is_gap), "\0"]
                    at, dot = dot, None
                pieces.append(self._piece(at, place, is_gap=is_gap))
                at = place
        if dot is not None:
            pieces.append("\0")
        return "".join(pieces)

    def _piece(self, begin: int, end: int, *, is_gap: bool) -> str:
        text = self._source[begin:end].decode("utf-8", "replace")
        if not is_gap:
            return text
        return re.sub(r"\s+", " ", re.sub(r"(#|//)[^\n]*", " ", text))

    def _verbatim(self, begin: int, end: int) -> list[Span]:
        """Spans of literals and classes between two places, in order: their spaces and number signs are their own."""
        wanted = {
            span
            for leaves in self._leaves.values()
            for span, leaf in leaves.items()
            if leaf[0] != "rule" and begin <= span[0] and span[1] <= end
        }
        out: list[Span] = []
        for span in sorted(wanted, key=lambda s: (s[0], -s[1])):
            if not out or span[0] >= out[-1][1]:
                out.append(span)
        return out

    @staticmethod
    def clip(before: str, after: str) -> tuple[str, str]:
        """The text near the dot: what is left out is far from it."""
        if len(before) > MOST_SAID:
            before = "…" + before[1 - MOST_SAID :]
        if len(after) > MOST_SAID:
            after = after[: MOST_SAID - 1] + "…"
        return before, after


def _leaves(body: Any) -> Iterator[tuple[Span, Any]]:
    """The leaves of an expression by their spans."""
    agenda = [body]
    while agenda:
        one = agenda.pop()
        if one[0] in _LEAVES:
            yield tuple(one[-1]), one
        agenda += _parts_of(one)


def _parts_of(expression: Any) -> Iterator[Any]:
    """The expressions in an expression, whatever its kind."""
    if expression[0] in _LEAVES:
        return
    agenda = list(expression[1:-1])
    while agenda:
        one = agenda.pop()
        if isinstance(one, tuple) and one:
            named = cast("tuple[Any, ...]", one)
            if isinstance(named[0], str) and isinstance(named[-1], tuple):
                yield named
            else:
                agenda += named


_ESCAPE = re.compile(
    rb"\\(?:u\{[0-9A-Fa-f]+\}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|x[0-9A-Fa-f]{2}|.)|[\x00-\x7f]|[\xc0-\xff][\x80-\xbf]*",
    re.DOTALL,
)


def _inside(source: bytes, span: Span, data: bytes, n_read: int) -> int:
    r"""The place in a literal's text behind its first `n_read` bytes; before a character that is read in part.

    >>> source = rb'"a\nb"'
    >>> [_inside(source, (0, 6), b"a\nb", n) for n in (1, 2)]
    [2, 4]
    """
    begin, end = span
    is_quoted = end - begin >= 2 and source[begin : begin + 1] in (b'"', b"'") and source[end - 1] == source[begin]
    at = begin + is_quoted
    rest = data
    for found in _ESCAPE.finditer(source, at, end - is_quoted):
        size = _size(found.group(), rest)
        if n_read < size:
            break
        n_read -= size
        rest = rest[size:]
        at = found.end()
    return at


def _size(text: bytes, rest: bytes) -> int:
    """How many bytes of a literal a character of its text stands for; `rest` are those that are left."""
    if not text.startswith(b"\\") or len(text) <= 2:
        return 1 if text.startswith(b"\\") else len(text)
    first = rest[:1]
    if not first or first < b"\x80":
        return 1
    return 2 if first < b"\xe0" else 3 if first < b"\xf0" else 4
