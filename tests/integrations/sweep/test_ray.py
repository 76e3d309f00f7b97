"""A sweep on a local Ray: the rows of the processes, and none lost when an actor is killed half way."""

import os
import signal
import threading
from pathlib import Path

import pytest

from tests.integrations.sweep import fakes
from tests.integrations.sweep.fakes import place
from xg2lab.errors import ArgumentError
from xg2lab.integrations.sweep import read_rows, sweep

STABLE = ("id", "line", "name", "verdict", "message", "n_instances", "command")


def stable(path):
    return [{key: row[key] for key in STABLE} for row in read_rows(path)]


def test_without_ray_the_error_names_the_extra(lines, tmp_path, vocabulary, monkeypatch):
    from xg2lab.integrations.sweep import on_ray

    def missing(name):
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setattr(on_ray, "import_module", missing)
    with pytest.raises(ArgumentError, match=r"pip install xg2lab\[ray\]"):
        sweep(lines({}), tmp_path / "out.jsonl", vocabulary=vocabulary, ray=True, quiet=True)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_an_actor_that_is_killed_half_way_loses_no_row(lines, tmp_path, vocabulary):
    pytest.importorskip("ray")
    # Each process of an actor stops at this schema until the gate is there. Then one actor is killed.
    gate = tmp_path / "gate"
    cases = [{"id": f"{k}", "schema": {"title": f"{k}", "type": "integer"}, "valid": [k]} for k in range(150)]
    cases[70]["schema"]["title"] = f"gate:{gate}"
    cases[20]["schema"]["title"] = "crash"
    source = lines(*cases)
    options = {"what": ["audit"], "engines": ["xg2lab", place(fakes.Gated), place(fakes.Crashing)]}
    options |= {"vocabulary": vocabulary, "quiet": True}
    partial = tmp_path / "ray.parquet.partial"
    killed = []

    def kill_an_actor():
        while not partial.exists() or partial.read_bytes().count(b"\n") < 2:
            if finished.wait(0.05):
                return
        killed.extend(_kill_actors())
        gate.touch()

    finished = threading.Event()
    killer = threading.Thread(target=kill_an_actor)
    killer.start()
    try:
        summary = sweep(source, tmp_path / "ray.parquet", workers=2, ray=True, **options)
    finally:
        finished.set()
        killer.join()
    assert killed
    assert (summary.n_rows, summary.verdicts) == (150, {"compiled": 150})
    crashing = [row["engines"][2]["verdict"] for row in read_rows(tmp_path / "ray.parquet")]
    assert [k for k, verdict in enumerate(crashing) if verdict != "compiled"] == [20]
    sweep(source, tmp_path / "processes.parquet", workers=2, **options)
    assert stable(tmp_path / "ray.parquet") == stable(tmp_path / "processes.parquet")


def _kill_actors():
    """Kill the process of one actor of this test's Ray, and return its id: it has a child that does rows."""
    parents = {}
    names = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                stat = (folder / "stat").read_text()
                names[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            parents[int(folder.name)] = int(stat.rpartition(")")[2].split()[1])

    def is_ours(pid):
        while pid and pid != os.getpid():
            pid = parents.get(pid, 0)
        return pid == os.getpid()

    children = [pid for pid, name in names.items() if "xg2lab.integrations.sweep.child" in name and is_ours(pid)]
    actors = sorted({parents[pid] for pid in children} - {os.getpid()})[:1]
    for pid in actors:
        os.kill(pid, signal.SIGKILL)
    return actors
