"""llguidance behind the protocol of five methods; its package is imported when an object is made.

Written for llguidance 1.9 (guidance-ai/llguidance). Its vocabulary is ours as bytes; where it spells a text itself,
it gets the greedy longest match. A token that may not come is asked about by `validate_tokens`, since a matcher of
llguidance that has consumed a wrong token stays in error. Forcing is off: with it, a mask allows one token alone
where a text must follow, the one that the tokenizer would write, and `accept` takes the others too.
"""

from __future__ import annotations

import importlib.metadata
import json
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from xg2lab.errors import Xg2LabError
from xg2lab.lab.engines.protocol import EngineSource, Row
from xg2lab.lab.trace.spelling import Spelling

if TYPE_CHECKING:
    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["LlGuidanceEngine", "grammar_text"]

_NO_FORCING = '%llguidance {"no_forcing": true}'


def grammar_text(source: EngineSource) -> str:
    """A source in the notation that `LLMatcher` reads.

    >>> grammar_text(EngineSource("json_schema", '{"type": "null"}', {"strict_mode": True}))
    Traceback (most recent call last):
    ValueError: llguidance has no strict_mode: undeclared properties are allowed unless the schema forbids them
    """
    usual = "start" if source.kind == "lark" else "root"
    if source.root != usual:
        raise ValueError(f"llguidance begins with `{usual}`, not with `{source.root}`")
    match source.kind:
        case "json_schema":
            if source.schema_options["strict_mode"]:
                raise ValueError(
                    "llguidance has no strict_mode: undeclared properties are allowed unless the schema forbids them"
                )
            options = {"whitespace_flexible": bool(source.schema_options["any_whitespace"])}
            schema: Any = json.loads(source.text)
            schema = {} if schema is True else schema
            if isinstance(schema, dict) and "x-guidance" not in schema:
                schema = {**schema, "x-guidance": options}
            text = f"start: %json {json.dumps(schema)}"
        case "ebnf":
            grammar_from: Any = import_module("llguidance").grammar_from
            text = str(grammar_from("gbnf", source.text)).replace("%llguidance {}", "", 1)
        case "lark":
            text = source.text
        case "regex":
            matcher: Any = import_module("llguidance").LLMatcher
            (made,) = json.loads(matcher.grammar_from_regex(source.text))["grammars"]
            text = str(made["lark_grammar"])
        case "structural_tag":
            raise ValueError("llguidance reads no structural tags")
    head = "" if "%llguidance" in text else f"{_NO_FORCING}\n"
    return json.dumps({"grammars": [{"lark_grammar": head + text}]})


class LlGuidanceEngine:
    """llguidance: JSON Schema, Lark, regular expressions, and EBNF through its own converter from GBNF to Lark.

    Raises
    ------
    ImportError
        The package is not installed.
    """

    name = "llguidance"

    def __init__(self) -> None:
        self._llguidance: Any = import_module("llguidance")
        self.version = importlib.metadata.version("llguidance")
        self._info: TokenizerInfo | None = None
        self._stops: frozenset[int] = frozenset()
        self._has_ended = False
        self._tokenizer: Any = None
        self._matcher: Any = None

    def compile(self, source: EngineSource, info: TokenizerInfo) -> None:
        """Make a matcher of the grammar."""
        if self._info is not info:
            wrapper = self._llguidance.TokenizerWrapper(_AsTokenizer(info))
            stops: list[int] = list(info.stop_token_ids)
            if not stops:
                raise ValueError("llguidance needs a stop token, and the vocabulary has none")
            self._tokenizer = self._llguidance.LLTokenizer(
                wrapper, n_vocab=info.vocab_size, eos_token=stops if len(stops) > 1 else stops[0]
            )
            self._info, self._stops = info, frozenset(stops)
        self._has_ended = False
        self._matcher = self._llguidance.LLMatcher(self._tokenizer, grammar_text(source), log_level=0)
        self._check()

    def _check(self) -> None:
        if self._matcher.is_error():
            raise RuntimeError(self._matcher.get_error())

    def fill(self, row: Row) -> None:
        """Write the bitmask of the next token."""
        data = np.frombuffer(self._matcher.compute_bitmask(), np.uint8)
        self._check()
        row.view(np.uint8)[: len(data)] = data[: row.nbytes]

    def accept(self, token_id: int) -> bool:
        """Move on by a token."""
        if self._has_ended:
            return False
        if token_id in self._stops:
            if not self._matcher.is_accepting():
                return False
            self._has_ended = True
        elif self._matcher.validate_tokens([token_id]) != 1:
            return False
        taken = bool(self._matcher.consume_token(token_id))
        if not taken:
            self._check()
        return taken

    def rollback(self, n_tokens: int) -> None:
        """Take back the last tokens."""
        self._has_ended = False
        if not self._matcher.rollback(n_tokens):
            self._check()

    def fork(self) -> LlGuidanceEngine:
        """Return an independent copy."""
        other = LlGuidanceEngine.__new__(LlGuidanceEngine)
        other.__dict__.update(self.__dict__)
        other._matcher = self._matcher.deep_copy()
        return other


class _AsTokenizer:
    """A vocabulary with the members that llguidance asks a tokenizer for."""

    def __init__(self, info: TokenizerInfo) -> None:
        stops = list(info.stop_token_ids)
        self.eos_token_id, self.bos_token_id = stops[0], None
        self.tokens = [*info.decoded_vocab, *([b""] * (info.vocab_size - len(info.decoded_vocab)))]
        self.special_token_ids = [*{*info.special_token_ids, *stops}]
        self._spelling = Spelling(info)

    def __call__(self, text: str | bytes) -> list[int]:
        data = text.encode() if isinstance(text, str) else text
        try:
            return self._spelling.spell(data)
        except Xg2LabError:  # the vocabulary can't say it
            return []
