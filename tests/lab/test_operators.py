"""The operators in a session and its trace: recorded when wanted, kept in a file, checked on the way in."""

from __future__ import annotations

import json
from typing import Any

import pytest

import xg2lab as xgr
from xg2lab.errors import DeserializeFormatError
from xg2lab.lab import Session, Trace
from xg2lab.lab.trace.operators import (
    MOST_ACTIVE,
    active_to_wire,
    branches_of,
    operator_lines,
    said_beside,
    tree_to_wire,
)

BYTES = xgr.TokenizerInfo([bytes([byte]) for byte in range(256)] + [b"</s>"], stop_token_ids=[256])
GRAMMAR = 'root ::= "<" pair{1,2} ">"\npair ::= [a-z]+ "=" ("yes" | "no") ";"'


def written(grammar: str, text: str, **options: Any) -> Session:
    """A session that wrote `text`, byte by byte."""
    session = Session(grammar, BYTES, **options)
    for byte in text.encode():
        session.force(byte)
    return session


def by_hand(session: Session) -> list[Any]:
    """The active operators at each step, by a matcher of its own."""
    matcher = xgr.GrammarMatcher(session.compiled)
    found = [active_to_wire(matcher)]
    for token in session.output_ids:
        assert matcher.accept_token(token)
        found.append(active_to_wire(matcher))
    return found[: len(session.trace.steps)]


@pytest.mark.parametrize("parser", ["earley", "pda"])
def test_steps_before_and_after_are_recorded(parser: str) -> None:
    session = written(GRAMMAR, "<a=n", options=xgr.EngineOptions(parser=parser))
    assert session.trace.operators is None
    assert all(step.operators is None for step in session.trace.steps)
    events: list[str] = []
    session.subscribe(lambda event: events.append(event["type"]))
    session.record_operators()
    session.record_operators()
    assert events.count("recorded") == 1
    for byte in b"o;b=":
        session.force(byte)
    assert [step.operators for step in session.trace.steps] == by_hand(session)
    assert session.trace.steps[-1].operators["at"][0]["counts"][0] == [2, 2, 2]
    session.back(3)
    assert [step.operators for step in session.trace.steps] == by_hand(session)
    assert session.trace.branches[-1].steps[0].operators is not None


def test_other_prompts_and_grammars_are_recorded_too() -> None:
    session = written(GRAMMAR, "<a")
    session.record_operators()
    session.reset("another prompt")
    assert session.trace.operators == tree_to_wire(session.compiled)
    session.change_grammar('root ::= "(" root ")" | "y"')
    assert session.trace.operators["refused"].endswith("root -> root")
    assert session.trace.steps[0].operators is None
    session.change_grammar('root ::= "x"{3}')
    session.force("x")
    assert [step.operators for step in session.trace.steps] == by_hand(session)


def test_an_earlier_trace_gets_them_when_it_goes_on() -> None:
    session = written(GRAMMAR, "<ab")
    session.reset("another prompt")
    session.record_operators()
    session.resume()
    assert [step.operators for step in session.trace.steps] == by_hand(session)


def test_an_instance_says_slots_and_arguments() -> None:
    template = xgr.Template.from_ebnf('root ::= "<" $name ">"')
    session = Session(template, BYTES, arguments={"name": "abc"})
    session.record_operators()
    session.force("<a")
    rows = session.trace.operators["rows"]
    assert [row[8:10] for row in rows] == [[None, None], [None, None], ["name", "/name"], [None, None]]
    assert rows[2][10:] == [b"abc".hex(), 3]
    assert '*  2    Write "abc"  [1 of 3 bytes]  $name /name' in operator_lines(
        session.trace.operators, session.trace.steps[-1].operators
    )
    session.instantiate(name="x")
    assert session.trace.operators["rows"][2][5] == 'Write "x"'


def test_what_is_active_is_listed_up_to_a_limit_and_counted() -> None:
    words = " | ".join(f'"a" "{chr(0x4E00 + k)}"' for k in range(100))
    session = written(f"root ::= {words}", "a")
    session.record_operators()
    active = session.trace.steps[-1].operators
    assert len(active["at"]) <= MOST_ACTIVE
    whole = xgr.GrammarMatcher(session.compiled)
    whole.accept_string("a")
    assert active["n"] == len(whole.active_operators())
    hidden = active["n"] - len(active["at"])
    assert hidden > 0
    lines = operator_lines(session.trace.operators, active)
    assert lines[-1] == f"{hidden} more active operators were counted and not listed"


def test_a_tree_that_is_too_large_is_refused() -> None:
    grammar = "root ::= a a a\n" + "".join(
        f"{x} ::= {y} {y} {y}\n" for x, y in zip("abcdefghi", "bcdefghij", strict=True)
    )
    session = Session(grammar + 'j ::= "x" | "y" "z"', BYTES)
    session.record_operators()
    assert "refused" in session.trace.operators
    assert all(operator_lines(session.trace.operators, None))


def test_a_trace_with_operators_is_read_back() -> None:
    for grammar in (GRAMMAR, 'root ::= "<" root ">" | "<a="'):
        session = written(grammar, "<a=")
        session.record_operators()
        assert Trace.from_wire(json.loads(json.dumps(session.trace.to_wire()))) == session.trace


DAMAGES = [
    (("operators", "n"), 3, "/operators/n"),
    (("operators", "rows", 2, 0), "Jump", "/operators/rows/2/0"),
    (("operators", "rows", 2, 1), 2, "/operators/rows/2/1"),
    (("operators", "rows", 0, 1), 0, "/operators/rows/0/1"),
    (("operators", "rows", 2, 2), 9, "/operators/rows/2/2"),
    (("steps", 1, "operators", "at", 0, "operator"), 99, "/steps/1/operators/at/0/operator"),
    (("steps", 1, "operators", "at", 0, "counts", 0, 0), 0, "/steps/1/operators/at/0/counts/0/0"),
    (("steps", 1, "operators", "n"), -1, "/steps/1/operators/n"),
    (("operators",), {"refused": "", "hint": "", "spans": [[1]]}, "/operators/spans/0"),
]


@pytest.mark.parametrize(("path", "value", "pointer"), DAMAGES, ids=[pointer for _, _, pointer in DAMAGES])
def test_damage_is_named(path: tuple[Any, ...], value: Any, pointer: str) -> None:
    session = written(GRAMMAR, "<a")
    session.record_operators()
    wire = json.loads(json.dumps(session.trace.to_wire()))
    at = wire
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    with pytest.raises(DeserializeFormatError) as caught:
        Trace.from_wire(wire)
    assert caught.value.pointer == pointer


#: root ::= ("ab:" | "é"){1,2} [0-9]+, as rows of a tree
ROWS: list[list[Any]] = [
    ["Sequence", -1, 0, 0, 0, "", None, None, None, None, None, None],
    ["DoWhile", 0, 0, 0, 0, "", 1, 2, None, None, None, None],
    ["IfElse", 1, 0, 0, 0, "", None, None, None, None, None, None],
    ["Write", 2, 0, 0, 0, "", None, None, None, None, "61623a", 3],
    ["Write", 2, 0, 0, 0, "", None, None, None, None, "c3a9", 2],
    ["DoWhile", 0, 0, 0, 0, "", 1, None, None, None, None, None],
    ["Wait", 5, 0, 0, 0, "", None, None, None, None, None, None],
]


def said(*at: tuple[int, int, list[list[int]], str]) -> dict[int, str]:
    """The words beside the operators of `ROWS`, for active ones: number, bytes written, counts, bytes of a tag."""
    names = ("operator", "n_written", "counts", "watched")
    return said_beside(ROWS, branches_of(ROWS), [dict(zip(names, each, strict=True)) for each in at])


def test_bytes_repetitions_and_branches_are_said() -> None:
    assert said((3, 2, [[1, 2, 2]], "")) == {1: "2 of 1–2", 2: "branch 1 of 2", 3: "2 of 3 bytes"}
    assert said((6, 0, [], "3c74")) == {6: "2 bytes of a tag read"}
    assert said() == {}


def test_what_several_positions_say_is_joined() -> None:
    at = [(3, 1, [[1, 1, 1]], ""), (3, 0, [[1, 2, 2]], ""), (4, 1, [[1, 1, 2]], ""), (6, 0, [[5, 1, 1]], "")]
    assert said(*at) == {1: "1–2 of 1–2", 2: "branches 1, 2 of 2", 3: "1 of 3 bytes", 4: "1 of 2 bytes"}
