"""The package jsonschema with exact arithmetic, and schemas and values by lot.

>>> judge = Judge({"type": "number", "multipleOf": Decimal("0.1")})
>>> [judge.is_valid(exact(text)) for text in ("0.3", "0.30000000000000004", "3e-1")]
[True, False, True]

Numbers are read as int and Decimal, in schemas and in values: nothing is rounded. `multipleOf` is a division of
fractions, an integer is a number without a fraction (in draft-04: digits alone). Patterns are searched for as ECMA-262
means them: its sets are written out for `re` (`regex_part.in_pythons_words`).
"""

from __future__ import annotations

import importlib
import json
import random
import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from campaign.oracles.regex_part import in_pythons_words

__all__ = [
    "DRAFTS",
    "Judge",
    "NoVerdictError",
    "exact",
    "has_duplicates",
    "mutated",
    "random_schema",
    "random_value",
    "respelled",
]

#: The validators that may be meant where a schema names no draft, the engine's usual one first.
DRAFTS = ("Draft202012Validator", "Draft201909Validator", "Draft7Validator", "Draft6Validator", "Draft4Validator")
_MOST_DIGITS = 3_000  # of a number written out: beyond, it isn't judged


class NoVerdictError(Exception):
    """The oracle can't judge: an unresolvable reference, a pattern that Python doesn't read, a number out of hand."""


def exact(text: str) -> Any:
    """A JSON text as values without rounding. ValueError for what is no JSON."""
    try:
        value = json.loads(text, parse_float=Decimal, parse_constant=_no_constant)
    except InvalidOperation as error:
        raise NoVerdictError("a number with too large an exponent") from error
    except RecursionError as error:
        raise NoVerdictError("nested too deep") from error
    if any(abs(number.adjusted()) > _MOST_DIGITS for number in _decimals(value)):
        raise NoVerdictError("a number with too large an exponent")
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _decimals(value: Any) -> Iterator[Decimal]:
    if isinstance(value, Decimal):
        yield value
    elif isinstance(value, (list, dict)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _decimals(inner)


def has_duplicates(text: str) -> bool:
    r"""Whether an object of the text has a name twice.

    >>> has_duplicates('{"a": 1, "b": {"a": 2}}'), has_duplicates('[{"a": 1, "\\u0061": 2}]')
    (False, True)
    """
    found: list[bool] = []
    json.loads(text, object_pairs_hook=lambda pairs: found.append(len({key for key, _ in pairs}) < len(pairs)))
    return any(found)


def respelled(text: str) -> str:
    """The text with each number in digits, without an exponent.

    >>> respelled('[1.5e+16, "1e5", -2.50, -0.0]')
    '[15000000000000000, "1e5", -2.5, 0]'
    """
    return re.sub(r'"(?:[^"\\]|\\.)*"|-?\d[-+.0-9eE]*', lambda found: _digits(found[0]), text)


def _digits(word: str) -> str:
    if word.startswith('"'):
        return word
    number = f"{Decimal(word):f}"
    number = number.rstrip("0").rstrip(".") if "." in number else number
    return "0" if number == "-0" else number


class Judge:
    """A schema under one draft.

    Parameters
    ----------
    schema : dict or bool
        With exact numbers.
    draft : str, optional
        The name of a validator; the one that `$schema` names if not given, else the first of `DRAFTS`.
    by_value : bool
        Whether 1.0 is an integer in draft-04 as well.
    """

    def __init__(self, schema: Any, draft: str = "", *, by_value: bool = False) -> None:
        library: Any = importlib.import_module("jsonschema")
        validators: Any = importlib.import_module("jsonschema.validators")
        usual = getattr(library, draft or DRAFTS[0])
        chosen = usual if draft else validators.validator_for(schema, default=usual)
        is_old = not by_value and chosen in (library.Draft3Validator, library.Draft4Validator)
        checker = chosen.TYPE_CHECKER.redefine("integer", _is_int if is_old else _is_integral)
        made: Any = validators.extend(chosen, {"multipleOf": _multiple_of}, type_checker=checker)
        self._validator = made(_in_pythons_patterns(schema))
        self.draft: str = chosen.__name__

    def is_valid(self, value: Any) -> bool:
        """Whether the value is valid; NoVerdictError if that can't be said."""
        try:
            return self._validator.is_valid(value)
        except (RecursionError, re.error, OverflowError) as error:
            raise NoVerdictError(str(error)) from error
        except Exception as error:  # the library's own: references that lead nowhere, schemas that are no schemas
            raise NoVerdictError(f"{type(error).__name__}: {error}"[:200]) from error


def _is_int(_: Any, value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_integral(_: Any, value: Any) -> bool:
    return _is_int(_, value) or (isinstance(value, Decimal) and value == value.to_integral_value())


def _multiple_of(validator: Any, divisor: Any, value: Any, schema: Any) -> Iterator[Any]:
    del schema
    if validator.is_type(value, "number") and Fraction(value) % Fraction(divisor):
        error: Any = importlib.import_module("jsonschema").ValidationError
        yield error(f"{value!r} is not a multiple of {divisor}")


def _in_pythons_patterns(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_in_pythons_patterns(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    made: dict[str, Any] = {}
    for key, value in schema.items():
        if key in ("enum", "const", "default", "examples"):
            made[key] = value
        elif key == "pattern" and isinstance(value, str):
            made[key] = _scoped(value)
        elif key == "patternProperties" and isinstance(value, dict):
            made[key] = {_scoped(name): _in_pythons_patterns(inner) for name, inner in value.items()}
        else:
            made[key] = _in_pythons_patterns(value)
    return made


def _scoped(pattern: str) -> str:
    spelled = in_pythons_words(pattern)
    if spelled is None:
        raise NoVerdictError("a pattern that has no spelling for `re`")
    try:
        re.compile(f"(?a:{spelled})")
    except re.error as error:
        raise NoVerdictError("a pattern that Python doesn't read") from error
    return f"(?a:{spelled})"


# ---- By lot ----

NAMES = ["a", "b", "ab", "x1", "é", "name", "id", "$ref!", "a b", "日"]
TEXTS = ["", "a", "b", "ab", "ba", "aab", "x1", "é", '"', "日本", "😀", "a\nb", "\x7f", "true", "1", "2024-02-29", "\\"]
NUMBERS: list[int | float] = [
    0, 1, 2, 3, 4, 6, -1, -3, 0.5, 1.5, 2.5, 10, 12, 100, 0.1, 0.3, 0.30000000000000004, 1e-7, 1.5e16, 1e22, -0.0, 1.0,
    12345678901234567890, 0.01, 19.99, 1e300, 5e-324, 255, 256, 65535, -2147483648, 7.0, 86400, 3.3,
]  # fmt: skip
PATTERNS = [
    "a",
    "^a",
    "b$",
    "^[ab]*$",
    "^x",
    "[0-9]",
    "^.$",
    r"^\w+$",
    r"\d{2,}",
    "^(a|b)+c?$",
    "é",
    "^[^a]",
    r"^\S+$",
    "^$",
]
DIVISORS = [1, 2, 3, 0.5, 1.5, 0.1, 0.01, 7, 10, 0.25, 100, 1e-3, 2.5, 6]
FORMATS = ["date", "ipv4", "uuid", "email"]
TYPES = ["null", "boolean", "number", "integer", "string", "array", "object"]


def random_schema(rng: random.Random, depth: int = 0) -> Any:
    """A schema of a few keywords, some of which clash."""
    if depth > 2 or rng.random() < 0.1:
        leaves: list[Any] = [
            True, False, {}, {"type": "string"}, {"type": "integer"}, {"type": "number"},
            {"const": rng.choice(NUMBERS)}, {"enum": ["a", 1, None]}, {"type": ["string", "null"]}, {"type": "boolean"},
        ]  # fmt: skip
        return rng.choice(leaves)
    schema: dict[str, Any] = {}
    if rng.random() < 0.75:
        schema["type"] = rng.choice([rng.choice(TYPES), rng.choice(TYPES), rng.sample(TYPES, 2)])
    for _ in range(rng.choice([0, 1, 1, 2, 3, 4])):
        schema |= _keyword(rng, depth)
    return schema


def _keyword(rng: random.Random, depth: int) -> dict[str, Any]:
    def sub() -> Any:
        return random_schema(rng, depth + 1)

    def some() -> list[Any]:
        return [sub() for _ in range(rng.randint(1, 3))]

    match rng.randrange(27):
        case 0:
            return {"enum": rng.sample([*NUMBERS, *TEXTS, None, True, [1], {"a": 1}, []], rng.randint(1, 4))}
        case 1:
            return {"const": rng.choice([*NUMBERS, *TEXTS, [1, "a"], {"a": 1, "b": []}, None, False])}
        case 2 | 3:
            return {rng.choice(["minimum", "exclusiveMinimum"]): rng.choice(NUMBERS)}
        case 4 | 5:
            return {rng.choice(["maximum", "exclusiveMaximum"]): rng.choice(NUMBERS)}
        case 6 | 7:
            return {"multipleOf": rng.choice(DIVISORS)}
        case 8:
            return {rng.choice(["minLength", "maxLength"]): rng.randint(0, 3)}
        case 9:
            return {"pattern": rng.choice(PATTERNS)}
        case 10 | 11:
            return {"items": sub()}
        case 12:
            return {"prefixItems": some()}
        case 13:
            return {rng.choice(["minItems", "maxItems"]): rng.randint(0, 3)}
        case 14:
            return {"contains": sub(), rng.choice(["minContains", "maxContains", "minItems"]): rng.randint(0, 2)}
        case 15 | 16:
            return {"properties": {name: sub() for name in rng.sample(NAMES, rng.randint(1, 4))}}
        case 17:
            return {"required": rng.sample(NAMES, rng.randint(1, 2))}
        case 18:
            return {"additionalProperties": sub()}
        case 19:
            return {"patternProperties": {rng.choice(PATTERNS): sub()}}
        case 20:
            names = [{"pattern": rng.choice(PATTERNS)}, {"maxLength": 1}, {"enum": ["a", "b"]}]
            return {"propertyNames": rng.choice(names)}
        case 21:
            return {rng.choice(["minProperties", "maxProperties"]): rng.randint(0, 3)}
        case 22:
            return {"not": sub()}
        case 23:
            return {rng.choice(["allOf", "anyOf", "oneOf"]): some()}
        case 24:
            return {"if": sub(), rng.choice(["then", "else"]): sub()}
        case 25:
            dependent = {"dependentRequired": {rng.choice(NAMES): [rng.choice(NAMES)]}}
            return rng.choice([dependent, {"dependentSchemas": {rng.choice(NAMES): sub()}}])
        case _:
            return rng.choice([
                {"unevaluatedProperties": sub()}, {"unevaluatedItems": sub()}, {"format": rng.choice(FORMATS)},
                {"uniqueItems": True}, {"$defs": {"x": sub()}, "$ref": "#/$defs/x"} if depth == 0 else {"title": "t"},
            ])  # fmt: skip


def random_value(rng: random.Random, depth: int = 0) -> Any:
    """A value out of the few that the schemas speak of."""
    match rng.randrange(4 if depth > 2 else 8):
        case 0:
            return rng.choice([None, True, False])
        case 1:
            return rng.choice(NUMBERS)
        case 2 | 3:
            return rng.choice(TEXTS)
        case 4 | 5:
            return [random_value(rng, depth + 1) for _ in range(rng.choice([0, 1, 2, 2, 3]))]
        case _:
            return {name: random_value(rng, depth + 1) for name in rng.sample(NAMES, rng.choice([0, 1, 2, 2, 3]))}


def mutated(value: Any, rng: random.Random) -> Any:
    """The value with one thing changed: a number, a text, an item or a property more or less, another type."""
    if isinstance(value, dict) and value and rng.random() < 0.8:
        name = rng.choice(list(value))
        match rng.randrange(5):
            case 0:
                return {key: inner for key, inner in value.items() if key != name}
            case 1:
                return value | {rng.choice(NAMES): random_value(rng, 2)}
            case _:
                return value | {name: mutated(value[name], rng)}
    if isinstance(value, list) and value and rng.random() < 0.8:
        i = rng.randrange(len(value))
        match rng.randrange(5):
            case 0:
                return value[:i] + value[i + 1 :]
            case 1:
                return [*value, value[i]]
            case _:
                return [*value[:i], mutated(value[i], rng), *value[i + 1 :]]
    if isinstance(value, str) and rng.random() < 0.7:
        i = rng.randrange(len(value) + 1)
        other = rng.choice([*TEXTS, "0", " ", "Z"])
        return rng.choice(
            [value[:i] + value[i + 1 :], value[:i] + other + value[i:], value[:i] + other + value[i + 1 :]]
        )
    if isinstance(value, (int, float)) and not isinstance(value, bool) and rng.random() < 0.7 and abs(value) < 1e15:
        return rng.choice([value + 1, value - 1, -value, value * 10, value / 2, value / 10, value + 0.5, float(value)])
    return random_value(rng, 1)
