"""How a session works: one step at a time under a lock, in the caller's thread or its own, its failures kept.

A class that steps derives from `Running` and defines one step (`_advance`), the end (`_is_over`) and in
which state it is otherwise (`_resting_status`). `xg2lab.lab.session.session` is the one that does.

THREADS  `_lock` is held for one step of a run, not for the run, and is given in turn: `pause`, `explain` and `back`
         get in between. `_pausing` is an Event, any thread may set it. `error`, `_is_running`, `_was_paused`,
         `_last_status` and `_worker` are written under the lock; `run_progress`, (tokens taken, at most) of the run
         that is on, by its thread alone. Subscribers are called under the lock.
"""

from __future__ import annotations

import contextvars
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

from xg2lab.errors import SessionError, VocabularyError
from xg2lab.lab.session.conditions import Until, stop_condition
from xg2lab.lab.session.events import Events, SessionEvent
from xg2lab.lab.session.turns import TurnLock
from xg2lab.lab.trace.steps import Step

if TYPE_CHECKING:
    from xg2lab.lab import schema
    from xg2lab.lab.session.session import Session

__all__ = ["Running"]


class Running(ABC):
    """The lock, the run, the status and the error of a session."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.error: SessionError | VocabularyError | None = None
        self._lock, self._events = TurnLock(), Events[SessionEvent]()
        self._pausing, self._worker = threading.Event(), None
        self._is_running = self._was_paused = False
        self._last_status: schema.Status = "idle"
        self.run_progress: tuple[int, int] | None = None

    @abstractmethod
    def _advance(self, n_most: int) -> list[Step]:
        """Take one choice, of `n_most` tokens; the lock is held."""

    @abstractmethod
    def _require_room(self, n_tokens: int) -> None:
        """Raise unless `n_tokens` more may be taken."""

    @abstractmethod
    def _n_room(self) -> int:
        """How many tokens may still be taken."""

    @property
    @abstractmethod
    def _is_over(self) -> bool:
        """Whether nothing may follow."""

    @property
    @abstractmethod
    def _resting_status(self) -> schema.Status:
        """`idle` or `completed`."""

    @property
    def status(self) -> schema.Status:
        """`running`, `error`, `terminated` (nothing may follow), `paused`, `completed` (a whole sentence) or `idle`."""
        if self._is_running:
            return "running"
        if self.error is not None:
            return "error"
        if self._is_over:
            return "terminated"
        return "paused" if self._was_paused else self._resting_status

    def subscribe(self, callback: Callable[[SessionEvent], object]) -> Callable[[], None]:
        """Call a function at each change of the session.

        Parameters
        ----------
        callback : callable
            Called with an event, a dict with a `type` (docs/design/0002-trace.md lists them), in the thread that steps
            and under the session's lock. It must not wait for another thread.

        Returns
        -------
        callable
            Call it without arguments to unsubscribe.

        >>> import xg2lab as xgr
        >>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
        >>> events = []
        >>> unsubscribe = session.subscribe(events.append)
        >>> session.force("a")[0].text, [event["type"] for event in events]
        ('a', ['step'])
        >>> unsubscribe()
        """
        return self._events.subscribe(callback)

    def at_once(self, work: Callable[[], object]) -> bool:
        """Call `work` if no other thread is busy with the session; else return False.

        Another thread may be busy for as long as the model takes to read a token. `explain`, `back` and the like wait
        for it; a thread that must not wait calls them by `at_once`.

        Parameters
        ----------
        work : callable
            Called without arguments; nothing else happens to the session meanwhile. What it raises is raised.

        Returns
        -------
        bool
            Whether `work` was called.

        >>> import xg2lab as xgr
        >>> session = xgr.Session('root ::= "a"', xgr.TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1]))
        >>> session.at_once(lambda: print(session.explain(0)["allowed"]))
        True
        True
        """
        if not self._lock.take_now():
            return False
        try:
            work()
        finally:
            self._lock.__exit__()
        return True

    @contextmanager
    def held(self) -> Generator[None]:
        """Keep the session as it is within a `with` block: what reads several of its facts reads them of one moment.

        The block begins once the step that another thread takes is over; other threads then wait for its end.

        Returns
        -------
        context manager
            Of None.

        >>> import xg2lab as xgr
        >>> session = xgr.Session('root ::= "a"', xgr.TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1]))
        >>> with session.held():
        ...     (len(session.trace.steps), session.status)
        (1, 'idle')
        """
        with self._lock:
            yield

    def run(self, max_tokens: int | None = None, until: Until = None) -> list[Step]:
        """Step until the output ends, `max_tokens` tokens were taken, `pause` is called, or `until` holds.

        Takes at least one step. Runs in the caller's thread; `start` runs in another.

        Parameters
        ----------
        max_tokens : int, optional
            The most tokens to take; the session's own limit if left out.
        until : str, tuple or callable, optional
            `"end"`; `"rule_end"`, the rule being matched is over; `("z", 0.1)`, the allowed mass of the pending step is
            below 0.1; or a function that is called with the session.

        Returns
        -------
        list of Step
            One for each token.

        Raises
        ------
        SessionError
            The session is running already, the output has ended, or there is no model.
        LimitError
            The output has `max_tokens` tokens already.

        >>> import xg2lab as xgr
        >>> session = xgr.Session('root ::= "[" [0-9]+ "]"', model="tiny", prompt="A list: ")
        >>> len(session.run(max_tokens=2))
        2
        """
        self._begin_run()
        return self._run(max_tokens, until)

    def start(self, max_tokens: int | None = None, until: Until = None) -> threading.Thread:
        """Run as `run` does, in a thread of its own.

        Parameters
        ----------
        max_tokens : int, optional
            As for `run`.
        until : str, tuple or callable, optional
            As for `run`.

        Returns
        -------
        threading.Thread
            The thread. If a step fails, the error is kept in `error`, and the status is `error`.

        Raises
        ------
        SessionError
            The session is running already, or the output has ended.
        LimitError
            The output has `max_tokens` tokens already.

        >>> import xg2lab as xgr
        >>> session = xgr.Session('root ::= "[" [0-9]+ "]"', model="tiny", prompt="A list: ")
        >>> thread = session.start(max_tokens=2)
        >>> session.wait(), session.trace.n_decided
        (True, 2)
        """
        self._begin_run()
        context = contextvars.copy_context()  # a Jupyter kernel finds the cell's output through it

        def work() -> None:
            try:
                context.run(self._run, max_tokens, until)
            except Exception as error:  # noqa: BLE001 (a thread's end: it is kept in `error`)
                with self._lock:
                    self._fail(error)

        worker = threading.Thread(target=work, name=f"xg2lab session {self.name}", daemon=True)
        self._worker = worker
        worker.start()
        return worker

    def pause(self) -> None:
        """Ask a run to stop after its present step. Returns at once.

        >>> import xg2lab as xgr
        >>> session = xgr.Session('root ::= "[" [0-9]+ "]"', model="tiny", prompt="A list: ")
        >>> thread = session.start()
        >>> session.pause()
        >>> session.wait()
        True
        """
        self._pausing.set()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the run that `start` began.

        Parameters
        ----------
        timeout : float, optional
            The most seconds to wait; no limit if left out.

        Returns
        -------
        bool
            Whether the run is over.

        >>> import xg2lab as xgr
        >>> xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1])).wait()
        True
        """
        worker = self._worker
        if worker is not None:
            worker.join(timeout)
        return worker is None or not worker.is_alive()

    # ---- Inside ---------------------------------------------------------------------------------

    @contextmanager
    def _guard(self) -> Generator[None]:
        """Inside, the engine and the model work: an exception becomes status "error"; success clears an earlier one."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 (it is raised again, typed)
            raise self._fail(error) from error.__cause__ if error is self.error else error
        self.error = None
        self._announce()

    def _fail(self, error: Exception) -> Exception:
        """Note an error and tell; returns the typed error to raise."""
        if error is not self.error:
            typed = isinstance(error, SessionError | VocabularyError)
            at = f"a step failed: {type(error).__name__}: {error}"
            hint = "the steps before it are kept: step() tries again, back() takes the last one back"
            self.error = error if typed else SessionError(at, hint=hint)
            self.error.__cause__ = error.__cause__ if typed else error
        self._announce()
        return self.error or error

    def _announce(self) -> None:
        """Tell of the status if it has changed."""
        status = self.status
        if status != self._last_status:
            self._last_status = status
            message = None if self.error is None or status == "running" else str(self.error)
            self._events.emit({"type": "status", "status": status, "error": message})

    def _begin_run(self) -> None:
        with self._lock:
            if self._is_running:
                raise SessionError("the session is running already", hint="pause() it first")
            self._require_room(1)
            self._pausing.clear()
            self._is_running, self._was_paused = True, False
            self._announce()

    def _run(self, max_tokens: int | None, until: Until) -> list[Step]:
        taken: list[Step] = []
        try:
            session = cast("Session", self)
            stop = stop_condition(until, session)
            limit = self._n_room() if max_tokens is None else min(max_tokens, self._n_room())
            self.run_progress = (0, limit)
            while True:
                with self._lock:
                    if self._pausing.is_set():
                        self._was_paused = not self._is_over
                        break
                    if len(taken) >= limit or self._is_over or (taken and stop(session)):
                        break
                    taken += self._advance(limit - len(taken))
                    self.run_progress = (len(taken), limit)
        finally:
            with self._lock:
                self._is_running, self.run_progress = False, None
                self._announce()
        return taken
