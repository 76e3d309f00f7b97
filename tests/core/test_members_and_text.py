"""Tokens that leave a member while another reads them as text; members within matches that have used their tokens.

Each token of each mask is tried: what the mask says is what accept_token does.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

import xg2lab as xgr

OPTIONS = [
    xgr.EngineOptions(parser=parser, **dict.fromkeys(off, False))
    for parser in ("earley", "pda")
    for off in ((), ("context_expansion",), ("token_classes",), ("context_expansion", "token_classes"))
]


def words(options: xgr.EngineOptions) -> str:
    return "-".join(
        [options.parser, *(name for name in ("context_expansion", "token_classes") if not getattr(options, name))]
    )


def allowed_after(
    grammar: str, tokens: list[bytes], text: list[bytes], options: xgr.EngineOptions, **more: Any
) -> set[bytes]:
    """The tokens of the mask after these; each token of the vocabulary was tried."""
    info = xgr.TokenizerInfo([*tokens, b"</s>"], stop_token_ids=[len(tokens)])
    compiler = xgr.GrammarCompiler(info, options=dataclasses.replace(options, **more))
    matcher = xgr.GrammarMatcher(compiler.compile_grammar(grammar))
    for token in text:
        matcher.allowed_tokens()
        assert matcher.accept_token(tokens.index(token))
    allowed = set(matcher.allowed_tokens())
    for index in range(len(tokens) + 1):
        assert matcher.accept_token(index) == (index in allowed), tokens[index : index + 1]
        if index in allowed:
            matcher.rollback(1)
    return {([*tokens, b"</s>"])[index] for index in allowed}


@pytest.mark.parametrize("options", OPTIONS, ids=words)
@pytest.mark.parametrize("end", ["", '";"'])
@pytest.mark.parametrize("first", ['"a" "b"', '"a"+ "b"?', '"a" "b" | "a" "é"'])
def test_a_token_that_leaves_by_another_member_is_kept(options: xgr.EngineOptions, first: str, end: str):
    # `second` may not come yet, and is text to which most tokens lead: what leaves by `first` has
    # to be told apart.
    grammar = f'root ::= AnyOrder(first, second, ordered=true)   first ::= {first}   second ::= "a" [^,]* {end}'
    tokens = [b"a", "你cb".encode(), b"b", b"ba", b"baa", b"bab,", b"ba;", b"c"]
    allowed = allowed_after(grammar, tokens, [b"a"], options)
    assert {b"b", b"ba", b"baa"} <= allowed
    assert not {b"c", b"bab,", "你cb".encode()} & allowed


@pytest.mark.parametrize("options", OPTIONS, ids=words)
@pytest.mark.parametrize("order", ["", ", ordered=true"])
@pytest.mark.parametrize("root", ["inner", "inner inner", 'inner | "b" inner'])
def test_a_match_without_tokens_left_keeps_no_members(options: xgr.EngineOptions, root: str, order: str):
    grammar = f"""
    root ::= {root}
    inner[max_tokens=1] ::= AnyOrder(m0, m2?{order})
    m0 ::= [ab]
    m2 ::= [^a-f,;]+
    """
    allowed = allowed_after(grammar, [b"b", b"0", b"b0", "你".encode()], [b"b"], options)
    again = {b"b", b"b0"} if root != "inner" else set()
    if root != "inner" and not order:
        again |= {b"0", "你".encode()}
    assert allowed - {b"</s>"} == again
    assert (b"</s>" in allowed) == (root != "inner inner")


@pytest.mark.parametrize("options", OPTIONS, ids=words)
def test_one_who_waits_for_a_member_is_not_kept_for_what_another_asks(options: xgr.EngineOptions):
    # After "x": the first inner is over, the second begins. Only of the first could `b` come.
    grammar = """
    root ::= inner inner
    inner[max_tokens=1] ::= AnyOrder(a, b+, ordered=true)
    a ::= "x" "y"?
    b ::= "z"
    """
    assert allowed_after(grammar, [b"x", b"z", b"xz", b"xzx"], [b"x"], options) == {b"z"}
    assert allowed_after(grammar, [b"x", b"z", b"xz", b"xzx"], [b"xz"], options) == {b"x", b"xz"}
