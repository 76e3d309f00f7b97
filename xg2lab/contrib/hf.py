"""A logits processor for `generate` of transformers: every token it lets through fits the grammar.

    processor = LogitsProcessor(compiled)
    model.generate(**inputs, logits_processor=[processor])

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo(["a", "b", "</s>"])
>>> processor = LogitsProcessor(xgr.GrammarCompiler(info).compile_grammar('root ::= "a" "b"'))
>>> import torch
>>> prompt = torch.tensor([[1]])
>>> processor(prompt, torch.zeros((1, 3)))
tensor([[0., -inf, -inf]])
>>> processor(torch.tensor([[1, 0]]), torch.zeros((1, 3)))
tensor([[-inf, 0., -inf]])

Shapes: input_ids (rows, length) with the prompt in front, scores (rows, width of the logits), as `generate` passes
them. Sampling, beams, several returned sequences and assisted decoding all work: what each row has generated is
compared with what its matcher took, and the matcher follows.

See also: `xg2lab/bitmask.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from xg2lab import GrammarMatcher
from xg2lab.bitmask import allocate_token_bitmask, apply_token_bitmask_inplace
from xg2lab.contrib.row import Row
from xg2lab.errors import VocabularyError

if TYPE_CHECKING:
    import torch

    from xg2lab.compiler import CompiledGrammar
    from xg2lab.flight import FlightRecorder

__all__ = ["LogitsProcessor"]


class LogitsProcessor:
    """Masks the scores of `generate` with a grammar.

    Parameters
    ----------
    compiled_grammar : CompiledGrammar, or list of them
        One for the whole batch, or one for each prompt. With beams or several returned sequences a prompt has several
        rows; they share its grammar.
    recorder : FlightRecorder, optional
        Records each row: a generated token that the grammar refuses, or a slow mask, then leads to a file that the
        workbench opens. With none, nothing is recorded.

    Notes
    -----
    A processor may be used for any number of `generate` calls. A call counts as a new one if its prompt differs from
    the last one's, or if its sequences are not one token longer than those seen last, in any row (beams change rows).
    All matchers then begin anew. Shorter sequences that begin as the last ones did (assisted decoding tries tokens and
    takes them back) are followed back. One case looks like a continuation: a prompt that
    is the last call's whole output. Call `reset()` before it.

    A finished row may only stop (and `generate` pads it anyway). Put the processor last in the list: if a later one
    allows a forbidden token, the error comes at the next step.

    `generate` does not tell a processor that it is over. So the rows of a call end with the next call, with `reset()`,
    or when the processor is dropped, and the token that was sampled last is not in their record.

    Raises
    ------
    VocabularyError
        The scores are wider or narrower than the vocabulary; grammars disagree about it; their number does not fit the
        batch; or no token is left: a text is complete without a stop token to end it, or can't be spelled.
    MatcherStateError
        A token was generated that the grammar does not allow.

    >>> import torch
    >>> import xg2lab as xgr
    >>> info = xgr.TokenizerInfo(["a", "b", "</s>"])
    >>> processor = LogitsProcessor(xgr.GrammarCompiler(info).compile_grammar('root ::= "a" "b"'))
    >>> processor(torch.tensor([[1]]), torch.zeros((1, 3)))
    tensor([[0., -inf, -inf]])
    >>> processor.reset()
    """

    def __init__(
        self, compiled_grammar: CompiledGrammar | Sequence[CompiledGrammar], *, recorder: FlightRecorder | None = None
    ) -> None:
        self._grammars = list(compiled_grammar) if isinstance(compiled_grammar, Sequence) else [compiled_grammar]
        if not self._grammars:
            raise VocabularyError("no compiled grammar was given", hint="pass one, or one for each prompt")
        sizes = {grammar.tokenizer_info.vocab_size for grammar in self._grammars}
        if len(sizes) > 1:
            raise VocabularyError(
                f"the grammars were compiled for vocabularies of {' and '.join(map(str, sorted(sizes)))} tokens",
                hint="compile all of them with the tokenizer info of the model that generates",
            )
        self._vocab_size: int = sizes.pop()
        self._recorder = recorder
        self._n_calls = 0
        self._rows: list[Row] = []
        self.reset()

    def reset(self) -> None:
        """Forget the sequences. The next call begins new ones."""
        self._end_rows()
        self._rows = []
        self._prompts: torch.Tensor | None = None
        self._seen: list[list[int]] = []

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """Return the scores with minus infinity for each forbidden token; `scores` itself stays as it is."""
        self._check_scores(input_ids, scores)
        if not self._follow(input_ids):
            self._begin(input_ids)
        bitmask = allocate_token_bitmask(len(self._rows), self._vocab_size, library="torch")
        if scores.is_cuda:  # filled in pinned memory, it is copied while this thread goes on
            bitmask = bitmask.pin_memory()
        masked_rows = [index for index, row in enumerate(self._rows) if row.fill(bitmask, index)]
        masked = scores.clone()
        apply_token_bitmask_inplace(masked, bitmask.to(scores.device, non_blocking=True), indices=masked_rows)
        return masked

    # ---- Which sequence is which ----

    def _follow(self, input_ids: torch.Tensor) -> bool:
        """Follows the call if it continues the sequences seen; else says so."""
        if self._prompts is None or not self._rows or len(input_ids) != len(self._rows):
            return False
        n_prompt, n_seen = self._prompts.shape[1], len(self._seen[0])
        n_generated = input_ids.shape[1] - n_prompt
        if not 0 <= n_generated <= n_seen + 1 or not _equal(input_ids[:, :n_prompt], self._prompts):
            return False
        generated: list[list[int]] = input_ids[:, n_prompt:].tolist()
        one_longer = n_generated == n_seen + 1
        if one_longer and any(tokens[:-1] not in self._seen for tokens in generated):
            return False
        for row, tokens in zip(self._rows, generated, strict=True):
            row.follow(tokens)
        if not one_longer and any(row.refused is not None for row in self._rows):
            return False
        self._seen = generated
        self._check_refusals()
        return True

    def _begin(self, input_ids: torch.Tensor) -> None:
        """New sequences: whatever is there is prompt."""
        n_rows, n_grammars = len(input_ids), len(self._grammars)
        n_each = n_rows // n_grammars
        prompts = input_ids[::n_each] if n_each else input_ids
        expanded = n_each * n_grammars == n_rows and _equal(prompts.repeat_interleave(n_each, dim=0), input_ids)
        if n_grammars > 1 and not expanded:
            raise VocabularyError(
                f"{n_grammars} grammars were given for a batch of {n_rows} sequences",
                hint="pass one grammar for all, or one for each prompt of the batch",
            )
        self._end_rows()
        self._rows = [Row(GrammarMatcher(self._grammars[index // n_each])) for index in range(n_rows)]
        self._begin_flights(input_ids)
        self._prompts = input_ids.clone()
        self._seen = [[] for _ in range(n_rows)]

    # ---- Flights ----

    def _begin_flights(self, input_ids: torch.Tensor) -> None:
        """A flight for each row, if they are recorded."""
        recorder = self._recorder
        if recorder is None or not recorder.is_on:
            return
        self._n_calls += 1
        for index, row in enumerate(self._rows):
            row.flight = recorder.begin_compiled(
                f"generate-{self._n_calls}-row-{index}",
                row.matcher.compiled_grammar,
                host="hf",
                prompt_ids=input_ids[index].tolist() if recorder.settings.prompts == "keep" else None,
            )

    def _end_rows(self) -> None:
        for row in self._rows:
            row.end()

    # ---- Tokens that the grammar refuses ----

    def _check_refusals(self) -> None:
        """A refused token is an error, but for beams of probability 0.

        Where few tokens are allowed, beam search fills its rows with forbidden ones. Rows are beams only if another
        row of their prompt is well.
        """
        if all(row.refused is None for row in self._rows):
            return
        assert self._prompts is not None
        prompts = [tuple(prompt) for prompt in self._prompts.tolist()]
        n_well = Counter(prompt for prompt, row in zip(prompts, self._rows, strict=True) if row.refused is None)
        for index, (prompt, row) in enumerate(zip(prompts, self._rows, strict=True)):
            if n_well[prompt] == 0:
                row.check_refusal(index)

    # ---- Masks ----

    def _check_scores(self, input_ids: torch.Tensor, scores: torch.Tensor) -> None:
        width: Any = scores.shape[-1]
        if scores.ndim != 2 or input_ids.ndim != 2 or len(scores) != len(input_ids):
            raise VocabularyError(
                f"input_ids have shape {tuple(input_ids.shape)}, scores {tuple(scores.shape)}; wanted (rows, length) "
                "and (rows, width)",
                hint="the processor is called by generate(); to mask logits yourself use apply_token_bitmask_inplace",
            )
        if width != self._vocab_size:
            relation = "wider" if width > self._vocab_size else "narrower"
            raise VocabularyError(
                f"the model's logits are {width} wide, {relation} than the vocabulary of {self._vocab_size} tokens "
                "that the grammar was compiled for",
                hint=f"make the tokenizer info with vocab_size={width} (model.config.vocab_size) and compile again",
            )


def _equal(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.shape == b.shape and bool((a == b).all())
