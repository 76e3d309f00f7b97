"""The folder that flights are written to: names, bounds, and what is removed to keep them.

>>> import tempfile
>>> folder = FlightFolder(tempfile.mkdtemp(), max_files=2, max_bytes=1 << 20)
>>> for number in range(3):
...     path = folder.write(flight_name(1_700_000_000.0 + number, 42, number, "request/7"), b"...")
>>> [found.name for found in folder.flights()]
['flight-20231114T221321.000000Z-42-000001-request_7.xgflight', 'flight-20231114T221322.000000Z-42-000002-request_7.xgflight']

A recorder removes only files of recorders, which it knows by their names, the oldest first. A file with any other name,
a folder, a symbolic link stay. So whoever wants to keep a flight gives it another name.

Several processes may share a folder. A file that another process has removed in the meantime is no error.

See also: `xg2lab.support.files.write_file`, which writes a file whole or not at all.
"""  # noqa: E501 (a file's name)

from __future__ import annotations

import contextlib
import os
import re
import stat
import time
from datetime import UTC, datetime
from pathlib import Path

from xg2lab.support.files import write_file

__all__ = ["FlightFolder", "flight_name"]

SUFFIX = ".xgflight"
_OWN = re.compile(r"flight-\d{8}T\d{6}\.\d{6}Z-\d+-\d+-[A-Za-z0-9_.-]*\.xgflight\Z")
_TOKENIZER = re.compile(r"tokenizer-[0-9a-f]{32}\.json\.gz\Z")
_PART = re.compile(r"\.(flight|tokenizer)-.*\.part\Z")
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
_MOST_LETTERS = 48
#: A part of a file that is older was left by a process that was killed.
_PART_SECONDS = 3600.0


def stamp(seconds: float) -> str:
    """A moment as texts that sort as moments do: UTC, as in ISO 8601.

    >>> stamp(1_700_000_000.25)
    '2023-11-14T22:13:20.250000Z'
    """
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def flight_name(seconds: float, pid: int, number: int, request_id: str) -> str:
    """The name of a flight's file: its time, its process, its number in the process, its request."""
    when = stamp(seconds).replace("-", "").replace(":", "")
    safe = _UNSAFE.sub("_", request_id)[:_MOST_LETTERS]
    return f"flight-{when}-{pid}-{number:06d}-{safe}{SUFFIX}"


class FlightFolder:
    """A folder within its bounds. One thread of a process uses it."""

    def __init__(self, path: str | os.PathLike[str], *, max_files: int, max_bytes: int) -> None:
        self.path = Path(path)
        self.max_files, self.max_bytes = max_files, max_bytes
        self.n_removed = 0

    def flights(self) -> list[Path]:
        """The files of recorders, the oldest first."""
        return [self.path / name for name, _ in self._sizes(_OWN)]

    def write(self, name: str, data: bytes) -> Path:
        """Write a file that only its owner may read, and make room for it before."""
        self._make()
        self._make_room(len(data), n_files=1)
        return write_file(self.path / name, data, is_private=True)

    def write_once(self, name: str, make: bytes) -> bool:
        """Write a file beside the flights, unless it is there; whether it is there now. It has no place if it is larger
        than half of the folder's bytes.
        """
        path = self.path / name
        if path.exists():
            return True
        if len(make) > self.max_bytes // 2:
            return False
        self._make()
        self._make_room(len(make), n_files=0)
        write_file(path, make, is_private=True)
        return True

    def _make(self) -> None:
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)

    def _make_room(self, n_bytes: int, n_files: int) -> None:
        self._remove_parts()
        flights = self._sizes(_OWN)
        n_taken = sum(size for _, size in (*flights, *self._sizes(_TOKENIZER)))
        for index, (name, size) in enumerate(flights):
            if len(flights) - index + n_files <= self.max_files and n_taken + n_bytes <= self.max_bytes:
                return
            with contextlib.suppress(FileNotFoundError):
                (self.path / name).unlink()
                self.n_removed += 1
            n_taken -= size

    def _remove_parts(self) -> None:
        for name, _ in self._sizes(_PART):
            path = self.path / name
            with contextlib.suppress(OSError):
                if time.time() - path.lstat().st_mtime > _PART_SECONDS:
                    path.unlink()

    def _sizes(self, pattern: re.Pattern[str]) -> list[tuple[str, int]]:
        """Names and sizes of regular files, in the order of the names: for flights, that of time."""
        found: list[tuple[str, int]] = []
        try:
            names = os.listdir(self.path)  # noqa: PTH208 (names alone)
        except FileNotFoundError:
            return []
        for name in names:
            if pattern.match(name) is None:
                continue
            with contextlib.suppress(FileNotFoundError):
                status = (self.path / name).lstat()
                if stat.S_ISREG(status.st_mode):
                    found.append((name, status.st_size))
        return sorted(found)
