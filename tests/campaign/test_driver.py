"""The driver: a run that is cut short goes on where it was, seeds and shares choose, findings are kept once."""

from __future__ import annotations

import csv
import json
import os
import signal
from collections.abc import Iterable
from pathlib import Path

import pytest

from campaign import __main__ as program
from campaign import driver
from campaign.children import Limits, run_child
from campaign.driver import chosen_units, run_part, write_record
from campaign.part import Done, Finding, Run
from campaign.parts import PARTS
from campaign.state import State


class Numbers:
    """Ten units. It writes each down, and finds something in every third."""

    title = "numbers"

    def __init__(self, log: Path, dies_at: str = "", why: str | None = None):
        self.log, self.dies_at, self.why = log, dies_at, why

    def prepare(self, run: Run) -> str | None:
        return self.why

    def units(self, run: Run) -> Iterable[str]:
        return [f"{run.seed}.{i}" for i in range(10)]

    def do(self, run: Run, unit: str) -> Done:
        if unit == self.dies_at:
            os.kill(os.getpid(), signal.SIGKILL)
        with self.log.open("a") as log:
            log.write(f"{unit}\n")
        i = int(unit.partition(".")[2])
        found = [Finding(f"third/{i % 2}", "odd" if i % 2 else "even", f"at {i}")] if i % 3 == 0 else []
        return Done(counts={"numbers": 1, "sum": i}, rows=[{"number": i}], findings=found)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


def a_run(folder: Path, seed: int = 1, **more: float) -> Run:
    folder.mkdir(exist_ok=True)
    return Run("numbers", seed, folder, **more)  # pyright: ignore[reportArgumentType]


def done(log: Path) -> list[str]:
    return log.read_text().split() if log.exists() else []


def quiet(line: str) -> None:
    pass


def test_a_whole_run(tmp_path: Path, log: Path):
    state = run_part(Numbers(log), a_run(tmp_path), say=quiet, commit="c")
    assert done(log) == [f"1.{i}" for i in range(10)]
    assert (state.position, state.counts) == (10, {"numbers": 10, "sum": 45})
    assert [row["number"] for row in state.rows] == list(range(10))
    # The same finding twice is one.
    assert [(finding.name, finding.detail) for finding in state.findings] == [("third/0", "at 0"), ("third/1", "at 3")]
    assert [finding["name"] for finding in json.loads((tmp_path / "findings.json").read_text())] == [
        "third/0",
        "third/1",
    ]


@pytest.mark.parametrize("at", [0, 1, 5, 9])
def test_a_killed_run_goes_on_and_does_each_unit_once(tmp_path: Path, log: Path, at: int):
    run = a_run(tmp_path)
    killed = run_child(
        lambda tell: run_part(Numbers(log, dies_at=f"1.{at}"), run, say=quiet, commit="c") and None, Limits(60, 300)
    )
    assert killed.detail.startswith("SIGKILL")
    said: list[str] = []
    state = run_part(Numbers(log), run, say=said.append, commit="c")
    assert done(log) == [f"1.{i}" for i in range(10)]
    assert (state.position, state.counts["sum"]) == (10, 45)
    assert len(state.findings) == 2
    assert said[0] == (
        f"numbers: goes on at unit {at + 1} of 10, seed 1" if at else "numbers: numbers: 10 units, seed 1"
    )


def test_time_that_is_over_ends_a_run_and_the_next_goes_on(tmp_path: Path, log: Path):
    now = iter(range(10_000))
    run = a_run(tmp_path, minutes=0.1)
    first = run_part(Numbers(log), run, say=quiet, clock=lambda: next(now), commit="c")
    assert 0 < first.position < 10
    assert len(done(log)) == first.position
    for _ in range(10):
        last = run_part(Numbers(log), run, say=quiet, clock=lambda: next(now), commit="c")
        if last.position == 10:
            break
    assert done(log) == [f"1.{i}" for i in range(10)]
    assert last.counts["sum"] == 45


def test_another_seed_share_or_commit_and_a_fresh_run_begin_anew(tmp_path: Path, log: Path):
    now = iter(range(10_000))

    def cut_short(seed: int = 1, commit: str = "c", fresh: bool = False) -> int:
        run = a_run(tmp_path, seed, minutes=0.05)
        before = len(done(log))
        run_part(Numbers(log), run, say=quiet, clock=lambda: next(now), commit=commit, fresh=fresh)
        return int(done(log)[before].partition(".")[2])

    assert cut_short() == 0
    assert cut_short() > 0
    assert cut_short(seed=2) == 0
    assert cut_short(seed=2, commit="d") == 0
    assert cut_short(seed=2, commit="d") > 0
    assert cut_short(seed=2, commit="d", fresh=True) == 0


def test_a_run_that_came_to_its_end_is_run_again_from_the_start(tmp_path: Path, log: Path):
    for _ in range(2):
        state = run_part(Numbers(log), a_run(tmp_path), say=quiet, commit="c")
        assert state.counts["numbers"] == 10
    assert len(done(log)) == 20


def test_a_state_that_cannot_be_read_is_no_state(tmp_path: Path, log: Path):
    (tmp_path / "state.json").write_text('{"identity": {"part": "numb')
    assert run_part(Numbers(log), a_run(tmp_path), say=quiet, commit="c").position == 10
    (tmp_path / "state.json").write_text("[]")
    assert State.load(tmp_path / "state.json", {"seed": 1}).position == 0


def test_a_part_that_cannot_run_says_why(tmp_path: Path, log: Path):
    said: list[str] = []
    state = run_part(Numbers(log, why="no clang here"), a_run(tmp_path), say=said.append, commit="c")
    assert (state.position, done(log)) == (0, [])
    assert said == ["numbers: left out: no clang here"]


@pytest.mark.parametrize("share", [0.01, 0.1, 0.3, 0.75, 1.0])
def test_a_share_is_drawn_by_the_seed_and_keeps_the_order(tmp_path: Path, share: float):
    part = Numbers(tmp_path)
    chosen = {seed: chosen_units(part, a_run(tmp_path, seed, share=share)) for seed in range(1, 101)}
    for seed, units in chosen.items():
        assert len(units) == len(set(units)) == max(1, round(10 * share))
        assert units == sorted(units)
        assert all(unit.startswith(f"{seed}.") for unit in units)
    assert {unit.partition(".")[2] for units in chosen.values() for unit in units} == {str(i) for i in range(10)}


def test_the_record_has_a_row_for_the_run_and_the_rows_of_the_part(
    tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(driver, "RECORD", tmp_path / "record")
    run = a_run(tmp_path)
    write_record(run, run_part(Numbers(log), run, say=quiet, commit="c"), 10)
    with (tmp_path / "record" / "runs.csv").open() as file:
        [row] = csv.DictReader(file)
    assert (row["part"], row["seed"], row["units"], row["of"], row["findings"]) == ("numbers", "1", "10", "10", "2")
    assert row["counts"] == "numbers=10 sum=45"
    assert row["commit"]
    with (tmp_path / "record" / "numbers.csv").open() as file:
        assert [row["number"] for row in csv.DictReader(file)] == [str(i) for i in range(10)]


def test_counts_of_a_name_are_a_row_of_the_parts_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(driver, "RECORD", tmp_path / "record")
    state = State({"commit": "c"})
    state.add(Done({"pairs": 5, "pairs[b]": 2, "pairs[a]": 3, "states[a]": 1}))
    write_record(a_run(tmp_path), state, 1)
    with (tmp_path / "record" / "runs.csv").open() as file:
        assert [row["counts"] for row in csv.DictReader(file)] == ["pairs=5"]
    with (tmp_path / "record" / "numbers.csv").open() as file:
        assert [(row["of"], row["pairs"], row["states"]) for row in csv.DictReader(file)] == [
            ("a", "3", "1"), ("b", "2", ""),
        ]  # fmt: skip


def test_the_command_line(
    tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(program, "PARTS", {"numbers": ""})
    monkeypatch.setattr(program, "part", lambda name: Numbers(log))
    words = ["--folder", str(tmp_path / "kept"), "--no-record", "--seed", "4"]
    assert program.main(["numbers", *words]) == 1  # there are findings
    assert done(log) == [f"4.{i}" for i in range(10)]
    assert "numbers: 2 findings" in capsys.readouterr().out
    assert program.main(["--list", *words]) == 0
    assert "10 units  numbers" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        program.main(["nubmers"])
    assert "no part named nubmers; there are numbers" in capsys.readouterr().err


def test_every_part_has_a_title_and_units(tmp_path: Path):
    for name in PARTS:
        made = driver_part(name)
        run = Run(name, 1, tmp_path)
        units = list(made.units(run))
        assert made.title
        assert len(units) == len(set(units)) > 0
        assert units == list(made.units(run))


def driver_part(name: str):
    from campaign.parts import part

    return part(name)
