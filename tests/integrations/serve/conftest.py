"""One server for all tests of a process, and clients of it: the real `openai` package, and plain HTTP."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import openai
import pytest

from xg2lab.integrations.serve.hosting import Hosted, hosted
from xg2lab.integrations.serve.options import ServeOptions
from xg2lab.lab.model.model_runner import ModelRunner


@pytest.fixture(scope="session")
def runner() -> ModelRunner:
    return ModelRunner.tiny()


@pytest.fixture(scope="session")
def host(runner: ModelRunner) -> Iterator[Hosted]:
    with hosted(ServeOptions(port=0, max_tokens=400), runner) as running:
        yield running


@pytest.fixture
def other(runner: ModelRunner) -> Iterator[Callable[..., Hosted]]:
    """Start servers with options of their own; they end with the test."""
    from contextlib import ExitStack

    with ExitStack() as stack:
        yield lambda **options: stack.enter_context(hosted(ServeOptions(port=0, **options), runner))


def client_of(host: Hosted, key: str = "no key is needed") -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{host.url}/v1", api_key=key, max_retries=0)


@pytest.fixture(scope="session")
def client(host: Hosted) -> Iterator[openai.OpenAI]:
    with client_of(host) as made:
        yield made


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def error(self) -> dict[str, Any]:
        return self.json["error"]


def ask(host: Hosted, path: str, body: object = None, headers: dict[str, str] | None = None) -> Answer:
    """One request over plain HTTP: a POST of JSON, or of bytes as they are, or a GET without a body."""
    connection = http.client.HTTPConnection(urlsplit(host.url).netloc)
    try:
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        sent = {} if data is None else {"Content-Type": "application/json"}
        connection.request("GET" if data is None else "POST", path, data, {**sent, **(headers or {})})
        answer = connection.getresponse()
        return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read().decode())
    finally:
        connection.close()


def chat_body(**fields: object) -> dict[str, Any]:
    messages = [{"role": "user", "content": "What is the weather in Lisbon in celsius?"}]
    return {"model": "tiny", "messages": messages, "max_tokens": 60, "temperature": 0, **fields}


# ---- Waiting for conditions, not for times ------------------------------------------------------


def until(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds; it fails only on a server that hangs."""
    pause = threading.Event()
    for _ in range(60_000):
        if condition():
            return
        pause.wait(0.002)
    raise AssertionError("the condition never held")


class Held:
    """The decode thread of a server, stopped before its next step of the model until it is released."""

    def __init__(self, host: Hosted) -> None:
        self.gate = threading.Event()
        self.sizes: list[int] = []
        self._batch = host.server.scheduler._batch
        self._step = self._batch.step
        self._batch.step = self._wait  # type: ignore[method-assign]

    def _wait(self, token_ids: Any) -> Any:
        self.gate.wait()
        self.sizes.append(len(token_ids))
        return self._step(token_ids)

    def release(self) -> None:
        self.gate.set()


@pytest.fixture
def hold(other: Callable[..., Hosted]) -> Iterator[Callable[[Hosted], Held]]:
    held: list[Held] = []

    def start(host: Hosted) -> Held:
        held.append(Held(host))
        return held[-1]

    yield start
    for each in held:
        each.release()
        each._batch.step = each._step  # type: ignore[method-assign]
