"""The properties of real vocabularies: order, tries, spelling, specials, on 32,000 to 262,144 tokens."""

from __future__ import annotations

import random

import pytest

from tests.vocabularies import CWV_NAMES, SAMPLE_TEXTS, cwv_info, mistral_tokenizer, read_cwv
from xg2lab import _core
from xg2lab.tokenizer_info import TokenizerInfo


@pytest.mark.parametrize("name", CWV_NAMES)
def test_order_and_trie(name):
    facts, info = read_cwv(name), cwv_info(name)
    vocabulary = info.vocabulary
    vocabulary.check_invariants()
    assert info.decoded_vocab == facts.tokens
    never_text = set(facts.special) | set(facts.eos)
    text = [i for i, token in enumerate(facts.tokens) if i not in never_text and token]
    assert vocabulary.tokens_by_rank() == sorted(text, key=lambda i: (facts.tokens[i], i))

    trie = _core.TokenTrie(vocabulary)
    trie.check_invariants(vocabulary)
    assert trie.n_nodes == 1 + len({facts.tokens[i][:n] for i in text for n in range(1, len(facts.tokens[i]) + 1)})
    for i in random.Random(7).sample(text, 200):
        byte, depth, _, _ = trie.node(trie.find(facts.tokens[i]))
        assert (byte, depth) == (facts.tokens[i][-1], len(facts.tokens[i]))


@pytest.mark.parametrize("name", CWV_NAMES)
def test_every_text_can_be_spelled(name):
    """Real vocabularies hold every byte that UTF-8 uses, so that longest match never gets stuck."""
    info = cwv_info(name)
    for text in SAMPLE_TEXTS.values():
        ids = info.encode_greedy(text)
        assert b"".join(info.decoded_vocab[i] for i in ids) == text.encode()
        assert {info.vocabulary.kind(i) for i in ids} == {"text"}


@pytest.mark.parametrize("name", CWV_NAMES)
def test_special_tokens_never_match_as_text(name):
    facts, info = read_cwv(name), cwv_info(name)
    never_text = set(facts.special) | set(facts.eos)
    kinds = info.vocabulary.all_kinds()
    assert all(kinds[i] != 0 for i in never_text)
    assert not any(i in never_text for i in info.vocabulary.tokens_by_rank())
    for i in sorted(never_text)[:50]:
        assert i not in info.find(facts.tokens[i])


@pytest.mark.parametrize("name", CWV_NAMES)
def test_duplicates_share_their_ranks(name):
    facts, info = read_cwv(name), cwv_info(name)
    ids_of = {}
    for i in info.vocabulary.tokens_by_rank():
        ids_of.setdefault(facts.tokens[i], []).append(i)
    for data, ids in ids_of.items():
        if len(ids) > 1 or ids[0] % 997 == 0:
            assert info.find(data) == sorted(ids)


def test_two_ways_to_the_same_vocabulary():
    """tekken read by its own library, and from the file: the same bytes for every id."""
    by_library = TokenizerInfo.from_mistral(mistral_tokenizer("tekken_240911.json"))
    by_file = cwv_info("tekken-131072")
    text_of = by_library.vocabulary.tokens_by_rank()
    assert text_of == by_file.vocabulary.tokens_by_rank()
    assert all(by_library.vocabulary.bytes(i) == by_file.vocabulary.bytes(i) for i in text_of)
