"""The grammar of a request as it was given: its kind, its text, the options it was compiled with.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo(["yes", "no", "</s>"], stop_token_ids=[2])
>>> given = FlightGrammar("choice", '["yes", "no"]')
>>> xgr.GrammarMatcher(given.compile(xgr.GrammarCompiler(info))).allowed_tokens()
[0, 1]

What a server compiled can be compiled again from these three, so the file needs no compiled grammar. A host that
compiles by `FlightGrammar.compile` has the same grammar in the file as in its masks.

See also: `xg2lab.flight.record`, which checks a grammar from a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from xg2lab.compiler import CompiledGrammar
from xg2lab.errors import ArgumentError, DeserializeFormatError, InvalidJSONError
from xg2lab.support.arguments import instance, kind_of, unicode_text
from xg2lab.support.json_text import read_json

if TYPE_CHECKING:
    from xg2lab.compiler import GrammarCompiler

__all__ = ["KINDS", "FlightGrammar"]

_SCHEMA = frozenset(
    {
        "any_whitespace",
        "indent",
        "separators",
        "strict_mode",
        "max_whitespace_cnt",
        "any_order",
        "check_formats",
        "on_unsupported",
        "number_form",
        "registry",
    }
)
#: The kinds of grammars, and the options of each.
KINDS: Mapping[str, frozenset[str]] = {
    "json_schema": _SCHEMA,
    "json_object": _SCHEMA,
    "ebnf": frozenset({"root_rule_name"}),
    "lark": frozenset({"named_grammars", "start", "lexer"}),
    "regex": frozenset(),
    "choice": frozenset(),
    "structural_tag": frozenset({"on_unsupported"}),
    "compiled": frozenset(),
}
#: Options that are objects.
_OBJECTS = frozenset({"named_grammars", "registry"})
_ANY_OBJECT = '{"type": "object"}'


@dataclass(frozen=True)
class FlightGrammar:
    """A grammar as the request gave it.

    Parameters
    ----------
    kind : str
        A key of `KINDS`: "json_schema", "json_object", "ebnf", "lark", "regex", "choice", "structural_tag", or
        "compiled".
    text : str
        The text. Of "json_schema" and "structural_tag" it is JSON. Of "json_object" it is a schema, or empty for any
        object. Of "choice" it is a JSON list of strings. Of "compiled" it is what `CompiledGrammar.serialize_json`
        returned.
    options : mapping of str to JSON values, optional
        Keyword arguments of the `GrammarCompiler` method of this kind.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        The kind is unknown, the text is no text, or the kind has no such option.

    >>> FlightGrammar("ebnf", 'root ::= "a"').kind
    'ebnf'
    >>> FlightGrammar("yaml", "a: 1")
    Traceback (most recent call last):
    xg2lab.errors.ArgumentError: the grammar's kind is 'yaml'
      hint: choose one of json_schema, json_object, ebnf, lark, regex, choice, structural_tag, compiled
    """

    kind: str
    text: str
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def __post_init__(self) -> None:
        known = KINDS.get(self.kind) if isinstance(self.kind, str) else None  # pyright: ignore[reportUnnecessaryIsInstance]
        if known is None:
            shown = repr(self.kind[:40]) if isinstance(self.kind, str) else kind_of(self.kind)  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ArgumentError(f"the grammar's kind is {shown}", hint=f"choose one of {', '.join(KINDS)}")
        unicode_text(self.text, "the grammar's text")
        instance(self.options, Mapping, "the grammar's options", "a dict")
        unknown = next((name for name in self.options if name not in known), None)
        if unknown is not None:
            hint = f"its options are {', '.join(sorted(known))}" if known else "it has no options"
            raise ArgumentError(f"a grammar of kind {self.kind} has no option {unknown!r:.60}", hint=hint)
        for name in _OBJECTS & self.options.keys():
            instance(self.options[name] or {}, Mapping, f"the option {name}", "a dict")

    @classmethod
    def of_compiled(cls, compiled: CompiledGrammar) -> FlightGrammar:
        """Write a compiled grammar, where what it was made of is not known.

        Parameters
        ----------
        compiled : CompiledGrammar
            Any; an instance of a template too.

        Returns
        -------
        FlightGrammar
            Of the kind "compiled".

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo(["a", "</s>"], stop_token_ids=[1])
        >>> FlightGrammar.of_compiled(xgr.GrammarCompiler(info).compile_grammar('root ::= "a"')).kind
        'compiled'
        """
        return cls("compiled", compiled.serialize_json())

    def compile(self, compiler: GrammarCompiler) -> CompiledGrammar:
        """Compile the grammar.

        Parameters
        ----------
        compiler : GrammarCompiler
            Of the tokenizer that the output was written with.

        Returns
        -------
        CompiledGrammar
            The grammar that the request had.

        Raises
        ------
        Xg2LabError
            As the compiler's method of this kind, `CompiledGrammar.deserialize_json` for "compiled".
        InvalidJSONError, DeserializeFormatError
            The text of "choice" is no JSON list of strings, or has none.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo(["1", "a", "</s>"], stop_token_ids=[2])
        >>> compiled = FlightGrammar("json_schema", '{"type": "integer"}').compile(xgr.GrammarCompiler(info))
        >>> xgr.GrammarMatcher(compiled).allowed_tokens()
        [0]
        """
        options: dict[str, Any] = dict(self.options)
        if isinstance(options.get("separators"), list):  # as JSON has a pair
            options["separators"] = tuple(options["separators"])
        if self.kind == "json_schema":
            return compiler.compile_json_schema(self.text, **options)
        if self.kind == "json_object":
            return compiler.compile_json_schema(self.text or _ANY_OBJECT, **options)
        if self.kind == "ebnf":
            return compiler.compile_grammar(self.text, **options)
        if self.kind == "lark":
            return compiler.compile_lark(self.text, **options)
        if self.kind == "regex":
            return compiler.compile_regex(self.text)
        if self.kind == "choice":
            return compiler.compile_grammar(_choice(self.text))
        if self.kind == "structural_tag":
            return compiler.compile_structural_tag(self.text, **options)
        return CompiledGrammar.deserialize_json(self.text, compiler.tokenizer_info)


def _choice(text: str) -> str:
    r"""The choice as EBNF.

    >>> print(_choice('["a b", "\u00e9"]'))
    root ::= "a b" | "\u00E9"
    """
    values: Any = read_json(text)
    if not isinstance(values, list):
        raise DeserializeFormatError("the text of a choice is no list", hint='give a JSON list, as ["yes", "no"]')
    choices = cast("list[Any]", values)
    if not choices or any(type(choice) is not str for choice in choices):
        raise DeserializeFormatError("a choice has strings, at least one", hint='give a JSON list, as ["yes", "no"]')
    return "root ::= " + " | ".join(f'"{_escaped(choice)}"' for choice in cast("list[str]", choices))


def _escaped(text: str) -> str:
    return "".join(_letter(letter) for letter in text)


def _letter(letter: str) -> str:
    if letter.isascii() and (letter.isalnum() or letter in " _-+.,:;!?@#$%&/()[]{}<>=*'|~^"):
        return letter
    code = ord(letter)
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"


def given(kind: object, text: object, options: object) -> FlightGrammar:
    """A grammar of a file. Raises DeserializeFormatError for what is none."""
    try:
        return FlightGrammar(cast("str", kind), cast("str", text), cast("Mapping[str, Any]", options))
    except (ArgumentError, InvalidJSONError) as error:
        raise DeserializeFormatError(error.message, hint=error.hint, pointer="/grammar") from error
