"""What live requests keep: bytes of the process a request, compiled and walked for its first tokens.

live_bytes      growth of the resident set, in a process of its own, a request
counted_bytes   the compiled grammars' `memory_size_bytes`, a request, where an engine has that
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.memory import in_process, settled_bytes
from benchmarks.templates.tasks import Task
from benchmarks.templates.ways import Compile
from benchmarks.texts import Vocabulary

N_WALKED = 64  # tokens of each request
N_BEFORE = 5  # requests that fill what all share, before anything is counted


def figures(
    kind: Callable[[Vocabulary], Any], way_of: Callable[[Any, Task], Compile | None], task: Task, n_live: int
) -> dict[str, float | int]:
    """Bytes of each of `n_live` live requests; nothing where the way does not exist or the process died."""

    def act(engine: Any, _words: Vocabulary, _cases: Any) -> dict[str, float | int]:
        engine.forget()
        compile_it = way_of(engine, task)
        return {} if compile_it is None else grow(engine, compile_it, task, n_live)

    return in_process(act, kind, task.words, []) or {}


def grow(engine: Any, compile_it: Compile, task: Task, n_live: int) -> dict[str, float | int]:
    """Make requests and keep them."""
    kept: list[Any] = []
    counted: list[int] = []
    before = 0
    for number in range(N_BEFORE + n_live):
        if number == N_BEFORE:
            before = settled_bytes()
        request = task.request(number)
        compile_it(request)
        engine.start()
        for token in request.tokens[:N_WALKED]:
            engine.fill()
            engine.accept(token)
        kept.append((engine.compiled, engine.matcher))
        size = getattr(engine.compiled, "memory_size_bytes", None)
        if number >= N_BEFORE and isinstance(size, int):
            counted.append(size)
    found: dict[str, float | int] = {"n_live": n_live, "live_bytes": (settled_bytes() - before) / n_live}
    if counted:
        found["counted_bytes"] = sum(counted) / n_live
    return found
