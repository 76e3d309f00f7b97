"""A logits processor `(ids, scores) -> scores` on arrays: for llama-cpp-python, mlx-lm and loops of one's own.

    from llama_cpp import Llama, LogitsProcessorList
    processor = ScoresProcessor(compiled)
    llama(prompt, logits_processor=LogitsProcessorList([processor]))

    from mlx_lm import generate
    generate(model, tokenizer, prompt, logits_processors=[ScoresProcessor(compiled)])

>>> import numpy as np
>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo(["a", "b", "</s>"])
>>> processor = ScoresProcessor(xgr.GrammarCompiler(info).compile_grammar('root ::= "a" "b"'))
>>> processor(np.array([1, 1]), np.zeros(3, np.float32))
array([  0., -inf, -inf], dtype=float32)
>>> processor(np.array([1, 1, 0]), np.zeros(3, np.float32))
array([-inf,   0., -inf], dtype=float32)

Shapes: ids (length,) with the prompt in front, scores (width,) or (1, width); NumPy's arrays, or MLX's.

See also: `xg2lab.contrib.mlxlm`, the same for MLX alone, whose operations stay on its device; `xg2lab.contrib.hf`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from xg2lab.bitmask import apply_token_bitmask_inplace
from xg2lab.contrib.mlxlm import XGrammarLogitsProcessor
from xg2lab.errors import VocabularyError
from xg2lab.kernels.apply_token_bitmask_mlx import mlx_core

__all__ = ["ScoresProcessor"]


class ScoresProcessor(XGrammarLogitsProcessor):
    """Masks the scores of one text with a grammar.

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
    The tokens of the first call are the prompt, and which later call continues the text is decided as by
    `XGrammarLogitsProcessor`. A text that has ended may only stop.

    Raises
    ------
    MatcherStateError
        A token was generated that the grammar does not allow.
    VocabularyError
        The scores are narrower than the vocabulary, or no token is left.

    >>> import numpy as np
    >>> import xg2lab as xgr
    >>> info = xgr.TokenizerInfo(["a", "b", "</s>"])
    >>> processor = ScoresProcessor(xgr.GrammarCompiler(info).compile_grammar('root ::= "a"'))
    >>> processor([1], np.zeros((1, 4), np.float16))
    array([[  0., -inf, -inf, -inf]], dtype=float16)
    """

    def __call__(self, tokens: Any, logits: Any) -> Any:
        """Return the scores with minus infinity for each forbidden token; `logits` itself stays as it is.

        Parameters
        ----------
        tokens : array of int, or list
            The ids of prompt and text so far.
        logits : numpy.ndarray or mlx.core.array
            The scores. Values beyond the vocabulary belong to no token and become minus infinity.

        Returns
        -------
        numpy.ndarray or mlx.core.array
            A new array of the same kind, shape and type.
        """
        is_mlx = type(logits).__module__.partition(".")[0] == "mlx"
        scores = np.array(logits.astype(mlx_core().float32) if is_mlx else logits)
        if scores.shape[-1] < self.vocab_size:
            raise VocabularyError(
                f"the scores are {scores.shape[-1]} wide, narrower than the vocabulary of {self.vocab_size} tokens",
                hint=f"make the tokenizer info with vocab_size={scores.shape[-1]} and compile again",
            )
        self._follow([int(token) for token in np.asarray(tokens).ravel()])
        self._row.check_refusal(0)
        if self._row.fill(self.bitmask, 0):
            bitmask = self.bitmask if scores.ndim == 2 else self.bitmask[0]
            apply_token_bitmask_inplace(scores, bitmask, vocab_size=self.vocab_size)
        scores[..., self.vocab_size :] = -np.inf
        return mlx_core().array(scores).astype(logits.dtype) if is_mlx else scores
