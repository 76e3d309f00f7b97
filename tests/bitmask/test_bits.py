"""The bit operations of the engine against Python's sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xg2lab._core import Bits

N_WORDS = 20  # more than a vector register of any machine, and no multiple of one
N_BITS = 32 * N_WORDS

sets = st.one_of(
    st.sets(st.integers(0, N_BITS - 1), max_size=60),
    st.integers(0, N_BITS).map(lambda n: set(range(n))),
    st.integers(0, N_BITS).map(lambda n: set(range(n, N_BITS))),
)


def words_of(members, n_words=N_WORDS):
    words = np.zeros(n_words, dtype=np.uint32)
    for member in members:
        words[member // 32] |= np.uint32(1 << (member % 32))
    return words


def members_of(words):
    return {32 * i + bit for i, word in enumerate(words.tolist()) for bit in range(32) if word >> bit & 1}


@given(sets)
def test_members_come_in_order(members):
    words = words_of(members)
    assert Bits.members(words) == sorted(members)
    assert Bits.count_ones(words) == len(members)
    assert Bits.any_one(words) == bool(members)


@given(sets, sets, st.integers(1, N_WORDS))
def test_algebra(a, b, n_source_words):
    """A source shorter than the target touches only the words it has."""
    b = {member for member in b if member < 32 * n_source_words}
    covered = set(range(32 * n_source_words))
    for operation, expected in (
        (Bits.or_into, a | b),
        (Bits.and_into, (a & b) | (a - covered)),
        (Bits.and_not_into, a - b),
        (Bits.copy_into, b | (a - covered)),
    ):
        target, source = words_of(a), words_of(b, n_source_words)
        operation(target, source)
        assert members_of(target) == expected
        assert members_of(source) == b


@given(sets, st.integers(0, N_BITS), st.integers(0, N_BITS))
def test_ranges(members, begin, end):
    words = words_of(members)
    Bits.set_range(words, begin, end)
    assert members_of(words) == members | set(range(begin, end))
    words = words_of(members)
    Bits.clear_range(words, begin, end)
    assert members_of(words) == members - set(range(begin, end))


@given(sets, st.integers(0, N_BITS))
def test_fills_write_every_word(members, n_bits):
    words = words_of(members)
    Bits.fill_ones(words, n_bits)
    assert members_of(words) == set(range(n_bits))
    Bits.fill_zeros(words)
    assert not members_of(words)


@given(sets, st.lists(st.integers(0, N_BITS - 1), max_size=20))
def test_lists_of_positions(members, positions):
    listed = np.array(positions, dtype=np.uint32)
    words = words_of(members)
    Bits.set_each(words, listed)
    assert members_of(words) == members | set(positions)
    Bits.clear_each(words, listed)
    assert members_of(words) == members - set(positions)


@given(sets, st.permutations(range(100)), sets)
def test_renumbering(members, order, before):
    """Ids to ranks and back, as masks do it: positions[rank] is the id."""
    ids = {member for member in members if member < len(order)}
    positions = np.array(order, dtype=np.uint32)
    ranks = words_of(before)
    Bits.gather(ranks, words_of(ids), positions)
    assert members_of(ranks) == {rank for rank, i in enumerate(order) if i in ids}
    back = words_of(before)
    Bits.scatter(back, ranks, positions)
    assert members_of(back) == before | ids


def test_bits_beyond_the_words_are_refused():
    with pytest.raises(IndexError, match="a bit beyond the last word"):
        Bits.fill_ones(np.zeros(1, dtype=np.uint32), 33)
    with pytest.raises(IndexError, match="the source is longer than the target"):
        Bits.or_into(np.zeros(1, dtype=np.uint32), np.zeros(2, dtype=np.uint32))
