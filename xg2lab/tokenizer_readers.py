"""Reads what a tokenizer library knows about its tokens into one plain record.

>>> facts = TokenizerFacts(tokens=["a", "Ġa", "<|im_end|>"], vocab_type=2, special_token_ids=[2])
>>> add_well_known_stops(facts)
>>> facts.stop_token_ids
[2]

No library is imported here: a tokenizer is known by its attributes. Each reader returns the tokens' texts by
id as the tokenizer writes them (`str`) or as bytes (`bytes`), and how to read them (`vocab_type`).

See also: `xg2lab/tokenizer_info.py`, `core/vocab/decode.h`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from xg2lab.errors import UnsupportedError, VocabularyError

__all__ = ["WELL_KNOWN_STOPS", "TokenizerFacts", "add_well_known_stops"]

RAW, BYTE_FALLBACK, BYTE_LEVEL = 0, 1, 2

#: Tokens that end a turn or a text, by the names that published models give them.
WELL_KNOWN_STOPS = (
    "</s>",
    "<eos>",
    "<|eos|>",
    "[EOS]",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|eot|>",
    "<|eom|>",
    "<|im_end|>",
    "<end_of_turn>",
    "<turn|>",
    "<|end_of_turn|>",
    "<|END_OF_TURN_TOKEN|>",
    "[|endofturn|]",
    "<｜end▁of▁sentence｜>",
    "<|return|>",
    "<|call|>",
    "<|end|>",
)

_SPACE_MARK = "▁"
_MANY_BYTE_TOKENS = 128  # of 256: a vocabulary that has these spells bytes


@dataclass
class TokenizerFacts:
    """The facts about a tokenizer that the engine needs. `padding_token_ids` are the holes in its numbering."""

    tokens: list[str] | list[bytes] | list[str | bytes]
    vocab_type: int = RAW
    vocab_size: int | None = None
    stop_token_ids: list[int] = field(default_factory=list)
    special_token_ids: list[int] = field(default_factory=list)
    padding_token_ids: list[int] = field(default_factory=list)
    add_prefix_space: bool = False


def add_well_known_stops(facts: TokenizerFacts, among: Iterable[int] | None = None) -> None:
    """Adds the tokens named in `WELL_KNOWN_STOPS`, searched among the special ones unless told otherwise.

    `<|end|>` ends a message but not a turn where a vocabulary also has `<|channel|>`; there it is left out.
    """
    candidates = list(facts.special_token_ids if among is None else among)
    names = {token_id: _as_text(facts.tokens[token_id]) for token_id in candidates if token_id < len(facts.tokens)}
    wanted = set(WELL_KNOWN_STOPS)
    if "<|channel|>" in names.values():
        wanted.discard("<|end|>")
    stops = set(facts.stop_token_ids) | {token_id for token_id, name in names.items() if name in wanted}
    facts.stop_token_ids = sorted(stops)


def read_huggingface(tokenizer: Any, vocab_size: int | None) -> TokenizerFacts:
    """Any tokenizer of transformers: fast, sentencepiece, byte-level in Python, or a wrapper of another library."""
    facts = _read_fast(tokenizer) if hasattr(tokenizer, "backend_tokenizer") else _read_slow(tokenizer)
    specials = set(facts.special_token_ids) | set(getattr(tokenizer, "all_special_ids", None) or [])
    facts.special_token_ids = sorted(specials)
    facts.stop_token_ids = sorted(set(facts.stop_token_ids) | set(_ids(getattr(tokenizer, "eos_token_id", None))))
    add_well_known_stops(facts)
    if vocab_size is not None:
        _leave_out_beyond(facts, vocab_size, set(_added_tokens(tokenizer)))
    return facts


def read_tiktoken(encoding: Any) -> TokenizerFacts:
    """A `tiktoken.Encoding`: tokens are bytes, special ones are listed by name."""
    specials = {encoding.encode_single_token(name): name for name in encoding.special_tokens_set}
    tokens: list[bytes] = []
    holes: list[int] = []
    for token_id in range(encoding.n_vocab):
        try:
            tokens.append(encoding.decode_single_token_bytes(token_id))
        except KeyError:
            tokens.append(b"")
            holes.append(token_id)
    facts = TokenizerFacts(tokens, RAW, special_token_ids=sorted(specials), padding_token_ids=holes)
    add_well_known_stops(facts)
    return facts


def read_sentencepiece(model: Any) -> TokenizerFacts:
    """A `sentencepiece.SentencePieceProcessor`, or its file's path. Control, unknown and unused pieces are special."""
    if isinstance(model, (str, os.PathLike)):
        from sentencepiece import SentencePieceProcessor

        path = os.fspath(cast("str | os.PathLike[str]", model))
        try:
            model = SentencePieceProcessor(model_file=path)
        except (OSError, RuntimeError) as error:
            raise VocabularyError(f"no sentencepiece model can be read from {path!r:.100}: {error}") from error
        if model.get_piece_size() == 0:
            raise VocabularyError(f"the sentencepiece model at {path!r:.100} has no pieces")
    pieces = [model.id_to_piece(token_id) for token_id in range(model.get_piece_size())]
    special = [
        token_id
        for token_id in range(len(pieces))
        if model.is_control(token_id) or model.is_unknown(token_id) or model.is_unused(token_id)
    ]
    first_piece = next(iter(model.encode("a", out_type=str)), "")
    facts = TokenizerFacts(
        pieces,
        BYTE_FALLBACK,
        special_token_ids=special,
        stop_token_ids=[model.eos_id()] if model.eos_id() >= 0 else [],
        add_prefix_space=first_piece.startswith(_SPACE_MARK),
    )
    add_well_known_stops(facts)
    return facts


def read_mistral(tokenizer: Any) -> TokenizerFacts:
    """A tokenizer of mistral-common: `MistralTokenizer`, or the tekken or sentencepiece tokenizer inside one."""
    inner = getattr(getattr(tokenizer, "instruct_tokenizer", tokenizer), "tokenizer", tokenizer)
    if hasattr(inner, "id_to_byte_piece"):
        special = [token_id for token_id in range(inner.n_words) if inner.is_special(token_id)]
        known = set(special)
        tokens: list[str | bytes] = [
            inner.id_to_piece(token_id) if token_id in known else inner.id_to_byte_piece(token_id)
            for token_id in range(inner.n_words)
        ]
        facts = TokenizerFacts(tokens, RAW, special_token_ids=special, stop_token_ids=[inner.eos_id])
        add_well_known_stops(facts)
        return facts
    if hasattr(inner, "_model") and hasattr(inner._model, "id_to_piece"):
        facts = read_sentencepiece(inner._model)
        control = {token_id for token_id in range(inner.n_words) if inner.is_special(token_id)}
        facts.special_token_ids = sorted(control | set(facts.special_token_ids))
        return facts
    raise UnsupportedError(
        f"{type(tokenizer).__name__} is not a tokenizer of mistral-common that can be read",
        hint="pass a MistralTokenizer, a Tekkenizer or a SentencePieceTokenizer",
    )


# ---- Fast tokenizers: the parts of the backend say how tokens are written ----


def _read_fast(tokenizer: Any) -> TokenizerFacts:
    backend = tokenizer.backend_tokenizer
    tokens, holes = _by_id(backend.get_vocab(with_added_tokens=True))
    added = _added_tokens(tokenizer)
    parts = {name: _part(backend, name) for name in ("decoder", "pre_tokenizer", "normalizer")}
    return TokenizerFacts(
        tokens,
        _vocab_type_of(parts, tokens),
        special_token_ids=[token_id for token_id, token in added.items() if getattr(token, "special", False)],
        padding_token_ids=holes,
        add_prefix_space=_prepends_space(parts),
    )


def _part(backend: Any, name: str) -> list[dict[str, Any]]:
    """A backend's component as a flat list of its steps, each a dict with its "type"."""
    component = getattr(backend, name, None)
    if component is None:
        return []
    try:
        tree = json.loads(component.__getstate__())
    except (AttributeError, TypeError, ValueError):  # a version that can't show a component alone
        tree = json.loads(backend.to_str()).get(name)
    return list(_steps(tree))


def _steps(tree: Any) -> Iterator[dict[str, Any]]:
    if not isinstance(tree, dict):
        return
    if tree.get("type") == "Sequence":
        for key in ("decoders", "pretokenizers", "normalizers"):
            for step in tree.get(key, []):
                yield from _steps(step)
    else:
        yield tree


def _vocab_type_of(parts: dict[str, list[dict[str, Any]]], tokens: list[str]) -> int:
    """The way tokens are written. 256 byte tokens prove byte fallback; then the steps tell, then the tokens."""
    if _count_byte_tokens(tokens) >= _MANY_BYTE_TOKENS:
        return BYTE_FALLBACK
    decoders = {step.get("type") for step in parts["decoder"]}
    for name in ("WordPiece", "BPEDecoder", "CTC"):
        if name in decoders:
            raise UnsupportedError(
                f"the tokenizer's decoder is {name}: what a token writes depends on its neighbours",
                hint="use a byte-level, sentencepiece or tiktoken tokenizer",
            )
    steps = [step for part in parts.values() for step in part]
    types = {step.get("type") for step in steps}
    if "ByteLevel" in decoders or (not decoders and "ByteLevel" in types):
        return BYTE_LEVEL
    marks_spaces = any(_SPACE_MARK in json.dumps(step, ensure_ascii=False) for step in steps)
    if types & {"ByteFallback", "Metaspace"} or marks_spaces:
        return BYTE_FALLBACK
    return _vocab_type_by_tokens(tokens)


def _vocab_type_by_tokens(tokens: list[str]) -> int:
    if _count_byte_tokens(tokens) >= _MANY_BYTE_TOKENS:
        return BYTE_FALLBACK
    known = set(tokens)
    alphabet = {chr(code) for code in (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x144))}
    if len(alphabet & known) >= _MANY_BYTE_TOKENS and sum(token[:1] == "Ġ" for token in tokens) > 0:
        return BYTE_LEVEL
    return BYTE_FALLBACK if any(token[:1] == _SPACE_MARK for token in tokens) else RAW


def _count_byte_tokens(tokens: Iterable[str]) -> int:
    byte_tokens = {f"<0x{byte:02X}>" for byte in range(256)}
    return len(byte_tokens.intersection(tokens))


def _prepends_space(parts: dict[str, list[dict[str, Any]]]) -> bool:
    for step in (*parts["normalizer"], *parts["pre_tokenizer"]):
        kind = step.get("type")
        if kind == "Prepend" and step.get("prepend") in (_SPACE_MARK, " "):
            return True
        if kind == "ByteLevel" and step.get("add_prefix_space"):
            return True
        scheme = step.get("prepend_scheme", "always" if step.get("add_prefix_space") else "never")
        if kind == "Metaspace" and scheme in ("always", "first"):
            return True
    return False


# ---- Tokenizers written in Python ----


def _read_slow(tokenizer: Any) -> TokenizerFacts:
    inner = getattr(tokenizer, "tokenizer", None)
    if hasattr(inner, "instruct_tokenizer"):
        return read_mistral(inner)
    for holder in (tokenizer, inner):
        for name in ("sp_model", "tok", "tokenizer", "model", "encoder", "tiktoken"):
            part = getattr(holder, name, None)
            if hasattr(part, "id_to_piece") and hasattr(part, "get_piece_size"):
                return _with_added(_renumbered(read_sentencepiece(part), tokenizer), tokenizer)
            if hasattr(part, "decode_single_token_bytes") and hasattr(part, "n_vocab"):
                return _with_added(read_tiktoken(part), tokenizer)
    if not hasattr(tokenizer, "get_vocab"):
        raise UnsupportedError(
            f"{type(tokenizer).__name__} has no get_vocab(), so its tokens can't be read",
            hint="pass the tokens yourself: TokenizerInfo(encoded_vocab, vocab_type)",
        )
    tokens, holes = _by_id(tokenizer.get_vocab())
    by_table = hasattr(tokenizer, "byte_decoder")
    vocab_type = BYTE_LEVEL if by_table else _vocab_type_by_tokens([_as_text(token) for token in tokens])
    facts = TokenizerFacts(tokens, vocab_type, padding_token_ids=holes)
    facts.add_prefix_space = bool(getattr(tokenizer, "add_prefix_space", False))
    return _with_added(facts, tokenizer)


def _renumbered(facts: TokenizerFacts, tokenizer: Any) -> TokenizerFacts:
    """The pieces by the ids of the wrapper, where it counts otherwise than the sentencepiece model."""
    vocabulary: dict[str, int] = tokenizer.get_vocab() if hasattr(tokenizer, "get_vocab") else {}
    special = {facts.tokens[token_id] for token_id in facts.special_token_ids}
    if all(vocabulary.get(_as_text(piece), i) == i for i, piece in enumerate(facts.tokens) if piece not in special):
        return facts
    facts.tokens, facts.padding_token_ids = _by_id(vocabulary)
    facts.special_token_ids = sorted(vocabulary[name] for name in map(_as_text, special) if name in vocabulary)
    facts.stop_token_ids = []
    return facts


def _with_added(facts: TokenizerFacts, tokenizer: Any) -> TokenizerFacts:
    """Adds the tokens that the wrapper of another library's tokenizer keeps beside it."""
    tokens: list[str | bytes] = list(facts.tokens)
    specials, holes = set(facts.special_token_ids), set(facts.padding_token_ids)
    for token_id, token in sorted(_added_tokens(tokenizer).items()):
        holes.update(range(len(tokens), token_id))
        tokens.extend([b""] * (token_id + 1 - len(tokens)))
        tokens[token_id] = str(getattr(token, "content", token))
        holes.discard(token_id)
        if getattr(token, "special", False):
            specials.add(token_id)
    facts.tokens, facts.special_token_ids, facts.padding_token_ids = tokens, sorted(specials), sorted(holes)
    return facts


# ---- Small change ----


def _added_tokens(tokenizer: Any) -> dict[int, Any]:
    return dict(getattr(tokenizer, "added_tokens_decoder", None) or {})


def _by_id(vocabulary: dict[Any, int]) -> tuple[list[Any], list[int]]:
    """The texts by id, and the ids without one."""
    tokens: list[Any] = [None] * (max(vocabulary.values(), default=-1) + 1)
    for token, token_id in vocabulary.items():
        tokens[token_id] = token
    holes = [token_id for token_id, token in enumerate(tokens) if token is None]
    for token_id in holes:
        tokens[token_id] = ""
    return tokens, holes


def _leave_out_beyond(facts: TokenizerFacts, vocab_size: int, added: set[int]) -> None:
    """Drops added tokens that the model's logits have no place for; refuses to drop any other."""
    facts.vocab_size = vocab_size
    n_tokens = len(facts.tokens)
    if vocab_size >= n_tokens:
        return
    dropped = set(range(vocab_size, n_tokens))
    base = dropped - added - set(facts.padding_token_ids)
    if base:
        raise VocabularyError(
            f"vocab_size is {vocab_size}, but the tokenizer has {n_tokens} tokens, "
            f"and token {min(base)} ({_as_text(facts.tokens[min(base)])!r}) belongs to its base vocabulary",
            hint=f"pass the width of the model's logits (model.config.vocab_size), at least {max(base) + 1}",
        )
    facts.tokens = facts.tokens[:vocab_size]
    for ids in (facts.stop_token_ids, facts.special_token_ids, facts.padding_token_ids):
        ids[:] = [token_id for token_id in ids if token_id < vocab_size]


def _as_text(token: Any) -> str:
    return token.decode("utf-8", "replace") if isinstance(token, bytes) else str(token)


def _ids(value: Any) -> list[int]:
    if value is None:
        return []
    return [int(value)] if not isinstance(value, (list, tuple, set)) else [int(token_id) for token_id in value]
