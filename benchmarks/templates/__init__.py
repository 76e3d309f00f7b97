"""Templates (WGrammar): arguments to first mask, masks and accepts of instances, beside peers that take text.

    python -m benchmarks templates                       with the targets and the paper's claims
    python -m benchmarks.templates --sizes 10 --tasks lookup --without-linking     the same with options

The tasks are outlines (`outlines.py`), Reference-Lookup (`lookup.py`) and a sample of json-mode-eval
(`json_mode_eval.py`), with XG2LAB_FULL=1 all of it. Each request has new arguments. `ways.py` says what each row's
way means, `measure.py` what a time counts, `transitions.py` what a byte costs each parser, and `live.py` what memory
is. `decoding.py` runs requests with a model, in a table of its own. `targets.py` holds each figure of ours beside the
better peer's, `claims.py` each claim of the paper beside what was measured; older peers run in environments of their
own (`old_peers.py`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pytest

from benchmarks import record, steps
from benchmarks.engines import Engine, Xg2Lab, XGrammar
from benchmarks.templates import (
    claims,
    decoding,
    json_mode_eval,
    live,
    lookup,
    measure,
    offline,
    old_peers,
    outlines,
    targets,
    transitions,
    ways,
)
from benchmarks.templates.outlines import MARKS, Form
from benchmarks.templates.tasks import Task
from benchmarks.texts import Vocabulary, vocabulary
from benchmarks.vocabularies import read
from tests.vocabularies import read_cwv

SAME = ("task", "n")  # columns in which rows must agree to be compared (benchmarks/ahead.py)
GROWS = "n"  # the column over which figures may grow (benchmarks/scaling.py)
TASKS = ("outlines", "lookup", "json_mode_eval", "decoding")
QWEN = "qwen3-151936"
N_REQUESTS = {10: (16, 8), 60: (8, 4), 240: (6, 2)}  # of each size: requests, and how many are walked
LIVE = ("outlines, text tags", 60)  # whose live requests are weighed
N_LIVE, N_LIVE_PEERS = 1000, 100
N_SCHEMAS = 27  # of json-mode-eval's 81: peers compile each anew for every request
SHOWN = ("first_cpu_ms_p50", "mask_us_p50", "mask_cpu_us_mean", "mask_cpu_us_p99", "accept_us_p50")  # as it goes on


@dataclass(frozen=True)
class Choice:
    """What a run measures."""

    sizes: tuple[int, ...] = outlines.SIZES
    tasks: tuple[str, ...] = TASKS
    links: bool = True
    memory: bool = True
    old_peers: bool = True


def run(choice: Choice | None = None) -> list[record.Figures]:
    """A row for each way of each engine through each task, then those with a model (`tables` keeps the two apart)."""
    choice = choice or Choice()
    rows: list[record.Figures] = []
    for of_group in groups(choice):
        n_requests, n_walked = N_REQUESTS.get(of_group[0].n, (12, 8)) if len(of_group) == 1 else (2, 2)
        rows += measure_group(of_group, n_requests, n_walked, links=choice.links)
        if of_group[0].kind == "outlines":
            rows += transitions.rows(Xg2Lab(of_group[0].words), of_group[0])
        if choice.memory and (of_group[0].name, of_group[0].n) == LIVE:
            rows = with_memory(rows, of_group[0], links=choice.links)
    if choice.old_peers and "outlines" in choice.tasks:
        rows += old_peers.rows(vocabulary(), tuple(n for n in choice.sizes if n in old_peers.SIZES))
    if "decoding" in choice.tasks:
        rows += decoding.run()
    return rows


def tables(rows: Sequence[record.Figures]) -> dict[str, list[record.Figures]]:
    """The rows of a run, by table: rows of the engines alone, rows with a model, targets and claims."""
    engines = [row for row in rows if "engine" in row]
    with_model = [row for row in rows if "engine" not in row]
    found = {
        "templates": engines,
        "templates_decoding": with_model,
        "templates_targets": targets.table(engines),
        "templates_claims": claims.table(engines, with_model),
    }
    return {name: of for name, of in found.items() if of}


def groups(choice: Choice) -> Iterator[list[Task]]:
    """The tasks whose figures go into one row: one, or all schemas of json-mode-eval."""
    words = vocabulary()
    if "outlines" in choice.tasks:
        forms = [(words, Form("text tags")), (words, Form("text tags, lines", text=r"[^<\n]+"))]
        try:
            qwen = read(QWEN)
            forms.insert(0, (qwen, Form("special tokens", special_ids(qwen))))
        except pytest.skip.Exception as reason:
            print(f"left out: {reason}")
        for of, form in forms:
            for n in choice.sizes:
                yield [outlines.outline_task(of, n, form)]
    if "lookup" in choice.tasks:
        yield [lookup.lookup_task(words)]
        yield [lookup.schema_task(words)]
    if "json_mode_eval" in choice.tasks:
        n_schemas = 0 if os.environ.get("XG2LAB_FULL") else N_SCHEMAS
        yield [json_mode_eval.json_mode_eval_task(words, case) for case in json_mode_eval.cases(n_schemas)]


def special_ids(words: Vocabulary) -> dict[str, int]:
    """The ids of the outlines' marks in Qwen's vocabulary as `vocabularies.read` numbers it."""
    facts = read_cwv(words.name)
    order = sorted(set(facts.special) | set(facts.eos))
    return {mark: words.n_text + order.index(facts.tokens.index(mark.encode())) for mark in MARKS}


# ---- The rows of one group of tasks -------------------------------------------------------------


def measure_group(of: list[Task], n_requests: int, n_walked: int, *, links: bool) -> list[record.Figures]:
    """The rows of every engine and way, over the tasks that all engines take."""
    words = of[0].words
    ours = Xg2Lab(words)
    engines: list[Engine] = [ours, *ways.peers(words, of[0].name)]
    if len(of) > 1:
        of = taken_by_all(engines, of)
    rows: list[record.Figures] = []
    for engine in engines:
        for way, way_of in ways_of(engine, of[0], links=links):
            if ways.is_ours(engine):
                ways.with_own_pool(ours, cross_grammar_cache=way != "written out, no shared masks")
            engine.forget()
            pairs = [(task, compile_it) for task in of if (compile_it := way_of(engine, task)) is not None]
            if len(pairs) < len(of):
                print(f"left out: {engine.name}, {way}, on {of[0].name}: no such templates or instances")
                continue
            labels = {"engine": f"{engine.name}, {way}", "task": of[0].name, "n": of[0].n, "way": way}
            figures = measure.measure(engine, pairs, n_requests, n_walked)
            if isinstance(engine, XGrammar) and of[0].kind == "outlines":
                figures |= offline.parts_cpu_ms(engine, of[0], way)
            rows.append({**labels, "vocabulary": words.name, "n_tasks": len(of), **figures})
            print(
                f"{labels['engine']}, {labels['task']}, {labels['n']}: "
                + ", ".join(f"{name} {figures[name]:.3g}" for name in SHOWN),
                file=sys.stderr,
                flush=True,
            )
    if rows and len(of) == 1:
        rows[0] = {**rows[0], **offline.figures(ours, of[0])}
    return rows


WayOf = Callable[[Engine, Task], ways.Compile | None]


def ways_of(engine: Engine, task: Task, *, links: bool) -> list[tuple[str, WayOf]]:
    """The ways of an engine through a task, by name."""
    found: list[tuple[str, WayOf]] = []
    if ways.is_ours(engine):
        if links:
            found.append(("template", ways.instances))
        found += [("written out", ways.written_out), ("written out, no shared masks", ways.written_out)]
    for shape in task.request(0).grammars:
        found.append((shape, lambda engine, _, shape=shape: ways.as_text(engine, shape)))
    return found


def taken_by_all(engines: Sequence[Engine], of: Sequence[Task]) -> list[Task]:
    """The tasks whose first reference text every engine takes, from the grammar as text."""
    chosen = list(of)
    for engine in engines:
        kept: list[Task] = []
        for task in chosen:
            request = task.request(0)
            try:
                for shape in request.grammars:
                    ways.as_text(engine, shape)(request)
            except engine.refusals as error:
                print(f"left out: a task of {task.name}: {engine.name} refuses it ({str(error).splitlines()[0][:80]})")
                continue
            if steps.takes(engine, request.tokens):
                kept.append(task)
            else:
                print(f"left out: a task of {task.name}: {engine.name} refuses its reference text")
        chosen = kept
    return chosen


def with_memory(rows: Sequence[record.Figures], task: Task, *, links: bool) -> list[record.Figures]:
    """The rows with what live requests of this task keep. "no shared masks" keeps what "written out" does."""
    engines = {engine.name: engine for engine in [Xg2Lab(task.words), *ways.peers(task.words, task.name)]}
    found: list[record.Figures] = []
    for row in rows:
        way = str(row["way"])
        engine = engines.get(str(row["engine"]).removesuffix(f", {way}"))
        way_of = None if engine is None else dict(ways_of(engine, task, links=links)).get(way)
        if (row["task"], row["n"]) != (task.name, task.n) or "no shared" in way or engine is None or way_of is None:
            found.append(row)  # of another task, or no way of a request
            continue
        n_live = N_LIVE if ways.is_ours(engine) else N_LIVE_PEERS
        found.append({**row, **live.figures(type(engine), way_of, task, n_live)})
    return found
