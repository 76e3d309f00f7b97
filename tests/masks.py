"""The mask is what accept_token takes: one way to say it, for every test that does.

>>> info = xgr.TokenizerInfo([b"a", b"b", b"ab", b"</s>"], stop_token_ids=[3])
>>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"'))
>>> mask_disagreements(matcher), matcher.n_steps
([], 0)
"""

from collections.abc import Iterable

import numpy as np

import xg2lab as xgr


def mask_of(matcher: xgr.GrammarMatcher) -> list[bool]:
    """For each token whether its bit is set; the bits past the vocabulary are 0."""
    n_tokens = matcher.compiled_grammar.tokenizer_info.vocab_size
    bitmask = xgr.allocate_token_bitmask(1, n_tokens)
    matcher.fill_next_token_bitmask(bitmask)
    words = np.ascontiguousarray(np.asarray(bitmask)[0])
    bits = np.unpackbits(words.view(np.uint8), bitorder="little").astype(bool)
    assert not bits[n_tokens:].any(), "padding bits are set"
    return bits[:n_tokens].tolist()


def mask_disagreements(matcher: xgr.GrammarMatcher, tokens: Iterable[int] | None = None) -> list[int]:
    """The tokens, of all or of those given, on which mask and accept_token differ. The matcher stays as it was."""
    mask = mask_of(matcher)
    found: list[int] = []
    for token in range(len(mask)) if tokens is None else tokens:
        is_accepted = matcher.accept_token(token)
        if is_accepted:
            matcher.rollback(1)
        if is_accepted != mask[token]:
            found.append(token)
    return found
