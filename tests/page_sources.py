"""A copy of the page's sources that a test may change and build."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tools import node
from tools.running import VENV

__all__ = ["Sources"]

ROOT = Path(__file__).parents[1]
WIDGETS = ROOT / "widgets"
MODULES = WIDGETS / "node_modules"


class Sources:
    """`widgets/` without its tests, in `folder`; what a build makes is in `static`."""

    def __init__(self, folder: Path) -> None:
        if not MODULES.is_dir():
            pytest.skip("widgets/node_modules is not there: `make test` installs it")
        self.folder = folder / "widgets"
        self.static = folder / "xg2lab" / "widgets" / "static"
        self._node = node.node_command(VENV)
        shutil.copytree(WIDGETS, self.folder, ignore=shutil.ignore_patterns("node_modules", "test"))
        (self.folder / "node_modules").symlink_to(MODULES, target_is_directory=True)
        self.static.mkdir(parents=True)
        shutil.copy(ROOT / "xg2lab" / "__init__.py", folder / "xg2lab")  # the version of JupyterLab's extension
        shutil.copy(ROOT / "xg2lab" / "widgets" / "words.json", self.static.parent)

    def run(self, *words: str | Path) -> str:
        """Run a program of Node's in the copy and return what it says; one that fails is an `AssertionError`."""
        command = [self._node, *(str(word) for word in words)]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def check(self) -> None:
        """Format, lint and types, as `npm run check` does."""
        self.run(MODULES / "@biomejs" / "biome" / "bin" / "biome", "check", "src")
        self.run(MODULES / "typescript" / "bin" / "tsc", "--noEmit")

    def build(self) -> None:
        """The bundle and all that stands beside it."""
        self.run("build.mjs")

    def replace(self, path: str, old: str, new: str) -> None:
        """Change a source; the old text has to be there."""
        file = self.folder / path
        text = file.read_text(encoding="utf-8")
        assert old in text, f"{path} has no {old!r}"
        file.write_text(text.replace(old, new, 1), encoding="utf-8")
