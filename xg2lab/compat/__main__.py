"""`python -m xg2lab.compat`: prints what is covered, or runs a program under the name `xgrammar`.

    python -m xg2lab.compat [--quiet] [PROGRAM | -m MODULE] [ARGUMENTS ...]

A PROGRAM is a Python file, or a command on the PATH: one that Python runs, as `vllm`, runs in this process. Processes
that it starts have the name too, by a folder on PYTHONPATH whose `sitecustomize` calls `install`.
"""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from xg2lab.compat import coverage, install
from xg2lab.errors import Xg2LabError

__all__ = ["main"]

CHILDREN = Path(__file__).parent / "children"
USAGE = "usage: python -m xg2lab.compat [--quiet] [PROGRAM | -m MODULE] [ARGUMENTS ...]\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process, if left out.

    Returns
    -------
    int
        The exit status: 2 if the call is wrong. A program that runs in this process ends it as it likes.

    No example: it puts the name into this process. tests/compat runs it.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    is_quiet = words[:1] == ["--quiet"]
    words = words[is_quiet:]
    if words[:1] in (["-h"], ["--help"]) or (words[:1] == ["-m"] and len(words) < 2):
        sys.stderr.write(USAGE)
        return 0 if words[0] != "-m" else 2
    try:
        install()
    except Xg2LabError as error:
        sys.stderr.write(f"xg2lab.compat: {error}\n")
        return 2
    if not words:
        sys.stdout.write(coverage().text() + "\n")
        return 0
    if not is_quiet:
        sys.stderr.write(f"xg2lab.compat: `import xgrammar` is xg2lab in this program\n{coverage().text()}\n")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(CHILDREN), *filter(None, [os.environ.get("PYTHONPATH")])])
    if words[0] == "-m":
        sys.argv = words[1:]
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        return 0
    return _run(words)


def _run(words: list[str]) -> int:
    program = words[0] if Path(words[0]).is_file() else shutil.which(words[0])
    if program is None:
        sys.stderr.write(f"xg2lab.compat: there is no program {words[0]!r}\n  hint: {USAGE}")
        return 2
    if not _is_python(Path(program)):
        return subprocess.run([program, *words[1:]], check=False).returncode  # noqa: S603 (what the user asks for)
    sys.argv = [program, *words[1:]]
    sys.path[0] = str(Path(program).resolve().parent)
    runpy.run_path(program, run_name="__main__")
    return 0


def _is_python(program: Path) -> bool:
    """Whether a file is Python's: by its name, or by its first line."""
    if program.suffix == ".py":
        return True
    with program.open("rb") as file:
        first = file.readline(500)
    return first.startswith(b"#!") and b"python" in first


if __name__ == "__main__":
    sys.exit(main())
