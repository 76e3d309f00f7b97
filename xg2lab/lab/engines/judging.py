r"""Is a text right? The judge of two engines that disagree: the schema's own validator, or Python's `re`.

>>> source = EngineSource.of({"type": "string", "maxLength": 3})
>>> judge_instance(source, '"abc"').is_valid, judge_instance(source, '"abcd"').why
(True, "'abcd' is too long")
>>> judge_instance(EngineSource("ebnf", 'root ::= "a"'), "a").is_valid is None
True

IDEA
  Two engines can't judge each other. A JSON Schema has a definition that neither wrote, and an independent program that
  applies it: the package jsonschema. It says nothing where the standard leaves something open (a repeated property
  name), where it is not installed, and where only a `format` is at fault, which the standard calls an annotation.
  For a regular expression, Python's `re` is the judge if it reads the pattern; both look at whole texts.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from xg2lab.lab.engines.protocol import EngineSource

__all__ = ["Judgement", "judge_instance", "spellings"]


@dataclass(frozen=True)
class Judgement:
    """What a judge said of a text.

    Attributes
    ----------
    is_valid : bool or None
        None if the judge can't say.
    why : str
        The reason, as a sentence without its point; "" for a valid text.

    >>> Judgement(None, "no judge").why
    'no judge'
    """

    is_valid: bool | None
    why: str = ""


class _TwiceError(ValueError):
    """A property name comes twice."""


def judge_instance(source: EngineSource, text: str | bytes) -> Judgement:
    """Judge a whole text by its grammar's own definition.

    Parameters
    ----------
    source : EngineSource
        A JSON Schema or a regular expression. Nothing is fetched for its references.
    text : str or bytes
        The text that an engine allows or forbids.

    Returns
    -------
    Judgement
        `is_valid` is None for other kinds, and where the judge can't say.

    >>> judge_instance(EngineSource("regex", "[ab]+"), "abc").why
    'the whole text does not match the pattern'
    >>> judge_instance(EngineSource.of({"type": "integer"}), "1 2").why
    'the text is not JSON: Extra data: line 1 column 3 (char 2)'
    """
    if isinstance(text, bytes):
        try:
            text = text.decode()
        except UnicodeDecodeError as error:
            return Judgement(False, f"the text is not UTF-8 at byte {error.start}")
    match source.kind:
        case "json_schema":
            return _by_schema(source, text)
        case "regex":
            return _by_pattern(source.text, text)
        case _:
            return Judgement(None, f"nothing but the engines knows what a grammar in {source.kind} means")


def _by_pattern(pattern: str, text: str) -> Judgement:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            is_match = re.fullmatch(pattern, text) is not None
    except (re.error, RecursionError, OverflowError, Warning) as error:
        return Judgement(None, f"Python's re does not read the pattern: {error}")
    return Judgement(is_match, "" if is_match else "the whole text does not match the pattern")


def _by_schema(source: EngineSource, text: str) -> Judgement:
    try:
        value = json.loads(text, parse_constant=_not_json, object_pairs_hook=_pairs)
    except _TwiceError as error:
        return Judgement(None, str(error))
    except ValueError as error:
        return Judgement(False, f"the text is not JSON: {error}")
    except RecursionError:
        return Judgement(None, "the value is nested too deeply for Python's json")
    try:
        validators: Any = import_module("jsonschema.validators")
        registry: Any = import_module("referencing").Registry()
        checker: Any = import_module("jsonschema").FormatChecker()
    except ImportError:
        return Judgement(None, "the package jsonschema is not installed: pip install jsonschema")
    try:
        schema = json.loads(source.text)
        kind = validators.validator_for(schema, default=validators.Draft202012Validator)
        kind.check_schema(schema)
        error = next(iter(kind(schema, registry=registry).iter_errors(value)), None)
        if error is None:
            error = next(iter(kind(schema, registry=registry, format_checker=checker).iter_errors(value)), None)
            if error is not None:
                return Judgement(None, f"only a format is at fault, which is an annotation: {error.message}")
            if source.schema_options["strict_mode"]:
                return Judgement(None, "it is valid, and strict_mode forbids more than the schema does")
            return Judgement(True)
    except Exception as error:  # noqa: BLE001 (a schema that is none, references to nowhere, patterns re can't read)
        return Judgement(None, f"jsonschema can't judge: {type(error).__name__}: {str(error).splitlines()[0][:200]}")
    path = "".join(f"/{part}" for part in error.absolute_path)
    return Judgement(False, error.message[:300] + (f" (at {path})" if path else ""))


def _not_json(name: str) -> Any:
    raise ValueError(f"{name} is no JSON value")


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _TwiceError("a property name comes twice, which JSON leaves open")
    return found


def spellings(source: EngineSource, text: str) -> Iterator[str]:
    """Other texts of the same JSON value: the schema's order of properties, plain numbers, other white space.

    >>> source = EngineSource.of({"properties": {"a": {}, "b": {}}})
    >>> list(spellings(source, '{"b": 1,"a": 2}'))
    ['{"a": 2, "b": 1}', '{"a":2,"b":1}', '{"b": 1, "a": 2}', '{"b":1,"a":2}']
    """
    try:
        value, schema = json.loads(text), json.loads(source.text)
    except (ValueError, RecursionError):
        return
    for one in (_ordered(value, schema), value):
        for separators in ((", ", ": "), (",", ":")):
            spelled = json.dumps(one, ensure_ascii=False, separators=separators)
            yield spelled
            if "\x7f" in spelled:
                yield spelled.replace("\x7f", "\\u007f")


def _ordered(value: Any, schema: Any) -> Any:
    """A value with each object's properties in the order in which its schema lists them."""
    known: Mapping[str, Any] = schema if isinstance(schema, dict) else {}
    if isinstance(value, dict):
        properties = known.get("properties")
        listed: Mapping[str, Any] = properties if isinstance(properties, dict) else {}
        names = [*(name for name in listed if name in value), *(name for name in value if name not in listed)]
        return {name: _ordered(value[name], listed.get(name)) for name in names}
    if isinstance(value, list):
        return [_ordered(one, known.get("items")) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else value
