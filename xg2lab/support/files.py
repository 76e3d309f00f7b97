"""Files written whole or not at all, and read within a bound.

>>> import tempfile
>>> from pathlib import Path
>>> path = Path(tempfile.mkdtemp()) / "notes.txt"
>>> write_file(path, "two words").name, read_file(path, 100)
('notes.txt', b'two words')
>>> read_file(path, 4)
Traceback (most recent call last):
xg2lab.errors.LimitError: notes.txt has more than 4 bytes
  hint: if it is meant to be that large, raise max_bytes

Writing: the bytes go into a new file beside the target, and from there to the disk; then that file takes the target's
name. Whoever opens the target at any moment, also after the process was killed or the power failed, finds what was
there before or what was written, and nothing between. What a killed process leaves is a file `.NAME.*.part`.

Reading: a compressed file is unpacked piece by piece, so the bound holds however small the file is.

See also: `xg2lab.lab.trace.trace`, `xg2lab.widgets.export`, `xg2lab.show.dot`.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import zlib
from pathlib import Path
from typing import IO

from xg2lab.errors import DeserializeFormatError, LimitError
from xg2lab.support.arguments import instance, whole_number

__all__ = ["GZIP", "MOST_BYTES", "inflated", "read_file", "read_stream", "write_file"]

#: How files of gzip begin.
GZIP = b"\x1f\x8b"
#: What a file may hold, unpacked, where nothing else is said.
MOST_BYTES = 256 << 20
_PIECE = 1 << 20


# ---- Writing ----


def write_file(path: str | os.PathLike[str], data: bytes | str, *, is_private: bool = False) -> Path:
    """Write a file whole, in place of one of that name.

    Parameters
    ----------
    path : str or path
        Through a symbolic link the file is written that the link leads to. What is no file, as /dev/stdout, is
        written to as it is.
    data : bytes or str
        A str as UTF-8.
    is_private : bool
        Only the owner may read and write the file, whatever was there before. A symbolic link of that name is replaced,
        not followed.

    Returns
    -------
    Path
        `path`.

    Raises
    ------
    OSError
        For what the system refuses: no such folder, no space left. A file of that name is as it was.

    The permissions of a file of that name stay; those of a new one are as for any file of this process.
    """
    path = Path(path)
    instance(data, (str, bytes), "data", "bytes or a str")
    data = data.encode() if isinstance(data, str) else data
    target = path if is_private else Path(os.path.realpath(path))
    old = None if is_private else _status(target)
    if old is not None and not stat.S_ISREG(old.st_mode):
        with target.open("wb") as file:
            file.write(data)
        return path
    partial = target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}.part")
    mode = 0o600 if is_private else 0o666
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123 - of a descriptor
            if old is not None and hasattr(os, "fchmod"):
                os.fchmod(file.fileno(), stat.S_IMODE(old.st_mode))
            n_written = 0
            while n_written < len(data):
                n_written += file.write(data[n_written : n_written + _PIECE])
            file.flush()
            os.fsync(file.fileno())
        partial.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise
    _to_disk(target.parent)
    return path


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _to_disk(folder: Path) -> None:
    """The folder's entry of a new name. Not every system can; the file itself is whole in either case."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


# ---- Reading ----


def read_file(path: str | os.PathLike[str], max_bytes: int = MOST_BYTES) -> bytes:
    """A file's bytes, unpacked if they are gzip. No more is read, or unpacked, than `max_bytes`.

    Raises
    ------
    LimitError
        There are more.
    DeserializeFormatError
        Damaged gzip.
    OSError
        For what can't be read.
    """
    path = Path(path)
    with path.open("rb") as file:
        return read_stream(file, max_bytes, path.name)


def read_stream(file: IO[bytes], max_bytes: int, name: str) -> bytes:
    """Read the rest of an open file, as `read_file` does; `name` is for the messages."""
    max_bytes = whole_number(max_bytes, "max_bytes", 0, 1 << 62)
    pieces: list[bytes] = []
    left = max_bytes + 1
    while left > 0 and (piece := file.read(min(left, _PIECE))):
        pieces.append(piece)
        left -= len(piece)
    if left <= 0:
        raise _too_large(name, max_bytes)
    data = b"".join(pieces)
    return inflated(data, max_bytes, name) if data[:2] == GZIP else data


def inflated(data: bytes, max_bytes: int, name: str) -> bytes:
    """What gzip has packed, of one or several parts; `name` is for the messages.

    >>> import gzip
    >>> inflated(gzip.compress(b"a" * 9), 9, "it")
    b'aaaaaaaaa'
    """
    pieces: list[bytes] = []
    left = max_bytes + 1
    try:
        while data:
            part = zlib.decompressobj(wbits=31)
            while not part.eof and left > 0:
                piece = part.decompress(data, min(left, _PIECE))
                data = part.unconsumed_tail
                if not piece and not data and not part.eof:
                    raise DeserializeFormatError(f"{name} is cut off", hint="the file is damaged: copy it again")
                pieces.append(piece)
                left -= len(piece)
            if left <= 0:
                raise _too_large(name, max_bytes)
            data = part.unused_data.lstrip(b"\0")
    except zlib.error as error:
        raise DeserializeFormatError(f"{name} is damaged gzip: {error}", hint="copy the file again") from error
    return b"".join(pieces)


def _too_large(name: str, max_bytes: int) -> LimitError:
    return LimitError(
        f"{name} has more than {max_bytes} bytes", hint="if it is meant to be that large, raise max_bytes"
    )
