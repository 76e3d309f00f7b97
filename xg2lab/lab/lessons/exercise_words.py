"""What is said of a step in an exercise: each kind of mistake with its reason, and where our columns are no textbook's.

>>> byte_name(0x7B), byte_name(0x0A)
('7B `{`', '0A')

The kinds of mistakes:

| kind | the step |
|---|---|
| `no_item`, `other_column`, `no_byte` | takes an item that is not there, or not where this operation takes its items |
| `wrong_byte`, `before_rule`, `before_byte`, `at_end` | does not fit what stands after the dot |
| `not_complete`, `nobody_waits` | completes what has not ended, or what nobody waits for |
| `bounds` | a repetition, or members in any order, forbid it here |
| `already` | adds nothing new |
| `too_early` | names an item that nothing makes yet |
| `not_predicted`, `origin`, `not_here` | names an item that the column does not have |

Mirror: widgets/src/views/chart_view/exercise/words.ts, word by word; a browser test compares the two. Between backticks
stands what the page writes like code.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

__all__ = ["WORDS", "Words", "byte_name"]

WORDS = {
    "no_byte": "no byte leads into column 0: it begins with the start of the whole, and predict goes on from there",
    "nothing_missing": "nothing is missing: the column has exactly the engine's items",
}
MOST_LISTED = 3


def byte_name(byte: int) -> str:
    """A byte in hexadecimal, and as the character it is in ASCII."""
    return f"{byte:02X} `{chr(byte)}`" if 0x20 < byte < 0x7F else f"{byte:02X}"


class Words:
    """The sentences about one column of a program's chart. Items are (column, state, origin)."""

    def __init__(self, program: dict[str, Any], column: int) -> None:
        self.column = column
        self._states, self._rules = program["states"], program["rules"]
        self._root: int = program.get("root", 0)
        self._edges: dict[int, list[dict[str, Any]]] = defaultdict(list)
        for edge in program["edges"]:
            self._edges[edge["from"]].append(edge)

    # ---- Names ---------------------------------------------------------------------------------------------------

    def rule(self, state: int) -> str:
        """The name of a state's rule."""
        return str(self._rules[self._states[state]["rule"]]["name"])

    def item(self, item: tuple[int, int, int]) -> str:
        """An item as the chart writes it."""
        _, state, origin = item
        s = self._states[state]
        dotted = " ".join(part for part in (s["before"], "•", s["after"]) if part)
        return f"{self.rule(state)} → {dotted}  from {origin}"

    def after(self, state: int, kind: str | None = None) -> str:
        """What stands after the dot: the labels of the edges, of one kind if one is said."""
        labels = [edge["label"] for edge in self._edges[state] if kind in (None, edge["kind"])]
        return _listed([f"`{label}`" for label in dict.fromkeys(labels)], "or")

    def headline(self, byte: int | None, n: int, n_all: int) -> str:
        """Which column, and how much of it is there."""
        after = "before any byte" if byte is None else f"after byte {byte_name(byte)}"
        return f"column {self.column}, {after}: {n} of {n_all} items"

    # ---- Right ---------------------------------------------------------------------------------------------------

    def right(self, verb: str, item: tuple[int, int, int], added: Sequence[tuple[int, int, int]]) -> str:
        """What a right step did."""
        made = _listed([f"`{self.item(new)}`" for new in added], "and")
        if verb == "scan":
            return f"scan: the byte is one that `{self.rule(item[1])}` expects; into the column comes {made}"
        if verb == "predict":
            return f"predict: a match may begin here; into the column comes {made}"
        if item[2] == self.column:
            return f"complete: `{self.rule(item[1])}` has matched nothing, so its place is stepped over: {made}"
        return f"complete: `{self.rule(item[1])}` has ended; who waited for it in column {item[2]} goes on: {made}"

    def hint(self, verb: str, item: tuple[int, int, int]) -> str:
        """What to do next."""
        return f"{verb} `{self.item(item)}` of column {item[0]}"

    # ---- Wrong ---------------------------------------------------------------------------------------------------

    def no_item(self, item: tuple[int, int, int]) -> str:
        """It takes an item that is not there."""
        yet = " yet" if item[0] == self.column else ""
        return f"there is no such item in column {item[0]}{yet}"

    def other_column(self, verb: str, item: tuple[int, int, int]) -> str:
        """It takes an item of the wrong column."""
        if verb == "scan":
            return (
                f"scan reads the byte between columns {self.column - 1} and {self.column}: "
                f"it takes an item of column {self.column - 1}, not of column {item[0]}"
            )
        return f"{verb} stays within a column: it takes an item of column {self.column}, not of column {item[0]}"

    def wrong_byte(self, byte: int, item: tuple[int, int, int]) -> str:
        """The byte is another one."""
        return f"scan needs byte {byte_name(byte)}; this item expects {self.after(item[1], 'bytes')}"

    def cannot(self, kind: str, verb: str, item: tuple[int, int, int]) -> str:
        """What stands after the dot is of another kind."""
        if kind == "at_end":
            rest = "reads" if verb == "scan" else "enters"
            return f"nothing stands after the dot, so {verb} {rest} nothing: what has ended is completed"
        if kind == "before_rule":
            return f"the dot stands before {self.after(item[1], 'rule')}, a rule and no byte: predict enters it"
        return f"the dot stands before {self.after(item[1])}, which is no rule: scan reads it, into the next column"

    def not_complete(self, item: tuple[int, int, int]) -> str:
        """It has not ended."""
        return f"`{self.rule(item[1])}` has not ended: {self.after(item[1])} must come first"

    def nobody_waits(self, item: tuple[int, int, int]) -> str:
        """Nobody wants what has ended."""
        name = self.rule(item[1])
        none = f"complete of `{name}` needs an item of column {item[2]} that waits for `{name}`; there is none"
        is_whole = item[2] == 0 and self._states[item[1]]["rule"] == self._root
        return f"{none}: `{name}` is the whole, and the output may end here" if is_whole else none

    def bounds(self, verb: str, item: tuple[int, int, int]) -> str:
        """A repetition, or members in any order, have had too few or too many."""
        enough = "may not end yet, or who waits for it has had enough" if verb == "complete" else "has had enough"
        return (
            f"`{self.rule(item[1])}` {enough}: an item of a repetition, or of members in any order, "
            "carries what it has matched"
        )

    def already(self, items: Sequence[tuple[int, int, int]]) -> str:
        """Nothing new."""
        return f"already in the column: {_listed([f'`{self.item(item)}`' for item in items], 'and')}"

    def too_early(self, item: tuple[int, int, int]) -> str:
        """It belongs there, and nothing that is there makes it."""
        return f"`{self.item(item)}` belongs here, but nothing that is there yet makes it: find first what does"

    def not_here(
        self, item: tuple[int, int, int], byte: int | None, before: Sequence[tuple[int, int, int]]
    ) -> tuple[str, str]:
        """Kind and reason: the column does not have the item that was named."""
        _, state, origin = item
        if not 0 <= state < len(self._states) or not 0 <= origin <= self.column:
            return (
                "origin",
                f"an item of column {self.column} begins at a column from 0 to {self.column}, in a state there is",
            )
        name = self.rule(state)
        start = self._rules[self._states[state]["rule"]]["start"]
        if origin == self.column and state == start:
            return (
                "not_predicted",
                f"no item of column {self.column} has its dot before `{name}`, so nothing predicts it",
            )
        into = {edge["from"] for edges in self._edges.values() for edge in edges if edge["to"] == state}
        for other in before:
            if other[2] == origin and other[1] in into and byte is not None and self.after(other[1], "bytes"):
                return "wrong_byte", f"`{self.item(other)}` would lead there, but {self.wrong_byte(byte, other)}"
        return "not_here", (
            f"no operation makes it: no byte leads `{name}` of column {origin} into that state here, and no rule "
            "that it waits for ends here"
        )

    # ---- No textbook ---------------------------------------------------------------------------------------------

    def differences(self, items: Sequence[tuple[int, int, int]], before: Sequence[tuple[int, int, int]]) -> list[str]:
        """What differs from a textbook's column, as far as it matters for these items."""
        rules = {
            self._states[item[1]]["rule"]: self._rules[self._states[item[1]]["rule"]] for item in [*before, *items]
        }
        several = next((i for i in items if len({edge["label"] for edge in self._edges[i[1]]}) > 1), None)
        empty = next((r["name"] for r in rules.values() if r["nullable"]), None)
        repeat = next((r["name"] for r in rules.values() if r.get("repeat") or r.get("any_order")), None)
        token = next((e["label"] for i in before for e in self._edges[i[1]] if e["kind"] == "token"), None)
        out = []
        if several is not None:
            out.append(
                "an item is a state of the rule's machine, so one item may stand for several dotted rules: "
                f"`{self.item(several)}`"
            )
        if empty is not None:
            out.append(
                f"`{empty}` may match nothing: the engine steps over it as it predicts it and never completes within a "
                "column; here you complete it, as a textbook does"
            )
        if repeat is not None:
            out.append(f"`{repeat}` counts what it has matched beside its state; the chart does not show the count")
        if token is not None:
            out.append(f"`{token}` takes a whole token: it is scanned from the column in which the token begins")
        out.append(
            "no item is left out by looking at the next byte, as a parser with look-ahead would: what the column has "
            "depends on the bytes before it alone"
        )
        return out


def _listed(parts: Sequence[str], word: str) -> str:
    """`a`, `b` and `c`; of many the first few and how many more.

    >>> _listed(["a", "b", "c", "d", "e"], "or"), _listed(["a"], "or")
    ('a, b, c or 2 more', 'a')
    """
    shown = list(parts[:MOST_LISTED]) + ([f"{len(parts) - MOST_LISTED} more"] if len(parts) > MOST_LISTED else [])
    return f"{', '.join(shown[:-1])} {word} {shown[-1]}" if len(shown) > 1 else "".join(shown)
