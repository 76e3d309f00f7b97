"""What the widget tests share: a session, and every message its widget sends."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

import pytest

pytest.importorskip("anywidget")

from tests.ui.scripted import scripted_session
from xg2lab.lab import schema
from xg2lab.lab.trace.reading import adapter
from xg2lab.widgets.bundle import STATIC
from xg2lab.widgets.session_widget import SessionWidget

if not (STATIC / "runtime.js.gz").is_file():
    pytest.skip("the front end was not built: run `make test`", allow_module_level=True)


def check_exchange(requests: type, kind: str, request: dict[str, Any], reply: dict[str, Any]) -> None:
    """A request that was not refused, and its reply, have the fields of their records and no other."""
    asked, answered = get_args(get_type_hints(requests, include_extras=True)[kind])
    adapter(asked).validate_python(json.loads(json.dumps(request)), extra="forbid")
    told = {name: value for name, value in reply.items() if name != "re"}
    adapter(answered).validate_python(json.loads(json.dumps(told)), extra="forbid")


class FakeComm:
    """Stands for the line to a page: keeps what is sent."""

    comm_id = "fake"
    kernel = None

    def __init__(self) -> None:
        self.sent: list[tuple[dict[str, Any], list[Any]]] = []

    def send(self, data: Any = None, metadata: Any = None, buffers: Any = None) -> None:
        self.sent.append((data, buffers or []))

    def close(self, *_args: Any, **_more: Any) -> None: ...

    def on_msg(self, _callback: Any) -> None: ...


@pytest.fixture
def session() -> Any:
    """Five scripted steps."""
    session = scripted_session()
    session.step(5)
    return session


class Page:
    """A page's side of a session widget: it asks, and keeps what it is told."""

    def __init__(self, session: Any) -> None:
        self.widget = SessionWidget(session)
        self.told: list[tuple[dict[str, Any], list[Any]]] = []
        self.widget.send = lambda content, buffers=None: self.told.append((content, buffers or []))  # type: ignore[method-assign]

    def ask(self, kind: str, tag: str | None = None, **body: Any) -> tuple[dict[str, Any], list[Any]]:
        """Send a request, of the page with a tag if there are several, and return its reply."""
        request = "1" if tag is None else f"{tag}:1"
        self.widget._dispatch({"kind": kind, "id": request, **body}, [])
        self.widget._questions.wait(60)  # of those that are answered from a thread
        replies = [(c, b) for c, b in self.told if c.get("re") == request]
        self.told = [(c, b) for c, b in self.told if c.get("re") != request]
        assert len(replies) == 1
        if "error" not in replies[0][0]:
            check_exchange(schema.SessionRequests, kind, body, replies[0][0])
        return replies[0]

    def pushes(self) -> list[dict[str, Any]]:
        """The trace pushes so far."""
        return [c for c, _ in self.told if c.get("kind") == "trace"]


@pytest.fixture
def page(session: Any) -> Iterator[Page]:
    """A page looking at that session."""
    page = Page(session)
    yield page
    page.widget.close()
