"""SGLang's plug-in: the grammar backend `xg2lab`, to be chosen when a server starts.

    python -m sglang.launch_server --grammar-backend xg2lab --model-path ...

SGLang finds `register` by the entry point `xg2lab` in the group `sglang.srt.plugins` and calls it in each of its
processes before it reads arguments. It makes the name known, and nothing else: the backend is made where a server was
started with it.

See also: docs/serving.md; `backend.py`, the backend.
"""

from __future__ import annotations

from typing import Any

from xg2lab.integrations.contracts import Contract, check_contract

__all__ = ["CONTRACT", "NAME", "make_backend", "register"]

NAME = "xg2lab"

_BASE = "sglang.srt.constrained.base_grammar_backend"
_OBJECT, _BACKEND = f"{_BASE}:BaseGrammarObject", f"{_BASE}:BaseGrammarBackend"
_REASONER = "sglang.srt.constrained.reasoner_grammar_backend:ReasonerGrammarBackend"
CONTRACT = Contract(
    "SGLang",
    "0.5.23",
    signatures={
        f"{_OBJECT}.__init__": "(self)",
        f"{_OBJECT}.maybe_init_reasoning": "(self, reasoning)",
        f"{_OBJECT}.accept_token": "(self, token)",
        f"{_OBJECT}.rollback": "(self, k)",
        f"{_OBJECT}.is_terminated": "(self)",
        f"{_OBJECT}.allocate_vocab_mask": "(self, vocab_size, batch_size, device)",
        f"{_OBJECT}.fill_vocab_mask": "(self, vocab_mask, idx)",
        f"{_OBJECT}.fill_vocab_mask_batched": "(entries, vocab_mask)",
        f"{_OBJECT}.reset_vocab_mask": "(vocab_mask)",
        f"{_OBJECT}.move_vocab_mask": "(vocab_mask, device)",
        f"{_OBJECT}.apply_vocab_mask": "(logits, vocab_mask)",
        f"{_OBJECT}.copy": "(self)",
        f"{_OBJECT}.try_jump_forward": "(self, tokenizer)",
        f"{_OBJECT}.jump_forward_str_state": "(self, helper)",
        f"{_OBJECT}.jump_and_retokenize": "(self, old_output_ids, new_output_ids, next_state)",
        f"{_BACKEND}.__init__": "(self)",
        f"{_BACKEND}.reserve_framing_tokens": "(self, token_ids)",
        f"{_BACKEND}.compile_framed_grammar": "(self, grammar, frame)",
        f"{_BACKEND}.is_support_token_filter": "(self)",
        f"{_BACKEND}.set_token_filter": "(self, vocab_mask, token_ids, batch_idx, is_allowed, reset_vocab_mask)",
        f"{_BACKEND}.dispatch_json": "(self, key_string)",
        f"{_BACKEND}.dispatch_regex": "(self, key_string)",
        f"{_BACKEND}.dispatch_ebnf": "(self, key_string)",
        f"{_BACKEND}.dispatch_structural_tag": "(self, key_string)",
        f"{_BACKEND}.reset": "(self)",
        f"{_BASE}:InvalidGrammarObject.__init__": "(self, error_message)",
        f"{_BASE}:register_grammar_backend": "(name, init_func)",
        f"{_REASONER}.__init__": "(self, grammar_backend, reasoning_parser, tokenizer, enable_strict_thinking)",
    },
    fields={
        f"{_BASE}:GrammarStats": (
            "compilation_time",
            "schema_count",
            "ebnf_size",
            "is_cache_hit",
            "is_grammar_aborted",
            "tree_traversal_time",
            "dispatch_type",
            "num_timeout",
        ),
        f"{_BASE}:GrammarRow": ("row", "grammar"),
    },
    names=(
        f"{_BASE}:GRAMMAR_BACKEND_REGISTRY",
        "sglang:__version__",
        "sglang.srt.arg_groups.choices:add_grammar_backend_choices",
        "sglang.srt.parser.reasoning_parser:ReasoningParser",
        "sglang.srt.runtime_context:get_serving",
    ),
)


def register() -> None:
    """Make the backend `xg2lab` known to SGLang; any number of calls in a process have the effect of one.

    No example: it needs SGLang.
    """
    from importlib import import_module

    base: Any = import_module(_BASE)
    if NAME in base.GRAMMAR_BACKEND_REGISTRY:
        return
    base.register_grammar_backend(NAME, make_backend)
    choices: Any = import_module("sglang.srt.arg_groups.choices")
    choices.add_grammar_backend_choices([NAME])


def make_backend(server_args: Any, tokenizer: Any, vocab_size: int, eos_token_ids: set[int] | None) -> Any:
    """Make the backend of a server; SGLang calls it in its scheduler.

    SGLang wraps its own backends for models that reason, and not those that plug-ins register. So this does.

    Parameters
    ----------
    server_args : ServerArgs
        The server's arguments; what they say of grammars is read from SGLang's own context.
    tokenizer : PreTrainedTokenizerBase
        The model's tokenizer.
    vocab_size : int
        The width of the model's logits.
    eos_token_ids : set of int, optional
        The tokens that end a text.

    Returns
    -------
    BaseGrammarBackend
        An `Xg2labGrammarBackend`, within SGLang's `ReasonerGrammarBackend` if the server has a reasoning parser.

    Raises
    ------
    UnsupportedError
        The installed SGLang has other signatures than the plug-in was written for, or the server has an option that
        the backend does not have. SGLang then does not start.

    No example: it needs SGLang.
    """
    from importlib import import_module

    check_contract(CONTRACT, str(getattr(import_module("sglang"), "__version__", "of unknown version")))
    from xg2lab.integrations.sglang.backend import Xg2labGrammarBackend

    serving: Any = import_module("sglang.srt.runtime_context").get_serving()
    backend = Xg2labGrammarBackend(tokenizer, vocab_size, eos_token_ids, serving, str(server_args.model_path))
    if not serving.reasoning_parser:
        return backend
    parsers: Any = import_module("sglang.srt.parser.reasoning_parser")
    parser = parsers.ReasoningParser(model_type=serving.reasoning_parser, stream_reasoning=False, tokenizer=tokenizer)
    reasoner: Any = import_module("sglang.srt.constrained.reasoner_grammar_backend")
    return reasoner.ReasonerGrammarBackend(
        backend, parser, tokenizer, enable_strict_thinking=serving.enable_strict_thinking
    )
