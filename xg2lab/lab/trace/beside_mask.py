"""A step's mask held against another: the step's before, or that of another session at the same byte.

>>> from xg2lab import TokenizerInfo
>>> from xg2lab.lab import Session
>>> info = TokenizerInfo([b"a", b"b", b"c", b"</s>"], stop_token_ids=[3])
>>> one, two = Session('root ::= "a" [bc]', info, name="one"), Session('root ::= "a" "b"', info, name="two")
>>> _ = one.force("a"), two.force("a")
>>> print(held_against(one, 1, two))
A: step 1. B: two, its step 1, the same byte 1: 1 only in A, 0 only in B, 1 in both

IDEA
  A user who debugs two runs compares them at one byte of the text, and the step's number may
  differ: one session may have taken other tokens before it. So the other session's step is the one
  that begins at the same byte, or the last that begins before it. The text beside the counts names
  this step, and says whether the text before it differs.

See also `xg2lab.lab.comparison.comparing`: two sides along one text, with matchers of their own.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from xg2lab.errors import SessionError

if TYPE_CHECKING:
    from xg2lab.lab.session.session import Session

__all__ = ["HeldAgainst", "held_against", "same_vocabulary"]


@dataclass(frozen=True)
class HeldAgainst:
    """`mask_a`, `mask_b`: int32[ceil(vocab_size / 32)]; `says` what B is; `step_b` the step of B."""

    step: int
    step_b: int
    says: str
    vocab_size: int
    mask_a: npt.NDArray[np.int32]
    mask_b: npt.NDArray[np.int32]

    @property
    def only_a(self) -> npt.NDArray[np.int64]:
        """Ids that A alone allows."""
        return _ids(self.mask_a & ~self.mask_b)

    @property
    def only_b(self) -> npt.NDArray[np.int64]:
        """Ids that B alone allows."""
        return _ids(self.mask_b & ~self.mask_a)

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of tokens that A alone, B alone, both or neither allow: "only_a", "only_b", "both", "neither"."""
        found = {"only_a": len(self.only_a), "only_b": len(self.only_b), "both": len(_ids(self.mask_a & self.mask_b))}
        return found | {"neither": self.vocab_size - sum(found.values())}

    def __str__(self) -> str:
        n = self.counts
        counts = f"{n['only_a']:,} only in A, {n['only_b']:,} only in B, {n['both']:,} in both"
        return f"A: step {self.step}. B: {self.says}: {counts}"


def held_against(session: Session, step: int, other: Session | None = None) -> HeldAgainst:
    """The session's mask at a step, and the mask before it, or that of another session at the same byte."""
    size = session.tokenizer_info.vocab_size
    if other is None:
        if step < 1:
            raise SessionError("there is no step before the first", hint="give another session")
        return HeldAgainst(step, step - 1, f"step {step - 1}", size, session.bitmask(step), session.bitmask(step - 1))
    if not same_vocabulary(session, other):
        raise SessionError("masks of different vocabularies have no tokens in common", hint="compare(session, other)")
    byte = session.trace.steps[step].byte_begin
    begins = [one.byte_begin for one in other.trace.steps]
    at = max(0, bisect_right(begins, byte) - 1)
    if begins[at] == byte:
        place = f"its step {at}, the same byte {byte}"
    else:
        place = f"its step {at}, byte {begins[at]}: no step of it begins at byte {byte}"
    is_same = _text(session, step)[: begins[at]] == _text(other, at)
    says = f"{other.name}, {place}" + ("" if is_same else "; the text before it is another")
    return HeldAgainst(step, at, says, size, session.bitmask(step), other.bitmask(at))


def same_vocabulary(a: Session, b: Session) -> bool:
    """Whether ids mean the same tokens."""
    mine, theirs = a.tokenizer_info.vocabulary, b.tokenizer_info.vocabulary
    return bool(mine.content_hash == theirs.content_hash)


def _text(session: Session, step: int) -> bytes:
    return b"".join(bytes.fromhex(one.bytes) for one in session.trace.steps[:step])


def _ids(row: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    return np.flatnonzero(np.unpackbits(row.view(np.uint8).reshape(-1), bitorder="little"))
