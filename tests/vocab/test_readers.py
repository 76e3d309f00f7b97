"""Tokenizers of other libraries, read: their own encoding of a text, as bytes, is the text again."""

from __future__ import annotations

import pytest

from tests.vocabularies import SAMPLE_TEXTS, llama3_encoding, mistral_tokenizer, package_file
from xg2lab.errors import UnsupportedError, VocabularyError
from xg2lab.tokenizer_info import TokenizerInfo, VocabType


def spelled(info, ids):
    return b"".join(info.vocabulary.bytes(token_id) for token_id in ids)


def kinds(info, ids):
    return {info.vocabulary.kind(token_id) for token_id in ids}


# ---- transformers: fast tokenizers, made here ----


def fast_tokenizer(backend, **names):
    transformers = pytest.importorskip("transformers")
    return transformers.PreTrainedTokenizerFast(tokenizer_object=backend, **names)


@pytest.fixture(scope="module")
def byte_level():
    """A byte-level BPE trained on the samples, with an added token of each sort."""
    tokenizers = pytest.importorskip("tokenizers")
    backend = tokenizers.Tokenizer(tokenizers.models.BPE())
    backend.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=600,
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
        show_progress=False,
    )
    backend.train_from_iterator(SAMPLE_TEXTS.values(), trainer)
    backend.add_tokens(["<tool_call>", "two words"])
    return fast_tokenizer(backend, eos_token="<|im_end|>", pad_token="<|endoftext|>")


@pytest.mark.parametrize("name", SAMPLE_TEXTS)
def test_byte_level_round_trip(byte_level, name):
    info = TokenizerInfo.from_huggingface(byte_level)
    ids = byte_level.encode(SAMPLE_TEXTS[name])
    assert spelled(info, ids) == SAMPLE_TEXTS[name].encode()
    assert kinds(info, ids) == {"text"}


def test_byte_level_facts(byte_level):
    info = TokenizerInfo.from_huggingface(byte_level, vocab_size=1000)
    n_tokens = len(byte_level)
    assert info.vocab_type is VocabType.BYTE_LEVEL
    assert not info.add_prefix_space
    assert info.vocab_size == 1000
    assert info.stop_token_ids == [0, 2]  # <|endoftext|> and <|im_end|>
    assert info.special_token_ids == [1, *range(n_tokens, 1000)]
    assert info.vocabulary.kind(n_tokens) == "padding"
    assert info.find("<tool_call>") == [byte_level.convert_tokens_to_ids("<tool_call>")]
    assert info.find("two words") == [byte_level.convert_tokens_to_ids("two words")]
    assert info.find("<|im_start|>") == []
    assert TokenizerInfo.from_huggingface(byte_level, stop_token_ids=5).stop_token_ids == [5]


def test_logits_narrower_than_the_tokenizer(byte_level):
    n_tokens = len(byte_level)
    info = TokenizerInfo.from_huggingface(byte_level, vocab_size=n_tokens - 1)  # drops "two words", an added token
    assert info.vocab_size == n_tokens - 1
    assert info.find("two words") == []
    with pytest.raises(VocabularyError) as error:
        TokenizerInfo.from_huggingface(byte_level, vocab_size=n_tokens - 3)
    token = byte_level.convert_ids_to_tokens(n_tokens - 3)
    assert str(error.value) == (
        f"vocab_size is {n_tokens - 3}, but the tokenizer has {n_tokens} tokens, "
        f"and token {n_tokens - 3} ({token!r}) belongs to its base vocabulary\n"
        f"  hint: pass the width of the model's logits (model.config.vocab_size), at least {n_tokens - 2}"
    )


def sentencepiece_like(decoder, normalizer=None, pre_tokenizer=None, **model):
    """A byte-fallback BPE as transformers makes of sentencepiece models, out of a dozen tokens."""
    tokenizers = pytest.importorskip("tokenizers")
    pieces = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁", "a", "▁a", "b"]
    backend = tokenizers.Tokenizer(
        tokenizers.models.BPE(
            vocab={piece: i for i, piece in enumerate(pieces)}, merges=[("▁", "a")], byte_fallback=True, **model
        )
    )
    backend.decoder = decoder
    if normalizer is not None:
        backend.normalizer = normalizer
    if pre_tokenizer is not None:
        backend.pre_tokenizer = pre_tokenizer
    backend.add_special_tokens(["<unk>", "<s>", "</s>"])
    return fast_tokenizer(backend, eos_token="</s>", bos_token="<s>", unk_token="<unk>")


@pytest.mark.parametrize("prepends", [True, False])
@pytest.mark.parametrize("form", ["normalizer", "metaspace"])
def test_byte_fallback_round_trip_and_prefix_space(form, prepends):
    tokenizers = pytest.importorskip("tokenizers")
    decoders, normalizers, pre_tokenizers = tokenizers.decoders, tokenizers.normalizers, tokenizers.pre_tokenizers
    decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    if form == "normalizer":
        steps = [normalizers.Prepend("▁")] if prepends else []
        tokenizer = sentencepiece_like(decoder, normalizers.Sequence([*steps, normalizers.Replace(" ", "▁")]))
    else:
        scheme = "first" if prepends else "never"
        tokenizer = sentencepiece_like(
            decoder, pre_tokenizer=pre_tokenizers.Metaspace(prepend_scheme=scheme, split=False)
        )
    info = TokenizerInfo.from_huggingface(tokenizer)
    assert info.vocab_type is VocabType.BYTE_FALLBACK
    assert info.add_prefix_space is prepends
    assert info.stop_token_ids == [2]
    assert info.special_token_ids == [0, 1]
    for text in SAMPLE_TEXTS.values():
        ids = tokenizer.encode(text, add_special_tokens=False)
        # Metaspace, unlike the normalizer, adds none before a space.
        prefix = b" " if prepends and not (form == "metaspace" and text.startswith(" ")) else b""
        assert spelled(info, ids) == prefix + text.encode()


def test_decoders_that_look_at_neighbours_are_refused():
    tokenizers = pytest.importorskip("tokenizers")
    backend = tokenizers.Tokenizer(tokenizers.models.WordPiece({"[UNK]": 0, "a": 1, "##b": 2}, unk_token="[UNK]"))
    backend.decoder = tokenizers.decoders.WordPiece()
    with pytest.raises(UnsupportedError) as error:
        TokenizerInfo.from_huggingface(fast_tokenizer(backend))
    assert str(error.value) == (
        "the tokenizer's decoder is WordPiece: what a token writes depends on its neighbours\n"
        "  hint: use a byte-level, sentencepiece or tiktoken tokenizer"
    )


def test_holes_in_the_numbering_are_padding():
    tokenizers = pytest.importorskip("tokenizers")
    backend = tokenizers.Tokenizer(tokenizers.models.BPE(vocab={"a": 0, "b": 3}, merges=[]))
    backend.decoder = tokenizers.decoders.ByteLevel()
    info = TokenizerInfo.from_huggingface(fast_tokenizer(backend))
    assert [info.vocabulary.kind(i) for i in range(info.vocab_size)] == ["text", "padding", "padding", "text"]
    again = TokenizerInfo.deserialize_json(info.serialize_json())
    assert again.vocabulary.content_hash == info.vocabulary.content_hash


# ---- tiktoken ----


@pytest.fixture(scope="module")
def small_encoding():
    tiktoken = pytest.importorskip("tiktoken")
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256, b" a": 257}
    return tiktoken.Encoding(
        "small", pat_str=r".|\n", mergeable_ranks=ranks, special_tokens={"<|endoftext|>": 260, "<|x|>": 258}
    )


def test_tiktoken(small_encoding):
    info = TokenizerInfo.from_tiktoken(small_encoding)
    assert info.vocab_type is VocabType.RAW
    assert info.vocab_size == 261
    assert info.stop_token_ids == [260]
    assert info.special_token_ids == [258, 259]
    assert info.vocabulary.kind(259) == "padding"
    assert info.find("<|x|>") == []
    for text in SAMPLE_TEXTS.values():
        assert spelled(info, small_encoding.encode(text)) == text.encode()
    wider = TokenizerInfo.from_tiktoken(small_encoding, vocab_size=300, stop_token_ids=[258])
    assert (wider.vocab_size, wider.stop_token_ids) == (300, [258])
    with pytest.raises(VocabularyError, match="vocab_size is 260, but the list holds 261 tokens"):
        TokenizerInfo.from_tiktoken(small_encoding, vocab_size=260)


class AddedToken:
    def __init__(self, content, special):
        self.content, self.special = content, special


class TiktokenWrapper:
    """As models ship with their own code: a tokenizer of transformers in form, tiktoken inside."""

    eos_token_id = 260
    all_special_ids = (260,)

    def __init__(self, encoding):
        self.tokenizer = encoding
        self.added_tokens_decoder = {261: AddedToken("<tool>", special=False), 263: AddedToken("<y>", special=True)}

    def get_vocab(self):
        raise AssertionError("its texts are lossy; the encoding inside has the bytes")


def test_wrappers_of_tiktoken(small_encoding):
    info = TokenizerInfo.from_huggingface(TiktokenWrapper(small_encoding))
    assert info.vocab_size == 264
    assert info.stop_token_ids == [260]
    assert info.special_token_ids == [258, 259, 262, 263]
    assert info.vocabulary.kind(262) == "padding"
    assert info.find("<tool>") == [261]
    assert info.vocabulary.bytes(200) == b"\xc8"


class ByteLevelInPython:
    """A slow byte-level tokenizer: known by its table."""

    eos_token_id = 2
    byte_decoder = {"Ġ": 32}

    def get_vocab(self):
        return {"Ġa": 0, "b": 1, "<|endoftext|>": 2}


def test_slow_byte_level():
    info = TokenizerInfo.from_huggingface(ByteLevelInPython())
    assert info.vocab_type is VocabType.BYTE_LEVEL
    assert info.decoded_vocab[:2] == [b" a", b"b"]
    assert info.stop_token_ids == [2]


@pytest.mark.parametrize("name", SAMPLE_TEXTS)
def test_llama3_round_trip(name):
    encoding = llama3_encoding()
    info = llama3_info()
    ids = encoding.encode(SAMPLE_TEXTS[name])
    assert spelled(info, ids) == SAMPLE_TEXTS[name].encode()
    assert kinds(info, ids) == {"text"}


def llama3_info(cached=[]):  # noqa: B006  one for the module
    if not cached:
        cached.append(TokenizerInfo.from_tiktoken(llama3_encoding()))
    return cached[0]


def test_llama3_facts():
    info = llama3_info()
    assert info.vocab_size == 128256
    assert info.vocabulary.n_ranks == 128000
    assert info.stop_token_ids == [128001, 128002, 128003]
    info.vocabulary.check_invariants()


# ---- sentencepiece and mistral-common ----

SENTENCEPIECE_FILES = ["tokenizer.model.v1", "mistral_instruct_tokenizer_240323.model.v3"]
TEKKEN_FILES = ["tekken_240718.json", "tekken_240911.json"]


@pytest.mark.parametrize("file_name", SENTENCEPIECE_FILES)
def test_sentencepiece(file_name):
    sentencepiece = pytest.importorskip("sentencepiece")
    path = package_file("mistral_common", "data", file_name)
    model = sentencepiece.SentencePieceProcessor(model_file=str(path))
    info = TokenizerInfo.from_sentencepiece(model)
    by_path = TokenizerInfo.from_sentencepiece(path)
    assert by_path.vocabulary.content_hash == info.vocabulary.content_hash
    assert info.vocab_type is VocabType.BYTE_FALLBACK
    assert info.add_prefix_space
    assert info.stop_token_ids == [2]
    assert {0, 1} <= set(info.special_token_ids)
    assert info.find("<s>") == info.find("<unk>") == []
    for text in SAMPLE_TEXTS.values():
        ids = model.encode(text)
        assert spelled(info, ids) == b" " + text.encode()
        assert kinds(info, ids) == {"text"}


class SentencepieceWrapper:
    """A slow tokenizer of transformers that counts otherwise than its sentencepiece model: by one more."""

    eos_token_id = 3

    def __init__(self, model):
        self.sp_model = model
        self.added_tokens_decoder = {0: AddedToken("<pad>", special=True)}

    def get_vocab(self):
        return {"<pad>": 0} | {self.sp_model.id_to_piece(i): i + 1 for i in range(self.sp_model.get_piece_size())}


def test_wrappers_of_sentencepiece_that_renumber():
    sentencepiece = pytest.importorskip("sentencepiece")
    model = sentencepiece.SentencePieceProcessor(
        model_file=str(package_file("mistral_common", "data", SENTENCEPIECE_FILES[0]))
    )
    info = TokenizerInfo.from_huggingface(SentencepieceWrapper(model))
    assert info.vocab_size == model.get_piece_size() + 1
    assert info.stop_token_ids == [3]
    assert info.special_token_ids == [0, 1, 2]
    text = SAMPLE_TEXTS["german"]
    assert spelled(info, [token_id + 1 for token_id in model.encode(text)]) == b" " + text.encode()


@pytest.mark.parametrize("file_name", SENTENCEPIECE_FILES + TEKKEN_FILES)
def test_mistral_round_trip(file_name):
    tokenizer = mistral_tokenizer(file_name)
    inner = tokenizer.instruct_tokenizer.tokenizer
    info = TokenizerInfo.from_mistral(tokenizer)
    assert TokenizerInfo.from_mistral(inner).vocabulary.content_hash == info.vocabulary.content_hash
    assert info.vocab_size == inner.n_words
    assert info.stop_token_ids == [inner.eos_id]
    info.vocabulary.check_invariants()
    prefix = b" " if info.add_prefix_space else b""
    assert info.add_prefix_space == (file_name in SENTENCEPIECE_FILES)
    for text in SAMPLE_TEXTS.values():
        ids = inner.encode(text, bos=False, eos=False)
        assert spelled(info, ids) == prefix + text.encode()
        assert kinds(info, ids) == {"text"}
    control = [i for i in range(inner.n_words) if inner.is_special(i)]
    assert "text" not in kinds(info, control)
    assert info.find("[INST]") == []


def test_mistral_inside_transformers():
    """transformers' own wrapper of mistral-common holds the MistralTokenizer as `tokenizer`."""

    class Wrapper:
        def __init__(self, tokenizer):
            self.tokenizer = tokenizer

        def get_vocab(self):
            raise AssertionError("mistral-common has the bytes")

    tokenizer = mistral_tokenizer(TEKKEN_FILES[0])
    info = TokenizerInfo.from_huggingface(Wrapper(tokenizer))
    assert info.vocabulary.content_hash == TokenizerInfo.from_mistral(tokenizer).vocabulary.content_hash
