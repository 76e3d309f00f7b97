"""A sweep in processes: crashes, hangs, resumed runs, and files."""

import json
import lzma
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.integrations.sweep import fakes
from tests.integrations.sweep.fakes import place
from xg2lab.errors import ArgumentError, DeserializeFormatError
from xg2lab.integrations.sweep import SweepOptions, read_rows, summarize, sweep
from xg2lab.integrations.sweep.results import Journal
from xg2lab.integrations.sweep.rows import empty_row

ROOT = Path(__file__).parents[3]


def rows_of(path):
    return {row["name"]: row for row in read_rows(path)}


def case(name, schema=None, **more):
    return {"id": name, "schema": schema if schema is not None else {"title": name, "type": "integer"}, **more}


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_every_line_has_a_row_in_the_order_of_the_input(lines, tmp_path, vocabulary, suffix):
    source = lines(
        case("a", valid=[1], invalid=["x"]),
        "not json",
        case("b", {"$ref": "#/x"}),
        "x" * 3000,
        case("a", valid=[1], invalid=["x"]),
    )
    out = tmp_path / f"out{suffix}"
    summary = sweep(source, out, what=["audit"], workers=2, vocabulary=vocabulary, quiet=True, max_bytes=2000)
    rows = list(read_rows(out))
    assert [row["line"] for row in rows] == [1, 2, 3, 4, 5]
    assert [row["verdict"] for row in rows] == ["compiled", "unreadable", "refused", "too_large", "compiled"]
    assert rows[4]["id"] == rows[0]["id"] + "-2"
    assert (summary.out, summary.n_new, summary.n_rows, summary.engines["xg2lab"].n_right) == (out, 5, 5, 2)
    assert str(summary).startswith("5 schemas: 2 compiled, 1 refused, 1 unreadable, 1 too_large\n")
    assert rows[0]["engines"][0]["n_accepted"] == 1
    assert not [path for path in tmp_path.iterdir() if path.suffix in (".partial", ".part")]


def test_a_crash_and_a_hang_cost_an_engine_s_part_of_a_row_and_no_row(lines, tmp_path, vocabulary):
    source = lines(
        case("before"),
        case("crash", {"title": "crash"}),
        case("after"),
        case("hang", {"title": "hang"}),
        case("last"),
    )
    out = tmp_path / "out.jsonl"
    engines = [place(fakes.Crashing), "xg2lab", place(fakes.Hanging)]
    summary = sweep(source, out, engines=engines, workers=1, vocabulary=vocabulary, quiet=True, seconds=5)
    rows = rows_of(out)
    verdicts = {name: [part["verdict"] for part in row["engines"]] for name, row in rows.items()}
    whole = ["compiled", "compiled", "compiled"]
    assert verdicts == {
        "before": whole,
        "crash": ["crashed", "compiled", "compiled"],
        "after": whole,
        "hang": ["compiled", "compiled", "timeout"],
        "last": whole,
    }
    assert (rows["crash"]["verdict"], rows["hang"]["verdict"]) == ("crashed", "compiled")
    assert "SIGSEGV" in rows["crash"]["message"]
    assert rows["hang"]["engines"][2]["message"] == f"engine {place(fakes.Hanging)} took longer than 5 s"
    assert summary.verdicts == {"compiled": 4, "crashed": 1}


def test_a_killed_sweep_goes_on_where_it_was(lines, tmp_path, vocabulary):
    gate = tmp_path / "gate"
    source = lines(case("a"), case("b"), case("c", {"title": f"gate:{gate}"}), case("d"))
    out = tmp_path / "out.parquet"
    command = [sys.executable, "-m", "xg2lab", "sweep", str(source), "--out", str(out), "--vocabulary", vocabulary]
    command += ["--engines", place(fakes.Gated), "--workers", "1", "--quiet"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    running = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE)
    partial = tmp_path / "out.parquet.partial"
    try:
        while not partial.exists() or partial.read_bytes().count(b"\n") < 3:
            assert running.poll() is None, running.stderr.read()
            threading.Event().wait(0.02)
    finally:
        running.send_signal(signal.SIGKILL)
        running.wait()
        running.stderr.close()
    kept = list(read_rows(partial))
    assert [row["name"] for row in kept] == ["a", "b"]
    with partial.open("ab") as file:
        file.write(b'{"id": "torn')
    gate.touch()
    summary = sweep(source, out, engines=[place(fakes.Gated)], vocabulary=vocabulary, workers=1, quiet=True)
    assert (summary.n_new, summary.n_rows) == (2, 4)
    rows = rows_of(out)
    assert list(rows) == ["a", "b", "c", "d"]
    assert [rows["a"], rows["b"]] == kept
    assert not partial.exists()


def test_a_finished_sweep_takes_new_lines_and_keeps_the_rest(lines, tmp_path, vocabulary):
    out = tmp_path / "out.parquet"
    sweep(lines(case("a"), case("b")), out, vocabulary=vocabulary, workers=1, quiet=True)
    before = rows_of(out)
    summary = sweep(lines(case("c"), case("b")), out, vocabulary=vocabulary, workers=1, quiet=True)
    after = rows_of(out)
    assert summary.n_new == 1
    assert list(after) == ["c", "b", "a"]  # what the input lacks comes last
    assert {**after["b"], "line": 2} == before["b"] == after["b"]
    assert (after["c"]["line"], after["a"]["line"]) == (1, 0)
    again = sweep(lines(case("c")), out, vocabulary=vocabulary, workers=1, quiet=True, fresh=True)
    assert (again.n_new, again.n_rows) == (1, 1)


def test_rows_of_other_settings_are_not_mixed(tmp_path):
    for suffix in (".jsonl", ".parquet"):
        out = tmp_path / f"out{suffix}"
        with Journal(out, SweepOptions()) as journal:
            journal.add({**empty_row("a", 1, "compiled"), "settings": SweepOptions().fingerprint})
        with pytest.raises(ArgumentError, match="other settings"):
            Journal(out, SweepOptions(seconds=5))
        with Journal(out, SweepOptions()) as journal:
            journal.finish({})
        with pytest.raises(ArgumentError, match="other settings"):
            Journal(out, SweepOptions(seconds=5))
        assert [row["id"] for row in read_rows(out)] == ["a"]
        with Journal(out, SweepOptions(seconds=5), fresh=True) as journal:
            assert "a" not in journal


def test_an_interrupt_keeps_the_rows_and_leaves_no_process(lines, tmp_path, vocabulary, monkeypatch):
    from xg2lab.integrations.sweep import sweeping

    started = []
    real = sweeping.RowWorker

    class Watched(real):
        def start(self):
            super().start()
            started.append(self.pid)

    monkeypatch.setattr(sweeping, "RowWorker", Watched)

    class Interrupted(Journal):
        def add(self, row):
            super().add(row)
            raise KeyboardInterrupt

    monkeypatch.setattr(sweeping, "Journal", Interrupted)
    out = tmp_path / "out.jsonl"
    with pytest.raises(KeyboardInterrupt):
        sweep(lines(*(case(f"{k}") for k in range(9))), out, vocabulary=vocabulary, workers=1, quiet=True)
    assert len(list(read_rows(tmp_path / "out.jsonl.partial"))) == 1
    assert not out.exists()
    for pid in started:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_mistakes_of_the_call_are_errors_before_any_row(lines, tmp_path, vocabulary):
    source = lines(case("a"))
    for given, said in (
        ({"workers": 0}, "workers=0 is not between 1 and 1,024"),
        ({"engines": ["nobody"]}, "there is no engine of this name"),
        ({"vocabulary": str(tmp_path / "none.json")}, "can't be read"),
    ):
        with pytest.raises(ArgumentError) as caught:
            sweep(source, tmp_path / "out.jsonl", quiet=True, **{"workers": 1, "vocabulary": vocabulary, **given})
        assert said in caught.value.message
    torn = tmp_path / "torn.jsonl.xz"
    torn.write_bytes(lzma.compress(source.read_bytes())[:-9])
    with pytest.raises(DeserializeFormatError, match="is damaged after line"):
        sweep(torn, tmp_path / "out.jsonl", vocabulary=vocabulary, quiet=True)
    with pytest.raises(ArgumentError, match=r"neither \.jsonl nor \.parquet"):
        sweep(source, tmp_path / "out.csv", vocabulary=vocabulary, quiet=True)
    with pytest.raises(ArgumentError, match=r"out\.jsonl: No such file"):
        sweep(source, tmp_path / "none" / "out.jsonl", vocabulary=vocabulary, quiet=True)


def test_importing_sweeps_and_the_command_line_is_light():
    code = "import sys, xg2lab.cli, xg2lab.integrations.sweep; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    heavy = {"torch", "transformers", "pydantic", "pyarrow", "ray", "tqdm", "jsonschema", "xg2lab.lab"}
    assert not heavy & {*loaded.split()}


def test_a_sweep_without_tqdm_and_pyarrow(lines, tmp_path, vocabulary, monkeypatch):
    for name in ("tqdm", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    source = lines(case("a"))
    with pytest.raises(ArgumentError, match="Parquet needs pyarrow"):
        sweep(source, tmp_path / "out.parquet", vocabulary=vocabulary, workers=1)
    assert sweep(source, tmp_path / "out.jsonl", vocabulary=vocabulary, workers=1).n_rows == 1


def test_files_that_are_no_results_are_refused(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"a": [1]}), tmp_path / "other.parquet")
    (tmp_path / "torn.parquet").write_bytes(b"PAR1 and no more")
    (tmp_path / "other.jsonl").write_text('{"a": 1}\n')
    (tmp_path / "no.jsonl").write_bytes(b"\xff\n")
    for name in ("other.parquet", "torn.parquet", "other.jsonl", "no.jsonl"):
        with pytest.raises(DeserializeFormatError, match="is no result of a sweep"):
            list(read_rows(tmp_path / name))
    (tmp_path / "out.jsonl.partial").write_text('{"a": 1}\n')
    with pytest.raises(ArgumentError, match="is no journal of a sweep"):
        Journal(tmp_path / "out.jsonl", SweepOptions())


def test_the_summary_counts_what_the_rows_say():
    row = empty_row("a", 1, "compiled")
    row["generated"] = {"text": "1", "n_tokens": 1, "end": "stop", "is_valid": "yes", "is_expected": "no", "why": ""}
    summary = summarize([row, {**row, "generated": {**row["generated"], "end": "length", "is_valid": ""}}])
    assert str(summary).endswith("generated 2: 1 whole, 1 of 1 judged valid, 0 of 2 as expected")
    assert json.loads(json.dumps(summary.to_wire()))["generated"]["stop"] == 1
