"""Engines in processes of their own: a case that crashes an engine, or takes too long, costs that case and no more.

    supervisor ── case ──► worker (one a variant; keeps the engine, and what it learns)
               ◄─ result ──   └── for a cold variant: a child for each case, that ends with it

The supervisor gives a case to one worker after the other and waits for each, so one of them is at work at a time and a
busy moment of the machine meets all alike. A worker that is over the limit is killed with its child; the next case
finds a new one.
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import resource
import signal
import traceback
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from benchmarks.engines import Engine
from benchmarks.json_schema.cases import Case
from benchmarks.json_schema.measure import Result, measure, warm_up
from benchmarks.json_schema.results import FOLDER
from benchmarks.json_schema.variants import Variant
from benchmarks.texts import Vocabulary

MEMORY_BYTES = 12 << 30  # an address space beyond this is an engine's crash, not the machine's
READY_S = 120.0


class Worker:
    """One variant's process, made anew when it has died."""

    def __init__(self, variant: Variant, words: Vocabulary, limit_s: float) -> None:
        self.variant, self.words, self.limit_s = variant, words, limit_s
        self.process: BaseProcess | None = None
        self.connection: Connection | None = None

    def ask(self, case: Case, tokens: list[list[int]]) -> Result:
        """The case's result; if there is none, why."""
        connection = self.connection or self._begin()
        lost: Result = {"name": case.name, "n_texts": len(case.valid), "masks_us": [], "wrong": []}
        try:
            connection.send((case, tokens))
            if not connection.poll(self.limit_s):
                self.end()
                return {**lost, "fatal": f"over {self.limit_s:g} s"}
            return connection.recv()
        except (EOFError, ConnectionError):
            if self.process is not None:
                self.process.join(5)
            code = self.process.exitcode if self.process else None
            self.end()
            return {**lost, "fatal": f"crash ({code})"}

    def end(self) -> None:
        """Kills the worker with its child."""
        if self.process is not None and self.process.pid is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.join(10)
        if self.connection is not None:
            self.connection.close()
        self.process = self.connection = None

    def _begin(self) -> Connection:
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(self.variant, self.words, theirs), daemon=True)
        process.start()
        self.process = process
        theirs.close()
        self.connection = ours
        if not ours.poll(READY_S):
            raise RuntimeError(f"{self.variant.name} was not ready within {READY_S:g} s")
        ours.recv()
        return ours


def _serve(variant: Variant, words: Vocabulary, connection: Connection) -> None:
    """A worker: makes the engine, then answers cases until the supervisor is gone."""
    os.setpgrp()
    log = FOLDER / "log" / f"{variant.name.replace(' ', '_')}.log"  # peers warn for each schema
    log.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    engine = variant.engine(words)
    warm_up(engine)
    gc.collect()
    gc.freeze()  # the vocabulary's Python objects are looked through once, and not during a step
    connection.send("ready")
    with contextlib.suppress(EOFError, ConnectionError):
        while True:
            case, tokens = connection.recv()
            if not variant.has_pool:
                engine.forget()
            if variant.is_cold:
                _in_child(partial(_answer, connection, engine, case, tokens, words.stop_token))
            else:
                _answer(connection, engine, case, tokens, words.stop_token)


def _answer(connection: Connection, engine: Engine, case: Case, tokens: list[list[int]], stop_token: int) -> None:
    connection.send(measure(engine, case, tokens, stop_token))


def _in_child(act: Callable[[], None]) -> None:
    """Acts in a forked child; if that dies, so does this process, and the supervisor sees a crash."""
    pid = os.fork()
    if pid == 0:
        try:
            act()
            os._exit(0)
        except BaseException:  # noqa: BLE001  nothing of the parent's may run in the child
            traceback.print_exc()
            os._exit(1)
    _, status = os.waitpid(pid, 0)
    if status:
        os._exit(1)
