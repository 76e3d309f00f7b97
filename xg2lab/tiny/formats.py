"""How an answer is written down: five formats, each with a writer and a reader.

>>> from xg2lab.tiny.tools import Answer
>>> write("llama_function", Answer("get_weather", {"city": "Oslo"}))
'<function=get_weather>{"city": "Oslo"}</function>'
>>> read("llama_function", '<function=get_weather>{"city": "Oslo"}</function>')
Answer(name='get_weather', values={'city': 'Oslo'})

The reader is strict: a completion that is cut short, wraps the call in chatter, names an unknown tool, or has an
argument that is missing, surplus or of a wrong kind raises `FormatError`. That is what "well-formed" means when
failure rates are counted. `grammars.py` says the same as a grammar; a test holds the two against each other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, cast

from xg2lab.errors import ArgumentError
from xg2lab.tiny.tools import CURRENCIES, FIELDS, RECORD_NAMES, TOOL_NAMES, UNITS, Answer, Kind, Value

__all__ = ["FORMATS", "MARKERS", "FormatError", "known", "read", "with_analysis", "write"]

#: Pieces of the formats that the tokenizer keeps whole. They are ordinary text to a grammar: none
#: is "special".
MARKERS: tuple[str, ...] = (
    "<tool_call>",
    "</tool_call>",
    "<|start|>",
    "<|channel|>",
    "<|constrain|>",
    "<|message|>",
    "<|end|>",
    "<|call|>",
    "<start_function_call>",
    "<end_function_call>",
    "<escape>",
)


class FormatError(ValueError):
    """A completion that does not keep its format."""


# ---- Writers: an answer becomes text ------------------------------------------------------------


def _dumps(values: dict[str, Value], *, compact: bool = False) -> str:
    separators = (",", ":") if compact else (", ", ": ")
    return json.dumps(values, ensure_ascii=False, separators=separators)


def _write_qwen(answer: Answer) -> str:
    return f'<tool_call>\n{{"name": "{answer.name}", "arguments": {_dumps(answer.values)}}}\n</tool_call>'


def _write_llama(answer: Answer) -> str:
    return f"<function={answer.name}>{_dumps(answer.values)}</function>"


def _write_harmony(answer: Answer) -> str:
    head = f"<|channel|>commentary to=functions.{answer.name} <|constrain|>json<|message|>"
    return f"{head}{_dumps(answer.values, compact=True)}<|call|>"


def with_analysis(completion: str, thought: str) -> str:
    """A harmony completion that thinks aloud first: a turn in the analysis channel, then the call."""
    return f"<|channel|>analysis<|message|>{thought}<|end|><|start|>assistant{completion}"


def _write_functiongemma(answer: Answer) -> str:
    body = ",".join(
        f"{key}:<escape>{value}<escape>" if isinstance(value, str) else f"{key}:{value}"
        for key, value in answer.values.items()
    )
    return f"<start_function_call>call:{answer.name}{{{body}}}<end_function_call>"


def _write_json(answer: Answer) -> str:
    return _dumps(answer.values)


# ---- Readers: text becomes an answer, or a FormatError ------------------------------------------


def _match(pattern: str, text: str) -> re.Match[str]:
    match = re.fullmatch(pattern, text, flags=re.DOTALL)
    if match is None:
        raise FormatError(f"{text!r} does not have the form {pattern}")
    return match


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise FormatError(f"a key is twice in {[key for key, _ in pairs]}")
    return values


def _object(text: str) -> dict[str, Any]:
    try:
        value: object = json.loads(text, object_pairs_hook=_without_repeats)
    except FormatError:
        raise
    except ValueError as error:
        raise FormatError(f"{text!r} is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise FormatError(f"{text!r} is not a JSON object")
    return cast("dict[str, Any]", value)


def _read_qwen(text: str) -> Answer:
    call = _object(_match(r"<tool_call>\n(\{.*\})\n</tool_call>", text)[1])
    if list(call) != ["name", "arguments"] or not isinstance(call["arguments"], dict):
        raise FormatError(f'{text!r} needs exactly "name" and "arguments"')
    return Answer(str(call["name"]), call["arguments"])


def _read_llama(text: str) -> Answer:
    match = _match(r"<function=(\w+)>(\{.*\})</function>", text)
    return Answer(match[1], _object(match[2]))


def _read_harmony(text: str) -> Answer:
    analysis = r"(?:<\|channel\|>analysis<\|message\|>[^<]+<\|end\|><\|start\|>assistant)?"
    call = r"<\|channel\|>commentary to=functions\.(\w+) <\|constrain\|>json<\|message\|>(\{.*\})<\|call\|>"
    match = _match(analysis + call, text)
    return Answer(match[1], _object(match[2]))


def _read_functiongemma(text: str) -> Answer:
    match = _match(r"<start_function_call>call:(\w+)\{(.*)\}<end_function_call>", text)
    pair = r"(\w+):(?:<escape>([^<]*)<escape>|(-?[0-9]+(?:\.[0-9]+)?))"
    _match(rf"{pair}(?:,{pair})*", match[2])
    pairs = [
        (key, (float(number) if "." in number else int(number)) if number else quoted)
        for key, quoted, number in re.findall(pair, match[2])
    ]
    return Answer(match[1], _without_repeats(pairs))


def _read_json(text: str) -> Answer:
    values = _object(text)
    for name in RECORD_NAMES:
        if list(values) == [field.name for field in FIELDS[name]]:
            return Answer(name, values)
    raise FormatError(f"{text!r} has the fields of no record")


# ---- Values: each kind has one test -------------------------------------------------------------


def _is_number(value: object, *kinds: type) -> bool:
    return isinstance(value, kinds) and not isinstance(value, bool)


_CHECKS: dict[Kind, Callable[[object], bool]] = {
    "text": lambda value: isinstance(value, str),
    "integer": lambda value: _is_number(value, int) and cast("int", value) >= 0,
    "number": lambda value: _is_number(value, int, float) and cast("float", value) >= 0,
    "date": lambda value: isinstance(value, str) and bool(re.fullmatch(r"\d{4}-[01]\d-[0-3]\d", value, re.ASCII)),
    "time": lambda value: isinstance(value, str) and bool(re.fullmatch(r"[0-2]\d:[0-5]\d", value, re.ASCII)),
    "unit": lambda value: value in UNITS,
    "currency": lambda value: value in CURRENCIES,
}


def _check(answer: Answer, names: tuple[str, ...]) -> Answer:
    if answer.name not in names:
        raise FormatError(f"{answer.name!r} is not one of {', '.join(names)}")
    fields = FIELDS[answer.name]
    expected = [field.name for field in fields if field.is_required or field.name in answer.values]
    if list(answer.values) != expected:
        raise FormatError(f"{answer.name} has the values {list(answer.values)}, not {expected}")
    for field in fields:
        if field.name in answer.values and not _CHECKS[field.kind](answer.values[field.name]):
            raise FormatError(f"{field.name}={answer.values[field.name]!r} is not of the kind {field.kind}")
    return answer


#: Format name -> (what it may hold, writer, reader).
_TABLE: dict[str, tuple[tuple[str, ...], Callable[[Answer], str], Callable[[str], Answer]]] = {
    "qwen": (TOOL_NAMES, _write_qwen, _read_qwen),
    "llama_function": (TOOL_NAMES, _write_llama, _read_llama),
    "harmony": (TOOL_NAMES, _write_harmony, _read_harmony),
    "functiongemma": (TOOL_NAMES, _write_functiongemma, _read_functiongemma),
    "json": (RECORD_NAMES, _write_json, _read_json),
}

FORMATS: tuple[str, ...] = tuple(_TABLE)


def known(format: str) -> str:
    """The name of a format, as it was given; ArgumentError for any other. Elsewhere "llama" means another form.

    >>> known("llama")
    Traceback (most recent call last):
    xg2lab.errors.ArgumentError: 'llama' is not a format of the tiny model, but the family whose calls are JSON \
(get_model_structural_tag); the formats are qwen, llama_function, harmony, functiongemma, json
    """
    if format in _TABLE:
        return format
    meant = ", but the family whose calls are JSON (get_model_structural_tag)" if format == "llama" else ""
    raise ArgumentError(f"{format!r} is not a format of the tiny model{meant}; the formats are {', '.join(FORMATS)}")


def write(format: str, answer: Answer) -> str:
    """The text of `answer` in `format`. Raises `FormatError` where the format can't hold it."""
    names, writer, _ = _TABLE[known(format)]
    return writer(_check(answer, names))


def read(format: str, text: str) -> Answer:
    """The answer that `text` says in `format`. Raises `FormatError` unless the whole text keeps the format."""
    names, _, reader = _TABLE[known(format)]
    return _check(reader(text), names)
