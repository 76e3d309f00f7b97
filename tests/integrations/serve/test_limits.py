"""Who may ask, how much, and what happens to a request whose client goes away."""

from __future__ import annotations

import asyncio
import base64
import http.client
import json
import re
import threading
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import openai
import pytest

from tests import event_loop
from tests.integrations.serve.conftest import Answer, Held, ask, chat_body, client_of, until
from xg2lab.errors import ArgumentError, SessionError
from xg2lab.integrations.serve.hosting import Hosted, hosted
from xg2lab.integrations.serve.options import ServeOptions
from xg2lab.integrations.serve.sampling import Sampling
from xg2lab.integrations.serve.scheduler import Ended, Event, Generation, Scheduler
from xg2lab.lab.model.model_runner import ModelRunner

CHAT = "/v1/chat/completions"
Other = Callable[..., Hosted]
Hold = Callable[[Hosted], Held]


# ---- The key ------------------------------------------------------------------------------------


def test_other_hosts_need_a_key() -> None:
    for address in ("0.0.0.0", "::", "192.168.1.1", "example.org", ""):
        with pytest.raises(ArgumentError, match="no key"):
            ServeOptions(host=address)
        assert ServeOptions(host=address, api_key="k").host == address


def test_the_key_is_asked_for_everywhere_but_for_health(other: Other) -> None:
    host = other(api_key="a secret")
    for path in ("/v1/models", "/live", "/live/tokenizer", "/live/x", "/nowhere"):
        for headers in (
            {},
            {"Authorization": "Bearer a secre"},
            {"Authorization": "a secret"},
            {"Authorization": "Basic !"},
        ):
            answer = ask(host, path, headers=headers)
            assert (answer.status, answer.error["code"]) == (401, "invalid_api_key")
            assert "www-authenticate" in answer.headers
    assert ask(host, CHAT, chat_body()).status == 401
    assert ask(host, "/health").json == {"status": "ok"}
    basic = base64.b64encode(b"anyone:a secret").decode()
    for header in ("Bearer a secret", f"Basic {basic}"):
        assert ask(host, "/live", headers={"Authorization": header}).status == 200
    with client_of(host, "a secret") as client:
        assert client.models.list().data[0].id == "tiny"
    with client_of(host, "another") as client, pytest.raises(openai.AuthenticationError):
        client.models.list()


def test_without_a_key_only_names_of_this_machine_are_answered(host: Hosted) -> None:
    """A page of another site can have its own name looked up as 127.0.0.1."""
    for name, status in (("evil.example", 403), ("", 403), ("localhost:1", 200), ("[::1]:80", 200), ("127.0.0.1", 200)):
        assert ask(host, "/live", headers={"Host": name}).status == status


def test_a_form_of_a_page_is_no_request(host: Hosted) -> None:
    answer = ask(host, CHAT, chat_body(), headers={"Content-Type": "text/plain"})
    assert (answer.status, answer.error["code"]) == (415, "unsupported_media_type")


# ---- Sizes --------------------------------------------------------------------------------------


def test_bodies_constraints_and_times_have_limits(other: Other) -> None:
    host = other(max_body_bytes=3000, max_constraint_bytes=200, max_tokens=50, max_choices=2)
    assert ask(host, CHAT, chat_body(max_tokens=2)).status == 200
    large = ask(host, CHAT, chat_body(user="x" * 4000))
    assert (large.status, large.error["code"]) == (413, "body_too_large")
    schema = ask(host, CHAT, chat_body(structured_outputs={"json": {"enum": ["x" * 300]}}))
    assert (schema.status, schema.error["code"]) == (400, "constraint_too_large")
    tools = [{"type": "function", "function": {"name": "f", "description": "x" * 300}}]
    assert ask(host, CHAT, chat_body(tools=tools)).error["pointer"] == "/tools"
    assert ask(host, CHAT, chat_body(max_tokens=51)).error["param"] == "max_tokens"
    assert ask(host, CHAT, chat_body(max_tokens=5, n=3)).error["param"] == "n"
    prompts = {"model": "tiny", "prompt": ["a", "b"], "n": 2, "max_tokens": 1}
    assert ask(host, "/v1/completions", prompts).error["param"] == "prompt"


def test_compilation_has_a_limit_of_time(other: Other) -> None:
    host = other(max_compile_seconds=1e-9)
    answer = ask(host, CHAT, chat_body(structured_outputs={"regex": "(a|b|ab){1,400}c"}))
    assert answer.status == 400
    assert answer.error["pointer"] == "/structured_outputs/regex"


def test_a_prompt_fits_the_model(host: Hosted) -> None:
    answer = ask(host, CHAT, chat_body(messages=[{"role": "user", "content": "word " * 3000}]))
    assert (answer.status, answer.error["code"]) == (400, "context_length_exceeded")


def test_a_request_out_of_time_ends_with_504(runner: ModelRunner) -> None:
    heard: list[Event] = []
    scheduler = Scheduler(
        runner.model,
        runner.tokenizer_info,
        runner.eos_token_ids,
        lambda events: [listener(event) for listener, event in events] and None,
    )
    generation = Generation([[1, 2]], Sampling(), 10, deadline=time.monotonic() - 1)
    generation.listener = heard.append
    scheduler.submit(generation)
    scheduler.start()
    until(lambda: bool(heard))
    scheduler.close()
    (ended,) = heard
    assert isinstance(ended, Ended)
    assert ended.failure is not None
    assert (ended.reason, ended.failure.status) == ("failed", 504)


# ---- Many requests ------------------------------------------------------------------------------


def test_one_request_too_many_is_told_to_come_again(other: Other, hold: Hold) -> None:
    host = other(max_requests=1)
    held = hold(host)
    with client_of(host) as client:
        stream = client.chat.completions.create(**chat_body(max_tokens=20), stream=True)
        next(iter(stream))
        refused = ask(host, CHAT, chat_body())
        assert (refused.status, refused.error["code"], refused.headers["retry-after"]) == (
            429,
            "too_many_requests",
            "1",
        )
        held.release()
        assert list(stream)
        until(lambda: host.server.n_open == 0)
    assert ask(host, CHAT, chat_body(max_tokens=2)).status == 200


PATTERNS = ("[0-9]{4}", "(yes|no)!", '\\{"a":[0-9]\\}', "[a-f]{2,9};")


def test_64_requests_at_once_are_each_well_formed(other: Other, hold: Hold) -> None:
    host = other()
    held = hold(host)

    async def one(client: openai.AsyncOpenAI, number: int) -> str:
        fields: dict[str, Any] = {"structured_outputs": {"regex": PATTERNS[number % 4]}}
        if number % 8 == 7:
            fields = {"n": 1}
        body = chat_body(temperature=1, seed=number, max_tokens=12 + number)
        body["messages"][0]["content"] += " now" * (number % 5)
        if number % 3 == 0:
            chunks = await client.chat.completions.create(**body, extra_body=fields, stream=True)
            return "".join([chunk.choices[0].delta.content or "" async for chunk in chunks])
        answer = await client.chat.completions.create(**body, extra_body=fields)
        return answer.choices[0].message.content or ""

    async def together() -> list[str]:
        async with openai.AsyncOpenAI(base_url=f"{host.url}/v1", api_key="k", max_retries=0, timeout=600) as client:
            running = [asyncio.ensure_future(one(client, number)) for number in range(64)]
            await asyncio.to_thread(until, lambda: host.server.n_open == 64)
            held.release()
            return await asyncio.gather(*running)

    texts = event_loop.run(together())
    for number, text in enumerate(texts):
        assert number % 8 == 7 or re.fullmatch(PATTERNS[number % 4], text), (number, text)
    assert max(held.sizes) > 32
    assert host.server.scheduler.n_running == 0


def test_sequences_beyond_the_batch_wait_for_their_turn(other: Other, hold: Hold) -> None:
    host = other(max_batch=2, max_choices=8)
    held = hold(host)
    held.release()
    answer = ask(host, CHAT, chat_body(n=8, temperature=1, seed=1, structured_outputs={"regex": "[0-9]{9}"}))
    texts = [choice["message"]["content"] for choice in answer.json["choices"]]
    assert all(re.fullmatch("[0-9]{9}", text) for text in texts)
    assert len(texts) == 8
    assert max(held.sizes) == 2


# ---- Clients that go away -----------------------------------------------------------------------


@pytest.mark.parametrize("streams", [True, False])
def test_a_client_that_goes_away_frees_its_place(other: Other, hold: Hold, streams: bool) -> None:
    host = other(max_requests=1)
    held = hold(host)
    connection = http.client.HTTPConnection(urlsplit(host.url).netloc)
    data = json.dumps(chat_body(max_tokens=1500, stream=streams))
    connection.request("POST", CHAT, data, {"Content-Type": "application/json"})
    if streams:
        answer = connection.getresponse()
        assert answer.readline().startswith(b"data:")
        answer.close()
    else:
        until(lambda: host.server.scheduler.n_running == 1)
    connection.close()
    until(lambda: host.server.n_open == 0)  # the model has not gone on meanwhile
    assert held.sizes == []
    held.release()
    until(lambda: host.server.scheduler.n_running == 0)
    (entry,) = ask(host, "/live").json["requests"]
    assert entry["state"] == "cancelled"
    assert len(held.sizes) <= 1
    assert ask(host, CHAT, chat_body(max_tokens=1)).status == 200


def test_a_stream_that_is_closed_by_the_client_ends(other: Other, hold: Hold) -> None:
    host = other()
    held = hold(host)
    with client_of(host) as client:
        stream = client.chat.completions.create(**chat_body(max_tokens=1500), n=5, stream=True)
        next(iter(stream))
        stream.close()
        until(lambda: host.server.n_open == 0)
    held.release()
    until(lambda: host.server.scheduler.n_running == 0)
    assert {entry["state"] for entry in ask(host, "/live").json["requests"]} == {"cancelled"}


# ---- The server's own failures ------------------------------------------------------------------


def test_a_model_that_fails_fails_its_requests_alone(other: Other) -> None:
    host = other()
    batch = host.server.scheduler._batch
    join = batch.join

    def broken(*arguments: Any) -> Any:
        batch.join = join  # type: ignore[method-assign]
        raise RuntimeError("out of memory")

    batch.join = broken  # type: ignore[method-assign]
    failed = ask(host, CHAT, chat_body())
    assert (failed.status, failed.error["code"]) == (500, "model_failed")
    assert "memory" not in failed.text
    assert ask(host, CHAT, chat_body(max_tokens=2)).status == 200


def test_a_server_that_ends_ends_its_requests(runner: ModelRunner) -> None:
    answers: list[Answer] = []
    with hosted(ServeOptions(port=0), runner) as host:
        held = Held(host)
        thread = threading.Thread(target=lambda: answers.append(ask(host, CHAT, chat_body(max_tokens=1500))))
        thread.start()
        until(lambda: host.server.scheduler.n_running == 1)
        closing = threading.Thread(target=host.server.scheduler.close)
        closing.start()
        until(lambda: host.server.scheduler._is_closing)
        held.release()
        closing.join()
        thread.join()
        assert ask(host, CHAT, chat_body()).error["code"] == "shutting_down"
    assert (answers[0].status, answers[0].error["code"]) == (503, "shutting_down")


def test_a_port_that_is_taken_is_said(host: Hosted, runner: ModelRunner) -> None:
    port = urlsplit(host.url).port
    assert port is not None
    with pytest.raises(SessionError, match="can't listen"), hosted(ServeOptions(port=port), runner):
        pass


def test_unknown_routes_answer_in_the_same_form(host: Hosted) -> None:
    assert ask(host, "/v1/embeddings", {}).error["code"] == "no_route"
    assert ask(host, CHAT).status == 405
