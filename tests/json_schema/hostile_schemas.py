"""Schemas whose alternatives, values, references or depths multiply: none may take more than the time for a schema."""

from __future__ import annotations

from typing import Any

__all__ = ["HOSTILE"]


def _typed(i: int) -> dict[str, Any]:
    return {"type": "object", "properties": {"kind": {"const": f"k{i}"}, f"p{i}": {"type": "integer"}}}


def _nested(depth: int, keyword: str) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "integer"}
    for _ in range(depth):
        schema = {keyword: schema} if keyword == "not" else {"type": "object", "properties": {"a": schema}}
    return schema


def _choices(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "integer"}
    for i in range(depth):
        more = {"type": "object", "required": ["b"], "properties": {"b": {"const": i}}}
        schema = {"oneOf": [{"type": "object", "required": ["a"], "properties": {"a": schema}}, more]}
    return schema


def _references(n: int) -> dict[str, Any]:
    both = {f"s{i}": {"allOf": [{"$ref": f"#/$defs/s{i + 1}"}, {"$ref": f"#/$defs/t{i + 1}"}]} for i in range(n)}
    other = {f"t{i}": {"anyOf": [{"$ref": f"#/$defs/s{i + 1}"}, {"$ref": f"#/$defs/t{i + 1}"}]} for i in range(n)}
    return {"$defs": {**both, **other, f"s{n}": {"minimum": 1}, f"t{n}": {"maximum": 5}}, "$ref": "#/$defs/s0"}


_PROPERTIES = {f"p{i}": {"type": "integer"} for i in range(1000)}
_OVERLAP: list[dict[str, Any]] = [
    {
        "type": "object",
        "properties": {f"p{j}": {"type": "integer"} for j in range(i, i + 20)},
        "required": [f"p{i + 3}"],
    }
    for i in range(40)
]

HOSTILE: dict[str, Any] = {
    "allOf of anyOf": {"allOf": [{"anyOf": [{"required": [f"a{i}"]}, {"required": [f"b{i}"]}]} for i in range(30)]},
    "allOf of anyOf of types": {
        "allOf": [{"anyOf": [{"type": "string", "pattern": f"a{i}"}, {"minLength": i}]} for i in range(20)]
    },
    "allOf of anyOf of properties": {
        "allOf": [
            {"anyOf": [{"properties": {f"p{i}": {"const": i}}}, {"properties": {f"q{i}": {"minimum": i}}}]}
            for i in range(25)
        ]
    },
    "oneOf of overlapping objects": {"oneOf": _OVERLAP},
    "oneOf of open objects with optional kinds": {"oneOf": [_typed(i) for i in range(40)]},
    "oneOf of closed objects with optional kinds": {
        "oneOf": [{**_typed(i), "additionalProperties": False} for i in range(40)]
    },
    "oneOf of many kinds": {"oneOf": [{**_typed(i), "required": ["kind"]} for i in range(300)]},
    "if and then of many kinds": {
        "type": "object",
        "required": ["kind"],
        "allOf": [
            {"if": {"properties": {"kind": {"const": f"k{i}"}}}, "then": {"properties": {"v": {"const": i}}}}
            for i in range(150)
        ],
    },
    "dependencies of all on all": {
        "type": "object",
        "dependentRequired": {f"p{i}": [f"p{(7 * i + 1) % 60}", f"p{(11 * i + 3) % 60}"] for i in range(60)},
    },
    "not within not": _nested(1000, "not"),
    "not of oneOf of not": {"not": {"oneOf": [{"not": {"oneOf": _OVERLAP[:12]}}, {"not": {"anyOf": _OVERLAP[12:]}}]}},
    "ten thousand values": {"enum": [f"value {i}" for i in range(10_000)]},
    "ten thousand numbers": {"enum": [*range(10_000)]},
    "all but ten thousand values": {"type": "string", "not": {"enum": [f"value {i}" for i in range(10_000)]}},
    "all but ten thousand numbers": {"type": "integer", "not": {"enum": [*range(10_000)]}},
    "values that meet values": {
        "allOf": [{"enum": [f"v{j}" for j in range(5000) if j % 7 != i]} for i in range(7)] + [{"type": "string"}]
    },
    "different values": {"type": "array", "uniqueItems": True, "items": {"enum": [f"v{i}" for i in range(2000)]}},
    "objects a hundred deep": _nested(100, "properties"),
    "choices sixty deep": _choices(60),
    "many references": _references(200),
    "references in a chain": {
        "$defs": {f"r{i}": {"$ref": f"#/$defs/r{i + 1}"} for i in range(2000)} | {"r2000": {"type": "integer"}},
        "$ref": "#/$defs/r0",
    },
    "a thousand properties": {"type": "object", "properties": _PROPERTIES, "required": ["p7"]},
    "a thousand properties, some": {"type": "object", "properties": _PROPERTIES, "minProperties": 300},
    "a thousand properties, few": {"type": "object", "properties": _PROPERTIES, "maxProperties": 300},
    "a thousand properties, none but": {"oneOf": [{"properties": _PROPERTIES}, {"required": ["p5"]}]},
    "patterns for names": {"type": "object", "patternProperties": {f"a.{{{i}}}b": {"const": i} for i in range(12)}},
    "patterns that meet": {"type": "string", "allOf": [{"pattern": f"a.{{{i}}}b"} for i in range(12)]},
    "patterns that meet not": {"type": "string", "not": {"anyOf": [{"pattern": f"a.{{{i}}}b"} for i in range(12)]}},
    "patterns and lengths": {"type": "string", "pattern": r"^(\w+ ){0,500}\w+$", "maxLength": 5000},
    "a pattern that goes round": {"type": "string", "pattern": "^data:[a-z]+,[^,]*$", "maxLength": 1_000_000},
    "a format and a length": {"type": "string", "format": "uri", "maxLength": 2048},
    "long strings": {"type": "string", "minLength": 100_000, "maxLength": 900_000_000},
    "many items": {"type": "array", "minItems": 5000, "maxItems": 2_000_000, "items": {"enum": [1, 2]}},
    "long prefix": {"prefixItems": [{"const": i} for i in range(3000)], "minItems": 2000},
    "much to contain": {"contains": {"minimum": 5}, "minContains": 3000, "maxContains": 4000},
    "contains of many kinds": {"allOf": [{"contains": {"multipleOf": p}} for p in (2, 3, 5, 7, 11, 13)], "maxItems": 9},
    "steps": {"multipleOf": 0.123456789},
    "steps that meet": {"allOf": [{"multipleOf": p} for p in (6.75, 19, 9.5, 2.125, 23, 29)]},
    "no steps": {"not": {"anyOf": [{"multipleOf": p} for p in (2, 6.5, 5, 7, 11, 37)]}},
    "unevaluated of many branches": {
        "anyOf": [{"properties": {f"p{i}": {"const": i}}} for i in range(12)],
        "unevaluatedProperties": False,
    },
}
