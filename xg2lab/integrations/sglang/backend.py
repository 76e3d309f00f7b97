"""The classes that SGLang's constrained decoding runs on: a backend that compiles requests, and one object each.

Imported by `make_backend` alone, since it imports SGLang.

Shapes and units: a mask is an int32 tensor in CPU memory of shape (rows, words), pinned where a GPU is; SGLang moves
it to the device of the logits and applies it there.

See also: `xg2lab/integrations/texts.py`.
"""

from __future__ import annotations

import dataclasses
import json
import logging
from collections.abc import Callable, Sequence
from typing import Any

from sglang.srt.constrained.base_grammar_backend import (
    BaseGrammarBackend,
    BaseGrammarObject,
    GrammarStats,
    InvalidGrammarObject,
)

from xg2lab._core import BatchGrammarMatcher
from xg2lab.bitmask import allocate_token_bitmask, apply_token_bitmask_inplace, reset_token_bitmask
from xg2lab.compiler import GrammarCompiler
from xg2lab.errors import UnsupportedError, Xg2LabError
from xg2lab.flight import FlightGrammar, FlightRecorder
from xg2lab.integrations.requests import pointer_of, request_grammar
from xg2lab.integrations.texts import ConstrainedText, Recorded
from xg2lab.tokenizer_info import TokenizerInfo, VocabType

__all__ = ["MAX_ROLLBACK_TOKENS", "Xg2labGrammarBackend", "Xg2labGrammarObject"]

#: As many tokens as SGLang may take back: drafts, and forced text that is tokenized anew.
MAX_ROLLBACK_TOKENS = 200
#: What SGLang sends for JSON of any kind.
ANY_JSON = "$$ANY$$"

_LOGGER = logging.getLogger("sglang.xg2lab")


class Xg2labGrammarObject(BaseGrammarObject):  # pyright: ignore[reportUntypedBaseClass]
    """The grammar of one request, with the tokens that it has taken.

    Parameters
    ----------
    text : ConstrainedText
        The request's text.
    stats : GrammarStats
        What SGLang counts.

    No example: it needs SGLang.
    """

    def __init__(self, text: ConstrainedText, stats: Any) -> None:
        super().__init__()
        self.text = text
        self.grammar_stats = stats

    def accept_token(self, token: int) -> None:
        """Take a token; what follows the end is ignored.

        Parameters
        ----------
        token : int
            A token id.

        Raises
        ------
        ValueError
            The grammar refuses it, which SGLang answers by aborting the request.
        """
        if self.text.is_over:
            return
        self.current_token = token
        if not self.text.accept([token]):
            raise ValueError(f"the grammar refuses {self.text.refusal}")

    def rollback(self, k: int) -> None:
        """Take the last tokens back.

        Parameters
        ----------
        k : int
            How many, at most `MAX_ROLLBACK_TOKENS`.
        """
        self.text.rollback(k)

    def is_terminated(self) -> bool:
        """Whether a stop token ended the text.

        Returns
        -------
        bool
            Whether it did.
        """
        return self.text.is_over

    # ---- Masks ----

    def allocate_vocab_mask(self, vocab_size: int, batch_size: int, device: Any) -> Any:
        """Make a mask that allows everything.

        Parameters
        ----------
        vocab_size, batch_size : int
            The width of the logits, and the number of rows.
        device : torch.device or str
            Where the logits are: for a GPU the mask is pinned.

        Returns
        -------
        torch.Tensor
            int32, shape (batch_size, words).
        """
        return new_mask(vocab_size, batch_size, device)

    def fill_vocab_mask(self, vocab_mask: Any, idx: int) -> None:
        """Write the mask of the next token into a row; all ones if the text is over.

        Parameters
        ----------
        vocab_mask : torch.Tensor
            The mask.
        idx : int
            The row.
        """
        self.text.fill(vocab_mask, idx)

    @staticmethod
    def fill_vocab_mask_batched(entries: Sequence[Any], vocab_mask: Any) -> None:
        """Fill the rows of several requests at once, in the engine's threads; other rows stay as they are.

        Parameters
        ----------
        entries : list of GrammarRow
            Each with its `row` and its `grammar`: one of ours, or SGLang's wrapper for a model that reasons.
        vocab_mask : torch.Tensor
            The mask.
        """
        plain = [
            each for each in entries if isinstance(each.grammar, Xg2labGrammarObject) and each.grammar.text.is_plain
        ]
        if len(plain) > 1:
            matchers = [each.grammar.text.matcher for each in plain]
            _BATCH.batch_fill_next_token_bitmask(matchers, vocab_mask, [each.row for each in plain])
        else:
            plain = []
        done = {each.row for each in plain}
        for each in entries:
            if each.row not in done:
                each.grammar.fill_vocab_mask(vocab_mask, each.row)

    @staticmethod
    def reset_vocab_mask(vocab_mask: Any) -> None:
        """Allow everything again.

        Parameters
        ----------
        vocab_mask : torch.Tensor
            The mask.
        """
        reset_token_bitmask(vocab_mask)

    @staticmethod
    def move_vocab_mask(vocab_mask: Any, device: Any) -> Any:
        """Copy a mask to where the logits are.

        Parameters
        ----------
        vocab_mask : torch.Tensor
            The mask.
        device : torch.device or str
            The device.

        Returns
        -------
        torch.Tensor
            The copy; the mask itself if it is there.
        """
        return vocab_mask.to(device, non_blocking=True)

    @staticmethod
    def apply_vocab_mask(logits: Any, vocab_mask: Any) -> None:
        """Write minus infinity into each logit that a mask forbids.

        Parameters
        ----------
        logits, vocab_mask : torch.Tensor
            On the same device.
        """
        apply_token_bitmask_inplace(logits, vocab_mask)

    def copy(self) -> Xg2labGrammarObject:
        """Return an object for another request with the same grammar.

        Returns
        -------
        Xg2labGrammarObject
            Without tokens.
        """
        stats = self.grammar_stats
        if stats is not None:
            stats = dataclasses.replace(stats, is_cache_hit=True, tree_traversal_time=[])
        return Xg2labGrammarObject(self.text.fresh(), stats)

    # ---- Jump-forward: text that the grammar forces is not sampled ----

    def try_jump_forward(self, tokenizer: Any) -> tuple[list[int], str] | None:
        """Return the text that must come next.

        Parameters
        ----------
        tokenizer : PreTrainedTokenizerBase
            SGLang's; the text does not depend on it.

        Returns
        -------
        tuple of (list of int, str), or None
            No tokens, and the forced text; None if nothing is forced.
        """
        _ = tokenizer
        forced = "" if self.text.is_over else self.text.matcher.find_jump_forward_string()
        return ([], forced) if forced else None

    def jump_forward_str_state(self, helper: tuple[list[int], str]) -> tuple[str, int]:
        """Return the forced text of `try_jump_forward`.

        Parameters
        ----------
        helper : tuple of (list of int, str)
            What that returned.

        Returns
        -------
        tuple of (str, int)
            The text, and -1: the state is in the matcher.
        """
        return helper[1], -1

    def jump_and_retokenize(self, old_output_ids: list[int], new_output_ids: list[int], next_state: int) -> None:
        """Follow an output that was tokenized anew: back to the common beginning, then on.

        Parameters
        ----------
        old_output_ids, new_output_ids : list of int
            The output before and after.
        next_state : int
            Not needed: the state is in the matcher.

        Raises
        ------
        ValueError
            The grammar refuses a token of the new output.
        """
        _ = next_state
        pairs = zip(old_output_ids, new_output_ids, strict=False)
        n_common = next((n for n, (old, new) in enumerate(pairs) if old != new), None)
        if n_common is None:
            n_common = min(len(old_output_ids), len(new_output_ids))
        if n_common < len(old_output_ids):
            self.text.rollback(len(old_output_ids) - n_common)
        if not self.text.accept(new_output_ids[n_common:]):
            raise ValueError(f"the grammar refuses {self.text.refusal}, after the forced text was tokenized anew")


_BATCH = BatchGrammarMatcher()


class Xg2labGrammarBackend(BaseGrammarBackend):  # pyright: ignore[reportUntypedBaseClass]
    """Compiles the grammars of requests.

    Parameters
    ----------
    tokenizer : PreTrainedTokenizerBase
        The model's tokenizer.
    vocab_size : int
        The width of the model's logits.
    eos_token_ids : set of int, optional
        The tokens that end a text. Without them, those of the tokenizer.
    serving : object
        SGLang's settings: `constrained_json_disable_any_whitespace` asks for JSON without spaces after `,` and `:`,
        `constrained_json_max_whitespace_cnt` bounds whitespace.
    model : str
        The model's name, for recorded flights.

    Raises
    ------
    UnsupportedError
        The server has `constrained_json_whitespace_pattern`, or the tokenizer can't be read.

    No example: it needs SGLang.
    """

    def __init__(
        self, tokenizer: Any, vocab_size: int, eos_token_ids: set[int] | None, serving: Any, model: str = ""
    ) -> None:
        super().__init__()
        if serving.constrained_json_whitespace_pattern is not None:
            raise UnsupportedError(
                "the backend xg2lab has no --constrained-json-whitespace-pattern",
                hint="leave it out; --constrained-json-disable-any-whitespace and "
                "--constrained-json-max-whitespace-cnt bound the whitespace of JSON",
            )
        self.is_compact = bool(serving.constrained_json_disable_any_whitespace)
        self.max_whitespace_cnt: int | None = serving.constrained_json_max_whitespace_cnt
        self.vocab_size, self.model = vocab_size, model
        self.tokenizer_info = tokenizer_info_of(tokenizer, vocab_size, eos_token_ids)
        self.compiler = GrammarCompiler(self.tokenizer_info)
        self.framing_compiler = self.compiler
        self.recorder = FlightRecorder.from_environment()

    # ---- Requests ----

    def dispatch_json(self, key_string: str) -> Any:
        """Compile a JSON Schema, or any JSON.

        Parameters
        ----------
        key_string : str
            The schema as JSON text, or "$$ANY$$".

        Returns
        -------
        Xg2labGrammarObject or InvalidGrammarObject
            The latter has the message of what is refused.
        """
        return self._compiled("json_schema", "true" if key_string == ANY_JSON else key_string, "json")

    def dispatch_regex(self, key_string: str) -> Any:
        """Compile a regular expression.

        Parameters
        ----------
        key_string : str
            The pattern.

        Returns
        -------
        Xg2labGrammarObject or InvalidGrammarObject
            As `dispatch_json`.
        """
        return self._compiled("regex", key_string, "regex")

    def dispatch_ebnf(self, key_string: str) -> Any:
        """Compile a grammar in EBNF.

        Parameters
        ----------
        key_string : str
            The grammar.

        Returns
        -------
        Xg2labGrammarObject or InvalidGrammarObject
            As `dispatch_json`.
        """
        return self._compiled("ebnf", key_string, "ebnf")

    def dispatch_structural_tag(self, key_string: str) -> Any:
        """Compile a structural tag, in today's form or the older one.

        Parameters
        ----------
        key_string : str
            The tag as JSON text.

        Returns
        -------
        Xg2labGrammarObject or InvalidGrammarObject
            As `dispatch_json`.
        """
        return self._compiled("structural_tag", key_string, "structural_tag")

    def reset(self) -> None:
        """Drop what was compiled."""
        super().reset()
        self.compiler.clear_cache()

    def _compiled(self, kind: str, text: str, dispatch_type: str) -> Any:
        try:
            grammar = request_grammar(kind, text, is_compact=self.is_compact)
            if kind == "json_schema" and self.max_whitespace_cnt is not None and not self.is_compact:
                grammar = FlightGrammar(kind, text, {**grammar.options, "max_whitespace_cnt": self.max_whitespace_cnt})
            return self._object(grammar, self.compiler, dispatch_type)
        except Xg2LabError as error:
            pointer = pointer_of(error)
            where = "" if pointer is None else f"at {pointer or 'its root'}: "
            said = str(error).removeprefix(where)
            _LOGGER.warning("a %s is refused: %s%s", dispatch_type, where, said)
            return InvalidGrammarObject(where + said)

    def _object(self, grammar: FlightGrammar, compiler: GrammarCompiler, dispatch_type: str) -> Xg2labGrammarObject:
        recorded = Recorded(self.recorder, grammar, "sglang", self.model) if self.recorder.is_on else None
        text = ConstrainedText(grammar.compile(compiler), max_rollback_tokens=MAX_ROLLBACK_TOKENS, recorded=recorded)
        return Xg2labGrammarObject(text, GrammarStats(dispatch_type=dispatch_type))

    # ---- What SGLang's wrapper for models that reason needs ----

    def reserve_framing_tokens(self, token_ids: Sequence[int]) -> None:
        """Keep tokens from matching text in grammars that `compile_framed_grammar` makes.

        Parameters
        ----------
        token_ids : sequence of int
            Tokens that frame an answer, such as the end of a message.
        """
        info = self.tokenizer_info
        special = {*info.special_token_ids, *token_ids} - {*info.stop_token_ids}
        self.framing_compiler = GrammarCompiler(
            TokenizerInfo(
                info.decoded_vocab,
                VocabType.RAW,
                vocab_size=info.vocab_size,
                stop_token_ids=info.stop_token_ids,
                special_token_ids=sorted(special),
            )
        )

    def compile_framed_grammar(self, grammar: Any, frame: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
        """Compile the grammar of a request as the answer within a frame.

        Parameters
        ----------
        grammar : Xg2labGrammarObject
            The request's grammar.
        frame : callable
            From a format of a structural tag to the structural tag around it.

        Returns
        -------
        Xg2labGrammarObject
            The framed grammar.
        """
        content = {"type": "grammar", "grammar": str(grammar.text.compiled.grammar)}
        tag = request_grammar("structural_tag", json.dumps(frame(content)))
        return self._object(tag, self.framing_compiler, "structural_tag")

    @property
    def is_support_token_filter(self) -> bool:
        """Whether `set_token_filter` works, which strict thinking needs: it does."""
        return True

    @staticmethod
    def set_token_filter(  # pyright: ignore[reportIncompatibleMethodOverride]
        vocab_mask: Any,
        token_ids: Sequence[int],
        batch_idx: int,
        is_allowed: bool = True,
        reset_vocab_mask: bool = True,
    ) -> None:
        """Allow or forbid some tokens in a row of a mask.

        Parameters
        ----------
        vocab_mask : torch.Tensor
            The mask.
        token_ids : sequence of int
            The tokens.
        batch_idx : int
            The row.
        is_allowed : bool
            Whether they are allowed.
        reset_vocab_mask : bool
            Whether the others become the opposite; if not, they stay as they are.
        """
        if reset_vocab_mask:
            vocab_mask[batch_idx] = 0 if is_allowed else -1
        for token in token_ids:
            bit = 1 << (token % 32)
            signed = bit - (1 << 32) if bit >> 31 else bit
            if is_allowed:
                vocab_mask[batch_idx, token // 32] |= signed
            else:
                vocab_mask[batch_idx, token // 32] &= ~signed

    @staticmethod
    def allocate_vocab_mask(vocab_size: int, batch_size: int, device: Any) -> Any:
        """Make a mask, as `Xg2labGrammarObject.allocate_vocab_mask`.

        Parameters
        ----------
        vocab_size, batch_size : int
            The width of the logits, and the number of rows.
        device : torch.device or str
            Where the logits are.

        Returns
        -------
        torch.Tensor
            int32, shape (batch_size, words).
        """
        return new_mask(vocab_size, batch_size, device)

    move_vocab_mask = staticmethod(Xg2labGrammarObject.move_vocab_mask)
    apply_vocab_mask = staticmethod(Xg2labGrammarObject.apply_vocab_mask)


def new_mask(vocab_size: int, batch_size: int, device: Any) -> Any:
    """Return a mask that allows everything, in memory from which a GPU can copy while the processor goes on."""
    mask = allocate_token_bitmask(batch_size, vocab_size, library="torch")
    return mask.pin_memory() if str(device).startswith("cuda") else mask


def tokenizer_info_of(tokenizer: Any, vocab_size: int, eos_token_ids: set[int] | None) -> TokenizerInfo:
    """Return the vocabulary of SGLang's tokenizer, which ends texts as the model's configuration says."""
    stops = sorted(token for token in eos_token_ids or () if 0 <= token < vocab_size) or None
    if not hasattr(tokenizer, "init_xgrammar"):
        return TokenizerInfo.from_huggingface(tokenizer, vocab_size=vocab_size, stop_token_ids=stops)
    theirs, own_stops = tokenizer.init_xgrammar()  # a tokenizer that only SGLang can read
    if theirs is None:
        raise UnsupportedError(
            f"SGLang's {type(tokenizer).__name__} does not say what its tokens are",
            hint="start the server with --grammar-backend none, or with another tokenizer of the model",
        )
    own = [own_stops] if isinstance(own_stops, int) else own_stops
    return TokenizerInfo(
        theirs.decoded_vocab,
        VocabType.RAW,
        vocab_size=vocab_size,
        stop_token_ids=own or stops or theirs.stop_token_ids,
        special_token_ids=theirs.special_token_ids,
    )
