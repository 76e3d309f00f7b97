"""The engine's view of a tokenizer: each token's bytes, the tokens that end a text, and those that never match.

>>> info = TokenizerInfo(["a", "b", "ab", "</s>"])
>>> info.stop_token_ids, info.vocab_size
([3], 4)
>>> info.encode_greedy("abba")
[2, 1, 0]

Shapes and units: a token id counts from 0; `vocab_size` is the width of the model's logits and may exceed
the number of tokens, the ids beyond being padding that is never allowed; token texts are bytes.

See also: `xg2lab/tokenizer_readers.py` (the tokenizer libraries), `core/vocab/vocabulary.h`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import Any, cast

from xg2lab import _core, tokenizer_readers
from xg2lab.errors import DeserializeFormatError, DeserializeVersionError, InvalidJSONError, UnsupportedError
from xg2lab.grammar import VERSION
from xg2lab.support.arguments import text_bytes, whole_number
from xg2lab.tokenizer_readers import TokenizerFacts, add_well_known_stops

__all__ = ["TokenizerInfo", "VocabType"]

_FORMAT = "xg2lab.TokenizerInfo"


class VocabType(IntEnum):
    """How a tokenizer writes its tokens.

    >>> VocabType.BYTE_LEVEL == 2
    True
    """

    RAW = 0  #: the text is the bytes
    BYTE_FALLBACK = 1  #: U+2581 is a space, "<0xHH>" a byte (sentencepiece)
    BYTE_LEVEL = 2  #: each character is a byte, by GPT-2's table


class TokenizerInfo:
    """The vocabulary of a model, as the engine sees it; immutable, and safe to share between threads.

    Parameters
    ----------
    encoded_vocab : list of str or bytes
        The tokens' texts in the order of their ids, as the tokenizer writes them.
    vocab_type : VocabType
        How they are written.
    vocab_size : int, optional
        Width of the model's logits, at least `len(encoded_vocab)`, its default. Ids beyond the list are padding.
    stop_token_ids : int or list of int, optional
        Tokens that end a text. Without it, the tokens with a well-known name ("</s>", "<|eot_id|>", ...; the list
        is `xg2lab.tokenizer_readers.WELL_KNOWN_STOPS`) among `special_token_ids`, or among all if that is None.
    add_prefix_space : bool
        Whether the tokenizer puts a space before a text. For the caller's information; masks don't depend on it.
    special_token_ids : list of int, optional
        Control tokens. They never match as text, whatever their bytes.

    Raises
    ------
    VocabularyError
        `vocab_size` is smaller than the list, an id is out of range, or an entry is neither str nor bytes. A list may
        be empty: a matcher can read bytes (`accept_string`) without tokens.

    Examples
    --------
    >>> info = TokenizerInfo(["Ġthe", "cat", "<|im_end|>"], VocabType.BYTE_LEVEL, vocab_size=4, special_token_ids=[2])
    >>> info.decoded_vocab
    [b' the', b'cat', b'<|im_end|>', b'']
    >>> info.stop_token_ids, info.special_token_ids
    ([2], [3])
    """

    def __init__(
        self,
        encoded_vocab: Sequence[str | bytes],
        vocab_type: VocabType | int = VocabType.RAW,
        *,
        vocab_size: int | None = None,
        stop_token_ids: int | Iterable[int] | None = None,
        add_prefix_space: bool = False,
        special_token_ids: Iterable[int] | None = None,
    ) -> None:
        facts = TokenizerFacts(list(encoded_vocab), int(vocab_type), vocab_size, add_prefix_space=add_prefix_space)
        facts.special_token_ids = _as_list(special_token_ids or [], "special_token_ids")
        if stop_token_ids is not None:
            facts.stop_token_ids = _as_list(stop_token_ids, "stop_token_ids")
        else:
            add_well_known_stops(facts, range(len(facts.tokens)) if special_token_ids is None else None)
        self._build(facts)

    def _build(self, facts: TokenizerFacts) -> None:
        self._vocabulary = _core.Vocabulary(
            facts.tokens,
            n_tokens=facts.vocab_size,
            stop_token_ids=facts.stop_token_ids,
            special_token_ids=facts.special_token_ids,
            padding_token_ids=facts.padding_token_ids,
            vocab_type=facts.vocab_type,
        )
        self._vocab_type = VocabType(facts.vocab_type)
        self._add_prefix_space = bool(facts.add_prefix_space)
        self._holes = list(facts.padding_token_ids)
        self._n_listed = len(facts.tokens)
        self._decoded_vocab: list[bytes] | None = None

    @classmethod
    def _from_facts(
        cls, facts: TokenizerFacts, vocab_size: int | None, stop: int | Iterable[int] | None
    ) -> TokenizerInfo:
        if vocab_size is not None:
            facts.vocab_size = vocab_size
        if stop is not None:
            facts.stop_token_ids = _as_list(stop, "stop_token_ids")
        info = cls.__new__(cls)
        info._build(facts)
        return info

    # ---- Out of tokenizer libraries ----

    @classmethod
    def from_huggingface(
        cls, tokenizer: Any, *, vocab_size: int | None = None, stop_token_ids: int | Iterable[int] | None = None
    ) -> TokenizerInfo:
        """Read a tokenizer of transformers, fast or slow.

        Parameters
        ----------
        tokenizer : PreTrainedTokenizerBase
            Tokens flagged special (and those it names as bos, pad, ...) never match as text; other added tokens do.
        vocab_size : int, optional
            Width of the model's logits (`model.config.vocab_size`). If it is larger than the tokenizer, the rest is
            padding. If it is smaller, added tokens beyond it are left out, since the model can't write them.
        stop_token_ids : int or list of int, optional
            If left out: the tokenizer's `eos_token_id` and the special tokens with a well-known name.

        Returns
        -------
        TokenizerInfo
            The vocabulary.

        Raises
        ------
        VocabularyError
            `vocab_size` would leave out a token of the base vocabulary.
        UnsupportedError
            The bytes of a token depend on its neighbours (WordPiece), or the tokens can't be read.

        No example: it needs transformers, which the engine does without; `ModelRunner.tokenizer_info` has one.
        """
        if hasattr(tokenizer, "get_vocab") or hasattr(tokenizer, "backend_tokenizer"):
            facts = tokenizer_readers.read_huggingface(tokenizer, vocab_size)
            return cls._from_facts(facts, vocab_size, stop_token_ids)
        raise UnsupportedError(
            f"{type(tokenizer).__name__} is not a tokenizer of transformers",
            hint="for others see from_tiktoken, from_sentencepiece and from_mistral",
        )

    @classmethod
    def from_tiktoken(
        cls, encoding: Any, *, vocab_size: int | None = None, stop_token_ids: int | Iterable[int] | None = None
    ) -> TokenizerInfo:
        """Read a `tiktoken.Encoding`. Ids that it does not use are padding.

        Parameters
        ----------
        encoding : tiktoken.Encoding
            The encoding.
        vocab_size : int, optional
            Width of the model's logits; ids beyond the tokenizer's are padding.
        stop_token_ids : int or list of int, optional
            If left out: the special tokens with a well-known name.

        Returns
        -------
        TokenizerInfo
            The vocabulary.

        Raises
        ------
        VocabularyError
            `vocab_size` is smaller than the vocabulary, or a stop token id is out of range.

        No example: an encoding is downloaded when it is first used.
        """
        return cls._from_facts(tokenizer_readers.read_tiktoken(encoding), vocab_size, stop_token_ids)

    @classmethod
    def from_sentencepiece(
        cls, model: Any, *, vocab_size: int | None = None, stop_token_ids: int | Iterable[int] | None = None
    ) -> TokenizerInfo:
        """Read a model of sentencepiece. Unknown and control pieces are special.

        Parameters
        ----------
        model : SentencePieceProcessor, str or path
            The processor, or the path of its model file.
        vocab_size : int, optional
            Width of the model's logits; ids beyond the tokenizer's are padding.
        stop_token_ids : int or list of int, optional
            If left out: the special tokens with a well-known name.

        Returns
        -------
        TokenizerInfo
            The vocabulary.

        Raises
        ------
        VocabularyError
            `vocab_size` is smaller than the vocabulary, or a stop token id is out of range.

        No example: it needs a model file of sentencepiece.
        """
        return cls._from_facts(tokenizer_readers.read_sentencepiece(model), vocab_size, stop_token_ids)

    @classmethod
    def from_mistral(
        cls, tokenizer: Any, *, vocab_size: int | None = None, stop_token_ids: int | Iterable[int] | None = None
    ) -> TokenizerInfo:
        """Read a tokenizer of mistral-common, tekken or sentencepiece.

        Parameters
        ----------
        tokenizer : Tekkenizer, SentencePieceTokenizer or MistralTokenizer
            The tokenizer, or the `MistralTokenizer` around one.
        vocab_size : int, optional
            Width of the model's logits; ids beyond the tokenizer's are padding.
        stop_token_ids : int or list of int, optional
            If left out: the tokenizer's `eos_id` and the special tokens with a well-known name.

        Returns
        -------
        TokenizerInfo
            The vocabulary.

        Raises
        ------
        VocabularyError
            `vocab_size` is smaller than the vocabulary, or a stop token id is out of range.

        No example: it needs a tokenizer file of mistral-common.
        """
        return cls._from_facts(tokenizer_readers.read_mistral(tokenizer), vocab_size, stop_token_ids)

    # ---- Facts ----

    @property
    def vocabulary(self) -> _core.Vocabulary:
        """The engine's object for this vocabulary."""
        return self._vocabulary

    @property
    def vocab_type(self) -> VocabType:
        """How the tokenizer writes its tokens."""
        return self._vocab_type

    @property
    def vocab_size(self) -> int:
        """Width of the model's logits, and of a bitmask in bits."""
        return self._vocabulary.n_tokens

    @property
    def decoded_vocab(self) -> list[bytes]:
        """The bytes of every id below `vocab_size`; padding has none. Made once: read the list, don't change it."""
        if self._decoded_vocab is None:
            self._decoded_vocab = self._vocabulary.all_bytes()
        return self._decoded_vocab

    @property
    def stop_token_ids(self) -> list[int]:
        """Tokens that end a text, ascending. They never match as text."""
        return self._vocabulary.stop_token_ids

    @property
    def special_token_ids(self) -> list[int]:
        """Ids that never match as text and end nothing, ascending: control tokens, padding, tokens without bytes."""
        kinds = self._vocabulary.all_kinds()
        return [token_id for token_id, kind in enumerate(kinds) if kind not in (0, 2)]

    @property
    def add_prefix_space(self) -> bool:
        """Whether the tokenizer puts a space before a text."""
        return self._add_prefix_space

    @property
    def prepend_space_in_tokenization(self) -> bool:
        """The older name of `add_prefix_space`."""
        return self._add_prefix_space

    # ---- Reading tokens ----

    def token_text(self, token_id: int) -> str:
        r"""Return a token in readable form.

        · is a space; ↵, ⇥ and ␍ are line feed, tab and carriage return; <0xHH> is another control byte, or not UTF-8.

        Parameters
        ----------
        token_id : int
            A token id below `vocab_size`.

        Returns
        -------
        str
            The text; `<padding>` or another kind in angle brackets for a token without bytes.

        >>> info = TokenizerInfo([b" a\n", b"\xe2\x96", "é"], vocab_size=4)
        >>> [info.token_text(i) for i in range(4)]
        ['·a↵', '<0xE2><0x96>', 'é', '<padding>']
        """
        data = self._vocabulary.bytes(token_id)
        if not data:
            return f"<{self._vocabulary.kind(token_id)}>"
        text = data.decode("utf-8", "surrogateescape")
        return "".join(_readable(character) for character in text)

    def find(self, text: str | bytes) -> list[int]:
        """Find the text tokens with exactly these bytes.

        Parameters
        ----------
        text : str or bytes
            The bytes; a str is UTF-8.

        Returns
        -------
        list of int
            Token ids, ascending.

        >>> TokenizerInfo(["a", "b", "a"]).find("a")
        [0, 2]
        """
        return self._vocabulary.find(text_bytes(text, "text"))

    def encode_greedy(self, text: str | bytes) -> list[int]:
        """Spell a text with text tokens, the longest match first. For tests and examples: tokenizers merge otherwise.

        Parameters
        ----------
        text : str or bytes
            The bytes; a str is UTF-8.

        Returns
        -------
        list of int
            Token ids.

        Raises
        ------
        VocabularyError
            No token begins with the next byte.

        >>> TokenizerInfo(["a", "b", "ab"]).encode_greedy("abba")
        [2, 1, 0]
        """
        return self._vocabulary.encode_greedy(text_bytes(text, "text"))

    def __repr__(self) -> str:
        return (
            f"TokenizerInfo(vocab_size={self.vocab_size}, vocab_type={self._vocab_type.name}, "
            f"stop_token_ids={self.stop_token_ids}, n_text_tokens={self._vocabulary.n_ranks})"
        )

    # ---- Written down and read back ----

    def dump_metadata(self) -> str:
        """Write all but the tokens as JSON. With the tokenizer's vocabulary it makes the same info again.

        Returns
        -------
        str
            JSON, for `from_vocab_and_metadata`.

        >>> TokenizerInfo(["a", "</s>"]).dump_metadata()
        '{"vocab_type": 0, "vocab_size": 2, "add_prefix_space": false, "stop_token_ids": [1], "special_token_ids": []}'
        """
        return json.dumps(self._metadata())

    def _metadata(self) -> dict[str, Any]:
        metadata: dict[str, Any] = {
            "vocab_type": int(self._vocab_type),
            "vocab_size": self.vocab_size,
            "add_prefix_space": self._add_prefix_space,
            "stop_token_ids": self.stop_token_ids,
            "special_token_ids": self._vocabulary.special_token_ids,
        }
        if self._holes:
            metadata["padding_token_ids"] = self._holes
        return metadata

    @classmethod
    def from_vocab_and_metadata(
        cls, encoded_vocab: Sequence[str | bytes], metadata: str | dict[str, Any]
    ) -> TokenizerInfo:
        """Make the info of a vocabulary from what `dump_metadata` wrote.

        Parameters
        ----------
        encoded_vocab : list of str or bytes
            The tokens' texts in the order of their ids, as the tokenizer writes them.
        metadata : str or dict
            What `dump_metadata` wrote.

        Returns
        -------
        TokenizerInfo
            It equals the info that wrote the metadata.

        Raises
        ------
        InvalidJSONError, DeserializeFormatError
            The metadata is not JSON, or lacks a field.

        >>> again = TokenizerInfo.from_vocab_and_metadata(["a", "</s>"], TokenizerInfo(["a", "</s>"]).dump_metadata())
        >>> again.stop_token_ids
        [1]
        """
        facts = _facts_of(_parse(metadata) if isinstance(metadata, str) else metadata, list(encoded_vocab))
        return cls._from_facts(facts, None, None)

    def serialize_json(self) -> str:
        """Write the info as JSON. Tokens are strings whose characters U+0000 to U+00FF are their bytes.

        Returns
        -------
        str
            JSON, for `deserialize_json`.

        >>> info = TokenizerInfo(["a", "</s>"])
        >>> TokenizerInfo.deserialize_json(info.serialize_json()).stop_token_ids
        [1]
        """
        tokens = [data.decode("latin-1") for data in self.decoded_vocab[: self._n_listed]]
        content_hash = self._vocabulary.content_hash
        record = {"format": _FORMAT, "__VERSION__": VERSION, **self._metadata(), "content_hash": content_hash}
        return json.dumps({**record, "decoded_vocab": tokens})

    @classmethod
    def deserialize_json(cls, json_string: str) -> TokenizerInfo:
        """Read what `serialize_json` wrote.

        Parameters
        ----------
        json_string : str
            The text.

        Returns
        -------
        TokenizerInfo
            It equals the info that was written.

        Raises
        ------
        InvalidJSONError
            The text is not JSON.
        DeserializeFormatError
            The text is something else, or damaged: the hash of the tokens is compared.
        DeserializeVersionError
            The text has another version.

        >>> try:
        ...     TokenizerInfo.deserialize_json("{}")
        ... except DeserializeFormatError as error:
        ...     print(error.message)
        the text's format is None; wanted 'xg2lab.TokenizerInfo'
        """
        record = _parse(json_string)
        if record.get("format") != _FORMAT:
            raise DeserializeFormatError(
                f"the text's format is {record.get('format')!r}; wanted {_FORMAT!r}",
                hint="pass what TokenizerInfo.serialize_json wrote",
            )
        if record.get("__VERSION__") != VERSION or isinstance(record["__VERSION__"], bool):
            raise DeserializeVersionError(
                f"the text has version {record.get('__VERSION__')!r}; this xg2lab reads version {VERSION}",
                hint="serialize the tokenizer info again with this version of xg2lab",
            )
        try:
            tokens = [token.encode("latin-1") for token in record["decoded_vocab"]]
        except (KeyError, TypeError, AttributeError, UnicodeEncodeError) as error:
            raise DeserializeFormatError(
                "decoded_vocab is not a list of strings of characters up to U+00FF",
                hint="pass what TokenizerInfo.serialize_json wrote, unchanged",
            ) from error
        facts = _facts_of(record, tokens)
        vocab_type, facts.vocab_type = facts.vocab_type, int(VocabType.RAW)
        info = cls._from_facts(facts, None, None)
        info._vocab_type = VocabType(vocab_type)
        if info._vocabulary.content_hash != record.get("content_hash"):
            raise DeserializeFormatError(
                "the tokens don't have the hash that was written with them",
                hint="the text was changed or cut; serialize the tokenizer info again",
            )
        return info

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return type(self).deserialize_json, (self.serialize_json(),)


def _parse(text: str) -> dict[str, Any]:
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidJSONError(f"the text is not JSON: {error}", hint="pass the text as it was written") from error
    if not isinstance(record, dict):
        raise DeserializeFormatError(
            f"the text is a JSON {type(record).__name__}; wanted an object", hint="pass the text as it was written"
        )
    return cast("dict[str, Any]", record)


def _facts_of(record: dict[str, Any], tokens: list[str] | list[bytes] | list[str | bytes]) -> TokenizerFacts:
    try:
        return TokenizerFacts(
            tokens,
            int(VocabType(record["vocab_type"])),
            _as_number(record["vocab_size"]),
            _as_numbers(record["stop_token_ids"]),
            _as_numbers(record.get("special_token_ids", [])),
            _as_numbers(record.get("padding_token_ids", [])),
            bool(record.get("add_prefix_space", False)),
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise DeserializeFormatError(
            f"the metadata can't be read: {type(error).__name__}: {error}",
            hint="it needs vocab_type, vocab_size and stop_token_ids, as dump_metadata writes them",
        ) from error


def _as_number(value: Any) -> int:
    number = int(value)
    if not -(1 << 31) <= number < 1 << 31:
        raise OverflowError("a number of more than 31 bits")
    return number


def _as_numbers(values: Any) -> list[int]:
    return [_as_number(value) for value in (values if isinstance(values, Iterable) else [values])]


def _as_list(ids: int | Iterable[int], name: str) -> list[int]:
    if not isinstance(ids, Iterable):
        return [whole_number(ids, name)]
    return [whole_number(token_id, f"{name}[{i}]") for i, token_id in enumerate(ids)]


def _readable(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"<0x{code - 0xDC00:02X}>"
    if code < 0x20 or code == 0x7F:
        return {"\n": "↵", "\t": "⇥", "\r": "␍"}.get(character, f"<0x{code:02X}>")
    return "·" if character == " " else character
