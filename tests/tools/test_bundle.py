"""The views are built when what they are made of has changed, and not otherwise."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from tools import backend, bundle, node
from tools.running import SetupError


@pytest.fixture
def npm(tmp_path, monkeypatch) -> Path:
    """A front end of two files, and an npm that notes its words; the file with those is returned."""
    widgets, static, said = tmp_path / "widgets", tmp_path / "static", tmp_path / "said"
    (widgets / "src").mkdir(parents=True)
    for name in ("package.json", "package-lock.json", "src/a.ts"):
        (widgets / name).write_text("1", encoding="utf-8")
    monkeypatch.setattr(bundle, "WIDGETS", widgets)
    monkeypatch.setattr(bundle, "LOCK", widgets / "package-lock.json")
    monkeypatch.setattr(bundle, "SOURCES", (widgets / "package-lock.json", widgets / "src"))
    monkeypatch.setattr(bundle, "STATIC", static)
    monkeypatch.setattr(bundle, "INSTALLED_FROM", widgets / "node_modules" / "lock.sha256")
    program = tmp_path / "npm"
    program.write_text(
        f'#!/bin/sh\necho "$1" >>{said}\n[ ! -e {tmp_path}/broken ] || exit 3\n'
        f"mkdir -p {widgets}/node_modules {static}\n",
        encoding="utf-8",
    )
    program.chmod(0o755)
    monkeypatch.setattr(node, "npm_command", lambda _: [os.fspath(program)])
    return said


def ran(npm: Path) -> list[str]:
    """What npm was asked for since it was last looked at."""
    bundle.build()
    words = npm.read_text(encoding="utf-8").split() if npm.exists() else []
    npm.unlink(missing_ok=True)
    return words


def test_only_what_has_changed_is_done_again(npm):
    source = bundle.WIDGETS / "src" / "a.ts"
    assert [ran(npm), ran(npm)] == [["ci", "run"], []]
    source.write_text("2", encoding="utf-8")
    assert [ran(npm), ran(npm)] == [["run"], []]
    bundle.LOCK.write_text("2", encoding="utf-8")
    assert [ran(npm), ran(npm)] == [["ci", "run"], []]
    source.rename(source.with_name("b.ts"))
    assert ran(npm) == ["run"]
    (bundle.WIDGETS / "src" / "c.ts").touch()
    assert ran(npm) == ["run"]
    bundle.built_from().unlink()
    assert ran(npm) == ["run"]
    left_over = bundle.STATIC / "of_an_older_build.js"
    left_over.touch()
    source.with_name("b.ts").write_text("3", encoding="utf-8")
    assert ran(npm) == ["run"]
    assert not left_over.exists()


def test_a_build_that_fails_is_tried_again(npm, tmp_path):
    ran(npm)
    (bundle.WIDGETS / "src" / "a.ts").write_text("2", encoding="utf-8")
    (tmp_path / "broken").touch()
    with pytest.raises(SetupError, match="exit status 3"):
        bundle.build()
    assert not bundle.is_current()
    (tmp_path / "broken").unlink()
    assert ran(npm) == ["run", "run"]  # the one that failed, too


def test_without_sources_the_error_says_so(npm):
    shutil.rmtree(bundle.WIDGETS)
    bundle.WIDGETS.mkdir()
    with pytest.raises(SetupError, match="can't be built"):
        bundle.build()


def test_the_backend_asks_for_node_where_the_views_need_one(npm, monkeypatch):
    hooks = [
        backend.get_requires_for_build_wheel,
        backend.get_requires_for_build_editable,
        backend.get_requires_for_build_sdist,
    ]
    monkeypatch.delenv("XG2LAB_VIEWS", raising=False)
    monkeypatch.setattr(node, "system_npm", lambda: None)
    assert all(backend.NODE in hook() for hook in hooks)
    monkeypatch.setenv("XG2LAB_VIEWS", "OFF")
    assert not any(backend.NODE in hook() for hook in hooks)
    monkeypatch.delenv("XG2LAB_VIEWS")
    bundle.build()
    assert not any(backend.NODE in hook() for hook in hooks)  # they are built
    bundle.built_from().unlink()
    monkeypatch.setattr(node, "system_npm", lambda: sys.executable)
    assert not any(backend.NODE in hook() for hook in hooks)  # the machine has one
