r"""The tree of operators of a session's grammar, and where each step stands in it, as a trace keeps them.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"<", b">", b"</s>"], stop_token_ids=[3])
>>> compiled = xgr.GrammarCompiler(info).compile_grammar('root ::= "<" ("a" | "<<"){1,2} ">"')
>>> matcher = xgr.GrammarMatcher(compiled)
>>> matcher.accept_string("<a<")
True
>>> tree, active = tree_to_wire(compiled), active_to_wire(matcher)
>>> print("\n".join(operator_lines(tree, active)))
7 operators, deterministic, at most 3 active at once
   0  Sequence
   1    Write "<"
   2    DoWhile min=1, max=2  [2 of 1–2]
   3      IfElse  [branch 2 of 2]
   4        Write "a"
*  5        Write "<<"  [1 of 2 bytes]
   6    Write ">"

IDEA
  The tree belongs to the grammar, so a trace holds it once, as rows; a step holds the numbers of the operators that
  are active before its token. A tree is made only when somebody wants to see it (`Session.record_operators`). Where
  there is none, the trace holds the reason in the tree's place.

Shapes and units: a tree is `{"n", "is_deterministic", "most_active", "rules", "rows"}`, each row `[kind, parent, rule,
begin, end, label, least, most, slot, argument, data, n_bytes]`: the rule's number in `rules`, the parent -1 at the
root, the span in bytes of the grammar's text, and of a Write the first of its bytes, in hexadecimal, with their number.
A refusal is `{"refused", "hint", "spans"}`. Active operators are `{"n", "at"}`, each of `at` `{"operator",
"n_written", "counts": [[loop, low, high], ...], "watched"}`; `n` counts those that are not listed too. What is active
within a Wait for a shortest match follows the Wait.
See also `xg2lab.compiling.operators`, `docs/design/0041-operators.md`, `docs/design/0002-trace.md`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from xg2lab.compiling.operators import ActiveOperator, Operator, OperatorTree, shortened, written_bytes
from xg2lab.errors import LimitError, UnsupportedError, Xg2LabError
from xg2lab.lab.trace.arguments import argument_text
from xg2lab.lab.trace.entries import UsedEntry
from xg2lab.lab.trace.table import time_text

if TYPE_CHECKING:
    from xg2lab.compiler import CompiledGrammar
    from xg2lab.lab import schema
    from xg2lab.matcher import GrammarMatcher
    from xg2lab.support.json_text import Json

__all__ = [
    "Branches",
    "active_to_wire",
    "branches_of",
    "filled_in",
    "headline",
    "operator_lines",
    "said_beside",
    "tree_to_wire",
]

#: What is recorded: operators of a tree, active ones of a step, bytes of a Write.
MOST_OPERATORS, MOST_ACTIVE, MOST_BYTES = 20_000, 64, 120
_MOST_LINES, _BEFORE = 60, 12


def tree_to_wire(compiled: CompiledGrammar) -> schema.Operators:
    """The tree of a compiled grammar as values of JSON; of a grammar that has none, why, and what to do."""
    try:
        tree: OperatorTree = compiled.operators(MOST_OPERATORS)
    except (UnsupportedError, LimitError) as error:
        found = list(getattr(error, "diagnostics", None) or [])
        return {
            "refused": found[0].message if found else str(error.message),
            "hint": (found[0].hint if found else None) or error.hint or "",
            "spans": [list(each.span) for each in found if each.span is not None],
        }
    is_deterministic = most_active = None
    with contextlib.suppress(LimitError):  # both stay unknown
        is_deterministic, most_active = tree.is_deterministic, tree.most_active
    rules: dict[str, int] = {}
    data = written_bytes(tree)
    return {
        "n": len(tree),
        "is_deterministic": is_deterministic,
        "most_active": most_active,
        "rows": [_row(each, rules, data[each.number]) for each in tree.operators],
        "rules": list(rules),
    }


def _row(each: Operator, rules: dict[str, int], data: bytes | None) -> schema.OperatorRow:
    rule = rules.setdefault(each.rule, len(rules))
    parent = -1 if each.parent is None else each.parent
    written = (None, None) if data is None else (data[:MOST_BYTES].hex(), len(data))
    label = shortened(each.label)
    return [each.kind, parent, rule, *each.span, label, each.least, each.most, each.slot, each.argument, *written]


def active_to_wire(matcher: GrammarMatcher) -> schema.ActiveOperators | None:
    """The active operators of a matcher; None where the limits of the work on one step were passed."""
    try:
        found = list(_flat(matcher.active_operators()))
    except Xg2LabError:
        return None
    return {"n": len(found), "at": [_active(each) for each in found[:MOST_ACTIVE]]}


def _flat(active: Iterable[ActiveOperator]) -> Iterator[ActiveOperator]:
    for each in active:
        yield each
        yield from _flat(each.within)


def _active(each: ActiveOperator) -> schema.ActiveOperator:
    return {
        "operator": each.operator.number,
        "n_written": each.n_written,
        "counts": [list(count) for count in each.counts],
        "watched": each.watched.hex(),
    }


# ---- In words ----


def headline(tree: schema.WireOperators) -> str:
    """How large a tree is, and how many of its operators a text can make active.

    >>> headline({"n": 1, "is_deterministic": None, "most_active": None})
    '1 operator, deterministic: unknown, most active at once: unknown'
    """
    n, most = tree["n"], tree["most_active"]
    known = {True: "deterministic", False: "not deterministic", None: "deterministic: unknown"}
    active = "most active at once: unknown" if most is None else f"at most {most:,} active at once"
    return f"{n:,} operator{'s' * (n != 1)}, {known[tree['is_deterministic']]}, {active}"


def operator_lines(
    tree: schema.Operators | None,
    active: schema.ActiveOperators | None,
    arguments: dict[str, Json] | None = None,
    entries: dict[int, list[UsedEntry]] | None = None,
) -> list[str]:
    """The tree in words, the lines round the first active operator; or why there is none.

    `arguments` are those of a template, as a trace has them; `entries` those of `xg2lab.lab.trace.entries`.
    """
    if tree is None:
        return ["the operators were not recorded", "session.record_operators() records them"]
    if "refused" in tree:
        return [tree["refused"], tree["hint"]]
    rows, at = tree["rows"], active["at"] if active else []
    marked = {each["operator"] for each in at}
    said = said_beside(rows, branches_of(rows), at)
    first = max(0, min(marked, default=0) - _BEFORE) if len(rows) > _MOST_LINES else 0
    depths: list[int] = []
    for row in rows:
        depths.append(0 if row[1] < 0 else depths[row[1]] + 1)
    out = [headline(tree)]
    if first:
        out.append(f"… {first:,} before")
    width = len(str(len(rows) - 1))
    for number in range(first, min(len(rows), first + _MOST_LINES)):
        row = rows[number]
        words = [f"[{said[number]}]"] if number in said else []
        words += [_slot_words(row, arguments)] if row[8] is not None else []
        words += [_entry_words(entries[number])] if entries and number in entries else []
        mark = "*" if number in marked else " "
        out.append("  ".join([f"{mark}  {number:{width}}  {'  ' * depths[number]}{row[5]}", *words]))
    n_after = len(rows) - first - _MOST_LINES
    if n_after > 0:
        out.append(f"… {n_after:,} more")
    if active is None:
        out.append("the active operators of this step were not recorded")
    elif active["n"] > len(at):
        out.append(f"{active['n'] - len(at):,} more active operators were counted and not listed")
    return out


def _slot_words(row: schema.OperatorRow, arguments: dict[str, Json] | None) -> str:
    """A slot, where its argument is, and what that is if it is known."""
    slot, pointer = row[8], row[9]
    value = "" if arguments is None or pointer is None else argument_text(arguments, pointer)
    return f"${slot} {pointer}" + (f" = {value}" if value else "")


def filled_in(rows: list[schema.OperatorRow], arguments: Json) -> dict[str, str]:
    """The argument in words of each operator that fills a slot, by the operator's number."""
    known = {str(number): argument_text(arguments, row[9]) for number, row in enumerate(rows) if row[9] is not None}
    return {number: text for number, text in known.items() if text}


def _entry_words(entries: list[UsedEntry]) -> str:
    """The mask entries of an operator: how many, who made them, how often they were used again, what they took.

    >>> _entry_words([UsedEntry(3, None, "template", 2, 4.0), UsedEntry(4, None, "own", 0, 1.5)])
    '(2 mask entries: own, template, 2 hits, 5.5 us)'
    """
    what = "1 mask entry" if len(entries) == 1 else f"{len(entries)} mask entries"
    makers = ", ".join(sorted({entry.maker for entry in entries}))
    hits = sum(entry.hits for entry in entries)
    return f"({what}: {makers}, {hits} hit{'s' * (hits != 1)}, {time_text(sum(entry.us for entry in entries))})"


Branches = list[tuple[int, int]]


def branches_of(rows: list[schema.OperatorRow]) -> Branches:
    """Of each operator, which part of its parent it is, from 1, and how many parts it has itself.

    >>> branches_of([["IfElse", -1], ["Write", 0], ["Write", 0]])
    [(0, 2), (1, 0), (2, 0)]
    """
    n_parts, place = [0] * len(rows), [0] * len(rows)
    for number, row in enumerate(rows):
        if row[1] >= 0:
            n_parts[row[1]] += 1
            place[number] = n_parts[row[1]]
    return list(zip(place, n_parts, strict=True))


def said_beside(
    rows: list[schema.OperatorRow], branches: Branches, at: Sequence[schema.ActiveOperator]
) -> dict[int, str]:
    """What is said beside an operator: bytes written, repetitions, branches taken of an IfElse, bytes of a tag.

    `branches` are those of `branches_of`, `at` the active operators of a step.
    """
    taken: dict[int, set[int]] = {}
    counts: dict[int, tuple[int, int]] = {}
    written: dict[int, int] = {}
    said: dict[int, str] = {}
    for each in at:
        number = each["operator"]
        if each["watched"]:
            said[number] = f"{len(each['watched']) // 2} bytes of a tag read"
        if each["n_written"]:
            written[number] = max(each["n_written"], written.get(number, 0))
        for loop, low, high in each["counts"]:
            known = counts.get(loop, (low, high))
            counts[loop] = min(low, known[0]), max(high, known[1])
        while (parent := rows[number][1]) >= 0:
            if rows[parent][0] == "IfElse":
                taken.setdefault(parent, set()).add(branches[number][0])
            number = parent
    for loop, (low, high) in counts.items():
        if words := count_words(rows[loop][6], rows[loop][7], low, high):
            said[loop] = words
    for number, some in taken.items():
        which = ", ".join(map(str, sorted(some)))
        said[number] = f"branch{'es' * (len(some) > 1)} {which} of {branches[number][1]}"
    for number, n in written.items():
        said[number] = f"{n} of {rows[number][11]} bytes"
    return said


def count_words(least: int, most: int | None, low: int, high: int) -> str:
    """Which repetition runs, of how many; empty for `*`, `+` and `?`, which don't count.

    >>> count_words(1, 2, 2, 2), count_words(3, None, 1, 2), count_words(0, 1, 1, 1)
    ('2 of 1–2', '1–2 of 3 or more', '')
    """
    if (most is None and least <= 1) or (least, most) == (0, 1):
        return ""
    running = f"{low}" if low == high else f"{low}–{high}"
    if most is None:
        return f"{running} of {least} or more"
    return f"{running} of {least}" if least == most else f"{running} of {least}–{most}"
