"""The C++ unit tests, a file of them at a time: one class each, without the engine around it."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tools import unit_tests

HERE = Path(__file__).parent
NAMES = sorted(path.stem for path in HERE.glob("*.cc") if "TEST_CASE(" in path.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def program() -> Path:
    """The program of all unit tests, up to date."""
    try:
        return unit_tests.build()
    except unit_tests.NotBuiltError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))
    except subprocess.CalledProcessError as error:
        pytest.fail(f"{error}\n{error.stdout[-4000:]}{error.stderr[-4000:]}", pytrace=False)


@pytest.mark.parametrize("name", NAMES)
def test_unit(program: Path, name: str):
    command = [program, f"--source-file=*unit/{name}.cc", "--no-version"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    counted = re.search(r"test cases:\s*(\d+) \|\s*(\d+) passed", done.stdout)
    n_written = len(re.findall(r"^TEST_CASE\(", (HERE / f"{name}.cc").read_text(encoding="utf-8"), re.MULTILINE))
    assert counted is not None, done.stdout
    assert [int(n) for n in counted.groups()] == [n_written, n_written], "a test case was left out"
