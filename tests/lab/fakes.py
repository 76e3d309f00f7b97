"""A model that is a function of what it has read, and can be told to fail: no weights, no torch.

Its logits after n tokens are drawn once from a generator seeded by those tokens, so that a rollback followed by the
same tokens must give the same numbers, and any slip of one token gives others.
"""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt


class FakeRunner:
    """Reads token ids; `fail_at` names a number of calls of `forward` after which it raises."""

    name, device, dtype, n_parameters = "fake", "cpu", "float32", 0
    is_asynchronous = False
    tokenizer_info: Any = None

    def __init__(self, vocab_size: int, *, n_logits: int | None = None) -> None:
        self.vocab_size = vocab_size
        self.n_logits = n_logits or vocab_size
        self.tokens: list[int] = []
        self.n_forwards = 0
        self.errors: list[BaseException] = []  # raised by the next calls of `forward`, in order
        self.bias: dict[int, float] = {}
        self.tokenizer: Any = _tokenizer

    def fork(self) -> FakeRunner:
        """The session reads with this; tests keep it to see what was read."""
        self.forked = FakeRunner(self.vocab_size, n_logits=self.n_logits)
        self.forked.errors, self.forked.bias, self.forked.tokens = self.errors, self.bias, list(self.tokens)
        return self.forked

    def reset(self) -> None:
        self.tokens = []

    def prefill(self, token_ids: list[int]) -> npt.NDArray[np.float32]:
        assert token_ids, "a model can't read nothing"
        self.tokens += token_ids
        return self.logits_numpy()

    def forward(self, token_id: int) -> npt.NDArray[np.float32]:
        self.n_forwards += 1
        if self.errors:
            raise self.errors.pop(0)
        return self.prefill([token_id])

    def rollback(self, n_tokens: int = 1) -> None:
        assert 0 <= n_tokens <= len(self.tokens)
        del self.tokens[len(self.tokens) - n_tokens :]

    def logits_numpy(self) -> npt.NDArray[np.float32]:
        logits = np.random.default_rng(self.tokens).normal(0.0, 2.0, self.n_logits).astype(np.float32)
        for token_id, more in self.bias.items():
            logits[token_id] += more
        return logits


def _tokenizer(text: str) -> SimpleNamespace:
    return SimpleNamespace(input_ids=list(text.encode()))


_tokenizer.bos_token_id = 1  # type: ignore[attr-defined]


class GatedRunner(FakeRunner):
    """Each pass waits for a gate, if there is one; `passes` is set when one begins. Forks share both."""

    def __init__(self, vocab_size: int, *, n_logits: int | None = None) -> None:
        super().__init__(vocab_size, n_logits=n_logits)
        self.gate: threading.Event | None = None
        self.passes = threading.Event()
        self.shared = self

    def fork(self) -> GatedRunner:
        self.forked = type(self)(self.vocab_size, n_logits=self.n_logits)
        self.forked.errors, self.forked.bias, self.forked.shared = self.errors, self.bias, self
        return self.forked

    def prefill(self, token_ids: list[int]) -> npt.NDArray[np.float32]:
        self.shared.passes.set()
        if self.shared.gate is not None:
            assert self.shared.gate.wait(60), "the gate stayed shut: what should have been done meanwhile was not"
        return super().prefill(token_ids)


class QueueingRunner(FakeRunner):
    """As a model on a GPU: `launch` only notes the tokens, `logits_numpy` does the work, and `delay_s` is its time."""

    is_asynchronous = True
    delay_s = 0.0

    def __init__(self, vocab_size: int, *, n_logits: int | None = None) -> None:
        super().__init__(vocab_size, n_logits=n_logits)
        self.last_end_ns = 0
        self.n_launched = 0

    def fork(self) -> QueueingRunner:
        self.forked = QueueingRunner(self.vocab_size, n_logits=self.n_logits)
        self.forked.errors, self.forked.bias, self.forked.delay_s = self.errors, self.bias, self.delay_s
        return self.forked

    def launch(self, token_ids: list[int]) -> None:
        self.n_launched += 1
        if self.errors:
            raise self.errors.pop(0)
        self.tokens += token_ids
        self.last_end_ns = time.perf_counter_ns() + int(self.delay_s * 1e9)

    def logits_numpy(self) -> npt.NDArray[np.float32]:
        time.sleep(max(0.0, (self.last_end_ns - time.perf_counter_ns()) / 1e9))
        return super().logits_numpy()
