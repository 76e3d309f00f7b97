"""TokenizerInfo itself: what it derives, what it refuses, and how it is written down and read back."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import xg2lab as xgr
from xg2lab.errors import (
    DeserializeFormatError,
    DeserializeVersionError,
    InvalidJSONError,
    UnsupportedError,
    VocabularyError,
)
from xg2lab.tokenizer_info import TokenizerInfo, VocabType


def test_the_types_are_those_of_the_field():
    assert [(kind.name, kind.value) for kind in VocabType] == [("RAW", 0), ("BYTE_FALLBACK", 1), ("BYTE_LEVEL", 2)]


def test_properties():
    info = TokenizerInfo(
        ["▁a", "<0x0A>", "</s>"], VocabType.BYTE_FALLBACK, vocab_size=5, stop_token_ids=2, add_prefix_space=True
    )
    assert info.decoded_vocab == [b" a", b"\n", b"</s>", b"", b""]
    assert info.vocab_type is VocabType.BYTE_FALLBACK
    assert info.vocab_size == 5
    assert info.stop_token_ids == [2]
    assert info.special_token_ids == [3, 4]
    assert info.add_prefix_space
    assert info.prepend_space_in_tokenization
    assert repr(info) == "TokenizerInfo(vocab_size=5, vocab_type=BYTE_FALLBACK, stop_token_ids=[2], n_text_tokens=2)"


def test_stop_tokens_by_name_and_by_choice():
    tokens = ["a", "</s>", "<|eot_id|>", "<s>"]
    assert TokenizerInfo(tokens).stop_token_ids == [1, 2]
    assert TokenizerInfo(tokens, special_token_ids=[1, 3]).stop_token_ids == [1]
    assert TokenizerInfo(tokens, special_token_ids=[]).stop_token_ids == []
    assert TokenizerInfo(tokens, stop_token_ids=[]).stop_token_ids == []
    assert TokenizerInfo(tokens, stop_token_ids=np.array([3, 0])).stop_token_ids == [0, 3]
    assert TokenizerInfo(tokens, stop_token_ids=np.int64(3)).stop_token_ids == [3]
    assert TokenizerInfo(["<|end|>", "<|return|>"]).stop_token_ids == [0, 1]
    assert TokenizerInfo(["<|end|>", "<|return|>", "<|channel|>"]).stop_token_ids == [1]


def test_special_and_stop_tokens_are_not_text():
    info = TokenizerInfo(["a", "</s>", "<s>", "a"], special_token_ids=[2], stop_token_ids=[1])
    assert info.find("</s>") == info.find("<s>") == []
    assert info.find("a") == info.find(b"a") == [0, 3]
    with pytest.raises(VocabularyError, match="no text token begins with byte 0x3C, at offset 1"):
        info.encode_greedy("a<s>")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"encoded_vocab": ["a", "b", "c"], "vocab_size": 2},
            "vocab_size is 2, but the list holds 3 tokens\n"
            "  hint: pass the width of the model's logits, which is at least 3, or leave vocab_size out",
        ),
        (
            {"encoded_vocab": ["a"], "stop_token_ids": 1},
            "stop token id 1 is not in the vocabulary, whose ids are 0 to 0\n"
            "  hint: pass vocab_size if the model's logits are wider than the list of tokens",
        ),
        (
            {"encoded_vocab": [None]},
            "token 0 has type NoneType; wanted str or bytes\n  hint: pass the tokens' texts in the order of their ids",
        ),
    ],
)
def test_errors(arguments, message):
    with pytest.raises(VocabularyError) as error:
        TokenizerInfo(**arguments)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b" the", "·the"),
        (b"\r\n\t", "␍↵⇥"),
        (b"\x00\x1b\x7f", "<0x00><0x1B><0x7F>"),
        (b"\xff\xe2\x82", "<0xFF><0xE2><0x82>"),
        ("€".encode(), "€"),
        (b"", "<empty>"),
    ],
)
def test_token_text(data, text):
    assert TokenizerInfo([data]).token_text(0) == text


infos = st.builds(
    lambda tokens, extra, stop, special, prefix: TokenizerInfo(
        tokens,
        vocab_size=len(tokens) + extra,
        stop_token_ids=[i for i in stop if i < len(tokens)],
        special_token_ids=[i for i in special if i < len(tokens)],
        add_prefix_space=prefix,
    ),
    st.lists(st.binary(max_size=4), min_size=1, max_size=8),
    st.integers(0, 3),
    st.lists(st.integers(0, 7), max_size=3),
    st.lists(st.integers(0, 7), max_size=3),
    st.booleans(),
)


@given(infos)
def test_serialized_and_back(info):
    again = TokenizerInfo.deserialize_json(info.serialize_json())
    assert again.vocabulary.content_hash == info.vocabulary.content_hash
    assert again.decoded_vocab == info.decoded_vocab
    assert again.dump_metadata() == info.dump_metadata()
    assert again.serialize_json() == info.serialize_json()


def test_serialization_keeps_the_vocab_type_and_reads_the_tokens_once():
    info = TokenizerInfo(["Ġ", "Ġa"], VocabType.BYTE_LEVEL)
    again = TokenizerInfo.deserialize_json(info.serialize_json())
    assert again.vocab_type is VocabType.BYTE_LEVEL
    assert again.decoded_vocab == [b" ", b" a"]


def test_vocab_and_metadata():
    tokens = ["Ġa", "b", "</s>", "<x>"]
    info = TokenizerInfo(tokens, VocabType.BYTE_LEVEL, vocab_size=6, special_token_ids=[2, 3], add_prefix_space=True)
    for metadata in (info.dump_metadata(), json.loads(info.dump_metadata())):
        again = TokenizerInfo.from_vocab_and_metadata(tokens, metadata)
        assert again.vocabulary.content_hash == info.vocabulary.content_hash
        assert again.dump_metadata() == info.dump_metadata()
    # What others wrote has no special tokens in it.
    older = '{"vocab_type":0,"vocab_size":2,"add_prefix_space":false,"stop_token_ids":[1]}'
    assert TokenizerInfo.from_vocab_and_metadata(["a", "b"], older).stop_token_ids == [1]


def changed(**changes):
    record = json.loads(TokenizerInfo(["a", "</s>"]).serialize_json())
    record.update(changes)
    return json.dumps(record)


@pytest.mark.parametrize(
    ("text", "error_type", "message"),
    [
        (
            "{",
            InvalidJSONError,
            "the text is not JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)\n"
            "  hint: pass the text as it was written",
        ),
        (
            "[]",
            DeserializeFormatError,
            "the text is a JSON list; wanted an object\n  hint: pass the text as it was written",
        ),
        (
            "{}",
            DeserializeFormatError,
            "the text's format is None; wanted 'xg2lab.TokenizerInfo'\n"
            "  hint: pass what TokenizerInfo.serialize_json wrote",
        ),
        (
            changed(__VERSION__=1),
            DeserializeVersionError,
            "the text has version 1; this xg2lab reads version 2\n"
            "  hint: serialize the tokenizer info again with this version of xg2lab",
        ),
        (
            changed(decoded_vocab=["a", "<s>"]),
            DeserializeFormatError,
            "the tokens don't have the hash that was written with them\n"
            "  hint: the text was changed or cut; serialize the tokenizer info again",
        ),
        (
            changed(decoded_vocab=["a", "\u0100"]),
            DeserializeFormatError,
            "decoded_vocab is not a list of strings of characters up to U+00FF\n"
            "  hint: pass what TokenizerInfo.serialize_json wrote, unchanged",
        ),
        (
            changed(vocab_type=9),
            DeserializeFormatError,
            "the metadata can't be read: ValueError: 9 is not a valid VocabType\n"
            "  hint: it needs vocab_type, vocab_size and stop_token_ids, as dump_metadata writes them",
        ),
        *(
            (
                changed(**{name: value}),
                DeserializeFormatError,
                "the metadata can't be read: OverflowError: a number of more than 31 bits\n"
                "  hint: it needs vocab_type, vocab_size and stop_token_ids, as dump_metadata writes them",
            )
            for name, value in [
                ("vocab_size", 7 * 10**40),
                ("stop_token_ids", [1 << 31]),
                ("special_token_ids", [-(1 << 31) - 1]),
            ]
        ),
    ],
)
def test_what_cannot_be_deserialized(text, error_type, message):
    with pytest.raises(error_type) as error:
        TokenizerInfo.deserialize_json(text)
    assert str(error.value) == message


def test_what_is_no_tokenizer():
    with pytest.raises(UnsupportedError) as error:
        TokenizerInfo.from_huggingface(object())
    assert str(error.value) == (
        "object is not a tokenizer of transformers\n"
        "  hint: for others see from_tiktoken, from_sentencepiece and from_mistral"
    )
    with pytest.raises(UnsupportedError, match="object is not a tokenizer of mistral-common that can be read"):
        TokenizerInfo.from_mistral(object())


def test_no_library_is_imported():
    code = (
        "import sys, xg2lab.tokenizer_info, xg2lab.bitmask, xg2lab.testing\n"
        "heavy = {'torch', 'transformers', 'tokenizers', 'tiktoken', 'sentencepiece', 'mistral_common', 'triton'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("parser", ["earley", "pda"])
def test_an_empty_vocabulary_reads_bytes(parser: Any):
    """A grammar is held against text where there is no model: no token can be accepted, and masks have no bits."""
    info = xgr.TokenizerInfo([])
    assert (info.vocab_size, info.stop_token_ids, info.special_token_ids, info.decoded_vocab) == (0, [], [], [])
    assert info.encode_greedy("") == []
    assert xgr.TokenizerInfo.deserialize_json(info.serialize_json()).vocab_size == 0
    assert xgr.TokenizerInfo.from_vocab_and_metadata([], info.dump_metadata()).vocab_size == 0
    compiler = xgr.GrammarCompiler(info, options=xgr.EngineOptions(parser=parser))
    compiled = compiler.compile_grammar('root ::= "a" "b"* [0-9]{2,100}')
    again = xgr.CompiledGrammar.deserialize_json(compiled.serialize_json(include_masks=True), info)
    for grammar in (compiled, again):
        matcher = xgr.GrammarMatcher(grammar, terminate_without_stop_token=True)
        assert matcher.accept_string("abb1")
        assert not matcher.is_terminated()
        assert not matcher.accept_string("x")
        bitmask = xgr.allocate_token_bitmask(2, info.vocab_size, library="numpy")
        assert bitmask.shape == (2, 0)
        assert not matcher.fill_next_token_bitmask(bitmask, 1)
        xgr.BatchGrammarMatcher().batch_fill_next_token_bitmask([matcher], bitmask)
        xgr.apply_token_bitmask_inplace(np.zeros((2, 0), np.float32), bitmask)
        assert matcher.allowed_tokens() == []
        assert not matcher.accept_token(0)
        assert matcher.accept_string("2")
        assert matcher.is_terminated()
    with pytest.raises(VocabularyError, match="of 0 tokens") as error:
        xgr.GrammarMatcher(compiled, override_stop_tokens=[0])
    assert "terminate_without_stop_token" in error.value.hint
    with pytest.raises(VocabularyError, match="of 0 tokens") as error:
        xgr.GrammarMatcher(compiled).explain(0)
    assert error.value.hint == "give the text itself"
    padding = xgr.TokenizerInfo([], vocab_size=3)
    assert xgr.GrammarMatcher(xgr.GrammarCompiler(padding).compile_grammar('root ::= "a"')).allowed_tokens() == []
