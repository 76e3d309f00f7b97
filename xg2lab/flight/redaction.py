r"""Redaction: the free text of an output replaced, token by token, so that the grammar sees no difference.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo(['{"name": "', "Ada", "xxx", '"}', " L.", " x.", "</s>"], stop_token_ids=[6])
>>> compiled = xgr.GrammarCompiler(info).compile_grammar(r'root ::= "{\"name\": \"" [^"]* "\"}"')
>>> redact(compiled, info, [0, 1, 4, 3]).ids
(0, 2, 5, 3)

IDEA
  Two outputs that lead to the same state of the grammar (the same column, `GrammarMatcher.column_id`) accept the same
  texts from there on. So a byte is *free* if a neutral byte of its kind leads to the same state: a letter is tried as
  x, a digit as 0, another mark as a full stop. Within a string all letters are free. Within a name that the schema
  prints, and where the grammar chooses between words, none is: another letter leads elsewhere, or nowhere.
  A token whose bytes are free is replaced by the token that spells its neutral bytes; where the vocabulary has none, by
  another token that leads to the same state, of the same length if there is one.

INVARIANT
  R1  after each token, the redacted output is in the state that the output itself is in. So every mask is the same, the
      same steps are complete, and a refused token is refused at its step.

What stays: the grammar's own words, which of its alternatives were taken, white space, the number of tokens, lengths as
far as the vocabulary has neutral tokens, and what a pattern, a format or a bound distinguishes by a state of its own.

Shapes: ids are of one output, in order, without its prompt.

See also: docs/flight.md, which says what is in a file; tests/flight/test_redaction.py, which checks R1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from xg2lab._core import GrammarMatcher
from xg2lab.errors import MatcherStateError

if TYPE_CHECKING:
    from xg2lab.compiler import CompiledGrammar
    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["Redacted", "Shapes", "redact"]

#: How many tokens are tried in place of one, of those of its shape and of all.
_MOST_OF_SHAPE, _MOST_TRIED = 64, 256

#: A text token's kind, of `Vocabulary.all_kinds`.
_TEXT = 0
_LOWER, _UPPER, _DIGITS = b"abcdefghijklmnopqrstuvwxyz", b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"0123456789"
_WHITE = b" \t\r\n\v\f"


def _neutral(byte: int) -> bytes:
    """The bytes that are tried in place of one, of its kind; none for white space and controls."""
    if byte in _LOWER:
        return b"xae"
    if byte in _UPPER:
        return b"xXA"
    if byte in _DIGITS:
        return b"0159"
    if byte < 0x20 or byte == 0x7F or byte in _WHITE:
        return b""
    if byte < 0x80:
        return b".-_"
    if byte < 0xC0:
        return b"\xa0\x80"
    return b"\xc3" if byte < 0xE0 else b"\xe4" if byte < 0xF0 else b"\xf0"


_NEUTRAL = tuple(_neutral(byte) for byte in range(256))
#: Letters as x, digits as 0, the bytes of longer characters as the first of their kind; marks stay.
_SHAPE = bytes(
    byte if byte < 0x80 and not chr(byte).isalnum() else (_NEUTRAL[byte] or bytes([byte]))[0] for byte in range(256)
)


@dataclass(frozen=True)
class Redacted:
    """An output whose free text is replaced.

    Parameters
    ----------
    ids : tuple of int
        As many tokens as the output has.
    refused : int or None
        The token in place of the refused one.
    n_replaced : int
        The number of tokens that are others now.
    n_free : int
        The number of tokens with free text that stayed, because no other token was found that leads to the same state.

    >>> Redacted((1, 2), None, 1, 0).n_replaced
    1
    """

    ids: tuple[int, ...]
    refused: int | None
    n_replaced: int
    n_free: int


class Shapes:
    """The text tokens of a vocabulary by their shape; made on first use."""

    def __init__(self, tokenizer_info: TokenizerInfo) -> None:
        self.tokenizer_info = tokenizer_info
        self._kinds = tokenizer_info.vocabulary.all_kinds()
        self._by_shape: dict[bytes, list[int]] | None = None

    def is_text(self, token_id: int) -> bool:
        """Whether a token is one of the vocabulary's, and matches as text."""
        return 0 <= token_id < len(self._kinds) and self._kinds[token_id] == _TEXT

    def like(self, data: bytes) -> list[int]:
        """The tokens of the shape of `data`, the lowest ids first.

        >>> import xg2lab as xgr
        >>> Shapes(xgr.TokenizerInfo(["cat", "dog", "2nd"])).like(b"emu")
        [0, 1]
        """
        if self._by_shape is None:
            by_shape: defaultdict[bytes, list[int]] = defaultdict(list)
            for token_id, token in enumerate(self.tokenizer_info.decoded_vocab):
                if self._kinds[token_id] == _TEXT:
                    by_shape[token.translate(_SHAPE)].append(token_id)
            self._by_shape = dict(by_shape)
        return self._by_shape.get(data.translate(_SHAPE), [])


def redact(
    compiled: CompiledGrammar,
    tokenizer_info: TokenizerInfo,
    ids: Sequence[int],
    refused: tuple[int, int] | None = None,
    *,
    shapes: Shapes | None = None,
) -> Redacted:
    """Replace the free text of an output.

    Parameters
    ----------
    compiled : CompiledGrammar
        The grammar.
    tokenizer_info : TokenizerInfo
        The vocabulary.
    ids : sequence of int
        The output's tokens.
    refused : tuple of (int, int), optional
        A token that was refused: the number of tokens before it, and its id.
    shapes : Shapes, optional
        The vocabulary's, where several outputs are redacted.

    Returns
    -------
    Redacted
        The grammar accepts its tokens exactly as far as those given, and refuses its refused token.

    Raises
    ------
    MatcherStateError
        The result did not pass the check of that, which would be a mistake of this module.
    LimitError
        The output needs more time or memory than the grammar's options allow.

    >>> import xg2lab as xgr
    >>> info = xgr.TokenizerInfo(["7", "0", "x", "b", "</s>"], stop_token_ids=[4])
    >>> compiled = xgr.GrammarCompiler(info).compile_grammar("root ::= [0-9]+")
    >>> redact(compiled, info, [0, 0], refused=(2, 3))
    Redacted(ids=(1, 1), refused=2, n_replaced=3, n_free=0)
    """
    walk = _Walk(compiled, shapes or Shapes(tokenizer_info))
    made: list[int] = []
    instead: int | None = None
    for step in range(len(ids) + 1):
        if refused is not None and refused[0] == step:
            instead = walk.in_place_of(refused[1])
        if step < len(ids):
            made.append(walk.take(ids[step]))
    result = Redacted(tuple(made), instead, walk.n_replaced, walk.n_free)
    _check(compiled, ids, made, refused, instead)
    return result


class _Walk:
    """The grammar's matcher along the output, and what takes a token's place where it stands."""

    def __init__(self, compiled: CompiledGrammar, shapes: Shapes) -> None:
        self.matcher = GrammarMatcher(compiled)
        self.shapes, self.vocabulary = shapes, shapes.tokenizer_info.vocabulary
        self.is_lost = False
        self.n_replaced = self.n_free = 0
        self._at = self.matcher.column_id()
        self._known: dict[tuple[tuple[int, int], int], tuple[int, bool]] = {}

    def take(self, token_id: int) -> int:
        """Go on with the output's token, and return the one to write for it.

        From the first that the grammar refuses on, there is no state to keep.
        """
        if self.is_lost or not self._accepts(token_id):
            written = self.in_place_of(token_id)
            self.is_lost = True
            return written
        before, self._at = self._at, self.matcher.column_id()
        if not self.shapes.is_text(token_id):
            return token_id
        key = (before, token_id)
        if key not in self._known:
            self.matcher.rollback(1)
            self._known[key] = self._accepted(token_id, self.vocabulary.bytes(token_id), self._at)
            self._accepts(token_id)
        return self._counted(token_id, *self._known[key])

    def in_place_of(self, token_id: int) -> int:
        """The token to write for one that was refused next, or that follows such a one."""
        if not self.shapes.is_text(token_id):
            return token_id
        data = self.vocabulary.bytes(token_id)
        if self.is_lost:
            return self._counted(token_id, *self._without_state(token_id, data))
        if not self._accepts(token_id):
            return self._counted(token_id, *self._refused(token_id, data))
        goal = self.matcher.column_id()
        self.matcher.rollback(1)
        return self._counted(token_id, *self._accepted(token_id, data, goal))

    def _counted(self, token_id: int, found: int, is_free: bool) -> int:
        self.n_replaced += found != token_id
        self.n_free += found == token_id and is_free
        return found

    def _accepts(self, token_id: int) -> bool:
        return not self.matcher.is_terminated() and self.matcher.accept_token(token_id)

    # ---- An accepted token: another one to the same state ----

    def _accepted(self, token_id: int, data: bytes, goal: tuple[int, int]) -> tuple[int, bool]:
        """The token in its place, and whether the token has free bytes that are not neutral."""
        wanted, is_free = self._neutral(data)
        if wanted == data:
            return token_id, False
        seen = {token_id}
        for candidate in self._candidates(wanted, is_free):
            if candidate not in seen and self._leads_to(candidate, goal):
                return candidate, True
            seen.add(candidate)
        return token_id, True

    def _neutral(self, data: bytes) -> tuple[bytes, list[bool]]:
        """The token's bytes, each free one neutral; and which are free. The matcher is where it was."""
        wanted, is_free = bytearray(), list[bool]()
        matcher = self.matcher
        for byte in data:
            if not matcher.accept_string(bytes([byte])):  # a token that the grammar names as a whole
                matcher.rollback(len(wanted))
                return data, []
            goal = matcher.column_id()
            chosen = None
            for other in _NEUTRAL[byte]:
                if other == byte:
                    chosen = byte
                    break
                matcher.rollback(1)
                if matcher.accept_string(bytes([other])):
                    if matcher.column_id() == goal:
                        chosen = other
                        break
                    matcher.rollback(1)
                matcher.accept_string(bytes([byte]))
            wanted.append(byte if chosen is None else chosen)
            is_free.append(chosen is not None)
        matcher.rollback(len(wanted))
        return bytes(wanted), is_free

    def _candidates(self, wanted: bytes, is_free: list[bool]) -> Iterator[int]:
        """Tokens to try: those that spell the neutral bytes, shorter ones, any of this shape, any at all."""
        find = self.vocabulary.find
        for spelled in _spellings(wanted, is_free):
            yield from find(spelled)[:1]
        yield from self.shapes.like(wanted)[:_MOST_OF_SHAPE]
        yield from islice(filter(self.shapes.is_text, self.matcher.allowed_tokens()), _MOST_TRIED)

    def _leads_to(self, token_id: int, goal: tuple[int, int]) -> bool:
        if not self._accepts(token_id):
            return False
        found = self.matcher.column_id() == goal
        self.matcher.rollback(1)
        return found

    # ---- A token that was refused: another one that dies at the same byte ----

    def _refused(self, token_id: int, data: bytes) -> tuple[int, bool]:
        died_at = self._died_at(token_id)
        begin = data[:died_at]
        head = begin if died_at is None else self._neutral(begin)[0]
        wanted = data.translate(_SHAPE) if died_at is None else head + data[died_at:].translate(_SHAPE)
        if wanted == data:
            return token_id, False
        shorter = [] if died_at is None else [wanted[: died_at + 1]]
        spelled = [one for text in (wanted, *shorter) for one in self.vocabulary.find(text)[:1]]
        others = [one for text in (b"x", b"0", b"a", b".") for one in self.vocabulary.find(text)[:1]]
        candidates = [*spelled, *self.shapes.like(wanted)[:_MOST_OF_SHAPE]]
        for candidate in candidates:
            if candidate != token_id and self._is_refused(candidate) and self._died_at(candidate) == died_at:
                return candidate, True
        for candidate in [*candidates, *others]:
            if candidate != token_id and self._is_refused(candidate):
                return candidate, True
        return token_id, True

    def _died_at(self, token_id: int) -> int | None:
        return self.matcher.explain(token_id)["died_at"]

    def _is_refused(self, token_id: int) -> bool:
        if not self._accepts(token_id):
            return True
        self.matcher.rollback(1)
        return False

    # ---- A token after one that the grammar refused: the grammar doesn't say what is free ----

    def _without_state(self, token_id: int, data: bytes) -> tuple[int, bool]:
        wanted = data.translate(_SHAPE)
        if wanted == data:
            return token_id, False
        found = [*self.vocabulary.find(wanted)[:1], *self.shapes.like(data)[:1], *self.vocabulary.find(b"x")[:1]]
        return (found[0] if found else token_id), True


def _spellings(wanted: bytes, is_free: list[bool]) -> Iterator[bytes]:
    """The neutral bytes; then with each run of free bytes shorter; then with an x for each longer character."""
    yield wanted
    yield from _shortened(wanted, is_free)
    if any(byte >= 0x80 for byte in wanted):
        plain = [(b"" if 0x80 <= byte < 0xC0 else b"x") if byte >= 0x80 else bytes([byte]) for byte in wanted]
        flags = [free for part, free in zip(plain, is_free, strict=True) if part]
        spelled = b"".join(plain)
        yield spelled
        yield from _shortened(spelled, flags)


def _shortened(wanted: bytes, is_free: list[bool]) -> Iterator[bytes]:
    runs: list[tuple[int, bool, int]] = []  # of equal bytes: the byte, whether free, how many
    for byte, free in zip(wanted, is_free, strict=True):
        if runs and runs[-1][:2] == (byte, free):
            runs[-1] = (byte, free, runs[-1][2] + 1)
        else:
            runs.append((byte, free, 1))
    longest = max((n for _, free, n in runs if free), default=0)
    for most in range(longest - 1, -1, -1):
        spelled = b"".join(bytes([byte]) * (min(n, most) if free else n) for byte, free, n in runs)
        if spelled:
            yield spelled


def _check(
    compiled: CompiledGrammar,
    ids: Sequence[int],
    made: Sequence[int],
    refused: tuple[int, int] | None,
    instead: int | None,
) -> None:
    """Both outputs are accepted as far, and the refused token's verdict is the same."""
    verdicts = [
        (_n_accepted(compiled, ids), refused is None or _is_refused(compiled, ids[: refused[0]], refused[1])),
        (_n_accepted(compiled, made), refused is None or _is_refused(compiled, made[: refused[0]], instead or 0)),
    ]
    if verdicts[0] != verdicts[1]:
        raise MatcherStateError(
            "the redacted output is not accepted as the output is",
            hint='please report this grammar; outputs="keep" records the output as it is',
        )


def _n_accepted(compiled: CompiledGrammar, ids: Iterable[int]) -> int:
    matcher, n = GrammarMatcher(compiled), 0
    for token_id in ids:
        if matcher.is_terminated() or not matcher.accept_token(token_id):
            return n
        n += 1
    return n


def _is_refused(compiled: CompiledGrammar, before: Iterable[int], token_id: int) -> bool:
    matcher = GrammarMatcher(compiled)
    if any(matcher.is_terminated() or not matcher.accept_token(one) for one in before):
        return True
    return matcher.is_terminated() or not matcher.accept_token(token_id)
