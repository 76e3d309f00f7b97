r"""What the text of an answer has to be, as a request says it, and the compiled grammar.

>>> from xg2lab.integrations.serve.fields import Fields
>>> body = Fields({"structured_outputs": {"choice": ["yes", "no"]}})
>>> constraint = read_constraint(body, most_bytes=1000)
>>> constraint.kind, constraint.text, constraint.pointer
('choice', '["yes", "no"]', '/structured_outputs/choice')

A request names one constraint, in one of two fields: `response_format`, OpenAI's, or `structured_outputs`, vLLM's.
Whatever else such an object holds is refused, because a constraint that is half understood would be half kept.

See also: `tools.py`, for constraints that tools make.
"""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, cast

from xg2lab.errors import Xg2LabError
from xg2lab.grammar import Grammar, structural_tag_value
from xg2lab.integrations.serve.failures import RequestError, refused
from xg2lab.integrations.serve.fields import Fields, kind_of

if TYPE_CHECKING:
    from xg2lab.compiler import CompiledGrammar, GrammarCompiler
    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["REMOVED", "Constraint", "Kind", "read_constraint", "read_text_format", "refusing"]

Kind = Literal["json_schema", "json_object", "ebnf", "lark", "regex", "choice", "structural_tag"]
Json = dict[str, Any]

_TODAY = {
    "json": 'structured_outputs={"json": SCHEMA}, or response_format={"type": "json_schema", "json_schema": {...}}',
    "regex": 'structured_outputs={"regex": PATTERN}',
    "choice": 'structured_outputs={"choice": [TEXT, ...]}',
    "grammar": 'structured_outputs={"grammar": EBNF OR LARK}',
    "json_object": 'response_format={"type": "json_object"}',
    "structural_tag": 'structured_outputs={"structural_tag": TAG}',
}
#: Fields that constrained answers elsewhere or earlier -> what to write today.
REMOVED: dict[str, str] = {
    **{f"guided_{kind}": today for kind, today in _TODAY.items()},
    "guided_decoding_backend": "leave it out: this server has one engine, xg2lab",
    "guided_decoding": "structured_outputs={...}",
    "guided_whitespace_pattern": 'structured_outputs={"json": SCHEMA, "disable_any_whitespace": true}',
    "json_schema": _TODAY["json"],
    "schema": _TODAY["json"],
    "response_schema": _TODAY["json"],
    "regex": _TODAY["regex"],
    "pattern": _TODAY["regex"],
    "choices": _TODAY["choice"],
    "grammar": _TODAY["grammar"],
    "ebnf": _TODAY["grammar"],
    "lark": _TODAY["grammar"],
    "structural_tag": _TODAY["structural_tag"],
    "format": 'response_format={...}; in /v1/responses: text={"format": {...}}',
    "functions": 'tools=[{"type": "function", "function": {...}}]',
    "function_call": "tool_choice",
}
_KINDS = ("json", "regex", "choice", "grammar", "structural_tag", "json_object")
_MOST_CHOICES = 10_000
#: Numbers as programs write them, and never endless: 17, not 17.000.
_PLAIN: Json = {"number_form": "plain"}
_TIGHT: Json = {"any_whitespace": False, "separators": (",", ":")}


@dataclass(frozen=True)
class Constraint:
    """What the text of an answer has to be.

    Parameters
    ----------
    kind : str
        The language of `text`.
    text : str
        The constraint as the request has it; JSON text for schemas, choices and structural tags.
    pointer : str
        The JSON Pointer of the constraint in the body.
    options : dict
        Options of compiling.
    is_built : bool
        Whether this server built the text, so that places in it are none of the body.

    >>> Constraint("regex", "[a-z]+", "/structured_outputs/regex").as_format()
    {'type': 'regex', 'pattern': '[a-z]+'}
    """

    kind: Kind
    text: str
    pointer: str
    options: Json = field(default_factory=dict[str, Any])
    is_built: bool = False

    def compiled(self, compiler: GrammarCompiler) -> CompiledGrammar:
        """Compile the constraint.

        Parameters
        ----------
        compiler : GrammarCompiler
            The model's.

        Returns
        -------
        CompiledGrammar
            From the compiler's cache, if it is there.

        Raises
        ------
        RequestError
            A 400 with the place of the mistake.

        >>> import xg2lab as xgr
        >>> compiler = xgr.GrammarCompiler(xgr.TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1]))
        >>> xgr.GrammarMatcher(Constraint("regex", "a+", "").compiled(compiler)).allowed_tokens()
        [0]
        """
        with refusing(self.pointer, is_built=self.is_built):
            match self.kind:
                case "json_schema" | "json_object":
                    return compiler.compile_json_schema(self.text, **self.options)
                case "regex":
                    return compiler.compile_regex(self.text)
                case "ebnf":
                    return compiler.compile_grammar(self.text)
                case "lark":
                    return compiler.compile_lark(self.text)
                case "choice":
                    return compiler.compile_structural_tag({"type": "structural_tag", "format": self.as_format()})
                case "structural_tag":
                    return compiler.compile_structural_tag(self.text)

    def as_format(self, tokenizer_info: TokenizerInfo | None = None) -> Json:
        """Return the constraint as a format of structural tags.

        Parameters
        ----------
        tokenizer_info : TokenizerInfo, optional
            For Lark: where tokens that the grammar names are looked up.

        Returns
        -------
        dict
            The format's JSON.

        Raises
        ------
        RequestError
            A 400: the Lark text has a mistake.

        >>> Constraint("choice", '["a", "b"]', "").as_format()["elements"][0]
        {'type': 'const_string', 'value': 'a'}
        """
        match self.kind:
            case "json_schema" | "json_object":
                return {"type": "json_schema", "json_schema": json.loads(self.text), **_PLAIN}
            case "regex":
                return {"type": "regex", "pattern": self.text}
            case "ebnf":
                return {"type": "grammar", "grammar": self.text}
            case "lark":
                with refusing(self.pointer):
                    return {"type": "grammar", "grammar": _as_ebnf(self.text, tokenizer_info)}
            case "choice":
                texts = [{"type": "const_string", "value": each} for each in json.loads(self.text)]
                return texts[0] if len(texts) == 1 else {"type": "or", "elements": texts}
            case "structural_tag":
                return json.loads(self.text)["format"]


def _as_ebnf(lark: str, tokenizer_info: TokenizerInfo | None) -> str:
    """The EBNF of a Lark text. The union of one grammar is that grammar with its root named `root`."""
    return str(Grammar.union(Grammar.from_lark(lark, tokenizer_info=tokenizer_info)))


@contextmanager
def refusing(pointer: str, *, is_built: bool = False) -> Generator[None]:
    """Turn errors of the engine into a 400 for the constraint at `pointer`.

    Parameters
    ----------
    pointer : str
        The JSON Pointer of the constraint.
    is_built : bool
        Whether the error's own place is none of the body, and left out.

    Returns
    -------
    context manager
        It raises `RequestError` for an `Xg2LabError`.

    >>> try:
    ...     with refusing("/structured_outputs/regex"):
    ...         Grammar.from_regex("(")
    ... except RequestError as failure:
    ...     failure.status, failure.name
    (400, 'structured_outputs.regex')
    """
    try:
        yield
    except Xg2LabError as error:
        failure = refused(error, pointer)
        if is_built:
            failure = RequestError(failure.message, pointer=pointer, hint=failure.hint, code=failure.code)
        raise failure from error
    except RecursionError:
        raise RequestError("this nests too deep to be read", pointer=pointer, code="invalid_constraint") from None


# ---- The two fields -----------------------------------------------------------------------------


def read_constraint(body: Fields, most_bytes: int) -> Constraint | None:
    """Read `response_format` and `structured_outputs`.

    Parameters
    ----------
    body : Fields
        The request.
    most_bytes : int
        The largest constraint, as UTF-8 text.

    Returns
    -------
    Constraint or None
        None: any text.

    Raises
    ------
    RequestError
        A 400: an unknown or ignored field, a wrong type, two constraints, one that is too large.

    >>> read_constraint(Fields({"response_format": {"type": "text"}}), 100) is None
    True
    """
    given = body.inner("response_format")
    first = None if given is None else _response_format(given)
    given = body.inner("structured_outputs")
    second = None if given is None else _structured_outputs(given)
    if first is not None and second is not None:
        raise body.failure(
            "structured_outputs",
            "`response_format` and `structured_outputs` both constrain the text",
            hint="give one of the two",
            code="conflicting_constraints",
        )
    return _within(first or second, most_bytes)


def read_text_format(text: Fields, most_bytes: int) -> Constraint | None:
    """Read `text.format` of a request to `/v1/responses`.

    Parameters
    ----------
    text : Fields
        The field `text`.
    most_bytes : int
        The largest constraint, as UTF-8 text.

    Returns
    -------
    Constraint or None
        None: any text.

    Raises
    ------
    RequestError
        As `read_constraint`.

    >>> flat = {"format": {"type": "json_schema", "name": "answer", "schema": {"type": "integer"}}}
    >>> read_text_format(Fields(flat, "/text"), 100).pointer
    '/text/format/schema'
    """
    given = text.inner("format")
    if given is None:
        return None
    kind = given.text("type", among=("text", "json_schema", "json_object"), needed=True)
    found: Constraint | None = None
    if kind == "json_schema":
        found = _named_schema(given)
    elif kind == "json_object":
        found = _any_object(given.pointer)
    given.no_others(REMOVED)
    return _within(found, most_bytes)


def _within(constraint: Constraint | None, most_bytes: int) -> Constraint | None:
    if constraint is not None and len(constraint.text.encode()) > most_bytes:
        raise RequestError(
            f"this constraint has more than {most_bytes} bytes",
            pointer=constraint.pointer,
            hint="the server's limit is --max-constraint-bytes",
            code="constraint_too_large",
        )
    return constraint


def _response_format(given: Fields) -> Constraint | None:
    kind = given.raw("type")
    if kind in ("regex", "grammar", "choice", "json", "lark", "ebnf"):
        today = _TODAY["grammar" if kind in ("lark", "ebnf") else cast("str", kind)]
        raise given.failure("type", f"there is no response format {kind!r}", hint=today)
    kind = given.text("type", among=("text", "json_schema", "json_object", "structural_tag"), needed=True)
    found: Constraint | None = None
    if kind == "json_schema":
        schema = given.inner("json_schema", needed=True)
        assert schema is not None
        found = _named_schema(schema)
        schema.no_others()
    elif kind == "json_object":
        found = _any_object(given.pointer)
    elif kind == "structural_tag":
        tag = {
            "type": kind,
            **{name: given.raw(name) for name in ("format", "structures", "triggers") if given.has(name)},
        }
        found = _structural_tag(tag, given.pointer)
    given.no_others(REMOVED)
    return found


def _named_schema(given: Fields) -> Constraint:
    """A schema with a name, as OpenAI's clients send it. The text keeps it with and without `strict`."""
    given.text("name")
    given.text("description")
    given.flag("strict")
    schema = given.raw("schema")
    if schema is None:
        raise given.failure("schema", "`schema` is missing: a JSON Schema", code="missing_field")
    return _schema(schema, given.at("schema"), {})


def _schema(schema: object, pointer: str, options: Json) -> Constraint:
    if not isinstance(schema, (dict, bool)):
        raise RequestError(
            f"a JSON Schema is an object or a boolean, not {kind_of(schema)}", pointer=pointer, code="invalid_type"
        )
    return Constraint("json_schema", json.dumps(schema, ensure_ascii=False), pointer, {**_PLAIN, **options})


def _any_object(pointer: str) -> Constraint:
    return Constraint("json_object", '{"type": "object"}', pointer, dict(_PLAIN))


def _structural_tag(tag: object, pointer: str) -> Constraint:
    """Today's form, `format`, or the older one, `structures` and `triggers`."""
    fields = Fields(tag, pointer)
    fields.text("type", among=("structural_tag",))
    structures, triggers, form = fields.items("structures"), fields.items("triggers"), fields.raw("format")
    fields.no_others()
    if (structures is None) == (form is None) or (triggers is not None) != (structures is not None):
        raise RequestError(
            "a structural tag has a `format`, or in its older form `structures` and `triggers`",
            pointer=pointer,
            hint='{"type": "structural_tag", "format": {"type": "triggered_tags", ...}}',
        )
    if structures is None:
        value: Json = {"type": "structural_tag", "format": form}
    else:
        assert triggers is not None
        for place, each in enumerate(structures):
            item = Fields(each, f"{fields.at('structures')}/{place}")
            item.text("begin", needed=True)
            item.text("end")
            if "end" not in item.given or item.raw("schema") is None:
                raise RequestError("a structure has `begin`, `schema` and `end`", pointer=item.pointer)
            item.no_others()
        with refusing(pointer):
            value = structural_tag_value(structures, triggers)
    return Constraint("structural_tag", json.dumps(value, ensure_ascii=False), pointer)


def _structured_outputs(given: Fields) -> Constraint:
    named = given.text("type", among=_KINDS)
    there = [name for name in _KINDS if given.has(name)]
    tight = given.flag("disable_any_whitespace")
    given.no_others(
        {
            "backend": "leave it out: this server has one engine, xg2lab",
            "whitespace_pattern": "leave it out, or set disable_any_whitespace",
            "disable_fallback": "leave it out: this server falls back to nothing",
            "schema": _TODAY["json"],
            "json_schema": _TODAY["json"],
            "ebnf": _TODAY["grammar"],
            "lark": _TODAY["grammar"],
            "choices": _TODAY["choice"],
        }
    )
    if len(there) != 1:
        what = "constrains nothing" if not there else f"has {len(there)} constraints, {' and '.join(there)}"
        raise RequestError(
            f"`structured_outputs` {what}",
            pointer=given.pointer if not there else given.at(there[1]),
            hint=f"give one of {', '.join(_KINDS)}",
            code="conflicting_constraints" if there else "missing_field",
        )
    kind = there[0]
    if named is not None and named != kind:
        raise given.failure(
            "type", f"`type` is {named!r}, and the constraint is {kind!r}", code="conflicting_constraints"
        )
    if tight is not None and kind not in ("json", "json_object"):
        raise given.failure("disable_any_whitespace", f"a constraint {kind!r} has no whitespace to disable")
    return _of_kind(given, kind, _TIGHT if tight else {})


def _of_kind(given: Fields, kind: str, options: Json) -> Constraint:
    pointer = given.at(kind)
    match kind:
        case "json":
            return _schema(_parsed(given.raw(kind), pointer), pointer, options)
        case "json_object":
            if given.flag(kind) is not True:
                raise given.failure(kind, "`json_object` can only be true", hint="leave structured_outputs out")
            return Constraint("json_object", '{"type": "object"}', pointer, {**_PLAIN, **options})
        case "regex":
            return Constraint("regex", given.text(kind, needed=True) or "", pointer)
        case "grammar":
            text = given.text(kind, needed=True) or ""
            return Constraint("ebnf" if "::=" in text else "lark", text, pointer)
        case "structural_tag":
            return _structural_tag(_parsed(given.raw(kind), pointer), pointer)
        case _:
            return _choice(given.items(kind) or [], pointer)


def _parsed(value: object, pointer: str) -> object:
    """A value, or the JSON text of one."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise RequestError(f"this text is not JSON: {error}", pointer=pointer, hint="pass the object itself") from None


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _choice(texts: list[Any], pointer: str) -> Constraint:
    if not texts or len(texts) > _MOST_CHOICES:
        raise RequestError(f"a choice has 1 to {_MOST_CHOICES} texts, not {len(texts)}", pointer=pointer)
    for place, text in enumerate(texts):
        if not isinstance(text, str) or not text:
            raise RequestError("a choice is a string that is not empty", pointer=f"{pointer}/{place}")
    return Constraint("choice", json.dumps(texts, ensure_ascii=False), pointer)
