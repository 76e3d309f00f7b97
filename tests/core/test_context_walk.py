"""Masks by a walk from the very column: the same as by entries, and made where words follow each other."""

from __future__ import annotations

import numpy as np
import pytest

import xg2lab as xgr
from tests.vocabularies import CWV_NAMES, cwv_info

PROGRAM = r"""
start: statement+
statement: "let" NAME "=" sum ";" | "if" "(" sum ")" statement | "{" statement* "}" | NAME "(" [sum ("," sum)*] ")" ";"
sum: product (("+" | "-" | "->") product)*
product: NAME | NUMBER | STRING | "(" sum ")" | NAME "." NAME | "new" NAME "(" ")"
NAME: /[a-zA-Z_é]\w*/
NUMBER: /[0-9]+(\.[0-9]+)?/
STRING: /"([^"\\\n]|\\.)*"/
COMMENT: /\/\/[^\n]*\n/
%ignore /[ \t\n]+/
%ignore COMMENT
"""
TEXT = 'let x1 = (new Point() + "a\\"b é") - y.z; // said\nif (letter) { call(x1, 2.5 -> é); } done();\n'
JSON = 'root ::= "{" string ":" number "}"  string ::= "\\"" [^"\\\\]* "\\""  number ::= [0-9]+'


def compiled_for(grammar: xgr.Grammar, info: xgr.TokenizerInfo, **options: str | bool) -> xgr.CompiledGrammar:
    return xgr.GrammarCompiler(info, options=xgr.EngineOptions(**options)).compile_grammar(grammar)  # type: ignore[arg-type]


@pytest.mark.parametrize("classes", [True, False])
@pytest.mark.parametrize("lexer", ["contextual", "dynamic_complete"])
def test_walks_and_entries_agree_along_a_program(lexer: str, classes: bool):
    info = cwv_info(CWV_NAMES[0])
    grammar = xgr.Grammar.from_lark(PROGRAM, lexer=lexer)
    matchers = [
        xgr.GrammarMatcher(compiled_for(grammar, info, context_walks=walks, token_classes=classes))
        for walks in ("always", "auto", "never")
    ]
    masks = [np.zeros((1, (info.vocab_size + 31) // 32), np.int32) for _ in matchers]
    for token in info.encode_greedy(TEXT):
        for matcher, mask in zip(matchers, masks, strict=True):
            matcher.fill_next_token_bitmask(mask)
        assert (masks[0] == masks[2]).all()
        assert (masks[1] == masks[2]).all()
        for matcher in matchers:
            assert matcher.accept_token(token), info.decoded_vocab[token]
    assert all(matcher.is_completed() for matcher in matchers)


def built_along(text: str, grammar: xgr.Grammar, **options: str) -> list[int]:
    """How many entries each mask needed."""
    info = xgr.TokenizerInfo([bytes([b]) for b in range(128)] + [b" a", b"a b", b"</s>"], stop_token_ids=[130])
    matcher = xgr.GrammarMatcher(compiled_for(grammar, info, **options))
    bitmask = np.zeros((1, 5), np.int32)
    built: list[int] = []
    for byte in text.encode():
        matcher.fill_next_token_bitmask(bitmask)
        report = matcher.last_fill()
        assert report is not None
        built.append(report["n_built"])
        assert matcher.accept_token(byte)
    return built


def test_a_first_mask_is_walked_for_where_words_follow_and_not_in_json():
    program = xgr.Grammar.from_lark(PROGRAM)
    assert built_along("l", program) == [0]
    assert built_along("l", program, context_walks="never")[0] > 0
    assert sum(built_along('{"a":1}', xgr.Grammar.from_ebnf(JSON))) > 0


def test_places_get_entries_where_these_decide_most():
    statements = "let a = b; call(a); let c = (a); call(c, b); let d = a + b; " * 3
    assert sum(built_along(statements, xgr.Grammar.from_lark(PROGRAM))) > 0


def test_where_a_rule_ends_after_a_letter_masks_are_walked_for_from_the_start():
    brackets = xgr.Grammar.from_ebnf('root ::= part*  part ::= [^()] | "(" part* ")" | "[" part* "]"')
    assert sum(built_along("a(b[c]) (d", brackets)) == 0
    assert sum(built_along("a(b[c]) (d", brackets, context_walks="never")) > 0


def test_a_walk_that_makes_many_columns_is_the_last_for_its_many_places():
    """A letter and the same one ten letters on, for six letters: sets of states differ after nearly any token."""
    info = cwv_info(CWV_NAMES[0])
    text = "root ::= " + " | ".join(f'[a-z]* "{c}" [a-z]{{10}} "{c}"' for c in "abcdef")
    grammar = xgr.Grammar.from_ebnf(text)
    auto = xgr.GrammarMatcher(compiled_for(grammar, info))
    plain = xgr.GrammarMatcher(compiled_for(grammar, info, context_walks="never"))
    masks = [np.zeros((1, (info.vocab_size + 31) // 32), np.int32) for _ in range(2)]
    built: list[int] = []
    for byte in b"abcdefghijabc":
        for matcher, mask in zip((auto, plain), masks, strict=True):
            matcher.fill_next_token_bitmask(mask)
            assert matcher.accept_token(info.encode_greedy(chr(byte))[0])
        assert (masks[0] == masks[1]).all()
        report = auto.last_fill()
        assert report is not None
        built.append(report["n_built"])
    assert built[1] == 0  # a walk, and all masks after it are made of entries
    assert all(built[2:])


def test_an_unknown_word_is_refused():
    with pytest.raises(ValueError, match="context_walks must be 'auto', 'never' or 'always', got 'often'"):
        xgr.EngineOptions(context_walks="often")  # type: ignore[arg-type]
