"""The mask is made while the model runs, the grammar compiled while the model reads; and nothing else changes."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from contextlib import contextmanager
from functools import partial

import numpy as np
import pytest

import xg2lab as xgr
from tests.lab.fakes import FakeRunner, GatedRunner, QueueingRunner
from xg2lab.errors import GrammarError, SessionError
from xg2lab.lab import Session as AnySession
from xg2lab.lab import Trace
from xg2lab.lab.session import session as session_module
from xg2lab.lab.trace.lanes import Lanes

Session = partial(AnySession, overlap=True)

VOCAB = [b"a", b"b", b"ab", b"c", b"<end>", b"\xc3", b"\xa9"]
END = 4
GRAMMAR = "root ::= [abc]+"
COSTS = {
    "mask_us",
    "model_ms",
    "accept_us",
    "lanes",
    "cache",
    "way",
    "n_built",
    "n_adapted",
    "n_checked",
    "pool",
    "entries",
}


@pytest.fixture
def info():
    return xgr.TokenizerInfo(VOCAB, stop_token_ids=[END])


def endless(kind, **more):
    runner = kind(len(VOCAB), **more)
    runner.bias[END] = -99.0
    return runner


def facts(value):
    """A trace's wire without what it cost: the same whichever way it was made."""
    if isinstance(value, dict):
        left_out = (
            COSTS if "byte_begin" in value else {"compile_us", "compile_lane", "compile_passes", "overlap", "entry"}
        )
        return {key: facts(inner) for key, inner in value.items() if key not in left_out}
    return [facts(inner) for inner in value] if isinstance(value, list | tuple) else value


def walk(session, masks):
    """A bit of everything, each mask on the way kept."""

    def keep(_event):
        pending = session.trace.pending
        if pending is not None and pending.n_allowed is not None:
            masks.append(session.bitmask().tolist())

    session.subscribe(keep)
    session.step(4)
    session.back(2)
    session.step(3)
    codes = session.provenance()
    session.force(0 if codes is None else next(t for t, code in enumerate(codes) if code in (1, 2)))
    session.set_sampling(temperature=0.6)
    session.run(max_tokens=6)
    session.back_to(1)
    session.step(2)
    session.reset()
    session.step(2)
    session.reset("another prompt")
    session.run(max_tokens=5)
    return session


def threads():
    return [thread for thread in threading.enumerate() if thread.name.startswith("xg2lab model")]


@contextmanager
def no_thread_left():
    before = set(threads())
    yield
    deadline = time.monotonic() + 60
    while set(threads()) - before and time.monotonic() < deadline:
        gc.collect()
        time.sleep(0.01)
    assert not set(threads()) - before


# ---- On is off but for the times ----------------------------------------------------------------


@pytest.mark.parametrize("kind", [FakeRunner, QueueingRunner])
@pytest.mark.parametrize(
    ("grammar", "ways"),
    [
        (GRAMMAR, {}),
        ('root ::= ("abc" | "acb" | "é")+', {"jump_forward": True}),
        ("root ::= ([ab]{2,40} | [é] [c])+", {"options": xgr.EngineOptions(parser="pda")}),
        ("root ::= ([ab]{2,40} | [é] [c])*", {"options": xgr.EngineOptions(partial_jit_k="auto")}),
        ("root ::= ([a] [b]* [c])+", {"constrained": False}),
    ],
)
def test_tokens_masks_and_trace_are_the_same_with_and_without(info, kind, grammar, ways):
    for seed in range(3):
        masks = [[], []]
        on, off = (
            walk(Session(grammar, info, endless(kind), prompt="p", seed=seed, overlap=overlap, **ways), seen)
            for overlap, seen in zip((True, False), masks, strict=True)
        )
        assert len(masks[0]) > 1
        assert masks[0] == masks[1]
        assert on.output_ids == off.output_ids
        for one, two in zip([*on.past_traces, on.trace], [*off.past_traces, off.trace], strict=True):
            assert facts(one.to_wire()) == facts(two.to_wire())
            assert (one.header["overlap"], two.header["overlap"]) == (True, False)
            assert Trace.from_wire(one.to_wire()) == one
        ids = on.output_ids
        assert on._recorder.decoder.runner.tokens == [*b"another prompt", *ids] or on.status == "terminated"


def test_the_tiny_model_says_the_same_from_its_own_thread():
    pytest.importorskip("torch")
    settings = {"model": "tiny", "prompt": "What is the weather in Lisbon?", "seed": 3, "max_tokens": 30}
    on, off = (Session('root ::= "{" [a-z ,:"]+ "}"', overlap=overlap, **settings) for overlap in (True, False))
    on.run(), off.run()
    assert on.output_ids == off.output_ids
    assert facts(on.trace.to_wire(bulk=True)) == facts(off.trace.to_wire(bulk=True))


# ---- What the lanes say -----------------------------------------------------------------------


def test_the_mask_is_made_while_the_model_is_at_its_pass(info):
    runner = endless(GatedRunner)
    session = Session(GRAMMAR, info, runner)
    decoder, fill = session._recorder.decoder, session._recorder.decoder.fill
    runner.gate = threading.Event()

    def fill_and_open(matcher):
        assert runner.passes.wait(60)
        row = fill(matcher)
        runner.gate.set()  # only now may the pass end
        return row

    decoder.fill = fill_and_open
    for _ in range(3):
        runner.gate.clear(), runner.passes.clear()
        session.step()
    for step in session.trace.steps[1:]:
        assert step.lanes.model[0] <= step.lanes.mask[1] <= step.lanes.model[1]
        assert step.lanes.wait_ns <= max(0, step.lanes.model[0] - step.lanes.mask[0])


def test_lanes_overlap_by_themselves_on_a_gpu_only(info):
    on_cpu, on_gpu = (AnySession(GRAMMAR, info, endless(kind)) for kind in (FakeRunner, QueueingRunner))
    assert (on_cpu.trace.header["overlap"], on_gpu.trace.header["overlap"]) == (False, True)


def test_without_overlap_the_whole_mask_is_waited_for(info):
    before = set(threads())
    session = Session(GRAMMAR, info, endless(FakeRunner), overlap=False)
    session.step(3)
    for step in session.trace.steps:
        mask, model, apply = step.lanes.mask, step.lanes.model, step.lanes.apply
        assert mask[1] <= model[0] <= model[1] <= apply[0]
        assert step.lanes.wait_ns == mask[1] - mask[0]
        assert step.mask_us * 1e3 <= step.lanes.wait_ns
    assert not set(threads()) - before


def test_a_pass_on_a_gpu_ends_when_its_logits_are_there_and_hides_the_mask(info):
    runner, before = endless(QueueingRunner), set(threads())
    runner.delay_s = 0.02
    session = Session(GRAMMAR, info, runner)
    session.step(3)
    assert not set(threads()) - before  # the queue is the GPU's
    assert runner.forked.n_launched == 4
    for step in session.trace.steps:
        model, mask = step.lanes.model, step.lanes.mask
        assert model[0] <= mask[0] < mask[1] < model[1] <= step.lanes.apply[0]
        assert step.model_ms > 19
        assert step.lanes.wait_ns == 0


def test_lanes_of_a_run_stand_in_the_order_of_time(info):
    session = Session(GRAMMAR, info, endless(FakeRunner))
    session.step(6)
    begun = 0
    for step in session.trace.steps:
        lanes = step.lanes
        assert begun <= min(lanes.model[0], lanes.mask[0])
        assert max(lanes.model[1], lanes.mask[1]) <= lanes.apply[0] <= lanes.apply[1]
        assert step.model_ms == pytest.approx((lanes.model[1] - lanes.model[0]) / 1e6)
        if step.is_pending:
            assert lanes.sample is None
        else:
            assert lanes.apply[1] <= lanes.sample[0] <= lanes.sample[1]
            begun = lanes.sample[1]
    data = session.trace.data()
    assert data["model_begin_ns"].tolist() == [step.lanes.model[0] for step in session.trace.steps]
    assert data["wait_ns"].tolist() == [step.lanes.wait_ns for step in session.trace.steps]


def test_a_forced_token_was_not_drawn_and_a_session_without_a_model_has_mask_lanes_alone(info):
    session = Session(GRAMMAR, info, endless(FakeRunner))
    session.step()
    session.force("a")
    assert session.trace.steps[0].lanes.sample is not None
    assert session.trace.steps[1].lanes.sample is None
    alone = Session(GRAMMAR, info)
    alone.force("a")
    lanes = alone.trace.steps[0].lanes
    assert lanes == Lanes(mask=lanes.mask)
    assert lanes.wait_ns is None


# ---- Compile while the model reads the prompt ---------------------------------------------------


def test_the_grammar_is_compiled_while_the_model_reads_the_prompt(info, monkeypatch):
    runner, compiled_grammar = endless(GatedRunner), session_module.compiled_grammar
    runner.gate = threading.Event()

    def compile_and_open(*arguments):
        assert runner.passes.wait(60), "the model should be reading by now"
        compiled = compiled_grammar(*arguments)
        runner.gate.set()
        return compiled

    monkeypatch.setattr(session_module, "compiled_grammar", compile_and_open)
    session = Session(GRAMMAR, info, runner, prompt="hi")
    begin, end = session.trace.header["compile_lane"]
    prefill = session.trace.steps[0].lanes.model
    assert prefill[0] < end <= prefill[1]
    assert begin < end
    assert runner.forked.tokens == [*b"hi"]  # read once
    session.reset("other")
    assert session.trace.header["compile_lane"] is None
    assert session.past_traces[0].header["compile_lane"] == [begin, end]


def test_a_grammar_that_was_compiled_has_no_compile_lane(info):
    compiled = xgr.GrammarCompiler(info).compile_grammar(GRAMMAR)
    assert Session(compiled, info, endless(FakeRunner)).trace.header["compile_lane"] is None


def test_a_wrong_grammar_is_told_at_once_and_the_pass_ends_by_itself(info):
    runner = endless(GatedRunner)
    runner.gate = threading.Event()
    with no_thread_left():
        with pytest.raises(GrammarError, match="nowhere"):
            Session("root ::= nowhere", info, runner, prompt="hi")  # the gate is shut: the prompt is still being read
        assert runner.passes.is_set()
        runner.gate.set()


# ---- Errors -----------------------------------------------------------------------


@pytest.mark.parametrize("kind", [FakeRunner, QueueingRunner])
def test_a_failing_pass_is_raised_once_and_asked_again(info, kind):
    runner = endless(kind)
    session, twin = Session(GRAMMAR, info, runner), Session(GRAMMAR, info, endless(kind))
    session.step(2)
    runner.errors.append(MemoryError("no room"))
    with pytest.raises(SessionError, match="MemoryError: no room"):
        session.step()
    assert (session.trace.n_decided, session.status) == (3, "error")
    session.step()
    twin.step(4)
    assert session.output_ids == twin.output_ids
    assert session.error is None


def test_an_error_of_the_mask_does_not_wait_for_the_model_and_loses_neither():
    info = xgr.TokenizerInfo([b"a", b"<end>"], stop_token_ids=[1])
    runner = GatedRunner(2)
    session = Session('root ::= "a" "b"', info, runner, prompt="hi")
    runner.gate = threading.Event()
    with pytest.raises(SessionError, match="can follow byte 1"):
        session.force("a")  # the pass is still at the shut gate
    assert (session.status, session.text) == ("error", "a")
    runner.gate.set()
    session.back()
    assert session.status == "idle"
    assert runner.forked.tokens == [*b"hi"]


def test_when_both_lanes_fail_each_error_is_raised_once(info, monkeypatch):
    runner = endless(FakeRunner)
    session = Session(GRAMMAR, info, runner)
    session.step()
    decoder, fill = session._recorder.decoder, session._recorder.decoder.fill
    broken = [RuntimeError("the mask's")]
    monkeypatch.setattr(decoder, "fill", lambda m: fill(m) if not broken else (_ for _ in ()).throw(broken.pop()))
    runner.errors.append(RuntimeError("the model's"))
    with pytest.raises(SessionError, match="the mask's"):
        session.step()
    with pytest.raises(SessionError, match="the model's"):
        session.step()
    assert session.trace.n_decided == 2
    session.step()
    assert runner.forked.tokens[1:] == session.output_ids


def test_going_back_drops_the_error_of_a_pass_that_nobody_needs(info, monkeypatch):
    runner = endless(FakeRunner)
    session = Session(GRAMMAR, info, runner)
    session.step(2)
    decoder = session._recorder.decoder
    with monkeypatch.context() as patch:
        patch.setattr(decoder, "fill", lambda _: 1 / 0)
        runner.errors.append(RuntimeError("the model's"))
        with pytest.raises(SessionError, match="ZeroDivisionError"):
            session.step()
    session.back()
    assert session.error is None
    session.step(2)
    assert runner.forked.tokens[1:] == session.output_ids


# ---- Cancelling, and what is left behind --------------------------------------------------------


@pytest.fixture
def interrupts():
    """SIGINT raises KeyboardInterrupt, also where the tests were started with it ignored, as a background job is."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interrupts")
def test_an_interrupt_comes_through_at_once_and_nothing_is_lost(info):
    runner = endless(GatedRunner)
    session, twin = Session(GRAMMAR, info, runner), Session(GRAMMAR, info, endless(FakeRunner))
    session.step(2)
    runner.gate = threading.Event()
    runner.passes.clear()

    def interrupt():
        runner.passes.wait(60)
        time.sleep(0.05)
        os.kill(os.getpid(), 2)  # SIGINT, as Jupyter's stop button sends it

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        session.step()  # the pass never ends while the gate is shut
    assert session.trace.n_decided == 3
    runner.gate.set()
    session.step(2)
    twin.step(5)
    assert session.output_ids == twin.output_ids
    assert runner.forked.tokens[1:] == session.output_ids


def test_a_run_is_paused_after_the_step_it_is_in(info):
    session = Session(GRAMMAR, info, endless(FakeRunner))
    session.start()
    while session.trace.n_decided < 3:
        time.sleep(0.001)
    session.pause()
    assert session.wait(60)
    assert session.status == "paused"
    assert session.trace.pending is not None


def test_a_session_that_is_dropped_leaves_no_thread(info):
    with no_thread_left():
        session = Session(GRAMMAR, info, endless(FakeRunner))
        session.step(2)
        assert len(threads()) >= 1
        gone = weakref.ref(session)
        del session
        gc.collect()
        assert gone() is None


def test_sessions_use_one_thread_each_however_many_steps(info):
    before = set(threads())
    sessions = [Session(GRAMMAR, info, endless(FakeRunner), seed=seed) for seed in range(3)]
    for session in sessions:
        session.step(20)
    assert len(set(threads()) - before) == 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_forked_process_goes_on_with_a_thread_of_its_own(info):
    session, twin = Session(GRAMMAR, info, endless(FakeRunner)), Session(GRAMMAR, info, endless(FakeRunner))
    session.step(2)
    twin.step(5)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            session.step(3)
            status = int(session.output_ids != twin.output_ids)
        finally:
            os._exit(status)
    deadline = time.monotonic() + 120
    while (done := os.waitpid(child, os.WNOHANG))[0] == 0 and time.monotonic() < deadline:
        time.sleep(0.01)
    if done[0] == 0:
        os.kill(child, 9)
        os.waitpid(child, 0)
    assert done == (child, 0)


def test_python_ends_while_a_pass_is_in_flight():
    code = """
import threading, time
import xg2lab as xgr
from tests.lab.fakes import FakeRunner
from xg2lab.lab.trace.lanes import Clock
from xg2lab.lab.model.model_lane import ModelLane
class Slow(FakeRunner):
    def prefill(self, ids):
        time.sleep(0.3)
        return super().prefill(ids)
lane = ModelLane(Slow(5), Clock(), prompt="hi")
lane.begin([])
print("bye")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "bye\n", "")


def test_launch_and_prefill_read_the_same():
    pytest.importorskip("torch")
    from xg2lab.lab.model.model_runner import ModelRunner

    one, two = ModelRunner.tiny(), ModelRunner.tiny()
    ids = one.tokenizer("What is the weather in").input_ids
    one.launch(ids)
    began = time.perf_counter_ns()
    np.testing.assert_array_equal(one.logits_numpy(), two.prefill(ids))
    assert one.tokens == two.tokens
    assert not one.is_asynchronous  # the tiny model is on the CPU
    assert 0 < one.last_end_ns <= began
    assert one.last_forward_ns > 0
