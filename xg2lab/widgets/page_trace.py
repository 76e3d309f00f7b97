"""The trace as a page is told it: what was recorded, and beside it what Python alone works out of that.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> session = xgr.Session('root ::= "a"', info)
>>> why = told_explanation(session.trace.program, session.explain(1))
>>> why["missing"], [(item["rule_name"], item["origin"]) for item in why["expected_by"]]
([[0, 0, '61']], [('root', 0)])

IDEA
  A page draws, and has no algorithm of its own but student mode (docs/design/0046-one-owner.md). What a view shows
  besides the record travels as facts: with each push, within the answer to a request, and in the replay of a saved
  notebook or an exported page. A trace that is saved to a file holds none of them, since Python works them out again.

  An explanation    its expecting items once each, with the slots that they read; `missing`, the edges a byte lacked;
                    within its walk, `inner`, the place of the innermost item
  A step            `inner`, the place of its innermost live item; `lost`, the blocked mass by rule as far as it was
                    recorded; `written`, the operator that took its first byte; `root`, where the derivation tree of
                    the text before it begins; of each entry its `maker`
  The chart         `ways_read`, what an item's other ways read; `stepped_over`, the rules that matched nothing
                    within its `operators`, `said`, the words beside some
  The trace         `linked`, whether the grammar is an instance that was linked from a template; `tags`, the literals
                    that each trigger of a dispatch leaves open (xg2lab/lab/trace/tags.py); within `operators`,
                    `readers`, the states that read each text of the tree, `filled`, the arguments of operators that
                    fill a slot, and the tree's `headline`
                    within `as_written`, the facts of its own chart; of a step `root_as_written`
  Figures           of the whole trace: `figures`. They are sent to a page that shows some, and kept in a replay
  A replay          `forests`, the derivations of ambiguous texts (xg2lab/lab/trace/forest.py);
                    the text of an issue for each recorded explanation: `issue`, numbers of lines in `issue_lines`

COST    A step: its own facts. Figures: a pass over all steps.

See also `docs/design/0002-trace.md`, what is recorded; `widgets/src/wire/facts.ts`, the facts as the page reads them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, NamedTuple, cast

from xg2lab.lab.trace.arguments import argument_text
from xg2lab.lab.trace.costs import CompilePass, costs_of, innermost
from xg2lab.lab.trace.derivation import Root, TreeReader
from xg2lab.lab.trace.entries import is_instance, maker_of, operator_rows, own_grammar, readers
from xg2lab.lab.trace.forest import Forest
from xg2lab.lab.trace.issue import expected_by, issue_text, missing_edges, range_text, slot_name, versions
from xg2lab.lab.trace.lanes import figures as lane_figures
from xg2lab.lab.trace.lanes import hidden_share, uncovered
from xg2lab.lab.trace.lost_mass import recorded_loss
from xg2lab.lab.trace.operators import Branches, branches_of, filled_in, headline, said_beside
from xg2lab.lab.trace.tags import opened_tags
from xg2lab.lab.trace.written import goes_on, share_of, written_at

if TYPE_CHECKING:
    from xg2lab.lab import schema
    from xg2lab.lab.trace.steps import Step
    from xg2lab.lab.trace.trace import Trace
    from xg2lab.support.json_text import Json

__all__ = [
    "Asked",
    "arguments_of",
    "figures",
    "replayed",
    "told_as_written",
    "told_chart",
    "told_explanation",
    "told_facts",
    "told_steps",
    "told_trace",
]

#: Explanations by token id, for steps by index.
Asked = Mapping[int, Mapping[int, "schema.Explanation"]]
#: Explanations of one step, by token id.
Explained = Mapping[int, "schema.Explanation"]
#: Characters of the texts of issues that a replay holds, each line counted once; of a longer run the newest steps.
MOST_ISSUE_CHARACTERS = 4 << 20
#: Steps whose derivations a replay holds, and the nodes of all of them.
MOST_FORESTS, MOST_FOREST_NODES = 50, 4_000


def told_explanation(
    program: schema.Program,
    why: schema.Explanation,
    arguments: Json = None,
    written: schema.Program | None = None,
) -> schema.Explanation:
    """An explanation as a page gets it; `why` stays as it was.

    `expected_by` holds the items before byte edges and those before token edges, each once, with `slot`, the name of
    the slot that an argument fills, and `argument_text`, that argument of the template's `arguments` in words.
    `missing` lists [state, rule, bytes] for each state that reads bytes and had no edge for the byte that died, the
    innermost first: the bytes that it has edges for, as `range_text` writes them. With the program as `written`, the
    same is told of its items.
    """
    items = [_told_item(item, arguments) for item in expected_by(why)]
    told: schema.Explanation = {
        **why, "expected_by": items, "missing": _missing(program, why), "walk": _told_walk(program, why["walk"])
    }  # fmt: skip
    told.pop("expected_tokens", None)
    if written is not None and "walk_as_written" in why:
        own = why.get("expected_as_written", [])
        told["walk_as_written"] = _told_walk(written, why["walk_as_written"])
        told["expected_as_written"] = [_told_item(item, arguments) for item in own]
        told["missing_as_written"] = _missing(written, {**why, "expected_by": own})
    return told


def _told_walk(program: schema.Program, walk: Sequence[schema.WalkStep]) -> list[schema.WalkStep]:
    return [{**step, "inner": _inner(program, step["items"])} for step in walk]


def _missing(program: schema.Program, why: schema.Explanation) -> list[schema.MissingEdge]:
    states = program["states"]
    edges = [edge for edge in missing_edges(program, why) if edge.ranges]
    return [[edge.state, states[edge.state]["rule"], range_text(edge.ranges)] for edge in edges]


def _told_item(item: schema.ExpectedBy, arguments: Json) -> schema.ExpectedBy:
    if "argument" not in item:
        return item
    told: schema.ExpectedBy = {**item, "slot": slot_name(item["argument"])}
    if text := argument_text(arguments, item["argument"]):
        told["argument_text"] = text
    return told


def arguments_of(trace: Trace) -> Json:
    """The arguments of the template whose instance the trace's grammar is; None for any other grammar."""
    template = trace.header.get("template")
    return None if template is None else template["arguments"]


def written_program(trace: Trace) -> schema.Program | None:
    """The program of the grammar as written, if the trace has it."""
    return None if trace.as_written is None else trace.as_written.program


def told_steps(trace: Trace, first: int = 0) -> list[schema.Step]:
    """The steps from `first` on, as a page gets them."""
    known = _Known.of(trace)
    return [_told_step(trace, step, step.explain, known) for step in trace.steps[first:]]


def told_chart(trace: Trace, column: int = 0) -> schema.ToldChart:
    """What is told of the chart beside its columns, from `column` on: see `TreeReader`. Absent where there is none."""
    reader = TreeReader(trace)
    told: schema.ToldChart = {}
    if ways := reader.ways_read(column):
        told["ways_read"] = ways
    if over := reader.stepped_over(column):
        told["stepped_over"] = over
    return told


def told_facts(trace: Trace, *, whole: bool) -> schema.ToldTrace:
    """What is told of the trace beside its steps and its chart: `linked`; of a `whole` trace `tags` and operators."""
    facts: schema.ToldTrace = {"linked": is_instance(trace)}
    tags = opened_tags(trace) if whole else []
    if tags:
        facts["tags"] = tags
    tree = trace.operators if whole else None
    if tree is not None and "rows" in tree:
        rows = [[*text, states] for text, states in readers(trace).items()]
        filled = filled_in(tree["rows"], arguments_of(trace))
        facts["operators"] = {**tree, "readers": rows, "filled": filled, "headline": headline(tree)}
    elif tree is not None:
        facts["operators"] = tree
    return facts


def told_as_written(trace: Trace, column: int = 0) -> schema.AsWritten | None:
    """What a page gets of the grammar as written: its columns from `column` on, and what is told of them.

    The program comes with column 0 alone. None where the grammar as written is not recorded.
    """
    written = trace.as_written
    if written is None:
        return None
    told = written.to_wire()
    if column > 0:
        told.pop("program", None)
    if written.program is None:
        return told
    ways = [row for row in written.ways if row[0] >= column]
    chart: schema.Chart = {"columns": written.columns[column:], **told_chart(trace.drawn_as_written(), column)}
    return {**told, "chart": {**chart, "ways": ways} if ways else chart}


def told_trace(trace: Trace) -> schema.TraceFile:
    """The whole trace as a page gets it from a kernel."""
    return {**_whole(trace), "steps": told_steps(trace)}


def replayed(trace: Trace, asked: Asked | None = None) -> schema.TraceFile:
    """The whole trace as a page without a kernel gets it, with the texts of issues.

    `asked`: more explanations than were recorded, for some steps.
    """
    wire, steps, known = _whole(trace), list(trace.steps), _Known.of(trace)
    explained = [{**(asked or {}).get(step.index, {}), **step.explain} for step in steps]
    wire["steps"] = [_told_step(trace, step, why, known) for step, why in zip(steps, explained, strict=True)]
    _add_issues(trace, wire, steps, explained)
    if found := _forests(trace, known):
        wire["forests"] = found
    return wire


def _forests(trace: Trace, known: _Known) -> dict[str, schema.WireForest]:
    """The derivations before the newest steps whose text is ambiguous, as far as there is room."""
    if trace.as_written is None or not trace.as_written.ways or known.written is None:
        return {}
    first = trace.as_written.ways[0][0]
    forest, room = Forest(trace.drawn_as_written()), MOST_FOREST_NODES
    found: dict[str, schema.WireForest] = {}
    for step in reversed(trace.steps[-MOST_FORESTS:]):
        if step.byte_begin < first:
            break
        told = forest.of_column(step.byte_begin).to_wire()
        room -= sum(len(tree["nodes"]) for tree in told["trees"])
        if room < 0:
            break
        if len(told["trees"]) > 1:
            found[str(step.index)] = told
    return found


def _whole(trace: Trace) -> schema.TraceFile:
    """All but the facts of steps."""
    wire = trace.to_wire(bulk=False)
    chart: schema.Chart = {**wire["chart"], **told_chart(trace)}
    told: schema.TraceFile = {**wire, **told_facts(trace, whole=True), "figures": figures(trace), "chart": chart}
    written = told_as_written(trace)
    return told if written is None else {**told, "as_written": written}


_branches_kept: tuple[list[schema.OperatorRow], Branches] = [], []  # of the tree that was last asked for


def _branches_of(rows: list[schema.OperatorRow]) -> Branches:
    """As `branches_of`: a tree never changes, and may have twenty thousand rows."""
    global _branches_kept  # noqa: PLW0603 (a memo of one)
    kept = _branches_kept
    if kept[0] is not rows:
        kept = _branches_kept = rows, branches_of(rows)
    return kept[1]


class _Known(NamedTuple):
    """What facts of steps are made of, the same for all."""

    own: int | None
    of_template: bool
    reader: TreeReader
    written: TreeReader | None
    rows: list[schema.OperatorRow]
    branches: Branches

    @classmethod
    def of(cls, trace: Trace) -> _Known:
        rows = operator_rows(trace)
        drawn = trace.drawn_as_written()
        written = None if drawn is trace else TreeReader(drawn)
        return cls(own_grammar(trace), is_instance(trace), TreeReader(trace), written, rows, _branches_of(rows))

    def operators(self, active: schema.ActiveOperators | None) -> schema.ActiveOperators | None:
        """The active operators of a step, with what is said beside some."""
        if active is None or not self.rows:
            return active
        said = said_beside(self.rows, self.branches, active["at"])
        return {**active, "said": {str(number): words for number, words in said.items()}}


def figures(trace: Trace) -> schema.Figures:
    """The figures of the whole trace.

    `costs`: of `xg2lab.lab.trace.costs`, what is added up over steps. `lanes`: median, 95th percentile and sum of
    model, mask and wait in nanoseconds, the share of the mask's time that is `hidden`, and the `prefill_wait` of the
    compilation beside the prompt's pass. `share`, in words: the tokens in which the model had no choice; None where
    the operators are not recorded, or no token is.
    """
    costs, steps = costs_of(trace), list(trace.steps)
    lanes = [step.lanes for step in steps]
    compiled = trace.header.get("compile_lane")
    prompt = lanes[0].model if lanes and lanes[0] is not None else None
    tree = trace.operators
    share = share_of(trace) if tree is not None and "rows" in tree else None
    template = costs.template
    return {
        "costs": {
            "passes": _told_passes(costs.passes),
            "passes_us": costs.passes_us,
            "mask_us": costs.mask_us,
            "wait_us": costs.wait_us,
            "model_ms": costs.model_ms,
            "n_fills": len(costs.steps),
            "rules": [cast("schema.RuleCost", asdict(rule)) for rule in costs.rules],
            "template": None
            if template is None
            else {
                "paid": [
                    {"when": one.when, "name": one.name, "us": one.us, "rows": [list(row) for row in one.rows]}
                    for one in template.paid
                ],
                "passes": _told_passes(template.request_passes),
                "passes_us": template.passes_us,
            },
        },
        "lanes": {
            "rows": lane_figures(lanes),
            "hidden": hidden_share(lanes),
            "prefill_wait": None if not compiled or not prompt else uncovered((compiled[0], compiled[1]), prompt),
        },
        "share": str(share) if share is not None and share.n_tokens else None,
    }


def _told_passes(passes: Sequence[CompilePass] | None) -> list[schema.PassCost] | None:
    if passes is None:
        return None
    return [
        {
            "name": one.name,
            "begin_us": one.begin_us,
            "us": one.us,
            "inside": one.inside,
            "machines": one.machines,
            "change": one.change,
            "change_in_short": one.change_in_short,
        }
        for one in passes
    ]


def _inner(program: schema.Program, items: Sequence[schema.Item]) -> int | None:
    """The place of the innermost item."""
    inner = innermost(program, items)
    return next((k for k, item in enumerate(items) if item is inner), None)


def _told_step(trace: Trace, step: Step, explained: Explained, known: _Known) -> schema.Step:
    program, lost, wrote = trace.program, recorded_loss(step, trace.header["vocab_size"]), written_at(trace, step)
    before = written_at(trace, trace.steps[step.index - 1]) if step.index and wrote is not None else None
    root = known.reader.root_of(step.byte_begin)
    as_written = None if known.written is None else known.written.root_of(step.byte_begin)
    told: schema.Step = {
        **step.to_wire(),
        "explain": {
            str(token): told_explanation(program, why, arguments_of(trace), written_program(trace))
            for token, why in explained.items()
        },
        "entries": [{**entry, "maker": maker_of(entry, known.own, known.of_template)} for entry in step.entries],
        "inner": _inner(program, step.live),
        "lost": None if lost is None else lost.to_wire(),
        "operators": known.operators(step.operators),
        "root": None if root is None else _told_root(root),
        "written": None
        if wrote is None
        else {
            "writer": wrote.writer,
            "text": wrote.text,
            "begins": before is None or not goes_on(before, wrote),
        },
    }
    if known.written is not None:
        told["root_as_written"] = None if as_written is None else _told_root(as_written)
    return told


def _told_root(root: Root) -> schema.TreeRoot:
    return {
        "line": [list(at) for at in root.line],
        "is_whole": root.is_whole,
        "n_others": root.n_others,
        "also": list(root.also),
    }


def _add_issues(trace: Trace, wire: schema.TraceFile, steps: list[Step], explained: Sequence[Explained]) -> None:
    """Give each explanation the text of its issue, as numbers of lines: most lines are those of many texts."""
    numbers: dict[str, int] = {}
    room = MOST_ISSUE_CHARACTERS
    for why, text in _issues(trace, wire, steps, explained):
        lines = text.split("\n")
        room -= sum(len(line) for line in lines if line not in numbers)
        if room < 0:
            break
        why["issue"] = [numbers.setdefault(line, len(numbers)) for line in lines]
    wire["issue_lines"] = list(numbers)


def _issues(
    trace: Trace, wire: schema.TraceFile, steps: list[Step], explained: Sequence[Explained]
) -> Iterator[tuple[schema.Explanation, str]]:
    """Each explanation of the wire and the text of its issue, those of the newest step first."""
    seen = versions(trace.header)
    taken = [(step.token_id, step.data) for step in steps if step.token_id is not None]
    for told, known in zip(reversed(wire["steps"]), reversed(explained), strict=True):
        for token, why in known.items():
            text = issue_text(trace.header, trace.program, told, taken[: told["index"]], why, seen)
            yield told["explain"][str(token)], text
