"""The classes that vLLM's structured outputs run on: a backend that compiles requests, and one grammar each.

Imported by `register` alone, since it imports vLLM.

Shapes and units: a bitmask is an int32 tensor in CPU memory of shape (rows, words); vLLM allocates it once, with
`max_num_seqs × (1 + drafts)` rows, and fills rows in threads if more than 128 requests run.

See also: `xg2lab/integrations/texts.py`.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from vllm.v1.structured_output.backend_types import StructuredOutputBackend, StructuredOutputGrammar

from xg2lab.bitmask import allocate_token_bitmask
from xg2lab.compiler import GrammarCompiler
from xg2lab.errors import UnsupportedError
from xg2lab.flight import FlightGrammar, FlightRecorder
from xg2lab.integrations.requests import grammar_kind, request_grammar
from xg2lab.integrations.texts import ConstrainedText, Recorded
from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["Xg2labBackend", "Xg2labGrammar", "request_of"]

_LOGGER = logging.getLogger("vllm.xg2lab")


def request_of(request_type: Any, spec: str, *, is_compact: bool = False) -> FlightGrammar:
    """Return a request's grammar in our words.

    Parameters
    ----------
    request_type : StructuredOutputOptions
        vLLM's kind of request.
    spec : str
        The grammar as text, in vLLM's form for this kind.
    is_compact : bool
        Whether JSON is written without spaces.

    Returns
    -------
    FlightGrammar
        The grammar; a GRAMMAR is EBNF or Lark by its first definition.

    Raises
    ------
    UnsupportedError
        vLLM has a kind that the plug-in does not know; `register` refuses such a vLLM.

    No example: it needs vLLM.
    """
    match request_type.name:
        case "JSON":
            return request_grammar("json_schema", spec, is_compact=is_compact)
        case "JSON_OBJECT":
            return request_grammar("json_object", "", is_compact=is_compact)
        case "REGEX":
            return request_grammar("regex", spec)
        case "CHOICE":
            return request_grammar("choice", spec)
        case "GRAMMAR":
            return request_grammar(grammar_kind(spec), spec)
        case "STRUCTURAL_TAG":
            return request_grammar("structural_tag", spec)
        case name:
            raise UnsupportedError(f"vLLM asks for a {name!r}, which xg2lab's plug-in does not know")


@dataclass
class Xg2labBackend(StructuredOutputBackend):  # pyright: ignore[reportUntypedBaseClass]
    """Compiles the grammars of requests. vLLM makes one in its engine process when the first such request comes.

    Parameters
    ----------
    vllm_config : VllmConfig
        The server's configuration. `structured_outputs_config.disable_any_whitespace` asks for JSON without spaces;
        the number of drafts is that of `speculative_config`, or of a diffusion model.
    tokenizer : TokenizerLike
        The model's tokenizer: of Hugging Face or of mistral-common.
    vocab_size : int
        The width of the model's logits.

    No example: it needs vLLM. tests/integrations/vllm drives it through vLLM's own manager.
    """

    # A dataclass as its base is: without the decorator, `__post_init__` would never run.

    is_of_xg2lab = True  # no annotation, so no field

    def __post_init__(self) -> None:
        """Read the tokenizer, which takes some tenths of a second."""
        self.is_compact = bool(self.vllm_config.structured_outputs_config.disable_any_whitespace)
        drafts = getattr(self.vllm_config, "num_speculative_tokens", 0) or 0
        speculative = self.vllm_config.speculative_config
        if speculative is not None:
            drafts = max(drafts, speculative.num_speculative_tokens or 0)
        self.n_drafts = int(drafts)
        self.model = str(getattr(self.vllm_config.model_config, "model", ""))
        self.recorder = FlightRecorder.from_environment()
        self.tokenizer_info = tokenizer_info_of(self.tokenizer, self.vocab_size)
        cache_bytes = int(import_module("vllm.envs").VLLM_XGRAMMAR_CACHE_MB) << 20
        self.compiler = GrammarCompiler(self.tokenizer_info, max_threads=8, cache_limit_bytes=cache_bytes)

    def compile_grammar(
        self, request_type: Any, grammar_spec: str, stop_token_ids: set[int] | None = None
    ) -> Xg2labGrammar:
        """Compile the grammar of a request; called in threads.

        Parameters
        ----------
        request_type : StructuredOutputOptions
            The kind of the request.
        grammar_spec : str
            The grammar as text.
        stop_token_ids : set of int, optional
            The tokens that end this request's text.

        Returns
        -------
        Xg2labGrammar
            The grammar of this request alone. The compiled grammar below it is shared.
        """
        grammar = request_of(request_type, grammar_spec, is_compact=self.is_compact)
        compiled = grammar.compile(self.compiler)
        recorded = Recorded(self.recorder, grammar, "vllm", self.model) if self.recorder.is_on else None
        return Xg2labGrammar(
            ConstrainedText(
                compiled, stop_token_ids=stop_token_ids, max_rollback_tokens=self.n_drafts, recorded=recorded
            )
        )

    def allocate_token_bitmask(self, max_num_seqs: int) -> Any:
        """Make the bitmask of all rows.

        Parameters
        ----------
        max_num_seqs : int
            The number of rows.

        Returns
        -------
        torch.Tensor
            int32, shape (max_num_seqs, words), all ones.
        """
        return allocate_token_bitmask(max_num_seqs, self.vocab_size, library="torch")

    def destroy(self) -> None:
        """Let the compiler and its cache go, and wait until the flights that ended are written."""
        del self.compiler
        self.recorder.close()


@dataclass
class Xg2labGrammar(StructuredOutputGrammar):  # pyright: ignore[reportUntypedBaseClass]
    """The grammar of one request.

    Parameters
    ----------
    text : ConstrainedText
        The request's text.

    No example: it needs vLLM.
    """

    text: ConstrainedText

    def accept_tokens(self, request_id: str, tokens: list[int]) -> bool:
        """Take tokens that the model wrote, or a draft to be rolled back. What follows the end is ignored.

        Parameters
        ----------
        request_id : str
            vLLM's name for the request.
        tokens : list of int
            Token ids.

        Returns
        -------
        bool
            False if the grammar refuses one, which vLLM answers by ending the request with an error.
        """
        if self.text.accept(tokens, request_id):
            return True
        _LOGGER.error("request %s: the grammar refuses %s", request_id, self.text.refusal)
        return False

    def validate_tokens(self, tokens: list[int]) -> list[int]:
        """Return the longest beginning of a draft that the grammar accepts; the text stays as it is.

        Parameters
        ----------
        tokens : list of int
            Token ids. Padding, -1, is accepted by no grammar.

        Returns
        -------
        list of int
            A beginning of `tokens`.
        """
        return self.text.accepted_prefix(tokens)

    def rollback(self, num_tokens: int) -> None:
        """Take the last tokens back.

        Parameters
        ----------
        num_tokens : int
            How many, at most the number of drafts.
        """
        self.text.rollback(num_tokens)

    def fill_bitmask(self, bitmask: Any, batch_index: int) -> None:
        """Write the mask of the next token into a row; all ones if the text is over.

        Parameters
        ----------
        bitmask : torch.Tensor
            int32, in CPU memory, shape (rows, words).
        batch_index : int
            The row.
        """
        self.text.fill(bitmask, batch_index)

    def is_terminated(self) -> bool:
        """Whether a stop token ended the text.

        Returns
        -------
        bool
            Whether it did.
        """
        return self.text.is_over

    def reset(self) -> None:
        """Begin the text anew."""
        self.text.reset()


def tokenizer_info_of(tokenizer: Any, vocab_size: int) -> TokenizerInfo:
    """Return the vocabulary of vLLM's tokenizer.

    Parameters
    ----------
    tokenizer : TokenizerLike
        vLLM's tokenizer.
    vocab_size : int
        The width of the model's logits.

    Returns
    -------
    TokenizerInfo
        Its vocabulary, as wide as the logits.

    Raises
    ------
    UnsupportedError, VocabularyError
        The tokenizer can't be read.

    No example: it needs vLLM.
    """
    if getattr(type(tokenizer), "IS_MISTRAL_TOKENIZER", False):  # it wraps one of mistral-common
        return TokenizerInfo.from_mistral(tokenizer.tokenizer, vocab_size=vocab_size)
    return TokenizerInfo.from_huggingface(tokenizer, vocab_size=vocab_size)
