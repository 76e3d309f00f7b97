"""A session under an instance of a template: its trace, other arguments, refusals, and reports that run elsewhere."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import xg2lab as xgr
from xg2lab.errors import DeserializeFormatError, SessionError, TemplateArgumentError, VocabularyError
from xg2lab.lab import Session, Trace
from xg2lab.lab.comparison.comparing import compare
from xg2lab.lab.session.instances import Instance
from xg2lab.lab.trace.arguments import arguments_from_wire, arguments_to_wire
from xg2lab.lab.trace.costs import costs_of
from xg2lab.lab.trace.issue import slot_name

TEMPLATE = """root    ::= Each($sections, section) OneOf($ends)
section ::= "<" $id ">" [a-z]+
"""
SCHEMA = {"type": "array", "items": {"enum": {"$slot": "ids"}}, "maxItems": {"$slot": "n"}}
TOKENS = [b"<", b">", b"a", b"b", b"ab", b".", b"!", b'"', b"\xff", b"[", b"]", b"</s>"]
ARGUMENTS: dict[str, Any] = {"sections": [{"id": "a"}, {"id": "b"}], "ends": [".", "!"]}


def by_bytes(text: str) -> list[int]:
    """Each byte as a token of its own."""
    return [TOKENS.index(bytes([byte])) for byte in text.encode()]


SPELLED = xgr.Template.from_ebnf(TEMPLATE, spelling="tokens", encode=by_bytes)


@pytest.fixture(scope="module")
def info() -> xgr.TokenizerInfo:
    return xgr.TokenizerInfo(TOKENS, stop_token_ids=[11])


@pytest.fixture
def session(info: xgr.TokenizerInfo) -> Session:
    return Session(xgr.Template.from_ebnf(TEMPLATE), info, arguments=ARGUMENTS)


def run(text: str) -> subprocess.CompletedProcess[str]:
    code = re.search(r"```python\n(.*)```\n$", text, re.DOTALL)
    assert code is not None
    command = [sys.executable, "-W", "error", "-c", code[1]]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])


def with_vocabulary(report: str) -> str:
    """The report with the vocabulary that its reader has to fill in where tokens are named by their ids."""
    return report.replace("info = ...", f"info = xgr.TokenizerInfo({TOKENS!r}, stop_token_ids=[11])")


def test_its_masks_are_those_of_the_written_out_grammar(session: Session, info: xgr.TokenizerInfo) -> None:
    plain = Session(xgr.Template.from_ebnf(TEMPLATE).write_out(**ARGUMENTS), info)
    for text in ("<", "a", ">", "ab", "<", "b", ">", "a", "!"):
        assert (session.bitmask() == plain.bitmask()).all()
        session.force(text)
        plain.force(text)
    assert session.text == plain.text == "<a>ab<b>a!"


@pytest.mark.parametrize("template", [TEMPLATE, xgr.Template.from_ebnf(TEMPLATE)])
def test_the_trace_says_template_and_arguments(template: Any, info: xgr.TokenizerInfo, tmp_path: Path) -> None:
    session = Session(template, info, arguments=ARGUMENTS)
    facts = session.trace.header["template"]
    assert (facts["kind"], facts["text"], facts["root"], facts["arguments"]) == ("ebnf", TEMPLATE, "root", ARGUMENTS)
    assert ["section", "id", "text"] in facts["slots"]
    assert facts["obstacles"] == []
    assert facts["masks_us"] is not None
    assert session.trace.header["grammar"]["text"] == TEMPLATE
    session.force("<a")
    loaded = Trace.load(session.trace.save(tmp_path / "trace.json.gz"))
    assert loaded == session.trace
    assert loaded.header["template"]["arguments"] == ARGUMENTS


@pytest.mark.parametrize("text", [TEMPLATE, TEMPLATE + "# a rule that is never linked\nlost[lazy] ::= $id\n"])
def test_an_instance_that_was_made_by_hand_knows_its_arguments(text: str, info: xgr.TokenizerInfo) -> None:
    ready = xgr.GrammarCompiler(info).compile_template(text)
    session = Session(ready.instantiate(**ARGUMENTS))
    facts = session.trace.header["template"]
    assert (facts["text"], facts["arguments"], facts["obstacles"]) == (text, ARGUMENTS, ready.obstacles)
    assert (facts["masks_us"], facts["request_passes"], session.trace.header["compile_passes"]) == (None, None, None)
    assert session.instance is not None
    assert session.instance.template is ready
    session.force("<a>a<b>b!")
    session.instantiate(sections=[], ends=["ab"])
    assert session.trace.header["template"]["arguments"] == {"sections": [], "ends": ["ab"]}
    assert session.force("ab")[-1].terminated is False
    assert compare(session, written_out=True, rounds=0).ok


def test_passes_of_template_and_request_are_recorded(session: Session, info: xgr.TokenizerInfo) -> None:
    header, compiled = session.trace.header, session.compiled
    names = [name for name, *_ in header["compile_passes"]]
    assert (names[0], names[-1]) == ("take_pieces", "keep_known")
    assert [name for name, *_ in header["template"]["request_passes"]] == ["check_arguments", "link"]
    costs = costs_of(session.trace)
    assert costs.template is not None
    assert costs.template.request_passes is not None
    assert costs.passes is not None
    assert costs.passes_us is not None
    assert costs.passes_us <= costs.template.compile_us
    assert sum(one.us for one in costs.template.request_passes) <= compiled.compile_us
    assert costs.template.request_passes[1].states == (costs.template.n_states, compiled.n_states)
    words = str(costs)
    assert "compile passes of the template" in words
    assert " link: " in words
    session.instantiate(sections=[], ends=["ab"])
    after = session.trace.header
    assert after["compile_passes"] == header["compile_passes"]
    assert [name for name, *_ in after["template"]["request_passes"]] == ["check_arguments", "link"]
    begin, end = after["compile_lane"]
    assert begin < end
    ready = xgr.GrammarCompiler(info).compile_template(TEMPLATE)
    other = Session(ready, arguments=ARGUMENTS)
    assert costs_of(other.trace).passes is None
    other.instantiate(**ARGUMENTS)
    assert other.trace.header["compile_lane"] is None


def test_an_older_trace_has_no_passes_of_the_request(session: Session) -> None:
    wire = json.loads(json.dumps(session.trace.to_wire()))
    del wire["header"]["template"]["request_passes"]
    read = Trace.from_wire(wire)
    template = costs_of(read).template
    assert template is not None
    assert template.request_passes is None
    wire["header"]["template"]["request_passes"] = [["link", "x"]]
    with pytest.raises(DeserializeFormatError) as caught:
        Trace.from_wire(wire)
    assert caught.value.pointer == "/header/template/request_passes/0/1"


def test_a_damaged_header_is_refused(session: Session, tmp_path: Path) -> None:
    path = session.trace.save(tmp_path / "trace.json.gz")
    wire = json.loads(gzip.decompress(path.read_bytes()))
    wire["header"]["template"]["slots"] = [["section", "id"]]
    with pytest.raises(DeserializeFormatError) as caught:
        Trace.from_wire(wire)
    assert caught.value.pointer == "/header/template/slots/0"


def test_other_arguments_begin_again_on_the_same_compiled_template(session: Session) -> None:
    session.force("<a")
    template, before, told = session.instance.template, session.trace, []  # pyright: ignore[reportOptionalMemberAccess]
    session.subscribe(told.append)
    session.instantiate(sections=[], ends=["ab"])
    assert session.instance is not None
    assert session.instance.template is template
    assert session.past_traces == [before]
    assert session.text == ""
    assert [event["type"] for event in told] == ["reset"]
    assert session.trace.header["template"]["arguments"] == {"sections": [], "ends": ["ab"]}
    assert session.trace.header["template"]["masks_us"] == before.header["template"]["masks_us"]
    session.force("ab")
    assert session.text == "ab"


def test_static_parts_are_ready_in_a_second_instance(session: Session) -> None:
    session.instantiate(sections=[{"id": "ab"}], ends=["!"])
    session.force("<ab>")
    step = session.trace.pending
    assert step is not None
    assert (step.n_built, [entry["cache"] for entry in step.entries]) == (0, ["perfect_hit"])


def test_refused_arguments_change_nothing(session: Session) -> None:
    session.force("<a")
    trace, compiled, instance = session.trace, session.compiled, session.instance
    with pytest.raises(TemplateArgumentError) as caught:
        session.instantiate(sections=[{"id": 3}, {}], ends=[])
    assert {found.pointer for found in caught.value.diagnostics} == {"/sections/0/id", "/sections/1", "/ends"}
    assert (session.trace, session.compiled, session.instance) == (trace, compiled, instance)
    assert session.past_traces == []
    session.force(">")
    assert session.text == "<a>"


def test_what_is_no_template_takes_no_arguments(info: xgr.TokenizerInfo) -> None:
    with pytest.raises(SessionError, match="a Grammar takes no arguments"):
        Session(xgr.Grammar.from_ebnf('root ::= "a"'), info, arguments={})
    session = Session('root ::= "a"', info)
    with pytest.raises(SessionError, match="not an instance of a template"):
        session.instantiate(x="a")
    with pytest.raises(SessionError, match="arguments are a dict"):
        Session(TEMPLATE, info, arguments=[("sections", [])])  # pyright: ignore[reportArgumentType]
    with pytest.raises(TemplateArgumentError):
        Session(xgr.Template.from_ebnf(TEMPLATE), info)


def test_a_template_of_another_vocabulary_or_of_other_options_is_refused(info: xgr.TokenizerInfo) -> None:
    other = xgr.TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1])
    ready = xgr.GrammarCompiler(other).compile_template('root ::= "a" $x')
    with pytest.raises(VocabularyError, match="another vocabulary"):
        Session(ready, info, arguments={"x": "a"})
    with pytest.raises(SessionError, match="other options"):
        Session(ready, other, arguments={"x": "a"}, options=xgr.EngineOptions(minimize=False))
    assert Session(ready, arguments={"x": "a"}).tokenizer_info is other


def test_a_session_changes_to_a_template_and_back(info: xgr.TokenizerInfo) -> None:
    session = Session('root ::= "a"', info)
    session.change_grammar(TEMPLATE, ARGUMENTS)
    assert session.trace.header["template"]["arguments"] == ARGUMENTS
    session.change_grammar('root ::= "b"')
    assert session.trace.header["template"] is None
    assert session.instance is None


@pytest.mark.parametrize(
    ("template", "arguments", "taken"),
    [
        (xgr.Template.from_ebnf(TEMPLATE), ARGUMENTS, "<a>"),
        (xgr.Template.from_ebnf(TEMPLATE.replace("root ", "top "), root_rule_name="top"), ARGUMENTS, "<"),
        (xgr.Template.from_ebnf("root ::= $x [a-z]"), {"x": b"a\xff"}, "a"),
        (xgr.Template.from_ebnf('root ::= "<" Use($g)'), {"g": xgr.Grammar.from_ebnf("root ::= [a-z]")}, "<"),
        (xgr.Template.from_json_schema(SCHEMA, any_whitespace=False), {"ids": ["a", {"$x": [1]}], "n": 2}, ""),
        (SPELLED, ARGUMENTS, "<"),
        (xgr.Template.from_ebnf('top ::= "<" $x', root_rule_name="top", spelling="tokens", encode=by_bytes),
         {"x": "a"}, ""),
    ],
)  # fmt: skip
def test_a_report_makes_the_same_instance_elsewhere(
    template: xgr.Template, arguments: dict[str, Any], taken: str, info: xgr.TokenizerInfo
) -> None:
    session = Session(template, info, arguments=arguments)
    if taken:
        session.force(taken)
    text = session.issue_text(1)
    shown = run(with_vocabulary(text))
    assert shown.returncode == 0, shown.stderr + text
    assert "instantiate(**arguments)" in text
    assert run(with_vocabulary(session.diagnose([1]).issue_text())).returncode == 0


def test_a_trace_of_a_spelled_template_has_the_ids_of_all_texts(info: xgr.TokenizerInfo, tmp_path: Path) -> None:
    session = Session(SPELLED, info, arguments=ARGUMENTS)
    assert session.instance is not None
    assert session.trace.header["template"]["options"] == {
        "spelling": "tokens",
        "encode": {"<": [0], ">": [1], "a": [2], "b": [3], ".": [5], "!": [6]},
    }
    assert session.instance.key != Session(TEMPLATE, info, arguments=ARGUMENTS).instance.key
    session.force("<")
    assert session.trace.steps[-1].n_allowed == 1
    assert session.instantiate(**ARGUMENTS) is None
    path = tmp_path / "trace.json.gz"
    session.trace.save(path)
    assert Trace.load(path).header["template"] == session.trace.header["template"]


def test_a_report_of_a_written_out_grammar_runs(info: xgr.TokenizerInfo) -> None:
    written_out = xgr.Template.from_ebnf(TEMPLATE).write_out(**ARGUMENTS)
    text = Session(written_out, info).issue_text(1)
    assert run(text).returncode == 0, text
    assert 'section.sections.0 ::= "<" "a" ">" [a-z]+' in text


def test_a_report_names_slot_and_argument(session: Session) -> None:
    session.force("<")
    assert "  slot `$id`, argument /sections/0/id\n" in session.issue_text("b")


@pytest.mark.parametrize(
    ("pointer", "slot"),
    [("/id", "$id"), ("/sections/3/id", "$id"), ("/names/10", "$names"), ("/a~1b/0", "$a/b"), ("", "$")],
)
def test_a_slot_is_the_last_name_of_the_pointer(pointer: str, slot: str) -> None:
    assert slot_name(pointer) == slot


def test_arguments_come_back_from_the_wire() -> None:
    value = {"a": [1, 2.5, None, True, "é", b"\xff"], "b": {"$x": {"$bytes": "00"}, "y": [[]]}, "c": {"d": {}}}
    wire = arguments_to_wire(value)
    assert json.loads(json.dumps(wire)) == wire
    assert arguments_from_wire(wire) == value
    grammar = arguments_from_wire(arguments_to_wire(xgr.Grammar.from_ebnf('top ::= "a"', root_rule_name="top")))
    assert (grammar.root_rule_name, str(grammar)) == ("top", 'top ::= "a"\n')


def test_instances_are_equal_by_template_and_arguments(info: xgr.TokenizerInfo) -> None:
    one = Instance.of(TEMPLATE, ARGUMENTS, info)
    assert one.key == Instance.of(TEMPLATE, dict(ARGUMENTS), info).key
    assert one.key != one.again(ARGUMENTS | {"ends": ["."]}).key


# ---- Held against what it means, and what it costs ----


def test_an_instance_agrees_with_its_written_out_grammar(session: Session) -> None:
    session.force("<a>ab<b>a!")
    report = compare(session, written_out=True, rounds=2)
    assert report.ok
    assert report.must_agree
    assert report.n_done == report.n_steps == 10
    assert (report.a.instance is session.instance, report.b.instance) == (True, None)
    assert "grammar linked from its template / compiled, written out" in str(report)
    assert not report.to_wire()["is_other_grammar"]
    assert report.find_shortest(2.0).verdict == "equal"


def test_the_comparison_asks_the_linked_instance(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    session.force("<a>")
    real = xgr.CompiledTemplate.instantiate
    wrong = {"sections": [{"id": "b"}], "ends": ["."]}
    monkeypatch.setattr(xgr.CompiledTemplate, "instantiate", lambda self, **_: real(self, **wrong))
    report = compare(session, written_out=True, rounds=0)
    assert not report.ok
    assert report.divergence is not None
    assert report.divergence.step == 1


def test_other_arguments_are_another_grammar(session: Session, info: xgr.TokenizerInfo) -> None:
    other = Session(TEMPLATE, info, arguments=ARGUMENTS | {"sections": [{"id": "ab"}]})
    session.force("<a")
    report = compare(session, other, rounds=0)
    assert report.n_differ > 0
    assert not report.must_agree
    assert report.to_wire()["is_other_grammar"]
    assert "other grammars" in str(report)
    switched = compare(session, minimize=False, rounds=0)
    assert switched.ok
    assert (switched.a.instance, switched.b.instance) == (session.instance, session.instance)


def test_what_cannot_be_written_out_is_said(session: Session, info: xgr.TokenizerInfo) -> None:
    with pytest.raises(SessionError, match="not an instance of a template"):
        compare(Session('root ::= "a"', info), written_out=True)
    with pytest.raises(SessionError, match="B is one grammar"):
        compare(session, grammar='root ::= "a"', written_out=True)


def test_costs_are_told_apart_by_who_pays(session: Session, info: xgr.TokenizerInfo) -> None:
    cost, facts = costs_of(session.trace).template, session.trace.header["template"]
    assert cost is not None
    assert cost.offline_us == facts["compile_us"] + facts["masks_us"]
    assert cost.request_us == facts["instantiate_us"] + session.trace.steps[0].mask_us
    assert str(costs_of(session.trace)).splitlines()[1].startswith("once, offline: ")
    assert "(link the instance " in str(cost)
    ready = xgr.GrammarCompiler(info).compile_template(TEMPLATE)
    compiled_before = costs_of(Session(ready, arguments=ARGUMENTS).trace).template
    assert compiled_before is not None
    assert compiled_before.masks_us is None
    assert costs_of(Session('root ::= "a"', info).trace).template is None


def test_entries_of_the_template_have_it_as_donor(session: Session) -> None:
    session.instantiate(sections=[{"id": "ab"}], ends=["!"])
    session.force("<ab>")
    (entry,) = session.trace.steps[-1].entries
    donor = session.donor(entry["state"])
    assert (donor.text, donor.state) == (TEMPLATE, entry["state"])
    assert donor.name.startswith("template: ")
