"""The keywords and formats of JSON Schema: the values that each constrains, the shape of its value, what it does.

>>> KEYWORDS["minLength"].speaks_of, KEYWORDS["minLength"].shape, KEYWORDS["minLength"].state
('strings', 'count', 'enforced')
>>> KEYWORDS["title"].support
'an annotation: it checks nothing'

Lints suggest names of this table, editors complete and explain them. `tests/editing/test_words.py` reads a schema with
each keyword, and compares what the engine makes of it with `state`.

See also: core/frontends/json_schema/reader.cc, the engine's own table; docs/design/0023-json-schema.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["FORMATS", "KEYWORDS", "REFUSED_FORMATS", "TYPES", "KeywordWord", "Shape"]

#: The shape of a keyword's value. "map": schemas by name; "list": a list of schemas; "lists": lists of names by name.
Shape = Literal[
    "schema", "map", "list", "types", "names", "lists", "values", "value", "number", "count", "flag", "text", "format",
    "pattern", "reference",
]  # fmt: skip


@dataclass(frozen=True)
class KeywordWord:
    """A keyword: the values it constrains ("" for all), the shape of its value, and one sentence on what it does."""

    speaks_of: str
    shape: Shape
    means: str
    state: Literal["enforced", "annotation"] = "enforced"

    @property
    def support(self) -> str:
        """What becomes of the keyword, in words."""
        if self.state == "annotation":
            return "an annotation: it checks nothing"
        return "enforced: masks keep it, or the schema is refused with the reason"


def _note(shape: Shape, means: str) -> KeywordWord:
    return KeywordWord("", shape, means, "annotation")


KEYWORDS: dict[str, KeywordWord] = {
    "type": KeywordWord("", "types", "The value has this type, or one of these types."),
    "enum": KeywordWord("", "values", "The value is one of the listed values."),
    "const": KeywordWord("", "value", "The value equals this value."),
    "minimum": KeywordWord("numbers", "number", "The number is at least this."),
    "maximum": KeywordWord("numbers", "number", "The number is at most this."),
    "exclusiveMinimum": KeywordWord("numbers", "number", "The number is greater than this."),
    "exclusiveMaximum": KeywordWord("numbers", "number", "The number is less than this."),
    "multipleOf": KeywordWord("numbers", "number", "The number is a multiple of this."),
    "minLength": KeywordWord("strings", "count", "The string has at least this many code points."),
    "maxLength": KeywordWord("strings", "count", "The string has at most this many code points."),
    "pattern": KeywordWord("strings", "pattern", "The string contains a match of this regular expression (ECMA-262)."),
    "format": KeywordWord("strings", "format", "The string has this format, such as a date or an e-mail address."),
    "items": KeywordWord("arrays", "schema", "Each item, after those of `prefixItems`, matches this schema."),
    "prefixItems": KeywordWord("arrays", "list", "The first items match these schemas, one each."),
    "additionalItems": KeywordWord("arrays", "schema", "Up to draft 2019-09: items after a list of `items`."),
    "unevaluatedItems": KeywordWord("arrays", "schema", "Items that no other keyword looked at match this schema."),
    "minItems": KeywordWord("arrays", "count", "The array has at least this many items."),
    "maxItems": KeywordWord("arrays", "count", "The array has at most this many items."),
    "contains": KeywordWord("arrays", "schema", "At least one item matches this schema."),
    "minContains": KeywordWord("arrays", "count", "At least this many items match `contains`."),
    "maxContains": KeywordWord("arrays", "count", "At most this many items match `contains`."),
    "uniqueItems": KeywordWord("arrays", "flag", "No two items are equal; items need finitely many values."),
    "properties": KeywordWord("objects", "map", "The values of these properties match their schemas."),
    "patternProperties": KeywordWord("objects", "map", "Values whose name matches a pattern match its schema."),
    "additionalProperties": KeywordWord("objects", "schema", "Values of all other properties match this schema."),
    "unevaluatedProperties": KeywordWord(
        "objects", "schema", "Values of properties that no other keyword looked at match this schema."
    ),
    "required": KeywordWord("objects", "names", "The object has these properties."),
    "propertyNames": KeywordWord("objects", "schema", "Each property's name matches this schema."),
    "minProperties": KeywordWord("objects", "count", "The object has at least this many properties."),
    "maxProperties": KeywordWord("objects", "count", "The object has at most this many properties."),
    "dependentRequired": KeywordWord("objects", "lists", "With this property, the object has those properties too."),
    "dependentSchemas": KeywordWord("objects", "map", "With this property, the object matches this schema too."),
    "dependencies": KeywordWord("objects", "map", "Up to draft-07: `dependentRequired` and `dependentSchemas` in one."),
    "allOf": KeywordWord("", "list", "The value matches all of these schemas."),
    "anyOf": KeywordWord("", "list", "The value matches at least one of these schemas."),
    "oneOf": KeywordWord("", "list", "The value matches exactly one of these schemas."),
    "not": KeywordWord("", "schema", "The value does not match this schema."),
    "if": KeywordWord("", "schema", "Chooses: a value that matches this matches `then`, another matches `else`."),
    "then": KeywordWord("", "schema", "For values that match `if`."),
    "else": KeywordWord("", "schema", "For values that do not match `if`."),
    "$ref": KeywordWord("", "reference", "The value matches the schema at this place, such as #/$defs/name."),
    "$dynamicRef": KeywordWord("", "reference", "As `$ref`, with the outermost `$dynamicAnchor` of the name."),
    "$recursiveRef": KeywordWord("", "reference", "Draft 2019-09: as `$dynamicRef`, with `$recursiveAnchor`."),
    "$defs": _note("map", "Schemas that `$ref` names: #/$defs/name."),
    "definitions": _note("map", "Schemas that `$ref` names, up to draft-07: #/definitions/name."),
    "$schema": _note("text", "The draft of the standard that the schema is written in."),
    "$id": _note("text", "The schema's address, which relative references begin at."),
    "$anchor": _note("text", "A name for this schema: `$ref` of #name leads here."),
    "$dynamicAnchor": _note("text", "A name for this schema that `$dynamicRef` leads to."),
    "$recursiveAnchor": _note("flag", "Draft 2019-09: whether `$recursiveRef` leads further out."),
    "$vocabulary": _note("value", "Of a metaschema: which keywords its schemas have."),
    "$comment": _note("text", "A remark for readers of the schema."),
    "title": _note("text", "A name for readers."),
    "description": _note("text", "A sentence for readers."),
    "default": _note("value", "The value that a missing one stands for."),
    "examples": _note("values", "Values that match."),
    "readOnly": _note("flag", "The value comes from its owner and is not sent."),
    "writeOnly": _note("flag", "The value is sent and never returned."),
    "deprecated": _note("flag", "The value should no longer be used."),
    "contentEncoding": _note("text", "How a string encodes bytes, such as base64."),
    "contentMediaType": _note("text", "The media type of a string's contents."),
    "contentSchema": _note("schema", "A schema for a string's contents."),
}
TYPES: dict[str, str] = {
    "object": "objects",
    "array": "arrays",
    "string": "strings",
    "integer": "numbers",
    "number": "numbers",
    "boolean": "",
    "null": "",
}
#: Formats that the engine checks, with an example each.
FORMATS: dict[str, str] = {
    "date-time": "2024-02-29T12:30:00Z",
    "date": "2024-02-29",
    "time": "12:30:00Z",
    "duration": "P3DT12H",
    "email": "ada@example.org",
    "idn-email": "ada@example.org",
    "hostname": "www.example.org",
    "idn-hostname": "www.example.org",
    "ipv4": "127.0.0.1",
    "ipv6": "::1",
    "uri": "https://example.org/a",
    "uri-reference": "/a?b",
    "iri": "https://example.org/a",
    "iri-reference": "/a?b",
    "uuid": "2eb8aa08-aa98-11ea-b4aa-73b441d16380",
    "uri-template": "/users/{id}",
    "json-pointer": "/a/0",
    "relative-json-pointer": "1/a",
}
#: Formats of the standard that no finite machine checks: a schema with one is refused.
REFUSED_FORMATS = ("regex",)
