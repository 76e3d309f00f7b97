"""xg2lab: a workbench for constrained decoding.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"yes", b"no", b"maybe", b"</s>"], stop_token_ids=[3])
>>> compiled = xgr.GrammarCompiler(info).compile_grammar('root ::= "yes" | "no"')
>>> matcher = xgr.GrammarMatcher(compiled)
>>> bitmask = xgr.allocate_token_bitmask(1, info.vocab_size)
>>> matcher.fill_next_token_bitmask(bitmask), matcher.allowed_tokens()
(True, [0, 1])

The engine's names are those of the field's usual API. `Session`, `ModelRunner` and the views live in `xg2lab.lab` and
`xg2lab.widgets`; they are loaded when first asked for, so that this import stays light: no torch, no Jupyter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xg2lab._core import BatchGrammarMatcher, GrammarMatcher
from xg2lab.bitmask import (
    allocate_token_bitmask,
    apply_token_bitmask_inplace,
    get_bitmask_shape,
    reset_token_bitmask,
)
from xg2lab.compiler import CompiledGrammar, GrammarCompiler
from xg2lab.errors import DeserializeFormatError, DeserializeVersionError, InvalidJSONError, Xg2LabError
from xg2lab.grammar import Grammar
from xg2lab.limits import work_limits
from xg2lab.nesting import get_max_recursion_depth, max_recursion_depth, set_max_recursion_depth
from xg2lab.options import EngineOptions
from xg2lab.serialization import get_serialization_version
from xg2lab.tokenizer_info import TokenizerInfo, VocabType

if TYPE_CHECKING:
    from xg2lab.examples import CheckResult, check
    from xg2lab.lab import ModelRunner, Session, Trace
    from xg2lab.lints import Findings, lint
    from xg2lab.members import sample, sample_tokens

__version__ = "0.1.0"

__all__ = [
    "BatchGrammarMatcher",
    "CheckResult",
    "CompiledGrammar",
    "DeserializeFormatError",
    "DeserializeVersionError",
    "EngineOptions",
    "Findings",
    "Grammar",
    "GrammarCompiler",
    "GrammarMatcher",
    "InvalidJSONError",
    "ModelRunner",
    "Session",
    "TokenizerInfo",
    "Trace",
    "VocabType",
    "Xg2LabError",
    "allocate_token_bitmask",
    "apply_token_bitmask_inplace",
    "check",
    "get_bitmask_shape",
    "get_max_recursion_depth",
    "get_serialization_version",
    "lint",
    "max_recursion_depth",
    "reset_token_bitmask",
    "sample",
    "sample_tokens",
    "set_max_recursion_depth",
    "work_limits",
]


# What is loaded when first asked for, and from where.
LATER = {
    "CheckResult": "examples",
    "Findings": "lints",
    "ModelRunner": "lab",
    "Session": "lab",
    "Trace": "lab",
    "bitmask_dtype": "bitmask",
    "check": "examples",
    "lint": "lints",
    "sample": "members",
    "sample_tokens": "members",
}


def __getattr__(name: str) -> Any:
    if name in LATER:
        from importlib import import_module

        return getattr(import_module(f"xg2lab.{LATER[name]}"), name)
    raise AttributeError(f"module 'xg2lab' has no attribute {name!r}")
