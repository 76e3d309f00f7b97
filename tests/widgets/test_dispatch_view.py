"""DispatchView as text and data: what armed, broke and fired, byte by byte, against the text itself."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ui.scripted import scripted_session, vocabulary
from xg2lab import Grammar, TokenizerInfo
from xg2lab.lab import Session
from xg2lab.lab.trace.tags import opened_tags
from xg2lab.widgets import DispatchView
from xg2lab.widgets.page_trace import told_facts

GRAMMAR = r"""
root ::= TagDispatch(("<tool>", call), ("<top>", [0-9]+ ";"), stop_str=("STOP",), stop_eos=true)
call ::= "{" [a-z]* "}"
"""
TEXT = "a <to b <<tool>{x} é <top>7"


def dispatching(text: str, grammar: str = GRAMMAR, name: str = "dispatch") -> Any:
    """A session without a model, forced through a text."""
    info = TokenizerInfo(vocabulary(512), vocab_size=512, stop_token_ids=[504])
    session = Session(grammar.replace('[0-9]+ ";"', "count") + 'count ::= [0-9]+ ";"\n', info, name=name)
    for byte in text.encode():
        session.force(byte)
    return session


def tags_of_one_trigger(n_tags: int, text: str) -> Any:
    """A session without a model on a structural tag: many tools, one trigger, and one schema for all."""
    content = {
        "type": "json_schema",
        "json_schema": {"type": "object", "properties": {}, "additionalProperties": False},
    }
    tags = [
        {"type": "tag", "begin": f"<function=svc{k // 100}.op{k % 100:03}>", "content": content, "end": "</function>"}
        for k in range(n_tags)
    ]
    form = {"type": "triggered_tags", "triggers": ["<function="], "tags": tags}
    info = TokenizerInfo(vocabulary(512), vocab_size=512, stop_token_ids=[504])
    grammar = Grammar.from_structural_tag({"type": "structural_tag", "format": form})
    session = Session(grammar, info, name="one trigger")
    session.force(text, byte_by_byte=True)
    return session


def test_the_tags_that_a_trigger_leaves_open_are_told_with_the_whole_trace() -> None:
    session = tags_of_one_trigger(500, "a <function=")
    told = told_facts(session.trace, whole=True)["tags"]
    assert [(tags["rule"], tags["text"], len(tags["begins"])) for tags in told] == [(0, 0, 500)]
    assert told[0]["begins"][385] == "<function=svc3.op085>"
    assert "tags" not in told_facts(session.trace, whole=False)
    assert "tags" not in told_facts(scripted_session(name="no tags").trace, whole=True)
    by_hand = dispatching("", 'root ::= TagDispatch(("<t ", tool))\ntool ::= "\\x61\\n>" | [b-c] ">" | "\\u00e9>"\n')
    others = [["[b-c]", [[ord("b"), ord("c")]]]]
    assert opened_tags(by_hand.trace) == [{"rule": 0, "text": 0, "begins": ["a\n>", "é>"], "others": others}]


@pytest.mark.parametrize(
    ("call", "begins", "others"),
    [
        ('[a-z]+ ">" | "x>"', ["x>"], {"[a-z]": [[97, 122]]}),
        ('[a-z] ">" | [0-9]', [], {"[0-9]": [[48, 57]], "[a-z]": [[97, 122]]}),
        ('deep "!" | "x>"\ndeep ::= "(" deep ")" | "y"', ["x>"], {"deep": []}),
    ],
)
def test_tags_without_a_literal_beginning_are_not_left_out(
    call: str, begins: list[str], others: dict[str, list[list[int]]]
) -> None:
    session = dispatching("", f'root ::= TagDispatch(("<t ", tool))\ntool ::= {call}\n', call)
    (told,) = opened_tags(session.trace)
    assert told["begins"] == begins
    found = {said: sorted(ranges) for said, ranges in told["others"]}
    assert {said: covered(ranges) for said, ranges in found.items()} == {
        said: covered(ranges) for said, ranges in others.items()
    }


def covered(ranges: list[list[int]]) -> set[int]:
    """The bytes of ranges."""
    return {byte for lo, hi in ranges for byte in range(lo, hi + 1)}


def test_a_trigger_that_opens_one_beginning_says_it_by_itself() -> None:
    assert opened_tags(dispatching("", 'root ::= TagDispatch(("<t ", tool))\ntool ::= [a-z]+\n', "one").trace) == []


def test_events_are_those_of_the_text() -> None:
    data = DispatchView(dispatching(TEXT)).data()
    raw = TEXT.encode()
    assert [t["kind"] for t in data["texts"]] == ["trigger", "trigger", "stop"]
    events = {r["at"]: r["event"] for r in data["readings"] if r["event"]}
    fires = [at for at, event in events.items() if event == "fires"]
    assert fires == [raw.index(b"<tool>") + 6, raw.index(b"<top>") + 5]
    breaks = [at - 1 for at, event in events.items() if event == "breaks"]
    assert breaks == [raw.index(b" b"), raw.index(b"<<") + 1]
    assert len(data["readings"]) == len(raw) + 1
    inside = range(raw.index(b"{") + 1, raw.index(b"}"))
    assert not any(data["readings"][at]["dispatching"] for at in inside)


@pytest.mark.parametrize("n_bytes", range(len("x <to")))
def test_read_bytes_are_a_suffix_of_the_text(n_bytes: int) -> None:
    text = "x <to"[: n_bytes + 1]
    view = DispatchView(dispatching(text, name=f"suffix {n_bytes}"))
    now = view.data()["readings"][-1]
    watched = view.data()["texts"][now["place"]["text"]]["text"]
    ends = [text[k:] for k in range(len(text) + 1)]
    longest = max(len(end) for end in ends if "<tool>".startswith(end) or "<top>".startswith(end))
    assert now["place"]["n_read"] == longest
    assert watched[: now["place"]["n_read"]] == text[len(text) - longest :]
    if longest:
        assert f"{longest} of {len(watched)} bytes of {watched!r}" in view.lines()[-1]


def test_a_grammar_without_tags_says_how_one_is_written() -> None:
    view = DispatchView(scripted_session(name="no tags"))
    assert view.data() == {"texts": [], "readings": []}
    assert "TagDispatch" in repr(view)
