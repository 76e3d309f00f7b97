"""The engine's one hash table and what is built on it (core/support/index_table.h): a C++ program checks them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Werror"]


@pytest.mark.slow
def test_the_table_and_its_containers(tmp_path: Path):
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if compiler is None and not os.environ.get("CI"):
        pytest.skip("no C++ compiler")
    assert compiler is not None
    program = tmp_path / "index_table_test"
    sources = [ROOT / "tests/core/index_table_test.cc", ROOT / "core/support/interned.cc"]
    subprocess.run(
        [compiler, "-std=c++20", "-O1", *WARNINGS, f"-I{ROOT / 'core'}", *sources, "-o", program], check=True
    )
    done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr
