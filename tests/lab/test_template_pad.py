"""A pad that holds a template: its arguments, mistakes in both texts, examples under the instance, and its session."""

from __future__ import annotations

import json
from typing import Any

import pytest

import xg2lab as xgr
from xg2lab.errors import SessionError
from xg2lab.lab import Session
from xg2lab.lab.pad.pad import Pad, shown_of
from xg2lab.lab.pad.template_drafts import has_slots, read_template, skeleton
from xg2lab.widgets import GrammarPad
from xg2lab.widgets.pad_wire import wire_good, wire_state

TEMPLATE = """root    ::= Each($sections, section) OneOf($ends)
section ::= "<" $id ">" [a-z]+
"""
ARGUMENTS: dict[str, Any] = {"sections": [{"id": "a"}, {"id": "b"}], "ends": [".", "!"]}
WRITTEN = json.dumps(ARGUMENTS)
SCHEMA = '{"type": "array", "items": {"enum": {"$slot": "ids"}}}'


def marked(text: str, findings: list[dict[str, Any]]) -> list[str]:
    """What of a text is marked."""
    return [text.encode()[slice(*finding["span"])].decode() for finding in findings]


@pytest.mark.parametrize(
    ("text", "kind", "is_one"),
    [
        ("root ::= $x", "ebnf", True),
        ("root ::= [a-z] $$x", "ebnf", True),
        ("root ::= \"$x\" [$x] '$y' # $z", "ebnf", False),
        ('root ::= "\\"" [\\]$] $x', "ebnf", True),
        ("root ::= $x", "regex", False),
        (SCHEMA, "json_schema", True),
        ('{"const": "$slot"}', "json_schema", False),
    ],
)
def test_a_text_with_slots_is_a_template(text: str, kind: str, is_one: bool) -> None:
    assert has_slots(text, kind) == is_one


def test_examples_are_held_against_the_instance() -> None:
    pad = Pad(TEMPLATE, arguments=WRITTEN, examples=["<a>x<b>y!", ("<a>x.", False)]).wait()
    assert [row.verdict for row in pad.bench.rows] == ["match", "reject at byte 4"]
    assert pad.state.is_template
    good = pad.state.good
    assert good is not None
    assert [rule.name for rule in good.rules] == ["root", "section"]
    assert wire_good(good, 1)["is_source"]
    pad.write(TEMPLATE, arguments=json.dumps(ARGUMENTS | {"sections": [{"id": "a"}]}))
    assert [row.verdict for row in pad.wait().bench.rows] == ["reject at byte 4", "match"]


def test_mistakes_in_arguments_are_marked_in_both_texts() -> None:
    text = '{"sections": [{"id": 3}, {"id": "é", "x": 1}], "ends": []}'
    pad = Pad(TEMPLATE, arguments=text).wait()
    state = wire_state(pad)
    assert pad.state.good is None
    assert marked(TEMPLATE, state["findings"]) == ["$ends", "section", "$id"]
    assert all(finding["of_arguments"] for finding in state["findings"])
    assert marked(text, state["arguments"]["findings"]) == ["3", '"x"', "[]"]
    assert [f["pointer"] for f in state["arguments"]["findings"]] == ["/sections/0/id", "/sections/1/x", "/ends"]
    assert [f["column"] for f in state["arguments"]["findings"]] == [22, 38, 56]


def test_what_is_missing_is_marked_where_it_belongs() -> None:
    text = '{"ends": ["."], "sections": [{}]}'
    state = wire_state(Pad(TEMPLATE, arguments=text).wait())
    (finding,) = state["arguments"]["findings"]
    assert (finding["code"], finding["pointer"], finding["span"]) == ("missing_argument", "/sections/0", [29, 30])


@pytest.mark.parametrize(
    ("arguments", "message", "span"),
    [
        ('{"ends": [}', "the arguments are not JSON: Expecting value", [10, 11]),
        ("[]", "arguments are one JSON object", [0, 2]),
        ('{"ends": [], "ends": []}', 'the name "ends" comes twice', [0, 1]),
        ('{"ends": {"$bytes": "f"}}', "the arguments can't be read: non-hexadecimal", [0, 1]),
    ],
)
def test_arguments_that_are_none_are_said_in_their_text_alone(arguments: str, message: str, span: list[int]) -> None:
    pad = Pad(TEMPLATE, arguments=arguments).wait()
    state = wire_state(pad)
    assert state["findings"] == []
    (finding,) = state["arguments"]["findings"]
    assert finding["message"].startswith(message)
    assert finding["span"] == span
    assert pad.state.draft is not None
    assert pad.state.draft.n_errors == 1


def test_mistakes_of_the_template_are_said_in_it() -> None:
    state = wire_state(Pad("root ::= $x OneOf($x)", arguments="{}").wait())
    assert [finding["message"] for finding in state["findings"]] == [
        "`$x` is a list of texts here and a text elsewhere"
    ]
    assert state["arguments"]["findings"] == []


# ---- What is questionable -----------------------------------------------------------------------

BLANKS = """root ::= Each($rows, row)
row  ::= $sep* OneOf($ends) ("x" | "x")
"""


def codes(findings: list[dict[str, Any]]) -> list[str]:
    return [finding["code"] for finding in findings]


def test_lints_of_an_instance_stand_in_the_template_once() -> None:
    arguments = '{"rows": [{"sep": ",", "ends": ["a"]}, {"sep": ",", "ends": ["b"]}, {"sep": ";", "ends": ["c"]}]}'
    pad = Pad(BLANKS, arguments=arguments).wait()
    state = wire_state(pad)
    assert codes(state["findings"]) == ["duplicate_alternative"]
    assert marked(BLANKS, state["findings"]) == ['"x"']
    assert "of_arguments" not in state["findings"][0]
    assert state["arguments"]["findings"] == []
    assert pad.state.draft is not None
    assert pad.state.draft.n_errors == 0
    assert pad.state.is_good_current


def test_what_an_argument_is_to_blame_for_is_marked_in_both_texts() -> None:
    arguments = (
        '{"rows": [{"sep": ",", "ends": ["a", "b", "a"]}, {"sep": " ", "ends": ["b"]}, {"sep": " ", "ends": ["c"]}]}'
    )
    state = wire_state(Pad(BLANKS.replace('("x" | "x")', '"x"'), arguments=arguments).wait())
    assert codes(state["findings"]) == ["endless_whitespace", "duplicate_alternative"]
    assert marked(BLANKS, state["findings"]) == ["$sep*", "OneOf($ends)"]
    assert all(finding["of_arguments"] for finding in state["findings"])
    assert state["findings"][0]["fix"] == {"title": "write $sep{0,8}", "text": "$sep{0,8}"}
    places = state["arguments"]["findings"]
    assert all(one["fix"] is None for one in places)
    assert [(one["code"], one["pointer"]) for one in places] == [
        ("duplicate_alternative", "/rows/0/ends/2"),
        ("endless_whitespace", "/rows/1/sep"),
        ("endless_whitespace", "/rows/2/sep"),
    ]
    assert marked(arguments, places) == ['"a"', '" "', '" "']
    assert places[0]["span"][0] == arguments.rindex('"a"')
    assert {one["severity"] for one in places} == {"warning"}
    assert places[0]["message"] == 'this choice has the alternative `"a"` twice'


def test_what_holds_for_every_instance_is_said_while_the_arguments_are_wrong() -> None:
    text = 'root ::= $x\nlost ::= "a" lost'
    for arguments in ("{", '{"y": 1}', '{"x": "a"}'):
        state = wire_state(Pad(text, arguments=arguments).wait())
        assert [one["code"] for one in state["findings"] if "of_arguments" not in one] == ["never_matches"]
    assert wire_state(Pad(text, arguments='{"x": "a"}').wait())["arguments"]["findings"] == []


def test_of_a_schema_findings_stand_in_the_text_as_it_was_written() -> None:
    text = '{"type":"array","items":{"enum":{"$slot":"ids"},"maxlength":3}}'
    state = wire_state(Pad(text, "json_schema", arguments='{"ids": 3}').wait())
    assert marked(text, state["findings"]) == ['{"$slot":"ids"}']
    assert marked('{"ids": 3}', state["arguments"]["findings"]) == ["3"]
    state = wire_state(Pad(text, "json_schema", arguments='{"ids": ["a"]}').wait())
    assert codes(state["findings"]) == ["unknown_keyword"]
    assert marked(text, state["findings"]) == ['"maxlength"']
    assert state["arguments"]["findings"] == []
    broken = '{"type":"array","items":{"enum":{"$slot":7}}}'
    state = wire_state(Pad(broken, "json_schema", as_template=True, arguments="{}").wait())
    assert marked(broken, state["findings"])[0] in broken


def test_texts_that_can_be_read_in_two_ways_are_looked_for_in_the_instance() -> None:
    text, arguments = "root ::= OneOf($a) OneOf($b)", '{"a": ["x", "xy"], "b": ["z", "yz"]}'
    assert read_template(text, arguments).places == ()
    found = read_template(text, arguments, seconds=5.0)
    assert [one.code for one in (*found.findings, *found.issues)] == ["ambiguous"]
    names = read_template('root ::= Each($r, row)\nrow ::= $id "x"', '{"r": [{"id": "a"}, {"id": "b"}]}', seconds=1.0)
    assert names.findings == ()  # copies of a rule have similar names, which nobody wrote


def test_arguments_of_a_great_length_are_not_linted() -> None:
    rows = [{"sep": " ", "ends": [f"e{k}"]} for k in range(5000)]
    read = read_template(BLANKS, json.dumps({"rows": rows}))
    assert (read.findings, read.places) == ((), ())
    some = read_template(BLANKS, json.dumps({"rows": rows[:500]}))
    assert 100 < len(some.places) <= 200
    assert [one.code for one in some.issues] == ["endless_whitespace"]


def test_a_text_without_slots_is_a_template_if_it_is_asked_to_be() -> None:
    assert wire_state(Pad('root ::= "a"').wait())["arguments"] is None
    state = wire_state(Pad('root ::= "a"', as_template=True, arguments='{"x": 1}').wait())
    assert [finding["code"] for finding in state["arguments"]["findings"]] == ["unknown_argument"]


def test_an_instance_that_cannot_match_is_a_finding() -> None:
    read = read_template('root ::= "a" OneOf($x)', '{"x": []}')
    assert (read.n_errors, [one.code for one in read.issues]) == (1, ["empty_choice"])
    pad = Pad('root ::= If($b, r, "a")\nr ::= "b" r', arguments='{"b": true}').wait()
    assert pad.state.draft is not None
    assert pad.state.draft.n_errors == 1


def test_a_schema_may_be_a_template() -> None:
    pad = Pad(SCHEMA, "json_schema", arguments='{"ids": ["a", {"b": 1}]}', examples=['["a"]', '["c"]']).wait()
    assert [row.agrees for row in pad.bench.rows] == [True, False]


@pytest.mark.parametrize(
    "text",
    [TEMPLATE, "root ::= Each($xs, r)\nr ::= $id Each($xs, r) $$y If($b, OneOf($c), Use($g)){$n}"],
)
def test_a_skeleton_has_all_slots(text: str) -> None:
    template = xgr.Template.from_ebnf(text)
    read = read_template(text, json.dumps(skeleton(template)))
    assert (read.n_errors, read.issues) == (0, ())


def test_a_session_begins_again_with_the_pads_arguments() -> None:
    info = xgr.TokenizerInfo([b"<", b">", b"a", b"b", b".", b"!", b"</s>"], stop_token_ids=[6])
    session = Session(xgr.Template.from_ebnf(TEMPLATE), info, arguments=ARGUMENTS)
    pad = Pad(**shown_of(session), session=session).wait()
    assert pad.is_applied
    template = session.instance.template  # pyright: ignore[reportOptionalMemberAccess]
    other = {"sections": [], "ends": ["!"]}
    pad.write(TEMPLATE, arguments=json.dumps(other))
    assert not pad.wait().is_applied
    pad.apply()
    assert session.instance is not None
    assert session.instance.template is template
    assert session.trace.header["template"]["arguments"] == other
    assert pad.is_applied
    pad.write(TEMPLATE + "# another\n")
    pad.wait().apply()
    assert session.instance.template is not template
    pad.write('root ::= "a"')
    pad.wait().apply()
    assert (session.instance, pad.is_applied) == (None, True)


def test_a_pad_follows_its_session_unless_something_was_typed() -> None:
    info = xgr.TokenizerInfo([b"<", b">", b"a", b"b", b".", b"!", b"</s>"], stop_token_ids=[6])
    session = Session(xgr.Template.from_ebnf(TEMPLATE), info, arguments=ARGUMENTS)
    pad = Pad(**shown_of(session), session=session).wait()
    session.instantiate(sections=[], ends=["!"])
    assert json.loads(pad.wait().state.arguments) == {"sections": [], "ends": ["!"]}
    assert pad.is_applied
    pad.write(TEMPLATE, arguments='{"sections":[],"ends":["."]}')
    pad.wait().apply()
    session.instantiate(**ARGUMENTS)
    assert json.loads(pad.wait().state.arguments) == ARGUMENTS
    session.change_grammar('root ::= "a"')
    assert (pad.wait().state.text, pad.is_applied) == ('root ::= "a"', True)
    pad.write('root ::= "b"')
    session.change_grammar(TEMPLATE, ARGUMENTS)
    assert (pad.wait().state.text, pad.is_applied) == ('root ::= "b"', False)


def test_a_pad_reads_the_template_of_a_session_as_the_session_spells_it() -> None:
    tokens = [b"<", b">", b"a", b"b", b".", b"!", b"aa", b"</s>"]
    info = xgr.TokenizerInfo(tokens, stop_token_ids=[7])

    def encode(text: str) -> list[int]:
        return [tokens.index(text.encode())] if text == "aa" else [tokens.index(bytes([b])) for b in text.encode()]

    template = xgr.Template.from_ebnf(TEMPLATE, spelling="tokens", encode=encode)
    session = Session(template, info, arguments=ARGUMENTS)
    pad = Pad(**shown_of(session), session=session).wait()
    good = pad.state.good
    assert good is not None
    assert "Token(2)" in str(good.grammar)
    pad.write(TEMPLATE.replace("[a-z]+", '"aa"'), arguments=WRITTEN)
    pad.wait().apply()
    assert session.instance is not None
    assert session.instance.template.template.spelling == "tokens"
    assert [session.force(token)[-1].n_allowed for token in (0, 2, 1, 6)] == [1, 1, 1, 1]
    with pytest.raises(SessionError, match="come in a tokenizer's tokens") as caught:
        GrammarPad(template)
    assert "session" in caught.value.hint


def test_examples_go_to_pytest_with_the_written_out_grammar() -> None:
    pad = Pad(TEMPLATE, arguments=WRITTEN, examples=["<a>x<b>y!"]).wait()
    text = pad.to_pytest()
    assert 'section.sections.1 ::= "<" "b" ">" [a-z]+' in text
    compile(text, "test_grammar.py", "exec")
