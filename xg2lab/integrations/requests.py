r"""What a request to a server asks for: the kinds of grammar, how each is compiled, and what is refused before.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"yes", b"no", b"maybe", b"</s>"], stop_token_ids=[3])
>>> compiler = xgr.GrammarCompiler(info)
>>> compiled = compile_request(compiler, GrammarRequest("choice", '["yes", "no"]'))
>>> xgr.GrammarMatcher(compiled).allowed_tokens()
[0, 1]
>>> check_request(GrammarRequest("json_schema", '{"type": "strin"}'))
Traceback (most recent call last):
xg2lab.errors.GrammarError: at /type: there is no type `strin`
  ...

Servers validate a request in one process, where an error becomes an answer to the client, and compile it in another,
where it would end the request half way. So `check_request` compiles too, for a vocabulary of single bytes.

See also: `xg2lab/integrations/vllm/validation.py`, which words an error for a client.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, cast, get_args

from xg2lab.compiler import CompiledGrammar, GrammarCompiler
from xg2lab.errors import ArgumentError, InvalidStructuralTagError, Xg2LabError
from xg2lab.grammar import Grammar
from xg2lab.support.json_text import read_json
from xg2lab.tokenizer_info import TokenizerInfo

__all__ = [
    "GrammarRequest",
    "Kind",
    "check_request",
    "choice_grammar",
    "compile_request",
    "grammar_kind",
    "pointer_of",
]

#: The kinds of grammar that servers take.
Kind = Literal["json_schema", "json_object", "regex", "choice", "ebnf", "lark", "structural_tag"]

#: Findings that the tokenizer alone can settle, which the process that validates does not have.
NEEDS_TOKENIZER = {"unknown_special_token", "token_needs_tokenizer"}
#: The memory that compiled grammars of validated requests may take.
CHECKED_BYTES = 32 << 20

_OBJECT = '{"type": "object"}'
_EBNF_RULE = re.compile(r"^\s*[\w.-]+\s*::=", re.MULTILINE)
_LARK_RULE = re.compile(r"^\s*[?!]?\w+(\{[^}\n]*\})?(\.-?\d+)?(\[[^\]\n]*\])?\s*:(?!:)|^\s*%\w+", re.MULTILINE)


@dataclass(frozen=True)
class GrammarRequest:
    """The grammar of one request.

    Parameters
    ----------
    kind : str
        "json_schema", "json_object" (any JSON object; `text` is empty), "regex", "choice" (`text` is a JSON list of
        texts), "ebnf", "lark" or "structural_tag".
    text : str
        The grammar as it was given.
    is_compact : bool
        For "json_schema" and "json_object": JSON on one line, without spaces. Without it, any whitespace that JSON
        allows.

    Raises
    ------
    ArgumentError
        There is no such kind, or `text` is not a str.

    >>> GrammarRequest("json_schema", '{"type": "integer"}', is_compact=True).options
    {'any_whitespace': False, 'separators': (',', ':')}
    """

    kind: Kind
    text: str
    is_compact: bool = False

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise ArgumentError(
                f"there is no kind of grammar {self.kind!r:.40}", hint=f"the kinds are {', '.join(get_args(Kind))}"
            )
        if not isinstance(self.text, str):  # pyright: ignore[reportUnnecessaryIsInstance] (comes from a client)
            raise ArgumentError(
                f"the {self.kind} of a request is {type(self.text).__name__}, not text", hint="send it as a JSON string"
            )

    @property
    def options(self) -> dict[str, Any]:
        """The options with which its schema is compiled; none for other kinds."""
        if self.kind in ("json_schema", "json_object") and self.is_compact:
            return {"any_whitespace": False, "separators": (",", ":")}
        return {}


def compile_request(compiler: GrammarCompiler, request: GrammarRequest) -> CompiledGrammar:
    """Compile the grammar of a request.

    Parameters
    ----------
    compiler : GrammarCompiler
        The compiler of the model's tokenizer; it may be used from several threads.
    request : GrammarRequest
        The request.

    Returns
    -------
    CompiledGrammar
        The same object for the same request, while it is in the compiler's cache.

    Raises
    ------
    Xg2LabError
        The grammar is refused; the message has the place and a hint.

    >>> import xg2lab as xgr
    >>> compiler = xgr.GrammarCompiler(xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
    >>> compile_request(compiler, GrammarRequest("ebnf", 'root ::= "a"')).grammar.root_rule_name
    'root'
    """
    match request.kind:
        case "json_schema":
            return compiler.compile_json_schema(request.text, **request.options)
        case "json_object":
            return compiler.compile_json_schema(_OBJECT, **request.options)
        case "regex":
            return compiler.compile_regex(request.text)
        case "choice":
            return compiler.compile_grammar(choice_grammar(request.text))
        case "ebnf":
            return compiler.compile_grammar(request.text)
        case "lark":
            return compiler.compile_lark(request.text)
        case "structural_tag":
            tag, triggers = _tag_and_triggers(request.text)
            return compiler.compile_structural_tag(tag, triggers)


def check_request(request: GrammarRequest) -> None:
    """Refuse a grammar that can't be compiled, before any tokenizer is at hand.

    The names of tokens in a Lark grammar or a structural tag are not looked up.

    Parameters
    ----------
    request : GrammarRequest
        The request.

    Raises
    ------
    Xg2LabError
        As `compile_request`. `pointer_of` finds the JSON Pointer of the place.

    >>> check_request(GrammarRequest("lark", "start: <|im_end|>"))
    >>> check_request(GrammarRequest("lark", "start: NAME"))
    Traceback (most recent call last):
    xg2lab.errors.GrammarError: terminal `NAME` is not defined
      ...
    """
    compiler = _byte_compiler()
    try:
        if request.kind == "structural_tag":  # read without the names of tokens, which this vocabulary has not
            compiler.compile_grammar(Grammar.from_structural_tag(*_tag_and_triggers(request.text)))
        else:
            compile_request(compiler, request)
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
        An error of `check_request` or `compile_request`.

    Returns
    -------
    str or None
        The pointer into the schema or structural tag; None if the text is no JSON, or the error has no place in it.

    >>> from xg2lab.errors import GrammarError
    >>> try:
    ...     check_request(GrammarRequest("json_schema", '{"properties": {"a": {"type": "strin"}}}'))
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


def choice_grammar(text: str) -> str:
    r"""Return the EBNF grammar of a choice between texts.

    Parameters
    ----------
    text : str
        A JSON list of one text or more.

    Returns
    -------
    str
        A grammar with the rule `root`.

    Raises
    ------
    ArgumentError
        The list is empty, or something in it is not a text.
    InvalidJSONError
        It is not JSON.

    >>> choice_grammar('["yes", "no\\n"]')
    'root ::= "yes" | "no\\u000A"'
    """
    read_json(text)  # its errors say where, and its limits hold
    choices = json.loads(text)
    if not isinstance(choices, list) or not choices:
        raise ArgumentError("a choice is a list of one text or more", hint='for example ["yes", "no"]')
    for index, choice in enumerate(cast("list[object]", choices)):
        if not isinstance(choice, str):
            raise ArgumentError(
                f"choice {index} is {json.dumps(choice):.40}, not a text", hint="write each choice as a JSON string"
            )
    return "root ::= " + " | ".join(f'"{_escaped(choice)}"' for choice in cast("list[str]", choices))


def _escaped(text: str) -> str:
    """A text within the quotes of an EBNF literal."""
    return "".join(
        f"\\{character}"
        if character in '"\\'
        else f"\\u{ord(character):04X}"
        if ord(character) < 0x20 or ord(character) == 0x7F
        else character
        for character in text
    )


def _tag_and_triggers(text: str) -> tuple[Any, list[str] | None]:
    """A structural tag as its value; in the older form, its `structures` and their triggers."""
    value = read_json(text)
    if not isinstance(value, dict) or "structures" not in value:
        return text, None
    older = cast("dict[str, Any]", value)
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
    return structures, cast("list[str]", triggers)
