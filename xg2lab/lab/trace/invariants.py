"""What the records of a trace can't say by themselves: numbers that name something, and figures that belong together.

>>> from xg2lab.errors import DeserializeFormatError
>>> try:
...     check_program({"rules": [], "states": [{"id": 0, "rule": 3}], "edges": []})
... except DeserializeFormatError as error:
...     print(error.message)
/program/states/0/rule should be below 0 and is the number 3

A record's own fields have been checked before (`xg2lab.lab.trace.reading`). Views index lists by these numbers without
looking, so each is checked here once, when a trace is read. See also `docs/design/0002-trace.md`, "Invariants".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from xg2lab.lab.trace.values import fail

if TYPE_CHECKING:
    from xg2lab.lab import schema
    from xg2lab.lab.trace.as_written import AsWritten

__all__ = [
    "check_active",
    "check_as_written",
    "check_beams",
    "check_lane",
    "check_lanes",
    "check_operators",
    "check_program",
    "check_step",
    "check_ways",
]


def check_program(program: schema.Program) -> None:
    """Check that each rule, state and edge names rules and states that there are."""
    n_rules, n_states = len(program["rules"]), len(program["states"])
    if n_rules:
        _below(program.get("root", -1), n_rules, "/program/root")
    for i, rule in enumerate(program["rules"]):
        _below(rule["id"], n_rules, f"/program/rules/{i}/id")
    for i, state in enumerate(program["states"]):
        _below(state["id"], n_states, f"/program/states/{i}/id")
        _below(state["rule"], n_rules, f"/program/states/{i}/rule")
    for i, edge in enumerate(program["edges"]):
        _below(edge["from"], n_states, f"/program/edges/{i}/from")
        _below(edge["to"], n_states, f"/program/edges/{i}/to")
        if edge["rule"] is not None:
            _below(edge["rule"], n_rules, f"/program/edges/{i}/rule")


def check_lanes(lanes: schema.StepLanes, pointer: str) -> None:
    """Check that each lane ends after it began."""
    for name in ("model", "mask", "apply", "sample"):
        check_lane(lanes[name], f"{pointer}/{name}")


def check_lane(lane: list[int] | None, pointer: str) -> None:
    """Check that an interval ends after it began."""
    if lane is not None and lane[1] < lane[0]:
        fail(f"{pointer}/1", f"at least {lane[0]}, where the lane begins", lane[1])


def check_step(step: schema.Step, pointer: str) -> None:
    """Check that a step's kind, token and bytes belong together."""
    if (step["kind"] is None) != (step["token_id"] is None):
        fail(f"{pointer}/token_id", "null in a pending step, and a token id in any other", step["token_id"])
    if step["n_bytes"] * 2 != len(step["bytes"]):
        fail(f"{pointer}/n_bytes", f'the length of "bytes" ({len(step["bytes"]) // 2})', step["n_bytes"])


def check_ways(columns: list[list[list[int]]], ways: list[list[int]]) -> None:
    """Check that ways are of items that there are, and come from items that there are, each item once and in order."""
    before = (-1, -1)
    for i, row in enumerate(ways):
        pointer = f"/chart/ways/{i}"
        if len(row) < 8 or len(row) % 5 != 3:
            fail(pointer, "3 numbers and 5 for each way", row)
        at = row[0], row[1]
        if at <= before:
            fail(pointer, f"of an item after {before[0]}, {before[1]}", row[0])
        before = at
        n_ways = (len(row) - 3) // 5
        if row[2] < n_ways:
            fail(f"{pointer}/2", f"{n_ways} or more", row[2])
        for k, (column, index) in enumerate([at, *((row[j], row[j + 1]) for j in range(4, len(row), 5))]):
            if not (0 <= column <= row[0] < len(columns) and 0 <= index < len(columns[column])):
                fail(pointer if k == 0 else f"{pointer}/{5 * k - 1}", "an item of the chart", column)
        for j in range(6, len(row), 5):
            if row[j + 1] >= 0 and not (row[j] == row[0] and row[j + 1] < len(columns[row[0]])):
                fail(f"{pointer}/{j}", "an item of the same column", row[j])


def check_as_written(written: AsWritten, n_bytes: int) -> None:
    """Check that the chart as written is not longer than the output, and that its items are of its program."""
    if written.program is not None:
        check_program(written.program)
    if len(written.columns) > n_bytes + 1:
        fail("/as_written/chart/columns", f"at most {n_bytes + 1} columns", len(written.columns))
    n_states = 0 if written.program is None else len(written.program["states"])
    for j, column in enumerate(written.columns):
        for i, (state, origin, _, source, source_index, child, child_index) in enumerate(column):
            at = f"/as_written/chart/columns/{j}/{i}"
            _below(state, n_states, f"{at}/0")
            _below(origin, j + 1, f"{at}/1")
            for k, (one, index) in ((3, (source, source_index)), (5, (child, child_index))):
                if index >= 0 and not (0 <= one <= j and index < len(written.columns[one])):
                    fail(f"{at}/{k}", "an item of the chart", one)
    check_ways(written.columns, written.ways)


def check_beams(beams: Mapping[int, schema.WireBeam]) -> None:
    """Check that each continuation comes after the one that it continues."""
    for step, beam in beams.items():
        for k, row in enumerate(beam["nodes"]):
            if not -1 <= row[0] < k:
                fail(f"/beams/{step}/nodes/{k}/0", "a continuation before this one, or -1", row[0])


def check_operators(tree: schema.Operators) -> None:
    """Check that the tree has as many rows as it says, and that parents stand before their parts."""
    if "rows" not in tree:
        return
    rows: list[list[Any]] = tree["rows"]
    if tree["n"] != len(rows):
        fail("/operators/n", f"the number of rows, {len(rows)}", tree["n"])
    for number, row in enumerate(rows):
        at = f"/operators/rows/{number}"
        if not (-1 <= row[1] < number and (row[1] == -1) == (number == 0)):
            fail(f"{at}/1", "an operator before this one, and -1 for the first alone", row[1])
        _below(row[2], len(tree["rules"]), f"{at}/2")


def check_active(tree: schema.Operators | None, active: Sequence[schema.ActiveOperators | None]) -> None:
    """Check that the active operators of each step are of the tree, and so are the repetitions round them."""
    rows: list[list[Any]] = [] if tree is None or "rows" not in tree else tree["rows"]
    for index, found in enumerate(active):
        for k, each in enumerate([] if found is None else found["at"]):
            at = f"/steps/{index}/operators/at/{k}"
            _below(each["operator"], len(rows), f"{at}/operator")
            for i, (loop, _, _) in enumerate(each["counts"]):
                _below(loop, len(rows), f"{at}/counts/{i}/0")
                if rows[loop][0] != "DoWhile":
                    fail(f"{at}/counts/{i}/0", "the number of a DoWhile", loop)


def _below(number: int, n: int, pointer: str) -> None:
    if not 0 <= number < n:
        fail(pointer, f"below {n}", number)
