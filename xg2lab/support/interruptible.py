"""Long work that an interrupt leaves at once: loading a model, compiling a grammar.

>>> interruptible(lambda: 6 * 7)
42

A C function does not notice an interrupt: Python raises it when the function returns, which for a model's weights or a
hard grammar can be a minute later. So the work is done in a thread of its own, and the caller waits in short turns.
After an interrupt the thread runs to its end, because it can't be stopped, and its result is dropped.

THREADS  Outside the main thread there are no interrupts, and the work is done on the calling thread. The thread has a
         copy of its caller's context: a notebook's progress bars find their cell through it.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import TypeVar

__all__ = ["interruptible"]

_TURN_S = 0.1  # how late an interrupt may come through

T = TypeVar("T")


def interruptible(work: Callable[[], T]) -> T:
    """Return what `work` returns, or raise what it raises; an interrupt is raised within a tenth of a second."""
    if threading.current_thread() is not threading.main_thread():
        return work()
    made: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            made.append(work())
        except BaseException as error:  # noqa: BLE001 (it is the caller's: raised below)
            failed.append(error)

    worker = threading.Thread(target=contextvars.copy_context().run, args=(run,), name="xg2lab work", daemon=True)
    worker.start()
    while worker.is_alive():
        worker.join(_TURN_S)
    if failed:
        raise failed[0]
    return made[0]
