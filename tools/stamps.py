"""Whether a step of the set-up has to run again: a step's stamp is the hash of all it read.

>>> import tempfile
>>> with tempfile.TemporaryDirectory() as folder:
...     stamp = Stamp("engine", key=digest(["a", "b"]), folder=Path(folder))
...     before = stamp.is_current()
...     stamp.write()
...     (before, stamp.is_current(), Stamp("engine", key=digest(["ab"]), folder=Path(folder)).is_current())
(False, True, False)
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

SKIPPED_FOLDERS = {"node_modules", "__pycache__", ".venv", "build", "dist", "out", ".ipynb_checkpoints"}


def digest(parts: Iterable[str | bytes | Path]) -> str:
    """Hash texts, and files with their names; a folder counts with every file below it."""
    whole = hashlib.sha256()
    for part in parts:
        for piece in _pieces(part):
            whole.update(len(piece).to_bytes(8, "little") + piece)
    return whole.hexdigest()


def _pieces(part: str | bytes | Path) -> Iterable[bytes]:
    if isinstance(part, bytes):
        yield part
    elif isinstance(part, str):
        yield part.encode()
    elif part.is_dir():
        for path in sorted(part.rglob("*")):
            inside = path.relative_to(part)
            if path.is_file() and not SKIPPED_FOLDERS.intersection(inside.parts):
                yield inside.as_posix().encode()
                yield path.read_bytes()
    else:
        yield part.name.encode()
        yield part.read_bytes() if part.exists() else b"absent"


@dataclass(frozen=True)
class Stamp:
    """A step's name and the hash of what it depends on, kept in `folder`."""

    name: str
    key: str
    folder: Path

    @property
    def _path(self) -> Path:
        return self.folder / self.name.replace(" ", "_")

    def is_current(self) -> bool:
        """Whether the step ran with just these inputs."""
        return self._path.exists() and self._path.read_text(encoding="ascii") == self.key

    def write(self) -> None:
        """Note that the step has run."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._path.write_text(self.key, encoding="ascii")

    def clear(self) -> None:
        """Note that the step is about to change what it made."""
        self._path.unlink(missing_ok=True)
