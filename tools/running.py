"""One line a step: what runs, for how long, and on failure the end of its log.

>>> SetupError("no compiler", hint="apt-get install g++").hint
'apt-get install g++'
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOG_DIR = ROOT / "build" / "log"
LABEL_WIDTH = 34
TAIL_LINES = 40

# What a log says, and what it means to someone who has just cloned the project.
REMEDIES = {
    "Temporary failure in name resolution": "is this machine connected to a network?",
    "Failed to establish a new connection": "is this machine connected to a network?",
    "Network is unreachable": "is this machine connected to a network?",
    "ENOTFOUND": "npm can't reach its registry: is this machine connected to a network?",
    "EAI_AGAIN": "npm can't reach its registry: is this machine connected to a network?",
    "No space left on device": "the disk is full; torch and JupyterLab need about 2 GB, the CUDA build of torch 8 GB",
    "Could NOT find Python": "the Python headers are missing: apt-get install python3-dev",
    "Killed signal terminated program": "the compiler ran out of memory: CMAKE_BUILD_PARALLEL_LEVEL=1 make ...",
}


class SetupError(Exception):
    """Something that has to be there is not; `hint` says what to do."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message if not hint else f"{message}\n  hint: {hint}")
        self.hint = hint


def say(text: str) -> None:
    """Print a line now, also when the output is a file."""
    print(text, flush=True)


def remedy_for(log: str) -> str:
    """Return the remedy for the first known complaint in a log, or nothing.

    >>> remedy_for("npm ERR! code ENOTFOUND")
    "npm can't reach its registry: is this machine connected to a network?"
    """
    return next((remedy for symptom, remedy in REMEDIES.items() if symptom in log), "")


def run_logged(
    label: str, command: Sequence[str | Path], *, cwd: Path = ROOT, env: dict[str, str] | None = None
) -> None:
    """Run a command with its output in a log; show one line, and the log's end if it fails."""
    LOG_DIR.mkdir(parents=True, exist_ok=True)
    log_path = LOG_DIR / (label.replace(" ", "_").replace("/", "-") + ".log")
    began = time.monotonic()
    with log_path.open("wb") as log:
        try:
            process = subprocess.Popen(
                [str(part) for part in command],
                cwd=cwd,
                env=env,
                stdout=log,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
            )
        except OSError as error:
            raise SetupError(f"{label}: {command[0]} can't be run ({error.strerror})") from error
        with _Heartbeat(label, log_path, began):
            status = process.wait()
    seconds = time.monotonic() - began
    if status == 0:
        say(f"  {label:<{LABEL_WIDTH}} {seconds:5.0f} s")
        return
    text = log_path.read_text(encoding="utf-8", errors="replace")
    say(f"  {label:<{LABEL_WIDTH}} failed after {seconds:.0f} s: {' '.join(str(part) for part in command)}")
    for line in text.splitlines()[-TAIL_LINES:]:
        say(f"    | {line}")
    place = os.path.relpath(log_path, ROOT)
    raise SetupError(f"{label} failed (exit status {status}); the whole log is {place}", hint=remedy_for(text))


class _Heartbeat:
    """On a terminal, shows the seconds and the log's last line while a long step runs; elsewhere nothing."""

    def __init__(self, label: str, log_path: Path, began: float) -> None:
        self._label = label
        self._log_path = log_path
        self._began = began
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self) -> None:
        if sys.stdout.isatty():
            self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._done.set()
        if self._thread.is_alive():
            self._thread.join()
            print("\r\x1b[K", end="", flush=True)

    def _beat(self) -> None:
        while not self._done.wait(0.5):
            tail = self._log_path.read_bytes()[-400:].decode("utf-8", "replace").strip().splitlines()
            last = tail[-1].strip()[:60] if tail else ""
            seconds = time.monotonic() - self._began
            print(f"\r\x1b[K  {self._label:<{LABEL_WIDTH}} {seconds:5.0f} s  {last}", end="", flush=True)
