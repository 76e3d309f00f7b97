"""A model that writes an instance under a schema's grammar, greedily, and what jsonschema says of it.

>>> from xg2lab.integrations.sweep.cases import Case
>>> from xg2lab.integrations.sweep.engines import schema_source
>>> schema = '{"const": "ok"}'
>>> wrote = Writer(SweepOptions(what=("generate",))).write(Case("", schema, expected='"ok"'), schema_source(schema))
>>> wrote["text"], wrote["end"], wrote["is_valid"], wrote["is_expected"]
('"ok"', 'stop', 'yes', 'yes')

A row's `prompt` is the request. The tiny model is asked as it was trained: a sentence to extract a record from. Other
models get the request and the schema through their chat template, or as plain text if they have none.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from xg2lab.errors import Xg2LabError
from xg2lab.integrations.sweep.cases import Case
from xg2lab.integrations.sweep.options import SweepOptions
from xg2lab.integrations.sweep.rows import Generated
from xg2lab.lab.engines.judging import judge_instance
from xg2lab.tiny import MODEL_NAMES, example_requests
from xg2lab.tiny import prompt as tiny_prompt

if TYPE_CHECKING:
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

    def write(self, case: Case, source: EngineSource) -> Generated:
        """Let the model write one instance.

        Parameters
        ----------
        case : Case
            The request, and the value that is expected.
        source : EngineSource
            The schema.

        Returns
        -------
        Generated
            A schema that is refused has the end "failed".
        """
        try:
            ids, end = self._written(self._prompt_ids(case), source)
        except Xg2LabError as error:
            return self.failed(error.message)
        data = self._info.decoded_vocab
        text = b"".join(data[k] for k in ids).decode("utf-8", "backslashreplace")
        if end != "stop":
            return _result(text, len(ids), end, why=f"the limit of {self._max_tokens} tokens came first")
        judged = judge_instance(source, text)
        is_valid = "" if judged.is_valid is None else "yes" if judged.is_valid else "no"
        return _result(text, len(ids), end, is_valid=is_valid, is_expected=_same(text, case.expected), why=judged.why)

    @staticmethod
    def failed(why: str) -> Generated:
        """Return the result of a row that could not be generated.

        Parameters
        ----------
        why : str
            The reason.

        Returns
        -------
        Generated
            Its end is "failed".
        """
        return _result("", 0, "failed", why=why[:500])

    def _written(self, prompt_ids: list[int], source: EngineSource) -> tuple[list[int], Literal["stop", "length"]]:
        from xg2lab import GrammarMatcher

        compiled = self._compiler.compile_json_schema(source.text, **source.schema_options)
        matcher = GrammarMatcher(compiled)
        row = np.zeros((1, (self._info.vocab_size + 31) // 32), np.int32)
        logits = self._runner.prefill(prompt_ids)
        ids: list[int] = []
        while len(ids) < self._max_tokens:
            matcher.fill_next_token_bitmask(row, 0)
            bits = np.unpackbits(row.view(np.uint8)[0], bitorder="little")[: len(logits)]
            token_id = int(np.where(bits, logits[: len(bits)], -np.inf).argmax())
            matcher.accept_token(token_id)
            if matcher.is_terminated():
                return ids, "stop"
            ids.append(token_id)
            logits = self._runner.forward(token_id)
        return ids, "length"

    def _prompt_ids(self, case: Case) -> list[int]:
        tokenizer: Any = self._runner.tokenizer
        if self._is_tiny:
            return list(tokenizer(tiny_prompt(case.prompt or example_requests("json")[0], "json")).input_ids)
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
