"""One call in a process of its own, with limits of time and memory, and what became of it.

>>> run_child(lambda tell: tell({"step": 1}), Limits(cpu_s=5, wall_s=20))
Result(kind='ok', told=[{'step': 1}], detail='')

A child is forked, so it finds all that its parent has loaded. What it tells comes over a pipe line by line: when the
child dies, the parent still knows how far it came. Limits are the kernel's (`setrlimit`) for memory and processor
time, and the parent's clock for a child that sleeps.

Kinds
-----
ok       the call returned.
typed    it raised an error of ours: a refusal that says why.
untyped  it raised another error.
memory   MemoryError: more address space than the limit allows.
over     more time than the limits allow.
crash    a signal, or an exit in the middle of the call.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import json
import os
import resource
import select
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal, NoReturn

from xg2lab.errors import Xg2LabError

__all__ = ["Kind", "Limits", "Peak", "Result", "Tell", "run_child"]

Kind = Literal["ok", "typed", "untyped", "memory", "over", "crash"]
Tell = Callable[[dict[str, Any]], None]

_PR_SET_PDEATHSIG = 1
_N_DETAIL = 300  # characters of a message that are kept


@dataclass(frozen=True)
class Limits:
    """What a child may take. `address_bytes` counts beyond what the parent has mapped; 0 is no limit."""

    cpu_s: int = 8
    wall_s: float = 60
    address_bytes: int = 0


@dataclass
class Result:
    """What became of a child: its kind, what it told, and the message of an error or the name of a signal."""

    kind: Kind
    told: list[dict[str, Any]] = field(default_factory=list)
    detail: str = ""


def run_child(
    act: Callable[[Tell], None], limits: Limits, typed: tuple[type[BaseException], ...] = (Xg2LabError,)
) -> Result:
    """Calls `act` in a child; it is given a function that tells the parent something.

    Parameters
    ----------
    act : callable
        What is done. Returning is success.
    limits : Limits
        What it may take.
    typed : tuple of exception types
        Errors that count as refusals.

    Returns
    -------
    Result
    """
    reader, writer = os.pipe()
    with tempfile.TemporaryFile() as stderr:
        pid = os.fork()
        if pid == 0:
            os.close(reader)
            _in_child(act, limits, typed, writer, stderr.fileno())
        os.close(writer)
        try:
            lines, is_late = _listen(reader, time.monotonic() + limits.wall_s)
        finally:
            os.close(reader)
            status = _end(pid)
        stderr.seek(0)
        said = stderr.read().decode(errors="replace").strip()
    told = [json.loads(line) for line in lines if line]
    if told and "kind" in told[-1]:
        last = told.pop()
        return Result(last["kind"], told, last["detail"])
    if is_late:
        return Result("over", told, f"more than {limits.wall_s:g} s by the clock")
    if os.WIFSIGNALED(status):
        name = signal.Signals(os.WTERMSIG(status)).name
        if name == "SIGXCPU":
            return Result("over", told, f"more than {limits.cpu_s} s of processor time")
        return Result("crash", told, f"{name} {said[-_N_DETAIL:]}".strip())
    return Result("crash", told, f"exit status {os.WEXITSTATUS(status)} {said[-_N_DETAIL:]}".strip())


def _listen(reader: int, deadline: float) -> tuple[list[bytes], bool]:
    """Reads lines until the child's end of the pipe is closed; the whole lines, and whether the time was over first."""
    heard = bytearray()
    is_late = False
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([reader], [], [], left)[0]:
            is_late = True
            break
        piece = os.read(reader, 1 << 16)
        if not piece:
            break
        heard += piece
    return bytes(heard).split(b"\n")[:-1], is_late


def _end(pid: int) -> int:
    """The child's exit status; a child that still runs is killed. One that has told all ends by itself soon."""
    for _ in range(200):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status
        time.sleep(0.002)
    os.kill(pid, signal.SIGKILL)
    return os.waitpid(pid, 0)[1]


def _in_child(
    act: Callable[[Tell], None], limits: Limits, typed: tuple[type[BaseException], ...], writer: int, stderr: int
) -> NoReturn:
    """What the child does. It leaves by `os._exit`: nothing of the parent's that runs at exit belongs to it."""
    try:
        faulthandler.disable()  # a test runner's writes elsewhere
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # the parent's end is its own
        os.dup2(stderr, 2)
        with os.fdopen(writer, "w", buffering=1) as pipe:
            _limit(limits)
            _call(act, typed, pipe)
    except BaseException:  # noqa: BLE001 (the parent sees an exit without a word, and counts a crash)
        os._exit(70)
    os._exit(0)


def _call(act: Callable[[Tell], None], typed: tuple[type[BaseException], ...], pipe: IO[str]) -> None:
    def tell(what: dict[str, Any]) -> None:
        pipe.write(json.dumps(what) + "\n")

    kind: Kind = "ok"
    detail = ""
    try:
        act(tell)
    except typed as error:
        kind, detail = "typed", _words(error)
    except MemoryError as error:
        kind, detail = "memory", _words(error)
    except BaseException as error:  # noqa: BLE001 (whatever it is, it is what is asked for)
        kind, detail = "untyped", _words(error)
    # Past the limits: a report must not die of what it reports.
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    tell({"kind": kind, "detail": detail})


def _words(error: BaseException) -> str:
    text = str(error).replace("\n", " | ")
    return f"{type(error).__name__}: {text}"[:_N_DETAIL]


def _limit(limits: Limits) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu_s, limits.cpu_s + 5))
    if limits.address_bytes:
        mapped = _status()["VmSize"]
        resource.setrlimit(resource.RLIMIT_AS, (mapped + limits.address_bytes, resource.RLIM_INFINITY))


# ---- Memory ----


class Peak:
    """How far a process's memory has grown since `Peak()`, in bytes of resident memory.

    The kernel's high-water mark is set back first; where that is not allowed, it is the mark of the whole process.
    """

    def __init__(self) -> None:
        with contextlib.suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")
        self._before = _status().get("VmRSS", 0)

    def bytes(self) -> int:
        """The most so far."""
        if sys.platform != "linux":
            return 0
        return max(0, _status()["VmHWM"] - self._before)


def _status() -> dict[str, int]:
    """The sizes in /proc/self/status, in bytes."""
    sizes: dict[str, int] = {}
    for line in Path("/proc/self/status").read_text().splitlines():
        name, _, value = line.partition(":")
        if value.endswith(" kB"):
            sizes[name] = int(value[:-3]) << 10
    return sizes
