"""Run the server: until it is interrupted, or in a thread for as long as a block runs.

    serve(ServeOptions())                                # what `xg2lab serve` does

>>> import urllib.request
>>> from xg2lab.integrations.serve.options import ServeOptions
>>> with hosted(ServeOptions(port=0)) as host:
...     urllib.request.urlopen(f"{host.url}/health").read()
b'{"status":"ok"}'
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import uvicorn

from xg2lab.errors import SessionError
from xg2lab.integrations.serve.app import Server, make_app

if TYPE_CHECKING:
    from xg2lab.integrations.serve.options import ServeOptions
    from xg2lab.lab.model.model_runner import ModelRunner

__all__ = ["Hosted", "hosted", "serve"]

#: What running answers may take once the server is to end.
_GRACE_SECONDS = 5


@dataclass(frozen=True)
class Hosted:
    """A server that runs in a thread.

    Parameters
    ----------
    url : str
        Where it listens, without `/v1`.
    server : Server
        The server itself.

    The module's example makes one.
    """

    url: str
    server: Server


class _Uvicorn(uvicorn.Server):
    """Says when it listens, or that it never will."""

    def __init__(self, config: uvicorn.Config, when_started: Callable[[int | None], None]) -> None:
        super().__init__(config)
        self._when_started = when_started

    async def startup(self, sockets: Any = None) -> None:
        try:
            await super().startup(sockets)
        finally:
            listening = self.started and bool(self.servers)
            self._when_started(self.servers[0].sockets[0].getsockname()[1] if listening else None)


def _config(app: Any, options: ServeOptions, level: str) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        host=options.host,
        port=options.port,
        log_level=level,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )


def serve(options: ServeOptions, say: Callable[[str], None] = print) -> None:
    """Run a server until it is interrupted.

    Parameters
    ----------
    options : ServeOptions
        The options.
    say : callable
        Called with a line when the server listens.

    Raises
    ------
    ModelLoadError, DeviceError, ArgumentError
        As `make_app`.
    SessionError
        The address is taken.

    It runs until it is interrupted, so there is no example.
    """
    app = make_app(options)
    ports: list[int | None] = []

    def started(port: int | None) -> None:
        ports.append(port)
        if port is not None:
            name = f"[{options.host}]" if ":" in options.host else options.host
            say(
                f"xg2lab serves {options.name} on http://{name}:{port}/v1, and lists requests on http://{name}:{port}/live"
            )

    server = _Uvicorn(_config(app, options, "warning"), started)
    try:
        server.run()
    except SystemExit:  # uvicorn logs why and exits
        raise _not_listening(options) from None
    except KeyboardInterrupt:
        pass
    if ports in ([], [None]):
        raise _not_listening(options)


def _not_listening(options: ServeOptions) -> SessionError:
    return SessionError(
        f"can't listen on {options.host}:{options.port}", hint="is the port taken? --port 0 takes a free one"
    )


@contextmanager
def hosted(options: ServeOptions, runner: ModelRunner | None = None) -> Generator[Hosted]:
    """Run a server in a thread while the block runs.

    Parameters
    ----------
    options : ServeOptions
        The options; port 0 takes a free one.
    runner : ModelRunner, optional
        The model; loaded by the options if left out.

    Returns
    -------
    context manager of Hosted
        The server, once it listens.

    Raises
    ------
    SessionError
        The address is taken.
    ModelLoadError, DeviceError, ArgumentError
        As `make_app`.

    The module's example runs one.
    """
    app = make_app(options, runner)
    is_decided = threading.Event()
    ports: list[int | None] = []

    def started(port: int | None) -> None:
        ports.append(port)
        is_decided.set()

    server = _Uvicorn(_config(app, options, "critical"), started)

    def run() -> None:
        try:
            asyncio.run(server.serve())
        except SystemExit:  # uvicorn exits where it can't listen
            pass
        finally:
            is_decided.set()

    thread = threading.Thread(target=run, name="xg2lab serve", daemon=True)
    thread.start()
    try:
        is_decided.wait()
        port = ports[0] if ports else None
        if port is None:
            raise _not_listening(options)
        name = f"[{options.host}]" if ":" in options.host else options.host
        yield Hosted(f"http://{name}:{port}", app.state.server)
    finally:
        server.should_exit = True
        thread.join()
