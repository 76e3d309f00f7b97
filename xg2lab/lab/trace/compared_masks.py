"""The masks of a comparison, those of each side at each step: kept packed, and as a page replays them.

>>> masks = ComparedMasks()
>>> a, b = (np.array([bits], np.int32) for bits in (0b110, 0b011))
>>> masks.add(a, a); masks.add(a, b)
>>> [[row.tolist() for row in masks.rows(step)] for step in (0, 1)]
[[[6], [6]], [[6], [3]]]
>>> three = ComparedMasks()
>>> three.add(a, b, a)
>>> [row.tolist() for row in three.rows(0)]
[[6], [3], [6]]

IDEA
  A mask comes again and again, so each is kept once, compressed; of those that agree only A's, the
  first side's. What a page replays begins with the steps that differ, since those are looked at; it asks a kernel for
  what did not find room.

Shapes and units. A row is int32[ceil(vocab_size / 32)]. Packed: gzip of u32 n, little-endian | n bytes of JSON
{"n_words", "steps": [[step, whether B differs from A, whether C does, ...], ...]} | for each, A's row and, of each
side that differs, A xor its row.
See also `xg2lab.lab.comparison.comparison`, of two sides; `xg2lab.lab.engines.engine_comparison`, of several;
`widgets/src/views/compare/layout/masks.ts` reads it.
"""

from __future__ import annotations

import gzip
import json
import struct
import zlib

import numpy as np
import numpy.typing as npt

__all__ = ["ComparedMasks"]

Row = npt.NDArray[np.int32]

#: What a report may weigh by its masks: bytes before compression, and after.
MOST_RAW, MOST_PACKED = 2 << 20, 256 << 10


class ComparedMasks:
    """Two rows or more a step, as many each time."""

    def __init__(self) -> None:
        self._kept: dict[bytes, bytes] = {}
        self._steps: list[tuple[bytes, tuple[bytes | None, ...]]] = []  # A's row, A xor each other

    def __len__(self) -> int:
        return len(self._steps)

    def add(self, a: Row, *others: Row) -> None:
        """The next step's."""
        xors = tuple(None if np.array_equal(a, b) else self._keep(a ^ b) for b in others)
        self._steps.append((self._keep(a), xors))

    def _keep(self, row: Row) -> bytes:
        data = zlib.compress(row.tobytes(), 1)
        return self._kept.setdefault(data, data)

    def rows(self, step: int) -> tuple[Row, ...]:
        """A's, B's, and those of any other side."""
        first, xors = self._steps[step]
        a = _row(first)
        return a, *(a if xor is None else a ^ _row(xor) for xor in xors)

    def packed(self) -> bytes:
        """As many steps as find room, those that differ before the others."""
        order = sorted(range(len(self)), key=lambda step: (not any(self._steps[step][1]), step))
        while order:
            raw, steps = [], []
            for step in order:
                a, xors = self._steps[step]
                raw += [zlib.decompress(row) for row in (a, *xors) if row is not None]
                steps.append([step, *(xor is not None for xor in xors)])
                if sum(map(len, raw)) > MOST_RAW:
                    break
            header = json.dumps({"n_words": len(raw[0]) // 4, "steps": steps}, separators=(",", ":")).encode()
            data = gzip.compress(b"".join([struct.pack("<I", len(header)), header, *raw]), 6, mtime=0)
            if len(data) <= MOST_PACKED:
                return data
            order = order[: len(steps) // 2]
        return b""


def _row(kept: bytes) -> Row:
    return np.frombuffer(zlib.decompress(kept), np.int32)
