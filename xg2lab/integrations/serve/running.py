"""One admitted request: its events put together, for an answer in one piece or in many.

    run = Run(server, order, "chatcmpl-1")
    run.start()
    while not run.is_over:
        for step in await run.next():
            ...

THREADS  A run belongs to the event loop. Events come from the decode thread by `call_soon_threadsafe`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

from xg2lab.flight import Flight, FlightGrammar, FlightRecorder
from xg2lab.integrations.serve.answers import Part
from xg2lab.integrations.serve.collecting import Choice, TokenLog
from xg2lab.integrations.serve.failures import RequestError
from xg2lab.integrations.serve.live import Entry, Live
from xg2lab.integrations.serve.orders import Order, Served
from xg2lab.integrations.serve.scheduler import Ended, Event, Generation, Scheduler, Written

__all__ = ["Run", "Step", "end_all"]

#: The grammar of a request without a constraint, in its record.
_ANY_TEXT = FlightGrammar("structural_tag", '{"type": "structural_tag", "format": {"type": "any_text"}}')


@dataclass(frozen=True)
class Step:
    """What an event changed.

    Parameters
    ----------
    choice : Choice
        The choice, as it is now.
    parts : tuple of Part
        What has become certain.
    log : TokenLog, optional
        The token, where the request wants its log-probability.
    is_last : bool
        Whether the choice has ended.

    >>> Step(Choice(0), ()).is_last
    False
    """

    choice: Choice
    parts: tuple[Part, ...]
    log: TokenLog | None = None
    is_last: bool = False


class Run:
    """One request that was admitted.

    Parameters
    ----------
    served : Served
        The model.
    scheduler : Scheduler
        What runs it.
    live : Live
        Where it is listed.
    recorders : sequence of FlightRecorder
        What records it.
    order : Order
        What is wanted.
    request_id : str
        Its id.
    deadline : float
        When it is given up, by `time.monotonic()`.

    Tests run a server; there is no example.
    """

    def __init__(
        self,
        served: Served,
        scheduler: Scheduler,
        live: Live,
        recorders: Sequence[FlightRecorder],
        order: Order,
        request_id: str,
        deadline: float,
    ) -> None:
        self.order, self.id, self.created = order, request_id, int(time.time())
        self._scheduler, self._live = scheduler, live
        self.choices = [Choice(index) for index in range(len(order.prompts))]
        self._readers = [order.reader() for _ in order.prompts]
        self._entries = [self._entry(served, recorders, index) for index in range(len(order.prompts))]
        self._queue: asyncio.Queue[Event] = asyncio.Queue()
        self._n_left = len(self.choices)
        self.generation = Generation(
            order.prompts,
            order.sampling,
            order.max_tokens,
            compiled=order.compiled,
            stops=order.stops,
            deadline=deadline,
            flights=[flights for _, flights in self._entries],
        )
        self.generation.listener = self._hear

    def _entry(self, served: Served, recorders: Sequence[FlightRecorder], index: int) -> tuple[Entry, list[Flight]]:
        order = self.order
        name = self.id if len(order.prompts) == 1 else f"{self.id}-{index}"
        constraint = order.constraint
        grammar = _ANY_TEXT
        if constraint is not None:
            grammar = FlightGrammar(constraint.kind, constraint.text, constraint.options)
        flights = [
            recorder.begin(
                name,
                grammar,
                served.tokenizer_info,
                host="serve",
                model=served.options.name,
                prompt_ids=order.prompts[index],
                compiled=order.compiled,
            )
            for recorder in recorders
        ]
        kind = None if constraint is None else constraint.kind
        entry = Entry(name, order.endpoint, kind, time.time(), flights[0] if flights else None)
        entry.n_prompt_tokens = len(order.prompts[index])
        return self._live.add(entry), flights

    def start(self) -> None:
        """Submit the request. Raises `RequestError` while the server shuts down."""
        try:
            self._scheduler.submit(self.generation)
        except RequestError as failure:
            for entry, flights in self._entries:
                end_all(flights, "error")
                self._live.ended(entry, "failed", failure.message)
            raise

    @property
    def is_over(self) -> bool:
        """Whether all choices have ended."""
        return self._n_left == 0

    def cancel(self) -> None:
        """Give the request up; its place in the batch is free before the next step."""
        self.generation.cancel()
        self._scheduler.wake()

    async def next(self) -> list[Step]:
        """Wait for events, and return what they changed. Raises `RequestError` where a choice failed."""
        events = [await self._queue.get()]
        while not self._queue.empty():
            events.append(self._queue.get_nowait())
        return [self._step(event) for event in events]

    def _hear(self, event: Event) -> None:
        """Called in the event loop, also for a request that nobody waits for any more."""
        entry = self._entries[event.index][0]
        if isinstance(event, Written):
            entry.wrote(event.text)
        else:
            failure = event.failure
            self._live.ended(entry, event.reason, None if failure is None else failure.message)
        self._queue.put_nowait(event)

    def _step(self, event: Event) -> Step:
        choice, reader = self.choices[event.index], self._readers[event.index]
        log: TokenLog | None = None
        parts = reader.feed(event.text)
        if isinstance(event, Written):
            choice.n_tokens += 1
            if event.logprob is not None:
                log = TokenLog(event.token_id, event.logprob, event.top, choice.n_characters)
                choice.log.append(log)
        else:
            if event.reason == "failed" and event.failure is not None:
                raise event.failure
            parts += reader.finish()
            choice.reason = event.reason
            self._n_left -= 1
        choice.n_characters += len(event.text)
        choice.add(parts)
        return Step(choice, tuple(parts), log, isinstance(event, Ended))


def end_all(flights: Sequence[Flight], reason: str) -> None:
    """End flights.

    Parameters
    ----------
    flights : sequence of Flight
        The flights.
    reason : str
        As for `Flight.end`.

    >>> end_all([], "stop")
    """
    for flight in flights:
        flight.end(reason)
