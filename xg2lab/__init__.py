"""xg2lab: a workbench for constrained decoding.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"yes", b"no", b"maybe", b"</s>"], stop_token_ids=[3])
>>> compiled = xgr.GrammarCompiler(info).compile_grammar('root ::= "yes" | "no"')
>>> matcher = xgr.GrammarMatcher(compiled)
>>> bitmask = xgr.allocate_token_bitmask(1, info.vocab_size)
>>> matcher.fill_next_token_bitmask(bitmask), matcher.allowed_tokens()
(True, [0, 1])

The engine's names are those of XGrammar, so `import xg2lab as xgr` runs code that was written for it: docs/drop_in.md
lists the names and the deliberate differences. `Session`, `ModelRunner` and the views live in `xg2lab.lab` and
`xg2lab.widgets`. Parts that need pydantic, torch or Jupyter are loaded on first use: this import stays light.
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
from xg2lab.compiler import CompiledGrammar, CompiledTemplate, GrammarCompiler
from xg2lab.compiling.serialization import get_serialization_version
from xg2lab.errors import (
    DeserializeFormatError,
    DeserializeVersionError,
    InvalidJSONError,
    InvalidStructuralTagError,
    TemplateArgumentError,
    Xg2LabError,
)
from xg2lab.grammar import Grammar
from xg2lab.limits import work_limits
from xg2lab.options import EngineOptions
from xg2lab.support.nesting import get_max_recursion_depth, max_recursion_depth, set_max_recursion_depth
from xg2lab.template import Template
from xg2lab.tokenizer_info import TokenizerInfo, VocabType

if TYPE_CHECKING:
    from xg2lab import config, contrib, exception, kernels, matcher, structural_tag, testing
    from xg2lab.builtin_structural_tag import (
        get_builtin_structural_tag,
        get_model_structural_tag,
        register_model_structural_tag,
    )
    from xg2lab.contrib import hf
    from xg2lab.integrations.serve.attaching import attach
    from xg2lab.lab import ModelRunner, Session, Trace
    from xg2lab.language.examples import CheckResult, check
    from xg2lab.language.members import sample, sample_tokens
    from xg2lab.lints import Findings, lint
    from xg2lab.provenance import Provenance
    from xg2lab.structural_tag import StructuralTag, StructuralTagItem
    from xg2lab.tool_calls.tool_choice import normalize_tool_choice

    bitmask_dtype: Any = None

__version__ = "0.1.0"

__all__ = [
    "BatchGrammarMatcher",
    "CheckResult",
    "CompiledGrammar",
    "CompiledTemplate",
    "DeserializeFormatError",
    "DeserializeVersionError",
    "EngineOptions",
    "Findings",
    "Grammar",
    "GrammarCompiler",
    "GrammarMatcher",
    "InvalidJSONError",
    "InvalidStructuralTagError",
    "ModelRunner",
    "Provenance",
    "Session",
    "StructuralTag",
    "StructuralTagItem",
    "Template",
    "TemplateArgumentError",
    "TokenizerInfo",
    "Trace",
    "VocabType",
    "Xg2LabError",
    "allocate_token_bitmask",
    "apply_token_bitmask_inplace",
    "attach",
    "bitmask_dtype",
    "check",
    "config",
    "contrib",
    "exception",
    "get_bitmask_shape",
    "get_builtin_structural_tag",
    "get_max_recursion_depth",
    "get_model_structural_tag",
    "get_serialization_version",
    "hf",
    "kernels",
    "lint",
    "matcher",
    "max_recursion_depth",
    "normalize_tool_choice",
    "register_model_structural_tag",
    "reset_token_bitmask",
    "sample",
    "sample_tokens",
    "set_max_recursion_depth",
    "structural_tag",
    "testing",
    "work_limits",
]


# Loaded on first use: a name and its module, or a module itself.
LATER = {
    "CheckResult": "language.examples",
    "Findings": "lints",
    "ModelRunner": "lab",
    "Provenance": "provenance",
    "Session": "lab",
    "StructuralTag": "structural_tag",
    "StructuralTagItem": "structural_tag",
    "Trace": "lab",
    "attach": "integrations.serve.attaching",
    "bitmask_dtype": "bitmask",
    "check": "language.examples",
    "get_builtin_structural_tag": "builtin_structural_tag",
    "get_model_structural_tag": "builtin_structural_tag",
    "lint": "lints",
    "normalize_tool_choice": "tool_calls.tool_choice",
    "register_model_structural_tag": "builtin_structural_tag",
    "sample": "language.members",
    "sample_tokens": "language.members",
}
MODULES = {name: name for name in ("config", "contrib", "exception", "kernels", "matcher", "structural_tag", "testing")}
MODULES["hf"] = "contrib.hf"


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in LATER:
        return getattr(import_module(f"xg2lab.{LATER[name]}"), name)
    if name in MODULES:
        return import_module(f"xg2lab.{MODULES[name]}")
    raise AttributeError(f"module 'xg2lab' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
