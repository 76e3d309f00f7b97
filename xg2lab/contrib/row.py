"""One generated sequence beside its matcher: what the logits processors of this package share.

>>> import numpy as np
>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo(["a", "b", "</s>"])
>>> row = Row(xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "a" "b"*')))
>>> row.follow([0, 1])
>>> row.follow([0])                      # the caller took a token back
>>> bitmask = np.zeros((1, 1), np.int32)
>>> row.fill(bitmask, 0), format(int(bitmask[0, 0]), "03b"), row.taken
(True, '110', [0])

Shapes and units: a bitmask is a NumPy array or a torch tensor in CPU memory, of shape (rows, words).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from xg2lab._core import GrammarMatcher
from xg2lab.errors import MatcherStateError, VocabularyError

if TYPE_CHECKING:
    from xg2lab.flight import Flight

__all__ = ["Row"]


@dataclass
class Row:
    """A sequence: its matcher, the tokens it took, the first token it refused, and its flight if it is recorded."""

    matcher: GrammarMatcher
    taken: list[int] = field(default_factory=list[int])
    refused: int | None = None
    flight: Flight | None = None

    def follow(self, generated: list[int]) -> None:
        """Brings the matcher to `generated`: back to the common beginning, then on. Padding after the end is let be."""
        n_before = len(self.taken)
        n_common = self._go_back(_common_prefix(self.taken, generated))
        self._take(generated[n_common:])
        if self.flight is not None:
            self.flight.rolled_back(n_before - n_common)
            self.flight.accepted(self.taken[n_common:])

    def _take(self, token_ids: list[int]) -> None:
        self.refused = None
        for token_id in token_ids:
            if self.matcher.is_terminated():
                return
            if not self.matcher.accept_token(token_id):
                self.refused = token_id
                return
            self.taken.append(token_id)

    def _go_back(self, n_common: int) -> int:
        """Takes back all but `n_common` tokens, or all, where the matcher keeps too few steps. How many are left."""
        n_back, window = len(self.taken) - n_common, self.matcher.max_rollback_tokens
        if n_common > 0 and (window < 0 or n_back <= window):
            self.matcher.rollback(n_back)
        elif n_back > 0:
            self.matcher.reset()
            n_common = 0
        del self.taken[n_common:]
        return n_common

    def fill(self, bitmask: Any, index: int) -> bool:
        """Fills row `index` of a bitmask; says whether it forbids anything. A row that is over may only stop.

        Raises VocabularyError where the mask would be empty.
        """
        if self.refused is not None or self.matcher.is_terminated():
            bitmask[index] = 0
            for token_id in self.matcher.stop_token_ids:
                bit = 1 << (token_id % 32)
                bitmask[index, token_id // 32] |= bit - (1 << 32 if bit >> 31 else 0)
            return bool(self.matcher.stop_token_ids)
        forbids = self._fill(bitmask, index)
        if forbids and not bitmask[index].any():
            self._no_token_left(index)
        return forbids

    def _fill(self, bitmask: Any, index: int) -> bool:
        if self.flight is None:
            return self.matcher.fill_next_token_bitmask(bitmask, index)
        begun = perf_counter_ns()
        forbids = self.matcher.fill_next_token_bitmask(bitmask, index)
        self.flight.masked(perf_counter_ns() - begun)
        return forbids

    def end(self) -> None:
        """Ends the flight, if the row has one: the caller has no more tokens for it."""
        if self.flight is not None:
            self.flight.end("stop" if self.matcher.is_terminated() or self.matcher.is_completed() else "length")

    def check_refusal(self, index: int) -> None:
        """Raises MatcherStateError if a token was generated that the grammar doesn't allow; `index` names the row."""
        if self.refused is None:
            return
        if self.flight is not None:
            self.flight.refused(self.refused)
            self.flight.end("refused")
        text = self.matcher.compiled_grammar.tokenizer_info.token_text(self.refused)
        raise MatcherStateError(
            f"row {index} generated token {self.refused} ({text!r}) after {len(self.taken)} tokens, which the grammar "
            "does not allow there",
            hint="put this processor last in the list, and pass no second one of another grammar",
        )

    def _no_token_left(self, index: int) -> None:
        if self.matcher.is_completed():
            raise VocabularyError(
                f"the text of row {index} is complete, and the tokenizer info has no stop token to end it",
                hint="pass stop_token_ids to TokenizerInfo, for example the model's generation_config.eos_token_id",
            )
        raise VocabularyError(
            "the grammar requires text that no token of the vocabulary can begin "
            f"(row {index}, tokens taken so far: {len(self.taken)})",
            hint="the vocabulary can't spell the grammar's text; matcher.explain(b\"\") names the expected text",
        )


def _common_prefix(a: list[int], b: list[int]) -> int:
    n = 0
    while n < min(len(a), len(b)) and a[n] == b[n]:
        n += 1
    return n
