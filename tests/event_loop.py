"""An event loop for a test, in a thread of its own: where browser tests ran before, the test's thread has a loop."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

__all__ = ["run"]

Result = TypeVar("Result")


def run(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine in a new thread and return its result. The caller gets the exceptions of the coroutine."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()
