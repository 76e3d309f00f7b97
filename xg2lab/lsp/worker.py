"""The process that analyses texts for the language server: requests come in lines of JSON, answers go back so.

    python -m xg2lab.lsp.worker

IDEA
  No text can harm the server: the process that reads it can be ended at any time (`xg2lab.lsp.pool`), and has limits on
  memory of its own. It answers one request after the other; the newest version of a text comes with the first request
  about it.

A request is an object with `id`, `method` and the fields that `xg2lab.lsp.analysis` reads; its answer has the same `id`
and `result`, or `error` with `message` and `hint`.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from typing import Any, BinaryIO

from xg2lab.errors import Xg2LabError
from xg2lab.lsp.analysis import Documents

__all__ = ["READY", "main", "serve"]

READY = b"{}\n"  # the first line: from here on deadlines count

MOST_BYTES = 4 << 30  # of address space, where the system can limit it


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Say that the process is ready, then answer requests until there are no more."""
    documents = Documents()
    answers.write(READY)
    answers.flush()
    for line in requests:
        request: dict[str, Any] = json.loads(line)
        answer: dict[str, Any] = {"id": request["id"]}
        try:
            answer["result"] = documents.answer(request)
        except Xg2LabError as error:
            answer["error"] = {"message": error.message, "hint": error.hint}
        except Exception as error:  # noqa: BLE001 (the editor is told, and the next request may be fine)
            answer["error"] = {"message": f"{type(error).__name__}: {error}", "hint": "please report this text"}
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.flush()


def _limit_memory() -> None:
    with suppress(ImportError, ValueError, OSError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        wanted = MOST_BYTES if hard == resource.RLIM_INFINITY else min(MOST_BYTES, hard)
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))


def main() -> None:
    """Serve on the standard streams; whatever else writes to the standard output goes to the standard error."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _limit_memory()
    serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
