"""The benchmarks' own machinery: who is ahead, how figures grow, and engines that crash or never end."""

import os
import signal
import time

import pytest

pytest.importorskip("xg2lab._core", reason="the engine is not built")
pytest.importorskip("tiktoken")
from benchmarks import ahead, scaling, steps
from benchmarks.engines import Xg2Lab
from benchmarks.json_schema import summary
from benchmarks.json_schema.cases import Case, case, spread
from benchmarks.json_schema.measure import measure
from benchmarks.json_schema.results import ResultFile, read
from benchmarks.json_schema.variants import Variant
from benchmarks.json_schema.workers import Worker
from benchmarks.texts import LongestMatch, byte_vocabulary

WORDS = byte_vocabulary()
INTEGER = case("integer", {"type": "integer"}, [{"data": 12, "valid": True}, {"data": "x", "valid": False}])


class Fragile(Xg2Lab):
    """An engine that dies of one schema and never ends with another."""

    def compile_schema(self, schema):
        if schema == {"const": "crash"}:
            os.kill(os.getpid(), signal.SIGKILL)
        if schema == {"const": "hang"}:
            time.sleep(1000)
        super().compile_schema(schema)


def tokens_of(one: Case) -> list[list[int]]:
    return [WORDS.encoding.encode_ordinary(text) for text in one.texts]


@pytest.mark.parametrize("is_cold", [False, True])
def test_a_crash_or_an_endless_compilation_costs_one_schema(is_cold: bool):
    worker = Worker(Variant("fragile", Fragile, is_cold=is_cold), WORDS, limit_s=20)
    try:
        assert summary.is_right(worker.ask(INTEGER, tokens_of(INTEGER)))
        assert worker.ask(Case("c", {"const": "crash"}, (), ()), [])["fatal"].startswith("crash")
        assert summary.is_right(worker.ask(INTEGER, tokens_of(INTEGER)))
        worker.limit_s = 0.5
        assert worker.ask(Case("h", {"const": "hang"}, (), ()), [])["fatal"] == "over 0.5 s"
        worker.limit_s = 20
        assert summary.is_right(worker.ask(INTEGER, tokens_of(INTEGER)))
    finally:
        worker.end()


def test_verdicts_are_told_apart():
    engine = Xg2Lab(WORDS)
    wrongly_marked = Case("w", {"type": "integer"}, ("12", '"x"'), (False, True))
    found = [
        measure(engine, one, tokens_of(one), WORDS.stop_token)
        for one in (INTEGER, wrongly_marked, Case("r", {"items": {"$ref": "nowhere"}}, ("1",), (True,)))
    ]
    assert [row[1] for row in found[1]["wrong"]] == ["invalid accepted", "valid rejected"]
    assert found[2]["refused"] == "undefined_reference"
    counts = summary.verdicts(found)
    assert [counts[f"n_{key}"] for key in ("tested", "right", "invalid_accepted", "valid_rejected", "refused")] == [
        3,
        1,
        1,
        1,
        1,
    ]
    assert len(found[0]["masks_us"]) == 3 + 1  # 1, 2, the stop token; and the quote that is refused


def test_an_interrupted_run_goes_on_if_it_is_the_same(tmp_path):
    path = tmp_path / "x.jsonl"
    first = ResultFile(path, {"commit": "a"}, resumes=False)
    first.add({"name": "one"})
    first.close()
    path.write_text(path.read_text() + '{"name": "cut o')
    again = ResultFile(path, {"commit": "a"}, resumes=True)
    assert list(again.done) == ["one"]
    again.close()
    other = ResultFile(path, {"commit": "b"}, resumes=True)
    assert not other.done
    other.close()
    assert read(path) == ({"commit": "b"}, [])


def test_the_better_peer_is_compared_with():
    rows = [
        {"engine": "xg2lab", "n": 1, "n_bytes": 9, "mask_us_p50": 4.0, "n_wrong": 0, "right_percent": 99.0},
        {"engine": "slow", "n": 1, "n_bytes": 9, "mask_us_p50": 9.0, "n_wrong": 2, "right_percent": 80.0},
        {"engine": "fast", "n": 1, "n_bytes": 9, "mask_us_p50": 2.0, "n_wrong": 0, "right_percent": 90.0},
        {"engine": "fast", "n": 2, "n_bytes": 9, "mask_us_p50": 0.1, "n_wrong": 0, "right_percent": 100.0},
    ]
    found = {line.figure: line for line in ahead.compare("x", rows, ("n",))}
    assert set(found) == {"mask_us_p50", "n_wrong", "right_percent"}
    assert (found["mask_us_p50"].peer, found["mask_us_p50"].ratio, found["mask_us_p50"].verdict) == (
        "fast",
        2,
        "BEHIND",
    )
    assert found["n_wrong"].verdict == "even"
    assert found["right_percent"].ratio == pytest.approx(90 / 99)
    assert found["right_percent"].verdict == "ahead"


def test_slopes_are_of_logarithms_and_divided_by_shape():
    rows = [
        {"engine": "xg2lab", "shape": shape, "n": n, "first_us": n**power}
        for shape, power in (("a", 1), ("b", 2))
        for n in (10, 20, 40)
    ]
    found = scaling.slopes("x", rows, "n", ("shape", "n"))
    assert [(line.where, round(line.slope, 6)) for line in found] == [("shape=a", 1.0), ("shape=b", 2.0)]


def test_a_sample_is_spread_and_fixed():
    rows = [{"id": i} for i in range(100)]
    assert [row["id"] for row in spread(rows, 4)] == [12, 37, 62, 87]
    assert spread(rows, 0) == rows


def test_longest_match_writes_every_text():
    encoding = LongestMatch([bytes([byte]) for byte in range(256)] + [b"the", b"the "])
    assert encoding.encode_ordinary("the thé") == [257, *b"th", *"é".encode()]


def test_steps_refuse_to_time_another_language():
    engine = Xg2Lab(WORDS)
    engine.compile_schema({"type": "integer"})
    assert steps.takes(engine, list(b"12"))
    assert not steps.takes(engine, list(b"1x"))
    engine.start()
    with pytest.raises(RuntimeError, match="refuses token 120 at step 2"):
        steps.walk_us(engine, list(b"1x"))
