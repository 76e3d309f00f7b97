"""The recorder: which flights are written, what is in a file, bounds, threads, forks, and failures that stay inside."""

from __future__ import annotations

import gc
import os
import stat
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import xg2lab as xgr
from xg2lab.errors import ArgumentError
from xg2lab.flight import FlightGrammar, FlightRecord, FlightRecorder, fingerprint
from xg2lab.flight import recorder as recorder_module
from xg2lab.flight.folder import FlightFolder, flight_name

INFO = xgr.TokenizerInfo(["[", "]", "7", "0", "x", "</s>"], stop_token_ids=[5])
GRAMMAR = FlightGrammar("ebnf", 'root ::= "[" [0-9]+ "]"')


def recorder_in(folder, when="always", **settings) -> FlightRecorder:
    return FlightRecorder(folder / "flights", when, **settings)


def fly(recorder: FlightRecorder, name="one", *, ids=(0, 2), refused=None, end="stop", ns=1_000, **facts):
    flight = recorder.begin(name, facts.pop("grammar", GRAMMAR), INFO, **facts)
    for token_id in ids:
        flight.masked(ns)
        flight.accepted([token_id])
    if refused is not None:
        flight.refused(refused)
    flight.end(end)
    return flight


def records(recorder: FlightRecorder) -> list[FlightRecord]:
    recorder.flush()
    return [FlightRecord.load(path) for path in recorder.files()]


# ---- Which flights are written ----


FLIGHTS = {
    "well": {"end": "stop"},
    "refused": {"refused": 4, "end": "refused"},
    "refused and ended otherwise": {"refused": 4, "end": "aborted"},
    "error": {"end": "error"},
    "slow": {"end": "stop", "ns": 21_000_000},
}


@pytest.mark.parametrize(
    ("when", "written"),
    [
        ("off", []),
        ("refusal", ["refused", "refused and ended otherwise", "error"]),
        ("slow", ["slow"]),
        ("always", list(FLIGHTS)),
    ],
)
def test_a_policy_chooses_what_is_written(tmp_path, when, written):
    with recorder_in(tmp_path, when, slow_ms=20.0) as recorder:
        for name, facts in FLIGHTS.items():
            fly(recorder, name, **facts)
        found = records(recorder)
    assert [record.request_id for record in found] == written
    assert {record.why for record in found} <= {when}
    assert recorder.statistics().n_written == len(written)


def test_without_a_flight_to_write_no_folder_is_made(tmp_path):
    with recorder_in(tmp_path, "refusal") as recorder:
        fly(recorder)
    assert not (tmp_path / "flights").exists()


def test_a_recorder_that_is_off_records_nothing(tmp_path):
    recorder = recorder_in(tmp_path, "off")
    flight = fly(recorder, refused=4, end="refused")
    assert not flight.is_recorded
    assert recorder.statistics().n_begun == 0
    with pytest.raises(ArgumentError, match="the recorder is off"):
        flight.record()


# ---- What is in a file ----


def test_a_file_has_the_request_its_grammar_and_its_times(tmp_path):
    with recorder_in(tmp_path, outputs="keep", prompts="keep") as recorder:
        flight = recorder.begin(
            "chatcmpl-7", GRAMMAR, INFO, engine="xg2lab", host="vllm", model="m", prompt_ids=[3, 2],
            engine_options=xgr.EngineOptions(parser="pda"),
        )  # fmt: skip
        for ns, ids in ((5_000, [0]), (2_500, [2, 3, 3])):
            flight.masked(ns)
            flight.accepted(ids)
        flight.rolled_back(2)
        flight.masked(1_500_000)
        flight.refused(4)
        flight.end("refused")
        (record,) = records(recorder)
    assert (record.request_id, record.host, record.model, record.end) == ("chatcmpl-7", "vllm", "m", "refused")
    assert record.grammar == GRAMMAR
    assert record.engine_options == {"parser": "pda"}
    assert record.versions["xg2lab"] == xgr.__version__
    assert record.tokenizer.fingerprint == fingerprint(INFO)
    assert (record.prompt_ids, record.output_ids, record.outputs) == ((3, 2), (0, 2), "kept")
    assert (record.refused.step, record.refused.token_id) == (2, 4)
    assert (record.rollbacks, record.n_rollbacks) == (((4, 2),), 1)
    assert (record.times.steps, record.times.us) == ((0, 1, 2), (5.0, 2.5, 1500.0))
    assert (record.times.count, record.times.max_us, record.times.slowest[0]) == (3, 1500.0, (2, 1500.0))


def test_prompts_and_free_text_are_left_out_if_nothing_is_said(tmp_path):
    with recorder_in(tmp_path) as recorder:
        fly(recorder, prompt_ids=[4, 4], refused=4, end="refused")
        (record,) = records(recorder)
    assert record.prompt_ids is None
    assert (record.outputs, record.output_ids, record.n_replaced) == ("redacted", (0, 3), 1)


def test_a_grammar_that_cannot_be_compiled_leaves_no_output(tmp_path, caplog):
    with recorder_in(tmp_path) as recorder:
        fly(recorder, refused=4, end="refused", grammar=FlightGrammar("ebnf", "root ::= none"), engine="another")
        (record,) = records(recorder)
    assert (record.outputs, record.output_ids, record.n_output) == ("withheld", None, 2)
    assert (record.refused.step, record.refused.token_id) == (2, None)
    assert "is withheld" in caplog.text


def test_a_grammar_that_comes_compiled_is_written_as_it_is(tmp_path):
    compiled = xgr.GrammarCompiler(INFO).compile_grammar(GRAMMAR.text)
    with recorder_in(tmp_path) as recorder:
        recorder.begin_compiled("one", compiled, host="hf").end("stop")
        (record,) = records(recorder)
    assert record.grammar.kind == "compiled"
    again = record.grammar.compile(xgr.GrammarCompiler(INFO))
    assert again.grammar.source == GRAMMAR.text


def test_a_running_request_has_a_record_too():
    recorder = FlightRecorder(None, "always", outputs="keep")
    flight = recorder.begin("one", GRAMMAR, INFO)
    flight.accepted([0])
    assert (flight.record().output_ids, flight.record().end) == ((0,), None)
    assert FlightRecord.from_json(flight.record().to_json()) == flight.record()
    flight.end("length")
    assert flight.record().end == "length"
    redacting = FlightRecorder(None, "always").begin("one", GRAMMAR, INFO)
    redacting.accepted([0, 2])
    assert redacting.record().output_ids == (0, 3)


def test_the_first_refusal_counts_unless_its_step_is_taken_back():
    flight = FlightRecorder(None, "always", outputs="keep").begin("one", GRAMMAR, INFO)
    flight.accepted([0, 2])
    flight.refused(4)
    flight.refused(0)
    assert flight.record().refused.token_id == 4
    flight.rolled_back(1)
    assert flight.record().refused is None
    flight.rolled_back(0)
    flight.rolled_back(9)
    record = flight.record()
    assert (record.output_ids, record.rollbacks, record.n_rollbacks) == ((), ((2, 1), (1, 1)), 2)


def test_ids_that_no_vocabulary_has_are_recorded_within_bounds(tmp_path):
    with recorder_in(tmp_path, outputs="keep") as recorder:
        fly(recorder, ids=(1 << 80, -5), refused=-(1 << 80), end="refused")
        (record,) = records(recorder)
    assert record.output_ids == ((1 << 31) - 1, -5)
    assert record.refused.token_id == -(1 << 31)


def test_a_long_flight_keeps_the_sums_of_all_its_masks(monkeypatch):
    monkeypatch.setattr(recorder_module, "_MOST_TIMES", 4)
    flight = FlightRecorder(None, "always", outputs="keep").begin("one", GRAMMAR, INFO)
    for number in range(1, 11):
        flight.masked(1000 * number)
        flight.accepted([2])
    times = flight.record().times
    assert (times.count, times.total_us, times.max_us) == (10, 55.0, 10.0)
    assert times.us == (1.0, 2.0, 3.0, 4.0)
    assert times.slowest[0] == (9, 10.0)


def test_a_flight_ends_once_and_by_a_known_reason(tmp_path):
    with recorder_in(tmp_path) as recorder:
        flight = recorder.begin("one", GRAMMAR, INFO)
        with pytest.raises(ArgumentError, match="can't end with 'done'") as caught:
            flight.end("done")
        assert caught.value.hint == "choose one of stop, length, refused, aborted, error"
        flight.end("stop")
        flight.end("error")
        assert [record.end for record in records(recorder)] == ["stop"]


def test_a_flight_that_is_dropped_ends_as_aborted(tmp_path):
    with recorder_in(tmp_path) as recorder:
        flight = recorder.begin("one", GRAMMAR, INFO)
        flight.accepted([0])
        del flight
        gc.collect()
        assert [record.end for record in records(recorder)] == ["aborted"]


# ---- Files and their bounds ----


def test_only_the_owner_may_read_a_file(tmp_path):
    with recorder_in(tmp_path) as recorder:
        fly(recorder)
        recorder.flush()
        folder = tmp_path / "flights"
        assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_request_id_is_made_a_safe_name(tmp_path):
    with recorder_in(tmp_path) as recorder:
        fly(recorder, "../../etc/passwd\0 ü" + "a" * 300)
        assert records(recorder)[0].request_id.startswith("../../etc/passwd")
        (path,) = recorder.files()
        assert path.parent == tmp_path / "flights"
        assert "-.._.._etc_passwd_a" in path.name
        assert len(path.name) < 120


def test_the_tokenizer_is_stored_once_and_by_its_fingerprint(tmp_path):
    with recorder_in(tmp_path) as recorder:
        fly(recorder, "one")
        fly(recorder, "two")
        recorder.flush()
    names = [path.name for path in (tmp_path / "flights").iterdir() if path.name.startswith("tokenizer")]
    assert names == [f"tokenizer-{fingerprint(INFO)}.json.gz"]


def test_with_fingerprints_alone_no_tokenizer_is_stored(tmp_path):
    with recorder_in(tmp_path, tokenizer="fingerprint") as recorder:
        fly(recorder)
    assert all(path.suffix == ".xgflight" for path in (tmp_path / "flights").iterdir())


def test_the_oldest_flights_make_room_and_other_files_stay(tmp_path):
    folder = tmp_path / "flights"
    folder.mkdir()
    kept = ["case.xgflight", "flight-of-mine.xgflight", "notes.txt", "flight-1-2-3.xgflight"]
    for name in kept:
        (folder / name).write_text("mine", encoding="utf-8")
    (folder / "flight-20200101T000000.000000Z-1-000001-folder.xgflight").mkdir()
    (folder / "flight-20200101T000000.000000Z-1-000002-link.xgflight").symlink_to(folder / "notes.txt")
    with recorder_in(tmp_path, max_files=3) as recorder:
        for number in range(5):
            fly(recorder, f"r{number}")
        assert [record.request_id for record in records(recorder)] == ["r2", "r3", "r4"]
        assert recorder.statistics().n_removed == 2
    assert all((folder / name).read_text(encoding="utf-8") == "mine" for name in kept)
    assert (folder / "flight-20200101T000000.000000Z-1-000001-folder.xgflight").is_dir()
    assert (folder / "flight-20200101T000000.000000Z-1-000002-link.xgflight").is_symlink()


def test_the_folder_stays_within_its_bytes(tmp_path):
    with recorder_in(tmp_path, max_bytes=8000) as recorder:
        for number in range(30):
            fly(recorder, f"r{number}")
        recorder.flush()
        names = [record.request_id for record in records(recorder)]
        taken = sum(path.stat().st_size for path in (tmp_path / "flights").iterdir())
    assert taken <= 8000
    assert names == [f"r{number}" for number in range(30 - len(names), 30)]
    assert 1 < len(names) < 30


def test_a_large_flight_goes_without_its_times_then_without_its_prompt_then_not_at_all(tmp_path, caplog):
    def size_of(name, **facts):
        with FlightRecorder(tmp_path / name, "always", outputs="keep", prompts="keep", **facts) as recorder:
            fly(recorder, ids=[2] * 500, prompt_ids=[*range(3000)])
            found = records(recorder)
            return found[0] if found else recorder.statistics()

    whole = len(size_of("all").packed())
    assert size_of("times", max_file_bytes=whole - 100).times.steps == ()
    assert size_of("times", max_file_bytes=whole - 100).times.count == 500
    assert size_of("prompt", max_file_bytes=whole // 3).prompt_ids is None
    lost = size_of("none", max_file_bytes=100)
    assert (lost.n_written, lost.n_lost) == (0, 1)
    assert "would have more than 100 bytes" in lost.last_error
    assert "a flight is lost" in caplog.text


def test_parts_of_killed_processes_are_removed_when_they_are_old(tmp_path):
    folder = tmp_path / "flights"
    folder.mkdir()
    old, new, other = (folder / name for name in (".flight-1.0.part", ".flight-2.0.part", ".mine.part"))
    for path in (old, new, other):
        path.write_bytes(b"")
    for path in (old, other):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    with recorder_in(tmp_path) as recorder:
        fly(recorder)
    assert [path.exists() for path in (old, new, other)] == [False, True, True]


def test_a_link_in_the_place_of_a_file_is_not_followed(tmp_path):
    secret, folder = tmp_path / "secret", tmp_path / "flights"
    secret.write_text("mine", encoding="utf-8")
    folder.mkdir()
    name = flight_name(1_700_000_000.0, 1, 1, "one")
    (folder / name).symlink_to(secret)
    FlightFolder(folder, max_files=9, max_bytes=1 << 20).write(name, b"data")
    assert secret.read_text(encoding="utf-8") == "mine"
    assert (folder / name).read_bytes() == b"data"
    assert not (folder / name).is_symlink()


# ---- What goes wrong stays inside ----


def test_a_folder_that_cannot_be_written_loses_the_flight_and_nothing_else(tmp_path, caplog):
    (tmp_path / "flights").write_text("a file", encoding="utf-8")
    with recorder_in(tmp_path) as recorder:
        fly(recorder, "one")
        recorder.flush()
        assert recorder.statistics().n_lost == 1
        assert "FileExistsError" in recorder.statistics().last_error
        (tmp_path / "flights").unlink()
        fly(recorder, "two")
        (record,) = records(recorder)
    assert (record.request_id, record.n_lost) == ("two", 1)
    assert "a flight is lost" in caplog.text


def test_a_full_queue_loses_flights_and_says_so(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(recorder_module, "_MOST_WAITING", 2)
    at_work, go_on = threading.Event(), threading.Event()
    write = FlightFolder.write

    def slow_write(self, name, data):
        at_work.set()
        assert go_on.wait(60)
        return write(self, name, data)

    monkeypatch.setattr(FlightFolder, "write", slow_write)
    with recorder_in(tmp_path) as recorder:
        fly(recorder, "r0")
        assert at_work.wait(60)  # the writer has taken the first one
        for number in range(1, 5):
            fly(recorder, f"r{number}")
        assert recorder.statistics().n_lost == 2
        go_on.set()
        found = records(recorder)
        assert [record.request_id for record in found] == ["r0", "r1", "r2"]
        fly(recorder, "r5")
        assert sum(record.n_lost for record in records(recorder)) == 2
    assert caplog.text.count("flights wait for the writer") == 2


def test_what_a_host_passes_by_mistake_costs_the_flight_alone(tmp_path, caplog):
    with recorder_in(tmp_path) as recorder:
        fly(recorder, "one", ids=["a"])
        fly(recorder, "two")
        assert [record.request_id for record in records(recorder)] == ["two"]
        assert recorder.statistics().n_lost == 1
    assert "ValueError" in caplog.text


# ---- Threads, forks, ends ----


def test_many_threads_write_each_its_flight(tmp_path):
    with recorder_in(tmp_path, max_files=1000) as recorder:
        with ThreadPoolExecutor(16) as pool:
            list(pool.map(lambda number: fly(recorder, f"r{number}"), range(100)))
        names = {record.request_id for record in records(recorder)}
        assert names == {f"r{number}" for number in range(100)}
        assert (recorder.statistics().n_begun, recorder.statistics().n_lost) == (100, 0)


def test_a_record_is_whole_while_another_thread_writes_the_flight(monkeypatch):
    monkeypatch.setattr(recorder_module, "_MOST_TIMES", 64)  # so that times are summed up now and then
    flight = FlightRecorder(None, "always", outputs="keep").begin("one", GRAMMAR, INFO)
    is_over = threading.Event()

    def decode() -> None:
        while not is_over.is_set():
            flight.masked(1_000)
            flight.accepted([2, 3, 2])
            flight.rolled_back(3)

    thread = threading.Thread(target=decode)
    thread.start()
    try:
        seen = [FlightRecord.from_json(flight.record().to_json()) for _ in range(50)]
    finally:
        is_over.set()
        thread.join()
    assert all(set(record.output_ids) <= {2, 3} and record.times.max_us in (0.0, 1.0) for record in seen)


def test_a_closed_recorder_begins_a_new_thread(tmp_path):
    before = set(threading.enumerate())
    recorder = recorder_in(tmp_path)
    for number in range(3):
        fly(recorder, f"r{number}")
        recorder.close()
    recorder.close()
    assert len(recorder.files()) == 3
    assert set(threading.enumerate()) <= before


def test_a_recorder_that_is_dropped_writes_what_it_has_and_ends_its_thread(tmp_path):
    before = set(threading.enumerate())
    recorder = recorder_in(tmp_path)
    fly(recorder)
    (thread,) = set(threading.enumerate()) - before
    assert thread.name == "xg2lab-flight-writer"
    del recorder
    gc.collect()
    thread.join(60)
    assert not thread.is_alive()
    assert len(recorder_in(tmp_path).files()) == 1


COMMON = """
import os, sys
import xg2lab as xgr
from xg2lab.flight import FlightGrammar, FlightRecord, FlightRecorder

info = xgr.TokenizerInfo(["[", "]", "7", "0", "x", "</s>"], stop_token_ids=[5])
grammar = FlightGrammar("ebnf", 'root ::= "[" [0-9]+ "]"')
recorder = FlightRecorder(sys.argv[1], "always")

def fly(name):
    flight = recorder.begin(name, grammar, info)
    flight.accepted([0, 2])
    flight.end("stop")

def names():
    recorder.flush()
    return sorted(FlightRecord.load(path).request_id for path in recorder.files())
"""


def run(script: str, folder) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", COMMON + textwrap.dedent(script), str(folder)],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    assert done.stderr == ""
    return done.stdout


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


@needs_fork
def test_a_child_process_writes_its_own_flights_and_not_its_parents(tmp_path):
    script = """
        fly("parent 1")
        running = recorder.begin("parent 2", grammar, info)
        recorder.flush()
        child = os.fork()
        if child == 0:
            fly("child 1")
            recorder.close()
            assert recorder.statistics().n_written == 1, recorder.statistics()
            del running
            sys.exit(0)
        assert os.waitpid(child, 0)[1] == 0
        assert names() == ["child 1", "parent 1"], names()
        running.end("stop")
        print(*names(), sep=",")
        pids = {path.name.split("-")[2] for path in recorder.files()}
        assert pids == {str(os.getpid()), str(child)}, pids
    """
    assert run(script, tmp_path) == "child 1,parent 1,parent 2\n"


@needs_fork
def test_a_fork_while_flights_are_written_hangs_no_one(tmp_path):
    script = """
        for number in range(20):
            fly(f"parent {number:02d}")
            child = os.fork()
            if child == 0:
                fly(f"child {number:02d}")
                recorder.close()
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
        assert len(names()) == 40, names()
    """
    assert run(script, tmp_path) == ""


def test_an_interpreter_that_ends_writes_what_is_in_the_queue(tmp_path):
    run('for number in range(20): fly(f"r{number:02d}")', tmp_path)
    assert len(FlightRecorder(tmp_path).files()) == 20


def test_an_interpreter_that_ends_with_a_running_flight_says_nothing(tmp_path):
    script = """
        running = recorder.begin("one", grammar, info)
        running.accepted([0, 2])
        fly("two")
    """
    assert run(script, tmp_path) == ""
    assert "two" in {FlightRecord.load(path).request_id for path in FlightRecorder(tmp_path).files()}


def test_the_package_is_light(tmp_path):
    heavy = "{'torch', 'transformers', 'pydantic', 'fastapi', 'ray', 'vllm', 'xg2lab.lab', 'xg2lab.widgets'}"
    assert run(f"print(sorted({heavy} & set(sys.modules)))", tmp_path) == "[]\n"


# ---- Settings ----


def test_the_environment_gives_every_setting(tmp_path):
    recorder = FlightRecorder.from_environment(
        {
            "XG2LAB_FLIGHT": "slow",
            "XG2LAB_FLIGHT_DIR": str(tmp_path),
            "XG2LAB_FLIGHT_SLOW_MS": "2.5",
            "XG2LAB_FLIGHT_PROMPTS": "keep",
            "XG2LAB_FLIGHT_OUTPUTS": "keep",
            "XG2LAB_FLIGHT_TOKENIZER": "fingerprint",
            "XG2LAB_FLIGHT_MAX_FILES": "7",
            "XG2LAB_FLIGHT_MAX_BYTES": "70000",
            "XG2LAB_FLIGHT_MAX_FILE_BYTES": "7000",
            "PATH": "/bin",
        }
    )
    assert recorder.settings == FlightRecorder(
        tmp_path, "slow", 2.5, max_files=7, max_bytes=70000, max_file_bytes=7000, prompts="keep", outputs="keep",
        tokenizer="fingerprint",
    ).settings  # fmt: skip


def test_without_variables_nothing_is_recorded(monkeypatch):
    for name in [name for name in os.environ if name.startswith("XG2LAB_FLIGHT")]:
        monkeypatch.delenv(name)
    assert not FlightRecorder.from_environment().is_on
    assert not FlightRecorder.from_environment({"XG2LAB_FLIGHT": ""}).is_on
    monkeypatch.setenv("XG2LAB_FLIGHT", "refusal")
    assert FlightRecorder.from_environment().settings.when == "refusal"


@pytest.mark.parametrize(
    ("name", "value", "hint"),
    [
        ("XG2LAB_FLIGHT", "on", "choose one of off, refusal, slow, always"),
        ("XG2LAB_FLIGHT_PROMPTS", "yes", "choose one of omit, keep"),
        ("XG2LAB_FLIGHT_OUTPUTS", "raw", "choose one of redact, keep"),
        ("XG2LAB_FLIGHT_TOKENIZER", "all", "choose one of store, fingerprint"),
        ("XG2LAB_FLIGHT_SLOW_MS", "fast", "give milliseconds above 0, as 20"),
        ("XG2LAB_FLIGHT_SLOW_MS", "nan", "give milliseconds above 0, as 20"),
        ("XG2LAB_FLIGHT_SLOW_MS", "-1", "give milliseconds above 0, as 20"),
        ("XG2LAB_FLIGHT_MAX_FILES", "0", "give a whole number, at least 1"),
        ("XG2LAB_FLIGHT_MAX_BYTES", "1e9", "give a whole number, at least 1"),
        ("XG2LAB_FLIGHT_MAX_BYTES", "9" * 30, "give a whole number, at least 1"),
        ("XG2LAB_FLIGHT_OUTPUT", "keep", "did you mean XG2LAB_FLIGHT_OUTPUTS?"),
    ],
)
def test_a_value_that_is_no_choice_is_refused_with_the_choices(name, value, hint):
    with pytest.raises(ArgumentError) as caught:
        FlightRecorder.from_environment({name: value})
    assert name in caught.value.message
    assert caught.value.hint == hint


@pytest.mark.parametrize(
    "settings",
    [
        {"when": None},
        {"slow_ms": True},
        {"slow_ms": 0},
        {"slow_ms": "5"},
        {"slow_ms": float("nan")},
        {"max_files": 0},
        {"max_bytes": 1.5},
        {"max_file_bytes": -1},
        {"prompts": "redact"},
        {"outputs": "omit"},
        {"tokenizer": True},
    ],
)
def test_a_setting_out_of_range_is_refused_by_name(tmp_path, settings):
    with pytest.raises(ArgumentError) as caught:
        FlightRecorder(tmp_path, **settings)
    assert next(iter(settings)) in caught.value.message


def test_begin_checks_what_it_is_given(tmp_path):
    recorder = recorder_in(tmp_path)
    with pytest.raises(ArgumentError, match="grammar is a str"):
        recorder.begin("one", 'root ::= "a"', INFO)
    with pytest.raises(ArgumentError, match="request_id is an int"):
        recorder.begin(7, GRAMMAR, INFO)
