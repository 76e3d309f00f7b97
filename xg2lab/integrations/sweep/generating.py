"""A model that writes an instance under a schema's grammar, greedily, and what jsonschema says of it.

>>> from xg2lab.integrations.sweep.cases import Case
>>> from xg2lab.integrations.sweep.engines import schema_source
>>> schema = '{"const": "ok"}'
>>> wrote = Writer(SweepOptions(what=("generate",))).write(Case("", schema, expected='"ok"'), schema_source(schema))
>>> wrote["text"], wrote["end"], wrote["is_valid"], wrote["is_expected"]
('"ok"', 'stop', 'yes', 'yes')

A row's `prompt` is the request. The tiny model is asked as it was trained: a sentence to extract a record from, or a
request that a tool can serve; then its calls stand within `<tool_call>` marks. Other models get the request and the
schema through their chat template, or as plain text if they have none. Without the grammar (`is_free`) the model is
asked the same.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from xg2lab.errors import Xg2LabError
from xg2lab.integrations.sweep.calls import answer_text, difference, tagged_grammar
from xg2lab.integrations.sweep.cases import Case
from xg2lab.integrations.sweep.engines import schema_source
from xg2lab.integrations.sweep.options import SweepOptions
from xg2lab.integrations.sweep.rows import Generated
from xg2lab.lab.engines.judging import judge_instance
from xg2lab.tiny import MODEL_NAMES, example_requests
from xg2lab.tiny import prompt as tiny_prompt

if TYPE_CHECKING:
    from xg2lab import Grammar, GrammarMatcher
    from xg2lab.lab.engines.protocol import EngineSource

__all__ = ["Writer"]

MOST_SCHEMA = 8000  # characters of a schema in a prompt
_REQUEST = "Give one example."


class Writer:
    """A model with a compiler for its own vocabulary; both stay from row to row.

    Parameters
    ----------
    options : SweepOptions
        `model` and `max_tokens` count.
    """

    def __init__(self, options: SweepOptions) -> None:
        from xg2lab import GrammarCompiler
        from xg2lab.lab.model.model_runner import ModelRunner

        self._runner = ModelRunner.load(options.model, progress=False)
        self._info = self._runner.tokenizer_info
        self._compiler = GrammarCompiler(self._info, cache_enabled=False)
        self._is_tiny = options.model in MODEL_NAMES
        self._max_tokens = options.max_tokens

    def write(self, case: Case, source: EngineSource, *, is_free: bool = False) -> Generated:
        """Let the model write one instance, or one list of tool calls.

        Parameters
        ----------
        case : Case
            The request, and what is expected.
        source : EngineSource
            The schema.
        is_free : bool
            Whether to write without the grammar.

        Returns
        -------
        Generated
            A schema that is refused has the end "failed". What stands within a fence or a tool call's marks counts.
        """
        from xg2lab import GrammarMatcher

        try:
            matcher = None if is_free else GrammarMatcher(self._compiler.compile_grammar(self._grammar(case, source)))
            ids, end = self._written(self._prompt_ids(case), matcher)
        except Xg2LabError as error:
            return self.failed(error.message, case)
        data = self._info.decoded_vocab
        text = b"".join(data[k] for k in ids).decode("utf-8", "backslashreplace")
        if end != "stop":
            is_full = len(ids) < self._max_tokens
            why = "the model reads no more tokens" if is_full else f"the limit of {self._max_tokens} tokens came first"
            return _result(text, len(ids), end, is_expected=_no(case), why=why)
        answer = answer_text(text, is_list=case.has_calls)
        judged = judge_instance(schema_source(case.schema), answer)  # by the schema alone, also in strict mode
        is_valid = "" if judged.is_valid is None else "yes" if judged.is_valid else "no"
        why = judged.why
        if case.answers is not None:
            said = difference(answer, case.answers)
            is_expected, why = ("no", why or said) if said else ("yes", why)
        else:
            is_expected = _same(answer, case.expected)
        return _result(text, len(ids), end, is_valid=is_valid, is_expected=is_expected, why=why)

    @staticmethod
    def failed(why: str, case: Case | None = None) -> Generated:
        """Return the result of a row that could not be generated.

        Parameters
        ----------
        why : str
            The reason.
        case : Case, optional
            What was asked: where an answer is expected, none is a wrong one.

        Returns
        -------
        Generated
            Its end is "failed".
        """
        return _result("", 0, "failed", is_expected=_no(case), why=why[:500])

    def _grammar(self, case: Case, source: EngineSource) -> Grammar:
        """The grammar of the answer, in the layout of `json.dumps`, with plain numbers."""
        from xg2lab import Grammar

        options: dict[str, Any] = {**source.schema_options, "any_whitespace": False, "number_form": "plain"}
        if case.has_calls and self._is_tiny:
            return tagged_grammar(json.loads(case.schema), **options)
        return Grammar.from_json_schema(source.text, **options)

    def _written(
        self, prompt_ids: list[int], matcher: GrammarMatcher | None
    ) -> tuple[list[int], Literal["stop", "length"]]:
        row = np.zeros((1, (self._info.vocab_size + 31) // 32), np.int32)
        self._runner.reset()  # of the row before, nothing is left
        logits = self._runner.prefill(prompt_ids)
        stops = {*self._info.stop_token_ids}
        most = min(self._max_tokens, (self._runner.max_n_tokens or sys.maxsize) - len(prompt_ids))
        ids: list[int] = []
        while True:
            if matcher is None:
                token_id = int(logits[: self._info.vocab_size].argmax())
                is_over = token_id in stops
            else:
                matcher.fill_next_token_bitmask(row, 0)
                bits = np.unpackbits(row.view(np.uint8)[0], bitorder="little")[: len(logits)]
                token_id = int(np.where(bits, logits[: len(bits)], -np.inf).argmax())
                matcher.accept_token(token_id)
                is_over = matcher.is_terminated()
            if is_over:
                return ids, "stop"
            if len(ids) == most:
                return ids, "length"
            ids.append(token_id)
            logits = self._runner.forward(token_id)

    def _prompt_ids(self, case: Case) -> list[int]:
        tokenizer: Any = self._runner.tokenizer
        if self._is_tiny:
            form = "qwen" if case.has_calls else "json"
            return list(tokenizer(tiny_prompt(case.prompt or example_requests(form)[0], form)).input_ids)
        request = (
            f"{case.prompt or _REQUEST}\nAnswer with JSON that fits this JSON Schema:\n{case.schema[:MOST_SCHEMA]}"
        )
        if getattr(tokenizer, "chat_template", None):
            turns = [{"role": "user", "content": request}]
            said = tokenizer.apply_chat_template(turns, add_generation_prompt=True, tokenize=False)
            return list(tokenizer(said, add_special_tokens=False).input_ids)
        return list(tokenizer(request + "\n").input_ids)


def _result(
    text: str, n_tokens: int, end: str, *, is_valid: str = "", is_expected: str = "", why: str = ""
) -> Generated:
    return {
        "text": text,
        "n_tokens": n_tokens,
        "end": end,
        "is_valid": is_valid,
        "is_expected": is_expected,
        "why": why,
    }


def _no(case: Case | None) -> str:
    """What a text that is no whole answer is, compared with the expected one: "no", or "" if nothing is expected."""
    return "no" if case is not None and (case.expected or case.answers is not None) else ""


def _same(text: str, expected: str) -> str:
    """Whether two JSON texts have the same value; "" if nothing is expected."""
    if not expected:
        return ""
    try:
        return "yes" if _canonical(text) == _canonical(expected) else "no"
    except (ValueError, RecursionError):
        return "no"


def _canonical(text: str) -> str:
    """A JSON text with sorted keys, and 1.0 as 1. Python's own == takes 1 for true."""
    return json.dumps(json.loads(text, parse_float=_number), sort_keys=True)


def _number(text: str) -> float | int:
    value = float(text)
    return int(value) if value.is_integer() else value
