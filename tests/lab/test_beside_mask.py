"""A mask held against the one before it, or another session's at the same byte."""

from __future__ import annotations

import numpy as np
import pytest

from xg2lab import TokenizerInfo
from xg2lab.errors import SessionError
from xg2lab.lab import Session
from xg2lab.lab.trace.beside_mask import held_against

INFO = TokenizerInfo([b"a", b"b", b"ab", b"c", b"</s>"], stop_token_ids=[4])


def session(grammar: str, tokens: list[int], name: str = "one") -> Session:
    made = Session(grammar, INFO, name=name)
    for token in tokens:
        made.force(token)
    return made


def test_against_the_step_before() -> None:
    one = session('root ::= "a" [bc] "a"', [0])
    found = held_against(one, 1)
    assert (found.only_a.tolist(), found.only_b.tolist()) == ([1, 3], [0, 2])
    assert found.counts == {"only_a": 2, "only_b": 2, "both": 0, "neither": 1}
    assert str(found) == "A: step 1. B: step 0: 2 only in A, 2 only in B, 0 in both"
    with pytest.raises(SessionError, match="no step before the first"):
        held_against(one, 0)


def test_against_another_session_at_the_same_byte() -> None:
    one, other = session('root ::= "ab" "c"*', [2, 3]), session('root ::= "ab" [abc]', [0, 1], "other")
    found = held_against(one, 1, other)  # one has come to byte 2 by one token, the other by two
    assert (found.step_b, found.says) == (2, "other, its step 2, the same byte 2")
    assert (found.only_a.tolist(), found.only_b.tolist()) == ([4], [0, 1])
    for row, of, step in ((found.mask_a, one, 1), (found.mask_b, other, 2)):
        assert np.array_equal(row, of.bitmask(step))
    back = held_against(other, 1, one)
    assert back.says == "one, its step 0, byte 0: no step of it begins at byte 1"
    assert held_against(one, 2, other).says == "other, its step 2, byte 2: no step of it begins at byte 3"


def test_another_text_and_another_vocabulary_are_said() -> None:
    one, other = session("root ::= [abc]*", [0]), session("root ::= [abc]*", [3], "other")
    assert held_against(one, 1, other).says == "other, its step 1, the same byte 1; the text before it is another"
    alien = Session("root ::= [abc]*", TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1]))
    with pytest.raises(SessionError, match="no tokens in common"):
        held_against(one, 1, alien)
