"""Each test that docs/promises.md names is there, so that no promise is held by a test that was renamed."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
NAMED = re.compile(r"`((?:tests|widgets)/[\w/.*]+|…)(?:::(\w+))?`")


def test_the_tests_that_hold_promises_exist():
    page = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")
    file = ""
    n_functions = 0
    for name, function in NAMED.findall(page):
        file = file if name == "…" else name  # the one before it
        found = list(ROOT.glob(file))
        assert found, name
        if function:
            assert f"def {function}(" in found[0].read_text(encoding="utf-8"), (file, function)
            n_functions += 1
    assert n_functions > 30
