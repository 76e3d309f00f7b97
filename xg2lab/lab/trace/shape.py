"""The shape of a trace on the wire, but for its steps: header, program, chart.

>>> from xg2lab.errors import DeserializeFormatError
>>> try:
...     check_program({"rules": [], "states": [{"id": 0, "rule": 3}], "edges": []}, "/program")
... except DeserializeFormatError as error:
...     print(error.message)
/program/states/0/rule should be an integer of 0 or more and below 0 and is the number 3

See also `xg2lab.lab.trace.steps` for the steps and `docs/design/0002-trace.md` for what each field means.
"""

from __future__ import annotations

from typing import Any

from xg2lab.lab.trace.lanes import check_lane
from xg2lab.lab.trace.operators import check_operators
from xg2lab.lab.trace.wire import boolean, fail, integer, listing, mapping, number, one_of, optional, record, text

__all__ = ["WIRE", "check_program", "check_ways"]


def _anything(value: Any, _pointer: str) -> Any:
    return value


def _bulk(value: Any, pointer: str) -> dict[str, Any]:
    entries = mapping(_anything)(value, pointer)
    for key in entries:
        integer(0)(int(key) if key.isascii() and key.isdigit() else key, f"{pointer}/{key}")
    return entries


def _wire(value: Any, pointer: str) -> dict[str, Any]:
    wire = _FRAME(value, pointer)
    if "operators" in wire:
        wire["operators"] = check_operators(wire["operators"], f"{pointer}/operators")
    if "bulk" in wire:
        wire["bulk"] = _bulk(wire["bulk"], f"{pointer}/bulk")
    return wire


def _compile_pass(value: Any, pointer: str) -> list[Any]:
    """A pass of the compiler: its name, its microseconds and, but for older traces, what it changed."""
    has_facts = isinstance(value, list) and len(value) > 2
    name, us, *facts = listing(_anything, 3 if has_facts else 2)(value, pointer)
    out = [text()(name, f"{pointer}/0"), number()(us, f"{pointer}/1")]
    return [*out, _pass_facts(facts[0], f"{pointer}/2")] if has_facts else out


def _pass_facts(value: Any, pointer: str) -> dict[str, Any]:
    given = _PASS_FACTS(_NO_FACTS | value if isinstance(value, dict) else value, pointer)
    return {name: given[name] for name in _NO_FACTS if given[name] is not None}


_before_after = optional(listing(integer(0), 2))
_PASS_FACTS = record(
    {
        "inside": optional(text()),
        "rules": _before_after,
        "exprs": _before_after,
        "states": _before_after,
        "machines": optional(integer(0)),
    }
)
_NO_FACTS: dict[str, Any] = dict.fromkeys(("inside", "rules", "exprs", "states", "machines"))


_TEMPLATE_FIELDS = record(
    {
        "kind": one_of("ebnf", "json_schema"),
        "text": text(),
        "root": text(),
        "options": mapping(_anything),
        "arguments": mapping(_anything),
        "slots": listing(listing(text(), 3)),
        "obstacles": listing(text()),
        "n_states": integer(0),
        "compile_us": number(),
        "masks_us": optional(number()),
        "instantiate_us": number(),
        "request_passes": optional(listing(_compile_pass)),
    }
)


def _template(value: Any, pointer: str) -> dict[str, Any]:
    since_added: dict[str, Any] = {"request_passes": None}  # absent in older traces
    return _TEMPLATE_FIELDS(since_added | value if isinstance(value, dict) else value, pointer)


_HEADER_FIELDS = record(
    {
        "name": text(),
        "model": optional(record({"name": text()})),
        "vocab_size": integer(0),
        "grammar": record({"text": text(), "root": text()}),
        "options": mapping(_anything),
        "sampling": record({"temperature": number(), "top_k": integer(0), "top_p": number(), "seed": integer(0)}),
        "constrained": boolean(),
        "compile_us": optional(number()),
        "prompt": text(),
        "overlap": optional(boolean()),
        "compile_lane": optional(check_lane),
        "compile_passes": optional(listing(_compile_pass)),
        "template": optional(_template),
    }
)
_SINCE_ADDED: dict[str, Any] = dict.fromkeys(
    ("overlap", "compile_lane", "compile_passes", "template")
)  # absent in older traces


def _header(value: Any, pointer: str) -> dict[str, Any]:
    return _HEADER_FIELDS(_SINCE_ADDED | value if isinstance(value, dict) else value, pointer)


_COLUMNS = record({"columns": listing(listing(listing(integer(-1), 7)))})
_WAYS = record({"ways": listing(listing(integer(-1)))})  # absent where no item has several, and in older traces


def _chart(value: Any, pointer: str) -> dict[str, Any]:
    chart = _COLUMNS(value, pointer)
    return _WAYS(chart, pointer) if "ways" in chart else chart


_FRAME = record(
    {
        "header": _header,
        "program": mapping(_anything),
        "steps": listing(_anything),
        "branches": listing(_anything),
        "chart": _chart,
        "notes": listing(text()),
        "broke": optional(record({"step": integer(0), "byte": integer(0), "reason": text()})),
    }
)

#: The check of a whole trace; steps, branches and bulk are checked by their own classes.
WIRE = _wire


def check_program(program: dict[str, Any], pointer: str) -> None:
    """Ids and references of the program: every view indexes by them."""
    for name in ("rules", "states", "edges"):
        record({name: listing(mapping(_anything))})(program, pointer)
    n_rules, n_states = len(program["rules"]), len(program["states"])
    if n_rules:
        record({"root": integer(0, n_rules)})(program, pointer)
    rule = record({"id": integer(0, n_rules), "name": text()})
    state = record({"id": integer(0, n_states), "rule": integer(0, n_rules)})
    edge = record(
        {
            "from": integer(0, n_states),
            "to": integer(0, n_states),
            "kind": one_of("bytes", "rule", "token"),
            "rule": optional(integer(0, n_rules)),
        }
    )
    for name, check in (("rules", rule), ("states", state), ("edges", edge)):
        listing(check)(program[name], f"{pointer}/{name}")


def check_ways(columns: list[list[list[int]]], ways: list[list[int]]) -> None:
    """Ways are of items that there are, and come from items that there are, each item once and in order."""
    before = (-1, -1)
    for i, row in enumerate(ways):
        pointer = f"/chart/ways/{i}"
        if len(row) < 8 or len(row) % 5 != 3:
            fail(pointer, "3 numbers and 5 for each way", len(row))
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
