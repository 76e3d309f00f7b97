"""Messages for arguments that the engine can't take: the argument, its value, and what is needed.

>>> from xg2lab import Grammar
>>> Grammar.from_lark(5)
Traceback (most recent call last):
xg2lab.errors.ArgumentTypeError: from_lark(): lark_string is an int, 5; wanted a str
  hint: from_lark(lark_string, *, tokenizer_info=None, named_grammars=None, start='start', lexer='contextual')
>>> Grammar.from_ebnf('root ::= "a"', root="root")
Traceback (most recent call last):
xg2lab.errors.ArgumentTypeError: from_ebnf(): there is no argument `root`
  hint: did you mean `root_rule_name`?

Each function of the engine hands such errors over (core/bind/calls.h), with its signature as pybind11 writes it. Here
the signature is read, and the arguments are held against it. Cold: nothing of this runs in a call that succeeds.

See also: `xg2lab.errors.ArgumentTypeError`.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np

from xg2lab import _core
from xg2lab.errors import ArgumentError, ArgumentTypeError, Xg2LabError

__all__ = ["article", "instance", "kind_of", "refusal", "shown", "text_bytes", "unicode_text", "whole_number"]

#: How much of a value's own text is shown.
MOST_SHOWN = 40
INTEGERS = range(-(1 << 63), 1 << 64)
WORDS = {
    "SupportsInt": "an int",
    "SupportsIndex": "an int",
    "SupportsFloat": "a number",
    "int": "an int",
    "float": "a number",
    "bool": "True or False",
    "str": "a str",
    "bytes": "bytes",
    "None": "None",
    "dict": "a dict",
    "list": "a list",
    "tuple": "a tuple",
    "Sequence": "a list",
    "Callable": "a function",
}
HOW_TO_MAKE = {
    "CompiledGrammar": "GrammarCompiler(tokenizer_info).compile_grammar(...) makes one",
    "Grammar": "Grammar.from_ebnf(text) makes one, as do from_regex, from_json_schema, from_lark",
    "GrammarMatcher": "GrammarMatcher(compiled_grammar) makes one",
    "Vocabulary": "TokenizerInfo(...).vocabulary is one",
    "TokenizerInfo": "TokenizerInfo(...) makes one, as do its from_huggingface, from_tiktoken, from_sentencepiece",
    "TokenSets": "xg2lab.compiling.pool.shared_parts(tokenizer_info, options).token_sets is one",
}
MISFITS = ("incompatible function arguments", "incompatible constructor arguments")


@dataclass(frozen=True)
class Parameter:
    """One parameter of a signature; `kind` is "", "*" (keyword only), "*args" or "**kwargs"."""

    name: str
    annotation: str = ""
    default: str | None = None
    kind: str = ""


def refusal(
    function: str,
    signature: str,
    error: BaseException,
    given: tuple[Any, ...],
    keywords: dict[str, Any],
    is_new: bool,
    owner: type | None,
) -> Xg2LabError | None:
    """The error in our words; None if it isn't about arguments. Called by the engine alone.

    `is_new`: a constructor, whose `self` is not made yet. `owner`: the class of which the function is a method.
    """
    said = str(error)
    is_cast = "nable to cast" in said
    is_misfit = is_cast or any(words in said for words in MISFITS)
    name = f"{function}()" if function else "an attribute"
    if owner is not None and given and not issubclass(type(given[0]), owner):
        wanted = f"{article(owner.__name__)} {owner.__name__}"
        return ArgumentTypeError(f"{name}: self is {kind_of(given[0])}; wanted {wanted}")
    if not isinstance(error, TypeError) and not is_cast:
        return None
    parameters = parameters_of(signature)
    values = {} if parameters is None else bound(parameters, given, keywords)
    if is_misfit or "is not initialized" in said:
        for parameter, value in list(values.items())[is_new:]:
            if (half_made := _half_made_in(value)) is not None:
                kind = type(half_made).__name__
                is_itself = parameter == "self" or not function
                what = f"this {kind}" if is_itself else f"{parameter} is {article(kind)} {kind} that"
                hint = HOW_TO_MAKE.get(kind, f"make it by {kind}(...), not by {kind}.__new__")
                place = f"{name}: " if function else ""
                return ArgumentTypeError(f"{place}{what} is not initialized: its __init__ was not called", hint=hint)
    if not is_misfit or parameters is None:
        return ArgumentTypeError(said if said.startswith(function) else f"{name}: {said}")
    usage = name.removesuffix("()") + written(parameters)
    message, hint = misfit(parameters, values, given, keywords, is_new)
    return ArgumentTypeError(f"{name}: {message}", hint=hint or usage)


def cut_number(
    function: str, signature: str, given: tuple[Any, ...], keywords: dict[str, Any], is_new: bool
) -> ArgumentTypeError | None:
    """The error for a number that `int()` would cut, where an integer is wanted; else None. Called by the engine."""
    parameters = parameters_of(signature)
    if parameters is None:
        return None
    annotations = {parameter.name: parameter.annotation for parameter in parameters}
    for name, value in list(bound(parameters, given, keywords).items())[is_new:]:
        wanted = wanted_by(annotations.get(name, ""))
        is_cut = hasattr(value, "__int__") and not hasattr(value, "__index__")
        if is_cut and "an int" in wanted and fits(annotations[name], value) is False:
            message = f"{function}(): {name} is {kind_of(value)}; wanted {wanted}"
            return ArgumentTypeError(message, hint=function + written(parameters))
    return None


# ---- A signature ----


def parameters_of(signature: str) -> list[Parameter] | None:
    """The parameters in a signature of pybind11's; None if it can't be read.

    >>> [(p.name, p.default, p.kind) for p in parameters_of("(self: A, x: int = 1, *, y: dict[str, int]) -> None")]
    [('self', None, ''), ('x', '1', ''), ('y', None, '*')]
    """
    if not signature.startswith("("):
        return None
    parameters: list[Parameter] = []
    keyword_only = ""
    for part in _parts(signature[1:]):
        if part in ("*", "/"):
            keyword_only = "*" if part == "*" else ""
            continue
        head, _, default = part.partition(" = ")
        name, _, annotation = head.partition(": ")
        kind = "*args" if name.startswith("*") and name[1:2] != "*" else "**kwargs" if name.startswith("**") else ""
        parameters.append(Parameter(name.lstrip("*"), annotation, default or None, kind or keyword_only))
        keyword_only = "*" if kind == "*args" else keyword_only
    return parameters


def _parts(text: str) -> Iterator[str]:
    """Split a list at its commas, up to the closing parenthesis."""
    depth, begin, quote = 0, 0, ""
    for i, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter in "([{":
            depth += 1
        elif (letter == "," and depth == 0) or (letter == ")" and depth == 0):
            if part := text[begin:i].strip():
                yield part
            begin = i + 1
            if letter == ")":
                return
        elif letter in ")]}":
            depth -= 1


def written(parameters: list[Parameter]) -> str:
    """The parameters as a person would write them, without `self` and types."""
    parts: list[str] = []
    for parameter in parameters:
        if parameter.name == "self":
            continue
        if parameter.kind == "*" and not any(part.startswith("*") for part in parts):
            parts.append("*")
        stars = {"*args": "*", "**kwargs": "**"}.get(parameter.kind, "")
        parts.append(stars + parameter.name + ("" if parameter.default is None else f"={parameter.default}"))
    return f"({', '.join(parts)})"


def bound(parameters: list[Parameter], given: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, Any]:
    """The arguments by name, in the order of the parameters, as far as they can be told apart."""
    positional = [parameter.name for parameter in parameters if not parameter.kind]
    values = dict(zip(positional, given, strict=False))
    if any(parameter.kind == "*args" for parameter in parameters):
        values |= {f"argument {i}": given[i] for i in range(len(positional), len(given))}
    return values | {name: value for name, value in keywords.items() if name not in values}


# ---- What is wrong ----


def misfit(
    parameters: list[Parameter],
    values: dict[str, Any],
    given: tuple[Any, ...],
    keywords: dict[str, Any],
    is_new: bool,
) -> tuple[str, str]:
    """The first thing that is wrong, and a hint or ""."""
    kinds = {parameter.kind for parameter in parameters}
    positional = [parameter for parameter in parameters if not parameter.kind]
    by_name = {parameter.name: parameter for parameter in parameters}
    for name in keywords:
        if name not in by_name and "**kwargs" not in kinds:
            close = get_close_matches(name, [known for known in by_name if known != "self"], n=1, cutoff=0.4)
            return f"there is no argument `{shown_text(name)}`", f"did you mean `{close[0]}`?" if close else ""
    if len(given) > len(positional) and "*args" not in kinds:
        n_self = sum(parameter.name == "self" for parameter in positional)
        most, n = len(positional) - n_self, len(given) - n_self
        return f"{n} arguments by position; it takes {most or 'none'}", ""
    for parameter in positional[: len(given)]:
        if parameter.name in keywords:
            return f"the argument `{parameter.name}` is given twice", ""
    for parameter in parameters:
        if parameter.name not in values and parameter.default is None and parameter.kind in ("", "*"):
            return f"the argument `{parameter.name}` is missing", ""
    unsure: list[str] = []
    for name, value in list(values.items())[is_new:]:
        parameter = by_name.get(name)
        verdict = None if parameter is None else fits(parameter.annotation, value)
        if parameter is not None and verdict is False:
            wanted = wanted_by(parameter.annotation)
            if isinstance(value, int) and "an int" in wanted and value not in INTEGERS:
                return f"{name} is an int of {value.bit_length()} bits, more than fit here", ""
            hint = next((HOW_TO_MAKE[k] for k in HOW_TO_MAKE if re.search(rf"\b{k}\b", parameter.annotation)), "")
            return f"{name} is {kind_of(value)}; wanted {wanted}", hint
        if verdict is None and name != "self":
            unsure.append(f"{name} is {kind_of(value)}")
    return "an argument, or an element of one, has the wrong type: " + (
        "; ".join(unsure) or "its type does not fit"
    ), ""


def fits(annotation: str, value: Any) -> bool | None:
    """Whether a value is of such a type; None where that can't be told from its outside."""
    verdicts = [_fits_one(option, value) for option in options_of(annotation)]
    if True in verdicts:
        return True
    return None if None in verdicts or not verdicts else False


def options_of(annotation: str) -> list[str]:
    """What a type may be, one by one.

    >>> options_of("xg2lab._core.Grammar | None"), options_of("typing.Union[str, bytes]")
    (['xg2lab._core.Grammar', 'None'], ['str', 'bytes'])
    """
    if (inner := re.fullmatch(r"(?:typing\.)?Union\[(.*)\]", annotation)) is not None:
        return list(_parts(inner[1] + ")"))
    if (inner := re.fullmatch(r"(?:typing\.)?Optional\[(.*)\]", annotation)) is not None:
        return [*options_of(inner[1]), "None"]
    options, depth, begin = [""], 0, 0
    for i, letter in enumerate(annotation):
        depth += (letter in "[(") - (letter in "])")
        if letter == "|" and depth == 0:
            options[-1] = annotation[begin:i].strip()
            options.append("")
            begin = i + 1
    options[-1] = annotation[begin:].strip()
    return [option for option in options if option]


def _short(option: str) -> str:
    return option.partition("[")[0].rpartition(".")[2]


def _fits_one(option: str, value: Any) -> bool | None:
    match _short(option):
        case "None":
            return value is None
        case "SupportsInt" | "SupportsIndex" | "int":
            if isinstance(value, int):
                return None if value in INTEGERS else False
            return None if hasattr(value, "__index__") else False
        case "SupportsFloat" | "float":
            return isinstance(value, (int, float)) or (None if hasattr(value, "__float__") else False)
        case "bool":
            return isinstance(value, bool)
        case "str" | "bytes" | "dict" | "list" | "tuple" as name:
            kind = {"str": str, "bytes": bytes, "dict": dict, "list": list, "tuple": tuple}[name]
            return None if isinstance(value, kind) and "[" in option else isinstance(value, kind)
        case "Callable":
            return callable(value)
        case "Sequence":
            is_list = isinstance(value, Sequence) and not isinstance(value, (str, bytes))
            return None if is_list else False
        case name:
            kind = getattr(_core, name, None)
            return isinstance(value, kind) if isinstance(kind, type) else None


def wanted_by(annotation: str) -> str:
    """A type in words.

    >>> wanted_by("xg2lab._core.Grammar | None"), wanted_by("collections.abc.Sequence[typing.SupportsInt]")
    ('a Grammar or None', 'a list')
    """
    words: list[str] = []
    for option in options_of(annotation):
        short = _short(option)
        words.append(WORDS.get(short) or f"{article(short)} {short}")
    words = list(dict.fromkeys(words))
    return " or ".join(words) or "another type"


def instance(value: Any, kind: type | tuple[type, ...], name: str, wanted: str = "") -> None:
    """Raises ArgumentTypeError, with the argument's name, for what is not an object of a class."""
    if isinstance(value, kind):
        return
    named = (kind if isinstance(kind, tuple) else (kind,))[-1].__name__
    wanted = wanted or f"{article(named)} {named}"
    raise ArgumentTypeError(f"{name} is {kind_of(value)}; wanted {wanted}", hint=HOW_TO_MAKE.get(named, ""))


def whole_number(value: Any, name: str, least: int = -(1 << 62), most: int = 1 << 62) -> int:
    """An argument that counts something; ArgumentTypeError or ArgumentError with its name for what doesn't.

    >>> whole_number(True, "n", 0, 9)
    Traceback (most recent call last):
    xg2lab.errors.ArgumentTypeError: n is True; wanted an int
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, (bool, np.bool)):
        raise ArgumentTypeError(f"{name} is {kind_of(value)}; wanted an int")
    if not least <= number <= most:
        raise ArgumentError(f"{name} is {kind_of(number)}; wanted one from {least} to {most}")
    return number


def text_bytes(value: Any, name: str) -> bytes:
    """An argument that is text or bytes, as bytes; ArgumentTypeError or ArgumentError with its name for others.

    >>> list(text_bytes("é", "text")), text_bytes(bytearray(b"a"), "text")
    ([195, 169], b'a')
    >>> text_bytes(7, "text")
    Traceback (most recent call last):
    xg2lab.errors.ArgumentTypeError: text is an int, 7; wanted a str or bytes
    """
    if isinstance(value, str):
        return unicode_text(value, name).encode()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    raise ArgumentTypeError(f"{name} is {kind_of(value)}; wanted a str or bytes")


def unicode_text(value: Any, name: str) -> str:
    """An argument that is text, which UTF-8 can write; ArgumentTypeError or ArgumentError with its name for others.

    >>> unicode_text("a" + chr(0xD800), "prompt")
    Traceback (most recent call last):
    xg2lab.errors.ArgumentError: prompt holds half of a surrogate pair at character 1, which no UTF-8 text can hold
        hint: decode the bytes with errors="replace"
    """
    instance(value, str, name, "a str")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        message = f"{name} holds half of a surrogate pair at character {error.start}, which no UTF-8 text can hold"
        raise ArgumentError(message, hint='decode the bytes with errors="replace"') from None
    return value


# ---- Words ----


def article(name: str) -> str:
    """The article of a name: an, a."""
    return "an" if name[:1].lower() in "aeiou" else "a"


def kind_of(value: Any) -> str:
    """A value's kind, and itself if it is short.

    >>> kind_of(None), kind_of(5), kind_of([1]), kind_of("a" * 99)
    ('None', 'an int, 5', 'a list', "a str, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'...")
    """
    if value is None or isinstance(value, bool):
        return repr(value)
    name = type(value).__name__
    if type(value) is int and value not in INTEGERS:
        return f"an int of {value.bit_length()} bits"
    if type(value) is str or type(value) is bytes:
        return f"{article(name)} {name}, {value[:MOST_SHOWN]!r}{'...' if len(value) > MOST_SHOWN else ''}"
    if type(value) in (int, float):
        return f"{article(name)} {name}, {value!r}"
    return f"{article(name)} {name}"


def shown(value: Any) -> str:
    """A word that was given, in quotes; of what is no word its kind."""
    return repr(value) if isinstance(value, str) else kind_of(value)


def shown_text(text: str) -> str:
    """A name of the user's, fit for a message."""
    return ascii(text)[1:-1][:MOST_SHOWN]


def _half_made_in(value: Any) -> Any | None:
    """The object of the engine's that was never made: the value, or an item of the list that it is."""
    items: Sequence[Any] = value if isinstance(value, (list, tuple)) else [value]
    if isinstance(value, Mapping):
        items = list(value.values())
    return next((item for item in items if not _core._is_made(item)), None)  # pyright: ignore[reportPrivateUsage]
