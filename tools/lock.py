"""Writes constraints.txt: the versions, tried together, of the packages that pyproject.toml names.  make lock

uv resolves all extras and groups for every Python and system that we serve. What is written down already stays, unless
it is asked to move: `make lock ARGS="--upgrade-package ruff"`. What our packages need in turn is left to the installer:
a list of those holds versions that one index or one system does not have, and nothing of ours depends on them. uv.lock
would hold them all, and the address of the index that it was made with.

>>> named("numpy==2.3.5 # via pandas, xg2lab (pyproject.toml)"), named("markupsafe==3.0.4 # via jinja2")
(True, False)
"""

from __future__ import annotations

import subprocess
import sys

from tools.running import ROOT, VENV, clean_environment, pyproject

CONSTRAINTS = ROOT / "constraints.txt"
HEADER = """\
# Written by `make lock`: the versions that were tried together, of the packages that pyproject.toml names.
# torch's newest release may bring several gigabytes of CUDA libraries, so it moves only with a reason.
"""


def named(line: str) -> bool:
    """Return whether a line of uv's is about a package that pyproject.toml names."""
    return "(pyproject.toml" in line.partition("#")[2]


def main(words: list[str]) -> int:
    """Run from the command line; uv's exit status."""
    groups = [word for group in pyproject()["dependency-groups"] for word in ("--group", f"pyproject.toml:{group}")]
    # The machine's own wheels have versions that are nowhere else.
    env = {name: value for name, value in clean_environment().items() if name not in {"UV_FIND_LINKS", "UV_CONSTRAINT"}}
    command = [VENV / "bin" / "uv", "pip", "compile", "--quiet", "--universal", "--all-extras", *groups, *words]
    command += ["--no-header", "--annotation-style", "line", "--python-version", "3.11", "pyproject.toml"]
    whole = ROOT / "build" / "lock.txt"
    whole.write_bytes(CONSTRAINTS.read_bytes())  # what uv finds there stays
    ran = subprocess.run([*command, "--output-file", whole], cwd=ROOT, env=env, check=False)
    if ran.returncode == 0:
        lines = whole.read_text(encoding="utf-8").splitlines()
        kept = [line.partition("#")[0].rstrip() for line in lines if named(line)]
        CONSTRAINTS.write_text(HEADER + "".join(f"{line}\n" for line in kept), encoding="utf-8")
    return ran.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
