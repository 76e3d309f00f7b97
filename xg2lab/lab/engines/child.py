"""The process of a worker: it reads calls from its standard input, and answers on its standard output.

    python -m xg2lab.lab.engines.child NAME

A call is a length as u64, little-endian, and a pickled (name, values, named values, seconds); an answer is a length
and a pickled pair: whether all went well, and the value or the error's text. The process ends when its input does. A
timer of the system ends it as well when a call takes longer than its limit and the parent is gone. What an engine
prints goes to the standard error.
See also `xg2lab.lab.engines.worker`, the other end.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import sys
from typing import IO, Any

__all__: list[str] = []

_LENGTH = struct.Struct("<Q")
_GRACE_SECONDS = 10.0  # the parent kills first, and says why


def main() -> None:
    """Serve until the input ends."""
    source = sys.stdin.buffer
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what an engine prints is no answer
    _limit_memory(int(os.environ.get("XG2LAB_WORKER_BYTES", "0")))
    host: Any = None
    while True:
        head = source.read(_LENGTH.size)
        if len(head) < _LENGTH.size:
            return
        name, values, named, seconds = pickle.loads(source.read(_LENGTH.unpack(head)[0]))  # noqa: S301 (the parent wrote it)
        _set_timer(seconds + _GRACE_SECONDS)
        try:
            if name == "start":
                host = _started(*values)
                answer: Any = host.facts()
            else:
                answer = getattr(host, name)(*values, **named)
        except BaseException as error:  # noqa: BLE001 (whatever a stranger's code raises is a result)
            _reply(sink, is_right=False, answer=_said(name, error))
        else:
            _reply(sink, is_right=True, answer=answer)
        _set_timer(0)


def _started(spec: str, path: list[str]) -> Any:
    from xg2lab.lab.engines.host import Host
    from xg2lab.lab.engines.registry import made

    sys.path[:] = [*dict.fromkeys([*path, *sys.path])]
    return Host(made(spec))


def _said(name: str, error: BaseException) -> str:
    from xg2lab.lab.engines.protocol import EngineError

    if name == "start" and isinstance(error, EngineError):
        return f"{error}".removeprefix(f"{error.engine}: ")
    return f"{type(error).__name__}: {error}"


def _reply(sink: IO[bytes], *, is_right: bool, answer: Any) -> None:
    data = pickle.dumps((is_right, answer))
    sink.write(_LENGTH.pack(len(data)) + data)
    sink.flush()


def _set_timer(seconds: float) -> None:
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _limit_memory(n_bytes: int) -> None:
    if n_bytes <= 0:
        return
    try:
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (n_bytes, hard))
    except (ImportError, ValueError, OSError):
        return  # the system has no such limit, or a lower one


if __name__ == "__main__":
    main()
