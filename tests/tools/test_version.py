"""The version is written in one place, `xg2lab.__version__`; what is installed has that one."""

import importlib.metadata
import json
import re

import xg2lab
from tools.running import ROOT, pyproject


def test_what_is_installed_has_the_version_of_the_package():
    assert importlib.metadata.version("xg2lab") == xg2lab.__version__


def test_no_other_file_of_the_build_states_it():
    assert "version" not in pyproject()["project"]
    assert pyproject()["tool"]["scikit-build"]["metadata"]["version"]["input"] == "xg2lab/__init__.py"
    assert "version" not in json.loads((ROOT / "widgets" / "package.json").read_text(encoding="utf-8"))
    lock = json.loads((ROOT / "widgets" / "package-lock.json").read_text(encoding="utf-8"))
    assert "version" not in lock
    assert "version" not in lock["packages"][""]
    sources = [path for path in (ROOT / "xg2lab").rglob("*.py") if path.name != "__init__.py"]
    stated = re.compile(rf"[\"']{re.escape(xg2lab.__version__)}[\"']")
    assert [path.name for path in [*sources, ROOT / "CMakeLists.txt"] if stated.search(path.read_text())] == []
