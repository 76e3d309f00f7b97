"""What a process has of memory: resident, given out by malloc, and the most so far. Linux and glibc.

>>> used_bytes() >= 0, resident_bytes() <= Most().bytes()
(True, True)
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable
from pathlib import Path

__all__ = ["Most", "resident_bytes", "used_bytes"]


class Mallinfo(ctypes.Structure):
    """What glibc's `mallinfo2` gives."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost",
        )
    ]  # fmt: skip


def used_bytes() -> int:
    """What malloc has given out and not got back, in all its arenas; 0 where the C library can't say."""
    try:
        mallinfo2: Callable[[], Mallinfo] = ctypes.CDLL(None).mallinfo2
    except AttributeError:
        return 0
    mallinfo2.restype = Mallinfo  # pyright: ignore[reportFunctionMemberAccess]
    info = mallinfo2()
    return int(info.uordblks) + int(info.hblkhd)


def _status(name: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) << 10
    return 0


def resident_bytes() -> int:
    """Of this process, now."""
    return _status("VmRSS")


class Most:
    """The most resident memory since it was made."""

    def __init__(self) -> None:
        with contextlib.suppress(OSError):  # else it is the most of the whole process
            Path("/proc/self/clear_refs").write_text("5")

    def bytes(self) -> int:
        """So far."""
        return _status("VmHWM")
