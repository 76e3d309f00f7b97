"""One engine and one schema: compile, first mask, then a mask and an accept for each token of each instance.

What a time counts, for every engine alike:

- `first_us`: from the schema as Python values (writing it as text, where the engine reads text, is part of it) to the
  first mask: conversion, compilation, a new matcher, a fill. `convert_us` is ours alone: the part before compiling.
- `masks_us`: for each token of an instance, and for the stop token at its end: fill, look whether the token is allowed,
  accept it. A matcher is made before the clock starts. A token that is not allowed ends the instance.

- `first_cpu_us`, `masks_cpu_us`: the thread's own time for the same: what the work costs where others share the
  machine. Reading that clock takes some tenths of a microsecond, which stand in it, and not in `masks_us`.

An instance counts as accepted if all its tokens were allowed and the stop token after them.
"""

from __future__ import annotations

import re
import time
from typing import Any

from benchmarks.engines import Engine
from benchmarks.json_schema.cases import Case

Result = dict[str, Any]  # what measure() returns, as it stands in the result files
WARM_UP = {"type": "object", "properties": {"warm_up": {"type": "string"}}}


def measure(engine: Engine, case: Case, tokens: list[list[int]], stop_token: int) -> Result:
    """The times and verdicts of a case; a refusal, or what else was raised, is a result too."""
    result: Result = {"name": case.name, "n_texts": len(case.valid), "masks_us": [], "masks_cpu_us": [], "wrong": []}
    cpu_begin, begin = time.thread_time(), time.perf_counter()
    try:
        engine.compile_schema(case.schema)
        compiled = time.perf_counter()
        engine.start()
        engine.fill()
    except Exception as error:  # noqa: BLE001  peers raise what they like
        result["refused"] = reason(error)
        result["compile_us"] = _us(begin)
        if not isinstance(error, engine.refusals):
            result["raised"] = repr(error)[:300]
        return result
    result["first_us"] = _us(begin)
    result["first_cpu_us"] = round((time.thread_time() - cpu_begin) * 1e6, 1)
    result["compile_us"] = round((compiled - begin) * 1e6, 1)
    own = getattr(getattr(engine, "compiled", None), "compile_us", None)
    if isinstance(own, (int, float)):
        result["convert_us"] = round(result["compile_us"] - own, 1)
    for i, (row, is_valid) in enumerate(zip(tokens, case.valid, strict=True)):
        try:
            accepted = walk(engine, [*row, stop_token], result)
        except Exception as error:  # noqa: BLE001
            result.setdefault("raised", repr(error)[:300])
            continue
        if accepted != is_valid:
            result["wrong"].append([i, "invalid accepted" if accepted else "valid rejected"])
    return result


def walk(engine: Engine, tokens: list[int], result: Result) -> bool:
    """Whether each token is allowed where it comes; appends what each took. The last is the stop token."""
    engine.start()
    last = len(tokens) - 1
    for i, token in enumerate(tokens):
        cpu_begin, begin = time.thread_time_ns(), time.perf_counter()
        engine.fill()
        allowed = engine.allows(token)
        accepted = not allowed or i == last or engine.accept(token)
        result["masks_us"].append(_us(begin))
        result["masks_cpu_us"].append((time.thread_time_ns() - cpu_begin) / 1e3)
        if not accepted:
            raise RuntimeError(f"token {token} is allowed by the mask and refused")
        if not allowed:
            return False
    return True


def warm_up(engine: Engine) -> None:
    """A schema that is none of the cases, so that no case pays for what an engine does once a process."""
    engine.compile_schema(WARM_UP)
    engine.start()
    engine.fill()


def reason(error: Exception) -> str:
    r"""Why a schema was refused, so that like refusals are counted together.

    >>> reason(ValueError("Unimplemented keys: ['x']"))
    "Unimplemented keys: ['…']"
    >>> reason(RuntimeError("[10:02:11] /a/b.cc:123: pattern 'a{7}' is too long"))
    "pattern '…' is too long"
    """
    codes = sorted({d.code for d in getattr(error, "diagnostics", []) if d.severity == "error"})
    if codes:
        return ", ".join(codes)
    text = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    text = re.sub(r"^(\[[\d:]+\] )?(\S+\.cc:\d+: )?", "", text)
    return re.sub(r"'[^']*'", "'…'", re.sub(r"\d+", "N", text))[:80]


def _us(begin: float) -> float:
    return round((time.perf_counter() - begin) * 1e6, 2)
