"""The model of one session: what it has read, and reading on in a thread of its own while the mask is made.

    lane = ModelLane(runner, Clock(), prompt="What is the weather in")
    lane.begin([])                   # the prompt is being read; compile, fill the mask
    logits = lane.finish([])         # wait for what is left of it
    lane.begin([17]); logits = lane.finish([17])

IDEA
  The model lags behind the tokens taken and catches up when it is asked, so a failing pass leaves nothing half done and
  can simply be asked again. `begin` starts to catch up, `finish` waits: between the two the caller is free.

      overlap, CPU   `begin` hands the pass to one worker thread; torch and the engine both run without the GIL
      overlap, GPU   `begin` launches the pass on the GPU and returns; the logits are copied to pinned memory behind it
      no overlap     `begin` does nothing, `finish` does it all

ERRORS  What the model raises, `finish` raises, once: the pass is then asked again by the next `finish`. A pass that was
        left alone (an interrupt, an error of the mask) runs to its end; the next user of the model waits for it.

INVARIANT  I1  the model has read the prompt and the first `n_fed` tokens taken; n_fed is None: nothing that counts.

THREADS  At most one pass is in flight; while it is, the worker alone touches the runner, `n_fed` and `lane`, and
         callers reach them only after `_settle` or `finish` has waited for it. All else belongs to the caller (the
         session's lock). The worker ends when this object is dropped, or when Python exits, after the pass it is in.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import cast

from xg2lab.errors import SessionError
from xg2lab.lab.model.runner import AsynchronousRunner, Logits, Runner
from xg2lab.lab.trace.lanes import Clock, Lane

__all__ = ["ModelLane"]

_TURN_S = 0.25  # of waiting for the model


class ModelLane:
    """A runner that catches up with the tokens taken, beside its caller. Without a runner it does nothing."""

    def __init__(self, runner: Runner | None, clock: Clock, *, prompt: str = "", overlap: bool = True) -> None:
        self.runner = runner
        self.clock, self.prompt, self.overlap = clock, prompt, overlap
        self.n_fed: int | None = None
        self.lane: Lane | None = None  # of the last pass
        self._flight: Future[None] | None = None
        self._worker: ThreadPoolExecutor | None = None
        self._process = os.getpid()

    def begin(self, taken: Sequence[int]) -> None:
        """Start to read what of prompt and `taken` has not been read, if lanes overlap. Raises nothing."""
        self._forget_the_parent()
        if self.runner is None or not self.overlap or self._flight is not None or self.n_fed == len(taken):
            return
        if self._launcher is not None:
            self._flight = _done(lambda: self._read(list(taken)))
            return
        if self._worker is None:
            self._worker = ThreadPoolExecutor(1, thread_name_prefix="xg2lab model")
        try:  # the tokenizer is the caller's as well, and not for two threads
            self._flight = self._worker.submit(self._read, list(taken), self._prompt_ids())
        except Exception as error:  # noqa: BLE001 (`finish` raises it)
            self._flight = Future()
            self._flight.set_exception(error)

    def finish(self, taken: Sequence[int]) -> Logits | None:
        """Wait until prompt and `taken` are read; the logits after the last token. Raises what the model raised."""
        self._forget_the_parent()
        if self.runner is None:
            return None
        if self._flight is not None:
            # An interrupt leaves the pass in flight. In turns: one that comes just before a wait
            # is seen after it.
            while wait([self._flight], timeout=_TURN_S).not_done:
                pass
            flight, self._flight = self._flight, None
            flight.result()
        if self.n_fed != len(taken):
            self._read(taken)
        logits = self.runner.logits_numpy()
        if (launcher := self._launcher) is not None and self.lane is not None:
            self.lane = (self.lane[0], max(self.lane[0], self.clock.at(launcher.last_end_ns)))
        return logits

    def rollback(self, n_tokens: int) -> None:
        """Forget what was read after the first `n_tokens` tokens taken."""
        self._settle()
        if self.runner is not None and self.n_fed is not None and self.n_fed > n_tokens:
            self.runner.rollback(self.n_fed - n_tokens)
            self.n_fed = n_tokens

    def most_tokens(self, prompt: str) -> int | None:
        """How many tokens the model can read after the prompt; None: there is no model, or its limit is not known."""
        limit = getattr(self.runner, "max_n_tokens", None)
        if limit is None:
            return None
        try:
            return max(0, int(limit) - len(self._written(prompt)))
        except Exception:  # noqa: BLE001 (the pass that reads the prompt raises it)
            return None

    def restart(self, prompt: str) -> None:
        """Begin anew: the model reads `prompt` when it is next asked."""
        self._settle()
        self.n_fed, self.prompt = None, prompt

    # ---- Inside ---------------------------------------------------------------------------------

    @property
    def _launcher(self) -> AsynchronousRunner | None:
        """The runner, if its passes run beside the caller."""
        is_one = self.runner is not None and self.runner.is_asynchronous
        return cast("AsynchronousRunner", self.runner) if is_one else None

    def _settle(self) -> None:
        """Wait for a pass that was left alone. What it raised is of no use: who needs that pass asks again."""
        self._forget_the_parent()
        if self._flight is not None:
            wait([self._flight])
            self._flight = None

    def _read(self, taken: Sequence[int], prompt_ids: list[int] | None = None) -> None:
        """The pass: prompt, then tokens, one by one, so that each can be taken back."""
        assert self.runner is not None  # without one nothing is read
        begun = self.clock.now()
        launcher = self._launcher if self.overlap else None
        if self.n_fed is None:
            prompt_ids = self._prompt_ids() if prompt_ids is None else prompt_ids
            self.runner.reset()
            self.runner.prefill(prompt_ids) if launcher is None else launcher.launch(prompt_ids)
            self.n_fed = 0
        while self.n_fed < len(taken):
            token_id = taken[self.n_fed]
            self.runner.forward(token_id) if launcher is None else launcher.launch([token_id])
            self.n_fed += 1
        self.lane = (begun, self.clock.now())

    def _prompt_ids(self) -> list[int]:
        return [] if self.n_fed is not None else self._written(self.prompt)

    def _written(self, prompt: str) -> list[int]:
        """A prompt as the model's own tokenizer writes it; an empty one is the token that begins a text."""
        assert self.runner is not None  # without one nothing is read
        tokenizer = self.runner.tokenizer
        if prompt:
            return list(tokenizer(prompt).input_ids)
        for first in (getattr(tokenizer, "bos_token_id", None), getattr(tokenizer, "eos_token_id", None)):
            if first is not None:
                return [int(first)]
        raise SessionError("the model has no token to begin a text with", hint="give the session a prompt")

    def _forget_the_parent(self) -> None:
        """After `os.fork()` the child has this object, and neither its thread nor the pass in flight."""
        if self._process != os.getpid():
            self._process, self._worker = os.getpid(), None
            if self._flight is not None:
                self._flight, self.n_fed = None, None


def _done(work: Callable[[], None]) -> Future[None]:
    """`work`, done here and now, with its error kept for later."""
    future: Future[None] = Future()
    try:
        future.set_result(work())
    except Exception as error:  # noqa: BLE001 (`finish` raises it)
        future.set_exception(error)
    return future
