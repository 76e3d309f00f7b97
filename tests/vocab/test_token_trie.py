"""The depth-first trie against its definition: the set of beginnings of all tokens."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from xg2lab import _core


def nodes_of(trie):
    return [trie.node(i) for i in range(trie.n_nodes + 1)]


def paths_of(trie):
    """The path of each node but the root, from depths and bytes alone."""
    paths, path = [], b""
    for byte, depth, _, _ in nodes_of(trie)[1:-1]:
        path = path[: depth - 1] + bytes([byte])
        paths.append(path)
    return paths


def test_the_header_picture():
    vocabulary = _core.Vocabulary([b"a", b"ab", b"ab", b"acd", b"b"])
    trie = _core.TokenTrie(vocabulary)
    trie.check_invariants(vocabulary)
    assert nodes_of(trie) == [
        (0, 0, 6, 0),
        (ord("a"), 1, 5, 0),
        (ord("b"), 2, 3, 1),
        (ord("c"), 2, 5, 3),
        (ord("d"), 3, 5, 3),
        (ord("b"), 1, 6, 4),
        (0, 0, 6, 5),
    ]


@given(st.lists(st.binary(min_size=0, max_size=5), min_size=1, max_size=40))
def test_nodes_are_the_beginnings_in_byte_order(tokens):
    vocabulary = _core.Vocabulary(tokens)
    trie = _core.TokenTrie(vocabulary)
    trie.check_invariants(vocabulary)
    beginnings = sorted({token[:n] for token in tokens for n in range(1, len(token) + 1)})
    assert paths_of(trie) == beginnings
    assert trie.max_depth == max(map(len, tokens))

    ranked = [tokens[i] for i in vocabulary.tokens_by_rank()]
    nodes = nodes_of(trie)
    for index, path in enumerate(beginnings, start=1):
        _, depth, subtree_end, first_rank = nodes[index]
        assert depth == len(path)
        assert trie.find(path) == index
        assert ranked[first_rank : nodes[index + 1][3]] == [token for token in ranked if token == path]
        assert ranked[first_rank : nodes[subtree_end][3]] == [token for token in ranked if token.startswith(path)]
    assert trie.find(b"") == 0
    for stranger in (b"\x00\x01\x02\x03\x04\x05", b"zzzzzz"):
        assert trie.find(stranger) is None


@given(st.lists(st.binary(min_size=1, max_size=4), min_size=1, max_size=30), st.binary(max_size=3))
def test_the_walk_of_the_header_finds_what_a_filter_finds(tokens, forbidden):
    """The walk skips a subtree by `subtree_end`; the definition asks about each token alone."""
    vocabulary = _core.Vocabulary(tokens)
    nodes = nodes_of(_core.TokenTrie(vocabulary))
    allowed, index = [], 1
    while index < len(nodes) - 1:
        byte, _, subtree_end, first_rank = nodes[index]
        if byte in forbidden:
            index = subtree_end
            continue
        allowed += [vocabulary.token_at(rank) for rank in range(first_rank, nodes[index + 1][3])]
        index += 1
    assert sorted(allowed) == [i for i, token in enumerate(tokens) if not set(token) & set(forbidden)]
