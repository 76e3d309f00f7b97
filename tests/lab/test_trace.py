"""The trace: it grows, keeps what was taken back, survives a file, and refuses what is not a trace."""

from __future__ import annotations

import json
from typing import get_args

import numpy as np
import pytest

from xg2lab.errors import DeserializeFormatError, DeserializeVersionError, SessionError, UnsupportedError
from xg2lab.lab import Step, Trace
from xg2lab.lab.schema.parts import CacheClass
from xg2lab.lab.trace.bulk import Bulk
from xg2lab.lab.trace.lanes import Lanes
from xg2lab.lab.trace.steps import Candidate
from xg2lab.lab.trace.trace import header

PROGRAM = {
    "root": 0,
    "rules": [{"id": 0, "name": "root", "span": [0, 9], "line": 1, "start": 0, "states": [0, 2], "nullable": False}],
    "states": [
        {"id": i, "rule": 0, "accepting": i == 1, "scannable": True, "before": "", "after": "", "spans": [[9, 12]]}
        for i in range(2)
    ],
    "edges": [{"from": 0, "to": 1, "kind": "bytes", "label": '"a"', "ranges": [[97, 97]], "rule": None, "spans": []}],
}
MAY_BE_MISSING = {
    *(("", name) for name in ("version", "bulk")),
    *(
        ("/header", name)
        for name in ("overlap", "compile_lane", "compile_passes", "template", "messages", "most_tokens")
    ),
    *(("/steps/0", name) for name in ("n_adapted", "way", "pool", "stacks", "operators", "lanes", "temperature")),
}
ENTRY = {
    "state": 0, "rule": 0, "storage": "bitset", "n_accepted": 1, "n_rejected": 2, "n_uncertain": 0, "size_bytes": 8,
    "build_us": 1.5, "hits": 0,
}  # fmt: skip
WHY = {
    "token_id": 3, "bytes": "78", "text": "x", "allowed": False, "mechanism": "rejected_by_cache",
    "reason": "byte 0 is not expected", "died_at": 0, "walk": [{"byte": 120, "alive": False, "items": []}],
    "expected": [[97, 97]], "expected_text": '"a"', "expected_by": [], "entry": None,
}  # fmt: skip


def decided(index, text, begin):
    return Step(
        index=index,
        kind="sampled",
        token_id=index,
        text=text,
        bytes=text.encode().hex(),
        byte_begin=begin,
        n_bytes=len(text.encode()),
        p=0.5,
        q=1.0,
        rank=1,
        z=0.5,
        kl=0.693,
        n_allowed=2,
        mask_us=1.25,
        lanes=Lanes(model=(10, 900), mask=(20, 1000), apply=(1010, 1020), sample=(2000, 2001)),
        top=(Candidate(0, "a", 0.5, 1.0, 1), Candidate(1, "é", 0.25, 0.0, None)),
        entries=[ENTRY],
        live=[{"state": 0, "rule": 0, "origin": 0}],
        explain={3: WHY},
    )


@pytest.fixture
def trace():
    """Three decisions, a pending one, a branch, a chart, bulk for one step."""
    trace = Trace({**header("t", vocab_size=4), "prompt": "say é"}, PROGRAM)
    begin = 0
    for index, text in enumerate(["a", "é", "bc"]):
        trace.begin(Step(index=index, byte_begin=begin))
        trace.decide(decided(index, text, begin))
        begin += len(text.encode())
    trace.begin(Step(index=3, byte_begin=begin))
    trace.columns = [[[0, 0, 0, -1, -1, -1, -1]] for _ in range(begin + 1)]
    trace.bulk.put(0, Bulk.of(4, np.arange(4, dtype=np.uint8), None))
    trace.bulk.put(2, Bulk.of(4, None, np.arange(4, dtype=np.uint8)))
    trace.note("a note")
    return trace


def test_it_survives_the_wire_and_json(trace):
    trace.roll_back(1)
    again = Trace.from_wire(json.loads(json.dumps(trace.to_wire(), allow_nan=False)))
    assert again == trace
    assert again.branches[0].steps == (decided(1, "é", 1), decided(2, "bc", 3))
    assert again.bulk.get(0).provenance.tolist() == [0, 1, 2, 3]
    assert again.to_wire() == trace.to_wire()


@pytest.mark.parametrize("name", ["t.json", "t.json.gz"])
def test_it_survives_a_file(trace, tmp_path, name):
    path = trace.save(tmp_path / name)
    assert Trace.load(path) == trace
    assert [p.name for p in tmp_path.iterdir()] == [name]
    assert Trace.load(trace.save(path, bulk=False)).bulk.items() == []


SEVERAL = [[1, 0, 2, 3, 0, 0, 1, 0], [3, 0, 9, 2, 2, 0, -1, -1, 3, 1, 0, -1, -1]]


def test_ways_are_told_where_there_are_several_and_go_with_their_columns(trace):
    assert "ways" not in trace.to_wire()["chart"], "a trace without them grows by nothing"
    assert Trace.from_wire(trace.to_wire()).ways == [], "older traces have none"
    trace.ways = SEVERAL
    assert trace.ways_from(2) == SEVERAL[1:]
    assert Trace.from_wire(json.loads(json.dumps(trace.to_wire()))).ways == SEVERAL
    trace.roll_back(1)
    assert trace.ways == SEVERAL[:1]


@pytest.mark.parametrize(
    ("row", "pointer"),
    [
        ([1, 0, 1], "0"), ([1, 0, 1, 3, 0, 0, 1], "0"), ([9, 0, 1, 3, 0, 0, 1, 0], "0"),
        ([1, 7, 1, 3, 0, 0, 1, 0], "0"),
        ([1, 0, 0, 3, 0, 0, 1, 0], "0/2"), ([1, 0, 1, 3, 2, 0, 1, 0], "0/4"), ([1, 0, 1, 3, 0, 9, 1, 0], "0/4"),
        ([1, 0, 1, 3, 0, 0, 0, 0], "0/6"), ([1, 0, 1, 3, 0, 0, 1, 5], "0/6"), ([1, 0, 1, 3, 0, 0, 1, 5.5], "0/7"),
    ],
)  # fmt: skip
def test_ways_of_items_that_are_not_there_are_refused(trace, row, pointer):
    wire = trace.to_wire()
    wire["chart"]["ways"] = [row]
    with pytest.raises(DeserializeFormatError) as failure:
        Trace.from_wire(wire)
    assert failure.value.pointer == f"/chart/ways/{pointer}"
    wire["chart"]["ways"] = [SEVERAL[1], SEVERAL[0]]
    with pytest.raises(DeserializeFormatError, match="/chart/ways/1 should be of an item after 3, 0"):
        Trace.from_wire(wire)


def test_a_name_without_a_known_ending_is_refused(trace, tmp_path):
    with pytest.raises(UnsupportedError, match="json"):
        trace.save(tmp_path / "trace.txt")
    assert list(tmp_path.iterdir()) == []


def test_a_roll_back_moves_decisions_to_a_branch_and_loses_none(trace):
    before = list(trace.steps)
    branch = trace.roll_back(1)
    assert (branch.at, list(branch.steps)) == (1, before[1:3])
    assert trace.steps[0] is before[0]
    assert (trace.n_decided, trace.pending.index, trace.pending.kind) == (1, 1, None)
    assert (trace.pending.n_allowed, trace.pending.z, trace.pending.p) == (2, 0.5, None)
    assert trace.pending.lanes == Lanes(model=(10, 900), mask=(20, 1000), apply=(1010, 1020))
    assert len(trace.columns) == trace.n_bytes + 1 == 2
    assert [i for i, _ in trace.bulk.items()] == [0]
    trace.decide(decided(1, "x", 1))
    trace.begin(Step(index=2, byte_begin=2))
    trace.roll_back(0)
    assert [[s.text for s in b.steps] for b in trace.branches] == [["é", "bc"], ["a", "x"]]


def test_nothing_but_appending_and_deciding_is_possible(trace):
    with pytest.raises(SessionError, match="I1"):
        trace.begin(Step(index=4))  # the last one is pending
    with pytest.raises(SessionError, match="I1"):
        trace.decide(decided(1, "x", 1))  # that one is decided
    trace.decide(decided(3, "d", 5))
    with pytest.raises(SessionError, match="I2"):
        trace.begin(Step(index=4, byte_begin=4))  # a gap
    with pytest.raises(SessionError, match="no decision"):
        trace.roll_back(4)
    with pytest.raises(AttributeError):
        trace.steps[0].text = "b"


@pytest.mark.parametrize(
    ("pointer", "value", "named"),
    [
        ("/header/name", 3, None),
        ("/header/model", "tiny", None),
        ("/header/vocab_size", -1, None),
        ("/header/grammar/text", None, None),
        ("/header/sampling/seed", 1.5, None),
        ("/program/root", 1, None),
        ("/program/rules/0/id", 1, None),
        ("/program/states/1/rule", 7, None),
        ("/program/edges/0/to", 2, None),
        ("/program/edges/0/kind", "letters", None),
        ("/steps/1/index", 2, None),
        ("/steps/1/kind", "guessed", None),
        ("/steps/0/kind", None, "/steps/0/token_id"),
        ("/steps/1/byte_begin", 2, None),
        ("/steps/1/bytes", "zz", None),
        ("/steps/1/bytes", "", "/steps/1/n_bytes"),
        ("/steps/1/n_bytes", 7, None),
        ("/steps/1/p", "0.5", None),
        ("/steps/1/p", float("nan"), None),
        ("/steps/1/rank", 0, None),
        ("/steps/1/lanes", 7, None),
        ("/steps/1/lanes/model", [900, 10], "/steps/1/lanes/model/1"),
        ("/steps/1/lanes/mask/0", "soon", None),
        ("/steps/1/lanes/wait_ns", 99, None),
        ("/header/compile_lane", [3], None),
        ("/header/compile_passes", [["lower"]], "/header/compile_passes/0"),
        ("/header/compile_passes", [["lower", "x"]], "/header/compile_passes/0/1"),
        ("/header/compile_passes", [["lower", 1, {"rules": [1]}]], "/header/compile_passes/0/2/rules"),
        ("/header/compile_passes", [["lower", 1, {}, 2]], "/header/compile_passes/0"),
        ("/header/overlap", "yes", None),
        ("/steps/1/completed", 1, None),
        ("/steps/1/top/0", [1, "a"], None),
        ("/steps/1/top/0/4", 8, None),
        ("/steps/1/live/0/origin", None, None),
        ("/steps/1/entries/0/storage", 2, None),
        ("/steps/1/explain/3/reason", None, None),
        ("/branches/0/at", "1", None),
        ("/branches/0/at", 9, "/branches/0/steps/0/index"),
        ("/branches/0/steps/0/index", 5, None),
        ("/chart/columns/0/0", [0, 0], None),
        ("/chart/columns/0/0/3", -2, None),
        ("/chart/columns", [[]] * 9, None),
        ("/notes/0", {}, None),
        ("/broke", [], None),
        ("/bulk/0", ["x"], None),
    ],
)
def test_damage_is_refused_with_the_name_of_the_field(trace, pointer, value, named):
    named = named or pointer
    trace.decide(decided(3, "d", 5))
    trace.begin(Step(index=4, byte_begin=6))
    trace.roll_back(3)
    wire = json.loads(json.dumps(trace.to_wire()))
    *path, last = pointer.split("/")[1:]
    place = wire
    for key in path:
        place = place[int(key) if isinstance(place, list) else key]
    place[int(last) if isinstance(place, list) else last] = value
    with pytest.raises(DeserializeFormatError) as caught:
        Trace.from_wire(wire)
    assert caught.value.pointer == named
    assert named in str(caught.value)


def test_a_trace_from_before_pool_and_lanes_were_recorded_is_read(trace):
    wire = trace.to_wire()
    for name in ("overlap", "compile_lane", "compile_passes"):
        del wire["header"][name]
    for step in wire["steps"]:
        del step["n_adapted"], step["way"], step["pool"], step["stacks"], step["lanes"], step["temperature"]
    read = Trace.from_wire(wire)
    assert {(s.n_adapted, s.pool, s.stacks, s.lanes) for s in read.steps} == {(None, None, None, None)}
    assert (read.header["overlap"], read.header["compile_lane"]) == (None, None)
    assert np.isnan(read.data()["wait_ns"]).all()


def test_every_missing_field_is_named(trace):
    wire = trace.to_wire()
    for place, pointer in ((wire, ""), (wire["header"], "/header"), (wire["steps"][0], "/steps/0")):
        for name in list(place):
            if (pointer, name) in MAY_BE_MISSING:
                continue
            value = place.pop(name)
            with pytest.raises(DeserializeFormatError) as caught:
                Trace.from_wire(wire)
            assert caught.value.pointer == f"{pointer}/{name}"
            place[name] = value
    assert Trace.from_wire(wire) == trace


def test_fields_of_a_newer_writer_are_ignored(trace):
    wire = trace.to_wire()
    wire["steps"][0]["mood"] = wire["mood"] = "good"
    assert Trace.from_wire(wire).steps == trace.steps


def test_another_version_is_refused_as_such(trace):
    with pytest.raises(DeserializeVersionError, match="version 2"):
        Trace.from_wire(trace.to_wire() | {"version": 2})


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"not json", b"\x1f\x8bbroken", b"\xff", b"[" * 100_000])
def test_a_foreign_file_is_refused(tmp_path, content):
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(DeserializeFormatError):
        Trace.load(path)


def test_the_text_form_has_a_row_for_each_step_and_fits_a_terminal(trace):
    trace.roll_back(2)
    lines = repr(trace).splitlines()
    assert lines[0] == 'Trace "t": tokens 2, bytes 3, taken back 1 in branches 1'
    assert "a note" in lines[1]
    assert [line.split()[1] for line in lines[3:]] == ["sampled", "sampled", "pending"]
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("cache", get_args(CacheClass))
def test_a_line_is_no_wider_whatever_the_cache_did(cache):
    trace = Trace(header("t", vocab_size=4))
    trace.begin(Step(index=0, byte_begin=0, mask_us=1234.5, cache=cache))
    line = repr(trace).splitlines()[-1]
    assert line.endswith(f"1,234.5  {cache.removesuffix('_hit')}")
    assert len(line) <= 100


def test_a_long_trace_is_folded_in_the_middle():
    trace = Trace(header("t", vocab_size=4))
    for i in range(300):
        trace.begin(Step(index=i, byte_begin=i))
        trace.decide(decided(i, "a", i))
    lines = repr(trace).splitlines()
    assert len(lines) < 70
    assert any("240 steps folded" in line for line in lines)
    assert lines[-1].split()[0] == "299"


def test_the_columns_of_data_are_numpy_with_nan_for_the_unknown(trace):
    data = trace.data()
    assert data["z"][:3].tolist() == [0.5] * 3
    assert np.isnan(data["z"][3])
    assert data["text"].tolist() == ["a", "é", "bc", ""]
    assert {len(column) for column in data.values()} == {4}
    assert data["wait_ns"][:3].tolist() == [100.0] * 3
    assert [data[f"{lane}_{end}_ns"][1] for lane in ("model", "mask") for end in ("begin", "end")] == [
        10,
        900,
        20,
        1000,
    ]
    assert np.isnan(data["sample_end_ns"][3])
