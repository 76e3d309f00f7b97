"""The set-up does a step when what it reads has changed, not otherwise, and says what is missing."""

import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tools import bootstrap, browser, node
from tools.progress import ROOT, SetupError, run_logged
from tools.stamps import Stamp, digest


@pytest.fixture
def stamps(tmp_path, monkeypatch) -> Path:
    monkeypatch.setattr(bootstrap, "STAMPS", tmp_path / "stamps")
    return tmp_path / "stamps"


def script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


# ---- Steps and stamps ----


def test_a_step_runs_once_for_each_key(stamps):
    ran: list[str] = []

    def step(key: str) -> bootstrap.Step:
        return bootstrap.Step("engine", key, lambda: ran.append(key))

    assert [step(key).run_if_stale() for key in ("a", "a", "b", "b", "a")] == [True, False, True, False, True]
    assert ran == ["a", "b", "a"]


def test_a_step_that_fails_runs_again(stamps):
    def fail() -> None:
        raise SetupError("no")

    with pytest.raises(SetupError):
        bootstrap.Step("engine", "a", fail).run_if_stale()
    assert bootstrap.Step("engine", "a", lambda: None).run_if_stale()


def test_a_step_whose_product_was_removed_runs_again(stamps, tmp_path):
    product = tmp_path / "bundle.js"
    step = bootstrap.Step("front end", "a", product.touch, product.exists)
    assert [step.run_if_stale(), step.run_if_stale()] == [True, False]
    product.unlink()
    assert step.run_if_stale()


def test_a_step_that_makes_nothing_is_an_error(stamps, tmp_path):
    step = bootstrap.Step("front end", "a", lambda: None, (tmp_path / "bundle.js").exists)
    with pytest.raises(SetupError, match="what it makes is not there"):
        step.run_if_stale()
    assert not Stamp("front end", "a", stamps).is_current()


def test_a_digest_sees_contents_names_and_new_files_and_not_what_was_built(tmp_path):
    source = tmp_path / "src" / "a.ts"
    source.parent.mkdir()
    source.write_text("1", encoding="utf-8")
    seen = [digest([tmp_path])]
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "b.js").touch()
    assert digest([tmp_path]) == seen[0]
    source.write_text("2", encoding="utf-8")
    seen.append(digest([tmp_path]))
    source.rename(source.with_name("b.ts"))
    seen.append(digest([tmp_path]))
    (tmp_path / "src" / "c.ts").touch()
    seen.append(digest([tmp_path]))
    assert len(set(seen)) == 4


# ---- What is asked for ----


def test_every_package_asked_for_has_its_version_in_the_constraints():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {re.split(r"==", line)[0].lower().replace("_", "-") for line in lines if "==" in line}
    extras = ["core", *bootstrap.pyproject()["project"]["optional-dependencies"], "build", "node"]
    asked = {re.split(r"[<>=;\[ ]", line)[0].lower() for extra in extras for line in bootstrap.requirements(extra)}
    assert asked - pinned == set()
    assert "torch==2.13.0" in lines


def test_the_core_asks_for_little():
    assert [re.split(r"[<>=]", line)[0] for line in bootstrap.requirements("core")] == ["numpy", "pydantic"]


def test_an_extra_lists_its_own_packages_and_not_the_extras_it_builds_on():
    assert not any(line.startswith("xg2lab") for line in bootstrap.requirements("test"))


# ---- What is missing ----


def test_a_compiler_that_is_too_old_is_refused_with_the_package_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("CXX", script(tmp_path / "g++-4", 'echo "unrecognized option -std=c++20" >&2; exit 1'))
    with pytest.raises(SetupError, match=r"no compiler for C\+\+20 found \(tried CXX=.*g\+\+-4\)") as caught:
        bootstrap.find_compiler()
    assert "apt-get install g++" in caught.value.hint


def test_a_compiler_with_a_launcher_before_it_is_found(monkeypatch):
    monkeypatch.delenv("CXX", raising=False)
    found = bootstrap.find_compiler()
    monkeypatch.setenv("CXX", f"env {found}")
    assert bootstrap.find_compiler() == f"env {found}"


def test_an_old_node_is_not_used(tmp_path, monkeypatch):
    script(tmp_path / "npm", "exit 0")
    script(tmp_path / "node", "echo v18.19.1")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert node.system_npm() is None
    script(tmp_path / "node", "echo v20.1.0")
    assert node.system_npm() == str(tmp_path / "npm")


def test_without_npm_the_wheel_is_installed(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")
    folder = tmp_path / "bin"

    def install() -> None:
        folder.mkdir()
        script(folder / "node", "echo v24.1.0")
        script(folder / "npm", "exit 0")

    assert node.npm_command(tmp_path, install=install) == [str(folder / "python"), str(folder / "npm")]


def test_without_npm_and_wheel_the_error_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SetupError, match="npm and Node 20 or newer are needed"):
        node.npm_command(tmp_path)


def test_a_failing_command_shows_the_end_of_its_log_and_the_remedy(capsys):
    program = "print('line 1'); print('npm ERR! code ENOTFOUND'); raise SystemExit(3)"
    with pytest.raises(SetupError, match=r"a test of failing failed \(exit status 3\)") as caught:
        run_logged("a test of failing", [sys.executable, "-c", program])
    assert "    | npm ERR! code ENOTFOUND" in capsys.readouterr().out
    assert caught.value.hint == "npm can't reach its registry: is this machine connected to a network?"


def test_a_browser_that_does_not_run_is_not_found(tmp_path, monkeypatch):
    stand_in = script(tmp_path / "chromium", 'echo "requires the chromium snap" >&2; exit 1')
    monkeypatch.setenv("CHROMIUM", stand_in)
    assert browser.find_or_install() is None
    assert browser.why_none() == f"CHROMIUM={stand_in} is not a browser that runs"
    works = script(tmp_path / "chrome", "echo Chromium 156")
    monkeypatch.setenv("CHROMIUM", works)
    assert browser.find() == works


# ---- The shell's part ----


def test_a_python_that_is_too_old_is_passed_over(tmp_path):
    old = script(tmp_path / "python3", "exit 1")
    launcher = ROOT / "tools" / "with_python.sh"
    env = {"PATH": f"{tmp_path}:/usr/bin:/bin", "XG2LAB_PYTHON": sys.executable}
    said = subprocess.run(["/bin/sh", launcher, "platform"], env=env, capture_output=True, text=True, check=False)
    assert said.returncode == 0
    refused = subprocess.run(
        ["/bin/sh", launcher, "platform"],
        env={**env, "XG2LAB_PYTHON": old},
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode == 2
    assert "is older than Python 3.11" in refused.stderr
    none = subprocess.run(
        ["/bin/sh", launcher, "platform"], env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert none.returncode == 2
    assert "no Python >= 3.11 found" in none.stderr
