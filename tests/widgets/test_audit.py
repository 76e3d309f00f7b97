"""Audit as a view: its report by trait, its thread, its text."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from xg2lab.errors import SessionError
from xg2lab.lab.auditing.auditing import AuditReport
from xg2lab.widgets import Audit


def test_before_and_after(session: Any) -> None:
    view = Audit(session)
    assert view.data() is None
    assert "not audited yet: 6 states" in repr(view)
    report = view.run()
    assert isinstance(report, AuditReport)
    assert view.data() is report
    assert "6 of 6 states x 2,048 tokens: mask equals accept everywhere" in repr(view)
    assert view.session.audit == report.to_wire()
    view.session.show(session)
    assert view.session.audit is None


def test_a_page_begins_and_stops_it(page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = threading.Event(), threading.Event()
    matcher_at = page.widget.session.matcher_at

    def slow(step: int | None = None) -> Any:
        begun.set()
        go_on.wait(10)
        return matcher_at(step)

    monkeypatch.setattr(page.widget.session, "matcher_at", slow)
    assert page.ask("audit")[0] == {"re": "1"}
    assert begun.wait(10)
    assert page.widget.audit["is_running"]
    assert page.widget.audit["checks"]  # findings come before the masks are through
    assert page.ask("audit")[0]["error"]["type"] == SessionError.__name__
    page.ask("audit_stop")
    go_on.set()
    page.widget.auditor.wait(10)
    assert page.widget.audit["stopped"] == "cancelled"
    assert not page.widget.audit["is_running"]


def test_an_error_of_the_audit_is_shown(page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("no vocabulary")

    monkeypatch.setattr("xg2lab.widgets.auditor.audit", broken)
    page.ask("audit")
    page.widget.auditor.wait(10)
    assert page.widget.audit["error"] == {"type": "RuntimeError", "message": "no vocabulary", "hint": ""}


def test_an_audit_is_of_one_grammar(page: Any) -> None:
    session, view = page.widget.session, page.widget
    view.auditor.run_here(10.0)
    assert view.audit["n_done"] > 0
    session.back(1)
    assert view.audit is not None
    session.change_grammar('root ::= "[" [0-9]+ "]"')
    assert view.audit is None
    assert view.auditor.report.n_done > 0  # Python's own is not taken away


def test_a_late_word_on_another_grammar_is_not_shown(page: Any) -> None:
    session, auditor = page.widget.session, page.widget.auditor
    trace = session.trace
    report = auditor.run_here(10.0)
    session.change_grammar('root ::= "[" [0-9]+ "]"')
    auditor._tell(trace, report)
    assert page.widget.audit is None
