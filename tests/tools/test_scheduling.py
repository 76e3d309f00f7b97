"""Each file's tests run in one process and in their order; the browser's files go first, one to each worker."""

import re
import subprocess
import sys

from tools.run_tests import SHARED_OUT
from tools.running import ROOT

HEAD = "import pytest\n"
BROWSER = HEAD + "pytestmark = pytest.mark.browser\n"
TESTS = "@pytest.mark.parametrize('i', range(4))\ndef test_it(i): pass\n"
FILES = {"core/test_a": HEAD, "core/test_b": HEAD, "ui/test_y": BROWSER, "ui/test_z": BROWSER}


def test_a_file_goes_to_one_worker_and_the_browsers_files_go_first(tmp_path):
    # no browser is needed to see which worker gets its tests
    text = (ROOT / "conftest.py").read_text(encoding="utf-8") + '\n\ndef chromium():\n    return "one"\n'
    (tmp_path / "conftest.py").write_text(text, encoding="utf-8")
    markers = '[tool.pytest.ini_options]\nmarkers = ["browser", "gpu"]\n'
    (tmp_path / "pyproject.toml").write_text(markers, encoding="utf-8")
    for name, head in FILES.items():
        path = tmp_path / "tests" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(head + TESTS, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-v", "-n", "2", *SHARED_OUT]
    command += ["-p", "no:cacheprovider", "-p", "no:nbmake", "tests"]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    ran = re.findall(r"^\[(gw\d)\].* PASSED tests/(\w+/test_\w)\.py::test_it\[(\d)\]", said, re.MULTILINE)
    assert len(ran) == 16, said
    for name in FILES:
        assert [i for _, file, i in ran if file == name] == list("0123"), said
        assert len({worker for worker, file, _ in ran if file == name}) == 1, said
    first = [next(file for who, file, _ in ran if who == worker) for worker in ("gw0", "gw1")]
    assert sorted(first) == ["ui/test_y", "ui/test_z"], said
