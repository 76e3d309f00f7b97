"""The table of codes: each example gives its code, and no code of the engine or of the lints is missing."""

import re
from pathlib import Path

import pytest

from tools.check_diagnostics import PAGE, page
from xg2lab.lints.catalogue import CODES, SECTIONS

ROOT = Path(__file__).parents[2]
# How the engine gives a code: as the first argument of what reports or refuses, or as a Diagnostic's first field.
EMISSIONS = re.compile(
    r"(?:\breport\w*\(|\bfinding\([^;\"]*|\brefuse\([^;\"]*|\badd\(\{|\bDiagnostic \w*\{|\bDiagnostic\{|push_back\(\{)"
    r'\s*"([a-z]+(?:_[a-z0-9]+)*)"'
)
OF_DISPATCHES = re.compile(r'"((?:tag|stop|exclude)_never_\w+)"')  # a table of its own in check_dispatches.cc
OF_PYTHON = re.compile(r'finding\(\s*"(\w+)",')


def emitted() -> dict[str, str]:
    """Each code that a source can give, and one such file."""
    found: dict[str, str] = {}
    for path in [*(ROOT / "core").rglob("*.cc"), *(ROOT / "core").rglob("*.h")]:
        text = re.sub(r"//.*", "", path.read_text(encoding="utf-8"))
        for pattern in (EMISSIONS, OF_DISPATCHES):
            found |= {code: str(path.relative_to(ROOT)) for code in pattern.findall(text)}
    for path in (ROOT / "xg2lab" / "lints").glob("*.py"):
        text = path.read_text(encoding="utf-8")
        found |= {code: str(path.relative_to(ROOT)) for code in OF_PYTHON.findall(text) if code != "example"}
    return found


@pytest.mark.parametrize("code", CODES.values(), ids=CODES.keys())
def test_each_example_gives_its_code(code):
    assert code.code in code.provoked()


def test_every_code_is_in_the_table_and_none_is_made_up():
    codes = emitted()
    missing = {code: path for code, path in codes.items() if code not in CODES}
    assert not missing, f"give each a row with an example in xg2lab/lints/catalogue.py: {missing}"
    assert not CODES.keys() - codes.keys()
    assert len(CODES) > 50


def test_the_table_is_well_made():
    assert sum(map(len, SECTIONS.values())) == len(CODES), "a code stands in it twice"
    for code in CODES.values():
        assert code.severity in ("error", "warning", "hint")
        assert code.explanation.endswith(".")
        assert re.fullmatch(r"[a-z]+(_[a-z0-9]+)*", code.code)


def test_the_page_is_as_the_table_says():
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m tools.check_diagnostics --write"
