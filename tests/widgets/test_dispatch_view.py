"""DispatchView as text and data: what armed, broke and fired, byte by byte, against the text itself."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ui.scripted import scripted_session, vocabulary
from xg2lab import TokenizerInfo
from xg2lab.lab import Session
from xg2lab.widgets import DispatchView

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
