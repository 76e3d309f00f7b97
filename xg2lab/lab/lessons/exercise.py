"""Fill a column of the Earley chart by hand: each step is checked, and a wrong one says which and why.

    exercise = session.exercise(7)            # column 7: after byte 6 of the output
    exercise.do("scan", exercise.items(6)[0])
    exercise.do("predict", exercise.items(7)[0])
    print(exercise)                           # what is there, what the last step said, the score

IDEA
  Earley's three verbs, one item at a time. `do` takes a verb and the item it is done to, and puts all that it makes
  into the column; `add` takes the item itself, and asks whether some verb makes it now. Who judges is the recorded
  chart and the grammar's program, so a saved trace is enough: neither engine nor kernel is asked.

HOW IT DIFFERS FROM THE ENGINE
  The engine steps over a rule that may match nothing when it predicts it (Aycock and Horspool 2002) and never completes
  within a column. Here that is done as in a textbook: the empty match is completed, and again when somebody new waits.
  Both reach the same items, in any order. How often a repetition has matched is no part of a recorded item: whether it
  may end, or go on, is judged by what the column has.

INVARIANTS  I1  found is a subset of the column.   I2  while something is missing, some verb makes some of it.
See also `xg2lab.reference.earley`, and widgets/src/views/chart_view/exercise/layout.ts, which says the same words in
the page.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from xg2lab.errors import SessionError
from xg2lab.lab.lessons.exercise_words import WORDS, Words

__all__ = ["Answer", "ColumnExercise", "Placed"]

Verb = Literal["scan", "predict", "complete"]
VERBS: tuple[Verb, ...] = ("scan", "predict", "complete")


class Placed(NamedTuple):
    """An item and the column it is in: a match of the state's rule, begun at column `origin`, has reached `state`."""

    column: int
    state: int
    origin: int


@dataclass(frozen=True)
class Answer:
    """What became of a step. `kind` is "right", or names the mistake (see `exercise_words.py`); `reason` says it."""

    is_right: bool
    kind: str
    reason: str
    added: tuple[Placed, ...] = ()


class ColumnExercise:
    """A column of the Earley chart that is filled by hand, one operation at a time.

    Column 0 begins with its start item, any other column empty.

    Parameters
    ----------
    trace : Trace
        A trace with its chart. No engine is needed.
    column : int
        The column's number: column j holds the items after j bytes.

    Raises
    ------
    SessionError
        The column was not recorded.

    Attributes
    ----------
    found : list of Placed
        The items found so far.
    log : list of Answer
        The answers so far.

    >>> import xg2lab as xgr
    >>> info = xgr.TokenizerInfo([b"1", b"+", b"</s>"], stop_token_ids=[2])
    >>> options = xgr.EngineOptions(rule_inlining=False)
    >>> session = xgr.Session('root ::= n "+" n   n ::= "1"', info, options=options)
    >>> exercise = ColumnExercise(session.trace, 0)
    >>> exercise.hint()
    'predict `root → • n  from 0` of column 0'
    >>> exercise.do("predict", exercise.items(0)[0]).is_right, exercise.missing, exercise.is_finished
    (True, 0, True)
    >>> exercise.undo(), exercise.missing, len(exercise.reveal()), exercise.score["revealed"]
    (True, 1, 1, 1)
    >>> exercise.add(0, 0).kind, len(exercise.differences())
    ('already', 1)
    """

    def __init__(self, trace: Any, column: int) -> None:
        if not 0 <= column < len(trace.columns):
            last = len(trace.columns) - 1
            hint = f"give 0 to {last}" if trace.columns else "the session records no chart"
            raise SessionError(f"column {column} was not recorded", hint=hint)
        self.column = column
        self._columns = [
            [Placed(j, row[0], row[1]) for row in rows] for j, rows in enumerate(trace.columns[: column + 1])
        ]
        self._all = self._columns[column]
        self._recorded = trace.columns[column]
        self._words = Words(trace.program, column)
        self._byte = trace.output_bytes[column - 1] if column else None
        #: where tokens begin that end here, for those that a token edge took whole
        self._token_begins = {s.byte_begin for s in trace.steps if s.n_bytes and s.byte_begin + s.n_bytes == column}
        self._states: list[dict[str, Any]] = trace.program["states"]
        self._rules: list[dict[str, Any]] = trace.program["rules"]
        self._edges: dict[int, list[dict[str, Any]]] = defaultdict(list)
        for edge in trace.program["edges"]:
            self._edges[edge["from"]].append(edge)
        self.found: list[Placed] = [self._all[0]] if column == 0 else []
        self.log: list[Answer] = []
        self._steps: list[tuple[Placed, ...]] = []
        self.n_hints = self.n_revealed = 0

    # ---- Looking -------------------------------------------------------------------------------------------------

    def items(self, column: int) -> list[Placed]:
        """List the items of a column.

        Parameters
        ----------
        column : int
            The exercise's column, or an earlier one.

        Returns
        -------
        list of Placed
            All items of an earlier column; of the exercise's column, those that were found.
        """
        return list(self.found if column == self.column else self._columns[column])

    @property
    def missing(self) -> int:
        """How many items are still to be found."""
        return len(self._all) - len(self.found)

    @property
    def is_finished(self) -> bool:
        """Whether the column has exactly the engine's items."""
        return self.missing == 0

    @property
    def score(self) -> dict[str, int]:
        """The number of right and wrong steps, of hints, and of revealed items."""
        right = sum(answer.is_right for answer in self.log)
        return {"right": right, "wrong": len(self.log) - right, "hints": self.n_hints, "revealed": self.n_revealed}

    def differences(self) -> list[str]:
        """Explain where this column differs from a textbook's.

        Returns
        -------
        list of str
            A sentence for each difference.
        """
        return self._words.differences(self._all, self._columns[self.column - 1] if self.column else [])

    # ---- Doing ---------------------------------------------------------------------------------------------------

    def do(self, verb: Verb, item: Sequence[int]) -> Answer:
        """Scan, predict or complete one item. The new items are added to the column. A wrong step changes nothing.

        Parameters
        ----------
        verb : str
            "scan", "predict" or "complete".
        item : Placed or sequence of int
            Column, state and origin of the item.

        Returns
        -------
        Answer
            Whether the step is right, and why.

        Raises
        ------
        SessionError
            There is no such operation.
        """
        if verb not in VERBS:
            raise SessionError(f"an operation is not called {verb!r}", hint=", ".join(VERBS))
        return self._note(self._judge(verb, Placed(*item)))

    def add(self, state: int, origin: int) -> Answer:
        """Claim that an item is in the column.

        The claim is right if some operation on the items that are there makes it.

        Parameters
        ----------
        state : int
            The item's state.
        origin : int
            The column in which the item's match began.

        Returns
        -------
        Answer
            Whether the claim is right, and why.
        """
        return self._note(self._judge_item(Placed(self.column, state, origin)))

    def undo(self) -> bool:
        """Take the last right step back.

        Returns
        -------
        bool
            False if there is no step to take back.
        """
        if not self._steps:
            return False
        gone = self._steps.pop()
        self.found = [item for item in self.found if item not in gone]
        return True

    def hint(self) -> str:
        """Name the next operation and its item.

        Returns
        -------
        str
            A sentence. It counts as a hint in `score`.
        """
        step = self._next()
        if step is None:
            return WORDS["nothing_missing"]
        self.n_hints += 1
        return self._words.hint(*step)

    def reveal(self) -> list[Placed]:
        """Add the missing items.

        Returns
        -------
        list of Placed
            The items that were missing. They count in `score`.
        """
        rest = tuple(item for item in self._all if item not in self.found)
        self.n_revealed += len(rest)
        self.found += rest
        if rest:
            self._steps.append(rest)
        return list(rest)

    def _note(self, answer: Answer) -> Answer:
        self.log.append(answer)
        if answer.added:
            self.found += answer.added
            self._steps.append(answer.added)
        return answer

    def __repr__(self) -> str:
        lines = [self._words.headline(self._byte, len(self.found), len(self._all))]
        lines += [f"  {self._words.item(item)}" for item in self.found]
        if self.log:
            lines.append(f"{'right' if self.log[-1].is_right else 'wrong'}: {self.log[-1].reason}")
        return "\n".join([*lines, ", ".join(f"{n} {name}" for name, n in self.score.items())])

    # ---- Judging -------------------------------------------------------------------------------------------------

    def _judge(self, verb: Verb, item: Placed) -> Answer:
        wrong = self._misplaced(verb, item) or {"scan": self._no_scan, "predict": self._no_predict}.get(
            verb, self._no_complete
        )(item)
        if wrong is not None:
            return wrong
        made = self._made(verb, item)
        allowed = [new for new in made if new in self._all]
        if not allowed:
            return self._wrong("bounds", self._words.bounds(verb, item))
        added = tuple(new for new in dict.fromkeys(allowed) if new not in self.found)
        if not added:
            return self._wrong("already", self._words.already(allowed))
        return Answer(True, "right", self._words.right(verb, item, added), added)

    def _made(self, verb: Verb, item: Placed) -> list[Placed]:
        """All that the operation makes, wherever it is possible at all."""
        if verb == "scan":
            to = [edge["to"] for edge in self._edges[item.state] if self._reads(edge, item.column)]
            return [Placed(self.column, state, item.origin) for state in to]
        if verb == "predict":
            return [Placed(self.column, self._rules[rule]["start"], self.column) for rule in self._called(item.state)]
        if not self._states[item.state]["accepting"]:
            return []
        return [Placed(self.column, to, waiting.origin) for waiting, to in self._waiting(item)]

    def _reads(self, edge: dict[str, Any], column: int) -> bool:
        if edge["kind"] == "token":
            return column in self._token_begins
        is_next = column == self.column - 1 and edge["kind"] == "bytes"
        return is_next and any(lo <= self._byte <= hi for lo, hi in edge["ranges"])

    def _called(self, state: int) -> list[int]:
        return [edge["rule"] for edge in self._edges[state] if edge["kind"] == "rule"]

    def _waiting(self, item: Placed) -> list[tuple[Placed, int]]:
        """Who waits, where the item began, for its rule; and the state each goes on in."""
        rule = self._states[item.state]["rule"]
        return [
            (waiting, edge["to"])
            for waiting in self.items(item.origin)
            for edge in self._edges[waiting.state]
            if edge["kind"] == "rule" and edge["rule"] == rule
        ]

    def _misplaced(self, verb: Verb, item: Placed) -> Answer | None:
        known = 0 <= item.column <= self.column and item in self.items(item.column)
        if not known:
            return self._wrong("no_item", self._words.no_item(item))
        if verb == "scan":
            if self.column == 0:
                return self._wrong("no_byte", WORDS["no_byte"])
            is_before = item.column == self.column - 1
            if is_before or (item.column in self._token_begins and self._has(item.state, "token")):
                return None
        elif item.column == self.column:
            return None
        return self._wrong("other_column", self._words.other_column(verb, item))

    def _has(self, state: int, kind: str) -> bool:
        return any(edge["kind"] == kind for edge in self._edges[state])

    def _no_scan(self, item: Placed) -> Answer | None:
        if self._made("scan", item):
            return None
        if self._has(item.state, "bytes"):
            return self._wrong("wrong_byte", self._words.wrong_byte(self._byte or 0, item))
        kind = "before_rule" if self._has(item.state, "rule") else "at_end"
        return self._wrong(kind, self._words.cannot(kind, "scan", item))

    def _no_predict(self, item: Placed) -> Answer | None:
        if self._has(item.state, "rule"):
            return None
        kind = "before_byte" if self._edges[item.state] else "at_end"
        return self._wrong(kind, self._words.cannot(kind, "predict", item))

    def _no_complete(self, item: Placed) -> Answer | None:
        if not self._states[item.state]["accepting"]:
            return self._wrong("not_complete", self._words.not_complete(item))
        return None if self._waiting(item) else self._wrong("nobody_waits", self._words.nobody_waits(item))

    def _judge_item(self, item: Placed) -> Answer:
        if item in self.found:
            return self._wrong("already", self._words.already([item]))
        if item in self._all:
            makers = [step for step in self._steps_now() if item in self._made(*step)]
            if not makers:
                return self._wrong("too_early", self._words.too_early(item))
            return Answer(True, "right", self._words.right(*makers[0], (item,)), (item,))
        return self._wrong(*self._words.not_here(item, self._byte, self._columns[-2] if self.column else []))

    def _steps_now(self) -> list[tuple[Verb, Placed]]:
        """Every operation on every item, in the order of a textbook: scan, then predict and complete."""
        begins = sorted({self.column - 1, *self._token_begins}) if self.column else []
        scans: list[tuple[Verb, Placed]] = [("scan", item) for column in begins for item in self._columns[column]]
        return scans + [(verb, item) for item in self.found for verb in VERBS[1:]]

    def _next(self) -> tuple[Verb, Placed] | None:
        """The first operation that makes something new."""
        missing = {item for item in self._all if item not in self.found}
        return next((step for step in self._steps_now() if missing.intersection(self._made(*step))), None)

    def _wrong(self, kind: str, reason: str) -> Answer:
        return Answer(False, kind, reason)
