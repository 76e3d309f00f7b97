"""How a child process ended, in words.

>>> import subprocess, sys
>>> signal_name(9), signal_name(4000)
('SIGKILL', 'signal 4000')
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from typing import IO

__all__ = ["end_of", "signal_name"]

#: Of what a process wrote to its standard error, the last bytes that are quoted.
_TAIL = 400


def end_of(process: subprocess.Popen[bytes], reader: threading.Thread, said: IO[bytes]) -> str:
    """Wait a moment for the process, stop it if it still runs, and say how it ended and what it wrote last.

    `reader` is the thread that reads the standard output, and `said` the file of the standard error, which is closed.
    """
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(0.05)
    was_running = process.poll() is None
    if was_running:
        process.kill()
    process.wait()
    reader.join()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError, ValueError):
                stream.close()
    with said:
        said.seek(0, os.SEEK_END)
        said.seek(max(0, said.tell() - _TAIL))
        words = " ".join(said.read().decode("utf-8", "replace").split())
    code = process.returncode
    ended = "stopped" if was_running else signal_name(-code) if code < 0 else f"exit status {code}"
    return f"{ended}: {words}" if words and not was_running else ended


def signal_name(number: int) -> str:
    """A signal's name, or its number if it has none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
