"""A logits processor for mlx-lm: every token it lets through fits the grammar.

    from mlx_lm import generate, load
    from xg2lab.contrib.mlxlm import XGrammarLogitsProcessor

    model, tokenizer = load(...)
    info = xgr.TokenizerInfo.from_huggingface(tokenizer._tokenizer)
    compiled = xgr.GrammarCompiler(info).compile_json_schema(schema)
    generate(model, tokenizer, prompt, logits_processors=[XGrammarLogitsProcessor(compiled)])

Shapes: tokens (length,) with the prompt in front, logits (width,) or (1, width), as mlx-lm passes them.
Needs `mlx` to be called, not to be imported; without it a call raises DeviceError.

See also: `xg2lab.contrib.hf`, the same for transformers, with beams and batches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xg2lab._core import GrammarMatcher
from xg2lab.bitmask import allocate_token_bitmask
from xg2lab.contrib.row import Row
from xg2lab.kernels.apply_token_bitmask_mlx import apply_token_bitmask_mlx, mlx_core

if TYPE_CHECKING:
    from xg2lab.compiler import CompiledGrammar
    from xg2lab.flight import FlightRecorder

__all__ = ["XGrammarLogitsProcessor"]


class XGrammarLogitsProcessor:
    """Masks the logits of mlx-lm with a grammar. The name is XGrammar's: its users import it so.

    Parameters
    ----------
    grammar : CompiledGrammar
        The grammar.
    max_rollback_tokens : int
        How many tokens the matcher can take back without reading the text anew. -1: all.
    recorder : FlightRecorder, optional
        Records each text, as for `xg2lab.contrib.hf.LogitsProcessor`.

    Notes
    -----
    The tokens of the first call are the prompt. A call continues the text if its tokens are those of the last call, or
    a beginning of them, and one more: speculative decoding takes tokens back. Any other call begins a new text, so a
    processor may be used again. One case looks like a continuation: a prompt that is the last call's text
    with one more token. Call `reset()` before it.

    A text that has ended may only stop. Logits beyond the vocabulary are left out of the result: they are not tokens.

    Raises
    ------
    DeviceError
        mlx is not installed.
    MatcherStateError
        A token was generated that the grammar does not allow.
    VocabularyError
        No token is left: the text is complete without a stop token to end it, or can't be spelled.

    >>> import xg2lab as xgr
    >>> info = xgr.TokenizerInfo(["a", "b", "</s>"])
    >>> processor = XGrammarLogitsProcessor(xgr.GrammarCompiler(info).compile_grammar('root ::= "a" "b"'))
    >>> processor.reset()
    >>> processor.matcher.allowed_tokens()
    [0]
    """

    def __init__(
        self, grammar: CompiledGrammar, max_rollback_tokens: int = 16, *, recorder: FlightRecorder | None = None
    ) -> None:
        self._grammar = grammar
        self._max_rollback_tokens = max_rollback_tokens
        self.vocab_size = grammar.tokenizer_info.vocab_size
        self.bitmask = allocate_token_bitmask(1, self.vocab_size, library="numpy")
        self._recorder = recorder
        self._n_texts = 0
        self._row = self._new_row()
        self.reset()

    def reset(self) -> None:
        """Forget the text. The tokens of the next call are a prompt."""
        self._row.end()
        self._n_prompt = 0
        self._tokens: list[int] = []  # of the last call
        self._row = self._new_row()

    def _new_row(self) -> Row:
        return Row(GrammarMatcher(self._grammar, max_rollback_tokens=self._max_rollback_tokens))

    @property
    def matcher(self) -> GrammarMatcher:
        """The matcher of the text that is being generated."""
        return self._row.matcher

    def __call__(self, tokens: Any, logits: Any) -> Any:
        """Return the logits with minus infinity for each forbidden token; `logits` itself stays as it is."""
        mx = mlx_core()
        self._follow(tokens.tolist())
        self._row.check_refusal(0)
        if not self._row.fill(self.bitmask, 0):
            return logits
        bitmask = mx.array(self.bitmask if logits.ndim == 2 else self.bitmask[0])
        return apply_token_bitmask_mlx(bitmask, logits, min(self.vocab_size, logits.shape[-1]))

    def _follow(self, tokens: list[int]) -> None:
        known = tokens[:-1]
        if len(known) < self._n_prompt or not self._tokens or known != self._tokens[: len(known)]:
            self.reset()
            self._n_prompt = len(tokens)
            self._begin_flight(tokens)
        self._tokens = tokens
        self._row.follow(tokens[self._n_prompt :])

    def _begin_flight(self, prompt: list[int]) -> None:
        """A flight for the text, if it is recorded."""
        if self._recorder is not None and self._recorder.is_on:
            self._n_texts += 1
            name = f"generate-{self._n_texts}"
            self._row.flight = self._recorder.begin_compiled(name, self._grammar, host="mlx", prompt_ids=prompt)
