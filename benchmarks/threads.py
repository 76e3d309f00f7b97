"""Public threads as cases (`tests/cases/threads`): what each engine does there today, and what its masks cost.

A row is a case and an engine: refused (and why), or how many of the case's texts it accepts and rejects as it should,
which ones it gets wrong, and its times: compiling with the vocabulary prepared, masks along the longest accepted text
just after compiling and again. Texts are read byte by byte, by the 256 bytes as a vocabulary; a crash or a call that
takes longer than the limit is a result. `python -m benchmarks threads`.
"""

from __future__ import annotations

from statistics import median

from benchmarks import record
from tests.thread_cases import ThreadCase, thread_cases
from xg2lab import TokenizerInfo
from xg2lab.lab.engines import EngineError, Worker
from xg2lab.lab.trace.table import shown

ENGINES = ("xg2lab", "xg2lab-pda", "xgrammar", "llguidance")
CALL_SECONDS = 60.0
MOST_BYTES = 2000  # of a text whose masks are timed
END = 256


def byte_vocabulary() -> TokenizerInfo:
    """The 256 bytes and an end."""
    return TokenizerInfo([*(bytes([k]) for k in range(256)), b"</s>"], stop_token_ids=[END])


def row(case: ThreadCase, worker: Worker) -> record.Figures:
    """What one engine does with one case."""
    facts: dict[str, float | int | str] = {
        "thread": case.thread,
        "case": case.title,
        "engine": f"{worker.name} {worker.version}",
        "vocabulary": "bytes-257",
    }
    try:
        worker.compile(case.source)
        facts["compile_us"] = worker.compile(case.source)
    except EngineError as error:
        is_right = case.is_refused and error.reason == "refused"
        return {**facts, "verdict": "right" if is_right else error.reason, "why": _short(error)}
    try:
        wrong = [f"forbids {text}" for text in case.accepts if not _takes(worker, text)]
        wrong += [f"allows {text}" for text in case.rejects if _takes(worker, text)]
        if case.is_refused and not case.rejects:
            wrong.append("compiles what has no meaning")
        n_texts = len(case.accepts) + len(case.rejects)
        facts |= {"n_right": n_texts - len(wrong), "n_texts": n_texts, "verdict": "wrong" if wrong else "right"}
        facts["why"] = "; ".join(shown(text, 90) for text in wrong)
        if case.accepts:
            facts |= _times(worker, max(case.accepts, key=len).encode()[:MOST_BYTES])
    except EngineError as error:
        facts |= {"verdict": error.reason, "why": _short(error)}
    return facts


def _takes(worker: Worker, text: str) -> bool:
    ids = [*text.encode(), END]
    return worker.takes(ids) == len(ids)


def _times(worker: Worker, text: bytes) -> record.Figures:
    assert worker.source is not None
    worker.compile(worker.source)
    cold, warm = (worker.replay([*text], keep=False)["us"] for _ in range(2))
    return {
        "n_masks": len(cold),
        "cold_us_p50": median(cold),
        "cold_us_max": max(cold),
        "warm_us_p50": median(warm),
        "warm_us_max": max(warm),
    }


def _short(error: EngineError) -> str:
    text = " ".join(error.message.removeprefix(f"{error.engine}: ").split())
    return text if len(text) <= 160 else text[:159] + "…"


def run() -> list[record.Figures]:
    info, rows = byte_vocabulary(), []
    for name in ENGINES:
        try:
            worker = Worker(name, info, seconds=CALL_SECONDS)
        except EngineError as error:
            print(f"left out: {error.message}")
            continue
        with worker:
            rows += [row(case, worker) for case in thread_cases()]
    return sorted(rows, key=lambda one: str(one["thread"]))
