"""Compare and CostTable as views: what a page may ask for, the report by trait, their text."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from tests.lab.engines.stubs import Lying, Permissive
from xg2lab.errors import SessionError
from xg2lab.lab import Session, compare
from xg2lab.lab.comparison.comparison import CompareReport
from xg2lab.lab.comparison.comparison_text import SWITCHES
from xg2lab.lab.engines import EngineComparison, EngineError
from xg2lab.lab.engines.ours import OurEngine
from xg2lab.lab.engines.registry import engine_names
from xg2lab.lab.trace.costs import Costs
from xg2lab.widgets import Compare, CostTable


def test_before_and_after(session: Any) -> None:
    view = Compare(session)
    assert view.data() is None
    assert "nothing compared yet" in repr(view)
    report = view.run(parser="pda", rounds=2)
    assert isinstance(report, CompareReport)
    assert report.ok
    assert view.data() is report
    assert view.session.compare == report.to_wire()
    assert "they agree: " in repr(view)
    view.session.show(session)
    assert view.session.compare is None


def test_a_page_is_offered_every_switch_and_the_other_sessions(page: Any) -> None:
    facts = page.ask("compare_with")[0]
    assert [one["name"] for one in facts["switches"]] == list(SWITCHES)
    for one in facts["switches"]:
        assert one["own"] in [value for value, _ in one["values"]]
    others = page.widget.comparer.others()
    assert facts["sessions"] == list(others)
    assert page.widget.session not in others.values()


def test_a_page_begins_it_with_values_that_were_offered(page: Any) -> None:
    assert page.ask("compare", switches={"partial_jit_k": "auto", "determinize": "False"})[0] == {"re": "1"}
    page.widget.comparer.wait(20)
    assert page.widget.compare["ok"]
    assert page.widget.compare["changed"] == {"determinize": ["True", "False"], "partial_jit_k": ["0", "auto"]}
    for asked in ({"max_fsm_states": "1"}, {"determinize": "perhaps"}):
        assert page.ask("compare", switches=asked)[0]["error"]["type"] == "SessionError"
    assert page.ask("compare", session="nobody")[0]["error"]["message"] == "there is no other session 'nobody'"


def test_an_error_stands_where_the_result_would_be(page: Any) -> None:
    page.ask("compare", grammar="root ::= [")
    page.widget.comparer.wait(20)
    assert page.widget.compare["error"]["type"] == "GrammarSyntaxError"


def test_a_newer_comparison_ends_the_one_before(page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from xg2lab.lab.comparison import comparing

    begun: list[str] = []
    real = comparing.Side.note

    def slow(self: Any, *args: Any) -> None:
        import time

        begun.append(self.name)
        time.sleep(0.02)
        real(self, *args)

    monkeypatch.setattr(comparing.Side, "note", slow)
    page.ask("compare", switches={"parser": "pda"})
    while not begun:
        pass
    assert page.ask("compare", switches={"minimize": "False"})[0].get("error") is None
    page.ask("compare_stop")
    page.widget.comparer.wait(20)
    assert page.widget.compare["stopped"] == "cancelled"
    assert list(page.widget.compare["changed"]) == ["minimize"]


def test_a_comparison_is_of_one_grammar(page: Any) -> None:
    page.widget.comparer.run_here(parser="pda", rounds=1)
    assert page.widget.compare is not None
    page.widget.session.change_grammar('root ::= "[" [0-9]+ "]"')
    assert page.widget.compare is None


def test_costs_have_a_view(session: Any) -> None:
    view = CostTable(session)
    assert isinstance(view.data(), Costs)
    assert "mask time by rule" in repr(view)


def test_a_page_searches_for_the_shortest_disagreement(page: Any) -> None:
    page.widget.comparer.stop()
    page.widget.comparer.report = None
    assert page.ask("compare_shortest")[0]["error"]["message"] == "there is nothing to search yet"
    page.ask("compare", grammar='root ::= "[" [0-9]* "]"')
    page.widget.comparer.wait(20)
    assert page.widget.compare["shortest"] is None
    page.ask("compare_shortest")
    page.widget.comparer.wait(30)
    found = page.widget.compare["shortest"]
    assert found["verdict"] == "part"
    assert not found["is_running"]
    assert found == page.widget.comparer.report.shortest.to_wire()


def test_it_is_searched_from_python_too(session: Any) -> None:
    view = Compare(session)
    view.run(parser="pda", rounds=1)
    found = view.shortest(seconds=1.0)
    assert found is view.data().shortest
    assert view.session.compare["shortest"] == found.to_wire()
    assert f"over all texts: {found}" in repr(view)


def test_a_page_asks_for_both_masks_of_a_step(page: Any) -> None:
    page.widget.comparer.run_here(parser="pda", rounds=1)
    report = page.widget.comparer.report
    answer, buffers = page.ask("compare_mask", step=0)
    assert answer["step"] == 0
    a, b = report.masks.rows(0)
    assert [bytes(part) for part in buffers] == [a.tobytes(), (a ^ b).tobytes()]
    assert page.ask("compare_mask", step=10**6)[0]["error"]["message"] == "step 1000000 was not compared"


# ---- Engines -----------------------------------------------------------------------------------


class Freer(Permissive):
    """Reads every grammar, and allows every token."""

    def compile(self, source: Any, info: Any) -> None:
        self.info = info


def test_a_page_is_offered_the_engines_and_begins_with_their_names(page: Any) -> None:
    offered = page.ask("compare_with")[0]["engines"]
    assert [one["name"] for one in offered] == list(engine_names())
    assert all(one["version"] or one["install"] for one in offered)
    page.ask("compare", engines=["xg2lab-pda", "xg2lab-plain"])
    page.widget.comparer.wait(60)
    wire = page.widget.compare
    assert wire["ok"]
    assert not wire["is_running"]
    assert [side["name"] for side in wire["engines"]] == ["xg2lab", "xg2lab-pda", "xg2lab-plain"]
    assert wire["n_done"] == wire["n_all"]
    refused = page.ask("compare", engines=["os:system"])[0]["error"]
    assert refused["message"] == "there is no engine 'os:system' here"
    assert "xg2lab-pda" in refused["hint"]


def test_a_page_asks_for_the_masks_of_any_two(page: Any) -> None:
    report = page.widget.comparer.engines_here(["xg2lab-pda", Freer()], 30.0)
    for pair in ((0, 1), (0, 2), (2, 1)):
        content, (row, xor) = page.ask("compare_mask", step=1, pair=list(pair))
        a, b = report.masks(1, *pair)
        assert content["step"] == 1
        assert row == a.tobytes()
        assert xor == (a ^ b).tobytes()
    assert page.ask("compare_mask", step=1)[1] == page.ask("compare_mask", step=1, pair=[0, 1])[1]
    assert "there is no engine 3" in page.ask("compare_mask", step=1, pair=[0, 3])[0]["error"]["message"]
    assert "has no mask at step 99" in page.ask("compare_mask", step=99)[0]["error"]["message"]
    page.widget.comparer.run_here(parser="pda", rounds=1)
    assert page.ask("compare_mask", step=1, pair=[1, 0])[1][0] == page.ask("compare_mask", step=1)[1][0]
    assert "there are no sides 0 and 2" in page.ask("compare_mask", step=1, pair=[0, 2])[0]["error"]["message"]


def test_what_python_gave_can_be_chosen_on_the_page(page: Any) -> None:
    freer = Freer()
    page.widget.comparer.engines_here([freer, "xg2lab-pda"], 30.0)
    offered = {one["name"]: one for one in page.ask("compare_with")[0]["engines"]}
    assert offered["permissive"] == {
        "name": "permissive",
        "what": "an object given in Python",
        "version": "1.0",
        "install": "",
    }
    page.ask("compare", engines=["permissive"])
    page.widget.comparer.wait(60)
    assert [side["name"] for side in page.widget.compare["engines"]] == ["xg2lab", "permissive"]
    assert not page.widget.compare["ok"]


def test_an_engine_that_is_not_there_is_raised_and_shown(page: Any) -> None:
    with pytest.raises(EngineError, match="there is no engine of this name"):
        page.widget.comparer.engines_here(["nobody"], 30.0)
    assert page.widget.compare["error"]["type"] == "EngineError"
    assert "nobody" not in [one["name"] for one in page.ask("compare_with")[0]["engines"]]


def test_a_comparison_of_engines_is_stopped_in_an_engine(page: Any) -> None:
    reached, gate = threading.Event(), threading.Event()

    class Waiting(OurEngine):
        def fill(self, row: Any) -> None:
            reached.set()
            gate.wait(60)
            super().fill(row)

        def fork(self) -> Any:
            raise NotImplementedError

    comparer = page.widget.comparer
    comparer._given["waiting"] = Waiting(name="waiting")
    page.ask("compare", engines=["waiting"])
    assert reached.wait(60)
    assert page.widget.compare["doing"] == "waiting makes its masks"
    page.ask("compare_stop")
    gate.set()
    comparer.wait(60)
    assert page.widget.compare["stopped"] == "cancelled"
    assert [side["phase"] for side in page.widget.compare["engines"]] == ["done", "masks"]


def test_the_view_shows_engines_and_any_report(session: Any, capsys: pytest.CaptureFixture[str]) -> None:
    view = Compare(session)
    report = view.engines(["xg2lab-pda"])
    assert isinstance(report, EngineComparison)
    assert view.data() is report
    assert view.session.compare == report.to_wire()
    assert "agree on every mask" in repr(view)
    with pytest.raises(SessionError, match="of other engines only masks are known"):
        view.shortest()
    other = compare(session, engines=[Lying()])
    assert view.data() is report
    assert EngineComparison.display is not None
    EngineComparison.display(session, other)  # without a notebook it prints
    assert "lying 1.0" in capsys.readouterr().out
    assert view.data() is other
    another = Session('root ::= "a"', session.tokenizer_info, name="another")
    with pytest.raises(SessionError, match="about the session 'another'"):
        view.show(compare(another, engines=["xg2lab-pda"]))
    sides = compare(session, parser="pda", rounds=1)
    view.show(sides)
    assert view.session.compare == sides.to_wire()
    assert np.array_equal(*(sides.masks.rows(0)))
    view.session.show(session)
    assert view.session.compare is None


def test_a_page_cannot_search_the_shortest_among_engines(page: Any) -> None:
    page.widget.comparer.engines_here(["xg2lab-pda"], 30.0)
    assert page.ask("compare_shortest")[0]["error"]["message"] == "of other engines only masks are known"
