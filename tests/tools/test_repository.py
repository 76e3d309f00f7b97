"""The repository check finds each planted fault, lets pass what has a reason, and finds nothing in this tree."""

import json

import pytest

from tools.check_repository import ROOT, Finding, allowed, check, check_file


def rules(name: str, text: str) -> list[str]:
    return [finding.rule for finding in check_file(name, text.encode())]


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git checkout: what is tracked is not known")
def test_this_tree_is_clean():
    assert [str(finding) for finding in check()] == []


@pytest.mark.parametrize(
    ("name", "text", "rule"),
    [
        ("docs/a.md", "built in /" + "home/ann/xg2lab", "machine-path"),
        ("a.lock", '"resolved": "https://' + 'registry.example.org/preact"', "package-index"),
        ("README.md", "pip install --index-" + "url https://example.org/simple torch", "package-index"),
        ("xg2lab/a.py", "# run `make " + "everything`", "command"),
        ("core/mask/fill.cc", "// TO" + "DO: faster", "unfinished"),
        ("xg2lab/a.py", "x = 1  # good enough for " + "now", "unfinished"),
        ("xg2lab/_core.so", "", "built"),
        ("widgets/node_modules/a.js", "", "built"),
        ("xg2lab/a.py", "for ch in text:\n    pass\n", "name"),
        ("xg2lab/a.py", "class MaskManager:\n    pass\n", "name"),
        ("core/mask/pool.h", "class PoolImpl;\n", "name"),
        ("core/mask/pool.cc", "  uint8_t ch = bytes[0];\n", "name"),
        ("xg2lab/utils.py", "", "name"),
        ("tests/a.py", "assert size() >= 0\n", "vacuous"),
        ("tests/a.py", "assert all(0 <= us for us in times)\n", "vacuous"),
        ("tests/a.py", "assert (x == 1, 'one')\n", "vacuous"),
        ("tests/a.py", "assert True\n", "vacuous"),
        ("tests/a.py", "assert step() or True\n", "vacuous"),
    ],
)
def test_a_planted_fault_is_found(name, text, rule):
    assert rules(name, text) == [rule]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("docs/a.md", "see https://arxiv.org/abs/2411.15100 and ../shared/data"),
        ("core/mask/fill.cc", "\n" * 6000),
        ("tests/a.py", "assert 0 <= begin <= end\nassert x > 0\nassert x >= 1\nassert x or y\nassert not ()\n"),
        ("xg2lab/a.py", "assert begin >= 0\n"),
        ("xg2lab/a.py", "def f(tmp_path, byte):\n    return byte\n"),
        ("core/support/error.h", "const char* what() const;\n"),
        ("docs/a.md", "from now on, for now on"),
        ("docs/a.md", "`make lab` and `make test ARGS=-x`; make everything small"),
    ],
)
def test_what_is_right_is_not(name, text):
    assert rules(name, text) == []


def test_a_notebook_with_output_or_a_long_cell_is_found():
    cell = {"cell_type": "code", "source": ["x = 1\n"] * 26, "outputs": [{}], "execution_count": 3}
    assert rules("notebooks/a.ipynb", json.dumps({"cells": [cell]})) == ["cell-size", "outputs"]


def test_an_allowance_needs_a_reason_and_a_use():
    found = [Finding("a.py", 4, "name", "ch")]
    entry = {"file": "a.py", "rule": "name", "reason": "one table"}
    assert list(allowed(found, [entry])) == []
    assert list(allowed(found, [{**entry, "reason": " "}])) == found
    assert [finding.message for finding in allowed([], [entry])] == [
        "an allowance in allowances.toml that nothing needs; remove it"
    ]


def test_programs_and_sources_in_the_root_are_found():
    assert [finding.rule for finding in check_file("tools/a_program", b"\x7fELF\x02\x01")] == ["built"]
    assert [finding.rule for finding in check_file("a_try.cc", b"int main() {}\n")] == ["place"]
    assert not list(check_file("core/support/a_try.cc", b"int main() {}\n"))
