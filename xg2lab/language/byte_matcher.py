"""Matchers for texts: over a vocabulary that can spell every text.

>>> accepts('root ::= "yes" | "no"', "no"), accepts('root ::= "yes" | "no"', "maybe")
(True, False)

See also: `xg2lab.language.examples` and `xg2lab.testing`, which are written with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xg2lab.tokenizer_info import TokenizerInfo

if TYPE_CHECKING:
    from xg2lab._core import GrammarMatcher
    from xg2lab.grammar import Grammar

__all__ = ["accepts", "byte_vocabulary", "matcher_of", "text_matcher"]


def byte_vocabulary() -> TokenizerInfo:
    """A vocabulary of the 256 single bytes: it can spell every text, and has no stop token.

    >>> byte_vocabulary().vocab_size, byte_vocabulary().stop_token_ids
    (256, [])
    """
    return TokenizerInfo([bytes([byte]) for byte in range(256)], stop_token_ids=[])


def matcher_of(grammar: Grammar | str, tokenizer_info: TokenizerInfo | None = None, **options: Any) -> GrammarMatcher:
    """A matcher of a grammar that is compiled for it alone.

    Parameters
    ----------
    grammar : Grammar or str
        Text is read as EBNF.
    tokenizer_info : TokenizerInfo, optional
        Without one, each of the 256 bytes is a token.
    **options
        Those of `GrammarMatcher`.

    Raises
    ------
    GrammarError, LimitError
        As `GrammarCompiler.compile_grammar`.

    >>> matcher_of('root ::= [ab]').allowed_tokens() == [ord("a"), ord("b")]
    True
    """
    from xg2lab._core import GrammarMatcher
    from xg2lab.compiler import GrammarCompiler

    compiler = GrammarCompiler(tokenizer_info or byte_vocabulary(), cache_enabled=False)
    return GrammarMatcher(compiler.compile_grammar(grammar), **options)


def text_matcher(grammar: Grammar | str, **options: Any) -> GrammarMatcher:
    """A matcher for texts: it ends without a stop token, since the vocabulary of single bytes has none.

    >>> matcher = text_matcher('root ::= "a"')
    >>> matcher.accept_string("a"), matcher.is_terminated()
    (True, True)
    """
    options.setdefault("terminate_without_stop_token", True)
    return matcher_of(grammar, **options)


def accepts(grammar: Grammar | str, text: str | bytes) -> bool:
    """Whether a text is a sentence of a grammar."""
    matcher = text_matcher(grammar)
    return matcher.accept_string(text) and matcher.is_terminated()
