"""Real vocabularies as tries in byte order, and the walk that decides every token of one at a state of an oracle.

>>> from campaign.oracles.earley import EarleyOracle
>>> from campaign.oracles.productions import Productions
>>> made = Productions()
>>> made.add("start", made.repeat(made.points([(97, 99)]), 0, 3))
>>> words = Words("tiny", [b"a", b"abc", b"abcd", b"", b"z", b"ab", b"</s>"], stops=[6], special=[])
>>> words.allowed(EarleyOracle(made), 1).tolist()
[True, True, False, False, False, True, True]

A node of the trie is visited if its parent is a viable beginning. So each token's verdict is the oracle's: what lies
under a dead node was refused there. Nodes of one depth are visited together, as arrays.

Shapes and units: `allowed` has an entry for each token id. Special and empty tokens are never allowed, stop tokens
where the text is complete. Rows are the different texts of tokens, in byte order.
"""

from __future__ import annotations

import importlib.util
import lzma
import struct
from base64 import b64decode
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.texts import DATA, vocabulary
from campaign.oracles.automaton import Automaton
from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["Words", "real_names", "real_words"]

_N_KEPT = 256  # verdicts of states that are kept for an oracle: a few MB

Flags = npt.NDArray[np.bool_]


class _Level(NamedTuple):
    """Nodes of one depth: the byte that leads to each, where its children are, and the row that ends there or -1."""

    data: npt.NDArray[np.uint8]
    first_child: npt.NDArray[np.int64]
    n_children: npt.NDArray[np.int64]
    row: npt.NDArray[np.int64]


@dataclass
class Words:
    """A vocabulary: token texts by id, stop tokens, special tokens, and the trie of all that can match as text."""

    name: str
    tokens: list[bytes]
    stops: list[int]
    special: list[int]

    def __post_init__(self) -> None:
        never = {*self.stops, *self.special}
        self.texts = sorted({data for i, data in enumerate(self.tokens) if data and i not in never})
        numbers = {data: row for row, data in enumerate(self.texts)}
        rows = [-1 if i in never else numbers.get(data, -1) for i, data in enumerate(self.tokens)]
        self.row_of = np.array(rows, np.int64)
        self.levels = list(_levels(self.texts))
        self._kept: OrderedDict[tuple[int, int], Flags] = OrderedDict()
        self._info: TokenizerInfo | None = None

    @property
    def info(self) -> TokenizerInfo:
        """For the engine; made once."""
        if self._info is None:
            self._info = TokenizerInfo(self.tokens, stop_token_ids=self.stops, special_token_ids=self.special)
        return self._info

    def allowed(self, oracle: Automaton, state: int) -> Flags:
        """Whether the oracle allows each token at this state."""
        viable = np.zeros(len(self.texts) + 1, bool)  # the last entry is of tokens that never match: index -1
        nodes = np.arange(len(self.levels[0].data)) if self.levels else np.zeros(0, np.int64)
        states = np.full(len(nodes), state, np.int32)
        for level in self.levels:
            states = oracle.steps(states, level.data[nodes])
            live = states > 0
            nodes, states = nodes[live], states[live]
            rows = level.row[nodes]
            viable[rows[rows >= 0]] = True
            counts = level.n_children[nodes]
            total = int(counts.sum())
            if not total:
                break
            ends = np.cumsum(counts)
            nodes = np.repeat(level.first_child[nodes] - ends + counts, counts) + np.arange(total)
            states = np.repeat(states, counts)
        found = viable[self.row_of]
        found[self.stops] = oracle.is_end(state)
        return found

    def first_bytes(self, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The first byte of each of these tokens; 256 for those without text."""
        if not hasattr(self, "_first"):
            self._first = np.array([data[0] if data else 256 for data in self.tokens], np.int64)
        return self._first[ids]


def _levels(texts: Sequence[bytes]) -> Iterator[_Level]:
    """The trie, depth by depth. `starts` are the rows at which the texts' beginnings of one length change."""
    lengths = np.array([len(text) for text in texts], np.int64)
    padded = np.zeros((len(texts), int(lengths.max(initial=0)) + 1), np.uint8)
    for row, text in enumerate(texts):
        padded[row, : len(text)] = np.frombuffer(text, np.uint8)
    common = np.zeros(len(texts), np.int64)  # with the row before
    for row in range(1, len(texts)):
        a, b = texts[row - 1], texts[row]
        n, most = 0, min(len(a), len(b))
        while n < most and a[n] == b[n]:
            n += 1
        common[row] = n
    starts = np.flatnonzero((lengths > 0) & (common <= 0))
    for depth in range(padded.shape[1] - 1):
        below = np.flatnonzero((lengths > depth + 1) & (common <= depth + 1))
        parents = np.searchsorted(starts, below, "right") - 1
        places = np.arange(len(starts))
        first = np.searchsorted(parents, places, "left")
        n_children = np.searchsorted(parents, places, "right") - first
        row = np.where(lengths[starts] == depth + 1, starts, -1)
        yield _Level(padded[starts, depth], first, n_children, row)
        starts = below


# ---- Those that are here ----

_PACKAGES = {"llama3-128256": "llama_models", "tekken-131072": "mistral_common"}


def real_names() -> list[str]:
    """The real vocabularies that can be read here: of the data folder, and of installed packages."""
    names = {path.name.removesuffix(".cwv.xz") for path in (DATA / "vocabs").glob("*.cwv.xz")}
    found = {name for name, package in _PACKAGES.items() if importlib.util.find_spec(package) is not None}
    if "llama3-128256" not in found and importlib.util.find_spec("tiktoken") is None:
        found = set()
    return sorted(names | found)


@cache
def real_words(name: str) -> Words:
    """A real vocabulary by its name; read and sorted once (seconds)."""
    path = DATA / "vocabs" / f"{name}.cwv.xz"
    if path.exists():
        return _read_cwv(name, path)
    if name == "tekken-131072":
        return _read_tekken(name)
    words = vocabulary()
    if words.name != name:
        raise FileNotFoundError(f"no vocabulary named {name}: {path} is not there")
    return Words(name, words.tokens, [words.stop_token], list(range(words.n_text, len(words.tokens))))


def _read_cwv(name: str, path: Path) -> Words:
    """`CWV1`, u32 n, u32 k, i32 bos, i32 stops[k], u8 special[n], u16 length[n], the texts; little endian."""
    data = lzma.decompress(path.read_bytes())
    magic, n, k, _ = struct.unpack_from("<4sIIi", data)
    if magic != b"CWV1":
        raise ValueError(f"{path} is not a vocabulary")
    stops = list(struct.unpack_from(f"<{k}i", data, 16))
    at = 16 + 4 * k
    special = [i for i in range(n) if data[at + i]]
    lengths = struct.unpack_from(f"<{n}H", data, at + n)
    return Words(name, list(_cut(data[at + 3 * n :], lengths)), stops, special)


def _cut(data: bytes, lengths: Iterable[int]) -> Iterator[bytes]:
    at = 0
    for length in lengths:
        yield data[at : at + length]
        at += length


def _read_tekken(name: str) -> Words:
    """Out of mistral-common; special tokens come first."""
    import json

    found = importlib.util.find_spec("mistral_common")
    if found is None or not found.submodule_search_locations:
        raise FileNotFoundError("mistral-common is not installed")
    path = Path(found.submodule_search_locations[0]) / "data" / "tekken_240911.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    n_special, n = record["config"]["default_num_special_tokens"], record["config"]["default_vocab_size"]
    texts = [b64decode(entry["token_bytes"]) for entry in record["vocab"][: n - n_special]]
    return Words(name, [b""] * n_special + texts, [2], list(range(n_special)))
