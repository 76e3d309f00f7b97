"""vLLM's plug-in: with XG2LAB_VLLM=1, grammars of requests run on xg2lab.

    XG2LAB_VLLM=1 python -m vllm.entrypoints.openai.api_server --model ...

vLLM finds `register` by the entry point `xg2lab` in the group `vllm.general_plugins` and calls it in each of its
processes. Without the variable it does nothing, and imports nothing.

>>> register()                      # the variable is not set

vLLM has no registry of grammar backends (vllm#50966). So the plug-in takes the place of the one named "xgrammar": the
class that compiles, and the function that validates a request before it is queued.

See also: docs/serving.md; `backend.py`, what compiles; `validation.py`, what answers a client.
"""

from __future__ import annotations

import logging
from typing import Any

from xg2lab.integrations.contracts import Contract, check_contract, is_switched_on

__all__ = ["CONTRACT", "VARIABLE", "register"]

VARIABLE = "XG2LAB_VLLM"

_TYPES = "vllm.v1.structured_output.backend_types"
_PARAMS = "vllm.sampling_params"
CONTRACT = Contract(
    "vLLM",
    "0.32.0",
    signatures={
        f"{_TYPES}:StructuredOutputBackend.compile_grammar": "(self, request_type, grammar_spec, stop_token_ids)",
        f"{_TYPES}:StructuredOutputBackend.allocate_token_bitmask": "(self, max_num_seqs)",
        f"{_TYPES}:StructuredOutputBackend.destroy": "(self)",
        f"{_TYPES}:StructuredOutputGrammar.accept_tokens": "(self, request_id, tokens)",
        f"{_TYPES}:StructuredOutputGrammar.validate_tokens": "(self, tokens)",
        f"{_TYPES}:StructuredOutputGrammar.rollback": "(self, num_tokens)",
        f"{_TYPES}:StructuredOutputGrammar.fill_bitmask": "(self, bitmask, batch_index)",
        f"{_TYPES}:StructuredOutputGrammar.is_terminated": "(self)",
        f"{_TYPES}:StructuredOutputGrammar.reset": "(self)",
        f"{_PARAMS}:StructuredOutputsParams.all_constraints_none": "(self)",
        "vllm.v1.structured_output.backend_xgrammar:validate_xgrammar_grammar": "(sampling_params)",
    },
    abstract={
        f"{_TYPES}:StructuredOutputBackend": ("allocate_token_bitmask", "compile_grammar", "destroy"),
        f"{_TYPES}:StructuredOutputGrammar": (
            "accept_tokens",
            "fill_bitmask",
            "is_terminated",
            "reset",
            "rollback",
            "validate_tokens",
        ),
    },
    fields={
        f"{_TYPES}:StructuredOutputBackend": ("vllm_config", "tokenizer", "vocab_size"),
        f"{_PARAMS}:StructuredOutputsParams": (
            "json",
            "regex",
            "choice",
            "grammar",
            "json_object",
            "disable_any_whitespace",
            "disable_additional_properties",
            "whitespace_pattern",
            "structural_tag",
        ),
    },
    members={
        f"{_TYPES}:StructuredOutputOptions": (
            "JSON",
            "JSON_OBJECT",
            "REGEX",
            "GRAMMAR",
            "CHOICE",
            "STRUCTURAL_TAG",
        ),
    },
    names=(
        "vllm:__version__",
        "vllm.envs:VLLM_XGRAMMAR_CACHE_MB",
        "vllm.exceptions:VLLMClientError",
        "vllm.v1.structured_output:XgrammarBackend",
    ),
    uses={
        "vllm.v1.structured_output:StructuredOutputManager.grammar_init": "XgrammarBackend",
        f"{_PARAMS}:SamplingParams._validate_structured_outputs": "validate_xgrammar_grammar",
    },
)


def register() -> None:
    """Put xg2lab in the place of vLLM's backend "xgrammar", if the environment variable XG2LAB_VLLM asks for it.

    Any number of calls in a process have the effect of one.

    Raises
    ------
    UnsupportedError
        The installed vLLM has other signatures than the plug-in was written for; the message lists them. vLLM then does
        not start, rather than serve with another engine than the one that was asked for.
    ArgumentError
        The variable's value is neither on nor off.

    >>> register()
    """
    if not is_switched_on(VARIABLE):
        return
    from importlib import import_module

    manager: Any = import_module("vllm.v1.structured_output")
    if getattr(manager.XgrammarBackend, "is_of_xg2lab", False):
        return
    version = str(import_module("vllm").__version__)
    check_contract(CONTRACT, version)
    from xg2lab import __version__
    from xg2lab.integrations.vllm.backend import Xg2labBackend
    from xg2lab.integrations.vllm.validation import validate_grammar

    manager.XgrammarBackend = Xg2labBackend
    theirs: Any = import_module("vllm.v1.structured_output.backend_xgrammar")
    theirs.validate_xgrammar_grammar = validate_grammar
    logging.getLogger("vllm.xg2lab").info(
        "xg2lab %s compiles grammars and masks tokens in vLLM %s", __version__, version
    )
