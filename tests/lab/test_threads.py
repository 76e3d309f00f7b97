"""One session, many threads: steps are whole, the trace consistent, a run gives way."""

from __future__ import annotations

import threading
import time

import pytest

import xg2lab as xgr
from tests.lab.fakes import FakeRunner
from xg2lab.errors import SessionError
from xg2lab.lab import Session, Trace
from xg2lab.lab.session.turns import TurnLock

VOCAB = [b"a", b"b", b"ab", b"c", b"<end>"]


class SlowRunner(FakeRunner):
    """A forward pass takes 5 ms, during which other threads run."""

    def fork(self):
        self.forked = SlowRunner(self.vocab_size)
        self.forked.bias[4] = -99.0
        self.forked.errors = self.errors
        return self.forked

    def forward(self, token_id):
        time.sleep(0.005)
        return super().forward(token_id)


@pytest.fixture
def session():
    return Session("root ::= [abc]*", xgr.TokenizerInfo(VOCAB, stop_token_ids=[4]), SlowRunner(len(VOCAB)), seed=1)


def in_threads(*works):
    errors = []

    def guarded(work):
        try:
            work()
        except Exception as error:  # noqa: BLE001 (reported by the test)
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not any(thread.is_alive() for thread in threads)
    return errors


def test_steps_from_four_threads_make_one_consistent_trace(session):
    twin = Session("root ::= [abc]*", session.tokenizer_info, SlowRunner(len(VOCAB)), seed=1)
    seen = []
    session.subscribe(seen.append)
    assert in_threads(*[lambda: [session.step() for _ in range(10)]] * 4) == []
    twin.step(40)
    assert session.output_ids == twin.output_ids  # as if one thread had taken them all
    assert [e["step"].index for e in seen if e["type"] == "step"] == list(range(40))
    assert Trace.from_wire(session.trace.to_wire()) == session.trace


def test_stepping_back_explaining_and_reading_at_once_keeps_the_trace_whole(session):
    session.step(9)
    errors = in_threads(
        lambda: [session.step() for _ in range(20)],
        lambda: [session.back() for _ in range(8)],
        lambda: [session.explain("a", 0) for _ in range(40)],
        lambda: [Trace.from_wire(session.trace.to_wire()) for _ in range(5)],
    )
    assert errors == []
    assert session.trace.n_decided == 9 + 20 - 8
    assert Trace.from_wire(session.trace.to_wire()) == session.trace
    assert session._recorder.decoder.runner.tokens[1:] == session.output_ids


def test_a_run_in_a_thread_is_paused_at_once_and_goes_on(session):
    statuses = []
    session.subscribe(lambda e: e["type"] == "status" and statuses.append(e["status"]))
    session.start()
    while session.trace.n_decided < 3:
        time.sleep(0.001)
    with pytest.raises(SessionError, match="running already"):
        session.run()
    session.pause()
    assert session.wait(60)
    n = session.trace.n_decided
    time.sleep(0.02)
    assert (session.trace.n_decided, session.status) == (n, "paused")
    session.start(max_tokens=4)
    assert session.wait(60)
    assert session.trace.n_decided == n + 4
    assert statuses == ["running", "paused", "running", "completed"]


def test_going_back_interrupts_a_run(session):
    session.start()
    while session.trace.n_decided < 5:
        time.sleep(0.001)
    taken_back = session.back(2)
    assert session.wait(60)
    assert taken_back[0].index in (session.trace.n_decided, session.trace.n_decided - 1)
    assert session.status == "paused"


def test_a_question_gets_its_turn_during_a_run(session):
    """A step ends only when a question waits for it, so each step that a question must wait for is counted."""
    asking, runner = threading.Event(), session._recorder.decoder.runner
    forward = runner.forward

    def as_a_question_waits(token_id):
        while asking.is_set() and not session._lock._queue.locked():
            time.sleep(0.0001)
        return forward(token_id)

    runner.forward = as_a_question_waits
    asking.set()
    session.start()
    for _ in range(10):
        session.explain("a")
    n = session.trace.n_decided
    asking.clear()
    session.pause()
    assert session.wait(60)
    assert n <= 20, f"ten questions waited for {n} steps"


def test_a_model_that_fails_in_a_thread_leaves_its_error(session):
    session._recorder.decoder.runner.errors.append(RuntimeError("boom"))
    session.start()
    assert session.wait(60)
    assert session.status == "error"
    assert "boom" in str(session.error)
    session.step()
    assert session.error is None


def test_a_lock_is_given_in_turn_and_again_to_its_holder():
    lock, order, is_over = TurnLock(), [], threading.Event()

    def loop():
        for _ in range(200):
            with lock, lock:
                order.append("loop")
                while not is_over.is_set() and not lock._queue.locked():
                    time.sleep(0.0001)  # until the visitor waits

    thread = threading.Thread(target=loop)
    thread.start()
    for _ in range(10):
        with lock:
            order.append("visitor")
    is_over.set()
    thread.join()
    until_the_last_visit = "".join(who[0] for who in order).rpartition("v")[0]
    assert until_the_last_visit.count("v") == 9
    # the loop lets go when the visitor waits, and does not come again before it
    assert "ll" not in until_the_last_visit
    assert not lock.is_mine


def test_what_must_not_wait_is_done_at_once_or_not_at_all(session):
    held, let_go, done = threading.Event(), threading.Event(), []

    def hold():
        session.at_once(lambda: held.set() or let_go.wait(60))

    holder = threading.Thread(target=hold)
    holder.start()
    assert held.wait(60)
    assert not session.at_once(lambda: done.append("while it is held"))
    session.select(token=1)  # waits for nobody
    waiter = threading.Thread(target=session.step)
    waiter.start()
    let_go.set()
    for thread in (holder, waiter):
        thread.join(60)
    assert session.at_once(lambda: done.append(session.at_once(lambda: session.step())))
    assert done == [True]
    assert session.trace.n_decided == 2
    assert session.selection["token"] == 1
    with pytest.raises(ZeroDivisionError):
        session.at_once(lambda: 1 / 0)
    assert session.at_once(lambda: None)
