"""Where things are, and how the tools run a command: one line for each, and on failure the end of its log.

>>> SetupError("no compiler", hint="apt-get install g++").hint
'apt-get install g++'
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
WIDGETS = ROOT / "widgets"
LOG_DIR = ROOT / "build" / "log"
LABEL_WIDTH = 34
TAIL_LINES = 40


class SetupError(Exception):
    """Something that has to be there is not; `hint` says what to do."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message if not hint else f"{message}\n  hint: {hint}")
        self.hint = hint


def say(text: str) -> None:
    """Print a line now, also when the output is a file."""
    print(text, flush=True)


def pyproject() -> dict[str, Any]:
    """Return the tables of pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def clean_environment() -> dict[str, str]:
    """Return the environment with this Python's programs first, and without what belongs to another environment."""
    dropped = {"PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV", "CONDA_PREFIX"}
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    # The wheel's Node knows only its own certificates, unless told to ask the system, as the
    # system's Node does.
    kept.setdefault("NODE_USE_SYSTEM_CA", "1")
    return {**kept, "PATH": os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", os.defpath)])}


def compiler() -> str:
    """Return the C++ compiler that CMake would take: $CXX, or the system's."""
    return os.environ.get("CXX", "c++")


def warnings_define() -> str:
    """Return the CMake define that says whether a compiler's warning is an error, as $XG2LAB_WERROR asks."""
    return f"XG2LAB_WERROR={os.environ.get('XG2LAB_WERROR', 'OFF')}"


def digest(parts: Iterable[str | Path]) -> str:
    """Return the hash of texts, and of files with their names; a folder counts with every file below it.

    >>> digest(["a", "b"]) == digest(["ab"]), digest([Path(__file__)]) == digest([Path(__file__)])
    (False, True)
    """
    whole = hashlib.sha256()
    for part in parts:
        for piece in _pieces(part):
            whole.update(len(piece).to_bytes(8, "little") + piece)
    return whole.hexdigest()


def _pieces(part: str | Path) -> Iterator[bytes]:
    if isinstance(part, str):
        yield part.encode()
        return
    for path in sorted(path for path in part.rglob("*") if path.is_file()) if part.is_dir() else [part]:
        yield path.relative_to(part.parent).as_posix().encode()
        yield path.read_bytes() if path.exists() else b"absent"


def run_logged(
    label: str, command: Sequence[str | Path], *, cwd: Path = ROOT, env: dict[str, str] | None = None
) -> None:
    """Run a command with its output in a log; show one line, and the log's end if it fails.

    Raises `SetupError` where the command can't be run or fails.
    """
    LOG_DIR.mkdir(parents=True, exist_ok=True)
    log_path = LOG_DIR / (label.replace(" ", "_").replace("/", "-") + ".log")
    words = [str(part) for part in command]
    began = time.monotonic()
    with log_path.open("wb") as log:
        try:
            ran = subprocess.run(
                words, cwd=cwd, env=env, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False
            )
        except OSError as error:
            raise SetupError(f"{label}: {words[0]} can't be run ({error.strerror})") from error
    seconds = time.monotonic() - began
    if ran.returncode == 0:
        say(f"  {label:<{LABEL_WIDTH}} {seconds:5.0f} s")
        return
    say(f"  {label:<{LABEL_WIDTH}} failed after {seconds:.0f} s: {' '.join(words)}")
    for line in log_path.read_text(encoding="utf-8", errors="replace").splitlines()[-TAIL_LINES:]:
        say(f"    | {line}")
    place = os.path.relpath(log_path, ROOT)
    raise SetupError(f"{label} failed (exit status {ran.returncode}); the whole log is {place}")
