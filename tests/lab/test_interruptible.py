"""An interrupt leaves long work at once: the model that is loaded, the grammar that is compiled."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("torch.utils.data")  # an interrupt in the middle of its import would end the process

from xg2lab import TokenizerInfo
from xg2lab.errors import ModelLoadError
from xg2lab.lab import ModelRunner, Session
from xg2lab.lab.model import model_loading
from xg2lab.lab.session import setup
from xg2lab.support.interruptible import interruptible

WATCHDOG = 300  # seconds: no measure of anything, but that a test ends


@pytest.fixture(autouse=True)
def interrupts() -> Iterator[None]:
    """SIGINT raises KeyboardInterrupt, also where the tests were started with it ignored, as a background job is."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class LongWork:
    """Work that has no end while it is called, and hears of no interrupt: it is done outside the main thread."""

    def __init__(self) -> None:
        self.has_begun, self.may_end, self.ended = threading.Event(), threading.Event(), threading.Event()

    def __call__(self, *_: Any, **__: Any) -> Any:
        assert threading.current_thread() is not threading.main_thread()
        self.has_begun.set()
        self.may_end.wait(WATCHDOG)
        self.ended.set()

    def is_left(self, call: Callable[[], object]) -> bool:
        """Whether the call that does this work ends at an interrupt before the work does."""

        def interrupt() -> None:
            self.has_begun.wait(WATCHDOG)
            os.kill(os.getpid(), signal.SIGINT)

        sender = threading.Thread(target=interrupt)
        sender.start()
        with pytest.raises(KeyboardInterrupt):
            call()
        is_left = self.has_begun.is_set() and not self.ended.is_set()
        self.may_end.set()
        sender.join()
        return is_left


def test_it_is_left_at_once() -> None:
    work = LongWork()
    assert work.is_left(lambda: interruptible(work))
    assert work.ended.wait(WATCHDOG)  # the thread goes on to its end


def test_loading_a_model_is_left_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    (tmp_path / "config.json").write_text("{}")
    work = LongWork()
    monkeypatch.setattr(model_loading, "_read", work)
    assert work.is_left(lambda: ModelRunner.load(tmp_path, progress=False))


def test_compiling_is_left_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    work = LongWork()
    monkeypatch.setattr(setup, "compile_timed", work)
    info = TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1])
    assert work.is_left(lambda: Session('root ::= "a"', info))


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
