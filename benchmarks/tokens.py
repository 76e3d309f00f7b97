"""How long it takes to read a vocabulary, to find a bitmask's row, and to apply a bitmask.

    PYTHONPATH=. python benchmarks/tokens.py

Prints a table: what, on which vocabulary, median and 99th percentile of the repetitions, median of CPU time. Vocabularies are those of
tests/vocabularies.py; absent ones are left out, by name.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.vocabularies import llama3_encoding, read_cwv
from xg2lab import _core
from xg2lab.bitmask import apply_token_bitmask_inplace
from xg2lab.tokenizer_info import TokenizerInfo


def measure(what: str, act: Callable[[], object], repetitions: int, calls: int = 1) -> None:
    """Runs `act` calls times a repetition, after one warm-up, and prints microseconds a call.

    "cpu" is the calling thread's own time: what the work costs where others share the machine.
    """
    act()
    times, cpu_times = [], []
    for _ in range(repetitions):
        begin, cpu_begin = time.perf_counter_ns(), time.thread_time_ns()
        for _ in range(calls):
            act()
        times.append((time.perf_counter_ns() - begin) / calls / 1000)
        cpu_times.append((time.thread_time_ns() - cpu_begin) / calls / 1000)
    median, high = np.percentile(times, [50, 99])
    print(
        f"{what:64} median {median:12.2f} us   p99 {high:12.2f} us   cpu median {np.median(cpu_times):12.2f} us   "
        f"n {repetitions} x {calls}"
    )


def building(name: str, tokens: list[bytes], special: list[int]) -> None:
    measure(f"Vocabulary        {name}", lambda: _core.Vocabulary(tokens, special_token_ids=special), 15)
    vocabulary = _core.Vocabulary(tokens, special_token_ids=special)
    measure(f"TokenTrie         {name}", lambda: _core.TokenTrie(vocabulary), 15)
    measure(f"TokenizerInfo     {name}", lambda: TokenizerInfo(tokens, special_token_ids=special), 15)
    print(
        f"{'memory            ' + name:64} vocabulary {vocabulary.memory_size_bytes} bytes, "
        f"trie {_core.TokenTrie(vocabulary).memory_size_bytes} bytes"
    )


def rows_and_applications(n_tokens: int) -> None:
    generator = np.random.default_rng(1)
    n_words = (n_tokens + 31) // 32
    words = np.full((1, n_words), -1, dtype=np.int32)
    sparse = np.zeros((1, n_words), dtype=np.int32)
    sparse[0, ::40] = 1
    mixed = generator.integers(-(2**31), 2**31, (1, n_words), dtype=np.int32)
    row = _core.bitmask_row_address
    measure("bitmask row, NumPy, with the call", lambda: row(words, 0, n_tokens), 50, 5000)
    logits = generator.random((1, n_tokens), dtype=np.float32)
    for name, bitmask in (("all allowed", words), ("few allowed", sparse), ("half allowed", mixed)):
        measure(
            f"apply, NumPy float32, {n_tokens} logits, {name}",
            lambda bitmask=bitmask: apply_token_bitmask_inplace(logits, bitmask),
            100,
            10,
        )
    try:
        import torch
    except ImportError:
        print("torch is not installed: its rows are left out")
        return
    tensor = torch.tensor(mixed)
    measure("bitmask row, torch, with the call", lambda: row(tensor, 0, n_tokens), 50, 5000)
    for dtype in (torch.float32, torch.bfloat16):
        values = torch.zeros((1, n_tokens), dtype=dtype)
        for backend in ("cpu", "torch_native"):
            measure(
                f"apply, {dtype}, {n_tokens} logits, half allowed, {backend}",
                lambda values=values, backend=backend: apply_token_bitmask_inplace(values, tensor, backend=backend),
                50,
                5,
            )


def main() -> None:
    """Prints the table."""
    try:
        encoding = llama3_encoding()
        measure("from_tiktoken     llama3-128256", lambda: TokenizerInfo.from_tiktoken(encoding), 7)
    except pytest.skip.Exception as reason:
        print(f"left out: {reason}")
    for name in ("tekken-131072", "o200k_harmony-201088", "gemma4-262144"):
        try:
            facts = read_cwv(name)
        except pytest.skip.Exception as reason:
            print(f"left out: {reason}")
            continue
        building(name, facts.tokens, facts.special)
    rows_and_applications(131072)


if __name__ == "__main__":
    main()
