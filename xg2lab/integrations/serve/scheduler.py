"""One decode thread for all requests: they join and leave between two steps of the model.

    scheduler = Scheduler(model, tokenizer_info, deliver)
    scheduler.start()
    generation = scheduler.submit(Generation(...))      # from any thread
    generation.cancel()                                 # frees its place before the next step

IDEA
  A step is: the model reads one token of each running sequence; the masks of all are filled beside it (on a GPU the
  pass runs meanwhile); a token is drawn for each. Between two steps, sequences that have ended leave the batch, and
  requests that wait join it: first come, first served, up to `max_batch` sequences.

  What happens to a sequence is told to its request as events, all of a step at once.

INVARIANTS
  I1  a running sequence's matcher has accepted exactly the tokens of its output
  I2  the model has read the prompt and all of the output but its last token
  I3  each sequence has exactly one `Ended` event, its last

THREADS  `submit`, `cancel` and `close` from any thread; all else belongs to the decode thread, which calls `deliver`.
"""

from __future__ import annotations

import itertools
import logging
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from xg2lab._core import BatchGrammarMatcher, GrammarMatcher
from xg2lab.bitmask import allocate_token_bitmask, apply_token_bitmask_inplace
from xg2lab.errors import Xg2LabError
from xg2lab.flight import Flight
from xg2lab.integrations.serve.batch import Batch
from xg2lab.integrations.serve.failures import RequestError
from xg2lab.integrations.serve.sampling import Sampling, adjust, choose, log_probabilities
from xg2lab.integrations.serve.texts import Text

if TYPE_CHECKING:
    import torch

    from xg2lab.compiler import CompiledGrammar
    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["Ended", "Event", "Generation", "Scheduler", "Written"]

_log = logging.getLogger("xg2lab.serve")

Reason = Literal["stop", "length", "failed", "cancelled"]
#: Tokens of prompts that may be read between two steps while sequences are running.
_MOST_PROMPT_TOKENS = 4096
_FLIGHT_ENDS = {"stop": "stop", "length": "length", "failed": "error", "cancelled": "aborted"}


@dataclass(frozen=True)
class Written:
    """A token was drawn.

    Parameters
    ----------
    index : int
        The number of the sequence in its request.
    token_id : int
        The token.
    text : str
        The text that has become certain.
    logprob : float, optional
        The token's log-probability by the model, where the request wants it.
    top : tuple of (int, float)
        The most probable tokens, likewise.

    >>> Written(0, 17, "a").top
    ()
    """

    index: int
    token_id: int
    text: str
    logprob: float | None = None
    top: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True)
class Ended:
    """A sequence has ended.

    Parameters
    ----------
    index : int
        The number of the sequence in its request.
    reason : str
        "stop": by the model, or a stop string. "length": by a limit of tokens. "failed", with the failure. "cancelled".
    text : str
        Text that was held back.
    failure : RequestError, optional
        For "failed".

    >>> Ended(0, "stop").failure is None
    True
    """

    index: int
    reason: Reason
    text: str = ""
    failure: RequestError | None = None


Event = Written | Ended


class Generation:
    """What the model is to write for one request: some sequences with the same constraint and sampling.

    Parameters
    ----------
    prompts : sequence of list of int
        The prompt of each sequence, at least one token.
    sampling : Sampling
        How tokens are drawn.
    max_tokens : int
        The most tokens of each sequence.
    compiled : CompiledGrammar, optional
        What the text has to be; None: any text.
    stops : sequence of str
        Texts that end a sequence.
    deadline : float
        When the request is given up, by `time.monotonic()`.
    flights : sequence of sequence of Flight
        The flights that each sequence is recorded in.

    >>> Generation([[1]], Sampling(), 5).is_cancelled
    False
    """

    def __init__(
        self,
        prompts: Sequence[list[int]],
        sampling: Sampling,
        max_tokens: int,
        *,
        compiled: CompiledGrammar | None = None,
        stops: Sequence[str] = (),
        deadline: float = float("inf"),
        flights: Sequence[Sequence[Flight]] = (),
    ) -> None:
        self.prompts, self.sampling, self.max_tokens = list(prompts), sampling, max_tokens
        self.compiled, self.stops, self.deadline = compiled, list(stops), deadline
        self.flights = [list(flights[index]) if flights else [] for index in range(len(self.prompts))]
        self.is_cancelled = False
        self.listener: Callable[[Event], None] = lambda _: None

    def cancel(self) -> None:
        """Give the request up: its sequences leave before the next step.

        >>> generation = Generation([[1]], Sampling(), 5)
        >>> generation.cancel()
        >>> generation.is_cancelled
        True
        """
        self.is_cancelled = True


class Row:
    """One sequence of a generation, waiting or running: a row of the batch."""

    def __init__(self, of: Generation, index: int, tokens: Sequence[bytes]) -> None:
        self.of, self.index = of, index
        self.prompt = of.prompts[index]
        self.matcher = None if of.compiled is None else GrammarMatcher(of.compiled, max_rollback_tokens=0)
        self.text = Text(tokens, of.stops)
        self.output: list[int] = []
        self.counts: Counter[int] = Counter()
        self.flights = of.flights[index]
        seed = of.sampling.seed
        self.random = np.random.default_rng(None if seed is None else [seed & (2**64 - 1), index])
        self.has_ended = False


class Scheduler:
    """Runs generations on one model.

    Parameters
    ----------
    model : transformers.PreTrainedModel
        A causal language model.
    tokenizer_info : TokenizerInfo
        Its vocabulary, as wide as its logits.
    stop_token_ids : sequence of int
        Tokens that end a sequence.
    deliver : callable
        Called in the decode thread with the events of a step: a list of (listener, event).
    max_batch : int
        The most running sequences.
    n_threads : int, optional
        As for `Batch`.
    times_each_mask : bool
        Whether masks are filled and timed one by one. If not, they are filled together, and each flight is told the
        mean.

    >>> from xg2lab.lab.model.model_runner import ModelRunner
    >>> runner = ModelRunner.tiny()
    >>> scheduler = Scheduler(runner.model, runner.tokenizer_info, runner.eos_token_ids, print)
    >>> scheduler.start()
    >>> scheduler.close()
    """

    def __init__(
        self,
        model: Any,
        tokenizer_info: TokenizerInfo,
        stop_token_ids: Sequence[int],
        deliver: Callable[[list[tuple[Callable[[Event], None], Event]]], None],
        *,
        max_batch: int = 64,
        n_threads: int | None = None,
        times_each_mask: bool = False,
    ) -> None:
        self._times_each_mask = times_each_mask
        self._info = tokenizer_info
        self._tokens = tokenizer_info.decoded_vocab
        self._stop_token_ids = frozenset(stop_token_ids)
        self._deliver, self._max_batch = deliver, max_batch
        self._batch = Batch(model, n_threads)
        self._filler = BatchGrammarMatcher()
        self._bitmasks: Any = None  # a row for each sequence of a batch
        self._changed = threading.Condition()
        self._waiting: deque[Row] = deque()  # guarded by _changed
        self._is_closing = False  # guarded by _changed
        self._running: list[Row] = []
        self._events: list[tuple[Callable[[Event], None], Event]] = []
        self._thread = threading.Thread(target=self._run, name="xg2lab decode", daemon=True)

    # ---- From any thread ------------------------------------------------------------------------

    def start(self) -> None:
        """Start the decode thread.

        The class's example starts one.
        """
        self._thread.start()

    def submit(self, generation: Generation) -> Generation:
        """Queue a generation. Its listener is told of each event.

        Parameters
        ----------
        generation : Generation
            A new one.

        Returns
        -------
        Generation
            The same.

        Raises
        ------
        RequestError
            503: the scheduler is closed.

        No example: the listener is called from another thread.
        """
        sequences = [Row(generation, index, self._tokens) for index in range(len(generation.prompts))]
        with self._changed:
            if self._is_closing:
                raise RequestError("the server is shutting down", status=503, code="shutting_down")
            self._waiting.extend(sequences)
            self._changed.notify()
        return generation

    def wake(self) -> None:
        """Have the decode thread look for cancelled generations, also if nothing runs.

        The call returns at once, so there is nothing to show.
        """
        with self._changed:
            self._changed.notify()

    def close(self) -> None:
        """Fail all generations, and end the decode thread.

        The class's example closes one.
        """
        with self._changed:
            self._is_closing = True
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join()

    @property
    def n_running(self) -> int:
        """How many sequences are in the batch."""
        return len(self._running)

    @property
    def n_waiting(self) -> int:
        """How many sequences wait for a place in the batch."""
        return len(self._waiting)

    # ---- The decode thread ----------------------------------------------------------------------

    def _run(self) -> None:
        self._take_turns()
        with self._changed:
            left = [*self._running, *self._waiting]
            self._waiting.clear()
        self._fail(left, RequestError("the server is shutting down", status=503, code="shutting_down"))
        self._running = []
        self._batch.clear()
        self._flush()

    def _take_turns(self) -> None:
        while True:
            with self._changed:
                while not (self._waiting or self._running or self._is_closing):
                    self._changed.wait()
                if self._is_closing:
                    return
            try:
                with self._batch.running():
                    self._turn()
            except Exception:  # noqa: BLE001
                # A model can fail in many ways; the batch is then in no known state.
                _log.exception("a step of the model failed")
                self._fail(self._running, RequestError("the model failed", status=500, code="model_failed"))
                self._running = []
                self._batch.clear()
            self._flush()

    def _turn(self) -> None:
        """Drop what was given up, let requests join, and take one step."""
        self._give_up()
        self._leave()
        joined = self._admit()
        running = list(self._running)
        if joined:
            self._running = running + joined  # a pass that fails fails these as well
            self._read_prompts(running, joined)
            self._leave()
            self._flush()  # first tokens don't wait for the next
        if self._running:
            logits = self._batch.step([sequence.output[-1] for sequence in self._running])
            self._draw(self._running, logits)
            self._leave()

    def _give_up(self) -> None:
        """End sequences whose request was cancelled, or is out of time."""
        now = time.monotonic()
        with self._changed:
            waiting = list(self._waiting)
        for sequence in [*self._running, *waiting]:
            if sequence.of.is_cancelled:
                self._end(sequence, "cancelled")
            elif now > sequence.of.deadline:
                failure = RequestError(
                    "this request took longer than the server allows",
                    status=504,
                    hint="ask for fewer tokens; the server's limit is --max-seconds",
                    code="request_timeout",
                )
                self._end(sequence, "failed", failure)
        with self._changed:
            self._waiting = deque(sequence for sequence in self._waiting if not sequence.has_ended)

    def _admit(self) -> list[Row]:
        """Take waiting sequences, as far as there is room, and time while others run."""
        admitted: list[Row] = []
        n_tokens = 0
        with self._changed:
            while self._waiting and len(self._running) + len(admitted) < self._max_batch:
                n_tokens += len(self._waiting[0].prompt)
                if self._running and admitted and n_tokens > _MOST_PROMPT_TOKENS:
                    break
                admitted.append(self._waiting.popleft())
        return admitted

    def _read_prompts(self, running: list[Row], joined: list[Row]) -> None:
        """Read prompts, those of one length in one pass and equal ones once, and draw the first tokens."""
        by_length = itertools.groupby(sorted(joined, key=lambda each: (len(each.prompt), each.prompt)), _length)
        self._running = list(running)
        remaining = list(joined)
        for _, group in by_length:
            members = list(group)
            copies = [
                (prompt, len(list(same))) for prompt, same in itertools.groupby(members, lambda each: each.prompt)
            ]
            self._running += members
            try:
                logits = self._batch.join([prompt for prompt, _ in copies], [count for _, count in copies])
            except Exception:
                self._running += [each for each in remaining if each not in self._running]
                raise
            self._draw(members, logits)
            remaining = [each for each in remaining if each not in members]

    def _leave(self) -> None:
        """Take sequences that have ended out of the batch."""
        places = [place for place, sequence in enumerate(self._running) if not sequence.has_ended]
        if len(places) < len(self._running):
            self._batch.keep(places)
            self._running = [self._running[place] for place in places]

    # ---- Drawing a token for each ---------------------------------------------------------------

    def _draw(self, sequences: list[Row], logits: torch.Tensor) -> None:
        """Mask the logits of sequences, draw a token for each, and write it."""
        bitmask = self._filled(sequences, logits)
        wanted = [place for place, each in enumerate(sequences) if each.of.sampling.n_logprobs is not None]
        raw = {place: logits[place].clone() for place in wanted}
        for place, sequence in enumerate(sequences):
            if sequence.of.sampling.adjusts:
                adjust(logits[place], sequence.of.sampling, sequence.counts)
        if bitmask is not None:
            rows = [place for place, sequence in enumerate(sequences) if sequence.matcher is not None]
            mask = bitmask.to(logits.device, non_blocking=True)
            apply_token_bitmask_inplace(logits, mask, indices=rows)
        best = logits.amax(dim=-1).tolist()
        tokens = choose(
            logits.nan_to_num(nan=float("-inf")) if any(value != value for value in best) else logits,  # noqa: PLR0124
            [sequence.of.sampling for sequence in sequences],
            [float(sequence.random.random()) for sequence in sequences],
        )
        for place, (sequence, token_id) in enumerate(zip(sequences, tokens, strict=True)):
            if sequence.has_ended:
                continue
            if not np.isfinite(best[place]):
                self._end(sequence, "failed", _no_token(best[place]))
                continue
            self._write(sequence, token_id, raw.get(place))

    def _filled(self, sequences: list[Row], logits: torch.Tensor) -> Any:
        """The masks of sequences under a grammar; None if there are none. A sequence whose mask fails ends."""
        places = [place for place, sequence in enumerate(sequences) if sequence.matcher is not None]
        if not places:
            return None
        if self._bitmasks is None:
            self._bitmasks = allocate_token_bitmask(self._max_batch, self._info.vocab_size, library="torch")
            if logits.is_cuda:  # a copy from pinned memory does not stop this thread
                self._bitmasks = self._bitmasks.pin_memory()
        bitmask = self._bitmasks[: len(sequences)]  # the last step's copy is over: its tokens were read
        if self._times_each_mask:
            for place in places:
                self._fill_timed(sequences[place], bitmask, place)
        else:
            self._fill_together(sequences, places, bitmask)
        return bitmask

    def _fill_together(self, sequences: list[Row], places: list[int], bitmask: Any) -> None:
        begun = time.perf_counter_ns()
        try:
            self._filler.batch_fill_next_token_bitmask([sequences[place].matcher for place in places], bitmask, places)
        except Xg2LabError as error:
            for place, result in zip(places, error.results or [None] * len(places), strict=True):
                if result is None:
                    self._end(sequences[place], "failed", _no_mask(error))
        mean = (time.perf_counter_ns() - begun) // len(places)
        for place in places:
            for flight in sequences[place].flights:
                flight.masked(mean)

    def _fill_timed(self, sequence: Row, bitmask: Any, place: int) -> None:
        assert sequence.matcher is not None
        begun = time.perf_counter_ns()
        try:
            sequence.matcher.fill_next_token_bitmask(bitmask, place)
        except Xg2LabError as error:
            self._end(sequence, "failed", _no_mask(error))
            return
        elapsed = time.perf_counter_ns() - begun
        for flight in sequence.flights:
            flight.masked(elapsed)

    def _write(self, sequence: Row, token_id: int, raw: torch.Tensor | None) -> None:
        """Take a token: matcher, text, limits, events."""
        if sequence.matcher is not None and not self._is_accepted(sequence, token_id):
            return
        sequence.output.append(token_id)
        sequence.counts[token_id] += 1
        for flight in sequence.flights:
            flight.accepted((token_id,))
        is_last = token_id in self._stop_token_ids
        text = "" if is_last else sequence.text.push(token_id)
        logprob, top = None, ()
        if raw is not None:
            logprob, found = log_probabilities(raw, token_id, sequence.of.sampling.n_logprobs or 0)
            top = tuple(found)
        self._tell(sequence, Written(sequence.index, token_id, text, logprob, top))
        if is_last or sequence.text.is_stopped:
            self._end(sequence, "stop")
        elif len(sequence.output) >= sequence.of.max_tokens:
            self._end(sequence, "length")

    def _is_accepted(self, sequence: Row, token_id: int) -> bool:
        """Whether the grammar takes the token that its mask allowed; if not, the sequence ends."""
        assert sequence.matcher is not None
        try:
            if sequence.matcher.accept_token(token_id):
                return True
            message = f"the grammar refused token {token_id}, which its mask allowed"
            failure = RequestError(message, status=500, code="token_refused")
        except Xg2LabError as error:
            failure = _no_mask(error)
        for flight in sequence.flights:
            flight.refused(token_id)
        self._end(sequence, "failed", failure)
        return False

    def _end(self, sequence: Row, reason: Reason, failure: RequestError | None = None) -> None:
        if sequence.has_ended:
            return
        sequence.has_ended = True
        for flight in sequence.flights:
            flight.end(_FLIGHT_ENDS[reason])
        text = sequence.text.finish() if reason in ("stop", "length") else ""
        self._tell(sequence, Ended(sequence.index, reason, text, failure))

    def _fail(self, sequences: Sequence[Row], failure: RequestError) -> None:
        for sequence in sequences:
            self._end(sequence, "failed", failure)

    def _tell(self, sequence: Row, event: Event) -> None:
        self._events.append((sequence.of.listener, event))

    def _flush(self) -> None:
        events, self._events = self._events, []
        if events:
            self._deliver(events)


def _length(sequence: Row) -> int:
    return len(sequence.prompt)


def _no_mask(error: Xg2LabError) -> RequestError:
    return RequestError(
        f"the mask of a step could not be made: {error.message}", hint=error.hint, code="constraint_too_expensive"
    )


def _no_token(best: float) -> RequestError:
    if best != best:  # noqa: PLR0124 (not a number)
        return RequestError("the model's logits are not numbers", status=500, code="model_failed")
    return RequestError(
        "no token of this model can continue the text that the constraint allows",
        hint="the vocabulary can't spell it, or logit_bias forbids what is left",
        code="constraint_unsatisfiable",
    )
