"""The table of codes: each example gives its code, and no code of the engine or of the lints is missing."""

import re
from pathlib import Path

import pytest

from tools.check_diagnostics import PAGE, page
from xg2lab.lints.catalogue import CODES, SECTIONS

ROOT = Path(__file__).parents[2]
# How the engine gives a code: as the first argument of what reports or refuses, or as a
# Diagnostic's first field.
EMISSIONS = re.compile(
    r"(?:\b(?:report\w*|finding|refuse\w*|mistake|complain)\([^;\"]*|\badd\(\{|\bDiagnostic \w*\{|\bDiagnostic\{"
    r"|push_back\(\s*\{(?=[^{}]*Severity::)|add_diagnostic\(\{|\{\{(?=[^,]*,\s*Severity))"
    r'\s*"([a-z]+(?:_[a-z0-9]+)*)"'
)
OF_TWO = re.compile(r'\? "([a-z]+(?:_[a-z]+)+)" : "([a-z]+(?:_[a-z]+)+)",\n')  # one code or the other
OF_GRAMMARS = re.compile(r'\? "(\w+)" : found\.code')  # what has no code within a tag
OF_DISPATCHES = re.compile(r'"((?:tag|stop|exclude)_never_\w+)"')  # a table of its own in check_dispatches.cc
OF_LIMITS = re.compile(r'\.code = "(\w+)"')  # limits that get a place in a schema
OF_PYTHON = re.compile(r'finding\(\s*"(\w+)",|"(\w+)",\s*"(?:error|warning|hint)"')
OF_PYTHON_FILES = [*(ROOT / "xg2lab" / "lints").glob("*.py"), ROOT / "xg2lab" / "support" / "json_text.py"]


def emitted() -> dict[str, str]:
    """Each code that a source can give, and one such file."""
    found: dict[str, str] = {}

    def note(path: Path, patterns: list[re.Pattern[str]]) -> None:
        text = re.sub(r"//.*" if path.suffix in (".cc", ".h") else r"#.*", "", path.read_text(encoding="utf-8"))
        for pattern in patterns:
            for match in pattern.finditer(text):
                found.update({code: str(path.relative_to(ROOT)) for code in match.groups() if code})

    for path in [*(ROOT / "core").rglob("*.cc"), *(ROOT / "core").rglob("*.h")]:
        note(path, [EMISSIONS, OF_TWO, OF_GRAMMARS, OF_DISPATCHES, OF_LIMITS])
    for path in OF_PYTHON_FILES:
        if "code" not in path.stem and path.stem != "catalogue":  # what explains gives none
            note(path, [OF_PYTHON])
    return {code: path for code, path in found.items() if code not in ("example", "some_code", "error", "refused")}


@pytest.mark.parametrize("code", CODES.values(), ids=CODES.keys())
def test_each_example_gives_its_code(code):
    assert code.code in code.provoked()
    assert code.remedy()


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
