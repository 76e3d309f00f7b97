r"""Is the vocabulary that of the tokenizer? Checks that need no grammar, each with what was found and how to see it.

>>> from xg2lab import TokenizerInfo
>>> wrong = TokenizerInfo(["a", "Ġb", "Ġc", "Ċ", "</s>"])
>>> [(check.name, check.level, check.value) for check in tokenizer_checks(wrong) if check.level == "error"]
[('written as', 'error', 'BYTE_LEVEL, read as RAW')]

IDEA
  The engine compares bytes. So a vocabulary is right if the bytes it has for an id are those that the tokenizer writes
  for it: each token is decoded by the tokenizer itself, and texts that it encodes are put together again from the
  vocabulary. Where they differ the usual mistakes are tried, and named if one explains the difference: ids that are
  shifted, texts read in another way of writing than they have.

See also `xg2lab.lab.auditing.auditing`, which checks masks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from xg2lab.lab.model.tokenizer import Decoder, Tokenizer

if TYPE_CHECKING:
    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["Check", "tokenizer_checks"]

SAMPLES = (
    "The quick brown fox, 42 times.",
    '{"name": "Zürich", "n": [1, 2.5e3, null]}',
    "def f(x):\n\treturn x  # ½ … “quoted”\n",
    "日本語と emoji 🙂👩‍🔬 और हिन्दी",
    "  leading, trailing  ",
)
SHIFTS = (1, -1, 2, -2, 3, -3)
MOST_EXAMPLES = 5
#: Of tokens with a mark, in percent, from which on the mark is no accident.
MARKED_PERCENT = 5
_CONTROL = re.compile(rb"<\|[^<>|]{1,40}\|>|</?s>|<(?:pad|eos|bos|unk)>|\[(?:PAD|CLS|SEP|UNK|MASK)\]")


@dataclass(frozen=True)
class Check:
    """One question and its answer. `level` is ok, hint, warning or error; `repro` lines that show it."""

    name: str
    level: str
    value: str
    details: str = ""
    token_ids: tuple[int, ...] = ()
    repro: str = ""


def tokenizer_checks(
    info: TokenizerInfo,
    tokenizer: Tokenizer | None = None,
    *,
    n_logits: int | None = None,
    eos_ids: tuple[int, ...] = (),
) -> list[Check]:
    """All checks; without a tokenizer those of the vocabulary alone. `n_logits`, `eos_ids`: what the model says."""
    tokens: list[bytes] = info.decoded_vocab
    silent = {*info.special_token_ids, *info.stop_token_ids}
    found = [_written_as(info, tokens)]
    if isinstance(tokenizer, Decoder):
        found += [_each_token(tokens, silent, tokenizer), _round_trip(tokens, silent, tokenizer)]
    found += [
        _single_bytes(tokens, silent),
        _stop_tokens(info, eos_ids),
        _special_tokens(info, tokens, silent),
        _padding(tokens, info),
        _twins(tokens, silent),
    ]
    if n_logits is not None:
        same = n_logits == info.vocab_size
        value = f"{n_logits:,}" if same else f"{n_logits:,} logits, {info.vocab_size:,} ids"
        found.append(Check("logits and vocabulary agree", "ok" if same else "error", value))
    return found


def _repro(*lines: str) -> str:
    return "\n".join(["# info: the TokenizerInfo, tokenizer: the model's own", *lines])


def _written_as(info: TokenizerInfo, tokens: list[bytes]) -> Check:
    """Marks of a way of writing that are still there after reading: it was read in another way."""
    starts = {"BYTE_LEVEL": ("Ġ".encode(), "Ċ".encode()), "BYTE_FALLBACK": ("▁".encode(),)}
    for name, marks in starts.items():
        marked = tuple(k for k, token in enumerate(tokens) if token.startswith(marks))
        if 100 * len(marked) > MARKED_PERCENT * len(tokens):
            shown = ", ".join(repr(tokens[k].decode("utf-8", "replace")) for k in marked[:MOST_EXAMPLES])
            return Check(
                "written as",
                "error",
                f"{name}, read as {info.vocab_type.name}",
                f"{len(marked):,} tokens still begin with the mark of a space or a line feed: {shown}. "
                f"Make the TokenizerInfo with VocabType.{name}, or by from_huggingface(tokenizer).",
                marked[:MOST_EXAMPLES],
                _repro(f"assert not info.decoded_vocab[{marked[0]}].startswith({marks[0]!r})"),
            )
    return Check("written as", "ok", info.vocab_type.name)


def _decoder(tokenizer: Decoder) -> Callable[[int], str | None]:
    whole = cast("Callable[..., str]", tokenizer.decode)  # with Hugging Face's switches, where it has them

    def decode(token_id: int) -> str | None:
        try:
            return whole([token_id], skip_special_tokens=False, clean_up_tokenization_spaces=False)
        except TypeError:
            return tokenizer.decode([token_id])
        except (IndexError, KeyError, OverflowError):
            return None

    return decode


def _each_token(tokens: list[bytes], silent: set[int], tokenizer: Decoder) -> Check:
    """Every token as the tokenizer itself decodes it. Halves of characters say nothing there and are left out."""
    decode = _decoder(tokenizer)
    theirs = {k: text for k in range(len(tokens)) if (text := decode(k)) is not None and "\ufffd" not in text}

    def same(token_id: int, data: bytes) -> bool:
        text = theirs[token_id].encode()
        return data in (text, b" " + text)  # some decoders drop the space before a first word

    asked = [k for k in theirs if k not in silent and theirs[k]]
    wrong = [k for k in asked if not same(k, tokens[k])]
    if not wrong:
        return Check("bytes of each token", "ok", f"{len(asked):,}")
    details = "; ".join(f"id {k}: {tokens[k]!r} here, {theirs[k]!r} there" for k in wrong[:3])
    for shift in SHIFTS:
        moved = [k for k in wrong if 0 <= k + shift < len(tokens)]
        if 10 * sum(same(k, tokens[k + shift]) for k in moved) > 9 * len(wrong):
            details = f"The ids are shifted: the tokenizer's token k is here token k{shift:+d}. {details}"
            break
    else:
        if Counter(tokens[k] for k in wrong) == Counter(theirs[k].encode() for k in wrong):
            details = f"The same tokens in another order. {details}"
    k = wrong[0]
    return Check(
        "bytes of each token",
        "error",
        f"{len(wrong):,} of {len(asked):,} differ",
        details,
        tuple(wrong[:MOST_EXAMPLES]),
        _repro(f"assert info.decoded_vocab[{k}].decode() == tokenizer.decode([{k}]), info.decoded_vocab[{k}]"),
    )


def _round_trip(tokens: list[bytes], silent: set[int], tokenizer: Decoder) -> Check:
    """Texts that the tokenizer encodes, put together again from the vocabulary's bytes."""
    for text in SAMPLES:
        ids = list(tokenizer(text).input_ids)
        ids = [k for k in ids if k not in silent]
        data = b"".join(tokens[k] for k in ids if k < len(tokens))
        if data not in (text.encode(), b" " + text.encode()):
            return Check(
                "texts round trip",
                "error",
                f"{text[:24]!r} does not",
                f"it comes back as {data[:60]!r}",
                tuple(ids[:MOST_EXAMPLES]),
                _repro(
                    f"text = {text!r}",
                    'assert b"".join(info.decoded_vocab[k] for k in tokenizer(text).input_ids) == text.encode()',
                ),
            )
    return Check("texts round trip", "ok", f"{len(SAMPLES)} of {len(SAMPLES)}")


def _single_bytes(tokens: list[bytes], silent: set[int]) -> Check:
    have = {token[0] for k, token in enumerate(tokens) if len(token) == 1 and k not in silent}
    missing = [b for b in range(256) if b not in have and b not in NEVER_IN_UTF8]
    n = 256 - len(NEVER_IN_UTF8)
    if not missing:
        return Check("every single byte has a token", "ok", f"{n} of {n}")
    shown = " ".join(f"{b:02X}" for b in missing[:12])
    return Check(
        "every single byte has a token",
        "hint",
        f"{n - len(missing)} of {n}",
        f"no token for {shown}{' …' if len(missing) > 12 else ''}: texts with such bytes may be impossible to write",
    )


#: Bytes that no UTF-8 text has.
NEVER_IN_UTF8 = frozenset((0xC0, 0xC1, *range(0xF5, 0x100)))


def _stop_tokens(info: TokenizerInfo, eos_ids: tuple[int, ...]) -> Check:
    stops = info.stop_token_ids
    shown = ", ".join(map(str, stops))
    if not stops:
        return Check("stop tokens", "error", "none", "no output can ever end: give stop_token_ids")
    missing = [k for k in eos_ids if k not in stops]
    if missing:
        ids = ", ".join(map(str, missing))
        return Check(
            "stop tokens",
            "error" if len(missing) == len(eos_ids) else "warning",
            shown,
            f"the model ends with {ids}, which the vocabulary takes for text: give stop_token_ids",
            tuple(missing),
            _repro(f"assert set(info.stop_token_ids) >= {set(missing)}, info.stop_token_ids"),
        )
    return Check("stop tokens", "ok", shown)


def _special_tokens(info: TokenizerInfo, tokens: list[bytes], silent: set[int]) -> Check:
    as_text = tuple(k for k, token in enumerate(tokens) if k not in silent and _CONTROL.fullmatch(token))
    n = sum(bool(tokens[k]) for k in info.special_token_ids)
    if not as_text:
        return Check("special tokens never match as text", "ok", f"{n:,}")
    shown = ", ".join(f"{k} {tokens[k].decode()}" for k in as_text[:MOST_EXAMPLES])
    return Check(
        "special tokens never match as text",
        "hint",
        f"{len(as_text)} may",
        f"these look like control tokens and match as text: {shown}. If they are not text, give special_token_ids.",
        as_text[:MOST_EXAMPLES],
        _repro(f"assert {as_text[0]} in info.special_token_ids"),
    )


def _padding(tokens: list[bytes], info: TokenizerInfo) -> Check:
    empty = tuple(k for k, token in enumerate(tokens) if not token and k not in info.stop_token_ids)
    return Check("ids without a token, always masked", "ok", f"{len(empty):,}", "", empty[:MOST_EXAMPLES])


def _twins(tokens: list[bytes], silent: set[int]) -> Check:
    counts = Counter(token for k, token in enumerate(tokens) if token and k not in silent)
    twins = [token for token, n in counts.items() if n > 1]
    if not twins:
        return Check("texts with two ids", "ok", "none")
    ids = tuple(k for k, token in enumerate(tokens) if token == twins[0])
    return Check("texts with two ids", "hint", f"{len(twins):,}", f"such as {twins[0]!r}: ids {ids}", ids)
