"""Requests with tools as lines of a sweep: their schema, the expected calls, and what the model wrote."""

import json

import pytest

from xg2lab.errors import InvalidJSONError
from xg2lab.integrations.sweep import results_page, sweep
from xg2lab.integrations.sweep.calls import answer_text, answers_of, calls_schema, difference, tagged_grammar
from xg2lab.integrations.sweep.cases import read_case
from xg2lab.integrations.sweep.engines import schema_source
from xg2lab.integrations.sweep.measuring import Tools, measured
from xg2lab.integrations.sweep.options import SweepOptions
from xg2lab.integrations.sweep.results import read_rows
from xg2lab.integrations.sweep.summary import summarize
from xg2lab.lab.engines import judge_instance

BOIL = {
    "type": "function",
    "function": {
        "name": "boil",
        "parameters": {
            "type": "object",
            "properties": {"what": {"type": "string"}, "minutes": {"type": "integer"}},
            "required": ["what"],
        },
    },
}
WAIT = {"type": "function", "function": {"name": "wait"}}
LINE = {
    "id": "eggs",
    "question": [[{"role": "system", "content": "You cook."}, {"role": "user", "content": "Boil two eggs."}]],
    "tools": [BOIL, WAIT],
    "turns": [[{"name": "boil", "arguments": {"what": "two eggs"}}]],
}


def line(**more):
    return json.dumps({**LINE, **more}).encode()


def call(name="boil", **arguments):
    return {"name": name, "arguments": arguments}


# ---- Lines ----


def test_a_request_with_tools_is_a_case():
    case = read_case(line())
    assert (case.name, case.prompt, case.has_calls) == ("eggs", "You cook.\nBoil two eggs.", True)
    assert case.answers == [{"boil": {"what": ["two eggs"]}}]
    said = [judge_instance(schema_source(case.schema), json.dumps(text)).is_valid for text in ([], [call(what="a")])]
    assert said == [True, True]
    for wrong in ([call()], [call("fry", what="a")], [call(what="a", minutes="b")], [{**call("wait"), "more": 1}], {}):
        assert judge_instance(schema_source(case.schema), json.dumps(wrong)).is_valid is False


def test_a_question_may_be_a_text_or_a_list_of_messages():
    assert read_case(b'{"tools": [], "prompt": "Hi"}').prompt == "Hi"
    assert read_case(b'{"tools": [], "question": [{"role": "user", "content": "Hi"}]}').prompt == "Hi"
    assert read_case(b'{"tools": [], "question": []}').prompt == ""


def test_a_schema_with_a_key_tools_stays_a_schema():
    assert read_case(b'{"tools": []}').has_calls is False
    assert read_case(b'{"schema": true, "tools": [], "prompt": "Hi"}').schema == "true"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"tools": [3]}, "tool 0 is 3"),
        ({"tools": [{"function": {"name": "a", "parameters": 3}}]}, "tool 0 is"),
        ({"question": 3}, "the question is 3"),
        ({"question": [[{"role": "user"}]]}, "the question is"),
        ({"turns": 3}, "the turns are 3"),
        ({"turns": [[{"name": "a"}]]}, "the turns are"),
        ({"ground_truth": 3}, "the ground truth is 3"),
        ({"ground_truth": [{"a": {}, "b": {}}]}, "a call of the ground truth is"),
        ({"ground_truth": [{"a": {"b": 3}}]}, "the values of b are 3"),
    ],
)
def test_a_line_that_is_no_request_says_why(more, said):
    with pytest.raises(InvalidJSONError) as caught:
        read_case(line(**more))
    assert said in caught.value.message
    assert caught.value.hint


def test_references_of_a_tool_stay_within_it():
    parameters = {"$defs": {"n": {"type": "integer"}}, "type": "object", "properties": {"a": {"$ref": "#/$defs/n"}}}
    tools = [{"type": "function", "function": {"name": name, "parameters": parameters}} for name in ("f", "g")]
    source = schema_source(json.dumps(calls_schema(tools)))
    said = [judge_instance(source, json.dumps([call("g", a=value)])).is_valid for value in (1, "x")]
    assert said == [True, False]
    row = measured(
        json.dumps(
            {"schema": calls_schema(tools), "valid": [[call("g", a=1)]], "invalid": [[call("g", a="x")]]}
        ).encode(),
        Tools(SweepOptions(what=("audit",)), bytes_info()),
    )
    assert (row["verdict"], row["n_wrongly_rejected"], row["n_wrongly_accepted"]) == ("compiled", 0, 0)


def bytes_info():
    from xg2lab import TokenizerInfo

    return TokenizerInfo([*(bytes([k]) for k in range(256)), b"</s>"], stop_token_ids=[256])


def test_the_grammar_of_marked_calls_takes_what_the_schema_does():
    from xg2lab.testing import _is_grammar_accept_string

    grammar = tagged_grammar(calls_schema([BOIL, WAIT]), any_whitespace=False, strict_mode=True)
    one = '<tool_call>\n{"name": "boil", "arguments": {"what": "a", "minutes": 3}}\n</tool_call>'
    two = '<tool_call>\n{"name": "wait", "arguments": {}}\n</tool_call>'
    for text in ("", one, f"{one}\n{two}\n{one}"):
        assert _is_grammar_accept_string(grammar, text)
        schema = schema_source(json.dumps(calls_schema([BOIL, WAIT])))
        assert judge_instance(schema, answer_text(text)).is_valid
    for text in (f"{one}{two}", one.replace("boil", "fry"), one.replace('"a"', "1"), one.replace("minutes", "salt")):
        assert not _is_grammar_accept_string(grammar, text)
    assert _is_grammar_accept_string(tagged_grammar(calls_schema([])), "")


# ---- Expected calls ----

POSSIBLE = [{"boil": {"what": ["two eggs", "eggs"], "minutes": [8, 10, ""]}}]


@pytest.mark.parametrize(
    ("calls", "said"),
    [
        ([call(what="eggs")], ""),
        ([call(what="Two  EGGS", minutes=10)], ""),
        ([call(what="eggs", minutes=9)], "boil: minutes is 9, expected 8 or 10 or"),
        ([call(what="eggs", minutes=True)], "boil: minutes is true"),
        ([call(minutes=8)], "boil: what is missing"),
        ([call(what="eggs", salt=1)], "boil: salt is not expected"),
        ([call("wait")], '"wait" is called, expected boil'),
        ([], "0 calls, expected 1"),
        ([call(what="eggs"), call("wait")], "2 calls, expected 1"),
        ([{"name": "boil", "arguments": 3}], "boil: the arguments are no object"),
        ({}, "the answer is no list of calls"),
    ],
)
def test_a_call_is_compared_with_the_possible_answers(calls, said):
    found = difference(json.dumps(calls), answers_of({"ground_truth": POSSIBLE}))
    assert found.startswith(said) if said else found == ""


def test_the_order_of_calls_is_free_and_each_counts_once():
    wanted = answers_of({"turns": [[call(what="a"), call(what="b"), call(what="b")]]})
    assert difference(json.dumps([call(what="b"), call(what="a"), call(what="b")]), wanted) == ""
    assert difference(json.dumps([call(what="b"), call(what="a"), call(what="a")]), wanted) != ""


def test_values_within_values_are_compared():
    concrete = answers_of({"turns": [[call(pot={"size": 2, "lids": [True, {"a": "x"}]})]]})
    possible = answers_of({"ground_truth": [{"boil": {"pot": [{"size": [2, 3], "lids": [[True, {"a": ["x", ""]}]]}]}}]})
    same = [call(pot={"lids": [True, {"a": "X"}], "size": 2.0})]
    for answers in (concrete, possible):
        assert difference(json.dumps(same), answers) == ""
        for lids in ([1, {"a": "x"}], [True], [True, {"a": "y"}], True):
            assert difference(json.dumps([call(pot={"size": 2, "lids": lids})]), answers) != ""
    assert difference(json.dumps([call(pot={"size": 3, "lids": [True, {}]})]), possible) == ""


def test_no_call_may_be_expected_and_nothing_may_be_known():
    assert difference("[]", answers_of({"turns": []})) == ""
    assert difference(json.dumps([call("wait")]), answers_of({"turns": []})) == "1 calls, expected 0"
    assert answers_of({"turns": None}) is None
    assert difference("no", []) == "the answer is not JSON"


def test_what_a_model_writes_without_a_grammar_is_found():
    two = '<tool_call>\n{"name": "a"}\n</tool_call> and <tool_call>{"name": "b"}</tool_call>'
    assert json.loads(answer_text(two)) == [{"name": "a"}, {"name": "b"}]
    assert answer_text('{"name": "a"}') == '[{"name": "a"}]'
    assert answer_text('{"name": "a"}', is_list=False) == '{"name": "a"}'
    assert answer_text("So:\n```\n[]\n```\nDone.") == "[]"
    assert answer_text(" I can't. ") == answer_text("") == "[]"
    assert answer_text(" I can't. ", is_list=False) == "I can't."
    marked = '<tool_call>\n{"name": "a", "arguments": "</tool_call><tool_call>"}\n</tool_call>'
    assert json.loads(answer_text(marked)) == [{"name": "a", "arguments": "</tool_call><tool_call>"}]
    for broken in ('<tool_call>{"name": }</tool_call>', "[1", "{", "<tool_call>"):
        assert difference(answer_text(broken), []) in ("the answer is not JSON", "the answer is no list of calls")


# ---- The tiny model ----

TIMER = {
    "type": "function",
    "function": {
        "name": "set_timer",
        "parameters": {
            "type": "object",
            "properties": {"minutes": {"type": "integer"}, "label": {"type": "string", "maxLength": 20}},
            "required": ["minutes", "label"],
            "additionalProperties": False,
        },
    },
}


def timer(request, minutes, label, **more):
    expected = [[{"name": "set_timer", "arguments": {"minutes": minutes, "label": label}}]]
    return {"question": [[{"role": "user", "content": request}]], "tools": [TIMER], "turns": expected, **more}


def test_a_row_s_text_does_not_depend_on_the_rows_before():
    tools = Tools(SweepOptions(what=("generate", "unconstrained"), max_tokens=64), bytes_info())
    first = json.dumps(timer("Set a timer for 25 minutes called lentil soup.", 25, "lentil soup")).encode()
    other = json.dumps(timer("Set a timer for 5 minutes called tea.", 5, "tea")).encode()
    rows = [measured(one, tools) for one in (first, other, first)]
    assert rows[0]["generated"] == rows[2]["generated"]
    assert rows[0]["unconstrained"] == rows[2]["unconstrained"]


def test_a_model_without_marks_of_its_own_writes_the_list_itself():
    from xg2lab.tiny import tiny_model_path

    tools = Tools(SweepOptions(what=("generate",), model=str(tiny_model_path()), max_tokens=96), bytes_info())
    wait = {"type": "function", "function": {"name": "wait", "parameters": {"const": 5}}}
    line = {"prompt": "Wait.", "tools": [wait], "turns": []}
    wrote = measured(json.dumps(line).encode(), tools)["generated"]
    assert wrote is not None
    assert wrote["text"].startswith("[")
    assert "<tool_call>" not in wrote["text"]


def test_accuracy_is_counted_with_the_grammar_and_without(tmp_path):
    requests = [
        timer("Please set a timer for 25 minutes called lentil soup.", 25, "lentil soup", id="right"),
        timer("Please set a timer for 25 minutes called lentil soup.", 26, "lentil soup", id="wrong"),
        timer("Please set a timer for 25 minutes called lentil soup.", 25, "lentil soup", id="open", turns=None),
    ]
    source = tmp_path / "calls.jsonl"
    source.write_text("".join(json.dumps(one) + "\n" for one in requests))
    out = sweep(source, tmp_path / "out.parquet", what=["generate", "unconstrained"], workers=1, quiet=True).out
    assert out is not None
    rows = {row["name"]: row for row in read_rows(out)}
    for key in ("generated", "unconstrained"):
        wrote = {name: row[key] for name, row in rows.items()}
        assert wrote["right"]["text"] == wrote["wrong"]["text"] == wrote["open"]["text"]
        assert [one["is_valid"] for one in wrote.values()] == ["yes"] * 3
        assert {name: one["is_expected"] for name, one in wrote.items()} == {"right": "yes", "wrong": "no", "open": ""}
        assert wrote["wrong"]["why"] == "set_timer: minutes is 25, expected 26"
    said = str(summarize(rows.values())).splitlines()
    assert said[-2:] == [
        "generated 3: 3 whole, 3 of 3 judged valid, 1 of 2 as expected",
        "without the grammar 3: 3 whole, 3 of 3 judged valid, 1 of 2 as expected",
    ]
    page = results_page(rows.values())
    assert "<b>50.0%</b><span>of 2 answers as expected</span>" in page
    assert "<b>50.0%</b><span>of 2 answers as expected without the grammar</span>" in page
    assert 'data-group="unconstrained/is_expected/no"' in page


def test_the_model_s_own_limit_cuts_an_answer():
    tools = Tools(SweepOptions(what=("generate", "unconstrained")), bytes_info())
    for n_digits, end in ((4000, "length"), (4100, "failed")):  # two digits are a token
        row = measured(
            json.dumps({"schema": {"type": "string", "minLength": 99}, "prompt": "9" * n_digits}).encode(), tools
        )
        assert row["generated"] is not None
        assert row["generated"]["end"] == end
        assert "2048" in row["generated"]["why"] or row["generated"]["why"] == "the model reads no more tokens"


def test_an_answer_that_is_cut_or_refused_is_not_the_expected_one():
    tools = Tools(SweepOptions(what=("generate", "unconstrained"), max_tokens=3), bytes_info())
    row = measured(json.dumps(timer("Set a timer for 5 minutes called tea.", 5, "tea")).encode(), tools)
    assert (row["generated"]["end"], row["generated"]["is_expected"]) == ("length", "no")
    assert (row["unconstrained"]["end"], row["unconstrained"]["is_expected"]) == ("length", "no")
    line = b'{"schema": {"type": "array", "uniqueItems": true}, "prompt": "List them.", "expected": []}'
    row = measured(line, tools)
    assert (row["generated"]["end"], row["generated"]["is_expected"]) == ("failed", "no")
