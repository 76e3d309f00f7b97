"""Columns within words, and masks walked for in their context: the engine against the twin, however masks are found.

XG2LAB_SEED repeats a run.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from tests.generators import SHARE, mutate, random_calls, random_grammar, random_member, random_vocabulary, seeded
from xg2lab.reference.earley import Chart, parse
from xg2lab.reference.ebnf import parse_ebnf
from xg2lab.reference.mask import token_mask
from xg2lab.reference.shared_walks import SharedWalks
from xg2lab.reference.trie import build_tree, flatten, walk
from xg2lab.reference.words import Words

pytest.importorskip("xg2lab._core", reason="the engine is not built")
import xg2lab as xgr

N_PROGRAMS = round(60 * SHARE)
N_GRAMMARS = round(150 * SHARE)
MAX_ITEMS = 80  # in a column of the chart: a text ends where ambiguity makes it slow
WAYS = [
    xgr.EngineOptions(context_walks=walks, token_classes=classes, cross_grammar_cache=False)
    for walks in ("never", "auto", "always")
    for classes in (True, False)
]
KEYWORDS = ["a", "ae", "eea", "let", "e"]
OPERATORS = ["+", "-", "->", "a", ".", " + "]


def random_program_grammar(rng: random.Random) -> str:
    """Words that follow each other, some of which begin alike; spaces between; calls in calls."""
    keywords = rng.sample(KEYWORDS, 2)
    operator = " | ".join(f'"{text}"' for text in rng.sample(OPERATORS, 2))
    name = rng.choice(["[ae]+", "[ael]*", "[a-l] [ael ]*", '"a" | "ae" [el]*', "([ae] | [é-ü])+"])
    statement = rng.choice(['"{keyword}" " " name', '"{keyword}" sum', 'name "=" sum', 'name " "? sum'])
    other = rng.choice(['"(" root ")"', '"{other}" name? " " sum', 'name "." root', '"{other}" | sum'])
    words = {"keyword": keywords[0], "other": keywords[1]}
    return f"""
    root ::= (statement space)*
    statement ::= {statement.format(**words)} | {other.format(**words)}
    sum ::= product (({operator}) product)* | sum "," name
    product ::= name | "(" sum ")" | name "(" sum? ")"
    name ::= {name}
    space ::= {rng.choice(['" "*', '" "+', '";"', '" "? ";"'])}
    """


def masks_along(text: bytes, matcher: xgr.GrammarMatcher, n_tokens: int) -> tuple[list[set[int]], int]:
    """The mask before each byte of a text, and behind it; how many entries of states were made for them."""
    bitmask = xgr.allocate_token_bitmask(1, n_tokens)
    masks: list[set[int]] = []
    n_built = 0
    for i in range(len(text) + 1):
        bitmask[:] = -1
        matcher.fill_next_token_bitmask(bitmask)
        report = matcher.last_fill()
        n_built += report["n_built"] if report else 0
        bits = np.unpackbits(np.ascontiguousarray(np.asarray(bitmask)[0]).view(np.uint8), bitorder="little")
        masks.append(set(np.flatnonzero(bits[:n_tokens]).tolist()))
        if i < len(text):
            assert matcher.accept_string(text[i : i + 1])
    return masks, n_built


def viable_part(chart: Chart, text: bytes) -> bytes:
    """As much of a text as the grammar reads, and as is not too ambiguous."""
    for i, byte in enumerate(text):
        if not chart.push(byte) or len(chart.columns[-1]) > MAX_ITEMS:
            return text[:i]
    return text


def test_the_twin_reads_as_the_chart_does():
    rng = seeded("words")
    n_checked = 0
    for i in range(N_GRAMMARS):
        grammar = parse_ebnf(random_program_grammar(rng)) if i % 3 == 0 else (random_grammar, random_calls)[i % 2](rng)
        member = random_member(rng, grammar) or b"ab"
        rows = flatten(build_tree(tokens := dict(enumerate(random_vocabulary(rng, [member, mutate(rng, member)])))))
        chart, words = parse(grammar), Words(grammar)
        text = viable_part(parse(grammar), member)
        for j in range(len(text) + 1):
            assert (words.is_alive, words.is_complete()) == (chart.is_alive, chart.is_complete())
            assert set(walk(rows, words)) == token_mask(chart, tokens)
            n_checked += 1
            if j < len(text):
                assert words.push(text[j]) == chart.push(text[j])
    assert n_checked > N_GRAMMARS


def test_walks_that_contexts_share_give_the_same_masks():
    rng = seeded("shared walks")
    n_walks = n_masks = 0
    for _ in range(N_PROGRAMS):
        grammar = parse_ebnf(random_program_grammar(rng))
        member = viable_part(parse(grammar), random_member(rng, grammar, 25) or b"")
        tokens = dict(enumerate(random_vocabulary(rng, [member or b"ae", b"a e(e)"], n_tokens=40)))
        rows = flatten(build_tree(tokens))
        words = Words(grammar)
        shared = SharedWalks(words, tokens)
        for byte in [*member, None]:
            assert shared.mask() == set(walk(rows, words))
            n_masks += 1
            if byte is not None:
                words.push(byte)
        n_walks += len(shared.walks)
    assert n_masks > N_PROGRAMS
    assert n_walks > 0


def test_masks_are_the_twins_however_they_are_found():
    rng = seeded("words in context")
    n_built = dict.fromkeys(("never", "auto", "always"), 0)
    for _ in range(N_PROGRAMS):
        text = random_program_grammar(rng)
        grammar = parse_ebnf(text)
        members = [viable_part(parse(grammar), random_member(rng, grammar, 25) or b"") for _ in range(3)]
        vocabulary = random_vocabulary(rng, [m for m in members if m] or [b"ae"], n_tokens=40)
        rows = flatten(build_tree(dict(enumerate(vocabulary))))
        info = xgr.TokenizerInfo([*vocabulary, b"</s>"], stop_token_ids=[len(vocabulary)])
        compiled = [xgr.GrammarCompiler(info, options=options).compile_grammar(text) for options in WAYS]
        for member in members:
            words = Words(grammar)
            expected: list[set[int]] = []
            for byte in [*member, None]:
                stop = {len(vocabulary)} if words.is_complete() else set[int]()
                expected.append(set(walk(rows, words)) | stop)
                if byte is not None:
                    words.push(byte)
            for i, one in enumerate(compiled):
                found, n_more = masks_along(member, xgr.GrammarMatcher(one), len(info.decoded_vocab))
                n_built[WAYS[i].context_walks] += n_more
                assert found == expected, f"{WAYS[i]}\n{text}\n{member!r}\n{vocabulary}"
    assert n_built["never"] > n_built["auto"] > n_built["always"] == 0
