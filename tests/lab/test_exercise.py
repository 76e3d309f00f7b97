"""Columns filled by hand: right steps in any order lead to the engine's column; each mistake has its reason."""

from __future__ import annotations

import random
from typing import Any

import pytest

import xg2lab as xgr
from tests.generators import SHARE, random_any_order, random_grammar, random_member, seeded, write_ebnf
from xg2lab.errors import SessionError
from xg2lab.lab import Session, Trace
from xg2lab.lab.lessons.exercise import VERBS, Answer, ColumnExercise, Placed
from xg2lab.lab.lessons.exercise_words import WORDS

BYTES = xgr.TokenizerInfo([bytes([b]) for b in range(256)] + [b"</s>"], stop_token_ids=[256])
PLAIN = xgr.EngineOptions(rule_inlining=False)
GRAMMAR = r"""root ::= pair ("," pair)*
pair ::= key ":" ws [0-9]+
key ::= "a" | "b" key
ws ::= " "*
"""


def session_of(grammar: str, text: bytes, options: xgr.EngineOptions | None = PLAIN) -> Session:
    session = Session(grammar, BYTES, options=options)
    if text:
        session.force(text)
    return session


def step_at_random(rng: random.Random, exercise: ColumnExercise) -> None:
    """Some operation on some item of any column, or the name of some item."""
    columns = range(exercise.column + 1)
    items = [item for j in columns for item in exercise.items(j)]
    if items and rng.random() < 0.7:
        exercise.do(rng.choice(VERBS), rng.choice(items))
    else:
        place = rng.choice(exercise._all + items)
        exercise.add(place.state, rng.choice([place.origin, place.origin + 1, 0]))


def fill_at_random(rng: random.Random, trace: Any, column: int) -> ColumnExercise:
    """Steps at random, wrong ones too, until the column is full; a hint where luck lasts too long."""
    exercise = ColumnExercise(trace, column)
    for n in range(10_000):
        if exercise.is_finished:
            break
        before = list(exercise.found)
        if n % 40 == 39:
            verb, item = exercise._next()
            assert exercise.do(verb, item).is_right, "a hint is right"
        else:
            step_at_random(rng, exercise)
        last = exercise.log[-1]
        assert last.is_right == bool(last.added)
        assert exercise.found == before + list(last.added), "a wrong step changes nothing"
        assert last.reason
    return exercise


def samples(rng: random.Random) -> list[tuple[str, bytes]]:
    """Random grammars with a text of each: plain ones, and members in any order."""
    out: list[tuple[str, bytes]] = []
    for _ in range(int(60 * SHARE) + 5):
        grammar = random_grammar(rng)
        text = random_member(rng, grammar)
        if text is not None:
            out.append((write_ebnf(grammar), text[:9].decode(errors="ignore").encode()))  # whole characters
    for _ in range(int(12 * SHARE) + 2):
        out.append((random_any_order(rng), b""))
    return out


def test_any_order_of_right_steps_fills_the_engines_column() -> None:
    rng = seeded("exercise")
    n_columns = 0
    for grammar, text in samples(rng):
        session = session_of(grammar, text)
        for column, rows in enumerate(session.trace.columns):
            exercise = fill_at_random(rng, session.trace, column)
            assert sorted(exercise.found) == sorted(Placed(column, r[0], r[1]) for r in rows), (grammar, text, column)
            assert exercise.is_finished
            n_columns += 1
    assert n_columns > 60 * SHARE


def test_what_the_operations_make_is_what_the_engine_has() -> None:
    """The closure of the operations is the column; only counts forbid what they would make."""
    rng = seeded("exercise/closure")
    for grammar, text in samples(rng):
        trace = session_of(grammar, text).trace
        is_counted = any(rule.get("repeat") or rule.get("any_order") for rule in trace.program["rules"])
        for column in range(len(trace.columns)):
            exercise = ColumnExercise(trace, column)
            exercise.reveal()
            made = {new for step in exercise._steps_now() for new in exercise._made(*step)}
            start = set(exercise._all[:1]) if column == 0 else set()
            whole = set(exercise._all)
            assert whole <= made | start, (grammar, text, column)
            if not is_counted:
                assert made <= whole, (grammar, text, column)


def is_mistake(exercise: ColumnExercise, verb: str, item: Placed) -> str | None:
    """Which mistake this step is, by the definition of the kinds, without the checker's code; None: it is right."""
    program, j = exercise._words, exercise.column
    labels = {kind: [e for e in program._edges[item.state] if e["kind"] == kind] for kind in ("bytes", "rule", "token")}
    if item.column > j or item not in exercise.items(item.column):
        return "no_item"
    if verb == "scan" and j == 0:
        return "no_byte"
    if item.column != (j - 1 if verb == "scan" else j):
        return "other_column"
    if verb == "scan":
        hits = [e for e in labels["bytes"] for lo, hi in e["ranges"] if lo <= exercise._byte <= hi]
        if not hits:
            return "wrong_byte" if labels["bytes"] else "before_rule" if labels["rule"] else "at_end"
        made = {Placed(j, e["to"], item.origin) for e in hits}
    elif verb == "predict":
        if not labels["rule"]:
            return "before_byte" if labels["bytes"] or labels["token"] else "at_end"
        made = {Placed(j, program._rules[e["rule"]]["states"][0], j) for e in labels["rule"]}
    else:
        if not program._states[item.state]["accepting"]:
            return "not_complete"
        rule = program._states[item.state]["rule"]
        waiting = [
            (w, e["to"]) for w in exercise.items(item.origin) for e in program._edges[w.state] if e["rule"] == rule
        ]
        if not waiting:
            return "nobody_waits"
        made = {Placed(j, to, w.origin) for w, to in waiting}
    return "already" if made <= set(exercise.found) else None


def test_each_wrong_step_is_refused_with_the_reason_of_its_kind() -> None:
    rng = seeded("exercise/wrong")
    seen: set[str] = set()
    grammars = [(GRAMMAR, b"ba: 1,a:22"), *((g, t) for g, t in samples(rng)[:25])]
    for grammar, text in grammars:
        trace = session_of(grammar, text).trace
        if any(rule.get("repeat") or rule.get("any_order") for rule in trace.program["rules"]):
            continue
        for column in range(len(trace.columns)):
            exercise = ColumnExercise(trace, column)
            while True:
                for verb in VERBS:
                    everything = [Placed(k, r[0], r[1]) for k in range(column + 1) for r in trace.columns[k]]
                    for item in everything:
                        if is_mistake(exercise, verb, item) is not None:
                            answer = exercise.do(verb, item)
                            assert answer.kind == is_mistake(exercise, verb, item), (grammar, text, verb, item)
                            assert not answer.is_right
                            seen.add(answer.kind)
                if exercise.is_finished:
                    break
                assert exercise.do(*exercise._next()).kind == "right"
    assert seen == {
        "no_item", "no_byte", "other_column", "wrong_byte", "before_rule", "before_byte", "at_end", "not_complete",
        "nobody_waits", "already",
    }  # fmt: skip


def said(answer: Answer) -> str:
    return f"{answer.kind}: {answer.reason}"


def test_what_is_said_of_mistakes() -> None:
    trace = session_of(GRAMMAR, b"ba: 1").trace
    first = ColumnExercise(trace, 1)
    whole, _pair, key = first.items(0)
    assert (
        said(first.do("scan", whole))
        == "before_rule: the dot stands before `pair`, a rule and no byte: predict enters it"
    )
    assert said(first.do("predict", key)) == (
        "other_column: predict stays within a column: it takes an item of column 1, not of column 0"
    )
    right = first.do("scan", key)
    assert right.is_right
    assert first.items(1) == list(right.added)
    assert said(first.do("scan", key)).startswith("already: already in the column: `key → ")
    assert said(first.do("complete", first.items(1)[0])) == (
        'not_complete: `key` has not ended: `"a"` or `"b"` must come first'
    )
    third = ColumnExercise(trace, 3)
    answers = [third.do("scan", item) for item in third.items(2)]
    wrong = [said(answer) for answer in answers if not answer.is_right]
    assert "at_end: nothing stands after the dot, so scan reads nothing: what has ended is completed" in wrong
    assert third.add(0, 9).kind == "origin"
    last = ColumnExercise(trace, 5)
    last.reveal()
    end = next(i for i in last.items(5) if last._words.rule(i.state) == "root" and i.origin == 0)
    assert said(last.do("complete", end)) == (
        "nobody_waits: complete of `root` needs an item of column 0 that waits for `root`; there is none: "
        "`root` is the whole, and the output may end here"
    )
    assert ColumnExercise(trace, 0).do("scan", whole).reason == WORDS["no_byte"]


def test_a_byte_that_an_item_does_not_expect() -> None:
    trace = session_of('root ::= (a | b)+\na ::= "x" [0-9]\nb ::= "{" "}"', b"x1{").trace
    exercise = ColumnExercise(trace, 3)
    of_a = next(item for item in exercise.items(2) if exercise._words.rule(item.state) == "a" and item.origin == 2)
    answer = exercise.do("scan", of_a)
    assert (answer.kind, answer.reason) == ("wrong_byte", 'scan needs byte 7B `{`; this item expects `"x"`')


def test_a_match_of_nothing_is_completed_as_in_a_textbook() -> None:
    trace = session_of('root ::= ws "x" ws\nws ::= " "*', b"x").trace
    exercise = ColumnExercise(trace, 0)
    (start,) = exercise.items(0)
    exercise.do("predict", start)
    empty = exercise.items(0)[1]
    answer = exercise.do("complete", empty)
    assert answer.is_right
    assert "has matched nothing" in answer.reason
    assert exercise.is_finished
    assert any("engine steps over it as it predicts it" in sentence for sentence in exercise.differences())


def test_repetitions_are_judged_by_what_the_column_has() -> None:
    trace = session_of('root ::= item{2,50} "!"\nitem ::= [0-9]', b"12").trace
    exercise = ColumnExercise(trace, 1)
    exercise.reveal()
    counted = next(i for i in exercise.items(1) if "{2,50}" in exercise._words.rule(i.state) and i.origin == 0)
    answer = exercise.do("complete", counted)
    assert answer.kind == "bounds"
    assert "may not end yet" in answer.reason
    after = ColumnExercise(trace, 2)
    after.reveal()
    assert after.do("complete", Placed(2, counted.state, 0)).kind == "already"


def test_undo_hint_reveal_and_score() -> None:
    session = session_of(GRAMMAR, b"ba:")
    exercise = session.exercise()
    assert exercise.column == 3
    assert not exercise.undo()
    while not exercise.is_finished:
        told = exercise.hint()
        verb, item = exercise._next()
        assert told == f"{verb} `{exercise._words.item(item)}` of column {item.column}"
        exercise.do(verb, item)
    n = len(exercise.found)
    assert exercise.score == {"right": len(exercise.log), "wrong": 0, "hints": len(exercise.log), "revealed": 0}
    assert exercise.hint() == WORDS["nothing_missing"]
    assert exercise.undo()
    assert len(exercise.found) < n
    assert exercise.reveal()
    assert exercise.is_finished
    assert "revealed" in repr(exercise)
    assert repr(exercise).startswith("column 3, after byte 3A `:`: ")


def test_a_saved_trace_is_enough() -> None:
    session = session_of(GRAMMAR, b"ba: 1")
    exercise = ColumnExercise(Trace.from_wire(session.trace.to_wire()), 5)
    exercise.reveal()
    assert len(exercise.found) == len(session.trace.columns[5])
    with pytest.raises(SessionError, match="column 6 was not recorded"):
        session.exercise(6)
    with pytest.raises(SessionError, match="not called 'shift'"):
        exercise.do("shift", exercise.items(5)[0])  # type: ignore[arg-type]


def test_a_whole_token_is_scanned_from_where_it_begins() -> None:
    info = xgr.TokenizerInfo([b"a", b"<call>", b"b", b"</s>"], stop_token_ids=[3])
    session = Session('root ::= "a" Token(1) "b"', info)
    for token in (0, 1, 2):
        session.force(token)
    exercise = session.exercise(7)
    assert session.exercise(4).is_finished  # within the token no item lives
    before = next(item for item in exercise.items(1) if exercise._has(item.state, "token"))
    assert exercise.do("scan", before).is_right
    assert exercise.do("scan", exercise.items(1)[0]).kind == "other_column"
