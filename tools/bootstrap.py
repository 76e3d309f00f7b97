"""Sets up what the make targets need: .venv, torch, the engine, the front end. Nothing twice.

`python -m tools.bootstrap lab` for JupyterLab and the demo, `test` for all tests, `dev` for the checks too, `engine`
for the engine alone. Every step leaves a stamp, the hash of all it read (tools/stamps.py): a second run
compares hashes and asks no package index.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from typing import Any

from tools import debian, node, unit_tests
from tools.progress import LABEL_WIDTH, ROOT, SetupError, run_logged, say
from tools.stamps import Stamp, digest

VENV = ROOT / ".venv"
VENV_PYTHON = VENV / "bin" / "python"
STAMPS = VENV / "stamps"
CONSTRAINTS = ROOT / "constraints.txt"
PYPROJECT = ROOT / "pyproject.toml"
WIDGETS = ROOT / "widgets"
BUNDLE = ROOT / "xg2lab" / "widgets" / "static"
WORDS = ROOT / "xg2lab" / "widgets" / "words.json"  # the bundle has them too
COMPILERS = [
    "c++",
    "g++",
    "clang++",
    *(f"g++-{n}" for n in range(16, 9, -1)),
    *(f"clang++-{n}" for n in range(22, 13, -1)),
]
# Uses what the engine uses: spans, three-way comparison, concepts, bit operations.
CXX20_PROBE = """
#include <bit>
#include <compare>
#include <concepts>
#include <span>
struct Id { unsigned value; friend auto operator<=>(Id, Id) = default; };
template <std::integral T> int count(std::span<const T> words) { return std::popcount(words[0]); }
static_assert(Id{1} < Id{2});
int main() { const unsigned words[] = {7u}; return count<unsigned>(words) - 3; }
"""
LEVELS = ("engine", "lab", "test", "bench", "dev")


@dataclass
class Step:
    """One thing to set up: what it reads, how it is done, and what has to exist afterwards."""

    name: str
    key: str
    action: Callable[[], None]
    made: Callable[[], bool] = field(default=lambda: True)

    def run_if_stale(self) -> bool:
        """Do the step unless its stamp says that it is done; whether there was something to do."""
        stamp = Stamp(self.name, self.key, STAMPS)
        if stamp.is_current() and self.made():
            return False
        stamp.clear()
        self.action()
        if not self.made():
            raise SetupError(f"{self.name}: the step ended well and what it makes is not there")
        stamp.write()
        return True


# ---- What pyproject.toml asks for ----


def pyproject() -> dict[str, Any]:
    """Return the tables of pyproject.toml."""
    with PYPROJECT.open("rb") as file:
        return tomllib.load(file)


def version() -> str:
    """Return the version of the package, which its `__init__.py` states."""
    stated = re.search(
        r'^__version__ = "(.+)"$', (ROOT / "xg2lab" / "__init__.py").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert stated is not None, "xg2lab/__init__.py states no __version__"
    return stated[1]


def requirements(extra: str) -> list[str]:
    """Return the packages of an extra, without those of the extras it builds on; "build" and "node" are groups."""
    tables = pyproject()
    project = tables["project"]
    known = {"core": project["dependencies"], **project["optional-dependencies"], **tables["dependency-groups"]}
    return [line for line in known[extra] if not line.startswith(f"{project['name']}[")]


def pip_install(label: str, wanted: list[str], *options: str) -> None:
    """Install packages in .venv, at the versions of constraints.txt."""
    pip = [VENV_PYTHON, "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--progress-bar", "off"]
    run_logged(label, [*pip, "-c", CONSTRAINTS, *options, *wanted], env=clean_environment())


def packages_step(name: str, *extras: str) -> Step:
    """Make a step that installs the packages of some extras in one go."""
    wanted = [line for extra in extras for line in requirements(extra)]
    return Step(name, digest([*wanted, CONSTRAINTS]), lambda: pip_install(name, wanted))


def clean_environment() -> dict[str, str]:
    """Return the environment without what belongs to another virtual environment."""
    dropped = {"PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV", "CONDA_PREFIX", "PIP_TARGET", "PIP_USER", "PIP_PREFIX"}
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    # The wheel's Node knows only its own certificates, unless told to ask the system, as the system's Node does.
    kept.setdefault("NODE_USE_SYSTEM_CA", "1")
    return {**kept, "PATH": os.pathsep.join([str(VENV / "bin"), kept.get("PATH", os.defpath)])}


# ---- The virtual environment ----


def venv_is_usable() -> bool:
    """Whether .venv has a Python that runs, is new enough, has pip and was made for this folder."""
    home = VENV / "made_for"
    if not VENV_PYTHON.exists() or not home.exists() or home.read_text(encoding="utf-8") != str(ROOT):
        return False
    probe = "import sys, pip; sys.exit(sys.version_info < (3, 11))"
    return subprocess.call([VENV_PYTHON, "-c", probe], stderr=subprocess.DEVNULL) == 0


def make_venv() -> None:
    """Make .venv afresh, also on a Debian where `venv` can't install pip."""
    if VENV.exists():
        shutil.rmtree(VENV)
    if _python_can("import venv, ensurepip; ensurepip.version()"):
        run_logged("virtual environment", [sys.executable, "-m", "venv", VENV])
    else:
        _make_venv_without_ensurepip()
    (VENV / "made_for").write_text(str(ROOT), encoding="utf-8")


def _make_venv_without_ensurepip() -> None:
    wheel = debian.pip_wheel() if _python_can("import venv") else None
    if wheel is not None:
        run_logged("virtual environment", [sys.executable, "-m", "venv", "--without-pip", VENV])
        run_logged("pip", [VENV_PYTHON, wheel / "pip", "install", "-q", "pip", "-c", CONSTRAINTS])
    elif _python_can("import virtualenv"):
        run_logged("virtual environment", [sys.executable, "-m", "virtualenv", VENV])
    else:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise SetupError(
            f"Python {version} can't make virtual environments here: its module ensurepip is missing",
            hint=f"apt-get install python{version}-venv",
        )


def _python_can(program: str) -> bool:
    return subprocess.call([sys.executable, "-c", program], stderr=subprocess.DEVNULL) == 0


# ---- The engine ----


def find_compiler() -> str:
    """Return the first compiler that takes C++20; CXX, if set, is the only one asked."""
    asked = os.environ.get("CXX")
    for name in [asked] if asked else COMPILERS:
        command = [*name.split(), "-std=c++20", "-fsyntax-only", "-x", "c++", "-"]
        with contextlib.suppress(OSError):
            found = subprocess.run(command, input=CXX20_PROBE, text=True, capture_output=True, check=False)
            if found.returncode == 0:
                return name
    tried = f"CXX={asked}" if asked else "c++, g++ or clang++, or one with a version in its name"
    raise SetupError(
        f"no compiler for C++20 found (tried {tried})",
        hint="apt-get install g++ (version 11 or newer: Debian 12, Ubuntu 22.04), or set CXX",
    )


def warnings_define() -> str:
    """Return the CMake define that says whether a compiler's warning is an error, as $XG2LAB_WERROR asks."""
    strict = os.environ.get("XG2LAB_WERROR", "") not in {"", "0", "OFF"}
    return f"XG2LAB_WERROR={'ON' if strict else 'OFF'}"


def optimizes_links(level: str) -> bool:
    """Return whether the engine is optimized across units, as in a wheel: for benchmarks, or as $XG2LAB_LTO asks."""
    asked = os.environ.get("XG2LAB_LTO")
    return level == "bench" if asked is None else asked not in {"", "0", "OFF"}


def engine_settings(level: str) -> tuple[list[str], dict[str, str]]:
    """Return pip's settings and the environment for building the engine here; the same again compiles nothing twice."""
    extra_environment, definitions = debian.header_environment()
    definitions += [warnings_define(), f"XG2LAB_LTO={'ON' if optimizes_links(level) else 'OFF'}"]
    if shutil.which("ccache"):
        definitions.append("CMAKE_CXX_COMPILER_LAUNCHER=ccache")
    settings = [f"--config-settings=cmake.define.{definition}" for definition in definitions]
    return settings, {**clean_environment(), **extra_environment, "CXX": find_compiler()}


def build_engine(level: str) -> None:
    """Compile the engine and install the package in .venv, editable; only what has changed is compiled again."""
    settings, env = engine_settings(level)
    install = [VENV_PYTHON, "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--no-deps"]
    editable = [*install, "-v", "--no-build-isolation", *settings, "-e", "."]
    run_logged("engine (C++)", editable, env=env)
    probe = "import xg2lab._core"
    checked = subprocess.run(
        [VENV_PYTHON, "-c", probe], capture_output=True, text=True, check=False, cwd=VENV, env=clean_environment()
    )
    if checked.returncode != 0:
        raise SetupError(f"the engine was built and can't be imported:\n{checked.stderr}")


def engine_step(level: str) -> Step:
    """Make the step that builds the engine when its sources, its build files or the compiler's name change."""
    choices = [f"{name}={os.environ.get(name, '')}" for name in ("CXX", "CXXFLAGS", "XG2LAB_WERROR")]
    choices.append(f"XG2LAB_LTO={optimizes_links(level)}")
    tables = pyproject()
    asked = json.dumps([tables["build-system"], tables["project"], tables["tool"]["scikit-build"], version()])
    sources = [ROOT / "core", ROOT / "CMakeLists.txt"]
    built = lambda: any(VENV.glob("lib/python*/site-packages/xg2lab/_core*"))  # noqa: E731
    return Step("engine", digest([*choices, asked, *sources]), lambda: build_engine(level), built)


def build_unit_tests() -> None:
    """Compile the C++ unit tests while no test waits; where doctest is missing, say so and leave it to their test."""
    began = time.monotonic()
    try:
        unit_tests.build()
    except unit_tests.NotBuiltError as error:
        say(f"  unit tests (C++): {error}")
        return
    except subprocess.CalledProcessError as error:
        raise SetupError(f"the C++ unit tests do not compile:\n{error.stdout[-4000:]}{error.stderr[-4000:]}") from None
    say(f"  {'unit tests (C++)':<{LABEL_WIDTH}} {time.monotonic() - began:5.0f} s")


def unit_tests_step() -> Step:
    """Make the step that compiles the C++ unit tests when they or the engine change."""
    choices = [f"{name}={os.environ.get(name, '')}" for name in ("CXX", "CXXFLAGS", "XG2LAB_WERROR")]
    sources = [ROOT / "core", ROOT / "CMakeLists.txt", ROOT / "tests" / "unit"]
    return Step("unit tests", digest([*choices, *sources]), build_unit_tests)


# ---- The front end ----


def front_end_steps() -> Iterator[Step]:
    """Make the steps for widgets/: its packages, then the bundle that the notebooks load."""
    package = WIDGETS / "package.json"
    if not package.exists():
        say("  front end: nothing there (no widgets/package.json)")
        return
    if "build" not in json.loads(package.read_text(encoding="utf-8")).get("scripts", {}):
        raise SetupError("widgets/package.json has no script `build`, so the notebooks would have no views")
    lock = WIDGETS / "package-lock.json"
    npm = node.npm_command(VENV, install=lambda: pip_install("node", requirements("node")))
    options = ["--no-fund", "--no-audit", "--no-update-notifier"]
    fetch = [*npm, "ci", *options] if lock.exists() else [*npm, "install", "--no-package-lock", *options]
    env = clean_environment()
    yield Step(
        "front-end packages",
        digest([package, lock]),
        lambda: run_logged("front-end packages", fetch, cwd=WIDGETS, env=env),
        (WIDGETS / "node_modules").is_dir,
    )
    yield Step(
        "front end",
        digest([WIDGETS, WORDS]),
        lambda: run_logged("front end (TypeScript)", [*npm, "run", "build"], cwd=WIDGETS, env=env),
        lambda: BUNDLE.is_dir() and any(BUNDLE.iterdir()),
    )


# ---- The whole ----


def steps(level: str) -> Iterator[Step]:
    """Yield the steps of a level in order; each is made only when those before it are done."""
    yield packages_step("build tools", "core", "build")
    if level != "engine":
        yield packages_step("torch", "torch")
        yield packages_step("lab packages", "hf", "widgets", "lab")
    if level in {"test", "bench", "dev"}:
        yield packages_step("test packages", "pictures", "test")
    if level == "bench":
        yield packages_step("peers to measure against", "bench")
    if level == "dev":
        yield packages_step("checkers", "dev")
    yield engine_step(level)
    if level == "test":
        yield unit_tests_step()
    if level != "engine":
        yield from front_end_steps()


@contextlib.contextmanager
def only_one() -> Generator[None]:
    """Let one set-up run at a time in this folder; a second waits."""
    (ROOT / "build").mkdir(exist_ok=True)
    with (ROOT / "build" / ".setup.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("  another set-up is running in this folder; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def set_up(level: str) -> None:
    """Bring .venv and all that was built up to date."""
    began = time.monotonic()
    with only_one():
        say(f"xg2lab: setting up for `{level}`")
        done = 0
        if not venv_is_usable():
            make_venv()
            done += 1
        for step in steps(level):
            done += step.run_if_stale()
    seconds = time.monotonic() - began
    say(f"xg2lab: {'ready' if done else 'everything is up to date'} ({seconds:.1f} s)\n")


def main(arguments: list[str]) -> int:
    """Run from the command line; 0, or 1 with a message that says what is missing."""
    level = arguments[0] if arguments else "lab"
    if level not in LEVELS:
        say(f"usage: python -m tools.bootstrap [{'|'.join(LEVELS)}]")
        return 2
    try:
        set_up(level)
    except SetupError as error:
        say(f"\nxg2lab: {error}")
        return 1
    except KeyboardInterrupt:
        say("\nxg2lab: stopped; the next run goes on from here")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
