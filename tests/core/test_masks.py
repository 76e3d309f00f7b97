"""Masks on real vocabularies: a bit is set if and only if accept_token takes the token, at every visited state."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import xg2lab as xgr
from tests.generators import SHARE
from tests.masks import mask_disagreements
from tests.vocabularies import CWV_NAMES, cwv_info, llama3_encoding, mistral_tokenizer

JSON = xgr.Grammar.builtin_json_grammar()
ARITHMETIC = xgr.Grammar.from_ebnf(
    """
root ::= (expression "=" [ \\t]* term "\\n")+
expression ::= term ([-+*/] [ \\t]* term)*
term ::= name | number | "(" expression ")" [ \\t]*
name ::= [a-zé日] [a-z0-9_]* [ \\t]*
number ::= [0-9]+ [ \\t]*
"""
)
PARENTHESES = xgr.Grammar.from_ebnf('root ::= "))" root* "\\n" | "\\r\\n" | ")"+ "\\n" | ")x"')
TEXTS = [
    (JSON, '{"größe": [1.5e3, true, {"a\\n": null}], "": "日本'),
    (ARITHMETIC, "(a1 + 23)*é = 7\nx=("),
    (PARENTHESES, ")))))\n"),
]


def vocabularies() -> list[tuple[str, Callable[[], xgr.TokenizerInfo]]]:
    named: list[tuple[str, Callable[[], xgr.TokenizerInfo]]] = [
        ("tekken", lambda: xgr.TokenizerInfo.from_mistral(mistral_tokenizer("tekken_240911.json"))),
        (
            "sentencepiece",
            lambda: xgr.TokenizerInfo.from_mistral(mistral_tokenizer("mistral_instruct_tokenizer_240323.model.v3")),
        ),
        ("llama3", lambda: xgr.TokenizerInfo.from_tiktoken(llama3_encoding())),
    ]
    return named + [(name, lambda name=name: cwv_info(name)) for name in CWV_NAMES]


def wrong_tokens(matcher: xgr.GrammarMatcher) -> list[int]:
    """Those on which mask and accept_token differ, of a share of the vocabulary: others in each state."""
    stride = max(1, round(1 / SHARE))
    n_tokens = matcher.compiled_grammar.tokenizer_info.vocab_size
    return mask_disagreements(matcher, range(matcher.n_steps % stride, n_tokens, stride))


@pytest.mark.parametrize(("name", "build"), vocabularies(), ids=[name for name, _ in vocabularies()])
def test_mask_is_accept_for_every_token(name: str, build: Callable[[], xgr.TokenizerInfo]):
    info = build()
    compiler = xgr.GrammarCompiler(info)
    for grammar, text in TEXTS:
        matcher = xgr.GrammarMatcher(compiler.compile_grammar(grammar))
        for token in info.encode_greedy(text):
            wrong = wrong_tokens(matcher)
            assert not wrong, f"{name}, after {matcher.n_steps} tokens: {[info.decoded_vocab[t] for t in wrong[:5]]}"
            assert matcher.accept_token(token), (name, text, info.decoded_vocab[token])


def test_how_a_mask_was_come_by():
    info = xgr.TokenizerInfo([b'"', b"a", b'":', b":", b"[", b"]", b"</s>"], stop_token_ids=[6])
    compiled = xgr.GrammarCompiler(info, options=xgr.EngineOptions(rule_inlining=False)).compile_grammar(
        'root ::= "[" string ":" string "]"   string ::= "\\"" [a-z]* "\\""'
    )
    bitmask = np.zeros((1, 1), np.int32)
    seen: list[str] = []
    matcher = xgr.GrammarMatcher(compiled)
    for token in (4, 0, 1, 1, 2, 0, 1):
        matcher.fill_next_token_bitmask(bitmask)
        report = matcher.last_fill()
        assert report is not None
        seen.append(report["cache"])
        assert matcher.accept_token(token)
    # The first string is called from another place than the second, so its entries come back in a
    # new context.
    assert seen == ["miss", "miss", "miss", "context_hit", "context_hit", "perfect_hit", "perfect_hit"]


def test_storage_is_the_smallest_form():
    tokens = [bytes([a, b]) for a in range(97, 123) for b in range(97, 123)] + [b"</s>"]
    info = xgr.TokenizerInfo(tokens, stop_token_ids=[len(tokens) - 1])
    forms: dict[str, str] = {}
    for name, grammar in (
        ("few", 'root ::= "ab" [a-z]*'),
        ("most", "root ::= [a-y] [a-z]* | [z] [a-y] [a-z]*"),
        ("half", "root ::= [a-m] [a-z]*"),
    ):
        matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar(grammar))
        (entry,) = matcher.mask_entries()
        assert entry["n_accepted"] + entry["n_rejected"] + entry["n_uncertain"] == len(tokens) - 1
        forms[name] = entry["storage"]
    assert forms == {"few": "accepted_list", "most": "rejected_list", "half": "bitset"}


N_FILLS = 40  # more than make a mask's row be kept


def test_a_mask_that_is_filled_often_keeps_its_row():
    """The sixteenth fill keeps the words beside the lists; later ones are alike, with other stop tokens too."""
    info = xgr.TokenizerInfo.from_mistral(mistral_tokenizer("tekken_240911.json"))
    grown: dict[int, int] = {}
    for budget in (1 << 28, 1 << 10):
        compiler = xgr.GrammarCompiler(
            info, cache_enabled=False, options=xgr.EngineOptions(max_configuration_bytes=budget)
        )
        compiled = compiler.compile_grammar('root ::= "\\"" [^"\\\\]* "\\""')
        own, other = xgr.GrammarMatcher(compiled), xgr.GrammarMatcher(compiled, override_stop_tokens=[5000])
        bitmask = xgr.allocate_token_bitmask(1, info.vocab_size)
        masks: dict[bool, set[bytes]] = {False: set(), True: set()}
        for matcher in (own, other):
            assert matcher.accept_string('"a')
            matcher.fill_next_token_bitmask(bitmask)
        before = compiled.memory_size_bytes
        for _ in range(N_FILLS):
            for matcher in (own, other):
                matcher.fill_next_token_bitmask(bitmask)
                masks[matcher is other].add(np.asarray(bitmask).tobytes())
        grown[budget] = compiled.memory_size_bytes - before
        assert [len(same) for same in masks.values()] == [1, 1]
        assert masks[False] != masks[True]
        assert not wrong_tokens(own)
    assert list(grown.values()) == [bitmask.nbytes, 0]
