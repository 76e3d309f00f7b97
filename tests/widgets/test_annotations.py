"""Notes on their way to pages and into what is kept: pushes, replays, outputs, exported pages."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

import xg2lab as xgr
from xg2lab.widgets import Workbench, export_html
from xg2lab.widgets.pushes import Changes
from xg2lab.widgets.saved import came_to
from xg2lab.widgets.session_widget import SessionWidget

TEXT = "</script><b>ab\n\u2028c</b>"


@pytest.fixture
def session() -> xgr.Session:
    info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
    return xgr.Session('root ::= "ab"', info)


def asked(widget: SessionWidget, kind: str, **fields: object) -> dict[str, Any]:
    """What the widget replies to a page."""
    sent: list[dict[str, Any]] = []
    widget.send = lambda content, _buffers=None: sent.append(content)  # type: ignore[method-assign]
    widget._dispatch({"kind": kind, "id": "x:1", **fields}, [])
    return next(content for content in sent if content.get("re") == "x:1")


def test_a_page_leaves_edits_and_deletes_notes(session: xgr.Session) -> None:
    widget = SessionWidget(session)
    assert asked(widget, "annotate", text=TEXT, step=0, token=1)["number"] == 1
    assert session.trace.annotations == [{"number": 1, "text": TEXT, "step": 0, "token": 1}]
    asked(widget, "edit_annotation", number=1, text="short")
    assert session.trace.annotations[0]["text"] == "short"
    asked(widget, "delete_annotation", number=1)
    assert session.trace.annotations == []
    assert asked(widget, "annotate", text=3)["error"]["message"] == "text is an int, 3; wanted a str"
    for kind, fields in [
        ("annotate", {}),
        ("annotate", {"text": "x", "step": "0"}),
        ("edit_annotation", {"number": [1], "text": "x"}),
        ("delete_annotation", {"number": 1}),
    ]:
        assert asked(widget, kind, **fields)["error"]["hint"]
    assert session.trace.annotations == []


def test_a_push_has_the_notes_only_if_they_changed(session: xgr.Session) -> None:
    changes = Changes()
    changes.steps_from(0, 0)
    session.annotate("one")
    assert "annotations" not in changes.message(session.trace)
    changes.notes()
    assert changes.message(session.trace)["annotations"] == session.trace.annotations
    whole = Changes()
    whole.reset()
    session.delete_annotation(1)
    assert whole.message(session.trace)["annotations"] == []


def test_what_is_kept_for_a_page_without_a_kernel_has_the_notes(session: xgr.Session) -> None:
    widget = SessionWidget(session)
    session.annotate(TEXT, rule="root")
    asked(widget, "settle")
    recorded = json.loads(gzip.decompress(widget.recording()["trace"]))
    assert recorded["annotations"] == session.trace.annotations


def test_an_exported_page_has_the_notes(session: xgr.Session, tmp_path: Path) -> None:
    session.annotate(TEXT, step=0)
    for of in (session, session.trace):
        page = export_html(of, tmp_path / "lesson.html", graphviz=False).read_text()
        packed = re.search(r'id="xg2lab-trace"[^>]*>([^<]*)<', page)
        assert packed
        trace = json.loads(gzip.decompress(base64.b64decode(packed.group(1))))
        assert trace["annotations"] == session.trace.annotations
        assert TEXT not in page


def test_a_note_tells_a_saved_output_that_the_session_went_on(session: xgr.Session) -> None:
    seen = {came_to(session.trace)}
    number = session.annotate("ab")
    seen.add(came_to(session.trace))
    session.edit_annotation(number, "ac")
    seen.add(came_to(session.trace))
    assert len(seen) == 3
    assert "note 1, step 0: ac" in "\n".join(Workbench(session).lines())
