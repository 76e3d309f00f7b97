"""What the log says of each pass: how many rules, expressions and states there were before it and after it.

Each count is held against the grammar, or the program, that is there before the pass and after it.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

import xg2lab as xgr
from xg2lab.compiling.pool import CacheEvent

INFO = xgr.TokenizerInfo([bytes([byte]) for byte in range(256)] + [b"</s>"], stop_token_ids=[256])
PAIRS = r"""
root ::= "{" pair ("," pair)* "}"
pair ::= key ":" value
key ::= "\"" [a-z]+ "\""
value ::= digits | key | word
word ::= "x" word | "y"
digits ::= [0-9]+
unused ::= "q" digits
"""
SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "kind": {"enum": ["red", "rose", "green"]}, "n": {"type": "integer"}},
    "required": ["name"],
    "additionalProperties": False,
}
PARTS = ("thompson", "determinize", "minimize")
CALC = r"""
root ::= sum
sum ::= product (("+" | "-") product)*
product ::= atom (("*" | "/") atom)*
atom ::= [0-9]+ | "(" sum ")" | "-" atom
"""


def passes(grammar: Any, **options: Any) -> tuple[list[CacheEvent], xgr.CompiledGrammar]:
    options = {"cross_grammar_cache": False} | options
    compiler = xgr.GrammarCompiler(INFO, cache_enabled=False, options=xgr.EngineOptions(**options))
    with compiler.record_cache_events():
        compiled = compiler.compile_grammar(grammar)
    return [event for event in compiler.cache_events() if event.kind == "pass"], compiled


def n_rules(grammar: xgr.Grammar) -> int:
    return len(re.findall(r"^\S+ ::= ", str(grammar), re.MULTILINE))


def grammars() -> list[Any]:
    return [
        pytest.param(xgr.Grammar.from_ebnf(PAIRS), id="pairs"),
        pytest.param(xgr.Grammar.from_ebnf(CALC), id="calc"),
        pytest.param(xgr.Grammar.from_json_schema(SCHEMA), id="schema"),
        pytest.param(xgr.Grammar.builtin_json_grammar(), id="json"),
    ]


@pytest.mark.parametrize("grammar", grammars())
def test_rules_are_those_of_the_grammar_before_and_after(grammar: xgr.Grammar) -> None:
    told, compiled = passes(grammar)
    written = grammar.passes()
    assert [event.name for event in told if event.inside is None] == [name for name, _ in written] + ["lower"]
    before = n_rules(grammar)
    for event, (_, result) in zip(told, written, strict=False):
        assert event.rules == (before, n_rules(result))
        before = n_rules(result)
    lower = next(event for event in told if event.name == "lower")
    program = compiled.program()
    assert lower.rules == (before, len(program["rules"]))
    assert lower.states == (0, len(program["states"]))


@pytest.mark.parametrize("grammar", grammars())
def test_parts_of_lowering_add_up_and_hand_on_their_states(grammar: xgr.Grammar) -> None:
    told, compiled = passes(grammar)
    at = next(k for k, event in enumerate(told) if event.name == "lower")
    parts = told[at + 1 :]
    assert {event.inside for event in parts} == {"lower"}
    assert sum(event.ns for event in parts) <= told[at].ns
    thompson, determinize, minimize = (next(e for e in parts if e.name == n) for n in PARTS)
    assert None not in (thompson.states, determinize.states, minimize.states)
    assert thompson.machines == determinize.machines == minimize.machines
    assert thompson.states is not None
    assert determinize.states is not None
    assert minimize.states is not None
    assert thompson.states[1] == determinize.states[0]
    assert determinize.states[1] == minimize.states[0]
    made = {rule["id"] for rule in compiled.program()["rules"] if rule["repeat"] is None}
    n_states = sum(state["rule"] in made for state in compiled.program()["states"])
    sequences = next((e.states for e in parts if e.name == "sequences"), None)
    if sequences is None:
        assert minimize.states[1] == n_states
    else:  # the machines of their classes are minimized too, and stand within theirs
        assert minimize.states[1] + sequences[1] >= n_states > sequences[1]


def test_what_is_switched_off_is_not_told() -> None:
    grammar = xgr.Grammar.from_ebnf('root ::= "ab" | "cb" | "ad"')
    told, compiled = passes(grammar)
    assert {e.name: e.states for e in told if e.inside and e.states} == {
        "thompson": (0, 8),
        "determinize": (8, 4),
        "minimize": (4, 4),
    }
    told, compiled = passes(grammar, minimize=False)
    states = {e.name: e.states for e in told if e.inside and e.states}
    assert states["determinize"] == (8, len(compiled.program()["states"]))
    assert "minimize" not in states
    told, compiled = passes(grammar, determinize=False)
    states = {e.name: e.states for e in told if e.inside and e.states}
    assert states["remove_epsilon"] == (8, len(compiled.program()["states"]))
    assert not {"determinize", "minimize", "known_machines"} & set(states)


def test_a_machine_that_another_grammar_had_is_known() -> None:
    grammar = xgr.Grammar.from_ebnf('root ::= "some text that no other test has" ([0-9] | "-"+) "!"')
    passes(grammar, cross_grammar_cache=True)
    told, compiled = passes(grammar, cross_grammar_cache=True)
    known = next(event for event in told if event.name == "known_machines")
    assert (known.machines, known.states) == (1, (0, len(compiled.program()["states"])))
    assert "determinize" not in {event.name for event in told}


def test_inlining_and_fusion_say_what_they_did() -> None:
    told, _ = passes(xgr.Grammar.from_ebnf(PAIRS))
    rules = {event.name: event.rules for event in told}
    assert rules["drop_unreachable"] == (7, 6)
    assert rules["inline_fragments"] == (6, 1)
    fused, _ = passes(xgr.Grammar.from_ebnf('root ::= "a" "b" "c" [0-9]'))
    exprs = {event.name: event.exprs for event in fused}
    assert exprs["fuse_literals"] == (5, 3)


def test_a_cut_rule_a_dispatch_and_members_have_their_own_parts() -> None:
    text = 'root ::= body AnyOrder(a, b?)\nbody[lazy] ::= [a-z]* "."\na ::= "one" [0-9]\nb ::= "other" [0-9]'
    told, _ = passes(xgr.Grammar.from_ebnf(text))
    assert {"regular_rules", "member_trie"} <= {event.name for event in told if event.inside}
    tags = 'root ::= TagDispatch(("<a>", x), stop_eos=true)\nx ::= "y"'
    told, compiled = passes(xgr.Grammar.from_ebnf(tags))
    dispatch = next(event for event in told if event.name == "dispatch_machine")
    assert dispatch.machines == 1
    assert dispatch.states is not None
    assert dispatch.states[0] == 0
    assert 0 < dispatch.states[1] <= len(compiled.program()["states"])


# ---- Templates ----------------------------------------------------------------------------------

OUTLINE = 'root ::= "<" Each($rows, row) ">"\nrow ::= $id text{$n}\ntext ::= [a-z]+ ";"'


def told(of: xgr.GrammarCompiler, number: int) -> list[CacheEvent]:
    return [event for event in of.cache_events() if event.grammar == number]


def test_a_template_and_its_instances_are_told_like_a_grammar() -> None:
    compiler = xgr.GrammarCompiler(INFO)
    with compiler.record_cache_events():
        ready = compiler.compile_template(OUTLINE)
        made = [ready.instantiate(rows=[{"id": "a", "n": n}]) for n in (1, 2)]
    events = told(compiler, ready.id)
    assert (events[-1].kind, events[-1].ns / 1e3) == ("compile", ready.compile_us)
    names = [event.name for event in events[:-1] if event.inside is None]
    assert (names[0], names[-2:]) == ("take_pieces", ["lower", "keep_known"])
    assert {"drop_unreachable", "fuse_literals"} < set(names)
    assert {event.inside for event in events[:-1]} == {None, "lower"}
    known = events[-2]
    assert known.states is not None
    assert known.states[1] == ready.n_states
    assert sum(event.ns for event in events[:-1] if event.inside is None) <= events[-1].ns
    for instance in made:
        *passes, whole = told(compiler, instance.id)
        assert [event.name for event in passes] == ["check_arguments", "link"]
        assert passes[1].states == (ready.n_states, instance.n_states)
        assert (whole.kind, whole.ns / 1e3) == ("compile", instance.compile_us)
        assert sum(event.ns for event in passes) <= whole.ns
    assert len({ready.id, *(instance.id for instance in made)}) == 3


def test_an_instance_that_is_compiled_tells_of_writing_out_and_of_the_passes() -> None:
    compiler = xgr.GrammarCompiler(INFO)
    with compiler.record_cache_events():
        ready = compiler.compile_template('root ::= "<" Use($g) ">"')
        instance = ready.instantiate(g=xgr.Grammar.from_ebnf('root ::= "a" | "b"'))
    assert ready.obstacles
    *passes, whole = told(compiler, instance.id)
    assert [event.name for event in passes][:2] == ["check_arguments", "write_out"]
    assert passes[1].rules is not None
    assert passes[1].rules[0] == 0
    assert any(event.name == "lower" for event in passes)
    assert whole.kind == "compile"
    assert sum(event.ns for event in passes if event.inside is None) <= whole.ns


def test_refused_arguments_tell_nothing() -> None:
    compiler = xgr.GrammarCompiler(INFO)
    ready = compiler.compile_template(OUTLINE)
    with compiler.record_cache_events(), pytest.raises(xgr.TemplateArgumentError):
        ready.instantiate(rows=3)
    assert compiler.cache_events() == []
