"""What surrounds a mask: how long it takes to read a vocabulary, to find a bitmask's row, to apply a bitmask.

    python -m benchmarks tokens

Vocabularies are those of tests/vocabularies.py; one that is absent is left out, and said so. A time counts one call,
the Python call included; `cpu` is the calling thread's own time: what the work costs where others share the machine.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from benchmarks import record
from tests.vocabularies import llama3_encoding, read_cwv
from xg2lab import _core
from xg2lab.bitmask import Backend, apply_token_bitmask_inplace
from xg2lab.tokenizer_info import TokenizerInfo

CWV_NAMES = ["tekken-131072", "o200k_harmony-201088", "gemma4-262144"]
N_LOGITS = 131_072
BACKENDS: tuple[Backend, ...] = ("cpu", "torch_native")


def measure(
    what: str, on: str, act: Callable[[], object], n_repetitions: int, n_calls: int = 1
) -> dict[str, float | int | str]:
    """Microseconds a call, over repetitions of `n_calls` calls each, after one call that is not counted."""
    act()
    times: list[float] = []
    cpu_times: list[float] = []
    for _ in range(n_repetitions):
        begin, cpu_begin = time.perf_counter_ns(), time.thread_time_ns()
        for _ in range(n_calls):
            act()
        times.append((time.perf_counter_ns() - begin) / n_calls / 1000)
        cpu_times.append((time.thread_time_ns() - cpu_begin) / n_calls / 1000)
    return {
        "what": what,
        "on": on,
        "n_repetitions": n_repetitions,
        "n_calls": n_calls,
        "us_p50": record.quantile(times, 0.5),
        "us_p99": record.quantile(times, 0.99),
        "cpu_us_p50": record.quantile(cpu_times, 0.5),
    }


def reading() -> Iterator[record.Figures]:
    """What is built once for a tokenizer, and the memory it keeps."""
    try:
        encoding = llama3_encoding()
        yield measure("TokenizerInfo.from_tiktoken", "llama3-128256", lambda: TokenizerInfo.from_tiktoken(encoding), 7)
    except pytest.skip.Exception as reason:
        print(f"left out: {reason}")
    for name in CWV_NAMES:
        try:
            facts = read_cwv(name)
        except pytest.skip.Exception as reason:
            print(f"left out: {reason}")
            continue
        tokens, special = facts.tokens, facts.special
        vocabulary = _core.Vocabulary(tokens, special_token_ids=special)
        times = measure("Vocabulary", name, lambda t=tokens, s=special: _core.Vocabulary(t, special_token_ids=s), 15)
        yield {**times, "memory_bytes": vocabulary.memory_size_bytes}
        times = measure("TokenTrie", name, lambda v=vocabulary: _core.TokenTrie(v), 15)
        yield {**times, "memory_bytes": _core.TokenTrie(vocabulary).memory_size_bytes}
        yield measure("TokenizerInfo", name, lambda t=tokens, s=special: TokenizerInfo(t, special_token_ids=s), 15)


def applying() -> Iterator[record.Figures]:
    """What a step does with a filled bitmask."""
    generator = np.random.default_rng(1)
    n_words = N_LOGITS // 32
    full = np.full((1, n_words), -1, dtype=np.int32)
    sparse = np.zeros((1, n_words), dtype=np.int32)
    sparse[0, ::40] = 1
    mixed = generator.integers(-(2**31), 2**31, (1, n_words), dtype=np.int32)
    yield measure("row of a bitmask", "NumPy", lambda: _core.bitmask_row_address(full, 0, N_LOGITS), 50, 5000)
    logits = generator.random((1, N_LOGITS), dtype=np.float32)
    for share, bitmask in (("all", full), ("few", sparse), ("half", mixed)):
        on = f"NumPy float32, {N_LOGITS} logits, {share} allowed"
        yield measure("apply", on, lambda b=bitmask: apply_token_bitmask_inplace(logits, b), 100, 10)
    if importlib.util.find_spec("torch") is None:
        print("left out: torch (not installed)")
        return
    import torch

    tensor = torch.tensor(mixed)
    yield measure("row of a bitmask", "torch", lambda: _core.bitmask_row_address(tensor, 0, N_LOGITS), 50, 5000)
    for dtype in (torch.float32, torch.bfloat16):
        values = torch.zeros((1, N_LOGITS), dtype=dtype)
        for backend in BACKENDS:

            def apply(values: torch.Tensor = values, backend: Backend = backend) -> None:
                apply_token_bitmask_inplace(values, tensor, backend=backend)

            on = f"{dtype}, {N_LOGITS} logits, half allowed, backend {backend}"
            yield measure("apply", on, apply, 50, 5)


def run() -> list[record.Figures]:
    return [*reading(), *applying()]
