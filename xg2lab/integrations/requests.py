r"""What a request to a server asks for: its grammar in our words, and the check that refuses it before it is queued.

>>> import xg2lab as xgr
>>> compiler = xgr.GrammarCompiler(xgr.TokenizerInfo([b"yes", b"no", b"maybe", b"</s>"], stop_token_ids=[3]))
>>> xgr.GrammarMatcher(request_grammar("choice", '["yes", "no"]').compile(compiler)).allowed_tokens()
[0, 1]
>>> check_request(request_grammar("json_schema", '{"type": "strin"}'))
Traceback (most recent call last):
xg2lab.errors.GrammarError: at /type: there is no type `strin`
  ...

Servers validate a request in one process, where an error becomes an answer to the client, and compile it in another,
where it would end the request half way. So `check_request` compiles too, for a vocabulary of single bytes.

See also: `xg2lab/flight/grammars.py`, the kinds of grammars and how each is compiled; `vllm/validation.py`, which
words an error for a client.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any, Literal, cast

from xg2lab.compiler import GrammarCompiler
from xg2lab.errors import ArgumentError, InvalidStructuralTagError, LimitError, Xg2LabError
from xg2lab.flight import FlightGrammar
from xg2lab.grammar import Grammar, structural_tag_value
from xg2lab.support.arguments import kind_of
from xg2lab.support.json_text import NumberText, read_json
from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["check_request", "grammar_kind", "pointer_of", "request_grammar"]

#: Findings that the tokenizer alone can settle, which the process that validates does not have.
NEEDS_TOKENIZER = {"unknown_special_token", "token_needs_tokenizer"}
#: Numbers as programs write them, with a bound to their digits: a model that may write 20.000... does not end.
PLAIN: dict[str, Any] = {"number_form": "plain"}
#: The memory that compiled grammars of validated requests may take.
CHECKED_BYTES = 32 << 20

_EBNF_RULE = re.compile(r"^\s*[\w.-]+\s*::=", re.MULTILINE)
_LARK_RULE = re.compile(r"^\s*[?!]?\w+(\{[^}\n]*\})?(\.-?\d+)?(\[[^\]\n]*\])?\s*:(?!:)|^\s*%\w+", re.MULTILINE)


def request_grammar(kind: str, text: object, *, is_compact: bool = False) -> FlightGrammar:
    """Return the grammar of a request.

    Parameters
    ----------
    kind : str
        A key of `xg2lab.flight.KINDS`. The `text` of "json_object" is empty; that of "choice" is a JSON list of texts.
    text : str
        The grammar as the client gave it. A structural tag in the older form, `structures` and `triggers`, is written
        in today's, and schemas in a tag get `number_form`.
    is_compact : bool
        For "json_schema" and "json_object": JSON on one line, without spaces. Without it, any whitespace that JSON
        allows.

    Returns
    -------
    FlightGrammar
        JSON numbers have the form "plain" of `Grammar.from_json_schema`. Its method `compile` compiles it; a flight
        recorder writes it down.

    Raises
    ------
    ArgumentError
        There is no such kind, or `text` is no text.
    InvalidJSONError, InvalidStructuralTagError
        A structural tag is no JSON, or its older form lacks a part.

    >>> request_grammar("json_schema", '{"type": "integer"}', is_compact=True).options
    {'number_form': 'plain', 'any_whitespace': False, 'separators': [',', ':']}
    """
    if not isinstance(text, str):
        raise ArgumentError(f"the {kind} of this request is {kind_of(text)}, not text", hint="send it as a JSON string")
    if kind in ("json_schema", "json_object"):
        layout = {"any_whitespace": False, "separators": [",", ":"]} if is_compact else {}
        return FlightGrammar(kind, text, {**PLAIN, **layout})
    return FlightGrammar(kind, _todays_tag(text) if kind == "structural_tag" else text)


def check_request(grammar: FlightGrammar) -> None:
    """Refuse a grammar that can't be compiled, before any tokenizer is at hand.

    The names of tokens in a Lark grammar or a structural tag are not looked up.

    Parameters
    ----------
    grammar : FlightGrammar
        The grammar of a request.

    Raises
    ------
    Xg2LabError
        As `FlightGrammar.compile`. `pointer_of` finds the JSON Pointer of the place.

    >>> check_request(request_grammar("lark", "start: <|im_end|>"))
    >>> check_request(request_grammar("lark", "start: NAME"))
    Traceback (most recent call last):
    xg2lab.errors.GrammarError: terminal `NAME` is not defined
      ...
    """
    compiler = _byte_compiler()
    try:
        if grammar.kind == "structural_tag":  # read without the names of tokens, which this vocabulary has not
            compiler.compile_grammar(Grammar.from_structural_tag(grammar.text))
        else:
            grammar.compile(compiler)
    except Xg2LabError as error:
        codes = {finding.code for finding in error.diagnostics}
        if not codes or not codes <= NEEDS_TOKENIZER:
            raise


@cache
def _byte_compiler() -> GrammarCompiler:
    """A compiler for the 256 bytes: the vocabulary has no part in what is refused."""
    info = TokenizerInfo([bytes([byte]) for byte in range(256)] + [b"</s>"], stop_token_ids=[256])
    return GrammarCompiler(info, cache_limit_bytes=CHECKED_BYTES)


def pointer_of(error: Xg2LabError) -> str | None:
    """Return the JSON Pointer of the place that an error speaks of.

    Parameters
    ----------
    error : Xg2LabError
        An error of `request_grammar` or `check_request`.

    Returns
    -------
    str or None
        The pointer into the schema or structural tag; None if the text is no JSON, or the error has no place in it.

    >>> from xg2lab.errors import GrammarError
    >>> try:
    ...     check_request(request_grammar("json_schema", '{"properties": {"a": {"type": "strin"}}}'))
    ... except GrammarError as error:
    ...     pointer_of(error)
    '/properties/a/type'
    """
    if error.pointer is not None:
        return error.pointer
    found = re.match(r"at (/\S*): ", error.message)
    return None if found is None else found[1]


def grammar_kind(text: str) -> Literal["ebnf", "lark"]:
    """Say whether a grammar is EBNF or Lark, where a server has one field for both.

    Parameters
    ----------
    text : str
        A grammar.

    Returns
    -------
    "ebnf" or "lark"
        By its first definition: `name ::=` is EBNF, `name:` and a statement like `%import` are Lark.

    >>> grammar_kind('root ::= "a: b"'), grammar_kind('start: "::="')
    ('ebnf', 'lark')
    """
    ebnf, lark = _EBNF_RULE.search(text), _LARK_RULE.search(text)
    if ebnf is None or lark is None:
        return "lark" if lark is not None else "ebnf"
    return "ebnf" if ebnf.start() < lark.start() else "lark"


def _todays_tag(text: str) -> str:
    """A structural tag in today's form, whose schemas have plain numbers unless it says otherwise."""
    value: Any = read_json(text)
    if isinstance(value, dict) and "structures" in value:
        value = _of_older_form(cast("dict[str, Any]", value))
    agenda: list[Any] = [value]
    while agenda:  # the schemas themselves are left alone
        part = agenda.pop()
        if isinstance(part, list):
            agenda += cast("list[Any]", part)
        elif isinstance(part, dict):
            fields = cast("dict[str, Any]", part)
            if fields.get("type") in ("json_schema", "qwen_xml_parameter"):
                fields.update(PLAIN | fields)
            agenda += [inner for name, inner in fields.items() if name != "json_schema"]
    try:
        return _written(value)
    except RecursionError:
        raise LimitError("the structural tag is nested too deeply", hint="write it with fewer levels") from None


def _of_older_form(older: dict[str, Any]) -> dict[str, Any]:
    structures, triggers = older["structures"], older.get("triggers")
    if not isinstance(structures, list) or not isinstance(triggers, list):
        raise InvalidStructuralTagError(
            "the older form of a structural tag has two lists, `structures` and `triggers`",
            hint='write {"structures": [{"begin": ..., "schema": ..., "end": ...}], "triggers": [...]}',
            pointer="/triggers" if isinstance(structures, list) else "/structures",
        )
    for index, item in enumerate(cast("list[object]", structures)):
        missing = [name for name in ("begin", "schema", "end") if not isinstance(item, dict) or name not in item]
        if missing:
            raise InvalidStructuralTagError(
                f"structure {index} has no `{missing[0]}`",
                hint="each structure has `begin`, `schema` and `end`",
                pointer=f"/structures/{index}",
            )
    return structural_tag_value(structures, cast("list[str]", triggers))


def _written(value: Any) -> str:
    """JSON text of what `read_json` read: numbers as they were written, which `json.dumps` would make texts."""
    if isinstance(value, NumberText):
        return str(value)
    if isinstance(value, dict):
        pairs = cast("dict[str, Any]", value).items()
        return "{" + ", ".join([f"{json.dumps(name)}: {_written(inner)}" for name, inner in pairs]) + "}"
    if isinstance(value, list):
        return "[" + ", ".join([_written(inner) for inner in cast("list[Any]", value)]) + "]"
    return json.dumps(value)
