"""Text as tokens: greedy longest match that finds a way whenever there is one."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xg2lab.errors import SessionError, VocabularyError
from xg2lab.lab.trace.spelling import Spelling

VOCABS = st.lists(st.text("ab", max_size=4).map(str.encode), min_size=1, max_size=6)


def spelling_of(vocab, silent=()):
    return Spelling(SimpleNamespace(decoded_vocab=vocab, stop_token_ids=list(silent), special_token_ids=[]))


def can_spell(vocab, data):
    return not data or any(t and data.startswith(t) and can_spell(vocab, data[len(t) :]) for t in vocab)


@given(VOCABS, st.text("ab", max_size=9).map(str.encode))
def test_it_spells_exactly_what_can_be_spelled(vocab, data):
    spelling = spelling_of(vocab)
    if can_spell(vocab, data):
        assert b"".join(vocab[i] for i in spelling.spell(data)) == data
    else:
        with pytest.raises(SessionError, match="no tokens"):
            spelling.spell(data)


def test_the_longest_token_comes_first():
    assert spelling_of([b"a", b"aa", b"aaa"]).spell(b"aaaaa") == [2, 1]


def test_a_hopeless_text_is_refused_without_trying_every_cut():
    with pytest.raises(SessionError, match="at byte 5000"):
        spelling_of([b"a", b"aa", b"aaa"]).spell(b"a" * 5000 + b"b")


def test_stop_tokens_say_nothing_and_are_not_spelled():
    spelling = spelling_of([b"a", b"<end>"], silent=[1])
    assert spelling.data(1) == b""
    assert spelling.text(1) == "<end>"
    with pytest.raises(SessionError):
        spelling.spell(b"<end>")


def test_half_a_character_is_readable():
    assert spelling_of([b"\xc3"]).text(0) == "\\xc3"


@pytest.mark.parametrize("token_id", [-1, 2, 10**9])
def test_an_id_the_vocabulary_lacks_is_named(token_id):
    with pytest.raises(VocabularyError, match=f"no token {token_id}"):
        spelling_of([b"a", b"b"]).check(token_id)
