"""clang-tidy over the engine, a process a core; words given choose files by their path.

Uses a compile database of its own (build/tidy), so the compiler's flags there are GCC's or Clang's as found.
"""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.running import ROOT, VENV, SetupError, clean_environment, run_logged, say

DATABASE = ROOT / "build" / "tidy"


def configure() -> None:
    """Write the compile database; the engine is not compiled."""
    command = ["cmake", "-S", ROOT, "-B", DATABASE, "-G", "Ninja", f"-DPython_EXECUTABLE={sys.executable}"]
    run_logged("clang-tidy configure", command, env=clean_environment())


def tidy(path: Path) -> tuple[Path, str]:
    """Return what clang-tidy says of one file, nothing if all is well."""
    command = [VENV / "bin" / "clang-tidy", "--quiet", "-p", DATABASE, path]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    return path, (ran.stdout + ran.stderr) if ran.returncode != 0 else ""


def main(words: list[str]) -> int:
    """Run from the command line; 1 if clang-tidy found something."""
    try:
        configure()
    except SetupError as error:
        say(f"xg2lab: {error}")
        return 1
    chosen = [path for path in sorted((ROOT / "core").rglob("*.cc")) if all(word in str(path) for word in words)]
    with ThreadPoolExecutor(min(os.cpu_count() or 1, 8)) as pool:
        complaints = [(path, said) for path, said in pool.map(tidy, chosen) if said]
    for path, said in complaints:
        say(f"==== {path.relative_to(ROOT)}\n{said}")
    say(f"clang-tidy: {len(chosen)} files, {len(complaints)} with findings")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
