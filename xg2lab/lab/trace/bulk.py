"""A step's facts about every token of the vocabulary, small enough to keep and to send.

>>> encode_probabilities(np.array([1.0, 0.1, 1e-9, 1e-12, 0.0])).tolist()
[255, 227, 0, 0, 0]
>>> [f"{p:.4f}" for p in decode_probabilities(np.array([255, 227, 0], np.uint8))]
['1.0000', '0.1027', '0.0000']

IDEA
  Two bytes a token: where its verdict came from (provenance, a code of the engine), and its probability on a log
  scale, code = round(255 * (1 + log10(p) / 9)), clipped to 0..255. One code is a factor of 1.085, so a value read
  back is within 4.2 % of what was stored; below 1e-9 it is 0. Compressed, and the oldest dropped when a budget of
  bytes is spent: the trace keeps its steps, only these pictures go.

Shapes and units: arrays uint8[vocab_size], in the order of the token ids.
See also `xg2lab.lab.trace.trace`, which writes them into a saved trace.
"""

from __future__ import annotations

import base64
import zlib
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from xg2lab.errors import DeserializeFormatError
from xg2lab.provenance import Provenance

__all__ = [
    "ALLOWED",
    "Bulk",
    "BulkStore",
    "decode_probabilities",
    "encode_probabilities",
]

Codes = npt.NDArray[np.uint8]
#: Codes of provenance that allow the token.
ALLOWED = tuple(code for code in Provenance if code.is_allowed)
_DECADES = 9.0


def encode_probabilities(p: npt.NDArray[np.floating]) -> Codes:
    """Probabilities as one byte each: 0 is p <= 1e-9, 255 is 1."""
    with np.errstate(divide="ignore"):
        codes = np.rint(255.0 * (1.0 + np.log10(np.asarray(p, np.float64)) / _DECADES))
    return np.clip(codes, 0.0, 255.0).astype(np.uint8)


def decode_probabilities(codes: Codes) -> npt.NDArray[np.float32]:
    """The middle of each code's interval; code 0 reads as 0."""
    table = 10.0 ** (_DECADES * (np.arange(256) / 255.0 - 1.0))
    table[0] = 0.0
    return table.astype(np.float32)[codes]


@dataclass(frozen=True, eq=False)
class Bulk:
    """One step's two byte arrays, compressed or as they came; either may be absent."""

    n_tokens: int
    _parts: tuple[bytes | None, bytes | None]
    is_packed: bool

    @classmethod
    def of(cls, n_tokens: int, provenance: Codes | None, probability: Codes | None) -> Bulk:
        """Two arrays of `n_tokens` bytes, as they are."""
        provenance_bytes = None if provenance is None else provenance.tobytes()
        return cls(n_tokens, (provenance_bytes, None if probability is None else probability.tobytes()), False)

    def packed(self) -> Bulk:
        """The same, compressed: a millisecond or two for 150,000 tokens."""
        if self.is_packed:
            return self
        provenance, probability = self._parts
        return Bulk(self.n_tokens, (_deflate(provenance), _deflate(probability)), True)

    @property
    def provenance(self) -> Codes | None:
        """uint8[n_tokens], read-only."""
        return self._codes(0, "provenance")

    @property
    def probability(self) -> Codes | None:
        """uint8[n_tokens], read-only; see `decode_probabilities`."""
        return self._codes(1, "probability")

    @property
    def n_bytes(self) -> int:
        """The size in bytes, compressed."""
        return sum(len(part) for part in self._parts if part is not None)

    def to_wire(self) -> list[str | None]:
        """[provenance, probability] in base64 of the zlib stream, or None."""
        return [base64.b64encode(part).decode("ascii") if part is not None else None for part in self.packed()._parts]

    @classmethod
    def from_wire(cls, n_tokens: int, value: object, pointer: str) -> Bulk:
        """The inverse of `to_wire`; it inflates once, so that damage shows here and not in a view."""
        if not isinstance(value, list) or len(value) != 2 or not all(v is None or isinstance(v, str) for v in value):
            raise DeserializeFormatError(
                f"{pointer} should be two strings of base64, or null", pointer=pointer, hint="save the trace again"
            )
        try:
            parts = [None if v is None else base64.b64decode(v, validate=True) for v in value]
        except ValueError as error:
            raise DeserializeFormatError(f"{pointer} is not base64: {error}", pointer=pointer) from error
        bulk = cls(n_tokens, (parts[0], parts[1]), True)
        try:
            _ = bulk.provenance, bulk.probability
        except DeserializeFormatError as error:
            raise DeserializeFormatError(f"{pointer}: {error.message}", pointer=pointer) from error
        return bulk

    def _codes(self, which: int, name: str) -> Codes | None:
        part = self._parts[which]
        if part is None:
            return None
        if not self.is_packed:
            return np.frombuffer(part, np.uint8)
        try:
            data = zlib.decompressobj().decompress(part, self.n_tokens + 1)
        except zlib.error as error:
            raise DeserializeFormatError(f"the {name} of a step is damaged: {error}") from error
        if len(data) != self.n_tokens:
            raise DeserializeFormatError(
                f"the {name} of a step has not one byte for each of the {self.n_tokens} tokens of the vocabulary"
            )
        return np.frombuffer(data, np.uint8)


class BulkStore:
    """The bulk of each step, by index, within a budget of bytes: the step stored longest ago goes first.

    New steps stay as they came, so that neither storing nor showing them waits for zlib; once these take `raw_bytes`,
    the oldest of them is compressed.

    Invariant I1: n_bytes <= limit_bytes, unless one single entry is larger.
    """

    def __init__(self, limit_bytes: int, raw_bytes: int = 16 << 20) -> None:
        self.limit_bytes, self.raw_bytes = limit_bytes, raw_bytes
        self.n_bytes = 0
        self.n_dropped = 0
        self._entries: OrderedDict[int, Bulk] = OrderedDict()
        self._raw: OrderedDict[int, int] = OrderedDict()  # bytes by step, of those that are not compressed

    def put(self, index: int, bulk: Bulk) -> None:
        """Keep the bulk of step `index`; others may leave."""
        self.drop_from(index, index + 1)
        self._entries[index] = bulk
        self.n_bytes += bulk.n_bytes
        if not bulk.is_packed:
            self._raw[index] = bulk.n_bytes
        while self._raw and (sum(self._raw.values()) > self.raw_bytes or self.n_bytes > self.limit_bytes):
            oldest, n_bytes = self._raw.popitem(last=False)
            self._entries[oldest] = self._entries[oldest].packed()
            self.n_bytes += self._entries[oldest].n_bytes - n_bytes
        while self.n_bytes > self.limit_bytes and len(self._entries) > 1:
            _, old = self._entries.popitem(last=False)
            self.n_bytes -= old.n_bytes
            self.n_dropped += 1

    def get(self, index: int) -> Bulk | None:
        """The bulk of step `index`, or None when it was never kept or had to go."""
        return self._entries.get(index)

    def drop_from(self, first: int, last: int | None = None) -> None:
        """Forget the steps `first` and after, up to `last` (not included)."""
        for index in [i for i in self._entries if i >= first and (last is None or i < last)]:
            self.n_bytes -= self._entries.pop(index).n_bytes
            self._raw.pop(index, None)

    def items(self) -> list[tuple[int, Bulk]]:
        """A copy of the entries, by rising index."""
        return sorted(self._entries.items())


def _deflate(part: bytes | None) -> bytes | None:
    """By runs and by how often each byte comes: there is nothing else to find in them, and looking takes longer."""
    if part is None:
        return None
    deflater = zlib.compressobj(1, strategy=zlib.Z_RLE)
    return deflater.compress(part) + deflater.flush()
