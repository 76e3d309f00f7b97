"""An engine in a process of its own: what crosses, and that its crash, hang or hunger for memory stays there."""

from __future__ import annotations

import sys

import pytest

from tests.lab.engines.stubs import Literal
from xg2lab import TokenizerInfo
from xg2lab.errors import ArgumentError
from xg2lab.lab.engines import Engine, EngineError, EngineSource, Worker, engine_names

INFO = TokenizerInfo([b"a", b"b", b"ab", b"</s>"], stop_token_ids=[3])
SOURCE = EngineSource("regex", "abab")
STUBS = "tests.lab.engines.stubs:"


@pytest.mark.parametrize(
    "engine",
    ["xg2lab", "xg2lab-pda", "xg2lab-plain", STUBS + "Literal", pytest.param(Literal(), id="an object")],
)
def test_the_same_answers_from_every_way_to_run_one(engine: str | Engine) -> None:
    with Worker(engine, INFO) as worker:
        assert worker.compile(SOURCE) > 0
        replay = worker.replay([2, 0, 1, 3])
        assert [row[0] for row in replay["rows"]] == [0b101, 0b101, 0b010, 0b1000]
        assert replay["taken"] == [True] * 4
        assert replay["why"] == ""
        assert worker.replay([1])["taken"] == [False]
        assert worker.accepts([2], [0, 1, 2, 3]) == [True, False, True, False]
        assert worker.takes([2, 2, 3]) == 3
        assert worker.takes([2, 1]) == 1
        assert worker.complete([0]) is not None
        assert worker.complete([1]) is None


def test_ours_in_a_process_answers_as_ours_here() -> None:
    rows = []
    for in_process in (True, False):
        with Worker("xg2lab", INFO, in_process=in_process) as worker:
            worker.compile(SOURCE)
            rows.append(worker.replay([0, 1, 2])["rows"])
    assert rows[0] == rows[1]


def test_a_refusal_names_the_reason() -> None:
    with Worker(STUBS + "Literal", INFO) as worker:
        with pytest.raises(EngineError, match=r"literal: ValueError: no ebnf here") as caught:
            worker.compile(EngineSource("ebnf", 'root ::= "a"'))
        assert caught.value.reason == "refused"
        assert worker.is_alive
        worker.compile(SOURCE)
        assert worker.takes([2]) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="ends its process by a signal")
def test_a_crash_stays_in_the_process_and_the_next_grammar_finds_another() -> None:
    with Worker(STUBS + "Crashing", INFO) as worker:
        worker.compile(SOURCE)
        with pytest.raises(
            EngineError, match=r"its process ended in replay \(SIGABRT.*\), with the regex abab"
        ) as caught:
            worker.replay([0, 1])
        assert (caught.value.reason, caught.value.engine) == ("crashed", "crashing")
        assert not worker.is_alive
        with pytest.raises(EngineError, match="nothing is compiled"):
            worker.takes([0])
        worker.compile(SOURCE)
        assert worker.takes([0]) == 1


def test_a_call_that_never_ends_is_ended() -> None:
    with Worker(STUBS + "Hanging", INFO, seconds=0.5) as worker:
        worker.compile(SOURCE)
        with pytest.raises(EngineError, match=r"replay took longer than 0.5 s, with the regex abab") as caught:
            worker.replay([0])
        assert caught.value.reason == "timeout"
        assert "seconds=" in (caught.value.hint or "")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems limit no memory of one process")
def test_memory_has_a_limit() -> None:
    with (
        Worker(STUBS + "Greedy", INFO, memory_bytes=1 << 30) as worker,
        pytest.raises(EngineError, match="MemoryError"),
    ):
        worker.compile(SOURCE)


def test_what_an_engine_prints_is_no_answer() -> None:
    with Worker(STUBS + "Printing", INFO) as worker:
        worker.compile(SOURCE)
        assert worker.replay([2, 2, 3])["taken"] == [True] * 3


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("xgramma", "there is no engine of this name"),
        ("no.such.module:Engine", "can't be imported"),
        (STUBS + "Nobody", "can't be imported"),
        (STUBS + "NoEngine", "lacks members of the protocol"),
        ("", "there is no engine of this name"),
    ],
)
def test_an_engine_that_is_not_there_is_named(name: str, said: str) -> None:
    with pytest.raises(EngineError, match=said) as caught:
        Worker(name, INFO)
    assert caught.value.reason == "missing"


def test_limits_have_bounds() -> None:
    with pytest.raises(ArgumentError, match="seconds"):
        Worker("xg2lab", INFO, seconds=0)
    with pytest.raises(ArgumentError, match="memory_bytes"):
        Worker("xg2lab", INFO, memory_bytes=1)
    with pytest.raises(ArgumentError, match="can't move"):
        Worker(Literal(), INFO, in_process=False)


def test_a_source_says_what_it_does_not_know() -> None:
    with pytest.raises(ArgumentError, match="no kind of grammar"):
        EngineSource("yaml", "")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="has no options"):
        EngineSource("regex", "a", {"strict_mode": True})
    with pytest.raises(ArgumentError, match="no option that several engines have"):
        EngineSource("json_schema", "{}", {"indent": 2})
    with pytest.raises(ArgumentError, match="no option that several engines have"):
        EngineSource("json_schema", "{}", {"strict_mode": 1})
    with pytest.raises(ArgumentError, match="no rule 'start' to begin with"):
        EngineSource("json_schema", "{}", {}, "start")
    with pytest.raises(ArgumentError, match="not made of JSON values"):
        EngineSource.of({"const": {1, 2}})
    with pytest.raises(ArgumentError, match="16 MiB"):
        EngineSource("ebnf", "a" * ((16 << 20) + 1))


def test_names_and_classes() -> None:
    assert engine_names()[0] == "xg2lab"
    assert isinstance(Literal(), Engine)
    assert not isinstance(object(), Engine)
