"""Counted repetitions mean what written out ones mean: to Python's `re`, to the twin that counts, at both bounds.

XG2LAB_SEED repeats a run; XG2LAB_SHARE=0.1 does a tenth of the usual samples. The thresholds are small, so that small
counts reach the machinery of large ones; the large ones are visited where it matters, near their bounds.
"""

import random
import re
from typing import Any

import numpy as np
import pytest

from tests.generators import SHARE, is_text, mutate, seeded, write_ebnf
from xg2lab.reference.counted import Reader
from xg2lab.reference.ebnf import Expression, Grammar, parse_ebnf

pytest.importorskip("xg2lab._core", reason="the engine is not built")
import xg2lab as xgr

PARTS = ['"a"', "[ab]", '("a" | "ab")', '("a" | "aa")', '("aa" | "aaa")', '"é"', "[aé😀]", '("a" "b"?)', '("a"? "b"?)']
LETTERS = ["a", "b", "é", "😀", ";"]
TOKENS = [
    b"a",
    b"b",
    b"aa",
    b"ab",
    b"aaa",
    b"ba",
    b"aaaaaaaa",
    b"a;",
    b";",
    b";a",
    "é".encode(),
    b"\xc3",
    b"\xa9a",
    b"bb",
]


def engine_of(text: str, tokens: list[bytes] = TOKENS, **options: Any) -> xgr.GrammarMatcher:
    info = xgr.TokenizerInfo([*tokens, b"</s>"], stop_token_ids=[len(tokens)])
    compiler = xgr.GrammarCompiler(info, options=xgr.EngineOptions(**options))
    return xgr.GrammarMatcher(compiler.compile_grammar(text))


def mask_of(matcher: xgr.GrammarMatcher, n_tokens: int) -> set[int]:
    bitmask = xgr.allocate_token_bitmask(1, n_tokens)
    matcher.fill_next_token_bitmask(bitmask)
    bits = np.unpackbits(np.ascontiguousarray(np.asarray(bitmask)[0]).view(np.uint8), bitorder="little")
    return set(np.flatnonzero(bits).tolist())


def legal(reader: Reader, tokens: list[bytes] = TOKENS) -> set[int]:
    """The mask by definition."""
    stop = {len(tokens)} if reader.is_complete() else set[int]()
    return {token for token, data in enumerate(tokens) if reader.can_follow(data)} | stop


# ---- Small counts, counted all the same ----


def random_counted(rng: random.Random, max_depth: int = 3) -> str:
    """A grammar of counted parts: one in another, one after another, with or without an end."""

    def bounds() -> str:
        least = rng.randint(0, 6)
        return rng.choice([f"{{{least},{least + rng.randint(0, 7)}}}"] * 4 + [f"{{{least},}}", f"{{{least}}}"])

    def expression(depth: int) -> str:
        if depth == 0:
            return rng.choice(PARTS)
        parts = [
            rng.choice(["", '"a" ', '";" ', "[ab] "])
            + expression(depth - 1)
            + bounds()
            + rng.choice(["", ' "b"', ' ";"'])
            for _ in range(rng.choice([1, 1, 2]))
        ]
        return "(" + rng.choice([" | ", " "]).join(parts) + ")"

    return f'root ::= {expression(rng.randint(1, max_depth))} "."?'


def pattern_of(expression: Expression) -> str:
    match expression:
        case ("literal", data):
            return f"(?:{re.escape(data.decode())})"
        case ("class", ranges):
            return "[" + "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in ranges) + "]"
        case ("seq", parts):
            return "(?:" + "".join(map(pattern_of, parts)) + ")"
        case ("choice", branches):
            return "(?:" + "|".join(map(pattern_of, branches)) + ")"
        case ("repeat", part, least, most):
            return f"(?:{pattern_of(part)}){{{least},{'' if most is None else most}}}"
        case _:
            raise AssertionError(expression)


def random_text(rng: random.Random, grammar: Grammar, n_bytes: int) -> bytes:
    """A text that the grammar reads as far as it goes, byte by byte."""
    reader = Reader(grammar)
    data = bytearray()
    while len(data) < n_bytes:
        expected = sorted({byte for boxes, _ in reader.columns[-1] if boxes for byte in boxes[0]})
        if not expected or (reader.is_complete() and rng.random() < 0.1):
            break
        data.append(rng.choice(expected))
        reader.push(data[-1])
    return bytes(data)


@pytest.mark.parametrize("threshold", range(9))
def test_counted_parts_are_what_re_and_the_twin_say(threshold: int):
    rng = seeded(f"counted/{threshold}")
    for _ in range(max(1, round(25 * SHARE))):
        depth = rng.choice([1, 3])
        text = random_counted(rng, max_depth=depth)
        grammar = parse_ebnf(text)
        # One in another is more than `re` can do: it tries all ways to share a text between the
        # two.
        pattern = re.compile(pattern_of(grammar.rules["root"])) if depth == 1 else None
        matcher = engine_of(text, repetition_threshold=threshold)
        for _ in range(4):
            data = random_text(rng, grammar, rng.choice([3, 10, 20]))
            for tried in (data, mutate(rng, data)):
                reader = Reader(grammar)
                is_viable = all(reader.push(byte) for byte in tried)
                is_member = is_viable and reader.is_complete()
                if pattern and is_text(tried):
                    assert bool(pattern.fullmatch(tried.decode())) == is_member, (text, tried)
                assert matcher.accept_string(tried) == is_viable, (text, tried)
                assert (is_viable and matcher.is_completed()) == is_member, (text, tried)
                if is_viable:
                    matcher.rollback(1)


@pytest.mark.parametrize("threshold", range(9))
def test_masks_are_what_is_accepted_along_random_walks(threshold: int):
    rng = seeded(f"walks/{threshold}")
    for _ in range(max(1, round(12 * SHARE))):
        text = random_counted(rng)
        walk(rng, text, Reader(parse_ebnf(text)), engine_of(text, repetition_threshold=threshold), n_steps=10)


def walk(rng: random.Random, text: str, reader: Reader, matcher: xgr.GrammarMatcher, n_steps: int) -> None:
    """Step by tokens, fork, roll back; in each state the mask is the definition's, and what accept takes."""
    stop = len(TOKENS)
    lengths: list[int] = []
    for _ in range(n_steps):
        mask = legal(reader)
        assert mask_of(matcher, stop + 1) == mask, text
        for token in range(stop + 1):
            is_accepted = matcher.accept_token(token)
            assert is_accepted == (token in mask), (text, token)
            if is_accepted:
                matcher.rollback(1)
        choices = sorted(mask - {stop})
        if lengths and (not choices or rng.random() < 0.2):
            n_back = rng.randint(1, len(lengths))
            matcher.rollback(n_back)
            reader.pop(sum(lengths[-n_back:]))
            del lengths[-n_back:]
        elif choices:
            token = rng.choice(choices)
            fork = matcher.fork()
            assert fork.accept_token(token)
            assert mask_of(matcher, stop + 1) == mask, (text, "a fork moved its origin")
            matcher = rng.choice([fork, matcher])
            if matcher is not fork:
                assert matcher.accept_token(token)
            for byte in TOKENS[token]:
                reader.push(byte)
            lengths.append(len(TOKENS[token]))


# ---- Large counts, at their bounds ----

LARGE = [
    ("[ab]{300,3000}", b"ab"),
    ("[ab]{2999,3000}", b"ba"),
    ("[ab]{3000}", b"a"),
    ("[aé😀]{300,2000}", "aé😀".encode()),
    ('("a" | "ab"){500,2000}', b"aab"),
    ('("aa" | "aaa"){100,150}', b"aaaaa"),
    ('("a"? "b"?){20,90}', b"b"),
    ("[ab]{1500,}", b"a"),
    ('([ab]{3,100000} ";"){2,400}', b"aba;abab;"),
    ('(([ab]{2,50} "b"){1,9} ";"){2,400}', b"abbb;"),
    ('item{100,300}   item ::= "a" | "b" item{0,100} ";"', b"abaa;"),
    ('[ab]{100} [ab]{0,900} ";"', b"ab"),
]


@pytest.mark.parametrize(("body", "unit"), LARGE, ids=[body for body, _ in LARGE])
def test_masks_near_the_bounds_of_large_counts(body: str, unit: bytes):
    rng = seeded(f"large/{body}")
    text = f"root ::= {body}" if "::=" in body else f'root ::= {body} ";"?'
    reader = Reader(parse_ebnf(text))
    matcher = engine_of(text)
    places = place_changes(reader, unit, n_bytes=4500)
    data = (unit * (places[-1] // len(unit) + 1))[: places[-1]]
    reader.pop(len(reader.columns) - 1)
    for place in sorted({max(0, place - back) for place in places for back in (0, 1, 2, 9, 10, 60)}):
        assert all(reader.push(byte) for byte in data[len(reader.columns) - 1 : place])
        matcher.reset()
        assert matcher.accept_string(data[:place])
        walk(rng, text, reader, matcher, n_steps=3)
        reader.pop(len(reader.columns) - 1 - place)


def place_changes(reader: Reader, unit: bytes, n_bytes: int) -> list[int]:
    """Where in `unit unit unit ...` it changes whether the text is complete, or where it can't go on."""
    places: list[int] = [0]
    while len(reader.columns) <= n_bytes:
        n_read = len(reader.columns) - 1
        before = reader.is_complete()
        if not reader.push(unit[n_read % len(unit)]):
            reader.pop(1)
            break
        if reader.is_complete() != before and len(places) < 6:
            places.append(n_read + 1)
    places.append(len(reader.columns) - 1)
    return places


def test_a_hundred_thousand_is_exact_at_both_bounds():
    matcher = engine_of("root ::= [a-z]{70000,100000}", [b"a", b"aa", b"aaaaa"])
    assert matcher.accept_string("a" * 69_999)
    assert not matcher.is_completed()
    assert matcher.accept_string("a")
    assert matcher.is_completed()
    assert matcher.accept_string("z" * 29_997)
    assert mask_of(matcher, 4) == {0, 1, 3}
    assert matcher.accept_token(1)
    assert mask_of(matcher, 4) == {0, 3}
    assert not matcher.accept_token(1)
    assert matcher.accept_token(0)
    assert mask_of(matcher, 4) == {3}
    assert not matcher.accept_string("a")
    matcher.rollback(4)
    assert not matcher.is_completed()


def test_nested_hundred_thousands_count_both():
    matcher = engine_of(
        'root ::= ("<" [ab]{3,100000} ">"){2,50000}', [b"<", b">", b"a", b"<aa", b"aa>", b"a><", b"><aaa>"]
    )
    assert matcher.accept_string("<aa")
    assert mask_of(matcher, 8) == {2, 4, 5}
    assert matcher.accept_string("a>")
    assert not matcher.is_completed()
    assert matcher.accept_string("<" + "ab" * 50_000)
    assert mask_of(matcher, 8) == {1, 6}
    assert matcher.accept_string(">")
    assert matcher.is_completed()
    assert matcher.accept_string("<aba>" * 49_998)
    assert mask_of(matcher, 8) == {7}


# ---- Moving house ----


@pytest.mark.parametrize("body", [body for body, _ in LARGE])
def test_a_full_table_is_left_and_counts_move_along(body: str):
    text = f"root ::= {body}" if "::=" in body else f'root ::= {body} ";"?'
    unit = dict(LARGE)[body]
    roomy, tight = engine_of(text), engine_of(text, max_configuration_bytes=4096)
    n_accepted = 0
    for i in range(250):
        piece = bytes([unit[i % len(unit)]])
        is_accepted = roomy.accept_string(piece)
        assert tight.accept_string(piece) == is_accepted
        n_accepted += is_accepted
        if i % 40 == 0:
            assert tight.allowed_tokens() == roomy.allowed_tokens()
    fork = tight.fork()
    for n_back in (1, n_accepted // 8, n_accepted // 3):
        roomy.rollback(n_back)
        tight.rollback(n_back)
        assert tight.allowed_tokens() == roomy.allowed_tokens()
        assert tight.is_completed() == roomy.is_completed()
    fork.rollback(1 + n_accepted // 8 + n_accepted // 3)
    assert fork.allowed_tokens() == roomy.allowed_tokens()


def test_random_grammars_are_written_as_they_are_read():
    """The generator of this file makes what it says: both twins' front end reads it back unchanged."""
    rng = seeded("written")
    for _ in range(50):
        grammar = parse_ebnf(random_counted(rng))
        assert parse_ebnf(write_ebnf(grammar)).rules == grammar.rules
