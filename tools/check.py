"""The gate before a commit, and the formatter: everything that can be said of the tree in under three minutes.

`--format` rewrites instead; `--static` leaves out the tests, for those who run them all right after.
Every part runs, also after one that failed, so that one look shows all there is to mend.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tools import node
from tools.running import ROOT, VENV, WIDGETS, clean_environment, say

BIOME = WIDGETS / "node_modules" / ".bin" / "biome"
TSC = WIDGETS / "node_modules" / ".bin" / "tsc"
QUICK_SHARE = "0.1"  # of the samples of random tests


@dataclass(frozen=True)
class Part:
    """One check: its name, the command, where it runs, and variables that it has unless they are set outside."""

    name: str
    command: list[str]
    folder: Path = field(default=ROOT)
    variables: dict[str, str] = field(default_factory=dict[str, str])


def module(name: str, *words: str) -> list[str]:
    """Return the command that runs a module of .venv."""
    return [sys.executable, "-m", name, *words]


def cxx_files() -> list[str]:
    """Return the engine's files, relative to the root."""
    found = [*(ROOT / "core").rglob("*.h"), *(ROOT / "core").rglob("*.cc"), *(ROOT / "tests").rglob("*.cc")]
    return sorted(os.fspath(path.relative_to(ROOT)) for path in found)


def clang_format(*words: str) -> list[str]:
    """Return the command that formats the engine's files."""
    return [os.fspath(VENV / "bin" / "clang-format"), *words, *cxx_files()]


def format_parts() -> Iterator[Part]:
    """Yield what rewrites files in the project's format."""
    yield Part("ruff format", module("ruff", "format", "."))
    yield Part("ruff imports", module("ruff", "check", "--select", "I", "--fix", "."))
    yield Part("clang-format", clang_format("-i"))
    if BIOME.exists():
        yield Part("biome", [os.fspath(BIOME), "check", "--write", "."], WIDGETS)


def static_parts() -> Iterator[Part]:
    """Yield what only reads."""
    yield Part("ruff check", module("ruff", "check", "."))
    yield Part("ruff format", module("ruff", "format", "--check", "."))
    yield Part("clang-format", clang_format("--dry-run", "-Werror"))
    yield Part("layers", module("tools.check_layers"))
    yield Part("import layers", [os.fspath(VENV / "bin" / "lint-imports"), "--no-cache"])
    yield Part("imports", module("tools.check_imports"))
    yield Part("repository", module("tools.check_repository"))
    yield Part("pyright", module("pyright", "--pythonpath", sys.executable))
    if (WIDGETS / "package.json").exists():
        if not (BIOME.exists() and TSC.exists()):
            say("  front end: widgets/node_modules has no biome or no tsc; `make lab` installs them")
        yield Part("front end", [*node.npm_command(VENV), "run", "check"], WIDGETS)
    yield Part("stub", module("tools.check_stubs"))
    yield Part("schema", module("tools.check_schema"))
    yield Part("docstrings", module("tools.check_docstrings"))


def quick_tests() -> Part:
    """Return the tests that take seconds, with a part of their samples: `make test` does all of both."""
    command = module("pytest", "-q", "-n", "2", "-m", "not slow and not browser", "tests", "xg2lab", "tools")
    return Part("quick tests", command, variables={"XG2LAB_SHARE": QUICK_SHARE})


def run(part: Part) -> bool:
    """Run one part; show its output only if it failed."""
    began = time.monotonic()
    ran = subprocess.run(
        part.command,
        cwd=part.folder,
        env={**part.variables, **clean_environment()},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    verdict = "ok" if ran.returncode == 0 else "FAILED"
    say(f"  {part.name:<14} {verdict:<6} {time.monotonic() - began:5.1f} s")
    if ran.returncode != 0:
        say("".join(f"    | {line}\n" for line in ran.stdout.splitlines()[-80:]))
    return ran.returncode == 0


def main(arguments: list[str]) -> int:
    """Run from the command line; 0 if every part is well."""
    parser = argparse.ArgumentParser(prog="python -m tools.check", description=(__doc__ or "").partition("\n")[0])
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--static", action="store_true", help="all but the quick tests")
    what.add_argument("--format", action="store_true", help="rewrite the sources in the project's format")
    asked = parser.parse_args(arguments)
    began = time.monotonic()
    tests = [] if asked.static else [quick_tests()]
    parts = list(format_parts()) if asked.format else [*static_parts(), *tests]
    failed = [part.name for part in parts if not run(part)]
    say(f"{'all well' if not failed else 'FAILED: ' + ', '.join(failed)} ({time.monotonic() - began:.0f} s)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
