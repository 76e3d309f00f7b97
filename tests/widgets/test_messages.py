"""Requests and replies are those of the schema: each widget answers the kinds listed for it, with their records.

`Page.ask` of conftest.py compares each exchange of the other tests in this folder with its records.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

import pytest

from tests.widgets.conftest import Page, check_exchange
from xg2lab.lab import schema
from xg2lab.lab.pad.pad import Pad
from xg2lab.widgets.light import Light
from xg2lab.widgets.pad_widget import PadWidget
from xg2lab.widgets.runtime import Runtime, runtime
from xg2lab.widgets.session_widget import SessionWidget

#: Methods of traitlets and ipywidgets.
OF_EVERY_WIDGET = {name for name in dir(Light) if name.startswith("on_")}
WIDGETS = [
    (SessionWidget, schema.SessionRequests),
    (PadWidget, schema.PadRequests),
    (Runtime, schema.RuntimeRequests),
]


@pytest.mark.parametrize(("widget", "requests"), WIDGETS)
def test_a_widget_answers_the_requests_of_its_record(widget: type, requests: type) -> None:
    listed = {kind: get_args(pair) for kind, pair in get_type_hints(requests).items()}
    answers = {
        name.removeprefix("on_"): method
        for name, method in ((name, getattr(widget, name)) for name in dir(widget) if name.startswith("on_"))
        if name not in OF_EVERY_WIDGET
    }
    assert set(answers) == set(listed)
    for kind, method in answers.items():
        request, answer = (record.__name__ for record in listed[kind])
        assert list(method.__annotations__.values()) == [f"schema.{request}", f"Reply[schema.{answer}]"], kind
        assert "error" not in get_type_hints(listed[kind][1]), f"the reply to {kind} would be taken for a refusal"


@pytest.fixture
def pad_page() -> Iterator[Any]:
    """A page's side of a pad: a function that asks and returns the reply."""
    widget = PadWidget(Pad('root ::= "a" | "b"', examples=["a"]).wait())
    told: list[dict[str, Any]] = []
    widget.send = lambda content, buffers=None: told.append(content)  # type: ignore[method-assign]

    def ask(kind: str, **body: Any) -> dict[str, Any]:
        told.clear()
        widget._dispatch({"kind": kind, "id": "1", **body}, [])
        widget._questions.wait(60)
        (reply,) = [content for content in told if content.get("re") == "1"]
        assert "error" not in reply, reply
        check_exchange(schema.PadRequests, kind, body, reply)
        return reply

    yield ask
    widget.close()


def test_what_a_pad_is_asked_and_replies_has_the_fields_of_the_schema(pad_page: Any) -> None:
    pad_page("hello")
    assert pad_page("settle", replay=True)["is_busy"] is False
    assert pad_page("write", text='root ::= "c"', text_kind="ebnf", on_unsupported="relax")["revision"] > 0
    assert pad_page("judge", text="a")["row"]["row_id"] == -1
    pad_page("example", change="add", text="b", should_match=False)
    pad_page("example", change="flip", row_id=1)
    assert "def test" in pad_page("pytest")["text"]
    pad_page("cancel")


def test_what_the_runtime_replies_has_the_fields_of_the_schema() -> None:
    reply, buffers = runtime().on_asset({"name": "graphviz"})
    check_exchange(schema.RuntimeRequests, "asset", {"name": "graphviz"}, dict(reply))
    assert buffers[0][:2] == b"\x1f\x8b"


def test_what_a_session_replies_has_the_fields_of_the_schema(page: Page) -> None:
    asked = {
        "hello": {"follows": True}, "settle": {}, "trace": {}, "vocabulary": {}, "compare_with": {},
        "watch": {"bulk": False, "figures": True},
        "shown": {"seq": 0},
        "set": {"key": "selection", "value": {"step": 1}}, "bulk": {"step": 1}, "beside": {},
        "explain": {"step": 1, "token": 3}, "issue": {"step": 1, "text": "x"}, "lost_mass": {"step": 1},
        "stages": {"rule": "root"}, "replay": {"text": "[1, 2]"}, "audit_stop": {}, "compare_stop": {}, "pause": {},
    }  # fmt: skip
    for kind, body in asked.items():
        reply, _ = page.ask(kind, **body)
        assert "error" not in reply, (kind, reply)


def test_what_an_editor_asks_of_a_text_has_the_fields_of_the_schema(pad_page: Any) -> None:
    text = 'root ::= ite "x\nitem ::= [0-9]'
    place = {"text": text, "text_kind": "ebnf"}
    assert "item" in [word["label"] for word in pad_page("complete", **place, offset=12)["words"]]
    assert pad_page("hover", **place, offset=18)["span"] == [16, 20]
    assert pad_page("hover", **place, offset=15) == {"re": "1", "span": None, "card": ""}
    assert pad_page("places", **place, offset=18) == {
        "re": "1",
        "definition": [16, 20],
        "places": [[16, 20]],
        "renamable": [16, 20],
    }
    assert pad_page("rename", **place, offset=18, name="thing")["edits"] == [{"span": [16, 20], "text": "thing"}]
    assert pad_page("layout", text='root::="a"', text_kind="ebnf")["edits"]
    assert pad_page("folds", text="{\n}", text_kind="json_schema")["folds"] == []
    samples = pad_page("samples", seed=1, rule="root")
    assert (samples["members"], samples["shortest"], samples["uses"]) == (["a", "b"], "a", "a")
    assert samples["near_died_at"] == 0
