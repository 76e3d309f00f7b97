"""A lock that its waiters get in turn: a loop that takes and leaves it can't starve a click.

>>> lock = TurnLock()
>>> with lock, lock:
...     lock.is_mine
True

IDEA
  Python's locks are not fair: `while True: with lock: step()` takes the lock again before a thread that waits for it
  wakes up. A waiter of this lock holds a queue lock meanwhile, so a loop that releases the lock must queue behind it.

THREADS  `_owner` and `_depth` are written by the holder of `_lock` alone; `_owner` may be read by any thread, because
         only the reader itself can make it equal to the reader's own number.
"""

from __future__ import annotations

import threading
from typing import Self

__all__ = ["TurnLock"]


class TurnLock:
    """A re-entrant lock, given in turn."""

    def __init__(self) -> None:
        self._queue = threading.Lock()
        self._lock = threading.Lock()
        self._owner: int | None = None
        self._depth = 0

    @property
    def is_mine(self) -> bool:
        """Whether the calling thread holds it."""
        return self._owner == threading.get_ident()

    def __enter__(self) -> Self:
        if not self.is_mine:
            with self._queue:
                self._lock.acquire()
            self._owner = threading.get_ident()
        self._depth += 1
        return self

    def take_now(self) -> bool:
        """Take the lock if no thread has it or waits for it; `__exit__` gives it back. Returns whether it was taken.

        >>> lock = TurnLock()
        >>> lock.take_now(), lock.is_mine
        (True, True)
        """
        if not self.is_mine:
            if not self._queue.acquire(blocking=False):
                return False
            taken = self._lock.acquire(blocking=False)
            self._queue.release()
            if not taken:
                return False
            self._owner = threading.get_ident()
        self._depth += 1
        return True

    def __exit__(self, *_exception: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._owner = None
            self._lock.release()
