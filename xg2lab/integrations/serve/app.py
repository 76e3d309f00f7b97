"""The server: routes, the key, limits, and answers in one piece or as a stream.

    app = make_app(ServeOptions())      # loads the model; an ASGI application
    serve(ServeOptions())               # the same under uvicorn, until it is interrupted

IDEA
  A request is admitted (or refused with 429), its body is read up to a limit, and a worker thread makes an order of it:
  everything slow that is no decoding, the compilation of its constraint first of all. Then the decode thread writes,
  and the event loop only passes on what it wrote. Whoever waits for an answer also waits for the client to go away.

See also: `scheduler.py`, `orders.py`.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hmac
import itertools
import json
import logging
import secrets
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response, StreamingResponse

from xg2lab.flight import FlightRecorder
from xg2lab.integrations.serve import chat, completions, responses
from xg2lab.integrations.serve.failures import RequestError
from xg2lab.integrations.serve.fields import Fields, kind_of
from xg2lab.integrations.serve.live import Live
from xg2lab.integrations.serve.options import ServeOptions, is_loopback
from xg2lab.integrations.serve.orders import Order, OrderReader, Served
from xg2lab.integrations.serve.running import Run
from xg2lab.integrations.serve.scheduler import Event, Scheduler

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from xg2lab.lab.model.model_runner import ModelRunner

__all__ = ["Server", "make_app"]

_log = logging.getLogger("xg2lab.serve")
Json = dict[str, Any]
_IDS = {"chat": "chatcmpl-", "completions": "cmpl-", "responses": "resp_"}
_READERS: dict[str, OrderReader] = {
    "chat": chat.read_chat,
    "completions": completions.read_completion,
    "responses": responses.read_response,
}
#: Workers that read bodies and compile; the engine compiles without Python's lock.
_N_WORKERS = 4
#: Of arrays and objects in a body; what comes after it recurses.
_MOST_LEVELS = 200


class Server:
    """A served model and what runs its requests.

    Parameters
    ----------
    options : ServeOptions
        The options.
    runner : ModelRunner, optional
        The model; loaded by the options if left out.

    >>> server = Server(ServeOptions())
    >>> server.served.options.name
    'tiny'
    """

    def __init__(self, options: ServeOptions, runner: ModelRunner | None = None) -> None:
        if runner is None:
            from xg2lab.lab.model.model_runner import ModelRunner

            runner = ModelRunner.load(options.model, device=options.device, dtype=options.dtype)
        self.options = options
        self.served = Served(runner, options)
        self.live = Live(options.max_recent)
        # What /live shows: never written to a file.
        self.recorders = [FlightRecorder(None, when="always", prompts="keep", outputs="keep")]
        to_files = options.recorder()
        if to_files.is_on:
            self.recorders.append(to_files)
        self.n_open = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._workers = ThreadPoolExecutor(_N_WORKERS, thread_name_prefix="xg2lab serve")
        self.scheduler = Scheduler(
            self.served.model,
            self.served.tokenizer_info,
            self.served.stop_token_ids,
            self._deliver,
            max_batch=options.max_batch,
            n_threads=self.served.n_threads,
            times_each_mask=to_files.is_on,
        )

    # ---- Start and end --------------------------------------------------------------------------

    @asynccontextmanager
    async def lifespan(self, _app: FastAPI) -> AsyncGenerator[None]:
        """Run the decode thread while the application runs.

        Parameters
        ----------
        _app : FastAPI
            The application.

        Returns
        -------
        asynchronous context manager
            It ends the thread, and writes what flights are left.

        The application calls it.
        """
        self._loop = asyncio.get_running_loop()
        self.scheduler.start()
        try:
            yield
        finally:
            await asyncio.to_thread(self.close)

    def close(self) -> None:
        """End the decode thread and the workers.

        >>> Server(ServeOptions()).close()
        """
        self.scheduler.close()
        self._workers.shutdown(wait=False, cancel_futures=True)
        for recorder in self.recorders:
            recorder.close()

    def _deliver(self, events: list[tuple[Callable[[Event], None], Event]]) -> None:
        """In the decode thread: hand events to the event loop."""
        assert self._loop is not None
        with suppress(RuntimeError):  # the loop is closed: nobody listens
            self._loop.call_soon_threadsafe(_tell, events)

    # ---- Requests -------------------------------------------------------------------------------

    async def answer(self, request: Request, endpoint: str) -> Response:
        """Answer a request to one of the three endpoints.

        Parameters
        ----------
        request : Request
            The request.
        endpoint : str
            "chat", "completions" or "responses".

        Returns
        -------
        Response
            The answer, or a stream of it.

        Raises
        ------
        RequestError
            What is wrong with the request.

        Tests with the `openai` client call it.
        """
        deadline = time.monotonic() + self.options.max_seconds
        if self.n_open >= self.options.max_requests:
            raise RequestError(
                f"{self.options.max_requests} requests are open, and the server takes no more",
                status=429,
                hint="try again in a second; the server's limit is --max-requests",
                code="too_many_requests",
                headers={"Retry-After": "1"},
            )
        self.n_open += 1
        is_handed_on = False
        try:
            run = await self._admitted(request, endpoint, deadline)
            gone = asyncio.ensure_future(_gone(request))
            try:
                run.start()
                if not run.order.streams:
                    return await self._whole(run, gone)
                first = await _or_gone(run.next(), gone)
                if first is None:
                    run.cancel()
                    return Response(status_code=499)
                is_handed_on = True
                return _Stream(self, run, _events(self, run, first, gone), gone)
            except BaseException:
                run.cancel()
                raise
            finally:
                if not is_handed_on:
                    gone.cancel()
        finally:
            if not is_handed_on:
                self.n_open -= 1

    async def _admitted(self, request: Request, endpoint: str, deadline: float) -> Run:
        try:
            async with asyncio.timeout(deadline - time.monotonic()):
                body = await self._body(request)
        except TimeoutError:
            raise RequestError("the body did not come in time", status=408, code="request_timeout") from None
        fields = Fields(body)
        chat.check_model(fields, self.served)
        loop = asyncio.get_running_loop()
        order = await loop.run_in_executor(self._workers, _READERS[endpoint], fields, self.served)
        request_id = _IDS[endpoint] + secrets.token_hex(12)
        return Run(self.served, self.scheduler, self.live, self.recorders, order, request_id, deadline)

    async def _body(self, request: Request) -> Any:
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise RequestError(
                f"the content type is {kind[:60] or 'missing'!r}",
                status=415,
                hint="send JSON with Content-Type: application/json",
                code="unsupported_media_type",
            )
        most = self.options.max_body_bytes
        data = bytearray()
        async for piece in request.stream():
            data += piece
            if len(data) > most:
                raise RequestError(
                    f"the body has more than {most} bytes",
                    status=413,
                    hint="the server's limit is --max-body-bytes",
                    code="body_too_large",
                    headers={"Connection": "close"},
                )
        return _parsed(bytes(data))

    async def _whole(self, run: Run, gone: asyncio.Future[None]) -> Response:
        while not run.is_over:
            if await _or_gone(run.next(), gone) is None:
                run.cancel()
                return Response(status_code=499)
        make = {"chat": chat.completion, "completions": completions.completion, "responses": responses.response}
        tokens = self.served.tokenizer_info.decoded_vocab
        value = make[run.order.endpoint](run.id, run.created, self.options.name, run.order, run.choices, tokens)
        return JSONResponse(value, headers=_headers(run))

    def released(self) -> None:
        """Count a stream that has ended.

        >>> server = Server(ServeOptions())
        >>> server.n_open = 1
        >>> server.released()
        >>> server.n_open
        0
        """
        self.n_open -= 1


def _tell(events: list[tuple[Callable[[Event], None], Event]]) -> None:
    for listener, event in events:
        listener(event)


def _headers(run: Run) -> dict[str, str]:
    """So that a client can see that its constraint was understood."""
    constraint = run.order.constraint
    return {"x-request-id": run.id, "x-xg2lab-constraint": "none" if constraint is None else constraint.kind}


async def _gone(request: Request) -> None:
    """Wait until the client goes away."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _or_gone(work: Any, gone: asyncio.Future[None]) -> Any:
    """What `work` returns, or None if the client goes away before."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        if not task.done():
            task.cancel()
    return task.result() if task.done() and not task.cancelled() else None


def _parsed(data: bytes) -> Any:
    """The values of a body; 400 for what is no JSON, or has a key twice, or text that is no Unicode."""
    try:
        value = json.loads(data.decode(), parse_constant=_no_constant, object_pairs_hook=_once)
        if b"\\u" in data:
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        what = "is nested too deep" if isinstance(error, RecursionError) else f"is not JSON: {error}"
        raise RequestError(f"the body {what}"[:300], code="invalid_json") from None
    if _depth(value) > _MOST_LEVELS:
        raise RequestError(f"the body is nested deeper than {_MOST_LEVELS} levels", code="invalid_json")
    if not isinstance(value, dict):
        raise RequestError(f"the body must be an object, not {kind_of(value)}", code="invalid_type")
    return value  # pyright: ignore[reportUnknownVariableType]


def _depth(value: Any) -> int:
    """How deep arrays and objects nest, level by level."""
    level: list[Any] = [value]
    for depth in itertools.count():
        nested = [each for each in level if isinstance(each, (dict, list))]
        if not nested:
            return depth
        level = [inner for each in nested for inner in (each.values() if isinstance(each, dict) else each)]
    raise AssertionError("a body ends")


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _once(pairs: list[tuple[str, Any]]) -> Json:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice[:60]!r} occurs twice in one object")
    return found


# ---- Streams ------------------------------------------------------------------------------------


class _Stream(StreamingResponse):
    """A stream of events. When it is over, or its client has gone, its request is too."""

    def __init__(self, server: Server, run: Run, lines: AsyncIterator[str], gone: asyncio.Future[None]) -> None:
        headers = {**_headers(run), "Cache-Control": "no-cache"}
        super().__init__(lines, media_type="text/event-stream", headers=headers)
        self._server, self._of, self._gone = server, run, gone

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._of.cancel()
            self._gone.cancel()
            self._server.released()


async def _events(server: Server, run: Run, steps: Any, gone: asyncio.Future[None]) -> AsyncIterator[str]:
    """The lines of a stream: an event for each step, and at the end the usage."""
    make = {"chat": _ChatStream, "completions": _TextStream, "responses": responses.ResponseStream}
    tokens = server.served.tokenizer_info.decoded_vocab
    stream: Any = make[run.order.endpoint](run.id, run.created, server.options.name, run.order, tokens)
    for value in stream.begin(run.choices):
        yield _line(value)
    try:
        while True:
            for step in steps:
                for value in stream.step(step):
                    yield _line(value)
            if run.is_over:
                break
            steps = await _or_gone(run.next(), gone)
            if steps is None:
                return
    except RequestError as failure:
        for value in stream.failed(failure, run.choices):
            yield _line(value)
        return
    for value in stream.end(run.choices):
        yield _line(value)
    if run.order.endpoint != "responses":
        yield "data: [DONE]\n\n"


def _line(value: Json) -> str:
    kind = f"event: {value['type']}\n" if "type" in value else ""
    return f"{kind}data: {json.dumps(value, ensure_ascii=False, separators=(',', ':'))}\n\n"


class _ChatStream:
    """Chunks of a chat completion."""

    def __init__(self, request_id: str, created: int, model: str, order: Order, tokens: Any) -> None:
        self._head, self._order, self._tokens = (request_id, created, model), order, tokens
        self._call_ids: dict[tuple[int, int], str] = {}

    def begin(self, choices: Any) -> list[Json]:
        return [
            chat.chunk(*self._head, [self._delta(choice.index, {"role": "assistant", "content": ""}, None, None)])
            for choice in choices
        ]

    def step(self, step: Any) -> list[Json]:
        choice, order = step.choice, self._order
        shown = None if step.log is None else chat.logprobs([step.log], self._tokens)
        deltas = chat.deltas(list(step.parts), order, choice)
        found = [
            chat.chunk(*self._head, [self._delta(choice.index, delta, None, shown if place == 0 else None)])
            for place, delta in enumerate(deltas)
        ]
        if shown is not None and not deltas:  # a token whose text is not certain yet
            found.append(chat.chunk(*self._head, [self._delta(choice.index, {}, None, shown)]))
        if step.is_last:
            reason = chat.finish_reason(choice, order)
            found.append(chat.chunk(*self._head, [self._delta(choice.index, {}, reason, None)]))
        return found

    def end(self, choices: Any) -> list[Json]:
        if not self._order.includes_usage:
            return []
        used = chat.usage(self._order.n_prompt_tokens, sum(choice.n_tokens for choice in choices))
        return [chat.chunk(*self._head, [], used)]

    def failed(self, failure: RequestError, _choices: Any) -> list[Json]:
        return [failure.body()]

    def _delta(self, index: int, delta: Json, reason: str | None, shown: Json | None) -> Json:
        return {"index": index, "delta": delta, "logprobs": shown, "finish_reason": reason}


class _TextStream:
    """Chunks of a text completion."""

    def __init__(self, request_id: str, created: int, model: str, order: Order, tokens: Any) -> None:
        self._head, self._order, self._tokens = (request_id, created, model), order, tokens

    def begin(self, _choices: Any) -> list[Json]:
        return []

    def step(self, step: Any) -> list[Json]:
        text = "".join(part.text for part in step.parts)
        log = None if step.log is None else [step.log]
        if not (text or log or step.is_last):
            return []
        reason = step.choice.reason if step.is_last else None
        choice = completions.text_choice(step.choice.index, text, log, reason, self._tokens)
        return [completions.text_object(*self._head, [choice], None)]

    def end(self, choices: Any) -> list[Json]:
        if not self._order.includes_usage:
            return []
        used = chat.usage(self._order.n_prompt_tokens, sum(choice.n_tokens for choice in choices))
        return [completions.text_object(*self._head, [], used)]

    def failed(self, failure: RequestError, _choices: Any) -> list[Json]:
        return [failure.body()]


# ---- The application ----------------------------------------------------------------------------


class _Gate:
    """Before all routes: the key; without one, that the request was meant for this machine by its name."""

    def __init__(self, app: ASGIApp, options: ServeOptions) -> None:
        self._app, self._options = app, options

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            failure = self._refusal(scope)
            if failure is not None:
                await _failed(failure)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _refusal(self, scope: Scope) -> RequestError | None:
        headers: dict[bytes, bytes] = dict(scope["headers"])
        key = self._options.api_key
        if key is None:
            host = headers.get(b"host", b"").decode("latin-1")
            name = host.rpartition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]
            if is_loopback(name):
                return None
            # A page of another site can make a browser look its name up as 127.0.0.1.
            hint = "ask for 127.0.0.1 or localhost; or give the server a key"
            return RequestError(
                f"this server without a key answers on loopback alone, not for {name[:60]!r}",
                status=403,
                hint=hint,
                code="host_not_allowed",
            )
        if scope["path"] == "/health" or _is_key(headers.get(b"authorization", b""), key):
            return None
        # The page is for browsers, which ask for a password.
        extra = {"WWW-Authenticate": 'Basic realm="xg2lab"' if scope["path"] == "/live" else "Bearer"}
        return RequestError(
            "the key is missing or wrong",
            status=401,
            hint="Authorization: Bearer KEY",
            code="invalid_api_key",
            headers=extra,
        )


def _is_key(header: bytes, key: str) -> bool:
    """Whether a header has the key; the comparison takes as long for any wrong one."""
    kind, _, given = header.partition(b" ")
    given = given.strip()
    if kind.lower() == b"basic":
        try:
            given = base64.b64decode(given, validate=True).partition(b":")[2]
        except binascii.Error:
            return False
    elif kind.lower() != b"bearer":
        return False
    return hmac.compare_digest(given, key.encode())


def _failed(failure: RequestError) -> Response:
    return JSONResponse(failure.body(), status_code=failure.status, headers=failure.headers)


def make_app(options: ServeOptions, runner: ModelRunner | None = None) -> FastAPI:
    """Make the application.

    Parameters
    ----------
    options : ServeOptions
        The options.
    runner : ModelRunner, optional
        The model; loaded by the options if left out.

    Returns
    -------
    FastAPI
        An ASGI application; `app.state.server` is its `Server`.

    Raises
    ------
    ModelLoadError, DeviceError
        As `ModelRunner.load`.

    >>> make_app(ServeOptions()).state.server.n_open
    0
    """
    server = Server(options, runner)
    app = FastAPI(lifespan=server.lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    app.state.server = server
    created = int(time.time())

    async def route_of(request: Request, endpoint: str) -> Response:
        try:
            return await server.answer(request, endpoint)
        except RequestError as failure:
            return _failed(failure)
        except Exception:  # noqa: BLE001 (a client gets an answer, the log the reason)
            _log.exception("a request to %s failed", endpoint)
            return _failed(RequestError("the server failed", status=500, code="server_failed"))

    @app.post("/v1/chat/completions")
    async def chat_completions(request: Request) -> Response:
        return await route_of(request, "chat")

    @app.post("/v1/completions")
    async def text_completions(request: Request) -> Response:
        return await route_of(request, "completions")

    @app.post("/v1/responses")
    async def new_response(request: Request) -> Response:
        return await route_of(request, "responses")

    @app.get("/v1/models")
    async def models() -> Json:
        return {"object": "list", "data": [model_object()]}

    @app.get("/v1/models/{name:path}")
    async def model(name: str) -> Response:
        if name != options.name:
            return _failed(RequestError(f"there is no model {name[:80]!r} here", status=404, code="model_not_found"))
        return JSONResponse(model_object())

    def model_object() -> Json:
        return {
            "id": options.name,
            "object": "model",
            "created": created,
            "owned_by": "xg2lab",
            "max_model_len": server.served.max_n_tokens,
        }

    @app.get("/health")
    async def health() -> Json:
        return {"status": "ok"}

    @app.get("/live")
    async def live(request: Request) -> Response:
        if "text/html" in request.headers.get("accept", ""):
            return HTMLResponse(server.live.page(options.name), headers={"Cache-Control": "no-store"})
        running = {"n_running": server.scheduler.n_running, "n_waiting": server.scheduler.n_waiting}
        value = {"model": options.name, **running, "n_open": server.n_open, "requests": server.live.listed()}
        return JSONResponse(value, headers={"Cache-Control": "no-store"})

    @app.get("/live/tokenizer")
    async def tokenizer() -> Response:
        text = await asyncio.to_thread(server.served.tokenizer_info.serialize_json)
        return Response(text, media_type="application/json")

    @app.get("/live/{name}")
    async def record(name: str) -> Response:
        entry = server.live.entries.get(name)
        if entry is None or entry.flight is None:
            hint = "GET /live lists those that are known"
            return _failed(RequestError(f"there is no request {name[:80]!r}", status=404, hint=hint, code="not_found"))
        text = await asyncio.to_thread(entry.flight.record().to_json)
        return Response(text, media_type="application/json", headers={"Cache-Control": "no-store"})

    @app.exception_handler(404)
    @app.exception_handler(405)
    async def no_route(request: Request, error: HTTPException) -> Response:
        message = f"{request.method} {request.url.path[:80]}: {error.detail}"
        extra = dict(error.headers or {})
        return _failed(RequestError(message, status=error.status_code, code="no_route", headers=extra))

    app.add_middleware(_Gate, options=options)
    return app
