"""A process that does rows, seen from outside: a row that crashes or hangs it becomes a row that says so.

    worker = RowWorker(options, vocabulary, "schemas.jsonl")
    row = worker.row(line)          # always a row
    worker.close()

IDEA
  The process names each stage that begins. If it ends, or a stage takes longer than the limit, the stage is noted as
  lost, a new process starts, and the same row is asked for again without that stage. So a peer that crashes costs its
  own part of the row, and never a row. A row has few stages, so it ends; what is lost before the first stage, or in too
  many stages, loses the row's verdict and nothing more.

THREADS  A worker belongs to one thread; `close` may be called by another, which ends the call in progress.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from typing import IO, Any, cast

from xg2lab.errors import ArgumentError, LimitError
from xg2lab.integrations.sweep.cases import Line
from xg2lab.integrations.sweep.options import SweepOptions
from xg2lab.integrations.sweep.rows import SweepRow, empty_row
from xg2lab.support.processes import end_of

__all__ = ["ClosedError", "RowWorker"]

_START_SECONDS = 300.0  # importing a peer may load torch, and a model its weights
_MOST_LOST = 10  # stages of a row


class ClosedError(Exception):
    """The worker was closed while a row was being done."""


class RowWorker:
    """One process that does rows, started when it is first needed and again after each crash.

    Parameters
    ----------
    options : SweepOptions
        What is to be done.
    vocabulary : str
        `TokenizerInfo.serialize_json()`.
    source : str
        The input's name, for the commands that repeat a row.
    """

    def __init__(self, options: SweepOptions, vocabulary: str, source: str) -> None:
        self._options, self._vocabulary, self._source = options, vocabulary, source
        self._child: _Child | None = None
        self._is_closed = False

    @property
    def pid(self) -> int | None:
        """The process's id; None while there is none."""
        return None if self._child is None else self._child.process.pid

    def start(self) -> None:
        """Start the process and wait until it is ready. Raises ArgumentError for an engine or a model that fails."""
        if self._is_closed:
            raise ClosedError
        child = self._child = _Child()
        if self._is_closed:  # closed by another thread meanwhile
            child.kill()
            raise ClosedError
        begun = {"options": self._options.to_wire(), "vocabulary": self._vocabulary, "path": sys.path}
        try:
            child.say(begun)
            answer = child.hear(_START_SECONDS)
        except (TimeoutError, EOFError, OSError) as error:
            ended = self._end()
            what = f"took longer than {_START_SECONDS:g} s" if isinstance(error, TimeoutError) else f"ended: {ended}"
            raise LimitError(
                f"a worker's process could not start: it {what}",
                hint="memory_bytes= limits its memory; an engine may fail when it is imported",
            ) from None
        if "unusable" in answer:
            self._end()
            raise ArgumentError(str(answer["unusable"]), hint=str(answer.get("hint", "")))

    def row(self, line: Line) -> SweepRow:
        """Do one line; a row in every case. Raises ClosedError if the worker is closed meanwhile."""
        row = self._row(line)
        row["id"], row["line"] = line.id, line.number
        row["settings"] = self._options.fingerprint
        row["command"] = self._options.command(self._source, line.id)
        return row

    def _row(self, line: Line) -> SweepRow:
        if line.is_cut:
            limit = f"the line is longer than {self._options.max_bytes:,} bytes"
            return empty_row("", 0, "too_large", message=f"{limit}; --max-bytes raises the limit")
        lost: dict[str, tuple[str, str]] = {}
        while True:
            if self._child is None:
                self.start()
            child = cast("_Child", self._child)
            stage, timed_out = "", False
            try:
                child.say({"data": line.data.decode("utf-8", "surrogateescape"), "lost": lost})
                while True:
                    answer = child.hear(self._options.seconds)
                    if "row" in answer:
                        return cast("SweepRow", answer["row"])
                    stage = str(answer["begin"])
            except (TimeoutError, EOFError, OSError) as error:
                timed_out = isinstance(error, TimeoutError)
                ended = self._end()
                if self._is_closed:
                    raise ClosedError from None
            name = stage or "reading the row"
            if timed_out:
                why = ("timeout", f"{name} took longer than {self._options.seconds:g} s")
            else:
                why = ("crashed", f"the process ended in {name} ({ended})")
            if not stage or stage in lost or len(lost) >= _MOST_LOST:
                return empty_row("", 0, why[0], message=why[1])
            lost[stage] = why

    def _end(self) -> str:
        child, self._child = self._child, None
        return "" if child is None else child.kill()

    def close(self) -> None:
        """End the process."""
        self._is_closed = True
        self._end()


class _Child:
    """The process; a thread reads its answers, so that waiting for one can have a limit."""

    def __init__(self) -> None:
        self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed in `kill`)
        self._answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._ended: str | None = None
        self.process = subprocess.Popen(
            [sys.executable, "-m", "xg2lab.integrations.sweep.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            env={**os.environ, "PYTHONUNBUFFERED": "1", "TOKENIZERS_PARALLELISM": "false"},
            start_new_session=True,  # an interrupt of the terminal is the parent's
        )
        self._reader = threading.Thread(target=self._read, name="xg2lab sweep", daemon=True)
        self._reader.start()

    def _read(self) -> None:
        source = self.process.stdout
        assert source is not None
        with contextlib.suppress(ValueError, OSError):
            for line in source:
                self._answers.put(line)
        self._answers.put(b"")

    def say(self, values: dict[str, Any]) -> None:
        """Send one line."""
        sink = self.process.stdin
        assert sink is not None
        try:
            sink.write(json.dumps(values).encode() + b"\n")
            sink.flush()
        except ValueError as error:  # closed by `kill` in another thread
            raise EOFError from error

    def hear(self, seconds: float) -> dict[str, Any]:
        """The next line. Raises TimeoutError, and EOFError if the process has ended."""
        try:
            line = self._answers.get(timeout=seconds)
        except queue.Empty:
            raise TimeoutError from None
        if not line.endswith(b"\n"):
            raise EOFError
        return json.loads(line)

    def kill(self) -> str:
        """End the process, and say how it ended, with its last words."""
        with self._lock:
            if self._ended is None:
                self._ended = end_of(self.process, self._reader, self._said)
            return self._ended
