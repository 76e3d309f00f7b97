"""A worker process seen from the server's event loop: questions with a deadline, which end the process if they miss it.

IDEA
  The engine can't be interrupted from outside, a process can. So each question has a deadline; a worker that misses it
  is ended, and the next question starts another. A question that nobody waits for any more (a newer text, a cancelled
  request) lets the worker finish if it is quick, and ends it if others wait behind it.

  A worker knows the versions of texts that it was sent, so a text travels once for each version.

THREADS  All methods belong to the event loop's thread.
"""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from xg2lab.errors import ArgumentError, LimitError

__all__ = ["SlowTextError", "Worker"]

MOST_LINE = 64 << 20  # bytes of one answer
START_S = 120.0  # to start the interpreter and load the package; no text is to blame for that
PATIENCE_S = 0.5  # for a question that nobody waits for, once another one does


class SlowTextError(LimitError):
    """A question was not answered in time."""


@dataclass
class Question:
    """A question that was sent, and not answered yet."""

    future: asyncio.Future[Any]
    is_dropped: bool = False


@dataclass
class Process:
    """One life of the worker."""

    process: asyncio.subprocess.Process
    reading: asyncio.Task[None] | None = None
    waiting: dict[int, Question] = field(default_factory=dict[int, Question])
    versions: dict[str, int] = field(default_factory=dict[str, int])


class Worker:
    """A process that answers one question after the other, started when it is first needed.

    Parameters
    ----------
    seconds : float
        How long an answer may take.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.n_started = 0
        self._process: Process | None = None
        self._starting = asyncio.Lock()
        self._n_asked = 0

    async def ask(self, method: str, uri: str, version: int, text: str, **fields: Any) -> Any:
        """Ask about a version of a text. Raises `SlowTextError` after the deadline, `ArgumentError` for a refusal."""
        process = await self._ready()
        self._n_asked += 1
        number = self._n_asked
        request = {"id": number, "method": method, "uri": uri, "version": version, **fields}
        if process.versions.get(uri) != version:
            request["text"] = text
            process.versions[uri] = version
        question = Question(asyncio.get_running_loop().create_future())
        process.waiting[number] = question
        try:
            await self._send(process, request)
            return await asyncio.wait_for(asyncio.shield(question.future), self.seconds)
        except TimeoutError:
            await self._end(process)
            raise SlowTextError(f"this text took more than {self.seconds:g} s", hint="shorten it") from None
        except asyncio.CancelledError:
            question.is_dropped = True
            raise
        finally:
            if question.future.done() and not question.future.cancelled():
                question.future.exception()  # so that nobody complains that it was not looked at

    async def close_text(self, uri: str) -> None:
        """Forget a text."""
        process = self._process
        if process is not None and process.versions.pop(uri, None) is not None:
            with suppress(ArgumentError, ConnectionError):
                await self._send(process, {"id": 0, "method": "close", "uri": uri})

    async def close(self) -> None:
        """End the process."""
        if self._process is not None:
            await self._end(self._process)

    # ---- The process ----

    async def _ready(self) -> Process:
        async with self._starting:
            process = self._process
            if process is not None and any(question.is_dropped for question in process.waiting.values()):
                await self._let_finish(process)
                process = self._process
            if process is None:
                process = self._process = await self._start()
            return process

    async def _let_finish(self, process: Process) -> None:
        """Wait a little for questions that nobody waits for; then end the process that works on them."""
        dropped = [question.future for question in process.waiting.values() if question.is_dropped]
        _, pending = await asyncio.wait(dropped, timeout=PATIENCE_S)
        others = any(not question.is_dropped for question in process.waiting.values())
        if pending and not others:
            await self._end(process)

    async def _start(self) -> Process:
        self.n_started += 1
        made = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "xg2lab.lsp.worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=MOST_LINE,
        )
        assert made.stdout is not None, "it was opened with a pipe"
        try:
            await asyncio.wait_for(made.stdout.readline(), START_S)
        except BaseException as error:  # a request that is cancelled meanwhile included
            with suppress(ProcessLookupError):
                made.kill()
            if isinstance(error, TimeoutError):
                hint = "try again when the machine is less busy"
                raise SlowTextError("the analysis did not start", hint=hint) from None
            raise
        process = Process(made)
        process.reading = asyncio.get_running_loop().create_task(self._read(process))
        return process

    async def _send(self, process: Process, request: dict[str, Any]) -> None:
        assert process.process.stdin is not None, "it was opened with a pipe"
        process.process.stdin.write(json.dumps(request).encode() + b"\n")
        try:
            await process.process.stdin.drain()
        except ConnectionError:
            await self._end(process)

    async def _read(self, process: Process) -> None:
        """Give each answer to the one who waits for it, until the process ends."""
        assert process.process.stdout is not None, "it was opened with a pipe"
        with suppress(ValueError, ConnectionError):  # an answer without end
            while line := await process.process.stdout.readline():
                answer = json.loads(line)
                question = process.waiting.pop(answer["id"], None)
                if question is None or question.future.done():
                    continue
                if "error" in answer:
                    error = answer["error"]
                    question.future.set_exception(ArgumentError(error["message"], hint=error["hint"]))
                else:
                    question.future.set_result(answer["result"])
        await self._end(process)

    async def _end(self, process: Process) -> None:
        if self._process is process:
            self._process = None
        with suppress(ProcessLookupError):
            process.process.kill()
        for question in process.waiting.values():
            if not question.future.done():
                question.future.set_exception(SlowTextError("the analysis of this text was ended", hint="shorten it"))
        process.waiting.clear()
        await process.process.wait()
