"""Requests seen from outside: the list, the page, and sessions in the workbench."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import xg2lab as xgr
from tests.integrations.serve.conftest import Held, ask, chat_body, client_of, until
from xg2lab.errors import ArgumentError, SessionError
from xg2lab.integrations.serve.hosting import Hosted
from xg2lab.lab import Session, open_flight

CHAT = "/v1/chat/completions"
Other = Callable[..., Hosted]
Hold = Callable[[Hosted], Held]


def test_requests_are_listed_and_the_oldest_forgotten(other: Other) -> None:
    host = other(max_recent=3)
    for pattern in ("a", "b", "c", "d"):
        assert ask(host, CHAT, chat_body(structured_outputs={"regex": pattern})).status == 200
    live = ask(host, "/live").json
    assert (live["model"], live["n_open"], live["n_running"]) == ("tiny", 0, 0)
    assert [each["text"] for each in live["requests"]] == ["b", "c", "d"]
    assert {each["state"] for each in live["requests"]} == {"stop"}
    assert {each["constraint"] for each in live["requests"]} == {"regex"}
    page = ask(host, "/live", headers={"Accept": "text/html"})
    assert page.headers["content-type"].startswith("text/html")
    assert live["requests"][0]["id"] in page.text
    assert ask(host, "/live/none").status == 404


def test_the_page_shows_text_as_text(other: Other) -> None:
    host = other()
    ask(host, CHAT, chat_body(structured_outputs={"choice": ["<script>"]}))
    page = ask(host, "/live", headers={"Accept": "text/html"}).text
    assert "&lt;script&gt;" in page
    assert "<script>" not in page


def test_a_finished_request_opens_as_a_session(other: Other) -> None:
    host = other()
    answer = ask(host, CHAT, chat_body(structured_outputs={"regex": "[0-9]{3}"}))
    requests = xgr.attach(host.url + "/v1")
    assert len(requests) == 1
    session = requests[-1]
    assert isinstance(session, Session)
    assert session.text == answer.json["choices"][0]["message"]["content"]
    assert "Lisbon" in session.prompt
    assert session.text in repr(session)
    assert requests[answer.json["id"]].output_ids == session.output_ids
    assert [each.text for each in requests] == [session.text]
    assert answer.json["id"] in repr(requests)
    assert requests.refresh(session) == 0


@pytest.mark.parametrize(
    "fields",
    [
        {"tools": [{"type": "function", "function": {"name": "f", "parameters": {"properties": {"a": {"enum": [1]}}}}}],
         "tool_choice": "required", "parallel_tool_calls": False},
        {"response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": {"enum": ["x", 5]}}}},
        {"structured_outputs": {"json": {"enum": [[1, 2]]}, "disable_any_whitespace": True}},
        {"structured_outputs": {"grammar": 'start: "a" | "b"'}},
        {"max_tokens": 4},
    ],
)  # fmt: skip
def test_each_kind_of_constraint_opens(other: Other, fields: dict[str, Any]) -> None:
    host = other()
    assert ask(host, CHAT, chat_body(**fields)).status == 200
    session = xgr.attach(host.url)[-1]
    assert session.output_ids
    assert session.replayed is None or session.replayed.step == len(session.output_ids)


def test_a_request_that_still_writes_is_followed(other: Other, hold: Hold) -> None:
    host = other()
    held = hold(host)
    with client_of(host) as client:
        stream = client.chat.completions.create(
            **chat_body(), stream=True, extra_body={"structured_outputs": {"regex": "[0-9]{12}"}}
        )
        until(
            lambda: bool(ask(host, "/live").json["requests"]) and ask(host, "/live").json["requests"][0]["n_tokens"] > 0
        )
        requests = xgr.attach(host.url)
        session = requests[-1]
        begun = session.text
        assert 0 < len(begun) < 12
        assert requests.requests()[0]["state"] == "running"
        held.release()
        said = "".join(chunk.choices[0].delta.content or "" for chunk in stream)
        until(lambda: ask(host, "/live").json["requests"][0]["state"] == "stop")
    assert requests.refresh(session) > 0
    assert session.text == said
    assert said.startswith(begun)


def test_choices_are_listed_one_by_one(other: Other) -> None:
    host = other()
    answer = ask(host, CHAT, chat_body(n=2, temperature=1, seed=1, structured_outputs={"regex": "[0-9]{4}"}))
    texts = [choice["message"]["content"] for choice in answer.json["choices"]]
    assert [each.text for each in xgr.attach(host.url)] == texts


def test_attaching_says_what_is_wrong(other: Other, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XG2LAB_API_KEY", raising=False)
    host = other(api_key="k")
    with pytest.raises(SessionError, match="401") as error:
        xgr.attach(host.url)
    assert "XG2LAB_API_KEY" in error.value.hint
    monkeypatch.setenv("XG2LAB_API_KEY", "k")
    requests = xgr.attach(host.url)
    with pytest.raises(IndexError):
        requests[-1]
    with pytest.raises(KeyError):
        requests["none"]
    with pytest.raises(SessionError, match="can't be reached"):
        xgr.attach("http://127.0.0.1:9")
    for address in ("file:///etc/passwd", "127.0.0.1", "ftp://a"):
        with pytest.raises(ArgumentError):
            xgr.attach(address)
    info = xgr.TokenizerInfo(["a", "</s>"], stop_token_ids=[1])
    with pytest.raises(SessionError, match="no request of this server"):
        requests.refresh(Session('root ::= "a"', info))


def test_requests_are_recorded_as_files(other: Other, tmp_path: Path) -> None:
    host = other(flight="always", flight_dir=str(tmp_path), flight_outputs="keep")
    answer = ask(host, CHAT, chat_body(structured_outputs={"regex": "[0-9]{3}"}))
    ask(host, CHAT, chat_body(max_tokens=2))
    until(lambda: len(list(tmp_path.glob("*.xgflight"))) == 2)
    sessions = [open_flight(path) for path in host.server.recorders[1].files()]
    assert answer.json["choices"][0]["message"]["content"] in [session.text for session in sessions]
    assert all(session.prompt == "" for session in sessions)


def test_nothing_is_recorded_of_what_went_well(other: Other, tmp_path: Path) -> None:
    host = other(flight="refusal", flight_dir=str(tmp_path))
    assert ask(host, CHAT, chat_body(structured_outputs={"regex": "[0-9]{3}"})).status == 200
    host.server.recorders[1].close()
    assert list(tmp_path.glob("*.xgflight")) == []
