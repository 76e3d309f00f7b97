"""Builds the C++ unit tests (tests/unit/*.cc) beside an engine that is built already.

They are one program, the target `unit_tests`, which links the engine's own library: so a build takes seconds, and
only what has changed is compiled again. They alone need doctest: the system's header if there is one (Debian and
Ubuntu: doctest-dev, Homebrew: doctest), else Debian's package unpacked below build/debian/.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path

from tools import debian
from tools.running import LABEL_WIDTH, ROOT, say

TARGET = "unit_tests"
HINT = "apt-get install doctest-dev, or put a folder that has doctest/doctest.h into CPLUS_INCLUDE_PATH"


class NotBuiltError(Exception):
    """The unit tests can't be built here, and why. Not raised for a mistake in their source."""


def build_folder() -> Path:
    """Return the CMake folder whose engine was built last."""
    folders = [ROOT / "build", *(ROOT / "build").glob("*/")]
    built = [
        folder for folder in folders if (folder / "libxg2lab_core.a").exists() and _cached(folder, "CMAKE_COMMAND")
    ]
    if not built:
        raise NotBuiltError("no folder below build/ has an engine: make test builds one")
    return max(built, key=lambda folder: (folder / "libxg2lab_core.a").stat().st_mtime)


def _cached(folder: Path, name: str) -> str | None:
    """Return a program's path from CMake's cache, if the program is still there."""
    cache = folder / "CMakeCache.txt"
    lines = cache.read_text(encoding="utf-8").splitlines() if cache.exists() else []
    paths = [line.partition("=")[2] for line in lines if line.startswith(f"{name}:")]
    return next((path for path in paths if Path(path).exists()), None)


def doctest_environment(compiler: str) -> dict[str, str]:
    """Return the variables with which the compiler finds doctest/doctest.h; none where it does anyway."""
    probe = [compiler, "-E", "-x", "c++", "-"]
    found = subprocess.run(probe, input="#include <doctest/doctest.h>", capture_output=True, text=True, check=False)
    if found.returncode == 0:
        return {}
    folder = debian.unpack("doctest-dev")
    if folder is None:
        raise NotBuiltError(f"doctest/doctest.h is missing: {HINT}")
    search = [os.fspath(folder / "usr" / "include"), os.environ.get("CPLUS_INCLUDE_PATH", "")]
    return {"CPLUS_INCLUDE_PATH": os.pathsep.join(filter(None, search))}


def build(folder: Path | None = None) -> Path:
    """Build what is out of date in a CMake folder, by default `build_folder()`; return the program.

    Raises subprocess.CalledProcessError, with what the compiler said, if a test does not compile.
    """
    folder = folder or build_folder()
    compiler, cmake = _cached(folder, "CMAKE_CXX_COMPILER"), _cached(folder, "CMAKE_COMMAND")
    if compiler is None or cmake is None:
        raise NotBuiltError(f"{folder} was made by a CMake or for a compiler that is gone")
    with (folder / ".unit_tests.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # test processes run beside each other
        env = {**os.environ, **doctest_environment(compiler)}
        command = [cmake, "--build", os.fspath(folder), "--target", TARGET]
        subprocess.run(command, env=env, check=True, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return folder / TARGET


def main() -> int:
    """Compile them while no test waits; where doctest is missing, say so and leave it to their test."""
    began = time.monotonic()
    try:
        build()
    except NotBuiltError as error:
        say(f"  unit tests (C++): {error}")
    except subprocess.CalledProcessError as error:
        say(f"the C++ unit tests do not compile:\n{error.stdout[-4000:]}{error.stderr[-4000:]}")
        return 1
    else:
        say(f"  {'unit tests (C++)':<{LABEL_WIDTH}} {time.monotonic() - began:5.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
