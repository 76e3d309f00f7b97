"""Runs side by side: each is as it would be alone, they part where it is said, and one that stops stops no other."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import xg2lab as xgr
from xg2lab import Session, TokenizerInfo
from xg2lab.errors import ArgumentError, ArgumentTypeError, LimitError, SessionError, VocabularyError
from xg2lab.lab import Lockstep, schema
from xg2lab.lab.comparison.parting import first_difference
from xg2lab.lab.trace.reading import adapter

LIST = 'root ::= "[" [0-9]+ ("," [0-9]+)* "]"'
TWO = 'root ::= "[" [0-9]{2} ("," [0-9]{2})* "]"'


@pytest.fixture
def session() -> Session:
    """A run of the tiny model."""
    return Session(LIST, model="tiny", prompt="A list: ", seed=3, name="one", max_tokens=24)


def small(grammar: str, name: str) -> Session:
    """A run without a model, over a few tokens."""
    return Session(grammar, TokenizerInfo([b"a", b"b", b"c", b"ab", b"</s>"], stop_token_ids=[4]), name=name)


def texts(lockstep: Lockstep) -> list[str]:
    return [one.text for one in lockstep.sessions]


@pytest.mark.parametrize("changes", [{"seed": 5}, {"temperature": 1.7}, {"grammar": TWO}])
def test_each_side_writes_what_it_would_write_alone(session: Session, changes: dict[str, Any]) -> None:
    alone = [session.variant(), session.variant(**changes)]
    for one in alone:
        one.run()
    both = Lockstep([session, session.variant(**changes)])
    both.run()
    assert [one.output_ids for one in both.sessions] == [one.output_ids for one in alone]


def test_two_runs_of_one_seed_do_not_part(session: Session) -> None:
    both = Lockstep([session, session.variant(name="two")])
    found = both.run()
    assert found.varies == []
    assert found.partings == [None]
    assert all(held is not None and held.n_only_a == held.n_only_b == 0 for (held,) in found.held.values())


def test_where_they_part_is_the_first_byte_that_differs_and_a_mask_is_the_reason(session: Session) -> None:
    both = Lockstep([session, session.variant(grammar=TWO, name="two")])
    both.run()
    parting = both.divergence
    assert parting is not None
    a, b = (one.trace.output_bytes for one in both.sessions)
    assert a[: parting.byte] == b[: parting.byte]
    assert a[parting.byte : parting.byte + 1] != b[parting.byte : parting.byte + 1]
    # two draws of one seed differ only where one mask blocks what the other run took
    assert parting.why == "blocked"
    for one in parting.refused:
        side = both.sessions[0 if one.is_a else 1]
        assert one.token_id is not None
        assert not side.explain(one.token_id, one.step)["allowed"]
        assert one.reason == side.explain(one.token_id, one.step)["reason"]


def test_other_seeds_part_by_their_draws(session: Session) -> None:
    both = Lockstep([session, session.variant(seed=11, temperature=2.0)])
    found = both.run(until="parts")
    parting = found.partings[0]
    assert parting is not None
    assert (parting.why, parting.refused) == ("drawn", ())
    assert parting.says.endswith("both masks allow both, and the draws have another seed and another temperature")
    n_tokens = [side.n_tokens for side in found.sides]
    both.run()
    assert max(n_tokens) < max(side.n_tokens for side in both.data().sides)
    assert both.divergence == parting


def test_other_tokens_for_one_text_are_no_difference() -> None:
    one, two = small('root ::= "ab" [abc]', "one"), small('root ::= "ab" [bc]', "two")
    one.force("ab")
    two.force("ab", byte_by_byte=True)
    both = Lockstep([one, two])
    assert both.divergence is None
    (held,) = both.held(1)
    assert held is not None
    assert (held.steps, held.byte, held.is_same_text) == ((1, 2), 2, True)
    assert ([row[:2] for row in held.only_a], held.only_b) == ([(0, "a"), (3, "ab")][: held.n_only_a], ())
    one.force("a")
    two.force("c")
    parting = both.divergence
    assert parting is not None
    assert (parting.byte, parting.steps) == (2, (1, 2))
    assert [(refused.is_a, refused.text) for refused in parting.refused] == [(False, "'a'")]


def test_a_token_that_begins_elsewhere_is_asked_by_its_bytes() -> None:
    one, two = small('root ::= "ab"', "one"), small('root ::= "ac"', "two")
    one.force(3)
    two.force("a")
    two.force("c")
    parting = Lockstep([one, two]).divergence
    assert parting is not None
    assert parting.byte == 1
    two_blocks, one_blocks = parting.refused
    assert (two_blocks.is_a, two_blocks.token_id, two_blocks.data) == (False, None, b"b")
    assert (one_blocks.is_a, one_blocks.token_id, one_blocks.data) == (True, None, b"ac")


def test_an_output_that_ended_parts_from_one_that_goes_on() -> None:
    one, two = small('root ::= "a"', "one"), small('root ::= "a" "b"?', "two")
    one.force("a")
    two.force("a")
    both = Lockstep([one, two])
    assert both.divergence is None
    one.force(4)
    assert both.divergence is None  # two may still end as well
    two.force("b")
    parting = both.divergence
    assert parting is not None
    assert parting.says == "at byte 1 one ended with '</s>' and two took 'b': one blocks 'b'"
    assert parting.refused[0].is_a
    one.back()
    assert both.divergence is None


def test_masks_are_held_against_each_other_by_definition(session: Session) -> None:
    both = Lockstep([session, session.variant(grammar=TWO, name="two")])
    both.step(4)
    for step in range(4):
        (held,) = both.held(step)
        assert held is not None
        a, b = (
            set(np.flatnonzero(np.unpackbits(one.bitmask(at).view(np.uint8), bitorder="little")).tolist())
            for one, at in zip(both.sessions, held.steps, strict=True)
        )
        assert (held.n_only_a, held.n_only_b) == (len(a - b), len(b - a))
        assert {row[0] for row in held.only_a} <= a - b
        assert {row[0] for row in held.only_b} <= b - a
        p = session.probabilities(step)
        assert p is not None
        shown = [row[2] or 0.0 for row in held.only_a]
        assert shown == sorted(shown, reverse=True)
        if a - b:
            assert shown[0] == pytest.approx(max(p[token] for token in a - b))


def test_back_takes_the_longest_outputs_back_first(session: Session) -> None:
    two = session.variant(seed=4)
    both = Lockstep([session, two])
    both.step(3)
    two.step()
    both.back()
    assert [one.trace.n_decided for one in both.sessions] == [3, 3]
    both.back(2)
    assert [one.trace.n_decided for one in both.sessions] == [1, 1]
    both.back(9)
    assert [one.trace.n_decided for one in both.sessions] == [0, 0]
    with pytest.raises(SessionError, match="no side has a token to take back"):
        both.back()


def test_stepping_again_writes_the_same(session: Session) -> None:
    both = Lockstep([session, session.variant(seed=4, name="two")])
    both.step(5)
    first = texts(both)
    both.back(5)
    both.step(5)
    assert texts(both) == first
    both.reset()
    both.step(5)
    assert texts(both) == first


def test_a_side_that_ends_early_does_not_stop_the_other(session: Session) -> None:
    short = session.variant(grammar='root ::= "[1]"', name="short")
    both = Lockstep([session, short])
    found = both.run()
    assert found.sides[1].status == "terminated"
    assert found.sides[1].text == "[1]"
    assert found.sides[0].n_tokens > found.sides[1].n_tokens
    assert found.sides[0].n_tokens == 24 or found.sides[0].status == "terminated"


def test_a_side_that_fails_does_not_stop_the_other_and_is_tried_again(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    two = session.variant(seed=4, name="two")
    both = Lockstep([session, two])
    both.step(2)
    with monkeypatch.context() as broken:
        broken.setattr(two._recorder, "choose", lambda: (_ for _ in ()).throw(SessionError("the model is gone")))
        found = both.run()
        assert (found.sides[1].n_tokens, found.sides[1].stopped) == (2, "the model is gone")
        assert found.sides[0].n_tokens > 2
        assert "two: 2 tokens" in str(found)
        assert "stopped: the model is gone" in str(found)
        session.back(1)
        broken.setattr(session._recorder, "choose", lambda: (_ for _ in ()).throw(SessionError("this one too")))
        with pytest.raises(SessionError, match="no side can step: one: this one too; two: the model is gone"):
            both.step()
        with pytest.raises(SessionError, match="no side can step"):
            both.run()
    both.step()
    assert two.trace.n_decided == 3
    assert both.data().sides[1].stopped == ""


def test_a_limit_of_one_side_is_said(session: Session) -> None:
    two = session.variant(seed=4, name="two")
    two.max_tokens = 3
    both = Lockstep([session, two])
    found = both.run(max_steps=5)
    assert [side.n_tokens for side in found.sides] == [5, 3]
    assert "limit of 3 tokens" in found.sides[1].stopped
    assert found.sides[1].hint == "raise session.max_tokens"
    assert isinstance(both._refusal(1), LimitError)
    assert not both.is_over


def test_a_run_is_paused_from_another_place(session: Session) -> None:
    both = Lockstep([session, session.variant(seed=4)])
    told: list[str] = []

    def again() -> None:
        if both.is_running and session.trace.n_decided > 0:
            both.pause()
            with pytest.raises(SessionError, match="the lockstep is running already") as refused:
                both.run()
            told.append(refused.value.hint)

    unsubscribe = both.subscribe(again)
    assert both.run().n_steps == 1
    assert told == ["pause() it first"]
    assert not both.is_running
    unsubscribe()
    both.run()
    assert len(told) == 1


def test_four_sides_are_held_against_the_first(session: Session) -> None:
    sides = [session, *(session.variant(seed=seed) for seed in (1, 2, 3))]
    found = Lockstep(sides).run(max_steps=6)
    assert found.varies == [("seed", ["3", "1", "2", "3"])]
    assert len(found.partings) == 3
    assert found.partings[2] is None  # the same seed
    assert [len(row) for row in found.held.values()] == [3] * len(found.held)


def test_a_prompt_and_an_argument_that_vary_are_said() -> None:
    one = Session('root ::= "[" $what "]"', model="tiny", prompt="A list: ", arguments={"what": "a"}, name="one")
    two = one.variant(arguments={"what": "b"}, name="two")
    three = Session(LIST, model="tiny", prompt="An array: ", name="three")
    found = Lockstep([one, two]).run()
    assert found.varies == [("arguments", ['{"what": "a"}', '{"what": "b"}'])]
    assert found.partings[0] is not None
    assert found.partings[0].why == "blocked"
    assert [what for what, _ in Lockstep([one, three]).data().varies] == ["grammar", "arguments", "prompt"]


def test_a_long_grammar_is_shown_where_it_first_differs() -> None:
    long = "root ::= " + '"a" ' * 200
    found = Lockstep([small(long + '"b"', "one"), small(long + '"c"', "two")]).data()
    what, (a, b) = found.varies[0]
    assert what == "grammar"
    assert a.startswith("…")
    assert a.endswith('"b"')
    assert b.endswith('"c"')
    assert len(a) <= 202


@pytest.mark.parametrize(
    ("sides", "error", "message"),
    [
        (lambda s: s, ArgumentTypeError, "Lockstep takes a list of sessions, not a Session"),
        (lambda s: 7, ArgumentTypeError, "Lockstep takes a list of sessions, not a int"),
        (lambda s: [s, "b"], ArgumentTypeError, "Lockstep takes sessions, not a str"),
        (lambda s: [s], ArgumentError, "a lockstep has two to 4 sides, not 1"),
        (lambda s: [small("root ::= [ab]", str(k)) for k in range(5)], ArgumentError, "two to 4 sides, not 5"),
        (lambda s: [s, s], ArgumentError, "a session is named twice"),
        (lambda s: [s, Session("root ::= [ab]", xgr.TokenizerInfo([b"a"]))], VocabularyError, "different vocabularies"),
    ],
)
def test_what_cannot_step_together_is_refused(sides: Callable[[Any], Any], error: type, message: str) -> None:
    with pytest.raises(error, match=message) as refused:
        Lockstep(sides(small("root ::= [ab]", "one")))
    assert refused.value.hint


def test_a_call_that_makes_no_sense_is_refused() -> None:
    both = Lockstep([small("root ::= [ab]", "one"), small("root ::= [ab]", "two")])
    for call in (lambda: both.step(0), lambda: both.back(-1), lambda: both.run(until="never")):  # type: ignore[arg-type]
        with pytest.raises(ArgumentError):
            call()
    with pytest.raises(SessionError, match="there is no step 7: the first side has 1"):
        both.held(7)
    with pytest.raises(SessionError, match="no side can step"):
        both.step()  # there is no model


def test_a_variant_of_what_is_no_template_takes_no_arguments(session: Session) -> None:
    with pytest.raises(SessionError, match="not an instance of a template"):
        session.variant(arguments={"a": 1})


def test_a_variant_has_all_that_is_not_changed(session: Session) -> None:
    session.set_sampling(top_k=5)
    two = session.variant(seed=9)
    assert (two.name, two.prompt, two.max_tokens) == ("one, seed 9", "A list: ", 24)
    assert two.sampling.to_wire() == {**session.sampling.to_wire(), "seed": 9}
    assert two.compiled is session.compiled
    assert session.variant(grammar=TWO, temperature=0.5).name == "one, other grammar, temperature 0.5"


def test_the_report_has_the_fields_of_its_record(session: Session) -> None:
    both = Lockstep([session, session.variant(grammar=TWO, name="two")])
    for n in (1, 23):
        wire = both.data().to_wire()
        assert adapter(schema.LockstepReport).validate_python(wire, extra="forbid") == wire
        both.run(n)


def test_the_first_difference_is_found_by_halving() -> None:
    roll = random.Random(7)
    for _ in range(500):
        a, b = (bytes(roll.choice(b"ab") for _ in range(roll.randrange(9))) for _ in range(2))
        wanted = next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), None)
        assert first_difference(a, b) == wanted
