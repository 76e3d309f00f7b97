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

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xg2lab._core import Grammar, TemplateText
from xg2lab.arguments import instance
from xg2lab.json_schema import schema_input
from xg2lab.template_text import TemplateSource, schema_source, source_from_json, template_again, template_to_json

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from xg2lab.errors import Diagnostic
    from xg2lab.json_schema import SchemaOptions

__all__ = ["Slot", "Template"]


@dataclass(frozen=True)
class Slot:
    """A slot of a template: what a mapping of arguments has to hold.

    `scope` is "" for a slot of the request, otherwise the rule whose elements hold it; a rule that is read for the
    elements of several lists is one scope. `kind` is "text", "texts", "count", "flag", "mappings", "grammar", or, in a
    schema, "value" or "values".
    `spans` are the places in the template where the slot stands. `elements` are the scopes of a list's mappings.
    """

    name: str
    kind: str
    scope: str = ""
    spans: tuple[tuple[int, int], ...] = ()
    elements: tuple[str, ...] = ()


class Template:
    """A grammar with slots (WGrammar, section 3.1). Immutable; `from_ebnf` and `from_json_schema` make one.

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

    >>> template = Template.from_ebnf('root ::= OneOf($names) ("." [0-9]){$least,3} If($loud, "!", ".")')
    >>> [(slot.name, slot.kind) for slot in template.slots]
    [('least', 'count'), ('loud', 'flag'), ('names', 'texts')]
    >>> print(template.write_out(names=["a", "b"], least=1, loud=True))
    root ::= ("a" | "b") ("." [0-9]){1,3} "!"
    <BLANKLINE>
    """

    def __init__(self, text: TemplateText) -> None:
        instance(text, TemplateText, "Template(): text", "what Template.from_ebnf(...) reads")
        self._text = text
        self._slots = _slots(text.scopes)
        self._read_from: TemplateSource | None = None  # set by from_ebnf and from_json_schema

    @classmethod
    def from_ebnf(cls, text: str | bytes, *, root_rule_name: str = "root") -> Template:
        """Read a template.

        Parameters
        ----------
        text : str or bytes
            Rules as in `Grammar.from_ebnf`, with slots.
        root_rule_name : str
            The rule that a whole match is made of.

        Raises
        ------
        GrammarSyntaxError, GrammarError
            With *all* mistakes as `diagnostics`. A slot that is used as two kinds of argument is one.
        LimitError
            As `Grammar.from_ebnf`.

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
        data = as_bytes(text)
        made = cls(TemplateText.from_ebnf(data, as_bytes(root_rule_name)))
        made._read_from = TemplateSource("ebnf", data.decode(), root_rule_name)
        return made

    @classmethod
    def from_json_schema(cls, schema: Any, **options: Unpack[SchemaOptions]) -> Template:
        r"""Read a JSON Schema with slots: `{"$slot": "name"}` as the value of enum, const, minItems or maxItems.

        Written out with its arguments it accepts what `Grammar.from_json_schema` accepts of the schema with the
        arguments put in. An argument for `enum` is a list of JSON values, for `const` a JSON value, otherwise an
        integer. Beside a slot for `enum` or `const` may stand `type` and what is asked of numbers and strings; a value
        that these exclude is a mistake.

        Parameters
        ----------
        schema : str, dict, pydantic model or dataclass
            As in `Grammar.from_json_schema`.
        **options
            Those of `Grammar.from_json_schema`, except print_converted_ebnf.

        Raises
        ------
        GrammarError
            For what is no schema, or allows nothing at all; for a slot anywhere else, and for one whose value would
            have to be compared with what else the schema asks for (allOf, oneOf, not, a $ref's siblings); for a slot
            that is used for two kinds of argument.
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
        xg2lab.errors.GrammarError: at /minLength: the slot `$n` stands for no value that a request can fill
          schema:2:3
            2 |   "minLength": {
              |   ^^^^^^^^^^^^^^
          hint: a slot may stand for the value of enum, const, minItems or maxItems, in a schema that is used
        """
        read = schema_input(schema, **options)
        made = cls(TemplateText.from_json_schema(read))
        made._read_from = schema_source(schema, dict(options), read)
        return made

    def serialize_json(self) -> str:
        """The template as JSON text: its own text, and the options that it was read with.

        Raises
        ------
        ArgumentError
            For a template that neither `from_ebnf` nor `from_json_schema` made.

        >>> template = Template.from_ebnf('root ::= "<" $name ">"')
        >>> Template.deserialize_json(template.serialize_json()).serialize_json() == template.serialize_json()
        True
        """
        return template_to_json(self)

    @classmethod
    def deserialize_json(cls, json_str: str | bytes) -> Template:
        r"""Reads what `serialize_json` wrote.

        Parameters
        ----------
        json_str : str or bytes

        Raises
        ------
        InvalidJSONError, DeserializeFormatError, DeserializeVersionError
            For text that is not JSON, not a template, damaged (`pointer` says where), or of another version.
        LimitError
            As `from_ebnf`.

        >>> template = Template.from_json_schema({"enum": {"$slot": "ids"}}, any_whitespace=False)
        >>> print(Template.deserialize_json(template.serialize_json()).write_out(ids=["a", 1]))
        root ::= "\"a\"" | "1" | "1.0"
        <BLANKLINE>
        """
        return template_again(source_from_json(json_str), cls._of_source)

    @classmethod
    def _of_source(cls, source: TemplateSource) -> Template:
        if source.kind == "ebnf":
            return cls.from_ebnf(source.text, root_rule_name=source.root_rule_name)
        return cls.from_json_schema(source.text, registry=source.registry, **source.options)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return type(self).deserialize_json, (self.serialize_json(),)

    @property
    def source(self) -> str:
        """The text that all spans point into."""
        return self._text.source

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The slots, by scope (the request's first) and name."""
        return self._slots

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """The findings that hold whatever the arguments are, in the order of the text.

        Rules that the root never needs (slots that stand there alone belong to no request), rules that match nothing
        in any instance, and the warnings of a schema. What arguments decide, such as a lookahead that an instance
        doesn't keep, is said by the `diagnostics` of the grammar that `write_out` returns.

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
            the arguments (`pointer`).
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
        return self._text.write_out(arguments)

    def __repr__(self) -> str:
        return f"<Template with slots {', '.join(slot.name for slot in self._slots if not slot.scope) or 'none'}>"


def as_bytes(text: str | bytes) -> bytes:
    """The bytes of a text. Half of a surrogate pair becomes bytes that the engine refuses with their place."""
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text


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
