"""Tests that share a page or a wheel run in one process and in their order, however many workers there are."""

import re
import subprocess
import sys

from tools.running import ROOT


def test_what_belongs_together_goes_to_one_worker(tmp_path):
    (tmp_path / "conftest.py").write_text((ROOT / "conftest.py").read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(
        '[tool.pytest.ini_options]\nmarkers = ["browser", "gpu"]\n', encoding="utf-8"
    )
    for folder in ("tests/ui", "tests/other"):
        (tmp_path / folder).mkdir(parents=True)
        text = "import pytest, time\n@pytest.mark.parametrize('i', range(8))\ndef test_it(i): time.sleep(0.05)\n"
        (tmp_path / folder / f"test_{folder[6:]}.py").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-v", "-n", "2", "--dist", "load", "-p", "no:cacheprovider", "tests"]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    ran = re.findall(r"^\[(gw\d)\].* PASSED tests/(ui|other)/\S+\[(\d)\]", said, re.MULTILINE)
    assert len(ran) == 16, said
    assert len({worker for worker, folder, _ in ran if folder == "ui"}) == 1
    assert [number for _, folder, number in ran if folder == "ui"] == list("01234567")
    assert {worker for worker, _, _ in ran} == {"gw0", "gw1"}
