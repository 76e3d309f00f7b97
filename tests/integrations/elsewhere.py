"""Programs in the environment of a server: it pins packages of its own, so it is seldom the one that runs the tests."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def python_with(package: str) -> str:
    """The Python that XG2LAB_<PACKAGE>_PYTHON names, or this one if it has the package; skips the test without."""
    variable = f"XG2LAB_{package.upper()}_PYTHON"
    named = os.environ.get(variable)
    if named is None:
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed: set {variable} to the Python of an environment that has it")
        return sys.executable
    there = subprocess.run([named, "-c", "import xg2lab"], capture_output=True, text=True, check=False, cwd="/")
    if there.returncode:
        pytest.skip(f"{variable} has no xg2lab: install the wheel there, as `make serving` does")
    return named


def run_there(python: str, module: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a module of the tests; what is imported as xg2lab is what that environment has installed."""
    program = f"import runpy, sys; sys.path.append({str(ROOT)!r}); runpy.run_module({module!r}, run_name='__main__')"
    return subprocess.run([python, "-c", program], capture_output=True, text=True, check=False, cwd=folder)
