r"""Templates: the known part of a grammar, with slots that the arguments of a request fill.

>>> template = Template.from_ebnf(r'''
... root    ::= Each($sections, section)
... section ::= "<p id=\"" $id "\">" [^<]* "</p>"
... ''')
>>> print(template.write_out(sections=[{"id": "intro"}, {"id": 'a "b" | $c'}]))
root ::= section.sections.0 section.sections.1
section.sections.0 ::= "<p id=\"" "intro" "\">" [^<]* "</p>"
section.sections.1 ::= "<p id=\"" "a \"b\" | $c" "\">" [^<]* "</p>"
<BLANKLINE>

An argument is data: nothing in it is read as grammar. `Template.write_out` is the definition of what a template means.

Shapes and units: spans are byte offsets into the template's text; pointers are JSON Pointers (RFC 6901) into the
arguments.

See also: core/grammar/template.h for the holes, xg2lab/reference/template.py for the twin.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xg2lab._core import Grammar, TemplateText
from xg2lab.compiling.template_text import (
    TemplateSource,
    schema_source,
    source_from_json,
    template_again,
    template_to_json,
)
from xg2lab.errors import ArgumentError, ArgumentTypeError, UnsupportedError
from xg2lab.sources.json_schema import schema_input
from xg2lab.support.arguments import instance, kind_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from xg2lab.errors import Diagnostic
    from xg2lab.sources.json_schema import SchemaOptions

__all__ = ["Encode", "Slot", "Template"]

#: A tokenizer's encoder: from a text to the ids of the tokens by which the tokenizer writes it.
Encode = Callable[[str], Sequence[int]]


@dataclass(frozen=True)
class Slot:
    """A slot of a template: what a mapping of arguments must contain.

    Attributes
    ----------
    name : str
        The argument's name.
    kind : str
        "text", "texts", "count", "flag", "mappings" or "grammar"; in a schema "value" or "values" too.
    scope : str
        "" for a slot of the request, otherwise the rule whose elements contain it. A rule that is read for the elements
        of several lists is one scope.
    spans : tuple of (int, int)
        The places of the slot in the template, in bytes.
    elements : tuple of str
        The scopes of a list's mappings.
    """

    name: str
    kind: str
    scope: str = ""
    spans: tuple[tuple[int, int], ...] = ()
    elements: tuple[str, ...] = ()


class Template:
    """A grammar with slots (WGrammar, section 3.1). Immutable. Made by `from_ebnf` and `from_json_schema`.

    In EBNF:

    | written | argument | means |
    |---|---|---|
    | `$x` | text: str or bytes | these bytes |
    | `OneOf($xs)` | list of texts | one of them |
    | `e{$n}`, `e{$lo,$hi}` | integers | e, that often |
    | `If($b, e, f)` | bool | `e` or `f` |
    | `Each($xs, rule, sep)` | list of dicts | `rule` for each, in order; `sep`, a rule or a text, may be left out |
    | `Use($g)` | a Grammar | what it matches |

    A rule that an `Each` reads takes `$x` from its element alone; `$$x` is the request's. It may call itself in an
    `Each`: the data ends it.

    In a JSON Schema `{"$slot": "name"}` stands for a keyword's value:

    | keyword | argument | means |
    |---|---|---|
    | `const` | a JSON value | this value |
    | `enum` | list of JSON values | one of them |
    | `minItems`, `maxItems` | integer | the bound |

    With `spelling="tokens"` static text and the texts of arguments come as the tokenizer writes them (`from_ebnf`).

    >>> template = Template.from_ebnf('root ::= OneOf($names) ("." [0-9]){$least,3} If($loud, "!", ".")')
    >>> [(slot.name, slot.kind) for slot in template.slots]
    [('least', 'count'), ('loud', 'flag'), ('names', 'texts')]
    >>> print(template.write_out(names=["a", "b"], least=1, loud=True))
    root ::= ("a" | "b") ("." [0-9]){1,3} "!"
    <BLANKLINE>

    See also: docs/design/0040-templates.md.
    """

    def __init__(self, text: TemplateText) -> None:
        instance(text, TemplateText, "Template(): text", "what Template.from_ebnf(...) reads")
        self._text = text
        self._slots = _slots(text.scopes)
        self._read_from: TemplateSource | None = None  # set by from_ebnf and from_json_schema
        self._encode: Encode | None = None

    @classmethod
    def from_ebnf(
        cls, text: str | bytes, *, root_rule_name: str = "root", spelling: str = "bytes", encode: Encode | None = None
    ) -> Template:
        """Read a template written in EBNF.

        Parameters
        ----------
        text : str or bytes
            Rules as in `Grammar.from_ebnf`, with slots.
        root_rule_name : str
            The rule that a whole output must match.
        spelling : {"bytes", "tokens"}
            How text may be tokenized. "bytes": any tokens that spell the bytes, so a token may cross the end of static
            text. "tokens": only the tokens that `encode` returns, as in WGrammar (sections 3.1 and 3.2): each literal
            and each text of `$x` and `OneOf($xs)` becomes a sequence of token edges. All else stays on bytes: classes,
            patterns, the texts that `TagDispatch` watches for, what `Use($g)` matches, and a rule that is the `parts`
            of another.
        encode : callable from str to token ids, optional
            Only with spelling="tokens": `lambda text: tokenizer.encode(text, add_special_tokens=False)`. It is called
            here for each distinct literal, and at each request for each distinct text of its arguments. Its exceptions
            pass through.

        Returns
        -------
        Template
            For `GrammarCompiler.compile_template`, or `write_out`.

        Raises
        ------
        GrammarSyntaxError, GrammarError
            With *all* mistakes as `diagnostics`, such as a slot that is used for two kinds of argument.
        UnsupportedError
            With spelling="tokens", for text in a rule with `lazy` or `max_chars`, which is one machine on bytes.
        VocabularyError
            `encode` returns no list of token ids. `compile_template` raises this for ids of other bytes than the
            text's.
        ArgumentError, ArgumentTypeError
            The spelling is unknown, `spelling` and `encode` do not go together, or `encode` is not callable.
        LimitError
            As `Grammar.from_ebnf`.

        >>> ids = {"<p>": [7, 9], "a": [3]}
        >>> spelled = Template.from_ebnf('root ::= "<p>" [^<]* $x', spelling="tokens", encode=ids.__getitem__)
        >>> print(spelled.write_out(x="a"))
        root ::= (Token(7) Token(9)) [^<]* Token(3)
        <BLANKLINE>

        >>> Template.from_ebnf("root ::= $x OneOf($x)")
        Traceback (most recent call last):
        xg2lab.errors.GrammarError: `$x` is a list of texts here and a text elsewhere
          template:1:19
            1 | root ::= $x OneOf($x)
              |                   ^^
          hint: give one of them another name
        """
        instance(text, (bytes, str), "Template.from_ebnf(): text")
        instance(root_rule_name, str, "Template.from_ebnf(): root_rule_name")
        check_spelling(spelling, encode)
        data = as_bytes(text)
        read = TemplateText.from_ebnf(data, as_bytes(root_rule_name))
        if encode is not None:
            read = read.in_tokens(encode)
        made = cls(read)
        spelled = read.texts_and_ids if encode is not None else None
        made._read_from = TemplateSource("ebnf", data.decode(), root_rule_name, spelling=spelled)
        made._encode = encode
        return made

    @classmethod
    def from_json_schema(
        cls, schema: Any, *, spelling: str = "bytes", encode: Encode | None = None, **options: Unpack[SchemaOptions]
    ) -> Template:
        r"""Read a JSON Schema with slots: `{"$slot": "name"}` as the value of enum, const, minItems or maxItems.

        Written out with its arguments, it accepts what `Grammar.from_json_schema` accepts for the schema with the
        arguments filled in. An argument for `enum` is a list of JSON values, for `const` a JSON value, otherwise an
        integer. Beside a slot for `enum` or `const`, `type` and the keywords of numbers and strings are allowed; a
        value that these exclude is a mistake.

        Parameters
        ----------
        schema : str, dict, pydantic model or dataclass
            As in `Grammar.from_json_schema`.
        spelling : {"bytes"}
            As in `from_ebnf`; "tokens" is refused. A schema has no static text: which whitespace, quotes, commas and
            escapes form a literal is the grammar's own division, and tokens cross it (`":"`, `"},`).
        encode : None
            As in `from_ebnf`.
        **options
            Those of `Grammar.from_json_schema`, except print_converted_ebnf.

        Returns
        -------
        Template
            For `GrammarCompiler.compile_template`, or `write_out`.

        Raises
        ------
        GrammarError
            The text is not a schema, or allows nothing; a slot is anywhere else; a slot's value would have to be
            compared with other constraints (allOf, oneOf, not, a $ref's siblings); a slot is used for two kinds of
            argument.
        UnsupportedError, InvalidJSONError, LimitError
            As `Grammar.from_json_schema`.

        >>> template = Template.from_json_schema({"type": "array", "maxItems": {"$slot": "n"},
        ...     "items": {"type": "string", "enum": {"$slot": "ids"}}}, any_whitespace=False)
        >>> [(slot.name, slot.kind) for slot in template.slots]
        [('ids', 'values'), ('n', 'count')]
        >>> print(template.write_out(ids=["a", "b"], n=2))
        root ::= "[" ("\"a\"" | "\"b\"") (", " ("\"a\"" | "\"b\""))? "]" | "[]"
        <BLANKLINE>
        >>> Template.from_json_schema({"minLength": {"$slot": "n"}})
        Traceback (most recent call last):
        xg2lab.errors.GrammarError: at /minLength: the slot `$n` is in a place that no argument can fill
          schema:2:3
            2 |   "minLength": {
              |   ^^^^^^^^^^^^^^
          hint: a slot may be the value of enum, const, minItems or maxItems, in a schema that is used
        """
        check_spelling(spelling, encode)
        if encode is not None:
            raise UnsupportedError(
                'Template.from_json_schema(): spelling="tokens" needs static text, and a schema has none: its names '
                "and punctuation come in all spellings of JSON, and the schema doesn't say where a literal ends",
                hint='leave spelling out, or write the text in EBNF: Template.from_ebnf(..., spelling="tokens")',
            )
        read = schema_input(schema, **options)
        made = cls(TemplateText.from_json_schema(read))
        made._read_from = schema_source(schema, dict(options), read)
        return made

    def serialize_json(self) -> str:
        """Write the template as JSON text: its source, the options it was read with, and the ids of its static text.

        Returns
        -------
        str
            JSON, for `deserialize_json`.

        Raises
        ------
        ArgumentError
            Neither `from_ebnf` nor `from_json_schema` made the template.

        >>> template = Template.from_ebnf('root ::= "<" $name ">"')
        >>> Template.deserialize_json(template.serialize_json()).serialize_json() == template.serialize_json()
        True
        """
        return template_to_json(self)

    @classmethod
    def deserialize_json(cls, json_str: str | bytes, *, encode: Encode | None = None) -> Template:
        r"""Read what `serialize_json` wrote.

        Parameters
        ----------
        json_str : str or bytes
            The text.
        encode : callable from str to token ids, optional
            For a template with spelling="tokens": it writes the texts of arguments, which can't be filled without it.
            The static text has the ids that were written.

        Returns
        -------
        Template
            It equals the template that was written.

        Raises
        ------
        ArgumentError, ArgumentTypeError
            An encoder was given for a template with spelling="bytes", or is not callable.
        InvalidJSONError, DeserializeFormatError, DeserializeVersionError
            The text is not JSON, not a template, damaged (`pointer` says where), or of another version.
        LimitError
            As `from_ebnf`.

        >>> template = Template.from_json_schema({"enum": {"$slot": "ids"}}, any_whitespace=False)
        >>> print(Template.deserialize_json(template.serialize_json()).write_out(ids=["a", 1]))
        root ::= "\"a\"" | "1" | "1.0"
        <BLANKLINE>
        """
        source = source_from_json(json_str)
        check_encoder_of(source, encode)
        return template_again(source, lambda read: cls._of_source(read, encode))

    @classmethod
    def _of_source(cls, source: TemplateSource, encode: Encode | None) -> Template:
        if source.kind != "ebnf":
            return cls.from_json_schema(source.text, registry=source.registry, **source.options)
        if source.spelling is None:
            return cls.from_ebnf(source.text, root_rule_name=source.root_rule_name)
        read = TemplateText.from_ebnf(as_bytes(source.text), as_bytes(source.root_rule_name))
        made = cls(read.in_known_tokens(source.spelling))
        made._read_from = source
        made._encode = encode
        return made

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return _unpickled, (type(self), self.serialize_json(), self._encode)

    @property
    def source(self) -> str:
        """The text that all spans point into."""
        return self._text.source

    @property
    def spelling(self) -> str:
        """How text may come: "bytes" or "tokens" (see `from_ebnf`)."""
        return "bytes" if self._read_from is None or self._read_from.spelling is None else "tokens"

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The slots, by scope (the request's first) and name."""
        return self._slots

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """The findings that hold for all arguments, in the order of the text.

        They are rules that the root never needs (slots that are only there belong to no request), rules that match
        nothing in any instance, and the warnings of a schema. Findings that depend on the arguments, such as a
        lookahead that an instance does not keep, are in the `diagnostics` of the grammar that `write_out` returns.

        >>> template = Template.from_ebnf('root ::= $x | If($b, loop, "a")   loop ::= "b" loop   row ::= $id')
        >>> for finding in template.diagnostics:
        ...     print(finding.code, template.source[slice(*finding.span)])
        never_matches loop
        unused_rule row
        """
        return self._text.diagnostics

    def write_out(self, **arguments: Any) -> Grammar:
        """The ordinary grammar that the template means with these arguments.

        Parameters
        ----------
        **arguments
            One for each slot of the request; the table above says what fills which. A str is UTF-8; bytes are taken
            as they are.

        Returns
        -------
        Grammar
            Its spans point into the template's text. A rule that leads to slots is written once for each mapping it
            is read with, under a name like `section.sections.3`.

        Raises
        ------
        TemplateArgumentError
            With *all* mistakes in the arguments as `diagnostics`: each has its place in the template (`span`) and in
            the arguments (`pointer`). With spelling="tokens" also if `encode` returns no list of ids for a text.
        ArgumentError
            If the template takes texts in tokens and was read again without an encoder.
        GrammarError
            For an instance that can't match.
        LimitError
            For more than a million elements, or too large a grammar.

        >>> Template.from_ebnf('root ::= OneOf($names)').write_out(names=[], nmae="x")
        Traceback (most recent call last):
        xg2lab.errors.TemplateArgumentError: `names` is an empty list: nothing can be chosen
          template:1:16, argument /names
            1 | root ::= OneOf($names)
              |                ^^^^^^
          hint: give it at least one text
        no slot is named `nmae`
          template:1:1, argument /nmae
            1 | root ::= OneOf($names)
              | ^^^^
          hint: the slots are `names`
        """
        return self._text.write_out(arguments, self._encode)

    def __repr__(self) -> str:
        return f"<Template with slots {', '.join(slot.name for slot in self._slots if not slot.scope) or 'none'}>"


def as_bytes(text: str | bytes) -> bytes:
    """The bytes of a text. Half of a surrogate pair becomes bytes that the engine refuses with their place."""
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text


def check_spelling(spelling: Any, encode: Any) -> None:
    """Raise unless `spelling` is known, and has an encoder if and only if it needs one."""
    if not isinstance(spelling, str) or spelling not in ("bytes", "tokens"):
        raise ArgumentError(f"spelling is {spelling!r:.40}", hint='write spelling="bytes" or spelling="tokens"')
    if spelling == "tokens" and encode is None:
        raise ArgumentError(
            'spelling="tokens" needs an encoder',
            hint="add encode=lambda text: tokenizer.encode(text, add_special_tokens=False)",
        )
    if spelling == "bytes" and encode is not None:
        raise ArgumentError('encode is used with spelling="tokens" only', hint='add spelling="tokens"')
    if encode is not None:
        check_callable(encode)


def check_encoder_of(source: TemplateSource, encode: Any) -> None:
    """Raise if there is an encoder that the template that was written doesn't need, or that can't be called."""
    if encode is None:
        return
    if source.spelling is None:
        raise ArgumentError(
            'this template was written with spelling="bytes" and needs no encoder', hint="leave encode out"
        )
    check_callable(encode)


def check_callable(encode: Any) -> None:
    """Raise unless the encoder can be called."""
    if not callable(encode):
        raise ArgumentTypeError(f"encode is {kind_of(encode)}; wanted a callable from a str to token ids")


def _unpickled(cls: type[Template], text: str, encode: Encode | None) -> Template:
    return cls.deserialize_json(text, encode=encode)


def _slots(
    scopes: Sequence[tuple[str, Sequence[tuple[str, str, Sequence[tuple[int, int]], Sequence[int]]]]],
) -> tuple[Slot, ...]:
    """The slots of all scopes, as the engine lists them."""
    rules = ["", *(rule for rule, _ in scopes[1:])]
    return tuple(
        Slot(name, kind, rules[i], tuple(spans), tuple(rules[of] for of in elements))
        for i, (_, slots) in enumerate(scopes)
        for name, kind, spans, elements in slots
    )
