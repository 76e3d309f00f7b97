"""Costs: what the trace says, added up by rule and by step; passes as the engine timed them."""

from __future__ import annotations

import json
import re
import time
from itertools import pairwise
from statistics import median
from typing import Any

import pytest

from xg2lab import EngineOptions, GrammarCompiler, TokenizerInfo
from xg2lab.lab import Session, Trace
from xg2lab.lab.trace.costs import CompilePass, compile_timed, costs_of

INFO = TokenizerInfo([b"a", b"b", b"[", b"]", b",", b"1", b"12", b"</s>"], stop_token_ids=[7])
GRAMMAR = 'root ::= "[" word ("," word)* "]"\nword ::= [a-z] inner*\ninner ::= [a-z] | "[" word "]"'


@pytest.fixture
def session() -> Session:
    session = Session(GRAMMAR, INFO)
    session.force("[ab,b[a],a")
    return session


def test_rules_add_up_to_the_masks(session: Session) -> None:
    costs = costs_of(session.trace)
    steps = [step for step in session.trace.steps if step.mask_us is not None]
    assert costs.mask_us == pytest.approx(sum(step.mask_us or 0.0 for step in steps))
    assert sum(row.us for row in costs.rules) == pytest.approx(costs.mask_us)
    assert sum(row.share for row in costs.rules) == pytest.approx(1.0)
    assert sum(row.n_fills for row in costs.rules) == len(costs.steps) == len(steps)
    assert [row.us for row in costs.rules] == sorted((row.us for row in costs.rules), reverse=True)
    for row in costs.rules:
        of = [step for step in costs.steps if step.rule == row.rule]
        assert row.median_us == median(step.us for step in of)
        assert row.n_misses == sum(step.cache == "miss" for step in of)
        assert row.us >= max(step.us for step in of) == costs.steps[row.costliest].us


def test_a_step_is_of_the_innermost_rule(session: Session) -> None:
    costs, program = costs_of(session.trace), session.trace.program
    names = {None: None} | {rule["id"]: rule["name"] for rule in program["rules"]}
    assert names[costs.steps[0].rule] == "root"
    assert [step.n_states for step in costs.steps] == [len(step.entries) for step in session.trace.steps]
    assert [row.line for row in costs.rules if row.name == "root"] == [1]


def test_passes_are_those_of_the_engine_in_order(session: Session) -> None:
    costs = costs_of(session.trace)
    assert costs.passes is not None
    passes = [one for one in costs.passes if one.inside is None]
    names = [one.name for one in passes]
    assert names[0] == "parse"
    assert names[-1] == "lower"
    assert "inline_fragments" in names
    assert passes[0].begin_us == 0.0
    for before, after in pairwise(passes):
        assert after.begin_us == pytest.approx(before.begin_us + before.us)
    assert costs.passes_us == sum(one.us for one in passes)
    assert sum(one.us for one in passes[1:]) <= session.compiled.compile_us


def test_parts_stand_within_their_pass() -> None:
    session = Session(GRAMMAR, INFO, options=EngineOptions(cross_grammar_cache=False))
    passes = costs_of(session.trace).passes or ()
    lower = next(one for one in passes if one.name == "lower")
    parts = [one for one in passes if one.inside == "lower"]
    assert {"thompson", "determinize", "minimize", "program"} <= {one.name for one in parts}
    at = lower.begin_us
    for part in parts:
        assert part.begin_us == pytest.approx(at)
        at += part.us
    assert at <= lower.begin_us + lower.us


def test_what_passes_changed_is_that_of_the_grammar() -> None:
    text = 'root ::= item ("," item)*\nitem ::= digit | "[" digit "]"\ndigit ::= [0-9]\nlost ::= "x"'
    session = Session(text, INFO, options=EngineOptions(cross_grammar_cache=False))
    passes = {one.name: one for one in costs_of(session.trace).passes or ()}
    assert passes["parse"].rules == (0, 4)
    assert passes["drop_unreachable"].change == "4 → 3 rules, 14 → 13 expressions"
    assert passes["inline_fragments"].rules == (3, 1)
    assert passes["lower"].states == (0, len(session.trace.program["states"]))
    words = str(costs_of(session.trace))
    assert "drop_unreachable: 4 → 3 rules, 14 → 13 expressions" in words
    assert re.search(r"  determinize, 1 machine: \d+ → \d+ states\n", words)


@pytest.mark.parametrize(
    ("known", "change", "in_short"),
    [
        ({"rules": (0, 1)}, "1 rule", "1 rule"),
        ({"rules": (5, 4), "exprs": (20, 19)}, "5 → 4 rules, 20 → 19 expressions", "5 → 4 rules"),
        ({"rules": (4, 4), "exprs": (20, 19)}, "20 → 19 expressions", "20 → 19 expressions"),
        ({"rules": (13, 7), "states": (110, 92)}, "13 → 7 rules, 110 → 92 states", "110 → 92 states"),
        ({"rules": (8, 9), "states": (0, 142)}, "8 → 9 rules, 142 states", "8 → 9 rules, 142 states"),
        ({"states": (104, 104)}, "", ""),
    ],
)
def test_a_change_has_a_short_form(known: dict[str, tuple[int, int]], change: str, in_short: str) -> None:
    one = CompilePass("lower", 0.0, 1.0, **known)  # type: ignore[arg-type]
    assert (one.change, one.change_in_short) == (change, in_short)


def test_passes_of_an_older_trace_are_read(session: Session) -> None:
    wire: Any = json.loads(json.dumps(session.trace.to_wire()))
    wire["header"]["compile_passes"] = [["parse", 3.0], ["lower", 5.0]]
    passes = costs_of(Trace.from_wire(wire)).passes or ()
    assert [(one.name, one.begin_us, one.us, one.change) for one in passes] == [
        ("parse", 0.0, 3.0, ""),
        ("lower", 3.0, 5.0, ""),
    ]


def test_facts_of_a_newer_writer_are_left_out(session: Session) -> None:
    wire: Any = json.loads(json.dumps(session.trace.to_wire()))
    wire["header"]["compile_passes"] = [["lower", 5.0, {"rules": [2, 1], "edges": [7, 3]}]]
    lower = (costs_of(Trace.from_wire(wire)).passes or ())[0]
    assert lower.change == "2 → 1 rules"


def test_what_came_compiled_was_not_timed() -> None:
    compiled = GrammarCompiler(INFO).compile_grammar(GRAMMAR)
    costs = costs_of(Session(compiled, INFO).trace)
    assert costs.passes is None
    assert "compiled before" in str(costs)


def test_another_grammar_has_its_own_passes(session: Session) -> None:
    before = session.trace.header["compile_passes"]
    session.reset()
    assert session.trace.header["compile_passes"] == before
    session.change_grammar('root ::= "a"*')
    assert session.trace.header["compile_passes"] != before


def test_a_trace_from_disk_tells_the_same(session: Session) -> None:
    wire: Any = json.loads(json.dumps(session.trace.to_wire()))
    assert costs_of(Trace.from_wire(wire)) == costs_of(session.trace)


def test_timing_does_not_change_what_is_compiled() -> None:
    compiler = GrammarCompiler(INFO)
    begun = time.perf_counter_ns()
    compiled, passes = compile_timed(compiler, GRAMMAR)
    elapsed_us = (time.perf_counter_ns() - begun) / 1e3
    assert compiled.program() == GrammarCompiler(INFO).compile_grammar(GRAMMAR).program()
    steps = [(name, us) for name, us, *facts in passes if not (facts and "inside" in facts[0])]
    assert [steps[0][0], steps[-1][0]] == ["parse", "lower"]
    assert sum(us for _, us in steps) <= elapsed_us  # one clock, and no step is counted twice


def test_it_has_words(session: Session) -> None:
    lines = str(costs_of(session.trace)).splitlines()
    assert lines[0].startswith("masks ")
    assert any(" lower: " in line for line in lines)
    assert any("root, line 1: " in line for line in lines)
