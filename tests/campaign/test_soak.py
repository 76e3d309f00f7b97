"""The soak in small: few threads, so many operations each. Classes of outcomes, and what is a finding; no times."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from campaign import soak as part
from campaign.part import Run
from campaign.soak import Process, Soak, findings_of, growth, row_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc, and forks")

FAULTS = ("limits of memory", "limits of time", "refusals", "children")
WORK = (
    "operations",
    "fills",
    "accepts",
    "rollbacks",
    "forks",
    "compilations",
    "batches of masks",
    "writings",
    "clearings",
)


@pytest.fixture
def process(tmp_path: Path):
    made = Process(8, 7, tmp_path / "soak.log")
    yield made
    made.end()


def test_threads_with_faults_see_what_each_sees_alone(process: Process):
    assert process.is_ready is not None
    first = process.ask(operations=40)
    second = process.ask(operations=40)
    assert first is not None, process.end()
    assert second is not None, process.end()
    assert first["findings"] + second["findings"] == []
    counts: dict[str, int] = {name: n + second["counts"].get(name, 0) for name, n in first["counts"].items()}
    assert counts["operations"] == 2 * 8 * 40
    assert [name for name in (*FAULTS, *WORK) if not counts.get(name)] == [], "each kind has come"
    assert second["evictions"] > first["evictions"] > 0
    assert second["pool_bytes"] <= 60_000 + (512 << 20)  # the tight pool, and the roomy one
    assert second["end_used"] < 4 * first["begin_used"], "what the process keeps is bounded"
    row = row_of(second)
    assert (row["threads"], row["operations"], row["findings"]) == (8, 320, 0)


def test_a_wrong_walk_a_lost_interrupt_and_an_error_are_findings(monkeypatch: pytest.MonkeyPatch):
    from campaign import soak_process
    from campaign.soak_walks import WrongError

    raised: list[BaseException] = [WrongError("mask", "token 3"), KeyboardInterrupt(), ZeroDivisionError("here")]

    def operate(*_: Any) -> None:
        if raised:
            raise raised.pop()

    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)  # it is another's while the soak is there
    monkeypatch.setattr(soak_process.signal, "signal", lambda *_: None)
    monkeypatch.setattr(soak_process, "N_SEEDS", 1)
    small = soak_process.Soak(1, 1)
    monkeypatch.setattr(small, "operate", operate)
    monkeypatch.setattr(small, "_interrupt", lambda _: None)
    answer = small.run(0, 5)
    monkeypatch.undo()
    assert [one["kind"] for one in answer["findings"]] == ["ZeroDivisionError", "interrupt", "mask"]
    assert answer["counts"]["operations"] == 2
    assert {found.name for found in findings_of(answer)} >= {"soak/mask/token 3"}


def test_a_walk_differs_where_a_mask_does():
    import xg2lab as xgr
    from campaign.soak_walks import INFO, Calls, walked

    compiler = xgr.GrammarCompiler(INFO)
    one, other = (compiler.compile_grammar(f'root ::= "[" root "]" | [a-{last}]') for last in "yz")
    assert walked(Calls(), one, 1) == walked(Calls(), one, 1)
    assert walked(Calls(), one, 1) != walked(Calls(), other, 1)


class Answers:
    """A process that gives these answers; None is its death."""

    def __init__(self, answers: list[dict[str, Any] | None]):
        self.answers = answers

    def ask(self, **_: float) -> dict[str, Any] | None:
        return self.answers.pop(0)

    def end(self) -> str:
        return "exit status -11: Segmentation fault"


def an_answer(used: float, resident: float = 50.0) -> dict[str, Any]:
    sizes = dict.fromkeys(("begin_bytes", "most_bytes", "begin_used", "grammar_bytes", "cache_bytes", "pool_bytes"), 1)
    return {
        "threads": 64, "round": 1, "counts": {"operations": 20_000}, "evictions": 0, "findings": [],
        "end_used": used * part.MIB, "end_bytes": resident * part.MIB, **sizes,
    }  # fmt: skip


def kinds(monkeypatch: pytest.MonkeyPatch, folder: Path, answers: list[dict[str, Any] | None]) -> list[str]:
    monkeypatch.setattr(part, "Process", lambda *_: Answers(answers))
    soak, run = Soak(), Run("soak", 1, folder)
    found = [soak.do(run, unit).findings for unit in list(soak.units(run))[: len(answers)]]
    return [finding.name for each in found for finding in each]


def test_memory_that_grows_a_process_that_dies_and_one_that_is_stuck_are_findings(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    flat = [an_answer(20 + minute % 3, 50 + 9 * (minute < 5)) for minute in range(30)]
    assert kinds(monkeypatch, tmp_path, [*flat]) == []
    leaks = [an_answer(20 + 0.5 * minute) for minute in range(16)]
    assert set(kinds(monkeypatch, tmp_path, [*leaks])) == {"soak/grows/in use"}
    assert set(kinds(monkeypatch, tmp_path, [an_answer(20, 50 + minute) for minute in range(16)])) == {
        "soak/grows/resident"
    }
    assert kinds(monkeypatch, tmp_path, [an_answer(20), None, an_answer(20)]) == ["soak/died"]
    assert kinds(monkeypatch, tmp_path, [{"findings": [], "is_stuck": True}]) == ["soak/stuck"]


def test_growth_is_the_slope_of_most_pairs_and_of_warm_ones():
    def after(n: int, *mebibytes: float) -> list[tuple[int, float]]:
        return [(n * i, one) for i, one in enumerate(mebibytes)]

    assert growth(after(50_000, 1, *(5.0 + i for i in range(8)))) == 2.0
    assert growth(after(50_000, 90, 5, 5, 90, 5, 5, 5, 5, 5)) == 0.0
    assert growth(after(10_000, 1, 2, 3, 4, 5)) is None, "still warming up"
    assert growth([(60_000 + i, 5.0 + i) for i in range(30)]) is None, "too close to each other"
