"""Views: a quarter of a kilobyte each, one a session and kind, facts as text where nothing can be drawn."""

from __future__ import annotations

import gc
import gzip
import json
import subprocess
import sys
from typing import Any

import pytest

from tests.ui.scripted import scripted_session

pytest.importorskip("anywidget")

import xg2lab as xgr
from xg2lab import widgets
from xg2lab.errors import SessionError
from xg2lab.widgets import bundle, registry
from xg2lab.widgets.bundle import STATIC, BundleMissingError, bundle_path
from xg2lab.widgets.pad_widget import PadWidget
from xg2lab.widgets.session_widget import SessionWidget

VIEWS = [
    widgets.Tape, widgets.MaskLens, widgets.WhyCard, widgets.ChartView, widgets.FsmView, widgets.CacheView,
    widgets.DispatchView, widgets.TimelineView, widgets.GrammarPad, widgets.ExampleBench, widgets.Sampler,
    widgets.Workbench,
]  # fmt: skip


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_of_a_session_that_made_no_step_says_why(view: type, monkeypatch: pytest.MonkeyPatch) -> None:
    session = scripted_session(name="none")
    shown = view(session)

    def fails(_token_ids: list[int]) -> None:
        raise RuntimeError("no room for \ud800")

    monkeypatch.setattr(session._recorder.decoder.runner, "prefill", fails)
    with pytest.raises(SessionError, match="no room"):
        session.reset("another prompt")
    assert (session.status, session.trace.steps) == ("error", [])
    assert "no room" in repr(shown)
    data, _ = shown._repr_mimebundle_()
    assert "no room" in data["text/html"]
    shown.session._save_replay()
    assert gzip.decompress(shown.session.trace)


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_says_its_facts_as_text_html_and_data(view: type, session: Any) -> None:
    session.select(token=session.trace.pending.top[0].token_id)
    shown = view(session)
    text = repr(shown)
    assert text.splitlines()[0].startswith(view.__name__)
    assert len(text.splitlines()) > (1 if view is widgets.ExampleBench else 2)
    data, _ = shown._repr_mimebundle_()
    assert "<pre>" in data["text/html"]
    assert data["text/plain"].splitlines()[:10] == text.splitlines()[:10]
    assert len(data["text/plain"].splitlines()) <= 12
    assert "application/vnd.jupyter.widget-view+json" in data
    assert shown.data() is not None


def test_a_why_card_names_missing_edges_and_writes_issues(session: Any) -> None:
    token = session.tokenizer_info.decoded_vocab.index(b"celsius")
    session.select(step=3, token=token)
    card = widgets.WhyCard(session)
    assert "root·8 has edges [0A 20 22] and none for 63" in repr(card)
    assert card.issue_text() == card.issue_text(token) == session.issue_text(token, 3)


def test_what_is_typed_in_html_is_escaped(session: Any) -> None:
    session.select(token=session.tokenizer_info.decoded_vocab.index(b"<"))
    data, _ = widgets.WhyCard(session)._repr_mimebundle_()
    assert "<b'" not in data["text/html"]
    assert "'&lt;'" in data["text/html"]


def test_the_same_view_is_given_again(session: Any) -> None:
    assert widgets.Tape(session) is widgets.Tape(session)
    assert widgets.Tape(session).session is widgets.FsmView(session).session
    other = scripted_session(name="other")
    assert widgets.Tape(other) is not widgets.Tape(session)


def test_a_forgotten_session_of_the_same_name_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    first = scripted_session(name="again")
    view = widgets.Tape(first)
    monkeypatch.setattr(registry, "_has_a_name", lambda _: False)
    second = scripted_session(name="again")
    second.step(2)
    assert widgets.Tape(second) is view
    assert view.lab_session is second
    first.step(1)
    assert view.session.session is second


def test_two_sessions_of_one_name_that_are_both_held_are_both_shown() -> None:
    first, second = scripted_session(name="twice"), scripted_session(name="twice")
    assert widgets.Tape(first) is not widgets.Tape(second)
    assert widgets.Tape(first).lab_session is first


def test_a_closed_view_is_made_anew(session: Any) -> None:
    view = widgets.Tape(session)
    view.close()
    assert repr(view) == "<Tape: closed>"
    assert widgets.Tape(session) is not view


def test_a_reference_to_a_closed_widget_is_none(session: Any) -> None:
    from xg2lab.widgets.talker import reference

    widget = widgets.Tape(session).session
    assert reference(widget) == f"anywidget:{widget.model_id}"
    widget.close()
    assert reference(widget) is None


def test_only_sessions_can_be_shown() -> None:
    with pytest.raises(SessionError, match="a view shows a Session, not dict"):
        widgets.Tape({})


def test_ten_views_add_little_to_a_notebook(session: Any) -> None:
    from ipywidgets.embed import dependency_state

    views = [view(session) for view in VIEWS]
    one = dependency_state(views[:1], drop_defaults=False)
    all_of_them = dependency_state(views, drop_defaults=False)
    assert len(all_of_them) - len(one) == len(VIEWS)  # a model each, no layouts; the pad that three of them share
    sizes = [len(json.dumps(s)) for s in all_of_them.values() if "panel" in s["state"]]
    assert len(sizes) == len(VIEWS)
    assert max(sizes) < 1000
    large = [s for s in all_of_them.values() if len(json.dumps(s)) > 60_000]
    assert len(large) == 1  # the bundle, for all of them


def test_a_notebook_of_one_view_replays_every_view(session: Any) -> None:
    """Whatever a saved page draws, its code is in the notebook, compressed; no view says that it needs more."""
    from ipywidgets.embed import dependency_state

    state = dependency_state([widgets.Tape(session)], drop_defaults=False)
    sent = [s for s in state.values() if "bundle" in [b["path"][0] for b in s.get("buffers", [])]]
    assert len(sent) == 1
    assert len(json.dumps(sent)) < 235 * 1024


def test_a_layout_is_made_when_somebody_wants_one(session: Any) -> None:
    view = widgets.Tape(session)
    assert "layout" not in view.get_state()
    told: list[Any] = []
    view.send_state = lambda key=None: told.append(key)  # type: ignore[method-assign]
    view.layout.width = "50%"
    assert told == ["layout"]
    assert view.get_state()["layout"] == f"IPY_MODEL_{view.layout.model_id}"
    assert view.layout.width == "50%"


def test_the_stub_that_each_view_adds_is_small() -> None:
    assert (STATIC / "stub_view.js").stat().st_size <= 240


def test_a_missing_bundle_names_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setattr(bundle, "STATIC", tmp_path)
    with pytest.raises(BundleMissingError, match="make lab") as error:
        bundle_path("runtime.js.gz")
    assert "XG2LAB_VIEWS" in error.value.hint


def test_without_anywidget_the_remedy_is_named() -> None:
    code = "import sys; sys.modules['anywidget'] = None\nimport xg2lab.widgets"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "pip install xg2lab[widgets]" in done.stderr


def test_what_was_never_made_is_deleted_in_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also what was half made: its session or pad refused to be shown, or its bundle is missing."""
    said: list[str] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda seen: said.append(f"{seen.exc_type}: {seen.exc_value}"))
    for kind in (PadWidget, SessionWidget):
        kind.__new__(kind).close()
        object_of_it: Any = kind.__new__(kind)
        with pytest.raises(AttributeError):
            object_of_it.__init__(None)  # no pad, no session
        with pytest.raises(TypeError):
            kind()  # pyright: ignore[reportCallIssue]
        del object_of_it
    gc.collect()
    assert said == []


def test_a_why_card_tells_of_items_that_stand_nowhere_in_a_schema() -> None:
    info = xgr.TokenizerInfo([*(bytes([k]) for k in range(256)), b"</s>"], stop_token_ids=[256])
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    session = xgr.Session(xgr.GrammarCompiler(info).compile_json_schema(schema), name="schema")
    session.force("{")
    session.select(token=ord("x"))
    assert ["line" in item for item in session.explain(ord("x"))["expected_by"]] == [True, False]
    lines = widgets.WhyCard(session).lines()
    assert '  4:5  root -> [\\t\\n\\r ]{0,64} • "\\""' in lines
    assert "  [\\t\\n\\r ] ->  • [\\t\\n\\r ]" in lines
