"""Structural tags: what an answer looks like, as data.

>>> tag = StructuralTag(format=TriggeredTagsFormat(
...     triggers=["<function="],
...     tags=[TagFormat(begin="<function=get_time>", content=JSONSchemaFormat(json_schema=True), end="</function>")],
... ))
>>> StructuralTag.from_json(tag.model_dump_json()) == tag
True

A structural tag is JSON: `{"type": "structural_tag", "format": {...}}`, where a format is an object with a `type`,
made of
other formats. The classes here are that JSON with types: names, fields and defaults are those of the field's usual
API, so what was written for it loads here. A field that no format has is refused rather than ignored.

The engine reads the JSON itself (`Grammar.from_structural_tag` takes a dict as well as these classes), so this is the
only module of the engine's side that needs pydantic, and `import xg2lab` doesn't load it.

See also: docs/design/0022-structural-tags.md, which says what each format means; `xg2lab.builtin_structural_tag` for
models.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from xg2lab.errors import InvalidStructuralTagError
from xg2lab.grammar import structural_tag_value

__all__ = [
    "AnyTextFormat",
    "AnyTokensFormat",
    "ConstStringFormat",
    "DispatchFormat",
    "ExcludeTokenFormat",
    "Format",
    "GrammarFormat",
    "JSONSchemaFormat",
    "OptionalFormat",
    "OrFormat",
    "PlusFormat",
    "QwenXMLParameterFormat",
    "RegexFormat",
    "RepeatFormat",
    "SequenceFormat",
    "StarFormat",
    "StructuralTag",
    "StructuralTagItem",
    "TagFormat",
    "TagsWithSeparatorFormat",
    "TokenDispatchFormat",
    "TokenFormat",
    "TokenTriggeredTagsFormat",
    "TriggeredTagsFormat",
]

#: A token by its id, or by its text, which needs a tokenizer: `GrammarCompiler.compile_structural_tag`.
Token = int | str
#: A JSON Schema: an object, or true (anything) or false (nothing).
Schema = bool | dict[str, Any]
#: How a JSON Schema's value is written. All but "json" write an object as one element for each property.
Style = Literal[
    "json",
    "qwen_xml",
    "minimax_xml",
    "minimax_m3_xml",
    "deepseek_xml",
    "glm_xml",
    "cohere_xml",
    "kimi_k3_xml",
    "deepseek_v4_1_xml",
]
#: How numbers are written: in each of JSON's ways, or as programs write them, with a bound to their digits.
NumberForm = Literal["any", "plain"]
#: A limit of tokens or of code points.
Limit = Annotated[int, Field(ge=0, le=2**31 - 1)]


class _Node(BaseModel):
    model_config = ConfigDict(extra="forbid")


# ---- Leaves ----------------------------------------------------------------------------------------------------------


class ConstStringFormat(_Node):
    """The text `value`, and nothing else."""

    type: Literal["const_string"] = "const_string"
    value: str


class JSONSchemaFormat(_Node):
    """A value that a JSON Schema describes, written in a style.

    `any_order`: the properties of an object come in any order, where otherwise they come in the schema's.
    `max_whitespace_cnt`: how many characters of whitespace may stand together; None is no limit.
    `excludes`: texts that no string value without `pattern` or `format`, and no property name, may contain.
    `number_form`: how numbers are written, as for `Grammar.from_json_schema`.
    """

    type: Literal["json_schema"] = "json_schema"
    json_schema: Schema
    style: Style = "json"
    any_order: bool = False
    max_whitespace_cnt: int | None = None
    excludes: list[str] = Field(default_factory=list)
    number_form: NumberForm = "any"


class QwenXMLParameterFormat(_Node):
    """The older spelling of `JSONSchemaFormat(style="qwen_xml")`."""

    type: Literal["qwen_xml_parameter"] = "qwen_xml_parameter"
    json_schema: Schema


class AnyTextFormat(_Node):
    """Any text that contains none of `excludes`, and no end of the tag around it.

    `max_chars` counts code points. `max_tokens` counts tokens, so `accept_string` spends none of it.
    """

    type: Literal["any_text"] = "any_text"
    excludes: list[str] = Field(default_factory=list)
    max_tokens: Limit | None = None
    max_chars: Limit | None = None


class GrammarFormat(_Node):
    """What an EBNF grammar matches; its root is the rule `root`."""

    type: Literal["grammar"] = "grammar"
    grammar: str


class RegexFormat(_Node):
    """What a regular expression matches as a whole."""

    type: Literal["regex"] = "regex"
    pattern: str


class TokenFormat(_Node):
    """One token, whatever its bytes."""

    type: Literal["token"] = "token"
    token: Token


class ExcludeTokenFormat(_Node):
    """One token that is not listed, and is no end of the tag around it."""

    type: Literal["exclude_token"] = "exclude_token"
    exclude_tokens: list[Token] = Field(default_factory=list)


class AnyTokensFormat(_Node):
    """Any number of tokens that are not listed, and are no end of the tag around them."""

    type: Literal["any_tokens"] = "any_tokens"
    exclude_tokens: list[Token] = Field(default_factory=list)
    max_tokens: Limit | None = None


# ---- Formats made of formats -----------------------------------------------------------------------------------------


class SequenceFormat(_Node):
    """One format after the other."""

    type: Literal["sequence"] = "sequence"
    elements: list[Format]


class OrFormat(_Node):
    """Any one of the formats."""

    type: Literal["or"] = "or"
    elements: list[Format]


class OptionalFormat(_Node):
    """The content, or nothing."""

    type: Literal["optional"] = "optional"
    content: Format


class PlusFormat(_Node):
    """The content, once or more."""

    type: Literal["plus"] = "plus"
    content: Format


class StarFormat(_Node):
    """The content, any number of times."""

    type: Literal["star"] = "star"
    content: Format


class RepeatFormat(_Node):
    """The content, between `min` and `max` times; a `max` of -1 is no limit."""

    type: Literal["repeat"] = "repeat"
    min: int
    max: int
    content: Format


class TagFormat(_Node):
    """`begin`, the content, then `end` or any one of a list of ends. Text of the content ends at the first of them."""

    type: Literal["tag"] = "tag"
    begin: str | TokenFormat
    content: Format
    end: str | list[str] | TokenFormat


class TriggeredTagsFormat(_Node):
    """Free text in which a trigger opens a tag: the rest of one whose `begin` starts with that trigger.

    `at_least_one`: it begins with a tag. `stop_after_first`: it ends with the first tag.
    `excludes`: texts that the free text may not contain.
    """

    type: Literal["triggered_tags"] = "triggered_tags"
    triggers: list[str]
    tags: list[TagFormat]
    at_least_one: bool = False
    stop_after_first: bool = False
    excludes: list[str] = Field(default_factory=list)


class TokenTriggeredTagsFormat(_Node):
    """Free tokens in which a trigger opens a tag that begins with it: `TriggeredTagsFormat` with tokens for texts."""

    type: Literal["token_triggered_tags"] = "token_triggered_tags"
    trigger_tokens: list[Token]
    tags: list[TagFormat]
    exclude_tokens: list[Token] = Field(default_factory=list)
    at_least_one: bool = False
    stop_after_first: bool = False


class TagsWithSeparatorFormat(_Node):
    """Tags with a separator between them and nothing else. Without `at_least_one`, none at all will do."""

    type: Literal["tags_with_separator"] = "tags_with_separator"
    tags: list[TagFormat]
    separator: str
    at_least_one: bool = False
    stop_after_first: bool = False


class DispatchFormat(_Node):
    """Free text in which each pattern is followed by its format; without `loop`, the first of them ends it."""

    type: Literal["dispatch"] = "dispatch"
    rules: list[tuple[str, Format]]
    loop: bool = True
    excludes: list[str] = Field(default_factory=list)


class TokenDispatchFormat(_Node):
    """Free tokens in which each pattern token is followed by its format; without `loop`, the first of them ends it."""

    type: Literal["token_dispatch"] = "token_dispatch"
    rules: list[tuple[Token, Format]]
    loop: bool = True
    exclude_tokens: list[Token] = Field(default_factory=list)


Format = Annotated[
    AnyTextFormat
    | ConstStringFormat
    | JSONSchemaFormat
    | GrammarFormat
    | RegexFormat
    | QwenXMLParameterFormat
    | OrFormat
    | SequenceFormat
    | TagFormat
    | TriggeredTagsFormat
    | TokenTriggeredTagsFormat
    | TagsWithSeparatorFormat
    | OptionalFormat
    | PlusFormat
    | StarFormat
    | TokenFormat
    | ExcludeTokenFormat
    | AnyTokensFormat
    | RepeatFormat
    | DispatchFormat
    | TokenDispatchFormat,
    Field(discriminator="type"),
]


# ---- The whole -------------------------------------------------------------------------------------------------------


class StructuralTagItem(BaseModel):
    """A tag in the older form, which knew only tags with triggers: `(tags, triggers)`."""

    begin: str
    schema_: str | type[BaseModel] | dict[str, Any] = Field(alias="schema")
    end: str


class StructuralTag(_Node):
    """A whole structural tag."""

    type: Literal["structural_tag"] = "structural_tag"
    format: Format

    @staticmethod
    def from_json(json_str: str | dict[str, Any]) -> StructuralTag:
        """Reads JSON text, or the dict that it stands for.

        Raises
        ------
        InvalidJSONError
            For text that is not JSON.
        InvalidStructuralTagError
            For JSON that is no structural tag; `pointer` says where.

        >>> try:
        ...     StructuralTag.from_json({"format": {"type": "const_string"}})
        ... except InvalidStructuralTagError as error:
        ...     print(error.pointer)
        /format/value
        """
        value: Any = structural_tag_value(json_str) if isinstance(json_str, str) else json_str
        try:
            return StructuralTag.model_validate(value)
        except ValidationError as error:
            raise _as_ours(error, value) from error

    @staticmethod
    def from_legacy_structural_tag(tags: list[StructuralTagItem], triggers: list[str]) -> StructuralTag:
        """The same in today's form.

        Raises
        ------
        InvalidJSONError
            For a schema that is text and not JSON.
        InvalidStructuralTagError
            For what is no list of tags.

        >>> tag = StructuralTagItem(begin="<f>", schema='{"type": "integer"}', end="</f>")
        >>> StructuralTag.from_legacy_structural_tag([tag], ["<f"]).format.tags[0].content.json_schema
        {'type': 'integer'}
        """
        return StructuralTag.from_json(structural_tag_value(tags, triggers))


def _as_ours(error: ValidationError, value: Any) -> InvalidStructuralTagError:
    """The first finding of pydantic's, with a JSON Pointer in place of a path through unions."""
    first = error.errors()[0]
    pointer = ""
    for step in first["loc"]:
        # A union adds the alternative's name to the path; what is no key of the value is one of those.
        is_there = isinstance(value, list) if isinstance(step, int) else isinstance(value, dict)
        is_missing = first["type"] == "missing" and step == first["loc"][-1]
        is_there = is_there and (isinstance(step, int) or step in value or is_missing)
        if not is_there:
            continue
        pointer += "/" + str(step).replace("~", "~0").replace("/", "~1")
        value = None if is_missing else value[step]
    return InvalidStructuralTagError(f"{first['msg']} (at {pointer or 'the top'})", pointer=pointer)
