"""Two bytes a token: precision, compression, the budget."""

from __future__ import annotations

import numpy as np
import pytest

from xg2lab.errors import DeserializeFormatError
from xg2lab.lab.trace.bulk import Bulk, BulkStore, decode_probabilities, encode_probabilities


def test_the_code_is_its_formula():
    for p in (1.0, 0.7, 0.1, 1e-3, 3e-7, 1e-9):
        assert encode_probabilities(np.array([p]))[0] == round(255 * (1 + np.log10(p) / 9))
    assert encode_probabilities(np.array([0.0, 1e-12])).tolist() == [0, 0]


def test_a_value_read_back_is_within_4_2_percent():
    p = np.logspace(-8.9, 0, 5000)
    assert np.max(np.abs(decode_probabilities(encode_probabilities(p)) / p - 1)) < 0.042


def test_bulk_round_trips_and_damage_is_named():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 8, 100).astype(np.uint8), rng.integers(0, 256, 100).astype(np.uint8)
    bulk = Bulk.from_wire(100, Bulk.of(100, a, b).to_wire(), "/bulk/0")
    assert (bulk.provenance == a).all()
    assert (bulk.probability == b).all()
    assert Bulk.of(100, None, b).provenance is None
    good = bulk.to_wire()
    for bad in ([good[0]], [good[0], 3], ["%%", None], ["AAAA", None], Bulk.of(99, a[:99], None).to_wire(), {}):
        with pytest.raises(DeserializeFormatError, match="/bulk/0"):
            Bulk.from_wire(100, bad, "/bulk/0")


def test_a_bomb_is_not_inflated():
    bomb = Bulk.of(50_000_000, np.zeros(50_000_000, np.uint8), None).to_wire()
    with pytest.raises(DeserializeFormatError):
        Bulk.from_wire(10, bomb, "/bulk/0")


def test_the_oldest_leaves_when_the_budget_is_spent():
    rng = np.random.default_rng(0)
    entries = [Bulk.of(1000, rng.integers(0, 256, 1000).astype(np.uint8), None) for _ in range(6)]
    store = BulkStore(limit_bytes=3 * max(e.packed().n_bytes for e in entries))
    for i, entry in enumerate(entries):
        store.put(i, entry)
        assert store.n_bytes == sum(e.n_bytes for _, e in store.items()) <= store.limit_bytes
    assert [i for i, _ in store.items()] == [3, 4, 5]
    assert (store.n_dropped, store.get(0)) == (3, None)
    store.put(4, entries[0])
    store.drop_from(5)
    assert [i for i, _ in store.items()] == [3, 4]
    assert store.n_bytes == sum(e.n_bytes for _, e in store.items()) > 0


def test_new_steps_are_compressed_once_others_have_come():
    entries = [Bulk.of(1000, np.full(1000, k, np.uint8), None) for k in range(6)]
    store = BulkStore(limit_bytes=100_000, raw_bytes=2500)
    for i, entry in enumerate(entries):
        store.put(i, entry)
        assert store.n_bytes == sum(e.n_bytes for _, e in store.items())
    assert [entry.is_packed for _, entry in store.items()] == [True] * 4 + [False] * 2
    assert [int(entry.provenance[0]) for _, entry in store.items()] == list(range(6))
    assert store.n_bytes < 2500
    store.drop_from(5)
    store.put(5, entries[0])
    assert store.n_bytes == sum(e.n_bytes for _, e in store.items())
