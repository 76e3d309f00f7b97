"""TensorRT-LLM's guided decoding on xg2lab: `install()` takes the place of its factory of XGrammar's matchers.

    from xg2lab.integrations import tensorrt_llm
    tensorrt_llm.install()
    llm = LLM(model=..., guided_decoding_backend="xgrammar")

TensorRT-LLM has abstract classes for matchers and no registry, nor plug-ins. So `install` has to be called in the
process that runs the model, before the model is loaded. This was written for the classes of version 1.2 as they were
read, and tested with stand-ins for them: it was never run in TensorRT-LLM itself.

See also: docs/serving.md; `matchers.py`, the matcher and its factory.
"""

from __future__ import annotations

from typing import Any

from xg2lab.integrations.contracts import Contract, check_contract

__all__ = ["CONTRACT", "install"]

_MATCHERS = "tensorrt_llm._torch.pyexecutor.grammar_matcher"
_DECODER = "tensorrt_llm._torch.pyexecutor.guided_decoder"
CONTRACT = Contract(
    "TensorRT-LLM",
    "1.2",
    signatures={
        f"{_MATCHERS}:GrammarMatcher.accept_token": "(self, token_id)",
        f"{_MATCHERS}:GrammarMatcher.rollback": "(self, num_tokens)",
        f"{_MATCHERS}:GrammarMatcher.fill_next_token_bitmask": "(self, next_token_bitmask, index)",
        f"{_MATCHERS}:GrammarMatcher.is_terminated": "(self)",
        f"{_MATCHERS}:GrammarMatcherFactory.create": "(self, guided_decoding_params)",
        f"{_MATCHERS}:XGrammarMatcherFactory.__init__": (
            "(self, guided_decoding_config, vocab_size_padded, max_num_draft_tokens)"
        ),
    },
    abstract={
        f"{_MATCHERS}:GrammarMatcher": ("accept_token", "fill_next_token_bitmask", "is_terminated", "rollback"),
        f"{_MATCHERS}:GrammarMatcherFactory": ("create",),
    },
    names=("tensorrt_llm:__version__", f"{_DECODER}:XGrammarMatcherFactory"),
    uses={f"{_DECODER}:GuidedDecoder.__init__": "XGrammarMatcherFactory"},
)


def install() -> None:
    """Put xg2lab in the place of the backend "xgrammar" in this process; again and again has the effect of once.

    Raises
    ------
    UnsupportedError
        The installed TensorRT-LLM has other signatures than those that were read; the message lists them.

    No example: it needs TensorRT-LLM.
    """
    from importlib import import_module

    decoder: Any = import_module(_DECODER)
    if getattr(decoder.XGrammarMatcherFactory, "is_of_xg2lab", False):
        return
    check_contract(CONTRACT, str(import_module("tensorrt_llm").__version__))
    from xg2lab.integrations.tensorrt_llm.matchers import Xg2labMatcherFactory

    decoder.XGrammarMatcherFactory = Xg2labMatcherFactory
