"""One face for xg2lab and its peers on the hostile corpus: compile an input, fill, accept.

The peers are those of `benchmarks.engines`. Each reads the front ends that it has; `None` for a face's `front_ends`
means all. A grammar in EBNF is given to llguidance as what its own converter makes of it.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

import xg2lab as xgr
from benchmarks.engines import LlGuidance, XGrammar
from benchmarks.texts import Vocabulary
from campaign.hostile.inputs import FrontEnd, Input
from xg2lab.builtin_structural_tag import get_model_structural_tag
from xg2lab.errors import Xg2LabError

__all__ = ["Face", "LlGuidanceFace", "XGrammarFace", "Xg2LabFace", "as_text", "peers", "tiny_vocabulary"]

Words = npt.NDArray[np.int32]


class Face(Protocol):
    """What the hostile corpus drives."""

    name: str
    typed: tuple[type[BaseException], ...]

    def reads(self, made: Input) -> bool:
        """Whether the engine has the front end and the options of an input."""
        ...

    def compile(self, made: Input, source: Any) -> None:
        """From text to a compiled grammar."""
        ...

    def start(self) -> None:
        """Make a matcher."""
        ...

    def fill(self) -> Words:
        """The mask of the next token."""
        ...

    def accept(self, token: int) -> bool:
        """Move on by a token."""
        ...

    def is_over(self) -> bool:
        """Whether nothing more may come."""
        ...


def as_text(source: Any) -> str:
    """A schema, a tag or tools as JSON text; text as it is."""
    if isinstance(source, bytes):
        return source.decode("utf-8", "replace")
    if isinstance(source, str):
        return source
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000_000)  # what is deep has to be written as well
    try:
        return json.dumps(source)
    finally:
        sys.setrecursionlimit(usual)


def tiny_vocabulary() -> Vocabulary:
    """Every byte, words and pieces that cross rules: small enough for tests, where masks are not what takes time."""
    pieces = [
        '{"',
        '":',
        '", "',
        '"}',
        "}}",
        "[[",
        "]]",
        "],",
        "true",
        "null",
        "word",
        "key",
        "<f",
        "</",
        "function",
        "  ",
    ]
    pieces += [chr(a) + chr(b) for a in range(97, 123) for b in (97, 101, 48, 49, 44)] + [
        str(i) for i in range(10, 100)
    ]
    tokens = [bytes([byte]) for byte in range(256)] + [piece.encode() for piece in pieces] + ["é".encode(), b"</s>"]
    return Vocabulary("tiny", tokens, len(tokens) - 1, len(tokens) - 1, None)


class Xg2LabFace:
    """Ours. It reads every input."""

    typed: tuple[type[BaseException], ...] = (Xg2LabError,)

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.name = "xg2lab"
        special = list(range(vocabulary.n_text, len(vocabulary.tokens)))
        self.info = xgr.TokenizerInfo(
            vocabulary.tokens, stop_token_ids=[vocabulary.stop_token], special_token_ids=special
        )
        self.bitmask = np.zeros((1, (len(vocabulary.tokens) + 31) // 32), np.int32)
        # What belongs to the tokenizer is made once, before any child is forked.
        compiler = xgr.GrammarCompiler(self.info, cache_enabled=False)
        xgr.GrammarMatcher(compiler.compile_grammar('root ::= "a"')).fill_next_token_bitmask(self.bitmask)
        compiler.compile_structural_tag({"format": {"type": "any_text"}})
        self._kept = compiler

    def reads(self, made: Input) -> bool:
        del made
        return True

    def compile(self, made: Input, source: Any) -> None:
        compiler = xgr.GrammarCompiler(self.info, cache_enabled=False, options=xgr.EngineOptions(**made.options))
        keywords = made.keywords
        if made.front_end == "tools":
            tag = get_model_structural_tag(**{**source, **keywords})
            self.compiled = compiler.compile_structural_tag(tag)
            return
        readers: dict[str, Callable[[Any], xgr.CompiledGrammar]] = {
            "ebnf": lambda text: compiler.compile_grammar(xgr.Grammar.from_ebnf(text)),
            "regex": lambda text: compiler.compile_grammar(xgr.Grammar.from_regex(text)),
            "json_schema": lambda schema: compiler.compile_json_schema(schema, **keywords),
            "lark": lambda text: compiler.compile_lark(text, **keywords),
            "structural_tag": lambda tag: compiler.compile_structural_tag(tag, **keywords),
        }
        read = readers[made.front_end]
        self.compiled = read(source)

    def start(self) -> None:
        self.matcher = xgr.GrammarMatcher(self.compiled)

    def fill(self) -> Words:
        self.matcher.fill_next_token_bitmask(self.bitmask)
        return self.bitmask[0]

    def accept(self, token: int) -> bool:
        return self.matcher.accept_token(token)

    def is_over(self) -> bool:
        return self.matcher.is_terminated()


class XGrammarFace:
    """The peer whose API we share."""

    typed: tuple[type[BaseException], ...] = (RuntimeError, ValueError)
    front_ends: tuple[FrontEnd, ...] = ("ebnf", "regex", "json_schema", "structural_tag")

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.engine = XGrammar(vocabulary)
        self.name = self.engine.name

    def reads(self, made: Input) -> bool:
        return made.front_end in self.front_ends and not made.variant and set(made.keywords) <= {"strict_mode"}

    def compile(self, made: Input, source: Any) -> None:
        compiler = self.engine.compiler
        readers: dict[str, Callable[[str], Any]] = {
            "ebnf": compiler.compile_grammar,
            "regex": compiler.compile_regex,
            "json_schema": lambda text: compiler.compile_json_schema(text, any_whitespace=True, **made.keywords),
            "structural_tag": compiler.compile_structural_tag,
        }
        read = readers[made.front_end]
        self.engine.compiled = read(as_text(source))

    def start(self) -> None:
        self.engine.start()

    def fill(self) -> Words:
        self.engine.fill()
        return self.engine.bitmask[0]

    def accept(self, token: int) -> bool:
        return self.engine.accept(token)

    def is_over(self) -> bool:
        return self.engine.matcher.is_terminated()


class LlGuidanceFace:
    """The other peer; it reads Lark, patterns, and JSON Schema without strictness."""

    typed: tuple[type[BaseException], ...] = (RuntimeError, ValueError)
    front_ends: tuple[FrontEnd, ...] = ("ebnf", "regex", "json_schema", "lark")

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.engine = LlGuidance(vocabulary)
        self.name = self.engine.name

    def reads(self, made: Input) -> bool:
        return made.front_end in self.front_ends and not made.variant and set(made.keywords) <= {"strict_mode"}

    def compile(self, made: Input, source: Any) -> None:
        text, matcher = as_text(source), self.engine.llguidance.LLMatcher
        if made.front_end == "ebnf":
            text = importlib.import_module("llguidance.gbnf_to_lark").any_to_lark(text)
            self.engine.compile_text(matcher.grammar_from_lark(text))
        elif made.front_end == "lark":
            self.engine.compile_text(matcher.grammar_from_lark(text))
        elif made.front_end == "regex":
            self.engine.compile_text(matcher.grammar_from_regex(text))
        else:
            self.engine.compile_text(matcher.grammar_from_json_schema(text))

    def start(self) -> None:
        self.engine.start()

    def fill(self) -> Words:
        self.engine.fill()
        return self.engine.bitmask[0]

    def accept(self, token: int) -> bool:
        return self.engine.accept(token)

    def is_over(self) -> bool:
        return self.engine.matcher.is_stopped()


def peers(vocabulary: Vocabulary) -> list[Face]:
    """The peers that can be imported; the others are said to be left out."""
    found: list[Face] = []
    for face in (XGrammarFace, LlGuidanceFace):
        try:
            found.append(face(vocabulary))
        except ImportError as error:
            print(f"left out: {face.__name__} ({error})")
    return found
