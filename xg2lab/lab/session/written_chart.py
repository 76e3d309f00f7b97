r"""The chart of a session's output under its grammar as written, filled by a matcher of its own.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"1", b"+", b"</s>"], stop_token_ids=[2])
>>> session = xgr.Session('root ::= root "+" root | "1"', info)
>>> session.record_as_written()
>>> session.force("1+1")[-1].text
'1'
>>> written = session.trace.as_written
>>> [len(column) for column in written.columns]
[2, 2, 3, 4]
>>> written.note
''

IDEA
  The session's matcher runs the optimized program. `WrittenChart` compiles the same grammar without the passes that
  rewrite rules (`xg2lab.lab.trace.as_written`) and accepts the same tokens. It makes no masks, so following costs a
  fraction of a step. It follows from the moment that a view first asks for it, and catches up with earlier tokens.

  A grammar whose program as written would be too large is not compiled: its trace has a note instead, and views draw
  the engine's chart.

INVARIANT  I1  places and engine columns are those of `taken`, as far as the limit of the chart reaches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from xg2lab.compiler import GrammarCompiler
from xg2lab.errors import LimitError, Xg2LabError
from xg2lab.lab.trace.as_written import MOST_STATES, AsWritten, Textbook, written_options
from xg2lab.lab.trace.issue import expected_by
from xg2lab.lab.trace.values import plain
from xg2lab.matcher import GrammarMatcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from xg2lab.compiler import CompiledGrammar
    from xg2lab.lab import schema

__all__ = ["MOST_ENGINE_STATES", "MOST_ITEMS", "MOST_SOURCE_BYTES", "WrittenChart"]

#: Grammars beyond these are not compiled again.
MOST_SOURCE_BYTES = 256 << 10
MOST_ENGINE_STATES = 20_000
#: Of all columns together. An ambiguous grammar makes many items of a short text.
MOST_ITEMS = 100_000

Columns = list[list[list[int]]]


class WrittenChart:
    """The second matcher, and the columns that it has made."""

    def __init__(self, compiled: CompiledGrammar, limit: int) -> None:
        self._limit = limit
        self.note = ""
        self._textbook: Textbook | None = None
        self._taken: list[int] = []
        self._engine: Columns = []
        self._places: list[list[list[int]]] = []
        self._n_items: list[int] = []  # of all columns up to each one
        n_bytes, n_states = len(compiled.grammar.source.encode()), compiled.n_states
        if n_bytes > MOST_SOURCE_BYTES or n_states > MOST_ENGINE_STATES:
            self.note = f"the grammar is too large to be drawn as written ({n_bytes:,} bytes, {n_states:,} states)"
            return
        try:
            options = written_options(compiled.options)
            written = GrammarCompiler(compiled.tokenizer_info, options=options, cache_enabled=False).compile_grammar(
                compiled.grammar
            )
            self._textbook = Textbook(written.program(), written.grammar)
            self._matcher = GrammarMatcher(written)
        except LimitError:
            self.note = f"the grammar as written needs more than {MOST_STATES:,} states, or too long to compile"
        except Xg2LabError as error:
            self.note = f"the grammar can't be drawn as written: {error.message.splitlines()[0]}"

    def begin(self) -> AsWritten:
        """The record of a trace: the program, and no columns yet. From now on `follow` fills this record."""
        self._engine, self._places, self._n_items = [], [], []
        return AsWritten(None if self._textbook is None else self._textbook.program, note=self.note)

    def follow(
        self,
        record: AsWritten,
        tokens: Sequence[int],
        chart_row: Callable[[tuple[int, ...], int], list[int]],
        ways_rows: Callable[[dict[int, list[tuple[int, int, list[tuple[int, ...]]]]]], list[list[int]]],
    ) -> None:
        """Accept what `tokens` has beyond the tokens that were taken, and append the new columns to `record`.

        `record` holds the columns of a prefix of the same tokens. Nothing is raised for a token that the grammar
        refuses: the chart ends before it.
        """
        if self._textbook is None:
            return
        self._go_to(tokens)
        n_known = len(record.columns)
        if len(self._engine) > n_known:  # a step back: the columns of the tokens that stayed
            del self._engine[n_known:], self._places[n_known:], self._n_items[n_known:]
            record.note = self.note
        if n_known >= self._limit or record.note:
            return
        known = self._matcher.chart(n_known)
        for k, column in enumerate(known["columns"][: self._limit - n_known]):
            if self._n_items and self._n_items[-1] > MOST_ITEMS:
                record.note = f"the chart as written ends at column {n_known + k}: more than {MOST_ITEMS:,} items"
                break
            rows = [chart_row(row, n_known + k) for row in column]
            own = self._textbook.column(rows, self._places, self._engine)
            record.columns.append(own)
            self._n_items.append((self._n_items or [0])[-1] + len(own))
        ways = (row for row in ways_rows(known["ways"]) if n_known <= row[0] < len(record.columns))
        record.ways.extend(self._textbook.ways(row, self._places, self._engine) for row in ways)

    def explain(
        self, n_taken: int, why: schema.Explanation
    ) -> tuple[list[schema.WalkStep], list[schema.ExpectedBy]] | None:
        """The walk of an explanation after the first `n_taken` tokens and the items that expected something else.

        All items are those of the grammar as written.

        None where the chart does not reach: the grammar is too large, or refused an earlier token.
        """
        if self._textbook is None or n_taken > len(self._taken) or not why["walk"]:
            return None
        matcher = self._matcher
        if n_taken < len(self._taken):
            matcher = matcher.fork()
            matcher.rollback(len(self._taken) - n_taken)
        token_id = why["token_id"]
        own = matcher.explain(data=bytes.fromhex(why["bytes"])) if token_id is None else matcher.explain(token_id)
        told = cast("schema.Explanation", plain(own))
        items = self._textbook.divide_items(expected_by(told), is_reading=True)
        arguments = _arguments(expected_by(why))
        for item in items:
            if argument := arguments.get(_place(item)):
                item["argument"] = argument
        return [self._textbook.walk_step(step) for step in told["walk"]], items

    def _go_to(self, tokens: Sequence[int]) -> None:
        """Take back what the tokens have not, accept what they have more."""
        n_same = next((k for k, (a, b) in enumerate(zip(self._taken, tokens, strict=False)) if a != b), None)
        n_same = min(len(self._taken), len(tokens)) if n_same is None else n_same
        if n_same < len(self._taken):
            self._matcher.rollback(len(self._taken) - n_same)
            del self._taken[n_same:]
        for token_id in tokens[len(self._taken) :]:
            if not self._matcher.accept_token(token_id):
                return  # an unconstrained output has left the grammar
            self._taken.append(token_id)


def _place(item: schema.ExpectedBy) -> tuple[int, str]:
    """Where an item's match began in the output, and where in the grammar its dot stands."""
    return item["origin"], repr(item["spans"])


def _arguments(items: Iterable[schema.ExpectedBy]) -> dict[tuple[int, str], str]:
    """By place, the argument that fills the slot there: the grammar as written is that of the written-out text.

    A place that several arguments fill is left out.
    """
    found: dict[tuple[int, str], set[str]] = {}
    for item in items:
        if "argument" in item:
            found.setdefault(_place(item), set()).add(item["argument"])
    return {place: next(iter(told)) for place, told in found.items() if len(told) == 1}
