"""The classes that TensorRT-LLM's guided decoding runs on: a factory that compiles requests, and a matcher each.

Imported by `install` alone, since it imports TensorRT-LLM.

Shapes and units: a bitmask is an int32 tensor in pinned CPU memory of shape (rows, words); TensorRT-LLM keeps a flag
for each row that was filled, and applies only those.

See also: `xg2lab/integrations/texts.py`.
"""

from __future__ import annotations

from typing import Any

from tensorrt_llm._torch.pyexecutor.grammar_matcher import GrammarMatcher, GrammarMatcherFactory

from xg2lab.compiler import GrammarCompiler
from xg2lab.errors import UnsupportedError
from xg2lab.flight import FlightGrammar, FlightRecorder
from xg2lab.integrations.requests import request_grammar
from xg2lab.integrations.texts import ConstrainedText, Recorded
from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["Xg2labMatcher", "Xg2labMatcherFactory"]


class Xg2labMatcher(GrammarMatcher):  # pyright: ignore[reportUntypedBaseClass]
    """The grammar of one request, with the tokens that it has taken.

    Parameters
    ----------
    text : ConstrainedText
        The request's text.

    No example: it needs TensorRT-LLM.
    """

    def __init__(self, text: ConstrainedText) -> None:
        super().__init__()
        self.text = text

    def accept_token(self, token_id: int) -> bool:
        """Take a token.

        Parameters
        ----------
        token_id : int
            A token that the model wrote, or a draft.

        Returns
        -------
        bool
            False if the grammar refuses it, or the text is over: TensorRT-LLM counts what it may take back.
        """
        return not self.text.is_over and self.text.accept([token_id])

    def rollback(self, num_tokens: int) -> None:
        """Take the last tokens back.

        Parameters
        ----------
        num_tokens : int
            How many, at most the number of drafts and one.
        """
        if num_tokens:
            self.text.rollback(num_tokens)

    def fill_next_token_bitmask(self, next_token_bitmask: Any, index: int) -> None:
        """Write the mask of the next token into a row.

        Parameters
        ----------
        next_token_bitmask : torch.Tensor
            int32, in CPU memory, shape (rows, words).
        index : int
            The row.
        """
        self.text.fill(next_token_bitmask, index)

    def is_terminated(self) -> bool:
        """Whether a stop token ended the text.

        Returns
        -------
        bool
            Whether it did.
        """
        return self.text.is_over


class Xg2labMatcherFactory(GrammarMatcherFactory):  # pyright: ignore[reportUntypedBaseClass]
    """Compiles the grammars of requests.

    Parameters
    ----------
    guided_decoding_config : GuidedDecodingConfig
        `encoded_vocab`, the tokens by id; `tokenizer_str`, the tokenizer of Hugging Face as JSON, which says how they
        are written and which are special; `stop_token_ids`.
    vocab_size_padded : int
        The width of the model's logits.
    max_num_draft_tokens : int
        The most drafts of a request in a step.

    No example: it needs TensorRT-LLM.
    """

    is_of_xg2lab = True

    def __init__(self, guided_decoding_config: Any, vocab_size_padded: int, max_num_draft_tokens: int = 0) -> None:
        super().__init__()
        self.n_drafts = max_num_draft_tokens
        self.tokenizer_info = tokenizer_info_of(guided_decoding_config, vocab_size_padded)
        self.compiler = GrammarCompiler(self.tokenizer_info)
        self.recorder = FlightRecorder.from_environment()

    def create(self, guided_decoding_params: Any) -> Xg2labMatcher:
        """Compile the grammar of a request.

        Parameters
        ----------
        guided_decoding_params : GuidedDecodingParams
            `guide_type` (JSON, JSON_SCHEMA, REGEX, EBNF_GRAMMAR or STRUCTURAL_TAG) and `guide`, the grammar as text.

        Returns
        -------
        Xg2labMatcher
            A matcher of this request alone.

        Raises
        ------
        UnsupportedError
            TensorRT-LLM has a kind that the factory does not know.
        Xg2labError
            The grammar is refused.
        """
        grammar = grammar_of(guided_decoding_params)
        recorded = Recorded(self.recorder, grammar, "tensorrt_llm") if self.recorder.is_on else None
        compiled = grammar.compile(self.compiler)
        # The last new token is taken back together with the drafts.
        return Xg2labMatcher(ConstrainedText(compiled, max_rollback_tokens=self.n_drafts + 1, recorded=recorded))


def grammar_of(params: Any) -> FlightGrammar:
    """Return a request's grammar in our words."""
    kind = str(getattr(params.guide_type, "name", params.guide_type))
    match kind:
        case "JSON":  # any JSON
            return request_grammar("json_schema", "true")
        case "JSON_SCHEMA":
            return request_grammar("json_schema", params.guide)
        case "REGEX":
            return request_grammar("regex", params.guide)
        case "EBNF_GRAMMAR":
            return request_grammar("ebnf", params.guide)
        case "STRUCTURAL_TAG":
            return request_grammar("structural_tag", params.guide)
        case _:
            raise UnsupportedError(f"TensorRT-LLM asks for a {kind:.40}, which xg2lab's matchers do not know")


def tokenizer_info_of(config: Any, vocab_size: int) -> TokenizerInfo:
    """Return the vocabulary of TensorRT-LLM's configuration."""
    if config.tokenizer_str is None:
        return TokenizerInfo(config.encoded_vocab, vocab_size=vocab_size, stop_token_ids=config.stop_token_ids)
    from tokenizers import Tokenizer
    from transformers import PreTrainedTokenizerFast

    tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer.from_str(config.tokenizer_str))
    return TokenizerInfo.from_huggingface(tokenizer, vocab_size=vocab_size, stop_token_ids=config.stop_token_ids)
