"""Where the C++ unit tests are built, and what is said where they can't be."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools import debian, unit_tests


def make_folder(folder: Path, *, cmake: str, built_at: int) -> Path:
    folder.mkdir(parents=True)
    (folder / "CMakeCache.txt").write_text(f"CMAKE_COMMAND:INTERNAL={cmake}\n", encoding="utf-8")
    library = folder / "libxg2lab_core.a"
    library.touch()
    os.utime(library, (built_at, built_at))
    return folder


def test_the_folder_is_that_of_the_engine_built_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(unit_tests, "ROOT", tmp_path)
    with pytest.raises(unit_tests.NotBuiltError, match="make test builds one"):
        unit_tests.build_folder()
    make_folder(tmp_path / "build", cmake=sys.executable, built_at=1000)
    newest = make_folder(tmp_path / "build" / "cp311", cmake=sys.executable, built_at=3000)
    make_folder(tmp_path / "build" / "old", cmake=sys.executable, built_at=2000)
    assert unit_tests.build_folder() == newest


def test_a_folder_whose_cmake_is_gone_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(unit_tests, "ROOT", tmp_path)
    folder = make_folder(tmp_path / "build" / "gone", cmake=str(tmp_path / "no" / "cmake"), built_at=1000)
    with pytest.raises(unit_tests.NotBuiltError):
        unit_tests.build_folder()
    with pytest.raises(unit_tests.NotBuiltError, match="is gone"):
        unit_tests.build(folder)


def test_doctest_is_the_systems_or_debians_or_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    has_header, has_none = tmp_path / "has", tmp_path / "has_none"
    for compiler, status in ((has_header, 0), (has_none, 1)):
        compiler.write_text(f"#!/bin/sh\nexit {status}\n", encoding="utf-8")
        compiler.chmod(0o755)
    assert unit_tests.doctest_environment(str(has_header)) == {}
    monkeypatch.setenv("CPLUS_INCLUDE_PATH", "/before")
    monkeypatch.setattr(debian, "unpack", lambda package: tmp_path / package)
    found = unit_tests.doctest_environment(str(has_none))
    assert found == {"CPLUS_INCLUDE_PATH": f"{tmp_path}/doctest-dev/usr/include:/before"}
    monkeypatch.setattr(debian, "unpack", lambda _: None)
    with pytest.raises(unit_tests.NotBuiltError, match="apt-get install doctest-dev"):
        unit_tests.doctest_environment(str(has_none))


def test_setting_up_compiles_them_and_goes_on_without_doctest(monkeypatch: pytest.MonkeyPatch, capsys):
    def missing() -> Path:
        raise unit_tests.NotBuiltError("doctest/doctest.h is missing")

    monkeypatch.setattr(unit_tests, "build", missing)
    assert unit_tests.main() == 0
    assert "doctest/doctest.h is missing" in capsys.readouterr().out

    def broken() -> Path:
        raise subprocess.CalledProcessError(1, ["cmake"], output="unit/a.cc:3: error", stderr="")

    monkeypatch.setattr(unit_tests, "build", broken)
    assert unit_tests.main() == 1
    assert "unit/a.cc:3: error" in capsys.readouterr().out
