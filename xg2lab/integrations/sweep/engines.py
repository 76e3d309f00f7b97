"""The engines of a sweep: ours with a compiler that stays warm from row to row, and those that the lab knows.

>>> from xg2lab import TokenizerInfo
>>> engine = WarmEngine()
>>> engine.compile(schema_source('{"type": "null"}'), TokenizerInfo([b"null", b"</s>"], stop_token_ids=[1]))
>>> engine.accept(0), engine.accept(0)
(True, False)

See also: `xg2lab.lab.engines`, whose protocol these engines have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xg2lab.lab.engines.protocol import Engine, EngineSource, Row
from xg2lab.lab.engines.registry import made

if TYPE_CHECKING:
    from xg2lab.compiler import CompiledGrammar, GrammarCompiler
    from xg2lab.matcher import GrammarMatcher
    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["WarmEngine", "engine_of", "schema_source"]


def schema_source(text: str, *, strict_mode: bool = False) -> EngineSource:
    """A JSON Schema as engines read it."""
    return EngineSource("json_schema", text, {"strict_mode": strict_mode})


class WarmEngine:
    """xg2lab as a server runs it: one compiler for all schemas, whose pool of mask entries they share."""

    name = "xg2lab"

    def __init__(self) -> None:
        from xg2lab import __version__

        self.version = __version__
        self._compiler: GrammarCompiler | None = None
        self._compiled: CompiledGrammar | None = None
        self._matcher: GrammarMatcher | None = None

    @property
    def compiled(self) -> CompiledGrammar:
        """The grammar that was compiled last."""
        assert self._compiled is not None, "compile comes first"
        return self._compiled

    @property
    def matcher(self) -> GrammarMatcher:
        """The matcher, which stands where the tokens have led."""
        assert self._matcher is not None, "compile comes first"
        return self._matcher

    def compile(self, source: EngineSource, info: TokenizerInfo) -> None:
        """Compile the schema. A text that came before is compiled again: rows must not depend on their order."""
        from xg2lab import GrammarCompiler, GrammarMatcher

        if self._compiler is None or self._compiler.tokenizer_info is not info:
            self._compiler = GrammarCompiler(info, cache_enabled=False)
        self._compiled = self._compiler.compile_json_schema(source.text, **source.schema_options)
        self._matcher = GrammarMatcher(self._compiled)

    def fill(self, row: Row) -> None:
        """Write the bitmask of the next token."""
        self.matcher.fill_next_token_bitmask(row.reshape(1, -1), 0)

    def accept(self, token_id: int) -> bool:
        """Move on by a token."""
        return bool(self.matcher.accept_token(token_id))

    def rollback(self, n_tokens: int) -> None:
        """Take tokens back."""
        self.matcher.rollback(n_tokens)

    def fork(self) -> WarmEngine:
        """Return a matcher of the same grammar, at the beginning if this one is."""
        other = WarmEngine.__new__(WarmEngine)
        other.version, other._compiler, other._compiled = self.version, self._compiler, self._compiled
        other._matcher = self.matcher.fork()
        return other


def engine_of(name: str) -> Engine:
    """Return an engine by its name; ours is warm. Raises `EngineError` if there is none, or it is not installed."""
    return WarmEngine() if name == "xg2lab" else made(name)
