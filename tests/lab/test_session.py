"""A session on a hand-sized vocabulary with a model that is a function of what it has read."""

from __future__ import annotations

import math

import numpy as np
import pytest

import xg2lab as xgr
from tests.lab.fakes import FakeRunner
from xg2lab.errors import LimitError, SessionError, VocabularyError, Xg2LabError
from xg2lab.lab import Session, Trace
from xg2lab.lab.session.decoder import Limits
from xg2lab.lab.session.session import BlockedTokenError

VOCAB = [b"a", b"b", b"ab", b"c", b"<end>", b"\xc3", b"\xa9"]
END = 4
GRAMMAR = 'root ::= "abc" | "acb" | "abbc"'


@pytest.fixture
def info():
    return xgr.TokenizerInfo(VOCAB, stop_token_ids=[END])


@pytest.fixture
def runner():
    return FakeRunner(len(VOCAB))


COSTS = {
    "mask_us", "model_ms", "accept_us", "lanes", "cache", "way", "n_built", "n_adapted", "n_checked", "pool", "entries",
    "explain",
}  # fmt: skip


def facts(step):
    """What a step says, without its costs."""
    wire = step.to_wire()
    return {k: v for k, v in wire.items() if k not in COSTS}


def endless():
    """A model that hardly ever ends."""
    runner = FakeRunner(len(VOCAB))
    runner.bias[END] = -99.0
    return runner


# ---- Stepping -----------------------------------------------------------------------


def test_a_run_ends_in_a_sentence_of_the_grammar_and_records_every_decision(info, runner):
    session = Session(GRAMMAR, info, runner, prompt="hi")
    assert (session.status, session.trace.pending.index) == ("idle", 0)
    steps = session.run()
    assert session.text in {"abc", "acb", "abbc"}
    assert (session.status, session.trace.pending) == ("terminated", None)
    assert steps == session.trace.steps
    assert session.output_ids[-1] == END
    assert [s.terminated for s in steps] == [False] * (len(steps) - 1) + [True]
    assert (steps[-1].kind, steps[-1].n_bytes, steps[-1].text) == ("forced_by_grammar", 0, "<end>")
    assert runner.forked.tokens == [*b"hi", *session.output_ids[:-1]]
    assert Trace.from_wire(session.trace.to_wire()) == session.trace


def test_a_rule_that_asks_for_a_temperature_is_sampled_at_it(info, runner):
    session = Session("root ::= x [ac]   x[temperature=0] ::= [abc]", info, runner, prompt="hi", temperature=3.0)
    step = session.step()[0]
    assert [c.token_id for c in step.top if c.q > 0] == [step.token_id]  # greedy
    pending = session.trace.pending
    assert sum(c.q > 0 for c in pending.top) == pending.n_allowed == 2


def test_the_figures_of_a_step_follow_from_the_logits_and_the_mask(info, runner):
    session = Session(GRAMMAR, info, runner, prompt="hi", temperature=0.7)
    session.step()
    for step in session.step(2):
        reader = FakeRunner(len(VOCAB))
        logits = reader.prefill([*b"hi", *session.output_ids[: step.index]]).astype(float) / 0.7
        p = np.exp(logits) / np.exp(logits).sum()
        allowed = [t for t in range(len(VOCAB)) if session.explain(t, step.index)["allowed"]]
        z = p[allowed].sum()
        assert step.n_allowed == len(allowed)
        assert step.z == pytest.approx(z)
        assert step.kl == pytest.approx(-math.log(z))
        assert step.p == pytest.approx(p[step.token_id])
        assert step.q == pytest.approx(p[step.token_id] / z)
        assert step.rank == 1 + sum(p > p[step.token_id])
        assert [c.token_id for c in step.top[: len(VOCAB)]] == list(np.argsort(-p))
        assert {c.token_id for c in step.top if c.q > 0} == set(allowed)


def test_the_same_seed_gives_the_same_output_and_another_attempt_another_draw(info):
    def outputs(seed):
        session = Session("root ::= [abc]+", info, endless(), seed=seed)
        session.step(8)
        first = session.output_ids
        session.back(8)
        session.step(8)
        return first, session.output_ids

    assert outputs(1) == outputs(1)
    assert outputs(1) != outputs(2)
    assert any(first != second for first, second in map(outputs, range(5)))


def test_step_stops_where_the_output_ends_and_refuses_to_go_on(info, runner):
    session = Session('root ::= "c"', info, runner)
    assert [s.text for s in session.step(10)] == ["c", "<end>"]
    with pytest.raises(SessionError, match="has ended") as caught:
        session.step()
    assert "back()" in caught.value.hint
    assert session.status == "terminated"
    session.back()
    assert session.status == "completed"


def test_one_allowed_token_is_forced_by_the_grammar(info, runner):
    session = Session('root ::= "c"', info, runner)
    (step,) = session.step()
    assert (step.kind, step.n_allowed, step.q) == ("forced_by_grammar", 1, 1.0)


def test_what_the_model_can_read_ends_a_run_and_refuses_a_step(info):
    class ShortRunner(FakeRunner):
        max_n_tokens = 7

        def fork(self):
            return self

        def forward(self, token_id):
            assert len(self.tokens) < self.max_n_tokens, "it was given more than it reads"
            return super().forward(token_id)

    session = Session("root ::= [abc]{9}", info, ShortRunner(len(VOCAB)), prompt="ab")
    n_prompt = len(session.model.tokenizer("ab").input_ids)
    most = session.trace.header["most_tokens"]
    assert most == 7 - n_prompt > 0
    assert len(session.run()) == most
    assert session.status == "idle"
    with pytest.raises(LimitError, match=f"fake can read {most} tokens after this prompt") as refused:
        session.step()
    assert "shorter prompt" in refused.value.hint
    session.back(1)
    assert len(session.run()) == 1
    session.reset("ababa")
    assert session.trace.header["most_tokens"] < most


def test_max_tokens_ends_a_run_and_refuses_a_step(info, runner):
    runner.bias[END] = -99.0
    session = Session("root ::= [abc]*", info, runner, max_tokens=5)
    assert len(session.run()) == 5
    assert session.status == "completed"
    with pytest.raises(LimitError, match="limit of 5"):
        session.step()
    with pytest.raises(LimitError):
        session.force("a")
    session.max_tokens = 6
    assert len(session.step()) == 1


# ---- Going back -----------------------------------------------------------------------


def test_going_back_restores_every_earlier_state_exactly(info, runner):
    runner.bias[END] = -99.0
    session = Session("root ::= [abc]+", info, runner, prompt="x")
    states = []
    for _ in range(6):
        states.append(
            (facts(session.trace.pending), session.bitmask(), session.probabilities(), len(session.trace.columns))
        )
        session.step()
    for n_decided in range(5, -1, -1):
        session.back()
        pending, mask, p, n_columns = states[n_decided]
        assert facts(session.trace.pending) == pending
        assert (session.bitmask() == mask).all()
        assert (session.probabilities() == p).all()
        assert len(session.trace.columns) == n_columns
        assert runner.forked.tokens == [*b"x", *session.output_ids]
    assert [b.at for b in session.trace.branches] == [5, 4, 3, 2, 1, 0]
    assert session.text == ""


def test_going_back_past_the_beginning_is_refused_and_changes_nothing(info, runner):
    session = Session(GRAMMAR, info, runner)
    session.step(2)
    wire = session.trace.to_wire()
    for n in (3, 0, -1):
        with pytest.raises(SessionError, match=f"can't go back {n}"):
            session.back(n)
    assert session.trace.to_wire() == wire


def test_back_over_the_stop_token_and_on(info, runner):
    session = Session(GRAMMAR, info, runner)
    steps = session.run()
    assert session.back(len(steps)) == steps
    session.force("abbc")
    session.force(END)
    assert (session.text, session.status) == ("abbc", "terminated")


def test_going_back_to_a_step_leaves_the_later_ones_as_a_branch(info, runner):
    session = Session(GRAMMAR, info, runner, prompt="hi")
    session.run()
    before = list(session.trace.steps)
    taken = session.back_to(1)
    assert taken == before[1:]
    assert (session.trace.pending.index, session.trace.branches[-1].at) == (1, 1)
    assert list(session.trace.branches[-1].steps) == before[1:]
    for step, where in ((1, "is the newest"), (5, "can't go back to step 5"), (-1, "can't go back to step -1")):
        with pytest.raises(SessionError, match=where):
            session.back_to(step)
    assert (session.trace.n_decided, len(session.trace.branches)) == (1, 1)
    session.back_to(0)
    with pytest.raises(SessionError, match="step 0 is the newest"):
        session.back_to(0)


def test_a_token_forced_at_an_earlier_step_leaves_the_later_ones_as_a_branch(info, runner):
    session = Session(GRAMMAR, info, runner, prompt="hi")
    session.run()
    assert session.status == "terminated"
    before = list(session.trace.steps)
    token = next(k for k in range(info.vocab_size) if session.explain(k, 1)["allowed"])
    blocked = next(k for k in range(info.vocab_size) if not session.explain(k, 1)["allowed"])
    with pytest.raises(BlockedTokenError, match="is blocked"):
        session.force(blocked, step=1)
    for step in (-1, len(before) + 1):
        with pytest.raises(SessionError, match=f"can't force a token at step {step}: the newest step is"):
            session.force(token, step=step)
    assert (list(session.trace.steps), len(session.trace.branches)) == (before, 0), "nothing is taken back"
    session.select(step=1, token=token)
    assert [step.kind for step in session.force(token, step=1)] == ["forced_by_user"]
    assert set(session.selection.values()) == {None}
    assert [step.token_id for step in session.trace.steps[:2]] == [before[0].token_id, token]
    assert (session.trace.branches[-1].at, list(session.trace.branches[-1].steps)) == (1, before[1:])


def test_undoing_a_force_takes_back_the_newest_token_if_the_user_forced_it(info, runner):
    session = Session(GRAMMAR, info, runner, prompt="hi")
    with pytest.raises(SessionError, match="was not forced by the user"):
        session.undo_force()
    session.force("ab")
    n = session.trace.n_decided
    assert [step.kind for step in session.undo_force()] == ["forced_by_user"]
    assert session.trace.n_decided == n - 1
    session.force("a" if n == 1 else "b")
    session.step()
    with pytest.raises(SessionError, match="the last one forced is step 0") as refused:
        session.undo_force()
    assert "back_to(0)" in (refused.value.hint or "")


def test_reset_keeps_the_decisions_and_another_prompt_keeps_the_trace(info, runner):
    session = Session(GRAMMAR, info, runner, prompt="one")
    steps = session.run()
    session.reset()
    assert [list(b.steps) for b in session.trace.branches] == [steps]
    assert (session.text, session.status, session.prompt) == ("", "idle", "one")
    old = session.trace
    session.reset("two")
    assert session.past_traces == [old]
    assert (session.prompt, session.trace.branches, runner.forked.tokens) == ("two", [], [*b"two"])
    assert [f"{c:.6f}" for c in session.probabilities()] != [f"{c[2]:.6f}" for c in old.steps[0].top]


@pytest.mark.parametrize("prompt", ["\ud800", 7, b"two"])
def test_a_prompt_that_is_no_text_changes_nothing(info, runner, prompt):
    session = Session(GRAMMAR, info, runner, prompt="one")
    session.step(2)
    with pytest.raises(Xg2LabError, match=r"^prompt "):
        session.reset(prompt)
    assert (session.prompt, session.trace.n_decided, session.status) == ("one", 2, "idle")
    with pytest.raises(Xg2LabError, match=r"^prompt "):
        Session(GRAMMAR, info, runner, prompt=prompt)


# ---- Forcing -----------------------------------------------------------------------


def test_text_is_forced_as_its_longest_tokens_all_or_nothing(info, runner):
    session = Session(GRAMMAR, info, runner)
    assert [s.text for s in session.force("abb")] == ["ab", "b"]
    assert {s.kind for s in session.trace.steps[:2]} == {"forced_by_user"}
    with pytest.raises(BlockedTokenError):
        session.force(b"cc")
    assert session.text == "abb"
    session.force(b"c")
    assert session.text == "abbc"


def test_a_blocked_token_is_refused_with_its_explanation_and_changes_nothing(info, runner):
    session = Session(GRAMMAR, info, runner)
    session.force("ab")
    wire = session.trace.to_wire()
    with pytest.raises(BlockedTokenError) as caught:
        session.force(0)
    why = caught.value.explanation
    assert (why["token_id"], why["allowed"], why["died_at"]) == (0, False, 0)
    assert why["mechanism"] in str(caught.value)
    assert why["expected_text"] == "[bc]"
    assert why["expected_by"][0]["line"] == 1
    assert session.trace.to_wire() == wire
    assert session.status == "idle"


@pytest.mark.parametrize(
    ("token", "error", "match"),
    [
        (99, VocabularyError, "no token 99"),
        (-1, VocabularyError, "no token -1"),
        ("", SessionError, "no text"),
        ("xyz", SessionError, "no tokens of the vocabulary spell"),
        ("<end>", SessionError, "no tokens of the vocabulary spell"),
        (END, BlockedTokenError, "stop"),
    ],
)
def test_what_can_not_be_forced_is_refused(info, runner, token, error, match):
    session = Session(GRAMMAR, info, runner)
    with pytest.raises(error, match=match):
        session.force(token)
    assert (session.trace.n_decided, session.status) == (0, "idle")


def test_a_session_without_a_model_moves_by_force_only(info):
    session = Session(GRAMMAR, info)
    assert session.probabilities() is None
    assert {c.text for c in session.trace.pending.top} == {"a", "ab"}
    with pytest.raises(SessionError, match="no model") as caught:
        session.step()
    assert "'ab'" in caught.value.hint
    (step,) = session.force("ab")
    assert (step.p, step.q, step.z, step.rank, step.model_ms) == (None,) * 5
    assert step.n_allowed == 2
    assert Trace.from_wire(session.trace.to_wire()) == session.trace


def test_a_session_needs_a_vocabulary_from_somewhere():
    with pytest.raises(SessionError, match="needs a vocabulary"):
        Session(GRAMMAR)


def test_a_compiled_grammar_brings_its_vocabulary(info):
    compiled = xgr.GrammarCompiler(info).compile_grammar(GRAMMAR)
    session = Session(compiled)
    session.force("abc")
    assert session.status == "completed"


# ---- Jumping forward -----------------------------------------------------------------------


def test_forced_text_is_written_at_once_and_marked(info, runner):
    session = Session('root ::= "abb" [ab] "cab"', info, runner, jump_forward=True)
    assert [(s.kind, s.text) for s in session.step()] == [("jump_forward", "ab"), ("jump_forward", "b")]
    (choice,) = session.step()
    assert choice.kind == "sampled"
    session.run()
    kinds = [s.kind for s in session.trace.steps]
    assert kinds[:2] + kinds[3:] == ["jump_forward"] * (len(kinds) - 2) + ["forced_by_grammar"]


def test_bytes_of_a_character_are_written_where_the_mask_has_one_token(info, runner):
    session = Session("root ::= [é] | [è]", info, runner, jump_forward=True)  # no token has the second byte of è
    assert [(step.kind, step.bytes) for step in session.step()] == [("jump_forward", "c3"), ("jump_forward", "a9")]


def test_special_tokens_are_written_without_the_model(runner):
    info = xgr.TokenizerInfo(VOCAB, stop_token_ids=[END], special_token_ids=[3])
    session = Session('root ::= Token(3) "ab" Token(3) [ab] Token(3)', info, runner, jump_forward=True)
    assert [(step.kind, step.token_id) for step in session.step()] == [
        ("jump_forward", token_id) for token_id in (3, VOCAB.index(b"ab"), 3)
    ]
    (choice,) = session.step()
    assert choice.kind == "sampled"
    assert [(step.kind, step.token_id) for step in session.step()] == [("jump_forward", 3)]


def test_jumping_respects_the_number_of_tokens_asked_for(info, runner):
    session = Session('root ::= "abababab"', info, runner, jump_forward=True)
    assert len(session.run(max_tokens=3)) == 3
    session.max_tokens = 4
    assert len(session.step()) == 1
    with pytest.raises(LimitError):
        session.step()


# ---- Without the mask -----------------------------------------------------------------------


def test_an_unconstrained_session_says_where_it_left_the_grammar(info, runner):
    session = Session(GRAMMAR, info, runner, constrained=False)
    session.force("ab")
    assert session.trace.broke is None
    session.force("ac")
    broke = session.trace.broke
    assert (broke["step"], broke["byte"], broke["token_id"]) == (1, 2, 0)
    assert broke["expected_by"][0]["line"] == 1
    pending = session.trace.pending
    assert (pending.n_allowed, pending.z, pending.cache, pending.live) == (None, None, None, [])
    assert session.provenance() is None
    with pytest.raises(SessionError, match="left the grammar"):
        session.explain("a")
    assert session.explain("a", step=1)["allowed"] is False
    assert Trace.from_wire(session.trace.to_wire()) == session.trace
    session.back()
    assert session.trace.broke is not None
    session.back()
    assert session.trace.broke is None
    assert session.trace.pending.n_allowed == 2


def test_the_byte_of_the_break_is_inside_the_token(info, runner):
    session = Session('root ::= "ac"', info, runner, constrained=False)
    session.force(2)  # "ab": its first byte fits
    assert (session.trace.broke["step"], session.trace.broke["byte"]) == (0, 1)


def test_ending_too_early_breaks_the_grammar(info, runner):
    session = Session(GRAMMAR, info, runner, constrained=False)
    session.force("ab")
    session.force(END)
    assert session.status == "terminated"
    assert (session.trace.broke["byte"], session.trace.broke["mechanism"]) == (2, "stop_not_legal")


def test_constrained_and_unconstrained_differ_by_the_mask_alone(info):
    everything, common = "root ::= ([abc] | [é])*", []
    for seed in range(10):
        one = Session(everything, info, FakeRunner(len(VOCAB)), seed=seed, max_tokens=30)
        two = Session(everything, info, FakeRunner(len(VOCAB)), seed=seed, max_tokens=30, constrained=False)
        one.run(), two.run()
        pairs = list(zip(one.trace.steps, two.trace.steps, strict=False))
        first = next((i for i, (a, b) in enumerate(pairs) if a.token_id != b.token_id), len(pairs))
        assert [a.z for a, _ in pairs[: first + 1]] == [b.z for _, b in pairs[: first + 1]]
        if first < len(pairs):
            assert not two.explain(pairs[first][1].token_id, step=first)["allowed"]
        common.append(first)
    assert max(common) > 1


# ---- Running -----------------------------------------------------------------------


def test_a_run_can_end_at_the_end_of_a_rule(info, runner):
    session = Session('root ::= word "c" word\nword ::= "a" word? "b"', info, runner, seed=1)
    session.run(until="rule_end")
    first = session.text
    assert first.count("a") == first.count("b") == len(first) / 2
    session.force("c")
    session.run(until="rule_end")
    second = session.text.removeprefix(first + "c")
    assert second.count("a") == second.count("b") == len(second) / 2
    assert session.status == "completed"


def test_a_run_can_end_where_the_allowed_mass_is_small(info, runner):
    session = Session("root ::= [ab]* | [c] [c] [c]", info, runner)
    session.run(max_tokens=50, until=("z", 0.3))
    assert session.trace.pending is None or session.trace.pending.z < 0.3 or len(session.trace) == 51
    assert all(s.z >= 0.3 for s in session.trace.steps[1:-1])


def test_a_run_can_end_where_a_function_says(info, runner):
    runner.bias[END] = -99.0
    session = Session("root ::= [ab]+", info, runner)
    session.run(until=lambda s: len(s.text) >= 7)
    assert len(session.text) in (7, 8)


def test_a_run_that_knows_no_end_is_refused(info, runner):
    session = Session(GRAMMAR, info, runner)
    with pytest.raises(SessionError, match="can't end at"):
        session.run(until="tomorrow")
    assert session.status == "idle"


# ---- Failures -----------------------------------------------------------------------


def test_a_failing_model_loses_nothing_and_can_be_asked_again(info, runner):
    runner.bias[END] = -99.0
    twin = Session("root ::= [abc]+", info, endless())
    session = Session("root ::= [abc]+", info, runner)
    session.step(3)
    kept, seen = list(session.trace.steps[:3]), []
    session.subscribe(seen.append)
    runner.errors.append(MemoryError("no room"))
    with pytest.raises(SessionError, match="MemoryError: no room") as caught:
        session.step()
    assert isinstance(caught.value.__cause__, MemoryError)
    assert (session.status, session.error) == ("error", caught.value)
    assert session.trace.steps[:3] == kept
    assert session.trace.n_decided == 4  # the token was chosen and accepted before the model failed
    assert [e["type"] for e in seen] == ["step", "status"]
    assert Trace.from_wire(session.trace.to_wire()) == session.trace
    session.step()
    twin.step(5)
    assert session.output_ids == twin.output_ids
    assert (session.status, session.error) == (twin.status, None)


def test_a_step_can_be_taken_back_after_a_failure(info, runner):
    runner.bias[END] = -99.0
    session = Session("root ::= [abc]+", info, runner)
    session.step(3)
    before = facts(session.trace.pending)
    runner.errors.append(RuntimeError("boom"))
    with pytest.raises(SessionError):
        session.step()
    session.back()
    assert facts(session.trace.pending) == before
    assert session.status in ("idle", "completed")
    assert runner.forked.tokens[1:] == session.output_ids


def test_an_interrupt_between_two_steps_of_the_work_is_mended(info, runner):
    runner.bias[END] = -99.0
    session = Session("root ::= [abc]+", info, runner)
    session.step(2)
    runner.errors.append(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        session.step()
    assert session.trace.n_decided == 3
    session.step(2)
    assert runner.forked.tokens[1:] == session.output_ids
    assert session.explain(0)["allowed"]


@pytest.mark.parametrize(("n_logits", "remedy"), [(9, "vocab_size=9"), (5, "not this model's")])
def test_logits_of_another_width_than_the_vocabulary_are_refused(info, n_logits, remedy):
    with pytest.raises(VocabularyError, match=f"{n_logits} logits.*{len(VOCAB)} tokens") as caught:
        Session(GRAMMAR, info, FakeRunner(len(VOCAB), n_logits=n_logits))
    assert remedy in caught.value.hint


def test_a_vocabulary_that_can_not_spell_the_grammar_is_named():
    info = xgr.TokenizerInfo([b"a", b"<end>"], stop_token_ids=[1])
    session = Session('root ::= "a" "b"', info)
    with pytest.raises(SessionError, match="can follow byte 1") as caught:
        session.force("a")
    assert "spell" in caught.value.hint
    assert (session.status, session.text) == ("error", "a")
    session.back()
    assert session.status == "idle"


# ---- Limits, selection, events ------------------------------------------------------------------


def test_limits_are_kept_and_noted(info, runner):
    limits = Limits(bulk_bytes=60, chart_columns=4)
    runner.bias[END] = -99.0
    session = Session("root ::= [abc]+", info, runner, limits=limits)
    session.step(10)
    assert len(session.trace.columns) == 4
    assert session.trace.bulk.n_bytes <= 60
    assert len(session.trace.notes) == 2
    assert (session.provenance(0) == [1, 1, 1, 1, 6, 0, 0]).all()  # asked anew
    assert session.probabilities(0) is None


def test_bulk_of_a_decided_step_is_what_it_was(info, runner):
    session = Session(GRAMMAR, info, runner)
    p, codes = session.probabilities(), session.provenance()
    session.step(2)
    assert session.probabilities(0) == pytest.approx(p, rel=0.042, abs=1.1e-9)
    assert (session.provenance(0) == codes).all()


def test_sampling_can_be_changed_at_the_pending_step(info, runner):
    session = Session(GRAMMAR, info, runner)
    z, seen = session.trace.pending.z, []
    session.subscribe(seen.append)
    session.set_sampling(temperature=0.1)
    assert session.trace.pending.z != z
    assert session.trace.header["sampling"]["temperature"] == 0.1
    assert [(e["type"], e["step"], e["pending"].index) for e in seen] == [("step", None, 0)]
    with pytest.raises(SessionError, match="heat"):
        session.set_sampling(heat=3)
    with pytest.raises(SessionError, match="temperature"):
        session.set_sampling(temperature=-3)


def test_the_selection_is_shared_and_follows_a_roll_back(info, runner):
    session = Session(GRAMMAR, info, runner)
    seen = []
    stop = session.subscribe(seen.append)
    session.step(2)
    session.select(step=1, token=3)
    assert seen[-1] == {"type": "selection", "selection": session.selection}
    session.back(2)
    assert (session.selection["step"], session.selection["token"]) == (0, None)
    with pytest.raises(SessionError, match="colour"):
        session.select(colour="red")
    stop()
    n = len(seen)
    session.step()
    assert len(seen) == n


def test_a_subscriber_that_fails_hurts_neither_the_step_nor_the_others(info, runner, caplog):
    session, seen = Session(GRAMMAR, info, runner), []
    session.subscribe(lambda _: 1 / 0)
    session.subscribe(seen.append)
    session.step()
    assert [e["type"] for e in seen] == ["step"]
    assert seen[0]["step"] == session.trace.steps[0]
    assert seen[0]["pending"] == session.trace.pending
    assert len(seen[0]["columns"]) == session.trace.steps[0].n_bytes
    assert "ZeroDivisionError" in caplog.text


def test_asking_about_a_step_that_is_not_there_is_refused(info, runner):
    session = Session(GRAMMAR, info, runner)
    for ask in (lambda: session.explain("a", 1), lambda: session.provenance(-1), lambda: session.bitmask(7)):
        with pytest.raises(SessionError, match="there is no step"):
            ask()
