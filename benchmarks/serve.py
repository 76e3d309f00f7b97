"""`xg2lab serve` under clients that ask at once, with a constraint and without.

    python -m benchmarks serve

The server is a process of its own and serves the tiny model on the CPU. Each of `clients` sends `N_REQUESTS` requests,
one after the other, and reads the streams; all clients run beside each other in this process, over plain sockets, so
that reading costs little. Both ways write the same number of tokens: the tokens that end a text are biased against, and
the constraint is an object with one string that is longer than the limit of tokens.

`ttft_ms`: from the request to the first chunk with text; `tpot_ms`: of one answer, the mean time of a further token;
`tokens_per_s`: of all answers over the time of the whole run. One run of each row before counts nothing.
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any

from benchmarks import record

CLIENTS = (1, 16, 64)
N_REQUESTS = 4
N_TOKENS = 48
SCHEMA = {
    "type": "object",
    "properties": {"text": {"type": "string", "minLength": 1000}},
    "required": ["text"],
    "additionalProperties": False,
}
WAYS: dict[str, dict[str, Any]] = {"free": {}, "constrained": {"structured_outputs": {"json": SCHEMA}}}


@dataclass(frozen=True)
class Answer:
    """One stream: milliseconds to its first text, milliseconds of each further token, and the number of tokens."""

    ttft_ms: float
    tpot_ms: float
    n_tokens: int


def run() -> list[record.Figures]:
    command = [sys.executable, "-u", "-m", "xg2lab", "serve", "--port", "0", "--device", "cpu"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            found = re.search(r"http://127\.0\.0\.1:([0-9]+)/v1", server.stdout.readline())
            if found is None:
                raise SystemExit("serve: the server did not start")
            rows: list[record.Figures] = []
            for n_clients in CLIENTS:
                for way in WAYS:
                    asyncio.run(_clients(int(found[1]), n_clients, way))
                    rows.append(_row(int(found[1]), n_clients, way))
            return rows
        finally:
            server.terminate()


def _row(port: int, n_clients: int, way: str) -> record.Figures:
    begun = time.perf_counter()
    answers = asyncio.run(_clients(port, n_clients, way))
    elapsed = time.perf_counter() - begun
    first = [answer.ttft_ms for answer in answers]
    each = [answer.tpot_ms for answer in answers]
    return {
        "model": "tiny",
        "device": "cpu",
        "clients": n_clients,
        "way": way,
        "n_requests": len(answers),
        "n_tokens": sum(answer.n_tokens for answer in answers),
        "ttft_ms_p50": record.quantile(first, 0.5),
        "ttft_ms_p99": record.quantile(first, 0.99),
        "tpot_ms_p50": record.quantile(each, 0.5),
        "tpot_ms_p99": record.quantile(each, 0.99),
        "tokens_per_s": sum(answer.n_tokens for answer in answers) / elapsed,
    }


async def _clients(port: int, n_clients: int, way: str) -> list[Answer]:
    async def client(number: int) -> list[Answer]:
        return [await _ask(port, number * N_REQUESTS + each, way) for each in range(N_REQUESTS)]

    return [answer for answers in await asyncio.gather(*map(client, range(n_clients))) for answer in answers]


async def _ask(port: int, seed: int, way: str) -> Answer:
    """One request over a connection of its own."""
    body = json.dumps(
        {
            "model": "tiny",
            "messages": [{"role": "user", "content": f"Ines Duarte is {seed} years old and lives in Lisbon."}],
            "max_tokens": N_TOKENS,
            "seed": seed,
            "stream": True,
            "stream_options": {"include_usage": True},
            "logit_bias": {"2034": -100, "2036": -100},
            **WAYS[way],
        }
    ).encode()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    begun = time.perf_counter()
    head = (
        f"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: {len(body)}\r\n"
    )
    writer.write(head.encode() + b"Content-Type: application/json\r\n\r\n" + body)
    first = last = 0.0
    n_tokens = 0
    async for line in reader:
        if not line.startswith(b"data: {"):
            continue
        chunk = json.loads(line[6:])
        if chunk.get("usage"):
            n_tokens = chunk["usage"]["completion_tokens"]
        elif chunk["choices"][0]["delta"].get("content"):
            last = time.perf_counter()
            first = first or last
    writer.close()
    if n_tokens < 2:
        raise SystemExit(f"serve: an answer has {n_tokens} tokens")
    return Answer((first - begun) * 1e3, (last - first) * 1e3 / (n_tokens - 1), n_tokens)
