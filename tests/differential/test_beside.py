"""Masks beside a home's: the twin against the definition, and the engine against the twin.

XG2LAB_SEED repeats a run.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from tests.generators import SHARE, seeded
from xg2lab.reference.beside import beside, mask_from
from xg2lab.reference.ebnf import parse_ebnf
from xg2lab.reference.fsm import from_rule
from xg2lab.reference.trie import build_tree

pytest.importorskip("xg2lab._core", reason="the engine is not built")
import xg2lab as xgr

N_GRAMMARS = round(40 * SHARE)
N_TOKENS = 700
WAYS = [
    xgr.EngineOptions(cross_grammar_cache=cache, token_classes=classes, context_expansion=expansion)
    for cache in (True, False)
    for classes in (True, False)
    for expansion in (True, False)
]


def random_name(rng: random.Random) -> str:
    return "".join(rng.choices("abcde", k=rng.randint(1, 5)))


def random_texts(rng: random.Random) -> tuple[str, list[str]]:
    """Any letters, but for names after which a mark of their own may or must come; and the names."""
    names = sorted({random_name(rng) for _ in range(rng.randint(1, 6))})
    marked = " | ".join(f'"{name}{rng.choice("?#?-")}" {rng.choice(["", "[a-e]*", "[?]"])}' for name in names)
    others = rng.choice(["[a-z]*", "[a-z ]+", "([a-z] | [\\u00e0-\\u00ff])*", '([a-z] | "-" [a-z])*'])
    return f"({others} | {marked})", names


def random_tokens(rng: random.Random, names: list[str]) -> list[bytes]:
    """Mostly letters; some begin or go on names, some leave the text or break off a character."""
    tokens = set[bytes]()
    while len(tokens) < N_TOKENS:
        word = "".join(rng.choices("abcdefgh", k=rng.randint(1, 6)))
        kind = rng.random()
        if kind < 0.2:
            name = rng.choice(names)
            word = name[rng.randint(0, len(name)) :] + rng.choice(["", "?", "#", "!", word])
        elif kind < 0.3:
            word += rng.choice(["?", "#", "!", "!!", "?a", "-", " ", "\u00e9", "!a", "-a!"])
        data = word.encode()
        if data:
            tokens.add(data[:-1] if kind > 0.99 and len(data) > 1 else data)
    return sorted(tokens, key=lambda _: rng.random())


def test_differences_make_the_mask():
    rng = seeded("beside home")
    n_less = 0
    for _ in range(N_GRAMMARS):
        texts, names = random_texts(rng)
        fsm = from_rule(parse_ebnf(f'root ::= {texts} "!"'))
        tokens = random_tokens(rng, names)
        tree = build_tree(dict(enumerate(tokens)))
        home = fsm.run(b"zz")
        at_home = mask_from(fsm, home, tree)
        for name in names:
            here = fsm.run(name.encode()[: rng.randint(0, len(name))])
            found = beside(fsm, home, here, tree)
            assert found.applied_to(at_home) == mask_from(fsm, here, tree)
            n_less += len(found.more | found.without) < len(at_home) // 4
    assert n_less > N_GRAMMARS


@pytest.mark.parametrize("is_called", [False, True])
def test_masks_are_the_twins(is_called: bool):
    """As the root, and as a rule that two others call: then what follows it is asked beyond."""
    rng = seeded(f"beside home, {is_called}")
    for _ in range(N_GRAMMARS // 2):
        texts, names = random_texts(rng)
        fsm = from_rule(parse_ebnf(f'root ::= {texts} "!"'))
        tokens = random_tokens(rng, names)
        tree = build_tree(dict(enumerate(tokens)))
        grammar = f'root ::= {texts} "!"'
        if is_called:
            grammar = f'root ::= one | "(" two   one ::= item "!"   two ::= item "!" ")"   item ::= {texts}'
        info = xgr.TokenizerInfo([*tokens, b"</s>"], stop_token_ids=[len(tokens)])
        home = fsm.run(b"zz")
        at_home = mask_from(fsm, home, tree)
        texts_read = ["zz", *(name[: rng.randint(0, len(name))] for name in names)]
        expected = [beside(fsm, home, fsm.run(text.encode()), tree).applied_to(at_home) for text in texts_read]
        for options in WAYS:
            compiled = xgr.GrammarCompiler(info, options=options).compile_grammar(grammar)
            for text, mask in zip(texts_read, expected, strict=True):
                matcher = xgr.GrammarMatcher(compiled)
                assert matcher.accept_string(text)
                bitmask = xgr.allocate_token_bitmask(1, info.vocab_size)
                matcher.fill_next_token_bitmask(bitmask)
                bits = np.unpackbits(np.asarray(bitmask).view(np.uint8), bitorder="little")
                allowed = {int(i) for i in np.flatnonzero(bits) if i < len(tokens)}
                # The text may also be over: then it is the caller's turn, which the machine does
                # not know of.
                assert allowed == mask, f"{options}\n{grammar}\n{text!r}\n{[tokens[i] for i in allowed ^ mask]}"
