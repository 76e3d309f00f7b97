"""Draft trees: each node's row is the mask after the tokens on the way to it; the matcher stays as it is."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import xg2lab as xgr
from tests.generators import seeded
from xg2lab.errors import ArgumentError, BitmaskError, VocabularyError
from xg2lab.testing import _traverse_draft_tree

TOKENS = [b"a", b"b", b"c", b"ab", b"[", b"]", b"[[", b"1", b",", b'"', b"\xc3", b"\xa9", b"</s>"]
STOP = len(TOKENS) - 1
GRAMMARS = ['root ::= "a" "b"* "c"?', 'root ::= "[" root* "]" | [a-c]', 'root ::= "\\"" [^"]* "\\""', None]
KEEP = 0x55


def matcher_of(grammar: str | None, **options: Any) -> xgr.GrammarMatcher:
    compiler = xgr.GrammarCompiler(xgr.TokenizerInfo(TOKENS, stop_token_ids=[STOP]))
    compiled = compiler.compile_grammar(grammar) if grammar else compiler.compile_builtin_json_grammar()
    return xgr.GrammarMatcher(compiled, **options)


def mask(matcher: xgr.GrammarMatcher) -> int:
    bitmask = np.zeros((1, 1), np.int32)
    matcher.fill_next_token_bitmask(bitmask)
    return int(bitmask[0, 0])


def arrays(parents: list[int], order: list[int] | None = None) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """First children and next siblings of a tree given by the parent of each node but the first."""
    child, sibling = (np.full(len(parents) + 1, -1, np.int64) for _ in range(2))
    for node in order or range(len(parents), 0, -1):
        parent = parents[node - 1]
        sibling[node], child[parent] = child[parent], node
    return child, sibling


def by_accepting(matcher: xgr.GrammarMatcher, parents: list[int], tokens: list[int]) -> list[int]:
    """By definition: a fork accepts the tokens on the way to each node."""
    found = []
    for node in range(len(parents) + 1):
        way: list[int] = []
        while node:
            way.insert(0, tokens[node])
            node = parents[node - 1]
        fork = matcher.fork()
        alive = not fork.is_terminated() and all(not fork.is_terminated() and fork.accept_token(t) for t in way)
        found.append(mask(fork) if alive and not fork.is_terminated() else 0)
    return found


# ---- The same as accept and fill ----


@pytest.mark.parametrize("grammar", GRAMMARS, ids=["flat", "nested", "string", "json"])
def test_random_trees_are_as_by_accepting(grammar: str | None):
    rng = seeded(f"draft tree {grammar}")
    for _ in range(60):
        matcher = matcher_of(grammar)
        for _ in range(rng.randint(0, 5)):
            matcher.accept_token(rng.choice(matcher.allowed_tokens() or [0])) if not matcher.is_terminated() else None
        parents = [rng.randrange(node) for node in range(1, rng.randint(1, 14))]
        order = list(range(1, len(parents) + 1))
        rng.shuffle(order)
        tokens = [rng.choice([*range(len(TOKENS)), 0, 1, 4, 9]) for _ in range(len(parents) + 1)]
        bitmask = np.full((len(tokens) + 1, 1), KEEP, np.int32)
        before = (matcher.n_steps, matcher.is_terminated(), matcher.allowed_tokens())
        assert matcher.traverse_draft_tree(*arrays(parents, order), np.array(tokens), bitmask)
        assert bitmask[:-1, 0].tolist() == by_accepting(matcher, parents, tokens)
        assert bitmask[-1, 0] == KEEP
        assert (matcher.n_steps, matcher.is_terminated(), matcher.allowed_tokens()) == before


def test_the_tree_of_the_header():
    matcher = matcher_of('root ::= "a" "b"*')
    assert matcher.accept_token(0)
    child, sibling = np.array([1, 4, -1, -1, -1]), np.array([-1, 2, 3, -1, -1])
    bitmask = np.full((5, 1), KEEP, np.int32)
    assert matcher.traverse_draft_tree(child, sibling, np.array([0, 1, 2, STOP, 1]), bitmask)
    both = 1 << 1 | 1 << STOP
    assert bitmask[:, 0].tolist() == [both, both, 0, 0, both]


def test_a_long_chain_costs_no_stack():
    n = 200_000
    matcher = matcher_of('root ::= "[" root* "]"')
    child = np.append(np.arange(1, n), -1)
    bitmask = np.zeros((n, 1), np.int32)
    assert matcher.traverse_draft_tree(child, np.full(n, -1), np.full(n, TOKENS.index(b"[")), bitmask)
    assert (bitmask[1:] == bitmask[1]).all()
    assert bitmask[1, 0] != 0
    assert matcher.n_steps == 0


def test_torch_tensors_and_a_window_without_history():
    torch = pytest.importorskip("torch")
    matcher = matcher_of('root ::= "a" "b"* "c"', max_rollback_tokens=0)
    matcher.accept_token(0)
    bitmask = torch.zeros((2, 1), dtype=torch.int32)
    assert matcher.traverse_draft_tree(torch.tensor([1, -1]), torch.tensor([-1, -1]), torch.tensor([0, 2]), bitmask)
    assert bitmask[:, 0].tolist() == [1 << 1 | 1 << 2, 1 << STOP]


def test_an_ended_text_has_no_continuations():
    matcher = matcher_of('root ::= "a"')
    assert matcher.accept_token(0)
    assert matcher.accept_token(STOP)
    bitmask = np.full((2, 1), KEEP, np.int32)
    assert matcher.traverse_draft_tree(*arrays([0]), np.array([0, 0]), bitmask)
    assert bitmask[:, 0].tolist() == [0, 0]
    assert matcher.is_terminated()


def test_nodes_out_of_reach_are_not_written_and_their_tokens_not_read_as_ways():
    bitmask = np.full((3, 1), KEEP, np.int32)
    none = np.full(3, -1)
    assert matcher_of('root ::= "a"').traverse_draft_tree(none, none, np.array([0, 0, 0]), bitmask)
    assert bitmask[:, 0].tolist() == [1, KEEP, KEEP]


def test_the_older_name():
    matcher, bitmask = matcher_of('root ::= "a"'), np.zeros((2, 1), np.int32)
    assert _traverse_draft_tree(*arrays([0]), np.array([0, 0]), matcher, bitmask)
    assert bitmask[:, 0].tolist() == [1, 1 << STOP]


# ---- Time ----


def test_time_is_up_between_two_nodes():
    n = 100_000
    matcher = matcher_of('root ::= "a"*')
    child, sibling, tokens = np.append(np.arange(1, n), -1), np.full(n, -1), np.zeros(n, np.int64)
    bitmask = np.full((n, 1), KEEP, np.int32)
    assert not matcher.traverse_draft_tree(child, sibling, tokens, bitmask, time_threshold=1e-4)
    n_filled = int((bitmask != KEEP).sum())
    assert n_filled < n
    assert (bitmask[n_filled:] == KEEP).all()
    for unlimited in (0.0, -1.0, float("inf"), 1e12, float("nan"), 60.0):
        assert matcher.traverse_draft_tree(child, sibling, tokens, bitmask, unlimited)
    assert (bitmask != KEEP).all()


# ---- Refusals, before a row is written ----


@pytest.mark.parametrize(
    ("child", "sibling", "tokens", "error", "said"),
    [
        ([1, 0], [-1, -1], [0, 0], ArgumentError, "node 0 is reached twice"),
        ([1, -1], [-1, 1], [0, 0], ArgumentError, "node 1 is reached twice"),
        ([1, 2, 1], [-1, -1, -1], [0, 0, 0], ArgumentError, "node 1 is reached twice"),
        ([1, 2, -1], [-1, 2, -1], [0, 0, 0], ArgumentError, "node 2 is reached twice"),
        ([2, -1], [-1, -1], [0, 0], ArgumentError, r"retrieve_next_token\[0\] is 2; the tree has 2 nodes"),
        ([1, -1], [-1, -2], [0, 0], ArgumentError, r"retrieve_next_sibling\[1\] is -2"),
        ([1, 2**62], [-1, -1], [0, 0], ArgumentError, r"retrieve_next_token\[1\] is 4611686018427387904"),
        ([-1, -1], [1, -1], [0, 0], ArgumentError, "the root has a sibling, node 1"),
        ([1, -1], [-1], [0, 0], ArgumentError, "have 2, 1 and 2 elements"),
        ([1, -1], [-1, -1], [0], ArgumentError, "have 2, 2 and 1 elements"),
        ([1, -1], [-1, -1], [0, 13], VocabularyError, r"draft_tokens\[1\] is 13, outside the vocabulary of 13 tokens"),
        ([1, -1], [-1, -1], [0, -1], VocabularyError, r"draft_tokens\[1\] is -1"),
        ([[1, -1]], [-1, -1], [0, 0], ArgumentError, "retrieve_next_token is not a vector of integers"),
        ([1.0, -1.0], [-1, -1], [0, 0], ArgumentError, "retrieve_next_token is not a vector of integers"),
        ([1, 2, -1], [-1, -1, -1], [0, 0, 0], BitmaskError, "row 2 does not exist"),
    ],
)
def test_trees_that_are_none(child: Any, sibling: Any, tokens: Any, error: type[Exception], said: str):
    matcher = matcher_of('root ::= "a"*', strict=True)
    bitmask = np.full((2 if error is BitmaskError else 3, 1), KEEP, np.int32)
    with pytest.raises(error, match=said):
        matcher.traverse_draft_tree(np.array(child), np.array(sibling), np.array(tokens), bitmask)
    assert (bitmask == KEEP).all()
    assert matcher.accept_token(0)


def test_a_token_outside_the_vocabulary_is_refused_and_its_siblings_are_filled():
    matcher, bitmask = matcher_of('root ::= "a"*'), np.full((4, 1), KEEP, np.int32)
    expected = mask(matcher)
    child, sibling, tokens = np.array([1, -1, 3, -1]), np.array([-1, 2, -1, -1]), np.array([-7, 99, 0, -1])
    assert matcher.traverse_draft_tree(child, sibling, tokens, bitmask)
    assert [int(word) for word in bitmask[:, 0]] == [expected, 0, expected, 0]


def test_the_root_token_is_not_read():
    bitmask = np.zeros((1, 1), np.int32)
    assert matcher_of('root ::= "a"').traverse_draft_tree(np.array([-1]), np.array([-1]), np.array([-7]), bitmask)
    assert bitmask[0, 0] == 1


def test_a_tree_without_nodes_is_filled():
    empty = np.zeros(0, np.int64)
    assert matcher_of('root ::= "a"').traverse_draft_tree(empty, empty, empty, np.zeros((0, 1), np.int32))


def test_small_trees_completely():
    """Every pair of index arrays of three nodes: refused, or as by accepting."""
    matcher = matcher_of('root ::= "a" "b"* "c"?')
    tokens = [0, 0, 1]
    n_trees = 0
    for code in range(4**6):
        digits = [code // 4**k % 4 - 1 for k in range(6)]
        child, sibling = digits[:3], digits[3:]
        bitmask = np.full((3, 1), KEEP, np.int32)
        try:
            assert matcher.traverse_draft_tree(np.array(child), np.array(sibling), np.array(tokens), bitmask)
        except ArgumentError:
            assert is_no_tree(child, sibling)
            assert (bitmask == KEEP).all()
            continue
        assert not is_no_tree(child, sibling)
        n_trees += 1
        ways = ways_to_nodes(child, sibling)
        for node in range(3):
            fork = matcher.fork()
            expected = KEEP
            if node in ways:
                expected = mask(fork) if all(fork.accept_token(tokens[k]) for k in ways[node]) else 0
            assert bitmask[node, 0] == expected, (child, sibling, node)
    assert n_trees > 50


def ways_to_nodes(child: list[int], sibling: list[int]) -> dict[int, list[int]]:
    """The nodes from below the root to each node that is reached."""
    ways: dict[int, list[int]] = {0: []}
    parents = [0]
    while parents:
        parent = parents.pop()
        node = child[parent]
        while node != -1:
            ways[node] = [*ways[parent], node]
            parents.append(node)
            node = sibling[node]
    return ways


def is_no_tree(child: list[int], sibling: list[int]) -> bool:
    """Whether the root has a sibling, or some node can be reached in two ways."""
    seen = {0}
    stack = [child[0], sibling[0]]
    if sibling[0] != -1:
        return True
    while stack:
        node = stack.pop()
        if node == -1:
            continue
        if node in seen:
            return True
        seen.add(node)
        stack += [child[node], sibling[node]]
    return False


def test_trees_of_a_matcher_that_moves_house():
    """The table outgrows its budget between two trees: columns have other numbers, rows are the same."""
    rng = random.Random(3)
    small = xgr.EngineOptions(max_configuration_bytes=4096)
    compiler = xgr.GrammarCompiler(xgr.TokenizerInfo(TOKENS, stop_token_ids=[STOP]), options=small)
    matcher = xgr.GrammarMatcher(compiler.compile_grammar(GRAMMARS[1] or ""))
    roomy = matcher_of(GRAMMARS[1])
    for _ in range(200):
        token = rng.choice([token for token in roomy.allowed_tokens() if token != STOP] or [STOP])
        if token == STOP:
            break
        assert matcher.accept_token(token)
        assert roomy.accept_token(token)
        rows = [np.zeros((4, 1), np.int32) for _ in range(2)]
        tree = (*arrays([0, 0, 1]), np.array([0, 4, 5, 4]))
        assert matcher.traverse_draft_tree(*tree, rows[0])
        assert roomy.traverse_draft_tree(*tree, rows[1])
        assert (rows[0] == rows[1]).all()
