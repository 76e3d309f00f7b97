"""The process that does rows: lines of JSON come in on the standard input, lines of JSON go out.

    python -m xg2lab.integrations.sweep.child

    in    {"options": ..., "vocabulary": TEXT, "path": [...]}        once
          {"data": TEXT, "lost": {STAGE: [VERDICT, MESSAGE]}}        a row
    out   {"ready": true} or {"unusable": MESSAGE}                   once
          {"begin": STAGE}                                           before each stage
          {"row": ROW}

It ends when its input does. A timer of the system ends it as well, should it hang in foreign code after its parent is
gone. Whatever an engine prints goes to the standard error.
See also `xg2lab.integrations.sweep.worker`, the other end.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
from typing import IO, Any

from xg2lab.errors import Xg2LabError

__all__: list[str] = []

_GRACE_SECONDS = 10.0  # the parent kills first, and knows why


def main() -> None:
    """Do rows until the input ends."""
    source = sys.stdin.buffer
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what an engine prints is no answer

    def say(**values: Any) -> None:
        _say(sink, values)

    head = source.readline()
    if not head:
        return
    begun = json.loads(head)
    try:
        tools = _tools(begun)
    except Xg2LabError as error:
        say(unusable=error.message, hint=error.hint)
        return
    seconds = float(begun["options"]["seconds"])
    from xg2lab.integrations.sweep.measuring import measured

    gc.collect()
    gc.freeze()  # the vocabulary is looked through once, and not during a mask
    say(ready=True)
    for line in source:
        asked = json.loads(line)
        lost = {stage: (why[0], why[1]) for stage, why in asked["lost"].items()}

        def begin(stage: str) -> None:
            _set_timer(seconds + _GRACE_SECONDS)
            say(begin=stage)

        row = measured(asked["data"].encode("utf-8", "surrogateescape"), tools, lost, begin)
        _set_timer(0)
        say(row=row)


def _tools(begun: dict[str, Any]) -> Any:
    from xg2lab import TokenizerInfo
    from xg2lab.integrations.sweep.measuring import Tools
    from xg2lab.integrations.sweep.options import SweepOptions

    options = SweepOptions.from_wire(begun["options"])
    info = TokenizerInfo.deserialize_json(begun["vocabulary"])
    sys.path[:] = [*dict.fromkeys([*begun["path"], *sys.path])]
    tools = Tools(options, info)
    tools.warm_up()
    _limit_memory(options.memory_bytes)
    return tools


def _say(sink: IO[bytes], values: dict[str, Any]) -> None:
    sink.write(json.dumps(values).encode() + b"\n")
    sink.flush()


def _set_timer(seconds: float) -> None:
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _limit_memory(n_bytes: int) -> None:
    try:
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (n_bytes, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, ValueError, OSError):
        return  # the system has no such limit, or a lower one


if __name__ == "__main__":
    main()
