"""The engine, compiled into an editable wheel when something that it is made of has changed:  python -m tools.engine

The wheel holds the compiled module and a finder for the package's Python files, which stay where they are.
tools/setup.sh installs it; other packages are fetched meanwhile. `$XG2LAB_LTO` and `$XG2LAB_WERROR` choose
as in pyproject.toml, `$CXX` and `$CXXFLAGS` as in CMake; the same again compiles nothing twice.

NOT HERE  what is compiled (CMakeLists.txt), and the wheel's contents ([tool.scikit-build] in pyproject.toml).
"""

from __future__ import annotations

import json
import os
import shutil
import sys

from tools.running import ROOT, VENV, SetupError, clean_environment, digest, pyproject, run_logged, say

WHEELS = ROOT / "build" / "editable"
BUILT_FROM = WHEELS / "sources.sha256"
INSTALLED_FROM = VENV / "engine.sha256"
CHOICES = ("CXX", "CXXFLAGS", "XG2LAB_LTO", "XG2LAB_WERROR")


def state() -> str:
    """Return the hash of all that the wheel depends on: sources, settings, this environment's Python."""
    tables = pyproject()
    asked = [tables["build-system"], tables["project"], tables["tool"]["scikit-build"]]
    asked += [[name, os.environ.get(name, "")] for name in CHOICES] + [sys.version, os.fspath(VENV)]
    sources = [ROOT / "core", ROOT / "CMakeLists.txt", ROOT / "xg2lab" / "__init__.py", ROOT / "tools" / "backend.py"]
    return digest([json.dumps(asked, sort_keys=True), *sources])


def is_installed(hashed: str) -> bool:
    """Return whether the engine of that state is in .venv."""
    return _read(INSTALLED_FROM) == hashed and any(VENV.glob("lib/python*/site-packages/xg2lab/_core*"))


def build(hashed: str) -> None:
    """Compile the wheel of that state. Raises `SetupError` with the end of the compiler's log."""
    shutil.rmtree(WHEELS, ignore_errors=True)
    WHEELS.mkdir(parents=True)
    program = f"from tools import backend; backend.build_editable({os.fspath(WHEELS)!r})"
    env = {**clean_environment(), "XG2LAB_VIEWS": "OFF"}  # tools/bundle.py builds them beside
    env.setdefault("CCACHE_BASEDIR", os.fspath(ROOT))  # what one checkout has compiled is found from another
    say("  engine (C++): compiling, which takes minutes on two cores; build/log has its log")
    run_logged("engine (C++)", [sys.executable, "-c", program], env=env)
    BUILT_FROM.write_text(hashed, encoding="ascii")


def main(words: list[str]) -> int:
    """Build, if need be; with `installed`, note that the wheel was installed. 1 with a message if it can't be built."""
    if words == ["installed"]:
        shutil.copy(BUILT_FROM, INSTALLED_FROM)
        shutil.rmtree(WHEELS)
        return 0
    hashed = state()
    if is_installed(hashed) or _read(BUILT_FROM) == hashed:
        return 0
    try:
        build(hashed)
    except SetupError as error:
        print(f"\nxg2lab: {error}", file=sys.stderr)
        return 1
    return 0


def _read(path: os.PathLike[str]) -> str:
    try:
        with open(path, encoding="ascii") as file:  # noqa: PTH123 (a path-like, not a Path)
            return file.read()
    except FileNotFoundError:
        return ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
