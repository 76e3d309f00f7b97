"""Helpers for tests: masks as lists of tokens, grammars asked about strings.

>>> import numpy as np
>>> _get_masked_tokens_from_bitmask(np.array([[0b0110]], dtype=np.int32), vocab_size=4)
[0, 3]
>>> _is_single_token_bitmask(np.array([[0b0100]], dtype=np.int32), vocab_size=4)
(True, 2)

The names begin with an underscore as they do in the field's usual API, whose users import them so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xg2lab.bitmask import bitmask_to_bool_mask, bool_mask_to_bitmask
from xg2lab.errors import BitmaskError
from xg2lab.tokenizer_info import TokenizerInfo

if TYPE_CHECKING:
    from xg2lab._core import GrammarMatcher
    from xg2lab.grammar import Grammar

__all__ = [
    "_get_masked_tokens_from_bitmask",
    "_get_matcher_from_grammar",
    "_get_matcher_from_grammar_and_tokenizer_info",
    "_is_grammar_accept_string",
    "_is_single_token_bitmask",
    "_traverse_draft_tree",
    "bitmask_to_bool_mask",
    "bool_mask_to_bitmask",
]


def _row(bitmask: Any, vocab_size: int, index: int) -> list[bool]:
    bits = bitmask_to_bool_mask(bitmask, vocab_size)
    rows = bits if bits.ndim == 2 else bits[None]
    if not 0 <= index < len(rows):
        raise BitmaskError(
            f"row {index} does not exist; the bitmask has shape {tuple(bitmask.shape)}", hint="rows count from 0"
        )
    return rows[index].tolist()


def _get_masked_tokens_from_bitmask(bitmask: Any, vocab_size: int, index: int = 0) -> list[int]:
    """The ids of the tokens that row `index` forbids, ascending."""
    return [token_id for token_id, allowed in enumerate(_row(bitmask, vocab_size, index)) if not allowed]


def _is_single_token_bitmask(bitmask: Any, vocab_size: int, index: int = 0) -> tuple[bool, int]:
    """Whether row `index` allows exactly one token, and which; -1 if not."""
    allowed = [token_id for token_id, bit in enumerate(_row(bitmask, vocab_size, index)) if bit]
    return (True, allowed[0]) if len(allowed) == 1 else (False, -1)


def _byte_vocabulary() -> TokenizerInfo:
    """A vocabulary of the 256 single bytes: it can spell every string, and has no stop token."""
    return TokenizerInfo([bytes([byte]) for byte in range(256)], stop_token_ids=[])


def _get_matcher_from_grammar_and_tokenizer_info(
    grammar: Grammar | str, tokenizer_info: TokenizerInfo | None = None, **options: Any
) -> GrammarMatcher:
    """A matcher of a grammar (EBNF text is read), over the 256 single bytes unless a vocabulary is given."""
    from xg2lab._core import GrammarMatcher
    from xg2lab.compiler import GrammarCompiler

    compiler = GrammarCompiler(tokenizer_info or _byte_vocabulary(), cache_enabled=False)
    return GrammarMatcher(compiler.compile_grammar(grammar), **options)


def _get_matcher_from_grammar(grammar: Grammar | str, **options: Any) -> GrammarMatcher:
    """A matcher for strings: it ends without a stop token, since its vocabulary has none."""
    options.setdefault("terminate_without_stop_token", True)
    return _get_matcher_from_grammar_and_tokenizer_info(grammar, **options)


def _is_grammar_accept_string(
    grammar: Grammar | str,
    input_str: str | bytes,
    *,
    debug_print: bool = False,
    print_time: bool = False,
    require_termination: bool = True,
) -> bool:
    """Whether the grammar accepts the string: as a whole, or as a beginning if `require_termination` is false.

    `debug_print` explains a refusal, `print_time` prints how long the string took.
    """
    from time import perf_counter_ns

    matcher = _get_matcher_from_grammar(grammar)
    begin = perf_counter_ns()
    accepted = matcher.accept_string(input_str, debug_print=debug_print)
    if print_time:
        print(f"accept_string: {(perf_counter_ns() - begin) / 1000:.1f} us, accepted: {accepted}")  # noqa: T201
    return accepted and (not require_termination or matcher.is_terminated())


def _traverse_draft_tree(
    retrieve_next_token: Any,
    retrieve_next_sibling: Any,
    draft_tokens: Any,
    matcher: GrammarMatcher,
    allocate_token_bitmask: Any,
    time_threshold: float = -1.0,
) -> bool:
    """`GrammarMatcher.traverse_draft_tree`, under its older name and with the matcher among the arguments."""
    return matcher.traverse_draft_tree(
        retrieve_next_token, retrieve_next_sibling, draft_tokens, allocate_token_bitmask, time_threshold
    )
