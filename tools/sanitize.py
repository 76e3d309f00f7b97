"""The engine under the compiler's sanitizers: `make sanitize`, and `make sanitize ARGS=--thread`.

By default every memory access and every undefined operation is checked, in the unit tests and stress drivers (C++
programs, leaks too) and in the tests that drive the engine from Python. `--thread` looks for data races instead, in the
C++ programs alone: CPython is not built for that. Other words go to pytest. What a sanitizer says is kept in files,
where no test's capture can swallow it; they are printed at the end, and one is enough to fail. Before anything else
planted mistakes have to be found.

The instrumented module lives in a package folder of its own (build-asan/package: links to xg2lab's files and its
own _core); a `sitecustomize` there makes `import xg2lab` find that one, whatever else is installed or in the way.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tools import running, unit_tests
from tools.running import ROOT, SetupError, clean_environment, run_logged, say, warnings_define

# Folders whose tests drive the engine and need no torch. Python's own memory pools hide an overrun
# from the sanitizer, so they are switched off, but for the twins: those are Python alone and would
# take twice as long.
TESTED = {"malloc": ["core", "vocab", "bitmask"], "pymalloc": ["differential"]}
SHARES = {"malloc": "0.1", "pymalloc": "1"}  # of the tests' sampled work: tokens, grammars (tests/generators.py)
SITECUSTOMIZE = """import importlib.machinery, sys
class Instrumented:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] != "xg2lab":
            return None
        return importlib.machinery.PathFinder.find_spec(name, [{package!r}] if path is None else path)
sys.meta_path.insert(0, Instrumented)
"""
# A write past the end, a sum that overflows, and a sum that two threads write to unguarded.
PLANTED = """#include <thread>
extern "C" int write_past_the_end(int n) {
  int* cells = new int[4];
  cells[n] = n;
  int cell = cells[n];
  delete[] cells;
  return cell;
}
extern "C" int overflow(int n) { return n + 2147483647; }
#ifdef RACE
int sum = 0;
int main() { std::thread other([] { ++sum; }); ++sum; other.join(); return 0; }
#endif
"""
DRIVERS = {"shared_grammar_stress": "1000", "fault_stress": "300"}  # tests/core/NAME.cc, and how many steps
PLANTED_CALLS = ["write_past_the_end", "overflow"]


@dataclass(frozen=True)
class Mode:
    """A set of sanitizers, and what is told to them."""

    sanitizers: str
    folder: Path
    runtime: str
    options: dict[str, str]
    has_python: bool

    @property
    def package(self) -> Path:
        """What Python imports."""
        return self.folder / "package"

    @property
    def reports(self) -> Path:
        """Where the sanitizer writes."""
        return self.folder / "reports"


MEMORY = Mode(
    sanitizers="address,undefined",
    folder=ROOT / "build-asan",
    runtime="libasan.so",
    # handle_abort: a failed assertion says where, in the report too.
    options={"ASAN_OPTIONS": "handle_abort=1", "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1"},
    has_python=True,
)
THREAD = Mode(
    sanitizers="thread",
    folder=ROOT / "build-tsan",
    runtime="libtsan.so",
    options={"TSAN_OPTIONS": "history_size=4:second_deadlock_stack=1:die_after_fork=0"},
    has_python=False,
)


# ---- Building ----


def build(mode: Mode, compiler: str) -> None:
    """Compile the drivers and, if Python has a part in it, the module into the package folder."""
    env = {**clean_environment(), "CXX": compiler}
    defines = [
        f"XG2LAB_SANITIZE={mode.sanitizers}",
        "XG2LAB_STRESS=ON",
        "XG2LAB_UNITY=ON",  # everything is built at once, in half the time
        warnings_define(),
        f"XG2LAB_BIND={'ON' if mode.has_python else 'OFF'}",
        # With assertions; -O2 takes three times as long to compile and runs little faster.
        "CMAKE_BUILD_TYPE=Debug",
        "CMAKE_CXX_FLAGS_DEBUG=-O1 -g1",
    ]
    if mode.has_python:
        defines += [f"XG2LAB_MODULE_DIR={make_package(mode)}", f"Python_EXECUTABLE={sys.executable}"]
    configure = ["cmake", "-S", ROOT, "-B", mode.folder, "-G", "Ninja", *(f"-D{define}" for define in defines)]
    run_logged(f"{mode.folder.name} configure", configure, env=env)
    run_logged(f"{mode.folder.name} engine", ["cmake", "--build", mode.folder], env=env)


def make_package(mode: Mode) -> Path:
    """Lay out the package folder; return where the instrumented module goes."""
    shutil.rmtree(mode.package, ignore_errors=True)
    module_folder = mode.package / "xg2lab"
    module_folder.mkdir(parents=True)
    for entry in sorted((ROOT / "xg2lab").iterdir()):
        if not entry.name.startswith(("_core.c", "__pycache__")):
            (module_folder / entry.name).symlink_to(entry)
    text = SITECUSTOMIZE.format(package=os.fspath(mode.package))
    (mode.package / "sitecustomize.py").write_text(text, encoding="utf-8")
    return module_folder


def library(compiler: str, name: str) -> str:
    """Return the path of one of the compiler's libraries."""
    command = [*compiler.split(), f"-print-file-name={name}"]
    path = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    if not Path(path).is_absolute():
        raise SetupError(f"{compiler} has no {name}", hint="use GCC's: CXX=g++, apt-get install libgcc-12-dev")
    return os.path.realpath(path)


# ---- Running ----


def environment(mode: Mode, *, leaks: bool) -> dict[str, str]:
    """Return the environment in which reports go to files; `leaks`: whether memory never freed is one."""
    place = f"log_path={mode.reports / 'report'}"
    options = {name: f"{value}:{place}" for name, value in mode.options.items()}
    if mode is MEMORY:
        options["ASAN_OPTIONS"] += f":detect_leaks={int(leaks)}"
    return {**clean_environment(), **options}


def python_environment(mode: Mode, compiler: str) -> dict[str, str]:
    """Return the environment in which Python imports the instrumented engine."""
    # libstdc++ has to be there when the sanitizer starts, or it can't find the function that
    # throws.
    preloaded = [library(compiler, mode.runtime), library(compiler, "libstdc++.so")]
    return {
        # CPython itself keeps memory to its end, so leaks are looked for in the drivers alone.
        **environment(mode, leaks=False),
        "LD_PRELOAD": ":".join(preloaded),
        "PYTHONPATH": os.fspath(mode.package),
    }


def find_planted(mode: Mode, compiler: str) -> None:
    """Make sure that a mistake leaves a report: a sanitizer that finds nothing may not be at work."""
    source = mode.folder / "planted.cc"
    source.write_text(PLANTED, encoding="utf-8")
    target = mode.folder / "planted.so"
    kind = ["-shared"] if mode.has_python else ["-DRACE", "-pthread"]
    flags = ["-std=c++20", "-g1", f"-fsanitize={mode.sanitizers}", "-fPIC", *kind]
    run_logged("planted mistake", [*compiler.split(), *flags, "-o", target, source])
    if mode.has_python:
        env = python_environment(mode, compiler)
        calls = [f"import ctypes; ctypes.CDLL({os.fspath(target)!r}).{name}(4)" for name in PLANTED_CALLS]
        commands = [[sys.executable, "-c", call] for call in calls]
    else:
        env, commands = environment(mode, leaks=True), [[os.fspath(target)]]
    for command in commands:
        status = watched(mode, command, env, quiet=True)
        found = reports(mode)
        for path in found:
            path.unlink()
        if status == 0 or not found:
            raise SetupError(f"a planted mistake was not found (exit status {status}): {' '.join(command)}")


def check_import(mode: Mode, env: dict[str, str]) -> None:
    """Make sure that the module which Python finds is the instrumented one, also with the checkout in the way."""
    program = "import sys; sys.path.insert(0, ''); import xg2lab._core as core; print(core.__file__)"
    where = subprocess.run(
        [sys.executable, "-c", program], env=env, cwd=ROOT, capture_output=True, text=True, check=False
    )
    if not where.stdout.startswith(os.fspath(mode.package)):
        raise SetupError(f"the instrumented engine is not the one imported:\n{where.stdout}{where.stderr}")


def reports(mode: Mode) -> list[Path]:
    """Return the files that a sanitizer wrote."""
    return sorted(mode.reports.glob("report*"))


def watched(mode: Mode, command: list[str], env: dict[str, str], *, quiet: bool = False) -> int:
    """Run a command; its exit status. What it says on stderr is passed on, and kept if it is a report.

    For undefined operations it is one: of GCC's two runtimes, that of the addresses alone writes to files.
    """
    heard = mode.reports / "stderr"
    with heard.open("wb") as stderr:
        status = subprocess.call(command, cwd=ROOT, env=env, stderr=stderr)
    text = heard.read_text(encoding="utf-8", errors="replace")
    heard.unlink()
    if "runtime error: " in text:
        (mode.reports / f"report.stderr.{len(reports(mode))}").write_text(text, encoding="utf-8")
    elif not quiet:
        print(text, end="", file=sys.stderr, flush=True)
    return status


def run_drivers(mode: Mode) -> int:
    """Run the stress drivers over a few seeds; the first exit status that is not 0."""
    for driver, n_steps in DRIVERS.items():
        for seed in ("1", "2", "3"):
            say(f"==== {driver}, seed {seed} ====")
            command = [os.fspath(mode.folder / driver), "6", n_steps, seed]
            if status := watched(mode, command, environment(mode, leaks=True)):
                return status
    return 0


def run_unit_tests(mode: Mode) -> int:
    """Build and run the C++ unit tests; their exit status, 0 where doctest can't be had."""
    say("==== unit tests ====")
    try:
        program = unit_tests.build(mode.folder)
    except unit_tests.NotBuiltError as error:
        say(f"left out: {error}")
        return 0
    except subprocess.CalledProcessError as error:
        raise SetupError(f"the unit tests don't compile:\n{error.stdout}{error.stderr}") from error
    return watched(mode, [os.fspath(program)], environment(mode, leaks=True))


def run_tests(mode: Mode, env: dict[str, str], words: list[str]) -> int:
    """Run pytest; the worst exit status."""
    worst = 0
    for allocator, names in TESTED.items():
        folders = [f"tests/{name}" for name in names if (ROOT / "tests" / name).is_dir()]
        workers = ["-n", os.environ.get("XG2LAB_TEST_WORKERS", "2")]
        chosen = words or ["-q", *workers, "-m", "not slow and not browser and not gpu", "--durations=5", *folders]
        say(f"==== pytest {' '.join(chosen)} ====")
        # capture=sys: what is written to stderr below Python is not swallowed.
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--capture=sys", *chosen]
        chosen_env = {"XG2LAB_SHARE": SHARES[allocator], **env, "PYTHONMALLOC": allocator, "XG2LAB_STACK_KIB": "4096"}
        worst = watched(mode, command, chosen_env) or worst
        if words:
            break
    return worst


def run(mode: Mode, words: list[str]) -> int:
    """Build, then run what the mode is for; the worst exit status."""
    compiler = running.compiler()
    mode.folder.mkdir(exist_ok=True)
    shutil.rmtree(mode.reports, ignore_errors=True)
    mode.reports.mkdir()
    find_planted(mode, compiler)
    build(mode, compiler)
    status = 0 if words else run_unit_tests(mode) or run_drivers(mode)
    if mode.has_python:
        env = python_environment(mode, compiler)
        check_import(mode, env)
        status = run_tests(mode, env, words) or status
    return status


def main(words: list[str]) -> int:
    """Run from the command line; 0 if all passed and no sanitizer said a word."""
    mode = THREAD if "--thread" in words else MEMORY
    words = [word for word in words if word and word != "--thread"]
    if mode is THREAD and words:
        say(f"xg2lab: --thread runs the stress drivers alone; there is no test for: {' '.join(words)}")
        return 2
    try:
        status = run(mode, words)
    except SetupError as error:
        say(f"xg2lab: {error}")
        return 1
    found = reports(mode)
    for path in found:
        say(f"==== {path.relative_to(ROOT)} ====\n{path.read_text(encoding='utf-8', errors='replace')}")
    say(f"sanitizers ({mode.sanitizers}): {len(found)} reports, {'failed' if found or status else 'all well'}")
    return status or (1 if found else 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
