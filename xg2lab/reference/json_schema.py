"""JSON Schema by its definition: whether a value is valid against a schema.

>>> schema = {"type": "object", "properties": {"age": {"minimum": 0}}, "required": ["age"]}
>>> is_valid(schema, {"age": 3}), is_valid(schema, {"age": -1}), is_valid(schema, {})
(True, False, False)
>>> is_valid({"oneOf": [{"type": "integer"}, {"minimum": 2}]}, 3)
False

The engine has to compute "and", "or" and "not" without a value. Here the value is known, as
json.loads returns it. See also: JSON Schema 2020-12; core/frontends/json_schema/algebra.h.
"""

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

__all__ = ["is_valid"]

Json = Any


def is_number(value: Json) -> bool:
    """JSON tells numbers from booleans; Python doesn't."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


TYPES: dict[str, Callable[[Any], bool]] = {
    "null": lambda v: v is None,
    "boolean": lambda v: isinstance(v, bool),
    "number": is_number,
    "integer": lambda v: is_number(v) and v == int(v),
    "string": lambda v: isinstance(v, str),
    "array": lambda v: isinstance(v, list),
    "object": lambda v: isinstance(v, dict),
}


def same(a: Json, b: Json) -> bool:
    """Equal as JSON values: 1 is 1.0, and 1 is not true."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return a == b and is_number(a) == is_number(b)


def is_valid(schema: Json, value: Json, root: Json = None) -> bool:
    """Whether the value satisfies every keyword of the schema. `root`: what `#` means in references."""
    if isinstance(schema, bool):
        return schema
    return all(holds(name, schema, value, schema if root is None else root) for name in schema)


def holds(name: str, schema: Json, value: Json, root: Json) -> bool:
    """One keyword of a schema; those that are none hold."""
    said = schema[name]

    def ok(part: Json) -> bool:
        return is_valid(part, value, root)

    match name:
        case "type":
            return any(TYPES[kind](value) for kind in ([said] if isinstance(said, str) else said))
        case "const" | "enum":
            return any(same(one, value) for one in (said if name == "enum" else [said]))
        case "allOf" | "anyOf" | "oneOf":
            n_held = sum(map(ok, said))
            return {"allOf": n_held == len(said), "anyOf": n_held > 0, "oneOf": n_held == 1}[name]
        case "not":
            return not ok(said)
        case "if":
            return ok(schema.get("then", True)) if ok(said) else ok(schema.get("else", True))
        case "$ref":
            return ok(resolve(said, root))
        case _ if is_number(value):
            return holds_of_number(name, said, value)
        case _:
            pass
    if isinstance(value, str):
        return holds_of_string(name, said, value)
    if isinstance(value, list):
        return holds_of_array(name, schema, value, root)
    return holds_of_object(name, schema, value, root) if isinstance(value, dict) else True


def holds_of_number(name: str, said: Json, value: Json) -> bool:
    """Bounds and steps, exactly."""
    match name:
        case "minimum" | "maximum":
            return value >= said if name == "minimum" else value <= said
        case "exclusiveMinimum" | "exclusiveMaximum":
            return value > said if name == "exclusiveMinimum" else value < said
        case _:
            return name != "multipleOf" or (Fraction(str(value)) / Fraction(str(said))).denominator == 1


def holds_of_string(name: str, said: Json, value: str) -> bool:
    """Lengths and patterns."""
    if name == "pattern":
        return re.search(said, value) is not None
    return len(value) >= said if name == "minLength" else name != "maxLength" or len(value) <= said


def holds_of_array(name: str, schema: Json, value: list[Json], root: Json) -> bool:
    """Items, by place and by number."""
    said, n_prefix = schema[name], len(schema.get("prefixItems", []))
    match name:
        case "prefixItems":
            return all(is_valid(part, item, root) for part, item in zip(said, value, strict=False))
        case "items":
            return all(is_valid(said, item, root) for item in value[n_prefix:])
        case "contains":
            n_found = sum(is_valid(said, item, root) for item in value)
            return schema.get("minContains", 1) <= n_found <= schema.get("maxContains", len(value))
        case "uniqueItems":
            return not said or not any(same(a, b) for i, a in enumerate(value) for b in value[:i])
        case _:
            return len(value) >= said if name == "minItems" else name != "maxItems" or len(value) <= said


def holds_of_object(name: str, schema: Json, value: dict[str, Json], root: Json) -> bool:
    """Properties, by name, by pattern and by number."""
    said, patterns = schema[name], schema.get("patternProperties", {})
    match name:
        case "properties":
            return all(is_valid(part, value[key], root) for key, part in said.items() if key in value)
        case "patternProperties":
            return all(is_valid(s, v, root) for p, s in said.items() for k, v in value.items() if re.search(p, k))
        case "additionalProperties":
            known = schema.get("properties", {})
            rest = [k for k in value if k not in known and not any(re.search(p, k) for p in patterns)]
            return all(is_valid(said, value[key], root) for key in rest)
        case "propertyNames":
            return all(is_valid(said, key, root) for key in value)
        case "required":
            return all(key in value for key in said)
        case "dependentRequired":
            return all(other in value for key, others in said.items() if key in value for other in others)
        case _:
            return len(value) >= said if name == "minProperties" else name != "maxProperties" or len(value) <= said


def resolve(reference: str, root: Json) -> Json:
    """What a pointer leads to."""
    for part in reference.split("/")[1:]:
        root = root[int(part)] if isinstance(root, list) else root[part.replace("~1", "/").replace("~0", "~")]
    return root
