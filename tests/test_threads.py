"""Every public thread that has a case: our engine does what is right there."""

from __future__ import annotations

import numpy as np
import pytest

from tests.thread_cases import ThreadCase, thread_cases
from xg2lab import TokenizerInfo, lint
from xg2lab.lab.engines import EngineError, Worker, judge_instance

BYTES = TokenizerInfo([*(bytes([k]) for k in range(256)), b"</s>"], stop_token_ids=[256])
END = 256
CASES = thread_cases()


@pytest.fixture(params=["xg2lab", "xg2lab-pda"])
def worker(request: pytest.FixtureRequest) -> Worker:
    return Worker(request.param, BYTES)


def takes(worker: Worker, text: str) -> bool:
    ids = [*text.encode(), END]
    return worker.takes(ids) == len(ids)


@pytest.mark.parametrize("case", [case for case in CASES if not case.is_refused], ids=str)
def test_ours_is_right(case: ThreadCase, worker: Worker) -> None:
    worker.compile(case.source)
    assert [text for text in case.accepts if not takes(worker, text)] == []
    assert [text for text in case.rejects if takes(worker, text)] == []


@pytest.mark.parametrize("case", [case for case in CASES if case.accepts], ids=str)
def test_each_mask_on_the_way_is_what_accept_says(case: ThreadCase, worker: Worker) -> None:
    worker.compile(case.source)
    text = min(case.accepts, key=len).encode()[:200]
    for step, row in enumerate(worker.replay([*text])["rows"]):
        bits = np.unpackbits(np.frombuffer(row, np.uint8), bitorder="little")[:257].astype(bool).tolist()
        assert bits == worker.accepts([*text[:step]], range(257)), f"after {text[:step]!r}"


@pytest.mark.parametrize("case", [case for case in CASES if case.is_refused], ids=str)
def test_a_grammar_that_can_not_be_is_refused_with_a_reason(case: ThreadCase, worker: Worker) -> None:
    with pytest.raises(EngineError) as caught:
        worker.compile(case.source)
    assert caught.value.reason == "refused"
    assert len(caught.value.message) > 30


@pytest.mark.parametrize("case", [case for case in CASES if case.refused_after], ids=str)
def test_a_draft_beyond_the_end_changes_nothing(case: ThreadCase, worker: Worker) -> None:
    worker.compile(case.source)
    for text, more in case.refused_after:
        ids = [*text.encode()]
        assert worker.accepts(ids, [*more.encode(), END]) == [False] * len(more.encode()) + [True]
        assert worker.takes([*ids, END, *more.encode()]) == len(ids) + 1


@pytest.mark.parametrize("case", [case for case in CASES if case.lints], ids=str)
def test_its_author_is_told(case: ThreadCase) -> None:
    assert {*case.lints} <= {finding.code for finding in lint(case.source.text, kind=case.source.kind)}


@pytest.mark.parametrize("case", [case for case in CASES if case.source.kind == "json_schema"], ids=str)
def test_the_judge_agrees_with_the_case(case: ThreadCase) -> None:
    pytest.importorskip("jsonschema")
    assert [text for text in case.accepts if judge_instance(case.source, text).is_valid is False] == []
    # White space is no matter of the schema's, and a name that comes twice is left open.
    said = [
        judge_instance(case.source, text).is_valid
        for text in case.rejects
        if "\n\n\n" not in text and "    " not in text
    ]
    assert True not in said


def test_the_files_are_whole() -> None:
    assert len(CASES) >= 20
    for case in CASES:
        assert case.url.endswith(case.thread.partition("#")[2])
        assert case.symptom.endswith(".")
        assert case.right.endswith(".")
        assert case.accepts or case.rejects or case.is_refused
