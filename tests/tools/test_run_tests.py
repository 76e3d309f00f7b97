"""`make test` ends: a test that hangs is ended with its stacks, and what a test left running holds nothing up."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path

import pytest

from tools import run_tests
from tools.running import clean_environment

LEAVES = """
import pathlib, subprocess, sys
def test_leaves_a_program_that_holds_the_output():
    left = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"], stdout=sys.__stdout__)
    pathlib.Path(__file__).with_name("left").write_text(str(left.pid))
"""
HANGS = """
import threading
def test_waits_for_ever():
    threading.Event().wait()
def test_goes_on():
    pass
"""


def pytest_on(path: Path, text: str, *words: str) -> tuple[str, int]:
    """Run pytest on a file of this text."""
    path.write_text(text)
    return run_tests.run_pytest(["-p", "no:cacheprovider", f"--rootdir={path.parent}", *words, str(path)], ENV)


ENV = {key: value for key, value in clean_environment().items() if not key.startswith("PYTEST_")}


def test_the_end_of_pytest_is_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_tests, "LAST_LINES_S", 1)
    closing, status = pytest_on(tmp_path / "test_it.py", LEAVES, "-s")
    assert status == 0
    assert "1 passed" in closing
    with contextlib.suppress(ProcessLookupError):
        os.kill(int((tmp_path / "left").read_text()), signal.SIGTERM)


def test_a_test_that_hangs_ends_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As in a whole run, the process of a worker ends and another one goes on."""
    closing, status = pytest_on(tmp_path / "test_it.py", HANGS, "-n1", "--timeout=3", "--timeout-method=thread")
    assert status == 1
    assert "1 failed, 1 passed" in closing
    assert "test_waits_for_ever" in capsys.readouterr().out


def test_each_test_has_a_limit(request: pytest.FixtureRequest) -> None:
    assert float(request.config.getini("timeout")) > 0
    assert request.config.getini("timeout_method") == "thread"
