r"""The shortest text on which two grammars, or two ways to run the engine, part.

>>> found = shortest_disagreement('root ::= "a" [0-9]{1,3}', 'root ::= "a" [0-9]{2,4}')
>>> print(found)
they part after "a0", byte 2: the end only in A
>>> print(shortest_disagreement('root ::= ("a" "b")*', 'root ::= ("ab" ("ab")*)?'))
they are equal: all 2 pairs of states that texts lead to allow the same

IDEA
  Both read the same bytes, and after each text what may come next is compared: all bytes, and the end. Texts are tried
  by length, so the first difference is a shortest one. The engine keeps a column once for each content
  (`GrammarMatcher.column_id`), so of texts that lead to one pair of columns the first is enough. A text that one of
  the two rejects is a difference, so only pairs of live columns have to be compared. If no pair is left, the two are
  equal, and that is a proof. Nested grammars have infinitely many pairs: the result then says up to which length the
  texts agree.

  Two sides that differ only in switches of the engine are compared on the vocabulary's own masks.

  Bytes that no edge of either program tells apart lead to the same place: one of each class is tried.

Shapes and units: bytes. `n_bytes`: both allow the same texts of up to so many bytes.
COST  A pair takes a few microseconds for each class of bytes, and a mask of each side.
See also `xg2lab.lab.comparison.comparing`: two sides along one text.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

import numpy as np

from xg2lab.errors import SessionError, Xg2LabError
from xg2lab.lab.comparison.replays import Row, Side, Stopped, byte_info
from xg2lab.lab.comparison.shortest_text import byte_ranges, shortest_text
from xg2lab.lab.comparison.sides import sides_of

if TYPE_CHECKING:
    from xg2lab.compiler import CompiledGrammar
    from xg2lab.grammar import Grammar
    from xg2lab.lab import schema
    from xg2lab.lab.session.session import Session
    from xg2lab.matcher import GrammarMatcher
    from xg2lab.options import EngineSwitches
    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["Bounds", "Shortest", "find_shortest", "shortest_disagreement"]

MOST_PAIRS = 200_000
_MOST_TOKENS = 20
_LOOK_S = 0.05
#: A byte or a token that a text may go on with, and whether a matcher takes it.
Move = tuple[bytes, Callable[["GrammarMatcher"], bool]]


class Bounds(TypedDict, total=False):
    """What bounds a search, and who hears of it; `shortest_disagreement` describes each."""

    most_pairs: int
    tell: Callable[[Shortest], object] | None
    is_cancelled: Callable[[], bool]


@dataclass
class Shortest:
    """What a search for the shortest disagreement has found so far.

    Attributes
    ----------
    verdict : str
        "part", they differ; "equal", proved; "none", no difference so far; "refused", a side was refused.
    text : bytes
        The text after which they differ.
    only_a, only_b : tuple of (int, int)
        Ranges of bytes that one side alone allows after the text.
    ends_a, ends_b : bool
        Whether the text may end there.
    reason_a, reason_b : str
        Why a side refuses what the other allows.
    tokens : tuple of int
        Token ids that one mask alone allows, if both sides have one vocabulary.
    n_bytes : int
        Both sides allow the same texts of up to this many bytes.
    n_pairs, n_waiting : int
        Pairs of columns that were compared, and that wait.
    seconds : float
        The time so far.
    why : str
        Why the search ended, or why it could not prove that they are equal.
    is_running : bool
        Whether the search is still at work.

    >>> found = shortest_disagreement('root ::= "a"', 'root ::= "a" | "b"')
    >>> found.verdict, found.text, found.only_b, found.to_wire()["shown"]
    ('part', b'', ((98, 98),), '')
    """

    verdict: Literal["part", "equal", "none", "refused"] = "none"
    text: bytes = b""
    only_a: tuple[tuple[int, int], ...] = ()
    only_b: tuple[tuple[int, int], ...] = ()
    ends_a: bool = False
    ends_b: bool = False
    reason_a: str = ""
    reason_b: str = ""
    tokens: tuple[int, ...] = ()
    n_bytes: int = 0
    n_pairs: int = 0
    n_waiting: int = 0
    seconds: float = 0.0
    why: str = ""
    is_running: bool = True

    def to_wire(self) -> schema.Shortest:
        """Return the result as JSON values.

        Returns
        -------
        dict
            A value for each field; `shown` is the text for readers, and `says` the result as a sentence.
        """
        return {
            "verdict": self.verdict,
            "text": self.text.hex(),
            "shown": self.text.decode("utf-8", "backslashreplace"),
            "only_a": [list(some) for some in self.only_a],
            "only_b": [list(some) for some in self.only_b],
            "says": str(self),
            "ends_a": self.ends_a,
            "ends_b": self.ends_b,
            "reason_a": self.reason_a,
            "reason_b": self.reason_b,
            "n_bytes": self.n_bytes,
            "n_pairs": self.n_pairs,
            "n_waiting": self.n_waiting,
            "seconds": self.seconds,
            "why": self.why,
            "is_running": self.is_running,
            "tokens": list(self.tokens),
        }

    def __str__(self) -> str:
        return shortest_text(self)


def shortest_disagreement(
    a: Session | Grammar | str,
    b: Session | Grammar | str | None = None,
    *,
    grammar: Grammar | str | None = None,
    seconds: float = 10.0,
    most_pairs: int = MOST_PAIRS,
    tell: Callable[[Shortest], object] | None = None,
    is_cancelled: Callable[[], bool] = lambda: False,
    **switches: Unpack[EngineSwitches],
) -> Shortest:
    """Search for the shortest text after which two grammars allow different continuations.

    Parameters
    ----------
    a : Session, Grammar or str
        Side A; text is read as EBNF.
    b : Session, Grammar or str, optional
        Side B.
    grammar : str or Grammar, optional
        Side B's grammar, if A is a session.
    seconds : float
        The budget.
    most_pairs : int
        The largest number of pairs of columns to compare.
    tell : callable, optional
        Called with the growing result, a few times a second.
    is_cancelled : callable
        Called as often, without arguments; True ends the search.
    **switches
        Fields of `EngineOptions`: of side B, if A is a session; of both sides otherwise.

    Returns
    -------
    Shortest
        "equal" is a proof; `print` says the result in words.

    Raises
    ------
    SessionError
        The two are neither two grammars nor a session and something to compare it with.

    >>> print(shortest_disagreement('root ::= "a" [0-9]{1,3}', 'root ::= "a" [0-9]{2,4}'))
    they part after "a0", byte 2: the end only in A
    """
    from xg2lab import EngineOptions, Grammar

    if isinstance(a, str | Grammar):
        if grammar is not None or not isinstance(b, str | Grammar):
            raise SessionError("two grammars, or two sessions", hint="shortest_disagreement(grammar_a, grammar_b)")
        options = EngineOptions(**switches)
        both = Side("A", _grammar(a), byte_info(), options), Side("B", _grammar(b), byte_info(), options)
    elif isinstance(b, str | Grammar):
        both = sides_of(a, None, _grammar(b), switches)
    else:
        both = sides_of(a, b, grammar, switches)
    return find_shortest(both, seconds, most_pairs, tell, is_cancelled)


def find_shortest(
    sides: tuple[Side, Side],
    seconds: float = 10.0,
    most_pairs: int = MOST_PAIRS,
    tell: Callable[[Shortest], object] | None = None,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> Shortest:
    """The same of the two sides of a comparison."""
    search = _Search(sides, seconds, most_pairs, tell, is_cancelled)
    found = search.found
    try:
        search.run()
    except Stopped as reason:
        found.why = str(reason)
    except Xg2LabError as error:
        found.verdict, found.why = "refused", f"{type(error).__name__}: {error}"
    found.is_running, found.n_waiting = False, len(search.waiting)
    found.seconds = time.monotonic() - search.begun
    if tell is not None:
        tell(found)
    return found


def _grammar(of: Grammar | str) -> Grammar:
    from xg2lab import Grammar

    return Grammar.from_ebnf(of) if isinstance(of, str) else of


@dataclass(frozen=True)
class _Pair:
    """Two matchers after one text, which is the one before and a byte or a token more."""

    a: GrammarMatcher
    b: GrammarMatcher
    before: _Pair | None
    data: bytes
    depth: int

    def text(self) -> bytes:
        parts: list[bytes] = []
        at: _Pair | None = self
        while at is not None:
            parts.append(at.data)
            at = at.before
        return b"".join(reversed(parts))


class _Search:
    """One search at work."""

    def __init__(
        self,
        sides: tuple[Side, Side],
        seconds: float,
        most_pairs: int,
        tell: Callable[[Shortest], object] | None,
        stop: Callable[[], bool],
    ) -> None:
        self.sides, self.budget, self.most_pairs, self.tell, self.stop = sides, seconds, most_pairs, tell, stop
        self.begun = self.looked = time.monotonic()
        self.told = 0.0
        self.found = Shortest()
        self.waiting: deque[_Pair] = deque()
        self.tables: dict[int, GrammarMatcher] = {}  # a matcher of each table: so that its columns keep their names

    def look(self) -> None:
        """Tell, and raise `Stopped` when it is time."""
        now = time.monotonic()
        self.found.seconds = now - self.begun
        self.found.n_waiting = len(self.waiting)
        if self.tell is not None and self.found.seconds - self.told > 0.2:
            self.told = self.found.seconds
            self.tell(self.found)
        if self.stop():
            raise Stopped("cancelled")
        if self.found.seconds > self.budget:
            raise Stopped(f"the budget of {self.budget:g} s")

    def run(self) -> None:
        """Breadth first over pairs of columns."""
        a, b, moves = self.prepare()
        found, seen = self.found, {self.name(a, b)}
        self.waiting.append(_Pair(a, b, None, b"", 0))
        while self.waiting:
            pair = self.waiting[0]  # it waits until it was looked at
            found.n_bytes = pair.depth
            if time.monotonic() - self.looked > _LOOK_S:
                self.looked = time.monotonic()
                self.look()
            if self.parts(pair):
                return
            found.n_pairs += 1
            for data, takes in moves:
                next_a, next_b = pair.a.fork(), pair.b.fork()
                taken = takes(next_a), takes(next_b)
                if taken[0] != taken[1]:  # no mask said so: of a byte that is no token
                    self.note(pair, data)
                    return
                if not taken[0]:
                    continue
                name = self.name(next_a, next_b)
                if name not in seen:
                    if len(seen) >= self.most_pairs:
                        raise Stopped(f"{self.most_pairs:,} pairs of states")
                    seen.add(name)
                    self.waiting.append(_Pair(next_a, next_b, pair, data, pair.depth + 1))
            self.waiting.popleft()
        found.verdict = "none" if found.why else "equal"

    def prepare(self) -> tuple[GrammarMatcher, GrammarMatcher, list[Move]]:
        """Matchers of both before the first byte, and what each text may go on with."""
        from xg2lab import GrammarMatcher

        a, b = self.sides
        is_one = a.info.vocabulary.content_hash == b.info.vocabulary.content_hash
        is_same = a.meaning == b.meaning
        compiled = [self.compile(side, side.info if is_one and is_same else byte_info()) for side in self.sides]
        programs = [made.program() for made in compiled]
        rules = [rule for program in programs for rule in program["rules"]]
        of_tokens = [rule["tokens"] for rule in rules if "tokens" in rule]
        named = {token for tokens in of_tokens for token in tokens["ids"]}
        if of_tokens:
            if not is_one:
                raise SessionError("a grammar that names token ids is compared with one of the same vocabulary")
            compiled = [self.compile(side, side.info) for side in self.sides]
            self.found.why = "the grammar names tokens: of those that it does not name, texts are tried byte by byte"
        elif any("max_tokens" in rule.get("options", {}) for rule in rules):
            self.found.why = "the grammar limits tokens: texts are tried byte by byte"
        self.info = compiled[0].tokenizer_info
        moves: list[Move] = [(data, lambda m, data=data: m.accept_string(data)) for data in representatives(programs)]
        vocab = self.info.decoded_vocab
        takeable = sorted(named - set(self.info.stop_token_ids))
        taken: list[Move] = [(vocab[token], lambda m, token=token: m.accept_token(token)) for token in takeable]
        moves += taken
        first, second = (GrammarMatcher(made, max_rollback_tokens=0) for made in compiled)
        return first, second, moves

    def compile(self, side: Side, info: TokenizerInfo) -> CompiledGrammar:
        """A side, apart from everything else."""
        return Side(side.name, side.grammar, info, side.options, side.instance).compile(None, self.look)

    def name(self, a: GrammarMatcher, b: GrammarMatcher) -> tuple[tuple[int, int], tuple[int, int]]:
        """Name what may follow on both sides."""
        names = a.column_id(), b.column_id()
        for matcher, (table, _) in zip((a, b), names, strict=True):
            self.tables.setdefault(table, matcher)
        return names

    def parts(self, pair: _Pair) -> bool:
        """Whether the masks differ."""
        a, b = self.row(pair.a), self.row(pair.b)
        if np.array_equal(a, b):
            return False
        ids = np.flatnonzero(np.unpackbits((a ^ b).view(np.uint8), bitorder="little"))
        self.note(pair, b"")
        self.found.tokens = tuple(ids[:_MOST_TOKENS].tolist())
        return True

    def row(self, matcher: GrammarMatcher) -> Row:
        """The mask."""
        row = np.zeros((1, (self.info.vocab_size + 31) // 32), np.int32)
        matcher.fill_next_token_bitmask(row, 0)
        return row[0]

    def note(self, pair: _Pair, data: bytes) -> None:
        """They part after this pair's text; at `data`, if the masks say nothing of it."""
        found = self.found
        found.verdict, found.text, found.why = "part", pair.text(), ""
        found.n_bytes = len(found.text)
        found.ends_a, found.ends_b = pair.a.is_completed(), pair.b.is_completed()
        takes = [[m.fork().accept_string(bytes([k])) for k in range(256)] for m in (pair.a, pair.b)]
        found.only_a = byte_ranges([x and not y for x, y in zip(*takes, strict=True)])
        found.only_b = byte_ranges([y and not x for x, y in zip(*takes, strict=True)])
        for name, matcher, only in (("a", pair.a, found.only_b), ("b", pair.b, found.only_a)):
            if only or data:
                setattr(found, f"reason_{name}", str(matcher.explain(data=data or bytes([only[0][0]]))["reason"]))


def representatives(programs: Sequence[schema.Program]) -> list[bytes]:
    """One byte of each class that no edge of the programs tells apart; of a class one that can be read, if it has one.

    >>> edges = [{"kind": "bytes", "ranges": [(97, 99)]}]
    >>> representatives([{"edges": edges}])
    [b'0', b'a']
    """
    known = {
        tuple(map(tuple, edge["ranges"]))
        for program in programs
        for edge in program["edges"]
        if edge["kind"] == "bytes"
    }
    marks = [0] * 256
    for bit, ranges in enumerate(known):
        for lo, hi in ranges:
            for k in range(lo, hi + 1):
                marks[k] |= 1 << bit
    chosen: dict[int, int] = {}
    for k in sorted(range(256), key=lambda k: (not chr(k).isalnum() or k > 127, not 32 < k < 127, k)):
        chosen.setdefault(marks[k], k)
    return [bytes([k]) for k in sorted(chosen.values())]
