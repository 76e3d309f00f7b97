"""Compare and CostTable as views: what a page may ask for, the report by trait, their text."""

from __future__ import annotations

from typing import Any

import pytest

from xg2lab.lab.comparison.comparison import CompareReport
from xg2lab.lab.comparison.comparison_text import SWITCHES
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
