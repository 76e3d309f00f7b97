"""The machine of a rule before and after each pass, and which states stand for which: held against what can be read."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest

import xg2lab as xgr
from tests.generators import random_grammar, write_ebnf
from tests.refusals import refusal_mistake
from xg2lab.compiling import stages as stages_module
from xg2lab.compiling.stages import Stage, stage_options, stages_of
from xg2lab.errors import GrammarError, LimitError, SessionError
from xg2lab.lab import Session

BYTES = xgr.TokenizerInfo([bytes([byte]) for byte in range(256)] + [b"</s>"], stop_token_ids=[256])
GRAMMAR = r"""
root ::= "{" pair ("," pair)* "}"
pair ::= key ":" value
key ::= "\"" [a-z]+ "\""
value ::= [0-9]+ | key | word
word ::= "x" word | "y"
"""


def stages(text: str, rule: str | None = None, **options: Any) -> dict[str, Stage]:
    found = stages_of(xgr.Grammar.from_ebnf(text), BYTES, xgr.EngineOptions(**options), rule=rule)
    return {stage.name: stage for stage in found}


def test_stages_are_the_passes_that_are_on() -> None:
    assert list(stages(GRAMMAR)) == [
        "as written",
        "right_recursion_to_repeat",
        "inline_fragments",
        "fuse_literals",
        "determinize",
        "minimize",
    ]
    assert list(stages(GRAMMAR, rule_inlining=False, determinize=False)) == [
        "as written",
        "right_recursion_to_repeat",
        "fuse_literals",
    ]
    options = xgr.EngineOptions(tail_calls=False, literal_fusion=False)
    assert stage_options(options)[-1] == ("minimize", options)


@pytest.mark.parametrize("rule", ["root", "word", "value"])
def test_counts_are_those_of_a_compilation_that_ends_there(rule: str) -> None:
    grammar = xgr.Grammar.from_ebnf(GRAMMAR)
    for (name, options), stage in zip(stage_options(xgr.EngineOptions()), stages(GRAMMAR, rule).values(), strict=True):
        assert stage.name == name
        program = xgr.GrammarCompiler(BYTES, options=options).compile_grammar(grammar).program()
        of = [one for one in program["rules"] if one["name"] == rule]
        assert (stage.machine is not None) == bool(of)
        if of:
            first, end = of[0]["states"]
            assert stage.n_states == end - first
            assert stage.n_edges == sum(first <= edge["from"] < end for edge in program["edges"])


def test_what_inlining_did() -> None:
    inlined = stages(GRAMMAR, "root")["inline_fragments"].marks
    assert inlined is not None
    assert inlined.gone == ()
    assert {name for names in inlined.within.values() for name in names} <= {"pair", "key", "value", "word"}
    assert set(inlined.within) == set(inlined.new)
    word = stages(GRAMMAR, "word")
    assert word["inline_fragments"].machine is None
    assert "word" in word["right_recursion_to_repeat"].rules
    assert "word" not in word["inline_fragments"].rules
    loop = word["right_recursion_to_repeat"].marks
    assert loop is not None
    assert loop.new == ()
    assert loop.gone == (word["as written"].n_states - 1,), "nobody returns from the call any more"


def test_minimization_joins_what_reads_the_same() -> None:
    minimal = stages('root ::= "ab" | "cb" | "de"')["minimize"]
    assert minimal.marks is not None
    assert [len(before) for before in minimal.marks.stands_for if len(before) > 1] == [2]
    assert minimal.marks.new == minimal.marks.gone == ()


def texts_into(machine: dict[str, Any], depth: int) -> dict[int, set[tuple[str, ...]]]:
    """Of each state the sequences of calls and of a few bytes that lead to it, up to a length."""
    found: dict[int, set[tuple[str, ...]]] = {s["id"]: set() for s in machine["states"]}
    now = [(machine["rules"][0]["start"], ())]
    for _ in range(depth + 1):
        for state, text in now:
            found[state].add(text)
        now = [
            (edge["to"], (*text, letter))
            for state, text in now
            for edge in machine["edges"]
            if edge["from"] == state
            for letter in letters(edge)
        ]
    return found


def letters(edge: dict[str, Any]) -> list[str]:
    if edge["kind"] != "bytes":
        return ["call " + edge["label"]]
    return [chr(byte) for byte in b"ab0\xc3\xa9" if any(lo <= byte <= hi for lo, hi in edge["ranges"])]


@pytest.mark.parametrize("seed", range(40))
def test_states_stand_for_those_that_some_text_leads_to_as_well(seed: int) -> None:
    # passes that keep the calls, on grammars of a few letters: the texts are all written down
    drawn = random_grammar(random.Random(seed))
    grammar = write_ebnf(drawn)
    options = xgr.EngineOptions(rule_inlining=False, right_recursion_to_repeat=False)
    try:
        found = stages_of(xgr.Grammar.from_ebnf(grammar), BYTES, options)
    except GrammarError as error:
        assert refusal_mistake(drawn, options, error) is None, grammar
        pytest.skip("the root never matches")
    for before, after in pairwise(found):
        if before.machine is None or after.machine is None or after.marks is None:
            continue
        a, b = texts_into(before.machine, 4), texts_into(after.machine, 4)
        for state, stands_for in enumerate(after.marks.stands_for):
            by_text = {other for other, texts in a.items() if texts & b[state]}
            assert by_text <= set(stands_for), (seed, after.name, state)
        assert not set(after.marks.gone) & {k for of in after.marks.stands_for for k in of}


def test_a_session_ends_in_its_own_machine() -> None:
    session = Session(GRAMMAR, BYTES)
    last = session.machine_stages("root")[-1]
    rule = session.trace.program["rules"][0]
    assert last.n_states == rule["states"][1] - rule["states"][0]
    assert session.machine_stages(0) == session.machine_stages("root") == session.machine_stages()
    assert [stage.machine is None for stage in session.machine_stages("word")] == [False, False, True, True, True, True]
    with pytest.raises(SessionError, match="no rule 'wird' at any stage"):
        session.machine_stages("wird")
    before = session.machine_stages()
    session.change_grammar('root ::= "a"*')
    assert session.machine_stages() != before


def test_token_edges_and_left_recursion_have_stages_too() -> None:
    assert stages('root ::= "a" Token(98) | "b"')["minimize"].n_states == 3
    left = stages('root ::= root "a" | "a"', rule="root", parser="earley")
    assert left["minimize"].marks is not None
    assert left["minimize"].marks.stands_for


def test_too_large_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages_module, "MOST_STATES", 3)
    found = stages('root ::= "abcdef"')
    assert all(stage.machine is None and "too many" in stage.note for stage in found.values())
    assert "too many" in str(found["minimize"])
    monkeypatch.setattr(stages_module, "MOST_STATES", 1000)
    monkeypatch.setattr(stages_module, "MOST_PAIRS", 3)
    assert stages('root ::= "abcdef"')["minimize"].marks is None


def test_a_stage_that_is_refused_says_why() -> None:
    text = 'root ::= ("a" | "b" | "c" | "d"){6}'
    minimal = xgr.GrammarCompiler(BYTES).compile_grammar(text)
    options = xgr.EngineOptions(max_fsm_states=len(minimal.program()["states"]) + 3)
    with pytest.raises(LimitError):
        xgr.GrammarCompiler(BYTES, options=xgr.EngineOptions(max_fsm_states=3)).compile_grammar(text)
    found = stages(text, max_fsm_states=options.max_fsm_states)
    assert found["as written"].machine is None
    assert "states" in found["as written"].note
