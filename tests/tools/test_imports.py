"""The import check finds undeclared packages and modules that Windows lacks; this tree imports neither."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from tools import check_imports
from tools.check_imports import check, declared, imports
from tools.running import pyproject

PYPROJECT = """
[project]
name = "xg2lab"
dependencies = ["numpy>=2"]

[project.optional-dependencies]
torch = ["torch"]
hf = ["xg2lab[torch]", "tqdm"]
widgets = ["anywidget"]
pictures = ["graphviz"]
lab = ["xg2lab[hf,widgets]", "jupyterlab"]
test = ["xg2lab[lab]", "pytest-xdist"]
dev = ["xg2lab[test]"]
bench = ["xg2lab[test]"]
campaign = ["xg2lab[bench]"]
"""


def planted(root, name: str, text: str, exempt=()) -> list[str]:
    (root / "pyproject.toml").write_text(PYPROJECT, encoding="utf-8")
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text, encoding="utf-8")
    return [str(violation) for violation in check(root, dict.fromkeys(exempt, "a reason"))]


def test_this_tree_declares_what_it_imports():
    assert [str(violation) for violation in check()] == []


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("xg2lab/a.py", "import tqdm\n", "does not declare tqdm in [project] dependencies"),
        ("xg2lab/a.py", "def f():\n    import tqdm.auto\n", "xg2lab/a.py:2: imports tqdm"),
        ("xg2lab/widgets/a.py", "from torch import nn\n", "does not declare torch in widgets"),
        ("tests/a.py", "nbformat = pytest.importorskip('nbformat.v4')\n", "does not declare nbformat in test"),
        ("xg2lab/reference/a.py", "def f():\n    import numpy\n", "twins use the standard library alone"),
        ("xg2lab/lab/a.py", "import fcntl\n", "imports fcntl, which Windows lacks"),
        ("xg2lab/lab/a.py", "class A:\n    from pwd import getpwuid\n", "imports pwd, which Windows lacks"),
    ],
)
def test_a_planted_import_is_found(tmp_path, name, text, complaint):
    (found,) = planted(tmp_path, name, text)
    assert complaint in found


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("xg2lab/a.py", "import json\nimport numpy as np\nfrom . import b\nfrom xg2lab.b import c\n"),
        ("xg2lab/a.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch\n"),
        ("xg2lab/lab/a.py", "import torch\nimport tqdm\ndef f():\n    import fcntl\n"),
        ("xg2lab/reference/a.py", "import re\nfrom .fsm import Fsm\nfrom xg2lab.reference.fsm import Fsm\n"),
        ("tests/a.py", "import jupyterlab, xdist, fcntl\n"),
    ],
)
def test_an_import_that_is_declared_is_not(tmp_path, name, text):
    assert planted(tmp_path, name, text) == []


def test_an_exemption_is_for_its_place_and_has_to_be_needed(tmp_path):
    exempt = [("xg2lab/kernels", "mlx")]
    assert planted(tmp_path, "xg2lab/kernels/a.py", "import mlx.core\n", exempt) == []
    (found,) = planted(tmp_path, "xg2lab/kernels/a.py", "", exempt)
    assert "names mlx, which nothing there imports" in found


def test_an_exemption_that_is_deferred_is_for_functions(tmp_path):
    (tmp_path / "pyproject.toml").write_text(PYPROJECT, encoding="utf-8")
    (tmp_path / "xg2lab").mkdir()
    exempt = {("xg2lab/bitmask.py", "torch"): "deferred: where it is installed"}
    module = tmp_path / "xg2lab" / "bitmask.py"
    module.write_text("def f():\n    import torch\n", encoding="utf-8")
    assert check(tmp_path, exempt) == []
    module.write_text("import torch\n", encoding="utf-8")
    (found,) = check(tmp_path, exempt)
    assert "xg2lab/bitmask.py:1: imports torch at its top; `import xg2lab` stays light" in str(found)


def test_imports_in_functions_are_told_from_those_at_the_top():
    tree = ast.parse("import a\ntry:\n    import b\nexcept ImportError:\n    pass\ndef f():\n    from c.d import e\n")
    assert [(each.name, each.line, each.at_once) for each in imports(tree)] == [
        ("a", 1, True), ("b", 3, True), ("c", 7, False),
    ]  # fmt: skip


def test_the_widgets_load_where_no_posix_module_does():
    """As far as their own imports go: the libraries that they need are loaded first."""
    program = f"""
import sys
import anywidget, ipywidgets, traitlets, numpy
for name in {sorted(check_imports.POSIX_ONLY)}:
    sys.modules[name] = None
import xg2lab.widgets, xg2lab.widgets.pictures, xg2lab.lab.session.session
"""
    pytest.importorskip("anywidget")
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_views_and_a_session_load_without_torch_and_jupyterlab():
    """What `pip install xg2lab[widgets]` promises."""
    pytest.importorskip("anywidget")
    program = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name in {"torch", "transformers", "tokenizers", "tqdm", "jupyterlab", "ipykernel", "graphviz"}:
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Absent())
import xg2lab
from xg2lab.widgets import Tape
info = xg2lab.TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1])
session = xg2lab.Session('root ::= "a"+', info)
session.force("aa")
print(type(Tape(session)).__name__, session.text)
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == ["Tape", "aa"]


def test_extras_are_by_need():
    assert declared(pyproject(), "widgets") == {"anywidget", "ipywidgets", "traitlets"}
    assert "jupyterlab" not in declared(pyproject(), "hf") | declared(pyproject(), "widgets")
    assert declared(pyproject(), "hf") | declared(pyproject(), "widgets") < declared(pyproject(), "lab")
    assert declared(pyproject(), "lab") | declared(pyproject(), "pictures") < declared(pyproject(), "test")
    assert declared(pyproject(), "test") < declared(pyproject(), "dev")
