"""An event loop for a test, in a thread of its own: where browser tests ran before, the test's thread has a loop."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

__all__ = ["run"]


def run(work: Coroutine[Any, Any, object]) -> None:
    """Run a coroutine in a new thread and wait for its end. The caller gets the exceptions of the coroutine."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()
