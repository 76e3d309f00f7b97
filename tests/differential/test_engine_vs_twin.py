"""The engine answers as the twins do: on the table of cases, on a small universe, and on random walks.

XG2LAB_SEED repeats a run; XG2LAB_FULL=1 visits the whole universe, XG2LAB_SHARE=0.1 a tenth of the usual samples.
A failure is shrunk to a small grammar before it is printed.
"""

import dataclasses
import os
import random
from collections.abc import Callable, Collection
from functools import partial
from typing import Any

import numpy as np
import pytest

from tests.cases import Case, ErrorCase, load_cases, load_error_cases
from tests.generators import (
    SHARE,
    exhaustive_grammars,
    mutate,
    random_calls,
    random_grammar,
    random_member,
    random_vocabulary,
    seeded,
    shrink,
    write_ebnf,
)
from xg2lab.reference.cfg import productions_of
from xg2lab.reference.earley import Chart, Column, parse
from xg2lab.reference.ebnf import Grammar, parse_ebnf
from xg2lab.reference.matcher import Matcher

pytest.importorskip("xg2lab._core", reason="the engine is not built")
import xg2lab as xgr

IS_FULL = os.environ.get("XG2LAB_FULL") == "1"
N_SAMPLED_GRAMMARS = round(1200 * SHARE)
N_WALKS = round(150 * SHARE)
MAX_ITEMS = 80  # in a column of the twin: a walk ends where ambiguity makes the twin slow

SWITCHES = [field.name for field in dataclasses.fields(xgr.EngineOptions) if field.type in ("bool", bool)]
OPTIONS = {
    "all-on": xgr.EngineOptions(),
    "all-off": xgr.EngineOptions(**dict.fromkeys(SWITCHES, False)),
    **{f"no-{name}": xgr.EngineOptions(**{name: False}) for name in SWITCHES},
    "all-counted": xgr.EngineOptions(repetition_threshold=0),
    "only-counted": xgr.EngineOptions(
        **{**dict.fromkeys(SWITCHES, False), "repetition_compression": True}, repetition_threshold=0
    ),
    "some-counted": xgr.EngineOptions(repetition_threshold=1),
    "in-context": xgr.EngineOptions(context_walks="always"),
    "by-entries": xgr.EngineOptions(context_walks="never"),
    "made-ahead": xgr.EngineOptions(partial_jit_k=1_000_000),
}
MAIN = ["all-on", "all-off", "all-counted", "only-counted"]
with_options = pytest.mark.parametrize("options", [OPTIONS[name] for name in MAIN], ids=MAIN)


class Engine:
    """One matcher of the engine, its bitmask read as a set."""

    def __init__(
        self,
        text: str,
        vocabulary: list[bytes],
        stop_token: int,
        options: Any = OPTIONS["all-on"],
        special_tokens: Collection[int] = (),
    ) -> None:
        info = xgr.TokenizerInfo(vocabulary, stop_token_ids=[stop_token], special_token_ids=sorted(special_tokens))
        self.matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info, options=options).compile_grammar(text))
        self.bitmask = xgr.allocate_token_bitmask(1, len(vocabulary))
        self.n_tokens = len(vocabulary)

    def mask(self, matcher: Any = None) -> set[int]:
        """The set of allowed tokens. Bits past the vocabulary are 0, and `fill` says whether anything is forbidden."""
        self.bitmask[:] = -1
        is_restricted = (matcher or self.matcher).fill_next_token_bitmask(self.bitmask)
        words = np.ascontiguousarray(np.asarray(self.bitmask)[0]).view(np.uint8)
        bits = np.unpackbits(words, bitorder="little")
        assert not bits[self.n_tokens :].any(), "padding bits are set"
        mask = set(np.flatnonzero(bits).tolist())
        assert is_restricted == (len(mask) < self.n_tokens)
        return mask


def refusal_of(text: str) -> Any:
    """The error with which the engine refuses a grammar, if it does."""
    try:
        Engine(text, [b"a", b"</s>"], 1)
    except xgr.Xg2LabError as error:
        return error
    return None


# ---- (a) The table of cases ----

CASES = load_cases()


@with_options
@pytest.mark.parametrize("case", CASES, ids=str)
def test_membership(case: Case, options: Any):
    engine = Engine(case.grammar, case.vocabulary, case.stop_token, options)
    for data in case.accepts:
        assert engine.matcher.accept_string(data), data
        assert engine.matcher.is_completed(), data
        engine.matcher.reset()
    for data in case.rejects:
        assert not (engine.matcher.accept_string(data) and engine.matcher.is_completed()), data
        engine.matcher.reset()
    for data in case.prefixes:
        assert engine.matcher.accept_string(data), data
        assert not engine.matcher.is_completed(), data
        engine.matcher.reset()


@with_options
@pytest.mark.parametrize("case", [case for case in CASES if case.masks], ids=str)
def test_masks(case: Case, options: Any):
    engine = Engine(case.grammar, case.vocabulary, case.stop_token, options)
    for step, mask in enumerate(case.masks):
        assert engine.mask() == mask, f"mask {step}"
        if step < len(case.path):
            assert engine.matcher.accept_token(case.path[step])


@pytest.mark.parametrize("case", load_error_cases(), ids=str)
def test_mistakes_have_places(case: ErrorCase):
    error = refusal_of(case.grammar)
    assert error is not None, "the engine takes it"
    found = [(d.line, d.column, d.code) for d in error.diagnostics if d.severity == "error"]
    assert sorted(found) == sorted(case.errors)


# ---- (b) The small universe: the mask after every string, by the definition ----

TINY_VOCABULARIES = [
    [b"a", b"b"],
    [b"a", b"b", b"ab", b"ba", b"aa", b"bb"],
    [b"", b"a", b"aab", b"abb", b"b", b"a", b"aba", b"c"],
    [b"ab", b"abb", b"abab", b"bbb", b"aaa", b"\xff", b"a\x00"],
    [b"aaaa", b"b", b"bba", b"ba", b"bab"],
]
N_BYTES = 4


def viable_strings(chart: Chart, n_bytes: int) -> dict[bytes, bool]:
    """Every viable beginning of at most `n_bytes`, and whether it is a member."""
    found = {bytes(chart.data): chart.is_complete()} if chart.is_alive else {}
    if n_bytes and found:
        for byte in chart.expected_bytes():
            chart.push(byte)
            found |= viable_strings(chart, n_bytes - 1)
            chart.pop(1)
    return found


def universe_disagreement(grammar: Grammar, vocabulary: list[bytes], options: Any) -> str | None:
    """The first string after which engine and twin differ."""
    text = write_ebnf(grammar)
    viable = viable_strings(parse(grammar), N_BYTES + max(map(len, vocabulary)))
    try:
        engine = Engine(text, [*vocabulary, b"</s>"], len(vocabulary), options)
    except xgr.Xg2LabError as error:
        return f"refused by the engine: {error}" if viable else None
    if not viable:
        return "empty for the twin, accepted by the engine"
    for data, is_member in viable.items():
        if len(data) > N_BYTES:
            continue
        if not engine.matcher.accept_string(data):
            return f"{data!r} is refused by the engine"
        expected = {token for token, piece in enumerate(vocabulary) if piece and data + piece in viable}
        expected |= {len(vocabulary)} if is_member else set()
        if (found := engine.mask()) != expected:
            return f"after {data!r}: the engine allows {sorted(found)}, the twin {sorted(expected)}"
        engine.matcher.rollback(1)
    return None


def report(grammar: Grammar, disagreement: Callable[[Grammar], str | None]) -> str:
    """A smaller grammar that disagrees as well, and how."""
    smallest = shrink(grammar, lambda smaller: disagreement(smaller) is not None)
    return f"\n{write_ebnf(smallest)}\n{disagreement(smallest)}\nshrunk from\n{write_ebnf(grammar)}"


@with_options
def test_small_universe(options: Any):
    rng = seeded("universe")
    texts = list(exhaustive_grammars(max_rules=2, max_operators=3))
    if not IS_FULL:
        texts = rng.sample(texts, N_SAMPLED_GRAMMARS // 2)
    for text in texts:
        grammar = parse_ebnf(text)
        for vocabulary in TINY_VOCABULARIES if IS_FULL else [rng.choice(TINY_VOCABULARIES)]:

            def disagreement(candidate: Grammar, vocabulary: list[bytes] = vocabulary) -> str | None:
                return universe_disagreement(candidate, vocabulary, options)

            if disagreement(grammar):
                pytest.fail(report(grammar, disagreement) + f"\nvocabulary {vocabulary}")


# ---- (c) Random grammars, random vocabularies, random walks ----


class KeptChart(Chart):
    """The twin's chart, which keeps each column that it has opened: masks and later walks read the same texts again.

    Without token edges a column does not change after it was opened, so the kept one is what would be computed again.
    """

    def __init__(self, grammar: Grammar) -> None:
        self.kept: dict[bytes, Column] = {}
        super().__init__(productions_of(grammar))

    def push(self, byte: int) -> bool:
        """Scan one byte, or take the column that this text has led to before."""
        after = bytes(self.data) + bytes([byte])
        if after not in self.kept:
            super().push(byte)
            self.kept[after] = self.columns[-1]
        else:
            self.data.append(byte)
            self.columns.append(self.kept[after])
        return self.is_alive


def kept_twin(grammar: Grammar, vocabulary: list[bytes]) -> Matcher:
    """A twin with such a chart; the stop token is the one after `vocabulary`. For grammars without token edges."""
    twin = Matcher(grammar, [*vocabulary, b"</s>"], [len(vocabulary)])
    twin.chart = KeptChart(grammar)
    return twin


class Walk:
    """Engine and twin side by side; `check` compares all that can be asked in one state."""

    def __init__(
        self,
        grammar: Grammar,
        vocabulary: list[bytes],
        options: Any,
        text: str | None = None,
        special_tokens: Collection[int] = (),
        twin: Matcher | None = None,
    ) -> None:
        self.stop_token = len(vocabulary)
        self.vocabulary = [*vocabulary, b"</s>"]
        self.engine = Engine(text or write_ebnf(grammar), self.vocabulary, self.stop_token, options, special_tokens)
        self.twin = twin or Matcher(grammar, self.vocabulary, [self.stop_token], special_tokens)
        self.mask = set[int]()  # the twin's, in the state that was checked last

    def check(self) -> str | None:
        """What differs in this state: the mask, whether the text is complete, forced text, any token's acceptance."""
        engine, matcher = self.engine, self.engine.matcher
        after = f"after {bytes(self.twin.chart.data)!r}"
        mask = self.mask = self.twin.mask()
        if (found := engine.mask()) != mask:
            return f"{after}: the engine allows {sorted(found)}, the twin {sorted(mask)}"
        if matcher.is_completed() != self.twin.is_completed:
            return f"{after}: is_completed differs from the twin's {self.twin.is_completed}"
        forced, found_forced = self.twin.find_jump_forward_string(), matcher.find_jump_forward_string()
        if found_forced != forced:
            return f"{after}: forced text {found_forced!r}, by the twin {forced!r}"
        for token in range(-1, len(self.vocabulary) + 1):  # the first and the last are no tokens
            if (is_accepted := matcher.accept_token(token)) != (token in mask):
                return f"{after}: mask and accept_token differ on token {token} {self.vocabulary[token:][:1]!r}"
            if is_accepted:
                matcher.rollback(1)
            if engine.mask() != mask:
                return f"{after}: token {token} {self.vocabulary[token:][:1]!r} left another mask behind"
        return None

    def check_fork(self, token: int) -> str | None:
        """A fork goes its own way: a token accepted by one is none of the other's business."""
        mask = self.mask
        fork = self.engine.matcher.fork()
        if not fork.accept_token(token) or self.engine.mask() != mask:
            return f"after {bytes(self.twin.chart.data)!r}: a fork that took token {token} moved its origin"
        fork.rollback(1)
        self.engine.matcher.accept_token(token)
        is_same = self.engine.mask(fork) == mask
        self.engine.matcher.rollback(1)
        return None if is_same else f"after {bytes(self.twin.chart.data)!r}: token {token} moved the fork"


def walk_disagreement(
    grammar: Grammar,
    vocabulary: list[bytes],
    seed: int,
    options: Any,
    text: str | None = None,
    twin: Matcher | None = None,
) -> str | None:
    """Walk from state to state by tokens, strings and rollbacks; the first difference, if there is one.

    `text`: how the grammar is written, where the generators don't know how. `twin`: one that has walked before.
    """
    twin = twin or kept_twin(grammar, vocabulary)
    twin.rollback(len(twin.steps))
    is_empty = not twin.chart.is_alive
    try:
        walk = Walk(grammar, vocabulary, options, text, twin=twin)
    except xgr.Xg2LabError as error:
        return None if is_empty else f"refused by the engine: {error}"
    return "empty for the twin, accepted by the engine" if is_empty else follow(walk, grammar, seed)


def follow(walk: Walk, grammar: Grammar, seed: int) -> str | None:
    """The steps of such a walk."""
    rng = random.Random(seed)
    for _ in range(8):
        if len(walk.twin.chart.columns[-1]) > MAX_ITEMS:
            return None
        if difference := walk.check():
            return difference
        allowed = sorted(walk.mask - {walk.stop_token})
        n_steps = len(walk.twin.steps)
        action = rng.random()
        if allowed and (difference := walk.check_fork(rng.choice(allowed))):
            return difference
        if n_steps and (action < 0.25 or not allowed):
            n_back = rng.randint(1, n_steps)
            walk.twin.rollback(n_back)
            walk.engine.matcher.rollback(n_back)
        elif action < 0.4:
            data = mutate(rng, random_member(rng, grammar) or b"a")[:6]
            if walk.twin.accept_string(data) != walk.engine.matcher.accept_string(data):
                return f"after {bytes(walk.twin.chart.data)!r}: accept_string({data!r}) differs"
        elif allowed:
            token = rng.choice(allowed)
            walk.twin.accept_token(token)
            walk.engine.matcher.accept_token(token)
    return None


Disagreement = Callable[[Grammar, list[bytes], int], str | None]  # of a grammar, a vocabulary, the seed of a walk


def check_walks(rng: random.Random, n_walks: int, n_tokens: list[int], disagreement: Disagreement) -> None:
    """Walks through grammars made at random; one on which there is disagreement is shrunk and shown."""
    for _ in range(n_walks):
        grammar = random_calls(rng) if rng.random() < 0.3 else random_grammar(rng)
        member = random_member(rng, grammar) or b"ab"
        vocabulary = random_vocabulary(rng, [member, mutate(rng, member)], n_tokens=rng.choice(n_tokens))
        seed = rng.randrange(10**9)
        if disagreement(grammar, vocabulary, seed):
            shown = report(grammar, partial(disagreement, vocabulary=vocabulary, seed=seed))
            pytest.fail(f"{shown}\nvocabulary {vocabulary}\nwalk {seed}")


@pytest.mark.parametrize("name", OPTIONS)
def test_random_walks(name: str):
    n_walks = N_WALKS * (20 if IS_FULL else 1) // (1 if name == "all-on" else 3)
    disagreement = partial(walk_disagreement, options=OPTIONS[name])
    check_walks(seeded(f"walks/{name}"), n_walks, [3, 12, 35, 70], disagreement)


def test_stop_token_ends_the_text_and_rollback_reopens_it():
    engine = Engine('root ::= "a"', [b"a", b"b", b"</s>"], 2)
    matcher = engine.matcher
    assert not matcher.accept_token(2)
    assert matcher.accept_token(0)
    assert matcher.accept_token(2)
    assert matcher.is_terminated()
    twin = Matcher(parse_ebnf('root ::= "a"'), [b"a", b"b", b"</s>"], [2])
    assert twin.accept_token(0)
    assert twin.accept_token(2)
    for ended in (matcher, twin):
        assert not any(ended.accept_token(token) for token in range(-1, 4))
        assert not ended.accept_string(b"")
    matcher.rollback(1)
    assert not matcher.is_terminated()
    assert engine.mask() == {2}
    matcher.rollback(1)
    assert engine.mask() == {0}
