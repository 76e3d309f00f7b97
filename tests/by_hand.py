"""What a step in student mode is, by definition: the judge of the page's exercise.

It knows Earley's verbs and the chart, and none of the page's code. A step is "right", or the name of the mistake:

| kind | the step |
|---|---|
| `no_item`, `other_column`, `no_byte` | takes an item that is not there, or not where this verb takes its items |
| `wrong_byte`, `before_rule`, `before_byte`, `at_end` | does not fit what stands after the dot |
| `not_complete`, `nobody_waits` | completes a match that has not ended, or that no item waits for |
| `bounds` | is forbidden by the counts of a repetition, or by the members of an any-order rule |
| `already` | adds nothing new |
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

__all__ = ["VERBS", "Column", "Placed"]

VERBS = ("scan", "predict", "complete")


class Placed(NamedTuple):
    """An item and the column that it is in."""

    column: int
    state: int
    origin: int


class Column:
    """A column of a trace on the wire, as a reader of the chart knows it."""

    def __init__(self, trace: dict[str, Any], column: int) -> None:
        self.at = column
        self.rules, self.states = trace["program"]["rules"], trace["program"]["states"]
        self._edges: list[dict[str, Any]] = trace["program"]["edges"]
        columns = trace["chart"]["columns"][: column + 1]
        self.columns = [[Placed(j, row[0], row[1]) for row in rows] for j, rows in enumerate(columns)]
        rows = columns[0] if column == 0 else []
        #: the root rule's items, one for each alternative that the chart tells apart
        self.given = [item for item, row in zip(self.columns[0], rows, strict=False) if row[2] == 0]
        output = bytes.fromhex("".join(step["bytes"] for step in trace["steps"]))
        self._byte = output[column - 1] if column else None
        self._token_begins = {
            s["byte_begin"] for s in trace["steps"] if s["n_bytes"] and s["byte_begin"] + s["n_bytes"] == column
        }

    @property
    def all(self) -> list[Placed]:
        """The engine's items."""
        return self.columns[self.at]

    def _leaving(self, item: Placed, kind: str | None = None) -> list[dict[str, Any]]:
        return [e for e in self._edges if e["from"] == item.state and kind in (None, e["kind"])]

    def _waiting(self, item: Placed, found: Collection[Placed]) -> list[Placed]:
        """The items that a match's end leads to."""
        waiting = found if item.origin == self.at else self.columns[item.origin]
        rule = self.states[item.state]["rule"]
        return [
            Placed(self.at, e["to"], other.origin)
            for other in waiting
            for e in self._leaving(other, "rule")
            if e["rule"] == rule
        ]

    def made(self, verb: str, item: Placed, found: Collection[Placed]) -> list[Placed]:
        """What a verb makes of an item, wherever it can be done at all."""
        if verb == "predict":
            called = [self.rules[e["rule"]] for e in self._leaving(item, "rule")]
            starts = [start for rule in called for start in rule.get("starts", [rule["start"]])]
            return [Placed(self.at, start, self.at) for start in starts]
        if verb == "complete":
            return self._waiting(item, found) if self.states[item.state]["accepting"] else []
        read = [e for e in self._leaving(item, "token") if item.column in self._token_begins]
        if item.column == self.at - 1:
            hits = self._leaving(item, "bytes")
            read += [e for e in hits if any(lo <= (self._byte or 0) <= hi for lo, hi in e["ranges"])]
        return [Placed(self.at, e["to"], item.origin) for e in read]

    def kind(self, verb: str, item: Placed, found: Collection[Placed]) -> str:
        """What a step is, when `found` is there."""
        there = found if item.column == self.at else self.columns[item.column]
        takes_token = item.column in self._token_begins and self._leaving(item, "token")
        if item not in there:
            return "no_item"
        if verb == "scan" and self.at == 0:
            return "no_byte"
        if item.column != (self.at - 1 if verb == "scan" else self.at) and not (verb == "scan" and takes_token):
            return "other_column"
        made = self.made(verb, item, found)
        if not made:
            return self._unfit(verb, item)
        allowed = set(made) & set(self.all)
        return "bounds" if not allowed else "already" if allowed <= set(found) else "right"

    def _unfit(self, verb: str, item: Placed) -> str:
        """Why a verb makes nothing of an item."""
        if verb == "complete":
            return "nobody_waits" if self.states[item.state]["accepting"] else "not_complete"
        if verb == "predict":
            return "before_byte" if self._leaving(item) else "at_end"
        if self._leaving(item, "bytes"):
            return "wrong_byte"
        return "before_rule" if self._leaving(item, "rule") else "at_end"

    def path(self) -> list[tuple[str, Placed]]:
        """Right steps, in the order of a textbook, until the column is full."""
        found, out = set(self.given), list[tuple[str, Placed]]()
        while len(found) < len(self.all):
            items = [("scan", item) for column in self.columns[:-1] for item in column]
            items += [(verb, item) for item in self.all if item in found for verb in VERBS[1:]]
            verb, item = next(step for step in items if self.kind(*step, found) == "right")
            out.append((verb, item))
            found |= set(self.made(verb, item, found)) & set(self.all)
        return out
