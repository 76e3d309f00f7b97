"""White space without end raises an alarm, and ordinary white space none."""

from __future__ import annotations

import pytest

from xg2lab import Session, TokenizerInfo
from xg2lab.lab.session.alarms import ALARM_BYTES

INFO = TokenizerInfo([b"{", b"}", b" ", b"\n", b"  ", b"x \n", b" x", b"</s>"], stop_token_ids=[7])
OPEN = r'root ::= "{" ([ \n]* | [ x\n]*) "}"'


def test_white_space_without_end_is_told_while_it_lasts_and_after() -> None:
    session = Session(OPEN, INFO)
    session.force("{" + " " * (ALARM_BYTES - 1))
    assert session.alarms == []
    session.force("\n")
    (alarm,) = session.alarms
    assert (alarm.code, alarm.n_bytes, alarm.is_open) == ("endless_whitespace", ALARM_BYTES, True)
    assert "lets it go on" in str(alarm)
    assert any("session.alarms" in note for note in session.trace.notes)
    session.force("}")
    assert [alarm.is_open for alarm in session.alarms] == [False]
    session.back(3)
    assert session.alarms == []


def test_a_bound_is_no_alarm_that_is_open() -> None:
    session = Session(rf'root ::= "{{" [ ]{{0,{ALARM_BYTES}}} "}}"', INFO)
    session.force("{" + " " * ALARM_BYTES)
    assert [alarm.is_open for alarm in session.alarms] == [False]
    assert not any("session.alarms" in note for note in session.trace.notes)


@pytest.mark.parametrize("text", ["{}", "{ x x x}", "{" + " x" * 40 + "}", "{" + "x \n" * 20 + "}"])
def test_usual_white_space_is_none(text: str) -> None:
    session = Session(OPEN, INFO)
    session.force(text)
    assert session.alarms == []


def test_a_run_begins_and_ends_inside_tokens() -> None:
    session = Session(OPEN, INFO)
    session.force("{" + "x \n" + " " * ALARM_BYTES + " x" + "}")
    (alarm,) = session.alarms
    assert alarm.n_bytes == ALARM_BYTES + 3
