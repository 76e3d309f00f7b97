"""One text that a server writes under a grammar: what the plug-ins of all servers share.

>>> import numpy as np
>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> text = ConstrainedText(xgr.GrammarCompiler(info).compile_grammar('root ::= "a" "b"'))
>>> text.accept([0, 0])
False
>>> print(text.refusal)
token 0 ('a') at token 1 of the text: It breaks at byte 1 of 1 (a): expected "b".
>>> text.accept([1, 2, 1]), text.is_over            # what follows a stop token is ignored
(True, True)
>>> bitmask = np.zeros((1, 1), np.int32)
>>> text.fill(bitmask, 0)                           # a text that is over allows everything
>>> bitmask.tolist()
[[-1]]

Shapes and units: a bitmask is a NumPy array or a torch tensor in CPU memory, int32, of shape (rows, words); positions
in a text count tokens from 0.

THREADS: a text belongs to one thread at a time; several texts of one grammar may be filled at once.

See also: `xg2lab/contrib/row.py`, the same for libraries that pass the whole text with each call.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from time import perf_counter_ns
from typing import Any

from xg2lab._core import GrammarMatcher
from xg2lab.compiler import CompiledGrammar
from xg2lab.flight import Flight, FlightGrammar, FlightRecorder

__all__ = ["ConstrainedText", "Recorded"]

_ALL_ALLOWED = -1  # a word of 32 ones
_NUMBERS = count(1)  # of requests that their server does not name


@dataclass(frozen=True)
class Recorded:
    """How the flights of a text are recorded.

    Parameters
    ----------
    recorder : FlightRecorder
        The recorder of the process; it is on.
    grammar : FlightGrammar
        The grammar as the request gave it.
    host : str
        The server: "vllm", "sglang", "tensorrt_llm".
    model : str
        The model's name, as far as the server says it.
    """

    recorder: FlightRecorder
    grammar: FlightGrammar
    host: str
    model: str = ""

    def begin(self, compiled: CompiledGrammar, request_id: str | None) -> Flight:
        """Begin the flight of a text.

        Parameters
        ----------
        compiled : CompiledGrammar
            The grammar, compiled.
        request_id : str, optional
            The server's name for the request. Without it, the host and a number.

        Returns
        -------
        Flight
            What the text records into.
        """
        name = f"{self.host}-{next(_NUMBERS)}" if request_id is None else request_id
        return self.recorder.begin(
            name, self.grammar, compiled.tokenizer_info, host=self.host, model=self.model, compiled=compiled
        )


class ConstrainedText:
    """The tokens of one request so far, and which may follow.

    Parameters
    ----------
    compiled : CompiledGrammar
        The grammar.
    stop_token_ids : iterable of int, optional
        The tokens that end this request's text: allowed where the grammar is complete, and never as a part of the text.
        Ids outside the vocabulary are left out, since no model writes them. Without any, those of the tokenizer.
    max_rollback_tokens : int
        How many tokens can be taken back. -1: all.
    recorded : Recorded, optional
        How the text's flight is recorded. The flight begins with the first tokens, since servers name the request only
        then, and ends when the server lets the text go.

    Attributes
    ----------
    n_tokens : int
        The tokens accepted so far, the stop token among them.
    refusal : str or None
        Why the last call of `accept` returned False: the token, its place in the text and the reason.
    """

    def __init__(
        self,
        compiled: CompiledGrammar,
        *,
        stop_token_ids: Iterable[int] | None = None,
        max_rollback_tokens: int = -1,
        recorded: Recorded | None = None,
    ) -> None:
        self._recorded = recorded
        self._flight: Flight | None = None
        self._times: list[int] = []  # of masks before the flight began, in nanoseconds
        self.compiled = compiled
        size = compiled.tokenizer_info.vocab_size
        self._stops = sorted({token for token in stop_token_ids or () if 0 <= token < size}) or None
        self.matcher = GrammarMatcher(
            compiled, override_stop_tokens=self._stops, max_rollback_tokens=max_rollback_tokens
        )
        self.n_tokens = 0
        self.is_over = False
        self.refusal: str | None = None

    @property
    def is_plain(self) -> bool:
        """Whether a mask of this text may be filled by its matcher alone: it goes on, and is not recorded."""
        return not self.is_over and self._recorded is None

    def accept(self, tokens: Sequence[int], request_id: str | None = None) -> bool:
        """Take tokens up to the end of the text; what follows the end is ignored.

        Parameters
        ----------
        tokens : sequence of int
            Token ids.
        request_id : str, optional
            The server's name for the request; only that of the first call is recorded.

        Returns
        -------
        bool
            False if the grammar refuses one of them. Those before it stay accepted.
        """
        n_before = self.n_tokens
        refused = self._take(tokens)
        if self._recorded is not None:
            flight = self._flight or self._begin_flight(request_id)
            flight.accepted(tokens[: self.n_tokens - n_before])
            if refused is not None:
                flight.refused(refused)
        return refused is None

    def _take(self, tokens: Sequence[int]) -> int | None:
        """Takes tokens up to the end, or to the one that is refused, which it returns."""
        self.refusal = None
        for token in tokens:
            if self.is_over:
                return None
            if not self.matcher.accept_token(token):
                self.refusal = self._why(token)
                return token
            self.n_tokens += 1
            self.is_over = self.matcher.is_terminated()
        return None

    def accepted_prefix(self, tokens: Sequence[int]) -> list[int]:
        """Return the longest beginning of `tokens` that the grammar accepts here; the text stays as it is.

        Parameters
        ----------
        tokens : sequence of int
            Token ids, for instance a draft.

        Returns
        -------
        list of int
            It ends at the first stop token. Empty if the text is over.
        """
        if self.is_over:
            return []
        window = self.matcher.max_rollback_tokens
        is_kept = window < 0 or len(tokens) <= window  # what is tried on the matcher itself can be taken back
        trial = self.matcher if is_kept else self.matcher.fork()
        taken: list[int] = []
        for token in tokens:
            if not trial.accept_token(token):
                break
            taken.append(token)
            if trial.is_terminated():
                break
        if is_kept and taken:
            trial.rollback(len(taken))
        return taken

    def rollback(self, n_tokens: int) -> None:
        """Take tokens back.

        Parameters
        ----------
        n_tokens : int
            How many of the accepted tokens.

        Raises
        ------
        MatcherStateError
            There are not so many, or they are older than `max_rollback_tokens`.
        """
        self.matcher.rollback(n_tokens)
        self.n_tokens -= n_tokens
        self.is_over = self.matcher.is_terminated()
        self.refusal = None
        if self._flight is not None:
            self._flight.rolled_back(n_tokens)

    def fill(self, bitmask: Any, row: int) -> None:
        """Write the mask of the next token into a row of a bitmask; all ones if the text is over.

        Parameters
        ----------
        bitmask : numpy.ndarray or torch.Tensor
            int32, shape (rows, words).
        row : int
            The row, which is written whole.
        """
        if self.is_over:
            bitmask[row] = _ALL_ALLOWED
        elif self._recorded is None:
            self.matcher.fill_next_token_bitmask(bitmask, row)
        else:
            begun = perf_counter_ns()
            self.matcher.fill_next_token_bitmask(bitmask, row)
            taken = perf_counter_ns() - begun
            if self._flight is None:
                self._times.append(taken)
            else:
                self._flight.masked(taken)

    def reset(self) -> None:
        """Begin the text anew, with a flight of its own."""
        self._end_flight()
        self.matcher.reset()
        self.n_tokens, self.is_over, self.refusal = 0, False, None

    def fresh(self) -> ConstrainedText:
        """Return another text under the same grammar, without tokens.

        Returns
        -------
        ConstrainedText
            With the same stop tokens and the same bound for `rollback`.
        """
        return ConstrainedText(
            self.compiled,
            stop_token_ids=self._stops,
            max_rollback_tokens=self.matcher.max_rollback_tokens,
            recorded=self._recorded,
        )

    # ---- The flight: begun late, ended when the text is let go ----

    def _begin_flight(self, request_id: str | None) -> Flight:
        assert self._recorded is not None
        self._flight = flight = self._recorded.begin(self.compiled, request_id)
        for taken in self._times:
            flight.masked(taken)
        self._times = []
        return flight

    def _end_flight(self) -> None:
        if self._recorded is not None and (self._flight is not None or self._times):
            flight = self._flight or self._begin_flight(None)
            flight.end("refused" if self.refusal is not None else "stop" if self.is_over else "aborted")
        self._flight, self._times = None, []

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # a text whose constructor raised has no flight
            self._end_flight()

    def _why(self, token: int) -> str:
        info = self.compiled.tokenizer_info
        if not 0 <= token < info.vocab_size:
            return f"token {token} is outside the vocabulary of {info.vocab_size} tokens"
        reason = self.matcher.explain(token)["reason"]
        return f"token {token} ({info.token_text(token)!r}) at token {self.n_tokens} of the text: {reason}"
