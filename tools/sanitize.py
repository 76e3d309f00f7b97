"""The engine's tests with an engine that checks every memory access and every undefined operation.

The instrumented module lives in a package folder of its own (build-asan/package: links to xg2lab's files and its
own _core), put before the installed one by PYTHONPATH; a `sitecustomize` there takes the editable install's finder
away. Words given go to pytest; without any, every quick test that needs no torch and no browser runs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tools.bootstrap import clean_environment, find_compiler
from tools.debian import header_environment
from tools.progress import ROOT, SetupError, run_logged, say

BUILD = ROOT / "build-asan"
PACKAGE = BUILD / "package"
SANITIZERS = os.environ.get("XG2LAB_SANITIZE", "address,undefined")
SITECUSTOMIZE = """import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__name__ != "ScikitBuildRedirectingFinder"]
"""
# Folders whose tests exercise the engine; the others test Python alone, or torch, whose leaks are not ours.
TESTED = ["core", "differential", "reference", "python", "fuzz"]


def build(compiler: str) -> None:
    """Compile the instrumented engine into the package folder."""
    shutil.rmtree(PACKAGE, ignore_errors=True)
    module_folder = PACKAGE / "xg2lab"
    module_folder.mkdir(parents=True)
    for entry in sorted((ROOT / "xg2lab").iterdir()):
        if not entry.name.startswith(("_core.c", "__pycache__")):
            (module_folder / entry.name).symlink_to(entry)
    (PACKAGE / "sitecustomize.py").write_text(SITECUSTOMIZE, encoding="utf-8")
    extra, definitions = header_environment()
    env = {**clean_environment(), **extra, "CXX": compiler}
    defines = [
        f"XG2LAB_SANITIZE={SANITIZERS}",
        f"XG2LAB_MODULE_DIR={module_folder}",
        f"Python_EXECUTABLE={sys.executable}",
        "CMAKE_BUILD_TYPE=RelWithDebInfo",
        *definitions,
    ]
    if shutil.which("ccache"):
        defines.append("CMAKE_CXX_COMPILER_LAUNCHER=ccache")
    configure = ["cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", *(f"-D{define}" for define in defines)]
    run_logged("sanitized configure", configure, env=env)
    run_logged("sanitized engine", ["cmake", "--build", BUILD], env=env)


def runtime_library(compiler: str) -> str:
    """Return the sanitizers' library, which has to be loaded before Python."""
    name = "libtsan.so" if "thread" in SANITIZERS else "libasan.so"
    command = [*compiler.split(), f"-print-file-name={name}"]
    path = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    if not Path(path).is_absolute():
        raise SetupError(f"{compiler} has no {name}", hint="apt-get install libasan8 (or libgcc-12-dev), or CXX=g++")
    return os.path.realpath(path)


def environment(library: str) -> dict[str, str]:
    """Return the environment in which Python imports the instrumented engine."""
    return {
        **clean_environment(),
        "LD_PRELOAD": library,
        "PYTHONPATH": os.fspath(PACKAGE),
        "PYTHONMALLOC": "malloc",  # Python's own pools would hide an overrun from the sanitizer
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        "XG2LAB_SANITIZED": "1",
    }


def main(words: list[str]) -> int:
    """Run from the command line; pytest's exit status."""
    try:
        compiler = find_compiler()
        build(compiler)
        env = environment(runtime_library(compiler))
    except SetupError as error:
        say(f"xg2lab: {error}")
        return 1
    where = subprocess.run(
        [sys.executable, "-c", "import xg2lab._core as core; print(core.__file__)"],
        env=env,
        cwd=BUILD,
        capture_output=True,
        text=True,
        check=False,
    )
    if not where.stdout.startswith(os.fspath(PACKAGE)):
        say(f"xg2lab: the instrumented engine is not the one imported:\n{where.stdout}{where.stderr}")
        return 1
    folders = [f"tests/{name}" for name in TESTED if (ROOT / "tests" / name).is_dir()]
    chosen = words or ["-q", "-m", "not slow and not browser and not gpu", *folders]
    if not words and not folders:
        say(f"xg2lab: none of the folders {', '.join(TESTED)} is in tests/, so there is nothing to run")
        return 1
    return subprocess.call([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *chosen], cwd=ROOT, env=env)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
