"""Random sentences of a grammar: texts that it accepts, short and varied.

>>> sample('root ::= "[" item ("," item)* "]"   item ::= [0-9] | root', 4, seed=1, max_length=12)
['[7,1,8,6]', '[[[8]]]', '[[0],[0]]', '[[3],8,[9]]']
>>> len(set(sample('root ::= [ab]{2}', 100, seed=0)))
4

IDEA
  A leftmost derivation with a budget of code points for each part. Only those branches of a choice are drawn that can
  end within the budget. What the parts of a sequence do not need at the least is distributed among them at random.
  So recursion ends without a bound on depth, and each sentence keeps to `max_length`. Of two branches drawn, the one
  taken less often is taken: a few sentences visit every alternative.

  A part whose derivation takes too many steps continues on the shortest way (`Nodes.order`), which ends.

Shapes and units: lengths and budgets count code points; a token edge counts one.
See also: `xg2lab.language.nodes`, which knows the lengths; `xg2lab.language.examples.check`, which judges texts.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from xg2lab.errors import ArgumentError, GrammarError, UnsupportedError, VocabularyError
from xg2lab.grammar import Grammar
from xg2lab.language.nodes import ByteMachine, Dispatch, Nodes, TokenEdge
from xg2lab.support.arguments import instance, whole_number
from xg2lab.tokenizer_info import TokenizerInfo

if TYPE_CHECKING:
    from xg2lab._core import GrammarMatcher

__all__ = ["Sampler", "sample", "sample_tokens"]

DEFAULT_LENGTH = 60
MOST_MEMBERS = 1_000_000
MOST_LENGTH = 1_000_000  # code points of a member
STEPS_A_CODE_POINT = 40  # of a derivation, before it goes the shortest way
FREE_TEXT = "abcdefghijklmnopqrstuvwxyz ABCXYZ0123456789.,:;!?<>[]{}()/'\"\n-_é你😀"
PRINTABLE = (0x20, 0x7E)

Piece = str | bytes | int  # text, a machine's bytes, the id of a token


def sample(
    grammar: Grammar | str, n: int = 10, *, seed: int | None = None, max_length: int = DEFAULT_LENGTH
) -> list[str]:
    """Draw random sentences of a grammar.

    Parameters
    ----------
    grammar : Grammar or str
        Text is read as EBNF.
    n : int
        The number of sentences; at most a million.
    seed : int, optional
        The same seed gives the same sentences.
    max_length : int
        The longest sentence, in code points; at most a million.

    Returns
    -------
    list of str
        In the order of drawing; some may be equal. Bytes that are not UTF-8 are lone surrogates ("surrogateescape").

    Raises
    ------
    ArgumentError
        `max_length` is less than the length of the shortest sentence.
    UnsupportedError
        The grammar has token edges: see `sample_tokens`.

    >>> sample('root ::= "a" | "b"', 3, seed=0)
    ['b', 'a', 'b']
    """
    sampler = _sampler(grammar, seed, max_length)
    sampler.refuse_tokens()
    return [
        _joined(sampler.draw()).decode("utf-8", "surrogateescape") for _ in range(whole_number(n, "n", 0, MOST_MEMBERS))
    ]


def sample_tokens(
    grammar: Grammar | str,
    tokenizer_info: TokenizerInfo,
    n: int = 10,
    *,
    seed: int | None = None,
    max_length: int = DEFAULT_LENGTH,
) -> list[list[int]]:
    """Draw random sentences of a grammar as token ids.

    Text is spelled by the longest tokens; a token edge is a token of its set. No stop token is appended. The rule
    option `max_tokens` is not considered: a text is spelled without regard to it.

    Parameters
    ----------
    grammar : Grammar or str
        Text is read as EBNF.
    tokenizer_info : TokenizerInfo
        The vocabulary.
    n : int
        The number of sentences; at most a million.
    seed : int, optional
        The same seed gives the same sentences.
    max_length : int
        The longest sentence, in code points, a token edge counting as one; at most a million.

    Returns
    -------
    list of list of int
        The token ids of each sentence.

    Raises
    ------
    ArgumentError
        `max_length` is less than the length of the shortest sentence.
    VocabularyError
        The vocabulary can't spell a sentence.

    >>> import xg2lab as xgr
    >>> info = xgr.TokenizerInfo([b"a", b"b", b"ab", b"<call>", b"</s>"], stop_token_ids=[4], special_token_ids=[3])
    >>> sample_tokens('root ::= "ab" Token(3) "b"', info, 1, seed=0)
    [[2, 3, 1]]
    """
    instance(tokenizer_info, TokenizerInfo, "tokenizer_info")
    sampler = _sampler(grammar, seed, max_length, tokenizer_info)
    return [sampler.spelled(sampler.draw()) for _ in range(whole_number(n, "n", 0, MOST_MEMBERS))]


def _sampler(grammar: Grammar | str, seed: int | None, max_length: int, info: TokenizerInfo | None = None) -> Sampler:
    instance(grammar, (str, Grammar), "grammar", "a Grammar or a str")
    if isinstance(grammar, str):
        grammar = Grammar.from_ebnf(grammar)
    return Sampler(grammar, random.Random(seed), whole_number(max_length, "max_length", 0, MOST_LENGTH), info)


def _encoded(piece: Piece) -> bytes:
    if isinstance(piece, str):
        return piece.encode("utf-8", "surrogateescape")
    assert isinstance(piece, bytes), "a token edge has no text"
    return piece


def _joined(pieces: list[Piece]) -> bytes:
    return b"".join(map(_encoded, pieces))


@dataclass
class Sampler:
    """Draws members of one grammar."""

    grammar: Grammar
    rng: random.Random
    max_length: int
    tokenizer_info: TokenizerInfo | None = None
    nodes: Nodes = field(init=False)
    taken: dict[int, int] = field(init=False, default_factory=dict[int, int])  # by expression: how often drawn

    def __post_init__(self) -> None:
        self.nodes = Nodes.of(self.grammar)
        self.lazy: dict[int, GrammarMatcher] = {}
        shortest = self.length(self.nodes.rules[self.nodes.root].body)
        if any(rule.is_lazy or rule.max_chars is not None for rule in self.nodes.rules):
            _byte_matcher(self.grammar)  # refuses options that can't be kept, at their place
        if shortest > self.max_length:
            raise ArgumentError(
                f"no sentence has at most {self.max_length} characters: the shortest has {shortest}",
                hint=f"ask for max_length={shortest} or more",
            )

    def refuse_tokens(self) -> None:
        """Refuses a grammar with token edges, by name."""
        for rule in self.nodes.reached():
            for index in self.nodes.walk(self.nodes.rules[rule].body):
                if self.nodes[index].tokens is not None:
                    raise UnsupportedError(
                        f"rule `{self.nodes.rules[rule].name}` takes a token by its id, {self.nodes[index].tokens}, "
                        "so its sentences are not texts",
                        hint="draw ids: sample_tokens(grammar, tokenizer_info)",
                    )

    def length(self, index: int) -> int:
        """Code points of the shortest text of an expression that has one."""
        length = self.nodes.lengths[index]
        if length is None:
            raise GrammarError("this grammar matches nothing")
        return length

    # ---- A derivation: what is left to be done is on a stack, the next on top ----

    def draw(self) -> list[Piece]:
        """One member, in pieces."""
        pieces: list[Piece] = []
        n_left = STEPS_A_CODE_POINT * (self.max_length + 5)
        agenda: list[tuple[int, int]] = []  # (expression, budget); or (~rule, where its text begins): cut it
        self._enter(self.nodes.root, self.max_length, agenda, pieces)
        while agenda:
            index, budget = agenda.pop()
            if index < 0:
                pieces[budget:] = [self._cut(~index, _joined(pieces[budget:]))]
                continue
            n_left -= 1
            if n_left < 0 and self.nodes.lengths[index] == 0:
                continue  # a derivation of nothing may be very large
            node = self.nodes[index]
            match node.kind:
                case "literal":
                    pieces.append(node.text)
                case "class":
                    pieces.append(self._code_point(node.ranges))
                case "rule":
                    self._enter(node.rule, budget, agenda, pieces)
                case "sequence":
                    agenda += reversed(self._dealt(node.children, budget))
                case "choice":
                    agenda.append((self._branch(node.children, budget, is_tired=n_left < 0), budget))
                case "repeat":
                    agenda += self._iterations(index, budget, is_tired=n_left < 0)
                case "any_order":
                    assert node.any_order is not None
                    drawn = node.any_order.drawn(
                        node.children, self.nodes.lengths, budget, self.rng, is_tired=n_left < 0
                    )
                    agenda += reversed(self._dealt(drawn, budget))
                case "dispatch":
                    assert node.dispatch is not None
                    self._free_text(node.dispatch, node.children, budget, agenda, pieces, index)
                case "tokens":
                    assert node.tokens is not None
                    pieces.append(self._token(node.tokens))
                case "machine":
                    pieces.append(self._walk(self.nodes.machines[index], budget))
                case _:
                    pass
        return pieces

    def _enter(self, number: int, budget: int, agenda: list[tuple[int, int]], pieces: list[Piece]) -> None:
        rule = self.nodes.rules[number]
        if rule.is_lazy:
            agenda.append((~number, len(pieces)))
        agenda.append((rule.body, budget if rule.max_chars is None else min(budget, rule.max_chars)))

    def _dealt(self, children: tuple[int, ...], budget: int) -> list[tuple[int, int]]:
        """Each part with what it needs and a share of what is left."""
        least = [self.length(child) for child in children]
        spare = budget - sum(least)
        if spare == 0:
            return list(zip(children, least, strict=True))
        weights = [0.0 if self.nodes[child].kind in ("literal", "class") else self.rng.random() for child in children]
        total = sum(weights) or 1.0
        dealt: list[tuple[int, int]] = []
        before, so_far = 0, 0.0
        for child, need, weight in zip(children, least, weights, strict=True):
            so_far += weight
            end = round(spare * so_far / total)  # sums are rounded, so that nothing gets lost
            dealt.append((child, need + end - before))
            before = end
        return dealt

    def _branch(self, children: tuple[int, ...], budget: int, *, is_tired: bool) -> int:
        lengths = self.nodes.lengths
        fitting = [child for child in children if (length := lengths[child]) is not None and length <= budget]
        if is_tired:
            return min(fitting, key=self.nodes.order.__getitem__)
        one, other = self.rng.choice(fitting), self.rng.choice(fitting)
        chosen = one if self.taken.get(one, 0) <= self.taken.get(other, 0) else other
        self.taken[chosen] = self.taken.get(chosen, 0) + 1
        return chosen

    def _iterations(self, index: int, budget: int, *, is_tired: bool) -> list[tuple[int, int]]:
        node = self.nodes[index]
        child = node.children[0]
        length = self.nodes.lengths[child]
        if length is None:
            return []
        spare = budget - node.least * length
        room = spare // max(length, 1)
        extra = room if node.most is None else min(room, node.most - node.least)
        n_more = 0 if is_tired else self._how_many(extra)
        # Of many iterations that may be empty all but a few are.
        n_times = node.least + n_more if length else min(node.least + n_more, budget + 1)
        return self._dealt((child,) * n_times, budget)

    def _how_many(self, most: int) -> int:
        """A number up to `most`: few as a rule, any now and then."""
        if self.rng.random() < 0.1:
            return self.rng.randint(0, most)
        n = 0
        while n < most and self.rng.random() < 0.6:
            n += 1
        return n

    # ---- Leaves ----

    def _code_point(self, ranges: tuple[tuple[int, int], ...]) -> str:
        """One of a class: mostly a printable letter of ASCII, if there is one; else each as likely as another."""
        plain = [(max(lo, PRINTABLE[0]), min(hi, PRINTABLE[1])) for lo, hi in ranges]
        plain = [(lo, hi) for lo, hi in plain if lo <= hi]
        among = plain if plain and self.rng.random() < 0.9 else list(ranges)
        at = self.rng.randrange(sum(hi - lo + 1 for lo, hi in among))
        for lo, hi in among:
            if at <= hi - lo:
                return chr(lo + at)
            at -= hi - lo + 1
        raise AssertionError("a draw is among its ranges")

    def _token(self, edge: TokenEdge) -> int:
        if self.tokenizer_info is None:
            raise UnsupportedError(f"{edge} takes a token by its id", hint="sample_tokens(grammar, tokenizer_info)")
        vocabulary = self.tokenizer_info.vocabulary
        names = {name.encode() for name in edge.names}
        listed = edge.ids | {i for i, data in enumerate(vocabulary.all_bytes() if names else []) if data in names}
        usable = [
            i for i, kind in enumerate(vocabulary.all_kinds()) if kind in (0, 1) and (i in listed) != edge.is_negated
        ]
        if not usable:
            raise VocabularyError(f"no token of this vocabulary is in {edge}")
        return self.rng.choice(usable)

    def _walk(self, machine: ByteMachine, budget: int) -> bytes:
        """From the machine's start to an end, at random as long as an end is within the budget."""
        out = bytearray()
        state = machine.start
        while True:
            ways: list[tuple[int, int, int]] = []
            for lo, hi, to in machine.edges[state]:
                cost = 0 if 0x80 <= lo < 0xC0 else 1
                if to in machine.distance and machine.distance[to] + cost <= budget:
                    ways.append((lo, hi, to))
            if state in machine.accepting and (not ways or self.rng.random() < 0.3):
                return bytes(out)
            plain = [(max(lo, 0x20), min(hi, 0x7E), to) for lo, hi, to in ways if lo <= 0x7E and hi >= 0x20]
            lo, hi, state = self.rng.choice(plain if plain and self.rng.random() < 0.9 else ways)
            byte = self.rng.randint(lo, hi)
            budget -= 0 if 0x80 <= byte < 0xC0 else 1
            out.append(byte)

    # ---- Free text ----

    def _free_text(
        self,
        dispatch: Dispatch,
        references: tuple[int, ...],
        budget: int,
        agenda: list[tuple[int, int]],
        pieces: list[Piece],
        index: int,
    ) -> None:
        """Some free text, then one of: a tag and its rule (and, in a loop, free text again), a stop text, the end."""
        ends: list[tuple[str, int | None, int]] = [("", None, 0)] if dispatch.stop_eos else []
        ends += [(stop, None, len(stop)) for stop in dispatch.stop_texts if dispatch.is_readable(stop)]
        after = self.length(index) if dispatch.loop_after_dispatch else 0
        for tag, reference in zip(dispatch.tags, references, strict=True):
            length = self.nodes.lengths[reference]
            if length is not None and dispatch.is_readable(tag):
                ends.append((tag, reference, len(tag) + length + after))
        ends = [end for end in ends if end[2] <= budget]
        word, reference, cost = self.rng.choice(ends)
        text = self._unwatched(dispatch, budget - cost, word)
        pieces.append(text + word)
        if reference is None:
            return
        left = budget - len(text) - len(word)
        share = self.rng.randint(self.length(reference), left - after)
        if dispatch.loop_after_dispatch:
            agenda.append((index, left - share))
        agenda.append((reference, share))

    def _unwatched(self, dispatch: Dispatch, most: int, word: str) -> str:
        """Free text in which nothing watched is read, nor with `word` behind it before the word's own end."""
        text = ""
        for _ in range(self._how_many(most)):
            longer = text + self.rng.choice(FREE_TEXT)
            if dispatch.fires(longer) is None:
                text = longer
        while text and word and dispatch.first_fired(text + word, len(text)) != (word, len(text + word)):
            text = text[:-1]
        return text

    # ---- Lazy rules ----

    def _cut(self, number: int, text: bytes) -> bytes:
        """The shortest beginning of a lazy rule's text that is a match: where the rule ends."""
        if number not in self.lazy:
            self.lazy[number] = _byte_matcher(_rule_alone(self.grammar, number))
        matcher = self.lazy[number]
        matcher.reset()
        for n_bytes in range(len(text)):
            if matcher.is_completed():
                return text[:n_bytes]
            matcher.accept_string(text[n_bytes : n_bytes + 1])
        return text

    # ---- Ids ----

    def spelled(self, pieces: list[Piece]) -> list[int]:
        """Pieces as ids of tokens."""
        assert self.tokenizer_info is not None
        ids: list[int] = []
        text = b""
        for piece in [*pieces, None]:
            if piece is not None and not isinstance(piece, int):
                text += _encoded(piece)
                continue
            ids += self.tokenizer_info.encode_greedy(text)
            ids += [] if piece is None else [piece]
            text = b""
        return ids


def _byte_matcher(grammar: Grammar) -> GrammarMatcher:
    from xg2lab.language.byte_matcher import text_matcher

    return text_matcher(grammar)


def _rule_alone(grammar: Grammar, number: int) -> Grammar:
    """The grammar with another root, which is not lazy."""
    tables = grammar._to_plain()  # pyright: ignore[reportPrivateUsage]
    tables["root"] = number
    rows = [(row[0], row[1], row[2], row[3] and row[0] != number, *row[4:]) for row in tables.get("options", [])]
    if rows:
        tables["options"] = [row for row in rows if any(value not in (None, False) for value in row[1:6])]
    return Grammar._from_plain(tables)  # pyright: ignore[reportPrivateUsage]
