"""Structural tags: the form of an answer, as data.

>>> tag = StructuralTag(format=TriggeredTagsFormat(
...     triggers=["<function="],
...     tags=[TagFormat(begin="<function=get_time>", content=JSONSchemaFormat(json_schema=True), end="</function>")],
... ))
>>> StructuralTag.from_json(tag.model_dump_json()) == tag
True

A structural tag is JSON: `{"type": "structural_tag", "format": {...}}`, where a format is an object with a `type`,
made of
other formats. The classes here are that JSON with types: names, fields and defaults are those of XGrammar, so
tags written for it load here. A field that no format has is refused rather than ignored.

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

#: A token by its id, or by its text, which needs a tokenizer:
#: `GrammarCompiler.compile_structural_tag`.
Token = int | str
#: A JSON Schema: an object, or true (anything) or false (nothing).
Schema = bool | dict[str, Any]
#: How a JSON Schema's value is written. All but "json" write an object as one element for each
#: property.
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
#: How numbers are written: in each of JSON's ways, or as programs write them, with a bound to
#: their digits.
NumberForm = Literal["any", "plain"]
#: A limit of tokens or of code points.
Limit = Annotated[int, Field(ge=0, le=2**31 - 1)]


class _Node(BaseModel):
    model_config = ConfigDict(extra="forbid")


# ---- Leaves -------------------------------------------------------------------------------------


class ConstStringFormat(_Node):
    """The text `value`, and nothing else.

    Parameters
    ----------
    value : str
        The text.

    >>> ConstStringFormat(value="yes").type
    'const_string'
    """

    type: Literal["const_string"] = "const_string"
    value: str


class JSONSchemaFormat(_Node):
    """A value that a JSON Schema describes, written in a style.

    Parameters
    ----------
    json_schema : dict or bool
        The schema.
    style : str
        "json", or an XML-like style in which some models write arguments, such as "qwen_xml".
    any_order : bool
        Whether the properties of an object may come in any order. If not, they come in the schema's.
    max_whitespace_cnt : int, optional
        The most consecutive characters of whitespace; None is no limit.
    excludes : list of str
        Texts that no property name may contain, and no string value without `pattern` or `format`.
    number_form : "any" or "plain"
        How numbers are written, as for `Grammar.from_json_schema`.

    >>> JSONSchemaFormat(json_schema={"type": "integer"}).style
    'json'
    """

    type: Literal["json_schema"] = "json_schema"
    json_schema: Schema
    style: Style = "json"
    any_order: bool = False
    max_whitespace_cnt: int | None = None
    excludes: list[str] = Field(default_factory=list)
    number_form: NumberForm = "any"


class QwenXMLParameterFormat(_Node):
    """The older spelling of `JSONSchemaFormat(style="qwen_xml")`.

    Parameters
    ----------
    json_schema : dict or bool
        The schema.

    >>> QwenXMLParameterFormat(json_schema=True).type
    'qwen_xml_parameter'
    """

    type: Literal["qwen_xml_parameter"] = "qwen_xml_parameter"
    json_schema: Schema


class AnyTextFormat(_Node):
    """Any text that contains none of `excludes`, and no end of the surrounding tag.

    Parameters
    ----------
    excludes : list of str
        Texts that it may not contain.
    max_tokens : int, optional
        The most tokens; `accept_string` counts none.
    max_chars : int, optional
        The most code points.

    >>> AnyTextFormat(max_chars=80).excludes
    []
    """

    type: Literal["any_text"] = "any_text"
    excludes: list[str] = Field(default_factory=list)
    max_tokens: Limit | None = None
    max_chars: Limit | None = None


class GrammarFormat(_Node):
    """A text that an EBNF grammar matches.

    Parameters
    ----------
    grammar : str
        EBNF with a rule `root`.

    >>> GrammarFormat(grammar='root ::= "a"').type
    'grammar'
    """

    type: Literal["grammar"] = "grammar"
    grammar: str


class RegexFormat(_Node):
    """A text that a regular expression matches as a whole.

    Parameters
    ----------
    pattern : str
        The pattern, as for `Grammar.from_regex`.

    >>> RegexFormat(pattern="[a-z]+").type
    'regex'
    """

    type: Literal["regex"] = "regex"
    pattern: str


class TokenFormat(_Node):
    """One token, whatever its bytes.

    Parameters
    ----------
    token : int or str
        A token id; or its text, which needs a tokenizer.

    >>> TokenFormat(token=7).token
    7
    """

    type: Literal["token"] = "token"
    token: Token


class ExcludeTokenFormat(_Node):
    """One token that is not listed, and is not an end of the surrounding tag.

    Parameters
    ----------
    exclude_tokens : list of int or str
        Token ids, or texts.

    >>> ExcludeTokenFormat(exclude_tokens=[7]).exclude_tokens
    [7]
    """

    type: Literal["exclude_token"] = "exclude_token"
    exclude_tokens: list[Token] = Field(default_factory=list)


class AnyTokensFormat(_Node):
    """Any number of tokens that are not listed, and are not an end of the surrounding tag.

    Parameters
    ----------
    exclude_tokens : list of int or str
        Token ids, or texts.
    max_tokens : int, optional
        The most tokens.

    >>> AnyTokensFormat(max_tokens=100).exclude_tokens
    []
    """

    type: Literal["any_tokens"] = "any_tokens"
    exclude_tokens: list[Token] = Field(default_factory=list)
    max_tokens: Limit | None = None


# ---- Formats made of formats --------------------------------------------------------------------


class SequenceFormat(_Node):
    """One format after the other.

    Parameters
    ----------
    elements : list of Format
        The formats.

    >>> SequenceFormat(elements=[ConstStringFormat(value="a"), AnyTextFormat()]).elements[0].value
    'a'
    """

    type: Literal["sequence"] = "sequence"
    elements: list[Format]


class OrFormat(_Node):
    """Any one of the formats.

    Parameters
    ----------
    elements : list of Format
        The formats.

    >>> len(OrFormat(elements=[ConstStringFormat(value="a"), ConstStringFormat(value="b")]).elements)
    2
    """

    type: Literal["or"] = "or"
    elements: list[Format]


class OptionalFormat(_Node):
    """The content, or nothing.

    Parameters
    ----------
    content : Format
        The content.

    >>> OptionalFormat(content=ConstStringFormat(value="a")).content.value
    'a'
    """

    type: Literal["optional"] = "optional"
    content: Format


class PlusFormat(_Node):
    """The content, once or more.

    Parameters
    ----------
    content : Format
        The content.

    >>> PlusFormat(content=ConstStringFormat(value="a")).content.value
    'a'
    """

    type: Literal["plus"] = "plus"
    content: Format


class StarFormat(_Node):
    """The content, any number of times.

    Parameters
    ----------
    content : Format
        The content.

    >>> StarFormat(content=ConstStringFormat(value="a")).content.value
    'a'
    """

    type: Literal["star"] = "star"
    content: Format


class RepeatFormat(_Node):
    """The content, between `min` and `max` times.

    Parameters
    ----------
    min : int
        The least number of times.
    max : int
        The greatest number of times; -1 is no limit.
    content : Format
        The content.

    >>> RepeatFormat(min=1, max=3, content=ConstStringFormat(value="a")).max
    3
    """

    type: Literal["repeat"] = "repeat"
    min: int
    max: int
    content: Format


class TagFormat(_Node):
    """`begin`, the content, then `end`. Text in the content ends at the first end.

    Parameters
    ----------
    begin : str or TokenFormat
        The beginning.
    content : Format
        The content.
    end : str, list of str, or TokenFormat
        The end, or any one of several.

    >>> TagFormat(begin="<a>", content=AnyTextFormat(), end="</a>").end
    '</a>'
    """

    type: Literal["tag"] = "tag"
    begin: str | TokenFormat
    content: Format
    end: str | list[str] | TokenFormat


class TriggeredTagsFormat(_Node):
    """Free text in which a trigger opens a tag whose `begin` starts with that trigger.

    Parameters
    ----------
    triggers : list of str
        Texts that open a tag.
    tags : list of TagFormat
        The tags.
    at_least_one : bool
        Whether it must begin with a tag.
    stop_after_first : bool
        Whether it ends with the first tag.
    excludes : list of str
        Texts that the free text may not contain.

    >>> tag = TagFormat(begin="<a>", content=AnyTextFormat(), end="</a>")
    >>> TriggeredTagsFormat(triggers=["<a"], tags=[tag]).at_least_one
    False
    """

    type: Literal["triggered_tags"] = "triggered_tags"
    triggers: list[str]
    tags: list[TagFormat]
    at_least_one: bool = False
    stop_after_first: bool = False
    excludes: list[str] = Field(default_factory=list)


class TokenTriggeredTagsFormat(_Node):
    """Free tokens in which a trigger opens a tag that begins with it: `TriggeredTagsFormat` with tokens for texts.

    Parameters
    ----------
    trigger_tokens : list of int or str
        Token ids, or texts, that open a tag.
    tags : list of TagFormat
        The tags.
    exclude_tokens : list of int or str
        Tokens that the free part may not contain.
    at_least_one : bool
        Whether it must begin with a tag.
    stop_after_first : bool
        Whether it ends with the first tag.

    >>> tag = TagFormat(begin=TokenFormat(token=7), content=AnyTextFormat(), end="</a>")
    >>> TokenTriggeredTagsFormat(trigger_tokens=[7], tags=[tag]).trigger_tokens
    [7]
    """

    type: Literal["token_triggered_tags"] = "token_triggered_tags"
    trigger_tokens: list[Token]
    tags: list[TagFormat]
    exclude_tokens: list[Token] = Field(default_factory=list)
    at_least_one: bool = False
    stop_after_first: bool = False


class TagsWithSeparatorFormat(_Node):
    """Tags with a separator between them, and nothing else.

    Parameters
    ----------
    tags : list of TagFormat
        The tags.
    separator : str
        The text between two tags.
    at_least_one : bool
        Whether there must be a tag.
    stop_after_first : bool
        Whether it ends with the first tag.

    >>> tag = TagFormat(begin="<a>", content=AnyTextFormat(), end="</a>")
    >>> TagsWithSeparatorFormat(tags=[tag], separator=",").separator
    ','
    """

    type: Literal["tags_with_separator"] = "tags_with_separator"
    tags: list[TagFormat]
    separator: str
    at_least_one: bool = False
    stop_after_first: bool = False


class DispatchFormat(_Node):
    """Free text in which each pattern is followed by its format.

    Parameters
    ----------
    rules : list of (str, Format)
        Patterns, and the format that follows each.
    loop : bool
        Whether free text continues after a format; if not, the first format ends it.
    excludes : list of str
        Texts that the free text may not contain.

    >>> DispatchFormat(rules=[("<a>", AnyTextFormat())]).loop
    True
    """

    type: Literal["dispatch"] = "dispatch"
    rules: list[tuple[str, Format]]
    loop: bool = True
    excludes: list[str] = Field(default_factory=list)


class TokenDispatchFormat(_Node):
    """Free tokens in which each pattern token is followed by its format.

    Parameters
    ----------
    rules : list of (int or str, Format)
        Tokens, by id or text, and the format that follows each.
    loop : bool
        Whether free tokens continue after a format; if not, the first format ends it.
    exclude_tokens : list of int or str
        Tokens that the free part may not contain.

    >>> TokenDispatchFormat(rules=[(7, AnyTextFormat())]).loop
    True
    """

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

# The formats that hold others are complete only now. pydantic would complete each when it is first
# used, and the first request of a process would wait for that.
for _format in _Node.__subclasses__():
    _format.model_rebuild()


# ---- The whole ----------------------------------------------------------------------------------


class StructuralTagItem(BaseModel):
    """A tag in the older form, which knew only tags with triggers: `(tags, triggers)`.

    Parameters
    ----------
    begin : str
        The beginning.
    schema : str, dict or pydantic model
        The JSON Schema of the content.
    end : str
        The end.

    >>> StructuralTagItem(begin="<f>", schema='{"type": "integer"}', end="</f>").end
    '</f>'
    """

    begin: str
    schema_: str | type[BaseModel] | dict[str, Any] = Field(alias="schema")
    end: str


class StructuralTag(_Node):
    """A whole structural tag.

    Parameters
    ----------
    format : Format
        The format of the output.

    >>> StructuralTag(format=RegexFormat(pattern="[a-z]+")).model_dump_json()
    '{"type":"structural_tag","format":{"type":"regex","pattern":"[a-z]+"}}'

    See also: docs/design/0022-structural-tags.md.
    """

    type: Literal["structural_tag"] = "structural_tag"
    format: Format

    @staticmethod
    def from_json(json_str: str | dict[str, Any]) -> StructuralTag:
        """Read a structural tag.

        Parameters
        ----------
        json_str : str or dict
            JSON text, or the dict that it means.

        Returns
        -------
        StructuralTag
            The tag.

        Raises
        ------
        InvalidJSONError
            The text is not JSON.
        InvalidStructuralTagError
            The JSON is not a structural tag; `pointer` says where.

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
        """Convert tags of the older form.

        Parameters
        ----------
        tags : list of StructuralTagItem
            The tags.
        triggers : list of str
            Texts that open a tag.

        Returns
        -------
        StructuralTag
            The same in today's form.

        Raises
        ------
        InvalidJSONError
            A schema is text and not JSON.
        InvalidStructuralTagError
            The list is not a list of tags.

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
        # A union adds the alternative's name to the path; what is no key of the value is one of
        # those.
        is_there = isinstance(value, list) if isinstance(step, int) else isinstance(value, dict)
        is_missing = first["type"] == "missing" and step == first["loc"][-1]
        is_there = is_there and (isinstance(step, int) or step in value or is_missing)
        if not is_there:
            continue
        pointer += "/" + str(step).replace("~", "~0").replace("/", "~1")
        value = None if is_missing else value[step]
    return InvalidStructuralTagError(f"{first['msg']} (at {pointer or 'the top'})", pointer=pointer)


#: The classes whose fields are the JSON of a structural tag: the engine reads their objects without
#: a dump.
FORMAT_CLASSES = frozenset(_Node.__subclasses__())
