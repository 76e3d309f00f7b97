"""The engine's vocabulary against its definition: `sorted` and `bytes.startswith`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xg2lab import _core
from xg2lab.errors import VocabularyError

KIND_NAMES = ["text", "special", "stop", "padding", "empty"]

parts = st.sampled_from([b"", b"a", b"b", b"\x00", b"\xff", b"\x7f\x80", b"abcdefgh"])
short_bytes = st.lists(parts, max_size=4).map(b"".join)
token_lists = st.lists(short_bytes, min_size=1, max_size=24)


def text_ids(vocabulary):
    return [i for i in range(vocabulary.n_tokens) if vocabulary.kind(i) == "text"]


def common_prefix(a, b):
    n = 0
    while n < min(len(a), len(b)) and a[n] == b[n]:
        n += 1
    return n


def test_the_header_picture():
    vocabulary = _core.Vocabulary([b"b", b"</s>", b"ab", b"a", b"ab", b""], n_tokens=7, stop_token_ids=[1])
    assert [vocabulary.kind(i) for i in range(7)] == ["text", "stop", "text", "text", "text", "empty", "padding"]
    assert vocabulary.tokens_by_rank() == [3, 2, 4, 0]
    assert [vocabulary.common_prefix(r) for r in range(4)] == [0, 1, 2, 0]
    assert vocabulary.find(b"ab") == [2, 4]
    assert vocabulary.find(b"</s>") == []


@given(token_lists, st.data())
def test_ranks_are_the_sorted_text_tokens(tokens, data):
    ids = st.lists(st.integers(0, len(tokens) + 1), max_size=3)
    stop, special, padding = data.draw(ids), data.draw(ids), data.draw(ids)
    vocabulary = _core.Vocabulary(
        tokens,
        n_tokens=len(tokens) + 2,
        stop_token_ids=stop,
        special_token_ids=special,
        padding_token_ids=padding,
    )
    vocabulary.check_invariants()
    assert vocabulary.all_bytes() == [*tokens, b"", b""]
    kinds = [KIND_NAMES[kind] for kind in vocabulary.all_kinds()]
    for i, data_bytes in enumerate(vocabulary.all_bytes()):
        if i in stop:
            assert kinds[i] == "stop"
        elif i in special:
            assert kinds[i] == "special"
        elif i in padding or i >= len(tokens):
            assert kinds[i] == "padding"
        else:
            assert kinds[i] == ("text" if data_bytes else "empty")
    expected = sorted(text_ids(vocabulary), key=lambda i: (vocabulary.bytes(i), i))
    assert vocabulary.tokens_by_rank() == expected
    assert vocabulary.n_ranks == len(expected)
    for rank, i in enumerate(expected):
        assert vocabulary.rank_of(i) == rank
        assert vocabulary.token_at(rank) == i
        before = vocabulary.bytes(expected[rank - 1]) if rank else b""
        assert vocabulary.common_prefix(rank) == common_prefix(before, vocabulary.bytes(i))
    assert [vocabulary.rank_of(i) for i in range(vocabulary.n_tokens) if i not in expected] == [None] * (
        vocabulary.n_tokens - len(expected)
    )
    assert vocabulary.stop_token_ids == sorted(set(stop))
    assert vocabulary.special_token_ids == sorted(set(special))


@given(token_lists, short_bytes)
def test_find_and_longest_match_by_definition(tokens, text):
    vocabulary = _core.Vocabulary(tokens)
    assert vocabulary.find(text) == [i for i in text_ids(vocabulary) if tokens[i] == text]

    def longest(rest):
        matches = [i for i in text_ids(vocabulary) if rest.startswith(tokens[i])]
        return min(matches, key=lambda i: (-len(tokens[i]), i)) if matches else None

    expected, rest = [], text
    while rest and (best := longest(rest)) is not None:
        expected.append(best)
        rest = rest[len(tokens[best]) :]
    if not rest:
        assert vocabulary.encode_greedy(text) == expected
    else:
        with pytest.raises(VocabularyError) as error:
            vocabulary.encode_greedy(text)
        assert str(error.value) == (
            f"no text token begins with byte 0x{rest[0]:02X}, at offset {len(text) - len(rest)}\n"
            "  hint: the vocabulary lacks this byte; encode with the model's own tokenizer"
        )


def test_hash_tells_contents_apart():
    def content_hash(tokens, **options):
        return _core.Vocabulary(tokens, **options).content_hash

    contents = [
        content_hash([b"ab", b"c"]),
        content_hash([b"a", b"bc"]),
        content_hash([b"c", b"ab"]),
        content_hash([b"ab", b"c"], n_tokens=3),
        content_hash([b"ab", b"c", b""]),
        content_hash([b"ab", b"c"], stop_token_ids=[1]),
        content_hash([b"ab", b"c"], special_token_ids=[1]),
        content_hash([b"ab", b"c", b"\x00"]),
    ]
    assert len(set(contents)) == len(contents)
    assert contents[0] == content_hash(["ab", b"c"])
    # Written down, so that a serialized object of one machine is read on another.
    assert content_hash([b"b", b"</s>", b"ab", b"a", b"ab", b""], n_tokens=7, stop_token_ids=[1]) == (
        "b809037e0388d5c3c3c255a1160a1fa7"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"tokens": [], "stop_token_ids": [0]},
            "stop token id 0 is not in the vocabulary, which has no tokens\n"
            "  hint: pass vocab_size if the model's logits are wider than the list of tokens",
        ),
        (
            {"tokens": [b"a", b"b"], "n_tokens": 1},
            "vocab_size is 1, but the list holds 2 tokens\n"
            "  hint: pass the width of the model's logits, which is at least 2, or leave vocab_size out",
        ),
        (
            {"tokens": [b"a"], "n_tokens": -3},
            "vocab_size is -3\n  hint: pass the width of the model's logits, or leave vocab_size out",
        ),
        (
            {"tokens": [b"a"], "n_tokens": 1 << 31},
            "vocab_size is 2147483648, which no token id can number\n"
            "  hint: token ids are 32-bit; pass the width of the model's logits",
        ),
        (
            {"tokens": [b"a"], "stop_token_ids": [1]},
            "stop token id 1 is not in the vocabulary, whose ids are 0 to 0\n"
            "  hint: pass vocab_size if the model's logits are wider than the list of tokens",
        ),
        (
            {"tokens": [b"a"], "special_token_ids": [7]},
            "special token id 7 is not in the vocabulary, whose ids are 0 to 0\n"
            "  hint: pass vocab_size if the model's logits are wider than the list of tokens",
        ),
        (
            {"tokens": [b"a"], "padding_token_ids": [-1]},
            "padding token id -1 is not a token id\n  hint: token ids count from 0",
        ),
        (
            {"tokens": [b"a", b"x" * 65536]},
            "token 1 has 65536 bytes; a token has at most 65535\n  hint: check that the list holds one token an entry",
        ),
        (
            {"tokens": [b"a", 7]},
            "token 1 has type int; wanted str or bytes\n  hint: pass the tokens' texts in the order of their ids",
        ),
        (
            {"tokens": ["\ud800"]},
            "token 0 holds a lone surrogate, which UTF-8 cannot write\n  hint: pass this token as bytes",
        ),
        (
            {"tokens": ["a"], "vocab_type": 3},
            "vocab_type 3 is not known\n  hint: use VocabType.RAW, VocabType.BYTE_FALLBACK or VocabType.BYTE_LEVEL",
        ),
    ],
)
def test_errors_say_what_and_how(arguments, message):
    with pytest.raises(VocabularyError) as error:
        _core.Vocabulary(**arguments)
    assert str(error.value) == message
    assert error.value.hint == message.partition("hint: ")[2]


@pytest.mark.parametrize("token_id", [-1, 2, 1 << 40])
def test_ids_out_of_range_are_refused(token_id):
    vocabulary = _core.Vocabulary([b"a", b"b"])
    for read in (vocabulary.bytes, vocabulary.kind, vocabulary.rank_of):
        with pytest.raises(VocabularyError) as error:
            read(token_id)
        assert str(error.value) == f"token id {token_id} is not in the vocabulary\n  hint: its ids are 0 to 1"
    for read in (vocabulary.token_at, vocabulary.common_prefix):
        with pytest.raises(VocabularyError, match=f"rank {token_id} is not in the vocabulary"):
            read(token_id)


def test_the_longest_token_fits():
    vocabulary = _core.Vocabulary([b"x" * 65535, b"x" * 65534])
    assert vocabulary.max_token_bytes == 65535
    vocabulary.check_invariants()
    _core.TokenTrie(vocabulary).check_invariants(vocabulary)


def test_a_vocabulary_without_text():
    vocabulary = _core.Vocabulary([b"", b"</s>"], stop_token_ids=[1])
    assert vocabulary.n_ranks == 0
    vocabulary.check_invariants()
    trie = _core.TokenTrie(vocabulary)
    trie.check_invariants(vocabulary)
    assert trie.n_nodes == 1
