"""An engine in a process of its own, under limits of time and memory, so that its end is not ours.

>>> from xg2lab import TokenizerInfo
>>> info = TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> with Worker("xg2lab", info) as worker:
...     us = worker.compile(EngineSource("regex", "ab"))
...     worker.replay([0])["taken"], worker.is_alive
([True], True)

IDEA
  A peer is foreign code: it may loop for minutes, or end its process with a signal. So it runs in a child that reads
  calls from its standard input and answers on its standard output (`xg2lab.lab.engines.child`). A call that takes
  longer than the limit kills the child. Either end raises an `EngineError` that names the engine, the call and the
  grammar; the next `compile` starts another child.

THREADS  A worker belongs to one thread at a time.
"""

from __future__ import annotations

import os
import pickle
import queue
import struct
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Self

from xg2lab.errors import ArgumentError, LimitError
from xg2lab.lab.engines.host import Cancelled, Host, Replay, vocabulary_of
from xg2lab.lab.engines.protocol import Engine, EngineError, EngineSource, Reason
from xg2lab.lab.engines.registry import is_ours, made
from xg2lab.support.processes import end_of

if TYPE_CHECKING:
    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["CALL_SECONDS", "MEMORY_BYTES", "Worker"]

#: The default limits of a worker: seconds of one call, and bytes of memory of its process.
CALL_SECONDS = 60.0
MEMORY_BYTES = 8 << 30
MOST_MASK_BYTES = 256 << 20  # of one replay
_START_SECONDS = 120.0  # importing a peer may load torch
_LOOK_SECONDS = 0.05  # between questions whether a call is still wanted
_LENGTH = struct.Struct("<Q")


class Worker:
    """One engine at work on one vocabulary: by name in a child process, by object in this one.

    Parameters
    ----------
    engine : str or Engine
        A name of `engine_names()` or "package.module:Class", which run in a process of their own; ours and objects run
        here, without limits.
    info : TokenizerInfo
        The vocabulary.
    seconds : float
        The longest call, above 0 and up to a day.
    memory_bytes : int
        The most memory of the process, where the system can limit it.
    in_process : bool, optional
        Whether the engine runs in this process; by default ours and objects do.
    is_cancelled : callable
        Asked often while a call lasts, without arguments. True ends the call, and the process that it is in, with
        `Cancelled`; of an engine in this process, between two tokens.

    Raises
    ------
    EngineError
        There is no such engine, or it is not installed.
    ArgumentError
        A limit is out of its bounds, or an object was given with `in_process=False`.
    """

    def __init__(
        self,
        engine: str | Engine,
        info: TokenizerInfo,
        *,
        seconds: float = CALL_SECONDS,
        memory_bytes: int = MEMORY_BYTES,
        in_process: bool | None = None,
        is_cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        if not 0 < seconds <= 86_400:
            raise ArgumentError(f"seconds={seconds!r} is not between 0 and 86,400", hint="give a call's time limit")
        if memory_bytes < 64 << 20:
            raise ArgumentError(f"memory_bytes={memory_bytes:,} is too little for Python", hint="give at least 64 MiB")
        is_named = isinstance(engine, str)
        if in_process is False and not is_named:
            raise ArgumentError(
                "an object can't move to another process", hint='give its class as "package.module:Class"'
            )
        self.info, self.seconds, self._memory = info, seconds, memory_bytes
        self._is_cancelled = is_cancelled
        self._spec = engine if isinstance(engine, str) else ""
        self._host: Host | None = None
        self._child: _Child | None = None
        self.source: EngineSource | None = None
        if not isinstance(engine, str):
            self._host = Host(engine)
        elif in_process if in_process is not None else is_ours(engine):
            self._host = Host(made(engine))
        if self._host is not None:
            self._host.is_cancelled = is_cancelled
            self._host.use(info)
            self.name, self.version = self._host.facts()
        else:
            self.name, self.version = engine if isinstance(engine, str) else "", ""
            self._start()

    # ---- Calls ----------------------------------------------------------------------------------

    def compile(self, source: EngineSource) -> float:
        """Compile a grammar.

        Parameters
        ----------
        source : EngineSource
            The grammar.

        Returns
        -------
        float
            Microseconds.

        Raises
        ------
        EngineError
            With reason "refused", "crashed" or "timeout".
        """
        self.source = source
        if self._host is None and self._child is None:
            self._start()
        return float(self._call("compile", source.plain()))

    def replay(self, tokens: Sequence[int], *, keep: bool = True) -> Replay:
        """Replay tokens from the beginning of the output.

        Parameters
        ----------
        tokens : sequence of int
            The token ids.
        keep : bool
            Whether the masks are returned, or their times alone.

        Returns
        -------
        Replay
            A mask before each token, as far as the engine follows.

        Raises
        ------
        LimitError
            The masks would take more than 256 MiB.
        EngineError
            With reason "crashed", "timeout" or "failed".
        """
        n_words = (self.info.vocab_size + 31) // 32
        most = MOST_MASK_BYTES // (4 * n_words)
        if keep and len(tokens) >= most:
            raise LimitError(
                f"{len(tokens) + 1:,} masks of {self.info.vocab_size:,} tokens would take more than "
                f"{MOST_MASK_BYTES >> 20} MiB",
                hint=f"give a text of fewer than {most:,} tokens",
            )
        return self._call("replay", list(tokens), keep=keep)

    def mask_after(self, tokens: Sequence[int]) -> tuple[bytes, float] | None:
        """Return the mask after tokens. Tokens that go on from the last call's cost one accept each.

        Parameters
        ----------
        tokens : sequence of int
            The output before.

        Returns
        -------
        tuple of (bytes, float) or None
            The bitmask as bytes and its microseconds; None where the engine refuses the tokens.

        Raises
        ------
        EngineError
            With reason "crashed", "timeout" or "failed".
        """
        return self._call("mask_after", list(tokens))

    def accepts(self, tokens: Sequence[int], ids: Sequence[int]) -> list[bool]:
        """Ask `accept` about several tokens at one place.

        Parameters
        ----------
        tokens : sequence of int
            The output before.
        ids : sequence of int
            The tokens to ask about, each on its own.

        Returns
        -------
        list of bool
            Whether each is accepted.

        Raises
        ------
        EngineError
            With reason "crashed", "timeout" or "failed".
        """
        return self._call("accepts", list(tokens), list(ids))

    def rollback_differs(self, tokens: Sequence[int]) -> list[int]:
        """Accept each token, take it back, and accept it again.

        Parameters
        ----------
        tokens : sequence of int
            The token ids.

        Returns
        -------
        list of int
            The steps whose mask is another one afterwards; empty for an engine without a rollback.

        Raises
        ------
        EngineError
            With reason "crashed", "timeout" or "failed".
        """
        return self._call("rollback_differs", list(tokens))

    def takes(self, tokens: Sequence[int]) -> int:
        """Count the tokens that are accepted from the beginning.

        Parameters
        ----------
        tokens : sequence of int
            The token ids.

        Returns
        -------
        int
            How many, up to the first that is refused.

        Raises
        ------
        EngineError
            With reason "crashed", "timeout" or "failed".
        """
        return int(self._call("takes", list(tokens)))

    def complete(self, tokens: Sequence[int], preferred: Sequence[str] = ()) -> list[int] | None:
        """Search a continuation after which the output may end, through the engine's masks.

        Parameters
        ----------
        tokens : sequence of int
            The output before.
        preferred : sequence of str
            Texts of tokens to try before all others.

        Returns
        -------
        list of int or None
            The tokens; None if the bounded search found none.

        Raises
        ------
        EngineError
            With reason "crashed", "timeout" or "failed".
        """
        return self._call("complete", list(tokens), list(preferred))

    def judge(self, source: EngineSource, text: bytes) -> tuple[bool | None, str]:
        """Judge a text by its grammar's own definition, within the limits: a pattern may take `re` for ever.

        Parameters
        ----------
        source : EngineSource
            A JSON Schema or a regular expression.
        text : bytes
            The whole text.

        Returns
        -------
        tuple of (bool or None, str)
            Whether it is valid, None if nobody can say, and why. The judge's own failure is an answer too.
        """
        try:
            return self._call("judge", source.plain(), text)
        except EngineError as error:
            return None, f"the judge failed: {error.reason}: {error.message}"

    def _call(self, name: str, *values: Any, **named: Any) -> Any:
        if self._host is not None:
            try:
                return getattr(self._host, name)(*values, **named)
            except Cancelled:
                raise
            except Exception as error:
                raise self._failed(name, f"{type(error).__name__}: {error}") from error
        if self._child is None and name == "judge":
            self._start()
        if self._child is None:
            raise EngineError(self.name, "failed", "nothing is compiled: its process ended", hint="compile again")
        return self._answer(self._child, name, values, self.seconds, named)

    def _answer(
        self, child: _Child, name: str, values: tuple[Any, ...], seconds: float, named: dict[str, Any] | None = None
    ) -> Any:
        try:
            is_right, answer = child.call(name, values, named or {}, seconds, self._is_cancelled)
        except (TimeoutError, EOFError, OSError) as error:
            self._child = None
            ended = child.kill()
            if isinstance(error, TimeoutError):
                raise EngineError(
                    self.name,
                    "timeout",
                    f"{name} took longer than {seconds:g} s{self._input()}",
                    hint="give more with seconds=, or report the input to its authors",
                ) from None
            raise EngineError(
                self.name,
                "crashed",
                f"its process ended in {name} ({ended}){self._input()}",
                hint="report the input to its authors; this process goes on",
            ) from None
        except BaseException:
            self.close()  # an interrupt, or given up: the answer would be taken for that of the next call
            raise
        if not is_right:
            raise self._failed(name, str(answer))
        return answer

    def _failed(self, name: str, message: str) -> EngineError:
        reason: Reason = "refused" if name == "compile" else "failed"
        said = message.strip() or "without a message"
        return EngineError(self.name, reason, said if name == "compile" else f"{name}: {said}{self._input()}")

    def _input(self) -> str:
        if self.source is None:
            return ""
        text = " ".join(self.source.text.split())
        return f", with the {self.source.kind} {text if len(text) <= 200 else text[:199] + '…'}"

    # ---- The process ----------------------------------------------------------------------------

    def _start(self) -> None:
        child = _Child(self._spec, self._memory)
        self._child = child
        weakref.finalize(self, child.kill)  # a session that is dropped leaves no process
        try:
            self.name, self.version = self._answer(child, "start", (self._spec, sys.path), _START_SECONDS)
            self._answer(child, "vocabulary", (vocabulary_of(self.info),), _START_SECONDS)
        except EngineError as error:
            self.close()
            if error.reason == "failed":
                message = error.message.removeprefix(f"{self._spec}: start: ")
                raise EngineError(self._spec, "missing", message) from None
            raise

    @property
    def is_alive(self) -> bool:
        """Whether the engine can be called: it is here, or its process is."""
        return self._host is not None or self._child is not None

    def close(self) -> None:
        """End the process, if there is one."""
        child, self._child = self._child, None
        if child is not None:
            child.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Child:
    """The process: calls go in, answers come out by a thread that reads them."""

    def __init__(self, spec: str, memory_bytes: int) -> None:
        self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed in `kill`)
        self._answers: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        environment = {**os.environ, "XG2LAB_WORKER_BYTES": str(memory_bytes), "PYTHONUNBUFFERED": "1"}
        self._process = subprocess.Popen(  # noqa: S603 (our own interpreter and module)
            [sys.executable, "-m", "xg2lab.lab.engines.child", spec],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            env=environment,
            start_new_session=True,  # an interrupt of the notebook is not the child's
        )
        self._reader = threading.Thread(target=self._read, name="xg2lab engine", daemon=True)
        self._reader.start()

    def _read(self) -> None:
        source = self._process.stdout
        assert source is not None
        while True:
            head = source.read(_LENGTH.size)
            data = source.read(_LENGTH.unpack(head)[0]) if len(head) == _LENGTH.size else b""
            if not data:
                self._answers.put(None)
                return
            self._answers.put(data)

    def call(
        self,
        name: str,
        values: tuple[Any, ...],
        named: dict[str, Any],
        seconds: float,
        is_cancelled: Callable[[], bool],
    ) -> tuple[bool, Any]:
        """Whether the call went well, with its answer or its error's text.

        Raises `TimeoutError`, `EOFError` when the process ended, and `Cancelled`.
        """
        sink = self._process.stdin
        assert sink is not None
        data = pickle.dumps((name, values, named, seconds))
        sink.write(_LENGTH.pack(len(data)) + data)
        sink.flush()
        answer = self._wait(time.monotonic() + seconds, is_cancelled)
        if answer is None:
            raise EOFError
        return pickle.loads(answer)  # noqa: S301 (written by our own module)

    def _wait(self, deadline: float, is_cancelled: Callable[[], bool]) -> bytes | None:
        """The answer, None when the process ended."""
        while True:
            if is_cancelled():
                raise Cancelled
            left = deadline - time.monotonic()
            try:
                return self._answers.get(timeout=max(0.0, min(left, _LOOK_SECONDS)))
            except queue.Empty:
                if left <= 0:
                    raise TimeoutError from None

    def kill(self) -> str:
        """End the process; returns how it ended, with the last words that it wrote. The second time does nothing."""
        if self._said.closed:
            return ""
        return end_of(self._process, self._reader, self._said)
