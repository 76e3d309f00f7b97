"""The type that a value was meant to have, in formats that write only its text.

>>> of_text("5", {"type": "integer"}, {}), of_text("5", {"type": "string"}, {}), of_text("5", None, {})
(5, '5', 5)

See also: `styles.py`, which asks; `readings.py`, for texts that stand for several values.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, cast

from xg2lab.tool_calls.readings import Readings, keeps

__all__ = ["NAMES", "item_schema", "of_text", "property_schema", "target", "types_of", "types_of_value"]

NAMES = ("string", "integer", "number", "boolean", "null", "array", "object")
Schema = Any  # a dict, True, or None where nothing is known


def types_of(schema: Schema, root: dict[str, Any], depth: int = 0) -> set[str]:
    """The names of the types that a schema allows; all of them where it doesn't say."""
    if not isinstance(schema, dict) or depth > 20:
        return set(NAMES)
    schema = cast("dict[str, Any]", schema)
    found = set(NAMES)
    if "$ref" in schema:
        found &= types_of(target(schema["$ref"], root), root, depth + 1)
    if "type" in schema:
        named = schema["type"]
        found &= {named} if isinstance(named, str) else set(cast("list[str]", named))
    for values in ([schema["const"]] if "const" in schema else None, schema.get("enum")):
        if values is not None:
            found &= {name for value in values for name in types_of_value(value)}
    for key in ("anyOf", "oneOf"):
        if key in schema:
            found &= set[str]().union(*(types_of(part, root, depth + 1) for part in schema[key]))
    for part in schema.get("allOf", []):
        found &= types_of(part, root, depth + 1)
    return found | ({"integer"} if "number" in found else set())


def property_schema(schema: Schema, name: str, root: dict[str, Any]) -> Schema:
    """The schema of a property of an object; None where it isn't said.

    Where several parts of a schema speak of it, the property may be what any of them says: each of its readings is
    among those.

    >>> property_schema({"anyOf": [{"properties": {"a": {"const": n}}} for n in (1, 2)]}, "a", {})
    {'anyOf': [{'const': 1}, {'const': 2}]}
    """

    def said(part: dict[str, Any]) -> Iterator[Schema]:
        if name in part.get("properties", {}):
            yield part["properties"][name]
            return
        patterns = [value for pattern, value in part.get("patternProperties", {}).items() if _matches(pattern, name)]
        if patterns:
            yield from patterns
        elif isinstance(part.get("additionalProperties"), dict):
            yield part["additionalProperties"]

    return _any_of(value for part in _parts(schema, root) for value in said(part))


def item_schema(schema: Schema, place: int, root: dict[str, Any]) -> Schema:
    """The same of an item of a list.

    >>> item_schema({"items": {"$ref": "#/$defs/t"}}, 0, {"$defs": {"t": {"type": "null"}}})
    {'$ref': '#/$defs/t'}
    """

    def said(part: dict[str, Any]) -> Iterator[Schema]:
        items: Schema = part.get("items")
        first = cast("list[Schema]", part.get("prefixItems", items if isinstance(items, list) else []))
        if place < len(first):
            yield first[place]
        elif isinstance(items, dict):
            yield items
        elif isinstance(items, list) and isinstance(part.get("additionalItems"), dict):
            yield part["additionalItems"]

    return _any_of(value for part in _parts(schema, root) for value in said(part))


def _parts(schema: Schema, root: dict[str, Any], depth: int = 0) -> Iterator[dict[str, Any]]:
    """A schema, what it refers to, and its alternatives."""
    if not isinstance(schema, dict) or depth > 20:
        return
    schema = cast("dict[str, Any]", schema)
    yield schema
    if "$ref" in schema:
        yield from _parts(target(schema["$ref"], root), root, depth + 1)
    inner = [part for key in ("allOf", "anyOf", "oneOf") for part in cast("list[Schema]", schema.get(key, []))]
    for part in [*inner, *(schema.get(key) for key in ("if", "then", "else"))]:
        yield from _parts(part, root, depth + 1)


def _any_of(schemas: Iterable[Schema]) -> Schema:
    found: list[Schema] = []
    for schema in schemas:
        if schema not in found:
            found.append(schema)
    return {"anyOf": found} if len(found) > 1 else found[0] if found else None


def _matches(pattern: str, name: str) -> bool:
    try:
        return re.search(pattern, name) is not None
    except re.error:  # of another dialect than Python's
        return True


def of_text(text: str, schema: Schema, root: dict[str, Any]) -> Any:
    """The value that a text stands for: JSON of an allowed type if it is that, else the text itself.

    `Readings`, where several values keep the schema.
    """
    types = types_of(schema, root)
    readings = _readings(text, types)
    if len(readings) == 1 or not isinstance(schema, dict):
        return readings[0]
    schema = cast("dict[str, Any]", schema)
    if types == {"string"} and schema.keys() <= _PLAIN_KEYWORDS:
        return text
    around = {key: root[key] for key in ("$schema", "$defs", "definitions") if key in root}
    kept = [value for value in readings if keeps(value, {**around, "allOf": [schema]})] or readings
    if text in kept:
        kept = [value for value in kept if value != text.strip() or value == text]
    return kept[0] if len(kept) == 1 else Readings(tuple(kept))


#: Keywords beside which any text will do, if its type is one.
_PLAIN_KEYWORDS = {"type", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"}


def _readings(text: str, allowed: set[str]) -> list[Any]:
    """What the text may stand for: another value's JSON, itself, and itself without whitespace around it."""
    texts: list[Any] = list(dict.fromkeys([text, text.strip()])) if "string" in allowed else [text]
    if allowed == {"string"}:
        return texts
    try:
        value: Any = json.loads(text)
    except ValueError:
        lower = text.strip().lower()  # some templates write Python's True and None
        words = {"true": True, "false": False, "none": None}
        return [words[lower]] if lower in words and "string" not in allowed else texts
    if isinstance(value, str) or not types_of_value(value) & allowed:
        return texts
    return [value, *texts] if "string" in allowed else [value]


def types_of_value(value: Any) -> set[str]:
    """The names of the types that a value has."""
    if isinstance(value, bool):
        return {"boolean"}
    if isinstance(value, int):
        return {"number", "integer"}
    if isinstance(value, float):
        return {"number", "integer"} if value.is_integer() else {"number"}
    kinds: dict[type, str] = {str: "string", list: "array", dict: "object", type(None): "null"}
    return {kinds[type(value)]}


def target(reference: Any, root: Any) -> Schema:
    """Return the target of a `$ref` within the same schema; None if the target is elsewhere."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    value: Any = root
    for step in reference[1:].split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(value, dict) or key not in value:
            return None
        value = cast("dict[str, Any]", value)[key]
    return value
