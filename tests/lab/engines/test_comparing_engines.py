"""Engines laid over each other: where they part, who is wrong, and the text of the issue that says so."""

from __future__ import annotations

import contextlib
import io
import json

import pytest

from tests.lab.engines.stubs import Crashing, Literal, Lying, Permissive
from xg2lab import TokenizerInfo
from xg2lab.errors import ArgumentError, LimitError, SessionError
from xg2lab.lab.engines import EngineError, EngineSource, compare_engines, judge_instance
from xg2lab.lab.engines.auditing_engines import audit_engine
from xg2lab.lab.engines.engine_issues import reproducer

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
