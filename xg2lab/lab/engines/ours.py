"""Our own engine behind the protocol of five methods: Earley's parser, the pushdown automaton, or any other switches.

>>> import numpy as np
>>> from xg2lab import TokenizerInfo
>>> engine = OurEngine()
>>> engine.compile(EngineSource("regex", "a+"), TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
>>> row = np.zeros(1, np.int32)
>>> engine.accept(0), engine.accept(1), engine.fill(row), row.tolist()
(True, False, None, [5])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xg2lab.lab.engines.protocol import EngineSource, Row
from xg2lab.options import EngineOptions

if TYPE_CHECKING:
    from collections.abc import Callable

    from xg2lab.compiler import CompiledGrammar
    from xg2lab.matcher import GrammarMatcher
    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["OurCompiled", "OurEngine", "OurPlainEngine", "OurPushdownEngine"]


class OurEngine:
    """xg2lab with the usual options, or with others.

    Parameters
    ----------
    options : EngineOptions, optional
        The engine's switches; the defaults if left out.
    name : str
        The name that reports show.

    >>> OurEngine(EngineOptions(minimize=False), "not minimized").name
    'not minimized'
    """

    def __init__(self, options: EngineOptions | None = None, name: str = "xg2lab") -> None:
        import xg2lab

        self.name, self.version = name, xg2lab.__version__
        self._options = options or EngineOptions()
        self._matcher: GrammarMatcher | None = None

    @property
    def matcher(self) -> GrammarMatcher:
        """The matcher that `compile` made."""
        assert self._matcher is not None, "compile comes first"
        return self._matcher

    def compile(self, source: EngineSource, info: TokenizerInfo) -> None:
        """Compile the grammar, with nothing kept from earlier ones."""
        from xg2lab import GrammarCompiler, GrammarMatcher

        compiler = GrammarCompiler(info, cache_enabled=False, options=self._options)
        compiler.clear_cache()
        self._matcher = GrammarMatcher(_compiled(compiler, source))

    def fill(self, row: Row) -> None:
        """Write the bitmask of the next token."""
        self.matcher.fill_next_token_bitmask(row.reshape(1, -1), 0)

    def accept(self, token_id: int) -> bool:
        """Move on by a token."""
        return bool(self.matcher.accept_token(token_id))

    def rollback(self, n_tokens: int) -> None:
        """Take back the last tokens."""
        self.matcher.rollback(n_tokens)

    def fork(self) -> OurEngine:
        """Return an independent copy."""
        other = OurEngine(self._options, self.name)
        other._matcher = self.matcher.fork()
        return other


def _compiled(compiler: Any, source: EngineSource) -> CompiledGrammar:
    match source.kind:
        case "json_schema":
            return compiler.compile_json_schema(source.text, **source.schema_options)
        case "ebnf":
            return compiler.compile_grammar(source.text, root_rule_name=source.root)
        case "lark":
            return compiler.compile_lark(source.text, start=source.root)
        case "regex":
            return compiler.compile_regex(source.text)
        case "structural_tag":
            return compiler.compile_structural_tag(source.text)


class OurPushdownEngine(OurEngine):
    """xg2lab's pushdown automaton on bytes in place of Earley's parser.

    >>> OurPushdownEngine().name
    'xg2lab-pda'
    """

    def __init__(self) -> None:
        super().__init__(EngineOptions(parser="pda"), "xg2lab-pda")


class OurPlainEngine(OurEngine):
    """xg2lab without the passes that rewrite a grammar and without what makes masks fast: the obvious way to do it.

    >>> OurPlainEngine().name
    'xg2lab-plain'
    """

    def __init__(self) -> None:
        options = EngineOptions(
            rule_inlining=False,
            right_recursion_to_repeat=False,
            literal_fusion=False,
            determinize=False,
            minimize=False,
            tail_calls=False,
            repetition_compression=False,
            cross_grammar_cache=False,
            context_expansion=False,
            token_classes=False,
            context_walks="never",
            shared_walks=False,
            counted_runs=False,
            partial_jit_k=0,
        )
        super().__init__(options, "xg2lab-plain")


class OurCompiled(OurEngine):
    """A grammar that is compiled already, as a session has it.

    Parameters
    ----------
    compiled : CompiledGrammar
        What matchers are made of. `compile` keeps it, whatever the source says.
    name : str
        The name that reports show.
    anew : callable, optional
        Compiles the same grammar with nothing kept from earlier ones. With it, `compile` does so each time, and its
        time is that of a compilation.
    """

    def __init__(
        self, compiled: CompiledGrammar, name: str = "xg2lab", anew: Callable[[], CompiledGrammar] | None = None
    ) -> None:
        super().__init__(compiled.options, name)
        self._compiled, self._anew = compiled, anew

    def compile(self, source: EngineSource, info: TokenizerInfo) -> None:  # noqa: ARG002 (it is compiled)
        """Stand at the beginning of the output."""
        from xg2lab import GrammarMatcher

        if self._anew is not None:
            self._compiled = self._anew()
        self._matcher = GrammarMatcher(self._compiled)
