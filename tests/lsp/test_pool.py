"""The language server ends a worker process whose request was cancelled."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests import event_loop
from xg2lab.lsp import pool

ENDING_S = 60  # of a process that was ended, on a machine that is busy


def test_a_worker_is_ended_if_its_start_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[asyncio.subprocess.Process] = []
    start = asyncio.create_subprocess_exec

    async def ended() -> None:
        is_made = asyncio.Event()

        async def started(*command: Any, **options: Any) -> asyncio.subprocess.Process:
            made.append(await start(*command, **options))
            is_made.set()
            return made[-1]

        monkeypatch.setattr(asyncio, "create_subprocess_exec", started)
        worker = pool.Worker(seconds=60)
        asked = asyncio.create_task(worker.ask("diagnostics", "file:///a.ebnf", 1, 'root ::= "a"'))
        await is_made.wait()
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        assert await asyncio.wait_for(made[0].wait(), ENDING_S) != 0
        assert await worker.ask("diagnostics", "file:///a.ebnf", 1, 'root ::= "a"') == []
        await worker.close()

    event_loop.run(ended())
    assert len(made) == 2
