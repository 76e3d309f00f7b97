"""Steps asked for by a page, taken one after the other in a thread of their own.

>>> done = []
>>> jobs = Jobs(on_error=print)
>>> jobs.put(lambda: done.append(1)); jobs.wait()
>>> done
[1]

The thread ends when nothing is left to do, so an idle session costs none. Each job runs in a copy of the context in
which it was put: a Jupyter kernel finds the right cell and page through it.
"""

from __future__ import annotations

import contextvars
import threading
from collections import deque
from collections.abc import Callable

__all__ = ["Jobs"]

Job = Callable[[], object]


class Jobs:
    """A queue with one worker. Any thread may call any method; `on_error` is called in the worker's thread."""

    def __init__(self, on_error: Callable[[BaseException], object]) -> None:
        self._on_error = on_error
        self._waiting: deque[tuple[contextvars.Context, Job]] = deque()
        self._lock = threading.Lock()
        self._worker: threading.Thread | None = None

    def put(self, job: Job) -> None:
        """Do this when what was put before is done."""
        with self._lock:
            self._waiting.append((contextvars.copy_context(), job))
            if self._worker is None:
                self._worker = threading.Thread(target=self._work, name="xg2lab steps", daemon=True)
                self._worker.start()

    def drop(self) -> None:
        """Forget what has not begun."""
        with self._lock:
            self._waiting.clear()

    @property
    def is_busy(self) -> bool:
        """Whether a job is being done or waits."""
        return self._worker is not None

    def wait(self, timeout: float | None = None) -> None:
        """Until nothing is left to do."""
        with self._lock:  # a worker that `put` has made but not started can't be joined
            worker = self._worker
        if worker is not None:
            worker.join(timeout)

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._worker = None
                    return
                context, job = self._waiting.popleft()
            try:
                context.run(job)
            except Exception as error:  # noqa: BLE001 (shown in the widget; the next job may do better)
                self._on_error(error)
