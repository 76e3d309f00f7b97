"""What type a value was meant to have, where a format writes only its text.

>>> of_text("5", {"type": "integer"}, {}), of_text("5", {"type": "string"}, {}), of_text("5", None, {})
(5, '5', 5)

See also: `styles.py`, which asks.
"""

from __future__ import annotations

import json
from typing import Any, cast

__all__ = ["NAMES", "of_text", "property_schema", "target", "types_of"]

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
            found &= {name for value in values for name in _types_of_value(value)}
    for key in ("anyOf", "oneOf"):
        if key in schema:
            found &= set[str]().union(*(types_of(part, root, depth + 1) for part in schema[key]))
    for part in schema.get("allOf", []):
        found &= types_of(part, root, depth + 1)
    return found | ({"integer"} if "number" in found else set())


def property_schema(schema: Schema, name: str, root: dict[str, Any]) -> Schema:
    """The schema of a property of an object; None where it isn't said."""
    for _ in range(20):
        if not isinstance(schema, dict) or "$ref" not in schema:
            break
        schema = target(cast("dict[str, Any]", schema)["$ref"], root)
    if not isinstance(schema, dict):
        return None
    schema = cast("dict[str, Any]", schema)
    if name in schema.get("properties", {}):
        return schema["properties"][name]
    for key in ("allOf", "anyOf", "oneOf"):
        for part in schema.get(key, []):
            found = property_schema(part, name, root)
            if found is not None:
                return found
    extra = schema.get("additionalProperties")
    return extra if isinstance(extra, dict) else None


def of_text(text: str, schema: Schema, root: dict[str, Any]) -> Any:
    """The value that a text stands for: JSON of an allowed type if it is that, else the text itself."""
    allowed = types_of(schema, root)
    if allowed == {"string"}:
        return text
    try:
        value: Any = json.loads(text)
    except ValueError:
        lower = text.strip().lower()  # some templates write Python's True and None
        words = {"true": True, "false": False, "none": None}
        if lower in words and not allowed & {"string"}:
            return words[lower]
        return text
    fits = not isinstance(value, str) and bool(_types_of_value(value) & allowed)
    return value if fits else text


def _types_of_value(value: Any) -> set[str]:
    if isinstance(value, bool):
        return {"boolean"}
    if isinstance(value, (int, float)):
        return {"number", "integer"} if float(value).is_integer() else {"number"}
    kinds: dict[type, str] = {str: "string", list: "array", dict: "object", type(None): "null"}
    return {kinds[type(value)]}


def target(reference: Any, root: Any) -> Schema:
    """What a `$ref` within the same schema leads to; None where it leads elsewhere."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    value: Any = root
    for step in reference[1:].split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(value, dict) or key not in value:
            return None
        value = cast("dict[str, Any]", value)[key]
    return value
