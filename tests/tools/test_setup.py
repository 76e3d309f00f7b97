"""The set-up says what is missing, uses what pip uses, and installs versions that were tried together."""

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tools import browser, node
from tools.check_imports import declared, normalized
from tools.running import ROOT, SetupError, pyproject, run_logged
from tools.uv_settings import configured, translated

INDEX = "https://" + "index/simple"


def script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


# ---- What is asked for ----


def test_every_package_asked_for_has_its_version_in_the_constraints():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {normalized(line.partition("==")[0]) for line in lines if "==" in line}
    tables = pyproject()
    extras = tables["project"]["optional-dependencies"]
    asked = set().union(declared(tables), *(declared(tables, extra) for extra in extras))
    asked |= {
        normalized(re.split("[<>=]", line)[0]) for group in tables["dependency-groups"].values() for line in group
    }
    assert asked == pinned
    assert "torch==2.13.0" in lines


def test_the_engine_asks_for_little():
    assert declared(pyproject()) == {"numpy", "pydantic"}


# ---- What pip is told ----


def test_uv_is_told_what_pip_is_told():
    listing = [
        ":env:.find-links='/wheels /more'",
        "global.cert='/ca.crt'",
        "global.find-links='/less'",
        f"global.index-url='{INDEX}'",
        "install.trusted-host='index'",
        "list.format='columns'",
    ]
    assert translated(configured(listing)) == {
        "UV_SYSTEM_CERTS": "1",
        "SSL_CERT_FILE": "/ca.crt",
        "UV_FIND_LINKS": "/wheels,/more",
        "UV_DEFAULT_INDEX": INDEX,
        "UV_INSECURE_HOST": "index",
    }


def test_what_is_set_for_uv_stays_and_words_are_quoted():
    env = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "PIP_FIND_LINKS": "/a b", "UV_SYSTEM_CERTS": "0"}
    command = [sys.executable, ROOT / "tools" / "uv_settings.py", "constraints.txt"]
    said = subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout.splitlines()
    assert "export UV_FIND_LINKS=/a,b" in said
    assert any(line.startswith("export UV_CONSTRAINT=") and "constraints.txt" in line for line in said)
    assert not any("UV_SYSTEM_CERTS" in line for line in said)


# ---- What is missing ----


@pytest.fixture
def checkout(tmp_path) -> Path:
    """A folder with the script, and a search path with little more than a shell needs."""
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "setup.sh", tmp_path / "tools")
    (tmp_path / "bin").mkdir()
    for name in ("cat", "dirname", "rm"):
        (tmp_path / "bin" / name).symlink_to(shutil.which(name) or name)
    return tmp_path


def set_up(checkout: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    env = {"PATH": str(checkout / "bin"), **variables}
    command = ["/bin/sh", checkout / "tools" / "setup.sh", "lab"]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def test_without_a_python_the_error_says_what_to_install(checkout):
    script(checkout / "bin" / "python3", "exit 1")  # what a Python older than 3.11, or without its headers, answers
    ran = set_up(checkout)
    assert ran.returncode == 1
    assert "no Python 3.11 or newer with its C headers" in ran.stderr
    assert "apt-get install python3-venv python3-dev" in ran.stderr
    assert not (checkout / ".venv").exists()


def test_a_python_that_is_named_is_the_only_one_asked(checkout):
    script(checkout / "bin" / "python3", "exit 0")
    script(checkout / "bin" / "uv", "exit 0")
    ran = set_up(checkout, XG2LAB_PYTHON=script(checkout / "old", "exit 1"))
    assert ran.returncode == 1
    assert f"(tried {checkout}/old)" in ran.stderr


def test_uv_brings_a_python_where_the_machine_has_none(checkout):
    script(checkout / "bin" / "uv", 'echo "$@" >&2; exit 7')
    ran = set_up(checkout)
    assert ran.returncode == 7
    assert "venv --quiet --seed --managed-python --python >=3.11 .venv" in ran.stderr


def test_a_compiler_without_the_library_is_refused_with_the_package_to_install(tmp_path):
    compiler = script(tmp_path / "old-c++", f'exec {shutil.which("c++")} -nostdinc++ "$@"')
    command = [Path(sys.executable).parent / "cmake", "-S", ROOT, "-B", tmp_path / "build", "-DXG2LAB_BIND=OFF"]
    ran = subprocess.run([*command, f"-DCMAKE_CXX_COMPILER={compiler}"], capture_output=True, text=True, check=False)
    assert ran.returncode != 0
    said = " ".join(ran.stderr.split())  # CMake breaks lines
    assert "does not compile C++20." in said
    assert "hint: apt-get install g++ (version 11 or newer" in said


def test_an_old_node_is_not_used(tmp_path, monkeypatch):
    script(tmp_path / "npm", "exit 0")
    script(tmp_path / "node", "echo v18.19.1")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert node.system_npm() is None
    script(tmp_path / "node", "echo v20.1.0")
    assert node.system_npm() == str(tmp_path / "npm")


def test_without_npm_that_of_the_wheel_is_used(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")
    folder = tmp_path / "bin"
    folder.mkdir()
    script(folder / "node", "echo v24.1.0")
    script(folder / "npm", "exit 0")
    assert node.npm_command(tmp_path) == [str(folder / "python"), str(folder / "npm")]


def test_without_npm_and_wheel_the_error_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SetupError, match="npm and Node 20 or newer are needed"):
        node.npm_command(tmp_path)


def test_a_failing_command_shows_the_end_of_its_log(capsys):
    program = "print('line 1'); print('npm ERR! code ENOTFOUND'); raise SystemExit(3)"
    with pytest.raises(SetupError, match=r"a test of failing failed \(exit status 3\)"):
        run_logged("a test of failing", [sys.executable, "-c", program])
    assert "    | npm ERR! code ENOTFOUND" in capsys.readouterr().out


def test_a_browser_that_does_not_run_is_not_found(tmp_path, monkeypatch):
    stand_in = script(tmp_path / "chromium", 'echo "requires the chromium snap" >&2; exit 1')
    monkeypatch.setenv("CHROMIUM", stand_in)
    assert browser.find_or_install() is None
    assert browser.why_none() == f"CHROMIUM={stand_in} is not a browser that runs"
    works = script(tmp_path / "chrome", "echo Chromium 156")
    monkeypatch.setenv("CHROMIUM", works)
    assert browser.find() == works


def test_a_firefox_that_is_named_is_the_only_one_asked(tmp_path, monkeypatch):
    monkeypatch.setenv("FIREFOX", script(tmp_path / "broken", "exit 1"))
    assert browser.find_or_install_firefox() is None
    works = script(tmp_path / "firefox", "echo Mozilla Firefox 140")
    monkeypatch.setenv("FIREFOX", works)
    assert browser.find_firefox() == works
