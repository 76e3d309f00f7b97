"""XGrammar behind the protocol of five methods; its package is imported when an object is made.

Written for XGrammar 0.2.8 (mlc-ai/xgrammar). Two choices make masks comparable: special tokens are given to it without
their text, which is how XGrammar marks tokens that no text may become; and it compiles with one thread and no cache.
"""

from __future__ import annotations

import importlib.metadata
from importlib import import_module
from typing import TYPE_CHECKING, Any

from xg2lab.lab.engines.protocol import EngineSource, Row

if TYPE_CHECKING:
    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["XGrammarEngine"]


class XGrammarEngine:
    """XGrammar: JSON Schema, EBNF, Lark, regular expressions and structural tags.

    Raises
    ------
    ImportError
        The package is not installed.
    """

    name = "xgrammar"

    def __init__(self) -> None:
        self._xgr: Any = import_module("xgrammar")
        self.version = importlib.metadata.version("xgrammar")
        self._info: TokenizerInfo | None = None
        self._compiler: Any = None
        self._matcher: Any = None
        self._bitmask: Any = None

    def compile(self, source: EngineSource, info: TokenizerInfo) -> None:
        """Compile the grammar with a compiler that keeps nothing of earlier ones."""
        if self._info is not info:
            special = {*info.special_token_ids} - {*info.stop_token_ids}
            tokens = [b"" if k in special else data for k, data in enumerate(info.decoded_vocab)]
            theirs = self._xgr.TokenizerInfo(
                tokens, vocab_size=info.vocab_size, stop_token_ids=list(info.stop_token_ids)
            )
            self._compiler = self._xgr.GrammarCompiler(theirs, max_threads=1, cache_enabled=False)
            self._bitmask = self._xgr.allocate_token_bitmask(1, info.vocab_size)
            self._info = info
        self._matcher = self._xgr.GrammarMatcher(self._compiled(source))

    def _compiled(self, source: EngineSource) -> Any:
        match source.kind:
            case "json_schema":
                return self._compiler.compile_json_schema(source.text, **source.schema_options)
            case "ebnf":
                return self._compiler.compile_grammar(source.text, root_rule_name=source.root)
            case "lark":
                if source.root != "start":
                    raise ValueError(f"XGrammar's Lark begins with `start`, not with `{source.root}`")
                return self._compiler.compile_lark(source.text)
            case "regex":
                return self._compiler.compile_regex(source.text)
            case "structural_tag":
                return self._compiler.compile_structural_tag(source.text)

    def fill(self, row: Row) -> None:
        """Write the bitmask of the next token."""
        if self._matcher.is_terminated():
            return
        self._matcher.fill_next_token_bitmask(self._bitmask)
        row[:] = self._bitmask.numpy()[0]

    def accept(self, token_id: int) -> bool:
        """Move on by a token."""
        return not self._matcher.is_terminated() and bool(self._matcher.accept_token(token_id))

    def rollback(self, n_tokens: int) -> None:
        """Take back the last tokens."""
        self._matcher.rollback(n_tokens)

    def fork(self) -> XGrammarEngine:
        """Return an independent copy."""
        other = XGrammarEngine.__new__(XGrammarEngine)
        other.__dict__.update(self.__dict__)
        other._matcher = self._matcher.fork()
        return other
