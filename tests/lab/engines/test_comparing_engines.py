"""Engines laid over each other: where they part, who is wrong, and the text of the issue that says so."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import struct
from base64 import b64decode
from typing import Any

import numpy as np
import pytest

from tests.lab.engines.stubs import Crashing, Literal, Lying, Permissive
from xg2lab import TokenizerInfo
from xg2lab.errors import ArgumentError, LimitError, SessionError
from xg2lab.lab.engines import EngineComparison, EngineError, EngineSource, compare_engines, judge_instance
from xg2lab.lab.engines.auditing_engines import audit_engine
from xg2lab.lab.engines.engine_issues import reproducer
from xg2lab.lab.engines.ours import OurEngine
from xg2lab.lab.engines.registry import engine_names, known_engines

BYTES = TokenizerInfo([*(bytes([k]) for k in range(256)), b"</s>"], stop_token_ids=[256])
PEERS = {
    "xgrammar": lambda: pytest.importorskip("xgrammar"),
    "llguidance": lambda: pytest.importorskip("llguidance"),
}
SHORT = EngineSource.of({"type": "string", "maxLength": 2})


def test_three_parsers_of_ours_agree() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 3}}, "required": ["n"]}
    report = compare_engines(schema, '{"n": 12}', ["xg2lab", "xg2lab-pda", "xg2lab-plain"], BYTES)
    assert report.ok, str(report)
    assert [row.n_followed for row in report.rows] == [9, 9, 9]
    assert all(len(row.cold_us) == len(row.warm_us) == 10 and len(row.compile_us) == 2 for row in report.rows)
    assert "the 3 engines that read it agree on every mask" in str(report)
    with pytest.raises(ArgumentError, match="nothing to report"):
        report.issue_text("xg2lab")


def test_who_allows_an_invalid_instance_is_wrong() -> None:
    report = compare_engines(SHORT, '"abc"', ["xg2lab", Permissive()], BYTES)
    token = report.disagreements[-1]
    assert (token.step, token.byte, token.takes_a, token.takes_b) == (3, 3, False, True)
    wrong = {(v.wrong, v.kind) for one in report.disagreements for v in one.verdicts}
    assert wrong == {("permissive", "allows_invalid")}
    assert any("'abc' is too long" in v.why for v in token.verdicts)
    assert not report.ok


def test_who_forbids_a_valid_instance_is_wrong() -> None:
    source = EngineSource("regex", "ab|ac")
    report = compare_engines(source, "ac", [_Only("ab"), "xg2lab"], BYTES)
    (found,) = report.disagreements
    assert [(v.wrong, v.kind, v.instance) for v in found.verdicts] == [("literal", "forbids_valid", "ac")]


def test_another_spelling_of_the_same_value_is_narrower_and_not_wrong() -> None:
    report = compare_engines({"const": 1}, "1.0", [_Only("1"), "xg2lab"], BYTES)
    kinds = {(v.wrong, v.kind) for one in report.disagreements for v in one.verdicts}
    assert kinds == {("literal", "narrower")}


def test_a_mask_that_its_own_accept_refutes_needs_no_judge() -> None:
    info = TokenizerInfo([b"z", b"a", b"</s>"], stop_token_ids=[2])
    report = compare_engines(EngineSource("regex", "a"), "a", ["xg2lab", Lying()], info)
    assert [(v.wrong, v.kind) for v in report.disagreements[0].verdicts] == [("lying", "mask_is_not_accept")]


def test_without_a_judge_it_is_undecided_and_says_why() -> None:
    report = compare_engines('root ::= "a"', "a", ["xg2lab", Permissive()], BYTES)
    (verdict,) = report.disagreements[0].verdicts
    assert verdict.kind == "undecided"
    assert "nothing but the engines knows what a grammar in ebnf means" in verdict.why
    assert (
        compare_engines('root ::= "a"', "a", ["xg2lab", Permissive()], BYTES, judge=False).disagreements[0].verdicts
        == []
    )


def test_a_vocabulary_without_an_end_decides_nothing() -> None:
    info = TokenizerInfo([b"a", b"b"], stop_token_ids=[])
    report = compare_engines(EngineSource("regex", "a"), "a", ["xg2lab", _Only("b")], info)
    assert "no stop token" in report.disagreements[0].verdicts[0].why


def test_refusals_and_crashes_are_results() -> None:
    report = compare_engines('root ::= "ab"', "ab", ["xg2lab", Literal()], BYTES)
    assert report.row("literal").refused == "ValueError: no ebnf here"
    assert report.ok  # a refusal is no disagreement
    assert "refused: ValueError: no ebnf here" in str(report)
    assert "refused: ValueError" in report.issue_text("literal")
    crash = compare_engines(EngineSource("regex", "aa"), "aa", ["xg2lab", "tests.lab.engines.stubs:Crashing"], BYTES)
    assert crash.row("crashing").failed.startswith("crashed: its process ended in replay")
    assert not crash.ok


def test_an_exception_in_the_middle_keeps_what_came_before() -> None:
    class Broken(Crashing):
        name = "broken"

        def accept(self, token_id: int) -> bool:
            if self.at == 1:
                raise KeyError("no")
            return Literal.accept(self, token_id)

    report = compare_engines(EngineSource("regex", "aa"), "aa", ["xg2lab", Broken()], BYTES)
    row = report.row("broken")
    assert (row.taken, len(row.masks)) == ([True], 2)
    assert row.failed == "failed after 1 tokens: KeyError: 'no'"


def test_the_wire_is_json_and_names_repeat_no_more() -> None:
    report = compare_engines(SHORT, '"a"', ["xg2lab", "xg2lab", Permissive()], BYTES)
    wire = json.loads(json.dumps(report.to_wire()))
    assert [one["name"] for one in wire["engines"]] == ["xg2lab", "xg2lab (2)", "permissive"]
    assert wire["disagreements"][0]["verdicts"][0]["wrong"] == "permissive"
    assert wire["says"] == str(report)
    assert "permissive" in report._repr_html_()


def test_a_report_grows_and_says_what_is_being_done() -> None:
    told: list[tuple[str, int, list[str], bool]] = []

    def tell(report: EngineComparison) -> None:
        json.dumps(report.to_wire())
        told.append((report.doing, report.n_done, [row.phase for row in report.rows], report.is_running))

    report = compare_engines(SHORT, '"a"', ["xg2lab", Permissive()], BYTES, tell=tell)
    doing, done, phases, running = zip(*told, strict=True)
    assert list(doing) == [
        "xg2lab starts",
        "permissive starts",
        *(f"{name} {what}" for name in ("xg2lab", "permissive") for what in PARTS),
        "who is wrong, xg2lab or permissive",
        "",
    ]
    assert list(done) == [*range(len(told) - 1), report.n_all]
    assert phases[0] == ["starting", "waiting"]
    assert phases[2] == ["compiling", "waiting"]
    assert phases[-1] == ["done", "done"]
    assert list(running) == [True] * (len(told) - 1) + [False]


MASKS = ("hanging makes its masks", "permissive makes its masks")
PARTS = ("compiles", "makes its masks", "makes them again")


@pytest.mark.parametrize("engine", ["tests.lab.engines.stubs:Hanging", Permissive()])
def test_it_ends_when_asked_even_where_an_engine_never_would(engine: Any) -> None:
    told: list[str] = []
    source = EngineSource("regex", "ab")
    report = compare_engines(
        source,
        "ab",
        ["xg2lab", engine],
        BYTES,
        seconds=86_400,  # without the question this test does not end
        tell=lambda report: told.append(report.doing),
        is_cancelled=lambda: any(name in told for name in MASKS),
    )
    assert (report.stopped, report.is_running) == ("cancelled", False)
    assert [row.phase for row in report.rows] == ["done", "masks"]
    assert report.row("xg2lab").n_followed == 2
    assert report.rows[1].masks == []
    assert "stopped: cancelled" in str(report)
    assert "not reached" in str(compare_engines(source, "ab", ["xg2lab"], BYTES, is_cancelled=lambda: True))


def test_who_parts_is_known_before_who_is_wrong_and_stays_when_it_is_stopped() -> None:
    told: list[str] = []
    report = compare_engines(
        SHORT,
        '"abc"',
        ["xg2lab", Permissive()],
        BYTES,
        tell=lambda report: told.append(report.doing),
        is_cancelled=lambda: any("who is wrong" in doing for doing in told),
    )
    assert report.stopped == "cancelled"
    assert report.disagreements
    assert [one.verdicts for one in report.disagreements] == [[]] * len(report.disagreements)


def test_groups_and_masks_tell_any_two_apart() -> None:
    report = compare_engines(EngineSource("regex", "ab|ac"), "ac", ["xg2lab", _Only("ac"), "xg2lab-pda"], BYTES)
    assert report.groups == [[0, 0, 0], [0, 1, 0], [0, 0, 0]]
    a, b = report.masks(1, 0, 1)
    assert np.flatnonzero(np.unpackbits((a ^ b).view(np.uint8), bitorder="little")).tolist() == [ord("b")]
    wire = report.to_wire()
    kept = _unpacked(wire["masks"], 3)
    assert {step: [row.tobytes() for row in rows] for step, rows in kept.items()} == {
        step: [row.masks[step] for row in report.rows] for step in range(3)
    }
    assert next(iter(kept)) == 1  # what differs comes first
    (found,) = wire["disagreements"]
    assert (found["bytes"], found["byte"], found["listed"]) == ("63", 1, [[98, "b", "62", True]])
    assert wire["tape"] == [[0, "a"], [1, "c"]]
    assert [side["n_allowed"] for side in wire["engines"]] == [[1, 2, 1], [1, 1, 1], [1, 2, 1]]
    for step, pair in ((3, (0, 1)), (0, (0, 3)), (-1, (0, 1))):
        with pytest.raises(ArgumentError):
            report.masks(step, *pair)


def _unpacked(masks: str, n_sides: int) -> dict[int, list[np.ndarray[Any, Any]]]:
    """The masks as the page reads them."""
    data = gzip.decompress(b64decode(masks))
    (n,) = struct.unpack_from("<I", data)
    head = json.loads(data[4 : 4 + n])
    rows = iter(np.frombuffer(data[4 + n :], np.int32).reshape(-1, head["n_words"]))
    found = {}
    for step, *differ in head["steps"]:
        assert len(differ) == n_sides - 1
        first = next(rows)
        found[step] = [first, *(first ^ next(rows) if differs else first for differs in differ)]
    assert next(rows, None) is None
    return found


def test_an_engine_without_a_mask_is_in_no_group_and_is_not_blamed() -> None:
    class Broken(Crashing):
        name = "broken"

        def accept(self, token_id: int) -> bool:
            raise KeyError("no")

    report = compare_engines(EngineSource("regex", "aa"), "aa", ["xg2lab", Broken(), _Only("b")], BYTES)
    assert report.groups == [[0, 0, 1], [0, -1, -1], [0, -1, -1]]
    assert [row.refuses for row in report.rows] == [None, None, 0]
    assert [one.b for one in report.disagreements] == ["literal"]
    assert sorted(_unpacked(report.to_wire()["masks"], 3)) == [0, 1, 2]


def test_bits_above_the_vocabulary_are_no_difference() -> None:
    class Untidy(OurEngine):
        def fill(self, row: Any) -> None:
            super().fill(row)
            row.view(np.uint32)[-1] |= np.uint32(1 << 31)

    report = compare_engines(EngineSource("regex", "ab"), "ab", ["xg2lab", Untidy(name="untidy")], BYTES)
    assert report.ok
    assert report.rows[1].n_allowed == [1, 1, 1]


def test_an_issue_is_carried_unless_it_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    report = compare_engines(SHORT, '"abc"', ["xg2lab", "xg2lab-pda", Permissive()], BYTES)
    sides = {side["name"]: side["issue"] for side in report.to_wire()["engines"]}
    assert sides["xg2lab-pda"] == ""  # nothing to report
    assert sides["permissive"] == report.issue_text("permissive")
    monkeypatch.setattr("xg2lab.lab.engines.engine_comparison.MOST_ISSUE", 10)
    assert [side["issue"] for side in report.to_wire()["engines"]] == [None, "", None]
    report.is_running = True
    assert [side["issue"] for side in report.to_wire()["engines"]] == ["", "", ""]


def test_a_choice_of_engines_says_what_is_missing_without_importing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xg2lab.lab.engines.registry.version", {"llguidance": "1.9.1"}.__getitem__)
    monkeypatch.setattr("xg2lab.lab.engines.registry.PackageNotFoundError", KeyError)
    known = {one.name: one for one in known_engines()}
    assert tuple(known) == engine_names()
    assert (known["llguidance"].version, known["xgrammar"].version) == ("1.9.1", "")
    assert known["xgrammar"].install == "pip install xgrammar"
    assert known["xg2lab"].version
    assert not known["xg2lab"].install


def test_masks_have_a_limit_of_bytes() -> None:
    wide = TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1], vocab_size=1 << 20)
    with pytest.raises(LimitError, match="fewer than 2,048 tokens"):
        compare_engines(EngineSource("regex", "a*"), [0] * 2048, ["xg2lab"], wide)


def test_hostile_arguments_get_typed_errors() -> None:
    with pytest.raises(ArgumentError, match="0 engines"):
        compare_engines(SHORT, "", [], BYTES)
    with pytest.raises(ArgumentError, match="17 engines"):
        compare_engines(SHORT, "", ["xg2lab"] * 17, BYTES)
    with pytest.raises(EngineError, match="no engine of this name"):
        compare_engines(SHORT, "", ["nobody"], BYTES)
    with pytest.raises(SessionError, match="spell"):
        compare_engines(SHORT, "é", ["xg2lab"], TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1]))
    with pytest.raises(ArgumentError, match="was not compared"):
        compare_engines(SHORT, "", ["xg2lab"], BYTES).row("other")


@pytest.mark.parametrize("kind", ["json_schema", "ebnf", "lark", "regex", "structural_tag"])
def test_a_reproducer_of_ours_runs(kind: str) -> None:
    texts = {
        "json_schema": ('{"const": 5}', b"5"),
        "ebnf": ('root ::= "5"', b"5"),
        "lark": ('start: "5"', b"5"),
        "regex": ("5", b"5"),
        "structural_tag": ('{"format": {"type": "const_string", "value": "5"}}', b"5"),
    }
    text, instance = texts[kind]
    source = EngineSource(kind, text)  # type: ignore[arg-type]
    for name in ("xg2lab", "xg2lab-pda", "tests.lab.engines.stubs:Permissive"):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(reproducer(source, name, instance, True), {})
        assert said.getvalue() == "accepted: True\n"


@pytest.mark.parametrize("name", ["xgrammar", "llguidance"])
def test_a_reproducer_of_a_peer_runs_and_fails_where_the_peer_is_wrong(name: str) -> None:
    PEERS[name]()
    source = EngineSource.of({"type": "object", "properties": {"a": {"const": 1}, "b": {"const": 2}}})
    text = reproducer(source, name, b'{"b": 2, "a": 1}', True)  # neither takes properties in another order
    with contextlib.redirect_stdout(io.StringIO()), pytest.raises(AssertionError):
        exec(text, {})
    with contextlib.redirect_stdout(io.StringIO()):
        exec(reproducer(source, name, b'{"a": 1, "b": 2}', True), {})


@pytest.mark.parametrize("name", ["xgrammar", "llguidance"])
def test_a_peer_behind_the_protocol(name: str) -> None:
    PEERS[name]()
    report = compare_engines(EngineSource("regex", "[ab]{2}c?"), "abc", ["xg2lab", name], BYTES)
    assert report.ok, str(report)
    assert report.row(name).version
    tag = compare_engines({"format": {"type": "const_string", "value": "x"}}, "x", ["xg2lab", name], BYTES)
    if name == "llguidance":
        assert tag.row(name).refused == "ValueError: llguidance reads no structural tags"
    else:
        assert tag.ok, str(tag)


@pytest.mark.parametrize("name", ["xgrammar", "llguidance"])
def test_a_peer_rolls_back_forks_and_ends(name: str) -> None:
    PEERS[name]()
    from xg2lab.lab.engines import Worker

    with Worker(name, BYTES) as worker:
        worker.compile(EngineSource("regex", "ab"))
        assert worker.takes([97, 98, 256, 256]) == 3
        assert worker.accepts([97, 98], [97, 98, 256]) == [False, False, True]
        assert worker.accepts([97], [98, 256, 97]) == [True, False, False]
        assert worker.complete([97]) == [98]


@pytest.mark.parametrize(
    ("grammar", "text"),
    [
        ({"type": "object", "properties": {"name": {"const": 1}}, "required": ["name"]}, '{"name"'),
        ('root ::= "name" [0-9]+', "name1"),
        (EngineSource("lark", 'start: "name" /[0-9]+/'), "name1"),
        (EngineSource("regex", "name/[0-9]+"), "name/1"),
    ],
)
def test_llguidance_is_asked_without_forcing(grammar: object, text: str) -> None:
    PEERS["llguidance"]()
    info = TokenizerInfo([*(bytes([k]) for k in range(128)), b"name", b"na", b"</s>"], stop_token_ids=[130])
    found = audit_engine("llguidance", EngineSource.of(grammar), [*text.encode()], info)  # type: ignore[arg-type]
    assert found.ok, str(found)
    assert found.n_done == len(text) + 1


def test_judgements() -> None:
    pytest.importorskip("jsonschema")
    schema = EngineSource.of({"type": "object", "properties": {"a": {"type": "integer"}}})
    assert judge_instance(schema, '{"a": 1}').is_valid is True
    assert judge_instance(schema, b'{"a": "1"}').why == "'1' is not of type 'integer' (at /a)"
    assert judge_instance(schema, '{"a": 1, "a": 2}').is_valid is None
    assert judge_instance(schema, "{").is_valid is False
    assert judge_instance(schema, "NaN").is_valid is False
    assert judge_instance(schema, b"\xff").is_valid is False
    assert judge_instance(schema, "[" * 100_000).is_valid is None
    assert judge_instance(EngineSource.of({"format": "ipv4"}), '"x"').is_valid is None
    assert judge_instance(EngineSource.of({"$ref": "http://127.0.0.1:9/none.json"}), "1").is_valid is None
    assert judge_instance(EngineSource("json_schema", '{"type": 5}'), "1").is_valid is None
    assert judge_instance(EngineSource("regex", "(["), "x").is_valid is None
    strict = EngineSource("json_schema", "{}", {"strict_mode": True})
    assert judge_instance(strict, "1").is_valid is None


class _Only(Literal):
    """Allows one text, whatever the grammar says."""

    def __init__(self, text: str) -> None:
        self.only = text

    def compile(self, source: EngineSource, info: TokenizerInfo) -> None:
        super().compile(EngineSource("regex", self.only), info)


def test_an_order_of_properties_that_one_engine_fixes_is_found_and_is_narrower() -> None:
    schema = {
        "type": "object",
        "properties": {"k": {"type": "string"}, "n": {"type": "integer", "minimum": 3}},
        "required": ["k"],
        "additionalProperties": False,
    }
    # a number is completed by going on to the member that is missing, not by digits: with these tokens there are many
    digits = [b"%03d" % k for k in range(1000)]
    info = TokenizerInfo([*(bytes([k]) for k in range(256)), *digits, b"</s>"], stop_token_ids=[1256])
    report = compare_engines(schema, '{"k":"a","n":12}', ["xg2lab", _Ordered()], info)
    assert [(v.wrong, v.kind) for v in report.disagreements[0].verdicts] == [("ordered", "narrower")]


class _Ordered(OurEngine):
    """Ours with one order of properties, that of the schema."""

    def __init__(self) -> None:
        super().__init__(name="ordered")

    def compile(self, source: EngineSource, info: TokenizerInfo) -> None:
        from xg2lab import GrammarCompiler, GrammarMatcher

        compiled = GrammarCompiler(info).compile_json_schema(source.text, **source.schema_options, any_order=False)
        self._matcher = GrammarMatcher(compiled)
