r"""Tokens as readable text, and text as tokens.

>>> class Info:
...     decoded_vocab = [b"a", b"ab", b"bc", b"\xc3", b"<end>"]
...     stop_token_ids = [4]
...     special_token_ids = [4]
>>> spelling = Spelling(Info())
>>> spelling.text(3), spelling.text(4), spelling.spell(b"abc")
('\\xc3', '<end>', [0, 2])

IDEA
  Text is spelled by greedy longest match. Where the longest token leads to a dead end ("ab" leaves "c", which no token
  spells) the next shorter one is tried; positions known to be dead are not tried again, so the work is bounded by
  len(text) * len(longest token).

Units: `data` is bytes; a token id is the model's number. Special and stop tokens spell no text: they are forced by id.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from xg2lab.errors import SessionError, VocabularyError

if TYPE_CHECKING:
    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["Spelling", "readable"]


def readable(data: bytes) -> str:
    r"""Bytes as text; what is not UTF-8 (half a character) as \xHH."""
    return data.decode("utf-8", "backslashreplace")


class Spelling:
    """The texts of the tokens of one vocabulary. Immutable once made; any thread may read it."""

    def __init__(self, tokenizer_info: TokenizerInfo) -> None:
        self._vocab: list[bytes] = tokenizer_info.decoded_vocab
        self.stop_ids: frozenset[int] = frozenset(tokenizer_info.stop_token_ids)
        self.silent_ids: frozenset[int] = self.stop_ids | frozenset(tokenizer_info.special_token_ids)

    def check(self, token_id: int) -> int:
        """The id itself, if the vocabulary has it. Raises `VocabularyError` otherwise."""
        if not 0 <= token_id < len(self._vocab):
            raise VocabularyError(
                f"there is no token {token_id}: the vocabulary has {len(self._vocab)} tokens",
                hint=f"give an id from 0 to {len(self._vocab) - 1}",
            )
        return token_id

    def text(self, token_id: int) -> str:
        """A token as a reader sees it, special tokens by their names."""
        data = self._vocab[token_id]
        return readable(data) if data else f"<{token_id}>"

    def data(self, token_id: int, *, is_crossed: bool = False) -> bytes:
        """What a token adds to the output: nothing, for stop tokens and for special ones that no token edge took."""
        return b"" if token_id in (self.stop_ids if is_crossed else self.silent_ids) else self._vocab[token_id]

    def find(self, data: bytes) -> int | None:
        """The lowest id of an ordinary token with exactly these bytes."""
        return self._ids.get(data)

    def spell(self, data: bytes, most_bytes: int | None = None) -> list[int]:
        """Token ids whose bytes make up `data`, each of at most `most_bytes`.

        Raises `SessionError` where the vocabulary has none.

        >>> Spelling(type("Info", (), {"decoded_vocab": [b"a", b"b", b"ab"], "stop_token_ids": [],
        ...     "special_token_ids": []})).spell(b"aba", most_bytes=1)
        [0, 1, 0]
        """
        most = self._longest if most_bytes is None else min(self._longest, most_bytes)
        ids: list[int] = []
        ends = [0]  # ends[k]: the byte after the k-th token
        longest = [min(most, len(data))]  # the next length to try after ends[k]
        dead: set[int] = set()
        while ends[-1] < len(data):
            begin, length = ends[-1], min(longest[-1], len(data) - ends[-1])
            while length and (begin + length in dead or data[begin : begin + length] not in self._ids):
                length -= 1
            if length:
                ids.append(self._ids[data[begin : begin + length]])
                longest[-1] = length - 1
                ends.append(begin + length)
                longest.append(most)
                continue
            dead.add(begin)
            if len(ends) == 1:
                at = max(dead)
                kind = "tokens" if most_bytes is None else f"tokens of at most {most_bytes} bytes"
                raise SessionError(
                    f"no {kind} of the vocabulary spell {readable(data)!r}: none fits at byte {at} (0x{data[at]:02x})",
                    hint="force a token by its id instead; stop and special tokens are never spelled by text",
                )
            for stack in (ends, longest, ids):
                stack.pop()
        return ids

    @cached_property
    def blank_ids(self) -> list[int]:
        """The ordinary tokens of white space alone."""
        return [k for k, data in enumerate(self._vocab) if data and not data.strip() and k not in self.silent_ids]

    @cached_property
    def _ids(self) -> dict[bytes, int]:
        ids: dict[bytes, int] = {}
        for token_id, data in enumerate(self._vocab):
            if data and token_id not in self.silent_ids:
                ids.setdefault(data, token_id)
        return ids

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self._ids), default=0)
