"""The standard's cases and real schemas, from the data folder: each verdict is right, or the schema refused by name."""

import json
import lzma
from typing import Any

import pytest

from tests.generators import SHARE
from tests.vocabularies import DATA

pytest.importorskip("xg2lab._core", reason="the engine is not built")
import xg2lab as xgr
from xg2lab.errors import GrammarError, Xg2LabError

INFO = xgr.TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1])
COMPILER = xgr.GrammarCompiler(INFO, cache_enabled=False)

# Known and meant: `format` is checked, though by the standard it may be an annotation; the values of some formats are
# a little fewer than allowed (core/frontends/json_schema/formats.h); one dialect for a document.
STRICTER = {"format", "hostname", "idn-hostname", "idn-email", "cross-draft", "vocabulary"}


def wrong(schema: Any, tests: list[dict[str, Any]], **options: Any) -> list[tuple[str, bool]]:
    """Descriptions of the values with a wrong verdict, and what the verdict was. A schema may allow nothing."""
    try:
        matcher = xgr.GrammarMatcher(COMPILER.compile_json_schema(schema, strict_mode=False, **options))
    except GrammarError as error:
        if [d.code for d in error.diagnostics] != ["schema_allows_nothing"]:
            raise
        matcher = None
    found: list[tuple[str, bool]] = []
    for test in tests:
        text = json.dumps(test["data"], ensure_ascii=False)
        if matcher is not None:
            matcher.reset()
        accepted = matcher is not None and matcher.accept_string(text) and matcher.is_completed()
        if accepted != test["valid"]:
            found.append((test["description"], accepted))
    return found


def test_json_schema_test_suite():
    folder = DATA / "json-schema-test-suite"
    if not folder.exists():
        pytest.skip(f"no {folder}")
    registry = json.loads((folder / "remotes.json").read_text())
    refused: list[str] = []
    cases = json.loads((folder / "draft2020-12.json").read_text())
    for case in cases:
        schema = case["schema"]
        is_remote = "localhost:1234" in json.dumps(schema)
        try:
            found = wrong(schema, case["tests"], registry=registry if is_remote else None)
        except Xg2LabError as error:
            assert all(d.code and d.hint for d in error.diagnostics), str(error)
            refused.append(case["description"])
            continue
        assert not [row for row in found if row[1]], f"accepted: {case['description']}: {found}"
        assert not found or case["file"].split("/")[-1] in STRICTER, f"refused: {case['description']}: {found}"
    assert len(refused) < 0.08 * len(cases), refused


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
            found = wrong(case["schema"], case["tests"])
        except Xg2LabError as error:
            assert error.hint or all(d.hint for d in error.diagnostics), (case["id"], str(error))
            continue
        assert not found, (case["id"], found)
        n_right += 1
    assert n_right >= 0.97 * len(cases)
