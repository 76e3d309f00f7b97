"""The name `xgrammar` for xg2lab: in a process, in those that it starts, and for the callers that it is there for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integrations.elsewhere import python_with
from xg2lab.compat import coverage
from xg2lab.compat.names import MISSING, MISSING_MODULES, XGRAMMAR_VERSION, modules, names

ROOT = Path(__file__).parents[2]
COMPAT = [sys.executable, "-m", "xg2lab.compat"]


def run(*words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*map(str, words)], capture_output=True, text=True, check=False, cwd=ROOT, env={**os.environ, **environment}
    )


def said_by(program: str) -> str:
    """What a Python program prints in a process of its own, where the name belongs to nobody else."""
    said = run(sys.executable, "-c", program)
    assert said.returncode == 0, said.stderr
    return said.stdout


def test_every_module_is_ours_under_both_names():
    program = f"""
import importlib, sys
import xg2lab.compat
xg2lab.compat.install()
xg2lab.compat.install()
assert sys.meta_path.count(sys.meta_path[0]) == 1
import xgrammar as xgr
from xgrammar.structural_tag import StructuralTag
assert not {{"torch", "transformers", "mlx"}} & set(sys.modules)
import xg2lab
assert xgr is xg2lab and StructuralTag is xg2lab.StructuralTag
for name in {modules()}:
    dot = "." * bool(name)
    theirs, ours = (importlib.import_module(package + dot + name) for package in ("xgrammar", "xg2lab"))
    assert theirs is ours, name
    assert ours.__name__ == ours.__spec__.name == "xg2lab" + dot + name, ours.__spec__
assert importlib.reload(xgr.testing) is xg2lab.testing
assert xgr.testing._is_grammar_accept_string("root ::= [a]", "a")
"""
    said_by(program)


def test_the_version_is_that_of_the_names():
    program = """
import xg2lab.compat
xg2lab.compat.install()
from importlib.metadata import distribution, version
from importlib.util import find_spec
print(version("xgrammar"), version("XGrammar"), distribution("xgrammar").metadata["Name"], find_spec("xgrammar").name)
"""
    assert said_by(program).split() == [XGRAMMAR_VERSION, XGRAMMAR_VERSION, "xgrammar", "xgrammar"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        *((f"xgrammar.{name}", reason) for name, reason in MISSING_MODULES.items()),
        ("xgrammar.base.inner", "how its binding is loaded"),
        ("xgrammar.lab", "xg2lab has no such module"),  # one of ours, under a name that nobody knows
        ("xgrammar.compat", "xg2lab has no such module"),
    ],
)
def test_what_is_not_covered_is_not_found(name: str, said: str):
    program = f"""
import xg2lab.compat
xg2lab.compat.install()
try:
    import {name}
except ModuleNotFoundError as error:
    print(error)
"""
    assert said in said_by(program)


def test_xgrammar_itself_is_not_replaced():
    program = """
import sys, types
sys.modules["xgrammar"] = theirs = types.ModuleType("xgrammar")
theirs.__file__ = "/lib/xgrammar/__init__.py"
import xg2lab.compat
try:
    xg2lab.compat.install()
except RuntimeError as error:
    print(type(error).__name__, error.message, error.hint)
assert not xg2lab.compat.is_installed()
assert sys.modules["xgrammar"] is theirs
xg2lab.compat.uninstall()
assert sys.modules["xgrammar"] is theirs
"""
    said = said_by(program)
    assert said.startswith("UnsupportedError xgrammar is already imported, from /lib/xgrammar/__init__.py")
    assert "python -m xg2lab.compat PROGRAM" in said


def test_it_can_be_taken_away():
    program = """
import sys
import xg2lab.compat as compat
compat.install()
import xgrammar.testing
compat.uninstall()
assert not [name for name in sys.modules if name.split(".")[0] == "xgrammar"]
assert not compat.is_installed()
compat.install()
import xgrammar
import xg2lab
assert xgrammar is xg2lab
"""
    said_by(program)


def test_the_report_names_all_that_is_not_covered():
    said = run(*COMPAT)
    assert said.returncode == 0, said.stderr
    lines = said.stdout.splitlines()
    n_names = sum(map(len, names().values())) - len(MISSING)
    assert lines[0] == f"covered      {n_names} names of xgrammar {XGRAMMAR_VERSION} in {len(modules())} modules"
    for name, reason in {**MISSING, **MISSING_MODULES}.items():
        assert f"not covered  xgrammar.{name}: {reason}" in lines
    assert said.stdout.rstrip("\n") == coverage().text()


PROGRAM = """
import os, subprocess, sys
import xgrammar
print(xgrammar.__name__, sys.argv[1:], __name__, os.path.basename(sys.path[0]))
print(subprocess.run([sys.executable, "-c", "import xgrammar; print(xgrammar.__name__)"], capture_output=True).stdout)
sys.exit(7)
"""


def test_a_program_and_its_children_run_under_the_name(tmp_path: Path):
    program = tmp_path / "a program.py"
    program.write_text(PROGRAM)
    said = run(*COMPAT, program, "--quiet", "x")
    assert said.returncode == 7, said.stderr
    assert said.stdout.splitlines() == [f"xg2lab ['--quiet', 'x'] __main__ {tmp_path.name}", repr(b"xg2lab\n")]
    assert "not covered  xgrammar.base" in said.stderr
    quiet = run(*COMPAT, "--quiet", program)
    assert (quiet.returncode, quiet.stderr) == (7, "")


def test_a_module_runs_under_the_name(tmp_path: Path):
    (tmp_path / "a_module.py").write_text(PROGRAM)
    said = run(*COMPAT, "--quiet", "-m", "a_module", "y", PYTHONPATH=str(tmp_path))
    assert said.returncode == 7, said.stderr
    assert said.stdout.startswith("xg2lab ['y'] __main__ ")


def test_spawned_workers_have_the_name(tmp_path: Path):
    program = tmp_path / "workers.py"
    program.write_text(
        "import multiprocessing\n"
        "def name(_):\n"
        "    import xgrammar\n"
        "    return xgrammar.__name__\n"
        "if __name__ == '__main__':\n"
        "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
        "        print(pool.map(name, [0]))\n"
    )
    said = run(*COMPAT, "--quiet", program)
    assert said.stdout == "['xg2lab']\n", said.stderr


def test_a_sitecustomize_that_was_there_still_runs(tmp_path: Path):
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.was_here = True\n")
    program = tmp_path / "program.py"
    program.write_text(
        "import subprocess, sys\n"
        "inner = 'import sys, xgrammar; print(sys.was_here, xgrammar.__name__, *sys.path)'\n"
        "subprocess.run([sys.executable, '-c', inner], check=True)\n"
    )
    said = run(*COMPAT, "--quiet", program, PYTHONPATH=str(tmp_path))
    assert said.stdout.startswith("True xg2lab "), said.stderr
    assert "compat/children" not in said.stdout


def test_a_command_that_is_not_python_runs_too(tmp_path: Path):
    command = tmp_path / "a-command"
    command.write_text(f"#!/bin/sh\n'{sys.executable}' -c 'import xgrammar; print(xgrammar.__name__)'\nexit 3\n")
    command.chmod(0o755)
    said = run(*COMPAT, "--quiet", "a-command", PATH=f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert (said.returncode, said.stdout) == (3, "xg2lab\n"), said.stderr
    script = tmp_path / "a-script"
    script.write_text(f"#!{sys.executable}\nimport xgrammar\nprint(xgrammar.__name__)\n")
    script.chmod(0o755)
    said = run(*COMPAT, "--quiet", "a-script", PATH=f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert (said.returncode, said.stdout) == (0, "xg2lab\n"), said.stderr


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["no-such-program-anywhere"], 2, "there is no program 'no-such-program-anywhere'"),
        (["-m"], 2, "usage:"),
        (["--help"], 0, "usage:"),
    ],
)
def test_wrong_calls_say_so(words: list[str], code: int, said: str):
    ran = run(*COMPAT, *words)
    assert ran.returncode == code
    assert said in ran.stderr


@pytest.mark.slow
@pytest.mark.parametrize("caller", ["vllm", "outlines"])
def test_callers_run_unchanged(caller: str, tmp_path: Path):
    """In an environment of their own, since each pins packages of its own."""
    program = str(ROOT / "tests" / "compat" / "callers.py")
    said = subprocess.run(
        [python_with(caller), "-m", "xg2lab.compat", "--quiet", program, caller],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "XG2LAB_VLLM": "0"},
    )
    assert said.returncode == 0, said.stderr[-3000:]
    assert json.loads(said.stdout.splitlines()[-1])["version"]
