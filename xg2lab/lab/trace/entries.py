r"""The mask entries that a run has used so far: the maker of each, and its operators in the tree.

>>> import xg2lab as xgr
>>> from xg2lab.lab import Session
>>> info = xgr.TokenizerInfo([b"a", b"b", b"<", b"</s>"], stop_token_ids=[3])
>>> session = Session('root ::= "<" $x [ab]', info, arguments={"x": "a"})
>>> session.record_operators()
>>> taken = session.force("<aa")
>>> for number, found in sorted(entries_of_operators(session.trace, 3).items()):
...     print(session.trace.operators["rows"][number][5], [entry.maker for entry in found])
Write "<" ['own']
Write "a" ['own']
Wait allows=[a-b] ['template']

IDEA
  An entry is of a state of a rule, an operator is a place in the expanded tree: the same text at each call of a rule.
  So an operator has the entries of all states that read its text; in an instance of a template, of those that were
  made from its own argument or from none.

Shapes and units: entries are those of a trace's steps, with their figures as of the newest step that used them;
microseconds. See also `xg2lab.widgets.views.cache_view`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xg2lab.lab import schema
    from xg2lab.lab.trace.trace import Trace

__all__ = [
    "UsedEntry",
    "entries_of_operators",
    "is_instance",
    "maker_of",
    "operator_rows",
    "own_grammar",
    "readers",
    "used_entries",
]

_KIND, _BEGIN, _END, _ARGUMENT = 0, 3, 4, 9  # of an operator's row (xg2lab/lab/trace/operators.py)


@dataclass(frozen=True)
class UsedEntry:
    """The mask entry of a state, or of a state and counts (in words).

    `maker` is "own" (this grammar built it), "template" (an instance found it ready there) or "pool" (taken over from
    another grammar of the tokenizer). `hits`: how often it was used again; `us`: how long making it took.
    """

    state: int
    counts: str | None
    maker: schema.Maker
    hits: int
    us: float


def is_instance(trace: Trace) -> bool:
    """Whether the grammar is an instance that was linked from a template: all it takes over is the template's.

    A trace without the template tells of it by an entry that depends on arguments.
    """
    template, steps = trace.header.get("template"), trace.steps
    if template is not None:
        return not template["obstacles"]
    return any(entry.get("unshared") == "arguments" for step in steps for entry in step.entries)


def maker_of(entry: schema.MaskEntry, own: int | None, of_template: bool) -> schema.Maker:
    """The maker of an entry; `own` is this grammar's id, `of_template` whether it is a linked instance."""
    if entry.get("cache") in (None, "miss"):
        return "own"
    if of_template:
        return "template"
    return "own" if entry.get("donor") == own else "pool"


def used_entries(trace: Trace, step: int) -> list[UsedEntry]:
    """The entries that the steps up to `step` used, by state."""
    newest: dict[tuple[int, str], schema.MaskEntry] = {}
    for one in trace.steps[: step + 1]:
        for entry in one.entries:
            newest[entry["state"], entry.get("counts") or ""] = entry
    own, of_template = own_grammar(trace), is_instance(trace)
    return [
        UsedEntry(state, counts or None, maker_of(entry, own, of_template), entry["hits"], entry["build_us"])
        for (state, counts), entry in sorted(newest.items())
    ]


def own_grammar(trace: Trace) -> int | None:
    """The id of the grammar itself, known from an entry that it built itself; None while there is none."""
    built = (entry for step in trace.steps for entry in step.entries if entry.get("cache") == "miss")
    return next((entry["donor"] for entry in built if "donor" in entry), None)


def operator_rows(trace: Trace) -> list[schema.OperatorRow]:
    """The rows of the recorded tree of operators; none where it was not recorded, or the grammar has no tree."""
    tree = trace.operators
    return tree["rows"] if tree is not None and "rows" in tree else []


def readers(trace: Trace) -> dict[tuple[int, int], list[int]]:
    """The states that read each text of a Write or a Wait, by the text's begin and end in the grammar."""
    rows = operator_rows(trace)
    texts = sorted({(row[_BEGIN], row[_END]) for row in rows if row[_KIND] in ("Write", "Wait")})
    begins, ends = [begin for begin, _ in texts], [end for _, end in texts]  # the texts lie one behind the other
    found: dict[tuple[int, int], list[int]] = {}
    for number, state in enumerate(trace.program["states"]):
        spans = state.get("spans", ())
        read = {text for b, e in spans for text in texts[bisect_right(ends, b) : bisect_left(begins, e)]}
        for text in read:
            found.setdefault(text, []).append(number)
    return found


def entries_of_operators(trace: Trace, step: int) -> dict[int, list[UsedEntry]]:
    """The entries of each operator that reads something, by its number; those without one are left out."""
    rows, states = operator_rows(trace), trace.program["states"]
    used: dict[int, list[UsedEntry]] = {}
    for entry in used_entries(trace, step):
        used.setdefault(entry.state, []).append(entry)
    reading, found = readers(trace), dict[int, list[UsedEntry]]()
    for number, row in enumerate(rows):
        if row[_KIND] not in ("Write", "Wait"):
            continue
        of_text = [state for state in reading.get((row[_BEGIN], row[_END]), ()) if state in used]
        own = [state for state in of_text if states[state].get("argument") in (None, row[_ARGUMENT])]
        if own:
            found[number] = [entry for state in own for entry in used[state]]
    return found
