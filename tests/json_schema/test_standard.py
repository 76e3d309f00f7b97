"""The standard's cases and real schemas, from the data folder: each verdict is right, or the schema refused by name."""

import json
import lzma
from typing import Any

import pytest

from tests.generators import SHARE
from tests.json_schema.suite import FOLDER, NOTHING, SuiteCase, by_keyword, outcome, remotes, suite
from tests.vocabularies import DATA

pytest.importorskip("xg2lab._core", reason="the engine is not built")
import xg2lab as xgr
from xg2lab.errors import GrammarError, Xg2LabError

INFO = xgr.TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1])
COMPILER = xgr.GrammarCompiler(INFO, cache_enabled=False)

# What is not right, keyword by keyword, and meant: every other schema is. By default `format` is
# checked; the values of some formats are a little fewer than allowed.
FORMAT = {
    "format": 18,
    "optional/format/hostname": 1,
    "optional/format/idn-email": 1,
    "optional/format/idn-hostname": 2,
}
# Refused by name: what needs the standard's own metaschema, which is not given; the format
# `regex`, which is not regular; one of 123,456,789 remainders; what all items differ in when there
# is no number of them.
REFUSED = {
    "defs": 1,
    "format": 1,
    "multipleOf": 1,
    "optional/format/ecmascript-regex": 6,
    "optional/format/regex": 1,
    "ref": 1,
    "uniqueItems": 2,
}


def accepted(schema: Any, tests: list[dict[str, Any]], **options: Any) -> list[bool]:
    """Which values are accepted. A schema may allow nothing."""
    try:
        matcher = xgr.GrammarMatcher(COMPILER.compile_json_schema(schema, strict_mode=False, **options))
    except GrammarError as error:
        if [d.code for d in error.diagnostics] != [NOTHING]:
            raise
        return [False] * len(tests)
    found: list[bool] = []
    for test in tests:
        matcher.reset()
        found.append(matcher.accept_string(json.dumps(test["data"], ensure_ascii=False)) and matcher.is_completed())
    return found


def outcome_of(case: SuiteCase, **options: Any) -> str:
    """As suite.py says; a refusal has to name what it refuses, and a remedy."""
    try:
        found = accepted(case.schema, case.tests, registry=remotes() if case.is_remote else None, **options)
    except Xg2LabError as error:
        assert error.diagnostics, str(error)
        assert all(d.code and d.hint for d in error.diagnostics), str(error)
        found = None
    return outcome([test["valid"] for test in case.tests], found, case.keyword)


def test_json_schema_test_suite():
    if not FOLDER.exists():
        pytest.skip(f"no {FOLDER}")
    outcomes = [(case, outcome_of(case)) for case in suite()]
    assert [case.name for case, what in outcomes if what in ("wrong", "stricter")] == []
    table = by_keyword(outcomes)
    assert {keyword: counts["format"] for keyword, counts in table.items() if counts["format"]} == FORMAT
    assert {keyword: counts["refused"] for keyword, counts in table.items() if counts["refused"]} == REFUSED


def test_formats_are_annotations_if_asked_for():
    """The suite's cases for validators that check no format, all of them."""
    if not FOLDER.exists():
        pytest.skip(f"no {FOLDER}")
    cases = [case for case in suite() if case.keyword == "format"]
    assert [outcome_of(case, check_formats=False) for case in cases] == ["right"] * 19


def test_real_schemas():
    path = DATA / "maskbench" / "dev.jsonl.xz"
    if not path.exists():
        pytest.skip(f"no {path}")
    with lzma.open(path) as lines:
        cases = [json.loads(line) for line in lines]
    cases = [case for case in cases if case["tests"]][:: round(60 / min(1, SHARE * 5))]
    n_right = 0
    for case in cases:
        try:
            found = accepted(case["schema"], case["tests"])
        except Xg2LabError as error:
            assert error.hint or all(d.hint for d in error.diagnostics), (case["id"], str(error))
            continue
        assert found == [test["valid"] for test in case["tests"]], case["id"]
        n_right += 1
    assert n_right >= 0.97 * len(cases)
