"""What a saved notebook keeps of a session, so that its views are drawn again without a kernel.

>>> import gzip
>>> packed = pack_bulk(2, [(0, bytes([1, 0]), bytes([255, 0]), None)], None)
>>> gzip.decompress(packed)[4:33]
b'{"vocab_size":2,"steps":[{"st'

Shapes and units. The trace is gzip of its JSON. Bulk is gzip of: u32 n, little-endian | n bytes of JSON | vocabulary,
if small (blob, u32[vocab_size + 1] offsets, u32[vocab_size] ids in trie order) | for each step listed, provenance
uint8[vocab_size] and probability codes uint8[vocab_size].
"""

from __future__ import annotations

import gzip
import json
import struct
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from xg2lab.lab.trace.bulk import ALLOWED, decode_probabilities, encode_probabilities

if TYPE_CHECKING:
    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["SMALL_VOCABULARY", "Vocabulary", "mass_by_class", "pack_bulk", "pack_trace", "vocabulary_of"]

N_CLASSES = 8
#: Vocabularies up to this many tokens are saved with the notebook; larger ones are sent once a
#: page, and never saved.
SMALL_VOCABULARY = 8192
#: Uncompressed bytes of masks that are saved; of a longer run the newest steps.
MOST_BULK_BYTES = 2 << 20


class Vocabulary(NamedTuple):
    """Token bytes joined, where each begins, and the ids in trie order."""

    blob: bytes
    offsets: npt.NDArray[np.uint32]
    order: npt.NDArray[np.uint32]


def vocabulary_of(tokenizer_info: TokenizerInfo) -> Vocabulary:
    """A tokenizer's vocabulary as the page wants it. Order: text tokens by their bytes, then special, then empty."""
    tokens: list[bytes] = tokenizer_info.decoded_vocab
    silent = {*tokenizer_info.special_token_ids, *tokenizer_info.stop_token_ids}
    offsets = np.zeros(len(tokens) + 1, np.uint32)
    np.cumsum([len(token) for token in tokens], out=offsets[1:])
    order = sorted(range(len(tokens)), key=lambda k: (k in silent, not tokens[k], tokens[k], k))
    return Vocabulary(b"".join(tokens), offsets, np.array(order, np.uint32))


def mass_by_class(provenance: npt.NDArray[np.uint8], codes: npt.NDArray[np.uint8], z: float | None) -> list[float]:
    """Probability mass by provenance class, 8 of them.

    Codes are within 4 % of the probabilities; the allowed classes are scaled to z, which is exact, the others to 1 - z.

    >>> [round(m, 3) for m in mass_by_class(np.array([0, 1, 1], np.uint8), np.array([230, 240, 235], np.uint8), 0.75)]
    [0.25, 0.75, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    mass = np.bincount(provenance, weights=decode_probabilities(codes), minlength=N_CLASSES)[:N_CLASSES]
    allowed = np.isin(np.arange(N_CLASSES), ALLOWED)
    for part, whole in ((allowed, z), (~allowed, None if z is None else 1.0 - z)):
        told = float(mass[part].sum())
        if whole is not None and told > 0.0:
            mass[part] *= whole / told
    return [float(m) for m in mass]


def pack_trace(wire: Mapping[str, Any]) -> bytes:
    """Gzip of a trace's JSON; half of a surrogate pair, as in some error texts, is written as an escape of JSON."""
    text = json.dumps(wire, separators=(",", ":"), ensure_ascii=False)
    return gzip.compress(text.encode("utf-8", "backslashreplace"), 6, mtime=0)


def roughly(codes: bytes, least: float) -> bytes:
    """Probability codes, those of probabilities below `least` rounded to half a power of ten."""
    exact = np.frombuffer(codes, np.uint8)
    first = int(encode_probabilities(np.array([least], np.float32))[0])
    half = round(255 / 9 / 2)
    rough = exact // half * half + half // 2
    return np.where((exact > 0) & (exact < first), rough, exact).astype(np.uint8).tobytes()


def pack_bulk(
    vocab_size: int,
    steps: Sequence[tuple[int, bytes, bytes, list[float] | None]],
    vocabulary: Vocabulary | None,
    *,
    most_bytes: int = MOST_BULK_BYTES,
    least: float = 0.0,
) -> bytes:
    """Steps as (index, provenance, probability codes, mass by class); those over the limit go, oldest first.

    Probabilities below `least` are kept to a factor of two, which takes half of the bytes of a usual mask.

    >>> codes = bytes([1, 20, 21, 200])
    >>> gzip.decompress(pack_bulk(4, [(0, bytes(4), codes, None)], None, least=1e-5))[-4:] == bytes([7, 21, 21, 200])
    True
    """
    kept = list(steps)[-max(1, most_bytes // max(1, 2 * vocab_size)) :]
    head = {
        "vocab_size": vocab_size,
        "steps": [{"step": index, "mass": mass} for index, _, _, mass in kept],
        "vocabulary": None if vocabulary is None else {"blob": len(vocabulary.blob)},
    }
    header = json.dumps(head, separators=(",", ":")).encode()
    parts = [struct.pack("<I", len(header)), header]
    if vocabulary is not None:
        parts += [vocabulary.blob, vocabulary.offsets.astype("<u4").tobytes(), vocabulary.order.astype("<u4").tobytes()]
    for _, provenance, probability, _ in kept:
        parts += [provenance, roughly(probability, least)]
    return gzip.compress(b"".join(parts), 6, mtime=0)
