"""An interrupt leaves long work at once: the model that is loaded, the grammar that is compiled."""

from __future__ import annotations

import hashlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("torch.utils.data")  # an interrupt in the middle of its import would end the process

from xg2lab import TokenizerInfo
from xg2lab.errors import ModelLoadError
from xg2lab.lab import ModelRunner, Session, model_loading, setup
from xg2lab.lab.interruptible import interruptible


@pytest.fixture(autouse=True)
def interrupts() -> Iterator[None]:
    """SIGINT raises KeyboardInterrupt, also where the tests were started with it ignored, as a background job is."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def long_work(*_: Any, **__: Any) -> Any:
    """A C function that hears of no interrupt: some seconds."""
    return hashlib.pbkdf2_hmac("sha256", b"x", b"y", 6_000_000)


def seconds_to_interrupt(work: Callable[[], object]) -> float:
    """From the signal to the KeyboardInterrupt."""
    sent: list[float] = []

    def interrupt() -> None:
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.3, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        work()
    return time.monotonic() - sent[0]


def test_it_is_left_at_once() -> None:
    begun = time.monotonic()
    long_work()
    takes = time.monotonic() - begun
    assert takes > 1.0  # or the others would prove nothing
    assert seconds_to_interrupt(lambda: interruptible(long_work)) < 0.5


def test_loading_a_model_is_left_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    (tmp_path / "config.json").write_text("{}")
    monkeypatch.setattr(model_loading, "_read", long_work)
    assert seconds_to_interrupt(lambda: ModelRunner.load(tmp_path, progress=False)) < 0.5


def test_compiling_is_left_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "compile_timed", long_work)
    info = TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1])
    assert seconds_to_interrupt(lambda: Session('root ::= "a"', info)) < 0.5


def test_errors_are_the_works_own(tmp_path: Any) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelLoadError, match="can't load"):
        ModelRunner.load(tmp_path, progress=False)
    with pytest.raises(ZeroDivisionError):
        interruptible(lambda: 1 // 0)


def test_in_another_thread_it_is_done_there() -> None:
    where: list[str] = []
    thread = threading.Thread(
        target=lambda: where.append(interruptible(lambda: threading.current_thread().name)), name="mine"
    )
    thread.start()
    thread.join()
    assert where == ["mine"]
