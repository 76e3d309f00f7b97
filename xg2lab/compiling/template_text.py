"""Templates written down as JSON text: how they were read, and of compiled ones the masks that instances share.

>>> import xg2lab as xgr
>>> text = xgr.Template.from_ebnf('root ::= "<" $name ">"').serialize_json()
>>> xgr.Template.deserialize_json(text).write_out(name="a").rules[0].name
'root'

The text holds the template's own text and the options that it was read with; of a compiled template also its
`EngineOptions`, a hash of its tokenizer and, on request, masks. Reading it reads and compiles the template again: no
program is taken from outside.

See also: xg2lab/compiling/serialization.py, core/mask/plain_mask.h, docs/design/0042-instances-are-linked.md.
"""

from __future__ import annotations

import operator
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from xg2lab.compiling.serialization import (
    VERSION,
    check_tokenizer,
    check_whole,
    facts_of,
    member,
    read_options,
    read_record,
    refusal,
    with_checksum,
)
from xg2lab.errors import ArgumentError, LimitError, Xg2LabError
from xg2lab.sources.json_schema import SchemaOptions, schema_input, schema_values

if TYPE_CHECKING:
    from collections.abc import Callable

    from xg2lab._core import SchemaInput
    from xg2lab.compiler import CompiledTemplate
    from xg2lab.options import EngineOptions
    from xg2lab.template import Template
    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = [
    "COMPILED_FORMAT",
    "FORMAT",
    "CompiledParts",
    "TemplateSource",
    "compiled_parts",
    "compiled_template_to_json",
    "schema_source",
    "source_from_json",
    "template_again",
    "template_to_json",
]

FORMAT = "xg2lab.Template"
COMPILED_FORMAT = "xg2lab.CompiledTemplate"
KINDS = ("ebnf", "json_schema")


@dataclass(frozen=True)
class TemplateSource:
    """How a template was read: enough to read it again. `registry` is URI to JSON text.

    `spelling` has the static texts and their token ids, in the order of the text; None if text is bytes.
    """

    kind: str
    text: str
    root_rule_name: str = ""
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    registry: dict[str, str] = field(default_factory=dict[str, str])
    spelling: list[tuple[str, list[int]]] | None = None


@dataclass(frozen=True)
class CompiledParts:
    """The parts of a compiled template. `n_states` is None if the text has no masks."""

    options: EngineOptions
    source: TemplateSource
    n_states: int | None
    masks: list[Any]


def schema_source(schema: Any, options: dict[str, Any], read: SchemaInput) -> TemplateSource:
    """The source of a template of a schema, `read` with these options."""
    registry = options.get("registry") or {}
    rest = {name: value for name, value in options.items() if name != "registry"}
    text = schema_input(schema_values(schema)).text if registry else read.text
    texts = {str(uri): schema_input(schema_values(other)).text for uri, other in registry.items()}
    return TemplateSource("json_schema", text, options=rest, registry=texts)


# ---- Writing ----


def template_to_json(template: Template) -> str:
    """Write a template as JSON text. `Template.serialize_json` is this function."""
    return with_checksum({"format": FORMAT, "__VERSION__": VERSION, "template": source_fields(template)})


def compiled_template_to_json(compiled: CompiledTemplate, *, include_masks: bool) -> str:
    """Write a compiled template as JSON text. `CompiledTemplate.serialize_json` is this function."""
    record: dict[str, Any] = {
        "format": COMPILED_FORMAT,
        "__VERSION__": VERSION,
        "tokenizer": facts_of(compiled.tokenizer_info),
        "options": asdict(compiled.options),
        "template": source_fields(compiled.template),
    }
    if include_masks:
        record["n_states"] = compiled.n_states
        record["masks"] = compiled._mask_tables()  # pyright: ignore[reportPrivateUsage]
    return with_checksum(record)


def source_fields(template: Template) -> dict[str, Any]:
    """The template's source as values of JSON."""
    source = template._read_from  # pyright: ignore[reportPrivateUsage]
    if source is None:
        raise ArgumentError(
            "this template was made from the engine's TemplateText, which doesn't know how it was read",
            hint="make it with Template.from_ebnf or Template.from_json_schema",
        )
    if source.kind == "ebnf":
        record = {"kind": source.kind, "text": source.text, "root_rule_name": source.root_rule_name}
        return record if source.spelling is None else record | {"spelling": source.spelling}
    options = {name: json_value(value) for name, value in source.options.items()}
    return {"kind": source.kind, "text": source.text, "options": options, "registry": source.registry}


def json_value(value: Any) -> Any:
    """An option's value as JSON has it: NumPy's numbers become Python's."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [json_value(item) for item in cast("list[Any]", value)]
    return bool(value) if isinstance(value, np.bool) else operator.index(value)


# ---- Reading ----


def source_from_json(text: str | bytes) -> TemplateSource:
    """Read what `template_to_json` wrote."""
    record = read_record(text, FORMAT, "template")
    check_whole(record, "template")
    return read_source(member(record, "template", dict))


def compiled_parts(text: str | bytes, tokenizer_info: TokenizerInfo) -> CompiledParts:
    """Read what `compiled_template_to_json` wrote for a tokenizer of these contents."""
    record = read_record(text, COMPILED_FORMAT, "template")
    check_whole(record, "template")
    check_tokenizer(member(record, "tokenizer", dict), facts_of(tokenizer_info), "template")
    options = read_options(member(record, "options", dict))
    source = read_source(member(record, "template", dict))
    if "masks" not in record:
        return CompiledParts(options, source, None, [])
    if type(record.get("n_states")) is not int:
        raise refusal("/n_states", "it is missing or not an int")
    return CompiledParts(options, source, record["n_states"], member(record, "masks", list))


def read_source(record: dict[str, Any]) -> TemplateSource:
    """The source of a template, types checked."""
    kind, text = record.get("kind"), record.get("text")
    if kind not in KINDS:
        raise refusal("/template/kind", f"{kind!r:.40} is not {' or '.join(map(repr, KINDS))}")
    if not isinstance(text, str):
        raise refusal("/template/text", "it is missing or not a str")
    if kind == "ebnf":
        root = record.get("root_rule_name")
        if not isinstance(root, str):
            raise refusal("/template/root_rule_name", "it is missing or not a str")
        return TemplateSource(kind, text, root, spelling=read_spelling(record))
    options, registry = record.get("options"), record.get("registry")
    if not isinstance(options, dict):
        raise refusal("/template/options", "it is missing or not a dict")
    if not isinstance(registry, dict):
        raise refusal("/template/registry", "it is missing or not a dict")
    for uri, other in cast("dict[str, Any]", registry).items():
        if not isinstance(other, str):
            raise refusal("/template/registry", f"{uri!r:.40} is not a str")
    return TemplateSource(kind, text, "", schema_options(cast("dict[str, Any]", options)), registry)


def read_spelling(record: dict[str, Any]) -> list[tuple[str, list[int]]] | None:
    """The static texts with their ids, types and ranges checked; None if the record has none."""
    if "spelling" not in record:
        return None
    rows = record["spelling"]
    if not isinstance(rows, list):
        raise refusal("/template/spelling", "it is not a list")
    spelling: list[tuple[str, list[int]]] = []
    for i, row in enumerate(cast("list[Any]", rows)):
        place = f"/template/spelling/{i}"
        if not isinstance(row, list) or [type(part) for part in cast("list[Any]", row)] != [str, list]:
            raise refusal(place, "it is not a text with a list of ids")
        text, ids = cast("tuple[str, list[Any]]", row)
        if not ids or not all(type(token) is int and 0 <= token < 1 << 31 for token in ids):
            raise refusal(place, "its ids are not token ids")
        spelling.append((text, ids))
    return spelling


def schema_options(record: dict[str, Any]) -> dict[str, Any]:
    """Options of `Template.from_json_schema`, each of its type."""
    checks: dict[str, Callable[[Any], bool]] = {
        "indent": is_count,
        "max_whitespace_cnt": is_count,
        "separators": lambda value: value is None or is_pair(value),
        "any_order": lambda value: value is None or isinstance(value, bool),
        "on_unsupported": lambda value: isinstance(value, str),
        "number_form": lambda value: isinstance(value, str),
    }
    options: dict[str, Any] = {}
    for name, value in record.items():
        place = f"/template/options/{name:.40}"
        if name not in SchemaOptions.__annotations__ or name == "registry":
            raise refusal(place, "there is no such option")
        if not checks.get(name, lambda value: isinstance(value, bool))(value):
            raise refusal(place, f"{value!r:.40} is not a value of this option")
        options[name] = tuple(value) if isinstance(value, list) else value
    return options


def is_count(value: object) -> bool:
    """Whether it is None or an int that the engine can hold."""
    return value is None or (type(value) is int and 0 <= value < 1 << 31)


def is_pair(value: object) -> bool:
    """Whether it is a list of two texts."""
    return isinstance(value, list) and [type(item) for item in cast("list[Any]", value)] == [str, str]


def template_again(source: TemplateSource, make: Callable[[TemplateSource], Any]) -> Any:
    """The result of `make` for the source; its refusals are mistakes of the text, except for limits."""
    try:
        return make(source)
    except LimitError:
        raise
    except (Xg2LabError, TypeError, ValueError, OverflowError) as error:
        raise refusal("/template", str(error).partition("\n")[0]) from error
