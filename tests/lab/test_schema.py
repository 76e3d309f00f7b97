"""The schema describes what is recorded and sent, strictly and field by field; hostile values are refused by place."""

from __future__ import annotations

import json
import typing
from dataclasses import fields
from typing import Any

import pytest
from pydantic import ValidationError

import xg2lab as xgr
from tests.lab.engines.stubs import Literal, Permissive
from tests.lab.fakes import FakeRunner
from tests.ui.scripted import GRAMMAR, N_SILENT, TARGET, scripted_session, vocabulary
from xg2lab.errors import DeserializeFormatError
from xg2lab.lab import Session, Step, Trace, audit, compare, diagnose, schema
from xg2lab.lab.engines import EngineSource, compare_engines
from xg2lab.lab.pad.pad import Pad
from xg2lab.lab.session.selection import SELECTION
from xg2lab.lab.trace.lanes import LANES, Lanes
from xg2lab.lab.trace.reading import adapter, checked, checked_json
from xg2lab.lab.trace.steps import Branch, Candidate
from xg2lab.lab.trace.trace import header
from xg2lab.widgets.pushes import Changes

BYTES = xgr.TokenizerInfo([*(bytes([k]) for k in range(256)), b"</s>", b"<|s|>"], stop_token_ids=[256])
NUMBERS = 'root ::= "[" num ("," num)* "]"\nnum ::= [0-9]{1,3}'
#: Grammars that write every optional part of a program, with a text of each.
GRAMMARS = {
    "counted": (NUMBERS, "[12,3"),
    "ambiguous": ('root ::= a+\na ::= "x" | "x" "x"', "xxx"),
    "dispatch": ('root ::= TagDispatch(("<a>", body))\nbody ::= [0-9]+ "</a>"', "x<a>12"),
    "any order": ('root ::= AnyOrder(a, b?)\na ::= "x"\nb ::= "y"', "x"),
    "token": ('root ::= "a" Token(257) "b"', "a"),
    "options": ('root ::= word\nword[max_tokens=5, capture="w", temperature=0.5] ::= [a-z]+', "ab"),
}


def strict(record: type, value: Any) -> Any:
    """The value as JSON gives it back, if it has the record's fields and no other; else an error."""
    return adapter(record).validate_python(json.loads(json.dumps(value, allow_nan=False)), extra="forbid")


def with_model(grammar: Any, **known: Any) -> Session:
    return Session(grammar, BYTES, FakeRunner(BYTES.vocab_size), **known)


@pytest.mark.parametrize("parser", ["earley", "pda", "operators"])
def test_a_trace_of_every_parser_has_the_fields_of_the_schema(parser: str) -> None:
    session = with_model(NUMBERS, options=xgr.EngineOptions(parser=parser), prompt="?")
    session.record_operators()
    session.force("[12,")
    session.step(2)
    session.back(1)
    wire = strict(schema.TraceFile, session.trace.to_wire())
    assert (wire["steps"][1]["stacks"] is not None) == (parser != "earley")
    assert wire["steps"][1]["operators"]["at"]
    assert wire["branches"]
    assert wire["bulk"]
    assert wire["steps"][1]["lanes"]["model"]
    assert any(step["explain"] for step in wire["steps"])
    assert any(step["pool"] for step in wire["steps"])


@pytest.mark.parametrize("name", GRAMMARS)
def test_a_program_of_every_kind_has_the_fields_of_the_schema(name: str) -> None:
    grammar, text = GRAMMARS[name]
    session = Session(grammar, BYTES)
    session.record_operators()
    session.force(text)
    wire = strict(schema.TraceFile, session.trace.to_wire())
    found = {key for part in ("rules", "states") for one in wire["program"][part] for key in one}
    assert found >= {
        "counted": {"repeat"}, "ambiguous": set(), "dispatch": {"dispatch"}, "any order": {"any_order"},
        "token": {"tokens"}, "options": {"options"},
    }[name]  # fmt: skip
    for token in (97, 256, 257, "x", b"\xff", ""):
        strict(schema.Explanation, session.explain(token))


def test_a_template_has_the_fields_of_the_schema() -> None:
    template = xgr.Template.from_ebnf('root ::= "<" $name ">"')
    session = Session(template, BYTES, arguments={"name": "abc"})
    session.record_operators()
    session.force("<a")
    wire = strict(schema.TraceFile, session.trace.to_wire())
    assert wire["header"]["template"]["request_passes"]
    assert [row[9] for row in wire["operators"]["rows"]] == [None, None, "/name", None]
    assert any("argument" in state for state in wire["program"]["states"])
    strict(schema.Explanation, session.explain("x"))


def test_a_recursive_grammar_has_a_reason_in_the_place_of_its_tree() -> None:
    session = Session('root ::= "(" root ")" | "x"', BYTES)
    session.record_operators()
    assert strict(schema.TraceFile, session.trace.to_wire())["operators"]["spans"]


def test_an_output_that_left_the_grammar_has_the_fields_of_the_schema() -> None:
    session = with_model(NUMBERS, constrained=False)
    session.step(4)
    wire = strict(schema.TraceFile, session.trace.to_wire())
    assert wire["broke"]["expected_by"]
    assert wire["steps"][-1]["cache"] is None


def test_answers_have_the_fields_of_the_schema() -> None:
    session = with_model(NUMBERS, options=xgr.EngineOptions(parser="pda"))
    session.force("[12")
    strict(schema.StackTree, session.stacks())
    lost = session.lost_mass()
    assert lost is not None
    assert strict(schema.LostMass, lost.to_wire())["groups"]
    stages = [strict(schema.WireStage, stage.to_wire()) for stage in session.machine_stages("num")]
    assert any(stage["marks"] for stage in stages)
    strict(schema.Selection, session.selection)
    session.select(step=1, item=(1, 0), rule=0)
    strict(schema.Selection, session.selection)


def test_a_donor_has_the_fields_of_the_schema() -> None:
    info = xgr.TokenizerInfo(vocabulary(512, seed=23), vocab_size=512, stop_token_ids=[512 - N_SILENT])
    options = xgr.EngineOptions(rule_inlining=False)
    first, second = (Session(GRAMMAR, info, name=name, options=options) for name in ("first", "second"))
    first.force(TARGET)
    second.force(TARGET)
    found = [(s.index, e["state"]) for s in second.trace.steps for e in s.entries if e["cache"] != "miss"]
    assert found
    for step, state in found:
        assert strict(schema.WireDonor, second.donor(state, step).to_wire())["program"]["rules"]


def test_reports_have_the_fields_of_the_schema() -> None:
    session = scripted_session(512, name="audited")
    session.run()
    report = audit(session)
    assert strict(schema.AuditReport, report.to_wire())["states"]
    other = compare(session, grammar='root ::= "x" [a-z]+', rounds=1)
    other.find_shortest(seconds=5.0)
    wire = strict(schema.CompareReport, other.to_wire())
    assert wire["divergence"] is not None
    assert wire["differences"]
    assert wire["shortest"]["verdict"] == "part"
    switched = strict(schema.CompareReport, compare(session, parser="pda", rounds=1).to_wire())
    assert switched["changed"] == {"parser": ["earley", "pda"]}


def test_a_comparison_of_vocabularies_has_the_fields_of_the_schema() -> None:
    session = Session(NUMBERS, BYTES)
    session.force("[12,3]")
    other = xgr.TokenizerInfo([*(bytes([k]) for k in range(256)), b"12", b"</s>"], stop_token_ids=[257])
    wire = strict(schema.CompareReport, compare(session, Session(NUMBERS, other), rounds=1).to_wire())
    assert wire["unit"] == "byte"
    assert wire["tapes"][1]


def test_a_comparison_of_engines_has_the_fields_of_the_schema() -> None:
    told: list[Any] = []
    source = EngineSource.of({"type": "string", "maxLength": 2})
    engines = ["xg2lab", Permissive(), Literal(), "tests.lab.engines.stubs:Crashing"]
    report = compare_engines(source, '"abc"', engines, BYTES, tell=lambda so_far: told.append(so_far.to_wire()))
    for wire in told:
        strict(schema.EngineReport, wire)
    assert told[-1] == report.to_wire()
    sides = {side["name"]: side for side in told[-1]["engines"]}
    assert sides["literal"]["refused"]
    assert sides["xg2lab"]["refuses"] == 3
    assert told[-1]["disagreements"][0]["verdicts"]


@pytest.mark.parametrize(
    "ids", [[91, 49], [91, 49, 93, 256], [91, 49, 93], [91, 120], [91, 9999], [91, 256], [91, 257], []]
)
def test_every_diagnosis_has_the_fields_of_the_schema(ids: list[int]) -> None:
    compiled = xgr.GrammarCompiler(BYTES).compile_grammar(NUMBERS)
    strict(schema.WireDiagnosis, diagnose(compiled, ids).to_wire())


@pytest.mark.parametrize("grammar", [NUMBERS, GRAMMARS["ambiguous"][0], 'root ::= "[" [0-9]{2} ("," root)?'])
def test_what_pages_are_told_has_the_fields_of_the_schema(grammar: str) -> None:
    pytest.importorskip("anywidget")
    from xg2lab.widgets.page_trace import replayed, told_explanation, told_trace

    session = with_model(grammar, prompt="?")
    session.record_operators()
    session.step(4)
    told = strict(schema.TraceFile, told_trace(session.trace))
    assert told["figures"]["costs"]["rules"]
    assert told["steps"][1]["root"]
    wire = strict(schema.TraceFile, replayed(session.trace, {1: {97: session.explain(97, 1)}}))
    assert wire["issue_lines"]
    assert wire["steps"][1]["explain"]["97"]["issue"]
    strict(schema.Explanation, told_explanation(session.trace.program, session.explain("x")))


def test_a_push_has_the_fields_of_the_schema() -> None:
    session = scripted_session()
    session.record_operators()
    session.step(3)
    session.back(1)
    changes = Changes()
    changes.reset()
    known = {"seq": 1, "status": session.status, "error": None, "run": None}
    assert strict(schema.TracePush, changes.message(session.trace) | known)["header"]["name"]
    later = Changes()
    later.steps_from(1, 3)
    assert strict(schema.TracePush, later.message(session.trace) | known)["keep_steps"] == 1


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('root ::= "a" | [bc]{2,} word?\nword ::= [a-z]+ | ("x" word)*', "ebnf"),
        ("root ::= yes", "ebnf"),
        ('{"type": "object", "properties": {"a": {"type": "integer", "minimum": 3}}, "if": {}}', "json_schema"),
        ("[a-z]+(x|y)?", "regex"),
        ('root ::= "<" $name ">"', "ebnf"),
    ],
)
def test_a_pad_has_the_fields_of_the_schema(text: str, kind: str) -> None:
    pytest.importorskip("anywidget")
    from xg2lab.widgets.pad_wire import wire_good, wire_state

    pad = Pad(text, kind, examples=["a", "bb"]).wait()
    state = strict(schema.PadState, wire_state(pad))
    assert state["rows"]
    if (good := pad.state.good) is not None:
        assert strict(schema.Good, wire_good(good, pad.state.good_revision))["rules"]


# ---- The classes that hold it -------------------------------------------------------------------


def named(cls: type) -> dict[str, Any]:
    """The types of a class's fields, with the schema at hand as type checkers have it."""
    return typing.get_type_hints(cls, localns={"schema": schema})


def recorded(record: type) -> dict[str, Any]:
    """The types of a record's fields: bounds left out, and what may be absent as what may be null."""

    def bare(kind: Any) -> Any:
        if typing.get_origin(kind) is typing.Annotated:
            return bare(typing.get_args(kind)[0])
        return kind

    return {name: bare(kind) for name, kind in typing.get_type_hints(record).items()}


def test_a_step_has_the_fields_and_types_of_its_record() -> None:
    mine, theirs = named(Step), recorded(schema.Step)
    for told in ("lost", "inner", "root", "root_as_written", "written"):  # to pages, by xg2lab.widgets.page_trace
        assert theirs.pop(told)
    assert list(mine) == list(theirs)
    assert mine.pop("lanes") == Lanes | None
    assert theirs.pop("lanes") == schema.StepLanes | None
    assert mine.pop("top") == tuple[Candidate, ...]
    assert theirs.pop("top") == list[list[Any]]
    assert mine.pop("explain") == dict[int, schema.Explanation]
    assert theirs.pop("explain") == dict[str, schema.Explanation]
    assert mine == theirs
    assert {f.name for f in fields(Step)} == {*mine, "lanes", "top", "explain"}


def test_rows_have_the_members_of_their_classes() -> None:
    members = schema.Candidate.__metadata__[0].members
    assert tuple(members) == Candidate._fields
    assert [*LANES, "wait_ns"] == list(recorded(schema.StepLanes))
    assert list(recorded(schema.Branch)) == [f.name for f in fields(Branch)]
    assert list(recorded(schema.Selection)) == list(SELECTION)


def test_a_header_has_every_field_of_its_record() -> None:
    assert set(header("x", vocab_size=1)) == set(recorded(schema.Header))


# ---- Values that come from outside --------------------------------------------------------------


def damaged(path: tuple[Any, ...], value: Any) -> Any:
    session = with_model(NUMBERS, options=xgr.EngineOptions(parser="pda"))
    session.record_operators()
    session.force("[12,")
    wire = json.loads(json.dumps(session.trace.to_wire()))
    at = wire
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return wire


@pytest.mark.parametrize(
    ("path", "value", "pointer", "message"),
    [
        (("header", "sampling", "top_k"), -1, None, "an integer of 0 or more"),
        (("header", "sampling", "top_p"), float("inf"), None, "a number"),
        (("header", "options"), [], None, "an object"),
        (("header", "compile_passes", 0, 1), "x", None, "a number"),
        (("program", "states", 0, "before"), None, None, "a string and is null"),
        (("program", "rules", 0, "states"), [1], None, "a list of 2 values or more"),
        (("steps", 0, "index"), True, None, "an integer and is true or false"),
        (("steps", 0, "index"), 10**60, None, "a number of more than 40 digits"),
        (("steps", 1, "explain", "x"), {}, "/steps/1/explain/x", "named by a number"),
        (("steps", 1, "entries", 0, "storage"), "heap", None, "one of 'accepted_list', 'rejected_list' or 'bitset'"),
        (("steps", 1, "entries", 0, "hits"), 1.0, None, "an integer"),
        (("steps", 1, "stacks", "tops", 0, "state"), -1, None, "0 or more"),
        (("steps", 1, "live", 0), [], None, "an object"),
        (("steps", 1, "bytes"), "a", None, "bytes in hexadecimal"),
        (("steps", 1, "top", 0), [1, "a", None, None], "/steps/1/top/0", "a list of more values"),
        (("operators", "rows", 0), ["Write"], "/operators/rows/0", "a list of more values"),
        (("operators", "spans"), 3, "/operators/spans", None),
        (("chart", "columns", 0, 0, 6), "x", None, "an integer"),
        (("branches",), {}, None, "a list and is an object"),
        (("bulk",), {"one": None}, "/bulk/one", "named by a number"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_refused_by_its_place(
    path: tuple[Any, ...], value: Any, pointer: str | None, message: str | None
) -> None:
    wire = damaged(path, value)
    if message is None:
        assert Trace.from_wire(wire).operators is not None  # a field that a tree has not: of a newer writer
        return
    with pytest.raises(DeserializeFormatError) as caught:
        Trace.from_wire(wire)
    assert caught.value.pointer == (pointer or "/" + "/".join(map(str, path)))
    assert message in caught.value.message
    assert caught.value.hint


def test_a_number_of_more_digits_than_python_reads_is_refused() -> None:
    with pytest.raises(DeserializeFormatError, match="digits"):
        Trace.from_wire(damaged(("steps", 0, "index"), 10**5000))


def test_the_first_of_many_errors_is_told_and_the_rest_are_not_collected() -> None:
    step = damaged(("version",), 1)["steps"][0] | {"explain": {str(k): 1 for k in range(1000)}}
    for record, wrong in ((schema.Chart, {"columns": [[[]] * 1000] * 1000}), (schema.Step, step)):
        with pytest.raises(ValidationError) as caught:
            adapter(record).validate_python(wrong)
        assert caught.value.error_count() == 1


def test_text_and_values_are_read_alike() -> None:
    wire = damaged(("header", "newer"), {"a": [1]})
    text = json.dumps(wire)
    assert checked_json(schema.TraceFile, text.encode()) == checked(schema.TraceFile, wire)
    assert checked(schema.TraceFile, wire)["header"]["newer"] == {"a": [1]}
    assert checked_json(schema.TraceFile, text.replace('"prompt": ""', '"prompt": "\\udc80"').encode()) is None


def test_half_of_a_surrogate_pair_comes_back(tmp_path: Any) -> None:
    trace = Trace({**header("x", vocab_size=1), "prompt": "a\udc80b"})
    assert Trace.load(trace.save(tmp_path / "x.json")).header["prompt"] == "a\udc80b"
