"""One face for xg2lab and its peers: compile, fill, accept. A peer that isn't installed is left out, and said so."""

from __future__ import annotations

import importlib.metadata
import json
from importlib import import_module
from typing import Any, ClassVar, Protocol

import numpy as np

from benchmarks.texts import JSON, Source, Vocabulary


class Engine(Protocol):
    """What a benchmark drives."""

    name: str
    schema_options: dict[str, Any]
    refusals: tuple[type[Exception], ...]

    def compile(self, source: Source = JSON) -> None:
        """Compile a grammar, afresh each time."""
        ...

    def compile_schema(self, schema: Any) -> None:
        """Compile a JSON Schema with `schema_options`; what was learnt from others is kept. Refuses with `refusals`."""
        ...

    def forget(self) -> None:
        """Drop what grammars compiled later would take from earlier ones, where an engine keeps such."""
        ...

    def start(self) -> None:
        """Make a matcher of the compiled grammar."""
        ...

    def fill(self) -> None:
        """Fill the bitmask for the next token."""
        ...

    def allows(self, token: int) -> bool:
        """Whether the bitmask last filled allows a token."""
        ...

    def accept(self, token: int) -> bool:
        """Move on by a token; False if it is refused."""
        ...


class Xg2Lab:
    """Ours. A JSON Schema is read as the standard says, as far as options can ask for it: here and with each peer."""

    package: ClassVar = "xg2lab"

    def __init__(self, vocabulary: Vocabulary) -> None:
        import xg2lab as xgr

        self.schema_options: dict[str, Any] = {"any_whitespace": True, "strict_mode": False}
        self.refusals: tuple[type[Exception], ...] = (xgr.Xg2LabError,)
        self.name = f"xg2lab {xgr.__version__}"
        self.xgr = xgr
        special = list(range(vocabulary.n_text, len(vocabulary.tokens)))
        info = xgr.TokenizerInfo(vocabulary.tokens, stop_token_ids=[vocabulary.stop_token], special_token_ids=special)
        self.compiler = xgr.GrammarCompiler(info, cache_enabled=False)
        self.bitmask = np.zeros((1, (len(vocabulary.tokens) + 31) // 32), np.int32)

    def forget(self) -> None:
        self.compiler.clear_cache()

    def compile(self, source: Source = JSON) -> None:
        self.forget()
        self.compiled: Any = self.compiler.compile_grammar(source.ebnf)

    def compile_schema(self, schema: Any) -> None:
        self.compiled = self.compiler.compile_json_schema(json.dumps(schema), **self.schema_options)

    def start(self) -> None:
        self.matcher = self.xgr.GrammarMatcher(self.compiled)

    def fill(self) -> None:
        self.matcher.fill_next_token_bitmask(self.bitmask)

    def allows(self, token: int) -> bool:
        return bool(int(self.bitmask[0, token // 32]) >> (token % 32) & 1)

    def accept(self, token: int) -> bool:
        return self.matcher.accept_token(token)


class XGrammar(Xg2Lab):
    """The peer whose API we share."""

    package: ClassVar = "xgrammar"

    def __init__(self, vocabulary: Vocabulary) -> None:
        xgr = import_module("xgrammar")
        self.schema_options = {"any_whitespace": True, "strict_mode": False}
        self.refusals: tuple[type[Exception], ...] = (RuntimeError, ValueError)
        self.name = f"xgrammar {importlib.metadata.version('xgrammar')}"
        self.xgr: Any = xgr
        info = xgr.TokenizerInfo(
            vocabulary.tokens, vocab_size=len(vocabulary.tokens), stop_token_ids=[vocabulary.stop_token]
        )
        self.compiler = xgr.GrammarCompiler(info, max_threads=1, cache_enabled=False)
        self._tensor = xgr.allocate_token_bitmask(1, len(vocabulary.tokens))
        self.bitmask = self._tensor.numpy()

    def fill(self) -> None:
        self.matcher.fill_next_token_bitmask(self._tensor)


class LlGuidance:
    """The other peer; it reads Lark, and JSON Schema by itself."""

    package: ClassVar = "llguidance"

    def __init__(self, vocabulary: Vocabulary) -> None:
        llguidance = import_module("llguidance")
        self.schema_options: dict[str, Any] = {}
        self.refusals: tuple[type[Exception], ...] = (RuntimeError, ValueError)
        in_numpy, in_tiktoken = import_module("llguidance.numpy"), import_module("llguidance.tiktoken")
        self.name = f"llguidance {importlib.metadata.version('llguidance')}"
        self.llguidance = llguidance
        if hasattr(vocabulary.encoding, "special_tokens_set"):
            self.tokenizer = in_tiktoken.lltokenizer_from_encoding(
                vocabulary.encoding, n_vocab=len(vocabulary.tokens), eos_token=vocabulary.stop_token
            )
        else:
            wrapper = llguidance.TokenizerWrapper(_AsTokenizer(vocabulary))
            self.tokenizer = llguidance.LLTokenizer(wrapper, n_vocab=len(vocabulary.tokens))
        self.bitmask = in_numpy.allocate_token_bitmask(1, len(vocabulary.tokens))
        self._fill = in_numpy.fill_next_token_bitmask

    def forget(self) -> None:
        """It keeps nothing."""

    def compile(self, source: Source = JSON) -> None:
        self.compile_text(self.llguidance.LLMatcher.grammar_from_lark(source.lark))

    def compile_schema(self, schema: Any) -> None:
        self.compile_text(json.dumps({"grammars": [{"json_schema": schema, **self.schema_options}]}))

    def compile_text(self, grammar: str) -> None:
        """Compile a grammar in llguidance's own notation."""
        self.compiled = self.llguidance.LLMatcher(self.tokenizer, grammar)
        if self.compiled.is_error():
            raise RuntimeError(self.compiled.get_error())

    def start(self) -> None:
        self.matcher = self.compiled.deep_copy()

    def fill(self) -> None:
        self._fill(self.matcher, self.bitmask, 0)

    def allows(self, token: int) -> bool:
        return bool(int(self.bitmask[0, token // 32]) >> (token % 32) & 1)

    def accept(self, token: int) -> bool:
        accepted = self.matcher.consume_token(token)
        if not accepted and self.matcher.is_error():
            raise RuntimeError(self.matcher.get_error())
        return accepted


class _AsTokenizer:
    """A vocabulary without an encoding of tiktoken's, as llguidance asks for a tokenizer."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.eos_token_id, self.bos_token_id = vocabulary.stop_token, None
        self.tokens = vocabulary.tokens
        self.special_token_ids = list(range(vocabulary.n_text, len(vocabulary.tokens))) or [vocabulary.stop_token]
        self._encoding = vocabulary.encoding

    def __call__(self, text: str | bytes) -> list[int]:
        return self._encoding.encode_ordinary(text if isinstance(text, str) else text.decode("utf-8", "replace"))


def engines(vocabulary: Vocabulary) -> list[Engine]:
    """Ours first, then the peers that can be imported."""
    found: list[Engine] = [Xg2Lab(vocabulary)]
    for peer in (XGrammar, LlGuidance):
        try:
            found.append(peer(vocabulary))
        except ImportError as error:
            print(f"left out: {peer.__name__} ({error})")
    return found
