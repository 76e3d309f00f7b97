"""A page may send anything: each request gets one reply, typed if it is refused, and the session stays whole."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.ui.scripted import scripted_session
from xg2lab import errors
from xg2lab.widgets import CacheView, ChartView, DistView, ExampleBench, FsmView, GrammarPad, MaskLens, Tape, WhyCard

SEED = int(os.environ.get("XG2LAB_SEED", "20"))
N_MESSAGES = 400
VIEWS = (Tape, MaskLens, WhyCard, ChartView, FsmView, CacheView, DistView)
VALUES: tuple[Any, ...] = (
    None, True, 0, 1, -1, 3, 2**31, 2**63, -(2**70), 10**400, 0.5, 1e308, float("nan"), float("inf"),
    "", "x", "0", "-1", "1e9", "é\u202e", "\ud800", "a" * 100_000,
    "zz", "6x", [], [1], [[[]]], ["eos", 3], {}, {"step": -5}, {"a": {"b": [None]}}, "</script>", "root",
)  # fmt: skip
FIELDS = (
    "n", "step", "token", "bytes", "text", "rule", "state", "until", "max_tokens", "prompt", "key", "value",
    "seconds", "watch", "n_decided", "text_kind", "on_unsupported", "row_id", "should_match", "change", "other",
    "switches",
)  # fmt: skip
SELECTED = ("step", "token", "byte", "rule", "item", "state", "mask_entry")
ALLOWED = {name for name in dir(errors) if name.endswith("Error")} | {"BlockedTokenError"}  # a SessionError


def kinds_of(widget: Any) -> list[str]:
    return sorted(name.removeprefix("on_") for name in dir(widget) if name.startswith("on_"))  # ipywidgets' own too


def messages(widget: Any, draw: random.Random) -> Iterator[Any]:
    """Requests of every kind with fields of any type, selections of any shape, and what is no request at all."""
    kinds = [*kinds_of(widget), "msg", "trait_change", "__init__", "", None, 7, ["step"]]
    yield from ([], "step", None, 3, {"kind": {}}, {"id": 1})
    for number in range(N_MESSAGES):
        kind = draw.choice(kinds)
        content = {name: draw.choice(VALUES) for name in draw.sample(FIELDS, draw.randrange(6))}
        if draw.random() < 0.2:
            kind = "set"
            chosen = {name: draw.choice(VALUES) for name in draw.sample(SELECTED, draw.randrange(1, 4))}
            content = {"key": draw.choice(("selection", "layouts")), "value": chosen}
        yield {**content, "kind": kind, "id": number}


def sends(widget: Any, content: Any, sent: list[Any]) -> None:
    """The message arrives as it does in a kernel; the reply is one, JSON, and an error in it is of our own types."""
    sent.clear()
    widget._handle_custom_msg(content, [])
    if (questions := getattr(widget, "_questions", None)) is not None:
        questions.wait(60)  # one that waits is answered in a thread
    request = content.get("id") if isinstance(content, dict) else None
    replies = [reply for reply in sent if "re" in reply and reply["re"] == request]
    assert len(replies) == 1, (content, sent)
    json.dumps(replies[0])
    error = replies[0].get("error")  # of the request, or in a reply to `hello` of the job before
    if error is not None:
        assert error["type"] in ALLOWED, (content, error)
        assert error["message"]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What widgets of the test send to pages."""
    from xg2lab.widgets.talker import Talker

    out: list[Any] = []
    monkeypatch.setattr(Talker, "send", lambda _self, content, _buffers=None: out.append(content))
    return out


def test_a_session_survives_any_message(sent: list[Any]) -> None:
    session = scripted_session(name="hostile")
    session.step(6)
    views = [view(session) for view in VIEWS]
    widget: Any = views[0].session
    for content in messages(widget, random.Random(SEED)):
        sends(widget, content, sent)
        widget._jobs.wait()
        for view in views:
            assert repr(view)
    widget.pause()
    session.reset()
    session.step(2)
    assert len(session.output_ids) == 2
    sends(widget, {"kind": "hello", "id": 1}, sent)


def test_a_pad_survives_any_message(sent: list[Any]) -> None:
    pad = GrammarPad('root ::= "a"')
    bench = ExampleBench(pad, [("a", True)])
    widget: Any = pad.pad
    for content in messages(widget, random.Random(SEED + 1)):
        sends(widget, content, sent)
    pad.text = 'root ::= "b"'
    bench.wait()
    assert repr(pad)
